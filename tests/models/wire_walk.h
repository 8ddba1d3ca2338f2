/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf for tests only: a walk over the fields of a message that the test trusts, and a writer
 * into a buffer that is large enough. Independent of src/import, which it helps to test.
 */
#ifndef ORIBI_TESTS_MODELS_WIRE_WALK_H_
#define ORIBI_TESTS_MODELS_WIRE_WALK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct wire_span {
    const uint8_t *data;
    size_t bytes;
} wire_span;

typedef struct wire_field {
    uint32_t number, type;
    uint64_t value;  /* of a varint */
    wire_span body;  /* of a length-delimited field, or the raw bytes of a fixed one */
    wire_span whole; /* tag included */
} wire_field;

static inline uint64_t wire_varint(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            break;
        }
    }
    return value;
}

/* Takes the next field off the front of rest; false at the end. */
static inline bool wire_next(wire_span *rest, wire_field *out)
{
    if (rest->bytes == 0) {
        return false;
    }
    const uint8_t *at = rest->data;
    uint64_t tag = wire_varint(&at);
    *out = (wire_field){.number = (uint32_t)(tag >> 3), .type = (uint32_t)(tag & 7)};
    if (out->type == 0) {
        out->value = wire_varint(&at);
    } else {
        size_t bytes = out->type == 2 ? (size_t)wire_varint(&at) : out->type == 1 ? 8 : 4;
        out->body = (wire_span){at, bytes};
        at += bytes;
    }
    out->whole = (wire_span){rest->data, (size_t)(at - rest->data)};
    rest->data = at;
    rest->bytes -= out->whole.bytes;
    return true;
}

static inline bool wire_is(wire_span text, const char *word)
{
    return text.bytes == strlen(word) && memcmp(text.data, word, text.bytes) == 0;
}

static inline bool wire_same(wire_span a, wire_span b)
{
    return a.bytes == b.bytes && memcmp(a.data, b.data, a.bytes) == 0;
}

/* First field of that number, or an empty one. */
static inline wire_field wire_find(wire_span message, uint32_t number)
{
    wire_field field;
    while (wire_next(&message, &field)) {
        if (field.number == number) {
            return field;
        }
    }
    return (wire_field){0};
}

/* The index-th length-delimited field of that number; empty when there are fewer. */
static inline wire_span wire_at(wire_span message, uint32_t number, int index)
{
    wire_field field;
    while (wire_next(&message, &field)) {
        if (field.number == number && field.type == 2 && index-- == 0) {
            return field.body;
        }
    }
    return (wire_span){0};
}

/* Integers of a repeated field, packed or not; returns how many. */
static inline int wire_ints(wire_span message, uint32_t number, int64_t *out, int max)
{
    wire_field field;
    int count = 0;
    while (wire_next(&message, &field)) {
        if (field.number != number) {
            continue;
        }
        if (field.type == 0 && count < max) {
            out[count++] = (int64_t)field.value;
        }
        const uint8_t *at = field.body.data;
        while (field.type == 2 && at < field.body.data + field.body.bytes && count < max) {
            out[count++] = (int64_t)wire_varint(&at);
        }
    }
    return count;
}

static inline void wire_put_varint(uint8_t **to, uint64_t value)
{
    while (value >= 0x80) {
        *(*to)++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *(*to)++ = (uint8_t)value;
}

static inline void wire_put_bytes(uint8_t **to, uint32_t number, wire_span body)
{
    wire_put_varint(to, (uint64_t)number << 3 | 2);
    wire_put_varint(to, body.bytes);
    memcpy(*to, body.data, body.bytes);
    *to += body.bytes;
}

#endif
