/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the dynamic section of a shared library. Contract: elf.h.
 * Source   System V ABI, gABI chapters 4 and 5; the GNU hash table as its users describe it.
 */
#include "plugin/elf.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <string.h>

#include "base/file.h"

const char *const oribi__entry_names[ORIBI_N_ENTRIES] = {"SE_InitPlugin", "TF_InitKernel",
                                                         "TF_InitGraph", "TF_InitProfiler"};

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#elif defined(__i386__)
enum { OWN_MACHINE = EM_386 };
#elif defined(__arm__)
enum { OWN_MACHINE = EM_ARM };
#elif defined(__riscv)
enum { OWN_MACHINE = EM_RISCV };
#elif defined(__powerpc64__)
enum { OWN_MACHINE = EM_PPC64 };
#elif defined(__s390x__)
enum { OWN_MACHINE = EM_S390 };
#else
enum { OWN_MACHINE = EM_NONE }; /* not checked here; the system's loader will tell */
#endif

typedef struct reader {
    const char *path;
    oribi_file_map map;
    oribi_arena *arena;
    TF_Status *status;
    ElfW(Ehdr) header;
    /* From the dynamic section; 0: absent. Addresses as the file has them. */
    uint64_t strings, strings_bytes, symbols, gnu_hash, hash;
} reader;

static bool fail(reader *r, const char *reason)
{
    return oribi_fail(r->status, TF_INVALID_ARGUMENT, "plugin '%s': %s", r->path, reason);
}

/* Copies bytes at a file offset; the file may end before, then it is truncated. */
static bool read_at(reader *r, uint64_t offset, void *to, size_t bytes, const char *what)
{
    if (offset > r->map.bytes || bytes > r->map.bytes - offset) {
        return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                          "plugin '%s': truncated or damaged: %s at byte %" PRIu64
                          " is beyond the end, byte %zu; build or copy the file anew",
                          r->path, what, offset, r->map.bytes);
    }
    memcpy(to, r->map.data + offset, bytes);
    return true;
}

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_386:
        return "x86";
    case EM_X86_64:
        return "x86-64";
    case EM_ARM:
        return "32-bit Arm";
    case EM_AARCH64:
        return "AArch64";
    case EM_RISCV:
        return "RISC-V";
    case EM_PPC64:
        return "POWER";
    case EM_S390:
        return "IBM Z";
    default:
        return "another kind of processor";
    }
}

static bool check_header(reader *r)
{
    unsigned char ident[EI_NIDENT];
    static const uint16_t one = 1;
    if (r->map.bytes < SELFMAG || memcmp(r->map.data, ELFMAG, SELFMAG) != 0) {
        return fail(r, "not a shared library (it has no ELF header)");
    }
    if (!read_at(r, 0, ident, sizeof(ident), "the ELF header")) {
        return false;
    }
    if (ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
        return fail(r, sizeof(void *) == 8 ? "a 32-bit library; this Oribi is 64-bit"
                                           : "a 64-bit library; this Oribi is 32-bit");
    }
    if (ident[EI_DATA] != (*(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB)) {
        return fail(r, "a library of the other byte order");
    }
    if (!read_at(r, 0, &r->header, sizeof(r->header), "the ELF header")) {
        return false;
    }
    if (OWN_MACHINE != EM_NONE && r->header.e_machine != OWN_MACHINE) {
        return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                          "plugin '%s': built for %s (machine %u); this Oribi runs on %s", r->path,
                          machine_name(r->header.e_machine), (unsigned)r->header.e_machine,
                          machine_name(OWN_MACHINE));
    }
    if (r->header.e_type == ET_REL) {
        return fail(r, "an object file; link it with `cc -shared`");
    }
    if (r->header.e_type != ET_DYN) {
        return fail(r, "not a shared library; link it with `cc -shared`");
    }
    if (r->header.e_phentsize != sizeof(ElfW(Phdr))) {
        return fail(r, "damaged: its program headers have an unknown size");
    }
    return true;
}

