/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of average and maximum pools. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "compile/lower/lower_parts.h"
#include "micro/element.h"
#include "micro/pool/pool_q_prepare.h"
#include "tensor/status.h"

static bool lower_pool(oribi_lowering *lowering, oribi_call *call, const char *kernel,
                       const char *wide_kernel)
{
    int32_t in[4];
    struct oribi_micro_pool_q_args args = {0};
    struct oribi_micro_pool_q_spec spec = {0};
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 0), in));
    spec.kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype);
    spec.batch = in[0];
    spec.in_h = in[1];
    spec.in_w = in[2];
    spec.channels = in[3];
    spec.filter_h = oribi_lower_list(call, "ksize", 0, 1);
    spec.filter_w = oribi_lower_list(call, "ksize", 1, 1);
    spec.stride_h = oribi_lower_list(call, "strides", 0, 1);
    spec.stride_w = oribi_lower_list(call, "strides", 1, 1);
    spec.padding = oribi_lower_pads(call, spec.pads);
    spec.activation = oribi_lower_activation(call);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_pool_q_prepare(&spec, &args)));
    call->n_inputs = 1;
    call->has_scratch = true;
    call->scratch_bytes = args.scratch_bytes;
    return ORIBI_CALL_SET(lowering, call, spec.kind == ORIBI_MICRO_S8 ? kernel : wide_kernel,
                          pool_q, &args);
}

bool oribi_lower_average_pool(oribi_lowering *lowering, oribi_call *call)
{
    return lower_pool(lowering, call, "average_pool_s8", "wide_average_pool");
}

bool oribi_lower_max_pool(oribi_lowering *lowering, oribi_call *call)
{
    return lower_pool(lowering, call, "max_pool_s8", "wide_max_pool");
}
