/* SPDX-License-Identifier: Apache-2.0 */
/* Registration of one plugin as one transaction over ops and kernels, and the list of the plugins
 * that are in. Nothing is taken out before the end. Not here: files (load.c).
 */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/thread.h"
#include "plugin/plugin_internal.h"

typedef struct plugin_entry {
    struct plugin_entry *next;
    oribi_plugin_info info;
    oribi_file_id id;
} plugin_entry;

static oribi_mutex load_mutex = ORIBI_MUTEX_INIT; /* one load at a time */
static oribi_mutex list_mutex = ORIBI_MUTEX_INIT; /* of the list's links; taken inside load_mutex */
static plugin_entry *first, **last = &first;
static ORIBI_THREAD_LOCAL bool is_loading;
static atomic_bool is_over;

bool oribi__plugin_check_open(TF_Status *status)
{
    return !atomic_load(&is_over) ||
           oribi_fail(status, TF_FAILED_PRECONDITION,
                      "the library was shut down in this process (oribi_shutdown); call that last");
}

bool oribi__plugin_lock(const char *path, TF_Status *status)
{
    if (is_loading) {
        return oribi_fail(
            status, TF_FAILED_PRECONDITION,
            "plugin '%s': it was loaded inside another plugin's init; load it before or after",
            path);
    }
    ORIBI_TRY(oribi__plugin_check_open(status));
    oribi_mutex_lock(&load_mutex);
    is_loading = true;
    return true;
}

void oribi__plugin_unlock(void)
{
    is_loading = false;
    oribi_mutex_unlock(&load_mutex);
}

const char *oribi__plugin_loaded_path(const oribi_file_id *id)
{
    for (const plugin_entry *entry = first; entry; entry = entry->next) {
        if (entry->id.device == id->device && entry->id.inode == id->inode) {
            return entry->info.path;
        }
    }
    return NULL;
}

static void entry_destroy(plugin_entry *entry)
{
    if (entry) {
        oribi_free((char *)entry->info.path);
        oribi_free((char *)entry->info.name);
        oribi_free((char *)entry->info.entry_points);
        oribi_free(entry);
    }
}

static plugin_entry *entry_create(const oribi_plugin_source *source, TF_Status *status)
{
    plugin_entry *entry = oribi_alloc_zero(1, sizeof(*entry));
    if (entry) {
        entry->id = source->id;
        entry->info = (oribi_plugin_info){
            .path = oribi_strdup(source->path),
            .name = oribi_strdup(source->name),
            .is_built_in = source->is_built_in,
            .options = source->options ? source->options->text : "",
            .entry_points = oribi_strdup(source->entry_points),
        };
    }
    if (!entry || !entry->info.path || !entry->info.name || !entry->info.entry_points) {
        entry_destroy(entry);
        oribi_fail_memory(status);
        return NULL;
    }
    return entry;
}

/* The things that a plugin brought beside ops and kernels; they show at the commit. NULL: none. */
typedef struct brought {
    oribi_platform *platform;
    oribi_optimizer *optimizer;
    oribi_profiler *profiler;
} brought;

static void note_call(const oribi_plugin_source *source, const char *entry)
{
    oribi_log(ORIBI_LOG_INFO, "plugin '%s': calling %s", source->name, entry);
}

/* In the order in which TensorFlow calls them. */
static bool call_inits(oribi_plugin_source *source, brought *out, TF_Status *status)
{
    bool ok = true;
    oribi__plugin_options_enter(source->options);
    if (source->init_device) {
        note_call(source, "SE_InitPlugin");
        out->platform = oribi_platform_create(source->init_device, source->provider, status);
        ok = out->platform != NULL;
    }
    if (ok && source->init_kernel) {
        note_call(source, "TF_InitKernel");
        source->init_kernel();
    }
    if (ok && source->init_adapter) {
        note_call(source, "RegisterCustomOps");
        source->init_adapter(source->path, source->adapted, status);
        ok = TF_GetCode(status) == TF_OK;
    }
    if (ok && source->init_graph) {
        note_call(source, "TF_InitGraph");
        out->optimizer = oribi_optimizer_create(source->init_graph, source->provider, status);
        ok = out->optimizer != NULL;
    }
    if (ok && source->init_profiler) {
        note_call(source, "TF_InitProfiler");
        out->profiler = oribi_profiler_create(source->init_profiler, source->provider, status);
        ok = out->profiler != NULL;
    }
    oribi__plugin_options_enter(NULL);
    return ok;
}

