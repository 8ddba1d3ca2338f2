/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, CALL_ONCE, and the tensors that operators
 * keep from run to run (is_variable). Operators are read in order, so a variable is at each point a
 * value: what it was before the run, or what was assigned last. What it is at the end becomes the
 * state of the next run (oribi_graph_add_state). The initialiser of CALL_ONCE may assign constants
 * only; its subgraph is walked by tflite_model.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "import/tflite/tflite.h"

static oribi_tflite_variable *add_variable(oribi_tflite_node *n)
{
    oribi_tflite *t = n->tflite;
    oribi_tflite_variable *made = oribi_arena_array(&t->kept, 1, sizeof *made);
    if (made == NULL) {
        (void)oribi_tflite_no_memory(n);
        return NULL;
    }
    made->read = made->current = made->initial = -1;
    *(t->last == NULL ? &t->variables : t->last) = made;
    t->last = &made->next;
    return made;
}

static oribi_tflite_variable *find_variable(oribi_tflite_node *n, const oribi_string *container,
                                            const oribi_string *name)
{
    oribi_tflite *t = n->tflite;
    const size_t bytes = sizeof container->length + container->length + name->length;
    char *key = NULL;
    if (oribi_tflite_spend(t, bytes, n->status)) {
        key = oribi_arena_alloc(&t->kept, bytes);
        if (key == NULL) {
            oribi_fail_memory(n->status);
        }
    }
    n->failed = key == NULL;
    if (key == NULL) {
        return NULL;
    }
    memcpy(key, &container->length, sizeof container->length);
    memcpy(key + sizeof container->length, container->data, container->length);
    memcpy(key + bytes - name->length, name->data, name->length);
    oribi_tflite_variable *found = oribi_map_get_n(&t->handles, key, bytes);
    if (found != NULL) {
        return found;
    }
    oribi_tflite_variable *made = add_variable(n);
    if (made != NULL && !oribi_map_put_n(&t->handles, key, bytes, made)) {
        (void)oribi_tflite_no_memory(n);
        return NULL;
    }
    if (made != NULL) {
        made->container = *container;
        made->name = *name;
    }
    return made;
}

static bool var_handle(oribi_tflite_node *n)
{
    oribi_string container = {"", 0}, name = {"", 0};
    ORIBI_TRY(oribi_tflite_may_have_variables(n));
    if (!oribi_flat_read_string(&n->options, 0, "a container", &container, n->status) ||
        !oribi_flat_read_string(&n->options, 1, "a shared name", &name, n->status)) {
        n->failed = true;
        return false;
    }
    n->outputs[0]->variable = find_variable(n, &container, &name);
    n->outputs[0]->value = ORIBI_TFLITE_HANDLE;
    return !n->failed;
}

static oribi_tflite_variable *variable_of(oribi_tflite_node *n)
{
    oribi_tflite_variable *variable = n->inputs[0]->variable;
    if (variable == NULL) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "input 0 is not a handle that VAR_HANDLE made");
    }
    return variable;
}

/* The value before the run, of the type and shape of a tensor. */
static bool make_read(oribi_tflite_node *n, oribi_tflite_variable *variable,
                      const oribi_tflite_tensor *like)
{
    oribi_dims dims = oribi_tflite_dims_of(like);
    const oribi_shape shape = {like->is_unranked ? -1 : dims.n, dims.at};
    if (variable->read >= 0) {
        return true;
    }
    if (like->dtype == 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "a variable of this element type is not supported");
    }
    const oribi_string *text = variable->tensor != NULL ? &like->name : &variable->name;
    const char *name = oribi_import_text(&n->graph->arena, text);
    variable->label = name;
    variable->origin = n->origin;
    variable->read =
        name == NULL ? -1 : oribi_graph_add_value(n->graph, name, like->dtype, &shape, n->status);
    if (name == NULL) {
        oribi_fail_memory(n->status);
    }
    n->failed =
        variable->read < 0 || !oribi_tflite_quantise(n->graph, like, variable->read, n->status);
    variable->current = variable->read;
    n->tflite->has_read = true;
    return !n->failed;
}

