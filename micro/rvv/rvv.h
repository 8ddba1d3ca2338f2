/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels ask of a core with RISC-V's vectors (extension V, registers of 128 bits or more):
 * blocks of assembly, each with its twin in plain C for every other machine, which computes the
 * same bits. A vector has as many channels as the core's registers hold: weights lie the same way
 * for all of them. tests/micro runs the twins on the host and the assembly in QEMU, with registers
 * of 128 and 256 bits. ORIBI_MICRO_PLAIN_C chooses the twins everywhere.
 *
 * Assembly and not intrinsics, as GCC has those from version 13 on.
 */
#ifndef ORIBI_MICRO_RVV_H_
#define ORIBI_MICRO_RVV_H_

#include "micro/fixed_point.h"

#if defined(__riscv_v) && defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C)
#define ORIBI_MICRO_RVV __asm__ volatile
/* Compilers that make vectors of their own know the registers. */
#if defined(__clang__) || __GNUC__ >= 13
#define ORIBI_MICRO_RVV_CLOBBERS                                                                   \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", \
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", \
        "v28", "v29", "v30", "v31", "memory"
#else
#define ORIBI_MICRO_RVV_CLOBBERS "memory"
#endif
#if __riscv_xlen == 64
#define ORIBI_MICRO_RVV_POINTER "ld "
#else
#define ORIBI_MICRO_RVV_POINTER "lw "
#endif
#endif

enum {
    ORIBI_MICRO_RVV_BLOCK = 32, /* channels that fit into the registers of any core */
    ORIBI_MICRO_RVV_ROWS = 8    /* rows of a window in blocks */
};

/* A layer's words: for each channel its bias, then each's multiplier, then each's shift to the
 * right, less 32 where it is not 0, so that the sign says whether there is one; then bytes: each
 * tap's weights, side by side for all channels. */
struct oribi_micro_rvv_layer {
    const int32_t *words;
    int32_t channels;
    int8_t zero;
    int8_t low, high; /* bounds of the result, activation included */
};

static inline const int8_t *oribi_micro_rvv_weights(const struct oribi_micro_rvv_layer *layer)
{
    return (const int8_t *)(layer->words + 3 * (intptr_t)layer->channels);
}

/* Four sums of 32 bits at v0 and v8, in eight registers each, become results: scaled by
 * TensorFlow Lite Micro's double rounding, in which ties go away from zero, so that one less is
 * rounded where a number is negative and shifted. %[n] is how many; %[scale] points to the first
 * channel's multiplier, %[next] is the distance to its shift. */
#define ORIBI_MICRO_RVV_ROUND(sum, more, shift, form)                                              \
    "vand." form " " more ", " sum ", " shift "\n\t"                                               \
    "vsra.vi " more ", " more ", 31\n\t"                                                           \
    "vadd.vv " sum ", " sum ", " more "\n\t"                                                       \
    "vssra." form " " sum ", " sum ", " shift "\n\t"
#define ORIBI_MICRO_RVV_BOUND(sum)                                                                 \
    "vadd.vx " sum ", " sum ", %[zero]\n\t"                                                        \
    "vmax.vx " sum ", " sum ", %[low]\n\t"                                                         \
    "vmin.vx " sum ", " sum ", %[high]\n\t"
#define ORIBI_MICRO_RVV_RESULTS                                                                    \
    "vsetvli zero, %[n], e32, m8, ta, ma\n\t"                                                      \
    "vle32.v v16, (%[scale])\n\t"                                                                  \
    "vsmul.vv v0, v0, v16\n\t"                                                                     \
    "vsmul.vv v8, v8, v16\n\t"                                                                     \
    "add %[scale], %[scale], %[next]\n\t"                                                          \
    "vle32.v v16, (%[scale])\n\t" ORIBI_MICRO_RVV_ROUND("v0", "v24", "v16", "vv")                  \
        ORIBI_MICRO_RVV_ROUND("v8", "v24", "v16", "vv") ORIBI_MICRO_RVV_BOUND("v0")                \
            ORIBI_MICRO_RVV_BOUND("v8") "vsetvli zero, %[n], e16, m4, ta, ma\n\t"                  \
                                        "vnsrl.wi v16, v0, 0\n\t"                                  \
                                        "vnsrl.wi v20, v8, 0\n\t"                                  \
                                        "vsetvli zero, %[n], e8, m2, ta, ma\n\t"                   \
                                        "vnsrl.wi v24, v16, 0\n\t"                                 \
                                        "vnsrl.wi v26, v20, 0\n\t"                                 \
                                        "vse8.v v26, (%[second])\n\t"                              \
                                        "vse8.v v24, (%[to])\n\t"

