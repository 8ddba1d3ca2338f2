/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of oribi/verify_wire.h over a port. */
#ifndef ORIBI_PLATFORM_HARNESS_FRAME_H_
#define ORIBI_PLATFORM_HARNESS_FRAME_H_

#include <stdint.h>

/* CRC-32 of more bytes; begins with 0. */
uint32_t oribi_crc32(uint32_t crc, const uint8_t *bytes, uint32_t n);

/* Waits for a frame and stores its payload. False: it was not good, *out_reason says why. */
int32_t oribi_frame_receive(uint8_t *payload, uint32_t room, uint32_t *out_type,
                            uint32_t *out_bytes, uint32_t *out_reason);

/* A frame in parts: begin with the bytes of the whole payload, put each part, end. */
struct oribi_frame {
    uint32_t crc;
};
void oribi_frame_begin(struct oribi_frame *frame, uint32_t type, uint32_t bytes);
void oribi_frame_put(struct oribi_frame *frame, const uint8_t *bytes, uint32_t n);
void oribi_frame_put_word(struct oribi_frame *frame, uint32_t word);
void oribi_frame_end(struct oribi_frame *frame);

#endif
