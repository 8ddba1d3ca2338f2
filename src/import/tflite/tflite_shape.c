/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move elements and leave them as they are, so that quantised tensors go through
 * TensorFlow's own ops: shapes, slices, gathering, padding, and the resizing of images.
 */
#include "import/tflite/tflite.h"

#include <string.h>

/* The new shape is an input or, in old files, an option. */
static bool reshape(oribi_tflite_node *n)
{
    oribi_dims dims;
    oribi_value_id x = oribi_tflite_input(n, 0), shape = oribi_tflite_input(n, 1);
    if (shape >= 0 && oribi_tflite_rank(n, shape) == 1) {
        return oribi_tflite_bind(n, 0, oribi_tflite_emit(n, "Reshape", INPUTS(x, shape), NO_ATTRS));
    }
    if (!oribi_tflite_dims_option(n, 0, &dims)) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "no new shape is given");
    }
    if (dims.n == 1 && dims.at[0] == 0) { /* what old converters write for a scalar */
        dims.n = 0;
    }
    return oribi_tflite_bind(n, 0, oribi_tflite_reshape(n, x, &dims));
}

static bool squeeze(oribi_tflite_node *n)
{
    oribi_dims dims;
    (void)oribi_tflite_dims_option(n, 0, &dims);
    oribi_value_id y = oribi_tflite_emit(n, "Squeeze", INPUTS(oribi_tflite_input(n, 0)),
                                         ATTRS(ATTR_INTS("squeeze_dims", dims.at, dims.n)));
    return oribi_tflite_bind(n, 0, y);
}

/* The begins, with 0 where an axis that goes has its begin masked: TFLite takes its first place
 * then, TensorFlow the one that is masked. */
static oribi_value_id begins(oribi_tflite_node *n)
{
    const oribi_value_id begin = oribi_tflite_input(n, 1);
    const int64_t zeros = oribi_tflite_int(n, 0, 0) & oribi_tflite_int(n, 4, 0);
    const int64_t count = n->failed || zeros == 0 ? -1 : oribi_tflite_dim(n, begin, 0);
    if (count < 0 || count > 32 || oribi_tflite_dtype_in(n, 1) != TF_INT32) {
        return begin;
    }
    int32_t *keep = oribi_arena_array(&n->tflite->scratch, (size_t)count + 1, sizeof *keep);
    if (keep == NULL) {
        (void)oribi_tflite_no_memory(n);
        return -1;
    }
    for (int64_t i = 0; i < count; i++) {
        keep[i] = (zeros >> i & 1) != 0 ? 0 : 1;
    }
    return oribi_tflite_emit(n, "Mul", INPUTS(begin, oribi_tflite_ints(n, keep, count)), NO_ATTRS);
}

/* Of an axis: its size, the range of its starts, and whether and where a mask says it starts. */
enum { SIZE, LEAST, MOST, KEPT, FIXED, PARTS };

static bool read_axes(oribi_tflite_node *n, oribi_dims out[PARTS])
{
    oribi_dims dims, steps;
    const int64_t masked = oribi_tflite_int(n, 0, 0);
    const oribi_value_id x = oribi_tflite_input(n, 0), given = oribi_tflite_input(n, 3);
    if (n->failed || !oribi_tflite_dims(n, x, &dims)) {
        return false;
    }
    if (!oribi_graph_constant_ints(n->graph, given, &steps) || steps.n > dims.n ||
        oribi_tflite_int(n, 2, 0) != 0 || oribi_tflite_int(n, 3, 0) != 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "ends that are offsets from the begins are supported for constant "
                                 "strides, without ellipses and new axes");
    }
    for (int32_t i = 0; i < steps.n; i++) {
        if (dims.at[i] < 0 || dims.at[i] > INT32_MAX) {
            return oribi_tflite_want_shapes(
                n, "ends count from begins, so dimension %d must be known", (int)i);
        }
        const bool is_masked = (masked >> i & 1) != 0;
        const int64_t size = dims.at[i], back = steps.at[i] < 0 ? 1 : 0;
        const int64_t parts[PARTS] = {size, -back, size - back, is_masked ? 0 : 1,
                                      is_masked && back != 0 ? size - 1 : 0};
        for (int32_t k = 0; k < PARTS; k++) {
            out[k].n = steps.n;
            out[k].at[i] = parts[k];
        }
    }
    return true;
}

