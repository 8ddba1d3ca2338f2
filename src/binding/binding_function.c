/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of graphs: messages that nodes call by name.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding.h"
#include "format/proto.h"
#include "import/graphdef/graphdef_attr.h"

struct TF_Function {
    oribi_arena arena;
    const char *name;
    oribi_wire message; /* a FunctionDef; the arena's bytes */
};

void TF_DeleteFunction(TF_Function *func)
{
    if (func != NULL) {
        oribi_arena_destroy(&func->arena);
        oribi_free(func);
    }
}

TF_Function *oribi_binding_function(const void *proto, size_t bytes, TF_Status *status)
{
    TF_Function *self = oribi_alloc_zero(1, sizeof *self);
    const uint8_t *kept = self != NULL ? oribi_arena_memdup(&self->arena, proto, bytes) : NULL;
    oribi_string name;
    if (kept == NULL) {
        TF_DeleteFunction(self);
        oribi_fail_memory(status);
        return NULL;
    }
    self->message = oribi_wire_over(kept, bytes);
    if (!oribi_binding_function_name(self->message, &name, status) || name.length == 0) {
        TF_DeleteFunction(self);
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Invalid FunctionDef given to TF_FunctionImportFunctionDef");
        return NULL;
    }
    self->name = oribi_arena_strndup(&self->arena, name.data, name.length);
    if (self->name == NULL) {
        TF_DeleteFunction(self);
        oribi_fail_memory(status);
        return NULL;
    }
    return self;
}

TF_Function *TF_FunctionImportFunctionDef(const void *proto, size_t proto_len, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    return oribi_binding_function(proto, proto_len, status);
}

const char *TF_FunctionName(TF_Function *func)
{
    return func->name;
}

static size_t bytes_of(const oribi_wire *wire)
{
    return (size_t)(wire->end - wire->at);
}

void TF_FunctionToFunctionDef(TF_Function *func, TF_Buffer *output_func_def, TF_Status *status)
{
    oribi_text text = {0};
    TF_SetStatus(status, TF_OK, "");
    oribi_text_append_n(&text, func->message.at, bytes_of(&func->message));
    (void)oribi_proto_fill(&text, output_func_def, status);
}

/* --- Attributes ----------------------------------------------------------------------------- */

void TF_FunctionSetAttrValueProto(TF_Function *func, const char *attr_name, const void *proto,
                                  size_t proto_len, TF_Status *status)
{
    oribi_wire wire = oribi_wire_over(proto, proto_len);
    oribi_wire_field field;
    oribi_text message = {0}, entry = {0};
    TF_SetStatus(status, TF_OK, "");
    while (oribi_wire_next(&wire, &field, status)) {
    }
    if (!oribi_ok(status)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Unparseable AttrValue proto");
        return;
    }
    oribi_text_append_n(&message, func->message.at, bytes_of(&func->message));
    oribi_proto_string(&entry, 1, attr_name);
    oribi_proto_bytes(&entry, 2, proto, proto_len);
    oribi_proto_message(&message, 5,
                        &entry); /* of a map's entries of one key the last one counts */
    const uint8_t *kept =
        message.failed ? NULL : oribi_arena_memdup(&func->arena, message.data, message.length);
    if (kept != NULL) {
        func->message = oribi_wire_over(kept, message.length);
    } else {
        oribi_fail_memory(status);
    }
    oribi_text_destroy(&message);
}

void TF_FunctionGetAttrValueProto(TF_Function *func, const char *attr_name,
                                  TF_Buffer *output_attr_value, TF_Status *status)
{
    oribi_wire wire = func->message, value, found = oribi_wire_over(NULL, 0);
    oribi_string key;
    oribi_text text = {0};
    bool is_found = false;
    TF_SetStatus(status, TF_OK, "");
    while (oribi_graphdef_next_attr(&wire, &key, &value, status)) {
        if (oribi_string_is(key, attr_name)) {
            found = value;
            is_found = true;
        }
    }
    if (!is_found) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Function '%s' has no attr named '%s'.", func->name,
                   attr_name);
        return;
    }
    oribi_text_append_n(&text, found.at, bytes_of(&found));
    (void)oribi_proto_fill(&text, output_attr_value, status);
}

/* --- Functions of a graph ------------------------------------------------------------------- */

/* As a library of one function, and of its gradient. */
static void write_library(oribi_text *out, const TF_Function *func, const TF_Function *grad)
{
    oribi_text entry = {0};
    oribi_proto_bytes(out, 1, func->message.at, bytes_of(&func->message));
    if (grad != NULL) {
        oribi_proto_bytes(out, 1, grad->message.at, bytes_of(&grad->message));
        oribi_proto_string(&entry, 1, func->name);
        oribi_proto_string(&entry, 2, grad->name);
        oribi_proto_message(out, 2, &entry);
    }
}

void TF_GraphCopyFunction(TF_Graph *g, const TF_Function *func, const TF_Function *grad,
                          TF_Status *status)
{
    oribi_text text = {0};
    TF_SetStatus(status, TF_OK, "");
    if (func == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "'func' argument to TF_GraphCopyFunction cannot "
                   "be null");
        return;
    }
    write_library(&text, func, grad);
    oribi_mutex_lock(&g->lock);
    const uint8_t *kept =
        text.failed ? NULL : oribi_binding_keep(g, text.data, text.length, status);
    if (kept != NULL) {
        (void)oribi_binding_add_library(g, oribi_wire_over(kept, text.length), status);
    } else if (oribi_ok(status)) {
        oribi_fail_memory(status);
    }
    oribi_mutex_unlock(&g->lock);
    oribi_text_destroy(&text);
}

int TF_GraphNumFunctions(TF_Graph *g)
{
    oribi_mutex_lock(&g->lock);
    const int n = (int)g->functions.n_entries;
    oribi_mutex_unlock(&g->lock);
    return n;
}

int TF_GraphGetFunctions(TF_Graph *g, TF_Function **funcs, int max_func, TF_Status *status)
{
    int n = 0;
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&g->lock);
    while (n < max_func && (size_t)n < g->functions.n_entries && oribi_ok(status)) {
        const oribi_wire *message = g->functions.entries[n].value;
        funcs[n] = oribi_binding_function(message->at, bytes_of(message), status);
        n += funcs[n] != NULL;
    }
    oribi_mutex_unlock(&g->lock);
    for (; !oribi_ok(status) && n > 0; n--) {
        TF_DeleteFunction(funcs[n - 1]);
    }
    return n;
}

/* Maps have no way to take one out. */
void TF_GraphRemoveFunction(TF_Graph *g, const char *func_name, TF_Status *status)
{
    oribi_map kept = {0};
    bool ok = true;
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&g->lock);
    for (size_t i = 0; ok && i < g->functions.n_entries; i++) {
        const oribi_map_entry *entry = &g->functions.entries[i];
        if (!oribi_string_is((oribi_string){entry->key, entry->key_length}, func_name)) {
            ok = oribi_map_put_n(&kept, entry->key, entry->key_length, entry->value) ||
                 oribi_fail_memory(status);
        }
    }
    if (ok && kept.n_entries == g->functions.n_entries) {
        ok = oribi_fail(status, TF_INVALID_ARGUMENT, "Tried to remove non-existent function '%s'.",
                        func_name);
    }
    if (ok) {
        oribi_map_destroy(&g->functions);
        g->functions = kept;
        g->version++;
    } else {
        oribi_map_destroy(&kept);
    }
    oribi_mutex_unlock(&g->lock);
}
