/* SPDX-License-Identifier: Apache-2.0 */
/* Derives multipliers of quantised LSTM: products of scales in float32, then double. */
#include "micro/recurrent/lstm_cell_prepare.h"

#include <math.h>

int32_t oribi_micro_lstm_check_sizes(const struct oribi_micro_lstm_sizes *sizes)
{
    const struct oribi_micro_lstm_sizes *s = sizes;
    /* four bytes an element, four gates */
    const int32_t input[4] = {4, s->batch, s->steps, s->in_c};
    const int32_t output[4] = {4, s->batch, s->steps, s->units};
    const int32_t weights[4] = {4, 4, s->units, s->in_c};
    const int32_t recurrent[4] = {4, 4, s->units, s->units};
    int32_t bytes;
    int32_t code = oribi_micro_product(input, 4, &bytes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(output, 4, &bytes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(weights, 4, &bytes);
    return code != ORIBI_MICRO_OK ? code : oribi_micro_product(recurrent, 4, &bytes);
}

static int is_usable(float scale)
{
    return isfinite(scale) && scale > 0.0F;
}

static int32_t prepare_gates(const struct oribi_micro_lstm_spec *s,
                             struct oribi_micro_lstm_gates *gates)
{
    const double fine = 1.0 / 4096.0; /* Q3.12 */
    int32_t code = ORIBI_MICRO_OK;
    for (int32_t g = 0; g < ORIBI_MICRO_LSTM_GATES && code == ORIBI_MICRO_OK; g++) {
        const float weights = s->scales[g], recurrent = s->scales[ORIBI_MICRO_LSTM_GATES + g];
        if (!is_usable(weights) || !is_usable(recurrent)) {
            return ORIBI_MICRO_INVALID;
        }
        const float in = s->input.scale * weights, hidden = s->hidden.scale * recurrent;
        code = oribi_micro_multiplier((double)in / fine, &gates->input_multiplier[g],
                                      &gates->input_shift[g]);
        code = code != ORIBI_MICRO_OK
                   ? code
                   : oribi_micro_multiplier((double)hidden / fine, &gates->recurrent_multiplier[g],
                                            &gates->recurrent_shift[g]);
    }
    return code;
}

static void set_clip(const struct oribi_micro_lstm_spec *s, struct oribi_micro_lstm_cell *cell)
{
    cell->low = INT16_MIN;
    cell->high = INT16_MAX;
    if (s->cell_clip > 0.0F) {
        const double exact = (double)s->cell_clip / (double)s->cell_scale;
        const float narrow = s->cell_clip / s->cell_scale;
        const double steps = s->variant == ORIBI_MICRO_TFLITE ? (double)narrow : exact;
        const int32_t limit = steps > 32767.0 ? 32767 : (int32_t)steps;
        if (limit > 0 || s->variant == ORIBI_MICRO_TFLM) {
            cell->low = -limit;
            cell->high = limit;
        }
    }
}

static int32_t prepare_tflm(const struct oribi_micro_lstm_spec *s, int32_t power,
                            struct oribi_micro_lstm_cell *cell)
{
    const double gate = 1.0 / 32768.0, product = gate * gate; /* Q0.15 */
    const int32_t shift = power + 12;
    if (shift > 14 || shift < -30) {
        return ORIBI_MICRO_INVALID;
    }
    cell->tanh_multiplier = shift >= 0 ? 3 << shift : 3;
    cell->tanh_shift = shift >= 0 ? 0 : -shift;
    const int32_t code =
        oribi_micro_multiplier(product / (double)s->cell_scale, &cell->multiplier, &cell->shift);
    return code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier(product / (double)s->hidden.scale, &cell->hidden_multiplier,
                                        &cell->hidden_shift);
}

static int32_t prepare_tflite(const struct oribi_micro_lstm_spec *s, int32_t power,
                              struct oribi_micro_lstm_cell *cell)
{
    const double gate = 1.0 / 32768.0;
    const float exact = ldexpf(1.0F, power);
    if (power < -15 || power > -9 || s->cell_scale < exact || s->cell_scale > exact ||
        !is_usable(s->product.scale)) {
        return ORIBI_MICRO_INVALID;
    }
    cell->tanh_multiplier = 0;
    cell->tanh_shift = 15 + power;
    cell->multiplier = 0;
    cell->shift = 30 + power;
    const float real = (float)(gate / (double)s->product.scale * gate);
    return oribi_micro_multiplier((double)real, &cell->hidden_multiplier, &cell->hidden_shift);
}

int32_t oribi_micro_lstm_cell_prepare(const struct oribi_micro_lstm_spec *spec,
                                      struct oribi_micro_lstm_gates *gates,
                                      struct oribi_micro_lstm_cell *cell)
{
    const struct oribi_micro_lstm_spec *s = spec;
    if (!is_usable(s->input.scale) || !is_usable(s->hidden.scale) || !is_usable(s->cell_scale) ||
        !isfinite(s->cell_clip) || s->cell_clip < 0.0F) {
        return ORIBI_MICRO_INVALID;
    }
    const int32_t is_tflite = s->variant == ORIBI_MICRO_TFLITE;
    const int32_t power = (int32_t)lround(log2((double)s->cell_scale));
    int32_t code = prepare_gates(s, gates);
    set_clip(s, cell);
    cell->hidden_zero = is_tflite != 0 ? s->product.zero : s->hidden.zero;
    if (code == ORIBI_MICRO_OK) {
        code = is_tflite != 0 ? prepare_tflite(s, power, cell) : prepare_tflm(s, power, cell);
    }
    return code;
}
