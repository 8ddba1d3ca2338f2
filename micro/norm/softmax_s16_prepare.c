/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of softmax_s16. */
#include "micro/norm/softmax_s16_prepare.h"

#include "micro/element.h"

#include <math.h>

enum { MOST_COLUMNS = 65535 }; /* ones as Q0.15 whose sum fits int32 */

int32_t oribi_micro_softmax_s16_prepare(const struct oribi_micro_softmax_spec *spec,
                                        struct oribi_micro_softmax_s16_args *args)
{
    const struct oribi_micro_softmax_spec *s = spec;
    const int32_t sizes[3] = {s->rows, s->columns, 2};
    const float unit = 1.0F / 32768.0F;
    int32_t bytes;
    int32_t code = oribi_micro_product(sizes, 3, &bytes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(ORIBI_MICRO_S16, s->input);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(ORIBI_MICRO_S16, s->output);
    if (code == ORIBI_MICRO_OK && fabsf(s->output.scale - unit) > 0.001F * unit) {
        code = ORIBI_MICRO_INVALID;
    }
    if (code == ORIBI_MICRO_OK && s->columns > MOST_COLUMNS) {
        code = ORIBI_MICRO_OVERFLOW;
    }
    args->rows = s->rows;
    args->columns = s->columns;
    args->in_double = s->variant == ORIBI_MICRO_TFLITE ? 1 : 0;
    const double real = (double)s->input.scale * (double)s->beta / (10.0 / 65535.0);
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_multiplier(real, &args->multiplier, &args->shift);
    /* Shifted further, the largest difference leaves int32, and its place the table. */
    return code == ORIBI_MICRO_OK && args->shift > 15 ? ORIBI_MICRO_OVERFLOW : code;
}
