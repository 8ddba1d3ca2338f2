/* SPDX-License-Identifier: Apache-2.0 */
/* Frames on the line to a `uart_accel`, for both ends. All numbers are little-endian.
 *
 *   0  2  0xA5 0x5A
 *   2  1  kind, UART_FRAME_...
 *   3  1  sequence: a reply has its request's
 *   4  4  bytes of the payload
 *   8  2  CRC-16/CCITT of the eight bytes before
 *  10  n  payload
 *      4  CRC-32 of the payload
 *
 * HELLO    u32 version.                                       Reply: i32 code, u32 version
 * INVOKE   i32 op, u32 params, u32 inputs, u32 outputs (bytes),
 *          params, all inputs one after the other.            Reply: i32 code, then all outputs if
 *          0
 * KEEP     u32 slot, params: the next slot, or the last one again; slot 0
 *          forgets all others, as HELLO does.                 Reply: i32 code, RANGE: no room
 * INVOKE_KEPT  as INVOKE, but a slot in place of the params' bytes, and no params. STATE: no such
 *          slot
 * REFUSED  no payload: a frame came broken, send it again
 *
 * A far end of version 1 knows no KEEP.
 */
#ifndef ORIBI_EXAMPLE_UART_FRAME_H_
#define ORIBI_EXAMPLE_UART_FRAME_H_

#include <stdint.h>

#define UART_FRAME_MAGIC_0 0xA5u
#define UART_FRAME_MAGIC_1 0x5Au
#define UART_FRAME_VERSION 2u
#define UART_FRAME_KEEPS   2u /* from which version on a far end keeps params */
#define UART_FRAME_SLOTS   32u

#define UART_FRAME_HELLO       ((uint8_t)'H')
#define UART_FRAME_INVOKE      ((uint8_t)'I')
#define UART_FRAME_KEEP        ((uint8_t)'K')
#define UART_FRAME_INVOKE_KEPT ((uint8_t)'J')
#define UART_FRAME_REPLY       ((uint8_t)'R')
#define UART_FRAME_REFUSED     ((uint8_t)'N')

#define UART_FRAME_HEADER_BYTES 10u
#define UART_FRAME_INVOKE_BYTES 16u

static inline uint16_t uart_frame_crc16(const uint8_t *data, uint32_t bytes)
{
    uint32_t crc = 0xFFFFu;
    for (uint32_t i = 0; i < bytes; i++) {
        crc ^= (uint32_t)data[i] << 8;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 0x8000u) != 0u ? (crc << 1) ^ 0x1021u : crc << 1;
        }
        crc &= 0xFFFFu;
    }
    return (uint16_t)crc;
}

/* Goes on from `crc`; begin with 0. */
static inline uint32_t uart_frame_crc32(uint32_t crc, const uint8_t *data, uint32_t bytes)
{
    crc = ~crc;
    for (uint32_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}

static inline void uart_frame_put32(uint8_t *out, uint32_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t uart_frame_get32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void uart_frame_header(uint8_t out[UART_FRAME_HEADER_BYTES], uint8_t kind,
                                     uint8_t sequence, uint32_t bytes)
{
    out[0] = UART_FRAME_MAGIC_0;
    out[1] = UART_FRAME_MAGIC_1;
    out[2] = kind;
    out[3] = sequence;
    uart_frame_put32(out + 4, bytes);
    const uint16_t crc = uart_frame_crc16(out, 8);
    out[8] = (uint8_t)crc;
    out[9] = (uint8_t)(crc >> 8);
}

/* Are these ten bytes a header? */
static inline int uart_frame_is_header(const uint8_t in[UART_FRAME_HEADER_BYTES])
{
    const uint16_t crc = uart_frame_crc16(in, 8);
    return in[0] == UART_FRAME_MAGIC_0 && in[1] == UART_FRAME_MAGIC_1 && in[8] == (uint8_t)crc &&
           in[9] == (uint8_t)(crc >> 8);
}

#endif
