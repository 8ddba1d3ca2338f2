/* SPDX-License-Identifier: Apache-2.0 */
/* Loading of a plugin's file: look, probe, map, register. A mapped file is never unmapped.
 * Not here: where files are looked for (search.c). Read first: plugin_internal.h.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/log.h"
#include "plugin/plugin_internal.h"

typedef struct load {
    char *path;
    const oribi_plugin_options *options;
    oribi_file_id id;
    oribi_arena arena;
    oribi_elf elf;
    bool is_own;     /* a part of the library, trusted as it is */
    bool is_library; /* needs no entry point: its constructors register */
} load;

static bool has_any_entry(const oribi_elf *elf)
{
    bool any = false;
    for (int e = 0; e < ORIBI_N_ENTRIES; e++) {
        any = any || elf->has_entry[e];
    }
    return any;
}

static bool is_loaded(load *l)
{
    bool loaded = oribi__plugin_loaded_path(&l->id) != NULL;
    if (loaded && l->options) {
        oribi_log(ORIBI_LOG_WARNING,
                  "plugin '%s': loaded already; its options are those of the first time, not '%s'",
                  l->path, l->options->text);
    }
    return loaded;
}

/* Everything that can be said without running the plugin's code. */
static bool examine(load *l, TF_Status *status)
{
    ORIBI_TRY(oribi__elf_read(l->path, &l->arena, &l->elf, status));
    if (!has_any_entry(&l->elf) && !l->is_library) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "plugin '%s': it has none of the entry points " ORIBI_ENTRY_POINTS_TEXT
                          "; export `void TF_InitKernel(void)`",
                          l->path);
    }
    ORIBI_TRY(!l->elf.has_entry[ORIBI_ENTRY_REGISTER_CUSTOM_OPS] ||
              oribi__adapt_examine(l->path, &l->elf, status));
    ORIBI_TRY(oribi__own_check_alone(l->path, status));
    return oribi__own_admit(l->path, &l->elf, status);
}

static bool name_entries(load *l, oribi_text *names, TF_Status *status)
{
    for (int e = 0; e < ORIBI_N_ENTRIES; e++) {
        if (l->elf.has_entry[e]) {
            oribi_text_printf(names, "%s%s", names->length ? ", " : "", oribi__entry_names[e]);
        }
    }
    return !names->failed || oribi_fail_memory(status);
}

typedef void (*entry_point)(void);
static entry_point find_entry(const load *l, oribi_dynlib *library, const char *name,
                              TF_Status *status)
{
    entry_point found = oribi_dynlib_find_function(library, name);
    if (!found) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "plugin '%s': %s is in the file but hidden; give it default visibility", l->path,
                   name);
    }
    return found;
}

/* Maps the file, inside the transaction: constructors may register too. The handle may be closed at
 * once, the file stays. */
static bool map_file(void *arg, oribi_plugin_source *source, TF_Status *status)
{
    load *l = arg;
    oribi_text text = {0};
    oribi_log(ORIBI_LOG_INFO, "plugin '%s': mapping the file", source->name);
    oribi_dynlib *library = oribi_dynlib_open(l->path, ORIBI_DYNLIB_KEEP, &text);
    if (!library) {
        oribi_fail(status, TF_NOT_FOUND, "plugin '%s': it cannot be loaded: %s", l->path,
                   oribi_text_string(&text));
        oribi_text_destroy(&text);
        return false;
    }
    bool ok = oribi__own_check_alone(l->path, status);
    if (ok && l->elf.has_entry[ORIBI_ENTRY_SE_INIT_PLUGIN]) {
        source->init_device = (oribi_platform_init)find_entry(l, library, "SE_InitPlugin", status);
        ok = source->init_device != NULL;
    }
    const int kernels = l->elf.has_entry[ORIBI_ENTRY_INIT_KERNEL] ? ORIBI_ENTRY_INIT_KERNEL
                                                                  : ORIBI_ENTRY_INIT_PLUGIN;
    if (ok && l->elf.has_entry[kernels]) {
        source->init_kernel = find_entry(l, library, oribi__entry_names[kernels], status);
        ok = source->init_kernel != NULL;
    }
    if (ok && l->elf.has_entry[ORIBI_ENTRY_INIT_GRAPH]) {
        source->init_graph = (oribi_optimizer_init)find_entry(l, library, "TF_InitGraph", status);
        ok = source->init_graph != NULL;
    }
    if (ok && l->elf.has_entry[ORIBI_ENTRY_INIT_PROFILER]) {
        source->init_profiler =
            (oribi_profiler_init)find_entry(l, library, "TF_InitProfiler", status);
        ok = source->init_profiler != NULL;
    }
    if (ok && l->elf.has_entry[ORIBI_ENTRY_REGISTER_CUSTOM_OPS]) {
        ok = oribi__adapt_find(source, library, status);
    }
    oribi_dynlib_close(library);
    return ok;
}

