/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of softmax_s8, softmax_u8 and softmax_wide. */
#include "micro/norm/softmax_8_prepare.h"

#include "micro/element.h"

#include <math.h>

enum { INTEGER_BITS = 5, MOST_COLUMNS = 4095 }; /* Q12.19 holds a sum of 4095 ones */

int32_t oribi_micro_softmax_8_scaling(const struct oribi_micro_softmax_spec *spec,
                                      int32_t *out_multiplier, int32_t *out_shift,
                                      int32_t *out_farthest)
{
    const struct oribi_micro_softmax_spec *s = spec;
    const int32_t sizes[2] = {s->rows, s->columns};
    int32_t values;
    int32_t code = oribi_micro_product(sizes, 2, &values);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(s->kind, s->input);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    if (s->columns > MOST_COLUMNS) {
        return ORIBI_MICRO_OVERFLOW;
    }
    const double fraction = (double)(1 << (31 - INTEGER_BITS)), most = 2147483647.0;
    const double wanted = (double)s->beta * (double)s->input.scale * fraction;
    const double real = wanted < most ? wanted : most;
    if (!(real > 1.0)) {
        return ORIBI_MICRO_INVALID;
    }
    code = oribi_micro_multiplier(real, out_multiplier, out_shift);
    const double radius = ((1 << INTEGER_BITS) - 1) * fraction / ldexp(1.0, *out_shift);
    *out_farthest = -(int32_t)floor(radius);
    return code;
}

int32_t oribi_micro_softmax_8_prepare(const struct oribi_micro_softmax_spec *spec,
                                      struct oribi_micro_softmax_8_args *args)
{
    const struct oribi_micro_softmax_spec *s = spec;
    const int result_fits = s->output.zero == (s->kind == ORIBI_MICRO_U8 ? 0 : INT8_MIN) &&
                            s->output.scale >= 1.0F / 256.0F && s->output.scale <= 1.0F / 256.0F;
    const int32_t code =
        oribi_micro_softmax_8_scaling(s, &args->multiplier, &args->shift, &args->farthest);
    args->rows = s->rows;
    args->columns = s->columns;
    args->scratch_bytes = 0;
    return code == ORIBI_MICRO_OK && !result_fits ? ORIBI_MICRO_INVALID : code;
}

int32_t oribi_micro_softmax_wide_prepare(const struct oribi_micro_softmax_spec *spec,
                                         struct oribi_micro_softmax_wide_args *args)
{
    const struct oribi_micro_softmax_spec *s = spec;
    const float unit = 1.0F / 65536.0F; /* converters write 1 / 65535, too */
    const int result_fits =
        s->output.zero == INT16_MIN && fabsf(s->output.scale - unit) <= 0.001F * unit;
    const int32_t code =
        oribi_micro_softmax_8_scaling(s, &args->multiplier, &args->shift, &args->farthest);
    args->rows = s->rows;
    args->columns = s->columns;
    args->is_unsigned = s->kind == ORIBI_MICRO_U8 ? 1 : 0;
    return code == ORIBI_MICRO_OK && !result_fits ? ORIBI_MICRO_INVALID : code;
}
