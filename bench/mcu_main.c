/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest firmware round an emitted model, linked by bench/mcu.py to weigh it: the start-up
 * code of platform/, a call, the model. The model's name comes as -DMODEL=kws -DMODEL_UPPER=KWS. */
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define NAME(suffix)   JOIN(tvmgen_, MODEL, suffix)

#include MODEL_HEADER

static uint8_t workspace[JOIN(TVMGEN_, MODEL_UPPER, _WORKSPACE_SIZE)] __attribute__((aligned(16)));
/* Inputs and outputs come from elsewhere in a real firmware. */
extern struct NAME(_inputs) inputs;
extern struct NAME(_outputs) outputs;
struct NAME(_inputs) inputs;
struct NAME(_outputs) outputs;

int main(void)
{
    const struct NAME(_workspace_pools) pools = {workspace};
    return (int)NAME(_run)(&inputs, &outputs, &pools);
}
