/* SPDX-License-Identifier: Apache-2.0 */
/* Joining, splitting, cutting and padding. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "import/onnx/onnx_emit.h"

static bool concat(oribi_onnx_node *n)
{
    int64_t axis = oribi_onnx_int(n, "axis", n->opset < 4 ? 1 : 0);
    if (n->graph->values[n->inputs[0]]->shape.rank >= 0) { /* else ConcatV2 counts for itself */
        axis = oribi_emit_axis(n, axis, oribi_emit_rank(n, n->inputs[0]));
    }
    if (n->n_inputs == 1) {
        return oribi_emit_bind(n, 0, oribi_emit1(n, "Identity", n->inputs[0]));
    }
    oribi_value_id *all = oribi_emit_parts(n, n->n_inputs);
    ORIBI_TRY(all != NULL);
    memcpy(all, n->inputs, (size_t)n->n_inputs * sizeof(*all));
    all[n->n_inputs] = oribi_emit_int(n, axis);
    return oribi_emit_bind(n, 0, oribi_emit(n, "ConcatV2", all, n->n_inputs + 1, NO_ATTRS));
}

/* --- Split ----------------------------------------------------------------------------------- */

/* Since opset 18 the last parts are smaller where the sizes are not given. */
static const int64_t *near_equal(oribi_onnx_node *n, int64_t dim, int32_t parts)
{
    int64_t *sizes = oribi_arena_array(&n->onnx->scratch, (size_t)parts, sizeof *sizes);
    const int64_t each = dim / parts + (dim % parts != 0);
    for (int32_t i = 0; sizes != NULL && i < parts; i++) {
        sizes[i] = dim > each ? each : dim;
        dim -= sizes[i];
    }
    if (sizes == NULL) {
        (void)oribi_onnx_no_memory(n);
    }
    return sizes;
}

/* Sizes of the parts: *out_sizes, or NULL where they are all equal or (*out_computed) the value of
 * an input. */
static bool split_sizes(oribi_onnx_node *n, int32_t axis, const int64_t **out_sizes,
                        oribi_value_id *out_computed)
{
    oribi_onnx_attr attr;
    int32_t parts = n->n_outputs, count = 0;
    int64_t dim = oribi_emit_dim(n, n->inputs[0], axis), *given = NULL;
    if (n->opset < 13 && oribi_onnx_find_attr(n, "split", &attr)) {
        ORIBI_TRY(oribi_onnx_read_ints(n, &attr, &given, &count));
        *out_sizes = given;
    } else if (n->opset >= 13 && oribi_emit_input(n, 1) >= 0) {
        const int64_t found = oribi_emit_dim(n, n->inputs[1], 0);
        count = found < 0 || found == parts ? parts : -1;
        if (count == parts && !oribi_emit_known_list(n, n->inputs[1], parts, out_sizes)) {
            *out_sizes = NULL;
            *out_computed = n->inputs[1];
            return !n->failed;
        }
        if (count != parts) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "there are %" PRId64 " split sizes for %d outputs", found,
                                   (int)parts);
        }
    } else if (!n->failed && dim >= 0 && dim % parts != 0) {
        count = parts;
        *out_sizes = near_equal(n, dim, parts);
    }
    return (!n->failed && (*out_sizes == NULL || count == parts)) ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there are %d split sizes for %d outputs",
                           (int)count, (int)parts);
}

static bool split(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 0), rank);
    int64_t parts = n->n_outputs;
    oribi_value_id computed = -1;
    const oribi_node *node;
    const int64_t *sizes = NULL;
    if (n->failed || !split_sizes(n, axis, &sizes, &computed)) {
        return false;
    }
    if (parts == 1) {
        return oribi_emit_bind(n, 0, oribi_emit1(n, "Identity", x));
    }
    if (sizes == NULL && computed < 0) {
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
    oribi_dims at;
    bool is_known; /* else computed */
    oribi_value_id value;
} cut;

static bool read_cut(oribi_onnx_node *n, const char *name, int32_t input, cut *out)
{
    out->value = n->opset < 10 ? -1 : n->inputs[input];
    out->at.n = 0;
    out->is_known = n->opset < 10 ? oribi_onnx_dims(n, name, &out->at)
                                  : oribi_emit_known_ints(n, out->value, &out->at);
    if (n->opset < 10 && !out->is_known && !n->failed) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s is required", name);
    }
    return !n->failed;
}

/* How many there are; -1: unknown. */
static int64_t count_of(const oribi_onnx_node *n, const cut *c)
{
    return c->is_known ? c->at.n : oribi_emit_dim(n, c->value, 0);
}

/* The axes of a Slice in their given order; all of them in order by default. *out_computed: an
 * input has them, and they are not known. */
