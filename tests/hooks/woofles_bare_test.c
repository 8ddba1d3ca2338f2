/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of `woofles` without an operating system: the doorbell computes at once, or nobody is
 * there. On an emulated board with a process behind the window: verify_devices_test.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "platform/common/woofles_device.h"
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
static const struct tvm_device_call call = {WOOFLES_CONV, 1,       1,
                                            tensors,      &params, sizeof params.p + 13};

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

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup(name, set_up)
        CASE(it_computes_when_the_bell_rings),
        CASE(a_silent_device_is_a_time_out_and_the_next_run_is_good),
        CASE(a_broken_bell_and_a_device_that_is_absent_are_errors),
        CASE(hooks_out_of_order_and_bad_windows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
