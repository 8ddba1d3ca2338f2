/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a serialised KernelDef (protobuf) into a builder.
 * Trust    comes from a plugin, but is checked as any bytes are.
 * Source   field numbers of TensorFlow's kernel_def.proto and attr_value.proto.
 */
#include <string.h>

#include "format/wire.h"
#include "kernel/registry_internal.h"

typedef struct values { /* of AttrValue.ListValue; one kind only */
    int32_t count;
    int kind; /* -1: none yet */
    int64_t ints[64];
    oribi_string strings[64];
} values;

/* text is NULL for numbers. False: too many, or not of the kind of those before. */
static bool values_add(values *list, int kind, uint64_t number, const oribi_string *text)
{
    if (list->count == 64 || (list->kind >= 0 && list->kind != kind)) {
        return false;
    }
    list->kind = kind;
    list->ints[list->count] = (int64_t)number;
    if (text != NULL) {
        list->strings[list->count] = *text;
    }
    list->count++;
    return true;
}

static int kind_of_list_field(uint32_t number)
{
    switch (number) {
    case 2:
        return TF_ATTR_STRING;
    case 3:
        return TF_ATTR_INT;
    case 5:
        return TF_ATTR_BOOL;
    case 6:
        return TF_ATTR_TYPE;
    default:
        return -1;
    }
}

static bool read_list(oribi_wire in, values *out, TF_Status *status)
{
    oribi_wire_field item;
    while (oribi_wire_next(&in, &item, status)) {
        const int kind = kind_of_list_field(item.number);
        oribi_string text;
        uint64_t number;
        size_t position = 0;
        bool ok = kind >= 0;
        if (ok && kind == TF_ATTR_STRING) {
            ok = oribi_wire_string(&item, "a string", &text, status) &&
                 values_add(out, kind, 0, &text);
        }
        while (ok && kind != TF_ATTR_STRING &&
               oribi_wire_element(&in, &item, ORIBI_WIRE_VARINT, &position, &number, status)) {
            ok = values_add(out, kind, number, NULL);
        }
        ORIBI_TRY(ok && oribi_ok(status));
    }
    return oribi_ok(status);
}

static const oribi_attr *make_allowed(TF_KernelBuilder *builder, const values *list)
{
    oribi_arena *arena = &builder->arena;
    oribi_attr *attr = oribi_arena_array(arena, 1, sizeof *attr);
    const size_t n = (size_t)list->count;
    TF_DataType *types = oribi_arena_array(arena, n + 1, sizeof *types);
    int64_t *ints = oribi_arena_array(arena, n + 1, sizeof *ints);
    uint8_t *bools = oribi_arena_array(arena, n + 1, sizeof *bools);
    oribi_string *strings = oribi_arena_array(arena, n + 1, sizeof *strings);
    if (attr == NULL || types == NULL || ints == NULL || bools == NULL || strings == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        types[i] = (TF_DataType)list->ints[i];
        ints[i] = list->ints[i];
        bools[i] = list->ints[i] != 0;
        if (list->kind == TF_ATTR_STRING) {
            strings[i].data =
                oribi_arena_strndup(arena, list->strings[i].data, list->strings[i].length);
            strings[i].length = list->strings[i].length;
            if (strings[i].data == NULL) {
                return NULL;
            }
        }
    }
    *attr = (oribi_attr){
        .name = "", .kind = (uint8_t)list->kind, .is_list = true, .count = list->count};
    if (list->kind == TF_ATTR_TYPE) {
        attr->u.type = types;
    } else if (list->kind == TF_ATTR_INT) {
        attr->u.i = ints;
    } else if (list->kind == TF_ATTR_BOOL) {
        attr->u.b = bools;
    } else {
        attr->u.s = strings;
    }
    return attr;
}