static bool read_variable(oribi_tflite_node *n)
{
    oribi_tflite_variable *variable = variable_of(n);
    if (variable == NULL) {
        return false;
    }
    if (n->tflite->is_initialising) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "an initialiser must not read a variable");
    }
    ORIBI_TRY(variable->current >= 0 || make_read(n, variable, n->outputs[0]));
    return oribi_tflite_bind(n, 0, variable->current);
}

static bool assign_variable(oribi_tflite_node *n)
{
    oribi_tflite_variable *variable = variable_of(n);
    const oribi_value_id value = oribi_tflite_input(n, 1);
    if (variable == NULL || value < 0) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "nothing is assigned");
    }
    if (!n->tflite->is_initialising) {
        variable->current = oribi_tflite_behind_gate(n, value);
        n->tflite->has_read = true;
        return variable->current >= 0;
    }
    if (n->graph->values[value]->constant == NULL) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "an initialiser must assign constants, not computed values");
    }
    variable->initial = value;
    return true;
}

static bool run_once(oribi_tflite_node *n)
{
    oribi_tflite *t = n->tflite;
    const int64_t index = oribi_tflite_int(n, 0, 0);
    ORIBI_TRY(oribi_tflite_may_have_variables(n));
    if (t->is_initialising) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "CALL_ONCE is not supported inside an initialiser");
    }
    if (t->has_read) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "an initialiser must come before the first use of a variable");
    }
    if (t->initialiser > 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "there is a second initialiser");
    }
    if (index < 1 || index > INT32_MAX) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "subgraph %lld cannot be the initialiser",
                                 (long long)index);
    }
    t->initialiser = (uint32_t)index;
    return true;
}

/* --- Tensors that an operator keeps ---------------------------------------------------------- */

oribi_value_id oribi_tflite_state(oribi_tflite_node *n, int32_t i)
{
    oribi_tflite_tensor *tensor = i < n->n_inputs ? n->inputs[i] : NULL;
    if (n->failed || !oribi_tflite_may_have_variables(n)) {
        return -1;
    }
    if (tensor == NULL || !tensor->is_variable || tensor->data.file != NULL) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "input %d must be a variable tensor", (int)i);
        return -1;
    }
    if (tensor->variable == NULL) {
        tensor->variable = add_variable(n);
        if (tensor->variable == NULL) {
            return -1;
        }
        tensor->variable->tensor = tensor;
    }
    return make_read(n, tensor->variable, tensor) ? tensor->variable->current : -1;
}

bool oribi_tflite_set_state(oribi_tflite_node *n, int32_t i, oribi_value_id value)
{
    if (n->failed || value < 0) {
        return false;
    }
    n->inputs[i]->variable->current = value;
    return true;
}

oribi_value_id oribi_tflite_keep(oribi_tflite_node *n, TF_DataType dtype, const oribi_dims *dims,
                                 int32_t first, oribi_tflite_variable **out)
{
    const oribi_shape shape = {dims->n, (int64_t *)dims->at};
    size_t bytes = 0;
    *out = n->failed || !oribi_tflite_may_have_variables(n) ? NULL : add_variable(n);
    if (*out == NULL) {
        return -1;
    }
    if (!oribi_size_of_dims(dims->at, dims->n, oribi_dtype_bytes(dtype), &bytes)) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "its state is too large");
        return -1;
    }
    n->failed = !oribi_graph_charge(n->graph, bytes, n->status);
    uint8_t *data = n->failed ? NULL : oribi_arena_array(&n->tflite->scratch, bytes + 1, 1);
    if (data == NULL) {
        n->failed = n->failed || !oribi_fail_memory(n->status);
        return -1;
    }
    memset(data, dtype == TF_INT8 ? (int)first : 0, bytes);
    for (size_t i = 0; dtype == TF_INT32 && i < bytes / sizeof first; i++) {
        memcpy(data + i * sizeof first, &first, sizeof first);
    }
    oribi_tflite_variable *v = *out;
    const oribi_string label = {n->label, strlen(n->label)};
    v->label = oribi_import_text(&n->graph->arena, &label); /* the node's goes with it */
    n->n_kept++;
    if (v->label != NULL && n->n_kept > 1) {
        v->label = oribi_arena_printf(&n->graph->arena, "%s_%d", v->label, (int)n->n_kept);
    }
    if (v->label == NULL) {
        n->failed = !oribi_fail_memory(n->status);
        return -1;
    }
    v->origin = n->origin;
    v->initial = oribi_graph_add_constant_copy(n->graph, n->label, dtype, dims->at, dims->n, data,
                                               n->status);
    v->read =
        v->initial < 0 ? -1 : oribi_graph_add_value(n->graph, n->label, dtype, &shape, n->status);
    v->current = v->read;
    n->failed = v->read < 0;
    n->tflite->has_read = true;
    return v->read;
}

