/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: how operations are put in and found, which shapes are known. */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding.h"
#include "plugin/plugin.h"
#include "session/session_internal.h"

/* --- Life ----------------------------------------------------------------------------------- */

static TF_Graph *graph_new(TF_Status *status)
{
    enum { PRODUCER = 1766 }; /* the version of GraphDefs that TensorFlow 2.16 writes */
    TF_Graph *graph =
        oribi_plugin_load_built_ins(status) ? oribi_alloc_zero(1, sizeof *graph) : NULL;
    if (graph == NULL || !oribi_mutex_init(&graph->lock)) {
        oribi_free(graph);
        return NULL;
    }
    atomic_init(&graph->references, 1);
    oribi__in_use(1); /* its operations point to definitions of ops */
    graph->producer = PRODUCER;
    graph->known = oribi_graph_create(status);
    if (graph->known == NULL) {
        oribi_binding_release(graph);
        return NULL;
    }
    graph->known->source_name = "graph";
    graph->known->max_bytes = oribi_options_max_bytes(NULL);
    return graph;
}

TF_Graph *TF_NewGraph(void)
{
    TF_Status *status = TF_NewStatus();
    TF_Graph *graph = status != NULL ? graph_new(status) : NULL;
    TF_DeleteStatus(status);
    return graph;
}

void oribi_binding_retain(TF_Graph *graph)
{
    atomic_fetch_add_explicit(&graph->references, 1, memory_order_relaxed);
}

void oribi_binding_release(TF_Graph *graph)
{
    if (graph == NULL ||
        atomic_fetch_sub_explicit(&graph->references, 1, memory_order_acq_rel) > 1) {
        return;
    }
    oribi_map_destroy(&graph->by_name);
    oribi_map_destroy(&graph->functions);
    oribi_map_destroy(&graph->handles);
    oribi_free(graph->ops);
    oribi_graph_destroy(graph->known);
    oribi_mutex_destroy(&graph->lock);
    oribi_free(graph);
    oribi__in_use(-1);
}

void TF_DeleteGraph(TF_Graph *graph)
{
    oribi_binding_release(graph);
}

/* --- Operations ----------------------------------------------------------------------------- */

const uint8_t *oribi_binding_keep(TF_Graph *graph, const void *data, size_t bytes,
                                  TF_Status *status)
{
    const uint8_t *kept = oribi_graph_charge(graph->known, bytes, status)
                              ? oribi_arena_alloc(&graph->known->arena, bytes + 1)
                              : NULL;
    if (kept == NULL) {
        (void)(!oribi_ok(status) || oribi_fail_memory(status));
        return NULL;
    }
    if (bytes > 0) {
        memcpy((uint8_t *)(uintptr_t)kept, data, bytes);
    }
    return kept;
}