/* The ends where they count from the begins, as these are once they lie in the axes. */
static oribi_value_id far_ends(oribi_tflite_node *n, oribi_value_id begin, oribi_value_id end)
{
    oribi_dims axes[PARTS] = {{0}};
    oribi_value_id part[PARTS];
    if (!read_axes(n, axes)) {
        return -1;
    }
    for (int32_t k = 0; k < PARTS; k++) {
        part[k] = oribi_tflite_vector(n, &axes[k]);
    }
    const oribi_value_id is_low =
        oribi_tflite_emit(n, "Less", INPUTS(begin, oribi_tflite_scalar(n, 0)), NO_ATTRS);
    const oribi_value_id up = oribi_tflite_emit(n, "AddV2", INPUTS(begin, part[SIZE]), NO_ATTRS);
    begin = oribi_tflite_emit(n, "SelectV2", INPUTS(is_low, up, begin), NO_ATTRS);
    begin = oribi_tflite_emit(n, "Maximum", INPUTS(begin, part[LEAST]), NO_ATTRS);
    begin = oribi_tflite_emit(n, "Minimum", INPUTS(begin, part[MOST]), NO_ATTRS);
    begin = oribi_tflite_emit(n, "Mul", INPUTS(begin, part[KEPT]), NO_ATTRS);
    begin = oribi_tflite_emit(n, "AddV2", INPUTS(begin, part[FIXED]), NO_ATTRS);
    return oribi_tflite_emit(n, "AddV2", INPUTS(begin, end), NO_ATTRS);
}

static bool strided_slice(oribi_tflite_node *n)
{
    const oribi_value_id begin = begins(n);
    oribi_value_id end = oribi_tflite_input(n, 2);
    end = oribi_tflite_byte(n, 5, 0) != 0 ? far_ends(n, begin, end) : end;
    oribi_value_id y = oribi_tflite_emit(
        n, "StridedSlice", INPUTS(oribi_tflite_input(n, 0), begin, end, oribi_tflite_input(n, 3)),
        ATTRS(ATTR_INT("begin_mask", oribi_tflite_int(n, 0, 0)),
              ATTR_INT("end_mask", oribi_tflite_int(n, 1, 0)),
              ATTR_INT("ellipsis_mask", oribi_tflite_int(n, 2, 0)),
              ATTR_INT("new_axis_mask", oribi_tflite_int(n, 3, 0)),
              ATTR_INT("shrink_axis_mask", oribi_tflite_int(n, 4, 0))));
    return oribi_tflite_bind(n, 0, y);
}

static bool gather(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0), indices = oribi_tflite_input(n, 1);
    oribi_value_id axis = oribi_tflite_scalar(n, oribi_tflite_int(n, 0, 0));
    oribi_value_id y = oribi_tflite_emit(n, "GatherV2", INPUTS(x, indices, axis),
                                         ATTRS(ATTR_INT("batch_dims", oribi_tflite_int(n, 1, 0))));
    return oribi_tflite_bind(n, 0, y);
}