static bool read_segment(reader *r, unsigned i, ElfW(Phdr) * segment)
{
    uint64_t at;
    if (__builtin_add_overflow((uint64_t)r->header.e_phoff, (uint64_t)i * sizeof(*segment), &at)) {
        return fail(r, "damaged: offset of the program headers");
    }
    return read_at(r, at, segment, sizeof(*segment), "a program header");
}

/* File offset of an address; *room gets the file's bytes from there to the segment's end. */
static bool translate(reader *r, uint64_t address, uint64_t *offset, uint64_t *room)
{
    for (unsigned i = 0; i < r->header.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_segment(r, i, &segment)) {
            return false;
        }
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz &&
            segment.p_offset <= UINT64_MAX - segment.p_filesz) {
            *offset = segment.p_offset + (address - segment.p_vaddr);
            *room = segment.p_filesz - (address - segment.p_vaddr);
            return true;
        }
    }
    return fail(r, "damaged: a table of its dynamic section lies outside the file");
}

static bool find_dynamic(reader *r, uint64_t *offset, uint64_t *count)
{
    for (unsigned i = 0; i < r->header.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_segment(r, i, &segment)) {
            return false;
        }
        if (segment.p_type == PT_DYNAMIC) {
            *offset = segment.p_offset;
            *count = segment.p_filesz / sizeof(ElfW(Dyn));
            return true;
        }
    }
    return fail(r, "no dynamic section; link it with `cc -shared`");
}

static const char *copy_string(reader *r, uint64_t index)
{
    uint64_t offset;
    uint64_t room;
    if (index >= r->strings_bytes || !translate(r, r->strings, &offset, &room) || index >= room) {
        return NULL;
    }
    room = room < r->strings_bytes ? room : r->strings_bytes;
    if (offset > r->map.bytes || room > r->map.bytes - offset) {
        room = offset > r->map.bytes ? 0 : r->map.bytes - offset;
    }
    const char *text = (const char *)r->map.data + offset + index;
    const char *end = index < room ? memchr(text, '\0', room - index) : NULL;
    return end ? text : NULL;
}

static bool keep(reader *r, const char ***list, size_t *n, size_t *capacity, const char *text)
{
    if (*n == *capacity) {
        size_t more = *capacity ? *capacity * 2 : 16;
        const char **grown = oribi_arena_array(r->arena, more, sizeof(*grown));
        if (!grown) {
            return oribi_fail_memory(r->status);
        }
        if (*n) {
            memcpy(grown, *list, *n * sizeof(*grown));
        }
        *list = grown;
        *capacity = more;
    }
    (*list)[*n] = oribi_arena_strdup(r->arena, text);
    return (*list)[(*n)++] || oribi_fail_memory(r->status);
}

