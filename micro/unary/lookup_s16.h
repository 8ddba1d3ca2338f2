/* SPDX-License-Identifier: Apache-2.0 */
/* A function of one int16 by 513 places and what lies between them. */
#ifndef ORIBI_MICRO_LOOKUP_S16_H_
#define ORIBI_MICRO_LOOKUP_S16_H_

#include <stdint.h>

enum { ORIBI_MICRO_LOOKUP_S16 = 513 };

struct oribi_micro_lookup_s16_args {
    int32_t count;
    const int16_t *table; /* of as many */
};

/* Shapes   input and output [count].
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference kernels, bit for bit (docs/rounding.md).
 */
void oribi_micro_lookup_s16(const struct oribi_micro_lookup_s16_args *args, const int16_t *input,
                            int16_t *output);

#endif
