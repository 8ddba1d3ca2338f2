/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of doubles, low and then high; a NaN stays. */
#ifndef ORIBI_MICRO_CLIP_F64_H_
#define ORIBI_MICRO_CLIP_F64_H_

#include <stdint.h>

struct oribi_micro_clip_f64_args {
    int32_t count;
};

/* Shapes   low and high one element each.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_clip_f64(const struct oribi_micro_clip_f64_args *args, const double *input,
                          const double *low, const double *high, double *output);

#endif
