/* SPDX-License-Identifier: Apache-2.0 */
/* New operations, described call by call. What is wrong with one is said when it is finished, or by
 * the status of the call that has one.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding.h"
#include "format/proto.h"

/* Its memory is the graph's, and goes with it. */
struct TF_OperationDescription {
    TF_Operation *op;
    oribi_string *places; /* "loc:@name", of operations that it is to stand with */
    int32_t n_places;
    TF_Code code; /* of the first thing that was wrong */
    const char *problem;
};

static void note(TF_OperationDescription *desc, const TF_Status *status)
{
    if (!oribi_ok(status) && desc->code == TF_OK) {
        desc->code = TF_GetCode(status);
        desc->problem = oribi_arena_strdup(&desc->op->graph->known->arena, TF_Message(status));
    }
}

TF_OperationDescription *TF_NewOperation(TF_Graph *graph, const char *op_type,
                                         const char *oper_name)
{
    TF_Status *status = TF_NewStatus();
    oribi_mutex_lock(&graph->lock);
    TF_OperationDescription *desc =
        status != NULL ? oribi_arena_array(&graph->known->arena, 1, sizeof *desc) : NULL;
    if (desc != NULL) {
        desc->op = oribi_binding_operation(graph, (oribi_string){op_type, strlen(op_type)},
                                           (oribi_string){oper_name, strlen(oper_name)}, status);
    }
    oribi_mutex_unlock(&graph->lock);
    TF_DeleteStatus(status);
    return desc != NULL && desc->op != NULL ? desc : NULL;
}

void TF_SetDevice(TF_OperationDescription *desc, const char *device)
{
    TF_Graph *graph = desc->op->graph;
    oribi_mutex_lock(&graph->lock);
    const char *kept = oribi_arena_strdup(&graph->known->arena, device);
    desc->op->device = kept != NULL ? kept : "";
    oribi_mutex_unlock(&graph->lock);
}

/* --- Inputs --------------------------------------------------------------------------------- */

/* All of them, or those before one that is of no use. */
static void add_inputs(TF_OperationDescription *desc, const TF_Output *inputs, int n,
                       TF_Operation *control)
{
    TF_Graph *graph = desc->op->graph;
    TF_Status *status = TF_NewStatus();
    oribi_mutex_lock(&graph->lock);
    bool ok = status != NULL;
    for (int i = 0; ok && i < n; i++) {
        ok = (inputs[i].oper != NULL && inputs[i].oper->graph == graph) ||
             oribi_fail(status, TF_INVALID_ARGUMENT, "input %d is no operation of the graph",
                        (int)desc->op->n_inputs);
        ok = ok && oribi_binding_value(inputs[i], status) != NULL &&
             oribi_binding_add_input(desc->op, inputs[i], status);
    }
    if (ok && control != NULL) {
        ok = control->graph == graph
                 ? oribi_binding_add_control(desc->op, control, status)
                 : oribi_fail(status, TF_INVALID_ARGUMENT, "a control input is of another graph");
    }
    if (!ok && status != NULL) {
        note(desc, status);
    }
    oribi_mutex_unlock(&graph->lock);
    TF_DeleteStatus(status);
}

void TF_AddInput(TF_OperationDescription *desc, TF_Output input)
{
    add_inputs(desc, &input, 1, NULL);
}

void TF_AddInputList(TF_OperationDescription *desc, const TF_Output *inputs, int num_inputs)
{
    add_inputs(desc, inputs, num_inputs, NULL);
}

void TF_AddControlInput(TF_OperationDescription *desc, TF_Operation *input)
{
    add_inputs(desc, NULL, 0, input);
}

/* --- Attributes ----------------------------------------------------------------------------- */

/* Empties the message. */
static bool keep_attr(TF_OperationDescription *desc, const char *name, oribi_text *message,
                      TF_Status *status)
{
    TF_Graph *graph = desc->op->graph;
    const char *key = oribi_arena_strdup(&graph->known->arena, name);
    const uint8_t *kept = key != NULL && !message->failed
                              ? oribi_binding_keep(graph, message->data, message->length, status)
                              : NULL;
    const size_t bytes = message->length;
    oribi_text_destroy(message);
    if (kept == NULL) {
        return !oribi_ok(status) ? false : oribi_fail_memory(status);
    }
    return oribi_binding_set_attr(desc->op, (oribi_string){key, strlen(key)},
                                  oribi_wire_over(kept, bytes), status);
}

static void set_message(TF_OperationDescription *desc, const char *name, oribi_text *message)
{
    TF_Status *status = TF_NewStatus();
    oribi_mutex_lock(&desc->op->graph->lock);
    if (status != NULL && !keep_attr(desc, name, message, status)) {
        note(desc, status);
    }
    oribi_mutex_unlock(&desc->op->graph->lock);
    TF_DeleteStatus(status);
}

