/* SPDX-License-Identifier: Apache-2.0 */
/* Pools, means, sums, products, joins and softmax between dequantised inputs and a quantised
 * result.
 */
#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_window.h"
#include "pass/qdq_internal.h"

#include <string.h>

#define SIDE(name, side) QDQ_FLOAT(name "_scale", (side).scale), QDQ_INT(name "_zero", (side).zero)
#define RESULT(end)                                                                                \
    SIDE("output", (end)->to), QDQ_INT("low", (end)->low), QDQ_INT("high", (end)->high)

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
    static const int64_t undilated[2] = {1, 1};
    if (!oribi_qdq_read_pads(node, &in->dims[1], out->size, out->strides, undilated, out->pads)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        if (out->pads[i] < 0 || out->pads[i] >= out->size[i % 2]) {
            return false;
        }
    }
    for (int i = 0; i < 2; i++) { /* the last window meets the image */
        oribi_geometry_window w = {.in = in->dims[1 + i],
                                   .taps = out->size[i],
                                   .stride = out->strides[i],
                                   .dilation = 1,
                                   .padding = ORIBI_GEOMETRY_EXPLICIT,
                                   .before = out->pads[i],
                                   .after = out->pads[2 + i]};
        if (w.in < 1 || oribi_geometry_slide(&w) != ORIBI_GEOMETRY_FITS ||
            !oribi_geometry_meets_input(&w)) {
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
    const oribi_attr attrs[] = {QDQ_INTS("ksize", w.size, 2), QDQ_INTS("strides", w.strides, 2),
                                QDQ_INTS("pads", w.pads, 4), SIDE("input", x), RESULT(end)};
    return finish(q, end, node,
                  oribi_qdq_add(q, "ONNX>QLinearAveragePool", node, &x.value, 1, attrs, 9));
}

/* --- Means ----------------------------------------------------------------------------------- */

/* The dimensions of a mean over neighbouring axes: before, over and behind them. */
static bool read_mean(const oribi_qdq *q, const oribi_node *node, int64_t out[3])
{
    oribi_dims axes;
    oribi_geometry_axes is_over;
    int32_t at = 0;
    const oribi_shape *in = &q->graph->values[node->inputs[0]]->shape;
    if (!oribi_graph_constant_ints(q->graph, node->inputs[1], &axes) || axes.n < 1 ||
        in->rank > ORIBI_MAX_RANK || !oribi_shape_is_full(in)) {
        return false;
    }
    if (oribi_geometry_name_axes(axes.at, axes.n, in->rank, &is_over, &at) ==
        ORIBI_GEOMETRY_NO_AXIS) {
        return false;
    }
    int32_t part = 0;
    out[0] = out[1] = out[2] = 1;
    for (int32_t i = 0; i < in->rank; i++) {
        const bool over = oribi_geometry_has_axis(&is_over, i);
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
    const oribi_attr attrs[] = {SIDE("input", x), RESULT(end)};
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
    const oribi_attr attrs[] = {QDQ_TYPE("T", end->to.dtype), SIDE("a", a), SIDE("b", b),
                                RESULT(end)};
    return finish(q, end, node, oribi_qdq_add(q, op, node, inputs, 2, attrs, 9));
}

/* Each part is requantised for itself. */
static bool join(oribi_qdq *q, const oribi_node *node, const oribi_traits *t,
                 const oribi_qdq_end *end)
{
    enum { MAX_INPUTS = 65 };
    oribi_value_id inputs[MAX_INPUTS];
    oribi_qdq_side part;
    for (int32_t i = 0; i < t->n_data; i++) {
        if (node->n_inputs > MAX_INPUTS ||
            !oribi_qdq_side_of(q, node->inputs[t->data + i], &part)) {
            return false;
        }
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        inputs[i] = node->inputs[i];
        if (i >= t->data && i < t->data + t->n_data) {
            (void)oribi_qdq_side_of(q, node->inputs[i], &part);
            inputs[i] = oribi_qdq_requantised(q, &part, end, node);
        }
        if (inputs[i] < 0) {
            return false;
        }
    }
    return finish(q, end, node, oribi_qdq_clone(q, node, inputs, end->to.dtype));
}

static bool softmax(oribi_qdq *q, const oribi_node *node, const oribi_qdq_end *end)
{
    oribi_qdq_side x;
    const int32_t low = end->to.dtype == TF_INT8 ? INT8_MIN : 0;
    if (!oribi_qdq_side_of(q, node->inputs[0], &x) || x.dtype != end->to.dtype || end->low != low ||
        end->high != low + 255 || end->to.scale > 1.0F) {
        return false;
    }
    const oribi_attr attrs[] = {QDQ_FLOAT("input_scale", x.scale), SIDE("output", end->to)};
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
    const oribi_traits t = oribi_pass_traits(node);
    if (t.n_data == 2 && node->n_inputs == 2 && t.formula == ORIBI_FORMULA_SUM) {
        return binary(q, node, end, "ONNX>QLinearAdd");
    }
    if (t.n_data == 2 && t.formula == ORIBI_FORMULA_PRODUCT) {
        return binary(q, node, end, "ONNX>QLinearMul");
    }
    if (oribi_pass_is(node, "Softmax")) {
        return softmax(q, node, end);
    }
    return (t.is & ORIBI_TRAIT_JOINS) != 0 && join(q, node, &t, end);
}
