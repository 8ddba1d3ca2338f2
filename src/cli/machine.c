/* SPDX-License-Identifier: Apache-2.0 */
/* See machine.h. Target attributes, so that one file holds the loops of every ISA. */
#include "machine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHAINS = 12, STEPS = 20000, TRIES = 200 };

double machine_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile float sink, seed; /* seed: no two chains are known to be alike */

#define TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
/* CHAINS independent multiply-adds again and again, in named variables so that none meets memory.
 */
#define FMA_LOOP(vector, splat, multiply_add, add_up)                                              \
    const vector x = splat(0.5f);                                                                  \
    TWELVE(START)                                                                                  \
    for (int64_t step = 0; step < STEPS; step++) {                                                 \
        TWELVE(multiply_add)                                                                       \
        __asm__ volatile("");                                                                      \
    }                                                                                              \
    TWELVE(add_up)

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static void fma_avx512(void)
{
#define START(i)    __m512 sum##i = _mm512_set1_ps(seed);
#define STEP_512(i) sum##i = _mm512_fmadd_ps(sum##i, x, x);
#define SINK_512(i) sink = _mm512_reduce_add_ps(sum##i);
    FMA_LOOP(__m512, _mm512_set1_ps, STEP_512, SINK_512)
#undef START
}

__attribute__((target("avx2,fma"))) static void fma_avx2(void)
{
#define START(i)    __m256 sum##i = _mm256_set1_ps(seed);
#define STEP_256(i) sum##i = _mm256_fmadd_ps(sum##i, x, x);
#define SINK_256(i) sink = _mm256_cvtss_f32(sum##i);
    FMA_LOOP(__m256, _mm256_set1_ps, STEP_256, SINK_256)
#undef START
}

__attribute__((target("avx512f"))) static void read_avx512(const float *data, size_t count)
{
    __m512 sums[8];
    for (int i = 0; i < 8; i++) {
        sums[i] = _mm512_setzero_ps();
    }
    for (size_t k = 0; k + 128 <= count; k += 128) {
        for (int i = 0; i < 8; i++) {
            sums[i] = _mm512_add_ps(sums[i], _mm512_load_ps(data + k + 16 * i));
        }
    }
    for (int i = 0; i < 8; i++) {
        sink = _mm512_reduce_add_ps(sums[i]);
    }
}

__attribute__((target("avx2"))) static void read_avx2(const float *data, size_t count)
{
    __m256 sums[8];
    for (int i = 0; i < 8; i++) {
        sums[i] = _mm256_setzero_ps();
    }
    for (size_t k = 0; k + 64 <= count; k += 64) {
        for (int i = 0; i < 8; i++) {
            sums[i] = _mm256_add_ps(sums[i], _mm256_load_ps(data + k + 8 * i));
        }
    }
    for (int i = 0; i < 8; i++) {
        sink = _mm256_cvtss_f32(sums[i]);
    }
}
#endif

typedef struct four_floats {
    float lanes[4];
} four_floats;

static four_floats four_splat(float value)
{
    return (four_floats){{value, value, value, value}};
}

static four_floats four_multiply_add(four_floats sum, four_floats x)
{
    for (int i = 0; i < 4; i++) {
        sum.lanes[i] = sum.lanes[i] * x.lanes[i] + x.lanes[i];
    }
    return sum;
}

static void fma_plain(void)
{
#define START(i)      four_floats sum##i = four_splat(seed);
#define STEP_PLAIN(i) sum##i = four_multiply_add(sum##i, x);
#define SINK_PLAIN(i) sink = sum##i.lanes[0];
    FMA_LOOP(four_floats, four_splat, STEP_PLAIN, SINK_PLAIN)
#undef START
}

static void read_plain(const float *data, size_t count)
{
    uint64_t sums[4] = {0};
    for (size_t k = 0; k + 8 <= count; k += 8) {
        for (int i = 0; i < 4; i++) {
            uint64_t value;
            memcpy(&value, data + k + 2 * i, sizeof value);
            sums[i] += value;
        }
    }
    sink = (float)(sums[0] + sums[1] + sums[2] + sums[3]);
}

