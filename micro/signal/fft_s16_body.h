/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms in Q0.15. Part of rfft_s16.c and irfft_s16.c. */
#ifndef ORIBI_MICRO_FFT_S16_BODY_H_
#define ORIBI_MICRO_FFT_S16_BODY_H_

#include <stdint.h>

typedef int16_t sample;
typedef int64_t wide;
#define WRAP(x)      ((sample)(x))
#define ROUND(x)     ((sample)(((x) + (1 << 14)) >> 15))
#define DIVIDE(x, k) ROUND((wide)(x) * (INT16_MAX / (k)))
#define HALF(x)      ((sample)((x) >> 1))

#endif
