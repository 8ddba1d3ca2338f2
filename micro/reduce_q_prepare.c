/* SPDX-License-Identifier: Apache-2.0 */
/* Joins dimensions of a kind; a mean's 1/N goes into the multiplier by an integer division. */
#include "micro/reduce_q_prepare.h"

#include "micro/dims.h"
#include "micro/element.h"

static int32_t add(struct oribi_micro_reduce_q_axes *axes, int32_t size, int32_t step,
                   int32_t joins)
{
    if (joins != 0) {
        axes->dims[axes->rank - 1] *= size;
        axes->step[axes->rank - 1] = step;
        return ORIBI_MICRO_OK;
    }
    if (axes->rank == ORIBI_MICRO_REDUCE_Q_RANK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    axes->dims[axes->rank] = size;
    axes->step[axes->rank++] = step;
    return ORIBI_MICRO_OK;
}

/* Dimensions from the first to the last; `summed` and `kept` apart, neighbours of a kind as one. */
static int32_t sort(const struct oribi_micro_reduce_q_spec *s,
                    struct oribi_micro_reduce_q_args *args)
{
    int32_t total, previous = -1;
    int32_t code = s->rank > ORIBI_MAX_LOWERED_RANK ? ORIBI_MICRO_TOO_LARGE
                                                    : oribi_micro_product(s->dims, s->rank, &total);
    args->kept.rank = args->summed.rank = 0;
    for (int32_t i = 0; code == ORIBI_MICRO_OK && i < s->rank; i++) {
        total /= s->dims[i];
        if (s->dims[i] > 1) {
            const int32_t kind = (int32_t)(s->summed >> i & 1U);
            code =
                add(kind != 0 ? &args->summed : &args->kept, s->dims[i], total, kind == previous);
            previous = kind;
        }
    }
    if (code == ORIBI_MICRO_OK && args->kept.rank == 0) {
        code = add(&args->kept, 1, 0, 0);
    }
    if (code == ORIBI_MICRO_OK && args->summed.rank == 0) {
        code = add(&args->summed, 1, 0, 0);
    }
    for (int32_t k = 0; k < ORIBI_MICRO_REDUCE_Q_RANK; k++) {
        args->kept.dims[k] = k < args->kept.rank ? args->kept.dims[k] : 1;
        args->kept.step[k] = k < args->kept.rank ? args->kept.step[k] : 0;
        args->summed.dims[k] = k < args->summed.rank ? args->summed.dims[k] : 1;
        args->summed.step[k] = k < args->summed.rank ? args->summed.step[k] : 0;
    }
    return code;
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

int32_t oribi_micro_reduce_q_prepare(const struct oribi_micro_reduce_q_spec *spec,
                                     struct oribi_micro_reduce_q_args *args)
{
    const struct oribi_micro_reduce_q_spec *s = spec;
    const int32_t values = s->kind == ORIBI_MICRO_S16 ? 1 << 16 : 1 << 8;
    int32_t code = oribi_micro_check(s->kind, s->input), count = 1;
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds(s->kind, ORIBI_MICRO_NONE, s->output, &args->low, &args->high);
    code = code != ORIBI_MICRO_OK ? code : sort(s, args);
    for (int32_t k = 0; code == ORIBI_MICRO_OK && k < args->summed.rank; k++) {
        count *= args->summed.dims[k];
    }
    if (code == ORIBI_MICRO_OK && count > INT32_MAX / values) {
        code = ORIBI_MICRO_OVERFLOW;
    }
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier((double)s->input.scale / (double)s->output.scale,
                                        &args->output_multiplier, &args->output_shift);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    if (s->is_mean != 0) {
        divide(&args->output_multiplier, &args->output_shift, count);
    }
    args->kind = s->kind;
    args->zero_sum = s->input.zero * count;
    args->output_zero = s->output.zero;
    return ORIBI_MICRO_OK;
}