/* Output lines are sums of `ratio` neighbouring input lines each. */
__attribute__((always_inline)) static inline void stream_body(const float *from, float *to,
                                                              size_t lines, size_t ratio)
{
    for (size_t i = 0; i < lines; i++, to += 16, from += 16 * ratio) {
        float sums[16];
        memcpy(sums, from, sizeof sums);
        for (size_t j = 1; j < ratio; j++) {
            for (size_t k = 0; k < 16; k++) {
                sums[k] += from[j * 16 + k];
            }
        }
        memcpy(to, sums, sizeof sums);
    }
}

static void stream_plain(const float *from, float *to, size_t lines, size_t ratio)
{
    stream_body(from, to, lines, ratio);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void stream_avx2(const float *from, float *to, size_t lines,
                                                        size_t ratio)
{
    stream_body(from, to, lines, ratio);
}

__attribute__((target("avx512f"))) static void stream_avx512(const float *from, float *to,
                                                             size_t lines, size_t ratio)
{
    stream_body(from, to, lines, ratio);
}
#endif

typedef struct loops {
    const char *isa;
    int lanes;
    void (*fma)(void);
    void (*read)(const float *data, size_t count);
    void (*stream)(const float *from, float *to, size_t lines, size_t ratio);
} loops;

static int most_lanes = 16;

void machine_limit(const char *isa)
{
    const bool is_all = isa == NULL || strcmp(isa, "avx512") == 0 || strcmp(isa, "vnni") == 0;
    most_lanes = is_all ? 16 : strcmp(isa, "avx2") == 0 ? 8 : 4;
}

static loops widest(void)
{
#if defined(__x86_64__)
    if (most_lanes >= 16 && __builtin_cpu_supports("avx512f")) {
        return (loops){"avx512", 16, fma_avx512, read_avx512, stream_avx512};
    }
    if (most_lanes >= 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return (loops){"avx2", 8, fma_avx2, read_avx2, stream_avx2};
    }
#endif
    return (loops){"plain", 4, fma_plain, read_plain, stream_plain};
}

double machine_peak_sample(void)
{
    const loops best_loops = widest();
    const double start = machine_seconds();
    best_loops.fma();
    return 2.0 * (double)CHAINS * (double)STEPS * best_loops.lanes / (machine_seconds() - start);
}

double machine_peak_flops(const char **out_isa)
{
    double best = 0.0;
    *out_isa = widest().isa;
    for (int try = 0; try < TRIES; try++) {
        const double flops = machine_peak_sample();
        best = flops > best ? flops : best;
    }
    return best;
}

double machine_read_bandwidth(size_t bytes)
{
    const loops best_loops = widest();
    const size_t whole = bytes / 512 * 512, count = whole / sizeof(float);
    double best = 0.0;
    float *data = aligned_alloc(64, whole);
    if (data == NULL) {
        return 0.0;
    }
    for (size_t i = 0; i < count; i++) {
        data[i] = (float)(i % 7);
    }
    const double begin = machine_seconds();
    for (int try = 0; try < 5 || machine_seconds() - begin < 0.3; try++) {
        const double start = machine_seconds();
        best_loops.read(data, count);
        const double rate = (double)(count * sizeof(float)) / (machine_seconds() - start);
        best = rate > best ? rate : best;
    }
    free(data);
    return best;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* As bench_measure (bench/kernel_run.c) takes it: the tenth part of the samples is better. */
double machine_stream_seconds(size_t read, size_t written)
{
    const size_t lines = written / 16, ratio = read / written, out_bytes = written / 16 << 6;
    const size_t in_bytes = ratio * out_bytes;
    float *from = aligned_alloc(64, in_bytes), *to = aligned_alloc(64, out_bytes);
    const loops best_loops = widest();
    static double times[TRIES];
    int count = 0;
    for (size_t i = 0; from != NULL && i < lines * ratio * 16; i++) {
        from[i] = (float)(i % 7);
    }
    for (; from != NULL && to != NULL && count < TRIES; count++) {
        const double start = machine_seconds();
        best_loops.stream(from, to, lines, ratio);
        times[count] = machine_seconds() - start;
        sink = to[count % 16];
    }
    free(from);
    free(to);
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[count / 10];
}