TF_Operation *oribi_binding_operation(TF_Graph *graph, oribi_string type, oribi_string name,
                                      TF_Status *status)
{
    oribi_arena *arena = &graph->known->arena;
    TF_Operation *self = oribi_arena_array(arena, 1, sizeof *self);
    if (self == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    self->graph = graph;
    self->type = oribi_arena_strndup(arena, type.data, type.length);
    self->name = oribi_arena_strndup(arena, name.data, name.length);
    self->device = "";
    if (self->type == NULL || self->name == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    self->op = oribi_op_find(self->type);
    return self;
}

/* Room for one more of *n elements, in the graph's arena. */
static bool grow(TF_Operation *self, void **elements, int32_t n, int32_t *capacity, size_t size,
                 TF_Status *status)
{
    if (n < *capacity) {
        return true;
    }
    const int32_t room = *capacity > 0 ? *capacity * 2 : 4;
    void *more = oribi_arena_array(&self->graph->known->arena, (size_t)room, size);
    ORIBI_TRY(more != NULL || oribi_fail_memory(status));
    if (n > 0) {
        memcpy(more, *elements, (size_t)n * size);
    }
    *elements = more;
    *capacity = room;
    return true;
}

bool oribi_binding_add_input(TF_Operation *self, TF_Output input, TF_Status *status)
{
    ORIBI_TRY(grow(self, (void **)&self->inputs, self->n_inputs, &self->inputs_capacity,
                   sizeof *self->inputs, status));
    self->inputs[self->n_inputs++] = input;
    return true;
}

bool oribi_binding_add_control(TF_Operation *self, TF_Operation *input, TF_Status *status)
{
    for (int32_t i = 0; i < self->n_controls; i++) {
        if (self->controls[i] == input) {
            return true;
        }
    }
    ORIBI_TRY(grow(self, (void **)&self->controls, self->n_controls, &self->controls_capacity,
                   sizeof *self->controls, status));
    self->controls[self->n_controls++] = input;
    return true;
}

const oribi_binding_attr *oribi_binding_find_attr(const TF_Operation *self, const char *name)
{
    for (int32_t i = 0; i < self->n_attrs; i++) {
        if (oribi_string_is(self->attrs[i].name, name)) {
            return &self->attrs[i];
        }
    }
    return NULL;
}

bool oribi_binding_set_attr(TF_Operation *self, oribi_string name, oribi_wire value,
                            TF_Status *status)
{
    for (int32_t i = 0; i < self->n_attrs; i++) {
        if (oribi_string_same(self->attrs[i].name, name)) {
            self->attrs[i].value = value;
            return true;
        }
    }
    ORIBI_TRY(grow(self, (void **)&self->attrs, self->n_attrs, &self->attrs_capacity,
                   sizeof *self->attrs, status));
    self->attrs[self->n_attrs++] = (oribi_binding_attr){name, value};
    return true;
}

bool oribi_binding_is_taken(const TF_Graph *graph, const oribi_map *taken, const char *name)
{
    return oribi_map_get(&graph->by_name, name) != NULL ||
           (taken != NULL && oribi_map_get(taken, name) != NULL);
}

const char *oribi_binding_free_name(const TF_Graph *graph, const oribi_map *taken,
                                    oribi_arena *arena, const char *name)
{
    const char *made = name;
    for (int i = 1; made != NULL && oribi_binding_is_taken(graph, taken, made); i++) {
        made = oribi_arena_printf(arena, "%s_%d", name, i);
    }
    return made;
}

bool oribi_binding_put(TF_Operation *self, TF_Status *status)
{
    TF_Graph *graph = self->graph;
    if (oribi_map_get(&graph->by_name, self->name) != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Duplicate node name in graph: '%s'",
                          self->name);
    }
    if (graph->n_ops == graph->capacity) {
        const int32_t capacity = graph->capacity > 0 ? graph->capacity * 2 : 64;
        TF_Operation **more = oribi_realloc_array(graph->ops, (size_t)capacity, sizeof *graph->ops);
        ORIBI_TRY(more != NULL || oribi_fail_memory(status));
        graph->ops = more;
        graph->capacity = capacity;
    }
    ORIBI_TRY(oribi_map_put(&graph->by_name, self->name, self) || oribi_fail_memory(status));
    graph->ops[graph->n_ops++] = self;
    graph->version++;
    return true;
}

bool oribi_binding_add_reader(TF_Operation *of, int32_t port, TF_Input input, TF_Status *status)
{
    oribi_binding_reader *reader = oribi_arena_array(&of->graph->known->arena, 1, sizeof *reader);
    ORIBI_TRY(reader != NULL || oribi_fail_memory(status));
    *reader = (oribi_binding_reader){.port = port, .input = input};
    if (of->last_reader != NULL) {
        of->last_reader->next = reader;
    } else {
        of->readers = reader;
    }
    of->last_reader = reader;
    return true;
}

bool oribi_binding_link(TF_Operation *self, TF_Status *status)
{
    for (int32_t i = 0; i < self->n_inputs; i++) {
        ORIBI_TRY(oribi_binding_add_reader(self->inputs[i].oper, self->inputs[i].index,
                                           (TF_Input){self, i}, status));
    }
    for (int32_t i = 0; i < self->n_controls; i++) {
        ORIBI_TRY(oribi_binding_add_reader(self->controls[i], -1, (TF_Input){self, -1}, status));
    }
    return true;
}

TF_Operation *oribi_binding_find(const TF_Graph *graph, oribi_string name)
{
    return oribi_map_get_n(&graph->by_name, name.data, name.length);
}

TF_Operation *TF_GraphOperationByName(TF_Graph *graph, const char *oper_name)
{
    oribi_mutex_lock(&graph->lock);
    TF_Operation *found = oribi_map_get(&graph->by_name, oper_name);
    oribi_mutex_unlock(&graph->lock);
    return found;
}

TF_Operation *TF_GraphNextOperation(TF_Graph *graph, size_t *pos)
{
    TF_Operation *next = NULL;
    oribi_mutex_lock(&graph->lock);
    if (*pos < (size_t)graph->n_ops) {
        next = graph->ops[(*pos)++];
    }
    oribi_mutex_unlock(&graph->lock);
    return next;
}

/* --- Functions ------------------------------------------------------------------------------ */

bool oribi_binding_function_name(oribi_wire function, oribi_string *out, TF_Status *status)
{
    oribi_wire signature;
    oribi_wire_field field, part;
    *out = (oribi_string){"", 0};
    while (oribi_wire_next(&function, &field, status)) {
        if (field.number == 1) {
            ORIBI_TRY(oribi_wire_enter(&function, &field, &signature, status));
            while (oribi_wire_next(&signature, &part, status)) {
                ORIBI_TRY(part.number != 1 ||
                          oribi_wire_string(&part, "a function's name", out, status));
            }
        }
    }
    return oribi_ok(status);
}

static bool add_function(TF_Graph *graph, oribi_wire function, TF_Status *status)
{
    oribi_string name;
    ORIBI_TRY(oribi_binding_function_name(function, &name, status));
    const oribi_wire *known = oribi_map_get_n(&graph->functions, name.data, name.length);
    const size_t bytes = (size_t)(function.end - function.at);
    if (known != NULL) {
        return ((size_t)(known->end - known->at) == bytes &&
                memcmp(known->at, function.at, bytes) == 0) ||
               oribi_fail(status, TF_INVALID_ARGUMENT,
                          "Cannot add function '%.*s' because a different function with the same "
                          "name already exists.",
                          (int)(name.length & 0xfff), name.data);
    }
    oribi_wire *kept = oribi_arena_memdup(&graph->known->arena, &function, sizeof function);
    return (kept != NULL && oribi_map_put_n(&graph->functions, name.data, name.length, kept)) ||
           oribi_fail_memory(status);
}

static bool add_gradient(TF_Graph *graph, oribi_wire gradient, TF_Status *status)
{
    oribi_wire *more =
        oribi_arena_array(&graph->known->arena, (size_t)graph->n_gradients + 1, sizeof *more);
    ORIBI_TRY(more != NULL || oribi_fail_memory(status));
    if (graph->n_gradients > 0) {
        memcpy(more, graph->gradients, (size_t)graph->n_gradients * sizeof *more);
    }
    more[graph->n_gradients++] = gradient;
    graph->gradients = more;
    return true;
}

bool oribi_binding_add_library(TF_Graph *graph, oribi_wire library, TF_Status *status)
{
    oribi_wire inner;
    oribi_wire_field field;
    while (oribi_wire_next(&library, &field, status)) {
        ORIBI_TRY(field.number != 1 || (oribi_wire_enter(&library, &field, &inner, status) &&
                                        add_function(graph, inner, status)));
        ORIBI_TRY(field.number != 2 || (oribi_wire_enter(&library, &field, &inner, status) &&
                                        add_gradient(graph, inner, status)));
    }
    graph->version++;
    return oribi_ok(status);
}

bool oribi_binding_find_function(const TF_Graph *graph, const char *name, oribi_wire *out)
{
    const oribi_wire *found = oribi_map_get(&graph->functions, name);
    if (found == NULL && graph->arriving != NULL) {
        found = oribi_map_get(graph->arriving, name);
    }
    TF_Status *status = found != NULL ? TF_NewStatus() : NULL;
    oribi_wire function = found != NULL ? *found : (oribi_wire){0};
    oribi_wire_field field;
    bool is_found = false;
    while (status != NULL && !is_found && oribi_wire_next(&function, &field, status)) {
        is_found = field.number == 1 && oribi_wire_enter(&function, &field, out, status);
    }
    TF_DeleteStatus(status);
    return is_found;
}

/* --- Shapes --------------------------------------------------------------------------------- */

oribi_value *oribi_binding_value(TF_Output output, TF_Status *status)
{
    TF_Operation *of = output.oper;
    if (of == NULL || output.index < 0 || output.index >= of->n_outputs) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Node '%s' has no output %d: it has %d",
                   of != NULL ? of->name : "", output.index, of != NULL ? (int)of->n_outputs : 0);
        return NULL;
    }
    return of->graph->known->values[of->outputs[output.index]];
}

