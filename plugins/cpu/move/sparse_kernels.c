/* SPDX-License-Identifier: Apache-2.0 */
/* SparseToDense: values at their places, the default everywhere else. */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"

#include <string.h>

typedef struct sparse_state {
    bool checks_order;
} sparse_state;

static void sparse_read(oribi_kit_setup *setup, sparse_state *state)
{
    oribi_kit_attr_bool(setup, "validate_indices", &state->checks_order);
}
ORIBI_KIT_CREATE(sparse, sparse_state)

/* The element of the output that index i names; -1 after failing. */
static int64_t place_of(oribi_kit_run *run, const oribi_cpu_shape *out, int64_t i)
{
    const TF_DataType dtype = TF_TensorType(run->in[0]);
    int64_t place = 0;
    for (int k = 0; k < out->n; k++) {
        const int64_t at = oribi_kit_int_at(TF_TensorData(run->in[0]), dtype, i * out->n + k);
        if (at < 0 || at >= out->at[k]) {
            (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                 "index %lld of dimension %d is %lld; it must be at least 0 and "
                                 "below %lld",
                                 (long long)i, k, (long long)at, (long long)out->at[k]);
            return -1;
        }
        place = place * out->at[k] + at;
    }
    return place;
}

/* Indices are [n, rank] or, where the output is a vector, [n]; a scalar is one of these. */
static bool check_indices(oribi_kit_run *run, const oribi_cpu_shape *out, int64_t *out_n)
{
    oribi_cpu_shape indices, values;
    if (!oribi_cpu_input_shape(run, 0, &indices) || !oribi_cpu_input_shape(run, 2, &values)) {
        return false;
    }
    const int64_t n = indices.n > 0 ? indices.at[0] : 1, each = indices.n > 1 ? indices.at[1] : 1;
    *out_n = n;
    if (indices.n > 2 || out->n < 1 || each != out->n ||
        (values.n != 0 && (values.n != 1 || values.at[0] != n))) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "indices %s and values %s do not fit each other and an output of %d "
                              "dimensions",
                              oribi_cpu_shape_text(&indices).chars,
                              oribi_cpu_shape_text(&values).chars, (int)out->n);
    }
    return true;
}

static bool sparse_run(const void *state, oribi_kit_run *run)
{
    const sparse_state *s = state;
    oribi_cpu_shape out;
    int64_t n = 0, patience = 0, last = -1;
    const size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[2]));
    if (width == 0 || !oribi_cpu_read_shape(run, 1, "output_shape", &out) ||
        !check_indices(run, &out, &n)) {
        return false;
    }
    if (TF_NumDims(run->in[3]) != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "default_value must be a scalar");
    }
    char *y = oribi_cpu_moved_output(run, 0, out.at, out.n);
    if (y == NULL) {
        return false;
    }
    const int64_t count = oribi_cpu_product(out.at, out.n);
    for (int64_t i = 0; i < count; i++) {
        if (oribi_kit_stops(run, &patience, 4)) {
            return false;
        }
        memcpy(y + (size_t)i * width, TF_TensorData(run->in[3]), width);
    }
    const bool is_one = TF_NumDims(run->in[2]) == 0;
    const char *values = TF_TensorData(run->in[2]);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = place_of(run, &out, i);
        if (at < 0 || oribi_kit_stops(run, &patience, 20)) {
            return false;
        }
        if (s->checks_order && at <= last) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "index %lld is repeated or out of order", (long long)i);
        }
        last = at;
        memcpy(y + (size_t)at * width, values + (is_one ? 0 : (size_t)i * width), width);
    }
    return true;
}
ORIBI_CPU_MOVE_COMPUTE(sparse, 4)

const oribi_cpu_kernel oribi_cpu_sparse_kernels[] = {
    ORIBI_CPU_STATE_ROW("SparseToDense", sparse, sparse, "the default, then the values"),
    {.op_name = NULL},
};
