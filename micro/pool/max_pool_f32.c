/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pool of float. */
#include "micro/float_rules.h"

#include "micro/math_f32.h"
#include "micro/pool/pool_f32.h"
#include "micro/port.h"
#include "micro/vector_f32.h"

#define NONE oribi_micro_from_bits(UINT32_C(0xff800000)) /* -infinity */

/* The first tap of row y. */
static const float *row(const struct oribi_micro_pool_f32_args *a, const float *image,
                        const struct oribi_micro_pool_window *w, int32_t y)
{
    return image + (y * a->in_w + w->left) * a->channels;
}

/* How many channels, from the first on, it did in vectors. */
static int32_t largest_in_vectors(const struct oribi_micro_pool_f32_args *a, const float *image,
                                  const struct oribi_micro_pool_window *w, float *output)
{
    int32_t c = 0;
#ifdef ORIBI_MICRO_F32_HELIUM
    for (; c + ORIBI_MICRO_F32_WIDTH <= a->channels; c += ORIBI_MICRO_F32_WIDTH) {
        oribi_micro_f32s most = oribi_micro_mve_all(NONE);
        for (int32_t y = w->top; y < w->bottom; y++) {
            const float *value = row(a, image, w, y) + c;
            for (int32_t x = w->left; x < w->right; x++) {
                most = oribi_micro_mve_larger(most, ORIBI_MICRO_F32S(value));
                value += a->channels;
            }
        }
        ORIBI_MICRO_F32S_SET(output + c, most);
    }
#else
    (void)a;
    (void)image;
    (void)w;
    (void)output;
#endif
    return ORIBI_MICRO_F32S_LOST() ? 0 : c;
}

static void largest(const struct oribi_micro_pool_f32_args *a, const float *image,
                    const struct oribi_micro_pool_window *w, float *output)
{
    const int32_t first = largest_in_vectors(a, image, w, output);
    for (int32_t c = first; c < a->channels; c++) {
        output[c] = NONE;
    }
    for (int32_t y = w->top; first < a->channels && y < w->bottom; y++) {
        const float *value = row(a, image, w, y);
        for (int32_t x = w->left; x < w->right; x++) {
            for (int32_t c = first; c < a->channels; c++) {
                output[c] = value[c] > output[c] ? value[c] : output[c];
            }
            value += a->channels;
        }
    }
}

void oribi_micro_max_pool_f32(const struct oribi_micro_pool_f32_args *args, const float *input,
                              float *output)
{
    for (int32_t b = 0; b < args->batch; b++) {
        const float *image = input + b * args->in_h * args->in_w * args->channels;
        for (int32_t y = 0; y < args->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < args->out_w; x++) {
                const struct oribi_micro_pool_window w = oribi_micro_pool_f32_window(args, y, x);
                largest(args, image, &w, output);
                output += args->channels;
            }
        }
    }
}
