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
    oribi_call_number(call, "batch", s->batch);
    oribi_call_number(call, "in_c", s->in_c);
    oribi_call_number(call, "units", s->filters / s->rank);
    oribi_call_number(call, "rank", s->rank);
    oribi_call_number(call, "memory", s->memory);
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
    spec.input.scale = oribi_lower_float(call, "input_scale");
    spec.input.zero = oribi_lower_int(call, "input_zero", 0);
    spec.output.scale = oribi_lower_float(call, "output_scale");
    spec.output.zero = oribi_lower_int(call, "output_zero", 0);
    spec.feature_scale = oribi_lower_float(call, "feature_scale");
    spec.time_scale = oribi_lower_float(call, "time_scale");
    spec.state_scale = oribi_lower_float(call, "state_scale");
    const int32_t code = oribi_micro_svdf_s8_prepare(&spec, &args);
    if (code != ORIBI_MICRO_OK) {
        return oribi_lower_fail(lowering, call, code);
    }
    ORIBI_TRY(place_weights(lowering, call, &spec, kinds, types));
    set_sizes(call, &spec);
    oribi_call_number(call, "input_zero", args.input_zero);
    oribi_call_number(call, "output_zero", args.output_zero);
    oribi_call_number(call, "feature_multiplier", args.feature_multiplier);
    oribi_call_number(call, "feature_shift", args.feature_shift);
    oribi_call_number(call, "output_multiplier", args.output_multiplier);
    oribi_call_number(call, "output_shift", args.output_shift);
    return true;
}
