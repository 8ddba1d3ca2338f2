/* SPDX-License-Identifier: Apache-2.0 */
/* Reals go through double, integers through int64, which hold them all. */
#include "micro/move/cast_wide.h"

#include "micro/element.h"

static int64_t cut(double x, int32_t kind)
{
    static const double limits[] = {128.0,        256.0, 32768.0,
                                    2147483648.0, 0.0,   9223372036854775808.0};
    const double low = kind == ORIBI_MICRO_U8 ? 0.0 : -limits[kind];
    if (!(x > low)) {
        return x <= low ? (kind == ORIBI_MICRO_S64 ? INT64_MIN : (int64_t)low) : 0;
    }
    if (x >= limits[kind] - (kind == ORIBI_MICRO_S64 ? 0.0 : 1.0)) {
        return kind == ORIBI_MICRO_S64 ? INT64_MAX : (int64_t)(limits[kind] - 1.0);
    }
    return (int64_t)x;
}

static void from_real(const struct oribi_micro_cast_wide_args *p, double x, int32_t i, void *output)
{
    if (p->to_truth != 0) {
        ((uint8_t *)output)[i] = x <= 0.0 && x >= 0.0 ? 0 : 1;
    } else if (p->out_kind == ORIBI_MICRO_F32) {
        ((float *)output)[i] = (float)x;
    } else if (p->out_kind == ORIBI_MICRO_F64) {
        ((double *)output)[i] = x;
    } else {
        oribi_micro_element_set_wide(output, p->out_kind, i, cut(x, p->out_kind));
    }
}

static void from_integer(const struct oribi_micro_cast_wide_args *p, int64_t x, int32_t i,
                         void *output)
{
    if (p->to_truth != 0) {
        ((uint8_t *)output)[i] = x != 0 ? 1 : 0;
    } else if (p->out_kind == ORIBI_MICRO_F32) {
        ((float *)output)[i] = (float)x;
    } else if (p->out_kind == ORIBI_MICRO_F64) {
        ((double *)output)[i] = (double)x;
    } else {
        oribi_micro_element_set_wide(output, p->out_kind, i, x);
    }
}

void oribi_micro_cast_wide(const struct oribi_micro_cast_wide_args *args, const void *input,
                           void *output)
{
    const struct oribi_micro_cast_wide_args *p = args;
    for (int32_t i = 0; i < p->count; i++) {
        if (p->in_kind == ORIBI_MICRO_F32) {
            from_real(p, (double)((const float *)input)[i], i, output);
        } else if (p->in_kind == ORIBI_MICRO_F64) {
            from_real(p, ((const double *)input)[i], i, output);
        } else if (p->in_kind == ORIBI_MICRO_U32) {
            from_integer(p, (int64_t)((const uint32_t *)input)[i], i, output);
        } else {
            from_integer(p, oribi_micro_element_get_wide(input, p->in_kind, i), i, output);
        }
    }
}
