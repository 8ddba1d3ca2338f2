/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of operations. Which kind one is of its op says; without an op, its message.
 */
#include <string.h>

#include "binding/binding.h"
#include "import/graphdef/graphdef_attr.h"
#include "op/attr_read.h"
#include "tensor/tensor.h"

/* --- What kind it is ------------------------------------------------------------------------ */

/* The kind of an AttrValue's field, or of its list's, where 9 is a function. */
static uint8_t kind_of_field(uint32_t number, bool is_list)
{
    static const uint8_t kinds[] = {
        [2] = TF_ATTR_STRING, [3] = TF_ATTR_INT,         [4] = TF_ATTR_FLOAT,
        [5] = TF_ATTR_BOOL,   [6] = TF_ATTR_TYPE,        [7] = TF_ATTR_SHAPE,
        [8] = TF_ATTR_TENSOR, [9] = TF_ATTR_PLACEHOLDER, [10] = TF_ATTR_FUNC};
    return is_list && number == 9                 ? (uint8_t)TF_ATTR_FUNC
           : number < sizeof kinds && number >= 2 ? kinds[number]
                                                  : (uint8_t)TF_ATTR_STRING;
}

static bool guess(oribi_wire value, oribi_attr_def *out, TF_Status *status)
{
    oribi_wire_field field;
    oribi_wire list;
    out->kind = TF_ATTR_STRING;
    if (!oribi_wire_next(&value, &field, status)) {
        return oribi_ok(status);
    }
    out->is_list = field.number == 1;
    if (!out->is_list) {
        out->kind = kind_of_field(field.number, false);
        return true;
    }
    ORIBI_TRY(oribi_wire_enter(&value, &field, &list, status));
    if (oribi_wire_next(&list, &field, status)) {
        out->kind = kind_of_field(field.number, true);
    }
    return oribi_ok(status);
}

static bool read_message(TF_Operation *oper, const char *name, TF_Status *status)
{
    oribi_graph *known = oper->graph->known;
    const oribi_binding_attr *found = oribi_binding_find_attr(oper, name);
    if (found == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Operation '%s' has no attr named '%s'.",
                          oper->name, name);
    }
    const char *kept = oribi_arena_strdup(&known->arena, name);
    ORIBI_TRY(kept != NULL || oribi_fail_memory(status));
    oribi_attr_def guessed = {.name = kept};
    const oribi_attr_def *def = oper->op != NULL ? oribi_op_find_attr(oper->op, name) : NULL;
    if (def == NULL) {
        ORIBI_TRY(guess(found->value, &guessed, status));
        def = &guessed;
    }
    return oribi_graphdef_read_attr(known, &oper->read, kept, def, found->value, status);
}

/* A copy of the attribute, whose values are the graph's: the list that it stands in moves. */
static bool find(TF_Operation *oper, const char *name, oribi_attr *out, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&oper->graph->lock);
    const bool ok = oribi_attrs_find(&oper->read, name) != NULL || read_message(oper, name, status);
    if (ok) {
        *out = *oribi_attrs_find(&oper->read, name);
    }
    oribi_mutex_unlock(&oper->graph->lock);
    return ok;
}

TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation *oper, const char *attr_name,
                                            TF_Status *status)
{
    TF_AttrMetadata out = {.list_size = -1, .total_size = -1};
    oribi_attr attr;
    int32_t list_size, total_size;
    if (find(oper, attr_name, &attr, status)) {
        const oribi_attrs one = {&attr, 1, 1};
        (void)oribi_attr_read_size(&one, oper->name, attr_name, &list_size, &total_size, status);
        out.is_list = attr.is_list;
        out.list_size = attr.is_list && attr.kind == TF_ATTR_FUNC ? attr.count : list_size;
        out.type = (TF_AttrType)attr.kind;
        out.total_size = total_size;
    }
    return out;
}

/* --- Values --------------------------------------------------------------------------------- */

#define READ(function, call)                                                                       \
    void function                                                                                  \
    {                                                                                              \
        oribi_attr attr;                                                                           \
        if (find(oper, attr_name, &attr, status)) {                                                \
            const oribi_attrs one = {&attr, 1, 1};                                                 \
            (void)(call);                                                                          \
        }                                                                                          \
    }

READ(TF_OperationGetAttrString(TF_Operation *oper, const char *attr_name, void *value,
                               size_t max_length, TF_Status *status),
     oribi_attr_read_string(&one, oper->name, attr_name, value, max_length, status))
