/* SPDX-License-Identifier: Apache-2.0 */
/* Imports bytes in tests and finds things in the graph. Include after cmocka.h. */
#ifndef ORIBI_TESTS_SUPPORT_ONNX_IMPORT_H_
#define ORIBI_TESTS_SUPPORT_ONNX_IMPORT_H_

#include "base/text.h"
#include "import/import.h"
#include "plugin/plugin.h"
#include "support/onnx_writer.h"

static inline void keep_source(oribi_source *source)
{
    (void)source;
}

static oribi_source test_source = {.release = keep_source};

static inline oribi_graph *import_bytes(const void *data, size_t n,
                                        const oribi_import_options *options, TF_Status *status)
{
    atomic_store(&test_source.references, 1 << 20);
    return oribi_import(data, n, &test_source, "test.onnx", options, status);
}

/* Takes the model over. The graph's constants must not be read after this unless they were copied.
 */
static inline oribi_graph *import_model(bytes model, TF_Status *status)
{
    oribi_graph *graph = import_bytes(model.data, model.n, NULL, status);
    free(model.data);
    return graph;
}

static inline int count_ops(const oribi_graph *graph, const char *op)
{
    int count = 0;
    for (int32_t i = 0; i < graph->n_order; i++) {
        count += strcmp(graph->nodes[graph->order[i]]->op_name, op) == 0;
    }
    return count;
}

static inline int load_built_ins(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    bool ok = oribi_plugin_load_built_ins(status);
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

#endif
