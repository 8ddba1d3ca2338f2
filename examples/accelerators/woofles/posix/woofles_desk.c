/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` for `oribi run --device woofles=woofles_driver.so`: see tvm/runtime/desk.h. It takes no
 * options.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/woofles_window.h"
#include "tvm/device/woofles/posix.h"
#include "tvm/runtime/desk.h"

enum { PARAMS_BYTES = 4 << 20, TIMEOUT_MS = 60000 };

int32_t TVMDeviceWooflesDeskCreate(const char *options, uint32_t memory_bytes, void **out_dev);
int32_t TVMDeviceWooflesDeskDestroy(void *dev);

int32_t TVMDeviceWooflesDeskCreate(const char *options, uint32_t memory_bytes, void **out_dev)
{
    const uint32_t memory = (memory_bytes + 15u) & ~15u;
    const uint32_t bytes = WOOFLES_MEMORY_OFFSET + memory + PARAMS_BYTES;
    if (strcmp(options, "") != 0) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    if (memory < memory_bytes || bytes < memory) {
        return TVM_DEVICE_E_RANGE;
    }
    tvm_device_woofles_t *dev = calloc(1, sizeof *dev);
    void *window = aligned_alloc(16, bytes);
    int32_t code = dev != NULL && window != NULL ? TVMDeviceWooflesInit(dev, window, bytes, memory)
                                                 : TVM_DEVICE_E_STATE;
    if (code != 0) {
        free(window);
        free(dev);
        return code;
    }
    dev->timeout_ms = TIMEOUT_MS;
    *out_dev = dev;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceWooflesDeskDestroy(void *dev)
{
    tvm_device_woofles_t *own = dev;
    void *window = own->window;
    const int32_t code = TVMDeviceWooflesDestroy(own);
    free(window);
    free(own);
    return code;
}
