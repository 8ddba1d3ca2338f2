/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu plugin's kernel list: one row per kernel, one table per op family. Rows become
 * registrations (cpu_plugin.c), the test matrix (every variant against the reference row of the
 * same op and types) and the benchmark. Selection is never written per op. Read next: families.h,
 * oribi/kernel_kit.h.
 */
#ifndef ORIBI_PLUGINS_CPU_CPU_H_
#define ORIBI_PLUGINS_CPU_CPU_H_

#include "cpu/base/isa.h"
#include "oribi/kernel_kit.h"

#define ORIBI_CPU_F32 ORIBI_KIT_TYPE(TF_FLOAT) /* a set of element types */

typedef struct oribi_cpu_kernel {
    const char *op_name; /* NULL ends a table */
    /* Up to the first NULL attr; one registration per combination of types. */
    oribi_kit_constraint types[ORIBI_KIT_MAX_CONSTRAINTS];
    const char *label; /* NULL: "" */
    int16_t priority;
    uint8_t strided_outputs; /* bit i: output i may be written with a row stride */
    uint8_t isa;             /* an oribi_cpu_isa */
    float tolerance;         /* relative, of a variant against the reference row; 0: bit for bit */
    void *(*create)(TF_OpKernelConstruction *);
    void (*compute)(void *, TF_OpKernelContext *);
    void (*destroy)(void *);
    const char *why; /* it is fast, or what it is; for tests and the benchmark */
} oribi_cpu_kernel;

/* Rows of reference kernels: fn_compute, and what make_create reads of the node. The rest is why,
 * and members beside it: ORIBI_CPU_ROW("Abs", abs, "plain loop", ORIBI_CPU_OF(TF_FLOAT)).
 */
#define ORIBI_CPU_ROW(op, fn, ...)                                                                 \
    {                                                                                              \
        .op_name = op, .priority = ORIBI_CPU_REFERENCE, .compute = fn##_compute,                   \
        .why = __VA_ARGS__                                                                         \
    }
#define ORIBI_CPU_STATE_ROW(op, make, fn, ...)                                                     \
    ORIBI_CPU_ROW(op, fn, __VA_ARGS__, .create = make##_create, .destroy = oribi_kit_free)
/* The one beside it that computes what emitted C does with --fma. */
#define ORIBI_CPU_FMA_ROW(op, make, fn)                                                            \
    {                                                                                              \
        .op_name = op, .compute = fn##_compute, .label = "micro-fma", .priority = ORIBI_CPU_MICRO, \
        .why = "the arithmetic of emitted C", .create = make##_create, .destroy = oribi_kit_free   \
    }
/* The same of an instruction set. */
#define ORIBI_CPU_ISA_ROW(op, set, fn, ...)                                                        \
    {                                                                                              \
        .op_name = op, ORIBI_ISA_FIELDS(set), .compute = fn##_compute, .why = __VA_ARGS__          \
    }
#define ORIBI_CPU_OF(dtype) .types = {{"T", ORIBI_KIT_TYPE(dtype)}}

/* One op family: the name of its file and its table. */
typedef struct oribi_cpu_family {
    const char *name;
    const oribi_cpu_kernel *kernels;
} oribi_cpu_family;

/* All families, in the order of registration; ends with a NULL name. Kernels are NULL where the
 * family is not linked in. */
extern const oribi_cpu_family oribi_cpu_families[];
/* Registers the rows that this processor can run: of one op, or of all where that is NULL. */
void oribi_cpu_register(const oribi_cpu_family *families, const char *op_name);

/* Cycles, about, that a kernel's loop works between two looks whether its run was stopped (kit.c).
 * Tests alone write it. */
extern int64_t oribi_cpu_look_cycles;

#endif
