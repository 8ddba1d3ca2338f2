/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute lists: find, set, compare. Not here: printing (attr_print.c), typed reading
 * (attr_read.c).
 */
#include "op/attr.h"

#include <string.h>

#include "base/alloc.h"
#include "format/proto.h"
#include "format/wire.h"
#include "tensor/status.h"

enum { FIRST_CAPACITY = 8 };

size_t oribi_attr_element_bytes(uint8_t kind)
{
    switch (kind) {
    case TF_ATTR_STRING:
    case TF_ATTR_PLACEHOLDER:
    case TF_ATTR_FUNC:
        return sizeof(oribi_string);
    case TF_ATTR_INT:
        return sizeof(int64_t);
    case TF_ATTR_FLOAT:
        return sizeof(float);
    case TF_ATTR_BOOL:
        return sizeof(uint8_t);
    case TF_ATTR_TYPE:
        return sizeof(TF_DataType);
    case TF_ATTR_SHAPE:
        return sizeof(oribi_shape);
    case TF_ATTR_TENSOR:
        return sizeof(TF_Tensor *);
    default:
        return 0;
    }
}

const char *oribi_attr_kind_name(uint8_t kind, bool is_list)
{
    static const char *const names[][2] = {
        [TF_ATTR_STRING] = {"string", "list(string)"},
        [TF_ATTR_INT] = {"int", "list(int)"},
        [TF_ATTR_FLOAT] = {"float", "list(float)"},
        [TF_ATTR_BOOL] = {"bool", "list(bool)"},
        [TF_ATTR_TYPE] = {"type", "list(type)"},
        [TF_ATTR_SHAPE] = {"shape", "list(shape)"},
        [TF_ATTR_TENSOR] = {"tensor", "list(tensor)"},
        [TF_ATTR_PLACEHOLDER] = {"placeholder", "list(placeholder)"},
        [TF_ATTR_FUNC] = {"func", "list(func)"},
    };
    if (kind >= sizeof names / sizeof names[0]) {
        return "invalid";
    }
    return names[kind][is_list ? 1 : 0];
}

const oribi_attr *oribi_attrs_find(const oribi_attrs *attrs, const char *name)
{
    for (int32_t i = 0; i < attrs->count; i++) {
        const char *have = attrs->items[i].name;
        if (have[0] == name[0] && strcmp(have, name) == 0) {
            return &attrs->items[i];
        }
    }
    return NULL;
}

static bool copy_strings(oribi_arena *arena, const oribi_attr *value, void *out)
{
    oribi_string *to = out;
    for (int32_t i = 0; i < value->count; i++) {
        to[i].length = value->u.s[i].length;
        to[i].data = oribi_arena_strndup(arena, value->u.s[i].data, value->u.s[i].length);
        if (to[i].data == NULL) {
            return false;
        }
    }
    return true;
}

static bool copy_shapes(oribi_arena *arena, const oribi_attr *value, void *out)
{
    oribi_shape *to = out;
    for (int32_t i = 0; i < value->count; i++) {
        const oribi_shape *from = &value->u.shape[i];
        if (!oribi_shape_copy(arena, from->dims, from->rank, &to[i])) {
            return false;
        }
    }
    return true;
}

/* Deep copy of the elements; tensors keep their one reference. */
static bool copy_value(oribi_arena *arena, const oribi_attr *value, oribi_attr *out)
{
    size_t bytes = oribi_attr_element_bytes(value->kind);
    oribi_attr copy = *value;
    copy.name = oribi_arena_strdup(arena, value->name);
    void *elements = oribi_arena_array(arena, value->count > 0 ? (size_t)value->count : 1, bytes);
    if (copy.name == NULL || elements == NULL) {
        return false;
    }
    switch (value->kind) {
    case TF_ATTR_STRING:
    case TF_ATTR_PLACEHOLDER:
    case TF_ATTR_FUNC:
        if (!copy_strings(arena, value, elements)) {
            return false;
        }
        break;
    case TF_ATTR_SHAPE:
        if (!copy_shapes(arena, value, elements)) {
            return false;
        }
        break;
    default:
        if (value->count > 0) {
            memcpy(elements, value->u.i, (size_t)value->count * bytes);
        }
        break;
    }
    copy.u.s = elements;
    *out = copy;
    return true;
}

