/* SPDX-License-Identifier: Apache-2.0 */
/* Between fold.c and fold_view.c. */
#ifndef ORIBI_PASS_FOLD_INTERNAL_H_
#define ORIBI_PASS_FOLD_INTERNAL_H_

#include "pass/pass_internal.h"

/* Replaces a node on constants by a view of them, without any bytes. True when it did; false with
 * OK status when the node is of another kind. */
bool oribi_pass_fold_view(oribi_graph *graph, oribi_node *node, const oribi_pass_options *options,
                          oribi_pass_report *report, TF_Status *status);
/* Puts the nodes of the graph that a constant condition chooses in the place of its node, which is
 * gone then (*out_spliced); hands on to graphs, and to what is behind them, what is known. */
bool oribi_pass_fold_control(oribi_graph *graph, oribi_node *node,
                             const oribi_pass_options *options, oribi_pass_report *report,
                             bool *out_spliced, TF_Status *status);
/* May folding run the node's kernel? */
bool oribi_pass_may_run(const oribi_node *node);
/* fold_trips.c: how many iterations a loop has, `most` at most, whose condition can be computed
 * beforehand; -1: not. The condition that it begins with is true. */
int64_t oribi_pass_count_trips(oribi_graph *graph, const oribi_node *node,
                               const oribi_pass_options *options, int64_t most, TF_Status *status);
/* Replaces an integer node whose value follows from shapes alone. */
bool oribi_pass_fold_known(oribi_graph *graph, oribi_node *node, oribi_pass_report *report,
                           TF_Status *status);

#endif
