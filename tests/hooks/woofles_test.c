/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of `woofles` on POSIX and the device behind it: operators, queue, copies, cancelling,
 * and what a device does with commands that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "examples/accelerators/woofles/common/woofles_device.h"
#include "tvm/device/woofles/params.h"
#include "tvm/device/woofles/posix.h"

enum { MEMORY = 4096, WINDOW = WOOFLES_MEMORY_OFFSET + MEMORY + 1152 };

typedef struct fixture {
    tvm_device_woofles_t device, peer;
    _Alignas(16) uint8_t window[WINDOW], peer_window[WINDOW];
    /* A 1x1 convolution of one channel that multiplies by 2: 2^30 * 2^(1 - 31) = 1. */
    struct {
        struct woofles_conv p;
        int32_t bias, multiplier, shift;
        int8_t weight;
    } params;
    struct tvm_device_tensor tensors[2];
    struct tvm_device_call call;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    assert_int_equal(TVMDeviceWooflesInit(&f.device, f.window, WINDOW, MEMORY), 0);
    assert_int_equal(TVMDeviceWooflesInit(&f.peer, f.peer_window, WINDOW, MEMORY), 0);
    f.params.p = (struct woofles_conv){.batch = 1,
                                       .in_h = 1,
                                       .in_w = 8,
                                       .in_c = 1,
                                       .out_h = 1,
                                       .out_w = 8,
                                       .out_c = 1,
                                       .filter_h = 1,
                                       .filter_w = 1,
                                       .stride_h = 1,
                                       .stride_w = 1,
                                       .dilation_h = 1,
                                       .dilation_w = 1,
                                       .low = -128,
                                       .high = 127};
    f.params.multiplier = 1 << 30;
    f.params.shift = 1;
    f.params.weight = 2;
    f.tensors[0] = (struct tvm_device_tensor){NULL, 0, 8};
    f.tensors[1] = (struct tvm_device_tensor){NULL, 64, 8};
    f.call = (struct tvm_device_call){.op = WOOFLES_CONV,
                                      .n_inputs = 1,
                                      .n_outputs = 1,
                                      .tensors = f.tensors,
                                      .params = &f.params,
                                      .params_bytes = sizeof f.params.p + 13};
    assert_int_equal(TVMDeviceWooflesActivate(&f.device), 0);
    assert_int_equal(TVMDeviceWooflesOpen(&f.device), 0);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    assert_int_equal(TVMDeviceWooflesClose(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesDeactivate(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesDestroy(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesDestroy(&f->peer), 0);
    return 0;
}

static const int8_t input[8] = {1, -2, 3, 100, -100, 0, 63, -64};
static const int8_t doubled[8] = {2, -4, 6, 127, -128, 0, 126, -128};

static void operators_work_in_the_devices_memory(void **state)
{
    fixture *f = *state;
    int8_t out[8] = {0};
    assert_int_equal(TVMDeviceWooflesCopyTo(input, &f->device, 0, 8), 0);
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), 0);
    assert_int_equal(TVMDeviceWooflesCopyFrom(&f->device, 64, out, 8), 0);
    assert_memory_equal(out, doubled, 8);
}

/* More commands than the ring and than the place for params hold; each reads what the one before
 * made, and has params of its own: seven of them negate. */
static void started_calls_keep_their_order(void **state)
{
    fixture *f = *state;
    struct tvm_device_tensor tensors[20][2];
    struct tvm_device_call calls[20];
    uint8_t params[20][sizeof f->params];
    int8_t out[8];
    assert_int_equal(TVMDeviceWooflesCopyTo(input, &f->device, 0, 8), 0);
    for (int i = 0; i < 20; i++) {
        tensors[i][0] = (struct tvm_device_tensor){NULL, 8u * (uint32_t)i, 8};
        tensors[i][1] = (struct tvm_device_tensor){NULL, 8u * (uint32_t)i + 8u, 8};
        f->params.weight = i % 3 == 1 ? -1 : 1;
        memcpy(params[i], &f->params, sizeof f->params);
        calls[i] = f->call;
        calls[i].tensors = tensors[i];
        calls[i].params = params[i];
        assert_int_equal(TVMDeviceWooflesStart(&f->device, &calls[i]), 0);
    }
    assert_int_equal(TVMDeviceWooflesWait(&f->device), 0);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(TVMDeviceWooflesCopyFrom(&f->device, 8 * i + 8, out, 8), 0);
        for (int k = 0; k < 8; k++) {
            assert_int_equal(out[k], (i + 2) / 3 % 2 == 0 ? input[k] : -input[k]);
        }
    }
}

