/* SPDX-License-Identifier: Apache-2.0 */
/* Registers the cpu plugin's rows with the host. Knows no op: it walks the families' tables and
 * leaves out what the processor lacks. Read next: families.h, then a family's file.
 */
#include "cpu/families.h"

#include <stdio.h>

#include "built_in.h"

#define FAMILY_ROW(family) {#family, oribi_cpu_##family##_kernels},
const oribi_cpu_family oribi_cpu_families[] = {ORIBI_CPU_FAMILIES(FAMILY_ROW){NULL, NULL}};
#undef FAMILY_ROW

bool oribi_cpu_has(oribi_cpu_isa isa)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    switch (isa) {
    case ORIBI_CPU_ISA_ANY:
        return true;
    case ORIBI_CPU_ISA_AVX2:
        return avx2;
    case ORIBI_CPU_ISA_AVX512:
        return avx512;
    case ORIBI_CPU_ISA_VNNI:
        return avx512 && __builtin_cpu_supports("avx512vnni") &&
               __builtin_cpu_supports("avx512vbmi");
    case ORIBI_CPU_ISA_NEON:
        return false;
    }
    return false;
#elif defined(__aarch64__)
    return isa == ORIBI_CPU_ISA_ANY || isa == ORIBI_CPU_ISA_NEON; /* part of the base ISA */
#else
    return isa == ORIBI_CPU_ISA_ANY;
#endif
}

const char *oribi_cpu_isa_name(oribi_cpu_isa isa)
{
    static const char *const names[] = {
        [ORIBI_CPU_ISA_ANY] = "any",       [ORIBI_CPU_ISA_AVX2] = "avx2",
        [ORIBI_CPU_ISA_AVX512] = "avx512", [ORIBI_CPU_ISA_VNNI] = "vnni",
        [ORIBI_CPU_ISA_NEON] = "neon",
    };
    return (size_t)isa < sizeof names / sizeof names[0] ? names[isa] : "unknown";
}

/* types[i] is the type for the row's constraint i. */
static void register_one(const oribi_cpu_kernel *row, const TF_DataType *types, TF_Status *status)
{
    TF_KernelBuilder *builder =
        TF_NewKernelBuilder(row->op_name, "CPU", row->create, row->compute, row->destroy);
    for (int i = 0; i < ORIBI_CPU_MAX_CONSTRAINTS && row->types[i].attr != NULL; i++) {
        TF_KernelBuilder_TypeConstraint(builder, row->types[i].attr, types[i], status);
        if (TF_GetCode(status) != TF_OK) {
            TF_DeleteKernelBuilder(builder);
            return;
        }
    }
    TF_KernelBuilder_Priority(builder, row->priority);
    if (row->label != NULL) {
        TF_KernelBuilder_Label(builder, row->label);
    }
    for (int i = 0; i < 64; i++) {
        if ((row->strided_outputs >> i & 1) != 0) {
            TF_KernelBuilder_StridedOutput(builder, i);
        }
    }
    /* Variants of one op are told apart by their names: "Conv2D.avx512". */
    char name[96];
    snprintf(name, sizeof name, "%s%s%s", row->op_name, row->isa != ORIBI_CPU_ISA_ANY ? "." : "",
             row->isa != ORIBI_CPU_ISA_ANY         ? oribi_cpu_isa_name(row->isa)
             : row->priority == ORIBI_CPU_PORTABLE ? ".portable"
                                                   : "");
    TF_RegisterKernelBuilder(name, builder, status);
}

/* Every combination of the types that the constraints from `index` on allow. */
static void register_types(const oribi_cpu_kernel *row, int index, TF_DataType *types,
                           TF_Status *status)
{
    if (index == ORIBI_CPU_MAX_CONSTRAINTS || row->types[index].attr == NULL) {
        register_one(row, types, status);
        return;
    }
    for (int type = 0; type < 64 && TF_GetCode(status) == TF_OK; type++) {
        if ((row->types[index].types >> type & 1) != 0) {
            types[index] = (TF_DataType)type;
            register_types(row, index + 1, types, status);
        }
    }
}

void oribi_cpu_init(void)
{
    TF_Status *status = TF_NewStatus();
    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            TF_DataType types[ORIBI_CPU_MAX_CONSTRAINTS] = {0};
            if (oribi_cpu_has(row->isa)) {
                register_types(row, 0, types, status);
            }
        }
    }
    TF_DeleteStatus(status); /* the host's load transaction remembers a failure by itself */
}
