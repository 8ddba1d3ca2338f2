/* SPDX-License-Identifier: Apache-2.0 */
/* Do the tables of a bank of filters fit its input? */
#ifndef ORIBI_MICRO_FILTER_BANK_PREPARE_H_
#define ORIBI_MICRO_FILTER_BANK_PREPARE_H_

#include <stdint.h>

/* Of `n_filters` filters, over this many inputs and weights; those without a width may lie
 * anywhere. Errors: INVALID. */
int32_t oribi_micro_filter_bank_check(int64_t n_filters, int64_t n_inputs, int64_t n_weights,
                                      const int16_t *starts, const int16_t *places,
                                      const int16_t *widths);

#endif
