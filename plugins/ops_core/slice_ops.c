/* SPDX-License-Identifier: Apache-2.0 */
/* Slice and StridedSlice. */
#include <inttypes.h>

#include "micro/geometry/geometry_slice.h"
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* One size of Slice; -1 means up to the end. That begin and size lie in the input is the kernel's
 * to check, as in TensorFlow. */
static bool slice_dim(int64_t i, int64_t in, int64_t begin, int64_t size, int64_t *out,
                      TF_Status *status)
{
    if (oribi_geometry_slice_size(in, begin, size, out) || size >= 0) {
        return true;
    }
    return size == -1 ? oribi_ops_subtract(in, begin, out, status)
                      : oribi_ops_fail(status, "size[%" PRId64 "] of Slice is %" PRId64, i, size);
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

/* The values of StridedSlice's inputs; n is -1 where they are not known. */
typedef struct strided_values {
    oribi_wide_dims begin, end, step;
} strided_values;

static bool read_masks(oribi_ops_ctx *ctx, oribi_geometry_strided *spec, TF_Status *status)
{
    if (!(oribi_ops_attr_int(ctx, "begin_mask", &spec->begin_mask, status) &&
          oribi_ops_attr_int(ctx, "end_mask", &spec->end_mask, status) &&
          oribi_ops_attr_int(ctx, "ellipsis_mask", &spec->ellipsis_mask, status) &&
          oribi_ops_attr_int(ctx, "new_axis_mask", &spec->new_axis_mask, status) &&
          oribi_ops_attr_int(ctx, "shrink_axis_mask", &spec->shrink_axis_mask, status))) {
        return false;
    }
    return !oribi_geometry_has_two_ellipses(spec) ||
           oribi_ops_fail(status, "Multiple ellipses in slice spec not allowed");
}

static bool strided_fail(const oribi_geometry_slice *slice, oribi_geometry_cut cut,
                         TF_Status *status)
{
    switch (cut) {
    case ORIBI_GEOMETRY_TOO_MANY:
        return oribi_ops_fail(status,
                              "Index out of range using input dim %d; input has only %d dims",
                              (int)slice->rank, (int)slice->rank);
    case ORIBI_GEOMETRY_ZERO_STEP:
        return oribi_ops_fail(status, "strides[%d] must be non-zero", (int)slice->entry);
    case ORIBI_GEOMETRY_BACKWARD_INDEX:
        return oribi_ops_fail(status, "only stride 1 allowed on non-range indexing");
    default:
        return oribi_ops_fail(status, "slice index %" PRId64 " of dimension %d out of bounds",
                              slice->spec->begin[slice->entry], (int)slice->entry);
    }
}

static bool strided_result(const oribi_geometry_strided *spec, const oribi_ops_shape *input,
                           oribi_ops_shape *out, TF_Status *status)
{
    oribi_geometry_slice slice;
    oribi_geometry_cut cut = oribi_geometry_slice_open(&slice, spec, input->n);
    out->n = 0;
    while (cut <= ORIBI_GEOMETRY_NEW &&
           (cut = oribi_geometry_slice_next(&slice, input->at)) != ORIBI_GEOMETRY_END) {
        if ((cut == ORIBI_GEOMETRY_PART || cut == ORIBI_GEOMETRY_NEW) &&
            !oribi_ops_append(out, &slice.count, 1, status)) {
            return false;
        }
    }
    return cut == ORIBI_GEOMETRY_END || strided_fail(&slice, cut, status);
}

static void strided_slice(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, vector, length = {.n = 1, .at = {-1}}, result;
    oribi_geometry_strided spec = {0};
    strided_values values;
    if (!oribi_ops_input(ctx, 0, &input, status) || !read_masks(ctx, &spec, status)) {
        return;
    }
    for (int i = 1; i <= 3; i++) {
        if (!oribi_ops_input_rank(ctx, i, 1, &vector, status) ||
            !oribi_ops_merge(&length, &vector, status)) {
            return;
        }
    }
    if (!oribi_ops_input_list(ctx, 1, &values.begin, status) ||
        !oribi_ops_input_list(ctx, 2, &values.end, status) ||
        !oribi_ops_input_list(ctx, 3, &values.step, status)) {
        return;
    }
    spec.n = values.step.n;
    spec.begin = values.begin.n < 0 ? NULL : values.begin.at;
    spec.end = values.end.n < 0 ? NULL : values.end.at;
    spec.step = values.step.at;
    if (input.n < 0 || spec.n < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
    } else if (strided_result(&spec, &input, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

const oribi_ops_row oribi_ops_slice[] = {
    {.name = "Oribi>UpdateSlice",
     .inputs = "x: T; update: T; indices: Tindices",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: " ORIBI_OPS_INDEX,
     .shape = oribi_ops_shape_unchanged},
    {.name = "Slice",
     .inputs = "input: T; begin: Index; size: Index",
     .outputs = "output: T",
     .attrs = "T: type; Index: {int32, int64}",
     .traits = "slices(input, begin, size)",
     .shape = slice},
    {.name = "StridedSlice",
     .inputs = "input: T; begin: Index; end: Index; strides: Index",
     .outputs = "output: T",
     .attrs = "T: type; Index: {int16, int32, int64}; begin_mask: int = 0; end_mask: int = 0; "
              "ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
     .traits = "strides(input, begin, end, strides)",
     .shape = strided_slice},
    {.name = NULL},
};