static bool slice_axes(oribi_onnx_node *n, int32_t rank, int64_t count, oribi_dims *out,
                       bool *out_computed)
{
    bool is_given = false;
    out->n = 0;
    *out_computed = false;
    if (n->opset < 10) {
        is_given = oribi_onnx_dims(n, "axes", out);
    } else if (oribi_emit_input(n, 3) >= 0) {
        is_given = oribi_emit_known_ints(n, n->inputs[3], out);
        *out_computed = !is_given && !n->failed;
        if (*out_computed) {
            return true;
        }
    }
    const int64_t wanted = is_given ? out->n : count;
    if (!n->failed && wanted < 0) {
        return oribi_onnx_want_shapes(n, "how many starts there are must be known");
    }
    if (n->failed || wanted > rank || (count >= 0 && wanted != count)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "%" PRId64 " axes, %" PRId64
                               " starts and %d dimensions do not fit together",
                               wanted, count, (int)rank);
    }
    for (int32_t i = 0; is_given && i < out->n; i++) {
        out->at[i] = oribi_emit_axis(n, out->at[i], rank);
    }
    for (int32_t i = 0; !is_given && i < (int32_t)wanted; i++) {
        (void)oribi_dims_add(out, i);
    }
    return !n->failed;
}

static oribi_value_id spread(oribi_onnx_node *n, const cut *from, const oribi_dims *axes,
                             int32_t rank, int64_t fallback)
{
    oribi_dims all = {0};
    (void)oribi_dims_fill(&all, rank, fallback); /* of a value: it fits */
    for (int32_t i = 0; from->is_known && i < axes->n; i++) {
        all.at[axes->at[i]] = from->at.at[i];
    }
    if (from->is_known) {
        return oribi_emit_vector_as(n, TF_INT64, all.at, all.n);
    }
    oribi_value_id *parts = oribi_emit_parts(n, rank);
    for (int32_t i = 0; parts != NULL && i < rank; i++) {
        parts[i] = oribi_emit_scalar(n, TF_INT64, (double)fallback);
    }
    oribi_value_id wide = oribi_emit_cast(n, from->value, TF_INT64);
    for (int32_t i = 0; parts != NULL && i < axes->n; i++) {
        parts[axes->at[i]] = oribi_emit_element(n, wide, i);
    }
    return oribi_emit(n, "Pack", parts, rank, NO_ATTRS);
}

/* Bounds far outside, as INT64_MAX for "to the end", would overflow when dimensions are added. */
static void tame(cut *c)
{
    for (int32_t i = 0; i < c->at.n; i++) {
        const int64_t limit = INT32_MAX, at = c->at.at[i];
        c->at.at[i] = at > limit ? limit : at < -limit ? -limit : at;
    }
}

/* Bounds, axes and steps as they are, for the op that looks at them when it runs. */
static bool slice_when_run(oribi_onnx_node *n, int64_t count, const oribi_dims *axes)
{
    const TF_DataType type = oribi_emit_dtype(n, n->inputs[1]);
    oribi_value_id given = oribi_emit_input(n, 3), steps = oribi_emit_input(n, 4);
    oribi_dims ones = {0};
    if (given < 0) {
        given = oribi_emit_vector_as(n, type, axes->at, axes->n);
    }
    if (steps < 0) {
        if (count < 0 || !oribi_dims_fill(&ones, (int32_t)count, 1)) {
            return oribi_onnx_want_shapes(n, "how many starts there are must be known");
        }
        steps = oribi_emit_vector_as(n, type, ones.at, ones.n);
    }
    const oribi_value_id inputs[] = {n->inputs[0], n->inputs[1], n->inputs[2], given, steps};
    return oribi_emit_bind(n, 0, oribi_emit(n, "ONNX>Slice", inputs, 5, NO_ATTRS));
}

/* Backwards, ONNX moves a start before the first element to it, TensorFlow before it. False:
 * whether there is one is not known. */
static bool move_starts(oribi_onnx_node *n, cut *starts, const cut *steps, const oribi_dims *axes)
{
    for (int32_t i = 0; i < axes->n; i++) {
        const int64_t dim = oribi_emit_dim(n, n->inputs[0], (int32_t)axes->at[i]);
        if (steps->at.at[i] >= 0) {
            continue;
        }
        if (!starts->is_known || (starts->at.at[i] < -1 && dim < 0)) {
            return false;
        }
        if (dim >= 0 && starts->at.at[i] < -dim) {
            starts->at.at[i] = -dim;
        }
    }
    return true;
}

