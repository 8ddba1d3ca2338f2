/* SPDX-License-Identifier: Apache-2.0 */
/* See wire.h. The command is built with this file, too, so a status is set by the contract's own
 * function. */
#include "format/wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Returns false. */
__attribute__((format(printf, 3, 4))) static bool fail(TF_Status *status, TF_Code code,
                                                       const char *format, ...)
{
    char message[256]; /* numbers, and the few words of `what` */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    TF_SetStatus(status, code, message);
    return false;
}

oribi_wire oribi_wire_over(const uint8_t *data, size_t bytes)
{
    static const uint8_t nothing[1];
    const uint8_t *start = data != NULL ? data : nothing;
    return (oribi_wire){start, start, start + (data != NULL ? bytes : 0), 0};
}

static size_t offset_of(const oribi_wire *wire, const uint8_t *at)
{
    return (size_t)(at - wire->file);
}

static bool truncated(const oribi_wire *wire, const uint8_t *at, const char *what,
                      TF_Status *status)
{
    return fail(status, TF_DATA_LOSS,
                "byte %zu: %s reaches past the end of its message; the file is truncated or "
                "damaged",
                offset_of(wire, at), what);
}

/* At most ten bytes; bits above 64 are refused. */
static bool read_varint(const oribi_wire *wire, const uint8_t **at, const uint8_t *end,
                        uint64_t *out, TF_Status *status)
{
    const uint8_t *start = *at;
    const uint8_t *p = start;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (p == end) {
            return truncated(wire, start, "a number", status);
        }
        uint8_t byte = *p++;
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *at = p;
            *out = value;
            return true;
        }
    }
    return fail(status, TF_INVALID_ARGUMENT, "byte %zu: a number is longer than 64 bits",
                offset_of(wire, start));
}

static bool read_fixed(const oribi_wire *wire, const uint8_t **at, const uint8_t *end, size_t bytes,
                       uint64_t *out, TF_Status *status)
{
    if ((size_t)(end - *at) < bytes) {
        return truncated(wire, *at, "a number", status);
    }
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)(*at)[i] << (8 * i);
    }
    *at += bytes;
    *out = value;
    return true;
}

static bool read_bytes(oribi_wire *wire, oribi_wire_field *field, TF_Status *status)
{
    uint64_t bytes = 0;
    if (!read_varint(wire, &wire->at, wire->end, &bytes, status)) {
        return false;
    }
    if (bytes > (uint64_t)(wire->end - wire->at)) {
        return fail(status, TF_DATA_LOSS,
                    "byte %zu: a field has %" PRIu64
                    " bytes, but only %zu are left; the file is truncated or damaged",
                    field->offset, bytes, (size_t)(wire->end - wire->at));
    }
    field->data = wire->at;
    field->bytes = (size_t)bytes;
    wire->at += bytes;
    return true;
}

static bool read_payload(oribi_wire *wire, oribi_wire_field *field, TF_Status *status)
{
    switch (field->type) {
    case ORIBI_WIRE_VARINT:
        return read_varint(wire, &wire->at, wire->end, &field->value, status);
    case ORIBI_WIRE_64:
        return read_fixed(wire, &wire->at, wire->end, 8, &field->value, status);
    case ORIBI_WIRE_32:
        return read_fixed(wire, &wire->at, wire->end, 4, &field->value, status);
    case ORIBI_WIRE_BYTES:
        return read_bytes(wire, field, status);
    default:
        return fail(status, TF_INVALID_ARGUMENT,
                    "byte %zu: wire type %u, which no model uses: not a model file, or "
                    "damaged",
                    field->offset, field->type);
    }
}

bool oribi_wire_next(oribi_wire *wire, oribi_wire_field *out_field, TF_Status *status)
{
    if (wire->at == wire->end) {
        return false;
    }
    oribi_wire_field field = {0};
    uint64_t tag = 0;
    field.offset = offset_of(wire, wire->at);
    if (!read_varint(wire, &wire->at, wire->end, &tag, status)) {
        return false;
    }
    field.type = (uint8_t)(tag & 7);
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) {
        return fail(status, TF_INVALID_ARGUMENT,
                    "byte %zu: field number %" PRIu64 " is out of range: not a model file, "
                    "or damaged",
                    field.offset, tag >> 3);
    }
    field.number = (uint32_t)(tag >> 3);
    if (!read_payload(wire, &field, status)) {
        return false;
    }
    *out_field = field;
    return true;
}

