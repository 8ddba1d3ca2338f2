/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction sets of micro/isa_list.inc as C sees them: a number, a priority and a name each,
 * and whether the processor that runs this has it. The build makes isa_parts.h from the names of
 * files: ORIBI_ISAS_OF_<part>(ROW) is ROW(part, isa) for each set that <part> has a file for.
 */
#ifndef ORIBI_PLUGINS_CPU_ISA_H_
#define ORIBI_PLUGINS_CPU_ISA_H_

#include <stdbool.h>

#include "isa_parts.h"

/* What a row needs of the processor; a row registers only where the processor has it. Names end as
 * those of the list do, in small letters: ORIBI_ISA_avx2. `any`: reference rows, and others that
 * are in the list for no speed of theirs. */
typedef enum oribi_cpu_isa {
    ORIBI_ISA_any,
#define HOST_ISA(name, processor, priority, flags, test) ORIBI_ISA_##name,
#include "micro/isa_list.inc"
    ORIBI_ISA_COUNT
} oribi_cpu_isa;

/* Priorities: reference rows are -1000; variants are better the higher, up to -900. All are
 * negative, so that a plugin at 0 wins and never ties. */
enum {
    ORIBI_CPU_REFERENCE = -1000,
    ORIBI_ISA_PRIORITY_any = ORIBI_CPU_REFERENCE,
    ORIBI_CPU_MICRO = -995, /* what emitted C computes; label "micro" */
#define HOST_ISA(name, processor, priority, flags, test) ORIBI_ISA_PRIORITY_##name = priority,
#include "micro/isa_list.inc"
};

/* Does the processor that runs this have the ISA? */
bool oribi_cpu_has(oribi_cpu_isa isa);
const char *oribi_cpu_isa_name(oribi_cpu_isa isa); /* "any", "avx2", ... */

/* The fields `priority` and `isa` of a row for a set. */
#define ORIBI_ISA_FIELDS_(set) .priority = ORIBI_ISA_PRIORITY_##set, .isa = ORIBI_ISA_##set
#define ORIBI_ISA_FIELDS(set)  ORIBI_ISA_FIELDS_(set)

/* For a file of one set, which has said `#define ORIBI_ISA avx2` (or another): the set's name, and
 * the name of the table of kernels that the file exports. */
#define ORIBI_ISA_TEXT_(set)           #set
#define ORIBI_ISA_TEXT(set)            ORIBI_ISA_TEXT_(set)
#define ORIBI_ISA_NAME                 ORIBI_ISA_TEXT(ORIBI_ISA)
#define ORIBI_ISA_TABLE_OF_(part, set) oribi_cpu_##part##_##set##_kernels
#define ORIBI_ISA_TABLE_OF(part, set)  ORIBI_ISA_TABLE_OF_(part, set)
#define ORIBI_ISA_TABLE(part)          ORIBI_ISA_TABLE_OF(part, ORIBI_ISA)

/* Before a loop whose output may be one of its inputs, element for element, and else overlaps
 * nothing: without it compilers test for overlap and take the scalar loop when in place. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* builds that do not vectorise at all */
#define ORIBI_CPU_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ORIBI_CPU_NO_ALIAS _Pragma("GCC ivdep")
#else
#define ORIBI_CPU_NO_ALIAS
#endif

#endif
