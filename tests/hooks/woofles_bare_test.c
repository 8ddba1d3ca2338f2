/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of `woofles` without an operating system: the doorbell computes at once, or nobody is
 * there. On an emulated board with a process behind the window: verify_devices_test.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "examples/accelerators/woofles/common/woofles_device.h"
#include "tvm/device/woofles/baremetal.h"
#include "tvm/device/woofles/params.h"

enum { MEMORY = 256, WINDOW = WOOFLES_MEMORY_OFFSET + MEMORY + 512 };

static _Alignas(16) uint8_t window[WINDOW];
static int is_silent, is_broken;

static int32_t ring(void *bell)
{
    if (is_broken) {
        return TVM_DEVICE_E_IO;
    }
    while (!is_silent && woofles_device_step(bell) != 0) {
    }
    return 0;
}

static int set_up(void **state)
{
    static tvm_device_woofles_t device;
    memset(window, 0, sizeof window);
    *(struct woofles_window *)(void *)window =
        (struct woofles_window){.magic = WOOFLES_MAGIC, .bytes = WINDOW};
    is_silent = is_broken = 0;
    *state = &device;
    return TVMDeviceWooflesInit(&device, window, WINDOW, MEMORY, window, ring, 10);
}

/* 1x1, one channel, times two. */
typedef struct doubling {
    struct woofles_conv p;
    int32_t bias, multiplier, shift;
    int8_t weight;
} doubling;
static const doubling params = {
    .p = {.batch = 1,
          .in_h = 1,
          .in_w = 4,
          .in_c = 1,
          .out_h = 1,
          .out_w = 4,
          .out_c = 1,
          .filter_h = 1,
          .filter_w = 1,
          .stride_h = 1,
          .stride_w = 1,
          .dilation_h = 1,
          .dilation_w = 1,
          .low = -128,
          .high = 127},
    .multiplier = 1 << 30,
    .shift = 1,
    .weight = 2,
};
static const struct tvm_device_tensor tensors[2] = {{NULL, 0, 4}, {NULL, 4, 4}};
static const struct tvm_device_call call = {.op = WOOFLES_CONV,
                                            .n_inputs = 1,
                                            .n_outputs = 1,
                                            .tensors = tensors,
                                            .params = &params,
                                            .params_bytes = sizeof params.p + 13};

static int32_t run_once(tvm_device_woofles_t *dev, int8_t out[4])
{
    const int8_t in[4] = {1, -2, 30, 100};
    int32_t code = TVMDeviceWooflesCopyTo(in, dev, 0, 4);
    code = code != 0 ? code : TVMDeviceWooflesStart(dev, &call);
    code = code != 0 ? code : TVMDeviceWooflesWait(dev);
    return code != 0 ? code : TVMDeviceWooflesCopyFrom(dev, 4, out, 4);
}

static void it_computes_when_the_bell_rings(void **state)
{
    tvm_device_woofles_t *dev = *state;
    const int8_t expected[4] = {2, -4, 60, 127};
    int8_t out[4] = {0};
    assert_int_equal(TVMDeviceWooflesActivate(dev), 0);
    assert_int_equal(TVMDeviceWooflesOpen(dev), 0);
    for (int i = 0; i < 20; i++) {
        memset(out, 0, sizeof out);
        assert_int_equal(run_once(dev, out), 0);
        assert_memory_equal(out, expected, 4);
    }
    assert_int_equal(TVMDeviceWooflesClose(dev), 0);
    assert_int_equal(TVMDeviceWooflesDeactivate(dev), 0);
    assert_int_equal(TVMDeviceWooflesDestroy(dev), 0);
}

static void a_silent_device_is_a_time_out_and_the_next_run_is_good(void **state)
{
    tvm_device_woofles_t *dev = *state;
    int8_t out[4];
    dev->timeout_ms = 5;
    assert_int_equal(TVMDeviceWooflesActivate(dev), 0);
    assert_int_equal(TVMDeviceWooflesOpen(dev), 0);
    is_silent = 1;
    assert_int_equal(run_once(dev, out), TVM_DEVICE_E_TIMEOUT);
    assert_int_equal(TVMDeviceWooflesCancel(dev), TVM_DEVICE_E_TIMEOUT); /* it may write still */
    assert_int_equal(TVMDeviceWooflesClose(dev), TVM_DEVICE_E_TIMEOUT);
    assert_int_equal(TVMDeviceWooflesDeactivate(dev), 0);
    is_silent = 0;
    assert_int_equal(TVMDeviceWooflesActivate(dev), 0); /* rings: what was cancelled is dropped */
    assert_int_equal(TVMDeviceWooflesOpen(dev), 0);
    assert_int_equal(run_once(dev, out), 0);
    assert_int_equal(TVMDeviceWooflesClose(dev), 0);
}

static void a_broken_bell_and_a_device_that_is_absent_are_errors(void **state)
{
    tvm_device_woofles_t *dev = *state;
    is_broken = 1;
    assert_int_equal(TVMDeviceWooflesActivate(dev), TVM_DEVICE_E_IO);
    is_broken = 0;
    ((struct woofles_window *)(void *)window)->magic = 0;
    assert_int_equal(TVMDeviceWooflesActivate(dev), TVM_DEVICE_E_IO);
    ((struct woofles_window *)(void *)window)->magic = WOOFLES_MAGIC;
    assert_int_equal(TVMDeviceWooflesActivate(dev), 0);
}

