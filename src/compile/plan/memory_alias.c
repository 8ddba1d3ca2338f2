/* SPDX-License-Identifier: Apache-2.0 */
/* What a call may write over: the aliases of its kernel, between the groups of its values. */
#include "compile/plan/compile_memory.h"

static int64_t shift(int64_t end, int64_t by)
{
    return end == INT64_MIN || end == INT64_MAX ? end : end + by;
}

static bool is_same(const oribi_call_alias *a, const oribi_call_alias *b)
{
    return a->is_exact == b->is_exact && (a->is_exact || a->distance == b->distance);
}

/* Another input in the same bytes must allow the same, from the same place. */
static bool is_alone(const oribi_memory *m, const oribi_call *call, const oribi_call_alias *alias,
                     int32_t root, int64_t offset)
{
    for (int32_t i = 0; i < call->n_inputs; i++) {
        int64_t other_offset;
        if (i == alias->input || oribi__memory_root(m, call->inputs[i], &other_offset) != root) {
            continue;
        }
        bool is_allowed = false;
        for (int32_t k = 0; k < call->n_aliases; k++) {
            is_allowed = is_allowed || (call->aliases[k].input == i && other_offset == offset &&
                                        is_same(&call->aliases[k], alias));
        }
        if (!is_allowed) {
            return false;
        }
    }
    return true;
}

bool oribi__memory_window(const oribi_memory *m, int32_t index, int32_t alias_index,
                          oribi_plan_alias *out)
{
    const oribi_call *call = &m->program->calls[index];
    const oribi_call_alias *alias = &call->aliases[alias_index];
    int64_t from_offset, to_offset;
    const int32_t from = oribi__memory_root(m, call->inputs[alias->input], &from_offset);
    const int32_t to = oribi__memory_root(m, call->node->outputs[0], &to_offset);
    const oribi_memory_group *g = &m->groups[from], *h = &m->groups[to];
    if (from == to || call->n_outputs != 1 || g->last != index || h->first != index ||
        g->is_read_only || g->is_constant || g->is_fixed || h->is_fixed ||
        !is_alone(m, call, alias, from, from_offset)) {
        return false;
    }
    *out = (oribi_plan_alias){
        from,
        to,
        alias->is_exact ? from_offset - to_offset : INT64_MIN,
        shift(alias->is_exact ? 0 : alias->distance, from_offset - to_offset),
    };
    return true;
}
