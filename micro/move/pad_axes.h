/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor whose sides are cut, or get borders of one value, of their own values mirrored any
 * number of times, of their edge, or of what lies at the other end. Elements of any type; pad.h and
 * mirror_pad.h are the plain cases.
 */
#ifndef ORIBI_MICRO_PAD_AXES_H_
#define ORIBI_MICRO_PAD_AXES_H_

#include "micro/move/pad.h"

enum {
    ORIBI_MICRO_PAD_FILLED,
    ORIBI_MICRO_PAD_REFLECTED,
    ORIBI_MICRO_PAD_REPEATED,
    ORIBI_MICRO_PAD_AROUND
};

struct oribi_micro_pad_axes_args {
    int32_t rank;                         /* at least 1 */
    int32_t out[ORIBI_MICRO_PAD_RANK];    /* dims of the output */
    int32_t before[ORIBI_MICRO_PAD_RANK]; /* of the border; 0 where something is cut off */
    int32_t first[ORIBI_MICRO_PAD_RANK];  /* of the input, that is left */
    int32_t kept[ORIBI_MICRO_PAD_RANK];   /* of the input; 0 only with borders of one value */
    int32_t step[ORIBI_MICRO_PAD_RANK];   /* bytes in the input */
    int32_t element_bytes;
    int32_t mode;
    int32_t value[2]; /* the element of the border in its first bytes, as memory has it */
};

/* Shapes   output `out`, dense; the input as step says.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_pad_axes(const struct oribi_micro_pad_axes_args *args, const void *input,
                          void *output);

#endif
