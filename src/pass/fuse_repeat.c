/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of keys or values that each serve several of queries, as exporters repeat them for a
 * product (repeat_kv): an axis is put behind the heads, they are spread along it, and both become
 * one. Attention reads the heads themselves. Part of fuse_attention.c.
 */
#include "pass/fuse_internal.h"

/* A chain from the heads [batch, heads, length, size] to what the product reads. */
typedef struct chain {
    oribi_graph *graph;
    oribi_value_id heads, apart, spread, joined; /* of rank 4, 5, 5, 4 */
    oribi_value_id spread_to, joined_to;         /* shapes that are asked for */
} chain;

static const oribi_shape *shape_of(const chain *c, oribi_value_id value)
{
    return &c->graph->values[value]->shape;
}

/* The shape that the node is given, or -1. */
static oribi_value_id wanted_shape(const oribi_node *node)
{
    return node->n_inputs == 2 ? node->inputs[1] : -1;
}

static bool find_chain(oribi_graph *graph, oribi_value_id value, chain *out)
{
    const oribi_node *join = oribi_graph_producer(graph, value);
    const oribi_node *spread =
        join != NULL && oribi_pass_has(join, ORIBI_TRAIT_VIEW) && join->n_inputs == 2
            ? oribi_graph_producer(graph, join->inputs[0])
            : NULL;
    const oribi_node *apart = oribi_pass_is(spread, "BroadcastTo")
                                  ? oribi_graph_producer(graph, spread->inputs[0])
                                  : NULL;
    if (!oribi_pass_is(apart, "ExpandDims")) {
        return false;
    }
    *out = (chain){.graph = graph,
                   .heads = apart->inputs[0],
                   .apart = apart->outputs[0],
                   .spread = spread->outputs[0],
                   .joined = value,
                   .spread_to = wanted_shape(spread),
                   .joined_to = wanted_shape(join)};
    return shape_of(out, out->heads)->rank == 4 && shape_of(out, out->apart)->rank == 5 &&
           shape_of(out, out->spread)->rank == 5 && shape_of(out, value)->rank == 4;
}

/* Is element k of the shape, computed when the graph's dims are as they are now, `dim`? A choice
 * between two shapes, as ONNX's rules make one, must have it both ways. */
static bool has_dim(const chain *c, oribi_value_id shape, int32_t k, int64_t dim)
{
    const oribi_node *node = oribi_graph_producer(c->graph, shape);
    oribi_dims found;
    if (oribi_pass_is(node, "SelectV2")) {
        return has_dim(c, node->inputs[1], k, dim) && has_dim(c, node->inputs[2], k, dim);
    }
    return oribi_graph_known_ints(c->graph, shape, &found) && found.n > k && found.at[k] == dim;
}

/* Are batch and length kept, where the heads have these? What a model computes of shapes are sums,
 * products and quotients: what holds for a few numbers holds for all. Of the other dims shapes
 * tell, and with all but one known the number of elements tells that one. */
static bool keeps(const chain *c, int64_t batch, int64_t length, int64_t times)
{
    const oribi_value_id ids[3] = {c->heads, c->apart, c->spread};
    oribi_shape before[3];
    int64_t dims[3][5];
    for (int i = 0; i < 3; i++) {
        oribi_shape *shape = &c->graph->values[ids[i]]->shape;
        const int32_t along = i == 0 ? 2 : 3;
        before[i] = *shape;
        for (int32_t k = 0; k < shape->rank; k++) {
            dims[i][k] = shape->dims[k];
        }
        dims[i][0] = dims[i][0] < 0 ? batch : dims[i][0];
        dims[i][along] = dims[i][along] < 0 ? length : dims[i][along];
        shape->dims = dims[i];
    }
    dims[2][2] = dims[2][2] < 0 ? times : dims[2][2];
    const bool good =
        dims[0][0] == dims[1][0] && dims[0][0] == dims[2][0] && dims[0][2] == dims[1][3] &&
        dims[0][2] == dims[2][3] && has_dim(c, c->spread_to, 0, dims[0][0]) &&
        has_dim(c, c->spread_to, 3, dims[0][2]) && has_dim(c, c->joined_to, 0, dims[0][0]);
    for (int i = 0; i < 3; i++) {
        c->graph->values[ids[i]]->shape = before[i];
    }
    return good;
}

oribi_value_id oribi_pass_unrepeat(oribi_graph *graph, oribi_value_id value, int64_t *out_times)
{
    static const int64_t numbers[][2] = {{7, 11}, {13, 5}, {1, 1}, {1009, 613}};
    chain c;
    if (!find_chain(graph, value, &c) || c.spread_to < 0 || c.joined_to < 0) {
        return -1;
    }
    const int64_t *heads = shape_of(&c, c.heads)->dims, *apart = shape_of(&c, c.apart)->dims;
    const int64_t *spread = shape_of(&c, c.spread)->dims, *joined = shape_of(&c, value)->dims;
    if (heads[1] < 1 || heads[3] < 1 || apart[1] != heads[1] || apart[2] != 1 ||
        apart[4] != heads[3] || spread[1] != heads[1] || spread[4] != heads[3] ||
        joined[3] != heads[3] || joined[1] < heads[1] || joined[1] % heads[1] != 0) {
        return -1;
    }
    *out_times = joined[1] / heads[1];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!keeps(&c, numbers[i][0], numbers[i][1], *out_times)) {
            return -1;
        }
    }
    return c.heads;
}
