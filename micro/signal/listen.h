/* SPDX-License-Identifier: Apache-2.0 */
/* The front end of models that listen, from samples to the logarithms of a bank of filters, in
 * integers. One frame at a time; what is kept from frame to frame comes in and goes out.
 *
 * Owns     nothing.
 * Context  run: no allocation, no state. Sums wrap.
 * Source   TensorFlow Lite Micro's signal library, bit for bit (docs/rounding.md).
 */
#ifndef ORIBI_MICRO_LISTEN_H_
#define ORIBI_MICRO_LISTEN_H_

#include <stdint.h>

struct oribi_micro_signal_window_args {
    int32_t count, width; /* width divides count */
    int32_t shift;        /* 0 to 31 */
};

/* Rows of `width` samples times weights, shifted right; the output may be the input. */
void oribi_micro_signal_window(const struct oribi_micro_signal_window_args *args,
                               const int16_t *input, const int16_t *weights, int16_t *output);

struct oribi_micro_signal_scale_args {
    int32_t count;
};

/* Shifts to the left as far as all fit, and says how far; the output may be the input. */
void oribi_micro_signal_auto_scale(const struct oribi_micro_signal_scale_args *args,
                                   const int16_t *input, int16_t *output, int32_t *bits);

struct oribi_micro_signal_energy_args {
    int32_t bins;
    int32_t start, end; /* of those that are wanted: the others are 0 */
};

/* Squares of `bins` complex numbers. */
void oribi_micro_signal_energy(const struct oribi_micro_signal_energy_args *args,
                               const int16_t *input, uint32_t *output);

struct oribi_micro_filter_bank_args {
    int32_t channels;
};

/* Each frequency adds to two neighbours, what a channel leaves to the next. Of channels + 1 filters
 * each has `widths` frequencies from `starts` on, whose weights begin at `places`; all lie inside
 * the input and the weights (filter_bank_prepare.h). */
void oribi_micro_filter_bank(const struct oribi_micro_filter_bank_args *args, const uint32_t *input,
                             const int16_t *weights, const int16_t *others, const int16_t *starts,
                             const int16_t *places, const int16_t *widths, uint64_t *output);

/* Square roots, shifted right by `bits`, of which five count. */
void oribi_micro_filter_bank_root(const struct oribi_micro_signal_scale_args *args,
                                  const uint64_t *input, const int32_t *bits, uint32_t *output);

struct oribi_micro_filter_bank_log_args {
    int32_t count;
    int32_t shift; /* to the left before, 0 to 31 */
    int32_t scale; /* of the result, at least 0 */
};

/* scale * log(x), 0 of numbers below 2. */
void oribi_micro_filter_bank_log(const struct oribi_micro_filter_bank_log_args *args,
                                 const uint32_t *input, int16_t *output);

struct oribi_micro_spectral_subtraction_args {
    int32_t count;
    int32_t smoothing, rest;             /* of channels 0, 2, ... */
    int32_t other_smoothing, other_rest; /* of channels 1, 3, ... */
    int32_t bits, shift;                 /* 0 to 31 */
    int32_t least;                       /* what is left of a signal at least */
    int32_t clamps;                      /* 1: the noise is not more than the signal */
};

/* Takes away the noise, which is what was there before, smoothed. The outputs may be the inputs. */
void oribi_micro_spectral_subtraction(const struct oribi_micro_spectral_subtraction_args *args,
                                      const uint32_t *input, const uint32_t *before,
                                      uint32_t *output, uint32_t *noise);

struct oribi_micro_signal_gain_args {
    int32_t count;
    int32_t shift; /* 0 to 63 */
};
enum { ORIBI_MICRO_SIGNAL_GAINS = 4 * 32 - 6 + 3 };

/* More gain where there is less noise, by a table of parabolas, one for each power of two; then
 * large results become roots. The output may be the input. */
void oribi_micro_signal_gain(const struct oribi_micro_signal_gain_args *args, const uint32_t *input,
                             const uint32_t *noise, const int16_t *table, uint32_t *output);

#endif
