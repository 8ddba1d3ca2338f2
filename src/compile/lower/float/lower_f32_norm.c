/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of float pools, normalisations and softmax. */
#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f64.h"
#include "micro/norm/lrn_f32.h"
#include "micro/norm/softmax_f32.h"
#include "micro/pool/pool_f32.h"
#include "micro/unary/activation_f32.h"
#include "micro/norm/batch_norm_f32_prepare.h"
#include "tensor/status.h"

bool oribi_lower_pool_f32(oribi_lowering *lowering, oribi_call *call)
{
    int32_t in[4], out[4], filter[2];
    struct oribi_micro_axis axes[2];
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 0), in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_output(lowering, call), out));
    for (int32_t i = 0; i < 2; i++) {
        filter[i] = oribi_lower_list(call, "ksize", i + 1, 1);
    }
    ORIBI_TRY(oribi_lower_axes(lowering, call, in, out, filter, axes));
    if (in[0] != out[0] || in[3] != out[3]) {
        return oribi_lower_refuse(lowering, call, "pools across batch or channels");
    }
    const char *kernel = oribi_lower_f32_kernel(lowering, call);
    ORIBI_TRY(kernel != NULL);
    const struct oribi_micro_pool_f32_args args = {
        .batch = in[0],
        .in_h = in[1],
        .in_w = in[2],
        .channels = in[3],
        .out_h = out[1],
        .out_w = out[2],
        .filter_h = filter[0],
        .filter_w = filter[1],
        .stride_h = axes[0].stride,
        .stride_w = axes[1].stride,
        .before_h = axes[0].before,
        .before_w = axes[1].before,
    };
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, kernel, pool_f32, &args);
}

/* --- Normalisations -------------------------------------------------------------------------- */

static bool read_statistics(oribi_lowering *lowering, const oribi_call *call, int32_t channels,
                            struct oribi_micro_batch_norm_f32_args *out)
{
    const float *values[4]; /* scale, offset, mean, variance: inputs 1 to 4 */
    for (int32_t i = 0; i < 4; i++) {
        if (oribi_lower_count(oribi_lower_input(lowering, call, i + 1)) != channels) {
            return oribi_lower_refuse(lowering, call, "has statistics of the wrong length");
        }
        values[i] = oribi_lower_constant(lowering, call, i + 1, TF_FLOAT);
        ORIBI_TRY(values[i] != NULL);
    }
    float *factor =
        oribi_claim_array(lowering->arena, (size_t)channels, sizeof *factor, lowering->status);
    ORIBI_TRY(factor != NULL);
    oribi_micro_batch_norm_f32_factor(values[0], values[3], oribi_lower_float(call, "epsilon"),
                                      channels, factor);
    out->mean = values[2];
    out->factor = factor;
    out->offset = values[1];
    return true;
}

bool oribi_lower_batch_norm_f32(oribi_lowering *lowering, oribi_call *call)
{
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const bool adds = oribi_lower_int(call, "num_side_inputs", 0) == 1;
    if (x->shape.rank < 1 || oribi_lower_bool(call, "is_training")) {
        return oribi_lower_refuse(lowering, call, "is in training form, or has no channels");
    }
    const int32_t channels = (int32_t)x->shape.dims[x->shape.rank - 1];
    struct oribi_micro_batch_norm_f32_args args = {
        .pixels = (int32_t)(oribi_lower_count(x) / channels),
        .channels = channels,
        .adds = adds ? 1 : 0,
        .activation = oribi_lower_is(call, "activation_mode", "Relu") ? ORIBI_MICRO_RELU_F32
                                                                      : ORIBI_MICRO_LINEAR_F32,
    };
    call->n_outputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    ORIBI_TRY(read_statistics(lowering, call, channels, &args) &&
              oribi_call_take(lowering, call, (const int32_t[]){0, adds ? 5 : 0}, 2) &&
              ORIBI_CALL_SET(lowering, call, "batch_norm_f32", batch_norm_f32, &args));
    ORIBI_CALL_PLACE(call, &args, mean, channels);
    ORIBI_CALL_PLACE(call, &args, factor, channels);
    ORIBI_CALL_PLACE(call, &args, offset, channels);
    return true;
}

bool oribi_lower_softmax_f32(oribi_lowering *lowering, oribi_call *call)
{
    if (oribi_lower_is_f64(lowering, call)) {
        return oribi_lower_softmax_f64(lowering, call);
    }
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const int64_t columns = x->shape.rank > 0 ? x->shape.dims[x->shape.rank - 1] : 1;
    const char *kernel = oribi_lower_f32_kernel(lowering, call);
    ORIBI_TRY(kernel != NULL);
    const struct oribi_micro_softmax_f32_args args = {
        .rows = (int32_t)(oribi_lower_count(x) / columns), .columns = (int32_t)columns};
    call->n_inputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    return ORIBI_CALL_SET(lowering, call, kernel, softmax_f32, &args);
}

bool oribi_lower_lrn_f32(oribi_lowering *lowering, oribi_call *call)
{
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const int64_t channels = x->shape.rank > 0 ? x->shape.dims[x->shape.rank - 1] : 1;
    const struct oribi_micro_lrn_f32_args args = {
        .pixels = (int32_t)(oribi_lower_count(x) / channels),
        .channels = (int32_t)channels,
        .radius = oribi_lower_int(call, "depth_radius", 5),
        .bias = oribi_lower_float(call, "bias"),
        .alpha = oribi_lower_float(call, "alpha"),
        .beta = oribi_lower_float(call, "beta"),
    };
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "lrn_f32", lrn_f32, &args);
}
