/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what puts tensors side by side, and of what cuts one into parts. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/move/join.h"
#include "micro/move/split.h"
#include "micro/prepare.h"
#include "tensor/status.h"

/* The product of dims [from, to). */
static bool product(oribi_lowering *lowering, const oribi_call *call, const oribi_sizes *dims,
                    int32_t from, int32_t to, int64_t *out)
{
    *out = 1;
    for (int32_t i = from; i < to; i++) {
        *out *= dims->at[i];
        if (*out > INT32_MAX) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
        }
    }
    return true;
}

typedef struct parts {
    const oribi_value_id *values;
    int32_t n;
    oribi_value_id whole;
    oribi_sizes whole_dims;
    int32_t axis, element_bytes;
    bool are_stacked; /* each has one dimension less */
    bool (*set)(oribi_lowering *lowering, oribi_call *call, int32_t n, int32_t rows,
                const int32_t *bytes); /* the call's arguments */
} parts;

static bool set_join(oribi_lowering *lowering, oribi_call *call, int32_t n, int32_t rows,
                     const int32_t *bytes)
{
    const struct oribi_micro_join_args args = {n, rows, bytes};
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "join", join, &args));
    ORIBI_CALL_PLACE(call, &args, bytes, n);
    return true;
}

static bool set_split(oribi_lowering *lowering, oribi_call *call, int32_t n, int32_t rows,
                      const int32_t *bytes)
{
    const struct oribi_micro_split_args args = {n, rows, bytes};
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "split", split, &args));
    ORIBI_CALL_PLACE(call, &args, bytes, n);
    return true;
}

/* Bytes of a row of each part; each part may lie in the whole when there is one row. */
static bool measure(oribi_lowering *lowering, oribi_call *call, const parts *p, int32_t rows)
{
    int32_t *bytes = oribi_arena_array(lowering->arena, (size_t)p->n + 1, sizeof *bytes);
    oribi_call_view *views = oribi_arena_array(lowering->arena, (size_t)p->n + 1, sizeof *views);
    int64_t at = 0, inner;
    if (bytes == NULL || views == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    ORIBI_TRY(product(lowering, call, &p->whole_dims, p->axis + 1, p->whole_dims.n, &inner));
    for (int32_t i = 0; i < p->n; i++) {
        const oribi_value *part = lowering->graph->values[p->values[i]];
        oribi_sizes dims;
        ORIBI_TRY(oribi_lower_sizes(lowering, call, part, &dims, NULL));
        const int32_t wanted = p->whole_dims.n - (p->are_stacked ? 1 : 0);
        const int64_t size = (p->are_stacked || dims.n != wanted ? 1 : dims.at[p->axis]) * inner;
        if (dims.n != wanted || size * p->element_bytes > INT32_MAX) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
        }
        bytes[i] = (int32_t)(size * p->element_bytes);
        views[i] = (oribi_call_view){p->whole, p->values[i], at};
        at += bytes[i];
    }
    call->views = views;
    call->n_views = rows == 1 ? p->n : 0;
    return p->set(lowering, call, p->n, rows, bytes);
}

static bool finish(oribi_lowering *lowering, oribi_call *call, parts *p, int64_t axis)
{
    int64_t rows;
    const oribi_value *whole = lowering->graph->values[p->whole];
    ORIBI_TRY(oribi_lower_sizes(lowering, call, whole, &p->whole_dims, &p->element_bytes));
    ORIBI_TRY(oribi_lower_axis(lowering, call, axis, p->whole_dims.n, &p->axis));
    ORIBI_TRY(product(lowering, call, &p->whole_dims, 0, p->axis, &rows));
    return measure(lowering, call, p, (int32_t)rows);
}

static bool join(oribi_lowering *lowering, oribi_call *call, int32_t n, int64_t axis, bool stacks)
{
    parts p = {.values = call->node->inputs,
               .n = n,
               .whole = call->node->outputs[0],
               .are_stacked = stacks,
               .set = set_join};
    call->n_inputs = n;
    call->lists_inputs = true;
    return finish(lowering, call, &p, axis);
}

bool oribi_lower_concat(oribi_lowering *lowering, oribi_call *call)
{
    int64_t axis;
    const int32_t last = call->node->n_inputs - 1;
    ORIBI_TRY(oribi_lower_one(lowering, call, last, &axis));
    return join(lowering, call, last, axis, false);
}

bool oribi_lower_pack(oribi_lowering *lowering, oribi_call *call)
{
    return join(lowering, call, call->node->n_inputs, oribi_lower_int(call, "axis", 0), true);
}

static bool cut(oribi_lowering *lowering, oribi_call *call, int32_t input, int64_t axis,
                bool stacks)
{
    parts p = {.values = call->node->outputs,
               .n = call->node->n_outputs,
               .whole = call->node->inputs[input],
               .are_stacked = stacks,
               .set = set_split};
    call->lists_outputs = true;
    return oribi_call_take(lowering, call, &input, 1) && finish(lowering, call, &p, axis);
}

bool oribi_lower_split(oribi_lowering *lowering, oribi_call *call)
{
    int64_t axis;
    ORIBI_TRY(oribi_lower_one(lowering, call, 0, &axis));
    return cut(lowering, call, 1, axis, false);
}

bool oribi_lower_split_v(oribi_lowering *lowering, oribi_call *call)
{
    int64_t axis;
    ORIBI_TRY(oribi_lower_one(lowering, call, 2, &axis));
    return cut(lowering, call, 0, axis, false);
}

bool oribi_lower_unpack(oribi_lowering *lowering, oribi_call *call)
{
    return cut(lowering, call, 0, oribi_lower_int(call, "axis", 0), true);
}
