/* SPDX-License-Identifier: Apache-2.0 */
/* Between compile.c and lower_conditions.c. */
#ifndef ORIBI_COMPILE_LOWER_CONDITIONS_H_
#define ORIBI_COMPILE_LOWER_CONDITIONS_H_

#include "pass/pass.h"

/* Branches of conditions become guarded nodes of the graph, when passes have done their work on
 * both. UNIMPLEMENTED where their results have different shapes, or none that is known. */
bool oribi_compile_lower_conditions(oribi_graph *graph, const oribi_pass_options *options,
                                    oribi_arena *arena, TF_Status *status);

#endif
