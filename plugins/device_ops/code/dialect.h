/* SPDX-License-Identifier: Apache-2.0 */
/* The language of the files in this folder: C that is OpenCL C 1.2, CUDA C++, HIP C++ and C11 at
 * once. Each target's words stand in a file of their own; a file of kernels includes this one.
 *
 *   KERNEL2(relu, float, z, const float, x, op_count, p)  a kernel that is named relu, with two
 *   { ... z[i] = x[i] ... p.n ... }                       memories (type, name) and one struct of
 *                                                         numbers (type, name); KERNEL1 to KERNEL7
 *   KERNEL3_SHARED(name, ..., p, tile)  has `SHARED float *tile` too, as large as the launch says
 *   DEVICE_FUNCTION      before a function that kernels call
 *   GLOBAL, SHARED       before the type that a pointer points to
 *   GLOBAL_ID(axis), GLOBAL_SIZE(axis), GROUP_ID(axis), LOCAL_ID(axis), LOCAL_SIZE(axis)
 *                        the thread's place; axis: x, y or z
 *   BARRIER()            all threads of a group
 *   COPY_FOUR(to, from)  four floats of SHARED memory, aligned to 16 bytes, to an array of floats
 *   MULTIPLY_HIGH(a, b)  the upper half of a product of unsigned
 * Maths has C's names for float: expf, tanhf, fmaxf, ... What only OpenCL has (vectors) stands
 * where DEVICE_IS_OPENCL is defined. Memories come first, the struct next, scratch last: so the
 * host side hands them to TF_LaunchKernel.
 */
#ifndef DEVICE_OPS_CODE_DIALECT_H_
#define DEVICE_OPS_CODE_DIALECT_H_

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)
#include "dialect_opencl.h"
#elif defined(__CUDACC__) || defined(__HIPCC__)
#include "dialect_cuda.h"
#else
#include "dialect_host.h"
#endif

#endif
