/* SPDX-License-Identifier: Apache-2.0 */
/* A function of one byte as a table: every unary operator of int8 and uint8. Tables come from
 * unary_8_prepare.h.
 */
#ifndef ORIBI_MICRO_LOOKUP_8_H_
#define ORIBI_MICRO_LOOKUP_8_H_

#include <stdint.h>

struct oribi_micro_lookup_8_args {
    int32_t count;
    const uint8_t *table; /* 256, by the bits of the byte */
};

/* Shapes   input and output [count], int8 or uint8.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_lookup_8(const struct oribi_micro_lookup_8_args *args, const void *input,
                          void *output);

#endif
