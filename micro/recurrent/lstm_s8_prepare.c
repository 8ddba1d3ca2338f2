/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of lstm_s8 and lstm_fixed_s8. */
#include "micro/recurrent/lstm_s8_prepare.h"

int32_t oribi_micro_lstm_s8_prepare(const struct oribi_micro_lstm_spec *spec, const int32_t *bias,
                                    struct oribi_micro_lstm_s8_args *args, int32_t *out_bias,
                                    int32_t *out_recurrent_bias)
{
    const struct oribi_micro_lstm_sizes *sizes = &spec->sizes;
    int32_t code = oribi_micro_lstm_check_sizes(sizes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check_s8(spec->input);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check_s8(spec->hidden);
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_lstm_cell_prepare(spec, &args->gates, &args->cell);
    if (code == ORIBI_MICRO_OK && (args->cell.hidden_zero < -128 || args->cell.hidden_zero > 127)) {
        code = ORIBI_MICRO_INVALID;
    }
    const int32_t rows = ORIBI_MICRO_LSTM_GATES * sizes->units;
    for (int32_t r = 0; r < rows && code == ORIBI_MICRO_OK; r++) {
        code = oribi_micro_fold_bias(args->weights + r * sizes->in_c, sizes->in_c, 1, bias[r],
                                     spec->input.zero, &out_bias[r]);
        code = code != ORIBI_MICRO_OK
                   ? code
                   : oribi_micro_fold_bias(args->recurrent + r * sizes->units, sizes->units, 1, 0,
                                           spec->hidden.zero, &out_recurrent_bias[r]);
    }
    args->bias = out_bias;
    args->recurrent_bias = out_recurrent_bias;
    args->sizes = *sizes;
    args->cell.hidden_low = INT8_MIN;
    args->cell.hidden_high = INT8_MAX;
    args->scratch_bytes = code == ORIBI_MICRO_OK ? 2 * rows : 0;
    return code;
}
