/* SPDX-License-Identifier: Apache-2.0 */
/* Shared in this room. The way of a plugin: spec.c (path and options) -> elf.c (what the file says)
 * -> own.c (are we visible to it?) -> probe.c, verdict.c (does it survive?) -> load.c (map it, find
 * the entry points) -> transaction.c (run the init, all or nothing). Built-ins (built_in.c) enter
 * at the last station.
 */
#ifndef ORIBI_PLUGIN_PLUGIN_INTERNAL_H_
#define ORIBI_PLUGIN_PLUGIN_INTERNAL_H_

#include "base/dynlib.h"
#include "base/file.h"
#include "base/text.h"
#include "device/device.h"
#include "plugin/elf.h"
#include "plugin/optimizer.h"
#include "plugin/plugin.h"
#include "plugin/profiler.h"
#include "tensorflow/c/plugin_note.h"

#define ORIBI_TEXT_OF(x)      #x
#define ORIBI_DOTTED(a, b, c) ORIBI_TEXT_OF(a) "." ORIBI_TEXT_OF(b) "." ORIBI_TEXT_OF(c)
#define ORIBI_VERSION_TEXT                                                                         \
    ORIBI_DOTTED(ORIBI_VERSION_MAJOR, ORIBI_VERSION_MINOR, ORIBI_VERSION_PATCH)
#define ORIBI_ENTRY_POINTS_TEXT                                                                    \
    "SE_InitPlugin, TF_InitKernel (or InitPlugin), TF_InitGraph, TF_InitProfiler, "                \
    "RegisterCustomOps"

/* --- spec.c --- */

/* Options of one plugin, kept for ever: plugins may hold what TF_PluginOption gave them. */
typedef struct oribi_plugin_options {
    struct oribi_plugin_options *next;
    char *text; /* as given */
    char *cut;  /* the same with NUL after each key and value */
    size_t n;
    struct {
        const char *key, *value;
    } items[];
} oribi_plugin_options;

/* Splits "path[:key=val[,key=val]]". *out_path is newly allocated, with links resolved. */
bool oribi__plugin_spec_parse(const char *spec, char **out_path,
                              const oribi_plugin_options **out_options, TF_Status *status);
/* Sets the options that TF_PluginOption sees on this thread from now on; NULL: none. */
void oribi__plugin_options_enter(const oribi_plugin_options *options);
void oribi__plugin_options_forget_all(void);

/* The value of a key, or NULL; options may be NULL. */
const char *oribi__plugin_option(const oribi_plugin_options *options, const char *key);

/* --- own.c --- */

/* Folder of the file that this code was loaded from, newly allocated, or NULL. */
char *oribi__own_folder(void);
/* The path of `oribi/NAME` among what was installed with us: beside the library, beside a program
 * that was built with it, where it was to be installed. Newly allocated, or NULL: nowhere. */
char *oribi__own_find(const char *name);
/* Will a plugin with these needs find our functions, once mapped? Makes them visible to it where
 * that is needed, and refuses it with a reason where it cannot work. */
bool oribi__own_admit(const char *path, const oribi_elf *elf, TF_Status *status);
/* Names of functions that the plugin needs and we lack, separated by commas. */
void oribi__own_list_missing(const oribi_elf *elf, oribi_text *missing);
/* Is a TensorFlow mapped that is not us? Then false, with a message naming it. */
bool oribi__own_check_alone(const char *path, TF_Status *status);

/* --- dropin.c --- */

/* Opens the empty library of each name of TensorFlow's that the plugin needs, and of all of them
 * where it brings libraries of its own. */
void oribi__dropin_open(const char *path, const oribi_elf *elf);
/* Is the mapped file one of those? */
bool oribi__dropin_is_ours(const char *path);

/* --- python.c --- */

/* Opens Python's library where the plugin needs its functions and they are not there: the one that
 * the option `python` or ORIBI_PYTHON_LIBRARY names, else that of the version in the file's name.
 */
bool oribi__python_open(const char *path, const oribi_elf *elf, const oribi_plugin_options *options,
                        TF_Status *status);

/* --- probe.c, verdict.c --- */

/* Runs the plugin in a helper process, or recalls an earlier result. True: it may be loaded, or
 * there is no helper. is_named: a user asked for this file by name, so an old refusal is not
 * believed. */
