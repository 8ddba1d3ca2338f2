/* SPDX-License-Identifier: Apache-2.0 */
/* One tensor cut along one dimension into several: splits, unpacking. Elements of any type. */
#ifndef ORIBI_MICRO_SPLIT_H_
#define ORIBI_MICRO_SPLIT_H_

#include <stdint.h>

struct oribi_micro_split_args {
    int32_t parts, rows;  /* rows: product of the dimensions before the cut one */
    const int32_t *bytes; /* of a row of each part */
};

/* Shapes   input rows x the sum of bytes; outputs[i] rows x bytes[i], dense.
 * Owns     nothing; no output overlaps the input, but that one may lie where it comes from.
 * Context  run: no allocation, no state.
 */
void oribi_micro_split(const struct oribi_micro_split_args *args, const void *input,
                       void *const *outputs);

#endif
