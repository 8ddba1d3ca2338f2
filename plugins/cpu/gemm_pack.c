/* SPDX-License-Identifier: Apache-2.0 */
/* Packing of B: from any strided view, perhaps unaligned, into panels of a few columns, each panel
 * k rows high and contiguous. Done once for constant weights, straight from the mapped model. See
 * gemm.h.
 */
#include "cpu/gemm.h"

#include <string.h>

enum { BLOCK_ROWS = 16 }; /* a cache line of a source whose k is innermost */

int64_t oribi_gemm_packed_count(const oribi_gemm_variant *variant, int64_t k, int64_t n)
{
    const int64_t full = n / variant->width, rest = n % variant->width;
    const int64_t last = rest == 0 ? 0 : rest <= variant->narrow ? variant->narrow : variant->width;
    return k * (full * variant->width + last);
}

static float load_float(const char *from)
{
    float value;
    memcpy(&value, from, sizeof value); /* the model may store it at any address */
    return value;
}

/* Rows of one (outer, middle): inner x columns at `from` to panel rows of `width`. */
static void pack_rows(const oribi_gemm_source *source, const char *from, int64_t columns,
                      int64_t width, float *out)
{
    const bool dense = source->n_stride == (int64_t)sizeof(float);
    for (int64_t first = 0; first < source->inner; first += BLOCK_ROWS) {
        const int64_t end = first + BLOCK_ROWS < source->inner ? first + BLOCK_ROWS : source->inner;
        if (dense) {
            for (int64_t k = first; k < end; k++) {
                memcpy(out + k * width, from + k * source->inner_stride,
                       (size_t)columns * sizeof(float));
            }
            continue;
        }
        for (int64_t j = 0; j < columns; j++) {
            const char *column = from + j * source->n_stride;
            for (int64_t k = first; k < end; k++) {
                out[k * width + j] = load_float(column + k * source->inner_stride);
            }
        }
    }
    if (columns < width) {
        for (int64_t k = 0; k < source->inner; k++) {
            memset(out + k * width + columns, 0, (size_t)(width - columns) * sizeof(float));
        }
    }
}

void oribi_gemm_pack(const oribi_gemm_variant *variant, const oribi_gemm_source *source, float *out)
{
    for (int64_t first = 0; first < source->n; first += variant->width) {
        const int64_t remaining = source->n - first;
        const int64_t width = remaining <= variant->narrow ? variant->narrow : variant->width;
        const int64_t columns = remaining < width ? remaining : width;
        for (int64_t y = 0; y < source->outer; y++) {
            for (int64_t x = 0; x < source->middle; x++) {
                const char *from = source->data + y * source->outer_stride +
                                   x * source->middle_stride + first * source->n_stride;
                pack_rows(source, from, columns, width, out);
                out += source->inner * width;
            }
        }
    }
}
