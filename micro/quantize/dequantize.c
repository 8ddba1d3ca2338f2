/* SPDX-License-Identifier: Apache-2.0 */
/* A product for each value; the integers are exact as floats. */
#include "micro/quantize/dequantize.h"

#include "micro/element.h"

#ifdef __FAST_MATH__
#error "fast-math changes results: build kernels without it"
#endif

void oribi_micro_dequantize(const struct oribi_micro_dequantize_args *args, const void *input,
                            float *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        output[i] =
            args->scale * (float)(oribi_micro_element_get(input, args->kind, i) - args->zero);
    }
}
