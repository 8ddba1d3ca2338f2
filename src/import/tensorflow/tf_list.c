/* SPDX-License-Identifier: Apache-2.0 */
/* Lists as tensors: see tf_list.h. Which node does what is in tf_list_nodes.c.
 */
#include "import/tensorflow/tf_list.h"

#include <string.h>

/* --- What a list is ------------------------------------------------------------------------- */

static bool is_list(const oribi_tf *tf, oribi_value_id id)
{
    const int64_t i = -2 - (int64_t)id;
    return i >= 0 && i < tf->n_handles && tf->handles[i].kind == ORIBI_TF_LIST;
}

oribi_value_id oribi_tf_list_new(const oribi_tf_maker *m, TF_DataType dtype, oribi_value_id count,
                                 oribi_value_id element_shape)
{
    oribi_tf *tf = m->tf;
    if (element_shape >= 0) {
        return oribi_tf_zeros(m, dtype,
                              oribi_tf_joined(m, oribi_tf_as_vector(m, count), element_shape));
    }
    const oribi_string name = {m->name, strlen(m->name)};
    const oribi_value_id id =
        oribi_ok(m->status) ? oribi_tf_handle_of(tf, ORIBI_TF_LIST, name, m->name, m->status) : -1;
    if (id != -1) {
        oribi_tf_handle *list = oribi_tf_handle_at(tf, id, ORIBI_TF_LIST, m->status);
        list->dtype = dtype;
        list->scope = tf->scope;
        list->values[0] = count;
        list->values[1] = -1;
    }
    return id;
}

/* The handle of a list of this graph; NULL: status set. */
static oribi_tf_handle *handle_here(const oribi_tf_maker *m, oribi_value_id list)
{
    oribi_tf_handle *handle =
        oribi_ok(m->status) ? oribi_tf_handle_at(m->tf, list, ORIBI_TF_LIST, m->status) : NULL;
    return handle == NULL || handle->scope == m->tf->scope ||
                   oribi_fail(m->status, TF_UNIMPLEMENTED,
                              "a list of another graph, whose elements have no shape yet")
               ? handle
               : NULL;
}

/* The tensor that a list is whose elements have this shape, a vector; itself, if it is one. */
static oribi_value_id tensor_of(const oribi_tf_maker *m, oribi_value_id list, oribi_value_id shape)
{
    if (list >= 0) {
        return list;
    }
    const oribi_tf_handle *handle = handle_here(m, list);
    return handle != NULL ? oribi_tf_list_new(m, handle->dtype, handle->values[0], shape) : -1;
}

/* Is nothing but the shape of its elements asked of this list? Then that is noted. */
static bool is_probed(const oribi_tf_maker *m, oribi_value_id list, oribi_value_id element_shape)
{
    if (list >= 0 || m->tf->probe_depth == 0) {
        return false;
    }
    oribi_tf_handle *handle = handle_here(m, list);
    if (handle != NULL) {
        handle->values[1] = element_shape;
    }
    return handle != NULL;
}

oribi_value_id oribi_tf_list_size(const oribi_tf_maker *m, oribi_value_id list)
{
    if (is_list(m->tf, list)) {
        const oribi_tf_handle *handle = handle_here(m, list);
        return handle != NULL ? handle->values[0] : -1;
    }
    return oribi_tf_size_of(m, list, 0);
}

/* --- Storing -------------------------------------------------------------------------------- */

/* Where element i begins: (i, 0, ..), as many as the list has dimensions. */
static oribi_value_id place_of(const oribi_tf_maker *m, oribi_value_id index, int32_t rank)
{
    const int32_t rest = rank - 1;
    const oribi_value_id place = oribi_tf_as_vector(m, index);
    return rest > 0
               ? oribi_tf_joined(m, place, oribi_tf_zeros(m, TF_INT32, oribi_tf_ints(m, &rest, 1)))
               : place;
}

/* With nought behind its elements, so that there are `size`; as it is, if there are more. */
static oribi_value_id lengthened(const oribi_tf_maker *m, oribi_value_id list, oribi_value_id size)
{
    const oribi_value_id more =
        oribi_tf_emit2(m, "Maximum", oribi_tf_int(m, 0),
                       oribi_tf_emit2(m, "Sub", size, oribi_tf_list_size(m, list)));
    const oribi_value_id shape = oribi_tf_rest(m, oribi_tf_shape(m, list), 1);
    return oribi_tf_joined(m, list, oribi_tf_list_new(m, oribi_tf_dtype(m, list), more, shape));
}

