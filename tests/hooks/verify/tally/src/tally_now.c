/* SPDX-License-Identifier: Apache-2.0 */
/* A TALLY without a memory of its own: it counts where the tensors lie. */
#include "tally.h"
#include "tvm/device/tally_now.h"
#include "tvm/runtime/verify.h"

int32_t tally_now_begin(tvm_device_tally_now_t *dev, const struct tvm_verify_place *place);
int32_t tally_now_finish(tvm_device_tally_now_t *dev);

int32_t tally_now_begin(tvm_device_tally_now_t *dev, const struct tvm_verify_place *place)
{
    dev->is_held = 0;
    dev->beads[0] = dev->beads[1] = 0;
    return place->line.context == 0 && place->window == 0 && place->line.descriptor == -1
               ? TVM_DEVICE_OK
               : TVM_DEVICE_E_STATE;
}

int32_t tally_now_finish(tvm_device_tally_now_t *dev)
{
    return dev->is_held == 0 && dev->beads[0] > 0u && dev->beads[0] == dev->beads[1]
               ? TVM_DEVICE_OK
               : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceTallyNowActivate(tvm_device_tally_now_t *dev)
{
    dev->beads[0]++;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTallyNowOpen(tvm_device_tally_now_t *dev)
{
    dev->is_held++;
    return dev->is_held == 1 ? TVM_DEVICE_OK : TVM_DEVICE_E_BUSY;
}

static int8_t largest(const struct tally_maxima *p, const int8_t *corner)
{
    int8_t most = -128;
    for (int32_t y = 0; y < p->window_h; y++) {
        for (int32_t x = 0; x < p->window_w; x++) {
            const int8_t here = corner[(y * p->in_w + x) * p->channels];
            most = here > most ? here : most;
        }
    }
    return most;
}

int32_t TVMDeviceTallyNowInvoke(tvm_device_tally_now_t *dev, const struct tvm_device_call *call)
{
    const struct tally_maxima *const p = (const struct tally_maxima *)call->params;
    const int8_t *const in = (const int8_t *)call->tensors[0].data;
    int8_t *out = (int8_t *)call->tensors[1].data;
    if (dev->is_held != 1 || call->op != TALLY_MAXIMA) {
        return TVM_DEVICE_E_STATE;
    }
    for (int32_t n = 0; n < p->batch; n++) {
        for (int32_t y = 0; y < p->out_h; y++) {
            for (int32_t x = 0; x < p->out_w; x++) {
                for (int32_t c = 0; c < p->channels; c++) {
                    const int32_t row = n * p->in_h + y * p->stride_h;
                    *out++ = largest(p, &in[(row * p->in_w + x * p->stride_w) * p->channels + c]);
                }
            }
        }
    }
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTallyNowClose(tvm_device_tally_now_t *dev)
{
    dev->is_held--;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTallyNowDeactivate(tvm_device_tally_now_t *dev)
{
    dev->beads[1]++;
    return TVM_DEVICE_OK;
}
