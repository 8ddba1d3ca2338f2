/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of fully connected layers. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "compile/lower/lower_parts.h"
#include "micro/dense/fully_connected_lanes_s8_prepare.h"
#include "micro/dense/fully_connected_s8_prepare.h"
#include "tensor/status.h"

static const oribi_variant_row variants[] = {
    {&oribi_micro_fully_connected_lanes_s8_variant, &oribi_args_fully_connected_lanes_s8},
    {NULL, NULL},
};

bool oribi_lower_fully_connected(oribi_lowering *lowering, oribi_call *call)
{
    int32_t filter[4];
    oribi_channels a;
    struct oribi_micro_fully_connected_s8_args args = {0};
    struct oribi_micro_fully_connected_s8_spec spec = {0};
    const int64_t count = oribi_lower_count(oribi_lower_input(lowering, call, 0));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 1), filter));
    ORIBI_TRY(oribi_channels_make(lowering, filter[2], &a));
    spec.filter = oribi_lower_constant(lowering, call, 1, TF_INT8);
    spec.bias = spec.filter == NULL ? NULL : oribi_lower_constant(lowering, call, 2, TF_INT32);
    if (spec.bias == NULL) {
        return false;
    }
    spec.out_c = filter[2];
    spec.in_c = filter[3];
    spec.rows = count / filter[3] <= INT32_MAX ? (int32_t)(count / filter[3]) : INT32_MAX;
    spec.activation = oribi_lower_activation(call);
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    spec.filter_scales = oribi_lower_floats(call, "filter_scales", &spec.n_filter_scales);
    const int32_t code =
        oribi_micro_fully_connected_s8_prepare(&spec, &args, a.bias, a.multiplier, a.shift);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const int64_t weights = (int64_t)spec.in_c * spec.out_c;
    const int32_t n_scales = args.per_channel != 0 ? spec.out_c : 1;
    call->n_inputs = 1;
    call->has_scratch = true;
    call->macs = weights * spec.rows;
    ORIBI_TRY(oribi_variant_try(lowering, call, variants, &args));
    if (call->kernel != NULL) {
        return true;
    }
    call->scratch_bytes = args.scratch_bytes;
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "fully_connected_s8", fully_connected_s8, &args));
    ORIBI_CALL_PLACE(call, &args, filter, weights);
    ORIBI_PLACE_CHANNELS(call, &args, spec.out_c, n_scales);
    return true;
}
