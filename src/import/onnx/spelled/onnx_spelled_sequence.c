/* SPDX-License-Identifier: Apache-2.0 */
/* What models of sequences have beside attention: RotaryEmbedding, CausalConvWithState. */
#include "import/onnx/spelled/onnx_spelled.h"

#include <string.h>

enum { MAX_ROTARY = 1 << 16 };

/* --- RotaryEmbedding -------------------------------------------------------------------------- */

/* Of each position, with an axis for the heads. */
static oribi_value_id angles(oribi_onnx_node *n, const oribi_onnx_rotary *r, oribi_value_id cache,
                             int32_t heads_axis)
{
    oribi_value_id x = cache;
    if (r->positions >= 0) {
        x = oribi_emit3(n, "GatherV2", x, r->positions, oribi_emit_int(n, 0));
    }
    return oribi_emit2(n, "ExpandDims", x, oribi_emit_int(n, heads_axis));
}

/* Elements first, first + step, ... of the last axis, which pick[i] = base + i * step lists. */
static oribi_value_id picked(oribi_onnx_node *n, oribi_value_id x, const int64_t *places,
                             int64_t count)
{
    return oribi_emit3(n, "GatherV2", x, oribi_emit_vector(n, places, (int32_t)count),
                       oribi_emit_int(n, 3));
}

static bool halves(oribi_onnx_node *n, oribi_value_id x, int64_t half, bool is_interleaved,
                   int64_t *places, oribi_value_id out[2])
{
    if (!is_interleaved) {
        return oribi_emit_split(n, x, 3, (int64_t[]){half, half}, 2, out);
    }
    for (int64_t part = 0; part < 2; part++) {
        for (int64_t i = 0; i < half; i++) {
            places[i] = 2 * i + part;
        }
        out[part] = picked(n, x, places, half);
    }
    return !n->failed;
}

static oribi_value_id rotated(oribi_onnx_node *n, const oribi_onnx_rotary *r, oribi_value_id x,
                              int64_t half, int32_t heads_axis)
{
    const bool is_interleaved = r->is_interleaved;
    int64_t *places = oribi_arena_array(&n->onnx->scratch, (size_t)half * 2 + 1, sizeof *places);
    oribi_value_id part[2];
    if (places == NULL) {
        n->failed = true;
        return oribi_fail_memory(n->status) ? -1 : -1;
    }
    if (!halves(n, x, half, is_interleaved, places, part)) {
        return -1;
    }
    const oribi_value_id cosine = angles(n, r, r->cosine, heads_axis);
    const oribi_value_id sine = angles(n, r, r->sine, heads_axis);
    const oribi_value_id real = oribi_emit2(n, "Sub", oribi_emit2(n, "Mul", part[0], cosine),
                                            oribi_emit2(n, "Mul", part[1], sine));
    const oribi_value_id imaginary = oribi_emit2(n, "AddV2", oribi_emit2(n, "Mul", part[0], sine),
                                                 oribi_emit2(n, "Mul", part[1], cosine));
    const oribi_value_id all[3] = {real, imaginary, oribi_emit_int(n, 3)};
    x = oribi_emit(n, "ConcatV2", all, 3, NO_ATTRS);
    for (int64_t i = 0; i < half; i++) {
        places[2 * i] = i;
        places[2 * i + 1] = half + i;
    }
    return is_interleaved ? picked(n, x, places, 2 * half) : x;
}

oribi_value_id oribi_onnx_rotate(oribi_onnx_node *n, const oribi_onnx_rotary *r, oribi_value_id x,
                                 const char *layout)
{
    const int64_t size = oribi_emit_dim(n, x, 3);
    const int32_t heads_axis = strcmp(layout, "BSHD") == 0 ? 2 : 1;
    if (n->failed || size < 0) {
        (void)(n->failed || oribi_onnx_want_shapes(n, "the size of a head is not known"));
        return -1;
    }
    const int64_t turned = r->turned == 0 ? size : r->turned;
    if (turned < 2 || turned > size || turned % 2 != 0 || turned > MAX_ROTARY) {
        (void)oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                              "%lld of %lld elements of a head turn; an even number is wanted, at "
                              "most %d",
                              (long long)turned, (long long)size, MAX_ROTARY);
        return -1;
    }
    oribi_value_id part[3] = {x, -1, oribi_emit_int(n, 3)};
    if (turned != size && !oribi_emit_split(n, x, 3, (int64_t[]){turned, size - turned}, 2, part)) {
        return -1;
    }
    part[0] = rotated(n, r, part[0], turned / 2, heads_axis);
    return turned == size ? part[0] : oribi_emit(n, "ConcatV2", part, 3, NO_ATTRS);
}

static bool rotary_embedding(oribi_onnx_node *n, oribi_onnx_rotary *r, oribi_value_id x,
                             const char *layout)
{
    r->turned = oribi_onnx_int(n, "rotary_embedding_dim", 0);
    r->is_interleaved = oribi_onnx_flag(n, "interleaved", false);
    x = oribi_onnx_rotate(n, r, x, layout);
    return oribi_emit_bind(n, 0, strcmp(layout, "BSHD") == 0 ? oribi_onnx_side_by_side(n, x) : x);
}

