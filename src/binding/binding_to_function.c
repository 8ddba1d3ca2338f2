/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a graph as a function: inputs become arguments, and names those of the function, where
 * what a node puts out is "node:argument:0".
 * Source   function.proto; TensorFlow's graph_to_functiondef.cc for the choice of names.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/digest.h"
#include "binding/binding.h"
#include "format/proto.h"
#include "op/op_proto.h"

typedef struct wanted {
    const char *name;
    bool is_hashed;
    int n_inputs, n_outputs, n_controls;
    const TF_Output *inputs, *outputs;
    const TF_Operation *const *controls;
    const char *const *output_names, *const *control_names;
    const char *description;
} wanted;

typedef struct maker {
    const wanted *want;
    const TF_Operation **body;
    int32_t n_body;
    oribi_arena arena;
    oribi_map used;    /* names of inputs, outputs and nodes: the number to try next */
    oribi_map nodes;   /* by name: the name in the function */
    oribi_map tensors; /* by "node:0": the same */
    oribi_map attrs;   /* of the function */
    oribi_text signature, rest;
    const char **returns; /* names of outputs */
    bool is_stateful;
    TF_Status *status;
} maker;

/* --- Names ---------------------------------------------------------------------------------- */

static bool no_memory(maker *m)
{
    return oribi_fail_memory(m->status);
}

/* The name, or with a number behind it; NULL: no memory, status set. */
static const char *unique(maker *m, const char *name)
{
    int32_t *next = oribi_map_get(&m->used, name);
    while (next != NULL) {
        const char *tried = oribi_arena_printf(&m->arena, "%s_%d", name, (int)(*next)++);
        if (tried == NULL || oribi_map_get(&m->used, tried) == NULL) {
            name = tried;
            break;
        }
    }
    next = oribi_arena_array(&m->arena, 1, sizeof *next);
    if (name == NULL || next == NULL || !oribi_map_put(&m->used, name, next)) {
        no_memory(m);
        return NULL;
    }
    return name;
}

/* Small letters, digits and _, from the first letter on. */
static const char *argument_name(maker *m, const char *name)
{
    char *made = oribi_arena_strdup(&m->arena, name);
    if (made == NULL) {
        no_memory(m);
        return NULL;
    }
    for (char *at = made; *at != '\0'; at++) {
        *at = oribi_to_lower(*at);
        *at = oribi_is_lower(*at) || oribi_is_digit(*at) ? *at : '_';
    }
    while (*made != '\0' && !oribi_is_lower(*made)) {
        made++;
    }
    return unique(m, *made != '\0' ? made : "unknown");
}

static const char *tensor_name(maker *m, TF_Output output)
{
    return oribi_arena_printf(&m->arena, "%s:%d", output.oper->name, output.index);
}

static const char *find_tensor(maker *m, TF_Output output)
{
    const char *name = tensor_name(m, output);
    return name != NULL ? oribi_map_get(&m->tensors, name) : NULL;
}

/* Unless it has a name there. */
static bool name_tensor(maker *m, TF_Output output, const char *name)
{
    const char *key = tensor_name(m, output);
    return (key != NULL && name != NULL &&
            (oribi_map_get(&m->tensors, key) != NULL ||
             oribi_map_put(&m->tensors, key, (void *)(uintptr_t)name))) ||
           no_memory(m);
}

/* --- Inputs and outputs --------------------------------------------------------------------- */

static bool check_end(maker *m, TF_Output end, const char *way, int i)
{
    const TF_Operation *of = end.oper;
    if (of == NULL || end.index < 0 || end.index >= of->n_outputs) {
        return oribi_fail(m->status, TF_OUT_OF_RANGE, "%s %d: Node '%s' does not have output %d",
                          way, i, of != NULL ? of->name : "", end.index);
    }
    return !of->is_reference || oribi_fail(m->status, TF_INVALID_ARGUMENT,
                                           "%s %d: Output %d of node '%s' has a reference type",
                                           way, i, end.index, of->name);
}

