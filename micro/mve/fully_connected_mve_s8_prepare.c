/* SPDX-License-Identifier: Apache-2.0 */
/* What fully_connected_mve_s8 needs of the plain layer's arguments. */
#include "micro/mve/fully_connected_mve_s8_prepare.h"

#include "micro/nibbles/nibbles_prepare.h"

static struct oribi_micro_mve_spec spec_of(const struct oribi_micro_fully_connected_s8_args *a)
{
    const struct oribi_micro_mve_spec spec = {
        a->filter, a->out_c, a->in_c, a->bias, a->multiplier, a->shift, a->per_channel == 0,
    };
    return spec;
}

static int64_t words_of(const void *plain)
{
    const struct oribi_micro_mve_spec spec = spec_of(plain);
    return oribi_micro_mve_words(&spec);
}

static int64_t prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_fully_connected_s8_args *a = plain;
    struct oribi_micro_fully_connected_mve_s8_args *to = args;
    const struct oribi_micro_mve_spec spec = spec_of(a);
    oribi_micro_mve_pack(&spec, words);
    to->filter = words;
    to->rows = a->rows;
    to->in_c = a->in_c;
    to->out_c = a->out_c;
    to->output.zero = (int8_t)a->output_zero;
    to->output.low = (int8_t)a->low;
    to->output.high = (int8_t)a->high;
    return 0;
}

const struct oribi_micro_variant oribi_micro_fully_connected_mve_s8_variant = {
    .kernel = "fully_connected_mve_s8",
    .words = words_of,
    .prepare = prepare,
    .nibbles = &oribi_micro_fully_connected_mve_nibbles};
