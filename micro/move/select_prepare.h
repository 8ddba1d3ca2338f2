/* SPDX-License-Identifier: Apache-2.0 */
/* The broadcast of a condition and two choices. Host only. */
#ifndef ORIBI_MICRO_SELECT_PREPARE_H_
#define ORIBI_MICRO_SELECT_PREPARE_H_

#include "micro/prepare.h"
#include "micro/move/select.h"

struct oribi_micro_shape {
    const int32_t *dims;
    int32_t rank;
};

/* Joins condition, yes and no as NumPy does; fills all of args but element_bytes.
 * Errors: INVALID when they do not fit or a size is below 1, TOO_LARGE beyond 2^28 elements or
 * ORIBI_MICRO_SELECT_RANK dimensions that step differently. */
int32_t oribi_micro_select_resolve(const struct oribi_micro_shape shapes[ORIBI_MICRO_SELECT_INPUTS],
                                   struct oribi_micro_select_args *args);

#endif
