/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of operations that are in their graph already. Sessions see them in the next run.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_session.h"
#include "op/op_proto.h"

static void changed(TF_Graph *graph)
{
    graph->version++;
    atomic_fetch_add(&graph->edits, 1);
    oribi_mutex_unlock(&graph->lock);
}

/* --- Operations that are described under the lock -------------------------------------------- */

/* Nobody outside can hold a graph's lock: these are their namesakes. */
TF_OperationDescription *TF_NewOperationLocked(TF_Graph *graph, const char *op_type,
                                               const char *oper_name)
{
    return TF_NewOperation(graph, op_type, oper_name);
}

TF_Operation *TF_FinishOperationLocked(TF_OperationDescription *desc, TF_Status *status)
{
    return TF_FinishOperation(desc, status);
}

/* --- Attributes ----------------------------------------------------------------------------- */

/* What was read of the attribute is no longer so. */
static void forget(TF_Operation *op, const char *name)
{
    oribi_attrs *read = &op->read;
    for (int32_t i = 0; i < read->count; i++) {
        if (strcmp(read->items[i].name, name) == 0) {
            read->items[i] = read->items[--read->count];
            return;
        }
    }
}

void TF_SetAttr(TF_Graph *graph, TF_Operation *op, const char *attr_name,
                TF_Buffer *attr_value_proto, TF_Status *status)
{
    oribi_wire wire = oribi_wire_over(attr_value_proto->data, attr_value_proto->length);
    oribi_wire_field field;
    TF_SetStatus(status, TF_OK, "");
    while (oribi_wire_next(&wire, &field, status)) {
    }
    if (!oribi_ok(status)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Invalid AttrValue proto");
        return;
    }
    oribi_mutex_lock(&graph->lock);
    const char *key = oribi_arena_strdup(&graph->known->arena, attr_name);
    const uint8_t *kept = key != NULL ? oribi_binding_keep(graph, attr_value_proto->data,
                                                           attr_value_proto->length, status)
                                      : NULL;
    if (kept == NULL) {
        (void)(!oribi_ok(status) || oribi_fail_memory(status));
    } else if (oribi_binding_set_attr(op, (oribi_string){key, strlen(key)},
                                      oribi_wire_over(kept, attr_value_proto->length), status)) {
        forget(op, attr_name);
    }
    changed(graph);
}

void TF_ClearAttr(TF_Graph *graph, TF_Operation *op, const char *attr_name, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&graph->lock);
    for (int32_t i = 0; i < op->n_attrs; i++) {
        if (oribi_string_is(op->attrs[i].name, attr_name)) {
            memmove(&op->attrs[i], &op->attrs[i + 1],
                    (size_t)(--op->n_attrs - i) * sizeof *op->attrs);
            forget(op, attr_name);
            break;
        }
    }
    changed(graph);
}

void TF_SetFullType(TF_Graph *graph, TF_Operation *op, const TF_Buffer *full_type_proto)
{
    TF_Status *status = TF_NewStatus();
    oribi_mutex_lock(&graph->lock);
    const uint8_t *kept = status != NULL ? oribi_binding_keep(graph, full_type_proto->data,
                                                              full_type_proto->length, status)
                                         : NULL;
    if (kept != NULL) {
        op->full_type = oribi_wire_over(kept, full_type_proto->length);
    }
    changed(graph);
    TF_DeleteStatus(status);
}

void TF_SetRequestedDevice(TF_Graph *graph, TF_Operation *op, const char *device)
{
    oribi_mutex_lock(&graph->lock);
    const char *kept = oribi_arena_strdup(&graph->known->arena, device);
    op->device = kept != NULL ? kept : op->device;
    changed(graph);
}

void TF_SetRequireShapeInferenceFns(TF_Graph *graph, bool require)
{
    oribi_mutex_lock(&graph->lock);
    graph->requires_shape_functions = require;
    oribi_mutex_unlock(&graph->lock);
}

/* --- Edges ---------------------------------------------------------------------------------- */

/* `of` is no longer read by this input; index -1: by nothing of the operation that runs after it.
 */
static void unlink_reader(TF_Operation *of, TF_Input input)
{
    oribi_binding_reader *before = NULL;
    for (oribi_binding_reader *r = of->readers; r != NULL; r = r->next) {
        if (r->input.oper == input.oper && r->input.index == input.index) {
            *(before != NULL ? &before->next : &of->readers) = r->next;
            of->last_reader = of->last_reader == r ? before : of->last_reader;
            return;
        }
        before = r;
    }
}

void TF_AddOperationControlInput(TF_Graph *graph, TF_Operation *op, TF_Operation *input)
{
    TF_Status *status = TF_NewStatus();
    oribi_mutex_lock(&graph->lock);
    const int32_t n = op->n_controls;
    if (status != NULL && oribi_binding_add_control(op, input, status) && op->n_controls > n) {
        (void)oribi_binding_add_reader(input, -1, (TF_Input){op, -1}, status);
    }
    changed(graph);
    TF_DeleteStatus(status);
}

