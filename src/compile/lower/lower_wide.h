/* SPDX-License-Identifier: Apache-2.0 */
/* What lowerings of layers of uint8, and of int16 with weights of int8, share: input 1 of the node
 * is the filter, input 2 the bias, both constants.
 */
#ifndef ORIBI_COMPILE_LOWER_WIDE_H_
#define ORIBI_COMPILE_LOWER_WIDE_H_

#include "compile/lower/lower.h"

typedef struct oribi_wide_weights {
    const void *filter;
    int32_t filter_kind;                                /* of micro/element.h */
    const int32_t *bias;                                /* or NULL */
    const int64_t *wide_bias;                           /* or NULL */
    int32_t *bias_low, *bias_high, *multiplier, *shift; /* for a prepare half; of each channel */
} oribi_wide_weights;

/* Reads the constants and makes room. False: not constant, or no memory. */
bool oribi_lower_wide_weights(oribi_lowering *lowering, const oribi_call *call, int32_t channels,
                              oribi_wide_weights *out);
/* Puts the filter, of the members `filter` and `filter_kind`, and the arrays into flash. */
#define ORIBI_PLACE_WIDE(call, args, n_weights, channels)                                          \
    do {                                                                                           \
        ORIBI_CALL_PLACE(call, args, filter, n_weights)->kind =                                    \
            (args)->filter_kind == ORIBI_MICRO_S8 ? ORIBI_ELEMENT_S8 : ORIBI_ELEMENT_U8;           \
        ORIBI_CALL_PLACE(call, args, bias_low, channels);                                          \
        ORIBI_CALL_PLACE(call, args, bias_high, channels);                                         \
        ORIBI_CALL_PLACE(call, args, multiplier, channels);                                        \
        ORIBI_CALL_PLACE(call, args, shift, channels);                                             \
    } while (0)

#endif
