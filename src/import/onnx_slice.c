/* SPDX-License-Identifier: Apache-2.0 */
/* Joining, splitting, cutting and padding. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "import/onnx_emit.h"

static bool concat(oribi_onnx_node *n)
{
    int32_t rank = oribi_emit_rank(n, n->inputs[0]);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", n->opset < 4 ? 1 : 0), rank);
    if (n->n_inputs == 1) {
        return oribi_emit_bind(n, 0, oribi_emit1(n, "Identity", n->inputs[0]));
    }
    oribi_value_id *all =
        oribi_arena_array(&n->onnx->scratch, (size_t)n->n_inputs + 1, sizeof(*all));
    if (all == NULL) {
        n->failed = true;
        return oribi_fail_memory(n->status);
    }
    memcpy(all, n->inputs, (size_t)n->n_inputs * sizeof(*all));
    all[n->n_inputs] = oribi_emit_int(n, axis);
    return oribi_emit_bind(n, 0, oribi_emit(n, "ConcatV2", all, n->n_inputs + 1, NO_ATTRS));
}

/* --- Split ----------------------------------------------------------------------------------- */

/* Sizes of the parts: all equal, known, or (*out_computed) the value of an input. */
static bool split_sizes(oribi_onnx_node *n, int32_t axis, int64_t *sizes, bool *out_equal,
                        oribi_value_id *out_computed)
{
    int32_t parts = n->n_outputs, count;
    int64_t dim = oribi_emit_dim(n, n->inputs[0], axis);
    if (n->opset < 13) {
        count = oribi_onnx_ints(n, "split", sizes, parts);
    } else if (oribi_emit_input(n, 1) >= 0) {
        const int64_t given = oribi_emit_dim(n, n->inputs[1], 0);
        count = given > INT32_MAX ? INT32_MAX : given < 0 ? parts : (int32_t)given;
        if (count == parts && !oribi_graph_known_exactly(n->graph, n->inputs[1], sizes, parts)) {
            *out_computed = n->inputs[1];
            return !n->failed;
        }
    } else {
        count = -1;
    }
    if (n->failed || (count >= 0 && count != parts)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%d split sizes for %d outputs", (int)count,
                               (int)parts);
    }
    *out_equal = count < 0 && (dim < 0 || dim % parts == 0);
    if (count >= 0 || *out_equal) {
        return true;
    }
    int64_t each = (dim + parts - 1) / parts; /* since opset 18: the last one is smaller */
    for (int32_t i = 0; i < parts; i++) {
        int64_t left = dim - each * i;
        sizes[i] = left > each ? each : left < 0 ? 0 : left;
    }
    return true;
}

static bool split(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 0), rank);
    int64_t parts = n->n_outputs;
    bool equal = false;
    oribi_value_id computed = -1;
    const oribi_node *node;
    int64_t *sizes = oribi_arena_array(&n->onnx->scratch, (size_t)parts + 1, sizeof(*sizes));
    if (sizes == NULL) {
        n->failed = true;
        return oribi_fail_memory(n->status);
    }
    if (n->failed || !split_sizes(n, axis, sizes, &equal, &computed)) {
        return false;
    }
    if (parts == 1) {
        return oribi_emit_bind(n, 0, oribi_emit1(n, "Identity", x));
    }
    if (equal) {
        node = oribi_emit_node(n, "Split", INPUTS(oribi_emit_int(n, axis), x),
                               ATTRS(ATTR_INT("num_split", parts)), n->n_outputs);
    } else {
        oribi_value_id all = computed >= 0 ? computed : oribi_emit_vector(n, sizes, n->n_outputs);
        node = oribi_emit_node(n, "SplitV", INPUTS(x, all, oribi_emit_int(n, axis)),
                               ATTRS(ATTR_INT("num_split", parts)), n->n_outputs);
    }
    for (int32_t i = 0; node != NULL && i < n->n_outputs; i++) {
        if (!oribi_emit_bind(n, i, node->outputs[i])) {
            return false;
        }
    }
    return !n->failed;
}

/* --- Slice ----------------------------------------------------------------------------------- */

