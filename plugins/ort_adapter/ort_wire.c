/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of protobuf messages, read from bytes that nobody trusts.
 * Source   protobuf's encoding guide.
 */
#include "ort_adapter.h"

int oribi_ort_wire_varint(ort_wire *wire, uint64_t *out)
{
    uint64_t value = 0;
    if (wire->at == wire->end) {
        return 0;
    }
    for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
        const unsigned char byte = *wire->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return 1;
        }
    }
    return -1;
}

static bool take_fixed(ort_wire *wire, size_t bytes, uint64_t *out)
{
    if ((size_t)(wire->end - wire->at) < bytes) {
        return false;
    }
    *out = 0;
    for (size_t i = 0; i < bytes; i++) {
        *out |= (uint64_t)*wire->at++ << (8 * i);
    }
    return true;
}

int oribi_ort_wire_next(ort_wire *wire, ort_wire_field *out)
{
    uint64_t tag;
    const int found = oribi_ort_wire_varint(wire, &tag);
    if (found <= 0) {
        return found;
    }
    *out = (ort_wire_field){.number = (uint32_t)(tag >> 3), .kind = (uint32_t)tag & 7};
    switch (out->kind) {
    case 0:
        return oribi_ort_wire_varint(wire, &out->value) == 1 ? 1 : -1;
    case 1:
        return take_fixed(wire, 8, &out->value) ? 1 : -1;
    case 5:
        return take_fixed(wire, 4, &out->value) ? 1 : -1;
    case 2:
        if (oribi_ort_wire_varint(wire, &out->value) != 1 ||
            out->value > (uint64_t)(wire->end - wire->at)) {
            return -1;
        }
        out->body = (ort_wire){wire->at, wire->at + out->value};
        wire->at += out->value;
        return 1;
    default:
        return -1;
    }
}
