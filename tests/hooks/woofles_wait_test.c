/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of `woofles` beside a device that finishes a command right after each look at its
 * counter: no wait may be for more than what was under way when it was decided. The port is this
 * file's; it ends a wait that nothing would end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "examples/accelerators/woofles/common/woofles_port.h"
#include "examples/accelerators/woofles/common/woofles_window.h"

enum { MEMORY = 256, WINDOW = WOOFLES_MEMORY_OFFSET + MEMORY + 512 };

static _Alignas(16) uint8_t window[WINDOW];
static int n_waits;

static struct woofles_window *words(void)
{
    return (struct woofles_window *)(void *)window;
}

int32_t woofles_port_lock(tvm_device_woofles_t *dev)
{
    (void)dev;
    return 0;
}

int32_t woofles_port_unlock(tvm_device_woofles_t *dev)
{
    (void)dev;
    return 0;
}

int32_t woofles_port_ring(tvm_device_woofles_t *dev)
{
    (void)dev;
    return 0;
}

uint32_t woofles_port_load(const uint32_t *word)
{
    const uint32_t value = *word;
    if (word == &words()->done && value != words()->posted) {
        words()->done = value + 1u;
    }
    return value;
}

void woofles_port_store(uint32_t *word, uint32_t value)
{
    *word = value;
}

int32_t woofles_port_wait(tvm_device_woofles_t *dev, uint32_t done)
{
    (void)dev;
    n_waits++;
    return words()->done != done ? TVM_DEVICE_OK : TVM_DEVICE_E_TIMEOUT;
}

static void a_device_that_is_quick_is_not_waited_for_in_vain(void **state)
{
    static const struct tvm_device_tensor tensors[2] = {{NULL, 0, 4}, {NULL, 4, 4}};
    static const uint8_t params[16];
    static const struct tvm_device_call call = {.op = 1,
                                                .n_inputs = 1,
                                                .n_outputs = 1,
                                                .tensors = tensors,
                                                .params = params,
                                                .params_bytes = sizeof params};
    tvm_device_woofles_t dev = {.timeout_ms = 10,
                                .window = words(),
                                .memory_bytes = MEMORY,
                                .params_bytes = 512,
                                .is_open = 1};
    (void)state;
    for (int under_way = 1; under_way <= 20; under_way++) {
        for (int i = 0; i < under_way; i++) {
            assert_int_equal(TVMDeviceWooflesStart(&dev, &call), 0);
        }
        assert_int_equal(TVMDeviceWooflesWait(&dev), 0);
        assert_int_equal(words()->done, words()->posted);
    }
    assert_true(n_waits > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_that_is_quick_is_not_waited_for_in_vain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
