/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of oribi/verify_wire.h over a port. A receiver that is out of step looks for the next
 * mark. */
#include "harness/frame.h"

#include "harness/port.h"
#include "oribi/verify_wire.h"

/* Four bits at a time: a table of 64 bytes. */
uint32_t oribi_crc32(uint32_t crc, const uint8_t *bytes, uint32_t n)
{
    static const uint32_t table[16] = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u,
        0x4DB26158u, 0x5005713Cu, 0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu,
        0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu,
    };
    crc = ~crc;
    for (uint32_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ table[crc & 15u];
        crc = (crc >> 4) ^ table[crc & 15u];
    }
    return ~crc;
}

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void bytes_of(uint32_t word, uint8_t *bytes)
{
    for (uint32_t i = 0; i < 4u; i++) {
        bytes[i] = (uint8_t)(word >> (8u * i));
    }
}

static void find_mark(void)
{
    uint8_t byte = 0;
    for (;;) {
        const uint8_t before = byte;
        oribi_port_read(&byte, 1u);
        if (before == ORIBI_WIRE_MARK_0 && byte == ORIBI_WIRE_MARK_1) {
            return;
        }
    }
}

int32_t oribi_frame_receive(uint8_t *payload, uint32_t room, uint32_t *out_type,
                            uint32_t *out_bytes, uint32_t *out_reason)
{
    uint8_t head[6], tail[4];
    find_mark();
    oribi_port_read(head, sizeof head);
    const uint32_t bytes = word_of(head + 2);
    if (bytes > room) {
        *out_reason = ORIBI_WIRE_BAD_LENGTH;
        return 0;
    }
    oribi_port_read(payload, bytes);
    oribi_port_read(tail, sizeof tail);
    *out_type = head[0];
    *out_bytes = bytes;
    *out_reason = ORIBI_WIRE_BAD_CRC;
    return oribi_crc32(oribi_crc32(0u, head, sizeof head), payload, bytes) == word_of(tail);
}

void oribi_frame_begin(struct oribi_frame *frame, uint32_t type, uint32_t bytes)
{
    uint8_t head[ORIBI_WIRE_HEADER] = {ORIBI_WIRE_MARK_0, ORIBI_WIRE_MARK_1, (uint8_t)type, 0};
    bytes_of(bytes, head + 4);
    oribi_port_write(head, sizeof head);
    frame->crc = oribi_crc32(0u, head + 2, sizeof head - 2u);
}

void oribi_frame_put(struct oribi_frame *frame, const uint8_t *bytes, uint32_t n)
{
    oribi_port_write(bytes, n);
    frame->crc = oribi_crc32(frame->crc, bytes, n);
}

void oribi_frame_put_word(struct oribi_frame *frame, uint32_t word)
{
    uint8_t bytes[4];
    bytes_of(word, bytes);
    oribi_frame_put(frame, bytes, sizeof bytes);
}

void oribi_frame_end(struct oribi_frame *frame)
{
    uint8_t bytes[4];
    bytes_of(frame->crc, bytes);
    oribi_port_write(bytes, sizeof bytes);
}

void oribi_harness_fault(uint32_t cause, uint32_t status, uint32_t counter, uint32_t address)
{
    struct oribi_frame frame;
    oribi_frame_begin(&frame, ORIBI_WIRE_FAULT, 16u);
    oribi_frame_put_word(&frame, cause);
    oribi_frame_put_word(&frame, status);
    oribi_frame_put_word(&frame, counter);
    oribi_frame_put_word(&frame, address);
    oribi_frame_end(&frame);
}
