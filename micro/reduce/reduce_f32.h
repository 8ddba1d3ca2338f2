/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of float along any axes, a file each. */
#ifndef ORIBI_MICRO_REDUCE_F32_H_
#define ORIBI_MICRO_REDUCE_F32_H_

#include <stdint.h>

enum { ORIBI_MICRO_REDUCE_RANK = 6 };

/* Steps are floats of the input; ranks may be 0, then there is one element. */
struct oribi_micro_reduce_f32_args {
    int32_t kept_rank, kept_dims[ORIBI_MICRO_REDUCE_RANK], kept_step[ORIBI_MICRO_REDUCE_RANK];
    int32_t rank, dims[ORIBI_MICRO_REDUCE_RANK], step[ORIBI_MICRO_REDUCE_RANK]; /* reduced */
};

/* Where a walk stands; starts as all zeros. */
struct oribi_micro_reduce_walk {
    int32_t index[ORIBI_MICRO_REDUCE_RANK];
    int32_t at; /* offset of the element */
};

/* Moves to the next element; 0 when there is none. */
static inline int32_t oribi_micro_reduce_next(int32_t rank, const int32_t *dims,
                                              const int32_t *step,
                                              struct oribi_micro_reduce_walk *walk)
{
    for (int32_t k = rank - 1; k >= 0; k--) {
        walk->at += step[k];
        if (++walk->index[k] < dims[k]) {
            return 1;
        }
        walk->at -= step[k] * dims[k];
        walk->index[k] = 0;
    }
    return 0;
}

/* Each folds the reduced elements of every kept one.
 * Shapes   output is dense over the kept dims.
 * Owns     nothing; output is not the input's memory.
 * Context  run: no allocation, no state.
 * Source   elements in row-major order, one after the other; a mean divides its sum once; a NaN
 *          gives a NaN; each operation rounds once (float_rules.h).
 */
void oribi_micro_reduce_max_f32(const struct oribi_micro_reduce_f32_args *args, const float *input,
                                float *output);
void oribi_micro_reduce_mean_f32(const struct oribi_micro_reduce_f32_args *args, const float *input,
                                 float *output);
void oribi_micro_reduce_min_f32(const struct oribi_micro_reduce_f32_args *args, const float *input,
                                float *output);
void oribi_micro_reduce_prod_f32(const struct oribi_micro_reduce_f32_args *args, const float *input,
                                 float *output);
void oribi_micro_reduce_sum_f32(const struct oribi_micro_reduce_f32_args *args, const float *input,
                                float *output);

#endif
