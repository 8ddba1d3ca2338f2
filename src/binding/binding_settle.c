/* SPDX-License-Identifier: Apache-2.0 */
/* What does a new operation put out? Its op says so, of its attributes and inputs; a constant its
 * value. A node of graph->known stands for each operation of a registered op.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding.h"
#include "import/graphdef/graphdef_attr.h"

/* The value is the next output. */
static bool put_output(TF_Operation *self, oribi_value_id id, TF_Status *status)
{
    const size_t n = (size_t)self->n_outputs;
    ORIBI_TRY(id >= 0);
    if ((n & (n - 1)) == 0) { /* there is room for as many as the next power of two */
        oribi_value_id *more =
            oribi_arena_array(&self->graph->known->arena, n > 0 ? 2 * n : 1, sizeof *more);
        ORIBI_TRY(more != NULL || oribi_fail_memory(status));
        if (n > 0) {
            memcpy(more, self->outputs, n * sizeof *more);
        }
        self->outputs = more;
    }
    self->outputs[self->n_outputs++] = id;
    return true;
}

bool oribi_binding_add_output(TF_Operation *self, TF_DataType dtype, const oribi_shape *shape,
                              TF_Status *status)
{
    return put_output(
        self, oribi_graph_add_value(self->graph->known, self->name, dtype, shape, status), status);
}

/* --- Constants ------------------------------------------------------------------------------ */

typedef struct constant {
    oribi_wire proto; /* a TensorProto */
    int64_t dtype;
    oribi_wide_dims dims;
    bool is_unknown;
} constant;

static bool read_constant(const TF_Operation *self, constant *out, TF_Status *status)
{
    const oribi_binding_attr *attr = oribi_binding_find_attr(self, "value");
    oribi_wire value, shape;
    oribi_wire_field field;
    bool is_found = false;
    if (attr == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "NodeDef missing attr 'value' from Op 'Const'");
    }
    value = attr->value;
    while (oribi_wire_next(&value, &field, status)) {
        if (field.number == 8) {
            ORIBI_TRY(oribi_wire_enter(&value, &field, &out->proto, status));
            is_found = true;
        }
    }
    ORIBI_TRY(oribi_ok(status));
    ORIBI_TRY(is_found || oribi_fail(status, TF_INVALID_ARGUMENT, "its value is no tensor"));
    value = out->proto;
    while (oribi_wire_next(&value, &field, status)) {
        ORIBI_TRY(field.number != 1 || oribi_wire_int(&field, "a type", &out->dtype, status));
        ORIBI_TRY(field.number != 2 ||
                  (oribi_wire_enter(&value, &field, &shape, status) &&
                   oribi_proto_read_shape(shape, &out->dims, &out->is_unknown, status)));
    }
    return oribi_ok(status);
}

/* Values that shapes may be made of; others stay in the message. */
static bool is_small(const constant *c)
{
    enum { MOST_ELEMENTS = 4096 };
    size_t n = 0;
    return c->dtype != TF_STRING && !c->is_unknown &&
           oribi_size_of_dims(c->dims.at, c->dims.n, 1, &n) && n <= MOST_ELEMENTS;
}

static bool settle_constant(TF_Operation *self, TF_Status *status)
{
    oribi_graph *known = self->graph->known;
    constant c = {.dtype = 0};
    ORIBI_TRY(read_constant(self, &c, status));
    if (!is_small(&c)) {
        const oribi_shape shape = {c.is_unknown ? -1 : c.dims.n, c.dims.at};
        return oribi_binding_add_output(self, (TF_DataType)c.dtype, &shape, status);
    }
    TF_Tensor *tensor = oribi_proto_read_tensor(c.proto, oribi_graph_charge_arg, known, status);
    ORIBI_TRY(tensor != NULL);
    const oribi_value_id id = oribi_graph_add_constant_tensor(known, self->name, tensor, status);
    TF_DeleteTensor(tensor);
    return put_output(self, id, status);
}

/* --- Registered ops ------------------------------------------------------------------------- */

static bool read_attrs(TF_Operation *self, oribi_attrs *out, TF_Status *status)
{
    oribi_graph *known = self->graph->known;
    for (int32_t i = 0; i < self->n_attrs; i++) {
        const oribi_binding_attr *attr = &self->attrs[i];
        const char *name = oribi_arena_strndup(&known->arena, attr->name.data, attr->name.length);
        ORIBI_TRY(name != NULL || oribi_fail_memory(status));
        const oribi_attr_def *def = oribi_op_find_attr(self->op, name);
        ORIBI_TRY(def == NULL ||
                  oribi_graphdef_read_attr(known, out, name, def, attr->value, status));
    }
    return true;
}