bool oribi_onnx_rotary_embedding(oribi_onnx_node *n)
{
    const char *layout;
    const oribi_value_id x = oribi_onnx_with_heads(n, 0, "num_heads", &layout);
    oribi_onnx_rotary r = {n->inputs[1], n->inputs[2], oribi_emit_input(n, 3), 0, false};
    return rotary_embedding(n, &r, x, layout);
}

/* com.microsoft: positions come first; one of them is that of the first element. */
bool oribi_onnx_rotary_embedding_microsoft(oribi_onnx_node *n)
{
    const char *layout;
    oribi_onnx_rotary r = {n->inputs[2], n->inputs[3], n->inputs[1], 0, false};
    const oribi_value_id x = oribi_onnx_with_heads(n, 0, "num_heads", &layout);
    ORIBI_TRY(!n->failed);
    if (oribi_onnx_flag(n, "is_packed_batching", false) ||
        oribi_onnx_float(n, "scale", 1.0F) != 1.0F) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "packed batches, or a scale");
    }
    if (oribi_emit_rank(n, r.positions) == 1) {
        const int32_t axis = strcmp(layout, "BSHD") == 0 ? 1 : 2;
        r.positions = oribi_emit2(n, "AddV2", oribi_emit_places(n, x, axis),
                                  oribi_emit_cast(n, r.positions, TF_INT64));
        r.positions = oribi_emit2(n, "ExpandDims", r.positions, oribi_emit_int(n, 0));
    }
    return rotary_embedding(n, &r, x, layout);
}

/* --- CausalConvWithState ---------------------------------------------------------------------- */

/* x [n, c, t] behind the `past` elements that are kept, or zeros. */
static oribi_value_id behind_past(oribi_onnx_node *n, int64_t past)
{
    const oribi_value_id x = n->inputs[0];
    if (oribi_emit_input(n, 3) >= 0) {
        const oribi_value_id parts[3] = {n->inputs[3], x, oribi_emit_int(n, 2)};
        return oribi_emit(n, "ConcatV2", parts, 3, NO_ATTRS);
    }
    const int64_t pads[6] = {0, 0, 0, 0, past, 0};
    const oribi_value_id amounts = oribi_emit_vector_as(n, TF_INT64, pads, 6);
    return oribi_emit2(n, "Pad", x, oribi_emit_reshape(n, amounts, (int64_t[]){3, 2}, 2));
}

static oribi_value_id causal(oribi_onnx_node *n, oribi_value_id padded)
{
    static const oribi_dims to_filter = {3, {2, 0, 1}};
    static const int64_t ones[4] = {1, 1, 1, 1};
    oribi_value_id filter = oribi_emit_transpose(n, n->inputs[1], &to_filter); /* [k, c, 1] */
    filter = oribi_emit2(n, "ExpandDims", filter, oribi_emit_int(n, 0));
    oribi_value_id y =
        oribi_emit_to_nhwc(n, oribi_emit2(n, "ExpandDims", padded, oribi_emit_int(n, 2)));
    y = oribi_emit(n, "DepthwiseConv2dNative", INPUTS(y, filter),
                   ATTRS(ATTR_INTS("strides", ones, 4), ATTR_TEXT("padding", "VALID")));
    if (oribi_emit_input(n, 2) >= 0) {
        y = oribi_emit2(n, "BiasAdd", y, n->inputs[2]);
    }
    return oribi_emit(n, "Squeeze", INPUTS(oribi_emit_to_nchw(n, y)),
                      ATTRS(ATTR_INTS("squeeze_dims", ((int64_t[]){2}), 1)));
}

bool oribi_onnx_causal_conv(oribi_onnx_node *n)
{
    const int32_t rank = oribi_emit_rank(n, n->inputs[0]);
    const int32_t w_rank = oribi_emit_rank(n, n->inputs[1]);
    const int64_t taps = oribi_emit_dim(n, n->inputs[1], 2);
    const bool is_plain = oribi_onnx_string_is(n, "activation", "none", "none");
    ORIBI_TRY(!n->failed);
    if (rank != 3 || w_rank != 3 || taps == 0 || oribi_emit_dim(n, n->inputs[1], 1) > 1) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "an input [n, c, t] and weights [c, 1, k] are wanted");
    }
    if (taps < 0) {
        return oribi_onnx_want_shapes(n, "the size of the kernel is not known");
    }
    if (!is_plain && !oribi_onnx_string_is(n, "activation", "none", "silu") &&
        !oribi_onnx_string_is(n, "activation", "none", "swish")) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "activation is not none, silu or swish");
    }
    const oribi_value_id padded = behind_past(n, taps - 1);
    oribi_value_id ends[2], y = causal(n, padded);
    y = is_plain ? y : oribi_emit2(n, "Mul", y, oribi_emit1(n, "Sigmoid", y));
    ORIBI_TRY(oribi_emit_bind(n, 0, y));
    return !oribi_emit_wants(n, 1) ||
           (oribi_emit_split(n, padded, 2, (int64_t[]){-1, taps - 1}, 2, ends) &&
            oribi_emit_bind(n, 1, ends[1]));
}
