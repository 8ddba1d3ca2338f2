/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of rows of real numbers, step by step as KISS FFT makes them: fixed point rounds at
 * each step, so that the order of the steps is part of the result. The roots come from
 * fft_prepare.h.
 */
#ifndef ORIBI_MICRO_FFT_H_
#define ORIBI_MICRO_FFT_H_

#include <stdint.h>

/* roots: n / 2 complex numbers exp(+-2 pi i k / (n / 2)), then n / 4 twists. */
struct oribi_micro_fft_s16_args {
    int32_t rows, given; /* numbers of a row of the input; what is missing is 0 */
    int32_t n;           /* of a transform: a power of two from 4 on */
    const int16_t *roots;
};
struct oribi_micro_fft_s32_args {
    int32_t rows, given;
    int32_t n;
    const int32_t *roots;
};
struct oribi_micro_fft_f32_args {
    int32_t rows, given;
    int32_t n;
    const float *roots;
};

/* Shapes   rfft: input [rows, given] with at most n numbers, output [rows, n + 2], n / 2 + 1
 *          complex numbers. irfft: input with at most n + 2, output [rows, n].
 * Owns     nothing; they do not overlap.
 * Context  run: no allocation, no state. Fixed point wraps.
 * Source   TensorFlow Lite Micro's Rfft and Irfft, bit for bit.
 */
void oribi_micro_rfft_s16(const struct oribi_micro_fft_s16_args *args, const int16_t *input,
                          int16_t *output);
void oribi_micro_rfft_s32(const struct oribi_micro_fft_s32_args *args, const int32_t *input,
                          int32_t *output);
void oribi_micro_rfft_f32(const struct oribi_micro_fft_f32_args *args, const float *input,
                          float *output);
void oribi_micro_irfft_s16(const struct oribi_micro_fft_s16_args *args, const int16_t *input,
                           int16_t *output);
void oribi_micro_irfft_s32(const struct oribi_micro_fft_s32_args *args, const int32_t *input,
                           int32_t *output);
void oribi_micro_irfft_f32(const struct oribi_micro_fft_f32_args *args, const float *input,
                           float *output);

#endif