/* All that can fail comes before the first thing that is visible. */
static bool run_init(oribi_plugin_source *source, oribi_plugin_info *info, TF_Status *status)
{
    brought parts = {0};
    ORIBI_TRY(oribi_op_begin(source->provider, status));
    if (!oribi_kernel_begin(source->provider, status)) {
        oribi_op_rollback();
        return false;
    }
    uint64_t failures = oribi_alloc_failures();
    bool is_mapped = !source->map || source->map(source->map_arg, source, status);
    const bool is_called = is_mapped && call_inits(source, &parts, status);
    /* A plugin that got no memory may have said nothing, and be half registered. */
    bool ok = is_called && (oribi_alloc_failures() == failures || oribi_fail_memory(status));
    info->n_ops = oribi_op_pending();
    info->n_kernels = oribi_kernel_pending();
    if (!ok) {
        oribi_kernel_rollback();
        oribi_op_rollback();
    }
    ok = ok && oribi_kernel_commit_with_ops(status);
    if (!ok) {
        oribi_platform_rollback(parts.platform);
        oribi_optimizer_rollback(parts.optimizer);
        oribi_profiler_rollback(parts.profiler);
        return false;
    }
    oribi_platform_commit(parts.platform);
    oribi_optimizer_commit(parts.optimizer);
    oribi_profiler_commit(parts.profiler);
    return true;
}

bool oribi__plugin_register(oribi_plugin_source *source, TF_Status *status)
{
    plugin_entry *entry = entry_create(source, status);
    if (!entry) {
        return false;
    }
    if (!run_init(source, &entry->info, status)) {
        entry_destroy(entry);
        return false;
    }
    oribi_mutex_lock(&list_mutex);
    *last = entry;
    last = &entry->next;
    oribi_mutex_unlock(&list_mutex);
    return true;
}

void oribi__plugin_count(const char *name, int32_t n_ops, int32_t n_kernels)
{
    oribi_mutex_lock(&list_mutex);
    for (plugin_entry *entry = first; entry != NULL; entry = entry->next) {
        if (entry->info.is_built_in && strcmp(entry->info.name, name) == 0) {
            entry->info.n_ops += n_ops;
            entry->info.n_kernels += n_kernels;
        }
    }
    oribi_mutex_unlock(&list_mutex);
}

/* The lock is not held while visit runs; entries live for ever. */
void oribi_plugin_each(bool (*visit)(void *arg, const oribi_plugin_info *plugin), void *arg)
{
    oribi_op_bring_all(); /* for the built-in ones' numbers */
    oribi_mutex_lock(&list_mutex);
    const plugin_entry *entry = first;
    oribi_mutex_unlock(&list_mutex);
    while (entry && visit(arg, &entry->info)) {
        oribi_mutex_lock(&list_mutex);
        entry = entry->next;
        oribi_mutex_unlock(&list_mutex);
    }
}

/* Functions of plugins that delete what they gave at registration are called while all is there. */
void oribi_plugin_forget_all(void)
{
    if (atomic_exchange(&is_over, true)) {
        return;
    }
    oribi_kernel_forget_all();
    oribi_op_forget_all();
    oribi_optimizer_forget_all();
    oribi_profiler_forget_all();
    oribi_platform_forget_all();
    oribi_device_forget_absent();
    for (plugin_entry *entry = first, *next; entry != NULL; entry = next) {
        next = entry->next;
        entry_destroy(entry);
    }
    first = NULL;
    last = &first;
    oribi__plugin_options_forget_all();
    oribi__verdict_forget_all();
}
