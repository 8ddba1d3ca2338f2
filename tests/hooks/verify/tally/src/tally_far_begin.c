/* SPDX-License-Identifier: Apache-2.0 */
/* A TALLY behind a window, for `oribi verify`. */
#include "tally.h"
#include "tvm/device/tally_far.h"
#include "tvm/runtime/verify.h"

int32_t tally_far_begin(tvm_device_tally_far_t *dev, const struct tvm_verify_place *place);
int32_t tally_far_finish(tvm_device_tally_far_t *dev);

int32_t tally_far_begin(tvm_device_tally_far_t *dev, const struct tvm_verify_place *place)
{
    dev->job = (volatile struct tally_job *)place->window;
    dev->memory_bytes = (place->memory_bytes + 7u) & ~7u;
    dev->window_bytes = place->window_bytes;
    dev->ms = 30000;
    dev->is_held = 0;
    dev->wire = place->line.context;
    dev->put = place->line.put;
    dev->get = place->line.get;
    dev->polls_per_ms = place->line.polls_per_ms;
    return place->memory_bytes > 0u && place->window_bytes == 65000u &&
                   dev->memory_bytes + TALLY_MEMORY < place->window_bytes
               ? TVM_DEVICE_OK
               : TVM_DEVICE_E_RANGE;
}

int32_t tally_far_finish(tvm_device_tally_far_t *dev)
{
    return dev->is_held == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}
