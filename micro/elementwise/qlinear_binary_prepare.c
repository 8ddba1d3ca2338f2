/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios of scales, in float as ONNX Runtime has them. */
#include "micro/float_rules.h"

#include "micro/elementwise/qlinear_binary_prepare.h"

#include <math.h>

#include "micro/broadcast_prepare.h"

int32_t oribi_micro_qlinear_check(struct oribi_micro_quantisation q, int32_t is_signed)
{
    const int32_t low = is_signed != 0 ? INT8_MIN : 0;
    const int32_t fits =
        isfinite(q.scale) && q.scale > 0.0F && q.zero >= low && q.zero <= low + 255;
    return fits ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
}

void oribi_micro_qlinear_bound(int32_t is_signed, int32_t *low, int32_t *high)
{
    const int32_t least = is_signed != 0 ? INT8_MIN : 0, most = least + 255;
    *low = *low < least ? least : *low > most ? most : *low;
    *high = *high > most ? most : *high < *low ? *low : *high;
}

static int32_t prepare(const struct oribi_micro_qlinear_binary_spec *s,
                       struct oribi_micro_qlinear_binary_args *out)
{
    if (oribi_micro_qlinear_check(s->a, s->a_signed) != ORIBI_MICRO_OK ||
        oribi_micro_qlinear_check(s->b, s->b_signed) != ORIBI_MICRO_OK ||
        oribi_micro_qlinear_check(s->output, s->output_signed) != ORIBI_MICRO_OK) {
        return ORIBI_MICRO_INVALID;
    }
    out->a_signed = s->a_signed;
    out->b_signed = s->b_signed;
    out->a_zero = s->a.zero;
    out->b_zero = s->b.zero;
    out->low = s->low;
    out->high = s->high;
    oribi_micro_qlinear_bound(s->output_signed, &out->low, &out->high);
    return oribi_micro_broadcast_resolve(s->a_dims, s->a_rank, s->b_dims, s->b_rank, &out->shape);
}

static int32_t check(const struct oribi_micro_qlinear_binary_args *out)
{
    return isfinite(out->a_ratio) && isfinite(out->b_ratio) && isfinite(out->offset)
               ? ORIBI_MICRO_OK
               : ORIBI_MICRO_INVALID;
}

int32_t oribi_micro_qlinear_add_prepare(const struct oribi_micro_qlinear_binary_spec *spec,
                                        struct oribi_micro_qlinear_binary_args *out)
{
    const int32_t code = prepare(spec, out);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    out->a_ratio = spec->a.scale / spec->output.scale;
    out->b_ratio = spec->b.scale / spec->output.scale;
    const float a_part = out->a_ratio * (float)spec->a.zero;
    const float b_part = out->b_ratio * (float)spec->b.zero;
    out->offset = (float)spec->output.zero - (a_part + b_part);
    return check(out);
}

int32_t oribi_micro_qlinear_mul_prepare(const struct oribi_micro_qlinear_binary_spec *spec,
                                        struct oribi_micro_qlinear_binary_args *out)
{
    const int32_t code = prepare(spec, out);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const float product = spec->a.scale * spec->b.scale;
    out->a_ratio = product / spec->output.scale;
    out->b_ratio = 0.0F;
    out->offset = (float)spec->output.zero;
    return check(out);
}

float oribi_micro_qlinear_mean_multiplier(float input_scale, float output_scale, int32_t count)
{
    return input_scale / (output_scale * (float)count);
}
