/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor with a border of its own values, mirrored. Elements of any type. The arguments come from
 * pad_prepare.h.
 */
#ifndef ORIBI_MICRO_MIRROR_PAD_H_
#define ORIBI_MICRO_MIRROR_PAD_H_

#include "micro/move/pad.h"

struct oribi_micro_mirror_pad_args {
    int32_t rank;                       /* at least 1 */
    int32_t dims[ORIBI_MICRO_PAD_RANK]; /* of the input, in elements */
    int32_t before[ORIBI_MICRO_PAD_RANK], after[ORIBI_MICRO_PAD_RANK];
    int32_t step[ORIBI_MICRO_PAD_RANK]; /* bytes in the input */
    int32_t element_bytes;
    int32_t edge; /* 0: the edge repeats (symmetric), 1: it does not (reflect) */
};

/* Shapes, Owns, Context   as oribi_micro_pad; no side is longer than the input allows. */
void oribi_micro_mirror_pad(const struct oribi_micro_mirror_pad_args *args, const void *input,
                            void *output);

#endif