#ifndef ORIBI_MICRO_RVV
static inline int8_t oribi_micro_rvv_result(const struct oribi_micro_rvv_layer *l, uint32_t sum,
                                            int32_t channel)
{
    const int32_t *const scale = l->words + l->channels + channel;
    const int32_t shift = scale[l->channels];
    const int32_t scaled = oribi_micro_scale((int32_t)sum, *scale, shift == 0 ? 0 : -(shift + 32));
    return (int8_t)oribi_micro_clamp(scaled + l->zero, l->low, l->high);
}
#endif

/* Results of two pixels, whose taps lie side by side at x and y, for channels from `first` on, to
 * `to`, and those of the second `distance` behind. Where both are the same pixel one result lies
 * upon the other. Returns how many channels it did, at least one. */
static inline int32_t oribi_micro_rvv_pixels(const struct oribi_micro_rvv_layer *layer,
                                             const int8_t *x, const int8_t *y, int32_t taps,
                                             int32_t first, int8_t *to, int32_t distance)
{
    const struct oribi_micro_rvv_layer *l = layer;
    const int8_t *w = oribi_micro_rvv_weights(l) + first;
    to += first;
#ifdef ORIBI_MICRO_RVV
    const int32_t *scale = l->words + l->channels + first;
    intptr_t n, a, b;
    ORIBI_MICRO_RVV("vsetvli %[n], %[left], e32, m8, ta, ma\n\t"
                    "csrwi vxrm, 0\n\t"
                    "vle32.v v0, (%[bias])\n\t"
                    "vmv.v.v v8, v0\n\t"
                    "vsetvli zero, %[n], e16, m4, ta, ma\n"
                    "1:\n\t"
                    "vle8.v v24, (%[w])\n\t"
                    "lb %[a], 0(%[x])\n\t"
                    "vsext.vf2 v16, v24\n\t"
                    "lb %[b], 0(%[y])\n\t"
                    "vwmacc.vx v0, %[a], v16\n\t"
                    "addi %[x], %[x], 1\n\t"
                    "add %[w], %[w], %[channels]\n\t"
                    "vwmacc.vx v8, %[b], v16\n\t"
                    "addi %[y], %[y], 1\n\t"
                    "bne %[x], %[end], 1b\n\t" ORIBI_MICRO_RVV_RESULTS
                    : [x] "+&r"(x), [y] "+&r"(y), [w] "+&r"(w), [scale] "+&r"(scale), [n] "=&r"(n),
                      [a] "=&r"(a), [b] "=&r"(b)
                    : [end] "r"(x + taps), [left] "r"((intptr_t)(l->channels - first)),
                      [bias] "r"(l->words + first), [channels] "r"((intptr_t)l->channels),
                      [next] "r"(4 * (intptr_t)l->channels), [zero] "r"((intptr_t)l->zero),
                      [low] "r"((intptr_t)l->low), [high] "r"((intptr_t)l->high), [to] "r"(to),
                      [second] "r"(to + distance)
                    : ORIBI_MICRO_RVV_CLOBBERS);
    return (int32_t)n;
#else
    for (int32_t c = 0; c < l->channels - first; c++) {
        uint32_t a = (uint32_t)l->words[first + c], b = a;
        for (int32_t k = 0; k < taps; k++) {
            const int32_t weight = w[c + (intptr_t)k * l->channels];
            a += (uint32_t)(x[k] * weight);
            b += (uint32_t)(y[k] * weight);
        }
        to[c + distance] = oribi_micro_rvv_result(l, b, first + c);
        to[c] = oribi_micro_rvv_result(l, a, first + c);
    }
    return l->channels - first;
#endif
}

