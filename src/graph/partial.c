/* SPDX-License-Identifier: Apache-2.0 */
/* What is known about small integer values before anything runs? The arithmetic on shapes that
 * models do between Shape and Reshape, where some dimensions are still unknown. Not constant
 * folding, which needs every element and runs kernels; this only helps shape functions.
 */
#include "graph/graph_internal.h"

#include "micro/geometry/geometry_slice.h"

#include <string.h>

#include "op/traits.h"

enum { MAX_ELEMENTS = 32, MAX_DEPTH = 24, MAX_STEPS = 256 };
static const int64_t UNKNOWN = INT64_MIN;

typedef struct elements {
    int32_t count; /* -1: nothing known */
    int64_t at[MAX_ELEMENTS];
} elements;

typedef struct evaluation {
    const oribi_graph *graph;
    int32_t steps_left; /* bounds the work on graphs that fan out */
} evaluation;

static bool evaluate(evaluation *e, oribi_value_id value, int32_t depth, elements *out);

static bool shape_elements(const oribi_shape *shape, elements *out)
{
    if (shape->rank < 0 || shape->rank > MAX_ELEMENTS) {
        return false;
    }
    out->count = shape->rank;
    for (int32_t i = 0; i < shape->rank; i++) {
        out->at[i] = shape->dims[i] < 0 ? UNKNOWN : shape->dims[i];
    }
    return true;
}

static bool constant_elements(const oribi_graph *graph, oribi_value_id value, elements *out)
{
    const int64_t count = oribi_graph_count_ints(graph, value);
    if (count < 0 || count > MAX_ELEMENTS) {
        return false;
    }
    out->count = (int32_t)count;
    return oribi_graph_constant_exactly(graph, value, out->at, out->count);
}

static bool join(evaluation *e, const oribi_node *node, const oribi_traits *t, int32_t depth,
                 elements *out)
{
    elements part;
    out->count = 0;
    for (int32_t i = 0; i < t->n_data; i++) {
        if (!evaluate(e, node->inputs[t->data + i], depth, &part) ||
            part.count > MAX_ELEMENTS - out->count) {
            return false;
        }
        memcpy(out->at + out->count, part.at, (size_t)part.count * sizeof(part.at[0]));
        out->count += part.count;
    }
    return true;
}

static bool gather(evaluation *e, const oribi_node *node, const oribi_traits *t, int32_t depth,
                   elements *out)
{
    elements from;
    elements index;
    if (!constant_elements(e->graph, node->inputs[t->more], &index) ||
        !evaluate(e, node->inputs[t->data], depth, &from)) {
        return false;
    }
    out->count = index.count;
    for (int32_t i = 0; i < index.count; i++) {
        if (index.at[i] < 0 || index.at[i] >= from.count) {
            return false;
        }
        out->at[i] = from.at[index.at[i]];
    }
    return true;
}

static int64_t mask_of(const oribi_node *node, const char *name)
{
    const oribi_attr *attr = oribi_attrs_find(&node->attrs, name);
    return attr != NULL && attr->kind == TF_ATTR_INT && attr->count == 1 ? attr->u.i[0] : 0;
}

/* One axis. */
static bool strided_slice(evaluation *e, const oribi_node *node, const oribi_traits *t,
                          int32_t depth, elements *out)
{
    elements from;
    int64_t begin = 0, end = 0, step = 0;
    if (!oribi_graph_constant_exactly(e->graph, node->inputs[t->axes], &begin, 1) ||
        !oribi_graph_constant_exactly(e->graph, node->inputs[t->more], &end, 1) ||
        !oribi_graph_constant_exactly(e->graph, node->inputs[t->last], &step, 1) ||
        !evaluate(e, node->inputs[t->data], depth, &from)) {
        return false;
    }
    const oribi_geometry_strided spec = {.n = 1,
                                         .begin = &begin,
                                         .end = &end,
                                         .step = &step,
                                         .begin_mask = mask_of(node, "begin_mask"),
                                         .end_mask = mask_of(node, "end_mask"),
                                         .ellipsis_mask = mask_of(node, "ellipsis_mask"),
                                         .new_axis_mask = mask_of(node, "new_axis_mask"),
                                         .shrink_axis_mask = mask_of(node, "shrink_axis_mask")};
    const int64_t size = from.count;
    oribi_geometry_slice slice;
    if (oribi_geometry_slice_open(&slice, &spec, 1) != ORIBI_GEOMETRY_PART) {
        return false;
    }
    const oribi_geometry_cut cut = oribi_geometry_slice_next(&slice, &size);
    out->count =
        cut == ORIBI_GEOMETRY_PART || cut == ORIBI_GEOMETRY_INDEX ? (int32_t)slice.count : -1;
    for (int32_t i = 0; i < out->count; i++) {
        out->at[i] = from.at[slice.first + i * slice.step];
    }
    return out->count >= 0;
}

