/* SPDX-License-Identifier: Apache-2.0 */
/* Checker of memory plans, written from plan.h alone: it shares nothing with the planner. */
#ifndef ORIBI_TESTS_PLAN_PLAN_CHECK_H_
#define ORIBI_TESTS_PLAN_PLAN_CHECK_H_

#include "plan/plan.h"

static inline bool plan_check_alias_allows(const oribi_plan_buffer *buffers,
                                           const oribi_plan_alias *alias, int32_t i, int32_t j)
{
    if (!((alias->a == i && alias->b == j) || (alias->a == j && alias->b == i))) {
        return false;
    }
    const oribi_plan_buffer *a = &buffers[alias->a];
    const oribi_plan_buffer *b = &buffers[alias->b];
    if (b->first_use != a->last_use) { /* they must meet in a's last step only */
        return false;
    }
    const int64_t distance = (int64_t)b->out_offset - (int64_t)a->out_offset;
    return alias->min_offset <= distance && distance <= alias->max_offset;
}

/* NULL, or what is wrong first; *out_i and *out_j tell with which buffers. */
static inline const char *plan_check(const oribi_plan_buffer *buffers, int32_t n,
                                     const oribi_plan_alias *aliases, int32_t n_aliases,
                                     const oribi_plan_pool *pools, int32_t n_pools, int32_t *out_i,
                                     int32_t *out_j)
{
    for (int32_t i = 0; i < n; i++) {
        const oribi_plan_buffer *x = &buffers[i];
        *out_i = i;
        *out_j = i;
        if (x->out_pool < 0 || x->out_pool >= n_pools || !(x->allowed_pools >> x->out_pool & 1)) {
            return "a pool that is not allowed";
        }
        if (x->out_offset % x->alignment != 0) {
            return "not aligned";
        }
        if (x->bytes && x->out_offset + x->bytes > pools[x->out_pool].out_bytes) {
            return "beyond the pool's reported end";
        }
        for (int32_t j = 0; j < i; j++) {
            const oribi_plan_buffer *y = &buffers[j];
            bool together = x->first_use <= y->last_use && y->first_use <= x->last_use;
            bool overlap = x->bytes && y->bytes && x->out_offset < y->out_offset + y->bytes &&
                           y->out_offset < x->out_offset + x->bytes;
            bool allowed = false;
            for (int32_t k = 0; k < n_aliases && !allowed; k++) {
                allowed = plan_check_alias_allows(buffers, &aliases[k], i, j);
            }
            *out_j = j;
            if (x->out_pool == y->out_pool && together && overlap && !allowed) {
                return "overlap of two that live at one step";
            }
        }
    }
    for (int32_t p = 0; p < n_pools; p++) {
        *out_i = p;
        if (pools[p].max_bytes && pools[p].out_bytes > pools[p].max_bytes) {
            return "a pool beyond its limit";
        }
    }
    return NULL;
}

#endif
