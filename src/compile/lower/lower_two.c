/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of int8 operators of two tensors that broadcast, sums and products apart
 * (lower_binary.c): extremes, rectifiers with slopes, products of matrices.
 */
#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f32.h"
#include "compile/lower/lower_parts.h"
#include "micro/dense/batch_matmul_q_prepare.h"
#include "micro/element.h"
#include "micro/elementwise/extreme_q.h"
#include "micro/elementwise/prelu_q_prepare.h"
#include "tensor/status.h"

typedef struct operands {
    oribi_sizes a, b;
    int32_t kind;
} operands;

/* Both are of one type: int8, uint8 or int16. */
static bool read_operands(oribi_lowering *lowering, const oribi_call *call, operands *o)
{
    const oribi_value *a = oribi_lower_input(lowering, call, 0);
    const oribi_value *b = oribi_lower_input(lowering, call, 1);
    o->kind = oribi_element_kind_of(a->dtype);
    if ((a->dtype != b->dtype && !(a->dtype == TF_INT16 && b->dtype == TF_INT8)) ||
        (a->dtype != TF_INT8 && a->dtype != TF_UINT8 && a->dtype != TF_INT16)) {
        return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                          "node '%s' (%s): elements of type %s cannot be compiled to C yet",
                          call->node->name, call->node->op_name, oribi_dtype_name(a->dtype));
    }
    return oribi_lower_sizes(lowering, call, a, &o->a, NULL) &&
           oribi_lower_sizes(lowering, call, b, &o->b, NULL);
}

static bool lower_extreme(oribi_lowering *lowering, oribi_call *call, bool is_least)
{
    operands o;
    struct oribi_micro_extreme_q_args args = {.is_least = is_least};
    const TF_DataType dtype = oribi_lower_output(lowering, call)->dtype;
    if (dtype == TF_FLOAT || dtype == TF_DOUBLE) {
        return oribi_lower_binary_f32(lowering, call);
    }
    if (dtype == TF_INT32 || dtype == TF_INT64) {
        return oribi_lower_binary_int(lowering, call);
    }
    ORIBI_TRY(read_operands(lowering, call, &o));
    const int32_t code = oribi_micro_broadcast_resolve(o.a.at, o.a.n, o.b.at, o.b.n, &args.shape);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    args.kind = o.kind;
    call->n_inputs = 2;
    oribi_call_overwrite(lowering, call, 0);
    oribi_call_overwrite(lowering, call, 1);
    return ORIBI_CALL_SET(lowering, call, o.kind == ORIBI_MICRO_S8 ? "extreme_s8" : "wide_extreme",
                          extreme_q, &args);
}

bool oribi_lower_maximum(oribi_lowering *lowering, oribi_call *call)
{
    return lower_extreme(lowering, call, false);
}

bool oribi_lower_minimum(oribi_lowering *lowering, oribi_call *call)
{
    return lower_extreme(lowering, call, true);
}

bool oribi_lower_prelu(oribi_lowering *lowering, oribi_call *call)
{
    operands o;
    struct oribi_micro_prelu_q_args args = {0};
    struct oribi_micro_prelu_q_spec spec = {0};
    ORIBI_TRY(read_operands(lowering, call, &o));
    spec.kind = o.kind;
    spec.dims = o.a.at;
    spec.rank = o.a.n;
    spec.slope_dims = o.b.at;
    spec.slope_rank = o.b.n;
    spec.variant = oribi_lower_variant(call);
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "slope_scale", "slope_zero", &spec.slope);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_prelu_q_prepare(&spec, &args)));
    call->n_inputs = 2;
    oribi_call_overwrite(lowering, call, 0);
    return ORIBI_CALL_SET(lowering, call, o.kind == ORIBI_MICRO_S8 ? "prelu_s8" : "wide_prelu",
                          prelu_q, &args);
}

bool oribi_lower_batch_matmul(oribi_lowering *lowering, oribi_call *call)
{
    operands o;
    struct oribi_micro_batch_matmul_q_args args = {0};
    struct oribi_micro_batch_matmul_q_spec spec = {0};
    ORIBI_TRY(read_operands(lowering, call, &o));
    spec.kind = o.kind;
    spec.a_dims = o.a.at;
    spec.a_rank = o.a.n;
    spec.b_dims = o.b.at;
    spec.b_rank = o.b.n;
    spec.a_transposed = oribi_lower_bool(call, "adj_x");
    spec.b_transposed = oribi_lower_bool(call, "adj_y");
    oribi_lower_quantisation(call, "a_scale", "a_zero", &spec.a);
    oribi_lower_quantisation(call, "b_scale", "b_zero", &spec.b);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_batch_matmul_q_prepare(&spec, &args)));
    call->n_inputs = 2;
    call->macs = oribi_lower_count(oribi_lower_output(lowering, call)) * args.k;
    return ORIBI_CALL_SET(lowering, call,
                          o.kind == ORIBI_MICRO_S8 ? "batch_matmul_s8" : "batch_matmul_s16",
                          batch_matmul_q, &args);
}
