/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of include/oribi/verify_wire.h on the host's side. Replies are untrusted bytes. */
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "oribi/verify_wire.h"
#include "verify.h"

void verify_append(verify_bytes *bytes, const void *data, size_t n)
{
    if (bytes->room - bytes->n < n) {
        bytes->room = bytes->room * 2 + n + 4096;
        bytes->data = cli_grow(bytes->data, bytes->room, 1);
    }
    if (n > 0) {
        memcpy(bytes->data + bytes->n, data, n);
    }
    bytes->n += n;
}

static void put_word(uint8_t *to, uint32_t word)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(word >> (8 * i));
    }
}

uint32_t verify_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static uint32_t crc(const uint8_t *from_type, size_t n)
{
    return (uint32_t)crc32_z(0, from_type, n);
}

void verify_frame(verify_bytes *bytes, uint8_t type, const void *head, size_t head_bytes,
                  const void *payload, size_t n)
{
    uint8_t start[ORIBI_WIRE_HEADER] = {ORIBI_WIRE_MARK_0, ORIBI_WIRE_MARK_1, type, 0}, end[4];
    const size_t at = bytes->n + 2;
    put_word(start + 4, (uint32_t)(head_bytes + n));
    verify_append(bytes, start, sizeof start);
    verify_append(bytes, head, head_bytes);
    verify_append(bytes, payload, n);
    put_word(end, crc(bytes->data + at, bytes->n - at));
    verify_append(bytes, end, sizeof end);
}

bool verify_next_frame(const verify_bytes *bytes, size_t *at, verify_frame_view *out)
{
    const size_t left = bytes->n - *at;
    const uint8_t *start = bytes->data + *at;
    if (left < ORIBI_WIRE_HEADER + 4u || start[0] != ORIBI_WIRE_MARK_0 ||
        start[1] != ORIBI_WIRE_MARK_1) {
        return false;
    }
    const uint32_t n = verify_word(start + 4);
    if (n > left - ORIBI_WIRE_HEADER - 4u) {
        return false;
    }
    *out = (verify_frame_view){start[2], start + ORIBI_WIRE_HEADER, n};
    *at += ORIBI_WIRE_HEADER + n + 4u;
    return verify_word(start + ORIBI_WIRE_HEADER + n) == crc(start + 2, ORIBI_WIRE_HEADER - 2u + n);
}
