/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of sums, differences and products of two tensors. */
#include <string.h>

#include "compile/compile_internal.h"
#include "compile/lower_parts.h"
#include "micro/binary_q_prepare.h"
#include "micro/element.h"
#include "tensor/status.h"

typedef struct binary {
    oribi_sizes a, b;
    struct oribi_micro_binary_q_spec spec;
} binary;

static bool read_spec(oribi_lowering *lowering, const oribi_call *call, binary *b)
{
    struct oribi_micro_binary_q_spec *spec = &b->spec;
    memset(b, 0, sizeof *b);
    ORIBI_TRY(
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &b->a, NULL) &&
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 1), &b->b, NULL));
    spec->a_dims = b->a.at;
    spec->a_rank = b->a.n;
    spec->b_dims = b->b.at;
    spec->b_rank = b->b.n;
    oribi_lower_quantisation(call, "a_scale", "a_zero", &spec->a);
    oribi_lower_quantisation(call, "b_scale", "b_zero", &spec->b);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec->output);
    spec->activation = oribi_lower_activation(call);
    spec->variant = oribi_lower_variant(call);
    spec->kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype);
    spec->prefers_binary = oribi_lower_bool(call, "pot_scale_int16") ? 1 : 0;
    return true;
}

static bool set_shape(oribi_lowering *lowering, oribi_call *call,
                      const struct oribi_micro_broadcast *shape)
{
    return oribi_call_broadcast(lowering, call, ORIBI_BROADCAST_NAMES("shape"), shape);
}

static void set_common(oribi_lowering *lowering, oribi_call *call, const char *kernel)
{
    call->kernel = kernel;
    call->n_inputs = 2;
    oribi_call_overwrite(lowering, call, 0);
    oribi_call_overwrite(lowering, call, 1);
}

static bool lower_wide_sum(oribi_lowering *lowering, oribi_call *call, const binary *b,
                           bool subtracts)
{
    struct oribi_micro_wide_add_args args;
    const int32_t code = subtracts ? oribi_micro_wide_sub_prepare(&b->spec, &args)
                                   : oribi_micro_wide_add_prepare(&b->spec, &args);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    set_common(lowering, call, "wide_add");
    ORIBI_CALL_MEMBERS(call, &args, kind, subtract, is_binary, finer, a_zero, a_multiplier, a_shift,
                       b_zero);
    ORIBI_CALL_MEMBERS(call, &args, b_multiplier, b_shift, output_zero, output_multiplier,
                       output_shift, low, high);
    return set_shape(lowering, call, &args.shape);
}

static bool lower_sum(oribi_lowering *lowering, oribi_call *call, bool subtracts)
{
    binary b;
    struct oribi_micro_add_s8_args args;
    ORIBI_TRY(read_spec(lowering, call, &b));
    if (b.spec.kind != ORIBI_MICRO_S8) {
        return lower_wide_sum(lowering, call, &b, subtracts);
    }
    const int32_t code = subtracts ? oribi_micro_sub_s8_prepare(&b.spec, &args)
                                   : oribi_micro_add_s8_prepare(&b.spec, &args);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    set_common(lowering, call, "add_s8");
    call->has_scratch = true;
    call->scratch_bytes = args.scratch_bytes;
    ORIBI_TRY(set_shape(lowering, call, &args.shape));
    ORIBI_CALL_MEMBERS(call, &args, scales.a_zero, scales.a_multiplier, scales.a_shift,
                       scales.b_zero, scales.b_multiplier, scales.b_shift, scales.subtract,
                       scales.output_zero);
    ORIBI_CALL_MEMBERS(call, &args, scales.output_multiplier, scales.output_shift, scales.low,
                       scales.high, scratch_bytes);
    return true;
}

bool oribi_lower_add(oribi_lowering *lowering, oribi_call *call)
{
    return lower_sum(lowering, call, false);
}

bool oribi_lower_sub(oribi_lowering *lowering, oribi_call *call)
{
    return lower_sum(lowering, call, true);
}

bool oribi_lower_mul(oribi_lowering *lowering, oribi_call *call)
{
    binary b;
    struct oribi_micro_mul_q_args args;
    ORIBI_TRY(read_spec(lowering, call, &b));
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_mul_q_prepare(&b.spec, &args)));
    set_common(lowering, call, args.kind == ORIBI_MICRO_S8 ? "mul_s8" : "wide_mul");
    call->args = call->header = "mul_q";
    call->has_scratch = true;
    call->scratch_bytes = args.scratch_bytes;
    ORIBI_TRY(set_shape(lowering, call, &args.shape));
    ORIBI_CALL_MEMBERS(call, &args, kind, a_zero, b_zero, output_zero, output_multiplier,
                       output_shift, low, high);
    oribi_call_number(call, "scratch_bytes", args.scratch_bytes);
    return true;
}
