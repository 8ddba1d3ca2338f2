/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of average and maximum pools. */
#include "compile/compile_internal.h"
#include "micro/element.h"
#include "micro/pool_q_prepare.h"
#include "tensor/status.h"

static void set_fields(oribi_call *call, const struct oribi_micro_pool_q_args *a)
{
    oribi_call_number(call, "kind", a->kind);
    oribi_call_number(call, "batch", a->batch);
    oribi_call_number(call, "in_h", a->in_h);
    oribi_call_number(call, "in_w", a->in_w);
    oribi_call_number(call, "channels", a->channels);
    oribi_call_number(call, "out_h", a->out_h);
    oribi_call_number(call, "out_w", a->out_w);
    oribi_call_number(call, "filter_h", a->filter_h);
    oribi_call_number(call, "filter_w", a->filter_w);
    oribi_call_number(call, "stride_h", a->stride_h);
    oribi_call_number(call, "stride_w", a->stride_w);
    oribi_call_number(call, "before_h", a->before_h);
    oribi_call_number(call, "before_w", a->before_w);
    oribi_call_number(call, "low", a->low);
    oribi_call_number(call, "high", a->high);
    oribi_call_number(call, "scratch_bytes", a->scratch_bytes);
}

static bool lower_pool(oribi_lowering *lowering, oribi_call *call, const char *kernel,
                       const char *wide_kernel)
{
    int32_t in[4];
    struct oribi_micro_pool_q_args args;
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
    spec.padding = oribi_lower_is(call, "padding", "SAME") ? ORIBI_MICRO_SAME : ORIBI_MICRO_VALID;
    spec.activation = oribi_lower_activation(call);
    spec.output.scale = oribi_lower_float(call, "output_scale");
    spec.output.zero = oribi_lower_int(call, "output_zero", 0);
    const int32_t code = oribi_micro_pool_q_prepare(&spec, &args);
    if (code != ORIBI_MICRO_OK) {
        return oribi_lower_fail(lowering, call, code);
    }
    call->kernel = spec.kind == ORIBI_MICRO_S8 ? kernel : wide_kernel;
    call->args = "pool_q";
    call->header = "pool_q";
    call->n_inputs = 1;
    call->has_scratch = true;
    call->scratch_bytes = args.scratch_bytes;
    set_fields(call, &args);
    return true;
}

bool oribi_lower_average_pool(oribi_lowering *lowering, oribi_call *call)
{
    return lower_pool(lowering, call, "average_pool_s8", "wide_average_pool");
}

bool oribi_lower_max_pool(oribi_lowering *lowering, oribi_call *call)
{
    return lower_pool(lowering, call, "max_pool_s8", "wide_max_pool");
}
