/* SPDX-License-Identifier: Apache-2.0 */
/* A model with command streams on the double of an NPU, on a desk and on an emulated board: two
 * runs over workspaces of other bytes, then one in which each call of the core driver fails in
 * turn. case.h has the inputs, as ethos_u_test.py wrote them.
 */
#include <stdint.h>
#include <string.h>

#include "npu_double.h"
#include "tvmgen_net.h"
#include RECORDER_PRINT

enum { FAILING_MOST = 200 };

struct ethosu_driver npu_double;
static tvm_device_ethos_u_t device;

#ifdef TVMGEN_NET_WORKSPACE_SIZE
static uint8_t workspace[TVMGEN_NET_WORKSPACE_SIZE] __attribute__((aligned(64)));
#endif

static void print_bytes(const char *name, const uint8_t *bytes, uint32_t n)
{
    static const char digits[] = "0123456789abcdef";
    char pair[3] = {0, 0, 0};
    print(name);
    print(" ");
    for (uint32_t i = 0; i < n; i++) {
        pair[0] = digits[bytes[i] >> 4];
        pair[1] = digits[bytes[i] & 15u];
        print(pair);
    }
    print("\n");
}

#include "case.h" /* case_run, case_print */

/* Fills what the run may write, puts the inputs where they belong, and runs. */
static int32_t run_once(uint8_t filling, struct tvm_device_error *error)
{
    struct tvmgen_net_devices devices = {0};
    devices.ethos_u = &device;
    devices.error = error;
#ifdef TVMGEN_NET_WORKSPACE_SIZE
    memset(workspace, filling, sizeof workspace);
#endif
    return case_run(filling, &devices);
}

static void run_and_print(uint8_t filling)
{
    struct tvm_device_error error = {0};
    const int32_t code = run_once(filling, &error);
    print("code ");
    print_number(code);
    print(" ");
    print(tvm_device_hook_name(error.hook));
    print(" ");
    print(npu_double.fault != NULL ? npu_double.fault : "no fault");
    print("\n");
    case_print();
}

static void fail_each(void)
{
    int32_t n_failed = 0, code = 1;
    for (int32_t k = 1; k < FAILING_MOST && code != 0; k++) {
        struct tvm_device_error error = {0};
        npu_double.n_calls = 0;
        npu_double.fails_at = k;
        code = run_once(7, &error);
        n_failed += code != 0 ? 1 : 0;
        if (npu_double.power != 0 || npu_double.is_locked || npu_double.is_running ||
            (code != 0) != (npu_double.n_calls >= k)) {
            print("left open ");
            print_number(k);
            print("\n");
            npu_double.power = npu_double.is_locked = npu_double.is_running = 0;
        }
    }
    npu_double.fails_at = 0;
    print("failed ");
    print_number(n_failed);
    print("\n");
}

int main(void)
{
    if (TVMDeviceEthosUInit(&device, &npu_double) != 0) {
        return 1;
    }
    run_and_print(0x55);
    run_and_print(0xAA);
    print("jobs ");
    print_number(npu_double.n_jobs);
    print(" operations ");
    print_number(npu_double.n_operations);
    print("\n");
    fail_each();
    run_and_print(0x11);
    if (TVMDeviceEthosUDestroy(&device) != 0) {
        return 1;
    }
    RECORDER_END
}
