/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the arguments of lstm_full_f32. */
#include "micro/recurrent/lstm_full_f32_prepare.h"

int32_t oribi_micro_lstm_full_f32_check(const struct oribi_micro_lstm_full_f32_args *args)
{
    const struct oribi_micro_lstm_full_f32_args *a = args;
    const int32_t widest = a->outputs > a->units ? a->outputs : a->units;
    /* four bytes an element, four gates */
    const int32_t sizes[4][4] = {{4, a->batch, a->steps, a->in_c},
                                 {4, a->batch, a->steps, widest},
                                 {16, a->units, a->in_c, 1},
                                 {16, a->units, a->outputs, 1}};
    int32_t bytes, code = ORIBI_MICRO_OK;
    for (int32_t i = 0; i < 4 && code == ORIBI_MICRO_OK; i++) {
        code = oribi_micro_product(sizes[i], 4, &bytes);
    }
    if (code == ORIBI_MICRO_OK && (a->gates < 3 || a->gates > 4)) {
        return ORIBI_MICRO_INVALID;
    }
    return code;
}

int64_t oribi_micro_lstm_full_f32_scratch(const struct oribi_micro_lstm_full_f32_args *args)
{
    const int64_t values = (int64_t)args->units * args->gates;
    return (values + (args->is_hybrid != 0 ? args->outputs : 0)) * (int64_t)sizeof(float);
}
