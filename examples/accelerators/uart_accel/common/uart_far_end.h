/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of the line of a `uart_accel`: reads requests, has them computed, answers. Serves
 * `oribi device-serve` and, as it needs no heap, firmware of a real accelerator.
 */
#ifndef ORIBI_EXAMPLE_UART_FAR_END_H_
#define ORIBI_EXAMPLE_UART_FAR_END_H_

#include <stdint.h>

#include "uart_frame.h"

struct uart_far_end {
    void *context;
    /* Exactly so many bytes. 0: done; 1: none came for timeout_ms (below 0: wait for ever); -1: the
     * line is gone. */
    int32_t (*receive)(void *context, void *data, uint32_t bytes, int32_t timeout_ms);
    int32_t (*send)(void *context, const void *data, uint32_t bytes); /* 0, or -1 */
    /* Computes operator `op`; the code goes back to who asked. */
    int32_t (*invoke)(void *context, int32_t op, const uint8_t *params, uint32_t params_bytes,
                      const uint8_t *in, uint32_t in_bytes, uint8_t *out, uint32_t out_bytes);
    uint8_t *buffer; /* the largest request and its reply fit, else the request is refused */
    uint32_t buffer_bytes;
    int32_t gap_ms; /* a request that pauses longer is broken; 500 is good */
    uint64_t requests, broken;
    uint8_t *store; /* for params that stay; NULL: none do */
    uint32_t store_bytes;
    uint32_t slot_end[UART_FRAME_SLOTS]; /* in the store, n_slots of them */
    uint32_t n_slots;
};

/* Serves one frame. 0: go on; -1: the line is gone. */
int32_t uart_far_end_serve(struct uart_far_end *end);

#endif