/* Quantised zeros are the zero point. */
static bool pad(oribi_tflite_node *n)
{
    oribi_tflite_quant quant = {0};
    oribi_value_id x = oribi_tflite_input(n, 0), paddings = oribi_tflite_input(n, 1);
    if (n->inputs[0]->dtype == TF_FLOAT || n->inputs[0]->scales.count == 0) {
        return oribi_tflite_translate_plain(n);
    }
    if (!oribi_tflite_same_quant(n, n->inputs[0], n->outputs[0]) ||
        !oribi_tflite_quant_of(n, n->outputs[0], "the output", &quant)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "the input and output with different scales are not supported");
    }
    oribi_value_id zero = oribi_tflite_scalar_like(n, x, (float)quant.zero);
    oribi_value_id y = oribi_tflite_emit(n, "PadV2", INPUTS(x, paddings, zero), NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

static bool mirror_pad(oribi_tflite_node *n)
{
    const char *mode = oribi_tflite_byte(n, 0, 0) == 0 ? "REFLECT" : "SYMMETRIC";
    oribi_value_id x = oribi_tflite_input(n, 0), paddings = oribi_tflite_input(n, 1);
    oribi_value_id y =
        oribi_tflite_emit(n, "MirrorPad", INPUTS(x, paddings), ATTRS(ATTR_TEXT("mode", mode)));
    return oribi_tflite_bind(n, 0, y);
}

static bool resize(oribi_tflite_node *n, const char *op, int align_corners)
{
    oribi_value_id x = oribi_tflite_input(n, 0), size = oribi_tflite_input(n, 1);
    const bool is_truth = oribi_tflite_dtype_in(n, 0) == TF_BOOL; /* TensorFlow resizes none */
    if (is_truth) {
        x = oribi_tflite_emit(n, "Cast", INPUTS(x), ATTRS(ATTR_TYPE("DstT", TF_UINT8)));
    }
    oribi_value_id y = oribi_tflite_emit(
        n, op, INPUTS(x, size),
        ATTRS(ATTR_BOOL("align_corners", oribi_tflite_byte(n, align_corners, 0) != 0),
              ATTR_BOOL("half_pixel_centers", oribi_tflite_byte(n, align_corners + 1, 0) != 0)));
    if (is_truth) {
        y = oribi_tflite_emit(n, "Cast", INPUTS(y), ATTRS(ATTR_TYPE("DstT", TF_BOOL)));
    }
    return oribi_tflite_bind(n, 0, y);
}

static bool resize_bilinear(oribi_tflite_node *n)
{
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_q_resize_bilinear(n);
    }
    if (oribi_tflite_dtype_in(n, 0) != TF_FLOAT) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for quantised tensors");
    }
    return resize(n, "ResizeBilinear", 2);
}

static bool resize_nearest(oribi_tflite_node *n)
{
    return resize(n, "ResizeNearestNeighbor", 0);
}

static bool blocks(oribi_tflite_node *n)
{
    if (oribi_tflite_int(n, 0, 0) == 1) { /* TensorFlow wants 2 or more */
        return oribi_tflite_bind(
            n, 0, oribi_tflite_emit(n, "Identity", INPUTS(oribi_tflite_input(n, 0)), NO_ATTRS));
    }
    oribi_value_id y = oribi_tflite_emit(n, n->row->into, INPUTS(oribi_tflite_input(n, 0)),
                                         ATTRS(ATTR_INT("block_size", oribi_tflite_int(n, 0, 0))));
    return oribi_tflite_bind(n, 0, y);
}

/* Paddings of `count` dimensions, as given from dimension `first` on. */
static oribi_value_id paddings_of(oribi_tflite_node *n, int32_t first, int32_t count,
                                  const uint8_t *given, int32_t n_given)
{
    const int64_t dims[2] = {count, 2};
    int32_t *all = oribi_arena_array(&n->tflite->scratch, 2 * (size_t)count, sizeof *all);
    if (all == NULL) {
        (void)oribi_tflite_no_memory(n);
        return -1;
    }
    memcpy(all + 2 * first, given, 2 * sizeof *all * (size_t)n_given);
    const oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "paddings", TF_INT32, dims, 2, all, n->status);
    n->failed = id < 0;
    return id;
}

/* TensorFlow pads with zeros, and so does TFLite Micro. TFLite pads with the zero point, which goes
 * round the input before. */