READ(TF_OperationGetAttrStringList(TF_Operation *oper, const char *attr_name, void **values,
                                   size_t *lengths, int max_values, void *storage,
                                   size_t storage_size, TF_Status *status),
     oribi_attr_read_strings(&one, oper->name, attr_name, (char **)values, lengths, max_values,
                             storage, storage_size, status))
READ(TF_OperationGetAttrInt(TF_Operation *oper, const char *attr_name, int64_t *value,
                            TF_Status *status),
     oribi_attr_read_one(&one, oper->name, attr_name, TF_ATTR_INT, value, status))
READ(TF_OperationGetAttrIntList(TF_Operation *oper, const char *attr_name, int64_t *values,
                                int max_values, TF_Status *status),
     oribi_attr_read_all(&one, oper->name, attr_name, TF_ATTR_INT, values, max_values, status))
READ(TF_OperationGetAttrFloat(TF_Operation *oper, const char *attr_name, float *value,
                              TF_Status *status),
     oribi_attr_read_one(&one, oper->name, attr_name, TF_ATTR_FLOAT, value, status))
READ(TF_OperationGetAttrFloatList(TF_Operation *oper, const char *attr_name, float *values,
                                  int max_values, TF_Status *status),
     oribi_attr_read_all(&one, oper->name, attr_name, TF_ATTR_FLOAT, values, max_values, status))
READ(TF_OperationGetAttrBool(TF_Operation *oper, const char *attr_name, unsigned char *value,
                             TF_Status *status),
     oribi_attr_read_one(&one, oper->name, attr_name, TF_ATTR_BOOL, value, status))
READ(TF_OperationGetAttrBoolList(TF_Operation *oper, const char *attr_name, unsigned char *values,
                                 int max_values, TF_Status *status),
     oribi_attr_read_all(&one, oper->name, attr_name, TF_ATTR_BOOL, values, max_values, status))
READ(TF_OperationGetAttrType(TF_Operation *oper, const char *attr_name, TF_DataType *value,
                             TF_Status *status),
     oribi_attr_read_one(&one, oper->name, attr_name, TF_ATTR_TYPE, value, status))
READ(TF_OperationGetAttrTypeList(TF_Operation *oper, const char *attr_name, TF_DataType *values,
                                 int max_values, TF_Status *status),
     oribi_attr_read_all(&one, oper->name, attr_name, TF_ATTR_TYPE, values, max_values, status))
READ(TF_OperationGetAttrTensor(TF_Operation *oper, const char *attr_name, TF_Tensor **value,
                               TF_Status *status),
     oribi_attr_read_tensor(&one, oper->name, attr_name, value, status))

typedef bool read_kind(const oribi_attrs *attrs, const char *where, const char *name, uint8_t kind,
                       const oribi_attr **out, TF_Status *status);

/* The attribute in *kept, where it is of this kind; NULL: status set. */
static const oribi_attr *find_of_kind(TF_Operation *oper, const char *name, read_kind *read,
                                      uint8_t kind, oribi_attr *kept, TF_Status *status)
{
    const oribi_attrs one = {kept, 1, 1};
    const oribi_attr *found = NULL;
    return find(oper, name, kept, status) && read(&one, oper->name, name, kind, &found, status)
               ? found
               : NULL;
}

void TF_OperationGetAttrTensorList(TF_Operation *oper, const char *attr_name, TF_Tensor **values,
                                   int max_values, TF_Status *status)
{
    oribi_attr attr;
    const oribi_attr *list =
        find_of_kind(oper, attr_name, oribi_attr_read_list, TF_ATTR_TENSOR, &attr, status);
    for (int i = 0; list != NULL && i < max_values && i < list->count; i++) {
        values[i] = oribi_tensor_share(list->u.tensor[i]);
    }
}

/* --- Shapes --------------------------------------------------------------------------------- */

void TF_OperationGetAttrShape(TF_Operation *oper, const char *attr_name, int64_t *value,
                              int num_dims, TF_Status *status)
{
    oribi_attr attr;
    const oribi_attr *found =
        find_of_kind(oper, attr_name, oribi_attr_read_scalar, TF_ATTR_SHAPE, &attr, status);
    for (int i = 0; found != NULL && i < num_dims && i < found->u.shape[0].rank; i++) {
        value[i] = found->u.shape[0].dims[i];
    }
}

