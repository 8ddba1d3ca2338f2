/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes make, fill and read lists: TensorList... of functions, and TensorArray... of older
 * graphs, whose list is what they call their flow.
 */
#include "import/tensorflow/tf_list.h"

/* --- TensorList ----------------------------------------------------------------------------- */

/* The input that says the shape of the elements, if it says all of it; else -1. */
static oribi_value_id full_shape(const oribi_tf_maker *m, oribi_value_id shape)
{
    const oribi_graph *graph = m->tf->graph;
    oribi_dims dims;
    if (shape < 0 || !oribi_graph_constant_ints(graph, shape, &dims) ||
        graph->values[shape]->shape.rank != 1) {
        return -1;
    }
    for (int32_t i = 0; i < dims.n; i++) {
        if (dims.at[i] < 0) {
            return -1;
        }
    }
    return oribi_tf_cast(m, shape, TF_INT32);
}

int32_t oribi_tf_list_reserve(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                              oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 2, status)
               ? oribi_tf_give(&m,
                               oribi_tf_list_new(&m, oribi_tf_attr_type(node, "element_dtype", 0),
                                                 node->inputs[1], full_shape(&m, node->inputs[0])),
                               out)
               : -1;
}

int32_t oribi_tf_list_empty(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 1, status)
               ? oribi_tf_give(&m,
                               oribi_tf_list_new(&m, oribi_tf_attr_type(node, "element_dtype", 0),
                                                 oribi_tf_int(&m, 0),
                                                 full_shape(&m, node->inputs[0])),
                               out)
               : -1;
}

int32_t oribi_tf_list_set(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                          oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 3, status)
               ? oribi_tf_give(
                     &m,
                     oribi_tf_list_stored(
                         &m, node->inputs[0], node->inputs[1], node->inputs[2],
                         oribi_tf_attr_bool(node, "resize_if_index_out_of_bounds", false)),
                     out)
               : -1;
}

int32_t oribi_tf_list_get(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                          oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 2, status)
               ? oribi_tf_give(&m, oribi_tf_take(&m, node->inputs[0], node->inputs[1]), out)
               : -1;
}

int32_t oribi_tf_list_length(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 1, status)
               ? oribi_tf_give(&m, oribi_tf_list_size(&m, node->inputs[0]), out)
               : -1;
}

int32_t oribi_tf_list_push(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                           oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 2, status)
               ? oribi_tf_give(&m, oribi_tf_list_pushed(&m, node->inputs[0], node->inputs[1]), out)
               : -1;
}

/* What is left, and the last element. */
int32_t oribi_tf_list_pop(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                          oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    if (!oribi_tf_has(node, 1, status)) {
        return -1;
    }
    const oribi_value_id last =
        oribi_tf_emit2(&m, "Sub", oribi_tf_list_size(&m, node->inputs[0]), oribi_tf_int(&m, 1));
    out[1] = oribi_tf_take(&m, node->inputs[0], last);
    return oribi_tf_give(&m, oribi_tf_list_resized(&m, node->inputs[0], last), out) == 1 ? 2 : -1;
}

int32_t oribi_tf_list_join(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                           oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 1, status) && oribi_tf_list_concat(&m, node->inputs[0], out) ? 2 : -1;
}

int32_t oribi_tf_list_join_two(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                               oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 2, status)
               ? oribi_tf_give(&m, oribi_tf_joined(&m, node->inputs[0], node->inputs[1]), out)
               : -1;
}

int32_t oribi_tf_list_parts(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 3, status)
               ? oribi_tf_give(&m, oribi_tf_list_split(&m, node->inputs[0], node->inputs[2]), out)
               : -1;
}

int32_t oribi_tf_list_gather(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 2, status)
               ? oribi_tf_give(&m, oribi_tf_list_gathered(&m, node->inputs[0], node->inputs[1]),
                               out)
               : -1;
}

/* A new list: as long as the highest place asks, or as the fourth input says. */
int32_t oribi_tf_list_scatter(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                              oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    if (!oribi_tf_has(node, 3, status)) {
        return -1;
    }
    const oribi_value_id values = node->inputs[0], places = node->inputs[1];
    oribi_value_id size = node->n_inputs > 3 ? node->inputs[3] : -1;
    oribi_dims known;
    if (size < 0 || (oribi_graph_constant_ints(m.tf->graph, size, &known) && known.at[0] < 0)) {
        size = oribi_tf_emit2(&m, "AddV2", oribi_tf_int(&m, 1),
                              oribi_tf_emit2(&m, "Max", places, oribi_tf_int(&m, 0)));
    }
    const oribi_value_id shape = oribi_tf_rest(&m, oribi_tf_emit1(&m, "Shape", values), 1);
    const oribi_value_id list = oribi_tf_list_new(&m, oribi_tf_dtype(&m, values), size, shape);
    return oribi_tf_give(&m, oribi_tf_list_scattered(&m, list, places, values, false), out);
}

