/* SPDX-License-Identifier: Apache-2.0 */
/* What fully_connected_lanes_s8 needs of the plain layer's arguments. */
#include "micro/dense/fully_connected_lanes_s8_prepare.h"

#include "micro/nibbles/nibbles_prepare.h"

int32_t
oribi_micro_fully_connected_lanes_s8_fits(const struct oribi_micro_fully_connected_s8_args *plain,
                                          struct oribi_micro_lanes_spec *out_spec)
{
    const struct oribi_micro_fully_connected_s8_args *a = plain;
    out_spec->filter = a->filter;
    out_spec->channels = a->out_c;
    out_spec->depth = a->in_c;
    out_spec->rows = 1;
    out_spec->group = 4;
    out_spec->bias = a->bias;
    out_spec->multiplier = a->multiplier;
    out_spec->shift = a->shift;
    out_spec->one_scale = a->per_channel != 0 ? 0 : 1;
    out_spec->output.zero = (int8_t)a->output_zero;
    out_spec->output.low = (int8_t)a->low;
    out_spec->output.high = (int8_t)a->high;
    return oribi_micro_lanes_fit(out_spec);
}

void oribi_micro_fully_connected_lanes_s8_prepare(
    const struct oribi_micro_fully_connected_s8_args *plain, const int32_t *words,
    struct oribi_micro_fully_connected_lanes_s8_args *args)
{
    const struct oribi_micro_fully_connected_s8_args *a = plain;
    const int32_t taps = oribi_micro_lanes_taps(a->in_c);
    struct oribi_micro_lanes_spec spec;
    (void)oribi_micro_fully_connected_lanes_s8_fits(a, &spec);
    args->output.has_general = oribi_micro_lanes_has_general(&spec);
    args->filter = words;
    args->rows = a->rows;
    args->in_c = a->in_c;
    args->out_c = a->out_c;
    args->output.zero = (int8_t)a->output_zero;
    args->output.low = (int8_t)a->low;
    args->output.high = (int8_t)a->high;
    args->scratch_bytes = taps == a->in_c ? 0 : taps;
}

static int64_t words_of(const void *plain)
{
    struct oribi_micro_lanes_spec spec;
    return oribi_micro_fully_connected_lanes_s8_fits(plain, &spec) ? oribi_micro_lanes_words(&spec)
                                                                   : 0;
}

static int64_t prepare(const void *plain, int32_t *words, void *args)
{
    struct oribi_micro_fully_connected_lanes_s8_args *to = args;
    struct oribi_micro_lanes_spec spec;
    (void)oribi_micro_fully_connected_lanes_s8_fits(plain, &spec); /* it does */
    oribi_micro_lanes_pack(&spec, words);
    oribi_micro_fully_connected_lanes_s8_prepare(plain, words, to);
    return to->scratch_bytes;
}

const struct oribi_micro_variant oribi_micro_fully_connected_lanes_s8_variant = {
    .kernel = "fully_connected_lanes_s8",
    .words = words_of,
    .prepare = prepare,
    .nibbles = &oribi_micro_fully_connected_lanes_nibbles};
