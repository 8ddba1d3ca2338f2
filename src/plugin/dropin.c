/* SPDX-License-Identifier: Apache-2.0 */
/* Names of TensorFlow's libraries that plugins ask for, or libraries that come with them. An empty
 * library of that name is opened before the plugin: the need is met, and its imports, versioned
 * ones too, are found in our exports, which have no version. A library that defined the functions
 * itself would not do: the dynamic linker stops the process when a library that a version was asked
 * of has the symbol without it. The libraries: packaging/dropin. Not here: whether a real
 * TensorFlow is mapped (own.c).
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

static bool has(const oribi_elf_names *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Libraries of the C and C++ runtimes ask for nothing of TensorFlow's; others may, however far
 * down, and so may one that the plugin opens itself. */
static bool may_reach_others(const oribi_elf *elf)
{
    static const char *const runtimes[] = {"libc.so",     "libm.so",      "libpthread.so",
                                           "libdl.so",    "librt.so",     "ld-linux",
                                           "libgcc_s.so", "libstdc++.so", "libc++"};
    bool is_runtime = true;
    for (size_t i = 0; i < elf->needed.count && is_runtime; i++) {
        is_runtime = false;
        for (size_t k = 0; k < sizeof(runtimes) / sizeof(runtimes[0]); k++) {
            is_runtime =
                is_runtime || strncmp(elf->needed.items[i], runtimes[k], strlen(runtimes[k])) == 0;
        }
    }
    return !is_runtime || has(&elf->others, "dlopen");
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
    const bool needs_all = may_reach_others(elf);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const bool is_needed = has(&elf->needed, names[i]);
        if ((is_needed || needs_all) && !open_name(names[i]) && is_needed) {
            oribi_log(ORIBI_LOG_INFO,
                      "plugin '%s': needs '%s', and no " DROPIN_FOLDER " folder has one", path,
                      names[i]);
        }
    }
}
