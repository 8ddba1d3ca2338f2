/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of log_softmax_8 from what a model says. Host only. */
#ifndef ORIBI_MICRO_LOG_SOFTMAX_8_PREPARE_H_
#define ORIBI_MICRO_LOG_SOFTMAX_8_PREPARE_H_

#include "micro/norm/log_softmax_8.h"
#include "micro/norm/softmax_8_prepare.h"

/* Fills args. Errors: the codes of prepare.h; INVALID when the result's scale is not 1/16, or its
 * zero point not the type's largest value, OVERFLOW above 4095 columns. */
int32_t oribi_micro_log_softmax_8_prepare(const struct oribi_micro_softmax_spec *spec,
                                          struct oribi_micro_log_softmax_8_args *args);

#endif
