/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of calls that several families have. What they read and how a field is added: lower_read.c.
 */
#include "compile/lower_parts.h"

#include "tensor/status.h"

void oribi_call_overwrite(const oribi_lowering *lowering, oribi_call *call, int32_t input)
{
    if (oribi_lower_count(oribi_lower_input(lowering, call, input)) ==
        oribi_lower_count(oribi_lower_output(lowering, call))) {
        call->aliases[call->n_aliases++] = (oribi_call_alias){input, true, 0};
    }
}

bool oribi_call_broadcast(oribi_lowering *lowering, oribi_call *call, const char *const names[4],
                          const struct oribi_micro_broadcast *shape)
{
    oribi_call_number(call, names[0], shape->rank);
    return oribi_call_numbers(lowering, call, names[1], shape->dims, shape->rank) &&
           oribi_call_numbers(lowering, call, names[2], shape->a_step, shape->rank) &&
           oribi_call_numbers(lowering, call, names[3], shape->b_step, shape->rank);
}

bool oribi_call_move(oribi_lowering *lowering, oribi_call *call,
                     const struct oribi_micro_move_spec *spec,
                     struct oribi_micro_move_args *out_args)
{
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_move_prepare(spec, out_args)));
    call->kernel = "move";
    call->n_inputs = 1;
    oribi_call_number(call, "rank", out_args->rank);
    ORIBI_TRY(oribi_call_numbers(lowering, call, "dims", out_args->dims, out_args->rank) &&
              oribi_call_numbers(lowering, call, "step", out_args->step, out_args->rank));
    ORIBI_CALL_MEMBERS(call, out_args, start, run_bytes);
    return true;
}

bool oribi_call_lookup(oribi_lowering *lowering, oribi_call *call, const uint8_t table[256])
{
    const void *copy = oribi_arena_memdup(lowering->arena, table, 256);
    if (copy == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    call->kernel = "lookup_8";
    call->n_inputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    oribi_call_number(call, "count",
                      (int32_t)oribi_lower_count(oribi_lower_output(lowering, call)));
    oribi_call_place(call, "table", ORIBI_ELEMENT_U8, 256, copy);
    return true;
}

bool oribi_channels_make(oribi_lowering *lowering, int32_t channels, oribi_channels *out)
{
    out->bias = oribi_arena_array(lowering->arena, (size_t)channels, sizeof(int32_t));
    out->multiplier = oribi_arena_array(lowering->arena, (size_t)channels, sizeof(int32_t));
    out->shift = oribi_arena_array(lowering->arena, (size_t)channels, sizeof(int32_t));
    return (out->bias != NULL && out->multiplier != NULL && out->shift != NULL) ||
           oribi_fail_memory(lowering->status);
}

void oribi_channels_place(oribi_call *call, const oribi_channels *channels, int32_t n_biases,
                          int32_t n_scales)
{
    oribi_call_place(call, "bias", ORIBI_ELEMENT_S32, n_biases, channels->bias);
    oribi_call_place(call, "multiplier", ORIBI_ELEMENT_S32, n_scales, channels->multiplier);
    oribi_call_place(call, "shift", ORIBI_ELEMENT_S32, n_scales, channels->shift);
}
