/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what computes in double: functions and comparisons of elements, bounds, reductions,
 * softmax. Each family is one kernel, which is told what to compute by the name that the kernel of
 * floats bears. */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f64.h"
#include "compile/lower/lower_parts.h"
#include "micro/double/binary_f64_prepare.h"
#include "micro/double/softmax_f64.h"
#include "micro/double/clip_f64.h"
#include "micro/double/unary_f64_prepare.h"

bool oribi_lower_is_f64(const oribi_lowering *lowering, const oribi_call *call)
{
    return oribi_lower_input(lowering, call, 0)->dtype == TF_DOUBLE;
}

static bool start(oribi_lowering *lowering, oribi_call *call, int32_t n_inputs,
                  oribi_lower_row *out_row)
{
    ORIBI_TRY(oribi_lower_is_plain(lowering, call));
    for (int32_t i = 1; i < n_inputs; i++) {
        if (oribi_lower_input(lowering, call, i)->dtype != TF_DOUBLE) {
            return oribi_lower_refuse(lowering, call, "mixes doubles with another type");
        }
    }
    call->n_inputs = n_inputs;
    return oribi_lower_find(call->node, out_row);
}

static bool refuse(oribi_lowering *lowering, const oribi_call *call)
{
    return oribi_lower_refuse(lowering, call, "does not compile for doubles");
}

static int32_t count_of(const oribi_lowering *lowering, const oribi_call *call)
{
    return (int32_t)oribi_lower_count(oribi_lower_output(lowering, call));
}

static bool lower_clip(oribi_lowering *lowering, oribi_call *call)
{
    const struct oribi_micro_clip_f64_args args = {count_of(lowering, call)};
    call->n_inputs = 3;
    for (int32_t i = 1; i < 3; i++) {
        if (oribi_lower_count(oribi_lower_input(lowering, call, i)) != 1) {
            return oribi_lower_refuse(lowering, call, "has bounds that are not single numbers");
        }
    }
    return ORIBI_CALL_SET(lowering, call, "clip_f64", clip_f64, &args);
}

bool oribi_lower_unary_f64(oribi_lowering *lowering, oribi_call *call)
{
    oribi_lower_row row;
    const bool clips = call->node->n_inputs == 3;
    ORIBI_TRY(start(lowering, call, clips ? 3 : 1, &row));
    const struct oribi_micro_unary_f64_args args = {.function =
                                                        oribi_micro_unary_f64_find(row.stem),
                                                    .count = count_of(lowering, call),
                                                    .alpha = oribi_lower_float(call, "alpha")};
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    if (clips) {
        return lower_clip(lowering, call);
    }
    return args.function < 0 ? refuse(lowering, call)
                             : ORIBI_CALL_SET(lowering, call, "unary_f64", unary_f64, &args);
}

bool oribi_lower_binary_f64(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes a, b;
    oribi_lower_row row;
    struct oribi_micro_binary_f64_args args = {0};
    ORIBI_TRY(start(lowering, call, 2, &row) &&
              oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &a, NULL) &&
              oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 1), &b, NULL));
    const bool compares = oribi_lower_output(lowering, call)->dtype == TF_BOOL;
    args.function = oribi_micro_binary_f64_find(compares ? call->node->op_name : row.stem);
    if (args.function < 0 || oribi_lower_is(call, "data_format", "NCHW")) {
        return refuse(lowering, call);
    }
    const int32_t code = oribi_micro_broadcast_resolve(a.at, a.n, b.at, b.n, &args.shape);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    for (int32_t i = 0; i < 2 && !compares; i++) {
        oribi_call_overwrite(lowering, call, i);
    }
    return ORIBI_CALL_SET(lowering, call, "binary_f64", binary_f64, &args);
}

bool oribi_lower_softmax_f64(oribi_lowering *lowering, oribi_call *call)
{
    oribi_lower_row row;
    ORIBI_TRY(start(lowering, call, 1, &row));
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const int64_t columns = x->shape.rank > 0 ? x->shape.dims[x->shape.rank - 1] : 1;
    const struct oribi_micro_softmax_f64_args args = {
        .rows = (int32_t)(oribi_lower_count(x) / columns),
        .columns = (int32_t)columns,
        .is_logarithm = strcmp(call->node->op_name, "LogSoftmax") == 0 ? 1 : 0};
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    return ORIBI_CALL_SET(lowering, call, "softmax_f64", softmax_f64, &args);
}

int32_t oribi_lower_reduction_f64(const oribi_call *call)
{
    static const char *const ops[ORIBI_MICRO_F64_REDUCE_COUNT] = {
        [ORIBI_MICRO_F64_REDUCE_EUCLIDEAN_NORM] = "EuclideanNorm",
        [ORIBI_MICRO_F64_REDUCE_MAX] = "Max",
        [ORIBI_MICRO_F64_REDUCE_MEAN] = "Mean",
        [ORIBI_MICRO_F64_REDUCE_MIN] = "Min",
        [ORIBI_MICRO_F64_REDUCE_PROD] = "Prod",
        [ORIBI_MICRO_F64_REDUCE_SUM] = "Sum"};
    for (int32_t i = 0; i < ORIBI_MICRO_F64_REDUCE_COUNT; i++) {
        if (strcmp(ops[i], call->node->op_name) == 0) {
            return i;
        }
    }
    return -1;
}