/* --- At the end ------------------------------------------------------------------------------ */

/* A tensor's first value: the zero point of integers. */
static bool fill_initial(oribi_tflite *t, oribi_tflite_variable *variable, TF_Status *status)
{
    const oribi_value *read = t->graph->values[variable->read];
    const oribi_tflite_tensor *tensor = variable->tensor;
    size_t bytes = 0;
    if (!oribi_shape_is_full(&read->shape) ||
        !oribi_size_of_dims(read->shape.dims, read->shape.rank, oribi_dtype_bytes(read->dtype),
                            &bytes)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "%s: the shape of variable '%s' is not fixed", variable->origin,
                          variable->label);
    }
    ORIBI_TRY(oribi_graph_charge(t->graph, bytes, status));
    uint8_t *data = oribi_arena_array(&t->scratch, bytes + 1, 1);
    ORIBI_TRY(data != NULL || oribi_fail_memory(status));
    const bool has_zero = read->dtype == TF_INT8 && tensor->zeros.count > 0;
    memset(data, has_zero ? (int)(uint8_t)oribi_flat_int64_at(&tensor->zeros, 0) : 0, bytes);
    variable->initial = oribi_graph_add_constant_copy(
        t->graph, variable->label, read->dtype, read->shape.dims, read->shape.rank, data, status);
    oribi_arena_destroy(&t->scratch);
    return variable->initial >= 0;
}

static bool same_type(const oribi_value *a, const oribi_value *b)
{
    bool is_same = a->dtype == b->dtype;
    for (int32_t i = 0; is_same && a->shape.rank == b->shape.rank && i < a->shape.rank; i++) {
        is_same =
            a->shape.dims[i] == b->shape.dims[i] || a->shape.dims[i] < 0 || b->shape.dims[i] < 0;
    }
    return is_same && (a->shape.rank == b->shape.rank || a->shape.rank < 0 || b->shape.rank < 0);
}

bool oribi_tflite_finish_variable(oribi_tflite *t, oribi_tflite_variable *variable,
                                  TF_Status *status)
{
    oribi_graph *graph = t->graph;
    if (variable->read < 0) { /* what it was before is never seen */
        return true;
    }
    ORIBI_TRY(variable->tensor == NULL || fill_initial(t, variable, status));
    if (variable->initial < 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "%s: variable '%s' is read before it has a value: no CALL_ONCE "
                          "initialises it",
                          variable->origin, variable->label);
    }
    const oribi_value *read = graph->values[variable->read];
    if (!same_type(read, graph->values[variable->initial]) ||
        !same_type(read, graph->values[variable->current])) {
        return oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "%s: variable '%s' is read with a type or shape other than the one it was given",
            variable->origin, variable->label);
    }
    if (variable->current == variable->read) {
        oribi_graph_replace_uses(graph, variable->read, variable->initial);
        return true;
    }
    TF_Tensor *initial = oribi_graph_constant_tensor(graph, variable->initial, status);
    return initial != NULL && oribi_graph_add_state(graph, variable->read, variable->current,
                                                    variable->label, initial, status);
}

bool oribi_tflite_finish_variables(oribi_tflite *t, TF_Status *status)
{
    for (oribi_tflite_variable *v = t->variables; v != NULL; v = v->next) {
        ORIBI_TRY(oribi_tflite_finish_variable(t, v, status));
    }
    return true;
}

/* clang-format off */
const oribi_tflite_row oribi_tflite_variable_rows[] = {
    {129, 103, 0, 0, 0, run_once, NULL},
    {142, 111, 0, 0, 1, var_handle, NULL},
    {143, 112, 1, 1, 1, read_variable, NULL},
    {144, 113, 2, 2, 0, assign_variable, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
/* clang-format on */
