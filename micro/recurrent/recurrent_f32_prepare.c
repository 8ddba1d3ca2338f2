/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the arguments of ONNX's recurrent layers. */
#include "micro/recurrent/recurrent_f32_prepare.h"

int32_t oribi_micro_recurrent_f32_check(const struct oribi_micro_recurrent_f32_args *args,
                                        int32_t gates)
{
    const struct oribi_micro_recurrent_f32_args *a = args;
    /* four bytes an element, two biases */
    const int32_t sizes[4][5] = {{4, a->batch, a->steps, a->in_c, 1},
                                 {4, a->batch, a->steps, a->units, a->directions},
                                 {4 * gates, a->units, a->in_c, a->directions, 1},
                                 {8 * gates, a->units, a->units, a->directions, 1}};
    int32_t bytes, code = ORIBI_MICRO_OK;
    for (int32_t i = 0; i < 4 && code == ORIBI_MICRO_OK; i++) {
        code = oribi_micro_product(sizes[i], 5, &bytes);
    }
    for (int32_t i = 0; i < ORIBI_MICRO_RECURRENT_FUNCTIONS && code == ORIBI_MICRO_OK; i++) {
        code = a->function[i] < 0 || a->function[i] >= ORIBI_MICRO_GATE_COUNT ? ORIBI_MICRO_INVALID
                                                                              : ORIBI_MICRO_OK;
    }
    return code == ORIBI_MICRO_OK && a->directions > ORIBI_MICRO_RECURRENT_DIRECTIONS
               ? ORIBI_MICRO_INVALID
               : code;
}

int64_t oribi_micro_recurrent_f32_scratch(const struct oribi_micro_recurrent_f32_args *args,
                                          int32_t gates)
{
    const int64_t each = gates == 1 && args->form != 0 ? 2 : gates; /* a hybrid RNN */
    return args->units * each * (int64_t)sizeof(float);
}
