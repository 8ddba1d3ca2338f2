/* SPDX-License-Identifier: Apache-2.0 */
/* Pools, means, sums, products, joins and softmax between dequantised inputs and a quantised
 * result.
 */
#include "pass/qdq_internal.h"

#include <string.h>

/* --- Pools ----------------------------------------------------------------------------------- */

typedef struct window {
    int64_t size[2], strides[2], pads[4];
} window;

/* False: not over two dimensions of NHWC, or a window may lie in padding alone. */
static bool read_window(const oribi_qdq *q, const oribi_node *node, window *out)
{
    const oribi_attr *size = oribi_attrs_find(&node->attrs, "ksize");
    const oribi_attr *strides = oribi_attrs_find(&node->attrs, "strides");
    const oribi_shape *in = &q->graph->values[node->inputs[0]]->shape;
    const oribi_attr *both[2] = {size, strides};
    if (in->rank != 4 || !oribi_pass_attr_is(node, "data_format", "NHWC", "NHWC")) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (both[i] == NULL || both[i]->count != 4 || !both[i]->is_list ||
            both[i]->kind != TF_ATTR_INT || both[i]->u.i[0] != 1 || both[i]->u.i[3] != 1 ||
            both[i]->u.i[1] < 1 || both[i]->u.i[2] < 1) {
            return false;
        }
    }
    memcpy(out->size, &size->u.i[1], sizeof out->size);
    memcpy(out->strides, &strides->u.i[1], sizeof out->strides);
    if (!oribi_qdq_read_pads(node, &in->dims[1], out->size, out->strides, out->pads)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        if (out->pads[i] < 0 || out->pads[i] >= out->size[i % 2]) {
            return false;
        }
    }
    for (int i = 0; i < 2; i++) { /* the last window meets the image */
        const int64_t dim = in->dims[1 + i];
        const int64_t room = dim + out->pads[i] + out->pads[2 + i] - out->size[i];
        if (dim < 1 || room < 0 || room / out->strides[i] * out->strides[i] - out->pads[i] >= dim) {
            return false;
        }
    }
    return true;
}

oribi_node *oribi_qdq_max_pool(oribi_qdq *q, const oribi_node *pool, oribi_value_id x)
{
    window w;
    const TF_DataType dtype = q->graph->values[x]->dtype;
    if ((dtype != TF_INT8 && dtype != TF_UINT8) || !read_window(q, pool, &w)) {
        return NULL;
    }
    const oribi_attr attrs[] = {QDQ_INTS("ksize", w.size, 2), QDQ_INTS("strides", w.strides, 2),
                                QDQ_INTS("pads", w.pads, 4)};
    return oribi_qdq_add(q, "ONNX>QLinearMaxPool", pool, &x, 1, attrs, 3);
}

static bool finish(oribi_qdq *q, const oribi_qdq_end *end, const oribi_node *from,
                   const oribi_node *made)
{
    return made != NULL && oribi_qdq_finish(q, end, from, made->outputs[0]);
}

static bool average(oribi_qdq *q, const oribi_node *node, const oribi_qdq_end *end)
{
    window w;
    oribi_qdq_side x;
    if (!oribi_qdq_side_of(q, node->inputs[0], &x) || x.dtype != end->to.dtype ||
        !read_window(q, node, &w)) {
        return false;
    }
    const oribi_attr attrs[] = {QDQ_INTS("ksize", w.size, 2),
                                QDQ_INTS("strides", w.strides, 2),
                                QDQ_INTS("pads", w.pads, 4),
                                QDQ_FLOAT("input_scale", x.scale),
                                QDQ_INT("input_zero", x.zero),
                                QDQ_FLOAT("output_scale", end->to.scale),
                                QDQ_INT("output_zero", end->to.zero),
                                QDQ_INT("low", end->low),
                                QDQ_INT("high", end->high)};
    return finish(q, end, node,
                  oribi_qdq_add(q, "ONNX>QLinearAveragePool", node, &x.value, 1, attrs, 9));
}

/* --- Means ----------------------------------------------------------------------------------- */

/* The dimensions of a mean over neighbouring axes: before, over and behind them. */
static bool read_mean(const oribi_qdq *q, const oribi_node *node, int64_t out[3])
{
    oribi_dims axes;
    uint32_t is_over = 0;
    const oribi_shape *in = &q->graph->values[node->inputs[0]]->shape;
    if (!oribi_graph_constant_ints(q->graph, node->inputs[1], &axes) || axes.n < 1 ||
        in->rank > ORIBI_MAX_RANK || !oribi_shape_is_full(in)) {
        return false;
    }
    for (int32_t i = 0; i < axes.n; i++) {
        const int64_t axis = axes.at[i] < 0 ? axes.at[i] + in->rank : axes.at[i];
        if (axis < 0 || axis >= in->rank) {
            return false;
        }
        is_over |= 1U << axis;
    }
    int32_t part = 0;
    out[0] = out[1] = out[2] = 1;
    for (int32_t i = 0; i < in->rank; i++) {
        const bool over = (is_over >> i & 1U) != 0;
        if (over != (part == 1) && in->dims[i] != 1) {
            part++;
        }
        if (part > 2 || over != (part == 1)) {
            if (in->dims[i] != 1) {
                return false;
            }
            continue;
        }
        if (__builtin_mul_overflow(out[part], in->dims[i], &out[part])) {
            return false;
        }
    }
    return out[0] > 0 && out[1] > 0 && out[1] < 1 << 23 && out[2] > 0;
}