static void write_argument(maker *m, unsigned field, const char *name, TF_Output end)
{
    oribi_text part = {0};
    const oribi_value *value = oribi_binding_value(end, m->status);
    oribi_proto_string(&part, 1, name);
    oribi_proto_number(&part, 3, (uint64_t)value->dtype);
    oribi_proto_message(&m->signature, field, &part);
}

static bool name_outputs(maker *m)
{
    const wanted *want = m->want;
    m->returns = oribi_arena_array(&m->arena, (size_t)want->n_outputs + 1, sizeof *m->returns);
    ORIBI_TRY(m->returns != NULL || no_memory(m));
    for (int i = 0; i < want->n_outputs; i++) {
        const TF_Output end = want->outputs[i];
        ORIBI_TRY(check_end(m, end, "output", i));
        const char *given = want->output_names != NULL ? want->output_names[i] : NULL;
        if (given != NULL && oribi_map_get(&m->used, given) != NULL) {
            return oribi_fail(m->status, TF_INVALID_ARGUMENT,
                              "Cannot have duplicate output names. Name '%s' appears more than "
                              "once in 'output_names' array.",
                              given);
        }
        m->returns[i] = given != NULL ? unique(m, given) : argument_name(m, end.oper->name);
        ORIBI_TRY(m->returns[i] != NULL);
        write_argument(m, 3, m->returns[i], end);
    }
    return true;
}

/* Attributes of an input: its shape, and what begins with _. */
static void write_input_attrs(maker *m, int i, const TF_Operation *of)
{
    oribi_text attrs = {0}, entry = {0}, value = {0};
    for (int32_t k = 0; k < of->n_attrs; k++) {
        const oribi_binding_attr *attr = &of->attrs[k];
        if (attr->name.length > 0 && attr->name.data[0] == '_') {
            oribi_proto_bytes(&entry, 1, attr->name.data, attr->name.length);
            oribi_proto_bytes(&entry, 2, attr->value.at,
                              (size_t)(attr->value.end - attr->value.at));
            oribi_proto_message(&attrs, 1, &entry);
        }
    }
    const oribi_value *out = of->graph->known->values[of->outputs[0]];
    if ((oribi_binding_find_attr(of, "shape") != NULL && out->dtype != TF_RESOURCE) ||
        strcmp(of->type, "Const") == 0) {
        oribi_proto_shape(&value, 7, out->shape.dims, out->shape.rank);
        oribi_proto_string(&entry, 1, "_output_shapes");
        oribi_text list = {0};
        oribi_proto_message(&list, 1, &value);
        oribi_proto_message(&entry, 2, &list);
        oribi_proto_message(&attrs, 1, &entry);
    }
    if (attrs.length > 0) {
        oribi_proto_number(&entry, 1, (uint64_t)i);
        oribi_proto_message(&entry, 2, &attrs);
        oribi_proto_message(&m->rest, 7, &entry);
    }
}

static bool name_inputs(maker *m)
{
    const wanted *want = m->want;
    for (int i = 0; i < want->n_inputs; i++) {
        const TF_Output end = want->inputs[i];
        ORIBI_TRY(check_end(m, end, "input", i));
        if (find_tensor(m, end) != NULL) {
            return oribi_fail(m->status, TF_INVALID_ARGUMENT,
                              "TF_Output %s:%d appears more than once in the input list",
                              end.oper->name, end.index);
        }
        const char *name = argument_name(m, end.oper->name);
        ORIBI_TRY(name != NULL && name_tensor(m, end, name));
        ORIBI_TRY(oribi_map_put(&m->nodes, end.oper->name, (void *)(uintptr_t)name) ||
                  no_memory(m));
        write_argument(m, 2, name, end);
        write_input_attrs(m, i, end.oper);
    }
    return true;
}

/* --- Nodes ---------------------------------------------------------------------------------- */

