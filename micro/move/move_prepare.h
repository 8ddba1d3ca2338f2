/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of move from sizes and steps in elements. Host only. */
#ifndef ORIBI_MICRO_MOVE_PREPARE_H_
#define ORIBI_MICRO_MOVE_PREPARE_H_

#include "micro/move/move.h"
#include "micro/prepare.h"

struct oribi_micro_move_spec {
    int32_t rank, element_bytes;
    const int32_t *dims;  /* of the output */
    const int64_t *steps; /* in the input, in elements */
    int64_t start;        /* element of the input */
    int64_t in_count;     /* elements of the input */
};

/* Fills args; dimensions that lie together are joined. Errors: INVALID for a size below 1 or a box
 * that leaves the input; TOO_LARGE at 2^31 bytes or beyond ORIBI_MICRO_MOVE_RANK dimensions. */
int32_t oribi_micro_move_prepare(const struct oribi_micro_move_spec *spec,
                                 struct oribi_micro_move_args *args);

#endif
