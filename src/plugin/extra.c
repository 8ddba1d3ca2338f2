/* SPDX-License-Identifier: Apache-2.0 */
/* What the shared library leaves to files of its own, which lie among what was installed with us:
 * the kernels of ops that few models have, loaded when a model has the first such op, and tables of
 * data. Not here: which ops they are (plugins/cpu/base/families.h).
 */
#include "base/alloc.h"
#include "base/log.h"
#include "plugin/plugin_internal.h"

const void *oribi_plugin_own_data(const char *file, const char *symbol)
{
    char *path = oribi__own_find(file);
    oribi_dynlib *library = path != NULL ? oribi_dynlib_open(path, ORIBI_DYNLIB_KEEP, NULL) : NULL;
    const void *data = library != NULL ? oribi_dynlib_find(library, symbol) : NULL;
    oribi_dynlib_close(library);
    oribi_free(path);
    return data;
}

#define EXTRA "oribi_cpu_extra.so"

void oribi__extra_load(void)
{
    TF_Status *status = TF_NewStatus();
    char *file = oribi__own_find(EXTRA);
    const bool is_loaded = file != NULL && oribi__plugin_load_own(file, status);
    if (file != NULL && !is_loaded) {
        oribi_log(ORIBI_LOG_WARNING, "%s", TF_Message(status));
    }
    /* Inside a plugin's init nothing can be loaded: the next one who asks gets it. */
    if (TF_GetCode(status) != TF_FAILED_PRECONDITION) {
        oribi_kernel_set_reserve(NULL, is_loaded ? ""
                                                 : ", or install " EXTRA " beside Oribi's library, "
                                                   "in the folder oribi: kernels of rarer ops are "
                                                   "in that file");
    }
    oribi_free(file);
    TF_DeleteStatus(status);
}