/* The windows of a block of channels, each row at one of `rows`. */
struct oribi_micro_rvv_windows {
    const int8_t *const *rows;
    int32_t n_rows, n_columns;
    int32_t step;          /* from a tap's column to the next one's, in bytes */
    int32_t first, second; /* where in a row the two windows begin, in bytes */
};

/* Results of two windows for `count` channels from `channel` on, at most a block, to `to` and
 * `second`. Where both are the same window one result lies upon the other. */
static inline void oribi_micro_rvv_two_windows(const struct oribi_micro_rvv_layer *layer,
                                               const struct oribi_micro_rvv_windows *windows,
                                               int32_t channel, int32_t count, int8_t *to,
                                               int8_t *second)
{
    const struct oribi_micro_rvv_layer *l = layer;
    const struct oribi_micro_rvv_windows *k = windows;
    const int8_t *w = oribi_micro_rvv_weights(l) + channel;
#ifdef ORIBI_MICRO_RVV
    const int32_t *scale = l->words + l->channels + channel;
    const int8_t *const *rows = k->rows;
    const int8_t *x, *y;
    intptr_t left;
    ORIBI_MICRO_RVV(
        "vsetvli zero, %[n], e32, m8, ta, ma\n\t"
        "csrwi vxrm, 0\n\t"
        "vle32.v v0, (%[bias])\n\t"
        "vmv.v.v v8, v0\n\t"
        "vsetvli zero, %[n], e16, m4, ta, ma\n"
        "1:\n\t" ORIBI_MICRO_RVV_POINTER "%[x], 0(%[rows])\n\t"
        "addi %[rows], %[rows], %[pointer]\n\t"
        "mv %[left], %[columns]\n\t"
        "add %[x], %[x], %[from]\n"
        "2:\n\t"
        "vle8.v v24, (%[w])\n\t"
        "add %[y], %[x], %[apart]\n\t"
        "vle8.v v26, (%[x])\n\t"
        "add %[w], %[w], %[channels]\n\t"
        "vle8.v v28, (%[y])\n\t"
        "vsext.vf2 v16, v24\n\t"
        "addi %[left], %[left], -1\n\t"
        "vsext.vf2 v20, v26\n\t"
        "add %[x], %[x], %[step]\n\t"
        "vwmacc.vv v0, v20, v16\n\t"
        "vsext.vf2 v20, v28\n\t"
        "vwmacc.vv v8, v20, v16\n\t"
        "bnez %[left], 2b\n\t"
        "bne %[rows], %[end], 1b\n\t" ORIBI_MICRO_RVV_RESULTS
        : [rows] "+&r"(rows), [x] "=&r"(x), [y] "=&r"(y), [w] "+&r"(w), [scale] "+&r"(scale),
          [left] "=&r"(left)
        : [n] "r"((intptr_t)count), [end] "r"(rows + k->n_rows), [from] "r"((intptr_t)k->first),
          [apart] "r"((intptr_t)(k->second - k->first)), [columns] "r"((intptr_t)k->n_columns),
          [step] "r"((intptr_t)k->step), [bias] "r"(l->words + channel),
          [channels] "r"((intptr_t)l->channels), [next] "r"(4 * (intptr_t)l->channels),
          [zero] "r"((intptr_t)l->zero), [low] "r"((intptr_t)l->low), [high] "r"((intptr_t)l->high),
          [to] "r"(to), [second] "r"(second), [pointer] "n"(sizeof *rows)
        : ORIBI_MICRO_RVV_CLOBBERS);
#else
    for (int32_t c = 0; c < count; c++) {
        uint32_t a = (uint32_t)l->words[channel + c], b = a;
        const int8_t *weight = w + c;
        for (int32_t i = 0; i < k->n_rows; i++) {
            for (int32_t j = 0; j < k->n_columns; j++) {
                const int8_t *const x = k->rows[i] + c + j * k->step;
                a += (uint32_t)(x[k->first] * *weight);
                b += (uint32_t)(x[k->second] * *weight);
                weight += l->channels;
            }
        }
        second[c] = oribi_micro_rvv_result(l, b, channel + c);
        to[c] = oribi_micro_rvv_result(l, a, channel + c);
    }
#endif
}

