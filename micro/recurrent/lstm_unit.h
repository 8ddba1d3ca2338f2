/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a unit's cell and hidden state once its four gates are summed, by TensorFlow Lite
 * Micro. By TensorFlow Lite: lstm_fixed_s8.c.
 */
#ifndef ORIBI_MICRO_LSTM_UNIT_H_
#define ORIBI_MICRO_LSTM_UNIT_H_

#include "micro/elementwise/curve_s16.h"
#include "micro/fixed_point.h"
#include "micro/recurrent/lstm_cell.h"

/* Its cell changes, its new hidden value is returned. gates are
 * `units` apart. */
static inline int32_t oribi_micro_lstm_unit(const struct oribi_micro_lstm_cell *c,
                                            const int16_t *gates, int32_t units, int16_t *cell)
{
    const int32_t in = oribi_micro_curve_logistic(3 * gates[0]);
    const int32_t forget = oribi_micro_curve_logistic(3 * gates[units]);
    const int32_t update = oribi_micro_curve_tanh(3 * gates[2 * units]);
    const int32_t out = oribi_micro_curve_logistic(3 * gates[3 * units]);
    const int32_t kept =
        oribi_micro_clamp(oribi_micro_scale(forget * *cell, 1 << 30, -14), INT16_MIN, INT16_MAX);
    const int32_t added = oribi_micro_clamp(oribi_micro_scale(in * update, c->multiplier, c->shift),
                                            INT16_MIN, INT16_MAX);
    const int32_t next =
        oribi_micro_clamp(oribi_micro_clamp(kept + added, INT16_MIN, INT16_MAX), c->low, c->high);
    const int32_t curve =
        oribi_micro_curve_tanh(oribi_micro_curve_place(next, c->tanh_multiplier, c->tanh_shift));
    const int32_t hidden =
        oribi_micro_scale(curve * out, c->hidden_multiplier, c->hidden_shift) + c->hidden_zero;
    *cell = (int16_t)next;
    return oribi_micro_clamp(hidden, c->hidden_low, c->hidden_high);
}

#endif
