/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of quantised LSTM. That of float: lower_lstm_full.c. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/recurrent/lstm_s16_prepare.h"
#include "micro/recurrent/lstm_s8_prepare.h"
#include "tensor/status.h"

enum { INPUT, WEIGHTS, RECURRENT, BIAS, HIDDEN, CELL };

/* The sizes; what the kernel reads is the input and the two states. */
static bool read_sizes(oribi_lowering *lowering, oribi_call *call,
                       struct oribi_micro_lstm_sizes *out)
{
    static const int32_t taken[3] = {INPUT, HIDDEN, CELL};
    const int32_t is_time_major = oribi_lower_bool(call, "time_major") ? 1 : 0;
    int32_t input[4], hidden[4];
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, INPUT), input));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, HIDDEN), hidden));
    *out = (struct oribi_micro_lstm_sizes){.batch = input[1 + is_time_major],
                                           .steps = input[2 - is_time_major],
                                           .in_c = input[3],
                                           .units = hidden[3],
                                           .is_time_major = is_time_major};
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_lstm_check_sizes(out)));
    call->macs = (int64_t)out->batch * out->steps * 4 * out->units * (out->in_c + out->units);
    call->has_scratch = true;
    return oribi_call_take(lowering, call, taken, 3);
}

#define PLACE_MATRICES(call, args, s)                                                              \
    do {                                                                                           \
        ORIBI_CALL_PLACE(call, args, weights, (int64_t)4 * (s)->units * (s)->in_c);                \
        ORIBI_CALL_PLACE(call, args, recurrent, (int64_t)4 * (s)->units * (s)->units);             \
    } while (0)

static bool read_spec(oribi_lowering *lowering, oribi_call *call, struct oribi_micro_lstm_spec *s)
{
    int32_t n = 0;
    const float *scales = oribi_lower_floats(call, "weight_scales", &n);
    ORIBI_TRY(read_sizes(lowering, call, &s->sizes));
    if (scales == NULL || n != 2 * ORIBI_MICRO_LSTM_GATES) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < n; i++) {
        s->scales[i] = scales[i];
    }
    oribi_lower_quantisation(call, "input_scale", "input_zero", &s->input);
    oribi_lower_quantisation(call, "hidden_scale", "hidden_zero", &s->hidden);
    oribi_lower_quantisation(call, "product_scale", "product_zero", &s->product);
    s->cell_scale = oribi_lower_float(call, "cell_scale");
    s->cell_clip = oribi_lower_float(call, "cell_clip");
    s->variant = oribi_lower_variant(call);
    return true;
}

/* Two arrays of a number for each unit of each gate, one behind the other. */
static int32_t *make_numbers(oribi_lowering *lowering, const struct oribi_micro_lstm_sizes *s)
{
    return oribi_claim_array(lowering->arena, (size_t)s->units * 8, sizeof(int32_t),
                             lowering->status);
}

/* The weights and the bias, which is of this type. False: not constant, or no memory. */
static bool read_constants(oribi_lowering *lowering, oribi_call *call, TF_DataType bias_type,
                           const int8_t **out_weights, const int8_t **out_recurrent,
                           const void **out_bias)
{
    *out_weights = oribi_lower_constant(lowering, call, WEIGHTS, TF_INT8);
    ORIBI_TRY(*out_weights != NULL);
    *out_recurrent = oribi_lower_constant(lowering, call, RECURRENT, TF_INT8);
    ORIBI_TRY(*out_recurrent != NULL);
    *out_bias = oribi_lower_constant(lowering, call, BIAS, bias_type);
    return *out_bias != NULL;
}

static bool lower_s8(oribi_lowering *lowering, oribi_call *call,
                     const struct oribi_micro_lstm_spec *s)
{
    struct oribi_micro_lstm_s8_args args = {0};
    const int64_t rows = (int64_t)s->sizes.units * 4;
    int32_t *numbers = make_numbers(lowering, &s->sizes);
    const void *bias;
    ORIBI_TRY(numbers != NULL &&
              read_constants(lowering, call, TF_INT32, &args.weights, &args.recurrent, &bias));
    const int32_t code = oribi_micro_lstm_s8_prepare(s, bias, &args, numbers, numbers + rows);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const bool is_tflite = s->variant == ORIBI_MICRO_TFLITE;
    call->scratch_bytes = args.scratch_bytes;
    ORIBI_TRY(
        ORIBI_CALL_SET(lowering, call, is_tflite ? "lstm_fixed_s8" : "lstm_s8", lstm_s8, &args));
    PLACE_MATRICES(call, &args, &s->sizes);
    ORIBI_CALL_PLACE(call, &args, bias, rows);
    ORIBI_CALL_PLACE(call, &args, recurrent_bias, rows);
    return true;
}

static bool lower_s16(oribi_lowering *lowering, oribi_call *call,
                      const struct oribi_micro_lstm_spec *s)
{
    struct oribi_micro_lstm_s16_args args = {0};
    const int64_t rows = (int64_t)s->sizes.units * 4;
    int32_t *numbers = make_numbers(lowering, &s->sizes);
    const void *bias;
    ORIBI_TRY(numbers != NULL &&
              read_constants(lowering, call, TF_INT64, &args.weights, &args.recurrent, &bias));
    const int32_t code = oribi_micro_lstm_s16_prepare(s, bias, &args, numbers, numbers + rows);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    call->scratch_bytes = args.scratch_bytes;
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "lstm_s16", lstm_s16, &args));
    PLACE_MATRICES(call, &args, &s->sizes);
    ORIBI_CALL_PLACE(call, &args, bias_low, rows);
    ORIBI_CALL_PLACE(call, &args, bias_high, rows);
    return true;
}

bool oribi_lower_q_lstm(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_lstm_spec spec = {0};
    const bool is_wide = oribi_lower_input(lowering, call, INPUT)->dtype == TF_INT16;
    ORIBI_TRY(read_spec(lowering, call, &spec));
    return is_wide ? lower_s16(lowering, call, &spec) : lower_s8(lowering, call, &spec);
}
