/* SPDX-License-Identifier: Apache-2.0 */
/* The ratio of the scales, in double. */
#include "micro/quantize/requantize_prepare.h"

#include <math.h>

#include "micro/element.h"

static int32_t range(int32_t kind, int32_t *out_low, int32_t *out_high)
{
    *out_low = kind == ORIBI_MICRO_U8    ? 0
               : kind == ORIBI_MICRO_S8  ? INT8_MIN
               : kind == ORIBI_MICRO_S16 ? INT16_MIN
                                         : INT32_MIN;
    *out_high = kind == ORIBI_MICRO_U8    ? UINT8_MAX
                : kind == ORIBI_MICRO_S8  ? INT8_MAX
                : kind == ORIBI_MICRO_S16 ? INT16_MAX
                                          : INT32_MAX;
    return kind >= ORIBI_MICRO_S8 && kind <= ORIBI_MICRO_S32;
}

int32_t oribi_micro_kind_range(int32_t kind, struct oribi_micro_quantisation quantisation,
                               int32_t *out_low, int32_t *out_high)
{
    const struct oribi_micro_quantisation q = quantisation;
    return range(kind, out_low, out_high) && isfinite(q.scale) && q.scale > 0.0F &&
                   q.zero >= *out_low && q.zero <= *out_high &&
                   (kind != ORIBI_MICRO_S32 || q.zero == 0)
               ? ORIBI_MICRO_OK
               : ORIBI_MICRO_INVALID;
}

int32_t oribi_micro_requantize_prepare(const struct oribi_micro_requantize_spec *spec,
                                       struct oribi_micro_requantize_args *args)
{
    const struct oribi_micro_requantize_spec *s = spec;
    int32_t low, high;
    int32_t code = oribi_micro_kind_range(s->in_kind, s->input, &low, &high);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_kind_range(s->out_kind, s->output, &args->low, &args->high);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    args->in_kind = s->in_kind;
    args->out_kind = s->out_kind;
    args->input_zero = s->input.zero;
    args->output_zero = s->output.zero;
    return oribi_micro_multiplier((double)s->input.scale / (double)s->output.scale,
                                  &args->multiplier, &args->shift);
}
