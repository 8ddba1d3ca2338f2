/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of operators that read a state and leave the next one: SVDF. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/svdf/svdf_f32.h"
#include "micro/svdf/svdf_s8_prepare.h"
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

/* The weights: feature, time and bias, of these types. */
static bool read_weights(oribi_lowering *lowering, const oribi_call *call,
                         const TF_DataType types[3], const void *out[3])
{
    for (int32_t i = 0; i < 3; i++) {
        out[i] = oribi_lower_constant(lowering, call, FEATURE + i, types[i]);
        ORIBI_TRY(out[i] != NULL);
    }
    return true;
}

/* The members that all kernels have. `t`: the type of weights over time. */
#define SET_SIZES(args, s, weights)                                                                \
    do {                                                                                           \
        (args)->feature = (weights)[0];                                                            \
        (args)->time = (weights)[1];                                                               \
        (args)->bias = (weights)[2];                                                               \
        (args)->batch = (s)->batch;                                                                \
        (args)->in_c = (s)->in_c;                                                                  \
        (args)->units = (s)->filters / (s)->rank;                                                  \
        (args)->rank = (s)->rank;                                                                  \
        (args)->memory = (s)->memory;                                                              \
    } while (0)

#define PLACE_WEIGHTS(call, args, s, t)                                                            \
    do {                                                                                           \
        ORIBI_CALL_PLACE(call, args, feature, (int64_t)(s)->filters *(s)->in_c);                   \
        ORIBI_CALL_PLACE(call, args, time, (int64_t)(s)->filters *(s)->memory)->kind =             \
            oribi_element_kind_of(t);                                                              \
        ORIBI_CALL_PLACE(call, args, bias, (s)->filters / (s)->rank);                              \
    } while (0)

bool oribi_lower_svdf(oribi_lowering *lowering, oribi_call *call)
{
    static const TF_DataType types[3] = {TF_FLOAT, TF_FLOAT, TF_FLOAT};
    struct oribi_micro_svdf_s8_spec spec = {0};
    struct oribi_micro_svdf_f32_args args = {0};
    const void *weights[3];
    ORIBI_TRY(read_sizes(lowering, call, &spec) && read_weights(lowering, call, types, weights));
    SET_SIZES(&args, &spec, weights);
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, ORIBI_LOWER_FMA(lowering, svdf), svdf_f32, &args));
    PLACE_WEIGHTS(call, &args, &spec, TF_FLOAT);
    return true;
}

/* Sizes and scales of the quantised forms. */
static bool read_quantised(oribi_lowering *lowering, oribi_call *call,
                           struct oribi_micro_svdf_s8_spec *spec)
{
    ORIBI_TRY(read_sizes(lowering, call, spec));
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec->input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec->output);
    spec->feature_scale = oribi_lower_float(call, "feature_scale");
    spec->time_scale = oribi_lower_float(call, "time_scale");
    spec->state_scale = oribi_lower_float(call, "state_scale");
    return true;
}

/* By `kernel`, whose weights over time are of this type. */
static bool lower_quantised(oribi_lowering *lowering, oribi_call *call, const char *kernel,
                            TF_DataType time)
{
    const TF_DataType types[3] = {TF_INT8, time, TF_INT32};
    struct oribi_micro_svdf_s8_spec spec = {.state_zero = oribi_lower_int(call, "state_zero", 0)};
    struct oribi_micro_svdf_s8_args args = {0};
    const void *weights[3];
    ORIBI_TRY(read_quantised(lowering, call, &spec));
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_svdf_s8_prepare(&spec, &args)));
    ORIBI_TRY(read_weights(lowering, call, types, weights));
    SET_SIZES(&args, &spec, weights);
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, kernel, svdf_s8, &args));
    PLACE_WEIGHTS(call, &args, &spec, time);
    return true;
}

bool oribi_lower_q_svdf(oribi_lowering *lowering, oribi_call *call)
{
    return lower_quantised(lowering, call, "svdf_s8", TF_INT16);
}

bool oribi_lower_q_narrow_svdf(oribi_lowering *lowering, oribi_call *call)
{
    return lower_quantised(lowering, call, "svdf_narrow_s8", TF_INT8);
}