/* AttrValue.list is field 1; what else there is says nothing here. */
static bool read_value(const oribi_wire *constraint, const oribi_wire_field *value, values *out,
                       TF_Status *status)
{
    oribi_wire in;
    oribi_wire list;
    oribi_wire_field item;
    ORIBI_TRY(oribi_wire_enter(constraint, value, &in, status));
    while (oribi_wire_next(&in, &item, status)) {
        ORIBI_TRY(item.number != 1 ||
                  (oribi_wire_enter(&in, &item, &list, status) && read_list(list, out, status)));
    }
    return oribi_ok(status);
}

static bool read_constraint(TF_KernelBuilder *builder, oribi_wire in, TF_Status *status)
{
    oribi_wire_field item;
    oribi_string name = {"", 0};
    values list = {.kind = -1};
    bool ok = true;
    while (ok && oribi_wire_next(&in, &item, status)) {
        ok = item.number == 1   ? oribi_wire_string(&item, "a name", &name, status)
             : item.number == 2 ? read_value(&in, &item, &list, status)
                                : true;
    }
    if (!ok || !oribi_ok(status) || list.count == 0 || name.length == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "kernel for op '%s': a constraint of its KernelDef cannot be read: it "
                          "needs a name and a list of 1 to 64 types, strings, ints or bools",
                          builder->def.op_name);
    }
    const TF_DataType type =
        list.kind == TF_ATTR_TYPE && list.count == 1 ? (TF_DataType)list.ints[0] : (TF_DataType)0;
    oribi_kernel_constraint *constraint =
        oribi_kernel_add_constraint(builder, name.data, name.length, type);
    ORIBI_TRY(constraint != NULL || oribi_fail_memory(status));
    if (type == 0) {
        constraint->allowed = make_allowed(builder, &list);
        return constraint->allowed != NULL || oribi_fail_memory(status);
    }
    return true;
}

static bool copy_text(TF_KernelBuilder *builder, const oribi_wire_field *field, const char **out,
                      TF_Status *status)
{
    oribi_string text;
    ORIBI_TRY(oribi_wire_string(field, "a text", &text, status));
    char *copy = oribi_arena_strndup(&builder->arena, text.data, text.length);
    ORIBI_TRY(copy != NULL || oribi_fail_memory(status));
    *out = copy;
    return true;
}

static bool read_def_field(TF_KernelBuilder *builder, const oribi_wire *in,
                           const oribi_wire_field *item, TF_Status *status)
{
    oribi_kernel_def *def = &builder->def;
    oribi_wire inner;
    oribi_string name;
    int64_t priority;
    switch (item->number) {
    case 1:
        return copy_text(builder, item, &def->op_name, status);
    case 2:
        return copy_text(builder, item, &def->device_type, status);
    case 3:
        return oribi_wire_enter(in, item, &inner, status) &&
               read_constraint(builder, inner, status);
    case 4:
        return oribi_wire_string(item, "an argument's name", &name, status) &&
               (oribi_kernel_add_host_memory(builder, name.data, name.length) ||
                oribi_fail_memory(status));
    case 5:
        return copy_text(builder, item, &def->label, status);
    case 6:
        ORIBI_TRY(oribi_wire_int(item, "a priority", &priority, status));
        def->priority = (int32_t)priority;
        return true;
    default:
        return true;
    }
}

bool oribi_kernel_def_parse(TF_KernelBuilder *builder, const uint8_t *bytes, size_t n_bytes,
                            TF_Status *status)
{
    oribi_wire in = oribi_wire_over(bytes, n_bytes);
    oribi_wire_field item;
    bool ok = true;
    builder->def.constraints = NULL;
    builder->def.n_host_memory_args = 0;
    builder->def.label = "";
    builder->def.priority = 0;
    while (ok && oribi_wire_next(&in, &item, status)) {
        ok = read_def_field(builder, &in, &item, status);
    }
    if (!ok || !oribi_ok(status)) {
        oribi_status_prefix(status,
                            "kernel '%s', its serialised KernelDef: ", builder->def.kernel_name);
        return false;
    }
    return true;
}