oribi_value_id oribi_tf_list_stored(const oribi_tf_maker *m, oribi_value_id list,
                                    oribi_value_id index, oribi_value_id element, bool grows)
{
    const oribi_value_id shape = oribi_tf_shape(m, element);
    if (is_probed(m, list, shape)) {
        return list;
    }
    list = tensor_of(m, list, shape);
    if (grows) {
        list = lengthened(m, list, oribi_tf_emit2(m, "AddV2", index, oribi_tf_int(m, 1)));
    }
    const oribi_value_id update = oribi_tf_emit2(m, "ExpandDims", element, oribi_tf_int(m, 0));
    const int32_t of_list = oribi_tf_rank(m, list), rank = oribi_tf_rank(m, update);
    if (of_list > 0 || rank > 0) {
        return oribi_tf_emit3(m, "Oribi>UpdateSlice", list, update,
                              place_of(m, index, of_list > 0 ? of_list : rank));
    }
    static const int32_t one[] = {1, 1}; /* the op that need not know it */
    return oribi_tf_emit3(m, "TensorScatterUpdate", list, oribi_tf_reshape(m, index, one, 2),
                          update);
}

oribi_value_id oribi_tf_list_pushed(const oribi_tf_maker *m, oribi_value_id list,
                                    oribi_value_id element)
{
    const oribi_value_id shape = oribi_tf_shape(m, element);
    return is_probed(m, list, shape)
               ? list
               : oribi_tf_joined(m, tensor_of(m, list, shape),
                                 oribi_tf_emit2(m, "ExpandDims", element, oribi_tf_int(m, 0)));
}

/* The value's only integer, where it is constant; -1: it is not, or is negative. */
static int64_t known_int(const oribi_tf_maker *m, oribi_value_id value)
{
    oribi_dims dims;
    return value >= 0 && oribi_graph_constant_ints(m->tf->graph, value, &dims) && dims.n == 1
               ? dims.at[0]
               : -1;
}

/* Is the number how many slices x has: the constant, or an element of its Shape? */
static bool is_size_of(const oribi_tf_maker *m, oribi_value_id number, oribi_value_id x)
{
    const oribi_graph *graph = m->tf->graph;
    const oribi_shape *shape = &graph->values[x]->shape;
    if (known_int(m, number) >= 0) {
        return shape->rank > 0 && shape->dims[0] == known_int(m, number);
    }
    const oribi_node *element = oribi_graph_producer(graph, number);
    const bool is_element = element != NULL && element->n_inputs > 1 &&
                            (strcmp(element->op->name, "GatherV2") == 0 ||
                             strcmp(element->op->name, "StridedSlice") == 0);
    const oribi_node *of = is_element ? oribi_graph_producer(graph, element->inputs[0]) : NULL;
    return of != NULL && strcmp(of->op->name, "Shape") == 0 && of->inputs[0] == x &&
           known_int(m, element->inputs[1]) == 0;
}

/* Are the places 0, 1, .. up to the last slice of x? */
static bool are_all_of(const oribi_tf_maker *m, oribi_value_id places, oribi_value_id x)
{
    const oribi_graph *graph = m->tf->graph;
    oribi_dims dims;
    if (places < 0 || x < 0 || !oribi_ok(m->status)) {
        return false;
    }
    if (oribi_graph_constant_ints(graph, places, &dims)) {
        const oribi_shape *shape = &graph->values[x]->shape;
        bool same = shape->rank > 0 && shape->dims[0] == dims.n;
        for (int32_t i = 0; i < dims.n; i++) {
            same = same && dims.at[i] == i;
        }
        return same;
    }
    const oribi_node *range = oribi_graph_producer(graph, places);
    return range != NULL && strcmp(range->op->name, "Range") == 0 && range->n_inputs == 3 &&
           known_int(m, range->inputs[0]) == 0 && known_int(m, range->inputs[2]) == 1 &&
           is_size_of(m, range->inputs[1], x);
}

oribi_value_id oribi_tf_list_scattered(const oribi_tf_maker *m, oribi_value_id list,
                                       oribi_value_id places, oribi_value_id values, bool grows)
{
    static const int32_t column[] = {-1, 1};
    if (is_list(m->tf, list) && are_all_of(m, places, values)) {
        return values; /* as unstacking does */
    }
    const oribi_value_id shape = oribi_tf_rest(m, oribi_tf_shape(m, values), 1);
    if (is_probed(m, list, shape)) {
        return list;
    }
    list = tensor_of(m, list, shape);
    if (grows) {
        const oribi_value_id last = oribi_tf_emit2(m, "Max", places, oribi_tf_int(m, 0));
        list = lengthened(m, list, oribi_tf_emit2(m, "AddV2", last, oribi_tf_int(m, 1)));
    }
    return oribi_tf_emit3(m, "TensorScatterUpdate", list, oribi_tf_reshape(m, places, column, 2),
                          values);
}

