/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of calls that several families have. What they read and how arguments are set:
 * lower_read.c. */
#include "compile/lower/lower_parts.h"

#include "compile/lower/args_table.h"
#include "micro/elementwise/lookup_8.h"
#include "micro/nibbles/nibbles_prepare.h"
#include "tensor/status.h"

void oribi_call_overwrite(const oribi_lowering *lowering, oribi_call *call, int32_t input)
{
    if (oribi_lower_count(oribi_lower_input(lowering, call, input)) ==
        oribi_lower_count(oribi_lower_output(lowering, call))) {
        call->aliases[call->n_aliases++] = (oribi_call_alias){input, true, 0};
    }
}

/* The pointer that comes first in the arguments. */
static size_t first_array(const oribi_args *args)
{
    size_t i = 0;
    while (args->members[i].kind != ORIBI_ARGS_IS_ARRAY) {
        i++;
    }
    return args->members[i].offset;
}

enum { MOST_UNPACKED = 16384 }; /* bytes of RAM for half of a layer's flash */

/* Makes the call one of the row's kernel. `is_small`: or rather of the one whose weights have four
 * bits, which writes results before it has read all inputs. */
static bool try_row(oribi_lowering *lowering, oribi_call *call, const oribi_variant_row *row,
                    const void *plain, bool is_small)
{
    const struct oribi_micro_nibbles *nibbles = row->variant->nibbles;
    const bool is_for_core = (row->cores >> lowering->options->core & 1U) != 0;
    int64_t count = is_for_core && (nibbles != NULL || !is_small) ? row->variant->words(plain) : 0;
    if (count == 0) {
        return true;
    }
    int32_t *words = oribi_arena_array(lowering->arena, (size_t)count, sizeof *words);
    void *args = oribi_arena_array(lowering->arena, 1, row->args->bytes);
    if (words == NULL || args == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    int64_t scratch = row->variant->prepare(plain, words, args), unpacked = 0;
    ORIBI_TRY(oribi_lower_check(lowering, call, scratch < 0 ? (int32_t)scratch : 0));
    if (is_small) {
        count = oribi_micro_nibbles_pack(nibbles, args, words, count, &unpacked);
        if (count == 0 || unpacked > MOST_UNPACKED) {
            return true;
        }
    }
    call->has_small_weights = is_small;
    call->scratch_bytes = scratch + unpacked;
    call->costs = is_small ? NULL : row->variant->costs;
    ORIBI_TRY(oribi_call_set(lowering, call, is_small ? nibbles->kernel : row->variant->kernel,
                             row->args, args));
    oribi_call_place(call, first_array(row->args), count, words);
    return true;
}

bool oribi_variant_try(oribi_lowering *lowering, oribi_call *call, const oribi_variant_row *rows,
                       const void *plain)
{
    for (int32_t i = 0; i < 2; i++) {
        for (const oribi_variant_row *row = rows; row->variant != NULL; row++) {
            ORIBI_TRY(try_row(lowering, call, row, plain, i == 0));
            if (call->kernel != NULL) {
                return true;
            }
        }
    }
    return true;
}

bool oribi_call_move(oribi_lowering *lowering, oribi_call *call,
                     const struct oribi_micro_move_spec *spec,
                     struct oribi_micro_move_args *out_args)
{
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_move_prepare(spec, out_args)));
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "move", move, out_args);
}

bool oribi_call_lookup(oribi_lowering *lowering, oribi_call *call, const uint8_t table[256])
{
    const void *copy = oribi_arena_memdup(lowering->arena, table, 256);
    ORIBI_TRY(copy != NULL || oribi_fail_memory(lowering->status));
    const struct oribi_micro_lookup_8_args args = {
        (int32_t)oribi_lower_count(oribi_lower_output(lowering, call)), copy};
    call->n_inputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "lookup_8", lookup_8, &args));
    ORIBI_CALL_PLACE(call, &args, table, 256);
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