typedef struct cut { /* one list of a Slice: starts, ends or steps */
    oribi_dims dims;
    int32_t count; /* -1: computed */
    oribi_value_id value;
} cut;

static bool read_cut(oribi_onnx_node *n, const char *name, int32_t input, cut *out)
{
    out->value = -1;
    if (n->opset < 10) {
        out->count = oribi_onnx_ints(n, name, out->dims.at, ORIBI_ONNX_MAX_RANK);
        if (out->count < 0 && !n->failed) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s is required", name);
        }
    } else {
        out->value = n->inputs[input];
        out->count = oribi_emit_known_ints(n, out->value, &out->dims) ? out->dims.n : -1;
    }
    if (out->count > ORIBI_ONNX_MAX_RANK) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s has %d elements", name, (int)out->count);
    }
    return !n->failed;
}

/* The axes of a Slice in their given order; all of them in order by default. */
static int32_t slice_axes(oribi_onnx_node *n, int32_t rank, int32_t count, int32_t *out)
{
    oribi_dims given;
    int32_t n_given = -1;
    if (n->opset < 10) {
        n_given = oribi_onnx_ints(n, "axes", given.at, ORIBI_ONNX_MAX_RANK);
    } else if (oribi_emit_input(n, 3) >= 0) {
        if (!oribi_emit_known_ints(n, n->inputs[3], &given)) {
            oribi_onnx_fail(n, TF_UNIMPLEMENTED, "axes that are computed");
        }
        n_given = n->failed ? -1 : given.n;
    }
    bool by_default = n_given < 0;
    n_given = by_default ? count : n_given;
    if (n->failed || n_given < 0 || n_given > rank || (count >= 0 && n_given != count)) {
        oribi_onnx_fail(n, n_given < 0 ? TF_UNIMPLEMENTED : TF_INVALID_ARGUMENT,
                        "%d axes, %d starts and %d dimensions", (int)n_given, (int)count,
                        (int)rank);
        return -1;
    }
    for (int32_t i = 0; i < n_given; i++) {
        out[i] = by_default ? i : oribi_emit_axis(n, given.at[i], rank);
    }
    return n->failed ? -1 : n_given;
}

static oribi_value_id spread(oribi_onnx_node *n, const cut *from, const int32_t *axes,
                             int32_t n_axes, int32_t rank, int64_t fallback)
{
    int64_t all[ORIBI_ONNX_MAX_RANK];
    oribi_value_id parts[ORIBI_ONNX_MAX_RANK];
    for (int32_t i = 0; i < rank; i++) {
        all[i] = fallback;
    }
    for (int32_t i = 0; from->count >= 0 && i < n_axes; i++) {
        all[axes[i]] = from->dims.at[i];
    }
    if (from->count >= 0) {
        return oribi_emit_vector_as(n, TF_INT64, all, rank);
    }
    for (int32_t i = 0; i < rank; i++) {
        parts[i] = oribi_emit_scalar(n, TF_INT64, (double)fallback);
    }
    oribi_value_id wide = oribi_emit_cast(n, from->value, TF_INT64);
    for (int32_t i = 0; i < n_axes; i++) {
        parts[axes[i]] = oribi_emit_element(n, wide, i);
    }
    return oribi_emit(n, "Pack", parts, rank, NO_ATTRS);
}

/* Bounds far outside, as INT64_MAX for "to the end", would overflow when dimensions are added. */
static void tame(cut *c)
{
    for (int32_t i = 0; i < c->count; i++) {
        int64_t limit = INT32_MAX;
        int64_t *at = &c->dims.at[i];
        *at = *at > limit ? limit : *at < -limit ? -limit : *at;
    }
}

