/* SPDX-License-Identifier: Apache-2.0 */
/* What convolutions in quads need of the plain convolution's arguments. */
#include "micro/quads/conv2d_quads_s8_prepare.h"

#include <stddef.h>

#include "micro/conv/conv2d_lanes_s8_prepare.h"
#include "micro/nibbles/nibbles_prepare.h"
#include "micro/quads/quads_prepare.h"

enum { TAPS = 4 }; /* of a round of the kernel */

/* 1: with what is to be packed. */
static int32_t fits(const void *plain, struct oribi_micro_lanes_spec *out_spec)
{
    const int32_t good = oribi_micro_conv2d_lanes_s8_spec(plain, out_spec);
    out_spec->group = TAPS;
    return good;
}

static int64_t words_of(const void *plain)
{
    struct oribi_micro_lanes_spec spec;
    return fits(plain, &spec) ? oribi_micro_quads_words(&spec) : 0;
}

/* Scratch: two windows, and what is left of rows. */
static int64_t prepare(const void *plain, int32_t is_biased, int32_t *words, void *args)
{
    struct oribi_micro_conv2d_lanes_s8_args *to = args;
    struct oribi_micro_lanes_spec spec;
    (void)fits(plain, &spec); /* it does */
    oribi_micro_quads_pack(&spec, is_biased, words);
    to->filter = words;
    const int32_t taps = oribi_micro_quads_taps(&spec);
    return 2 * taps + oribi_micro_conv2d_lanes_s8_sizes(plain, taps, to);
}

static int64_t prepare_plain(const void *plain, int32_t *words, void *args)
{
    return prepare(plain, 0, words, args);
}

static int64_t prepare_v6m(const void *plain, int32_t *words, void *args)
{
    return prepare(plain, 1, words, args);
}

const struct oribi_micro_variant oribi_micro_conv2d_quads_s8_variant = {
    .kernel = "conv2d_quads_s8",
    .words = words_of,
    .prepare = prepare_plain,
    .nibbles = &oribi_micro_conv2d_quads_nibbles};
const struct oribi_micro_variant oribi_micro_conv2d_quads_v6m_s8_variant = {
    .kernel = "conv2d_quads_v6m_s8",
    .words = words_of,
    .prepare = prepare_v6m,
    .nibbles = &oribi_micro_conv2d_quads_v6m_nibbles};
