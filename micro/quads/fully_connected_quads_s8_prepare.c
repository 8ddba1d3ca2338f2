/* SPDX-License-Identifier: Apache-2.0 */
/* What fully connected layers in quads need of the plain layer's arguments. */
#include "micro/quads/fully_connected_quads_s8_prepare.h"

#include "micro/dense/fully_connected_lanes_s8_prepare.h"
#include "micro/nibbles/nibbles_prepare.h"
#include "micro/quads/quads_prepare.h"

enum { TAPS = 8 }; /* of a round of the kernel */

/* What is to be packed. */
static struct oribi_micro_lanes_spec spec_of(const void *plain)
{
    struct oribi_micro_lanes_spec spec;
    (void)oribi_micro_fully_connected_lanes_s8_fits(plain, &spec); /* more than quads need */
    spec.group = TAPS;
    return spec;
}

static int64_t words_of(const void *plain)
{
    const struct oribi_micro_lanes_spec spec = spec_of(plain);
    return oribi_micro_quads_words(&spec);
}

static int64_t prepare(const void *plain, int32_t is_biased, int32_t *words, void *args)
{
    struct oribi_micro_fully_connected_lanes_s8_args *to = args;
    const struct oribi_micro_lanes_spec spec = spec_of(plain);
    oribi_micro_quads_pack(&spec, is_biased, words);
    oribi_micro_fully_connected_lanes_s8_prepare(plain, words, to);
    const int32_t taps = oribi_micro_quads_taps(&spec);
    to->scratch_bytes = is_biased != 0 || taps != spec.depth ? taps : 0;
    return to->scratch_bytes;
}

static int64_t prepare_plain(const void *plain, int32_t *words, void *args)
{
    return prepare(plain, 0, words, args);
}

static int64_t prepare_v6m(const void *plain, int32_t *words, void *args)
{
    return prepare(plain, 1, words, args);
}

const struct oribi_micro_variant oribi_micro_fully_connected_quads_s8_variant = {
    .kernel = "fully_connected_quads_s8",
    .words = words_of,
    .prepare = prepare_plain,
    .nibbles = &oribi_micro_fully_connected_quads_nibbles};
const struct oribi_micro_variant oribi_micro_fully_connected_quads_v6m_s8_variant = {
    .kernel = "fully_connected_quads_v6m_s8",
    .words = words_of,
    .prepare = prepare_v6m,
    .nibbles = &oribi_micro_fully_connected_quads_v6m_nibbles};