/* Loads params that multiply by `weight`, of that id, and computes with them. */
static int32_t load_and_run(fixture *f, uint32_t id, int8_t weight, int8_t out[8])
{
    f->params.weight = weight;
    f->call.params_id[0] = f->call.params_id[1] = id;
    int32_t code = TVMDeviceWooflesCopyTo(input, &f->device, 0, 8);
    code = code != 0 ? code : TVMDeviceWooflesLoad(&f->device, &f->call);
    code = code != 0 ? code : TVMDeviceWooflesInvoke(&f->device, &f->call);
    return code != 0 ? code : TVMDeviceWooflesCopyFrom(&f->device, 64, out, 8);
}

/* They are known by their id alone: what lies at the host's address later is not looked at. */
static void params_stay_until_the_device_is_switched_off(void **state)
{
    fixture *f = *state;
    int8_t out[8];
    assert_int_equal(load_and_run(f, 1, 2, out), 0);
    assert_memory_equal(out, doubled, 8);
    const uint32_t first = f->call.resident;
    assert_true(first != 0);
    assert_int_equal(load_and_run(f, 2, -1, out), 0);
    assert_int_equal(out[2], -3);
    assert_true(f->call.resident != 0 && f->call.resident != first);
    f->call.resident = 0;
    assert_int_equal(load_and_run(f, 1, 55, out), 0); /* not what lies there now */
    assert_memory_equal(out, doubled, 8);
    assert_int_equal(f->call.resident, first);

    assert_int_equal(TVMDeviceWooflesClose(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesDeactivate(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesActivate(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesOpen(&f->device), 0);
    assert_int_equal(load_and_run(f, 1, -1, out), 0);
    assert_int_equal(out[2], -3);
}

/* There is room for some of them; the rest goes with the calls, and may need that room. */
static void params_that_find_no_room_go_with_the_call(void **state)
{
    fixture *f = *state;
    int8_t out[8];
    int32_t n_kept = 0;
    for (uint32_t id = 1; id <= 40; id++) {
        const int8_t weight = id % 2 == 0 ? 1 : -1;
        assert_int_equal(load_and_run(f, id, weight, out), 0);
        assert_int_equal(out[2], 3 * weight);
        n_kept += f->call.resident != 0;
    }
    assert_true(n_kept > 1 && n_kept < 40);
}

/* What is loaded between calls under way does not lie over their params. */
static void params_of_calls_under_way_are_not_loaded_over(void **state)
{
    fixture *f = *state;
    struct tvm_device_call calls[8];
    struct tvm_device_tensor tensors[8][2];
    uint8_t params[8][sizeof f->params];
    int8_t out[8];
    assert_int_equal(TVMDeviceWooflesCopyTo(input, &f->device, 0, 8), 0);
    for (uint32_t i = 0; i < 8; i++) {
        f->params.weight = (int8_t)(i + 1);
        memcpy(params[i], &f->params, sizeof f->params);
        tensors[i][0] = (struct tvm_device_tensor){NULL, 0, 8};
        tensors[i][1] = (struct tvm_device_tensor){NULL, 64 + 8 * i, 8};
        calls[i] = f->call;
        calls[i].tensors = tensors[i];
        calls[i].params = params[i];
        calls[i].params_id[0] = i + 1;
        if (i % 2 == 1) {
            assert_int_equal(TVMDeviceWooflesLoad(&f->device, &calls[i]), 0);
        }
        assert_int_equal(TVMDeviceWooflesStart(&f->device, &calls[i]), 0);
    }
    assert_int_equal(TVMDeviceWooflesWait(&f->device), 0);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(TVMDeviceWooflesCopyFrom(&f->device, 64 + 8 * i, out, 8), 0);
        assert_int_equal(out[2], 3 * (int32_t)(i + 1));
    }
}

static void errors_come_with_the_wait(void **state)
{
    fixture *f = *state;
    struct tvm_device_call bad = f->call;
    bad.op = 99;
    assert_int_equal(TVMDeviceWooflesStart(&f->device, &bad), 0);
    assert_int_equal(TVMDeviceWooflesStart(&f->device, &f->call), 0);
    assert_int_equal(TVMDeviceWooflesWait(&f->device), TVM_DEVICE_E_UNSUPPORTED);
    assert_int_equal(TVMDeviceWooflesWait(&f->device), 0);
    bad = f->call;
    bad.params_bytes -= 1;
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &bad), TVM_DEVICE_E_UNSUPPORTED);
    f->params.p.in_w = 9;
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), TVM_DEVICE_E_UNSUPPORTED);
}

