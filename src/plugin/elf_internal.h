/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by elf.c, elf_symbols.c and elf_note.c: the file under the reader, and the steps that
 * every offset goes through. */
#ifndef ORIBI_PLUGIN_ELF_INTERNAL_H_
#define ORIBI_PLUGIN_ELF_INTERNAL_H_

#include <elf.h>
#include <link.h>

#include "base/file.h"
#include "plugin/elf.h"

typedef struct oribi_elf_reader {
    const char *path;
    oribi_file_map map;
    oribi_arena *arena;
    TF_Status *status;
    ElfW(Ehdr) header;
    /* From the dynamic section; 0: absent. Addresses as the file has them. */
    uint64_t strings, strings_bytes, symbols, gnu_hash, hash, needs, n_needs;
} oribi_elf_reader;

bool oribi__elf_fail(oribi_elf_reader *r, const char *reason);
/* Copies bytes at a file offset; the file may end before, then it is truncated. */
bool oribi__elf_read_at(oribi_elf_reader *r, uint64_t offset, void *to, size_t bytes,
                        const char *what);
bool oribi__elf_segment(oribi_elf_reader *r, unsigned i, ElfW(Phdr) * segment);
/* File offset of an address; *room gets the file's bytes from there to the segment's end. */
bool oribi__elf_translate(oribi_elf_reader *r, uint64_t address, uint64_t *offset, uint64_t *room);
/* Returns a string of the string table, inside the map; NULL: out of range. */
const char *oribi__elf_string(oribi_elf_reader *r, uint64_t index);
bool oribi__elf_keep(oribi_elf_reader *r, oribi_elf_names *names, const char *text);

bool oribi__elf_read_symbols(oribi_elf_reader *r, oribi_elf *elf);
bool oribi__elf_read_versions(oribi_elf_reader *r, oribi_elf *elf);
bool oribi__elf_read_segments(oribi_elf_reader *r, oribi_elf *elf);

#endif