static bool slice(oribi_onnx_node *n)
{
    cut starts, ends, steps = {.count = 0, .value = -1};
    int32_t axes[ORIBI_ONNX_MAX_RANK];
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    if (n->failed || !read_cut(n, "starts", 1, &starts) || !read_cut(n, "ends", 2, &ends)) {
        return false;
    }
    int32_t count = starts.count >= 0   ? starts.count
                    : starts.value >= 0 ? (int32_t)oribi_emit_dim(n, starts.value, 0)
                                        : -1;
    int32_t n_axes = slice_axes(n, rank, count, axes);
    if (n->failed || (ends.count >= 0 && ends.count != n_axes)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%d ends for %d axes", (int)ends.count,
                               (int)n_axes);
    }
    if (n->opset >= 10 && oribi_emit_input(n, 4) >= 0) {
        ORIBI_TRY(read_cut(n, "steps", 4, &steps));
        if (steps.count != n_axes) {
            return oribi_onnx_fail(n, steps.count < 0 ? TF_UNIMPLEMENTED : TF_INVALID_ARGUMENT,
                                   "steps that are computed, or not one per axis");
        }
    } else {
        steps.count = n_axes;
        for (int32_t i = 0; i < n_axes; i++) {
            steps.dims.at[i] = 1;
        }
    }
    int64_t open = (INT64_C(1) << rank) - 1; /* axes that stay whole */
    for (int32_t i = 0; i < n_axes; i++) {
        if (steps.dims.at[i] == 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "a step of 0");
        }
        open &= ~(INT64_C(1) << axes[i]);
    }
    tame(&starts);
    tame(&ends);
    tame(&steps);
    oribi_value_id y = oribi_emit(n, "StridedSlice",
                                  INPUTS(x, spread(n, &starts, axes, n_axes, rank, 0),
                                         spread(n, &ends, axes, n_axes, rank, 0),
                                         spread(n, &steps, axes, n_axes, rank, 1)),
                                  ATTRS(ATTR_INT("begin_mask", open), ATTR_INT("end_mask", open)));
    return oribi_emit_bind(n, 0, y);
}

/* --- Pad ------------------------------------------------------------------------------------- */

/* Amounts per axis, [before of all axes, after of all axes], -1 count when computed. */
static int32_t read_pads(oribi_onnx_node *n, int32_t rank, int64_t *out)
{
    int64_t given[2 * ORIBI_ONNX_MAX_RANK];
    oribi_dims axes;
    int32_t count, n_axes = -1;
    bool known_axes = true;
    memset(out, 0, 2 * ORIBI_ONNX_MAX_RANK * sizeof(*out));
    if (n->opset < 11) {
        count = oribi_onnx_ints(n, "pads", given, 2 * ORIBI_ONNX_MAX_RANK);
    } else {
        const int64_t length = oribi_emit_dim(n, n->inputs[1], 0);
        const bool fits = length >= 0 && length <= 2 * ORIBI_ONNX_MAX_RANK;
        count = length > INT32_MAX ? INT32_MAX : (int32_t)length;
        if (fits && !oribi_graph_known_exactly(n->graph, n->inputs[1], given, count)) {
            count = -1;
        }
    }
    if (oribi_emit_input(n, 3) >= 0) {
        known_axes = oribi_emit_known_ints(n, n->inputs[3], &axes);
        n_axes = known_axes ? axes.n : -1;
        count = known_axes ? count : -1;
    }
    int32_t covered = n_axes < 0 ? rank : n_axes;
    if (n->failed || count < 0 || count != 2 * covered || covered > rank) {
        if (count >= 0) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%d pads for %d axes", (int)count,
                            (int)covered);
        }
        return -1;
    }
    for (int32_t i = 0; i < covered; i++) {
        int32_t axis = n_axes < 0 ? i : oribi_emit_axis(n, axes.at[i], rank);
        if (given[i] < INT32_MIN || given[i] > INT32_MAX || given[covered + i] < INT32_MIN ||
            given[covered + i] > INT32_MAX) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "a pad beyond 31 bits");
        }
        if (n->failed) {
            return -1;
        }
        out[axis] = given[i];
        out[rank + axis] = given[covered + i];
    }
    return count;
}

