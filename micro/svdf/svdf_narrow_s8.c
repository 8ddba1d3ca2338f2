/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of int8 with a state of int8. Read next: svdf_loop_s8.h. */
#include "micro/svdf/svdf_s8.h"

#include "micro/fixed_point.h"

#define KERNEL oribi_micro_svdf_narrow_s8
#define CELL   int8_t

/* Beyond int8 it wraps round, as the reference's does. */
static int8_t newest(const struct oribi_micro_svdf_s8_args *a, int32_t sum)
{
    const int32_t value = oribi_micro_clamp(sum, -128, 127) + a->state_zero;
    return (int8_t)(value > 127 ? value - 256 : value < -128 ? value + 256 : value);
}

#include "micro/svdf/svdf_loop_s8.h"
