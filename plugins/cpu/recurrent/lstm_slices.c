/* SPDX-License-Identifier: Apache-2.0 */
/* See lstm_slices.h. */
#include "cpu/recurrent/lstm_slices.h"

enum { SLICE_CYCLES = 1000000 };

/* Rows that lie side by side in every step: the whole batch where steps go first, one otherwise. */
typedef struct rows {
    int64_t first; /* of the batch */
    int32_t n;
    int64_t slice; /* steps of a call */
    char *spare;   /* for the state between two calls */
} rows;

/* Kernels keep the state that they read apart from the one that they write, so states take turns
 * between spare memory and their last place, and end there. */
static bool run_rows(oribi_kit_run *run, const oribi_lstm_slices *s, const rows *r,
                     int64_t *patience)
{
    const size_t first = (size_t)r->first, n = (size_t)r->n;
    char *const last_hidden = (char *)s->next_hidden + first * s->hidden_bytes;
    char *const last_cell = (char *)s->next_cell + first * s->cell_bytes;
    const char *hidden = (const char *)s->hidden + first * s->hidden_bytes;
    const char *cell = (const char *)s->cell + first * s->cell_bytes;
    int64_t left = (s->steps + r->slice - 1) / r->slice; /* calls */
    for (int64_t done = 0; left > 0; done += r->slice, left--) {
        const int64_t steps = s->steps - done < r->slice ? s->steps - done : r->slice;
        const size_t at = first * (size_t)s->steps + (size_t)done * n;
        char *const next_cell = left % 2 != 0 ? last_cell : r->spare;
        char *const next_hidden = left % 2 != 0 ? last_hidden : r->spare + n * s->cell_bytes;
        s->call(s->args, r->n, (int32_t)steps, (const char *)s->input + at * s->in_bytes, hidden,
                cell, (char *)s->output + at * s->out_bytes, next_hidden, next_cell, s->scratch);
        hidden = next_hidden;
        cell = next_cell;
        if (oribi_kit_stops(run, patience, steps * r->n * s->step_cost)) {
            return false;
        }
    }
    return true;
}

bool oribi_lstm_slices_run(oribi_kit_run *run, const oribi_lstm_slices *s)
{
    rows r = {.n = s->is_time_major != 0 ? s->batch : 1};
    TF_Tensor *tensor = NULL;
    int64_t patience = 0;
    bool good = true;
    if (s->steps == 0 || s->batch == 0) { /* the state passes through */
        s->call(s->args, s->batch, s->steps, s->input, s->hidden, s->cell, s->output,
                s->next_hidden, s->next_cell, s->scratch);
        return true;
    }
    r.slice = SLICE_CYCLES / (s->step_cost * r.n + 1) + 1;
    if (r.slice < s->steps) {
        /* cells first: their elements are the wider ones, and so both lie aligned */
        const size_t bytes = (size_t)r.n * (s->hidden_bytes + s->cell_bytes);
        r.spare = oribi_kit_scratch(run, (int64_t)bytes, &tensor);
        good = r.spare != NULL;
    }
    for (; good && r.first < s->batch; r.first += r.n) {
        good = run_rows(run, s, &r, &patience);
    }
    TF_DeleteTensor(tensor);
    return good;
}
