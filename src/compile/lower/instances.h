/* SPDX-License-Identifier: Apache-2.0 */
/* Instances: kernels for the calls of a model that have sizes in common (a shape class), which are
 * constants in them. Which are worth their code is decided in instances.c by what kernels say of
 * their costs (micro/costs_prepare.h); the arithmetic is the kernel's own body
 * (micro/<kernel>_body.h), whichever runs.
 */
#ifndef ORIBI_COMPILE_INSTANCES_H_
#define ORIBI_COMPILE_INSTANCES_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "compile/lower/lower.h"
#include "micro/costs_prepare.h"

/* A shape class of a model, made into an instance or not. */
typedef struct oribi_instance {
    const struct oribi_micro_costs *costs; /* of the kernel */
    struct oribi_micro_class shape;        /* its instructions are those of one call */
    const char *name; /* "conv2d_lanes_s8_point16": file and function of what is made */
    const char *what; /* "points of 16 channels" */
    int32_t n_calls;  /* of the class; once it is made, those that it has */
    int64_t generic;  /* estimates: instructions of these calls by the kernel, */
    int64_t special;  /* and by the instance */
    bool is_made;
    const char *why; /* it is, or it is not */
} oribi_instance;

typedef struct oribi_instances {
    oribi_instance *items; /* those that are made first, in the order in which they were chosen */
    int32_t n;
    int64_t instructions; /* estimate of the model's calls without instances, */
    int64_t with;         /* and with those that are made */
    int32_t code_bytes;   /* that they add, less kernels that nothing calls any more */
    int32_t budget_bytes; /* that the option allows; 0: none are made */
} oribi_instances;

/* Chooses instances for the calls as the option `optimize` says (ORIBI_OPTIMIZE_...), and makes the
 * calls theirs: kernel and instance change. Estimates the instructions of every call. Everything
 * lives in the arena. False: no memory. */
bool oribi_instances_choose(oribi_call *calls, int32_t n_calls, int32_t optimize,
                            oribi_arena *arena, oribi_instances *out);

#endif
