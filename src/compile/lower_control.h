/* SPDX-License-Identifier: Apache-2.0 */
/* Between compile.c, lower_control.c (the walk), lower_conditions.c and lower_loops.c. */
#ifndef ORIBI_COMPILE_LOWER_CONTROL_H_
#define ORIBI_COMPILE_LOWER_CONTROL_H_

#include "pass/pass.h"

/* Branches of conditions and bodies of loops become nodes of the graph, when passes have done their
 * work on both. UNIMPLEMENTED where what they give has no fixed shape. */
bool oribi_compile_lower_control(oribi_graph *graph, const oribi_pass_options *options,
                                 oribi_arena *arena, TF_Status *status);

typedef struct oribi_inlining {
    oribi_graph *graph;
    const oribi_pass_options *options;
    oribi_arena *arena;
    TF_Status *status;
} oribi_inlining;

/* The nodes that stand for the node are in the graph, and nothing reads the node. */
bool oribi_compile_lower_condition(const oribi_inlining *inlining, oribi_node *node);
bool oribi_compile_lower_loop(const oribi_inlining *inlining, oribi_node *node);

/* A node of one output beside another. -1: failed. */
oribi_value_id oribi_inline_add(const oribi_inlining *inlining, const oribi_node *like,
                                const char *op, const oribi_value_id *inputs, int32_t n);
/* The graph as a session has it: by all passes. */
bool oribi_inline_prepare(const oribi_inlining *inlining, const oribi_node *node, oribi_body *body);
/* An array in the arena; NULL with a message. */
oribi_value_id *oribi_inline_values(const oribi_inlining *inlining, int32_t n);

#endif
