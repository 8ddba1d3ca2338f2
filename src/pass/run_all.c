/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the passes. Kernels are chosen before anything is fused, so that a vendor's kernel
 * keeps its op; layout comes before batch_norm and fuse, because importers put transposes between
 * the nodes that those two join. The first half, all but fusing, is what graph optimisers of
 * plugins get: what our importers left there is no concern of theirs.
 */
#include "pass/pass_internal.h"

static void note_size(oribi_graph *graph, oribi_pass_report *report, const char *when)
{
    int32_t n_live = 0;
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        n_live += graph->nodes[i]->is_dead ? 0 : 1;
    }
    oribi_pass_note(graph, report, "graph", "%d nodes %s", (int)n_live, when);
}

static oribi_pass_options complete(const oribi_pass_options *options)
{
    static const oribi_pass_options defaults = {0};
    oribi_pass_options all = options != NULL ? *options : defaults;
    if (all.keep_names) {
        all.disabled |= ORIBI_PASS_FUSE | ORIBI_PASS_LAYOUT | ORIBI_PASS_BATCH_NORM;
    }
    return all;
}

bool oribi_pass_prepare(oribi_graph *graph, const oribi_pass_options *options,
                        oribi_pass_report *report, TF_Status *status)
{
    const oribi_pass_options all = complete(options);
    graph->isa = all.isa;
    note_size(graph, report, "in the model");
    ORIBI_TRY(oribi_pass_infer(graph, status));
    ORIBI_TRY(oribi_pass_choose_some(graph, &all, status));
    ORIBI_TRY(oribi_pass_widen(graph, &all, report, status));
    ORIBI_TRY(oribi_pass_choose_some(graph, &all, status));
    ORIBI_TRY(oribi_pass_qdq(graph, &all, report, status));
    ORIBI_TRY(oribi_pass_choose_some(graph, &all, status));
    ORIBI_TRY(oribi_pass_fold(graph, &all, report, status));
    ORIBI_TRY(oribi_pass_layout(graph, &all, report, status));
    ORIBI_TRY(oribi_pass_choose_some(graph, &all, status));
    return oribi_pass_batch_norm(graph, &all, report, status) &&
           oribi_pass_choose_some(graph, &all, status);
}

bool oribi_pass_finish(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status)
{
    const oribi_pass_options all = complete(options);
    ORIBI_TRY(oribi_pass_fuse(graph, &all, report, status));
    int32_t n_dead = oribi_graph_remove_dead(graph);
    if (n_dead > 0) {
        oribi_pass_note(graph, report, "dead", "removed %d nodes that nobody needs", (int)n_dead);
    }
    ORIBI_TRY(oribi_pass_prefer(graph, &all, report, status));
    ORIBI_TRY(oribi_pass_choose(graph, &all, report, status));
    note_size(graph, report, "planned");
    return true;
}

bool oribi_pass_run_all(oribi_graph *graph, const oribi_pass_options *options,
                        oribi_pass_report *report, TF_Status *status)
{
    return oribi_pass_prepare(graph, options, report, status) &&
           oribi_pass_finish(graph, options, report, status);
}