static bool map_and_register(load *l, TF_Status *status)
{
    oribi_text entries = {0};
    oribi_plugin_source source = {.path = l->path,
                                  .name = oribi_path_name(l->path),
                                  .provider = l->is_own ? "built-in" : l->path,
                                  .is_built_in = l->is_own,
                                  .options = l->options,
                                  .id = l->id,
                                  .map = map_file,
                                  .map_arg = l};
    oribi__dropin_open(l->path, &l->elf);
    bool ok = name_entries(l, &entries, status) &&
              oribi__python_open(l->path, &l->elf, l->options, status);
    if (ok) {
        source.entry_points = oribi_text_string(&entries);
        ok = oribi__plugin_register(&source, status);
        if (!ok && strncmp(TF_Message(status), "plugin '", 8) != 0) {
            oribi_status_prefix(status, "plugin '%s': ", l->path);
        }
    }
    oribi_text_destroy(&entries);
    return ok;
}

static bool load_locked(load *l, bool is_named, TF_Status *status)
{
    ORIBI_TRY(oribi__plugin_lock(l->path, status));
    bool loaded = is_loaded(l);
    oribi__plugin_unlock();
    if (loaded) {
        return true;
    }
    ORIBI_TRY(examine(l, status));
    /* The probe may take seconds; other threads may load meanwhile. */
    ORIBI_TRY(!has_any_entry(&l->elf) || l->is_own ||
              oribi__plugin_probe(l->path, l->options, &l->id, is_named, status));
    ORIBI_TRY(oribi__plugin_lock(l->path, status));
    bool ok = is_loaded(l) || map_and_register(l, status);
    oribi__plugin_unlock();
    return ok;
}

static bool load_spec(load *l, const char *spec, bool is_named, TF_Status *status)
{
    ORIBI_TRY(oribi_plugin_load_built_ins(status));
    ORIBI_TRY(oribi__plugin_spec_parse(spec, &l->path, &l->options, status));
    oribi_arena_init(&l->arena);
    int error = oribi_file_identify(l->path, &l->id);
    bool ok = error == 0
                  ? load_locked(l, is_named, status)
                  : oribi_fail(status, TF_NOT_FOUND, "plugin '%s': %s", l->path, strerror(error));
    oribi_arena_destroy(&l->arena);
    return ok;
}

bool oribi__plugin_load(const char *spec, bool is_named, TF_Status *status)
{
    load l = {0};
    if (oribi_plugin_is_built_in(spec)) {
        return oribi_plugin_load_built_ins(status);
    }
    bool ok = load_spec(&l, spec, is_named, status);
    oribi_free(l.path);
    return ok;
}

bool oribi__plugin_load_library(const char *spec, const char **out_provider, TF_Status *status)
{
    load l = {.is_library = true};
    bool ok = load_spec(&l, spec, true, status) && oribi__plugin_lock(l.path, status);
    if (ok) {
        *out_provider = oribi__plugin_loaded_path(&l.id);
        oribi__plugin_unlock();
    }
    oribi_free(l.path);
    return ok;
}

bool oribi__plugin_load_own(const char *path, TF_Status *status)
{
    load l = {.is_own = true};
    bool ok = load_spec(&l, path, true, status);
    oribi_free(l.path);
    return ok;
}

bool oribi_plugin_load(const char *spec, TF_Status *status)
{
    return oribi__plugin_load(spec, true, status);
}
