/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>UpdateSlice: a copy of a tensor in which a block is replaced. A start that would let the
 * block leave the tensor is moved to where it fits. Where the host allows it nothing but the block
 * is written, which makes it cheap to append to a long history.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/walk.h"

#include <string.h>

typedef struct block {
    const char *from;
    char *to;
    size_t row;             /* bytes of a row of the block */
    oribi_dims dims, steps; /* of the block but for its rows; bytes of the tensor */
} block;

/* Copies rows [begin, end) of the block, in its order. */
static void copy_rows(void *object, int64_t begin, int64_t end)
{
    const block *b = object;
    for (int64_t i = begin; i < end; i++) {
        int64_t at = 0, rest = i;
        for (int k = b->dims.n - 1; k >= 0; k--) {
            at += rest % b->dims.at[k] * b->steps.at[k];
            rest /= b->dims.at[k];
        }
        memcpy(b->to + at, b->from + (size_t)i * b->row, b->row);
    }
}

/* Elements of the tensor before the block; -1 after failing. */
static int64_t first_element(oribi_kit_run *run, const oribi_cpu_shape *x,
                             const oribi_cpu_shape *update, const oribi_dims *strides)
{
    oribi_dims start;
    int64_t first = 0;
    if (!oribi_cpu_read_dims(run, 2, "indices", &start)) {
        return -1;
    }
    bool fits = start.n == x->n && update->n == x->n;
    for (int i = 0; fits && i < x->n; i++) {
        const int64_t last = x->at[i] - update->at[i];
        const int64_t at = start.at[i] < last ? start.at[i] : last;
        fits = last >= 0;
        first += (at > 0 ? at : 0) * strides->at[i];
    }
    if (!fits) {
        (void)oribi_kit_fail(
            run, TF_INVALID_ARGUMENT, "an update %s at %d indices does not fit into %s",
            oribi_cpu_shape_text(update).chars, (int)start.n, oribi_cpu_shape_text(x).chars);
        return -1;
    }
    return first;
}

static bool update_slice_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape x, update;
    oribi_dims strides;
    const size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    (void)state;
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &x) ||
        !oribi_cpu_input_shape(run, 1, &update)) {
        return false;
    }
    oribi_cpu_strides(&x, &strides);
    const int64_t first = first_element(run, &x, &update, &strides);
    if (first < 0) {
        return false;
    }
    const char *old = TF_TensorData(run->in[0]);
    const size_t bytes = TF_TensorByteSize(run->in[0]);
    const int64_t count = TF_TensorElementCount(run->in[1]);
    block b = {.from = TF_TensorData(run->in[1]), .dims = {.n = x.n > 0 ? x.n - 1 : 0}};
    for (int i = 0; i < b.dims.n; i++) {
        b.dims.at[i] = update.at[i];
        b.steps.at[i] = strides.at[i] * (int64_t)width;
    }
    char *y = oribi_kit_output_in_place(run, (const int[]){0}, 1, x.at, x.n);
    int64_t patience = 0;
    if (y == NULL || oribi_kit_stops(run, &patience, (int64_t)bytes)) {
        return false;
    }
    if (y != old && bytes > 0) {
        memcpy(y, old, bytes);
    }
    if (count > 0) {
        const int64_t row = x.n > 0 ? update.at[x.n - 1] : 1;
        b.to = y + (size_t)first * width;
        b.row = (size_t)row * width;
        oribi_kit_parallel(run, count / row, (int64_t)b.row / 8 + 10, &b, copy_rows);
    }
    return true;
}
ORIBI_KIT_COMPUTE(update_slice, 3)

const oribi_cpu_kernel oribi_cpu_update_slice_kernels[] = {
    ORIBI_CPU_ROW("Oribi>UpdateSlice", update_slice,
                  "row by row, in place where the host allows it"),
    {.op_name = NULL},
};
