/* SPDX-License-Identifier: Apache-2.0 */
/* Packing of B: from any strided view, perhaps unaligned, into panels of a few columns, each panel
 * k rows high and contiguous. Done once for constant weights, straight from the mapped model. See
 * gemm.h.
 */
#include "cpu/product/gemm.h"

#include "cpu/base/unrolled.h"

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

static int64_t panel_width(const oribi_gemm_variant *variant, int64_t remaining)
{
    return remaining <= variant->narrow ? variant->narrow : variant->width;
}

bool oribi_gemm_pairs(const oribi_gemm_variant *variant, int64_t inner, int64_t n)
{
    const int64_t rest = n % variant->width;
    return variant->pairs_tile != NULL && inner % 2 == 0 && rest > variant->narrow &&
           rest <= ORIBI_GEMM_PAIRS_WIDTH;
}

static int64_t source_width(const oribi_gemm_variant *variant, const oribi_gemm_source *source,
                            int64_t remaining)
{
    return remaining < variant->width && oribi_gemm_pairs(variant, source->inner, source->n)
               ? ORIBI_GEMM_PAIRS_WIDTH
               : panel_width(variant, remaining);
}

/* Does what pack_rows does, in pairs of k; rows is even. */
static void pack_pairs(const oribi_gemm_source *source, const char *from, int64_t rows,
                       int64_t columns, float *out)
{
    memset(out, 0, (size_t)(rows * ORIBI_GEMM_PAIRS_WIDTH) * sizeof(float));
    for (int64_t k = 0; k < rows; k++) {
        float *to = out + k / 2 * 2 * ORIBI_GEMM_PAIRS_WIDTH + k % 2;
        for (int64_t j = 0; j < columns; j++) {
            to[2 * j] = load_float(from + k * source->inner_stride + j * source->n_stride);
        }
    }
}

/* Four columns, whose k lie side by side, to four rows of a panel at a time; returns how many k
 * that were. In the compiler's own vectors, which are registers on every processor that has any. */
static int64_t turn_columns(const char *from, int64_t n_stride, int64_t rows, int64_t width,
                            float *out)
{
    typedef float four __attribute__((vector_size(16)));
    typedef int32_t places __attribute__((vector_size(16), unused)); /* by compilers that ask */
    int64_t k = 0;
    for (; k + 4 <= rows; k += 4, out += 4 * width) {
        four a, b, c, d;
        memcpy(&a, from + k * (int64_t)sizeof(float), sizeof a);
        memcpy(&b, from + k * (int64_t)sizeof(float) + n_stride, sizeof b);
        memcpy(&c, from + k * (int64_t)sizeof(float) + 2 * n_stride, sizeof c);
        memcpy(&d, from + k * (int64_t)sizeof(float) + 3 * n_stride, sizeof d);
        const four ac_low = SHUFFLED(places, a, c, 0, 4, 1, 5);
        const four ac_high = SHUFFLED(places, a, c, 2, 6, 3, 7);
        const four bd_low = SHUFFLED(places, b, d, 0, 4, 1, 5);
        const four bd_high = SHUFFLED(places, b, d, 2, 6, 3, 7);
        a = SHUFFLED(places, ac_low, bd_low, 0, 4, 1, 5);
        b = SHUFFLED(places, ac_low, bd_low, 2, 6, 3, 7);
        c = SHUFFLED(places, ac_high, bd_high, 0, 4, 1, 5);
        d = SHUFFLED(places, ac_high, bd_high, 2, 6, 3, 7);
        memcpy(out, &a, sizeof a);
        memcpy(out + width, &b, sizeof b);
        memcpy(out + 2 * width, &c, sizeof c);
        memcpy(out + 3 * width, &d, sizeof d);
    }
    return k;
}

