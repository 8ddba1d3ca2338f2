/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tensors, as TensorFlow's loops fill and read them. A list is one tensor here, whose
 * first dimension counts its elements. One that was only reserved may not know the shape of its
 * elements: it is a handle until something is stored, or, where a loop does that, until one
 * iteration, of which nothing but shapes is used, has said what will be.
 */
#include <string.h>

#include "import/tensorflow/tensorflow.h"

/* --- Making nodes --------------------------------------------------------------------------- */

/* An input that is -1 failed before: so does what is made of it. */
static oribi_value_id make(oribi_tf *tf, const char *name, const char *op,
                           const oribi_value_id *inputs, int32_t n, TF_Status *status)
{
    for (int32_t i = 0; i < n; i++) {
        if (inputs[i] < 0) {
            (void)(!oribi_ok(status) ||
                   oribi_fail(status, TF_UNIMPLEMENTED, "a list of what is no tensor"));
            return -1;
        }
    }
    oribi_node *node = oribi_graph_add_node(tf->graph, op, name, inputs, n, 1, status);
    return node != NULL && oribi_graph_resolve(tf->graph, node, status) ? node->outputs[0] : -1;
}

static oribi_value_id ints(oribi_tf *tf, const char *name, const int32_t *values, int32_t n,
                           bool is_scalar, TF_Status *status)
{
    const int64_t dims[] = {n};
    return oribi_graph_add_constant_copy(tf->graph, name, TF_INT32, dims, is_scalar ? 0 : 1, values,
                                         status);
}

/* A number as a vector of one. */
static oribi_value_id as_vector(oribi_tf *tf, const char *name, oribi_value_id number,
                                TF_Status *status)
{
    static const int32_t one[] = {1};
    const oribi_value_id inputs[] = {number, ints(tf, name, one, 1, false, status)};
    return make(tf, name, "Reshape", inputs, 2, status);
}

static oribi_value_id joined(oribi_tf *tf, const char *name, oribi_value_id a, oribi_value_id b,
                             TF_Status *status)
{
    static const int32_t zero = 0;
    const oribi_value_id inputs[] = {a, b, ints(tf, name, &zero, 1, true, status)};
    return make(tf, name, "ConcatV2", inputs, 3, status);
}

/* Zeros: count of them of the shape that a vector says. */
static oribi_value_id zeros(oribi_tf *tf, const char *name, TF_DataType dtype, oribi_value_id count,
                            oribi_value_id shape, TF_Status *status)
{
    static const uint64_t zero[2];
    if (oribi_dtype_bytes(dtype) == 0 || oribi_dtype_bytes(dtype) > sizeof zero) {
        oribi_fail(status, TF_UNIMPLEMENTED, "a list of elements of type %s",
                   oribi_dtype_name(dtype));
        return -1;
    }
    const oribi_value_id dims = joined(tf, name, as_vector(tf, name, count, status), shape, status);
    const oribi_value_id value =
        dims < 0 ? -1
                 : oribi_graph_add_constant_copy(tf->graph, name, dtype, NULL, 0, zero, status);
    const oribi_value_id inputs[] = {dims, value};
    return make(tf, name, "Fill", inputs, 2, status);
}

/* --- The ops -------------------------------------------------------------------------------- */

static bool has(const oribi_graphdef_node *node, int32_t n, TF_Status *status)
{
    return node->n_inputs >= n ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "it has %d inputs", (int)node->n_inputs);
}