void TF_RemoveAllControlInputs(TF_Graph *graph, TF_Operation *op)
{
    oribi_mutex_lock(&graph->lock);
    for (int32_t i = 0; i < op->n_controls; i++) {
        unlink_reader(op->controls[i], (TF_Input){op, -1});
    }
    op->n_controls = 0;
    changed(graph);
}

static bool update_edge(TF_Output source, TF_Input dst, TF_Status *status)
{
    TF_Operation *op = dst.oper;
    if (source.index < 0 || source.index >= source.oper->n_outputs) {
        return oribi_fail(status, TF_OUT_OF_RANGE,
                          "Cannot update edge. Output index [%d] is greater than the number of "
                          "total outputs [%d].",
                          source.index, (int)source.oper->n_outputs);
    }
    if (dst.index < 0 || dst.index >= op->n_inputs) {
        return oribi_fail(status, TF_OUT_OF_RANGE,
                          "Cannot update edge. Input index [%d] is greater than the number of "
                          "total inputs [%d].",
                          dst.index, (int)op->n_inputs);
    }
    const oribi_value *was = oribi_binding_value(op->inputs[dst.index], status);
    const oribi_value *is = oribi_binding_value(source, status);
    ORIBI_TRY(was != NULL && is != NULL);
    if (was->dtype != is->dtype || !oribi_shape_agrees(&was->shape, &is->shape)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "Cannot update edge, incompatible shapes or types: input %d of '%s' and "
                          "'%s:%d'",
                          dst.index, op->name, source.oper->name, source.index);
    }
    unlink_reader(op->inputs[dst.index].oper, dst);
    op->inputs[dst.index] = source;
    return oribi_binding_add_reader(source.oper, source.index, dst, status);
}

void TF_UpdateEdge(TF_Graph *graph, TF_Output new_src, TF_Input dst, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&graph->lock);
    (void)update_edge(new_src, dst, status);
    changed(graph);
}

void TF_AddWhileInputHack(TF_Graph *graph, TF_Output new_src, TF_Operation *dst, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&graph->lock);
    if (strcmp(dst->type, "While") != 0 && strcmp(dst->type, "StatelessWhile") != 0) {
        oribi_fail(status, TF_INTERNAL,
                   "dst argument to AddWhileEdgeHack should be a While op, got: '%s' (%s)",
                   dst->name, dst->type);
    } else if (oribi_binding_value(new_src, status) != NULL &&
               oribi_binding_add_input(dst, new_src, status)) {
        (void)oribi_binding_add_reader(new_src.oper, new_src.index,
                                       (TF_Input){dst, dst->n_inputs - 1}, status);
    }
    changed(graph);
}

/* --- What variables behind handles hold ------------------------------------------------------ */

TF_Buffer *TF_GetHandleShapeAndType(TF_Graph *graph, TF_Output output)
{
    oribi_text key = {0};
    oribi_text_printf(&key, "%s:%d", output.oper->name, output.index);
    oribi_mutex_lock(&graph->lock);
    const oribi_wire *kept = oribi_map_get(&graph->handles, oribi_text_string(&key));
    oribi_mutex_unlock(&graph->lock);
    oribi_text_destroy(&key);
    return kept != NULL ? TF_NewBufferFromString(kept->at, (size_t)(kept->end - kept->at))
                        : TF_NewBuffer();
}

void TF_SetHandleShapeAndType(TF_Graph *graph, TF_Output output, const void *proto,
                              size_t proto_len, TF_Status *status)
{
    oribi_wire wire = oribi_wire_over(proto, proto_len);
    oribi_wire_field field;
    TF_SetStatus(status, TF_OK, "");
    while (oribi_wire_next(&wire, &field, status)) {
    }
    if (!oribi_ok(status)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Couldn't deserialize HandleData proto");
        return;
    }
    oribi_mutex_lock(&graph->lock);
    if (oribi_binding_value(output, status) != NULL) {
        const uint8_t *bytes = oribi_binding_keep(graph, proto, proto_len, status);
        const oribi_wire made = oribi_wire_over(bytes, bytes != NULL ? proto_len : 0);
        oribi_wire *kept = oribi_arena_memdup(&graph->known->arena, &made, sizeof made);
        const char *key =
            oribi_arena_printf(&graph->known->arena, "%s:%d", output.oper->name, output.index);
        (void)((bytes != NULL && kept != NULL && key != NULL &&
                oribi_map_put(&graph->handles, key, kept)) ||
               !oribi_ok(status) || oribi_fail_memory(status));
    }
    oribi_mutex_unlock(&graph->lock);
}

/* --- Sessions ------------------------------------------------------------------------------- */

/* A run extends its session by what is new. */
void TF_ExtendSession(TF_Session *session, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&session->lock);
    if (session->is_closed) {
        oribi_fail(status, TF_CANCELLED, "Session has been closed.");
    }
    oribi_mutex_unlock(&session->lock);
}
