/* SPDX-License-Identifier: Apache-2.0 */
/* The far end of a uart_accel: frames, computed by the kernels of the machine that plays it. */
#include <stdlib.h>

#include "../common/uart_far_end.h"
#include "tvm/runtime/far_end.h"

enum { BUFFER_BYTES = 32 << 20, GAP_MS = 500 };

int32_t uart_accel_serve(struct tvm_far_end *end);

static int32_t receive(void *context, void *data, uint32_t bytes, int32_t timeout_ms)
{
    struct tvm_far_end *const end = context;
    return end->receive(end->context, data, bytes, timeout_ms);
}

static int32_t send(void *context, const void *data, uint32_t bytes)
{
    struct tvm_far_end *const end = context;
    return end->send(end->context, data, bytes, -1);
}

static int32_t invoke(void *context, int32_t op, const uint8_t *params, uint32_t params_bytes,
                      const uint8_t *in, uint32_t in_bytes, uint8_t *out, uint32_t out_bytes)
{
    struct tvm_far_end *const end = context;
    return end->invoke(end->context, op, params, params_bytes, in, in_bytes, out, out_bytes);
}

int32_t uart_accel_serve(struct tvm_far_end *end)
{
    uint8_t *const store = malloc(BUFFER_BYTES); /* of NULL it does without */
    struct uart_far_end frames = {.context = end,
                                  .receive = receive,
                                  .send = send,
                                  .invoke = invoke,
                                  .buffer = malloc(BUFFER_BYTES),
                                  .buffer_bytes = BUFFER_BYTES,
                                  .gap_ms = GAP_MS,
                                  .store = store,
                                  .store_bytes = BUFFER_BYTES};
    while (frames.buffer != NULL && uart_far_end_serve(&frames) == 0) {
    }
    end->requests += frames.requests;
    end->broken += frames.broken;
    const int32_t code = frames.buffer != NULL ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
    free(store);
    free(frames.buffer);
    return code;
}
