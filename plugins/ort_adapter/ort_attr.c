/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a node: AttributeProto messages as the importer hands them on, read once when a
 * kernel is created; and the attributes that libraries make themselves. Not here: tensors
 * (ort_tensor.c), what a kernel asks by name (ort_info.c).
 * Source   ONNX's onnx.proto: field numbers of AttributeProto.
 */
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"

enum { /* fields of AttributeProto, and its numbers of types */
       FIELD_NAME = 1,
       FIELD_F = 2,
       FIELD_I = 3,
       FIELD_S = 4,
       FIELD_T = 5,
       FIELD_FLOATS = 7,
       FIELD_INTS = 8,
       FIELD_STRINGS = 9,
       FIELD_TYPE = 20
};

static const int32_t kind_of_type[] = {ORT_ATTR_UNDEFINED, ORT_ATTR_FLOAT,  ORT_ATTR_INT,
                                       ORT_ATTR_STRING,    ORT_ATTR_TENSOR, ORT_ATTR_GRAPH,
                                       ORT_ATTR_FLOATS,    ORT_ATTR_INTS,   ORT_ATTR_STRINGS};

static void op_attr_clear(ort_op_attr *attr)
{
    for (size_t i = 0; attr->texts && i < attr->count; i++) {
        free(attr->texts[i].data);
    }
    free(attr->texts);
    free(attr->ints);
    free(attr->floats);
    free(attr->name);
    *attr = (ort_op_attr){0};
}

static bool copy_text(const void *data, size_t length, ort_text *out)
{
    out->data = malloc(length + 1);
    if (!out->data) {
        return false;
    }
    if (length) {
        memcpy(out->data, data, length);
    }
    out->data[length] = '\0';
    out->length = length;
    return true;
}

/* Room for `most` elements of the attribute's kind. */
static bool reserve(ort_op_attr *attr, size_t most)
{
    const size_t n = most ? most : 1;
    switch (attr->kind) {
    case ORT_ATTR_INT:
    case ORT_ATTR_INTS:
        attr->ints = calloc(n, sizeof *attr->ints);
        return attr->ints != NULL;
    case ORT_ATTR_FLOAT:
    case ORT_ATTR_FLOATS:
        attr->floats = calloc(n, sizeof *attr->floats);
        return attr->floats != NULL;
    default:
        attr->texts = calloc(n, sizeof *attr->texts);
        return attr->texts != NULL;
    }
}

static bool add_float(ort_op_attr *attr, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    memcpy(&attr->floats[attr->count++], &low, sizeof low);
    return true;
}

/* One field that holds what the kind says; a packed one holds many. */
static bool add_field(ort_op_attr *attr, const ort_wire_field *f)
{
    ort_wire rest = f->body;
    uint64_t value;
    int found = 1;
    switch (attr->kind) {
    case ORT_ATTR_INT:
    case ORT_ATTR_INTS:
        if (f->kind == 0) {
            attr->ints[attr->count++] = (int64_t)f->value;
            return true;
        }
        while (f->kind == 2 && (found = oribi_ort_wire_varint(&rest, &value)) == 1) {
            attr->ints[attr->count++] = (int64_t)value;
        }
        return f->kind == 2 && found == 0;
    case ORT_ATTR_FLOAT:
    case ORT_ATTR_FLOATS:
        if (f->kind == 5) {
            return add_float(attr, f->value);
        }
        for (; f->kind == 2 && rest.end - rest.at >= 4; rest.at += 4) {
            value = (uint64_t)rest.at[0] | (uint64_t)rest.at[1] << 8 | (uint64_t)rest.at[2] << 16 |
                    (uint64_t)rest.at[3] << 24;
            add_float(attr, value);
        }
        return f->kind == 2 && rest.at == rest.end;
    default:
        return f->kind == 2 &&
               copy_text(rest.at, (size_t)(rest.end - rest.at), &attr->texts[attr->count++]);
    }
}

