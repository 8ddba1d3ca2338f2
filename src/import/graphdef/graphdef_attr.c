/* SPDX-License-Identifier: Apache-2.0 */
/* AttrValue messages to attributes; see graphdef_attr.h. */
#include "import/graphdef/graphdef_attr.h"

#include <string.h>

#include "op/op_proto.h"

/* The field of an AttrValue, or of its ListValue, that holds a kind. */
static uint32_t field_of_kind(const oribi_attr_def *def)
{
    static const uint8_t fields[] = {
        [TF_ATTR_STRING] = 2, [TF_ATTR_INT] = 3,         [TF_ATTR_FLOAT] = 4,
        [TF_ATTR_BOOL] = 5,   [TF_ATTR_TYPE] = 6,        [TF_ATTR_SHAPE] = 7,
        [TF_ATTR_TENSOR] = 8, [TF_ATTR_PLACEHOLDER] = 9, [TF_ATTR_FUNC] = 10};
    return def->kind == TF_ATTR_FUNC && def->is_list ? 9 : fields[def->kind];
}

static uint8_t wire_type_of_kind(uint8_t kind)
{
    return kind == TF_ATTR_FLOAT                                                 ? ORIBI_WIRE_32
           : kind == TF_ATTR_INT || kind == TF_ATTR_BOOL || kind == TF_ATTR_TYPE ? ORIBI_WIRE_VARINT
                                                                                 : ORIBI_WIRE_BYTES;
}

static bool read_shape(oribi_graph *graph, oribi_wire proto, oribi_shape *out, TF_Status *status)
{
    oribi_wide_dims dims;
    bool is_unknown;
    return oribi_proto_read_shape(proto, &dims, &is_unknown, status) &&
           (oribi_shape_copy(&graph->arena, dims.at, is_unknown ? -1 : dims.n, out) ||
            oribi_fail_memory(status));
}

/* An attribute of a function: a key and a message, which goes on as it is. */
static bool check_entry(const oribi_wire *wire, const oribi_wire_field *field, TF_Status *status)
{
    oribi_wire entry, value;
    oribi_wire_field part;
    oribi_string key;
    ORIBI_TRY(oribi_wire_enter(wire, field, &entry, status));
    while (oribi_wire_next(&entry, &part, status)) {
        if (part.number == 1) {
            ORIBI_TRY(oribi_wire_string(&part, "the name of an attribute", &key, status));
        } else if (part.number == 2) {
            oribi_wire_field inside;
            ORIBI_TRY(oribi_wire_enter(&entry, &part, &value, status));
            while (oribi_wire_next(&value, &inside, status)) {
            }
        }
    }
    return oribi_ok(status);
}

/* One element that is bytes on the wire. */
static bool read_bytes_element(oribi_graph *graph, const oribi_wire *wire,
                               const oribi_wire_field *field, uint8_t kind, void *out,
                               TF_Status *status)
{
    oribi_wire inner;
    oribi_wire_field part;
    oribi_string name;
    switch (kind) {
    case TF_ATTR_SHAPE:
        return oribi_wire_enter(wire, field, &inner, status) &&
               read_shape(graph, inner, out, status);
    case TF_ATTR_TENSOR: {
        ORIBI_TRY(oribi_wire_enter(wire, field, &inner, status));
        TF_Tensor *tensor = oribi_proto_read_tensor(inner, oribi_graph_charge_arg, graph, status);
        *(TF_Tensor **)out = tensor;
        return tensor != NULL && oribi_graph_keep_tensor(graph, tensor, status);
    }
    case TF_ATTR_FUNC:
        ORIBI_TRY(oribi_wire_enter(wire, field, &inner, status));
        while (oribi_wire_next(&inner, &part, status)) { /* kept whole; a name, and attributes */
            if (part.number == 1) {
                ORIBI_TRY(oribi_wire_string(&part, "a function's name", &name, status));
            } else if (part.number == 2) {
                ORIBI_TRY(check_entry(&inner, &part, status));
            }
        }
        *(oribi_string *)out = (oribi_string){(const char *)field->data, field->bytes};
        return oribi_ok(status);
    default:
        return oribi_wire_string(field, "a string", out, status);
    }
}

static void store_number(uint8_t kind, uint64_t bits, void *elements, size_t index)
{
    const uint32_t low = (uint32_t)bits;
    switch (kind) {
    case TF_ATTR_INT:
        ((int64_t *)elements)[index] = (int64_t)bits;
        break;
    case TF_ATTR_FLOAT:
        memcpy((float *)elements + index, &low, sizeof low);
        break;
    case TF_ATTR_BOOL:
        ((uint8_t *)elements)[index] = bits != 0;
        break;
    default:
        ((TF_DataType *)elements)[index] = (TF_DataType)low;
    }
}