static bool space_to_batch(oribi_tflite_node *n)
{
    oribi_tflite_quant quant = {0};
    oribi_value_id x = oribi_tflite_input(n, 0), paddings = oribi_tflite_input(n, 2);
    const int32_t rank = oribi_tflite_rank(n, x);
    const int64_t spatial = oribi_tflite_dim(n, paddings, 0);
    if (!oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_translate_copy(n);
    }
    ORIBI_TRY(oribi_tflite_quant_of(n, n->outputs[0], "the output", &quant));
    if (quant.zero == 0 || (oribi_tflite_is_int8(n) && !oribi_tflite_rounds_as_tflite(n))) {
        return oribi_tflite_translate_copy(n);
    }
    const int32_t count = spatial >= 1 && spatial < rank ? (int32_t)spatial : 0;
    const oribi_flat_vector *data = &n->inputs[2]->data;
    if (count == 0 || data->file == NULL || n->inputs[2]->dtype != TF_INT32 ||
        data->count != 2 * sizeof(int32_t) * (size_t)count) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "the paddings of quantised tensors must be constant");
    }
    const uint8_t *given = data->file->data + data->at;
    const oribi_value_id around = paddings_of(n, 1, rank, given, count);
    const oribi_value_id none = paddings_of(n, 0, count, given, 0);
    const oribi_value_id zero = oribi_tflite_scalar_like(n, x, (float)quant.zero);
    x = oribi_tflite_emit(n, "PadV2", INPUTS(x, around, zero), NO_ATTRS);
    oribi_value_id y =
        oribi_tflite_emit(n, "SpaceToBatchND", INPUTS(x, oribi_tflite_input(n, 1), none), NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

static bool shape_of(oribi_tflite_node *n)
{
    oribi_value_id y = oribi_tflite_emit(n, "Shape", INPUTS(oribi_tflite_input(n, 0)),
                                         ATTRS(ATTR_TYPE("out_type", n->outputs[0]->dtype)));
    return oribi_tflite_bind(n, 0, y);
}

static bool one_hot(oribi_tflite_node *n)
{
    oribi_value_id y = oribi_tflite_emit(n, "OneHot",
                                         INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1),
                                                oribi_tflite_input(n, 2), oribi_tflite_input(n, 3)),
                                         ATTRS(ATTR_INT("axis", oribi_tflite_int(n, 0, 0))));
    return oribi_tflite_bind(n, 0, y);
}

#define COPY(number, inputs, into)                                                                 \
    {                                                                                              \
        number, 0, inputs, inputs, 1, oribi_tflite_translate_copy, into                            \
    }

const oribi_tflite_row oribi_tflite_shape_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {22, 17, 1, 2, 1, reshape, NULL},
    {43, 30, 1, 1, 1, squeeze, NULL},
    {45, 32, 4, 4, 1, strided_slice, NULL},
    {36, 23, 2, 2, 1, gather, NULL},
    {34, 0, 2, 2, 1, pad, "Pad"},
    {100, 77, 2, 2, 1, mirror_pad, NULL},
    {23, 15, 2, 2, 1, resize_bilinear, NULL},
    {97, 74, 2, 2, 1, resize_nearest, NULL},
    {26, 19, 1, 1, 1, blocks, "SpaceToDepth"},
    {5, 94, 1, 1, 1, blocks, "DepthToSpace"},
    {77, 0, 1, 1, 1, shape_of, NULL},
    {85, 61, 4, 4, 1, one_hot, NULL},
    COPY(60, 3, "PadV2"),
    COPY(70, 2, "ExpandDims"),
    COPY(65, 3, "Slice"),
    COPY(151, 3, "Oribi>UpdateSlice"),
    COPY(39, 2, "Transpose"),
    COPY(69, 2, "Tile"),
    COPY(105, 2, "ReverseV2"),
    COPY(107, 2, "GatherNd"),
    COPY(130, 2, "BroadcastTo"),
    COPY(37, 3, "BatchToSpaceND"),
    COPY(94, 2, "Fill"),
    COPY(96, 3, "Range"),
    COPY(110, 1, "Rank"),
    {38, 0, 3, 3, 1, space_to_batch, "SpaceToBatchND"},
    COPY(93, 1, "ZerosLike"),
    {0, 0, 0, 0, 0, NULL, NULL},
};