void TF_OperationGetAttrShapeList(TF_Operation *oper, const char *attr_name, int64_t **dims,
                                  int *num_dims, int num_shapes, int64_t *storage, int storage_size,
                                  TF_Status *status)
{
    oribi_attr attr;
    const oribi_attr *list =
        find_of_kind(oper, attr_name, oribi_attr_read_list, TF_ATTR_SHAPE, &attr, status);
    for (int i = 0; list != NULL && i < num_shapes && i < list->count; i++) {
        const oribi_shape *shape = &list->u.shape[i];
        const int rank = shape->rank > 0 ? shape->rank : 0;
        num_dims[i] = shape->rank;
        dims[i] = storage;
        if (rank > storage_size) {
            oribi_fail(status, TF_INVALID_ARGUMENT,
                       "Not enough storage to hold the requested list of shapes");
            return;
        }
        for (int k = 0; k < rank; k++) {
            *storage++ = shape->dims[k];
        }
        storage_size -= rank;
    }
}

/* --- Messages ------------------------------------------------------------------------------- */

static const oribi_binding_attr *find_message(TF_Operation *oper, const char *name,
                                              TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    const oribi_binding_attr *found = oribi_binding_find_attr(oper, name);
    if (found == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Operation '%s' has no attr named '%s'.",
                   oper->name, name);
    }
    return found;
}

static void fill(const uint8_t *data, size_t bytes, TF_Buffer *out, TF_Status *status)
{
    oribi_text text = {0};
    oribi_text_append_n(&text, data, bytes);
    (void)oribi_proto_fill(&text, out, status);
}

void TF_OperationGetAttrValueProto(TF_Operation *oper, const char *attr_name,
                                   TF_Buffer *output_attr_value, TF_Status *status)
{
    const oribi_binding_attr *found = find_message(oper, attr_name, status);
    if (found != NULL) {
        fill(found->value.at, (size_t)(found->value.end - found->value.at), output_attr_value,
             status);
    }
}

void TF_OperationGetAttrTensorShapeProto(TF_Operation *oper, const char *attr_name,
                                         TF_Buffer *value, TF_Status *status)
{
    const oribi_binding_attr *found = find_message(oper, attr_name, status);
    oribi_wire_field field;
    if (found == NULL) {
        return;
    }
    oribi_wire wire = found->value;
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number == 7 && field.type == ORIBI_WIRE_BYTES) {
            fill(field.data, field.bytes, value, status);
            return;
        }
    }
    oribi_fail(status, TF_INVALID_ARGUMENT, "Value for '%s' is not a shape.", attr_name);
}

void TF_OperationGetAttrTensorShapeProtoList(TF_Operation *oper, const char *attr_name,
                                             TF_Buffer **values, int max_values, TF_Status *status)
{
    const oribi_binding_attr *found = find_message(oper, attr_name, status);
    oribi_wire_field field, shape;
    oribi_wire list;
    int n = 0;
    if (found == NULL) {
        return;
    }
    oribi_wire wire = found->value;
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number != 1 || !oribi_wire_enter(&wire, &field, &list, status)) {
            continue;
        }
        while (n < max_values && oribi_wire_next(&list, &shape, status)) {
            if (shape.number == 7 && shape.type == ORIBI_WIRE_BYTES) {
                values[n++] = TF_NewBufferFromString(shape.data, shape.bytes);
            }
        }
    }
}

/* --- Names ---------------------------------------------------------------------------------- */

int TF_OperationGetNumAttrs(TF_Operation *oper)
{
    return oper->n_attrs;
}

int TF_OperationGetAttrNameLength(TF_Operation *oper, int i)
{
    return i >= 0 && i < oper->n_attrs ? (int)oper->attrs[i].name.length : -1;
}

/* As many bytes as the name has; no NUL. */
void TF_OperationGetAttrName(TF_Operation *oper, int i, char *output, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (i < 0 || i >= oper->n_attrs) {
        oribi_fail(status, TF_OUT_OF_RANGE, "operation '%s' has %d attributes, not a number %d",
                   oper->name, (int)oper->n_attrs, i);
        return;
    }
    if (oper->attrs[i].name.length > 0) {
        memcpy(output, oper->attrs[i].name.data, oper->attrs[i].name.length);
    }
}
