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
       ORIBI_ENTRY_INIT_PLUGIN, /* the design's name of the one before; only without it */
       ORIBI_ENTRY_INIT_GRAPH,
       ORIBI_ENTRY_INIT_PROFILER,
       ORIBI_ENTRY_REGISTER_CUSTOM_OPS, /* ONNX Runtime's; only without any of the others */
       ORIBI_N_ENTRIES
};
extern const char *const oribi__entry_names[ORIBI_N_ENTRIES];

typedef struct oribi_elf_names {
    const char **items;
    size_t count, capacity;
} oribi_elf_names;

typedef struct oribi_elf_note { /* of ORIBI_PLUGIN; see tensorflow/c/plugin_note.h */
    bool is_present;
    uint32_t contract, headers; /* major * 100 + minor */
    const char *name, *version, *licence, *build;
} oribi_elf_note;

typedef struct oribi_elf {
    oribi_elf_names needed;    /* file names of libraries, in the file's order */
    oribi_elf_names undefined; /* functions named TF_*, SE_*, ... that must come from elsewhere */
    oribi_elf_names others;    /* everything else that must come from elsewhere, weak ones too */
    oribi_elf_names exports;
    oribi_elf_names versions; /* symbol versions asked of other libraries: "GLIBC_2.34" */
    bool has_entry[ORIBI_N_ENTRIES];
    oribi_elf_note note;
    const char *cases;           /* JSON of ORIBI_PLUGIN_CASES, or NULL */
    const char *rpath, *runpath; /* NULL: none */
    uint64_t n_init_functions;   /* entries of .init_array, the compiler's own one included */
    bool has_old_init;           /* DT_INIT */
    bool has_stack_mark, is_stack_executable, has_text_relocations;
} oribi_elf;

/* Every offset and count is checked against the file. Strings live in the arena.
 * Errors   NOT_FOUND, PERMISSION_DENIED for the file; INVALID_ARGUMENT: not a shared library for
 *          this machine, or truncated. Messages begin with "plugin 'PATH': ".
 */
bool oribi__elf_read(const char *path, oribi_arena *arena, oribi_elf *out_elf, TF_Status *status);

#endif
