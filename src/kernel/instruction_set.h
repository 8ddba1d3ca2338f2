/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the built-in kernels' instruction sets, those of micro/isa_list.inc. A kernel tells its
 * set by its priority, which that list gives; kernels of other plugins lie outside and are never
 * limited.
 */
#ifndef ORIBI_KERNEL_INSTRUCTION_SET_H_
#define ORIBI_KERNEL_INSTRUCTION_SET_H_

#include "kernel/kernel.h"

typedef struct oribi_instruction_set {
    const char *name;
    int32_t priority; /* of its kernels */
} oribi_instruction_set;

/* By name; "any" is what needs no more than the compiler's own processor. NULL: INVALID_ARGUMENT
 * with all names, or UNIMPLEMENTED: the processor that runs this lacks it. */
const oribi_instruction_set *oribi_instruction_set_find(const char *name, TF_Status *status);
/* Does the kernel need more than the set? `limit` may be NULL. */
bool oribi_kernel_exceeds(const oribi_kernel_def *kernel, const oribi_instruction_set *limit);

#endif
