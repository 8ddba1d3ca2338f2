/* SPDX-License-Identifier: Apache-2.0 */
/* Elements first: one may be what the loop carries. */
#include "micro/move/loop_next.h"

#include "micro/memory.h"

void oribi_micro_loop_next(const struct oribi_micro_loop_next_args *args, const void *const *inputs,
                           void *const *outputs)
{
    const int64_t *trips = inputs[0];
    const uint8_t *condition = inputs[1];
    int64_t *iteration = outputs[0];
    uint8_t *goes_on = outputs[1];
    const int64_t done = *iteration;
    const int32_t n = args->n_carried + args->n_collected;
    *iteration = done + 1;
    *goes_on = *condition != 0 && done + 1 < *trips ? 1 : 0;
    for (int32_t i = args->n_carried; i < n; i++) {
        uint8_t *to = outputs[2 + i];
        (void)memcpy(to + (int32_t)done * args->bytes[i], inputs[2 + i], (size_t)args->bytes[i]);
    }
    for (int32_t i = 0; i < args->n_carried; i++) {
        if (outputs[2 + i] != inputs[2 + i]) {
            (void)memcpy(outputs[2 + i], inputs[2 + i], (size_t)args->bytes[i]);
        }
    }
}
