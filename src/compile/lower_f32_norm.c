/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of float pools, normalisations, softmax and reductions. */
#include "compile/lower_f32.h"
#include "micro/activation_f32.h"
#include "micro/batch_norm_f32_prepare.h"
#include "micro/reduce_f32.h"
#include "tensor/status.h"

bool oribi_lower_pool_f32(oribi_lowering *lowering, oribi_call *call)
{
    int32_t in[4], out[4], filter[2], stride[2], before[2];
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 0), in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_output(lowering, call), out));
    for (int32_t i = 0; i < 2; i++) {
        filter[i] = oribi_lower_list(call, "ksize", i + 1, 1);
        stride[i] = oribi_lower_list(call, "strides", i + 1, 1);
        before[i] = oribi_lower_before(call, i, in[i + 1], out[i + 1], filter[i], stride[i], 1);
    }
    if (in[0] != out[0] || in[3] != out[3]) {
        return oribi_lower_refuse(lowering, call, "pools across batch or channels");
    }
    call->kernel = oribi_lower_f32_kernel(lowering, call);
    ORIBI_TRY(call->kernel != NULL);
    call->args = call->header = "pool_f32";
    call->n_inputs = 1;
    oribi_call_number(call, "batch", in[0]);
    oribi_call_number(call, "in_h", in[1]);
    oribi_call_number(call, "in_w", in[2]);
    oribi_call_number(call, "channels", in[3]);
    oribi_call_number(call, "out_h", out[1]);
    oribi_call_number(call, "out_w", out[2]);
    oribi_call_number(call, "filter_h", filter[0]);
    oribi_call_number(call, "filter_w", filter[1]);
    oribi_call_number(call, "stride_h", stride[0]);
    oribi_call_number(call, "stride_w", stride[1]);
    oribi_call_number(call, "before_h", before[0]);
    oribi_call_number(call, "before_w", before[1]);
    return true;
}

/* --- Normalisations -------------------------------------------------------------------------- */

