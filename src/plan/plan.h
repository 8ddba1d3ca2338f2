/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner: intervals in, offsets out. Shared by session and compile; it knows neither graph
 * nor device. Gap filling, aliasing with a minimum offset, several pools; deterministic on every
 * host. Scratch is a buffer like any other.
 */
#ifndef ORIBI_PLAN_PLAN_H_
#define ORIBI_PLAN_PLAN_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/tf_status.h"

typedef struct oribi_plan_buffer {
    uint64_t bytes;
    uint64_t alignment;          /* power of two */
    int32_t first_use, last_use; /* steps, both included */
    uint32_t allowed_pools;      /* bit per pool */
    int32_t out_pool;
    uint64_t out_offset;
} oribi_plan_buffer;

/* b may share bytes with a although both live at a's last step, which is b's first, provided that
 * min_offset <= offset(b) - offset(a) <= max_offset. Both 0: exactly in place. INT64_MIN and
 * INT64_MAX: no limit on that side. Two of one pair: either may hold. */
typedef struct oribi_plan_alias {
    int32_t a, b;
    int64_t min_offset, max_offset;
} oribi_plan_alias;

typedef struct oribi_plan_pool {
    uint64_t max_bytes; /* 0: no limit */
    uint64_t out_bytes; /* highest byte used */
} oribi_plan_pool;

typedef struct oribi_plan_bounds { /* of one pool: with alignment gaps that no plan can avoid */
    uint64_t floor_no_alias_bytes; /* largest live sum without aliasing */
    uint64_t bound_bytes;          /* largest live sum after aliasing: no plan is smaller */
    uint64_t work; /* what the planner looked at: grows as n log n beyond its fixed effort */
} oribi_plan_bounds;

/* Plans. Each buffer goes to a pool with a low index where it can; then the highest bytes used are
 * kept small, those of the last pool first. Takes a few milliseconds for a thousand buffers.
 * Buffers of no bytes get offset 0. An alias whose buffers share more steps than a's last one has
 * no effect.
 *
 * Errors   INVALID_ARGUMENT with the buffer or alias that is wrong; RESOURCE_EXHAUSTED when the
 *          limits cannot be met (the message says what is missing) or memory is out. Buffers,
 *          pools and bounds are untouched then.
 */
bool oribi_plan_memory(oribi_plan_buffer *buffers, int32_t n_buffers,
                       const oribi_plan_alias *aliases, int32_t n_aliases, oribi_plan_pool *pools,
                       int32_t n_pools, oribi_plan_bounds *out_bounds, TF_Status *status);
/* The same with a budget of its own: the planner looks at about `effort` pairs of buffers (some
 * nanoseconds each) before it settles for what it has; it stops early at the bound.
 * ORIBI_PLAN_THOROUGH is meant for a hundred buffers of which each byte counts: 0.1 s. */
enum { ORIBI_PLAN_QUICK = 400000, ORIBI_PLAN_THOROUGH = 20000000 };
bool oribi_plan_memory_search(oribi_plan_buffer *buffers, int32_t n_buffers,
                              const oribi_plan_alias *aliases, int32_t n_aliases,
                              oribi_plan_pool *pools, int32_t n_pools,
                              oribi_plan_bounds *out_bounds, int64_t effort, TF_Status *status);

#endif