static bool reserve_one(oribi_attrs *attrs, oribi_arena *arena)
{
    if (attrs->count < attrs->capacity) {
        return true;
    }
    int32_t capacity = attrs->capacity > 0 ? attrs->capacity * 2 : FIRST_CAPACITY;
    oribi_attr *items = oribi_arena_array(arena, (size_t)capacity, sizeof *items);
    if (items == NULL) {
        return false;
    }
    if (attrs->count > 0) {
        memcpy(items, attrs->items, (size_t)attrs->count * sizeof *items);
    }
    attrs->items = items;
    attrs->capacity = capacity;
    return true;
}

bool oribi_attrs_set(oribi_attrs *attrs, oribi_arena *arena, const oribi_attr *value)
{
    oribi_attr copy;
    if (!copy_value(arena, value, &copy)) {
        return false;
    }
    oribi_attr *present = (oribi_attr *)oribi_attrs_find(attrs, value->name);
    if (present == NULL) {
        if (!reserve_one(attrs, arena)) {
            return false;
        }
        present = &attrs->items[attrs->count++];
    }
    *present = copy;
    return true;
}

static bool set_array(oribi_attrs *attrs, oribi_arena *arena, const char *name, uint8_t kind,
                      bool is_list, const void *elements, int count)
{
    oribi_attr value = {
        .name = name, .kind = kind, .is_list = is_list, .count = count, .u.s = elements};
    return oribi_attrs_set(attrs, arena, &value);
}

bool oribi_attrs_set_int(oribi_attrs *attrs, oribi_arena *arena, const char *name, int64_t value)
{
    return set_array(attrs, arena, name, TF_ATTR_INT, false, &value, 1);
}

bool oribi_attrs_set_float(oribi_attrs *attrs, oribi_arena *arena, const char *name, float value)
{
    return set_array(attrs, arena, name, TF_ATTR_FLOAT, false, &value, 1);
}

bool oribi_attrs_set_bool(oribi_attrs *attrs, oribi_arena *arena, const char *name, bool value)
{
    uint8_t byte = value;
    return set_array(attrs, arena, name, TF_ATTR_BOOL, false, &byte, 1);
}

bool oribi_attrs_set_type(oribi_attrs *attrs, oribi_arena *arena, const char *name, TF_DataType t)
{
    return set_array(attrs, arena, name, TF_ATTR_TYPE, false, &t, 1);
}

bool oribi_attrs_set_string(oribi_attrs *attrs, oribi_arena *arena, const char *name,
                            const char *value)
{
    oribi_string string = {value, strlen(value)};
    return set_array(attrs, arena, name, TF_ATTR_STRING, false, &string, 1);
}

bool oribi_attrs_set_ints(oribi_attrs *attrs, oribi_arena *arena, const char *name,
                          const int64_t *values, int count)
{
    return set_array(attrs, arena, name, TF_ATTR_INT, true, values, count);
}

bool oribi_attrs_set_types(oribi_attrs *attrs, oribi_arena *arena, const char *name,
                           const TF_DataType *values, int count)
{
    return set_array(attrs, arena, name, TF_ATTR_TYPE, true, values, count);
}

bool oribi_attrs_set_strings(oribi_attrs *attrs, oribi_arena *arena, const char *name,
                             const char *const *values, int count)
{
    oribi_string *strings =
        oribi_arena_array(arena, count > 0 ? (size_t)count : 1, sizeof *strings);
    if (strings == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        strings[i] = (oribi_string){values[i], strlen(values[i])};
    }
    return set_array(attrs, arena, name, TF_ATTR_STRING, true, strings, count);
}

