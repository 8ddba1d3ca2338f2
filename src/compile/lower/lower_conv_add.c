/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution whose only use is a sum becomes one call with it: its result needs no memory, and
 * the sum may lie where what it is added to was. Bit for bit the two calls.
 */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/conv/conv2d_add_lanes_s8_prepare.h"
#include "micro/elementwise/add_s8.h"
#include "micro/mve/conv2d_add_mve_s8_prepare.h"
#include "target/target.h"
#include "micro/prepare.h"
#include "tensor/status.h"

/* The node's call as it would be alone. */
static bool lower_alone(oribi_lowering *lowering, const oribi_node *node, oribi_call *out)
{
    *out = (oribi_call){.node = node, .name = "", .forbids_overlap = true};
    return oribi_lower_call(lowering, out);
}

/* The call becomes one of `kernel`, which does both, with weights as the convolution has them. */
static bool set_kernel(oribi_lowering *lowering, oribi_call *call, const oribi_call *conv,
                       const char *kernel, const struct oribi_micro_add_scales_s8 *scales,
                       bool conv_is_b)
{
    if (conv->args == &oribi_args_conv2d_mve_s8) {
        struct oribi_micro_conv2d_add_mve_s8_args args = {0};
        call->scratch_bytes = oribi_micro_conv2d_add_mve_s8_prepare(
            conv->arguments, conv->scratch_bytes, scales, conv_is_b, &args);
        ORIBI_TRY(ORIBI_CALL_SET(lowering, call, kernel, conv2d_add_mve_s8, &args));
        ORIBI_CALL_PLACE(call, &args, conv.filter, conv->placed[0].count);
        return true;
    }
    struct oribi_micro_conv2d_add_lanes_s8_args args = {0};
    call->scratch_bytes = oribi_micro_conv2d_add_lanes_s8_prepare(
        conv->arguments, conv->scratch_bytes, scales, conv_is_b, &args);
    call->costs = conv->costs != NULL ? &oribi_micro_conv2d_add_lanes_s8_costs : NULL;
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, kernel, conv2d_add_lanes_s8, &args));
    ORIBI_CALL_PLACE(call, &args, conv.filter, conv->placed[0].count);
    return true;
}

bool oribi_lower_conv2d_add(oribi_lowering *lowering, oribi_call *call)
{
    oribi_call conv, add;
    const oribi_node *node = call->fused;
    const bool conv_is_b = call->node->inputs[1] == node->outputs[0];
    ORIBI_TRY(lower_alone(lowering, node, &conv));
    ORIBI_TRY(lower_alone(lowering, call->node, &add));
    oribi_value_id *inputs =
        oribi_claim_array(lowering->arena, 2, sizeof *inputs, lowering->status);
    ORIBI_TRY(inputs != NULL);
    inputs[0] = node->inputs[0];
    inputs[1] = call->node->inputs[conv_is_b ? 0 : 1];
    call->inputs = inputs;
    call->n_inputs = 2;
    call->n_outputs = 1;
    call->has_scratch = true;
    call->macs = conv.macs;
    const struct oribi_micro_add_s8_args *sum = add.arguments;
    const char *kernel =
        oribi_arena_printf(lowering->arena, "conv2d_add_%s", conv.kernel + strlen("conv2d_"));
    ORIBI_TRY(kernel != NULL || oribi_fail_memory(lowering->status));
    ORIBI_TRY(set_kernel(lowering, call, &conv, kernel, &sum->scales, conv_is_b));
    call->aliases[call->n_aliases++] = (oribi_call_alias){1, true, 0};
    if (conv.n_aliases > 0) {
        call->aliases[call->n_aliases++] = conv.aliases[0];
    }
    return call->scratch_bytes <= INT32_MAX ||
           oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
}

/* --- Which ----------------------------------------------------------------------------------- */

/* Is the sum's other side computed by an asynchronous device? Then the convolution runs meanwhile,
 * as an operator of its own. */
static bool has_device_beside(const oribi_lowering *lowering, const oribi_call *calls,
                              const oribi_call *add, const oribi_call *conv)
{
    for (const oribi_call *other = calls; other < add; other++) {
        const int32_t output = other->node->outputs[0];
        const bool is_side = add->node->inputs[0] == output || add->node->inputs[1] == output;
        if (other != conv && is_side && other->region != NULL &&
            lowering->partition->devices[other->device - 1].target->is_asynchronous != 0) {
            return true;
        }
    }
    return false;
}

/* The latest of the sum's sides that is a convolution in lanes or quads and read by nothing else;
 * -1: none.
 */
static int32_t find_conv(const oribi_lowering *lowering, const oribi_call *calls, int32_t index)
{
    const oribi_call *add = &calls[index];
    const oribi_graph *graph = lowering->graph;
    const int64_t count = oribi_lower_count(graph->values[add->node->outputs[0]]);
    for (int32_t i = 0; i < 2; i++) {
        if (oribi_lower_count(graph->values[add->node->inputs[i]]) != count) {
            return -1;
        }
    }
    for (int32_t j = index - 1; j >= 0; j--) {
        const oribi_call *conv = &calls[j];
        const int32_t output = conv->node->outputs[0];
        const oribi_value *value = graph->values[output];
        const bool is_side = add->node->inputs[0] == output || add->node->inputs[1] == output;
        const bool is_beside = conv->node->guard == add->node->guard; /* not outside of a loop */
        const bool has_kernel =
            conv->args == &oribi_args_conv2d_lanes_s8 || conv->args == &oribi_args_conv2d_mve_s8;
        const bool is_small = conv->has_small_weights || conv->blocks != NULL;
        if (is_side && is_beside && has_kernel && !is_small && value->n_uses == 1 &&
            !value->is_output && !has_device_beside(lowering, calls, add, conv)) {
            return j;
        }
    }
    return -1;
}

bool oribi_lower_fuse(oribi_lowering *lowering, oribi_call *calls, int32_t *n_calls)
{
    for (int32_t i = 0; i < *n_calls && !lowering->options->no_fuse; i++) {
        if (strcmp(calls[i].node->op_name, "Oribi>QAdd") != 0 ||
            calls[i].args != &oribi_args_add_s8) {
            continue;
        }
        const int32_t conv = find_conv(lowering, calls, i);
        if (conv >= 0) {
            calls[i].fused = calls[conv].node;
            ORIBI_TRY(oribi_lower_call(lowering, &calls[i]));
            memmove(&calls[conv], &calls[conv + 1], (size_t)(*n_calls - conv - 1) * sizeof *calls);
            (*n_calls)--;
            i--;
        }
    }
    return true;
}
