/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of sums, differences and products of two tensors. */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/elementwise/binary_q_prepare.h"
#include "micro/element.h"
#include "micro/binary/compare_q_prepare.h"
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

static void set_common(oribi_lowering *lowering, oribi_call *call)
{
    call->n_inputs = 2;
    oribi_call_overwrite(lowering, call, 0);
    oribi_call_overwrite(lowering, call, 1);
}

static bool lower_wide_sum(oribi_lowering *lowering, oribi_call *call, const binary *b,
                           bool subtracts)
{
    struct oribi_micro_wide_add_args args = {0};
    const int32_t code = subtracts ? oribi_micro_wide_sub_prepare(&b->spec, &args)
                                   : oribi_micro_wide_add_prepare(&b->spec, &args);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    set_common(lowering, call);
    return ORIBI_CALL_SET(lowering, call, "wide_add", wide_add, &args);
}

static bool lower_sum(oribi_lowering *lowering, oribi_call *call, bool subtracts)
{
    binary b;
    struct oribi_micro_add_s8_args args = {0};
    ORIBI_TRY(read_spec(lowering, call, &b));
    if (b.spec.kind != ORIBI_MICRO_S8) {
        return lower_wide_sum(lowering, call, &b, subtracts);
    }
    const int32_t code = subtracts ? oribi_micro_sub_s8_prepare(&b.spec, &args)
                                   : oribi_micro_add_s8_prepare(&b.spec, &args);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    set_common(lowering, call);
    call->has_scratch = true;
    call->scratch_bytes = args.scratch_bytes;
    const char *kernel = lowering->options->core == ORIBI_CORE_mve   ? "add_mve_s8"
                         : lowering->options->core == ORIBI_CORE_rvv ? "add_rvv_s8"
                                                                     : "add_s8";
    return ORIBI_CALL_SET(lowering, call, kernel, add_s8, &args);
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
    struct oribi_micro_mul_q_args args = {0};
    ORIBI_TRY(read_spec(lowering, call, &b));
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_mul_q_prepare(&b.spec, &args)));
    set_common(lowering, call);
    call->has_scratch = true;
    call->scratch_bytes = args.scratch_bytes;
    return ORIBI_CALL_SET(lowering, call, args.kind == ORIBI_MICRO_S8 ? "mul_s8" : "wide_mul",
                          mul_q, &args);
}

bool oribi_lower_q_div(oribi_lowering *lowering, oribi_call *call)
{
    binary b;
    struct oribi_micro_mul_q_args args = {0};
    ORIBI_TRY(read_spec(lowering, call, &b));
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_div_q_prepare(&b.spec, &args)));
    set_common(lowering, call);
    call->has_scratch = true;
    return ORIBI_CALL_SET(lowering, call, "div_q", mul_q, &args);
}

bool oribi_lower_squared_difference(oribi_lowering *lowering, oribi_call *call)
{
    binary b;
    struct oribi_micro_wide_add_args args = {0};
    ORIBI_TRY(read_spec(lowering, call, &b));
    ORIBI_TRY(oribi_lower_check(lowering, call,
                                oribi_micro_squared_difference_q_prepare(&b.spec, &args)));
    set_common(lowering, call);
    return ORIBI_CALL_SET(lowering, call, "wide_add", wide_add, &args);
}

bool oribi_lower_q_compare(oribi_lowering *lowering, oribi_call *call)
{
    binary b;
    struct oribi_micro_compare_q_args args = {0};
    ORIBI_TRY(read_spec(lowering, call, &b));
    b.spec.kind = oribi_element_kind_of(oribi_lower_input(lowering, call, 0)->dtype);
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_compare_q_prepare(&b.spec, &args)));
    while (args.comparison < ORIBI_MICRO_COMPARISONS - 1 &&
           !oribi_lower_is(call, "comparison", oribi_micro_comparison_words()[args.comparison])) {
        args.comparison++;
    }
    set_common(lowering, call);
    return ORIBI_CALL_SET(lowering, call, "compare_q", compare_q, &args);
}
