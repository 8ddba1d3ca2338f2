/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of quantised means, sums and products. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/element.h"
#include "micro/reduce/reduce_q_prepare.h"

static bool lower_reduce(oribi_lowering *lowering, oribi_call *call, int32_t function)
{
    oribi_sizes dims;
    oribi_dims axes;
    int32_t axis;
    struct oribi_micro_reduce_q_args args = {0};
    struct oribi_micro_reduce_q_spec spec = {.dims = dims.at, .function = function};
    ORIBI_TRY(
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &dims, NULL) &&
        oribi_lower_ints(lowering, call, 1, &axes));
    spec.rank = dims.n;
    for (int32_t i = 0; i < axes.n; i++) {
        ORIBI_TRY(oribi_lower_axis(lowering, call, axes.at[i], spec.rank, &axis));
        spec.summed |= 1U << axis;
    }
    spec.kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype);
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_reduce_q_prepare(&spec, &args)));
    call->n_inputs = 1;
    const char *sum = spec.kind == ORIBI_MICRO_S8 ? "reduce_s8" : "wide_reduce";
    return ORIBI_CALL_SET(lowering, call, function == ORIBI_MICRO_REDUCE_PROD ? "prod_q" : sum,
                          reduce_q, &args);
}

bool oribi_lower_mean(oribi_lowering *lowering, oribi_call *call)
{
    return lower_reduce(lowering, call, ORIBI_MICRO_REDUCE_MEAN);
}

bool oribi_lower_sum(oribi_lowering *lowering, oribi_call *call)
{
    return lower_reduce(lowering, call, ORIBI_MICRO_REDUCE_SUM);
}

bool oribi_lower_q_prod(oribi_lowering *lowering, oribi_call *call)
{
    return lower_reduce(lowering, call, ORIBI_MICRO_REDUCE_PROD);
}