/* Copies `runs` runs, 0 or more, of `bytes` each, at most a block, from `step` bytes apart to where
 * they follow each other. */
static inline void oribi_micro_rvv_columns(const int8_t *from, int32_t step, int32_t runs,
                                           int32_t bytes, int8_t *to)
{
    const int8_t *const end = to + (intptr_t)runs * bytes;
#ifdef ORIBI_MICRO_RVV
    if (runs > 0) {
        ORIBI_MICRO_RVV("vsetvli zero, %[bytes], e8, m2, ta, ma\n"
                        "1:\n\t"
                        "vle8.v v0, (%[from])\n\t"
                        "add %[from], %[from], %[step]\n\t"
                        "vse8.v v0, (%[to])\n\t"
                        "add %[to], %[to], %[bytes]\n\t"
                        "bne %[to], %[end], 1b"
                        : [from] "+&r"(from), [to] "+&r"(to)
                        : [bytes] "r"((intptr_t)bytes), [step] "r"((intptr_t)step), [end] "r"(end)
                        : ORIBI_MICRO_RVV_CLOBBERS);
    }
#else
    for (; to != end; to += bytes, from += step) {
        for (int32_t i = 0; i < bytes; i++) {
            to[i] = from[i];
        }
    }
#endif
}

/* Copies so many bytes, 0 or more. Returns to moved on. */
static inline int8_t *oribi_micro_rvv_copy(const int8_t *from, int32_t bytes, int8_t *to)
{
#ifdef ORIBI_MICRO_RVV
    intptr_t left = bytes, now;
    ORIBI_MICRO_RVV("1:\n\t"
                    "vsetvli %[now], %[left], e8, m8, ta, ma\n\t"
                    "vle8.v v0, (%[from])\n\t"
                    "sub %[left], %[left], %[now]\n\t"
                    "add %[from], %[from], %[now]\n\t"
                    "vse8.v v0, (%[to])\n\t"
                    "add %[to], %[to], %[now]\n\t"
                    "bnez %[left], 1b"
                    : [from] "+&r"(from), [to] "+&r"(to), [left] "+&r"(left), [now] "=&r"(now)
                    :
                    : ORIBI_MICRO_RVV_CLOBBERS);
#else
    for (const int8_t *end = from + bytes; from != end; from++) {
        *to++ = *from;
    }
#endif
    return to;
}

/* Writes so many bytes of a value, 0 or more. Returns to moved on. */
static inline int8_t *oribi_micro_rvv_fill(int32_t value, int32_t bytes, int8_t *to)
{
#ifdef ORIBI_MICRO_RVV
    intptr_t left = bytes, now;
    ORIBI_MICRO_RVV("vsetvli %[now], zero, e8, m8, ta, ma\n\t"
                    "vmv.v.x v0, %[value]\n"
                    "1:\n\t"
                    "vsetvli %[now], %[left], e8, m8, ta, ma\n\t"
                    "sub %[left], %[left], %[now]\n\t"
                    "vse8.v v0, (%[to])\n\t"
                    "add %[to], %[to], %[now]\n\t"
                    "bnez %[left], 1b"
                    : [to] "+&r"(to), [left] "+&r"(left), [now] "=&r"(now)
                    : [value] "r"((intptr_t)value)
                    : ORIBI_MICRO_RVV_CLOBBERS);
#else
    for (int32_t i = 0; i < bytes; i++) {
        *to++ = (int8_t)value;
    }
#endif
    return to;
}

#endif
