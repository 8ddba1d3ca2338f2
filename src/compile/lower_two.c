/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of int8 operators of two tensors that broadcast, sums and products apart
 * (lower_binary.c): extremes, rectifiers with slopes, products of matrices.
 */
#include "compile/compile_internal.h"
#include "compile/lower_f32.h"
#include "compile/lower_parts.h"
#include "micro/batch_matmul_q_prepare.h"
#include "micro/element.h"
#include "micro/extreme_q.h"
#include "micro/prelu_q_prepare.h"
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
    if (a->dtype != b->dtype ||
        (a->dtype != TF_INT8 && a->dtype != TF_UINT8 && a->dtype != TF_INT16)) {
        return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                          "node '%s' (%s): no C form yet for elements of type %s", call->node->name,
                          call->node->op_name, oribi_dtype_name(a->dtype));
    }
    return oribi_lower_sizes(lowering, call, a, &o->a, NULL) &&
           oribi_lower_sizes(lowering, call, b, &o->b, NULL);
}

static bool lower_extreme(oribi_lowering *lowering, oribi_call *call, bool is_least)
{
    operands o;
    struct oribi_micro_broadcast shape;
    if (oribi_lower_output(lowering, call)->dtype == TF_FLOAT) {
        return oribi_lower_binary_f32(lowering, call);
    }
    ORIBI_TRY(read_operands(lowering, call, &o));
    const int32_t code = oribi_micro_broadcast_resolve(o.a.at, o.a.n, o.b.at, o.b.n, &shape);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    call->kernel = o.kind == ORIBI_MICRO_S8 ? "extreme_s8" : "wide_extreme";
    call->args = call->header = "extreme_q";
    oribi_call_number(call, "kind", o.kind);
    call->n_inputs = 2;
    oribi_call_overwrite(lowering, call, 0);
    oribi_call_overwrite(lowering, call, 1);
    oribi_call_number(call, "is_least", is_least);
    return oribi_call_broadcast(lowering, call, ORIBI_BROADCAST_NAMES("shape"), &shape);
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
    struct oribi_micro_prelu_q_args args;
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
    call->kernel = o.kind == ORIBI_MICRO_S8 ? "prelu_s8" : "prelu_u8";
    call->args = call->header = "prelu_q";
    call->n_inputs = 2;
    oribi_call_overwrite(lowering, call, 0);
    ORIBI_CALL_MEMBERS(call, &args, input_zero, slope_zero, output_zero, positive_multiplier,
                       positive_shift, negative_multiplier, negative_shift);
    return oribi_call_broadcast(lowering, call, ORIBI_BROADCAST_NAMES("shape"), &args.shape);
}

bool oribi_lower_batch_matmul(oribi_lowering *lowering, oribi_call *call)
{
    operands o;
    struct oribi_micro_batch_matmul_q_args args;
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
    call->kernel = o.kind == ORIBI_MICRO_S8 ? "batch_matmul_s8" : "batch_matmul_s16";
    call->args = call->header = "batch_matmul_q";
    call->n_inputs = 2;
    call->macs = oribi_lower_count(oribi_lower_output(lowering, call)) * args.k;
    ORIBI_CALL_MEMBERS(call, &args, m, k, n, a_row, a_column, b_row, b_column, a_zero);
    ORIBI_CALL_MEMBERS(call, &args, b_zero, output_zero, output_multiplier, output_shift);
    return oribi_call_broadcast(lowering, call, ORIBI_BROADCAST_NAMES("batches"), &args.batches);
}
