/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of an import, and what it says when it is over.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding.h"

TF_ImportGraphDefOptions *TF_NewImportGraphDefOptions(void)
{
    TF_ImportGraphDefOptions *options = oribi_alloc_zero(1, sizeof *options);
    return options;
}

void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions *opts)
{
    if (opts != NULL) {
        oribi_arena_destroy(&opts->arena);
        oribi_free(opts);
    }
}

static const char *copy(TF_ImportGraphDefOptions *opts, const char *text)
{
    const char *kept = oribi_arena_strdup(&opts->arena, text != NULL ? text : "");
    opts->has_failed = opts->has_failed || kept == NULL;
    return kept;
}

void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions *opts, const char *prefix)
{
    opts->prefix = copy(opts, prefix);
}

void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions *opts, const char *device)
{
    opts->device = copy(opts, device);
}

void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions *opts,
                                              unsigned char uniquify_names)
{
    opts->uniquifies_names = uniquify_names != 0;
}

void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions *opts,
                                               unsigned char uniquify_prefix)
{
    opts->uniquifies_prefix = uniquify_prefix != 0;
}

/* Nothing here depends on where operations are placed. */
void TF_ImportGraphDefOptionsSetValidateColocationConstraints(TF_ImportGraphDefOptions *opts,
                                                              unsigned char enable)
{
    (void)opts;
    (void)enable;
}

static void append(TF_ImportGraphDefOptions *opts, oribi_binding_mapping **list, const char *name,
                   int index, TF_Output dst)
{
    oribi_binding_mapping *made = oribi_arena_array(&opts->arena, 1, sizeof *made);
    if (made == NULL) {
        opts->has_failed = true;
        return;
    }
    *made = (oribi_binding_mapping){.name = copy(opts, name), .index = index, .dst = dst};
    while (*list != NULL) {
        list = &(*list)->next;
    }
    *list = made;
}

/* "name:2" may be given as a name. */
static int split(const char *name, int index, size_t *out_length)
{
    const char *colon = strrchr(name, ':');
    int port = 0;
    *out_length = strlen(name);
    if (colon == NULL || colon[1] == '\0' || strlen(colon) > 8) {
        return index;
    }
    for (const char *at = colon + 1; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') {
            return index;
        }
        port = port * 10 + (*at - '0');
    }
    *out_length = (size_t)(colon - name);
    return port;
}

static void append_reference(TF_ImportGraphDefOptions *opts, oribi_binding_mapping **list,
                             const char *name, int index, TF_Output dst)
{
    size_t length;
    const int port = split(name, index, &length);
    const char *bare = oribi_arena_strndup(&opts->arena, name, length);
    if (bare == NULL) {
        opts->has_failed = true;
    } else {
        append(opts, list, bare, port, dst);
    }
}

void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions *opts, const char *src_name,
                                             int src_index, TF_Output dst)
{
    append_reference(opts, &opts->mappings, src_name, src_index, dst);
}

void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions *opts,
                                                    const char *src_name, TF_Operation *dst)
{
    append(opts, &opts->mappings, src_name, -1, (TF_Output){dst, -1});
}

void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions *opts,
                                                  TF_Operation *oper)
{
    append(opts, &opts->controls, oper->name, -1, (TF_Output){oper, -1});
}

void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions *opts, const char *oper_name,
                                             int index)
{
    append_reference(opts, &opts->outputs, oper_name, index, (TF_Output){NULL, 0});
    opts->n_outputs++;
}

int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions *opts)
{
    return opts->n_outputs;
}

void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions *opts,
                                                const char *oper_name)
{
    append(opts, &opts->operations, oper_name, -1, (TF_Output){NULL, 0});
    opts->n_operations++;
}

int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions *opts)
{
    return opts->n_operations;
}

/* --- Results -------------------------------------------------------------------------------- */

void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults *results, int *num_outputs,
                                           TF_Output **outputs)
{
    *num_outputs = results->n_outputs;
    *outputs = results->outputs;
}

void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults *results, int *num_opers,
                                              TF_Operation ***opers)
{
    *num_opers = results->n_operations;
    *opers = results->operations;
}

void TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults *results,
                                                        int *num_missing_unused_input_mappings,
                                                        const char ***src_names, int **src_indexes)
{
    *num_missing_unused_input_mappings = results->n_missing;
    *src_names = results->missing_names;
    *src_indexes = results->missing_indexes;
}

void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults *results)
{
    if (results != NULL) {
        oribi_arena_destroy(&results->arena);
        oribi_free(results);
    }
}

/* --- Imports -------------------------------------------------------------------------------- */

static bool import(TF_Graph *graph, const TF_Buffer *graph_def,
                   const TF_ImportGraphDefOptions *options, TF_ImportGraphDefResults *results,
                   TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    ORIBI_TRY(options == NULL || !options->has_failed || oribi_fail_memory(status));
    oribi_mutex_lock(&graph->lock);
    const uint8_t *kept = oribi_binding_keep(graph, graph_def->data, graph_def->length, status);
    const bool ok =
        kept != NULL && oribi_binding_import(graph, oribi_wire_over(kept, graph_def->length),
                                             options, results, status);
    oribi_mutex_unlock(&graph->lock);
    return ok;
}

TF_ImportGraphDefResults *TF_GraphImportGraphDefWithResults(TF_Graph *graph,
                                                            const TF_Buffer *graph_def,
                                                            const TF_ImportGraphDefOptions *options,
                                                            TF_Status *status)
{
    TF_ImportGraphDefResults *results = oribi_alloc_zero(1, sizeof *results);
    if (results == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (!import(graph, graph_def, options, results, status)) {
        TF_DeleteImportGraphDefResults(results);
        return NULL;
    }
    return results;
}

void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph *graph, const TF_Buffer *graph_def,
                                             const TF_ImportGraphDefOptions *options,
                                             TF_Output *return_outputs, int num_return_outputs,
                                             TF_Status *status)
{
    if (num_return_outputs != options->n_outputs) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Expected 'num_return_outputs' to be %d, got %d",
                   (int)options->n_outputs, num_return_outputs);
        return;
    }
    TF_ImportGraphDefResults *results =
        TF_GraphImportGraphDefWithResults(graph, graph_def, options, status);
    for (int i = 0; results != NULL && i < num_return_outputs; i++) {
        return_outputs[i] = results->outputs[i];
    }
    TF_DeleteImportGraphDefResults(results);
}

void TF_GraphImportGraphDef(TF_Graph *graph, const TF_Buffer *graph_def,
                            const TF_ImportGraphDefOptions *options, TF_Status *status)
{
    (void)import(graph, graph_def, options, NULL, status);
}
