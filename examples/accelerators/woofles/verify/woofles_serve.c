/* SPDX-License-Identifier: Apache-2.0 */
/* The far end of a woofles: commands in the shared window, computed by the kernels of the machine
 * that plays it. A byte on the line is the doorbell, one back the interrupt. */
#include <stdlib.h>
#include <string.h>

#include "../common/woofles_device.h"
#include "tvm/runtime/far_end.h"

int32_t woofles_prepare(struct tvm_far_end *end);
int32_t woofles_serve(struct tvm_far_end *end);

int32_t woofles_prepare(struct tvm_far_end *end)
{
    const struct woofles_window words = {.magic = WOOFLES_MAGIC, .bytes = end->window_bytes};
    if (end->window == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    if (end->window_bytes <= WOOFLES_MEMORY_OFFSET) {
        return TVM_DEVICE_E_RANGE;
    }
    memcpy(end->window, &words, sizeof words);
    return TVM_DEVICE_OK;
}

static uint32_t sum(const struct woofles_span *spans, uint32_t n)
{
    uint32_t bytes = 0; /* they lie in the window, at most six */
    for (uint32_t i = 0; i < n; i++) {
        bytes += spans[i].bytes;
    }
    return bytes;
}

static int32_t compute(void *context, uint32_t op, const uint8_t *params, uint32_t params_bytes,
                       const struct woofles_span *inputs, uint32_t n_inputs,
                       const struct woofles_span *outputs, uint32_t n_outputs)
{
    struct tvm_far_end *const end = context;
    const uint32_t in_bytes = sum(inputs, n_inputs), out_bytes = sum(outputs, n_outputs);
    uint8_t *const in = malloc((size_t)in_bytes + out_bytes + 1u);
    int32_t code = in == NULL ? TVM_DEVICE_E_STATE : TVM_DEVICE_OK;
    uint8_t *at = in;
    for (uint32_t i = 0; i < n_inputs && code == 0; i++, at += inputs[i - 1u].bytes) {
        memcpy(at, inputs[i].data, inputs[i].bytes);
    }
    if (code == 0) {
        code = end->invoke(end->context, (int32_t)op, params, params_bytes, in, in_bytes,
                           in + in_bytes, out_bytes);
    }
    for (uint32_t i = 0; i < n_outputs && code == 0; i++, at += outputs[i - 1u].bytes) {
        memcpy(outputs[i].data, at, outputs[i].bytes);
    }
    end->requests++;
    end->broken += code != 0;
    free(in);
    return code;
}

/* A board that polls leaves the interrupts unread: with no room for one more, there are enough of
 * them, so that nobody waits (a socket is full after some seventy bytes). */
int32_t woofles_serve(struct tvm_far_end *end)
{
    struct woofles_window *const window = (struct woofles_window *)(void *)end->window;
    uint8_t bell;
    while (end->receive(end->context, &bell, 1, -1) == 0) {
        while (woofles_device_step_with(window, end->window_bytes, compute, end) != 0) {
            (void)end->send(end->context, "i", 1, 0);
        }
    }
    return TVM_DEVICE_OK;
}