static bool mean(oribi_qdq *q, const oribi_node *node, const oribi_qdq_end *end)
{
    oribi_qdq_side x;
    int64_t sizes[3];
    oribi_dims dims;
    const oribi_shape *y = &q->graph->values[node->outputs[0]]->shape;
    if (!oribi_qdq_side_of(q, node->inputs[0], &x) || x.dtype != end->to.dtype ||
        !read_mean(q, node, sizes) || !oribi_dims_set(&dims, y->dims, y->rank)) {
        return false;
    }
    const oribi_value_id flat = oribi_qdq_reshape(q, x.value, sizes, 3, node);
    const oribi_attr attrs[] = {QDQ_FLOAT("input_scale", x.scale),
                                QDQ_INT("input_zero", x.zero),
                                QDQ_FLOAT("output_scale", end->to.scale),
                                QDQ_INT("output_zero", end->to.zero),
                                QDQ_INT("low", end->low),
                                QDQ_INT("high", end->high)};
    const oribi_node *made =
        flat < 0 ? NULL : oribi_qdq_add(q, "ONNX>QLinearMean", node, &flat, 1, attrs, 6);
    const oribi_value_id result =
        made == NULL ? -1 : oribi_qdq_reshape(q, made->outputs[0], dims.at, dims.n, node);
    return result >= 0 && oribi_qdq_finish(q, end, node, result);
}

/* --- Two sides ------------------------------------------------------------------------------- */

static bool binary(oribi_qdq *q, const oribi_node *node, const oribi_qdq_end *end, const char *op)
{
    oribi_qdq_side a, b;
    if (!oribi_qdq_side_of(q, node->inputs[0], &a) || !oribi_qdq_side_of(q, node->inputs[1], &b)) {
        return false;
    }
    const oribi_value_id inputs[2] = {a.value, b.value};
    const oribi_attr attrs[] = {QDQ_TYPE("T", end->to.dtype),
                                QDQ_FLOAT("a_scale", a.scale),
                                QDQ_INT("a_zero", a.zero),
                                QDQ_FLOAT("b_scale", b.scale),
                                QDQ_INT("b_zero", b.zero),
                                QDQ_FLOAT("output_scale", end->to.scale),
                                QDQ_INT("output_zero", end->to.zero),
                                QDQ_INT("low", end->low),
                                QDQ_INT("high", end->high)};
    return finish(q, end, node, oribi_qdq_add(q, op, node, inputs, 2, attrs, 9));
}

/* Each part is requantised for itself. */
static bool join(oribi_qdq *q, const oribi_node *node, const oribi_qdq_end *end)
{
    enum { MAX_PARTS = 64 };
    oribi_value_id inputs[MAX_PARTS + 1];
    oribi_qdq_side part;
    const int32_t n = node->n_inputs - 1;
    for (int32_t i = 0; i < n; i++) {
        if (n > MAX_PARTS || !oribi_qdq_side_of(q, node->inputs[i], &part)) {
            return false;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        (void)oribi_qdq_side_of(q, node->inputs[i], &part);
        inputs[i] = oribi_qdq_requantised(q, &part, end, node);
        if (inputs[i] < 0) {
            return false;
        }
    }
    inputs[n] = node->inputs[n];
    const oribi_attr count = QDQ_INT("N", n);
    return finish(q, end, node, oribi_qdq_add(q, "ConcatV2", node, inputs, n + 1, &count, 1));
}

static bool softmax(oribi_qdq *q, const oribi_node *node, const oribi_qdq_end *end)
{
    oribi_qdq_side x;
    const int32_t low = end->to.dtype == TF_INT8 ? INT8_MIN : 0;
    if (!oribi_qdq_side_of(q, node->inputs[0], &x) || x.dtype != end->to.dtype || end->low != low ||
        end->high != low + 255 || end->to.scale > 1.0F) {
        return false;
    }
    const oribi_attr attrs[] = {QDQ_FLOAT("input_scale", x.scale),
                                QDQ_FLOAT("output_scale", end->to.scale),
                                QDQ_INT("output_zero", end->to.zero)};
    return finish(q, end, node,
                  oribi_qdq_add(q, "ONNX>QLinearSoftmax", node, &x.value, 1, attrs, 3));
}

bool oribi_qdq_window(oribi_qdq *q, const oribi_qdq_end *end)
{
    const oribi_node *node = oribi_qdq_sole_producer(q, end->real);
    if (oribi_pass_is(node, "AvgPool") || oribi_pass_is(node, "Oribi>AvgPool")) {
        return average(q, node, end);
    }
    if (oribi_pass_is(node, "Mean")) {
        return mean(q, node, end);
    }
    if (oribi_pass_is(node, "AddV2") || oribi_pass_is(node, "Add")) {
        return binary(q, node, end, "ONNX>QLinearAdd");
    }
    if (oribi_pass_is(node, "Mul")) {
        return binary(q, node, end, "ONNX>QLinearMul");
    }
    if (oribi_pass_is(node, "Softmax")) {
        return softmax(q, node, end);
    }
    return oribi_pass_is(node, "ConcatV2") && join(q, node, end);
}
