/* SPDX-License-Identifier: Apache-2.0 */
/* What is behind the window: jobs, computed by the machine that plays the accelerator. */
#include "tally.h"
#include "tvm/runtime/far_end.h"

int32_t tally_far_power_up(struct tvm_far_end *end);
int32_t tally_far_listen(struct tvm_far_end *end);

int32_t tally_far_power_up(struct tvm_far_end *end)
{
    struct tally_job *const job = (struct tally_job *)(void *)end->window;
    job->ready = TALLY_READY;
    return end->window_bytes == 65000u ? TVM_DEVICE_OK : TVM_DEVICE_E_RANGE;
}

int32_t tally_far_listen(struct tvm_far_end *end)
{
    struct tally_job *const job = (struct tally_job *)(void *)end->window;
    uint8_t *const base = end->window;
    uint8_t byte;
    while (end->receive(end->context, &byte, 1, -1) == 0) {
        job->code =
            end->invoke(end->context, job->op, base + job->params_at, job->params_bytes,
                        base + job->in_at, job->in_bytes, base + job->out_at, job->out_bytes);
        end->requests++;
        if (end->send(end->context, "k", 1, 1000) != 0) {
            break;
        }
    }
    return TVM_DEVICE_OK;
}
