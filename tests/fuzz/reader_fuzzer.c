/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target of the model readers (the corpus decides which): any bytes give a graph that
 * holds its invariants, or an error with a message, within the memory limit. Not here: running the
 * graph, compiling it (compile_fuzzer.c). See docs/reference/fuzzing.md.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "import/import.h"
#include "plugin/plugin.h"
#include "tests/support/graph_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void keep(oribi_source *source)
{
    (void)source;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static oribi_source source = {.release = keep};
    TF_Status *status = TF_NewStatus();
    if (!oribi_plugin_load_built_ins(status)) {
        abort();
    }
    oribi_import_options options = {.folder = "/nonexistent", .max_bytes = 64u << 20};
    atomic_store(&source.references, 1 << 30);
    oribi_graph *graph = oribi_import(data, bytes, &source, "fuzz", &options, status);
    if (graph == NULL) {
        if (TF_GetCode(status) == TF_OK || TF_Message(status)[0] == '\0') {
            abort(); /* a failure says why */
        }
    } else {
        oribi_text text = {0};
        if (TF_GetCode(status) != TF_OK || !oribi_graph_check(graph, status)) {
            abort();
        }
        oribi_graph_print(graph, &text);
        oribi_text_destroy(&text);
        oribi_graph_destroy(graph);
    }
    TF_DeleteStatus(status);
    return 0;
}
