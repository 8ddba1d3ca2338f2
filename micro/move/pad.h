/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor with a border: of one value, or of its own values mirrored (mirror_pad.h). Elements of
 * any type. The arguments come from pad_prepare.h.
 */
#ifndef ORIBI_MICRO_PAD_H_
#define ORIBI_MICRO_PAD_H_

#include <stdint.h>

enum { ORIBI_MICRO_PAD_RANK = 6 };

struct oribi_micro_pad_args {
    int32_t rank;                       /* at least 1 */
    int32_t dims[ORIBI_MICRO_PAD_RANK]; /* of the input; the last one in bytes */
    int32_t before[ORIBI_MICRO_PAD_RANK], after[ORIBI_MICRO_PAD_RANK];
    int32_t element_bytes;
    int32_t value[2]; /* the element of the border in its first bytes, as memory has it */
};

/* Shapes   input dims, output dims + before + after, dense.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_pad(const struct oribi_micro_pad_args *args, const void *input, void *output);

#endif
