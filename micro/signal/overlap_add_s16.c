/* SPDX-License-Identifier: Apache-2.0 */
/* Of int16. */
#include "micro/signal/signal_bits.h"

#define ORIBI_MICRO_SAMPLE        int16_t
#define ORIBI_MICRO_OVERLAP(a, b) oribi_micro_signal_saturate((int32_t)(a) + (int32_t)(b))
#include "micro/signal/overlap_add_body.h"

void oribi_micro_overlap_add_s16(const struct oribi_micro_overlap_add_args *args,
                                 const int16_t *input, const int16_t *before, int16_t *output,
                                 int16_t *after)
{
    overlap(args, input, before, output, after);
}
