/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner: intervals in, offsets out. Shared by session and compile; it knows neither graph
 * nor device. Gap filling, aliasing with a minimum offset, several pools; deterministic on every
 * host. Scratch is a buffer like any other.
 */
#ifndef ORIBI_PASS_PLAN_H_
#define ORIBI_PASS_PLAN_H_

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

/* b may start inside a's bytes although both live at a's last step, provided that
 * offset(b) >= offset(a) + min_offset, or, for a negative one, offset(b) + -min_offset <=
 * offset(a). min_offset 0: exactly in place or anything above. */
typedef struct oribi_plan_alias {
    int32_t a, b;
    int64_t min_offset;
} oribi_plan_alias;

typedef struct oribi_plan_pool {
    uint64_t max_bytes; /* 0: no limit */
    uint64_t out_bytes; /* highest byte used */
} oribi_plan_pool;

typedef struct oribi_plan_bounds {
    uint64_t floor_no_alias_bytes; /* largest live sum without aliasing */
    uint64_t bound_bytes;          /* largest live sum after aliasing */
} oribi_plan_bounds;

bool oribi_plan_memory(oribi_plan_buffer *buffers, int32_t n_buffers,
                       const oribi_plan_alias *aliases, int32_t n_aliases, oribi_plan_pool *pools,
                       int32_t n_pools, oribi_plan_bounds *out_bounds, TF_Status *status);

#endif
