/* SPDX-License-Identifier: Apache-2.0 */
/* Names of TensorFlow's libraries that plugins ask for. An empty library of that name is opened
 * before the plugin: its need is met, and its imports, versioned ones too, are found in our
 * exports, which have no version. A library that defined the functions itself would not do: the
 * dynamic linker stops the process when a library that a version was asked of has the symbol
 * without it. The libraries: packaging/dropin. Not here: whether a real TensorFlow is mapped
 * (own.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/log.h"
#include "plugin/plugin_internal.h"

#define DROPIN_FOLDER "oribi/dropin"

static const char *const names[] = {"libtensorflow_framework.so.2", "libtensorflow_cc.so.2",
                                    "libtensorflow.so.2", "_pywrap_tensorflow_internal.so"};

bool oribi__dropin_is_ours(const char *path)
{
    const char *folder = strstr(path, "/" DROPIN_FOLDER "/");
    return folder && oribi_path_name(path) == folder + sizeof("/" DROPIN_FOLDER "/") - 1;
}

static bool is_name(const char *needed)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(needed, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* It stays mapped. */
static bool open_name(const char *name)
{
    char *folder = oribi__own_find("dropin");
    char *path = folder ? oribi_path_join(folder, name) : NULL;
    oribi_dynlib *library = path ? oribi_dynlib_open(path, ORIBI_DYNLIB_KEEP, NULL) : NULL;
    oribi_dynlib_close(library);
    oribi_free(path);
    oribi_free(folder);
    return library != NULL;
}

/* Without the library the dynamic linker says which one it misses. */
void oribi__dropin_open(const char *path, const oribi_elf *elf)
{
    for (size_t i = 0; i < elf->needed.count; i++) {
        if (is_name(elf->needed.items[i]) && !open_name(elf->needed.items[i])) {
            oribi_log(ORIBI_LOG_INFO,
                      "plugin '%s': needs '%s', and no " DROPIN_FOLDER " folder has one", path,
                      elf->needed.items[i]);
        }
    }
}
