/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a serialised KernelDef (protobuf) into a builder.
 * Trust    comes from a plugin, but is checked as any bytes are.
 * Source   field numbers of TensorFlow's kernel_def.proto and attr_value.proto.
 */
#include <string.h>

#include "kernel/registry_internal.h"

typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

typedef struct field {
    uint32_t number;
    uint32_t wire; /* 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
    uint64_t value;
    cursor bytes;
} field;

static bool read_varint(cursor *in, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        const uint8_t byte = *in->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *out = value;
            return true;
        }
    }
    return false;
}

/* False at the end and on bad bytes; *bad tells them apart. */
static bool read_field(cursor *in, field *out, bool *bad)
{
    uint64_t key = 0;
    if (in->at == in->end) {
        return false;
    }
    *bad = true;
    if (!read_varint(in, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX) {
        return false;
    }
    *out = (field){.number = (uint32_t)(key >> 3), .wire = (uint32_t)(key & 7)};
    uint64_t length = 0;
    if (out->wire == 0) {
        *bad = !read_varint(in, &out->value);
        return !*bad;
    }
    if (out->wire == 1) {
        length = 8;
    } else if (out->wire == 5) {
        length = 4;
    } else if (out->wire != 2 || !read_varint(in, &length)) {
        return false;
    }
    if (length > (uint64_t)(in->end - in->at)) {
        return false;
    }
    out->bytes = (cursor){in->at, in->at + length};
    in->at += length;
    *bad = false;
    return true;
}

static size_t length_of(const cursor *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

typedef struct values { /* of AttrValue.ListValue; one kind only */
    int32_t count;
    int kind; /* -1: none yet */
    int64_t ints[64];
    oribi_string strings[64];
} values;

static bool values_add(values *list, int kind, int64_t number, const cursor *text)
{
    if (list->count == 64 || (list->kind >= 0 && list->kind != kind)) {
        return false;
    }
    list->kind = kind;
    list->ints[list->count] = number;
    if (text != NULL) {
        list->strings[list->count] = (oribi_string){(const char *)text->at, length_of(text)};
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

static bool read_list(cursor in, values *out)
{
    field item;
    bool bad = false;
    while (read_field(&in, &item, &bad)) {
        const int kind = kind_of_list_field(item.number);
        bool ok = kind >= 0;
        if (ok && kind == TF_ATTR_STRING) {
            ok = item.wire == 2 && values_add(out, kind, 0, &item.bytes);
        } else if (ok && item.wire == 2) { /* packed */
            uint64_t number = 0;
            while (ok && item.bytes.at < item.bytes.end) {
                ok = read_varint(&item.bytes, &number) &&
                     values_add(out, kind, (int64_t)number, NULL);
            }
        } else if (ok) {
            ok = item.wire == 0 && values_add(out, kind, (int64_t)item.value, NULL);
        }
        if (!ok) {
            return false;
        }
    }
    return !bad;
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

static bool read_constraint(TF_KernelBuilder *builder, cursor in, TF_Status *status)
{
    field item;
    bool bad = false;
    cursor name = {in.at, in.at};
    values list = {.kind = -1};
    while (!bad && read_field(&in, &item, &bad)) {
        if (item.number == 1 && item.wire == 2) {
            name = item.bytes;
        } else if (item.number == 2 && item.wire == 2) {
            field value;
            cursor inside = item.bytes;
            while (!bad && read_field(&inside, &value, &bad)) {
                if (value.number == 1 && value.wire == 2) {
                    bad = !read_list(value.bytes, &list);
                }
            }
        }
    }
    if (bad || list.count == 0 || length_of(&name) == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "kernel for op '%s': a constraint of its KernelDef cannot be read: it "
                          "needs a name and a list of 1 to 64 types, strings, ints or bools",
                          builder->def.op_name);
    }
    const TF_DataType type =
        list.kind == TF_ATTR_TYPE && list.count == 1 ? (TF_DataType)list.ints[0] : (TF_DataType)0;
    oribi_kernel_constraint *constraint =
        oribi_kernel_add_constraint(builder, (const char *)name.at, length_of(&name), type);
    if (constraint == NULL) {
        return oribi_fail_memory(status);
    }
    if (type == 0) {
        constraint->allowed = make_allowed(builder, &list);
        return constraint->allowed != NULL || oribi_fail_memory(status);
    }
    return true;
}

static bool copy_text(TF_KernelBuilder *builder, const cursor *bytes, const char **out,
                      TF_Status *status)
{
    char *copy = oribi_arena_strndup(&builder->arena, (const char *)bytes->at, length_of(bytes));
    if (copy == NULL) {
        return oribi_fail_memory(status);
    }
    *out = copy;
    return true;
}

static bool read_def_field(TF_KernelBuilder *builder, const field *item, TF_Status *status)
{
    oribi_kernel_def *def = &builder->def;
    const bool is_text = item->wire == 2;
    if (item->number == 1 && is_text) {
        return copy_text(builder, &item->bytes, &def->op_name, status);
    }
    if (item->number == 2 && is_text) {
        return copy_text(builder, &item->bytes, &def->device_type, status);
    }
    if (item->number == 3 && is_text) {
        return read_constraint(builder, item->bytes, status);
    }
    if (item->number == 4 && is_text) {
        return oribi_kernel_add_host_memory(builder, (const char *)item->bytes.at,
                                            length_of(&item->bytes)) ||
               oribi_fail_memory(status);
    }
    if (item->number == 5 && is_text) {
        return copy_text(builder, &item->bytes, &def->label, status);
    }
    if (item->number == 6 && item->wire == 0) {
        def->priority = (int32_t)item->value;
    }
    return true;
}

bool oribi_kernel_def_parse(TF_KernelBuilder *builder, const uint8_t *bytes, size_t n_bytes,
                            TF_Status *status)
{
    cursor in = {bytes, bytes + n_bytes};
    field item;
    bool bad = false;
    builder->def.constraints = NULL;
    builder->def.n_host_memory_args = 0;
    builder->def.label = "";
    builder->def.priority = 0;
    while (read_field(&in, &item, &bad)) {
        ORIBI_TRY(read_def_field(builder, &item, status));
    }
    if (bad) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "kernel '%s': the serialised KernelDef is broken at byte %zu",
                          builder->def.kernel_name, (size_t)(in.at - bytes));
    }
    return true;
}
