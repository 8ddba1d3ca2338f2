/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target of the example accelerators, whose two sides do not trust each other. The first
 * byte says what the rest is: what a far end receives, the payload of a good frame to it, what the
 * driver receives, what a host leaves in a window, or the params of a convolution. Any of it gives
 * codes, and nothing outside the memory that was given. See docs/reference/fuzzing.md.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "examples/accelerators/uart_accel/common/uart_far_end.h"
#include "examples/accelerators/uart_accel/common/uart_frame.h"
#include "examples/accelerators/woofles/common/woofles_device.h"
#include "tvm/device/uart_accel/baremetal.h"
#include "tvm/device/woofles/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

typedef struct stream {
    const uint8_t *data;
    size_t left;
} stream;

static int32_t receive(void *context, void *data, uint32_t bytes, int32_t timeout_ms)
{
    stream *s = context;
    (void)timeout_ms;
    if (bytes > s->left) {
        return -1;
    }
    memcpy(data, s->data, bytes);
    s->data += bytes;
    s->left -= bytes;
    return 0;
}

static int32_t transmit(void *context, const void *data, uint32_t bytes)
{
    uint32_t sum = 0;
    (void)context;
    for (uint32_t i = 0; i < bytes; i++) {
        sum += ((const uint8_t *)data)[i];
    }
    return sum == UINT32_MAX; /* all of it was read */
}

/* Sizes small enough for plain loops in a fuzzer: work is bounded by the bytes that came. */
static int32_t compute(void *context, uint32_t op, const uint8_t *params, uint32_t params_bytes,
                       const struct woofles_span *inputs, uint32_t n_inputs,
                       const struct woofles_span *outputs, uint32_t n_outputs)
{
    (void)context;
    return woofles_compute(op, params, params_bytes, inputs, n_inputs, outputs, n_outputs);
}

static int32_t invoke(void *context, int32_t op, const uint8_t *params, uint32_t params_bytes,
                      const uint8_t *in, uint32_t in_bytes, uint8_t *out, uint32_t out_bytes)
{
    const struct woofles_span input = {(uint8_t *)(uintptr_t)in, in_bytes};
    const struct woofles_span output = {out, out_bytes};
    return compute(context, (uint32_t)op, params, params_bytes, &input, 1, &output, 1);
}

static void serve(const uint8_t *data, size_t bytes)
{
    enum { BUFFER = 1 << 16, STORE = 1 << 10 };
    stream s = {data, bytes};
    struct uart_far_end end = {.context = &s,
                               .receive = receive,
                               .send = transmit,
                               .invoke = invoke,
                               .buffer = malloc(BUFFER),
                               .buffer_bytes = BUFFER,
                               .gap_ms = 1,
                               .store = malloc(STORE),
                               .store_bytes = STORE};
    while (end.buffer != NULL && end.store != NULL && uart_far_end_serve(&end) == 0) {
    }
    free(end.store);
    free(end.buffer);
}

static void serve_frame(const uint8_t *data, size_t bytes)
{
    const uint32_t n = (uint32_t)bytes;
    uint8_t *frame = malloc(bytes + UART_FRAME_HEADER_BYTES + 4u);
    if (frame != NULL) {
        uart_frame_header(frame, UART_FRAME_INVOKE, 1, n);
        memcpy(frame + UART_FRAME_HEADER_BYTES, data, bytes);
        uart_frame_put32(frame + UART_FRAME_HEADER_BYTES + n, uart_frame_crc32(0, data, n));
        serve(frame, bytes + UART_FRAME_HEADER_BYTES + 4u);
    }
    free(frame);
}

static int32_t put(void *uart, uint8_t byte)
{
    (void)uart;
    (void)byte;
    return 1;
}

static int32_t get(void *uart, uint8_t *byte)
{
    return receive(uart, byte, 1, 0) == 0 ? 1 : -1;
}

