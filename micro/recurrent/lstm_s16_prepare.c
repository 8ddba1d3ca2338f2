/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of lstm_s16. */
#include "micro/recurrent/lstm_s16_prepare.h"

/* Sums of 64 bits are multiplied by 15 more: 2^47 is their limit, and a shift is at most 7. */
static int32_t check_reach(const struct oribi_micro_lstm_spec *s, const int64_t *bias,
                           const struct oribi_micro_lstm_gates *gates)
{
    const int64_t limit = INT64_C(1) << 46;
    const int64_t taps = s->sizes.in_c > s->sizes.units ? s->sizes.in_c : s->sizes.units;
    int fits = taps * 32768 * 128 < limit;
    for (int32_t g = 0; g < ORIBI_MICRO_LSTM_GATES; g++) {
        fits = fits && gates->input_shift[g] <= 7 && gates->recurrent_shift[g] <= 7;
    }
    for (int32_t r = 0; r < ORIBI_MICRO_LSTM_GATES * s->sizes.units; r++) {
        fits = fits && bias[r] < limit && bias[r] > -limit;
    }
    return fits ? ORIBI_MICRO_OK : ORIBI_MICRO_OVERFLOW;
}

int32_t oribi_micro_lstm_s16_prepare(const struct oribi_micro_lstm_spec *spec, const int64_t *bias,
                                     struct oribi_micro_lstm_s16_args *args, int32_t *out_low,
                                     int32_t *out_high)
{
    const struct oribi_micro_lstm_spec *s = spec;
    int32_t code = oribi_micro_lstm_check_sizes(&s->sizes);
    if (code == ORIBI_MICRO_OK &&
        (s->input.zero != 0 || s->hidden.zero != 0 || s->variant != ORIBI_MICRO_TFLM)) {
        code = ORIBI_MICRO_INVALID;
    }
    code =
        code != ORIBI_MICRO_OK ? code : oribi_micro_lstm_cell_prepare(s, &args->gates, &args->cell);
    code = code != ORIBI_MICRO_OK ? code : check_reach(s, bias, &args->gates);
    const int32_t rows = ORIBI_MICRO_LSTM_GATES * s->sizes.units;
    for (int32_t r = 0; r < rows && code == ORIBI_MICRO_OK; r++) {
        out_low[r] = (int32_t)(uint32_t)((uint64_t)bias[r] & 0xFFFFFFFFU);
        out_high[r] = (int32_t)(bias[r] >> 32);
    }
    args->bias_low = out_low;
    args->bias_high = out_high;
    args->sizes = s->sizes;
    args->cell.hidden_low = INT16_MIN;
    args->cell.hidden_high = INT16_MAX;
    args->scratch_bytes = code == ORIBI_MICRO_OK ? 2 * rows : 0;
    return code;
}