/* Negative padding cuts. */
static oribi_value_id crop(oribi_onnx_node *n, oribi_value_id x, int64_t *pads, int32_t rank)
{
    int64_t begin[ORIBI_ONNX_MAX_RANK], end[ORIBI_ONNX_MAX_RANK], step[ORIBI_ONNX_MAX_RANK];
    int64_t begin_mask = 0, end_mask = 0;
    bool cuts = false;
    for (int32_t i = 0; i < rank; i++) {
        int64_t *before = &pads[i], *after = &pads[rank + i];
        begin[i] = *before < 0 ? -*before : 0;
        end[i] = *after < 0 ? *after : 0;
        step[i] = 1;
        begin_mask |= *before < 0 ? 0 : INT64_C(1) << i;
        end_mask |= *after < 0 ? 0 : INT64_C(1) << i;
        cuts = cuts || *before < 0 || *after < 0;
        *before = *before < 0 ? 0 : *before;
        *after = *after < 0 ? 0 : *after;
    }
    return !cuts ? x
                 : oribi_emit(
                       n, "StridedSlice",
                       INPUTS(x, oribi_emit_vector(n, begin, rank), oribi_emit_vector(n, end, rank),
                              oribi_emit_vector(n, step, rank)),
                       ATTRS(ATTR_INT("begin_mask", begin_mask), ATTR_INT("end_mask", end_mask)));
}

static oribi_value_id pad_value(oribi_onnx_node *n)
{
    if (n->opset < 11) {
        return oribi_emit_scalar_like(n, n->inputs[0], (double)oribi_onnx_float(n, "value", 0));
    }
    oribi_value_id value = oribi_emit_input(n, 2);
    return value < 0 ? oribi_emit_scalar_like(n, n->inputs[0], 0)
                     : oribi_emit_reshape(n, value, NULL, 0);
}

static bool pad(oribi_onnx_node *n)
{
    int64_t pads[2 * ORIBI_ONNX_MAX_RANK], pairs[2 * ORIBI_ONNX_MAX_RANK];
    oribi_value_id x = n->inputs[0], amounts;
    int32_t rank = oribi_emit_rank(n, x);
    bool is_constant = oribi_onnx_string_is(n, "mode", "constant", "constant");
    bool is_reflect = oribi_onnx_string_is(n, "mode", "constant", "reflect");
    if (n->failed || (!is_constant && !is_reflect)) {
        return !n->failed && oribi_onnx_translate_custom(n);
    }
    int64_t dims[] = {rank, 2};
    int32_t count = read_pads(n, rank, pads);
    if (n->failed) {
        return false;
    }
    if (count < 0) { /* computed */
        static const int32_t swap[] = {1, 0};
        int64_t halves[] = {2, rank};
        if (n->opset < 11 || oribi_emit_input(n, 3) >= 0) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "pads that are absent or computed");
        }
        amounts = oribi_emit_transpose(n, oribi_emit_reshape(n, n->inputs[1], halves, 2), swap, 2);
    } else {
        x = crop(n, x, pads, rank);
        for (int32_t i = 0; i < rank; i++) {
            pairs[2 * i] = pads[i];
            pairs[2 * i + 1] = pads[rank + i];
        }
        amounts = oribi_emit_reshape(n, oribi_emit_vector(n, pairs, 2 * rank), dims, 2);
    }
    if (is_reflect) {
        return oribi_emit_bind(
            n, 0,
            oribi_emit(n, "MirrorPad", INPUTS(x, amounts), ATTRS(ATTR_TEXT("mode", "REFLECT"))));
    }
    return oribi_emit_bind(n, 0, oribi_emit3(n, "PadV2", x, amounts, pad_value(n)));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_slice_rows[] = {
    {"Concat", 1, 28, concat, 1, -1, "ConcatV2"},
    {"Pad", 2, 10, pad, 1, 1, "PadV2, MirrorPad, StridedSlice; ONNX>Pad"},
    {"Pad", 11, 28, pad, 2, 4, "PadV2, MirrorPad, StridedSlice; ONNX>Pad"},
    {"Slice", 1, 9, slice, 1, 1, "StridedSlice"},
    {"Slice", 10, 28, slice, 3, 5, "StridedSlice"},
    {"Split", 2, 12, split, 1, 1, "Split, SplitV"},
    {"Split", 13, 28, split, 1, 2, "Split, SplitV"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