static uint32_t field_of_kind(int32_t kind)
{
    static const uint32_t fields[] = {0,       FIELD_I,       FIELD_INTS, FIELD_F, FIELD_FLOATS,
                                      FIELD_S, FIELD_STRINGS, 0,          FIELD_T};
    return fields[kind];
}

static ort_status *damaged(void)
{
    return oribi_ort_fail(ORT_INVALID_ARGUMENT, "an attribute of the node is damaged");
}

/* Name and kind, which may stand after the values. */
static ort_status *read_head(ort_wire wire, ort_op_attr *out, size_t *most)
{
    ort_wire_field f;
    ort_text name = {0};
    int found;
    *most = (size_t)(wire.end - wire.at); /* a value takes a byte at least */
    while ((found = oribi_ort_wire_next(&wire, &f)) == 1) {
        if (f.number == FIELD_NAME && f.kind == 2 && !name.data &&
            !copy_text(f.body.at, (size_t)(f.body.end - f.body.at), &name)) {
            return oribi_ort_fail_memory();
        }
        if (f.number == FIELD_TYPE && f.kind == 0 && f.value < sizeof kind_of_type / 4) {
            out->kind = kind_of_type[f.value];
        }
    }
    out->name = name.data;
    return found < 0 || !out->name ? damaged() : NULL;
}

static ort_status *read_one(const char *message, size_t bytes, ort_op_attr *out)
{
    ort_wire wire = {(const unsigned char *)message, (const unsigned char *)message + bytes};
    ort_wire_field f;
    size_t most;
    ort_status *failed = read_head(wire, out, &most);
    const uint32_t wanted = failed ? 0 : field_of_kind(out->kind);
    if (failed || wanted == 0) {
        return failed; /* a graph has no value that a library could ask for */
    }
    if (!reserve(out, most)) {
        return oribi_ort_fail_memory();
    }
    while (oribi_ort_wire_next(&wire, &f) == 1) {
        if (f.number == wanted && !add_field(out, &f)) {
            return damaged();
        }
    }
    /* A value of zero may be left out. */
    const bool is_number = out->kind == ORT_ATTR_INT || out->kind == ORT_ATTR_FLOAT;
    out->count = is_number && out->count == 0 ? 1 : out->count;
    if (out->kind == ORT_ATTR_STRING && out->count == 0) {
        return copy_text("", 0, &out->texts[out->count++]) ? NULL : oribi_ort_fail_memory();
    }
    return NULL;
}

ort_status *oribi_ort_attrs_read(char *const *messages, const size_t *bytes, size_t count,
                                 ort_attrs *out)
{
    ort_attrs attrs = {calloc(count ? count : 1, sizeof *attrs.items), 0};
    ort_status *failed = attrs.items ? NULL : oribi_ort_fail_memory();
    for (size_t i = 0; i < count && !failed; i++) {
        failed = read_one(messages[i], bytes[i], &attrs.items[attrs.count++]);
    }
    if (failed) {
        oribi_ort_attrs_clear(&attrs);
    }
    *out = attrs;
    return failed;
}

void oribi_ort_attrs_clear(ort_attrs *attrs)
{
    for (size_t i = 0; i < attrs->count; i++) {
        op_attr_clear(&attrs->items[i]);
    }
    free(attrs->items);
    *attrs = (ort_attrs){0};
}

const ort_op_attr *oribi_ort_attrs_find(const ort_attrs *attrs, const char *name)
{
    for (size_t i = 0; i < attrs->count; i++) {
        if (strcmp(attrs->items[i].name, name) == 0) {
            return &attrs->items[i];
        }
    }
    return NULL;
}

/* --- Attributes that a library makes, and reads ---------------------------------------------- */

