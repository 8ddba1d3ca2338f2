/* SPDX-License-Identifier: Apache-2.0 */
/* See emit.h. */
#include "import/emit.h"

#include <stdarg.h>

#include "base/text.h"
#include "micro/dims.h"
#include "op/op.h"
#include "tensor/status.h"

static bool set_attr(oribi_graph *graph, oribi_node *node, const oribi_emit_attr *a)
{
    oribi_arena *arena = &graph->arena;
    const oribi_attr floats = {.name = a->name,
                               .kind = TF_ATTR_FLOAT,
                               .is_list = true,
                               .count = a->count,
                               .u.f = a->floats};
    const oribi_attr bools = {
        .name = a->name, .kind = TF_ATTR_BOOL, .is_list = true, .count = a->count, .u.b = a->bools};
    const oribi_attr shapes = {.name = a->name,
                               .kind = TF_ATTR_SHAPE,
                               .is_list = true,
                               .count = a->count,
                               .u.shape = a->shapes};
    switch (a->kind) {
    case TF_ATTR_INT:
        return a->count >= 0 ? oribi_attrs_set_ints(&node->attrs, arena, a->name, a->ints, a->count)
                             : oribi_attrs_set_int(&node->attrs, arena, a->name, a->i);
    case TF_ATTR_BOOL:
        return a->count >= 0 ? oribi_attrs_set(&node->attrs, arena, &bools)
                             : oribi_attrs_set_bool(&node->attrs, arena, a->name, a->i != 0);
    case TF_ATTR_TYPE:
        return a->count >= 0
                   ? oribi_attrs_set_types(&node->attrs, arena, a->name, a->types, a->count)
                   : oribi_attrs_set_type(&node->attrs, arena, a->name, (TF_DataType)a->i);
    case TF_ATTR_SHAPE:
        return oribi_attrs_set(&node->attrs, arena, &shapes);
    case TF_ATTR_FLOAT:
        return a->count >= 0 ? oribi_attrs_set(&node->attrs, arena, &floats)
                             : oribi_attrs_set_float(&node->attrs, arena, a->name, a->f);
    default:
        return oribi_attrs_set_string(&node->attrs, arena, a->name, a->s);
    }
}

static bool fail(const oribi_emit_from *from, TF_Code code, const char *format, va_list args)
{
    if (!*from->failed) {
        oribi_text text = {0};
        *from->failed = true;
        oribi_text_vprintf(&text, format, args);
        oribi_fail(from->status, code, "%s: %s", from->origin, oribi_text_string(&text));
        oribi_text_destroy(&text);
    }
    return false;
}

bool oribi_emit_fail(const oribi_emit_from *from, TF_Code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(from, code, format, args);
    va_end(args);
    return false;
}

bool oribi_emit_no_memory(const oribi_emit_from *from)
{
    *from->failed = true;
    return oribi_fail_memory(from->status);
}

bool oribi_emit_want_shapes(const oribi_emit_from *from, const char *format, ...)
{
    va_list args;
    *from->wants_shapes = *from->wants_shapes || !*from->failed;
    va_start(args, format);
    fail(from, TF_UNIMPLEMENTED, format, args);
    va_end(args);
    return false;
}

static bool check(const oribi_emit_from *from, const char *op, const oribi_value_id *inputs,
                  int32_t n_inputs)
{
    for (int32_t i = 0; i < n_inputs; i++) {
        if (inputs[i] < 0) {
            return oribi_emit_fail(from, TF_INVALID_ARGUMENT, "a required input is absent");
        }
    }
    return oribi_op_is_known(op) ||
           oribi_emit_fail(from, TF_UNIMPLEMENTED,
                           "this form needs op '%s', which is not registered", op);
}

/* Attributes that do not resolve are a type or a form that the op does not have; shapes that do not
 * fit are the model's fault. */
bool oribi_emit_resolve(const oribi_emit_from *from, oribi_node *node)
{
    if (oribi_graph_resolve(from->graph, node, from->status)) {
        return true;
    }
    TF_Code code = TF_GetCode(from->status);
    if (code == TF_INVALID_ARGUMENT && node->signature.input_types != NULL && from->unfit != NULL) {
        *from->unfit = true;
    }
    if (code == TF_INVALID_ARGUMENT && node->signature.input_types == NULL) {
        code = TF_UNIMPLEMENTED;
    }
    oribi_text text = {0};
    oribi_text_append(&text, TF_Message(from->status));
    oribi_emit_fail(from, code, "%s", oribi_text_string(&text));
    oribi_text_destroy(&text);
    return false;
}

bool oribi_emit_check_ranks(const oribi_emit_from *from, const oribi_node *node)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_value *value = from->graph->values[node->outputs[i]];
        if (value->shape.rank > ORIBI_MAX_RANK) {
            return oribi_emit_fail(from, TF_INVALID_ARGUMENT,
                                   "the result has rank %d; at most %d is supported",
                                   (int)value->shape.rank, ORIBI_MAX_RANK);
        }
    }
    return true;
}

oribi_node *oribi_emit_make(const oribi_emit_from *from, const char *op,
                            const oribi_value_id *inputs, int32_t n_inputs,
                            const oribi_emit_attr *attrs, int32_t n_attrs,
                            const oribi_emit_attr *last, int32_t n_outputs)
{
    if (*from->failed || !check(from, op, inputs, n_inputs)) {
        return NULL;
    }
    oribi_node *node = oribi_graph_add_node(from->graph, op, from->label, inputs, n_inputs,
                                            n_outputs, from->status);
    bool ok = node != NULL;
    for (int32_t i = 0; ok && i < n_attrs + (last != NULL ? 1 : 0); i++) {
        ok = set_attr(from->graph, node, i < n_attrs ? &attrs[i] : last) ||
             oribi_fail_memory(from->status);
    }
    *from->failed = !ok;
    if (!ok) {
        return NULL;
    }
    node->origin = from->origin;
    return oribi_emit_resolve(from, node) && oribi_emit_check_ranks(from, node) ? node : NULL;
}

oribi_graph *oribi_import_begin(const char *source_name, const char *source_kind,
                                const oribi_import_options *options, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_graph *graph = oribi_graph_create(status);
    if (graph == NULL) {
        return NULL;
    }
    graph->source_name = oribi_arena_strdup(&graph->arena, source_name);
    graph->source_kind = source_kind;
    graph->max_bytes = options != NULL ? options->max_bytes : 0;
    graph->made_bytes = options != NULL ? options->held_bytes : 0;
    if (graph->source_name == NULL) {
        graph->source_name = "";
        oribi_fail_memory(status);
        oribi_graph_destroy(graph);
        return NULL;
    }
    return graph;
}

oribi_graph *oribi_import_end(oribi_graph *graph, bool is_read, const char *source_name,
                              TF_Status *status)
{
    if (graph == NULL || is_read) {
        return graph;
    }
    oribi_status_prefix(status, "%s: ", source_name);
    oribi_graph_destroy(graph);
    return NULL;
}

const char *oribi_import_text(oribi_arena *arena, const oribi_string *string)
{
    size_t length = string->length < 4096 ? string->length : 4096;
    char *text = oribi_arena_strndup(arena, string->data, length);
    for (size_t i = 0; text != NULL && i < length && text[i] != '\0'; i++) {
        text[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    }
    return text;
}
