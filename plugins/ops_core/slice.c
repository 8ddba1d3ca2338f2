/* SPDX-License-Identifier: Apache-2.0 */
/* Slice and StridedSlice. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape.h"

/* One size of Slice; -1 means up to the end. That begin and size lie in the input is the kernel's
 * to check, as in TensorFlow. */
static bool slice_dim(int64_t i, int64_t in, int64_t begin, int64_t size, int64_t *out,
                      TF_Status *status)
{
    if (size == -1) {
        return oribi_ops_subtract(in, begin, out, status);
    }
    *out = size;
    return size >= 0 || oribi_ops_fail(status, "size[%" PRId64 "] of Slice is %" PRId64, i, size);
}

static void slice(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, begin, vector, result;
    oribi_wide_dims sizes;
    if (!oribi_ops_input(ctx, 0, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &begin, status) ||
        !oribi_ops_input_rank(ctx, 2, 1, &vector, status) ||
        !oribi_ops_merge_dim(&vector.at[0], begin.at[0], status)) {
        return;
    }
    int64_t rank = vector.at[0];
    if (!oribi_ops_input_as_shape(ctx, 1, &begin, status) ||
        !oribi_ops_input_list(ctx, 2, &sizes, status)) {
        return;
    }
    if (sizes.n < 0) {
        if (rank >= 0 && !oribi_ops_with_rank(&input, rank, status)) {
            return;
        }
        if (input.n >= 0) {
            oribi_ops_set_unknown_dims(&input, input.n);
        }
        oribi_ops_output(ctx, 0, &input, status);
        return;
    }
    if (!oribi_ops_with_rank(&input, sizes.n, status) ||
        !oribi_ops_with_rank(&begin, sizes.n, status)) {
        return;
    }
    result.n = sizes.n;
    for (int32_t i = 0; i < sizes.n; i++) {
        if (!slice_dim(i, input.at[i], begin.at[i], sizes.at[i], &result.at[i], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &result, status);
}

/* The masks and values of StridedSlice as the node has them: one entry per spec, which is fewer
 * than dimensions when there is an ellipsis, more with new axes. */
typedef struct strided_spec {
    oribi_wide_dims begin, end, strides; /* n is -1 where the values are not known */
    int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} strided_spec;

static bool bit(int64_t mask, int64_t i)
{
    return i < 63 && ((mask >> i) & 1) != 0;
}

static bool read_masks(oribi_ops_ctx *ctx, strided_spec *spec, TF_Status *status)
{
    if (!oribi_ops_attr_int(ctx, "begin_mask", &spec->begin_mask, status) ||
        !oribi_ops_attr_int(ctx, "end_mask", &spec->end_mask, status) ||
        !oribi_ops_attr_int(ctx, "ellipsis_mask", &spec->ellipsis_mask, status) ||
        !oribi_ops_attr_int(ctx, "new_axis_mask", &spec->new_axis_mask, status) ||
        !oribi_ops_attr_int(ctx, "shrink_axis_mask", &spec->shrink_axis_mask, status)) {
        return false;
    }
    uint64_t ellipses = (uint64_t)spec->ellipsis_mask;
    if ((ellipses & (ellipses - 1)) != 0) {
        return oribi_ops_fail(status, "Multiple ellipses in slice spec not allowed");
    }
    return true;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Result size of entry i over a dimension of size in; -1 where it can not be known. */
static bool strided_size(const strided_spec *spec, int64_t i, int64_t in, int64_t *out,
                         TF_Status *status)
{
    int64_t stride = spec->strides.at[i];
    bool open_begin = bit(spec->begin_mask, i), open_end = bit(spec->end_mask, i);
    *out = -1;
    if (stride == 0) {
        return oribi_ops_fail(status, "strides[%" PRId64 "] must be non-zero", i);
    }
    if (in < 0 || (!(open_begin && open_end) && !(spec->begin.n >= 0 && spec->end.n >= 0))) {
        return true;
    }
    int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? in : in - 1;
    int64_t begin = stride > 0 ? low : high, end = stride > 0 ? high : low;
    if (!open_begin) {
        begin =
            clamp(spec->begin.at[i] < 0 ? spec->begin.at[i] + in : spec->begin.at[i], low, high);
    }
    if (!open_end) {
        end = clamp(spec->end.at[i] < 0 ? spec->end.at[i] + in : spec->end.at[i], low, high);
    }
    int64_t distance = stride > 0 ? end - begin : begin - end;
    uint64_t step = stride > 0 ? (uint64_t)stride : 0 - (uint64_t)stride;
    *out = distance <= 0 ? 0 : (int64_t)(((uint64_t)distance - 1) / step) + 1;
    return true;
}

static bool check_shrink(const strided_spec *spec, int64_t i, int64_t in, TF_Status *status)
{
    if (spec->strides.at[i] <= 0) {
        return oribi_ops_fail(status, "only stride 1 allowed on non-range indexing");
    }
    if (in < 0 || spec->begin.n < 0) {
        return true;
    }
    int64_t at = spec->begin.at[i] < 0 ? spec->begin.at[i] + in : spec->begin.at[i];
    if (!bit(spec->begin_mask, i) && (at < 0 || at >= in)) {
        return oribi_ops_fail(status,
                              "slice index %" PRId64 " of dimension %" PRId64 " out of bounds",
                              spec->begin.at[i], i);
    }
    return true;
}

/* Number of dimensions that no entry speaks of; an ellipsis covers them. */
static bool count_covered(const strided_spec *spec, int64_t rank, int64_t *out, TF_Status *status)
{
    int64_t used = 0;
    for (int64_t i = 0; i < spec->strides.n; i++) {
        used += !bit(spec->ellipsis_mask, i) && !bit(spec->new_axis_mask, i);
    }
    if (used > rank) {
        return oribi_ops_fail(status,
                              "Index out of range using input dim %" PRId64
                              "; input has only %" PRId64 " dims",
                              rank, rank);
    }
    *out = rank - used;
    return true;
}

static bool copy_dims(const oribi_ops_shape *input, int64_t *at, int64_t count,
                      oribi_ops_shape *out, TF_Status *status)
{
    bool done = oribi_ops_append(out, &input->at[*at], count, status);
    *at += count;
    return done;
}

static bool strided_result(const strided_spec *spec, const oribi_ops_shape *input,
                           oribi_ops_shape *out, TF_Status *status)
{
    int64_t at = 0, covered = 0;
    bool had_ellipsis = false;
    out->n = 0;
    if (!count_covered(spec, input->n, &covered, status)) {
        return false;
    }
    for (int64_t i = 0; i < spec->strides.n; i++) {
        const int64_t one = 1;
        int64_t size;
        if (bit(spec->ellipsis_mask, i)) {
            had_ellipsis = true;
            if (!copy_dims(input, &at, covered, out, status)) {
                return false;
            }
        } else if (bit(spec->new_axis_mask, i)) {
            if (!oribi_ops_append(out, &one, 1, status)) {
                return false;
            }
        } else if (bit(spec->shrink_axis_mask, i)) {
            if (!check_shrink(spec, i, input->at[at], status)) {
                return false;
            }
            at++;
        } else {
            if (!strided_size(spec, i, input->at[at++], &size, status) ||
                !oribi_ops_append(out, &size, 1, status)) {
                return false;
            }
        }
    }
    return had_ellipsis || copy_dims(input, &at, covered, out, status);
}

static void strided_slice(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, vector, length = {.n = 1, .at = {-1}}, result;
    strided_spec spec;
    if (!oribi_ops_input(ctx, 0, &input, status) || !read_masks(ctx, &spec, status)) {
        return;
    }
    for (int i = 1; i <= 3; i++) {
        if (!oribi_ops_input_rank(ctx, i, 1, &vector, status) ||
            !oribi_ops_merge(&length, &vector, status)) {
            return;
        }
    }
    if (!oribi_ops_input_list(ctx, 1, &spec.begin, status) ||
        !oribi_ops_input_list(ctx, 2, &spec.end, status) ||
        !oribi_ops_input_list(ctx, 3, &spec.strides, status)) {
        return;
    }
    if (input.n < 0 || spec.strides.n < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
    } else if (strided_result(&spec, &input, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

const oribi_ops_row oribi_ops_slice[] = {
    {.name = "Slice",
     .inputs = {"input: T", "begin: Index", "size: Index"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Index: {int32, int64}"},
     .shape = slice},
    {.name = "StridedSlice",
     .inputs = {"input: T", "begin: Index", "end: Index", "strides: Index"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Index: {int16, int32, int64}", "begin_mask: int = 0",
               "end_mask: int = 0", "ellipsis_mask: int = 0", "new_axis_mask: int = 0",
               "shrink_axis_mask: int = 0"},
     .shape = strided_slice},
    {.name = NULL},
};
