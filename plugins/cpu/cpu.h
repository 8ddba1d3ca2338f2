/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu plugin's kernel list: one row per kernel, one table per op family. Rows become
 * registrations (plugin.c), the test matrix (every variant against the reference row of the same op
 * and types) and the benchmark. Selection is never written per op. Read next: families.h, run.h.
 */
#ifndef ORIBI_PLUGINS_CPU_CPU_H_
#define ORIBI_PLUGINS_CPU_CPU_H_

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/thread_pool.h"

/* What a row needs of the processor; a row registers only where the processor has it. */
typedef enum oribi_cpu_isa {
    ORIBI_CPU_ISA_ANY,
    ORIBI_CPU_ISA_AVX2,   /* AVX2 and FMA */
    ORIBI_CPU_ISA_AVX512, /* F, VL, BW, DQ and FMA */
    ORIBI_CPU_ISA_VNNI,   /* these, VNNI and VBMI */
    ORIBI_CPU_ISA_NEON,
} oribi_cpu_isa;

/* Priorities: reference rows are -1000; variants are better the higher, up to -900. All are
 * negative, so that a plugin at 0 wins and never ties. */
enum {
    ORIBI_CPU_REFERENCE = -1000,
    ORIBI_CPU_MICRO = -995,    /* what emitted C computes; label "micro" */
    ORIBI_CPU_PORTABLE = -990, /* fast, portable C */
    ORIBI_CPU_NEON = -960,
    ORIBI_CPU_AVX2 = -950,
    ORIBI_CPU_AVX512 = -940,
    ORIBI_CPU_VNNI = -930,
};

/* Set of element types, one bit per TF_DataType. */
#define ORIBI_CPU_TYPE(dtype) (UINT64_C(1) << (dtype))
#define ORIBI_CPU_F32         ORIBI_CPU_TYPE(TF_FLOAT)

/* The type attribute `attr` must be one of `types`. */
typedef struct oribi_cpu_constraint {
    const char *attr;
    uint64_t types;
} oribi_cpu_constraint;

enum { ORIBI_CPU_MAX_CONSTRAINTS = 2 };

typedef struct oribi_cpu_kernel {
    const char *op_name; /* NULL ends a table */
    /* Up to the first NULL attr; one registration per combination of types. */
    oribi_cpu_constraint types[ORIBI_CPU_MAX_CONSTRAINTS];
    const char *label; /* NULL: "" */
    int32_t priority;
    oribi_cpu_isa isa;
    void *(*create)(TF_OpKernelConstruction *);
    void (*compute)(void *, TF_OpKernelContext *);
    void (*destroy)(void *);
    uint64_t strided_outputs; /* bit i: output i may be written with a row stride */
    double tolerance;         /* relative, of a variant against the reference row; 0: bit for bit */
    const char *why;          /* one line for the support table */
} oribi_cpu_kernel;

/* One op family: the name of its file and its table. */
typedef struct oribi_cpu_family {
    const char *name;
    const oribi_cpu_kernel *kernels;
} oribi_cpu_family;

/* All families, in the order of registration; ends with a NULL name. */
extern const oribi_cpu_family oribi_cpu_families[];

/* Does the processor that runs this have the ISA? */
bool oribi_cpu_has(oribi_cpu_isa isa);
const char *oribi_cpu_isa_name(oribi_cpu_isa isa); /* "any", "avx2", ... */

#endif
