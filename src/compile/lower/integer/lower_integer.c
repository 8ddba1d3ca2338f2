/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what counts and ranks: arithmetic and comparisons of integers, positions of extremes.
 */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/binary/binary_int.h"
#include "micro/element.h"
#include "micro/index/extreme_index.h"
#include "micro/index/top_k.h"
#include "tensor/status.h"

static const char *const functions[] = {[ORIBI_MICRO_INT_LESS] = "Less",
                                        [ORIBI_MICRO_INT_LESS_EQUAL] = "LessEqual",
                                        [ORIBI_MICRO_INT_GREATER] = "Greater",
                                        [ORIBI_MICRO_INT_GREATER_EQUAL] = "GreaterEqual",
                                        [ORIBI_MICRO_INT_EQUAL] = "Equal",
                                        [ORIBI_MICRO_INT_NOT_EQUAL] = "NotEqual",
                                        [ORIBI_MICRO_INT_ADD] = "AddV2",
                                        [ORIBI_MICRO_INT_SUB] = "Sub",
                                        [ORIBI_MICRO_INT_MUL] = "Mul",
                                        [ORIBI_MICRO_INT_MAXIMUM] = "Maximum",
                                        [ORIBI_MICRO_INT_MINIMUM] = "Minimum",
                                        [ORIBI_MICRO_INT_DIV] = "Div",
                                        [ORIBI_MICRO_INT_FLOOR_DIV] = "FloorDiv",
                                        [ORIBI_MICRO_INT_FLOOR_MOD] = "FloorMod",
                                        [ORIBI_MICRO_INT_SQUARED_DIFFERENCE] = "SquaredDifference"};

bool oribi_lower_is_integer(const oribi_lowering *lowering, const oribi_call *call)
{
    const TF_DataType dtype = oribi_lower_input(lowering, call, 0)->dtype;
    return dtype == TF_INT32 || dtype == TF_INT64 || dtype == TF_BOOL || dtype == TF_INT8 ||
           dtype == TF_UINT8 || dtype == TF_INT16;
}

bool oribi_lower_binary_int(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes a, b;
    const oribi_value *left = oribi_lower_input(lowering, call, 0);
    const oribi_value *right = oribi_lower_input(lowering, call, 1);
    struct oribi_micro_binary_int_args args = {
        .kind = oribi_element_kind_of(left->dtype),
        .out_kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype)};
    while (strcmp(functions[args.function], call->node->op_name) != 0) {
        args.function++; /* rows lead here with these names alone */
    }
    ORIBI_TRY(oribi_lower_sizes(lowering, call, left, &a, NULL) &&
              oribi_lower_sizes(lowering, call, right, &b, NULL));
    if (left->dtype != right->dtype) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    const int32_t code = oribi_micro_broadcast_resolve(a.at, a.n, b.at, b.n, &args.shape);
    call->n_inputs = 2;
    return oribi_lower_check(lowering, call, code) &&
           ORIBI_CALL_SET(lowering, call, "binary_int", binary_int, &args);
}

/* Products of sizes before, of and behind a dimension; below 2^28 together. */
static bool read_lines(oribi_lowering *lowering, const oribi_call *call, const oribi_sizes *dims,
                       int32_t axis, int32_t out[3])
{
    int64_t count = 1;
    out[0] = out[1] = out[2] = 1;
    for (int32_t i = 0; i < dims->n; i++) {
        count *= dims->at[i];
        if (count > 1 << 28) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
        }
        out[i < axis ? 0 : i == axis ? 1 : 2] *= dims->at[i];
    }
    return true;
}

bool oribi_lower_extreme_index(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int64_t given = 0;
    int32_t axis = 0, kind = 0, lines[3];
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &dims, NULL) &&
              oribi_lower_one(lowering, call, 1, &given) &&
              oribi_lower_axis(lowering, call, given, dims.n, &axis) &&
              read_lines(lowering, call, &dims, axis, lines) &&
              oribi_lower_number(lowering, call, x, &kind));
    const struct oribi_micro_extreme_index_args args = {
        .outer = lines[0],
        .n = lines[1],
        .inner = lines[2],
        .kind = kind,
        .out_kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype),
        .is_least = strcmp(call->node->op_name, "ArgMin") == 0 ? 1 : 0};
    if (args.out_kind < 0 || args.out_kind == ORIBI_ELEMENT_F32) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "extreme_index", extreme_index, &args);
}

bool oribi_lower_top_k(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int64_t k = 0;
    int32_t lines[3];
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const oribi_value *indices = lowering->graph->values[call->node->outputs[1]];
    struct oribi_micro_top_k_args args = {.index_kind = oribi_element_number_of(indices->dtype)};
    ORIBI_TRY(oribi_lower_number(lowering, call, x, &args.kind) &&
              oribi_lower_sizes(lowering, call, x, &dims, &args.element_bytes) &&
              oribi_lower_one(lowering, call, 1, &k) &&
              read_lines(lowering, call, &dims, dims.n - 1, lines));
    if (dims.n < 1 || k < 1 || k > lines[1] || args.index_kind < 0) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    args.lines = lines[0];
    args.n = lines[1];
    args.k = (int32_t)k;
    call->n_inputs = 1;
    call->has_scratch = true;
    call->scratch_bytes = 4 * k;
    return ORIBI_CALL_SET(lowering, call, "top_k", top_k, &args);
}
