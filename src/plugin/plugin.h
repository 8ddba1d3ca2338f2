/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins: find, probe in a helper process, load as one transaction, never unload. Built-ins go the
 * same way from a table.
 */
#ifndef ORIBI_PLUGIN_PLUGIN_H_
#define ORIBI_PLUGIN_PLUGIN_H_

#include "kernel/kernel.h"

typedef struct oribi_plugin_info {
    const char *path, *name; /* name: file name without folder, or the built-in's name */
    bool is_built_in;
    const char *options; /* text after the first ':' of --plugin, or "" */
    int32_t n_ops, n_kernels;
    const char *entry_points; /* "TF_InitKernel" ... */
} oribi_plugin_info;

/* Registers the built-in plugins once per process (thread safe). */
bool oribi_plugin_load_built_ins(TF_Status *status);
/* Is this the name of one? A file of that name is written with its folder: "./cpu". */
bool oribi_plugin_is_built_in(const char *name);
/* "path[:key=val[,key=val]]". The same file (device and inode) twice is one plugin, and no error.
 */
bool oribi_plugin_load(const char *spec, TF_Status *status);
/* ORIBI_PLUGIN_PATH and the library's own folder; a plugin that fails there is a warning in the
 * log. */
bool oribi_plugin_load_found(TF_Status *status);
/* A table in a file of data that was installed with us; NULL: it is not there. */
const void *oribi_plugin_own_data(const char *file, const char *symbol);
/* In order of loading, until visit returns false. */
void oribi_plugin_each(bool (*visit)(void *arg, const oribi_plugin_info *plugin), void *arg);
/* At the end of the process's use of the library: frees what it knows of plugins, their ops,
 * kernels and the rest that they brought. Nothing is loaded any more then. Files stay mapped. */
void oribi_plugin_forget_all(void);

#endif
