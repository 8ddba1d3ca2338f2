/* SPDX-License-Identifier: Apache-2.0 */
/* As much of <math.h> as the tests of micro/ ask for: runtime.c. */
#ifndef ORIBI_TESTS_MICRO_RISCV_MATH_H_
#define ORIBI_TESTS_MICRO_RISCV_MATH_H_

double frexp(double x, int *out_exponent);
double ldexp(double x, int exponent);
double log(double x);
double round(double x);
float roundf(float x);
float fabsf(float x);
#define isfinite(x) __builtin_isfinite(x)
long long llround(double x);

#endif
