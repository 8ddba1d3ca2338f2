/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic symbols of a shared library: what it needs, what it has. Contract: elf.h.
 * Source   the GNU hash table as its users describe it.
 */
#include <string.h>

#include "plugin/elf_internal.h"

/* Index after the last symbol, from the end of the longest chain of the GNU hash table. */
static bool count_by_gnu_hash(oribi_elf_reader *r, uint64_t *count)
{
    uint32_t head[4]; /* buckets, first hashed symbol, bloom words, bloom shift */
    uint64_t offset;
    uint64_t room;
    uint32_t last = 0;
    if (!oribi__elf_translate(r, r->gnu_hash, &offset, &room) ||
        !oribi__elf_read_at(r, offset, head, sizeof(head), "the hash table")) {
        return false;
    }
    uint64_t buckets = offset + sizeof(head) + (uint64_t)head[2] * sizeof(ElfW(Addr));
    uint64_t chains = buckets + (uint64_t)head[0] * 4;
    for (uint32_t i = 0; i < head[0]; i++) {
        uint32_t symbol = 0;
        if (!oribi__elf_read_at(r, buckets + (uint64_t)i * 4, &symbol, 4, "the hash table")) {
            return false;
        }
        last = symbol > last ? symbol : last;
    }
    *count = head[1];
    while (last >= head[1]) {
        uint32_t link = 0;
        if (!oribi__elf_read_at(r, chains + (uint64_t)(last - head[1]) * 4, &link, 4,
                                "the hash table")) {
            return false;
        }
        *count = ++last;
        if (link & 1) {
            break;
        }
    }
    return true;
}

static bool count_symbols(oribi_elf_reader *r, uint64_t *count)
{
    *count = 0;
    if (r->hash) {
        uint64_t offset;
        uint64_t room;
        uint32_t head[2]; /* buckets, symbols */
        if (!oribi__elf_translate(r, r->hash, &offset, &room) ||
            !oribi__elf_read_at(r, offset, head, sizeof(head), "the hash table")) {
            return false;
        }
        *count = head[1];
        return true;
    }
    return !r->gnu_hash || count_by_gnu_hash(r, count);
}

static bool is_contract_name(const char *name)
{
    static const char *const prefixes[] = {"TF_", "SE_", "SP_", "TP_", "TSL_", "oribi_"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool keep_symbol(oribi_elf_reader *r, oribi_elf *elf, const ElfW(Sym) * symbol)
{
    const char *name = oribi__elf_string(r, symbol->st_name);
    bool is_global = (symbol->st_info >> 4) == STB_GLOBAL;
    if (!name) {
        return oribi__elf_fail(r, "damaged: the name of a symbol is out of range");
    }
    if (symbol->st_shndx == SHN_UNDEF) {
        bool is_contract = is_global && is_contract_name(name);
        return oribi__elf_keep(r, is_contract ? &elf->undefined : &elf->others, name);
    }
    for (int e = 0; e < ORIBI_N_ENTRIES; e++) {
        elf->has_entry[e] = elf->has_entry[e] || strcmp(name, oribi__entry_names[e]) == 0;
    }
    return oribi__elf_keep(r, &elf->exports, name);
}

bool oribi__elf_read_symbols(oribi_elf_reader *r, oribi_elf *elf)
{
    uint64_t offset;
    uint64_t room;
    uint64_t count = 0;
    if (!count_symbols(r, &count) || count == 0) {
        return oribi_ok(r->status);
    }
    if (!oribi__elf_translate(r, r->symbols, &offset, &room)) {
        return false;
    }
    for (uint64_t i = 1; i < count; i++) {
        ElfW(Sym) symbol;
        uint64_t at = offset + i * sizeof(symbol);
        if (!oribi__elf_read_at(r, at, &symbol, sizeof(symbol), "the symbol table") ||
            !keep_symbol(r, elf, &symbol)) {
            return false;
        }
    }
    if (elf->has_entry[ORIBI_ENTRY_INIT_KERNEL]) {
        elf->has_entry[ORIBI_ENTRY_INIT_PLUGIN] = false; /* somebody else's then */
    }
    for (int e = 0; e < ORIBI_ENTRY_REGISTER_CUSTOM_OPS; e++) {
        if (elf->has_entry[e]) { /* a plugin that is both is one of ours */
            elf->has_entry[ORIBI_ENTRY_REGISTER_CUSTOM_OPS] = false;
        }
    }
    return true;
}
