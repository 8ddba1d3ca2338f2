/* SPDX-License-Identifier: Apache-2.0 */
/* Stripes of a call with rings: which columns each part computes in each of them, from the last one
 * back, and which columns a kernel reads that are not all that there are: these are copied first,
 * since kernels take dense images. The last part's result is copied to its place in whole rows. */
#include "compile/lower/rings/rings.h"

#include "base/alloc.h"

enum { ALIGNMENT = 4 }; /* of copies and of the kernels' scratch behind them */

/* --- Columns ---------------------------------------------------------------------------------- */

static oribi_stripe *stripe_of(const oribi_rings *r, int32_t stripe, int32_t part)
{
    return &r->stripes[(size_t)stripe * (size_t)r->n_parts + (size_t)part];
}

/* The columns of operand k that a part reads in a stripe. */
static oribi_stripe read_columns(const oribi_rings *r, int32_t stripe, int32_t part, int32_t k)
{
    const oribi_rows *rows = &r->parts[part].rows;
    const oribi_stripe *own = stripe_of(r, stripe, part);
    const int32_t first = oribi_axis_first(&rows->x, rows->roles[k], own->first);
    const int32_t end = oribi_axis_end(&rows->x, rows->roles[k], own->first + own->n - 1);
    return (oribi_stripe){first, end - first};
}

/* Those of a part's result that parts behind it read. */
static oribi_stripe needed_columns(const oribi_rings *r, int32_t stripe, int32_t part)
{
    int32_t first = INT32_MAX, end = 0;
    for (int32_t c = part + 1; c < r->n_parts; c++) {
        for (int32_t k = 0; k < r->parts[c].call.n_inputs; k++) {
            if (r->parts[c].from[k] == part) {
                const oribi_stripe read = read_columns(r, stripe, c, k);
                first = read.first < first ? read.first : first;
                end = read.first + read.n > end ? read.first + read.n : end;
            }
        }
    }
    return (oribi_stripe){first, end - first};
}

/* The most columns that a part computes, or with an operand reads, in a stripe; 0 of any: 0. */
static int64_t widest(const oribi_rings *r, int32_t part, int32_t operand)
{
    int64_t most = 0;
    for (int32_t s = 0; s < r->n_stripes; s++) {
        const int32_t n =
            operand < 0 ? stripe_of(r, s, part)->n : read_columns(r, s, part, operand).n;
        if (n <= 0) {
            return 0;
        }
        most = n > most ? n : most;
    }
    return most;
}

/* --- Copies ----------------------------------------------------------------------------------- */

int64_t oribi_pixel_bytes(const oribi_graph *graph, const oribi_ring_part *part, int32_t operand)
{
    const oribi_rows *r = &part->rows;
    const bool is_window = operand >= 0 && r->roles[operand] == ORIBI_ROWS_WINDOW;
    const oribi_value_id value =
        operand < 0 ? part->call.node->outputs[0] : part->call.inputs[operand];
    return oribi_lower_bytes(graph->values[value]) / (is_window ? r->y.in_size : r->y.size) /
           (is_window ? r->x.in_size : r->x.size);
}

/* Does a kernel read other columns than are there? */
static bool is_cropped(const oribi_rings *r, int32_t part, int32_t k)
{
    const int32_t from = r->parts[part].from[k];
    for (int32_t s = 0; s < r->n_stripes && from >= 0; s++) {
        const oribi_stripe read = read_columns(r, s, part, k), *there = stripe_of(r, s, from);
        if (read.first != there->first || read.n != there->n) {
            return true;
        }
    }
    return from < 0;
}

static int64_t rounded(int64_t bytes) /* of less than 2 GiB */
{
    size_t up = (size_t)bytes;
    (void)oribi_size_round_up(up, ALIGNMENT, &up);
    return (int64_t)up;
}

int64_t oribi_stripes_scratch(const oribi_graph *graph, const oribi_rings *r, int32_t part,
                              int32_t n)
{
    oribi_ring_part *p = &r->parts[part];
    int64_t end = part == r->n_parts - 1 ? rounded(n * p->row_bytes) : 0;
    for (int32_t k = 0; k < p->call.n_inputs; k++) {
        p->crops[k] = -1;
        if (oribi_rows_are_read(&p->rows, k) && is_cropped(r, part, k)) {
            const oribi_axis *y = &p->rows.y;
            const int64_t reach = (int64_t)(n - 1) * y->stride + y->reach;
            const int64_t rows = p->rows.roles[k] != ORIBI_ROWS_WINDOW ? n
                                 : reach < y->in_size                  ? reach
                                                                       : y->in_size;
            p->crops[k] = end;
            end += rounded(rows * widest(r, part, k) * oribi_pixel_bytes(graph, p, k));
        }
    }
    p->scratch = end;
    return end + oribi_rows_scratch(&p->call, &p->rows, n);
}

/* --- Stripes ---------------------------------------------------------------------------------- */

/* Can all parts compute some columns, and are they columns of each other's? */
static bool fits(const oribi_rings *r)
{
    for (int32_t m = 0; m < r->n_parts; m++) {
        const oribi_ring_part *p = &r->parts[m];
        for (int32_t k = 0; k < p->call.n_inputs; k++) {
            const bool is_window = p->rows.roles[k] == ORIBI_ROWS_WINDOW;
            const int32_t width = is_window ? p->rows.x.in_size : p->rows.x.size;
            if (p->rows.x.size == 0 ||
                (p->from[k] >= 0 && r->parts[p->from[k]].rows.x.size != width)) {
                return false;
            }
        }
    }
    return true;
}

bool oribi_stripes_make(const oribi_graph *graph, oribi_rings *r, int32_t n_stripes,
                        oribi_arena *arena, bool *out_fits)
{
    const int32_t last = r->n_parts - 1, width = r->parts[last].rows.x.size;
    *out_fits = n_stripes <= width && fits(r);
    if (!*out_fits) {
        return true;
    }
    const int32_t each = (width + n_stripes - 1) / n_stripes;
    r->n_stripes = (width + each - 1) / each;
    r->stripes =
        oribi_arena_array(arena, (size_t)r->n_stripes * (size_t)r->n_parts, sizeof *r->stripes);
    if (r->stripes == NULL) {
        return false;
    }
    for (int32_t m = last; m >= 0; m--) {
        oribi_ring_part *p = &r->parts[m];
        int64_t sum = 0;
        for (int32_t s = 0; s < r->n_stripes; s++) {
            const int32_t first = s * each, left = width - first;
            *stripe_of(r, s, m) = m < last ? needed_columns(r, s, m)
                                           : (oribi_stripe){first, left < each ? left : each};
            sum += stripe_of(r, s, m)->n;
        }
        for (int32_t k = -1; k < p->call.n_inputs; k++) {
            const bool is_read = k < 0 || oribi_rows_are_read(&p->rows, k);
            *out_fits = *out_fits && (!is_read || widest(r, m, k) > 0);
        }
        p->row_bytes = widest(r, m, -1) * oribi_pixel_bytes(graph, p, -1);
        r->extra_macs += p->call.macs * (sum - p->rows.x.size) / p->rows.x.size;
    }
    return true;
}
