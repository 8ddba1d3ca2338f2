/* SPDX-License-Identifier: Apache-2.0 */
#include "micro/move/loop_begin.h"

#include "micro/memory.h"

void oribi_micro_loop_begin(const struct oribi_micro_loop_begin_args *args,
                            const void *const *inputs, void *const *outputs)
{
    const int64_t *trips = inputs[0];
    const uint8_t *condition = inputs[1];
    int64_t *iteration = outputs[0];
    uint8_t *goes_on = outputs[1];
    *iteration = 0;
    *goes_on = *condition != 0 && *trips > 0 ? 1 : 0;
    for (int32_t i = 0; i < args->n_carried; i++) {
        (void)memcpy(outputs[2 + i], inputs[2 + i], (size_t)args->bytes[i]);
    }
}