/* Rows of one (outer, middle): rows x columns at `from` to panel rows of `width`. */
static void pack_rows(const oribi_gemm_source *source, const char *from, int64_t rows,
                      int64_t columns, int64_t width, float *out)
{
    if (width == ORIBI_GEMM_PAIRS_WIDTH) { /* no variant has another panel of this width */
        pack_pairs(source, from, rows, columns, out);
        return;
    }
    const bool dense = source->n_stride == (int64_t)sizeof(float);
    const bool is_turned = source->inner_stride == (int64_t)sizeof(float);
    for (int64_t first = 0; first < rows; first += BLOCK_ROWS) {
        const int64_t end = first + BLOCK_ROWS < rows ? first + BLOCK_ROWS : rows;
        if (dense) {
            for (int64_t k = first; k < end; k++) {
                memcpy(out + k * width, from + k * source->inner_stride,
                       (size_t)columns * sizeof(float));
            }
            continue;
        }
        int64_t turned = 0;
        for (int64_t j = 0; j < columns; j++) {
            const char *column = from + j * source->n_stride + first * source->inner_stride;
            if (j % 4 == 0) {
                turned = is_turned && j + 4 <= columns
                             ? turn_columns(column, source->n_stride, end - first, width,
                                            out + first * width + j)
                             : 0;
            }
            for (int64_t k = first + turned; k < end; k++) {
                out[k * width + j] = load_float(column + (k - first) * source->inner_stride);
            }
        }
    }
    if (columns < width) {
        for (int64_t k = 0; k < rows; k++) {
            memset(out + k * width + columns, 0, (size_t)(width - columns) * sizeof(float));
        }
    }
}

/* What was read since the source was told last. Each range is told twice, since the fault on a page
 * may bring back its neighbours. */
typedef struct progress {
    const oribi_gemm_source *source;
    const char *previous, *told;
} progress;

static void read_up_to(progress *p, const char *end)
{
    enum { TELL_BYTES = 1 << 20 };
    if (p->source->done != NULL && end - p->told >= TELL_BYTES) {
        p->source->done(p->source->done_arg, p->previous, end - p->previous);
        p->previous = p->told;
        p->told = end;
    }
}

/* Bytes from the first element of one column to the end of its last. */
static int64_t column_bytes(const oribi_gemm_source *source)
{
    return (source->outer - 1) * source->outer_stride +
           (source->middle - 1) * source->middle_stride +
           (source->inner - 1) * source->inner_stride + (int64_t)sizeof(float);
}

/* Panels outside: where each column lies by itself, every byte is read in the order of memory. */
static void pack_panels(const oribi_gemm_variant *variant, const oribi_gemm_source *source,
                        float *out)
{
    const bool in_order = source->n_stride >= column_bytes(source);
    progress p = {source, source->data, source->data};
    for (int64_t first = 0; first < source->n; first += variant->width) {
        const int64_t remaining = source->n - first;
        const int64_t width = source_width(variant, source, remaining);
        const int64_t columns = remaining < width ? remaining : width;
        for (int64_t y = 0; y < source->outer; y++) {
            for (int64_t x = 0; x < source->middle; x++) {
                const char *from = source->data + y * source->outer_stride +
                                   x * source->middle_stride + first * source->n_stride;
                pack_rows(source, from, source->inner, columns, width, out);
                out += source->inner * width;
            }
        }
        if (in_order) {
            read_up_to(&p, source->data + (first + columns) * source->n_stride);
        }
    }
}

/* Slabs of rows outside: where a row holds all columns, and panels outside would pass over the
 * whole matrix for each of them. A slab of a panel is about a page of the packed form. */
static void pack_slabs(const oribi_gemm_variant *variant, const oribi_gemm_source *source,
                       float *out)
{
    const int64_t rows = 64;
    progress p = {source, source->data, source->data};
    for (int64_t begin = 0; begin < source->inner; begin += rows) {
        const int64_t count = source->inner - begin < rows ? source->inner - begin : rows;
        const char *slab = source->data + begin * source->inner_stride;
        for (int64_t first = 0; first < source->n; first += variant->width) {
            const int64_t remaining = source->n - first;
            const int64_t width = source_width(variant, source, remaining);
            const int64_t columns = remaining < width ? remaining : width;
            pack_rows(source, slab + first * source->n_stride, count, columns, width,
                      out + source->inner * first + begin * width);
        }
        read_up_to(&p, slab + count * source->inner_stride);
    }
}

void oribi_gemm_pack(const oribi_gemm_variant *variant, const oribi_gemm_source *source, float *out)
{
    const bool is_matrix = source->outer == 1 && source->middle == 1;
    if (is_matrix && source->n_stride > 0 && source->inner_stride >= source->n * source->n_stride) {
        pack_slabs(variant, source, out);
    } else {
        pack_panels(variant, source, out);
    }
}