static void cancelled_calls_write_nothing_afterwards(void **state)
{
    fixture *f = *state;
    int8_t zero[8] = {0}, out[8];
    for (int i = 0; i < 50; i++) {
        assert_int_equal(TVMDeviceWooflesCopyTo(zero, &f->device, 64, 8), 0);
        assert_int_equal(TVMDeviceWooflesStart(&f->device, &f->call), 0);
        assert_int_equal(TVMDeviceWooflesCancel(&f->device), 0);
        assert_int_equal(TVMDeviceWooflesWait(&f->device), 0);
    }
    assert_int_equal(TVMDeviceWooflesCopyTo(input, &f->device, 0, 8), 0);
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), 0);
    assert_int_equal(TVMDeviceWooflesCopyFrom(&f->device, 64, out, 8), 0);
    assert_memory_equal(out, doubled, 8);
}

static void offsets_outside_are_refused(void **state)
{
    fixture *f = *state;
    uint8_t bytes[8] = {0};
    assert_int_equal(TVMDeviceWooflesCopyTo(bytes, &f->device, MEMORY - 7, 8), TVM_DEVICE_E_RANGE);
    assert_int_equal(TVMDeviceWooflesCopyFrom(&f->device, UINT32_MAX, bytes, 8),
                     TVM_DEVICE_E_RANGE);
    f->tensors[1].device_offset = MEMORY;
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), TVM_DEVICE_E_RANGE);
    f->tensors[1].data = bytes;
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), TVM_DEVICE_E_UNSUPPORTED);
}

static void peers_hand_over_without_the_host(void **state)
{
    fixture *f = *state;
    int8_t out[8];
    assert_int_equal(TVMDeviceWooflesActivate(&f->peer), 0);
    assert_int_equal(TVMDeviceWooflesOpen(&f->peer), 0);
    assert_int_equal(TVMDeviceWooflesCopyTo(input, &f->device, 0, 8), 0);
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), 0);
    assert_int_equal(TVMDeviceWooflesCopyPeer(&f->device, 64, &f->peer, 128, 8), 0);
    assert_int_equal(TVMDeviceWooflesCopyFrom(&f->peer, 128, out, 8), 0);
    assert_memory_equal(out, doubled, 8);
    assert_int_equal(TVMDeviceWooflesClose(&f->peer), 0);
    assert_int_equal(TVMDeviceWooflesDeactivate(&f->peer), 0);
}

/* One user's Deactivate does not cut another's power; without any, the device does nothing. */
static void power_is_counted(void **state)
{
    fixture *f = *state;
    assert_int_equal(TVMDeviceWooflesClose(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesActivate(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesDeactivate(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesOpen(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), 0);
    assert_int_equal(TVMDeviceWooflesClose(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesDeactivate(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesOpen(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceWooflesClose(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesActivate(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesOpen(&f->device), 0);
}

static void hooks_out_of_order_are_refused(void **state)
{
    fixture *f = *state;
    assert_int_equal(TVMDeviceWooflesClose(&f->device), 0);
    assert_int_equal(TVMDeviceWooflesClose(&f->device), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceWooflesInvoke(&f->device, &f->call), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceWooflesLoad(&f->device, &f->call), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceWooflesCopyTo(input, &f->device, 0, 8), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceWooflesInit(&f->peer, NULL, 0, 0), TVM_DEVICE_E_NULL);
    assert_int_equal(TVMDeviceWooflesInit(&f->peer, f->peer_window + 1, WINDOW - 1, 0),
                     TVM_DEVICE_E_RANGE);
    assert_int_equal(TVMDeviceWooflesOpen(&f->device), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(operators_work_in_the_devices_memory),
        CASE(started_calls_keep_their_order),
        CASE(params_stay_until_the_device_is_switched_off),
        CASE(params_that_find_no_room_go_with_the_call),
        CASE(params_of_calls_under_way_are_not_loaded_over),
        CASE(errors_come_with_the_wait),
        CASE(cancelled_calls_write_nothing_afterwards),
        CASE(offsets_outside_are_refused),
        CASE(peers_hand_over_without_the_host),
        CASE(power_is_counted),
        CASE(hooks_out_of_order_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
