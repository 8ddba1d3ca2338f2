/* SPDX-License-Identifier: Apache-2.0 */
/* The number is cut after half is added: ties go up. */
#include "micro/float_rules.h"

#define ORIBI_MICRO_PIXEL      uint8_t
#define ORIBI_MICRO_VALUE(sum) ((uint8_t)(int32_t)((sum) + 0.5F))
#include "micro/resize/resize_bilinear_real_body.h"

void oribi_micro_resize_bilinear_u8(const struct oribi_micro_resize_bilinear_real_args *args,
                                    const uint8_t *input, uint8_t *output)
{
    resize(args, input, output);
}
