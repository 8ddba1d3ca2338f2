/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of log_softmax_8. */
#include "micro/norm/log_softmax_8_prepare.h"

#include "micro/element.h"

#include <math.h>

int32_t oribi_micro_log_softmax_8_prepare(const struct oribi_micro_softmax_spec *spec,
                                          struct oribi_micro_log_softmax_8_args *args)
{
    const struct oribi_micro_softmax_spec *s = spec;
    const int result_fits = s->output.zero == (s->kind == ORIBI_MICRO_U8 ? UINT8_MAX : INT8_MAX) &&
                            s->output.scale >= 1.0F / 16.0F && s->output.scale <= 1.0F / 16.0F;
    int32_t code =
        oribi_micro_softmax_8_scaling(s, &args->multiplier, &args->shift, &args->farthest);
    if (code == ORIBI_MICRO_OK && !result_fits) {
        code = ORIBI_MICRO_INVALID;
    }
    if (code == ORIBI_MICRO_OK) {
        code = oribi_micro_multiplier(ldexp(1.0, 31 - args->shift) / (double)args->multiplier,
                                      &args->back_multiplier, &args->back_shift);
    }
    args->rows = s->rows;
    args->columns = s->columns;
    args->is_unsigned = s->kind == ORIBI_MICRO_U8 ? 1 : 0;
    return code;
}