int32_t oribi_tf_list_reserve(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                              oribi_value_id *out, int32_t max, TF_Status *status)
{
    oribi_tf *tf = scope->tf;
    oribi_dims dims;
    bool is_full = true;
    (void)max;
    if (!has(node, 2, status)) {
        return -1;
    }
    oribi_wire_field field;
    const TF_DataType dtype = oribi_graphdef_attr_field(node->message, "element_dtype", 6, &field)
                                  ? (TF_DataType)field.value
                                  : (TF_DataType)0;
    if (node->inputs[0] >= 0 && oribi_graph_constant_ints(tf->graph, node->inputs[0], &dims)) {
        for (int32_t i = 0; i < dims.n; i++) {
            is_full = is_full && dims.at[i] >= 0;
        }
        is_full = is_full && tf->graph->values[node->inputs[0]]->shape.rank == 1;
    } else {
        is_full = false;
    }
    if (is_full && oribi_ok(status)) {
        out[0] = zeros(tf, node->name, dtype, node->inputs[1], node->inputs[0], status);
        return out[0] >= 0 ? 1 : -1;
    }
    const oribi_string name = {node->name, strlen(node->name)};
    out[0] =
        oribi_ok(status) ? oribi_tf_handle_of(tf, ORIBI_TF_LIST, name, node->name, status) : -1;
    if (out[0] == -1) {
        return -1;
    }
    oribi_tf_handle *list = oribi_tf_handle_at(tf, out[0], ORIBI_TF_LIST, status);
    list->dtype = dtype;
    list->scope = tf->scope;
    list->values[0] = node->inputs[1];
    list->values[1] = -1;
    return 1;
}

/* The tensor that a reserved list is, whose elements are like this one, or `like` all of them. */
static oribi_value_id tensor_of(oribi_tf *tf, const oribi_tf_handle *list, oribi_value_id element,
                                TF_Status *status)
{
    if (list->scope != tf->scope) {
        oribi_fail(status, TF_UNIMPLEMENTED,
                   "a list of another graph, whose elements have no shape yet");
        return -1;
    }
    const oribi_value_id shape = make(tf, list->label, "Shape", &element, 1, status);
    return zeros(tf, list->label, list->dtype, list->values[0], shape, status);
}

/* Where element i begins: (i, 0, ..), as many as the list has dimensions. */
static oribi_value_id place_of(oribi_tf *tf, const char *name, oribi_value_id index, int32_t rank,
                               TF_Status *status)
{
    oribi_value_id place = as_vector(tf, name, index, status);
    if (rank > 1) {
        const int64_t dims[] = {rank - 1};
        const int32_t *zero = oribi_arena_array(&tf->kept, (size_t)rank, sizeof *zero);
        const oribi_value_id rest =
            zero != NULL
                ? oribi_graph_add_constant_copy(tf->graph, name, TF_INT32, dims, 1, zero, status)
                : -1;
        place = joined(tf, name, place, rest, status);
    }
    return place;
}

int32_t oribi_tf_list_set(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                          oribi_value_id *out, int32_t max, TF_Status *status)
{
    static const int32_t zero = 0;
    oribi_tf *tf = scope->tf;
    oribi_value_id list;
    (void)max;
    if (!has(node, 3, status)) {
        return -1;
    }
    list = node->inputs[0];
    if (list < 0) {
        oribi_tf_handle *handle = oribi_tf_handle_at(tf, list, ORIBI_TF_LIST, status);
        if (handle == NULL) {
            return -1;
        }
        if (tf->probe_depth > 0) { /* what it will be is all that is asked */
            handle->values[1] = node->inputs[2];
            out[0] = list;
            return 1;
        }
        list = tensor_of(tf, handle, node->inputs[2], status);
    }
    const oribi_value_id element[] = {node->inputs[2],
                                      ints(tf, node->name, &zero, 1, true, status)};
    const oribi_value_id update = make(tf, node->name, "ExpandDims", element, 2, status);
    if (list < 0 || update < 0) {
        return -1;
    }
    int32_t rank = tf->graph->values[list]->shape.rank;
    rank = rank >= 0 ? rank : tf->graph->values[update]->shape.rank;
    if (rank < 1 || rank > ORIBI_MAX_RANK) { /* not known: the op that need not know it */
        static const int32_t ones[] = {1, 1};
        const oribi_value_id one[] = {node->inputs[1],
                                      ints(tf, node->name, ones, 2, false, status)};
        const oribi_value_id places = make(tf, node->name, "Reshape", one, 2, status);
        const oribi_value_id scattered[] = {list, places, update};
        out[0] = make(tf, node->name, "TensorScatterUpdate", scattered, 3, status);
        return out[0] >= 0 ? 1 : -1;
    }
    const oribi_value_id inputs[] = {list, update,
                                     place_of(tf, node->name, node->inputs[1], rank, status)};
    out[0] = make(tf, node->name, "Oribi>UpdateSlice", inputs, 3, status);
    return out[0] >= 0 ? 1 : -1;
}