static bool string_equal(const oribi_string *a, const oribi_string *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

static bool shape_equal(const oribi_shape *a, const oribi_shape *b)
{
    if (a->rank != b->rank) {
        return false;
    }
    return a->rank <= 0 || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

static bool string_data_equal(const TF_Tensor *a, const TF_Tensor *b)
{
    const TF_TString *x = TF_TensorData(a);
    const TF_TString *y = TF_TensorData(b);
    for (int64_t i = 0; i < TF_TensorElementCount(a); i++) {
        oribi_string s = {TF_StringGetDataPointer(&x[i]), TF_StringGetSize(&x[i])};
        oribi_string t = {TF_StringGetDataPointer(&y[i]), TF_StringGetSize(&y[i])};
        if (!string_equal(&s, &t)) {
            return false;
        }
    }
    return true;
}

static bool tensor_equal(const TF_Tensor *a, const TF_Tensor *b)
{
    if (a == b) {
        return true;
    }
    if (TF_TensorType(a) != TF_TensorType(b) || TF_NumDims(a) != TF_NumDims(b)) {
        return false;
    }
    for (int i = 0; i < TF_NumDims(a); i++) {
        if (TF_Dim(a, i) != TF_Dim(b, i)) {
            return false;
        }
    }
    if (TF_TensorType(a) == TF_STRING) {
        return string_data_equal(a, b);
    }
    size_t bytes = (size_t)TF_TensorElementCount(a) * TF_DataTypeSize(TF_TensorType(a));
    return bytes == 0 || memcmp(TF_TensorData(a), TF_TensorData(b), bytes) == 0;
}

static bool element_equal(const oribi_attr *a, const oribi_attr *b, int32_t i)
{
    switch (a->kind) {
    case TF_ATTR_INT:
        return a->u.i[i] == b->u.i[i];
    case TF_ATTR_FLOAT: /* bits: a NaN default equals itself */
        return memcmp(&a->u.f[i], &b->u.f[i], sizeof a->u.f[i]) == 0;
    case TF_ATTR_BOOL:
        return a->u.b[i] == b->u.b[i];
    case TF_ATTR_TYPE:
        return a->u.type[i] == b->u.type[i];
    case TF_ATTR_SHAPE:
        return shape_equal(&a->u.shape[i], &b->u.shape[i]);
    case TF_ATTR_TENSOR:
        return tensor_equal(a->u.tensor[i], b->u.tensor[i]);
    default:
        return string_equal(&a->u.s[i], &b->u.s[i]);
    }
}

bool oribi_attr_equal(const oribi_attr *a, const oribi_attr *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    if (a->kind != b->kind || a->is_list != b->is_list || a->count != b->count) {
        return false;
    }
    for (int32_t i = 0; i < a->count; i++) {
        if (!element_equal(a, b, i)) {
            return false;
        }
    }
    return true;
}

/* --- Functions ------------------------------------------------------------------------------- */

bool oribi_func_make(oribi_arena *arena, const oribi_string *name, oribi_string *out_func)
{
    oribi_text message = {0};
    oribi_proto_bytes(&message, 1, name->data, name->length);
    const char *kept =
        message.failed ? NULL
                       : oribi_arena_strndup(arena, oribi_text_string(&message), message.length);
    if (kept != NULL) {
        *out_func = (oribi_string){kept, message.length};
    }
    oribi_text_destroy(&message);
    return kept != NULL;
}

oribi_string oribi_func_name(const oribi_string *func)
{
    oribi_string name = {"", 0};
    oribi_wire_field field;
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over((const uint8_t *)func->data, func->length);
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number == 1) {
            (void)oribi_wire_string(&field, "a function's name", &name, status);
        }
    }
    TF_DeleteStatus(status);
    return name;
}
