/* SPDX-License-Identifier: Apache-2.0 */
/* Bincount and DenseBincount: how often each number below `size` comes, or the sum of the weights
 * that stand beside it; larger numbers count nowhere.
 */
#include "cpu/base/families.h"
#include "cpu/base/cpu_shape.h"

#include <string.h>

typedef struct count_state {
    bool is_binary; /* 1 for what comes at all */
} count_state;

static void count_read(oribi_kit_setup *setup, count_state *state)
{
    oribi_kit_attr_bool(setup, "binary_output", &state->is_binary);
}
ORIBI_KIT_CREATE(count, count_state)

#define ADD(T, dtype)                                                                              \
    case dtype:                                                                                    \
        ((T *)bins)[at] = is_binary         ? (T)1                                                 \
                          : weights == NULL ? (T)(((T *)bins)[at] + 1)                             \
                                            : (T)(((T *)bins)[at] + ((const T *)weights)[i]);      \
        break;

static void add(TF_DataType type, void *bins, int64_t at, const void *weights, int64_t i,
                bool is_binary)
{
    switch (type) {
        ADD(float, TF_FLOAT)
        ADD(double, TF_DOUBLE)
    case TF_INT32: /* sums go round, as they do without a sign */
        ((uint32_t *)bins)[at] = is_binary ? 1
                                 : weights == NULL
                                     ? ((uint32_t *)bins)[at] + 1
                                     : ((uint32_t *)bins)[at] + ((const uint32_t *)weights)[i];
        break;
    default:
        ((uint64_t *)bins)[at] = is_binary ? 1
                                 : weights == NULL
                                     ? ((uint64_t *)bins)[at] + 1
                                     : ((uint64_t *)bins)[at] + ((const uint64_t *)weights)[i];
    }
}

/* Counts the elements [begin, end) into these bins. */
static bool count_row(oribi_kit_run *run, int64_t begin, int64_t end, void *bins, int64_t size,
                      const void *weights, bool is_binary, int64_t *patience)
{
    const TF_DataType index = TF_TensorType(run->in[0]), type = TF_TensorType(run->in[2]);
    const void *x = TF_TensorData(run->in[0]);
    for (int64_t i = begin; i < end; i++) {
        if (oribi_kit_stops(run, patience, 5)) {
            return false;
        }
        const int64_t at = oribi_kit_int_at(x, index, i);
        if (at < 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "number %lld is %lld; none may be below 0", (long long)i,
                                  (long long)at);
        }
        if (at < size) {
            add(type, bins, at, weights, i, is_binary);
        }
    }
    return true;
}

static bool count_all(oribi_kit_run *run, bool has_rows, bool is_binary)
{
    oribi_cpu_shape x, weights;
    int64_t size = 0, patience = 0;
    if (!oribi_cpu_input_shape(run, 0, &x) || !oribi_cpu_input_shape(run, 2, &weights) ||
        !oribi_cpu_read_int(run, 1, "size", &size)) {
        return false;
    }
    const int64_t count = oribi_cpu_product(x.at, x.n),
                  n = oribi_cpu_product(weights.at, weights.n);
    if (size < 0 || (has_rows && x.n > 2)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "size must not be below 0, it is %lld; the input must have at most "
                              "two dimensions, it has %d",
                              (long long)size, (int)x.n);
    }
    if (n != 0 && !oribi_cpu_shape_equal(&x, &weights)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "weights must have the shape %s, or no elements; they have %s",
                              oribi_cpu_shape_text(&x).chars, oribi_cpu_shape_text(&weights).chars);
    }
    const bool is_matrix = has_rows && x.n == 2;
    const int64_t rows = is_matrix ? x.at[0] : 1, row = is_matrix ? x.at[1] : count;
    const int64_t dims[2] = {is_matrix ? rows : size, size};
    char *bins = oribi_kit_output(run, 0, dims, is_matrix ? 2 : 1);
    if (bins == NULL) {
        return false;
    }
    const size_t width = TF_DataTypeSize(TF_TensorType(run->in[2]));
    for (int64_t r = 0; r < rows; r++, bins += (size_t)size * width) {
        for (int64_t at = 0; at < size; at += 4096) {
            const int64_t some = size - at < 4096 ? size - at : 4096;
            if (oribi_kit_stops(run, &patience, some)) {
                return false;
            }
            memset(bins + (size_t)at * width, 0, (size_t)some * width);
        }
        if (!count_row(run, r * row, (r + 1) * row, bins, size,
                       n > 0 ? TF_TensorData(run->in[2]) : NULL, is_binary, &patience)) {
            return false;
        }
    }
    return true;
}

static bool dense_run(const void *state, oribi_kit_run *run)
{
    return count_all(run, true, ((const count_state *)state)->is_binary);
}
ORIBI_KIT_COMPUTE(dense, 3)

static bool plain_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return count_all(run, false, false);
}
ORIBI_KIT_COMPUTE(plain, 3)

#define COUNTED                                                                                    \
    ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_DOUBLE) | ORIBI_KIT_TYPE(TF_INT32) | ORIBI_KIT_TYPE(TF_INT64)

const oribi_cpu_kernel oribi_cpu_bincount_kernels[] = {
    ORIBI_CPU_STATE_ROW("DenseBincount", count, dense, "row after row", .types = {{"T", COUNTED}}),
    ORIBI_CPU_ROW("Bincount", plain, "one after the other", .types = {{"T", COUNTED}}),
    {.op_name = NULL},
};
