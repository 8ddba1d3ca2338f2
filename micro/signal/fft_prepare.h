/* SPDX-License-Identifier: Apache-2.0 */
/* The roots of a transform. Host only. */
#ifndef ORIBI_MICRO_FFT_PREPARE_H_
#define ORIBI_MICRO_FFT_PREPARE_H_

#include <stdint.h>

enum { ORIBI_MICRO_FFT_LEAST = 4, ORIBI_MICRO_FFT_MOST = 1 << 24 };

/* Numbers of the roots: n / 2 + n / 4 complex ones. */
static inline int64_t oribi_micro_fft_roots_count(int64_t n)
{
    return n / 2 * 3;
}

/* kind: ORIBI_MICRO_S16, _S32 or _F32 of element.h; n a power of two between the two above. */
void oribi_micro_fft_roots(int32_t kind, int32_t n, int32_t is_inverse, void *roots);

#endif
