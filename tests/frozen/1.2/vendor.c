/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor.h"

int32_t vendor_dense_s8(const int8_t *x, const int8_t *weights, const int32_t *bias, int32_t n_in,
                        int32_t n_out, int32_t *sums)
{
    if ((uintptr_t)weights % VENDOR_WEIGHTS_ALIGNMENT != 0u) {
        return -1;
    }
    for (int32_t j = 0; j < n_out; j++) {
        sums[j] = bias[j];
        for (int32_t i = 0; i < n_in; i++) {
            sums[j] += x[i] * weights[j * n_in + i];
        }
    }
    return 0;
}

/* round(a * b / 2^31), ties away from zero, saturated. */
static int32_t multiply_high(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * b;
    const int64_t half = (int64_t)1 << 30;
    const int64_t high = (product + (product < 0 ? 1 - half : half)) / ((int64_t)1 << 31);
    return high > INT32_MAX ? INT32_MAX : (int32_t)high;
}

/* round(a / 2^n), ties away from zero. */
static int32_t halve(int32_t a, int32_t n)
{
    const int64_t half = n > 0 ? (int64_t)1 << (n - 1) : 0;
    const int64_t sum = a < 0 ? -(int64_t)a + half : (int64_t)a + half;
    return (int32_t)(a < 0 ? -(sum >> n) : sum >> n);
}

void vendor_requantise_s8(const int32_t *sums, const int32_t *multiplier, const int32_t *shift,
                          int32_t n, int32_t zero, int32_t low, int32_t high, int8_t *y)
{
    for (int32_t j = 0; j < n; j++) {
        const int32_t left = shift[j] > 0 ? shift[j] : 0, right = shift[j] > 0 ? 0 : -shift[j];
        const int64_t shifted = (int64_t)sums[j] * ((int64_t)1 << left);
        const int32_t value = halve(multiply_high((int32_t)shifted, multiplier[j]), right) + zero;
        y[j] = (int8_t)(value < low ? low : value > high ? high : value);
    }
}
