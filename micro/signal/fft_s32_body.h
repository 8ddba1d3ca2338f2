/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms in Q0.31. Part of rfft_s32.c and irfft_s32.c. */
#ifndef ORIBI_MICRO_FFT_S32_BODY_H_
#define ORIBI_MICRO_FFT_S32_BODY_H_

#include <stdint.h>

typedef int32_t sample;
typedef int64_t wide;
#define WRAP(x)      ((sample)(x))
#define ROUND(x)     ((sample)(((x) + (1 << 30)) >> 31))
#define DIVIDE(x, k) ROUND((wide)(x) * (INT32_MAX / (k)))
#define HALF(x)      ((sample)((sample)(x) >> 1))

#endif