static bool place_statistics(oribi_lowering *lowering, oribi_call *call, int32_t channels)
{
    const float *values[4]; /* scale, offset, mean, variance: inputs 1 to 4 */
    for (int32_t i = 0; i < 4; i++) {
        if (oribi_lower_count(oribi_lower_input(lowering, call, i + 1)) != channels) {
            return oribi_lower_refuse(lowering, call, "has statistics of another length");
        }
        values[i] = oribi_lower_constant(lowering, call, i + 1, TF_FLOAT);
        ORIBI_TRY(values[i] != NULL);
    }
    float *factor = oribi_arena_array(lowering->arena, (size_t)channels, sizeof *factor);
    if (factor == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    oribi_micro_batch_norm_f32_factor(values[0], values[3], oribi_lower_float(call, "epsilon"),
                                      channels, factor);
    oribi_call_place(call, "mean", ORIBI_ELEMENT_F32, channels, values[2]);
    oribi_call_place(call, "factor", ORIBI_ELEMENT_F32, channels, factor);
    oribi_call_place(call, "offset", ORIBI_ELEMENT_F32, channels, values[1]);
    return true;
}

bool oribi_lower_batch_norm_f32(oribi_lowering *lowering, oribi_call *call)
{
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const bool adds = oribi_lower_int(call, "num_side_inputs", 0) == 1;
    if (x->shape.rank < 1 || oribi_lower_bool(call, "is_training")) {
        return oribi_lower_refuse(lowering, call, "trains, or has no channels");
    }
    const int32_t channels = (int32_t)x->shape.dims[x->shape.rank - 1];
    ORIBI_TRY(place_statistics(lowering, call, channels));
    ORIBI_TRY(oribi_call_take(lowering, call, (const int32_t[]){0, adds ? 5 : 0}, 2));
    call->kernel = "batch_norm_f32";
    call->n_outputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    oribi_call_number(call, "pixels", (int32_t)(oribi_lower_count(x) / channels));
    oribi_call_number(call, "channels", channels);
    oribi_call_number(call, "adds", adds ? 1 : 0);
    oribi_call_number(call, "activation",
                      oribi_lower_is(call, "activation_mode", "Relu") ? ORIBI_MICRO_RELU_F32
                                                                      : ORIBI_MICRO_LINEAR_F32);
    return true;
}

bool oribi_lower_softmax_f32(oribi_lowering *lowering, oribi_call *call)
{
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const int64_t columns = x->shape.rank > 0 ? x->shape.dims[x->shape.rank - 1] : 1;
    call->kernel = oribi_lower_f32_kernel(lowering, call);
    ORIBI_TRY(call->kernel != NULL);
    call->args = call->header = "softmax_f32";
    call->n_inputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    oribi_call_number(call, "rows", (int32_t)(oribi_lower_count(x) / columns));
    oribi_call_number(call, "columns", (int32_t)columns);
    return true;
}

bool oribi_lower_lrn_f32(oribi_lowering *lowering, oribi_call *call)
{
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const int64_t channels = x->shape.rank > 0 ? x->shape.dims[x->shape.rank - 1] : 1;
    call->kernel = "lrn_f32";
    call->n_inputs = 1;
    oribi_call_number(call, "pixels", (int32_t)(oribi_lower_count(x) / channels));
    oribi_call_number(call, "channels", (int32_t)channels);
    oribi_call_number(call, "radius", oribi_lower_int(call, "depth_radius", 5));
    oribi_call_real(call, "bias", oribi_lower_float(call, "bias"));
    oribi_call_real(call, "alpha", oribi_lower_float(call, "alpha"));
    oribi_call_real(call, "beta", oribi_lower_float(call, "beta"));
    return true;
}

/* --- Reductions ------------------------------------------------------------------------------ */

typedef struct sides {
    int32_t rank[2], dims[2][ORIBI_MICRO_REDUCE_RANK], step[2][ORIBI_MICRO_REDUCE_RANK];
} sides; /* 0: kept, 1: reduced */

/* Neighbouring dimensions of one side become one. False: too many remain. */
static bool divide(const oribi_shape *shape, uint32_t reduced, sides *out)
{
    int64_t step = oribi_lower_count(&(oribi_value){.shape = *shape});
    int32_t last = -1;
    for (int32_t i = 0; i < shape->rank; i++) {
        const int32_t side = (reduced >> i & 1) != 0 ? 1 : 0, n = out->rank[side];
        step /= shape->dims[i];
        if (side == last) {
            out->dims[side][n - 1] *= (int32_t)shape->dims[i];
            out->step[side][n - 1] = (int32_t)step;
        } else if (n == ORIBI_MICRO_REDUCE_RANK) {
            return false;
        } else {
            out->dims[side][n] = (int32_t)shape->dims[i];
            out->step[side][n] = (int32_t)step;
            out->rank[side]++;
        }
        last = side;
    }
    return true;
}

bool oribi_lower_reduce_f32(oribi_lowering *lowering, oribi_call *call)
{
    oribi_dims axes;
    uint32_t reduced = 0;
    sides s = {.rank = {0, 0}};
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    ORIBI_TRY(oribi_lower_ints(lowering, call, 1, &axes));
    const oribi_shape *shape = &oribi_lower_input(lowering, call, 0)->shape;
    for (int32_t i = 0; i < axes.n; i++) {
        const int64_t axis = axes.at[i] < 0 ? axes.at[i] + shape->rank : axes.at[i];
        if (axis < 0 || axis >= shape->rank) {
            return oribi_lower_refuse(lowering, call, "reduces an axis that is not there");
        }
        reduced |= 1U << axis;
    }
    if (!divide(shape, reduced, &s)) {
        return oribi_lower_refuse(lowering, call, "reduces too many separate axes");
    }
    call->kernel = oribi_lower_f32_kernel(lowering, call);
    ORIBI_TRY(call->kernel != NULL);
    call->args = call->header = "reduce_f32";
    call->n_inputs = 1;
    oribi_call_number(call, "kept_rank", s.rank[0]);
    oribi_call_number(call, "rank", s.rank[1]);
    return oribi_call_numbers(lowering, call, "kept_dims", s.dims[0], s.rank[0]) &&
           oribi_call_numbers(lowering, call, "kept_step", s.step[0], s.rank[0]) &&
           oribi_call_numbers(lowering, call, "dims", s.dims[1], s.rank[1]) &&
           oribi_call_numbers(lowering, call, "step", s.step[1], s.rank[1]);
}
