/* SPDX-License-Identifier: Apache-2.0 */
/* TF_FunctionLibraryDefinition: OpDefs of registered ops, and signatures of a GraphDef's functions.
 */
#include <string.h>

#include "base/alloc.h"
#include "grappler/grappler.h"
#include "format/wire.h"
#include "op/op.h"
#include "op/op_proto.h"

struct TF_FunctionLibraryDefinition {
    TF_Buffer *bytes; /* of the GraphDef */
};

TF_FunctionLibraryDefinition *TF_NewFunctionLibraryDefinition(const TF_Buffer *graph_buf,
                                                              TF_Status *status)
{
    TF_FunctionLibraryDefinition *self = oribi_alloc_zero(1, sizeof *self);
    TF_SetStatus(status, TF_OK, "");
    if (self != NULL) {
        self->bytes = TF_NewBufferFromString(graph_buf->data, graph_buf->length);
    }
    if (self == NULL || self->bytes == NULL) {
        oribi_free(self);
        oribi_fail_memory(status);
        return NULL;
    }
    return self;
}

void TF_DeleteFunctionLibraryDefinition(TF_FunctionLibraryDefinition *fn_lib)
{
    if (fn_lib != NULL) {
        TF_DeleteBuffer(fn_lib->bytes);
        oribi_free(fn_lib);
    }
}

/* The first message of field `number`, from where the cursor stands. */
static bool next_message(oribi_wire *wire, uint32_t number, oribi_wire *out, TF_Status *status)
{
    oribi_wire_field field;
    while (oribi_wire_next(wire, &field, status)) {
        if (field.number == number) {
            return oribi_wire_enter(wire, &field, out, status);
        }
    }
    return false;
}

static bool has_name(oribi_wire op_def, const char *name, TF_Status *status)
{
    oribi_wire_field field;
    oribi_string text = {"", 0};
    while (oribi_wire_next(&op_def, &field, status)) {
        if (field.number == 1 && !oribi_wire_string(&field, "a function's name", &text, status)) {
            return false;
        }
    }
    return oribi_string_is(text, name);
}

/* GraphDef.library (2) . function (1) . signature (1) */
static bool find_function(const TF_Buffer *bytes, const char *name, oribi_wire *out,
                          TF_Status *status)
{
    oribi_wire graph = oribi_wire_over(bytes->data, bytes->length);
    oribi_wire library;
    oribi_wire function;
    while (next_message(&graph, 2, &library, status)) {
        while (next_message(&library, 1, &function, status)) {
            if (next_message(&function, 1, out, status) && has_name(*out, name, status)) {
                return true;
            }
        }
    }
    return false;
}

void TF_LookUpOpDef(TF_FunctionLibraryDefinition *fn_lib, const char *name, TF_Buffer *buf,
                    TF_Status *s)
{
    const oribi_op_def *op = oribi_op_find(name);
    oribi_wire found;
    oribi_text text = {0};
    TF_SetStatus(s, TF_OK, "");
    if (op != NULL) {
        oribi_proto_op_def(&text, op);
    } else if (find_function(fn_lib->bytes, name, &found, s)) {
        oribi_text_append_n(&text, found.at, (size_t)(found.end - found.at));
    } else {
        if (oribi_ok(s)) {
            oribi_fail(s, TF_NOT_FOUND, "there is no op or function named '%s'", name);
        }
        return;
    }
    (void)oribi_proto_fill(&text, buf, s);
}