static bool read_dynamic(reader *r, oribi_elf *elf)
{
    uint64_t offset = 0;
    uint64_t count = 0;
    size_t capacity = 0;
    if (!find_dynamic(r, &offset, &count)) {
        return false;
    }
    for (int pass = 0; pass < 2; pass++) { /* names come after the string table is known */
        for (uint64_t i = 0; i < count; i++) {
            ElfW(Dyn) entry;
            uint64_t at = offset + i * sizeof(entry);
            if (at < offset || !read_at(r, at, &entry, sizeof(entry), "the dynamic section")) {
                return at < offset ? fail(r, "damaged: offset of the dynamic section") : false;
            }
            uint64_t value = entry.d_un.d_val;
            if (entry.d_tag == DT_NULL) {
                break;
            }
            r->strings = entry.d_tag == DT_STRTAB ? value : r->strings;
            r->strings_bytes = entry.d_tag == DT_STRSZ ? value : r->strings_bytes;
            r->symbols = entry.d_tag == DT_SYMTAB ? value : r->symbols;
            r->gnu_hash = entry.d_tag == DT_GNU_HASH ? value : r->gnu_hash;
            r->hash = entry.d_tag == DT_HASH ? value : r->hash;
            if (pass == 1 && entry.d_tag == DT_NEEDED) {
                const char *name = copy_string(r, value);
                if (!name) {
                    return fail(r, "damaged: the name of a needed library is out of range");
                }
                if (!keep(r, &elf->needed, &elf->n_needed, &capacity, name)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Index after the last symbol, from the end of the longest chain of the GNU hash table. */
static bool count_by_gnu_hash(reader *r, uint64_t *count)
{
    uint32_t head[4]; /* buckets, first hashed symbol, bloom words, bloom shift */
    uint64_t offset;
    uint64_t room;
    uint32_t last = 0;
    if (!translate(r, r->gnu_hash, &offset, &room) ||
        !read_at(r, offset, head, sizeof(head), "the hash table")) {
        return false;
    }
    uint64_t buckets = offset + sizeof(head) + (uint64_t)head[2] * sizeof(ElfW(Addr));
    uint64_t chains = buckets + (uint64_t)head[0] * 4;
    for (uint32_t i = 0; i < head[0]; i++) {
        uint32_t symbol = 0;
        if (!read_at(r, buckets + (uint64_t)i * 4, &symbol, 4, "the hash table")) {
            return false;
        }
        last = symbol > last ? symbol : last;
    }
    *count = head[1];
    while (last >= head[1]) {
        uint32_t link = 0;
        if (!read_at(r, chains + (uint64_t)(last - head[1]) * 4, &link, 4, "the hash table")) {
            return false;
        }
        *count = ++last;
        if (link & 1) {
            break;
        }
    }
    return true;
}

static bool count_symbols(reader *r, uint64_t *count)
{
    *count = 0;
    if (r->hash) {
        uint64_t offset;
        uint64_t room;
        uint32_t head[2]; /* buckets, symbols */
        if (!translate(r, r->hash, &offset, &room) ||
            !read_at(r, offset, head, sizeof(head), "the hash table")) {
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

static bool read_symbols(reader *r, oribi_elf *elf)
{
    uint64_t offset;
    uint64_t room;
    uint64_t count = 0;
    size_t capacity = 0;
    if (!count_symbols(r, &count) || count == 0) {
        return oribi_ok(r->status);
    }
    if (!translate(r, r->symbols, &offset, &room)) {
        return false;
    }
    for (uint64_t i = 1; i < count; i++) {
        ElfW(Sym) symbol;
        uint64_t at = offset + i * sizeof(symbol);
        if (!read_at(r, at, &symbol, sizeof(symbol), "the symbol table")) {
            return false;
        }
        const char *name = copy_string(r, symbol.st_name);
        if (!name) {
            return fail(r, "damaged: the name of a symbol is out of range");
        }
        if (symbol.st_shndx == SHN_UNDEF) {
            if ((symbol.st_info >> 4) == STB_GLOBAL && is_contract_name(name) &&
                !keep(r, &elf->undefined, &elf->n_undefined, &capacity, name)) {
                return false;
            }
            continue;
        }
        for (int e = 0; e < ORIBI_N_ENTRIES; e++) {
            elf->has_entry[e] = elf->has_entry[e] || strcmp(name, oribi__entry_names[e]) == 0;
        }
    }
    return true;
}

static bool fail_to_open(const char *path, int error, TF_Status *status)
{
    TF_Code code = error == ENOENT || error == ENOTDIR  ? TF_NOT_FOUND
                   : error == EACCES || error == EPERM  ? TF_PERMISSION_DENIED
                   : error == ENOMEM || error == EMFILE ? TF_RESOURCE_EXHAUSTED
                                                        : TF_INVALID_ARGUMENT;
    return oribi_fail(status, code, "plugin '%s': %s", path, strerror(error));
}

bool oribi__elf_read(const char *path, oribi_arena *arena, oribi_elf *out_elf, TF_Status *status)
{
    reader r = {.path = path, .arena = arena, .status = status};
    oribi_elf elf = {0};
    int error = oribi_file_map_open(path, &r.map);
    if (error != 0) {
        return fail_to_open(path, error, status);
    }
    bool ok = check_header(&r) && read_dynamic(&r, &elf) && read_symbols(&r, &elf);
    oribi_file_map_close(&r.map);
    if (ok) {
        *out_elf = elf;
    }
    return ok;
}