/* `values` as oribi_attr.u has them, of n elements; -1: one that is no list. */
static void set(TF_OperationDescription *desc, const char *name, TF_AttrType kind,
                const void *values, int n)
{
    const oribi_attr attr = {.name = name,
                             .kind = (uint8_t)kind,
                             .is_list = n >= 0,
                             .count = n >= 0 ? n : 1,
                             .u.s = values};
    oribi_text message = {0}, list = {0};
    if (n == 0 && kind >= TF_ATTR_INT && kind <= TF_ATTR_TYPE && desc->op->op == NULL) {
        /* An empty field says what its list is of, which no op does. */
        oribi_proto_bytes(&list, (unsigned)kind + 2, "", 0);
        oribi_proto_message(&message, 1, &list);
    } else {
        oribi_proto_attr_value(&message, &attr);
    }
    set_message(desc, name, &message);
}

void TF_SetAttrString(TF_OperationDescription *desc, const char *attr_name, const void *value,
                      size_t length)
{
    const oribi_string string = {value, length};
    set(desc, attr_name, TF_ATTR_STRING, &string, -1);
}

void TF_SetAttrStringList(TF_OperationDescription *desc, const char *attr_name,
                          const void *const *values, const size_t *lengths, int num_values)
{
    oribi_string *strings = oribi_alloc_array((size_t)num_values + 1, sizeof *strings);
    oribi_text message = {.failed = strings == NULL};
    if (strings == NULL) {
        set_message(desc, attr_name, &message);
        return;
    }
    for (int i = 0; i < num_values; i++) {
        strings[i] = (oribi_string){values[i], lengths[i]};
    }
    set(desc, attr_name, TF_ATTR_STRING, strings, num_values);
    oribi_free(strings);
}

void TF_SetAttrInt(TF_OperationDescription *desc, const char *attr_name, int64_t value)
{
    set(desc, attr_name, TF_ATTR_INT, &value, -1);
}

void TF_SetAttrIntList(TF_OperationDescription *desc, const char *attr_name, const int64_t *values,
                       int num_values)
{
    set(desc, attr_name, TF_ATTR_INT, values, num_values);
}

void TF_SetAttrFloat(TF_OperationDescription *desc, const char *attr_name, float value)
{
    set(desc, attr_name, TF_ATTR_FLOAT, &value, -1);
}

void TF_SetAttrFloatList(TF_OperationDescription *desc, const char *attr_name, const float *values,
                         int num_values)
{
    set(desc, attr_name, TF_ATTR_FLOAT, values, num_values);
}

void TF_SetAttrBool(TF_OperationDescription *desc, const char *attr_name, unsigned char value)
{
    set(desc, attr_name, TF_ATTR_BOOL, &value, -1);
}

void TF_SetAttrBoolList(TF_OperationDescription *desc, const char *attr_name,
                        const unsigned char *values, int num_values)
{
    set(desc, attr_name, TF_ATTR_BOOL, values, num_values);
}

void TF_SetAttrType(TF_OperationDescription *desc, const char *attr_name, TF_DataType value)
{
    set(desc, attr_name, TF_ATTR_TYPE, &value, -1);
}

void TF_SetAttrTypeList(TF_OperationDescription *desc, const char *attr_name,
                        const TF_DataType *values, int num_values)
{
    set(desc, attr_name, TF_ATTR_TYPE, values, num_values);
}

void TF_SetAttrPlaceholder(TF_OperationDescription *desc, const char *attr_name,
                           const char *placeholder)
{
    const oribi_string string = {placeholder, strlen(placeholder)};
    set(desc, attr_name, TF_ATTR_PLACEHOLDER, &string, -1);
}

void TF_SetAttrFuncName(TF_OperationDescription *desc, const char *attr_name, const char *value,
                        size_t length)
{
    oribi_text function = {0}, message = {0};
    oribi_proto_bytes(&function, 1, value, length);
    oribi_proto_message(&message, 10, &function);
    set_message(desc, attr_name, &message);
}

void TF_SetAttrShape(TF_OperationDescription *desc, const char *attr_name, const int64_t *dims,
                     int num_dims)
{
    const oribi_shape shape = {num_dims, (int64_t *)(uintptr_t)dims};
    set(desc, attr_name, TF_ATTR_SHAPE, &shape, -1);
}

void TF_SetAttrShapeList(TF_OperationDescription *desc, const char *attr_name,
                         const int64_t *const *dims, const int *num_dims, int num_shapes)
{
    oribi_text list = {0}, message = {0};
    for (int i = 0; i < num_shapes; i++) {
        oribi_proto_shape(&list, 7, dims[i], num_dims[i]);
    }
    oribi_proto_message(&message, 1, &list);
    set_message(desc, attr_name, &message);
}

