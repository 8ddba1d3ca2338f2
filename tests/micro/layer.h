/* SPDX-License-Identifier: Apache-2.0 */
/* Weights, biases and scales of a random layer, with the corners that kernels treat apart. */
#ifndef ORIBI_TESTS_MICRO_LAYER_H_
#define ORIBI_TESTS_MICRO_LAYER_H_

#include <stdlib.h>

#include "tests/micro/oracle.h"
#include "micro/prepare.h"
#include "tests/micro/random.h"

#ifndef LAYER_CHANNELS
#define LAYER_CHANNELS 24
#endif
enum { LAYER_DEPTH = 1024 };

typedef struct layer {
    int32_t channels, n_scales, activation;
    int8_t filter[LAYER_CHANNELS * LAYER_DEPTH];
    int32_t bias[LAYER_CHANNELS], folded[LAYER_CHANNELS], multiplier[LAYER_CHANNELS],
        shift[LAYER_CHANNELS];
    float scales[LAYER_CHANNELS];
    struct oribi_micro_quantisation input, output;
    oracle_output bounds;
} layer;

static inline void layer_make(layer *l, uint64_t *seed, int32_t channels, int32_t depth,
                              int one_scale)
{
    l->channels = channels;
    l->n_scales = one_scale ? 1 : channels;
    l->input.scale = (float)random_in(seed, 1, 1000) / 8000.0F;
    l->input.zero = random_in(seed, -128, 127);
    l->output.scale = (float)random_in(seed, 200, 4000) / 4000.0F;
    l->output.zero = random_once_in(seed, 2) ? -128 : random_in(seed, -128, 127);
    l->activation = random_once_in(seed, 3) ? random_in(seed, 0, 3) : ORIBI_MICRO_NONE;
    random_bytes(seed, l->filter, channels * depth, -127, 127);
    for (int32_t c = 0; c < channels; c++) {
        /* One scale for all: sums that it moves left must not leave int32, as nobody defines that.
         */
        const int kind = one_scale && c > 0 ? 3 : random_in(seed, one_scale ? 1 : 0, 12);
        l->scales[c] = (float)random_in(seed, 1, 1000) / 20000.0F;
        l->bias[c] = random_in(seed, -20000, 20000);
        if (kind == 0) { /* a channel that training left behind */
            l->scales[c] = 1.0e-9F;
            l->bias[c] = random_in(seed, -2000000000, 2000000000);
        } else if (kind == 1) { /* a multiplier near or above 1 */
            l->scales[c] =
                l->output.scale / l->input.scale * (float)random_in(seed, 400, 1600) / 1000.0F;
            l->bias[c] = random_in(seed, -200, 200);
        } else if (kind == 2 && !one_scale) {
            l->bias[c] =
                random_in(seed, 1000000000, 2100000000) * (random_once_in(seed, 2) ? 1 : -1);
            l->scales[c] = 1.0e-6F;
        } else if (kind == 3 && random_once_in(seed, 4)) {
            l->filter[c * depth + random_in(seed, 0, depth - 1)] = -128;
        }
    }
    l->bounds.zero = l->output.zero;
    l->bounds.low = INT8_MIN;
    l->bounds.high = INT8_MAX;
    if (l->activation != ORIBI_MICRO_NONE) {
        const int32_t least = l->activation == ORIBI_MICRO_RELU_N1_TO_1
                                  ? l->output.zero + (int32_t)roundf(-1.0F / l->output.scale)
                                  : l->output.zero;
        l->bounds.low = least > INT8_MIN ? least : INT8_MIN;
    }
    if (l->activation == ORIBI_MICRO_RELU6 || l->activation == ORIBI_MICRO_RELU_N1_TO_1) {
        const float limit = l->activation == ORIBI_MICRO_RELU6 ? 6.0F : 1.0F;
        const int32_t most = l->output.zero + (int32_t)roundf(limit / l->output.scale);
        l->bounds.high = most < INT8_MAX ? most : INT8_MAX;
    }
}

static inline double layer_real(const layer *l, int32_t channel)
{
    const float scale = l->scales[l->n_scales == 1 ? 0 : channel];
    return (double)l->input.scale * (double)scale / (double)l->output.scale;
}

/* Exactly so many bytes, so that a sanitizer sees the first one beyond. */
static inline int8_t *exactly(int32_t bytes)
{
    return malloc(bytes > 0 ? (size_t)bytes : 1);
}

#endif