/* --- Reading -------------------------------------------------------------------------------- */

oribi_value_id oribi_tf_list_gathered(const oribi_tf_maker *m, oribi_value_id list,
                                      oribi_value_id places)
{
    return are_all_of(m, places, list) ? list : oribi_tf_take(m, list, places);
}

oribi_value_id oribi_tf_list_concat(const oribi_tf_maker *m, oribi_value_id list)
{
    static const int32_t all[] = {-1};
    const oribi_value_id shape = oribi_tf_shape(m, list);
    const oribi_value_id dims =
        oribi_tf_joined(m, oribi_tf_ints(m, all, 1), oribi_tf_rest(m, shape, 2));
    const oribi_value_id length =
        oribi_tf_cast(m, oribi_tf_take(m, shape, oribi_tf_int(m, 1)), TF_INT64);
    m->out[1] =
        oribi_tf_emit2(m, "Fill", oribi_tf_as_vector(m, oribi_tf_list_size(m, list)), length);
    return oribi_tf_emit2(m, "Reshape", list, dims);
}

oribi_value_id oribi_tf_list_split(const oribi_tf_maker *m, oribi_value_id tensor,
                                   oribi_value_id lengths)
{
    /* As many parts as there are lengths, each as long as the longest: where one is shorter, the
     * tensor has too few elements. */
    const oribi_value_id longest =
        oribi_tf_cast(m, oribi_tf_emit2(m, "Max", lengths, oribi_tf_int(m, 0)), TF_INT32);
    const oribi_value_id parts = oribi_tf_joined(
        m, oribi_tf_as_vector(m, oribi_tf_size_of(m, lengths, 0)), oribi_tf_as_vector(m, longest));
    const oribi_value_id rest = oribi_tf_rest(m, oribi_tf_shape(m, tensor), 1);
    return oribi_tf_emit2(m, "Reshape", tensor, oribi_tf_joined(m, parts, rest));
}

oribi_value_id oribi_tf_list_resized(const oribi_tf_maker *m, oribi_value_id list,
                                     oribi_value_id size)
{
    if (is_list(m->tf, list)) {
        oribi_tf_handle *handle = handle_here(m, list);
        if (handle != NULL) {
            handle->values[0] = size;
        }
        return list;
    }
    const oribi_value_id enough = lengthened(m, list, size);
    return oribi_tf_take(m, enough,
                         oribi_tf_emit3(m, "Range", oribi_tf_int(m, 0), size, oribi_tf_int(m, 1)));
}

/* --- Loops ---------------------------------------------------------------------------------- */

/* A list after one iteration: what stands in its place before the first. */
static bool settle(const oribi_tf_maker *m, oribi_value_id next, oribi_value_id *list)
{
    const oribi_tf_handle *handle = oribi_tf_handle_at(m->tf, *list, ORIBI_TF_LIST, m->status);
    ORIBI_TRY(handle != NULL);
    if (next == ORIBI_TF_BLOCKED) {
        *list = ORIBI_TF_BLOCKED;
    } else if (next >= 0) { /* a loop inside has filled it */
        const oribi_value_id shape = oribi_tf_rest(m, oribi_tf_shape(m, next), 1);
        *list = tensor_of(m, *list, shape);
    } else if (handle->values[1] >= 0) {
        *list = tensor_of(m, *list, handle->values[1]);
    } else {
        return oribi_fail(m->status, TF_UNIMPLEMENTED,
                          "a list that the loop takes, but does not store into");
    }
    return oribi_ok(m->status);
}

bool oribi_tf_list_settle(oribi_tf_loop *loop, TF_Status *status)
{
    oribi_tf *tf = loop->tf;
    const oribi_tf_maker m = {.tf = tf, .name = loop->label, .status = status};
    oribi_value_id *next = oribi_arena_array(&tf->kept, (size_t)loop->n + 1, sizeof *next);
    bool is_needed = false;
    ORIBI_TRY(next != NULL || oribi_fail_memory(status));
    for (int32_t i = 0; i < loop->n; i++) {
        is_needed = is_needed || (loop->is_carried[i] && is_list(tf, loop->inputs[i]));
    }
    if (!is_needed) {
        return true;
    }
    tf->probe_depth++;
    const bool ok = loop->body(loop, loop->inputs, next, status);
    tf->probe_depth--;
    for (int32_t i = 0; ok && i < loop->n; i++) {
        ORIBI_TRY(!loop->is_carried[i] || !is_list(tf, loop->inputs[i]) ||
                  settle(&m, next[i], &loop->inputs[i]));
    }
    return ok;
}
