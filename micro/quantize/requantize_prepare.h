/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of requantize from what a model says. Host only. */
#ifndef ORIBI_MICRO_REQUANTIZE_PREPARE_H_
#define ORIBI_MICRO_REQUANTIZE_PREPARE_H_

#include "micro/prepare.h"
#include "micro/quantize/requantize.h"

struct oribi_micro_requantize_spec {
    int32_t in_kind, out_kind; /* S8, U8 or S16 of element.h */
    struct oribi_micro_quantisation input, output;
};

/* Fills args but count. Errors: INVALID. */
int32_t oribi_micro_requantize_prepare(const struct oribi_micro_requantize_spec *spec,
                                       struct oribi_micro_requantize_args *args);

/* The values of kind S8, U8 or S16. Errors: INVALID for another kind, or when the quantisation does
 * not fit it. */
int32_t oribi_micro_kind_range(int32_t kind, struct oribi_micro_quantisation quantisation,
                               int32_t *out_low, int32_t *out_high);

#endif
