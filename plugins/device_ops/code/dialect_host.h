/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect in C: a kernel is a function of the array that CUDA's cuLaunchKernel takes, one
 * address for each argument, and computes what one thread does. Whoever calls it says first which
 * thread that is. For tests on machines without a device.
 */
#ifndef DEVICE_OPS_CODE_DIALECT_HOST_H_
#define DEVICE_OPS_CODE_DIALECT_HOST_H_

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct device_axis {
    int x, y, z;
} device_axis;

typedef struct device_place { /* which thread runs */
    device_axis grid, block, group, thread;
    float *shared; /* of the group */
} device_place;

/* Whoever runs kernels defines these two. */
extern _Thread_local device_place device_here;
void device_barrier(void);

#define GLOBAL
#define SHARED
#define DEVICE_FUNCTION     static inline
#define GLOBAL_ID(axis)     (device_here.group.axis * device_here.block.axis + device_here.thread.axis)
#define GLOBAL_SIZE(axis)   (device_here.grid.axis * device_here.block.axis)
#define GROUP_ID(axis)      (device_here.group.axis)
#define LOCAL_ID(axis)      (device_here.thread.axis)
#define LOCAL_SIZE(axis)    (device_here.block.axis)
#define MULTIPLY_HIGH(a, b) ((unsigned)((uint64_t)(a) * (b) >> 32))
#define BARRIER()           device_barrier()
#define COPY_FOUR(to, from) memcpy(to, from, 4 * sizeof(float))

static inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}

/* What a driver knows of a compiled function: how many memories, how many bytes of numbers. */
#define KERNEL_PARAMETERS(name, n, V)                                                              \
    extern const size_t name##_parameters[2];                                                      \
    const size_t name##_parameters[2] = {n, sizeof(V)};

#define KERNEL1(name, T0, m0, V, v)                                                                \
    KERNEL_PARAMETERS(name, 1, V)                                                                  \
    static void name##_body(T0 *m0, V v);                                                          \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(const V *)args[1]);                                   \
    }                                                                                              \
    static void name##_body(T0 *m0, V v)
#define KERNEL2(name, T0, m0, T1, m1, V, v)                                                        \
    KERNEL_PARAMETERS(name, 2, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, V v);                                                  \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(const V *)args[2]);            \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, V v)
#define KERNEL3(name, T0, m0, T1, m1, T2, m2, V, v)                                                \
    KERNEL_PARAMETERS(name, 3, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, V v);                                          \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(T2 *const *)args[2],           \
                    *(const V *)args[3]);                                                          \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, V v)
#define KERNEL4(name, T0, m0, T1, m1, T2, m2, T3, m3, V, v)                                        \
    KERNEL_PARAMETERS(name, 4, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, V v);                                  \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(T2 *const *)args[2],           \
                    *(T3 *const *)args[3], *(const V *)args[4]);                                   \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, V v)
#define KERNEL5(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, V, v)                                \
    KERNEL_PARAMETERS(name, 5, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, V v);                          \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(T2 *const *)args[2],           \
                    *(T3 *const *)args[3], *(T4 *const *)args[4], *(const V *)args[5]);            \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, V v)
#define KERNEL6(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, T5, m5, V, v)                        \
    KERNEL_PARAMETERS(name, 6, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, T5 *m5, V v);                  \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(T2 *const *)args[2],           \
                    *(T3 *const *)args[3], *(T4 *const *)args[4], *(T5 *const *)args[5],           \
                    *(const V *)args[6]);                                                          \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, T5 *m5, V v)
#define KERNEL7(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, T5, m5, T6, m6, V, v)                \
    KERNEL_PARAMETERS(name, 7, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, T5 *m5, T6 *m6, V v);          \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(T2 *const *)args[2],           \
                    *(T3 *const *)args[3], *(T4 *const *)args[4], *(T5 *const *)args[5],           \
                    *(T6 *const *)args[6], *(const V *)args[7]);                                   \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, T5 *m5, T6 *m6, V v)
#define KERNEL2_SHARED(name, T0, m0, T1, m1, V, v, s)                                              \
    KERNEL_PARAMETERS(name, 2, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, V v, float *s);                                        \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(const V *)args[2],             \
                    device_here.shared);                                                           \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, V v, float *s)
#define KERNEL3_SHARED(name, T0, m0, T1, m1, T2, m2, V, v, s)                                      \
    KERNEL_PARAMETERS(name, 3, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, V v, float *s);                                \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(T2 *const *)args[2],           \
                    *(const V *)args[3], device_here.shared);                                      \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, V v, float *s)
#define KERNEL5_SHARED(name, T0, m0, T1, m1, T2, m2, T3, m3, T4, m4, V, v, s)                      \
    KERNEL_PARAMETERS(name, 5, V)                                                                  \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, V v, float *s);                \
    void name(void *const *args);                                                                  \
    void name(void *const *args)                                                                   \
    {                                                                                              \
        name##_body(*(T0 *const *)args[0], *(T1 *const *)args[1], *(T2 *const *)args[2],           \
                    *(T3 *const *)args[3], *(T4 *const *)args[4], *(const V *)args[5],             \
                    device_here.shared);                                                           \
    }                                                                                              \
    static void name##_body(T0 *m0, T1 *m1, T2 *m2, T3 *m3, T4 *m4, V v, float *s)

#endif