static bool add_body(maker *m, const TF_Operation *op)
{
    if (op->is_reference) {
        return oribi_fail(m->status, TF_INVALID_ARGUMENT,
                          "Output 0 of node '%s' has a reference type", op->name);
    }
    m->body[m->n_body++] = op;
    return true;
}

static bool is_input(const maker *m, const TF_Operation *op)
{
    int i = 0;
    while (i < m->want->n_inputs && m->want->inputs[i].oper != op) {
        i++;
    }
    return i < m->want->n_inputs;
}

/* All of the graph but the inputs, or those that are given. */
static bool choose_body(maker *m, const TF_Graph *graph, int n, const TF_Operation *const *opers)
{
    const size_t room = n >= 0 ? (size_t)n : (size_t)graph->n_ops;
    m->body = oribi_arena_array(&m->arena, room + 1, sizeof *m->body);
    ORIBI_TRY(m->body != NULL || no_memory(m));
    for (int i = 0; i < n; i++) {
        ORIBI_TRY(add_body(m, opers[i]));
    }
    for (int32_t i = 0; n < 0 && i < graph->n_ops; i++) {
        const TF_Operation *op = graph->ops[i];
        if (!is_input(m, op)) {
            ORIBI_TRY(add_body(m, op));
        } else if (op->n_outputs != 1) {
            return oribi_fail(m->status, TF_INVALID_ARGUMENT,
                              "When `num_opers` is set to -1, nodes referenced in `inputs` must "
                              "have a single output. Node %s has %d outputs.",
                              op->name, (int)op->n_outputs);
        }
    }
    return true;
}

