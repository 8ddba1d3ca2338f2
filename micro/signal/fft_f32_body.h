/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of floats, which do not grow too large. Part of rfft_f32.c and irfft_f32.c. */
#ifndef ORIBI_MICRO_FFT_F32_BODY_H_
#define ORIBI_MICRO_FFT_F32_BODY_H_

#include "micro/float_rules.h"

typedef float sample;
typedef float wide;
#define WRAP(x)      (x)
#define ROUND(x)     (x)
#define DIVIDE(x, k) (x)
#define HALF(x)      ((x)*0.5F)

#endif
