/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of two operands, a and b, for the kernels of elementwise_code.c and strips_code.c. */
#ifndef DEVICE_OPS_CODE_BINARIES_H_
#define DEVICE_OPS_CODE_BINARIES_H_

#define OP_BINARIES(ROW)                                                                           \
    ROW(op_add, a + b)                                                                             \
    ROW(op_sub, a - b)                                                                             \
    ROW(op_mul, a *b)                                                                              \
    ROW(op_div, a / b)                                                                             \
    ROW(op_maximum, a > b || a != a ? a : b)                                                       \
    ROW(op_minimum, a < b || a != a ? a : b)                                                       \
    ROW(op_squared_difference, (a - b) * (a - b))                                                  \
    ROW(op_pow, powf(a, b))                                                                        \
    ROW(op_prelu, a < 0.0f ? a * b : a)

#endif
