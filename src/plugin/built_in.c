/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that are linked in: a table of init functions, run through the same transaction as a
 * plugin from a file. Ops and their kernels stay in reserve until somebody looks for the op. No
 * constructors, so a static binary works. Not here: files (load.c).
 */
#include "built_in.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "plugin/plugin_internal.h"

static const struct {
    const char *name;
    void (*init)(void);
} table[] = {
    {"ops_core", NULL}, /* in reserve, with the kernels of cpu */
    {"cpu", NULL},
    {"ethos_u", oribi_ethos_u_init},
};

enum { N = sizeof(table) / sizeof(table[0]), ALL = N + 1 };
static atomic_int n_loaded; /* rows that are done; they never run again. ALL: the reserve, too */

bool oribi_plugin_is_built_in(const char *name)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(name, table[i].name) == 0) {
            return true;
        }
    }
    return false;
}

/* --- The reserve ----------------------------------------------------------------------------- */

/* Taken inside load_mutex, outside those of the registries. */
static oribi_mutex bring_mutex = ORIBI_MUTEX_INIT;

static bool bring_within(const char *name, TF_Status *status)
{
    ORIBI_TRY(oribi_op_begin_brought(status));
    if (!oribi_kernel_begin_brought(status)) {
        oribi_op_rollback();
        return false;
    }
    const uint64_t failures = oribi_alloc_failures();
    oribi_ops_core_register(name);
    oribi_cpu_register_kernels(name);
    const int32_t n_kernels = oribi_kernel_pending();
    if (oribi_alloc_failures() != failures) { /* maybe half registered */
        oribi_kernel_rollback();
        oribi_op_rollback();
        return oribi_fail_memory(status);
    }
    ORIBI_TRY(oribi_kernel_commit_with_ops(status));
    oribi__plugin_count("ops_core", 1, 0);
    oribi__plugin_count("cpu", 0, n_kernels);
    return true;
}

static bool bring(const char *name)
{
    TF_Status *status = TF_NewStatus();
    bool ok = status != NULL;
    oribi_mutex_lock(&bring_mutex);
    if (ok && oribi_op_find_present(name) == NULL) { /* no other thread was first */
        ok = bring_within(name, status);
    }
    oribi_mutex_unlock(&bring_mutex);
    TF_DeleteStatus(status);
    return ok;
}

static bool bring_wanted(const char *name)
{
    oribi_ops_cursor cursor = {0};
    bool fuses;
    if (name != NULL) {
        return oribi_ops_core_has(name) && bring(name);
    }
    bool ok = true;
    while ((name = oribi_ops_core_next(&cursor, &fuses)) != NULL) {
        ok = (oribi_op_find_present(name) != NULL || bring(name)) && ok;
    }
    return ok;
}

/* What nobody looks for by name: ops that stand for a chain of others. And what the application has
 * defined before, for it to be compared, and to get its kernels. */
static bool bring_first(TF_Status *status)
{
    static oribi_ops_cursor done; /* a failed load goes on here */
    oribi_ops_cursor cursor = done;
    bool ok = true, fuses;
    oribi_mutex_lock(&bring_mutex);
    oribi_op_set_reserve(oribi_ops_core_has, bring_wanted);
    for (const char *name; ok && (name = oribi_ops_core_next(&cursor, &fuses)) != NULL;) {
        ok = (!fuses && oribi_op_find_present(name) == NULL) || bring_within(name, status);
        done = ok ? cursor : done;
    }
    if (!ok) {
        oribi_op_set_reserve(NULL, NULL);
    }
    oribi_mutex_unlock(&bring_mutex);
    return ok;
}

bool oribi_plugin_load_built_ins(TF_Status *status)
{
    ORIBI_TRY(oribi__plugin_check_open(status));
    if (atomic_load_explicit(&n_loaded, memory_order_acquire) == ALL) {
        return true;
    }
    ORIBI_TRY(oribi__plugin_lock("built-in", status));
    bool ok = true;
    for (int i = atomic_load(&n_loaded); ok && i < N; i++) {
        oribi_plugin_source source = {.path = "",
                                      .name = table[i].name,
                                      .provider = "built-in",
                                      .entry_points = "TF_InitKernel",
                                      .is_built_in = true,
                                      .init_kernel = table[i].init};
        ok = oribi__plugin_register(&source, status);
        if (ok) {
            atomic_store_explicit(&n_loaded, i + 1, memory_order_release);
        }
    }
    if (ok && atomic_load(&n_loaded) == N) {
        ok = bring_first(status);
        atomic_store_explicit(&n_loaded, ok ? ALL : N, memory_order_release);
    }
    oribi__plugin_unlock();
    if (ok && !oribi_cpu_is_whole()) {
        oribi_kernel_set_reserve(oribi__extra_load, "");
    }
    return ok;
}
