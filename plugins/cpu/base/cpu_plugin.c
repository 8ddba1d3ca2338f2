/* SPDX-License-Identifier: Apache-2.0 */
/* Registers rows of kernels with the host. Knows no op: it walks tables and leaves out what the
 * processor lacks.
 */
#include <stdio.h>
#include <string.h>

#include "cpu/base/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#define X86(feature) __builtin_cpu_supports(feature)
#else
#define X86(feature) false
#endif
#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#define AARCH64(bit)   ((getauxval(AT_HWCAP) & (bit)) != 0)
#define AARCH64_2(bit) ((getauxval(AT_HWCAP2) & (bit)) != 0)
#else
#define AARCH64(bit)   false
#define AARCH64_2(bit) false
#endif
#if defined(__riscv)
#include <sys/auxv.h>
#define RISCV(letter) ((getauxval(AT_HWCAP) >> ((letter) - 'A') & 1) != 0)
#else
#define RISCV(letter) false
#endif

bool oribi_cpu_has(oribi_cpu_isa isa)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
#endif
    switch (isa) {
    case ORIBI_ISA_any:
        return true;
#define HOST_ISA(name, processor, priority, flags, test)                                           \
    case ORIBI_ISA_##name:                                                                         \
        return test;
#include "micro/isa_list.inc"
    case ORIBI_ISA_COUNT:
        break;
    }
    return false;
}

const char *oribi_cpu_isa_name(oribi_cpu_isa isa)
{
    static const char *const names[] = {
        "any",
#define HOST_ISA(name, processor, priority, flags, test) #name,
#include "micro/isa_list.inc"
    };
    return (size_t)isa < sizeof names / sizeof names[0] ? names[isa] : "unknown";
}

static void register_row(const oribi_cpu_kernel *row, TF_Status *status)
{
    /* Variants of one op are told apart by their names: "Conv2D.avx512". */
    char name[96];
    (void)snprintf(name, sizeof name, "%s%s%s", row->op_name, row->isa != ORIBI_ISA_any ? "." : "",
                   row->isa != ORIBI_ISA_any ? oribi_cpu_isa_name(row->isa) : "");
    oribi_kit_kernel kernel = {.op = row->op_name,
                               .device = "CPU",
                               .name = name,
                               .label = row->label,
                               .priority = row->priority,
                               .strided_outputs = row->strided_outputs,
                               .create = row->create,
                               .compute = row->compute,
                               .destroy = row->destroy};
    memcpy(kernel.types, row->types, sizeof kernel.types);
    oribi_kit_register(&kernel, status);
}

void oribi_cpu_register(const oribi_cpu_family *family, const char *op_name)
{
    TF_Status *status = TF_NewStatus();
    for (; family->name != NULL; family++) {
        const oribi_cpu_kernel *row = family->kernels; /* NULL: of cpu_extra, not linked in here */
        for (; row != NULL && row->op_name != NULL; row++) {
            if ((op_name == NULL ||
                 (row->op_name[0] == op_name[0] && strcmp(row->op_name, op_name) == 0)) &&
                oribi_cpu_has(row->isa)) {
                register_row(row, status);
            }
        }
    }
    TF_DeleteStatus(status); /* the host's load transaction remembers a failure by itself */
}