void TF_GraphSetTensorShape(TF_Graph *graph, TF_Output output, const int64_t *dims,
                            const int num_dims, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&graph->lock);
    oribi_value *value = oribi_binding_value(output, status);
    oribi_shape shape;
    if (value != NULL && num_dims > ORIBI_MAX_TENSOR_RANK) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a shape of %d dimensions", num_dims);
    } else if (value != NULL) {
        if (!oribi_shape_copy(&graph->known->arena, dims, num_dims < 0 ? -1 : num_dims, &shape)) {
            oribi_fail_memory(status);
        } else if (!oribi_shape_agrees(&value->shape, &shape)) {
            oribi_text text = {0};
            oribi_shape_print(&value->shape, &text);
            oribi_fail(status, TF_INVALID_ARGUMENT,
                       "the shape of '%s:%d' is known to be %s, which another one is given for",
                       output.oper->name, output.index, oribi_text_string(&text));
            oribi_text_destroy(&text);
        } else if (!oribi_graph_merge_shape(graph->known, &shape, &value->shape)) {
            oribi_fail_memory(status);
        }
    }
    oribi_mutex_unlock(&graph->lock);
}

int TF_GraphGetTensorNumDims(TF_Graph *graph, TF_Output output, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&graph->lock);
    const oribi_value *value = oribi_binding_value(output, status);
    const int rank = value != NULL ? value->shape.rank : -1;
    oribi_mutex_unlock(&graph->lock);
    return rank;
}

void TF_GraphGetTensorShape(TF_Graph *graph, TF_Output output, int64_t *dims, int num_dims,
                            TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&graph->lock);
    const oribi_value *value = oribi_binding_value(output, status);
    if (value != NULL && value->shape.rank >= 0) {
        if (value->shape.rank != num_dims) {
            oribi_fail(status, TF_INVALID_ARGUMENT, "Expected rank is %d but actual rank is %d",
                       num_dims, (int)value->shape.rank);
        }
        for (int i = 0; oribi_ok(status) && i < num_dims; i++) {
            dims[i] = value->shape.dims[i];
        }
    }
    oribi_mutex_unlock(&graph->lock);
}
