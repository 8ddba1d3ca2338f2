/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of operators that read a state and leave the next one: SVDF. */
#include "compile/lower.h"
#include "micro/svdf_s8_prepare.h"
#include "tensor/status.h"

enum { INPUT, FEATURE, TIME, BIAS, STATE };

/* The sizes, with padding of dims in front; the weights are constants. */
static bool read_sizes(oribi_lowering *lowering, oribi_call *call,
                       struct oribi_micro_svdf_s8_spec *out)
{
    int32_t input[4], feature[4], time[4];
    static const int32_t taken[2] = {INPUT, STATE};
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, INPUT), input));
    ORIBI_TRY(
        oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, FEATURE), feature));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, TIME), time));
    out->batch = input[2];
    out->in_c = input[3];
    out->filters = feature[2];
    out->memory = time[3];
    out->rank = oribi_lower_int(call, "rank", 1);
    if (out->rank < 1 || out->filters < 1 || out->filters % out->rank != 0 || out->memory < 1) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    call->macs = (int64_t)out->batch * out->filters * ((int64_t)out->in_c + out->memory);
    return oribi_call_take(lowering, call, taken, 2);
}

static bool place_weights(oribi_lowering *lowering, oribi_call *call,
                          const struct oribi_micro_svdf_s8_spec *s, const int32_t kinds[3],
                          const TF_DataType types[3])
{
    const int64_t filters = s->filters;
    const int64_t counts[3] = {filters * s->in_c, filters * s->memory, filters / s->rank};
    static const char *const names[3] = {"feature", "time", "bias"};
    for (int32_t i = 0; i < 3; i++) {
        const void *data = oribi_lower_constant(lowering, call, FEATURE + i, types[i]);
        ORIBI_TRY(data != NULL);
        oribi_call_place(call, names[i], kinds[i], counts[i], data);
    }
    return true;
}

static void set_sizes(oribi_call *call, const struct oribi_micro_svdf_s8_spec *s)
{
    ORIBI_CALL_MEMBERS(call, s, batch, in_c);
    oribi_call_number(call, "units", s->filters / s->rank);
    ORIBI_CALL_MEMBERS(call, s, rank, memory);
}

bool oribi_lower_svdf(oribi_lowering *lowering, oribi_call *call)
{
    static const int32_t kinds[3] = {ORIBI_ELEMENT_F32, ORIBI_ELEMENT_F32, ORIBI_ELEMENT_F32};
    static const TF_DataType types[3] = {TF_FLOAT, TF_FLOAT, TF_FLOAT};
    struct oribi_micro_svdf_s8_spec spec = {0};
    call->kernel = "svdf_f32";
    ORIBI_TRY(read_sizes(lowering, call, &spec));
    ORIBI_TRY(place_weights(lowering, call, &spec, kinds, types));
    set_sizes(call, &spec);
    return true;
}

bool oribi_lower_q_svdf(oribi_lowering *lowering, oribi_call *call)
{
    static const int32_t kinds[3] = {ORIBI_ELEMENT_S8, ORIBI_ELEMENT_S16, ORIBI_ELEMENT_S32};
    static const TF_DataType types[3] = {TF_INT8, TF_INT16, TF_INT32};
    struct oribi_micro_svdf_s8_spec spec = {0};
    struct oribi_micro_svdf_s8_args args;
    call->kernel = "svdf_s8";
    ORIBI_TRY(read_sizes(lowering, call, &spec));
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    spec.feature_scale = oribi_lower_float(call, "feature_scale");
    spec.time_scale = oribi_lower_float(call, "time_scale");
    spec.state_scale = oribi_lower_float(call, "state_scale");
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_svdf_s8_prepare(&spec, &args)));
    ORIBI_TRY(place_weights(lowering, call, &spec, kinds, types));
    set_sizes(call, &spec);
    ORIBI_CALL_MEMBERS(call, &args, input_zero, output_zero, feature_multiplier, feature_shift,
                       output_multiplier, output_shift);
    return true;
}
