/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of softmax_s16 from what a model says. Host only. */
#ifndef ORIBI_MICRO_SOFTMAX_S16_PREPARE_H_
#define ORIBI_MICRO_SOFTMAX_S16_PREPARE_H_

#include "micro/norm/softmax_8_prepare.h"
#include "micro/norm/softmax_s16.h"

/* Fills args; the spec's kind is S16. Errors: INVALID, also for a result that has not scale
 * 1/32768; OVERFLOW for more than 65,535 columns; TOO_LARGE. */
int32_t oribi_micro_softmax_s16_prepare(const struct oribi_micro_softmax_spec *spec,
                                        struct oribi_micro_softmax_s16_args *args);

#endif
