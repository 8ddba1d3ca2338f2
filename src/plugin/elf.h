/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin's file says about itself before it is mapped: kind of machine, the libraries it
 * needs, the contract functions it needs, the entry points it has. Not here: loading (load.c).
 */
#ifndef ORIBI_PLUGIN_ELF_H_
#define ORIBI_PLUGIN_ELF_H_

#include "base/arena.h"
#include "tensor/status.h"

enum { /* entry points, in the order in which a loader calls them */
       ORIBI_ENTRY_SE_INIT_PLUGIN,
       ORIBI_ENTRY_INIT_KERNEL,
       ORIBI_ENTRY_INIT_GRAPH,
       ORIBI_ENTRY_INIT_PROFILER,
       ORIBI_N_ENTRIES
};
extern const char *const oribi__entry_names[ORIBI_N_ENTRIES];

typedef struct oribi_elf {
    const char **needed; /* file names of libraries, in the file's order */
    size_t n_needed;
    const char **undefined; /* functions named TF_*, SE_*, ... that must come from elsewhere */
    size_t n_undefined;
    bool has_entry[ORIBI_N_ENTRIES];
} oribi_elf;

/* Every offset and count is checked against the file. Strings live in the arena.
 * Errors   NOT_FOUND, PERMISSION_DENIED for the file; INVALID_ARGUMENT: not a shared library for
 *          this machine, or truncated. Messages begin with "plugin 'PATH': ".
 */
bool oribi__elf_read(const char *path, oribi_arena *arena, oribi_elf *out_elf, TF_Status *status);

#endif