static bool take_values(ort_op_attr *attr, const void *data, size_t n)
{
    switch (attr->kind) {
    case ORT_ATTR_INT:
    case ORT_ATTR_INTS:
        memcpy(attr->ints, data, n * sizeof *attr->ints);
        attr->count = n;
        return true;
    case ORT_ATTR_FLOAT:
    case ORT_ATTR_FLOATS:
        memcpy(attr->floats, data, n * sizeof *attr->floats);
        attr->count = n;
        return true;
    case ORT_ATTR_STRING:
        return copy_text(data, n, &attr->texts[attr->count++]);
    default:
        for (size_t i = 0; i < n; i++) {
            const char *text = ((const char *const *)data)[i];
            if (!copy_text(text, strlen(text), &attr->texts[attr->count++])) {
                return false;
            }
        }
        return true;
    }
}

ort_status *oribi_ort_CreateOpAttr(const char *name, const void *data, int length, int32_t type,
                                   ort_op_attr **out)
{
    const bool is_one = type == ORT_ATTR_INT || type == ORT_ATTR_FLOAT;
    const size_t n = is_one ? 1 : length > 0 ? (size_t)length : 0;
    *out = NULL;
    if (type < ORT_ATTR_INT || type > ORT_ATTR_STRINGS || !name || (!data && n)) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "attribute '%s': kind %d is not taken here",
                              name ? name : "", (int)type);
    }
    ort_op_attr *attr = calloc(1, sizeof *attr);
    ort_text own = {0};
    if (!attr || !copy_text(name, strlen(name), &own)) {
        free(attr);
        return oribi_ort_fail_memory();
    }
    attr->name = own.data;
    attr->kind = type;
    if (!reserve(attr, n) || !take_values(attr, data, n)) {
        oribi_ort_ReleaseOpAttr(attr);
        return oribi_ort_fail_memory();
    }
    *out = attr;
    return NULL;
}

void oribi_ort_ReleaseOpAttr(ort_op_attr *attr)
{
    if (attr) {
        op_attr_clear(attr);
        free(attr);
    }
}

ort_status *oribi_ort_OpAttr_GetType(const ort_op_attr *attr, int32_t *out)
{
    *out = attr->kind;
    return NULL;
}

ort_status *oribi_ort_OpAttr_GetName(const ort_op_attr *attr, const char **out)
{
    *out = attr->name;
    return NULL;
}

static size_t bytes_of_texts(const ort_op_attr *attr)
{
    size_t bytes = 0;
    for (size_t i = 0; i < attr->count; i++) {
        bytes += attr->texts[i].length + (attr->kind == ORT_ATTR_STRINGS);
    }
    return bytes;
}

static void write_texts(const ort_op_attr *attr, char *to)
{
    for (size_t i = 0; i < attr->count; i++) {
        const size_t with_end = attr->texts[i].length + (attr->kind == ORT_ATTR_STRINGS);
        memcpy(to, attr->texts[i].data, with_end);
        to += with_end;
    }
}

/* Bytes are asked for and given; texts of a list stand one after another, each with its NUL. */
ort_status *oribi_ort_ReadOpAttr(const ort_op_attr *attr, int32_t type, void *data, size_t bytes,
                                 size_t *out)
{
    if (!attr || attr->kind != type || type < ORT_ATTR_INT || type > ORT_ATTR_STRINGS) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "attribute '%s' is not of kind %d",
                              attr ? attr->name : "", (int)type);
    }
    const bool is_text = type == ORT_ATTR_STRING || type == ORT_ATTR_STRINGS;
    const bool is_int = type == ORT_ATTR_INT || type == ORT_ATTR_INTS;
    const size_t element = is_int ? sizeof(int64_t) : sizeof(float);
    const size_t needed = is_text ? bytes_of_texts(attr) : attr->count * element;
    *out = needed;
    if (!data || bytes < needed) {
        return data || needed
                   ? oribi_ort_fail(ORT_INVALID_ARGUMENT, "attribute '%s' takes %zu bytes, not %zu",
                                    attr->name, needed, bytes)
                   : NULL;
    }
    if (is_text) {
        write_texts(attr, data);
    } else {
        memcpy(data, is_int ? (const void *)attr->ints : attr->floats, needed);
    }
    return NULL;
}
