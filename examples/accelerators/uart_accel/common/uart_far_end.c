/* SPDX-License-Identifier: Apache-2.0 */
/* Requests in, replies out: see uart_frame.h for what they look like. */
#include "uart_far_end.h"

#include <string.h>

#include "tvm/runtime/device.h"

static int32_t send_frame(struct uart_far_end *end, uint8_t kind, uint8_t sequence,
                          const uint8_t *payload, uint32_t bytes)
{
    uint8_t header[UART_FRAME_HEADER_BYTES], crc[4];
    uart_frame_header(header, kind, sequence, bytes);
    uart_frame_put32(crc, uart_frame_crc32(0, payload, bytes));
    const int32_t sent = end->send(end->context, header, sizeof header) != 0 ||
                         (bytes > 0u && end->send(end->context, payload, bytes) != 0) ||
                         end->send(end->context, crc, sizeof crc) != 0;
    return sent != 0 ? -1 : 0;
}

static int32_t refuse(struct uart_far_end *end, uint8_t sequence)
{
    end->broken++;
    return send_frame(end, UART_FRAME_REFUSED, sequence, end->buffer, 0);
}

/* Reads a header; noise is dropped a byte at a time. */
static int32_t receive_header(struct uart_far_end *end, uint8_t header[UART_FRAME_HEADER_BYTES])
{
    uint32_t have = 0;
    while (have < UART_FRAME_HEADER_BYTES || !uart_frame_is_header(header)) {
        if (have == UART_FRAME_HEADER_BYTES) {
            for (uint32_t i = 0; i + 1u < UART_FRAME_HEADER_BYTES; i++) {
                header[i] = header[i + 1u];
            }
            have--;
        }
        const int32_t timeout = have == 0u ? -1 : end->gap_ms;
        const int32_t code = end->receive(end->context, &header[have], 1, timeout);
        if (code < 0) {
            return -1;
        }
        if (code > 0 && refuse(end, 0) != 0) { /* it broke off inside a header */
            return -1;
        }
        have = code > 0 ? 0u : have + 1u;
    }
    return 0;
}

static int32_t hello(struct uart_far_end *end, uint8_t sequence)
{
    end->n_slots = 0;
    uart_frame_put32(end->buffer, 0);
    uart_frame_put32(end->buffer + 4, UART_FRAME_VERSION);
    return send_frame(end, UART_FRAME_REPLY, sequence, end->buffer, 8);
}

/* Where the params of a slot begin in the store. */
static uint32_t slot_begin(const struct uart_far_end *end, uint32_t slot)
{
    return slot > 0u ? end->slot_end[slot - 1u] : 0u;
}

/* A request that was answered comes again where the answer was lost. */
static int32_t keep(struct uart_far_end *end, uint8_t sequence, uint32_t bytes)
{
    int32_t code = TVM_DEVICE_E_RANGE;
    if (bytes < 4u) {
        return refuse(end, sequence);
    }
    const uint32_t slot = uart_frame_get32(end->buffer), params = bytes - 4u;
    end->n_slots =
        slot < end->n_slots && (slot == 0u || slot + 1u == end->n_slots) ? slot : end->n_slots;
    if (slot == end->n_slots && slot < UART_FRAME_SLOTS && end->store != (uint8_t *)0 &&
        params <= end->store_bytes - slot_begin(end, slot)) {
        memcpy(end->store + slot_begin(end, slot), end->buffer + 4, params);
        end->slot_end[slot] = slot_begin(end, slot) + params;
        end->n_slots++;
        code = TVM_DEVICE_OK;
    }
    uart_frame_put32(end->buffer, (uint32_t)code);
    return send_frame(end, UART_FRAME_REPLY, sequence, end->buffer, 4);
}

/* Params came with the request, or lie in a slot. */
static int32_t invoke(struct uart_far_end *end, uint8_t sequence, uint32_t bytes, int32_t is_kept)
{
    const uint8_t *b = end->buffer, *params = b + UART_FRAME_INVOKE_BYTES;
    const uint32_t second = uart_frame_get32(b + 4), in = uart_frame_get32(b + 8);
    const uint32_t sent = is_kept ? 0u : second, out = uart_frame_get32(b + 12);
    const uint64_t request = (uint64_t)UART_FRAME_INVOKE_BYTES + sent + in;
    uint8_t *const reply = end->buffer + bytes;
    uint32_t params_bytes = sent;
    if (bytes < UART_FRAME_INVOKE_BYTES || request != bytes) {
        return refuse(end, sequence);
    }
    int32_t code = is_kept && second >= end->n_slots                ? TVM_DEVICE_E_STATE
                   : (uint64_t)bytes + 4u + out > end->buffer_bytes ? TVM_DEVICE_E_RANGE
                                                                    : TVM_DEVICE_OK;
    if (code != 0) {
        uart_frame_put32(end->buffer, (uint32_t)code);
        return send_frame(end, UART_FRAME_REPLY, sequence, end->buffer, 4);
    }
    if (is_kept) {
        params = end->store + slot_begin(end, second);
        params_bytes = end->slot_end[second] - slot_begin(end, second);
    }
    code = end->invoke(end->context, (int32_t)uart_frame_get32(b), params, params_bytes,
                       b + UART_FRAME_INVOKE_BYTES + sent, in, reply + 4, out);
    uart_frame_put32(reply, (uint32_t)code);
    return send_frame(end, UART_FRAME_REPLY, sequence, reply, code == 0 ? 4u + out : 4u);
}

/* Reads a payload into the buffer: 0, 1 when it is broken, -1. */
static int32_t receive_payload(struct uart_far_end *end, uint32_t bytes)
{
    uint8_t crc[4];
    int32_t code = bytes > 0u ? end->receive(end->context, end->buffer, bytes, end->gap_ms) : 0;
    code = code != 0 ? code : end->receive(end->context, crc, sizeof crc, end->gap_ms);
    return code != 0 ? code : uart_frame_get32(crc) != uart_frame_crc32(0, end->buffer, bytes);
}

int32_t uart_far_end_serve(struct uart_far_end *end)
{
    uint8_t header[UART_FRAME_HEADER_BYTES];
    if (receive_header(end, header) != 0) {
        return -1;
    }
    const uint32_t bytes = uart_frame_get32(header + 4);
    if (bytes > end->buffer_bytes) {
        return refuse(end, header[3]);
    }
    const int32_t code = receive_payload(end, bytes);
    if (code != 0) {
        return code < 0 ? -1 : refuse(end, header[3]);
    }
    end->requests++;
    if (header[2] == UART_FRAME_HELLO && bytes == 4u) {
        return hello(end, header[3]);
    }
    if (header[2] == UART_FRAME_KEEP) {
        return keep(end, header[3], bytes);
    }
    return header[2] == UART_FRAME_INVOKE || header[2] == UART_FRAME_INVOKE_KEPT
               ? invoke(end, header[3], bytes, header[2] == UART_FRAME_INVOKE_KEPT)
               : refuse(end, header[3]);
}
