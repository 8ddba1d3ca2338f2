/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of small integer values before anything runs: the arithmetic on shapes that models
 * do between Shape and Reshape, where some dimensions are still unknown. Not constant folding,
 * which needs every element and runs kernels; this only helps shape functions.
 */
#include "graph/graph_internal.h"

#include <string.h>

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

static bool join(evaluation *e, const oribi_node *node, int32_t n_parts, int32_t depth,
                 elements *out)
{
    elements part;
    out->count = 0;
    for (int32_t i = 0; i < n_parts; i++) {
        if (!evaluate(e, node->inputs[i], depth, &part) || part.count > MAX_ELEMENTS - out->count) {
            return false;
        }
        memcpy(out->at + out->count, part.at, (size_t)part.count * sizeof(part.at[0]));
        out->count += part.count;
    }
    return true;
}

static bool gather(evaluation *e, const oribi_node *node, int32_t depth, elements *out)
{
    elements from;
    elements index;
    if (!constant_elements(e->graph, node->inputs[1], &index) ||
        !evaluate(e, node->inputs[0], depth, &from)) {
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

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int64_t mask_of(const oribi_node *node, const char *name)
{
    const oribi_attr *attr = oribi_attrs_find(&node->attrs, name);
    return attr != NULL && attr->kind == TF_ATTR_INT && attr->count == 1 ? attr->u.i[0] : 0;
}

/* One axis, positive step. */
static bool strided_slice(evaluation *e, const oribi_node *node, int32_t depth, elements *out)
{
    elements from;
    int64_t begin = 0, end = 0, step = 0;
    if (node->n_inputs != 4 ||
        !oribi_graph_constant_exactly(e->graph, node->inputs[1], &begin, 1) ||
        !oribi_graph_constant_exactly(e->graph, node->inputs[2], &end, 1) ||
        !oribi_graph_constant_exactly(e->graph, node->inputs[3], &step, 1) || step < 1 ||
        mask_of(node, "ellipsis_mask") != 0 || mask_of(node, "new_axis_mask") != 0 ||
        !evaluate(e, node->inputs[0], depth, &from)) {
        return false;
    }
    bool shrinks = (mask_of(node, "shrink_axis_mask") & 1) != 0;
    int64_t first = clamp(begin < 0 ? begin + from.count : begin, 0, from.count);
    int64_t last = clamp(end < 0 ? end + from.count : end, 0, from.count);
    first = (mask_of(node, "begin_mask") & 1) != 0 ? 0 : first;
    last = (mask_of(node, "end_mask") & 1) != 0 ? from.count : last;
    last = shrinks ? clamp(first + 1, 0, from.count) : last;
    out->count = 0;
    for (int64_t i = first; i < last; i += clamp(step, 1, MAX_ELEMENTS)) {
        out->at[out->count++] = from.at[i];
    }
    return true;
}

/* Element-wise on known pairs; a result that would overflow is unknown. */
static int64_t combine(const char *op, int64_t a, int64_t b)
{
    int64_t result = UNKNOWN;
    if (a == UNKNOWN || b == UNKNOWN) {
        return UNKNOWN;
    }
    bool overflow = false;
    if (strcmp(op, "Mul") == 0) {
        overflow = __builtin_mul_overflow(a, b, &result);
    } else if (strcmp(op, "AddV2") == 0) {
        overflow = __builtin_add_overflow(a, b, &result);
    } else if (strcmp(op, "Sub") == 0) {
        overflow = __builtin_sub_overflow(a, b, &result);
    } else if (a >= 0 && b > 0) { /* FloorDiv, Div, TruncateDiv agree here */
        result = a / b;
    }
    return overflow ? UNKNOWN : result;
}

static bool binary(evaluation *e, const oribi_node *node, int32_t depth, elements *out)
{
    elements a, b;
    if (!evaluate(e, node->inputs[0], depth, &a) || !evaluate(e, node->inputs[1], depth, &b) ||
        (a.count != b.count && a.count != 1 && b.count != 1)) {
        return false;
    }
    out->count = a.count == 1 ? b.count : a.count;
    for (int32_t i = 0; i < out->count; i++) {
        out->at[i] = combine(node->op_name, a.at[a.count == 1 ? 0 : i], b.at[b.count == 1 ? 0 : i]);
    }
    return true;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strcmp(name, *names) == 0) {
            return true;
        }
    }
    return false;
}

static bool evaluate_node(evaluation *e, const oribi_node *node, int32_t depth, elements *out)
{
    static const char *const same[] = {"Identity", "Cast",         "ExpandDims", "Squeeze",
                                       "Reshape",  "StopGradient", NULL};
    static const char *const binaries[] = {"Mul",      "AddV2", "Add",         "Sub",
                                           "FloorDiv", "Div",   "TruncateDiv", NULL};
    const char *op = node->op_name;
    if (strcmp(op, "Shape") == 0) {
        return shape_elements(&e->graph->values[node->inputs[0]]->shape, out);
    }
    if (is_one_of(op, same)) {
        return evaluate(e, node->inputs[0], depth, out);
    }
    if (strcmp(op, "Pack") == 0) {
        return join(e, node, node->n_inputs, depth, out);
    }
    if (strcmp(op, "ConcatV2") == 0) {
        return join(e, node, node->n_inputs - 1, depth, out);
    }
    if (strcmp(op, "GatherV2") == 0) {
        return gather(e, node, depth, out);
    }
    if (strcmp(op, "StridedSlice") == 0) {
        return strided_slice(e, node, depth, out);
    }
    if (is_one_of(op, binaries)) {
        return binary(e, node, depth, out);
    }
    return false;
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
