/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect in OpenCL C 1.2. A memory is a buffer and an offset in bytes: what the plugin's
 * launch hands over for each TF_LAUNCH_MEMORY.
 */
#ifndef DEVICE_OPS_CODE_DIALECT_OPENCL_H_
#define DEVICE_OPS_CODE_DIALECT_OPENCL_H_

#define DEVICE_IS_OPENCL
#define GLOBAL __global
#define SHARED __local
#define DEVICE_FUNCTION
#define AXIS_x              0
#define AXIS_y              1
#define AXIS_z              2
#define GLOBAL_ID(axis)     ((int)get_global_id(AXIS_##axis))
#define GLOBAL_SIZE(axis)   ((int)get_global_size(AXIS_##axis))
#define GROUP_ID(axis)      ((int)get_group_id(AXIS_##axis))
#define LOCAL_ID(axis)      ((int)get_local_id(AXIS_##axis))
#define LOCAL_SIZE(axis)    ((int)get_local_size(AXIS_##axis))
#define MULTIPLY_HIGH(a, b) mul_hi(a, b)
#define BARRIER()           barrier(CLK_LOCAL_MEM_FENCE)
#define COPY_FOUR(to, from) vstore4(vload4(0, from), 0, to)

#define expf   exp
#define expm1f expm1
#define logf   log
#define log1pf log1p
#define sqrtf  sqrt
#define rsqrtf rsqrt
#define fabsf  fabs
#define floorf floor
#define ceilf  ceil
#define rintf  rint
#define roundf round
#define tanhf  tanh
#define sinf   sin
#define cosf   cos
#define erff   erf
#define fmaxf  fmax
#define fminf  fmin
#define powf   pow

#define MEMORY_PARAMETER(T, m) GLOBAL T *m##_base, ulong m##_offset
#define MEMORY_POINTER(T, m)   (GLOBAL T *)((GLOBAL char *)m##_base + m##_offset)

#define KERNEL1(name, T0, m0, V, v)                                                                \
    void name##_body(GLOBAL T0 *m0, V v);                                                          \
    __kernel void name(MEMORY_PARAMETER(T0, m0), V v)                                              \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), v);                                                    \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, V v)
#define KERNEL2(name, T0, m0, T1, m1, V, v)                                                        \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, V v);                                           \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1), V v)                    \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), v);                            \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, V v)
#define KERNEL3(name, T0, m0, T1, m1, T2, m2, V, v)                                                \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, V v);                            \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1),                         \
                       MEMORY_PARAMETER(T2, m2), V v)                                              \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), MEMORY_POINTER(T2, m2), v);    \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, V v)
#define KERNEL4(name, T0, m0, T1, m1, T2, m2, T3, m3, V, v)                                        \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, V v);             \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1),                         \
                       MEMORY_PARAMETER(T2, m2), MEMORY_PARAMETER(T3, m3), V v)                    \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), MEMORY_POINTER(T2, m2),        \
                    MEMORY_POINTER(T3, m3), v);                                                    \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, V v)
#define KERNEL5(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, V, v)                                \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, GLOBAL T4 *m4,    \
                     V v);                                                                         \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1),                         \
                       MEMORY_PARAMETER(T2, m2), MEMORY_PARAMETER(T3, m3),                         \
                       MEMORY_PARAMETER(T4, m4), V v)                                              \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), MEMORY_POINTER(T2, m2),        \
                    MEMORY_POINTER(T3, m3), MEMORY_POINTER(T4, m4), v);                            \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, GLOBAL T4 *m4, V v)
#define KERNEL6(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, T5, m5, V, v)                        \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, GLOBAL T4 *m4,    \
                     GLOBAL T5 *m5, V v);                                                          \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1),                         \
                       MEMORY_PARAMETER(T2, m2), MEMORY_PARAMETER(T3, m3),                         \
                       MEMORY_PARAMETER(T4, m4), MEMORY_PARAMETER(T5, m5), V v)                    \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), MEMORY_POINTER(T2, m2),        \
                    MEMORY_POINTER(T3, m3), MEMORY_POINTER(T4, m4), MEMORY_POINTER(T5, m5), v);    \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, GLOBAL T4 *m4,    \
                     GLOBAL T5 *m5, V v)
#define KERNEL7(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, T5, m5, T6, m6, V, v)                \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, GLOBAL T4 *m4,    \
                     GLOBAL T5 *m5, GLOBAL T6 *m6, V v);                                           \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1),                         \
                       MEMORY_PARAMETER(T2, m2), MEMORY_PARAMETER(T3, m3),                         \
                       MEMORY_PARAMETER(T4, m4), MEMORY_PARAMETER(T5, m5),                         \
                       MEMORY_PARAMETER(T6, m6), V v)                                              \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), MEMORY_POINTER(T2, m2),        \
                    MEMORY_POINTER(T3, m3), MEMORY_POINTER(T4, m4), MEMORY_POINTER(T5, m5),        \
                    MEMORY_POINTER(T6, m6), v);                                                    \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, GLOBAL T4 *m4,    \
                     GLOBAL T5 *m5, GLOBAL T6 *m6, V v)
#define KERNEL2_SHARED(name, T0, m0, T1, m1, V, v, s)                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, V v, SHARED float *s);                          \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1), V v, SHARED float *s)   \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), v, s);                         \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, V v, SHARED float *s)
#define KERNEL3_SHARED(name, T0, m0, T1, m1, T2, m2, V, v, s)                                      \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, V v, SHARED float *s);           \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1),                         \
                       MEMORY_PARAMETER(T2, m2), V v, SHARED float *s)                             \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), MEMORY_POINTER(T2, m2), v, s); \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, V v, SHARED float *s)
#define KERNEL5_SHARED(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, V, v, s)                      \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, GLOBAL T4 *m4,    \
                     V v, SHARED float *s);                                                        \
    __kernel void name(MEMORY_PARAMETER(T0, m0), MEMORY_PARAMETER(T1, m1),                         \
                       MEMORY_PARAMETER(T2, m2), MEMORY_PARAMETER(T3, m3),                         \
                       MEMORY_PARAMETER(T4, m4), V v, SHARED float *s)                             \
    {                                                                                              \
        name##_body(MEMORY_POINTER(T0, m0), MEMORY_POINTER(T1, m1), MEMORY_POINTER(T2, m2),        \
                    MEMORY_POINTER(T3, m3), MEMORY_POINTER(T4, m4), v, s);                         \
    }                                                                                              \
    void name##_body(GLOBAL T0 *m0, GLOBAL T1 *m1, GLOBAL T2 *m2, GLOBAL T3 *m3, GLOBAL T4 *m4,    \
                     V v, SHARED float *s)

#endif
