/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a plugin's graph optimiser; see grappler.h. */
#include "grappler/grappler.h"

#include "base/log.h"
#include "pass/pass.h"
#include "plugin/optimizer.h"

#define HOST "/job:localhost/replica:0/task:0/device:"

/* What an optimiser switches off it stands for itself: our passes leave the nodes that it wrote
 * alone, and no others. */
static uint32_t passes_off(const TP_OptimizerConfigs *configs)
{
    return (configs->constant_folding == TF_TriState_Off ? (uint32_t)ORIBI_PASS_FOLD : 0) |
           (configs->remapping == TF_TriState_Off
                ? (uint32_t)ORIBI_PASS_FUSE | (uint32_t)ORIBI_PASS_BATCH_NORM
                : 0) |
           (configs->layout_optimizer == TF_TriState_Off ? (uint32_t)ORIBI_PASS_LAYOUT : 0);
}

/* The optimised message in `out`. */
static bool call(const oribi_optimizer *optimizer, const TF_Buffer *before,
                 const TF_GrapplerItem *item, TF_Buffer *out, TF_Status *status)
{
    const TP_Optimizer *fns = &optimizer->fns;
    void *self = fns->create_func != NULL ? fns->create_func() : NULL;
    fns->optimize_func(self, before, item, out, status);
    if (fns->destroy_func != NULL) {
        fns->destroy_func(self);
    }
    return oribi_ok(status) &&
           (out->data != NULL || oribi_fail(status, TF_INTERNAL, "it returned no graph"));
}

/* NULL: it failed, or what came back does not fit. */
static oribi_graph *optimised(const oribi_optimizer *optimizer, oribi_graph *graph,
                              const char *standard, int32_t *out_written, TF_Status *status)
{
    oribi_graphdef_names names;
    oribi_graph *result = NULL;
    if (!oribi_graph_sort(graph, status) || !oribi_graphdef_name(graph, standard, &names, status)) {
        return NULL;
    }
    const char *place = standard != NULL ? oribi_arena_printf(&names.arena, "%s%s", HOST, standard)
                                         : ORIBI_HOST_PLACE;
    const TF_GrapplerItem item = {graph, &names};
    TF_Buffer *before = oribi_graphdef_write(graph, &names, false, status);
    TF_Buffer *after = TF_NewBuffer();
    if (before != NULL && ((after != NULL && place != NULL) || oribi_fail_memory(status)) &&
        call(optimizer, before, &item, after, status)) {
        result = oribi_graphdef_return(graph, &names, place, passes_off(&optimizer->configs), after,
                                       out_written, status);
    }
    TF_DeleteBuffer(before);
    TF_DeleteBuffer(after);
    oribi_graphdef_names_destroy(&names);
    return result;
}

/* The report goes on in the new graph's memory. */
static void move_report(oribi_graph *to, oribi_pass_report *report)
{
    const oribi_pass_report old = *report;
    *report = (oribi_pass_report){0};
    for (int32_t i = 0; i < old.n_changes; i++) {
        oribi_pass_note(to, report, old.changes[i].pass, "%s", old.changes[i].what);
    }
}

bool oribi_grappler_run(oribi_graph **graph, const char *device_type,
                        const oribi_pass_options *options, oribi_pass_report *report,
                        TF_Status *status)
{
    const oribi_optimizer *optimizer = oribi_optimizer_find(device_type);
    TF_Status *why = optimizer != NULL ? TF_NewStatus() : NULL;
    int32_t n_written = 0;
    bool ok = true;
    if (why == NULL) {
        return optimizer == NULL || oribi_fail_memory(status);
    }
    if (oribi_graph_has_bodies(*graph)) {
        oribi_pass_note(*graph, report, "optimise", "%s is not asked: the model has control flow",
                        optimizer->provider);
        TF_DeleteStatus(why);
        return true;
    }
    oribi_graph *better = optimised(optimizer, *graph, options->standard, &n_written, why);
    if (better == NULL) {
        oribi_log(ORIBI_LOG_WARNING, "graph optimiser of '%s' for %s: %s; the model runs as it was",
                  optimizer->provider, device_type, TF_Message(why));
    } else {
        move_report(better, report);
        oribi_pass_note(better, report, "optimise", "%d nodes became %d, %d of them written by %s",
                        (int)(*graph)->n_order, (int)better->n_order, (int)n_written,
                        optimizer->provider);
        oribi_log(ORIBI_LOG_INFO,
                  "graph optimiser of '%s' for %s: %d nodes became %d, %d of them written by it",
                  optimizer->provider, device_type, (int)(*graph)->n_order, (int)better->n_order,
                  (int)n_written);
        oribi_graph_destroy(*graph);
        *graph = better;
        ok = oribi_pass_prepare(better, options, report, status);
    }
    TF_DeleteStatus(why);
    return ok;
}
