/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of compare_q from what a model says. Host only. */
#ifndef ORIBI_MICRO_COMPARE_Q_PREPARE_H_
#define ORIBI_MICRO_COMPARE_Q_PREPARE_H_

#include "micro/elementwise/binary_q_prepare.h"
#include "micro/binary/compare_q.h"

enum { ORIBI_MICRO_COMPARISONS = 6 };

/* TensorFlow's names of the comparisons, by their numbers. */
const char *const *oribi_micro_comparison_words(void);

/* Fills args but `comparison`; of the spec the dims, `kind` (S8 or U8), a and b count. Errors:
 * INVALID for scales outside (0, 1), too, of which the source makes nothing. */
int32_t oribi_micro_compare_q_prepare(const struct oribi_micro_binary_q_spec *spec,
                                      struct oribi_micro_compare_q_args *args);

#endif
