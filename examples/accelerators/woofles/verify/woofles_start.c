/* SPDX-License-Identifier: Apache-2.0 */
/* What an application does once, for `oribi verify`: on POSIX the accelerator is a thread over the
 * window, on a board the window is shared with the far end and a byte on the line is the doorbell.
 */
#include "../common/woofles_port.h"

#include "tvm/runtime/verify.h"

int32_t woofles_start(tvm_device_woofles_t *dev, const struct tvm_verify_place *place);
int32_t woofles_stop(tvm_device_woofles_t *dev);

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
static int32_t init(tvm_device_woofles_t *dev, const struct tvm_verify_place *place,
                    uint32_t memory_bytes)
{
    return TVMDeviceWooflesInit(dev, place->window, place->window_bytes, memory_bytes);
}
#else
static int32_t ring(void *bell)
{
    const struct tvm_verify_line *const line = (const struct tvm_verify_line *)bell;
    for (uint32_t polls = 0; polls < 100000000u; polls++) {
        if (line->put(line->context, 1u) != 0) {
            return TVM_DEVICE_OK;
        }
    }
    return TVM_DEVICE_E_TIMEOUT;
}

static int32_t init(tvm_device_woofles_t *dev, const struct tvm_verify_place *place,
                    uint32_t memory_bytes)
{
    return TVMDeviceWooflesInit(dev, place->window, place->window_bytes, memory_bytes,
                                (void *)(uintptr_t)&place->line, ring, place->line.polls_per_ms);
}
#endif

/* Params of calls have what the tensors leave of the window. */
int32_t woofles_start(tvm_device_woofles_t *dev, const struct tvm_verify_place *place)
{
    const int32_t code = init(dev, place, (place->memory_bytes + 15u) & ~15u);
    dev->timeout_ms = 60000; /* the far side may have to wait for a processor */
    return code;
}

int32_t woofles_stop(tvm_device_woofles_t *dev)
{
    return TVMDeviceWooflesDestroy(dev);
}
