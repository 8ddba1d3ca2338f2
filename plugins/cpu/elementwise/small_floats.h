/* SPDX-License-Identifier: Apache-2.0 */
/* What do the bits of floats of 8 and 4 bits mean? One element in a byte, as TensorFlow has them.
 */
#ifndef ORIBI_PLUGINS_CPU_SMALL_FLOATS_H_
#define ORIBI_PLUGINS_CPU_SMALL_FLOATS_H_

#include "cpu/base/cpu.h"

typedef struct oribi_cpu_small_float {
    int mantissa; /* bits */
    int bias;
    uint8_t most;   /* code of the largest finite number */
    uint8_t beyond; /* code of what is larger */
    uint8_t nan;    /* code of what is no number */
    uint8_t sign;   /* its bit */
    bool has_signs; /* of zero and of `nan` and `beyond`; without, sign alone is `nan` */
    bool has_infinity;
} oribi_cpu_small_float;

/* NULL: no such type. */
const oribi_cpu_small_float *oribi_cpu_small_float_of(TF_DataType dtype);
double oribi_cpu_small_value(const oribi_cpu_small_float *format, uint8_t bits);
/* To nearest, ties to even; what is too large becomes infinite or no number where the format has
 * these, and else the largest. */
uint8_t oribi_cpu_small_bits(const oribi_cpu_small_float *format, double value);

#endif
