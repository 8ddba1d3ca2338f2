/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the header and the dynamic section of a shared library. Contract: elf.h. Read next:
 * elf_symbols.c, elf_note.c.
 * Source   System V ABI, gABI chapters 4 and 5; the GNU hash table as its users describe it.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "plugin/elf_internal.h"

const char *const oribi__entry_names[ORIBI_N_ENTRIES] = {"SE_InitPlugin",   "TF_InitKernel",
                                                         "InitPlugin",      "TF_InitGraph",
                                                         "TF_InitProfiler", "RegisterCustomOps"};

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

bool oribi__elf_fail(oribi_elf_reader *r, const char *reason)
{
    return oribi_fail(r->status, TF_INVALID_ARGUMENT, "plugin '%s': %s", r->path, reason);
}

/* Copies bytes at a file offset; the file may end before, then it is truncated. */
bool oribi__elf_read_at(oribi_elf_reader *r, uint64_t offset, void *to, size_t bytes,
                        const char *what)
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

static bool check_header(oribi_elf_reader *r)
{
    unsigned char ident[EI_NIDENT];
    static const uint16_t one = 1;
    if (r->map.bytes < SELFMAG || memcmp(r->map.data, ELFMAG, SELFMAG) != 0) {
        return oribi__elf_fail(r, "not a shared library (it has no ELF header)");
    }
    ORIBI_TRY(oribi__elf_read_at(r, 0, ident, sizeof(ident), "the ELF header"));
    if (ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
        return oribi__elf_fail(r, sizeof(void *) == 8 ? "a 32-bit library; this Oribi is 64-bit"
                                                      : "a 64-bit library; this Oribi is 32-bit");
    }
    if (ident[EI_DATA] != (*(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB)) {
        return oribi__elf_fail(r, "a library with the other byte order");
    }
    ORIBI_TRY(oribi__elf_read_at(r, 0, &r->header, sizeof(r->header), "the ELF header"));
    if (OWN_MACHINE != EM_NONE && r->header.e_machine != OWN_MACHINE) {
        return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                          "plugin '%s': built for %s (machine %u); this Oribi runs on %s", r->path,
                          machine_name(r->header.e_machine), (unsigned)r->header.e_machine,
                          machine_name(OWN_MACHINE));
    }
    if (r->header.e_type == ET_REL) {
        return oribi__elf_fail(r, "an object file; link it with `cc -shared`");
    }
    if (r->header.e_type != ET_DYN) {
        return oribi__elf_fail(r, "not a shared library; link it with `cc -shared`");
    }
    if (r->header.e_phentsize != sizeof(ElfW(Phdr))) {
        return oribi__elf_fail(r, "damaged: its program headers have an unknown size");
    }
    return true;
}

bool oribi__elf_segment(oribi_elf_reader *r, unsigned i, ElfW(Phdr) * segment)
{
    uint64_t at;
    if (__builtin_add_overflow((uint64_t)r->header.e_phoff, (uint64_t)i * sizeof(*segment), &at)) {
        return oribi__elf_fail(r, "damaged: the offset of the program headers is out of range");
    }
    return oribi__elf_read_at(r, at, segment, sizeof(*segment), "a program header");
}

/* File offset of an address; *room gets the file's bytes from there to the segment's end. */
bool oribi__elf_translate(oribi_elf_reader *r, uint64_t address, uint64_t *offset, uint64_t *room)
{
    for (unsigned i = 0; i < r->header.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!oribi__elf_segment(r, i, &segment)) {
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
    return oribi__elf_fail(r, "damaged: a table of its dynamic section lies outside the file");
}

static bool find_dynamic(oribi_elf_reader *r, uint64_t *offset, uint64_t *count)
{
    for (unsigned i = 0; i < r->header.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!oribi__elf_segment(r, i, &segment)) {
            return false;
        }
        if (segment.p_type == PT_DYNAMIC) {
            *offset = segment.p_offset;
            *count = segment.p_filesz / sizeof(ElfW(Dyn));
            return true;
        }
    }
    return oribi__elf_fail(r, "no dynamic section; link it with `cc -shared`");
}

