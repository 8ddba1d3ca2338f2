/* SPDX-License-Identifier: Apache-2.0 */
/* Checks borders and joins what needs no border of its own. */
#include "micro/move/pad_prepare.h"

#include "micro/dims.h"
#include "micro/geometry/geometry_pad.h"

#include <string.h>

enum { RANK = ORIBI_MICRO_PAD_RANK };

typedef struct box {
    oribi_dims dims, before, after;
} box;

static int32_t check(const struct oribi_micro_pad_spec *s, oribi_geometry_border border)
{
    int64_t total = s->element_bytes;
    const int32_t is_width = s->element_bytes == 1 || s->element_bytes == 2 ||
                             s->element_bytes == 4 || s->element_bytes == 8;
    if (s->rank > RANK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    for (int32_t i = 0; i < s->rank; i++) {
        int64_t size = 0;
        if (s->dims[i] < 1 ||
            !oribi_geometry_pad(s->dims[i], s->pads[2 * i], s->pads[2 * i + 1], border, &size)) {
            return ORIBI_MICRO_INVALID;
        }
        total *= size;
        if (total > INT32_MAX) {
            return ORIBI_MICRO_TOO_LARGE;
        }
    }
    return is_width ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
}

static bool add(box *b, int64_t dim, int64_t before, int64_t after)
{
    return oribi_dims_add(&b->dims, dim) && oribi_dims_add(&b->before, before) &&
           oribi_dims_add(&b->after, after);
}

/* A dimension without border joins the one before it: that one's border grows by its size. */
static bool join(const struct oribi_micro_pad_spec *s, box *out)
{
    bool fits = true;
    for (int32_t i = 0; fits && i < s->rank; i++) {
        const int32_t last = out->dims.n - 1;
        if (last >= 0 && s->pads[2 * i] == 0 && s->pads[2 * i + 1] == 0) {
            out->dims.at[last] *= s->dims[i];
            out->before.at[last] *= s->dims[i];
            out->after.at[last] *= s->dims[i];
        } else {
            fits = add(out, s->dims[i], s->pads[2 * i], s->pads[2 * i + 1]);
        }
    }
    return fits && (out->dims.n > 0 || add(out, 1, 0, 0));
}

int32_t oribi_micro_pad_prepare(const struct oribi_micro_pad_spec *spec,
                                struct oribi_micro_pad_args *args)
{
    const struct oribi_micro_pad_spec *s = spec;
    box b = {.dims = {0}};
    const int32_t code = check(s, ORIBI_GEOMETRY_VALUE);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    if (!join(s, &b)) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    const int32_t rank = args->rank = b.dims.n;
    for (int32_t i = 0; i < RANK; i++) {
        const int64_t unit = i == rank - 1 ? s->element_bytes : 1;
        args->dims[i] = i < rank ? (int32_t)(b.dims.at[i] * unit) : 1;
        args->before[i] = i < rank ? (int32_t)(b.before.at[i] * unit) : 0;
        args->after[i] = i < rank ? (int32_t)(b.after.at[i] * unit) : 0;
    }
    args->element_bytes = s->element_bytes;
    args->value[0] = args->value[1] = 0;
    memcpy(args->value, s->value, (size_t)s->element_bytes);
    return ORIBI_MICRO_OK;
}

int32_t oribi_micro_mirror_pad_prepare(const struct oribi_micro_pad_spec *spec,
                                       struct oribi_micro_mirror_pad_args *args)
{
    const struct oribi_micro_pad_spec *s = spec;
    int64_t step = s->element_bytes;
    const int32_t edge = s->reflects != 0 ? 1 : 0;
    const int32_t code = check(s, edge != 0 ? ORIBI_GEOMETRY_REFLECT : ORIBI_GEOMETRY_SYMMETRIC);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    args->rank = s->rank > 0 ? s->rank : 1;
    for (int32_t i = RANK - 1; i >= 0; i--) {
        const int32_t is_there = i < s->rank;
        args->dims[i] = is_there ? s->dims[i] : 1;
        args->before[i] = is_there ? s->pads[2 * i] : 0;
        args->after[i] = is_there ? s->pads[2 * i + 1] : 0;
        args->step[i] = is_there ? (int32_t)step : 0;
        step *= is_there ? s->dims[i] : 1;
    }
    args->element_bytes = s->element_bytes;
    args->edge = edge;
    return ORIBI_MICRO_OK;
}
