/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of OpenCL C, which the other targets of the dialect lack: WIDTH floats (1, 4, 8 or 16),
 * an option of the build (-DWIDTH=16).
 */
#ifndef DEVICE_OPS_CODE_VECTORS_H_
#define DEVICE_OPS_CODE_VECTORS_H_

#include "activate.h"

#ifndef WIDTH
#define WIDTH 16
#endif
#define JOIN_AGAIN(a, b) a##b
#define JOIN(a, b)       JOIN_AGAIN(a, b)

#if WIDTH == 1
typedef float op_vector;
#define LOAD(from)       (*(from))
#define STORE(value, to) (*(to) = (value))
#else
typedef JOIN(float, WIDTH) op_vector;
#define LOAD(from)       JOIN(vload, WIDTH)(0, from)
#define STORE(value, to) JOIN(vstore, WIDTH)(value, 0, to)
#endif

/* A loop that the compiler is to unroll, so that what it indexes are registers. */
#define UNROLLED(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)

/* Is it a few instructions on a vector? Others are for op_activate, lane by lane. */
DEVICE_FUNCTION int op_is_simple(int activation)
{
    return activation <= OP_RELU6 || activation == OP_LEAKY_RELU;
}

DEVICE_FUNCTION op_vector op_activate_vector(op_vector v, int activation, float slope)
{
    const op_vector zero = (op_vector)(0.0f), six = (op_vector)(6.0f);
    if (activation == OP_NO_ACTIVATION) {
        return v;
    }
    v = select(v, activation == OP_LEAKY_RELU ? slope * v : zero, isless(v, zero));
    return activation == OP_RELU6 ? select(v, six, isgreater(v, six)) : v;
}

#endif