static bool name_nodes(maker *m)
{
    for (int32_t i = 0; i < m->n_body; i++) {
        const TF_Operation *op = m->body[i];
        const char *name = unique(m, op->name);
        ORIBI_TRY(name != NULL);
        ORIBI_TRY(oribi_map_put(&m->nodes, op->name, (void *)(uintptr_t)name) || no_memory(m));
        for (int32_t k = 0; k < op->n_outputs; k++) {
            int32_t start = 0;
            const oribi_string argument = oribi_binding_output_name(op, k, &start);
            ORIBI_TRY(
                name_tensor(m, (TF_Output){(TF_Operation *)(uintptr_t)op, k},
                            oribi_arena_printf(&m->arena, "%s:%.*s:%d", name, (int)argument.length,
                                               argument.data, (int)(k - start))));
        }
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    return strcmp((*(TF_Operation *const *)a)->name, (*(TF_Operation *const *)b)->name);
}

static bool write_inputs(maker *m, oribi_text *out, const TF_Operation *op)
{
    for (int32_t i = 0; i < op->n_inputs; i++) {
        const char *name = find_tensor(m, op->inputs[i]);
        if (name == NULL) {
            return oribi_fail(m->status, TF_INVALID_ARGUMENT,
                              "Input %d, '%s:%d', of node '%s' is not available. "
                              "You might need to include it in inputs or include its source node "
                              "in the body",
                              (int)i, op->inputs[i].oper->name, op->inputs[i].index, op->name);
        }
        oribi_proto_string(out, 3, name);
    }
    TF_Operation **controls =
        oribi_arena_memdup(&m->arena, op->controls, (size_t)op->n_controls * sizeof *controls);
    ORIBI_TRY(controls != NULL || no_memory(m));
    qsort(controls, (size_t)op->n_controls, sizeof *controls, compare);
    for (int32_t i = 0; i < op->n_controls; i++) {
        oribi_text edge = {0};
        const char *name = oribi_map_get(&m->nodes, controls[i]->name);
        if (name == NULL) {
            return oribi_fail(m->status, TF_INVALID_ARGUMENT,
                              "The source of control edge %s -> %s is not in the body",
                              controls[i]->name, op->name);
        }
        oribi_text_printf(&edge, "^%s", name);
        oribi_proto_message(out, 3, &edge);
    }
    return true;
}

/* Attributes that stand for ones of the function. */
static bool write_placeholders(maker *m, const TF_Operation *op)
{
    for (int32_t i = 0; i < op->n_attrs; i++) {
        oribi_wire value = op->attrs[i].value;
        oribi_wire_field field;
        const oribi_string *own = &op->attrs[i].name;
        if (!oribi_wire_next(&value, &field, m->status) || field.number != 9 ||
            oribi_map_get_n(&m->attrs, (const char *)field.data, field.bytes) != NULL) {
            continue;
        }
        const char *name = oribi_arena_strndup(&m->arena, own->data, own->length);
        ORIBI_TRY((name != NULL &&
                   oribi_map_put_n(&m->attrs, (const char *)field.data, field.bytes, m)) ||
                  no_memory(m));
        const oribi_attr_def *def = op->op != NULL ? oribi_op_find_attr(op->op, name) : NULL;
        if (def == NULL) {
            return oribi_fail(m->status, TF_UNIMPLEMENTED,
                              "Placeholder value is not supported for attributes not in OpDef. "
                              "Attribute: %s",
                              name);
        }
        oribi_text part = {0};
        oribi_proto_bytes(&part, 1, field.data, field.bytes);
        oribi_proto_string(&part, 2, oribi_attr_kind_name(def->kind, def->is_list));
        oribi_proto_message(&m->signature, 4, &part);
    }
    return oribi_ok(m->status);
}

static bool write_nodes(maker *m)
{
    for (int32_t i = 0; i < m->n_body; i++) {
        const TF_Operation *op = m->body[i];
        oribi_text node = {0};
        oribi_proto_string(&node, 1, oribi_map_get(&m->nodes, op->name));
        oribi_proto_string(&node, 2, op->type);
        if (!write_inputs(m, &node, op) || !write_placeholders(m, op)) {
            oribi_text_destroy(&node);
            return false;
        }
        oribi_binding_write_attrs(&node, op);
        oribi_proto_message(&m->rest, 3, &node);
        m->is_stateful = m->is_stateful || oribi_binding_is_stateful(op);
    }
    return true;
}

/* --- What comes back ------------------------------------------------------------------------ */

static void write_entry(oribi_text *out, unsigned field, const char *key, const char *value)
{
    oribi_text entry = {0};
    oribi_proto_string(&entry, 1, key);
    oribi_proto_string(&entry, 2, value);
    oribi_proto_message(out, field, &entry);
}

static bool write_returns(maker *m)
{
    for (int i = 0; i < m->want->n_outputs; i++) {
        const TF_Output end = m->want->outputs[i];
        const char *name = find_tensor(m, end);
        if (name == NULL) {
            return oribi_fail(m->status, TF_INVALID_ARGUMENT,
                              "TF_Output %s:%d is neither in the function body nor among function "
                              "inputs",
                              end.oper->name, end.index);
        }
        write_entry(&m->rest, 4, m->returns[i], name);
    }
    return true;
}

static bool write_controls(maker *m)
{
    const wanted *want = m->want;
    oribi_map seen = {0};
    bool ok = true;
    for (int i = 0; ok && i < want->n_controls; i++) {
        const TF_Operation *op = want->controls[i];
        const char *name = want->control_names != NULL ? want->control_names[i] : op->name;
        const char *node = oribi_map_get(&m->nodes, op->name);
        if (name == NULL || name[0] == '\0') {
            ok =
                oribi_fail(m->status, TF_INVALID_ARGUMENT, "Control output name must be not empty");
        } else if (oribi_map_get(&seen, name) != NULL) {
            ok = oribi_fail(m->status, TF_INVALID_ARGUMENT, "Repeated control output name: %s",
                            name);
        } else if (node == NULL) {
            ok = oribi_fail(m->status, TF_INVALID_ARGUMENT,
                            "Control output node name must be not empty");
        } else {
            ok = oribi_map_put(&seen, name, m) || no_memory(m);
            oribi_proto_string(&m->signature, 20, name);
            write_entry(&m->rest, 6, name, node);
        }
    }
    oribi_map_destroy(&seen);
    return ok;
}

static const char *full_name(maker *m)
{
    oribi_digest digest = {{0}};
    if (!m->want->is_hashed) {
        return m->want->name;
    }
    oribi_digest_add(&digest, m->signature.data, m->signature.length);
    oribi_digest_add(&digest, m->rest.data, m->rest.length);
    return oribi_arena_printf(&m->arena, "%s_%016" PRIx64, m->want->name,
                              digest.at[0] ^ digest.at[1]);
}

/* NULL: status set. */
static TF_Function *finish(maker *m)
{
    oribi_text message = {0}, signature = {0};
    const char *name = full_name(m);
    TF_Function *made = NULL;
    oribi_proto_string(&signature, 1, name);
    oribi_text_append_n(&signature, m->signature.data, m->signature.length);
    oribi_proto_string(&signature, 6, m->want->description);
    if (m->is_stateful) {
        oribi_proto_number(&signature, 17, 1);
    }
    signature.failed = signature.failed || m->signature.failed || m->rest.failed || name == NULL;
    oribi_proto_message(&message, 1, &signature);
    oribi_text_append_n(&message, m->rest.data, m->rest.length);
    if (message.failed) {
        no_memory(m);
    } else {
        made = oribi_binding_function(message.data, message.length, m->status);
    }
    oribi_text_destroy(&message);
    return made;
}

TF_Function *TF_GraphToFunctionWithControlOutputs(
    const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name,
    int num_opers, const TF_Operation *const *opers, int ninputs, const TF_Output *inputs,
    int noutputs, const TF_Output *outputs, const char *const *output_names, int ncontrol_outputs,
    const TF_Operation *const *control_outputs, const char *const *control_output_names,
    const TF_FunctionOptions *opts, const char *description, TF_Status *status)
{
    const wanted want = {.name = fn_name,
                         .is_hashed = append_hash_to_fn_name != 0,
                         .n_inputs = ninputs,
                         .n_outputs = noutputs,
                         .n_controls = ncontrol_outputs,
                         .inputs = inputs,
                         .outputs = outputs,
                         .controls = control_outputs,
                         .output_names = output_names,
                         .control_names = control_output_names,
                         .description = description};
    maker m = {.want = &want, .status = status};
    oribi_mutex *lock = &((TF_Graph *)(uintptr_t)fn_body)->lock;
    (void)opts; /* nobody can make any */
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(lock);
    TF_Function *made = name_outputs(&m) && name_inputs(&m) &&
                                choose_body(&m, fn_body, num_opers, opers) && name_nodes(&m) &&
                                write_nodes(&m) && write_returns(&m) && write_controls(&m)
                            ? finish(&m)
                            : NULL;
    oribi_mutex_unlock(lock);
    if (made == NULL) {
        oribi_status_prefix(status, "function '%s': ", fn_name);
    }
    oribi_map *const maps[] = {&m.used, &m.nodes, &m.tensors, &m.attrs};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        oribi_map_destroy(maps[i]);
    }
    oribi_text_destroy(&m.signature);
    oribi_text_destroy(&m.rest);
    oribi_arena_destroy(&m.arena);
    return made;
}

TF_Function *TF_GraphToFunction(const TF_Graph *fn_body, const char *fn_name,
                                unsigned char append_hash_to_fn_name, int num_opers,
                                const TF_Operation *const *opers, int ninputs,
                                const TF_Output *inputs, int noutputs, const TF_Output *outputs,
                                const char *const *output_names, const TF_FunctionOptions *opts,
                                const char *description, TF_Status *status)
{
    return TF_GraphToFunctionWithControlOutputs(
        fn_body, fn_name, append_hash_to_fn_name, num_opers, opers, ninputs, inputs, noutputs,
        outputs, output_names, 0, NULL, NULL, opts, description, status);
}