/* How many elements the message has in this field. */
static bool count_elements(oribi_wire wire, uint32_t number, uint8_t type, size_t *out,
                           TF_Status *status)
{
    oribi_wire_field field;
    *out = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        size_t n = 1;
        if (field.number == number) {
            ORIBI_TRY(type == ORIBI_WIRE_BYTES ||
                      oribi_wire_count(&wire, &field, type, &n, status));
            *out += n;
        }
    }
    return oribi_ok(status);
}

static bool read_elements(oribi_graph *graph, oribi_wire wire, uint32_t number, uint8_t kind,
                          void *elements, TF_Status *status)
{
    const size_t bytes = oribi_attr_element_bytes(kind);
    const uint8_t type = wire_type_of_kind(kind);
    oribi_wire_field field;
    size_t at = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        size_t position = 0;
        uint64_t bits;
        if (field.number != number) {
            continue;
        }
        if (type == ORIBI_WIRE_BYTES) {
            ORIBI_TRY(read_bytes_element(graph, &wire, &field, kind,
                                         (char *)elements + at++ * bytes, status));
            continue;
        }
        while (oribi_wire_element(&wire, &field, type, &position, &bits, status)) {
            store_number(kind, bits, elements, at++);
        }
        ORIBI_TRY(oribi_ok(status));
    }
    return oribi_ok(status);
}

/* The ListValue inside an AttrValue; an empty one where there is none. */
static bool enter_list(oribi_wire *value, TF_Status *status)
{
    oribi_wire list = *value;
    oribi_wire_field field;
    list.at = list.end;
    while (oribi_wire_next(value, &field, status)) {
        if (field.number == 1) {
            ORIBI_TRY(oribi_wire_enter(value, &field, &list, status));
        }
    }
    *value = list;
    return oribi_ok(status);
}

bool oribi_graphdef_read_attr(oribi_graph *graph, oribi_attrs *attrs, const char *name,
                              const oribi_attr_def *def, oribi_wire value, TF_Status *status)
{
    const uint32_t number = field_of_kind(def);
    size_t count = 0;
    ORIBI_TRY(!def->is_list || enter_list(&value, status));
    ORIBI_TRY(count_elements(value, number, wire_type_of_kind(def->kind), &count, status));
    if (count > INT32_MAX || (!def->is_list && count > 1)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "attribute '%s' has %zu values", name,
                          count);
    }
    /* A scalar that is zero may be left out of the message, as proto3 has it. */
    const size_t room = count > 0 ? count : 1;
    void *elements = oribi_arena_array(&graph->arena, room, oribi_attr_element_bytes(def->kind));
    ORIBI_TRY(elements != NULL || oribi_fail_memory(status));
    if (!def->is_list && count == 0 && wire_type_of_kind(def->kind) == ORIBI_WIRE_BYTES &&
        def->kind != TF_ATTR_STRING) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "attribute '%s' has no value", name);
    }
    if (!def->is_list && count == 0 && def->kind == TF_ATTR_STRING) {
        *(oribi_string *)elements = (oribi_string){"", 0};
    }
    ORIBI_TRY(read_elements(graph, value, number, def->kind, elements, status));
    const oribi_attr attr = {.name = name,
                             .kind = def->kind,
                             .is_list = def->is_list,
                             .count = (int32_t)(def->is_list ? count : 1),
                             .u.s = elements};
    return oribi_attrs_set(attrs, &graph->arena, &attr) || oribi_fail_memory(status);
}

bool oribi_graphdef_next_attr(oribi_wire *node, oribi_string *out_name, oribi_wire *out_value,
                              TF_Status *status)
{
    oribi_wire_field field;
    while (oribi_wire_next(node, &field, status)) {
        oribi_wire entry;
        oribi_wire_field part;
        if (field.number != 5) {
            continue;
        }
        *out_name = (oribi_string){"", 0};
        *out_value = oribi_wire_over(field.data, 0);
        ORIBI_TRY(oribi_wire_enter(node, &field, &entry, status));
        while (oribi_wire_next(&entry, &part, status)) {
            ORIBI_TRY(part.number != 1 ||
                      oribi_wire_string(&part, "an attribute's name", out_name, status));
            ORIBI_TRY(part.number != 2 || oribi_wire_enter(&entry, &part, out_value, status));
        }
        return oribi_ok(status);
    }
    return false;
}

bool oribi_graphdef_attr(oribi_wire node, const char *name, oribi_wire *out, TF_Status *status)
{
    oribi_wire wire = node;
    oribi_wire value;
    oribi_string key;
    while (oribi_graphdef_next_attr(&wire, &key, &value, status)) {
        if (oribi_string_is(key, name)) {
            *out = value;
            return true;
        }
    }
    return false;
}

bool oribi_graphdef_attr_field(oribi_wire node, const char *name, uint32_t number,
                               oribi_wire_field *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire value;
    oribi_wire_field field;
    bool found = false;
    if (oribi_graphdef_attr(node, name, &value, status)) {
        while (oribi_wire_next(&value, &field, status)) {
            if (field.number == number) {
                *out = field;
                found = true;
            }
        }
    }
    found = found && oribi_ok(status);
    TF_DeleteStatus(status);
    return found;
}
