/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of fusing share: fuse.c has chains, fuse_formula.c formulas, fuse_attention.c
 * the one pattern that is neither. */
#ifndef ORIBI_PASS_FUSE_INTERNAL_H_
#define ORIBI_PASS_FUSE_INTERNAL_H_

#include "op/fusion.h"
#include "pass/pass_internal.h"

typedef struct oribi_fusion_row { /* of the table of fusions */
    const oribi_op_def *first, *fused;
    const oribi_fusion *words;
} oribi_fusion_row;

typedef struct oribi_fusion_table {
    oribi_fusion_row *rows;
    int32_t n, capacity;
    bool of_formulas; /* which rows are wanted */
    bool failed;      /* no memory */
} oribi_fusion_table;

/* Fills a zeroed table, the ops that are preferred first. Free rows in any case. */
bool oribi_fusion_table_make(oribi_fusion_table *table, TF_Status *status);
/* Who wrote the kernel that was chosen; NULL: we. */
const char *oribi_fusion_vendor_of(const oribi_node *node);
bool oribi_fusion_same_device(const oribi_node *a, const oribi_node *b);
/* Does a vendor's kernel of the node know what it is told? */
bool oribi_fusion_can_create(oribi_graph *graph, const oribi_node *node, TF_Status *status);
/* Not where layers keep to plain activations: what is emitted stays as it is. */
bool oribi_pass_fuse_formulas(oribi_graph *graph, const oribi_pass_options *options,
                              oribi_pass_report *report, TF_Status *status);
/* The same holds of attention. */
bool oribi_pass_fuse_attention(oribi_graph *graph, const oribi_pass_options *options,
                               oribi_pass_report *report, TF_Status *status);
/* fuse_pad.c */
bool oribi_pass_fuse_pads(oribi_graph *graph, oribi_pass_report *report, TF_Status *status);
/* fuse_repeat.c: the heads [batch, heads, length, size] of which each stands `times` one after the
 * other in the value; -1: it is not so, or cannot be known. */
oribi_value_id oribi_pass_unrepeat(oribi_graph *graph, oribi_value_id value, int64_t *out_times);

#endif