/* Element-wise on known pairs; a result that would overflow is unknown. */
static int64_t combine(oribi_formula formula, int64_t a, int64_t b)
{
    int64_t result = UNKNOWN;
    if (a == UNKNOWN || b == UNKNOWN) {
        return UNKNOWN;
    }
    bool overflow = false;
    if (formula == ORIBI_FORMULA_PRODUCT) {
        overflow = __builtin_mul_overflow(a, b, &result);
    } else if (formula == ORIBI_FORMULA_SUM) {
        overflow = __builtin_add_overflow(a, b, &result);
    } else if (formula == ORIBI_FORMULA_DIFFERENCE) {
        overflow = __builtin_sub_overflow(a, b, &result);
    } else if (a >= 0 && b > 0) { /* a quotient; rounding down and towards zero agree here */
        result = a / b;
    }
    return overflow ? UNKNOWN : result;
}

static bool binary(evaluation *e, const oribi_node *node, oribi_formula formula, int32_t depth,
                   elements *out)
{
    elements a, b;
    if (!evaluate(e, node->inputs[0], depth, &a) || !evaluate(e, node->inputs[1], depth, &b) ||
        (a.count != b.count && a.count != 1 && b.count != 1)) {
        return false;
    }
    out->count = a.count == 1 ? b.count : a.count;
    for (int32_t i = 0; i < out->count; i++) {
        out->at[i] = combine(formula, a.at[a.count == 1 ? 0 : i], b.at[b.count == 1 ? 0 : i]);
    }
    return true;
}

static bool evaluate_node(evaluation *e, const oribi_node *node, int32_t depth, elements *out)
{
    oribi_traits t;
    oribi_op_traits(node->op, &node->attrs, &node->signature, &t);
    if (t.told == ORIBI_TOLD_SHAPE) {
        return shape_elements(&e->graph->values[node->inputs[t.data]]->shape, out);
    }
    if ((t.is & ORIBI_TRAIT_VIEW) != 0) {
        return evaluate(e, node->inputs[t.data], depth, out);
    }
    if ((t.is & (ORIBI_TRAIT_STACKS | ORIBI_TRAIT_JOINS)) != 0) {
        return join(e, node, &t, depth, out);
    }
    if ((t.is & ORIBI_TRAIT_GATHERS) != 0) {
        return gather(e, node, &t, depth, out);
    }
    if ((t.is & ORIBI_TRAIT_STRIDES) != 0) {
        return strided_slice(e, node, &t, depth, out);
    }
    if (t.formula >= ORIBI_FORMULA_SUM && t.formula <= ORIBI_FORMULA_QUOTIENT) {
        return node->n_inputs == 2 && binary(e, node, t.formula, depth, out);
    }
    return strcmp(node->op_name, "Cast") == 0 && evaluate(e, node->inputs[0], depth, out);
}

static bool evaluate(evaluation *e, oribi_value_id id, int32_t depth, elements *out)
{
    const oribi_value *value = id < 0 ? NULL : e->graph->values[id];
    if (value == NULL || depth == 0 || e->steps_left-- <= 0 ||
        (value->dtype != TF_INT32 && value->dtype != TF_INT64) || value->shape.rank < 0 ||
        value->shape.rank > 1) {
        return false;
    }
    if (value->constant != NULL) {
        return constant_elements(e->graph, id, out);
    }
    const oribi_node *node = oribi_graph_producer(e->graph, id);
    return node != NULL && node->n_inputs > 0 && evaluate_node(e, node, depth - 1, out);
}

static bool all_known(const oribi_graph *graph, oribi_value_id value, elements *out)
{
    evaluation e = {graph, MAX_STEPS};
    bool known = value >= 0 && evaluate(&e, value, MAX_DEPTH, out);
    for (int32_t i = 0; known && i < out->count; i++) {
        known = out->at[i] != UNKNOWN;
    }
    return known;
}

bool oribi_graph_known_ints(const oribi_graph *graph, oribi_value_id value, oribi_dims *out)
{
    elements found;
    return oribi_graph_constant_ints(graph, value, out) ||
           (all_known(graph, value, &found) && oribi_dims_set(out, found.at, found.count));
}

bool oribi_graph_known_exactly(const oribi_graph *graph, oribi_value_id value, int64_t *out,
                               int32_t count)
{
    elements found;
    if (oribi_graph_constant_exactly(graph, value, out, count)) {
        return true;
    }
    if (!all_known(graph, value, &found) || found.count != count) {
        return false;
    }
    memcpy(out, found.at, (size_t)count * sizeof(*out));
    return true;
}

bool oribi_graph_partial_ints(oribi_graph *graph, oribi_value_id value, oribi_shape *out_shape,
                              TF_Status *status)
{
    evaluation e = {graph, MAX_STEPS};
    elements found;
    out_shape->rank = -1;
    out_shape->dims = NULL;
    if (!evaluate(&e, value, MAX_DEPTH, &found)) {
        return true;
    }
    for (int32_t i = 0; i < found.count; i++) {
        found.at[i] = found.at[i] < 0 ? -1 : found.at[i];
    }
    return oribi_shape_copy(&graph->arena, found.at, found.count, out_shape) ||
           oribi_fail_memory(status);
}