/* Bounds, steps and axes; *out_waits: what they are shows when it runs. */
static bool read_slice(oribi_onnx_node *n, int32_t rank, cut *starts, cut *ends, cut *steps,
                       oribi_dims *axes, bool *out_waits)
{
    const bool has_steps = n->opset >= 10 && oribi_emit_input(n, 4) >= 0;
    ORIBI_TRY(read_cut(n, "starts", 1, starts) && read_cut(n, "ends", 2, ends) &&
              (!has_steps || read_cut(n, "steps", 4, steps)));
    ORIBI_TRY(slice_axes(n, rank, count_of(n, starts), axes, out_waits));
    if (*out_waits) {
        return true;
    }
    if ((ends->is_known && ends->at.n != axes->n) ||
        (has_steps && steps->is_known && steps->at.n != axes->n)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there are %d ends and %d steps for %d axes",
                               (int)ends->at.n, (int)steps->at.n, (int)axes->n);
    }
    if (!has_steps) {
        (void)oribi_dims_fill(&steps->at, axes->n, 1);
    }
    *out_waits = !steps->is_known || !move_starts(n, starts, steps, axes);
    return true;
}

static bool slice(oribi_onnx_node *n)
{
    cut starts, ends, steps = {.is_known = true, .value = -1};
    oribi_dims axes;
    bool waits = false;
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    if (n->failed || !read_slice(n, rank, &starts, &ends, &steps, &axes, &waits)) {
        return false;
    }
    if (waits && n->opset >= 10) {
        return slice_when_run(n, count_of(n, &starts), &axes);
    }
    int64_t open = (INT64_C(1) << rank) - 1; /* axes that stay whole */
    for (int32_t i = 0; i < axes.n; i++) {
        if (steps.at.at[i] == 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "a step must not be 0");
        }
        open &= ~(INT64_C(1) << axes.at[i]);
    }
    tame(&starts);
    tame(&ends);
    tame(&steps);
    oribi_value_id y =
        oribi_emit(n, "StridedSlice",
                   INPUTS(x, spread(n, &starts, &axes, rank, 0), spread(n, &ends, &axes, rank, 0),
                          spread(n, &steps, &axes, rank, 1)),
                   ATTRS(ATTR_INT("begin_mask", open), ATTR_INT("end_mask", open)));
    return oribi_emit_bind(n, 0, y);
}

/* --- Pad ------------------------------------------------------------------------------------- */

typedef struct amounts { /* per axis of the input */
    oribi_dims before, after;
} amounts;

/* False when they are computed, and on failure. */
static bool read_pads(oribi_onnx_node *n, int32_t rank, amounts *out)
{
    oribi_onnx_attr attr;
    const int64_t *given = NULL;
    int64_t *listed = NULL;
    oribi_dims axes = oribi_emit_exchange(rank, 0, 0); /* all of them */
    int32_t count = 0;
    if (oribi_emit_input(n, 3) >= 0 && !oribi_emit_known_ints(n, n->inputs[3], &axes)) {
        return false;
    }
    if (n->opset < 11) {
        ORIBI_TRY(oribi_onnx_find_attr(n, "pads", &attr) &&
                  oribi_onnx_read_ints(n, &attr, &listed, &count));
        given = listed;
    } else {
        const int64_t found = oribi_emit_dim(n, n->inputs[1], 0);
        count = found < 0 || found == 2 * axes.n ? 2 * axes.n : -1;
        if (count >= 0 && !oribi_emit_known_list(n, n->inputs[1], count, &given)) {
            return false;
        }
    }
    if (count != 2 * axes.n || axes.n > rank || !oribi_dims_fill(&out->before, rank, 0) ||
        !oribi_dims_fill(&out->after, rank, 0)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there must be two pads for each of %d axes",
                               (int)axes.n);
    }
    for (int32_t i = 0; i < axes.n; i++) {
        const int32_t axis = oribi_emit_axis(n, axes.at[i], rank);
        const int64_t before = given[i], after = given[axes.n + i];
        if (before < -INT32_MAX || before > INT32_MAX || after < -INT32_MAX || after > INT32_MAX) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "a pad does not fit in 31 bits");
        }
        if (n->failed) {
            return false;
        }
        out->before.at[axis] = before;
        out->after.at[axis] = after;
    }
    return true;
}