static void drive(const uint8_t *data, size_t bytes)
{
    stream s = {data, bytes};
    tvm_device_uart_accel_t dev;
    uint8_t in[8] = {0}, out[24];
    const struct tvm_device_tensor tensors[3] = {{in, 0, 8}, {out, 0, 16}, {out + 16, 0, 8}};
    struct tvm_device_call call = {.op = 1,
                                   .n_inputs = 1,
                                   .n_outputs = 2,
                                   .tensors = tensors,
                                   .params = in,
                                   .params_bytes = 4};
    if (TVMDeviceUartAccelInit(&dev, &s, put, get, 1) != 0) {
        abort();
    }
    (void)TVMDeviceUartAccelActivate(&dev);
    if (TVMDeviceUartAccelOpen(&dev) != 0) {
        abort();
    }
    while (s.left > 0) {
        (void)TVMDeviceUartAccelLoad(&dev, &call);
        (void)TVMDeviceUartAccelInvoke(&dev, &call);
    }
    if (TVMDeviceUartAccelClose(&dev) != 0 || TVMDeviceUartAccelDestroy(&dev) != 0) {
        abort();
    }
}

static void look(const uint8_t *data, size_t bytes)
{
    enum { WINDOW = WOOFLES_MEMORY_OFFSET + 2048 };
    uint8_t *window = aligned_alloc(16, WINDOW);
    if (window == NULL) {
        return;
    }
    memset(window, 0, WINDOW);
    memcpy(window, data, bytes < WINDOW ? bytes : (size_t)WINDOW);
    struct woofles_window *w = (struct woofles_window *)(void *)window;
    w->power = 1;
    for (int i = 0; i < (int)WOOFLES_RING; i++) {
        w->posted = w->done + 1u;
        (void)woofles_device_step_with(w, WINDOW, compute, NULL);
    }
    free(window);
}

/* A convolution whose sizes go together; what else its params say is the fuzzer's. */
static void convolve(const uint8_t *data, size_t bytes)
{
    struct woofles_conv p;
    uint8_t sizes[8];
    if (bytes < sizeof sizes + sizeof p) {
        return;
    }
    memcpy(sizes, data, sizeof sizes);
    memcpy(&p, data + sizeof sizes, sizeof p);
    data += sizeof sizes + sizeof p;
    bytes -= sizeof sizes + sizeof p;
    p.batch = 1;
    p.in_h = 1 + sizes[0] % 8;
    p.in_w = 1 + sizes[1] % 8;
    p.in_c = 1 + sizes[2] % 4;
    p.out_h = 1 + sizes[3] % 8;
    p.out_w = 1 + sizes[4] % 8;
    p.filter_h = 1 + sizes[5] % 4;
    p.filter_w = 1 + sizes[6] % 4;
    int32_t *const steps[6] = {&p.stride_h,   &p.stride_w, &p.dilation_h,
                               &p.dilation_w, &p.before_h, &p.before_w};
    for (int i = 0; i < 6; i++) {
        *steps[i] = (int32_t)((uint32_t)*steps[i] % 4096u);
    }
    const int32_t is_depthwise = sizes[7] % 2, factor = 1 + sizes[7] / 2 % 3;
    p.out_c = is_depthwise ? p.in_c * factor : factor;
    p.depth_multiplier = is_depthwise ? factor : 0;
    uint8_t params[2048] = {0}, in[256] = {0}, out[1024];
    const size_t weights =
        (size_t)(p.filter_h * p.filter_w * p.out_c) * (size_t)(is_depthwise ? 1 : p.in_c);
    const size_t all = sizeof p + (size_t)p.out_c * 12u + weights;
    memcpy(params, &p, sizeof p);
    memcpy(params + sizeof p, data, bytes < all - sizeof p ? bytes : all - sizeof p);
    for (int32_t i = 0; i < p.out_c; i++) { /* shifts that are allowed, with sign */
        uint8_t *const shift = params + sizeof p + (size_t)(2 * p.out_c + i) * 4u;
        const int32_t value = shift[0] % 62 - 31;
        memcpy(shift, &value, 4);
    }
    const struct woofles_span input = {in, (uint32_t)(p.in_h * p.in_w * p.in_c)};
    const struct woofles_span output = {out, (uint32_t)(p.out_h * p.out_w * p.out_c)};
    (void)woofles_compute(is_depthwise ? WOOFLES_DEPTHWISE : WOOFLES_CONV, params, (uint32_t)all,
                          &input, 1, &output, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static void (*const parts[])(const uint8_t *data, size_t bytes) = {serve, serve_frame, drive,
                                                                       look, convolve};
    if (bytes > 0) {
        parts[data[0] % 5u](data + 1, bytes - 1);
    }
    return 0;
}
