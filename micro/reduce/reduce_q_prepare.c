/* SPDX-License-Identifier: Apache-2.0 */
/* Joins dimensions of a kind; a mean's 1/N goes into the multiplier by an integer division. */
#include "micro/reduce/reduce_q_prepare.h"

#include "micro/dims.h"
#include "micro/element.h"
#include "micro/geometry/geometry_walk.h"

#include <math.h>

enum { MOST_PROD_SHIFT = 7 }; /* of wide.h */

static int32_t narrow(const oribi_geometry_walk *walk, struct oribi_micro_reduce_q_axes *out)
{
    if (walk->rank > ORIBI_MICRO_REDUCE_Q_RANK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    out->rank = walk->rank;
    for (int32_t i = 0; i < ORIBI_MICRO_REDUCE_Q_RANK; i++) {
        const bool is_there = i < walk->rank && walk->axes[i].dim != 1;
        out->dims[i] = is_there ? (int32_t)walk->axes[i].dim : 1;
        out->step[i] = is_there ? (int32_t)walk->axes[i].strides[0] : 0;
    }
    return ORIBI_MICRO_OK;
}

/* Dimensions from the first to the last; `summed` and `kept` apart, neighbours of a kind as one. */
static int32_t sort(const struct oribi_micro_reduce_q_spec *s,
                    struct oribi_micro_reduce_q_args *args)
{
    oribi_geometry_walk kept, summed;
    oribi_geometry_axes reduced = {{s->summed}};
    oribi_dims dims = {.n = s->rank}, steps;
    int32_t total, code = s->rank > ORIBI_MAX_LOWERED_RANK
                              ? ORIBI_MICRO_TOO_LARGE
                              : oribi_micro_product(s->dims, s->rank, &total);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    for (int32_t i = 0; i < s->rank; i++) {
        dims.at[i] = s->dims[i];
    }
    oribi_geometry_steps(dims.at, dims.n, 1, steps.at);
    oribi_geometry_walk_reduce(dims.at, steps.at, dims.n, &reduced, &kept, &summed);
    code = narrow(&kept, &args->kept);
    return code != ORIBI_MICRO_OK ? code : narrow(&summed, &args->summed);
}

/* multiplier * 2^shift / count, with as many bits as the shift's range leaves. */
static void divide(int32_t *multiplier, int32_t *shift, int32_t count)
{
    int32_t bits = 0;
    while (bits < 31 && count >> (bits + 1) != 0) {
        bits++;
    }
    bits = bits < 31 + *shift ? bits : 31 + *shift;
    *multiplier = (int32_t)(((int64_t)*multiplier << bits) / count);
    *shift -= bits;
}

/* Of a product each factor brings its part of the result's scale along. */
static double scaling(const struct oribi_micro_reduce_q_spec *s, int32_t count)
{
    return s->function == ORIBI_MICRO_REDUCE_PROD
               ? (double)s->input.scale / pow((double)s->output.scale, 1.0 / count)
               : (double)s->input.scale / (double)s->output.scale;
}

int32_t oribi_micro_reduce_q_prepare(const struct oribi_micro_reduce_q_spec *spec,
                                     struct oribi_micro_reduce_q_args *args)
{
    const struct oribi_micro_reduce_q_spec *s = spec;
    const bool is_prod = s->function == ORIBI_MICRO_REDUCE_PROD;
    const int32_t values = s->kind == ORIBI_MICRO_S16 ? 1 << 16 : 1 << 8;
    int32_t code = oribi_micro_check(s->kind, s->input), count = 1;
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds(s->kind, ORIBI_MICRO_NONE, s->output, &args->low, &args->high);
    code = code != ORIBI_MICRO_OK ? code : sort(s, args);
    for (int32_t k = 0; code == ORIBI_MICRO_OK && k < args->summed.rank; k++) {
        count *= args->summed.dims[k];
    }
    if (code == ORIBI_MICRO_OK && !is_prod && count > INT32_MAX / values) {
        code = ORIBI_MICRO_OVERFLOW;
    }
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier(scaling(s, count), &args->output_multiplier,
                                        &args->output_shift);
    if (code == ORIBI_MICRO_OK && is_prod && args->output_shift > MOST_PROD_SHIFT) {
        code = ORIBI_MICRO_INVALID;
    }
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    if (s->function == ORIBI_MICRO_REDUCE_MEAN) {
        divide(&args->output_multiplier, &args->output_shift, count);
    }
    args->kind = s->kind;
    args->zero_sum = is_prod ? s->input.zero : s->input.zero * count;
    args->output_zero = s->output.zero;
    return ORIBI_MICRO_OK;
}
