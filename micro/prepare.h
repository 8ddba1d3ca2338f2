/* SPDX-License-Identifier: Apache-2.0 */
/* What the `prepare` halves share: codes, quantisation of a tensor, multipliers, activation bounds,
 * windows. Host only, never emitted. Read next: fixed_point.h for what multipliers mean.
 */
#ifndef ORIBI_MICRO_PREPARE_H_
#define ORIBI_MICRO_PREPARE_H_

#include <stdint.h>

/* Results of prepare functions. */
enum {
    ORIBI_MICRO_OK = 0,
    ORIBI_MICRO_INVALID = -1,  /* a size, scale or zero point outside its range */
    ORIBI_MICRO_OVERFLOW = -2, /* a sum could leave int32 */
    ORIBI_MICRO_TOO_LARGE = -3 /* a tensor or scratch of 2^31 bytes or more */
};

/* Fused activations. */
enum {
    ORIBI_MICRO_NONE = 0,
    ORIBI_MICRO_RELU = 1,
    ORIBI_MICRO_RELU6 = 2,
    ORIBI_MICRO_RELU_N1_TO_1 = 3
};

/* Whose results: TensorFlow Lite Micro's, or the TensorFlow Lite interpreter's where they differ.
 */
enum { ORIBI_MICRO_TFLM = 0, ORIBI_MICRO_TFLITE = 1 };

enum { ORIBI_MICRO_VALID = 0, ORIBI_MICRO_SAME = 1, ORIBI_MICRO_EXPLICIT = 2 };

/* real = scale * (quantised - zero); scale is finite and above 0. */
struct oribi_micro_quantisation {
    float scale;
    int32_t zero;
};

/* One spatial axis of a window op; out, before and after are derived. */
struct oribi_micro_axis {
    int32_t in, filter, stride, dilation;
    int32_t out;           /* values along the output */
    int32_t before, after; /* padding around the values; said for EXPLICIT */
};

/* The words for a code, for messages: "a sum could leave int32". */
const char *oribi_micro_text(int32_t code);

/* Is the scale usable, and does the zero point fit elements of this kind (S8, U8, S16 of
 * element.h)? That of int16 is 0. */
int32_t oribi_micro_check(int32_t kind, struct oribi_micro_quantisation quantisation);
int32_t oribi_micro_check_s8(struct oribi_micro_quantisation quantisation);

/* real as multiplier * 2^(shift - 31) with multiplier in [2^30, 2^31), or 0 below 2^-32.
 * Errors: INVALID when real is negative, not finite, or needs a shift above 31. */
int32_t oribi_micro_multiplier(double real, int32_t *out_multiplier, int32_t *out_shift);

/* The exponent of a scale that is a power of two, by the source's measure; INT32_MIN: it is none.
 */
int32_t oribi_micro_power(float scale);

/* Bounds of a result after a fused activation: of a kind, of int8. */
int32_t oribi_micro_bounds(int32_t kind, int32_t activation, struct oribi_micro_quantisation output,
                           int32_t *out_low, int32_t *out_high);
int32_t oribi_micro_bounds_s8(int32_t activation, struct oribi_micro_quantisation output,
                              int32_t *out_low, int32_t *out_high);

/* Do the places of all taps of all windows, of `channels` elements each, fit an int32, those in the
 * padding included? Kernels multiply before they look where a tap lies. Errors: TOO_LARGE. */
int32_t oribi_micro_window_fits(const struct oribi_micro_axis *y, const struct oribi_micro_axis *x,
                                int32_t channels);

/* Derives out and padding of both axes, by geometry/geometry_window.h. Errors: INVALID when no
 * output value is left, or where a window may lie in padding alone, which kernels need not know;
 * those of oribi_micro_window_fits. */
int32_t oribi_micro_window_resolve(struct oribi_micro_axis *y, struct oribi_micro_axis *x,
                                   int32_t channels, int32_t padding);

/* The product of `count` sizes, each at least 1. Errors: INVALID, TOO_LARGE at 2^31. */
int32_t oribi_micro_product(const int32_t *sizes, int32_t count, int32_t *out_product);

/* Returns the sum of `count` weights `step` apart, and adds the sum of their sizes to *out_size. */
int64_t oribi_micro_sum_weights(const int8_t *weights, int32_t count, int64_t step,
                                int64_t *out_size);

/* bias - zero * sum(filter) of one output channel with `count` weights `step` apart, so that a
 * kernel sums raw inputs. Errors: OVERFLOW when some input could take a sum out of int32. */
int32_t oribi_micro_fold_bias(const int8_t *filter, int32_t count, int32_t step, int32_t bias,
                              int32_t zero, int32_t *out_bias);

#endif
