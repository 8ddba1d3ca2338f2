/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of ONNX Runtime's custom ops: what becomes of a file that exports RegisterCustomOps.
 * The adapter, a plugin of its own, makes ops of it; it lies among what was installed with us, and
 * is mapped when the first such library comes. Not here: what it does (plugins/ort_adapter).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "plugin/plugin_internal.h"
#include "tensorflow/c/adapter.h"

#define ADAPTER "oribi_ort_adapter.so"

/* A library is handed the runtime's functions; one that also links the runtime calls a second one,
 * which knows nothing of what we hand out. */
bool oribi__adapt_examine(const char *path, const oribi_elf *elf, TF_Status *status)
{
    static const char runtime[] = "libonnxruntime";
    const char *found = NULL;
    for (size_t i = 0; i < elf->needed.count; i++) {
        if (strncmp(elf->needed.items[i], runtime, sizeof runtime - 1) == 0) {
            found = elf->needed.items[i];
        }
    }
    for (size_t i = 0; i < elf->others.count && !found; i++) {
        found = strcmp(elf->others.items[i], "OrtGetApiBase") == 0 ? elf->others.items[i] : NULL;
    }
    return !found ||
           oribi_fail(
               status, TF_UNIMPLEMENTED,
               "plugin '%s': it needs %s: it calls ONNX Runtime itself, and not only through "
               "the functions that RegisterCustomOps is handed; use a build that does without",
               path, found);
}

static bool find_adapter(oribi_plugin_source *source, TF_Status *status)
{
    oribi_text why = {0};
    char *file = oribi__own_find(ADAPTER);
    oribi_dynlib *adapter = file ? oribi_dynlib_open(file, ORIBI_DYNLIB_KEEP, &why) : NULL;
    oribi_dynlib_function found =
        adapter ? oribi_dynlib_find_function(adapter, "TF_InitAdapter") : NULL;
    source->init_adapter = (void (*)(const char *, void (*)(void), TF_Status *))found;
    oribi_dynlib_close(adapter);
    if (!found) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "plugin '%s': a library of ONNX Runtime's custom ops, and the adapter " ADAPTER
                   " cannot be loaded: %s; install it beside Oribi's library, in the folder oribi",
                   source->path,
                   !file     ? "there is no such file"
                   : adapter ? "it has no TF_InitAdapter"
                             : oribi_text_string(&why));
    }
    oribi_text_destroy(&why);
    oribi_free(file);
    return found != NULL;
}

bool oribi__adapt_find(oribi_plugin_source *source, oribi_dynlib *library, TF_Status *status)
{
    source->adapted =
        oribi_dynlib_find_function(library, oribi__entry_names[ORIBI_ENTRY_REGISTER_CUSTOM_OPS]);
    if (!source->adapted) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "plugin '%s': RegisterCustomOps is in the file but hidden", source->path);
    }
    return find_adapter(source, status);
}
