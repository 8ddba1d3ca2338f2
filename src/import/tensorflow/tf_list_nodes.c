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

static oribi_value_id list_reserve(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_new(m, oribi_tf_attr_type(node, "element_dtype", 0), node->inputs[1],
                             full_shape(m, node->inputs[0]));
}

static oribi_value_id list_empty(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_new(m, oribi_tf_attr_type(node, "element_dtype", 0), oribi_tf_int(m, 0),
                             full_shape(m, node->inputs[0]));
}

static oribi_value_id list_set(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_stored(m, node->inputs[0], node->inputs[1], node->inputs[2],
                                oribi_tf_attr_bool(node, "resize_if_index_out_of_bounds", false));
}

static oribi_value_id list_get(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_take(m, node->inputs[0], node->inputs[1]);
}

static oribi_value_id list_length(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_size(m, node->inputs[0]);
}

static oribi_value_id list_push(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_pushed(m, node->inputs[0], node->inputs[1]);
}

/* What is left, and the last element. */
static oribi_value_id list_pop(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    const oribi_value_id last =
        oribi_tf_emit2(m, "Sub", oribi_tf_list_size(m, node->inputs[0]), oribi_tf_int(m, 1));
    m->out[1] = oribi_tf_take(m, node->inputs[0], last);
    return oribi_tf_list_resized(m, node->inputs[0], last);
}

static oribi_value_id list_join(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_concat(m, node->inputs[0]);
}

static oribi_value_id list_join_two(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_joined(m, node->inputs[0], node->inputs[1]);
}

static oribi_value_id list_parts(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_split(m, node->inputs[0], node->inputs[2]);
}

static oribi_value_id list_gather(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_gathered(m, node->inputs[0], node->inputs[1]);
}

/* A new list: as long as the highest place asks, or as the fourth input says. */
static oribi_value_id list_scatter(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    const oribi_value_id values = node->inputs[0], places = node->inputs[1];
    oribi_value_id size = node->n_inputs > 3 ? node->inputs[3] : -1;
    oribi_dims known;
    if (size < 0 || (oribi_graph_constant_ints(m->tf->graph, size, &known) && known.n == 1 &&
                     known.at[0] < 0)) {
        size = oribi_tf_emit2(m, "AddV2", oribi_tf_int(m, 1),
                              oribi_tf_emit2(m, "Max", places, oribi_tf_int(m, 0)));
    }
    const oribi_value_id shape = oribi_tf_rest(m, oribi_tf_shape(m, values), 1);
    const oribi_value_id list = oribi_tf_list_new(m, oribi_tf_dtype(m, values), size, shape);
    return oribi_tf_list_scattered(m, list, places, values, false);
}

static oribi_value_id list_scatter_into(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_scattered(m, node->inputs[0], node->inputs[2], node->inputs[1], true);
}

static oribi_value_id element_shape_of(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    const oribi_value_id shape = oribi_tf_rest(m, oribi_tf_shape(m, node->inputs[0]), 1);
    return oribi_tf_cast(m, shape, oribi_tf_attr_type(node, "shape_type", TF_INT32));
}

static oribi_value_id list_resize(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_resized(m, node->inputs[0], node->inputs[1]);
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
static oribi_value_id array_new(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    const TF_DataType dtype = oribi_tf_attr_type(node, "dtype", 0);
    const oribi_value_id shape = element_shape(m, node);
    const oribi_value_id handle = oribi_tf_list_new(m, dtype, node->inputs[0], -1);
    const oribi_value_id flow =
        shape >= 0 ? oribi_tf_list_new(m, dtype, node->inputs[0], shape) : handle;
    if (handle != -1) {
        oribi_tf_handle_at(m->tf, handle, ORIBI_TF_LIST, m->status)->grows =
            oribi_tf_attr_bool(node, "dynamic_size", false);
    }
    m->out[1] = flow;
    return handle;
}

static bool grows(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    const oribi_tf_handle *handle =
        oribi_tf_handle_at(m->tf, node->inputs[0], ORIBI_TF_LIST, m->status);
    return handle != NULL && handle->grows;
}

static oribi_value_id array_write(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_stored(m, node->inputs[3], node->inputs[1], node->inputs[2],
                                grows(m, node));
}

static oribi_value_id array_scatter(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_scattered(m, node->inputs[3], node->inputs[1], node->inputs[2],
                                   grows(m, node));
}

/* One element, or those at several places. */
static oribi_value_id array_read(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_gathered(m, node->inputs[2], node->inputs[1]);
}

static oribi_value_id array_size(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_size(m, node->inputs[1]);
}

static oribi_value_id array_concat(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_concat(m, node->inputs[1]);
}

static oribi_value_id array_split(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    return oribi_tf_list_split(m, node->inputs[1], node->inputs[2]);
}

/* --- What needs nothing ---------------------------------------------------------------------- */

static oribi_value_id same(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    (void)m;
    return node->inputs[0];
}

static oribi_value_id nothing(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    (void)node;
    *m->n_out = 0;
    return -1;
}

const oribi_tf_row oribi_tf_list_rows[] = {
    {"EmptyTensorList", 1, list_empty, NULL, NULL},
    {"TensorArrayCloseV3", 0, nothing, NULL, NULL},
    {"TensorArrayConcatV3", 2, array_concat, "value lengths", NULL},
    {"TensorArrayGatherV3", 3, array_read, NULL, NULL},
    {"TensorArrayReadV3", 3, array_read, NULL, NULL},
    {"TensorArrayScatterV3", 4, array_scatter, NULL, NULL},
    {"TensorArraySizeV3", 2, array_size, NULL, NULL},
    {"TensorArraySplitV3", 4, array_split, NULL, NULL},
    {"TensorArrayV3", 1, array_new, "handle flow", NULL},
    {"TensorArrayWriteV3", 4, array_write, NULL, NULL},
    {"TensorListConcat", 1, list_join, "tensor lengths", NULL},
    {"TensorListConcatLists", 2, list_join_two, NULL, NULL},
    {"TensorListConcatV2", 1, list_join, "tensor lengths", NULL},
    {"TensorListElementShape", 1, element_shape_of, NULL, NULL},
    {"TensorListFromTensor", 1, same, NULL, NULL},
    {"TensorListGather", 2, list_gather, NULL, NULL},
    {"TensorListGetItem", 2, list_get, NULL, NULL},
    {"TensorListLength", 1, list_length, NULL, NULL},
    {"TensorListPopBack", 1, list_pop, "output_handle tensor", NULL},
    {"TensorListPushBack", 2, list_push, NULL, NULL},
    {"TensorListReserve", 2, list_reserve, NULL, NULL},
    {"TensorListResize", 2, list_resize, NULL, NULL},
    {"TensorListScatter", 3, list_scatter, NULL, NULL},
    {"TensorListScatterIntoExistingList", 3, list_scatter_into, NULL, NULL},
    {"TensorListScatterV2", 3, list_scatter, NULL, NULL},
    {"TensorListSetItem", 3, list_set, NULL, NULL},
    {"TensorListSplit", 3, list_parts, NULL, NULL},
    {"TensorListStack", 1, same, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
