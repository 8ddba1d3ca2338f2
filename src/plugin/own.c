/* SPDX-License-Identifier: Apache-2.0 */
/* What this library knows of itself as a mapped file: where it lies, whether plugins can see its
 * symbols, whether it is alone. Not here: the plugin's side (elf.c, load.c).
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/log.h"
#include "oribi/oribi.h"
#include "plugin/plugin_internal.h"

static const char own_address; /* somewhere inside us */

/* Path of the file we were loaded from; the main program's may be relative or a bare name. */
static const char *own_path(void)
{
    Dl_info info;
    return dladdr(&own_address, &info) && info.dli_fname ? info.dli_fname : "";
}

char *oribi__own_folder(void)
{
    char *real = oribi_path_real("/proc/self/exe");
    const char *path = own_path();
    if (strchr(path, '/') && strstr(oribi_path_name(path), ".so")) {
        oribi_free(real);
        real = oribi_path_real(path);
    }
    char *folder = real ? oribi_path_folder(real) : NULL;
    oribi_free(real);
    return folder;
}

static char *join_if_there(const char *folder, const char *below, const char *name)
{
    char *joined = folder ? oribi_path_join(folder, below) : NULL;
    char *path = joined ? oribi_path_join(joined, name) : NULL;
    oribi_free(joined);
    if (path && !oribi_file_exists(path)) {
        oribi_free(path);
        path = NULL;
    }
    return path;
}

/* An installation may have been moved, or made for another prefix: what lies beside us goes before
 * what lies where we were configured to be. */
char *oribi__own_find(const char *name)
{
    char *own = oribi__own_folder();
    char *path = join_if_there(own, "oribi", name);
    path = path ? path : join_if_there(own, "../lib/oribi", name);
    path = path ? path : join_if_there(ORIBI_LIBRARY_FOLDER, "oribi", name);
    oribi_free(own);
    return path;
}

/* The handle whose symbols are ours: our own file, or the running program when we are part of it.
 */
static oribi_dynlib *open_own(unsigned flags)
{
    oribi_dynlib *own = NULL;
    if (strstr(oribi_path_name(own_path()), ".so")) {
        own = oribi_dynlib_open(own_path(), ORIBI_DYNLIB_NOLOAD | flags, NULL);
    }
    return own ? own : oribi_dynlib_open(NULL, 0, NULL);
}

static int find_interpreter(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        *(bool *)arg = *(bool *)arg || info->dlpi_phdr[i].p_type == PT_INTERP;
    }
    return 1; /* the first one is the program itself */
}

static bool is_static_program(void)
{
    bool has_interpreter = false;
    dl_iterate_phdr(find_interpreter, &has_interpreter);
    return !has_interpreter && !strstr(oribi_path_name(own_path()), ".so");
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void list_missing(const oribi_elf *elf, oribi_dynlib *own, oribi_text *missing)
{
    for (size_t i = 0; i < elf->undefined.count; i++) {
        if (!own || !oribi_dynlib_find(own, elf->undefined.items[i])) {
            oribi_text_printf(missing, "%s%s", missing->length ? ", " : "",
                              elf->undefined.items[i]);
        }
    }
}

void oribi__own_list_missing(const oribi_elf *elf, oribi_text *missing)
{
    oribi_dynlib *own = open_own(0);
    list_missing(elf, own, missing);
    oribi_dynlib_close(own);
}

static bool check_functions(const char *path, const oribi_elf *elf, oribi_dynlib *own,
                            TF_Status *status)
{
    oribi_text missing = {0};
    list_missing(elf, own, &missing);
    bool ok = !missing.length;
    if (missing.failed) {
        ok = oribi_fail_memory(status);
    } else if (!ok && elf->note.is_present && elf->note.contract > ORIBI_CONTRACT_VERSION) {
        oribi_fail(
            status, TF_UNIMPLEMENTED,
            "plugin '%s': built for contract %u.%u, this Oribi %s has %d.%d, missing %s; use "
            "a newer Oribi, or compile the plugin with -DORIBI_TARGET_CONTRACT=%d",
            path, elf->note.contract / 100, elf->note.contract % 100, ORIBI_VERSION_TEXT,
            ORIBI_CONTRACT_VERSION / 100, ORIBI_CONTRACT_VERSION % 100, oribi_text_string(&missing),
            ORIBI_CONTRACT_VERSION);
    } else if (!ok) {
        oribi_fail(status, TF_UNIMPLEMENTED,
                   "plugin '%s': needs %s, which this Oribi %s lacks; use a newer Oribi, or build "
                   "the plugin against this one's headers",
                   path, oribi_text_string(&missing), ORIBI_VERSION_TEXT);
    }
    oribi_text_destroy(&missing);
    return ok;
}

bool oribi__own_admit(const char *path, const oribi_elf *elf, TF_Status *status)
{
    if (is_static_program()) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "plugin '%s': this program is linked statically and has the built-in "
                          "plugins only; use one that links liboribi.so",
                          path);
    }
    bool needs_us = false;
    for (size_t i = 0; i < elf->needed.count; i++) {
        needs_us = needs_us || has_prefix(elf->needed.items[i], "liboribi.so");
    }
    /* Without such a need the plugin's functions are looked up in the global scope only. */
    oribi_dynlib *own = open_own(needs_us ? 0 : ORIBI_DYNLIB_GLOBAL);
    bool ok = false;
    if (!own || !oribi_dynlib_find(own, "TF_NewStatus")) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "plugin '%s': this program was linked with liboribi.a and hides its functions "
                   "from plugins; link it with -rdynamic (pkg-config --libs oribi-static)",
                   path);
    } else {
        ok = check_functions(path, elf, own, status);
    }
    oribi_dynlib_close(own);
    return ok;
}

typedef struct other_search {
    const char *found;
} other_search;

static int find_tensorflow(struct dl_phdr_info *info, size_t size, void *arg)
{
    other_search *search = arg;
    const char *name = info->dlpi_name ? oribi_path_name(info->dlpi_name) : "";
    Dl_info own;
    (void)size;
    bool is_tensorflow =
        has_prefix(name, "libtensorflow") || has_prefix(name, "_pywrap_tensorflow");
    if (is_tensorflow && !oribi__dropin_is_ours(info->dlpi_name) && dladdr(&own_address, &own) &&
        own.dli_fname &&
        strcmp(own.dli_fname, info->dlpi_name) != 0) { /* we may go under its name */
        search->found = info->dlpi_name;
        return 1;
    }
    return 0;
}

bool oribi__own_check_alone(const char *path, TF_Status *status)
{
    other_search search = {NULL};
    dl_iterate_phdr(find_tensorflow, &search);
    if (search.found) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "plugin '%s': '%s' is mapped in this process, and its functions have the "
                          "names of ours; load plugins in a process without TensorFlow",
                          path, search.found);
    }
    return true;
}
