/* SPDX-License-Identifier: Apache-2.0 */
/* Of floats. */
#include "micro/float_rules.h"

#define ORIBI_MICRO_SAMPLE        float
#define ORIBI_MICRO_OVERLAP(a, b) ((a) + (b))
#include "micro/signal/overlap_add_body.h"

void oribi_micro_overlap_add_f32(const struct oribi_micro_overlap_add_args *args,
                                 const float *input, const float *before, float *output,
                                 float *after)
{
    overlap(args, input, before, output, after);
}
