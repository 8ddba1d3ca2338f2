/* SPDX-License-Identifier: Apache-2.0 */
/* See clip_f64.h. */
#include "micro/float_rules.h"

#include "micro/double/clip_f64.h"

void oribi_micro_clip_f64(const struct oribi_micro_clip_f64_args *args, const double *input,
                          const double *low, const double *high, double *output)
{
    const double least = *low, most = *high;
    for (int32_t i = 0; i < args->count; i++) {
        const double v = input[i];
        output[i] = v < least ? least : v > most ? most : v;
    }
}
