/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of int8. Read next: svdf_loop_s8.h. */
#include "micro/svdf/svdf_s8.h"

#include "micro/fixed_point.h"

#define KERNEL oribi_micro_svdf_s8
#define CELL   int16_t

static int16_t newest(const struct oribi_micro_svdf_s8_args *a, int32_t sum)
{
    (void)a;
    return (int16_t)oribi_micro_clamp(sum, -32768, 32767);
}

#include "micro/svdf/svdf_loop_s8.h"