static void hooks_out_of_order_and_bad_windows_are_refused(void **state)
{
    tvm_device_woofles_t *dev = *state, other;
    assert_int_equal(TVMDeviceWooflesClose(dev), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceWooflesOpen(dev), 0);
    assert_int_equal(TVMDeviceWooflesOpen(dev), TVM_DEVICE_E_BUSY); /* there is nobody else */
    assert_int_equal(TVMDeviceWooflesDestroy(dev), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceWooflesClose(dev), 0);
    assert_int_equal(TVMDeviceWooflesInit(&other, NULL, WINDOW, 0, window, ring, 1),
                     TVM_DEVICE_E_NULL);
    assert_int_equal(TVMDeviceWooflesInit(&other, window, WINDOW, 0, window, NULL, 1),
                     TVM_DEVICE_E_NULL);
    assert_int_equal(TVMDeviceWooflesInit(&other, window + 4, WINDOW - 4, 0, window, ring, 1),
                     TVM_DEVICE_E_RANGE);
    assert_int_equal(TVMDeviceWooflesInit(&other, window, WINDOW, WINDOW, window, ring, 1),
                     TVM_DEVICE_E_RANGE);
    assert_int_equal(TVMDeviceWooflesInit(&other, window, WINDOW, 0, window, ring, 0),
                     TVM_DEVICE_E_RANGE);
}

/* What a host that lies could put into the window: the device stays inside it. The sanitizers look;
 * without them a device that believes the word in front crashes. */
static int32_t touch(void *context, uint32_t op, const uint8_t *data, uint32_t bytes,
                     const struct woofles_span *inputs, uint32_t n_inputs,
                     const struct woofles_span *outputs, uint32_t n_outputs)
{
    uint32_t *n = context, sum = op;
    const struct woofles_span *const spans[2] = {inputs, outputs};
    const uint32_t counts[2] = {n_inputs, n_outputs};
    for (uint32_t i = 0; i < bytes; i++) {
        sum += data[i];
    }
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < counts[k]; i++) {
            assert_true(spans[k][i].data >= window + WOOFLES_MEMORY_OFFSET);
            assert_true(spans[k][i].bytes <= (uint32_t)(window + WINDOW - spans[k][i].data));
            memset(spans[k][i].data, (int)sum, spans[k][i].bytes);
        }
    }
    assert_true(data >= window + WOOFLES_MEMORY_OFFSET);
    assert_true(bytes <= (uint32_t)(window + WINDOW - data));
    (*n)++;
    return 0;
}

static void a_host_that_lies_moves_nothing_outside_the_window(void **state)
{
    struct woofles_window *w = (struct woofles_window *)(void *)window;
    uint32_t random = 7, n_computed = 0, n_refused = 0;
    (void)state;
    for (int round = 0; round < 200000; round++) {
        struct woofles_command *c = &w->ring[w->done % WOOFLES_RING];
        uint32_t words[sizeof *c / 4];
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            random = random * 1664525u + 1013904223u;
            const uint32_t shift = random >> 29; /* small numbers, and large ones */
            words[i] = shift < 7 ? (random >> 8) % (1u << (shift + 4)) : random;
        }
        memcpy(c, words, sizeof words);
        if (round % 2 == 0) { /* nearly good */
            c->kind = WOOFLES_INVOKE;
            c->n_inputs = c->n_outputs = 1;
            for (uint32_t i = 0; i < 2; i++) {
                c->offset[i] = WOOFLES_MEMORY_OFFSET + c->offset[i] % 1024u;
            }
            c->params = WOOFLES_MEMORY_OFFSET + c->params % 1024u;
        }
        w->power = 1;
        w->bytes = 0xFFFFFFFFu;
        w->cancel = w->done;
        w->posted = w->done + 1u;
        assert_int_equal(woofles_device_step_with(w, WINDOW, touch, &n_computed), 1);
        n_refused += c->code != 0;
    }
    assert_true(n_computed > 1000 && n_refused > 1000);
}

/* Found by tests/fuzz/line_fuzzer.c: what a host says of a convolution is checked before it is
 * used. */
static void params_that_would_overflow_are_refused(void **state)
{
    int8_t in[4] = {0}, out[4];
    doubling bad[8];
    (void)state;
    for (int i = 0; i < 8; i++) {
        bad[i] = params;
    }
    bad[0].p.output_zero = 2130706461;
    bad[1].p.input_zero = INT32_MIN;
    bad[2].p.low = -129;
    bad[3].p.high = 128;
    bad[4].p.low = 5, bad[4].p.high = 4;
    bad[5].shift = 31;
    bad[6].shift = -32;
    bad[7].p.stride_w = 4096;
    const struct woofles_span spans[2] = {{(uint8_t *)in, 4}, {(uint8_t *)out, 4}};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(woofles_compute(WOOFLES_CONV, (const uint8_t *)&bad[i],
                                         sizeof params.p + 13, &spans[0], 1, &spans[1], 1),
                         TVM_DEVICE_E_UNSUPPORTED);
    }
    assert_int_equal(woofles_compute(WOOFLES_CONV, (const uint8_t *)&params, sizeof params.p + 13,
                                     &spans[0], 1, &spans[1], 1),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup(name, set_up)
        CASE(it_computes_when_the_bell_rings),
        CASE(a_silent_device_is_a_time_out_and_the_next_run_is_good),
        CASE(a_broken_bell_and_a_device_that_is_absent_are_errors),
        CASE(hooks_out_of_order_and_bad_windows_are_refused),
        CASE(params_that_would_overflow_are_refused),
        CASE(a_host_that_lies_moves_nothing_outside_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
