/* SPDX-License-Identifier: Apache-2.0 */
/* Weights in packed form: packed once when they are constant, by the call when not. The bytes of
 * the model are given back where the packed copy replaces them. Read next: gemm.h, conv.c.
 */
#ifndef ORIBI_PLUGINS_CPU_WEIGHTS_H_
#define ORIBI_PLUGINS_CPU_WEIGHTS_H_

#include "cpu/product/gemm.h"
#include "cpu/base/cpu.h"

#include "micro/dims.h"

/* Dense or constant weights: dims and where each element lies. */
typedef struct oribi_weights_view {
    const char *data;
    oribi_dims dims, strides; /* as many of the one as of the other; strides in bytes */
} oribi_weights_view;

/* True when input `index` is a float constant of this rank. */
bool oribi_weights_constant(oribi_kit_setup *setup, int index, int rank, oribi_weights_view *out);
/* Input `index` of this call; fails when its type or rank is another. */
bool oribi_weights_input(oribi_kit_run *run, int index, int rank, oribi_weights_view *out);

/* For oribi_gemm_source.done: the host may give the pages of what was packed back. `arg` is one of
 * these; it lives as long as the packing. */
typedef struct oribi_weights_reader {
    TF_OpKernelConstruction *construction;
    int index;
} oribi_weights_reader;
void oribi_weights_read(void *arg, const char *from, int64_t bytes);

/* 64-byte aligned memory of the kernel; NULL: failed, reported. */
float *oribi_weights_allocate(oribi_kit_setup *setup, int64_t count);

/* Weights that are packed, or were before. What fill does follows from the constants among `inputs`
 * (bit i: input i) and from what the layout names; it writes `count` floats. */
typedef struct oribi_weights_packing {
    uint64_t inputs;
    int64_t count;
    void (*fill)(void *arg, float *to);
    void *arg;
} oribi_weights_packing;
/* The host's, for the life of the kernel, and zeros up to where loops may read; NULL: failed,
 * reported. The rest is the layout, as for printf. */
const float *oribi_weights_pack(oribi_kit_setup *setup, const oribi_weights_packing *packing,
                                const char *layout, ...) __attribute__((format(printf, 3, 4)));
/* Floats of `groups` packed k x n matrices; -1 when the count leaves int64. */
int64_t oribi_weights_count(const oribi_gemm_variant *variant, int64_t groups, int64_t k,
                            int64_t n);

#endif
