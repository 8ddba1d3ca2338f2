/* SPDX-License-Identifier: Apache-2.0 */
/* See byte_rows.h: weights in panels, and what comes of the sums. */
#include "cpu/recurrent/byte_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = ORIBI_BYTE_COLUMNS,
    GROUP = ORIBI_BYTE_GROUP,
    LEAST = 128,     /* a byte goes from -128 to 127 */
    MOST_K = 1 << 15 /* products of as many bytes fit an int32 */
};

/* --- Weights --------------------------------------------------------------------------------- */

typedef struct matrix {
    const char *data;
    int64_t columns, k, column_stride, k_stride;
} matrix;

static float weight_at(const matrix *m, int64_t column, int64_t k)
{
    float value;
    memcpy(&value, m->data + column * m->column_stride + k * m->k_stride, sizeof value);
    return value;
}

/* Are columns [first, end) bytes times this step, bit for bit? */
static bool fits(const matrix *m, int64_t first, int64_t end, float step)
{
    for (int64_t c = first; c < end; c++) {
        for (int64_t k = 0; k < m->k; k++) {
            const float value = weight_at(m, c, k), place = rintf(value / step);
            if (!(place >= (float)-LEAST && place < (float)LEAST && place * step == value)) {
                return false;
            }
        }
    }
    return true;
}

/* The step of these columns: the least value is one of it, or of few. False: there is none. */
static bool find_step(const matrix *m, int64_t first, int64_t end, float *out)
{
    enum { FEW = 3 };
    float least = 0.0F;
    for (int64_t c = first; c < end; c++) {
        for (int64_t k = 0; k < m->k; k++) {
            const float value = fabsf(weight_at(m, c, k));
            least = value > 0.0F && (least <= 0.0F || value < least) ? value : least;
        }
    }
    for (int places = 1; places <= FEW; places++) {
        *out = least > 0.0F ? least / (float)places : 1.0F;
        if (fits(m, first, end, *out)) {
            return true;
        }
    }
    return false;
}

static bool find_steps(const matrix *m, float *steps)
{
    bool good = true, is_one = find_step(m, 0, m->columns, &steps[0]);
    for (int64_t c = 0; good && c < m->columns; c++) {
        steps[c] = steps[0];
        good = is_one || find_step(m, c, c + 1, &steps[c]);
    }
    return good;
}

static void pack(const matrix *m, oribi_byte_panels *out)
{
    for (int64_t c = 0; c < m->columns; c++) {
        int8_t *panel = out->weights + c / COLUMNS * out->groups * COLUMNS * GROUP;
        for (int64_t k = 0; k < m->k; k++) {
            const int8_t place = (int8_t)rintf(weight_at(m, c, k) / out->steps[c]);
            panel[k / GROUP * COLUMNS * GROUP + c % COLUMNS * GROUP + k % GROUP] = place;
            out->totals[c] += place;
        }
    }
}

bool oribi_byte_panels_make(const oribi_weights_view *view, int64_t index, oribi_byte_panels *out)
{
    const matrix m = {.data = view->data + index * view->strides.at[0],
                      .columns = view->dims.at[1],
                      .k = view->dims.at[2],
                      .column_stride = view->strides.at[1],
                      .k_stride = view->strides.at[2]};
    memset(out, 0, sizeof *out);
    if (m.columns < 1 || m.k < 1 || m.k > MOST_K || m.columns > INT32_MAX / GROUP) {
        return false;
    }
    out->columns = m.columns;
    out->panels = (m.columns + COLUMNS - 1) / COLUMNS;
    out->groups = (m.k + GROUP - 1) / GROUP;
    out->steps = calloc((size_t)(out->panels * COLUMNS), sizeof *out->steps);
    out->totals = calloc((size_t)(out->panels * COLUMNS), sizeof *out->totals);
    if (out->steps != NULL && out->totals != NULL && find_steps(&m, out->steps)) {
        const size_t bytes = (size_t)out->panels * (size_t)out->groups * COLUMNS * GROUP;
        out->weights = aligned_alloc(COLUMNS * GROUP, bytes);
        if (out->weights != NULL) {
            memset(out->weights, 0, bytes);
            pack(&m, out);
        }
    }
    if (out->weights == NULL) {
        oribi_byte_panels_free(out);
    }
    return out->weights != NULL;
}

void oribi_byte_panels_free(oribi_byte_panels *panels)
{
    free(panels->weights);
    free(panels->steps);
    free(panels->totals);
    memset(panels, 0, sizeof *panels);
}

/* --- Products -------------------------------------------------------------------------------- */

/* What comes of the sums of one row and one panel. */
static void finish(const oribi_byte_panels *panels, int64_t panel, const oribi_byte_source *x,
                   const int32_t *sums, const float *base, float *y)
{
    const int64_t first = panel * COLUMNS, left = panels->columns - first;
    const int32_t *totals = panels->totals + first;
    const float *steps = panels->steps + first;
    for (int64_t c = 0; c < (left < COLUMNS ? left : COLUMNS); c++) {
        const float product = (float)(sums[c] - x->zero * totals[c]) * (x->scale * steps[c]);
        y[first + c] = (base != NULL ? base[first + c] : 0.0F) + product;
    }
}

void oribi_byte_rows_run(const oribi_byte_rows *loops, const oribi_byte_panels *panels,
                         const oribi_byte_source *x, int64_t m, const float *base, int base_step,
                         float *y, int64_t stride)
{
    int32_t sums[ORIBI_BYTE_ROWS * COLUMNS];
    const int64_t panel_bytes = panels->groups * COLUMNS * GROUP;
    for (int64_t p = 0; p < panels->panels; p++) {
        for (int64_t row = 0, n = 0; row < m; row += n) {
            const bool is_whole = m - row >= loops->rows;
            n = is_whole ? loops->rows : 1;
            loops->tile(x->rows + row, is_whole, panels->weights + p * panel_bytes, panels->groups,
                        sums);
            for (int64_t i = 0; i < n; i++) {
                finish(panels, p, x, sums + i * COLUMNS,
                       base != NULL ? base + (row + i) * base_step * stride : NULL,
                       y + (row + i) * stride);
            }
        }
    }
}
