/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>AppendCache: keys or values go behind those of earlier steps. Where the cache has room for
 * them already and its memory may be the output's, the new rows are all that is written.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/walk.h"

#include <string.h>

typedef struct append_state {
    bool heads_last; /* of the new rows: [batch, sequence, heads, size] */
} append_state;

static void append_read(oribi_kit_setup *setup, append_state *state)
{
    char layout[8] = "BHSD";
    oribi_kit_attr_string(setup, "rows_layout", layout, sizeof layout);
    state->heads_last = strcmp(layout, "BSHD") == 0;
}
ORIBI_KIT_CREATE(append, append_state)

typedef struct append_call {
    int64_t batches, heads, past, room, rows; /* room: rows of the result */
    int64_t row_step, head_step;              /* of the new rows, in bytes */
    size_t width;                             /* bytes of a row */
} append_call;

static bool read_shapes(const append_state *state, oribi_kit_run *run, append_call *call)
{
    oribi_cpu_shape past, rows;
    const size_t element = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    if (element == 0 || !oribi_cpu_input_shape(run, 0, &past) ||
        !oribi_cpu_input_shape(run, 1, &rows)) {
        return false;
    }
    const int heads = state->heads_last ? 2 : 1, sequence = state->heads_last ? 1 : 2;
    if (past.n != 4 || rows.n != 4 || past.at[0] != rows.at[0] || past.at[1] != rows.at[heads] ||
        past.at[3] != rows.at[3] || TF_TensorElementCount(run->in[3]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "new rows of shape %s do not fit a cache of shape %s, or the length "
                              "of the result is not one number",
                              oribi_cpu_shape_text(&rows).chars, oribi_cpu_shape_text(&past).chars);
    }
    const int64_t length =
        oribi_kit_int_at(TF_TensorData(run->in[3]), TF_TensorType(run->in[3]), 0);
    const int64_t width = past.at[3] * (int64_t)element;
    *call = (append_call){.batches = past.at[0],
                          .heads = past.at[1],
                          .past = past.at[2],
                          .room = length > past.at[2] ? length : past.at[2],
                          .rows = rows.at[sequence],
                          .row_step = state->heads_last ? past.at[1] * width : width,
                          .head_step = state->heads_last ? width : rows.at[2] * width,
                          .width = (size_t)width};
    return true;
}

/* Where the new rows of each batch go, the second number of its span, into scratch. */
static int64_t *read_places(oribi_kit_run *run, const append_call *call, TF_Tensor **scratch)
{
    const int64_t count = TF_TensorElementCount(run->in[2]);
    int64_t *places =
        oribi_kit_scratch(run, (call->batches + 1) * (int64_t)sizeof *places, scratch);
    if (places != NULL && count != 2 && count != 2 * call->batches) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%lld numbers in spans of %lld batches",
                             (long long)count, (long long)call->batches);
        return NULL;
    }
    for (int64_t b = 0; places != NULL && b < call->batches; b++) {
        const int64_t at = (count == 2 ? 0 : 2 * b) + 1;
        places[b] = oribi_kit_int_at(TF_TensorData(run->in[2]), TF_INT64, at);
        if (places[b] < 0 || places[b] > call->past || places[b] > call->room - call->rows) {
            (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                 "%lld rows from row %lld on in batch %lld: the cache has %lld "
                                 "rows, the result %lld",
                                 (long long)call->rows, (long long)places[b], (long long)b,
                                 (long long)call->past, (long long)call->room);
            return NULL;
        }
    }
    return places;
}

static bool copy_all(oribi_kit_run *run, const append_call *call, const int64_t *places)
{
    static const int candidate = 0;
    const char *past = TF_TensorData(run->in[0]), *rows = TF_TensorData(run->in[1]);
    const int64_t dims[4] = {call->batches, call->heads, call->room, TF_Dim(run->in[0], 3)};
    int64_t patience = 0;
    char *to = call->room == call->past ? oribi_kit_output_in_place(run, &candidate, 1, dims, 4)
                                        : oribi_kit_output(run, 0, dims, 4);
    const size_t kept = (size_t)call->past * call->width, all = (size_t)call->room * call->width;
    const bool in_place = to == past;
    for (int64_t batch = 0; to != NULL && all > 0 && batch < call->batches; batch++) {
        const char *from = rows + batch * call->heads * call->rows * (int64_t)call->width;
        for (int64_t head = 0; head < call->heads; head++, to += all, past += kept) {
            if (!in_place) {
                memcpy(to, past, kept);
                memset(to + kept, 0, all - kept);
            }
            for (int64_t row = 0; row < call->rows; row++) {
                memcpy(to + (size_t)(places[batch] + row) * call->width,
                       from + head * call->head_step + row * call->row_step, call->width);
            }
            if (oribi_kit_stops(run, &patience, (int64_t)(all / 8) + call->rows * 10)) {
                return false;
            }
        }
    }
    return to != NULL;
}

static bool append_run(const append_state *state, oribi_kit_run *run)
{
    append_call call = {0};
    TF_Tensor *scratch = NULL;
    if (!read_shapes(state, run, &call)) {
        return false;
    }
    const int64_t *places = read_places(run, &call, &scratch);
    const bool good = places != NULL && copy_all(run, &call, places);
    TF_DeleteTensor(scratch);
    return good;
}
ORIBI_KIT_COMPUTE(append, 4)

const oribi_cpu_kernel oribi_cpu_append_cache_kernels[] = {
    {.op_name = "Oribi>AppendCache",
     .priority = ORIBI_CPU_REFERENCE,
     .create = append_create,
     .compute = append_compute,
     .destroy = oribi_kit_free,
     .why = "copies of runs of bytes"},
    {.op_name = NULL},
};
