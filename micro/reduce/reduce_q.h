/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, means and products of quantised tensors over some dimensions. The arguments come from
 * reduce_q_prepare.h.
 */
#ifndef ORIBI_MICRO_REDUCE_Q_H_
#define ORIBI_MICRO_REDUCE_Q_H_

#include <stdint.h>

enum { ORIBI_MICRO_REDUCE_Q_RANK = 4 };

struct oribi_micro_reduce_q_axes { /* dimensions and how far the input steps along them */
    int32_t rank;                  /* at least 1 */
    int32_t dims[ORIBI_MICRO_REDUCE_Q_RANK], step[ORIBI_MICRO_REDUCE_Q_RANK];
};

struct oribi_micro_reduce_q_args {
    struct oribi_micro_reduce_q_axes kept, summed;
    int32_t kind;     /* element.h */
    int32_t zero_sum; /* of the input's zero point over the values of a sum; of a product one */
    int32_t output_zero, output_multiplier, output_shift;
    int32_t low, high; /* of the type */
};

/* Moves along all dimensions but the last `skip`, and *at with them; 0 at the end. index starts as
 * zeros. */
static inline int32_t oribi_micro_reduce_q_next(const struct oribi_micro_reduce_q_axes *axes,
                                                int32_t skip, int32_t *index, int32_t *at)
{
    for (int32_t k = axes->rank - 1 - skip; k >= 0; k--) {
        *at += axes->step[k];
        if (++index[k] < axes->dims[k]) {
            return 1;
        }
        *at -= axes->step[k] * axes->dims[k];
        index[k] = 0;
    }
    return 0;
}

/* Of int8, and of uint8 or int16.
 * Shapes   input dense; output [kept dims], dense.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference mean and sum, bit for bit (docs/rounding.md).
 */
void oribi_micro_reduce_s8(const struct oribi_micro_reduce_q_args *args, const int8_t *input,
                           int8_t *output);
void oribi_micro_wide_reduce(const struct oribi_micro_reduce_q_args *args, const void *input,
                             void *output);
/* The product of int8 or int16, scaled after each factor. */
void oribi_micro_prod_q(const struct oribi_micro_reduce_q_args *args, const void *input,
                        void *output);

#endif