bool oribi__plugin_probe(const char *path, const oribi_plugin_options *options,
                         const oribi_file_id *id, bool is_named, TF_Status *status);

typedef struct oribi_helper_request { /* one run of the helper program */
    const char *path, *options;
    const char *mode, *argument; /* "describe" or "case"; NULL: a probe */
    uint64_t timeout_ms;         /* 0: the probe's */
} oribi_helper_request;
/* The plugin is loaded in the helper, then what mode asks for is done there; *json gets the answer.
 * Errors   what the plugin was refused for; ABORTED: it crashed or exited; DEADLINE_EXCEEDED: it
 *          hung; UNAVAILABLE: there is no helper program.
 */
bool oribi__helper_run(const oribi_helper_request *request, oribi_text *json, TF_Status *status);

typedef struct oribi_verdict_key { /* which file, under which circumstances */
    oribi_file_id plugin, probe;
    uint64_t options_hash;
} oribi_verdict_key;
/* True: a verdict is known; its code and message are in *status (TF_OK: the plugin is fine). */
bool oribi__verdict_find(const oribi_verdict_key *key, bool is_named, TF_Status *status);
void oribi__verdict_keep(const oribi_verdict_key *key, const TF_Status *verdict);
uint64_t oribi__verdict_hash(const char *text, size_t length);

void oribi__verdict_forget_all(void);

/* --- transaction.c --- */

typedef struct oribi_plugin_source {
    const char *path, *name;
    const char *provider; /* how registrations call it */
    const oribi_plugin_options *options;
    const char *entry_points;
    bool is_built_in;
    oribi_file_id id;
    oribi_platform_init init_device; /* NULL: it has none, here and below */
    oribi_optimizer_init init_graph;
    oribi_profiler_init init_profiler;
    void (*init_kernel)(void); /* the same */
    /* Of the adapter for this library, and the library's symbol that it was recognised by. */
    void (*init_adapter)(const char *path, void (*entry)(void), TF_Status *status);
    void (*adapted)(void);
    /* Maps the file and sets both, once the transaction is open; NULL: mapped already. */
    bool (*map)(void *arg, struct oribi_plugin_source *source, TF_Status *status);
    void *map_arg;
} oribi_plugin_source;

/* Serialises loads. False when this thread is inside a plugin's init already. */
bool oribi__plugin_lock(const char *path, TF_Status *status);
void oribi__plugin_unlock(void);
/* Has oribi_plugin_forget_all been called? Then false, with a message. */
bool oribi__plugin_check_open(TF_Status *status);
/* Runs the init and adds the plugin to the list, or leaves everything as it was. Locked. */
bool oribi__plugin_register(oribi_plugin_source *source, TF_Status *status);
/* Adds what a built-in plugin has registered later. */
void oribi__plugin_count(const char *name, int32_t n_ops, int32_t n_kernels);
/* Path under which the file (same device and inode) is in the list, which is the provider of its
 * ops, for ever; NULL: it is not. Locked. */
const char *oribi__plugin_loaded_path(const oribi_file_id *id);

/* --- adapt.c --- */

/* Can an adapter take the library that the file is? Called before it is mapped. */
bool oribi__adapt_examine(const char *path, const oribi_elf *elf, TF_Status *status);
/* Sets the source's adapter and the library's entry point. */
bool oribi__adapt_find(oribi_plugin_source *source, oribi_dynlib *library, TF_Status *status);

/* --- extra.c --- */

/* Loads oribi_cpu_extra.so, once: the reserve of oribi_kernel_set_reserve. */
void oribi__extra_load(void);

/* --- load.c --- */

/* is_named: see oribi__plugin_probe. */
bool oribi__plugin_load(const char *spec, bool is_named, TF_Status *status);
/* Loads a file that belongs to this library as a built-in plugin: it is not probed. */
bool oribi__plugin_load_own(const char *path, TF_Status *status);
/* For TF_LoadLibrary: a library without entry points will do, whose constructors register. A
 * library that has none is not probed. *out_provider: of its ops. */
bool oribi__plugin_load_library(const char *spec, const char **out_provider, TF_Status *status);

#endif
