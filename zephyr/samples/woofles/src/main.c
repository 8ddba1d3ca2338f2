/* SPDX-License-Identifier: Apache-2.0 */
/* The application of docs/reference/platforms.md: the C Device API's woofles on Zephyr. */
#include <zephyr/device.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <tvm/device/woofles/zephyr.h>
#include <tvm/runtime/device.h>

#include "tvmgen_mynetwork.h"

static tvm_device_woofles_t accelerator; /* the application owns it */
static uint8_t
    workspace[TVMGEN_MYNETWORK_WORKSPACE_SIZE] __aligned(TVMGEN_MYNETWORK_WORKSPACE_ALIGNMENT);
/* clang-format off */
static const int8_t picture[TVMGEN_MYNETWORK_PICTURE_COUNT] = { /* an eight */
    -128, -128, -128,  -17,    5,  -95, -128, -128,
    -128, -128,  -39,   50,   38,   27, -128, -128,
    -128, -128,  -72,   50,  -17,   50, -117, -128,
    -128, -128,  -72,   50,   50,  -17, -117, -128,
    -128, -117,   50,    5,   50,  -39, -128, -128,
    -128, -117,   50,  -95,  -83,   50,  -83, -128,
    -128, -128,    5,   -6,  -83,   50,  -28, -128,
    -128, -128, -106,  -17,   27,   16,  -83, -128,
};
/* clang-format on */
static int8_t scores[TVMGEN_MYNETWORK_IDENTITY_COUNT];

int main(void)
{
    const struct device *woofles_zephyr_device = device_get_binding("WOOFLES0");
    int32_t ret = TVMDeviceWooflesInit(&accelerator, woofles_zephyr_device);
    if (ret != 0) {
        printk("woofles: %d\n", (int)ret);
        return 0;
    }

    struct tvmgen_mynetwork_inputs inputs = {.picture = picture};
    struct tvmgen_mynetwork_outputs outputs = {.Identity = scores};
    struct tvmgen_mynetwork_workspace_pools pools = {.workspace = workspace};
    struct tvm_device_error error;
    struct tvmgen_mynetwork_devices devices = {.accelerator = &accelerator, .error = &error};

    ret = tvmgen_mynetwork_run(&inputs, &outputs, &pools, &devices);
    if (ret == 0) {
        printk("digit %d:", (int)tvmgen_mynetwork_argmax_Identity(scores));
        for (int i = 0; i < TVMGEN_MYNETWORK_IDENTITY_COUNT; i++) {
            printk(" %d", scores[i]);
        }
        printk("\n");
    } else {
        printk("run: %d in %s of %s\n", (int)ret, tvm_device_hook_name(error.hook),
               error.instance != NULL ? error.instance : "");
    }
    (void)TVMDeviceWooflesDestroy(&accelerator);
    return 0;
}
