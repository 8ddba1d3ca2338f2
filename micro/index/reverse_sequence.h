/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of a batch turned round, each as far as it goes. Elements of any type. */
#ifndef ORIBI_MICRO_REVERSE_SEQUENCE_H_
#define ORIBI_MICRO_REVERSE_SEQUENCE_H_

#include <stdint.h>

struct oribi_micro_reverse_sequence_args {
    int32_t outer, first, middle, second;
    int32_t bytes;          /* of what lies behind both */
    int32_t batch_is_first; /* of the dimensions first and second; 0: it is the second */
};

/* Shapes   input and output [outer, first, middle, second, bytes], dense; lengths: one for each of
 *          the batch.
 * Units    a length outside [0, elements of a sequence] takes the nearest: memory stays safe.
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_reverse_sequence(const struct oribi_micro_reverse_sequence_args *args,
                                  const void *input, const int32_t *lengths, void *output);

#endif