int32_t oribi_tf_list_scatter_into(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                                   oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 3, status)
               ? oribi_tf_give(&m,
                               oribi_tf_list_scattered(&m, node->inputs[0], node->inputs[2],
                                                       node->inputs[1], true),
                               out)
               : -1;
}

int32_t oribi_tf_list_element_shape(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                                    oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    if (!oribi_tf_has(node, 1, status)) {
        return -1;
    }
    const oribi_value_id shape = oribi_tf_rest(&m, oribi_tf_emit1(&m, "Shape", node->inputs[0]), 1);
    return oribi_tf_give(
        &m, oribi_tf_cast(&m, shape, oribi_tf_attr_type(node, "shape_type", TF_INT32)), out);
}

int32_t oribi_tf_list_resize(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 2, status)
               ? oribi_tf_give(&m, oribi_tf_list_resized(&m, node->inputs[0], node->inputs[1]), out)
               : -1;
}

/* --- TensorArray ---------------------------------------------------------------------------- */

/* The shape of the elements as a vector, where the attribute says all of it; else -1. */
static oribi_value_id element_shape(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    static const oribi_attr_def def = {.name = "element_shape", .kind = TF_ATTR_SHAPE};
    oribi_attrs attrs = {0};
    oribi_wire value;
    if (!oribi_graphdef_attr(node->message, def.name, &value, m->status) ||
        !oribi_graphdef_read_attr(m->tf->graph, &attrs, def.name, &def, value, m->status) ||
        attrs.count == 0) {
        return -1;
    }
    const oribi_shape *shape = attrs.items[0].u.shape;
    int32_t *dims = shape->rank >= 0 && shape->rank <= ORIBI_MAX_RANK
                        ? oribi_arena_array(&m->tf->kept, (size_t)shape->rank + 1, sizeof *dims)
                        : NULL;
    if (dims == NULL) {
        return -1;
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0 || shape->dims[i] > INT32_MAX) {
            return -1;
        }
        dims[i] = (int32_t)shape->dims[i];
    }
    return oribi_tf_ints(m, dims, shape->rank);
}

/* Its handle, of which only the attributes of this node are asked, and the flow: the list. */
int32_t oribi_tf_array_new(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                           oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    if (!oribi_tf_has(node, 1, status)) {
        return -1;
    }
    const TF_DataType dtype = oribi_tf_attr_type(node, "dtype", 0);
    const oribi_value_id shape = element_shape(&m, node);
    const oribi_value_id handle = oribi_tf_list_new(&m, dtype, node->inputs[0], -1);
    const oribi_value_id flow =
        shape >= 0 ? oribi_tf_list_new(&m, dtype, node->inputs[0], shape) : handle;
    if (oribi_tf_give(&m, flow, &out[1]) != 1) {
        return -1;
    }
    oribi_tf_handle_at(m.tf, handle, ORIBI_TF_LIST, status)->grows =
        oribi_tf_attr_bool(node, "dynamic_size", false);
    out[0] = handle;
    return 2;
}

static bool grows(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    const oribi_tf_handle *handle =
        oribi_tf_handle_at(m->tf, node->inputs[0], ORIBI_TF_LIST, m->status);
    return handle != NULL && handle->grows;
}

int32_t oribi_tf_array_write(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 4, status)
               ? oribi_tf_give(&m,
                               oribi_tf_list_stored(&m, node->inputs[3], node->inputs[1],
                                                    node->inputs[2], grows(&m, node)),
                               out)
               : -1;
}

int32_t oribi_tf_array_scatter(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                               oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 4, status)
               ? oribi_tf_give(&m,
                               oribi_tf_list_scattered(&m, node->inputs[3], node->inputs[1],
                                                       node->inputs[2], grows(&m, node)),
                               out)
               : -1;
}

/* One element, or those at several places. */
int32_t oribi_tf_array_read(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 3, status)
               ? oribi_tf_give(&m, oribi_tf_list_gathered(&m, node->inputs[2], node->inputs[1]),
                               out)
               : -1;
}

int32_t oribi_tf_array_size(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 2, status)
               ? oribi_tf_give(&m, oribi_tf_list_size(&m, node->inputs[1]), out)
               : -1;
}

int32_t oribi_tf_array_concat(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                              oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 2, status) && oribi_tf_list_concat(&m, node->inputs[1], out) ? 2 : -1;
}

int32_t oribi_tf_array_split(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    const oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
    (void)max;
    return oribi_tf_has(node, 4, status)
               ? oribi_tf_give(&m, oribi_tf_list_split(&m, node->inputs[1], node->inputs[2]), out)
               : -1;
}