/* Attributes that the op gives, and the node does not have, become the node's. */
static bool add_defaults(TF_Operation *self, TF_Status *status)
{
    oribi_arena *arena = &self->graph->known->arena;
    for (int32_t i = 0; i < self->read.count; i++) {
        const oribi_attr *attr = &self->read.items[i];
        oribi_text message = {0};
        if (oribi_binding_find_attr(self, attr->name) != NULL) {
            continue;
        }
        oribi_proto_attr_value(&message, attr);
        const uint8_t *kept =
            message.failed ? NULL : oribi_arena_memdup(arena, message.data, message.length);
        const size_t bytes = message.length;
        oribi_text_destroy(&message);
        ORIBI_TRY((kept != NULL || oribi_fail_memory(status)) &&
                  oribi_binding_set_attr(self, (oribi_string){attr->name, strlen(attr->name)},
                                         oribi_wire_over(kept, bytes), status));
    }
    return true;
}

/* The node that stands for the operation, typed and with shapes; NULL: status set. */
static oribi_node *make_node(TF_Operation *self, TF_Status *status)
{
    oribi_graph *known = self->graph->known;
    const size_t n = (size_t)self->n_inputs;
    oribi_value_id *ids = oribi_arena_array(&known->arena, n + 1, sizeof *ids);
    TF_DataType *types = oribi_arena_array(&known->arena, n + 1, sizeof *types);
    oribi_attrs attrs = {0};
    oribi_signature signature;
    if (ids == NULL || types == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (oribi_binding_value(self->inputs[i], status) == NULL) {
            return NULL;
        }
        ids[i] = self->inputs[i].oper->outputs[self->inputs[i].index];
        types[i] = known->values[ids[i]]->dtype;
    }
    if (!read_attrs(self, &attrs, status) ||
        !oribi_op_resolve(self->op, self->name, &attrs, types, self->n_inputs, &known->arena,
                          &signature, status)) {
        return NULL;
    }
    oribi_node *node = oribi_graph_add_node(known, self->type, self->name, ids, self->n_inputs,
                                            signature.n_outputs, status);
    if (node == NULL) {
        return NULL;
    }
    node->attrs = attrs;
    if (!oribi_graph_resolve(known, node, status)) {
        oribi_graph_remove_node(known, node);
        return NULL;
    }
    return node;
}

static bool settle_known(TF_Operation *self, TF_Status *status)
{
    oribi_node *node = make_node(self, status);
    ORIBI_TRY(node != NULL);
    self->outputs = node->outputs;
    self->n_outputs = node->n_outputs;
    self->read = node->attrs;
    self->input_starts = node->signature.input_arg_start;
    self->output_starts = node->signature.output_arg_start;
    return add_defaults(self, status);
}

static bool settle(TF_Operation *self, bool is_strict, int32_t n_read, TF_Status *status)
{
    if (strcmp(self->type, "Const") == 0) {
        return settle_constant(self, status);
    }
    if (is_strict && self->op != NULL && self->graph->requires_shape_functions &&
        self->op->shape_fn == NULL && self->op->shape_fn_data == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "No shape inference function exists for op '%s', did you forget to "
                          "define it?",
                          self->type);
    }
    if (self->op != NULL && settle_known(self, status)) {
        return true;
    }
    oribi_wire signature;
    if (self->op == NULL && !oribi_binding_is_known(self->type) &&
        oribi_binding_find_function(self->graph, self->type, &signature)) {
        return oribi_binding_settle_call(self, signature, is_strict, status);
    }
    if (TF_GetCode(status) == TF_RESOURCE_EXHAUSTED || (is_strict && !oribi_ok(status))) {
        return false;
    }
    if (is_strict && !oribi_binding_is_known(self->type)) {
        return oribi_fail(status, TF_NOT_FOUND,
                          "Op type not registered '%s' in this process: load the plugin that has "
                          "it (TF_LoadLibrary)",
                          self->type);
    }
    TF_SetStatus(status, TF_OK, "");
    self->outputs = NULL;
    self->n_outputs = 0;
    self->op = NULL;
    return oribi_binding_settle_unknown(self, n_read, status);
}

bool oribi_binding_settle(TF_Operation *self, bool is_strict, int32_t n_read, TF_Status *status)
{
    if (settle(self, is_strict, n_read, status)) {
        return true;
    }
    oribi_status_prefix(status, "node '%s' (%s): ", self->name, self->type);
    return false;
}
