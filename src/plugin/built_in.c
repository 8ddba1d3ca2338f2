/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that are linked in: a table of init functions, run through the same transaction as a
 * plugin from a file. No constructors, so a static binary works. Not here: files (load.c).
 */
#include "built_in.h"

#include <stdatomic.h>
#include <string.h>

#include "plugin/plugin_internal.h"

static const struct {
    const char *name;
    void (*init)(void);
} table[] = {
    {"ops_core", oribi_ops_core_init},
    {"cpu", oribi_cpu_init},
    {"ethos_u", oribi_ethos_u_init},
};

static atomic_int n_loaded; /* rows that are done; they never run again */

bool oribi_plugin_is_built_in(const char *name)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(name, table[i].name) == 0) {
            return true;
        }
    }
    return false;
}

bool oribi_plugin_load_built_ins(TF_Status *status)
{
    enum { N = sizeof(table) / sizeof(table[0]) };
    ORIBI_TRY(oribi__plugin_check_open(status));
    if (atomic_load_explicit(&n_loaded, memory_order_acquire) == N) {
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
    oribi__plugin_unlock();
    if (ok && !oribi_cpu_is_whole()) {
        oribi_kernel_set_reserve(oribi__extra_load, "");
    }
    return ok;
}