void TF_SetAttrTensor(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *value,
                      TF_Status *status)
{
    if (ORIBI_GIVEN(status, value)) {
        set(desc, attr_name, TF_ATTR_TENSOR, &value, -1);
    }
}

void TF_SetAttrTensorList(TF_OperationDescription *desc, const char *attr_name,
                          TF_Tensor *const *values, int num_values, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    set(desc, attr_name, TF_ATTR_TENSOR, values, num_values);
}

/* --- Attributes as messages ----------------------------------------------------------------- */

static bool check_shape(const void *proto, size_t bytes, TF_Status *status)
{
    oribi_wide_dims dims = {0};
    bool is_unknown = false;
    return oribi_proto_read_shape(oribi_wire_over(proto, bytes), &dims, &is_unknown, status) ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "Unparseable TensorShapeProto");
}

void TF_SetAttrTensorShapeProto(TF_OperationDescription *desc, const char *attr_name,
                                const void *proto, size_t proto_len, TF_Status *status)
{
    oribi_text message = {0};
    TF_SetStatus(status, TF_OK, "");
    if (check_shape(proto, proto_len, status)) {
        oribi_proto_bytes(&message, 7, proto, proto_len);
        set_message(desc, attr_name, &message);
    }
}

void TF_SetAttrTensorShapeProtoList(TF_OperationDescription *desc, const char *attr_name,
                                    const void *const *protos, const size_t *proto_lens,
                                    int num_shapes, TF_Status *status)
{
    oribi_text list = {0}, message = {0};
    TF_SetStatus(status, TF_OK, "");
    for (int i = 0; i < num_shapes; i++) {
        if (!check_shape(protos[i], proto_lens[i], status)) {
            oribi_text_destroy(&list);
            return;
        }
        oribi_proto_bytes(&list, 7, protos[i], proto_lens[i]);
    }
    oribi_proto_message(&message, 1, &list);
    set_message(desc, attr_name, &message);
}

void TF_SetAttrValueProto(TF_OperationDescription *desc, const char *attr_name, const void *proto,
                          size_t proto_len, TF_Status *status)
{
    oribi_wire wire = oribi_wire_over(proto, proto_len);
    oribi_wire_field field;
    oribi_text message = {0};
    TF_SetStatus(status, TF_OK, "");
    while (oribi_wire_next(&wire, &field, status)) {
    }
    if (!oribi_ok(status)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Unparseable AttrValue proto");
        return;
    }
    oribi_text_append_n(&message, proto, proto_len);
    set_message(desc, attr_name, &message);
}

/* Sessions place nothing by it; other readers of the graph may. */
void TF_ColocateWith(TF_OperationDescription *desc, TF_Operation *op)
{
    oribi_arena *arena = &desc->op->graph->known->arena;
    oribi_mutex_lock(&desc->op->graph->lock);
    oribi_string *more = oribi_arena_array(arena, (size_t)desc->n_places + 1, sizeof *more);
    const char *place = oribi_arena_printf(arena, "loc:@%s", op->name);
    if (more != NULL && place != NULL) {
        if (desc->n_places > 0) {
            memcpy(more, desc->places, (size_t)desc->n_places * sizeof *more);
        }
        more[desc->n_places++] = (oribi_string){place, strlen(place)};
        desc->places = more;
    }
    oribi_mutex_unlock(&desc->op->graph->lock);
    set(desc, "_class", TF_ATTR_STRING, desc->places, desc->n_places);
}

/* --- The end -------------------------------------------------------------------------------- */

static bool finish(TF_OperationDescription *desc, TF_Status *status)
{
    TF_Operation *op = desc->op;
    if (desc->code != TF_OK) {
        return oribi_fail(status, desc->code, "node '%s' (%s): %s", op->name, op->type,
                          desc->problem != NULL ? desc->problem : "");
    }
    if (op->name[0] == '\0' || op->name[0] == '^' || strchr(op->name, ':') != NULL) {
        return oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "'%s' is no name of an operation: it is empty, begins with ^ or has a :", op->name);
    }
    if (oribi_binding_find(op->graph, (oribi_string){op->name, strlen(op->name)}) != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Duplicate node name in graph: '%s'",
                          op->name);
    }
    return oribi_binding_settle(op, true, 0, status) && oribi_binding_put(op, status) &&
           oribi_binding_link(op, status);
}

TF_Operation *TF_FinishOperation(TF_OperationDescription *desc, TF_Status *status)
{
    TF_Graph *graph = desc->op->graph;
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&graph->lock);
    const bool ok = finish(desc, status);
    oribi_mutex_unlock(&graph->lock);
    return ok ? desc->op : NULL;
}
