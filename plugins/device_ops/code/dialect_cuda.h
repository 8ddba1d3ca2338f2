/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect in CUDA C++ and HIP C++. A memory is a pointer. Scratch is the launch's shared bytes.
 */
#ifndef DEVICE_OPS_CODE_DIALECT_CUDA_H_
#define DEVICE_OPS_CODE_DIALECT_CUDA_H_

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

#if defined(__CUDACC_RTC__) /* has no headers of C */
#define INFINITY __int_as_float(0x7f800000)
#endif

#define GLOBAL
#define SHARED
#define DEVICE_FUNCTION     static __device__
#define GLOBAL_ID(axis)     ((int)(blockIdx.axis * blockDim.axis + threadIdx.axis))
#define GLOBAL_SIZE(axis)   ((int)(gridDim.axis * blockDim.axis))
#define GROUP_ID(axis)      ((int)blockIdx.axis)
#define LOCAL_ID(axis)      ((int)threadIdx.axis)
#define LOCAL_SIZE(axis)    ((int)blockDim.axis)
#define MULTIPLY_HIGH(a, b) __umulhi(a, b)
#define BARRIER()           __syncthreads()
#define COPY_FOUR(to, from)                                                                        \
    do {                                                                                           \
        const float4 four = *(const float4 *)(from);                                               \
        (to)[0] = four.x, (to)[1] = four.y, (to)[2] = four.z, (to)[3] = four.w;                    \
    } while (0)

#define KERNEL1(name, T0, m0, V, v)         extern "C" __global__ void name(T0 *m0, V v)
#define KERNEL2(name, T0, m0, T1, m1, V, v) extern "C" __global__ void name(T0 *m0, T1 *m1, V v)
#define KERNEL3(name, T0, m0, T1, m1, T2, m2, V, v)                                                \
    extern "C" __global__ void name(T0 *m0, T1 *m1, T2 *m2, V v)
#define KERNEL4(name, T0, m0, T1, m1, T2, m2, T3, m3, V, v)                                        \
    extern "C" __global__ void name(T0 *m0, T1 *m1, T2 *m2, T3 *m3, V v)
#define KERNEL5(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, V, v)                                \
    extern "C" __global__ void name(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, V v)
#define KERNEL6(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, T5, m5, V, v)                        \
    extern "C" __global__ void name(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, T5 *m5, V v)
#define KERNEL7(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, T5, m5, T6, m6, V, v)                \
    extern "C" __global__ void name(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, T5 *m5, T6 *m6, V v)
#define KERNEL2_SHARED(name, T0, m0, T1, m1, V, v, s)                                              \
    static __device__ void name##_body(T0 *m0, T1 *m1, V v, float *s);                             \
    extern "C" __global__ void name(T0 *m0, T1 *m1, V v)                                           \
    {                                                                                              \
        extern __shared__ __align__(16) float device_shared[];                                     \
        name##_body(m0, m1, v, device_shared);                                                     \
    }                                                                                              \
    static __device__ void name##_body(T0 *m0, T1 *m1, V v, float *s)
#define KERNEL3_SHARED(name, T0, m0, T1, m1, T2, m2, V, v, s)                                      \
    static __device__ void name##_body(T0 *m0, T1 *m1, T2 *m2, V v, float *s);                     \
    extern "C" __global__ void name(T0 *m0, T1 *m1, T2 *m2, V v)                                   \
    {                                                                                              \
        extern __shared__ __align__(16) float device_shared[];                                     \
        name##_body(m0, m1, m2, v, device_shared);                                                 \
    }                                                                                              \
    static __device__ void name##_body(T0 *m0, T1 *m1, T2 *m2, V v, float *s)
#define KERNEL5_SHARED(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, V, v, s)                      \
    static __device__ void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, V v, float *s);     \
    extern "C" __global__ void name(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, V v)                   \
    {                                                                                              \
        extern __shared__ __align__(16) float device_shared[];                                     \
        name##_body(m0, m1, m2, m3, m4, v, device_shared);                                         \
    }                                                                                              \
    static __device__ void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, V v, float *s)

#endif
