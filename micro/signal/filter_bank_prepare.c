/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of the tables of a bank of filters. */
#include "micro/signal/filter_bank_prepare.h"

#include "micro/prepare.h"

int32_t oribi_micro_filter_bank_check(int64_t n_filters, int64_t n_inputs, int64_t n_weights,
                                      const int16_t *starts, const int16_t *places,
                                      const int16_t *widths)
{
    for (int64_t i = 0; i < n_filters; i++) {
        const int64_t width = widths[i];
        if (width > 0 && (starts[i] < 0 || places[i] < 0 || starts[i] + width > n_inputs ||
                          places[i] + width > n_weights)) {
            return ORIBI_MICRO_INVALID;
        }
    }
    return ORIBI_MICRO_OK;
}
