/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of the harness: their places, start and stop, and what is told when one fails. */
#include "harness/devices.h"

#include "harness/frame.h"
#include "harness/model.h"
#include "oribi/verify_wire.h"

static int32_t n_started; /* they are started in their order, and stopped in its reverse */

static void tell(uint32_t hook, int32_t device, int32_t code, int32_t operator_index,
                 int32_t cleanup_failures)
{
    struct oribi_frame frame;
    oribi_frame_begin(&frame, ORIBI_WIRE_DEVICE, 4u * ORIBI_WIRE_DEVICE_WORDS);
    oribi_frame_put_word(&frame, hook);
    oribi_frame_put_word(&frame, (uint32_t)device);
    oribi_frame_put_word(&frame, (uint32_t)code);
    oribi_frame_put_word(&frame, (uint32_t)operator_index);
    oribi_frame_put_word(&frame, (uint32_t)cleanup_failures);
    oribi_frame_end(&frame);
}

/* Of targets that have no lines. */
__attribute__((weak)) int32_t oribi_place_line(struct tvm_verify_line *line, int32_t index)
{
    (void)line;
    (void)index;
    return TVM_DEVICE_E_UNSUPPORTED;
}

static int32_t start(int32_t index)
{
    const struct oribi_harness_device *device = &oribi_harness_model.devices[index];
    struct tvm_verify_place *place = device->place;
    int32_t code = TVM_DEVICE_OK;
    place->device = index;
    place->line.descriptor = -1;
#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
    if (place->window_bytes > 0u) {
        place->window = oribi_place_window(device->window_at, place->window_bytes);
        code = place->window != (void *)0 ? TVM_DEVICE_OK : TVM_DEVICE_E_IO;
    }
#endif
    if (code == 0 && device->has_line != 0) {
        code = oribi_place_line(&place->line, index);
    }
    return code != 0 ? code : device->start();
}

int32_t oribi_devices_start(void)
{
    int32_t code = 0;
    while (code == 0 && n_started < oribi_harness_model.n_devices) {
        code = start(n_started);
        if (code != 0) {
            tell(ORIBI_WIRE_START, n_started, code, -1, 0);
        } else {
            n_started++;
        }
    }
    return code;
}

void oribi_devices_stop(void)
{
    for (; n_started > 0; n_started--) {
        const int32_t code = oribi_harness_model.devices[n_started - 1].stop();
        if (code != 0) {
            tell(ORIBI_WIRE_STOP, n_started - 1, code, -1, 0);
        }
    }
}

void oribi_devices_explain(void)
{
    const struct tvm_device_error *e = oribi_harness_model.device_error;
    if (e != (void *)0) {
        tell((uint32_t)e->hook, e->device, e->code, e->operator_index, e->cleanup_failures);
    }
}
