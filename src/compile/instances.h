/* SPDX-License-Identifier: Apache-2.0 */
/* Instances: kernels for the calls of a model that have sizes in common (a shape class), which are
 * constants in them. Which are worth their code is decided in instances.c by the estimates of
 * instance_costs.c; the arithmetic is the kernel's own body (micro/<kernel>_body.h), whichever
 * runs.
 */
#ifndef ORIBI_COMPILE_INSTANCES_H_
#define ORIBI_COMPILE_INSTANCES_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "compile/lower.h"

enum { ORIBI_INSTANCE_CONSTANTS = 8 };

typedef struct oribi_instance_constant {
    const char *name; /* behind ORIBI_MICRO_ */
    int32_t value;
} oribi_instance_constant;

/* A shape class of a model, made into an instance or not. */
typedef struct oribi_instance {
    const char *kernel; /* of micro/: "conv2d_lanes_s8" */
    const char *body;   /* function of its body that does all the work */
    const char *name;   /* "conv2d_lanes_s8_point16": file and function of what is made */
    const char *what;   /* "points of 16 channels" */
    oribi_instance_constant constants[ORIBI_INSTANCE_CONSTANTS];
    int32_t n_constants;
    int32_t n_calls;    /* of the class; once it is made, those that it has */
    int64_t generic;    /* estimates: instructions of these calls by the kernel, */
    int64_t special;    /* by the instance, */
    int32_t code_bytes; /* and bytes of its code */
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
 * calls theirs: kernel, args, header and instance change. Everything lives in the arena. False: no
 * memory. */
bool oribi_instances_choose(oribi_call *calls, int32_t n_calls, int32_t optimize,
                            oribi_arena *arena, oribi_instances *out);

/* The C of an instance and its header, in the words of micro/. */
void oribi_instance_source(const oribi_instance *instance, oribi_text *text);
void oribi_instance_header(const oribi_instance *instance, oribi_text *text);

/* Value of a constant; `otherwise` when there is none of that name. */
int32_t oribi_instance_constant_of(const oribi_instance *instance, const char *name,
                                   int32_t otherwise);

/* --- instance_costs.c: estimates for a Cortex-M4 --------------------------------------------- */

/* Instructions of a call by its kernel (instance NULL) or by an instance. */
int64_t oribi_instance_cost(const oribi_call *call, const oribi_instance *instance);
int32_t oribi_instance_code(const oribi_instance *instance);
int32_t oribi_instance_kernel_code(const char *kernel);

#endif