/* Element i of a tensor's first dimension. */
static int32_t take(oribi_tf *tf, const char *name, oribi_value_id from, oribi_value_id index,
                    oribi_value_id *out, TF_Status *status)
{
    static const int32_t zero = 0;
    const oribi_value_id inputs[] = {from, index, ints(tf, name, &zero, 1, true, status)};
    out[0] = make(tf, name, "GatherV2", inputs, 3, status);
    return out[0] >= 0 ? 1 : -1;
}

int32_t oribi_tf_list_get(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                          oribi_value_id *out, int32_t max, TF_Status *status)
{
    (void)max;
    return has(node, 2, status)
               ? take(scope->tf, node->name, node->inputs[0], node->inputs[1], out, status)
               : -1;
}

int32_t oribi_tf_list_length(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    static const int32_t zero = 0;
    oribi_tf *tf = scope->tf;
    (void)max;
    if (!has(node, 1, status)) {
        return -1;
    }
    if (node->inputs[0] < 0) {
        const oribi_tf_handle *handle =
            oribi_tf_handle_at(tf, node->inputs[0], ORIBI_TF_LIST, status);
        out[0] = handle != NULL ? handle->values[0] : -1;
        return out[0] >= 0 ? 1 : -1;
    }
    return take(tf, node->name, make(tf, node->name, "Shape", node->inputs, 1, status),
                ints(tf, node->name, &zero, 1, true, status), out, status);
}

/* --- Loops ---------------------------------------------------------------------------------- */

static bool is_list(const oribi_tf *tf, oribi_value_id id)
{
    const int64_t i = -2 - (int64_t)id;
    return i >= 0 && i < tf->n_handles && tf->handles[i].kind == ORIBI_TF_LIST;
}

bool oribi_tf_list_settle(oribi_tf *tf, const oribi_tf_function *body, const char *label,
                          const oribi_value_id *inputs, int32_t n, oribi_value_id *out,
                          TF_Status *status)
{
    oribi_value_id *next = oribi_arena_array(&tf->kept, (size_t)n + 1, sizeof *next);
    bool is_needed = false;
    ORIBI_TRY(next != NULL || oribi_fail_memory(status));
    for (int32_t i = 0; i < n; i++) {
        out[i] = inputs[i];
        is_needed = is_needed || is_list(tf, inputs[i]);
    }
    if (!is_needed) {
        return true;
    }
    const bool *same = oribi_tf_handed_on(tf, body, status);
    ORIBI_TRY(same != NULL);
    tf->probe_depth++;
    const bool ok = oribi_tf_call(tf, body, label, "once", inputs, next, status);
    tf->probe_depth--;
    ORIBI_TRY(ok);
    for (int32_t i = 0; i < n; i++) {
        if (!is_list(tf, inputs[i])) {
            continue;
        }
        const oribi_tf_handle *list = oribi_tf_handle_at(tf, inputs[i], ORIBI_TF_LIST, status);
        if (next[i] == ORIBI_TF_BLOCKED) {
            out[i] = ORIBI_TF_BLOCKED;
        } else if (next[i] >= 0) { /* a loop inside has filled it */
            const oribi_value_id shape = make(tf, label, "Shape", &next[i], 1, status);
            static const uint64_t zero[2];
            const oribi_value_id value =
                oribi_graph_add_constant_copy(tf->graph, label, list->dtype, NULL, 0, zero, status);
            out[i] = make(tf, label, "Fill", (const oribi_value_id[]){shape, value}, 2, status);
        } else if (list->values[1] >= 0) {
            out[i] = tensor_of(tf, list, list->values[1], status);
        } else if (!same[i]) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "a list that the loop takes, but does not store into");
        }
        ORIBI_TRY(oribi_ok(status));
    }
    return true;
}
