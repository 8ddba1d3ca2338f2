/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of cumsum_s8: scales are divided in double. */
#include "micro/index/cumsum_s8_prepare.h"

#include "micro/fixed_point.h"

int32_t oribi_micro_cumsum_s8_prepare(struct oribi_micro_quantisation input,
                                      struct oribi_micro_quantisation output,
                                      struct oribi_micro_cumsum_s8_args *args)
{
    const double twice = 2.0 * (double)input.scale;
    int32_t code = oribi_micro_check_s8(input);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check_s8(output);
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_multiplier((double)input.scale / twice,
                                                           &args->multiplier, &args->shift);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier(twice / ((double)(1 << 20) * (double)output.scale),
                                        &args->output_multiplier, &args->output_shift);
    if (code == ORIBI_MICRO_OK && args->output_shift > 0) {
        code = ORIBI_MICRO_INVALID;
    }
    if (code == ORIBI_MICRO_OK) {
        args->input_zero = input.zero;
        args->output_zero = output.zero;
        args->start = oribi_micro_scale(-input.zero * (1 << 20), args->multiplier, args->shift);
    }
    return code;
}
