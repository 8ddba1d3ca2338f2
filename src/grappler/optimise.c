/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a plugin's graph optimiser; see grappler.h. */
#include "grappler/grappler.h"

#include "base/log.h"
#include "pass/pass.h"
#include "plugin/optimizer.h"

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
           (out->data != NULL || oribi_fail(status, TF_INTERNAL, "it gave no graph back"));
}

static oribi_graph *optimised(const oribi_optimizer *optimizer, oribi_graph *graph,
                              const oribi_graphdef_names *names, TF_Status *status)
{
    const TF_GrapplerItem item = {graph, names};
    oribi_graph *result = NULL;
    TF_Buffer *before = oribi_graphdef_write(graph, names, status);
    TF_Buffer *after = TF_NewBuffer();
    if (before != NULL && (after != NULL || oribi_fail_memory(status)) &&
        call(optimizer, before, &item, after, status)) {
        result = oribi_graphdef_read(graph, names, after, status);
    }
    TF_DeleteBuffer(before);
    TF_DeleteBuffer(after);
    return result;
}

bool oribi_grappler_run(oribi_graph **graph, const char *device_type, uint32_t *disabled_passes,
                        TF_Status *status)
{
    const oribi_optimizer *optimizer = oribi_optimizer_find(device_type);
    oribi_graphdef_names names;
    if (optimizer == NULL) {
        return true;
    }
    *disabled_passes |= passes_off(&optimizer->configs);
    ORIBI_TRY(oribi_graph_sort(*graph, status) && oribi_graphdef_name(*graph, &names, status));
    TF_Status *why = TF_NewStatus();
    oribi_graph *better = optimised(optimizer, *graph, &names, why);
    if (better != NULL) {
        oribi_log(ORIBI_LOG_INFO, "graph optimiser of '%s' for %s: %d nodes became %d",
                  optimizer->provider, device_type, (int)(*graph)->n_order, (int)better->n_order);
        oribi_graph_destroy(*graph);
        *graph = better;
    } else {
        oribi_log(ORIBI_LOG_WARNING, "graph optimiser of '%s' for %s: %s; the model runs as it was",
                  optimizer->provider, device_type, TF_Message(why));
    }
    TF_DeleteStatus(why);
    oribi_graphdef_names_destroy(&names);
    return true;
}
