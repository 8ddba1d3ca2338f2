/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf writer; see proto.h. */
#include "format/proto.h"

#include <string.h>

void oribi_proto_varint(oribi_text *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;

    do {
        bytes[n++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value != 0);
    oribi_text_append_n(out, bytes, n);
}

void oribi_proto_number(oribi_text *out, unsigned field, uint64_t value)
{
    oribi_proto_varint(out, (uint64_t)field << 3);
    oribi_proto_varint(out, value);
}

void oribi_proto_bytes(oribi_text *out, unsigned field, const void *bytes, size_t length)
{
    oribi_proto_varint(out, (uint64_t)field << 3 | 2);
    oribi_proto_varint(out, length);
    if (length > 0) {
        oribi_text_append_n(out, bytes, length);
    }
}

void oribi_proto_string(oribi_text *out, unsigned field, const char *string)
{
    if (string != NULL && string[0] != '\0') {
        oribi_proto_bytes(out, field, string, strlen(string));
    }
}

void oribi_proto_float_bits(oribi_text *out, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                              (uint8_t)(bits >> 24)};
    oribi_text_append_n(out, bytes, 4);
}

void oribi_proto_float(oribi_text *out, unsigned field, float value)
{
    oribi_proto_varint(out, (uint64_t)field << 3 | 5);
    oribi_proto_float_bits(out, value);
}

void oribi_proto_message(oribi_text *out, unsigned field, oribi_text *inner)
{
    out->failed |= inner->failed;
    oribi_proto_bytes(out, field, inner->data, inner->length);
    oribi_text_destroy(inner);
    *inner = (oribi_text){0};
}
