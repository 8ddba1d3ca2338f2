/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of calls that several families have. What they read and how arguments are set:
 * lower_read.c. */
#include "compile/lower/lower_parts.h"

#include "compile/lower/args_table.h"
#include "micro/elementwise/lookup_8.h"
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

/* Bytes of RAM for widened weights: what pays for few calls and much code, and at most. */
enum { SOME_WIDENED = 2048, MOST_WIDENED = 16384 };

static int32_t number(const oribi_args *args, const void *from, int32_t member, int32_t otherwise)
{
    return member < 0 ? otherwise : oribi_args_integer(&args->members[member], from, 0);
}

static int32_t named(const oribi_args *args, const char *name)
{
    return name != NULL ? oribi_args_named(args, name) : -1;
}

/* Where the input of blocks begins. */
static void find_inputs(const struct oribi_micro_nibbles *nibbles, const void *args,
                        oribi_blocks *blocks)
{
    blocks->every = 1;
    blocks->step = nibbles->has_channels != 0 ? blocks->first.channels : 0;
    if (nibbles->input != NULL) {
        const int32_t most = blocks->n + 1;
        while (blocks->every < most && nibbles->input(args, blocks->every) == 0) {
            blocks->every++;
        }
        blocks->step = nibbles->input(args, blocks->every);
    }
}

/* The blocks of the call's channels when scratch holds about `bytes` of widened weights. */
static oribi_blocks find_blocks(const oribi_lowering *lowering, const oribi_call *call,
                                const oribi_variant_row *row, const void *args, int32_t channels,
                                int64_t bytes)
{
    const struct oribi_micro_nibbles *nibbles = row->variant->nibbles;
    oribi_blocks b = {.filter = oribi_args_find(row->args, first_array(row->args)),
                      .count = named(row->args, nibbles->count),
                      .groups = oribi_args_named(row->args, "groups"),
                      .repeat = named(row->args, nibbles->repeat)};
    b.n = oribi_micro_nibbles_blocks(nibbles, args, channels, bytes, &b.first, &b.rest);
    b.bytes = oribi_micro_nibbles_bytes(&b.first.form);
    b.outputs = channels / number(row->args, args, b.groups, 1);
    find_inputs(nibbles, args, &b);
    b.times = number(row->args, args, b.repeat, 1);
    b.in_bytes = (int32_t)(oribi_lower_count(oribi_lower_input(lowering, call, 0)) / b.times);
    b.out_bytes = (int32_t)(oribi_lower_count(oribi_lower_output(lowering, call)) / b.times);
    return b;
}

/* Makes room for the weights of four bits that the call has. False in *out_fits: it takes more than
 * they are worth. */
static bool add_blocks(oribi_lowering *lowering, oribi_call *call, const oribi_variant_row *row,
                       const void *args, int32_t channels, bool *out_fits)
{
    const struct oribi_micro_nibbles *nibbles = row->variant->nibbles;
    oribi_blocks b =
        find_blocks(lowering, call, row, args, channels, nibbles->count != NULL ? SOME_WIDENED : 0);
    /* Bytes that are read in place of words have no smaller blocks. */
    const int64_t most = nibbles->block != NULL ? INT32_MAX : MOST_WIDENED;
    const int64_t whole = call->forbids_overlap ? MOST_WIDENED : SOME_WIDENED;
    const bool widens_itself = nibbles->kernel != NULL && b.bytes > whole;
    if (widens_itself) {
        b = find_blocks(lowering, call, row, args, channels, 1);
        b.bytes *= 4 / nibbles->channels;
    }
    *out_fits = b.bytes <= most;
    call->scratch_bytes = b.bytes;
    call->has_small_weights = widens_itself || (b.n > 1 || b.rest.channels > 0);
    call->is_careful = widens_itself && !call->forbids_overlap;
    call->blocks =
        *out_fits && !widens_itself ? oribi_arena_memdup(lowering->arena, &b, sizeof b) : NULL;
    return widens_itself || !*out_fits || call->blocks != NULL ||
           oribi_fail_memory(lowering->status);
}

/* Makes the call one of the row's kernel. `is_small`: with weights of four bits. */
static bool try_row(oribi_lowering *lowering, oribi_call *call, const oribi_variant_row *row,
                    const void *plain, int32_t channels, bool is_small)
{
    const struct oribi_micro_nibbles *nibbles = row->variant->nibbles;
    const bool is_for_core =
        row->cores == ORIBI_ON_ALL ? is_small : (row->cores >> lowering->options->core & 1U) != 0;
    int64_t count = is_for_core && (nibbles != NULL || !is_small) ? row->variant->words(plain) : 0;
    if (count == 0) {
        return true;
    }
    /* An odd last word may have a partner when it is packed. */
    int32_t *words = oribi_arena_array(lowering->arena, (size_t)count + 1, sizeof *words);
    void *args = oribi_arena_array(lowering->arena, 1, row->args->bytes);
    if (words == NULL || args == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    memset(words, 0, ((size_t)count + 1) * sizeof *words);
    const int64_t scratch = row->variant->prepare(plain, words, args);
    ORIBI_TRY(oribi_lower_check(lowering, call, scratch < 0 ? (int32_t)scratch : 0));
    call->scratch_bytes = 0;
    if (is_small) {
        bool fits;
        count = oribi_micro_nibbles_pack(nibbles, args, channels, words);
        if (count == 0) {
            return true;
        }
        ORIBI_TRY(add_blocks(lowering, call, row, args, channels, &fits));
        if (!fits) {
            call->has_small_weights = call->is_careful = false;
            return true;
        }
    }
    const bool widens_itself = is_small && call->blocks == NULL;
    call->scratch_bytes += scratch;
    call->costs = widens_itself ? NULL : row->variant->costs;
    ORIBI_TRY(oribi_call_set(lowering, call, widens_itself ? nibbles->kernel : row->variant->kernel,
                             row->args, args));
    oribi_call_place(call, first_array(row->args), count, words)->kind = ORIBI_ELEMENT_S32;
    return true;
}

bool oribi_variant_try(oribi_lowering *lowering, oribi_call *call, const oribi_variant_row *rows,
                       const void *plain, int32_t channels)
{
    for (int32_t i = 0; i < 2; i++) {
        for (const oribi_variant_row *row = rows; row->variant != NULL; row++) {
            ORIBI_TRY(try_row(lowering, call, row, plain, channels, i == 0));
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

int32_t oribi_lower_pads(const oribi_call *call, int32_t pads[4])
{
    for (int32_t i = 0; i < 4; i++) {
        pads[i] = oribi_lower_list(call, "explicit_paddings", 2 + i, 0);
    }
    return oribi_lower_is(call, "padding", "SAME")       ? ORIBI_MICRO_SAME
           : oribi_lower_is(call, "padding", "EXPLICIT") ? ORIBI_MICRO_EXPLICIT
                                                         : ORIBI_MICRO_VALID;
}
