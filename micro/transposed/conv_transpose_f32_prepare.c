/* SPDX-License-Identifier: Apache-2.0 */
/* See conv_transpose_f32_prepare.h. */
#include "micro/transposed/conv_transpose_f32_prepare.h"

/* Sums of two places must not leave int32. */
enum { MOST = INT32_MAX / 2 };

static int is_counted(int64_t value)
{
    return value >= 0 && value <= MOST;
}

/* The product of the sizes; -1: it is above MOST. Sizes of 0 count as 1, since a part may be read
 * where the whole has none. */
static int64_t product(const int64_t *sizes, int32_t count)
{
    int64_t all = 1;
    for (int32_t i = 0; i < count; i++) {
        if (!is_counted(sizes[i]) || !is_counted(all * (sizes[i] > 0 ? sizes[i] : 1))) {
            return -1;
        }
        all *= sizes[i] > 0 ? sizes[i] : 1;
    }
    return all;
}

static int32_t fit_axis(oribi_geometry_transposed *axis, int64_t in, int64_t taps)
{
    axis->in = in;
    axis->taps = taps;
    if (oribi_geometry_spread(axis) != ORIBI_GEOMETRY_FITS || axis->in < 0 || axis->taps < 1) {
        return ORIBI_MICRO_INVALID;
    }
    const int fits = is_counted(axis->full) && is_counted(axis->out) &&
                     is_counted(axis->before < 0 ? -axis->before : axis->before) &&
                     is_counted(axis->stride) && is_counted(axis->dilation);
    return fits ? ORIBI_MICRO_OK : ORIBI_MICRO_TOO_LARGE;
}

int32_t oribi_micro_conv_transpose_f32_prepare(struct oribi_micro_conv_transpose_f32_spec *spec,
                                               struct oribi_micro_conv_transpose_f32_args *args)
{
    enum { SPACE = ORIBI_MICRO_TRANSPOSE_SPACE };
    oribi_geometry_transposed all[SPACE];
    int64_t out[2 + SPACE] = {spec->x[0], 0, 1, 1, 1};
    if (spec->n_space < 1 || spec->n_space > SPACE || spec->groups < 1 ||
        spec->x[1] % spec->groups != 0 || spec->w[0] != spec->x[1] || !is_counted(spec->w[1]) ||
        !is_counted(spec->groups) || !is_counted(spec->w[1] * spec->groups)) {
        return ORIBI_MICRO_INVALID;
    }
    for (int32_t i = 0; i < SPACE; i++) { /* axes that are not there come first */
        const int32_t k = i - (SPACE - spec->n_space);
        all[i] =
            (oribi_geometry_transposed){.in = 1, .taps = 1, .stride = 1, .dilation = 1, .out = 1};
        if (k >= 0) {
            const int32_t code = fit_axis(&spec->axes[k], spec->x[2 + k], spec->w[2 + k]);
            if (code != ORIBI_MICRO_OK) {
                return code;
            }
            all[i] = spec->axes[k];
        }
        out[2 + i] = all[i].out;
    }
    out[1] = spec->w[1] * spec->groups;
    if (product(spec->x, 2 + spec->n_space) < 0 || product(spec->w, 2 + spec->n_space) < 0 ||
        product(out, 2 + SPACE) < 0) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    *args = (struct oribi_micro_conv_transpose_f32_args){
        (int32_t)spec->x[0],      (int32_t)spec->groups,    (int32_t)(spec->x[1] / spec->groups),
        (int32_t)spec->w[1],      (int32_t)all[0].in,       (int32_t)all[1].in,
        (int32_t)all[2].in,       (int32_t)all[0].out,      (int32_t)all[1].out,
        (int32_t)all[2].out,      (int32_t)all[0].taps,     (int32_t)all[1].taps,
        (int32_t)all[2].taps,     (int32_t)all[0].stride,   (int32_t)all[1].stride,
        (int32_t)all[2].stride,   (int32_t)all[0].dilation, (int32_t)all[1].dilation,
        (int32_t)all[2].dilation, (int32_t)all[0].before,   (int32_t)all[1].before,
        (int32_t)all[2].before};
    return ORIBI_MICRO_OK;
}
