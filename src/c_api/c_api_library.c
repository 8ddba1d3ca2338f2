/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of ops and kernels as TensorFlow's hosts load them (c_api.h), over the loader. Unlike
 * there both calls take both kinds of file: TF_InitKernel is called where a library has it, and the
 * same file is one library whatever its path. Not here: the loader (load.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "format/proto.h"
#include "op/op_proto.h"
#include "plugin/plugin_internal.h"
#include "tensorflow/c/c_api.h"

struct TF_Library {
    TF_Buffer *ops; /* serialised OpList of what the library registered */
};

typedef struct op_search {
    const char *provider;
    oribi_text list;
} op_search;

static bool add_op(void *arg, const oribi_op_def *op)
{
    op_search *search = arg;
    oribi_text def = {0};
    if (strcmp(op->provider, search->provider) == 0) {
        oribi_proto_op_def(&def, op);
        oribi_proto_message(&search->list, 1, &def);
    }
    return true;
}

static TF_Library *library_create(const char *provider, TF_Status *status)
{
    op_search search = {.provider = provider};
    TF_Library *library = oribi_alloc_zero(1, sizeof(*library));
    if (library) {
        oribi_op_each(add_op, &search);
        library->ops = oribi_proto_finish(&search.list);
    }
    if (!library || !library->ops) {
        oribi_free(library);
        oribi_fail_memory(status);
        return NULL;
    }
    return library;
}

TF_Library *TF_LoadLibrary(const char *library_filename, TF_Status *status)
{
    const char *provider = NULL;
    TF_SetStatus(status, TF_OK, "");
    if (!oribi__plugin_load_library(library_filename, &provider, status)) {
        return NULL;
    }
    return library_create(provider, status);
}

TF_Buffer TF_GetOpList(TF_Library *lib_handle)
{
    return (TF_Buffer){lib_handle->ops->data, lib_handle->ops->length, NULL};
}

void TF_DeleteLibraryHandle(TF_Library *lib_handle)
{
    if (lib_handle) {
        TF_DeleteBuffer(lib_handle->ops);
        oribi_free(lib_handle);
    }
}

TF_Library *TF_LoadPluggableDeviceLibrary(const char *library_filename, TF_Status *status)
{
    return TF_LoadLibrary(library_filename, status);
}

void TF_DeletePluggableDeviceLibraryHandle(TF_Library *lib_handle)
{
    TF_DeleteLibraryHandle(lib_handle);
}

/* There are no flags of the command line to take, and nothing to prepare. */
void TF_InitMain(const char *usage, int *argc, char ***argv)
{
    (void)usage;
    (void)argc;
    (void)argv;
}