/* Negative padding cuts. */
static oribi_value_id crop(oribi_onnx_node *n, oribi_value_id x, amounts *pads)
{
    const int32_t rank = pads->before.n;
    oribi_dims begin = pads->before, end = pads->after, step = pads->before;
    int64_t begin_mask = 0, end_mask = 0;
    bool cuts = false;
    for (int32_t i = 0; i < rank; i++) {
        int64_t *before = &pads->before.at[i], *after = &pads->after.at[i];
        begin.at[i] = *before < 0 ? -*before : 0;
        end.at[i] = *after < 0 ? *after : 0;
        step.at[i] = 1;
        begin_mask |= *before < 0 ? 0 : INT64_C(1) << i;
        end_mask |= *after < 0 ? 0 : INT64_C(1) << i;
        cuts = cuts || *before < 0 || *after < 0;
        *before = *before < 0 ? 0 : *before;
        *after = *after < 0 ? 0 : *after;
    }
    return !cuts ? x
                 : oribi_emit(
                       n, "StridedSlice",
                       INPUTS(x, oribi_emit_vector(n, begin.at, rank),
                              oribi_emit_vector(n, end.at, rank),
                              oribi_emit_vector(n, step.at, rank)),
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

/* As TensorFlow has them, [rank, 2]. */
static oribi_value_id paired(oribi_onnx_node *n, const amounts *pads)
{
    const int32_t rank = pads->before.n;
    const int64_t dims[] = {rank, 2};
    int64_t *pairs = oribi_arena_array(&n->onnx->scratch, 2 * (size_t)rank + 1, sizeof *pairs);
    if (pairs == NULL) {
        (void)oribi_onnx_no_memory(n);
        return -1;
    }
    for (int32_t i = 0; i < rank; i++) {
        pairs[2 * i] = pads->before.at[i];
        pairs[2 * i + 1] = pads->after.at[i];
    }
    return oribi_emit_reshape(n, oribi_emit_vector(n, pairs, 2 * rank), dims, 2);
}

/* What the op of ours has as text: of ONNX's modes all, NULL for another word. */
static const char *pad_mode(oribi_onnx_node *n)
{
    static const char *const words[] = {"constant", "reflect", "edge", "wrap"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (oribi_onnx_string_is(n, "mode", "constant", words[i])) {
            return words[i];
        }
    }
    return NULL;
}

/* Amounts that a run tells, or a mode that TensorFlow has not. */
static bool pad_when_run(oribi_onnx_node *n, const char *mode, int32_t rank, const amounts *known)
{
    const oribi_dims all = oribi_emit_exchange(rank, 0, 0);
    oribi_value_id pads = n->opset < 11 ? -1 : n->inputs[1], axes = oribi_emit_input(n, 3);
    if (known != NULL) {
        int64_t *list = oribi_arena_array(&n->onnx->scratch, 2 * (size_t)rank + 1, sizeof *list);
        ORIBI_TRY(list != NULL || oribi_onnx_no_memory(n));
        for (int32_t i = 0; i < rank; i++) {
            list[i] = known->before.at[i];
            list[i + rank] = known->after.at[i];
        }
        pads = oribi_emit_vector_as(n, TF_INT64, list, 2 * rank);
        axes = -1;
    }
    axes = axes < 0 ? oribi_emit_vector_as(n, TF_INT64, all.at, all.n)
                    : oribi_emit_cast(n, axes, TF_INT64);
    const bool has_value = strcmp(mode, "constant") == 0;
    const oribi_value_id value =
        has_value ? pad_value(n) : oribi_emit_scalar_like(n, n->inputs[0], 0);
    const oribi_value_id inputs[] = {n->inputs[0], pads, value, axes};
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "ONNX>Pad", inputs, 4, ATTRS(ATTR_TEXT("mode", mode))));
}

static bool pad(oribi_onnx_node *n)
{
    amounts pads;
    oribi_value_id x = n->inputs[0], y;
    int32_t rank = oribi_emit_rank(n, x);
    const char *mode = pad_mode(n);
    if (n->failed || mode == NULL) {
        return !n->failed && oribi_onnx_translate_custom(n);
    }
    const bool is_known = read_pads(n, rank, &pads);
    if (n->failed) {
        return false;
    }
    const bool is_reflect = strcmp(mode, "reflect") == 0;
    if (!is_known || (!is_reflect && strcmp(mode, "constant") != 0)) {
        return pad_when_run(n, mode, rank, is_known ? &pads : NULL);
    }
    x = crop(n, x, &pads);
    y = paired(n, &pads);
    if (is_reflect) {
        return oribi_emit_bind(
            n, 0, oribi_emit(n, "MirrorPad", INPUTS(x, y), ATTRS(ATTR_TEXT("mode", "REFLECT"))));
    }
    return oribi_emit_bind(n, 0, oribi_emit3(n, "PadV2", x, y, pad_value(n)));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_slice_rows[] = {
    {"Concat", 1, 28, concat, 1, -1, "ConcatV2"},
    {"Pad", 2, 10, pad, 1, 1, "PadV2, MirrorPad, StridedSlice; ONNX>Pad"},
    {"Pad", 11, 28, pad, 2, 4, "PadV2, MirrorPad, StridedSlice; ONNX>Pad"},
    {"Slice", 1, 9, slice, 1, 1, "StridedSlice"},
    {"Slice", 10, 28, slice, 3, 5, "StridedSlice; ONNX>Slice"},
    {"Split", 2, 12, split, 1, 1, "Split, SplitV"},
    {"Split", 13, 28, split, 1, 2, "Split, SplitV"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