static bool want_type(const oribi_wire_field *field, uint8_t type, const char *what,
                      TF_Status *status)
{
    if (field->type == type) {
        return true;
    }
    return fail(status, TF_INVALID_ARGUMENT, "byte %zu: %s has wire type %u, expected %u",
                field->offset, what, field->type, type);
}

bool oribi_wire_enter(const oribi_wire *wire, const oribi_wire_field *field, oribi_wire *out_wire,
                      TF_Status *status)
{
    if (!want_type(field, ORIBI_WIRE_BYTES, "a message", status)) {
        return false;
    }
    if (wire->depth >= ORIBI_WIRE_MAX_DEPTH) {
        return fail(status, TF_INVALID_ARGUMENT, "byte %zu: messages are nested deeper than %d",
                    field->offset, ORIBI_WIRE_MAX_DEPTH);
    }
    *out_wire = (oribi_wire){wire->file, field->data, field->data + field->bytes, wire->depth + 1};
    return true;
}

bool oribi_wire_string(const oribi_wire_field *field, const char *what, oribi_string *out,
                       TF_Status *status)
{
    if (!want_type(field, ORIBI_WIRE_BYTES, what, status)) {
        return false;
    }
    *out = (oribi_string){(const char *)field->data, field->bytes};
    return true;
}

bool oribi_wire_int(const oribi_wire_field *field, const char *what, int64_t *out,
                    TF_Status *status)
{
    if (!want_type(field, ORIBI_WIRE_VARINT, what, status)) {
        return false;
    }
    *out = (int64_t)field->value;
    return true;
}

bool oribi_wire_float(const oribi_wire_field *field, const char *what, float *out,
                      TF_Status *status)
{
    if (!want_type(field, ORIBI_WIRE_32, what, status)) {
        return false;
    }
    uint32_t bits = (uint32_t)field->value;
    memcpy(out, &bits, sizeof(*out));
    return true;
}

bool oribi_wire_element(const oribi_wire *wire, const oribi_wire_field *field, uint8_t type,
                        size_t *position, uint64_t *out_value, TF_Status *status)
{
    if (field->type != ORIBI_WIRE_BYTES) {
        if (*position != 0) {
            return false;
        }
        if (!want_type(field, type, "a repeated number", status)) {
            return false;
        }
        *position = 1;
        *out_value = field->value;
        return true;
    }
    if (*position >= field->bytes) {
        return false;
    }
    const uint8_t *at = field->data + *position;
    const uint8_t *end = field->data + field->bytes;
    const bool is_read =
        type == ORIBI_WIRE_VARINT
            ? read_varint(wire, &at, end, out_value, status)
            : read_fixed(wire, &at, end, type == ORIBI_WIRE_64 ? 8 : 4, out_value, status);
    if (!is_read) {
        return false;
    }
    *position = (size_t)(at - field->data);
    return true;
}

bool oribi_wire_count(const oribi_wire *wire, const oribi_wire_field *field, uint8_t type,
                      size_t *out_count, TF_Status *status)
{
    if (field->type != ORIBI_WIRE_BYTES) {
        if (!want_type(field, type, "a repeated number", status)) {
            return false;
        }
        *out_count = 1;
        return true;
    }
    if (type == ORIBI_WIRE_VARINT) { /* the last byte of each has its top bit clear */
        size_t count = 0;
        for (size_t i = 0; i < field->bytes; i++) {
            count += (field->data[i] & 0x80) == 0;
        }
        if (field->bytes > 0 && (field->data[field->bytes - 1] & 0x80) != 0) {
            return truncated(wire, field->data + field->bytes - 1, "a number", status);
        }
        *out_count = count;
        return true;
    }
    size_t size = type == ORIBI_WIRE_64 ? 8 : 4;
    if (field->bytes % size != 0) {
        return fail(status, TF_INVALID_ARGUMENT,
                    "byte %zu: the %zu bytes of packed numbers are not a multiple of %zu",
                    field->offset, field->bytes, size);
    }
    *out_count = field->bytes / size;
    return true;
}
