/* SPDX-License-Identifier: Apache-2.0 */
/* An optimiser and a profiler that hand messages on: what Oribi writes goes to files of the folder
 * MESSAGES, what it reads comes from there. messages.py makes and reads them with TensorFlow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/pluggable_profiler/pluggable_profiler.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("messages", "1.0", "Apache-2.0");

enum { MAX_ENDS = 8 };

static FILE *open_file(const char *name, const char *mode)
{
    char path[600];
    const char *folder = getenv("MESSAGES");
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : ".", name);
    return fopen(path, mode);
}

static void store(const char *name, const void *bytes, size_t n)
{
    FILE *file = open_file(name, "wb");
    if (file != NULL) {
        fwrite(bytes, 1, n, file);
        fclose(file);
    }
}

/* NULL: no such file. */
static void *load(const char *name, size_t *n)
{
    FILE *file = open_file(name, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*n + 1);
    *n = fread(bytes, 1, *n, file);
    bytes[*n] = 0;
    fclose(file);
    return bytes;
}

static void free_bytes(void *data, size_t length)
{
    (void)length;
    free(data);
}

static void store_ends(TF_GraphProperties *properties, const char *node, int index, int outputs,
                       TF_Status *status)
{
    TF_Buffer *ends[MAX_ENDS] = {NULL};
    int n = 0;
    (outputs ? TF_GetOutputPropertiesListSize : TF_GetInputPropertiesListSize)(properties, node, &n,
                                                                               status);
    n = n < MAX_ENDS ? n : MAX_ENDS;
    for (int i = 0; i < n; i++) {
        ends[i] = TF_NewBuffer();
    }
    (outputs ? TF_GetOutputPropertiesList : TF_GetInputPropertiesList)(properties, node, ends, n,
                                                                       status);
    for (int i = 0; i < n; i++) {
        char name[60];
        snprintf(name, sizeof name, "%s.%d.%d", outputs ? "output" : "input", index, i);
        store(name, ends[i]->data, ends[i]->length);
        TF_DeleteBuffer(ends[i]);
    }
}

/* Of the nodes that the file "nodes" names, one a line. */
static void store_properties(const TF_GrapplerItem *item, TF_Status *status)
{
    size_t n;
    char *names = load("nodes", &n);
    TF_GraphProperties *properties = TF_NewGraphProperties(item);
    TF_InferStatically(properties, 1, 0, 1, 1, status);
    int index = 0;
    for (char *name = names != NULL ? strtok(names, "\n") : NULL; name != NULL;
         name = strtok(NULL, "\n")) {
        store_ends(properties, name, index, 1, status);
        store_ends(properties, name, index++, 0, status);
    }
    TF_DeleteGraphProperties(properties);
    free(names);
}

static void store_fetches(const TF_GrapplerItem *item, TF_Status *status)
{
    int n = 0;
    size_t bytes = 0;
    TF_GetFetchNodesListSize(item, &n, &bytes, status);
    char **values = calloc((size_t)n + 1, sizeof *values);
    size_t *lengths = calloc((size_t)n + 1, sizeof *lengths);
    char *storage = malloc(bytes + 1);
    TF_GetFetchNodesList(item, values, lengths, n, storage, bytes, status);
    if (n > 0 && TF_GetCode(status) == TF_OK) {
        store("fetch", values[0], lengths[0]);
    }
    free(values);
    free(lengths);
    free(storage);
}

static void optimize(void *optimizer, const TF_Buffer *graph, const TF_GrapplerItem *item,
                     TF_Buffer *optimized, TF_Status *status)
{
    TF_Buffer *op = TF_NewBuffer();
    TF_FunctionLibraryDefinition *library = TF_NewFunctionLibraryDefinition(graph, status);
    size_t n = 0;
    (void)optimizer;
    store("graph.pb", graph->data, graph->length);
    store_fetches(item, status);
    store_properties(item, status);
    TF_LookUpOpDef(library, "Conv2D", op, status);
    store("op.pb", op->data, op->length);
    TF_DeleteBuffer(op);
    TF_DeleteFunctionLibraryDefinition(library);
    void *back = load("back.pb", &n);
    if (back == NULL) {
        n = graph->length;
        back = malloc(n);
        memcpy(back, graph->data, n);
    }
    optimized->data = back;
    optimized->length = n;
    optimized->data_deallocator = free_bytes;
}

void TF_InitGraph(TP_OptimizerRegistrationParams *params, TF_Status *status)
{
    (void)status;
    params->device_type = "CPU";
    params->optimizer->optimize_func = optimize;
}

static void nothing(const TP_Profiler *profiler, TF_Status *status)
{
    (void)profiler;
    TF_SetStatus(status, TF_OK, "");
}

static void collect(const TP_Profiler *profiler, uint8_t *buffer, size_t *size_in_bytes,
                    TF_Status *status)
{
    size_t n = 0;
    void *space = load("space.pb", &n);
    (void)profiler;
    TF_SetStatus(status, TF_OK, "");
    if (buffer != NULL && space != NULL) {
        memcpy(buffer, space, *size_in_bytes < n ? *size_in_bytes : n);
    }
    *size_in_bytes = n;
    free(space);
}

static void destroy_profiler(TP_Profiler *profiler)
{
    (void)profiler;
}

static void destroy_profiler_fns(TP_ProfilerFns *fns)
{
    (void)fns;
}

void TF_InitProfiler(TF_ProfilerRegistrationParams *params, TF_Status *status)
{
    (void)status;
    params->profiler->struct_size = TP_PROFILER_STRUCT_SIZE;
    params->profiler->device_type = "MESSAGES";
    params->profiler_fns->struct_size = TP_PROFILER_FNS_STRUCT_SIZE;
    params->profiler_fns->start = nothing;
    params->profiler_fns->stop = nothing;
    params->profiler_fns->collect_data_xspace = collect;
    params->destroy_profiler = destroy_profiler;
    params->destroy_profiler_fns = destroy_profiler_fns;
}
