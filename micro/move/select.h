/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing between two tensors, element by element, by a condition; elements of any type. How the
 * three meet is worked out by select_prepare.h.
 */
#ifndef ORIBI_MICRO_SELECT_H_
#define ORIBI_MICRO_SELECT_H_

#include <stdint.h>

enum { ORIBI_MICRO_SELECT_RANK = 6, ORIBI_MICRO_SELECT_INPUTS = 3 };

struct oribi_micro_select_args {
    int32_t element_bytes;
    int32_t rank; /* at least 1 */
    int32_t dims[ORIBI_MICRO_SELECT_RANK];
    /* how far each input steps along them; 0 where it repeats */
    int32_t condition_step[ORIBI_MICRO_SELECT_RANK];
    int32_t yes_step[ORIBI_MICRO_SELECT_RANK], no_step[ORIBI_MICRO_SELECT_RANK];
};

/* output = condition ? yes : no; a condition is a byte, true unless 0.
 * Shapes   all broadcast to output, dense.
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_select(const struct oribi_micro_select_args *args, const uint8_t *condition,
                        const void *yes, const void *no, void *output);

#endif