const char *oribi__elf_string(oribi_elf_reader *r, uint64_t index)
{
    uint64_t offset;
    uint64_t room;
    if (index >= r->strings_bytes || !oribi__elf_translate(r, r->strings, &offset, &room) ||
        index >= room) {
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

bool oribi__elf_keep(oribi_elf_reader *r, oribi_elf_names *names, const char *text)
{
    if (names->count == names->capacity) {
        size_t more = names->capacity ? names->capacity * 2 : 16;
        const char **grown = oribi_claim_array(r->arena, more, sizeof(*grown), r->status);
        ORIBI_TRY(grown != NULL);
        if (names->count) {
            memcpy(grown, names->items, names->count * sizeof(*grown));
        }
        names->items = grown;
        names->capacity = more;
    }
    names->items[names->count] = oribi_arena_strdup(r->arena, text);
    return names->items[names->count++] || oribi_fail_memory(r->status);
}

/* One entry whose value needs no name. */
static void note_entry(oribi_elf_reader *r, oribi_elf *elf, const ElfW(Dyn) * entry)
{
    uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_STRTAB:
        r->strings = value;
        break;
    case DT_STRSZ:
        r->strings_bytes = value;
        break;
    case DT_SYMTAB:
        r->symbols = value;
        break;
    case DT_GNU_HASH:
        r->gnu_hash = value;
        break;
    case DT_HASH:
        r->hash = value;
        break;
    case DT_VERNEED:
        r->needs = value;
        break;
    case DT_VERNEEDNUM:
        r->n_needs = value;
        break;
    case DT_INIT_ARRAYSZ:
        elf->n_init_functions = value / sizeof(ElfW(Addr));
        break;
    case DT_INIT:
        elf->has_old_init = true;
        break;
    case DT_TEXTREL:
        elf->has_text_relocations = true;
        break;
    default:
        break;
    }
}

static bool note_name(oribi_elf_reader *r, oribi_elf *elf, const ElfW(Dyn) * entry)
{
    if (entry->d_tag != DT_NEEDED && entry->d_tag != DT_RPATH && entry->d_tag != DT_RUNPATH) {
        return true;
    }
    const char *name = oribi__elf_string(r, entry->d_un.d_val);
    if (!name) {
        return oribi__elf_fail(r, "damaged: the name of a needed library is out of range");
    }
    if (entry->d_tag == DT_NEEDED) {
        return oribi__elf_keep(r, &elf->needed, name);
    }
    const char **path = entry->d_tag == DT_RPATH ? &elf->rpath : &elf->runpath;
    *path = oribi_arena_strdup(r->arena, name);
    return *path || oribi_fail_memory(r->status);
}

static bool read_dynamic(oribi_elf_reader *r, oribi_elf *elf)
{
    uint64_t offset = 0;
    uint64_t count = 0;
    ORIBI_TRY(find_dynamic(r, &offset, &count));
    for (int pass = 0; pass < 2; pass++) { /* names come after the string table is known */
        for (uint64_t i = 0; i < count; i++) {
            ElfW(Dyn) entry;
            uint64_t at = offset + i * sizeof(entry);
            if (at < offset ||
                !oribi__elf_read_at(r, at, &entry, sizeof(entry), "the dynamic section")) {
                return at < offset
                           ? oribi__elf_fail(
                                 r, "damaged: the offset of the dynamic section is out of range")
                           : false;
            }
            if (entry.d_tag == DT_NULL) {
                break;
            }
            if (pass == 0) {
                note_entry(r, elf, &entry);
            } else if (!note_name(r, elf, &entry)) {
                return false;
            }
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
    return oribi_fail(status, code, "plugin '%s': %s", path,
                      error == ESPIPE ? "not a regular file" : strerror(error));
}

bool oribi__elf_read(const char *path, oribi_arena *arena, oribi_elf *out_elf, TF_Status *status)
{
    oribi_elf_reader r = {.path = path, .arena = arena, .status = status};
    oribi_elf elf = {0};
    int error = oribi_file_map_open(path, &r.map);
    if (error != 0) {
        return fail_to_open(path, error, status);
    }
    bool ok = check_header(&r) && read_dynamic(&r, &elf) && oribi__elf_read_symbols(&r, &elf) &&
              oribi__elf_read_versions(&r, &elf) && oribi__elf_read_segments(&r, &elf);
    oribi_file_map_close(&r.map);
    if (ok) {
        *out_elf = elf;
    }
    return ok;
}
