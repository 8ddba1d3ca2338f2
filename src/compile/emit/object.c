/* SPDX-License-Identifier: Apache-2.0 */
/* ELF, as System V's generic ABI lays it out. Order in the file: head, sections, symbols, strings,
 * section heads. */
#include "compile/emit/object.h"

#include <string.h>

#include "compile/common/compile_options.h"

enum { SHT_PROGBITS = 1, SHT_SYMTAB = 2, SHT_STRTAB = 3, ALIGNMENT = 16 };

typedef struct machine {
    uint16_t number;
    bool is_64;
    uint32_t flags;
} machine;

/* Flags say what objects without code may say to any linker: Arm's fifth EABI, no float ABI. */
static const machine machines[] = {
    [ORIBI_MACHINE_ARM] = {40, false, 0x05000000},   [ORIBI_MACHINE_AARCH64] = {183, true, 0},
    [ORIBI_MACHINE_RISCV32] = {243, false, 0},       [ORIBI_MACHINE_RISCV64] = {243, true, 0},
    [ORIBI_MACHINE_X86_64] = {62, true, 0},          [ORIBI_MACHINE_I386] = {3, false, 0},
    [ORIBI_MACHINE_XTENSA] = {94, false, 0x00000300}};

typedef struct object {
    const machine *m;
    oribi_text *out, strings, heads;
    int32_t n_heads;
} object;

static void put(oribi_text *text, uint64_t value, int32_t bytes)
{
    for (int32_t i = 0; i < bytes; i++) {
        const char one = (char)(uint8_t)(value >> (8 * i));
        oribi_text_append_n(text, &one, 1);
    }
}

/* An address, an offset or a size. */
static void put_word(const object *o, oribi_text *text, uint64_t value)
{
    put(text, value, o->m->is_64 ? 8 : 4);
}

static uint32_t add_string(object *o, const char *string)
{
    const uint32_t at = (uint32_t)o->strings.length;
    oribi_text_append_n(&o->strings, string, strlen(string) + 1);
    return at;
}

static void align(oribi_text *text, size_t alignment)
{
    while (text->length % alignment != 0 && !text->failed) {
        oribi_text_append_n(text, "", 1);
    }
}

typedef struct section_head {
    const char *name;
    uint32_t type, flags, link, info;
    uint64_t offset, bytes, alignment, entry;
} section_head;

static void put_head(object *o, const section_head *h)
{
    oribi_text *t = &o->heads;
    put(t, add_string(o, h->name), 4);
    put(t, h->type, 4);
    put_word(o, t, h->flags);
    put_word(o, t, 0); /* address */
    put_word(o, t, h->offset);
    put_word(o, t, h->bytes);
    put(t, h->link, 4);
    put(t, h->info, 4);
    put_word(o, t, h->alignment);
    put_word(o, t, h->entry);
    o->n_heads++;
}

static void put_symbol(object *o, oribi_text *t, const oribi_object_symbol *s)
{
    enum { GLOBAL_OBJECT = 1 << 4 | 1 };
    const uint32_t name = s == NULL ? 0 : add_string(o, s->name);
    const uint64_t offset = s == NULL ? 0 : s->offset, bytes = s == NULL ? 0 : s->bytes;
    const uint8_t info = s == NULL ? 0 : GLOBAL_OBJECT;
    const uint16_t section = s == NULL ? 0 : (uint16_t)(s->section + 1);
    put(t, name, 4);
    if (o->m->is_64) {
        put(t, info, 1);
        put(t, 0, 1);
        put(t, section, 2);
        put(t, offset, 8);
        put(t, bytes, 8);
    } else {
        put(t, offset, 4);
        put(t, bytes, 4);
        put(t, info, 1);
        put(t, 0, 1);
        put(t, section, 2);
    }
}

/* The file's head; where the section heads are is written last, by `patch`. */
static void put_file_head(object *o)
{
    const bool is_64 = o->m->is_64;
    oribi_text *t = o->out;
    oribi_text_append_n(t, "\177ELF", 4);
    put(t, is_64 ? 2 : 1, 1); /* class */
    put(t, 1, 1);             /* little-endian */
    put(t, 1, 1);             /* version */
    put(t, 0, 8);
    put(t, 0, 1);
    put(t, 1, 2); /* relocatable */
    put(t, o->m->number, 2);
    put(t, 1, 4);
    put_word(o, t, 0); /* entry */
    put_word(o, t, 0); /* program heads */
    put_word(o, t, 0); /* section heads: patched */
    put(t, o->m->flags, 4);
    put(t, is_64 ? 64 : 52, 2);
    put(t, 0, 2);
    put(t, 0, 2);
    put(t, is_64 ? 64 : 40, 2);
    put(t, 0, 2); /* their number: patched */
    put(t, 0, 2); /* which of them names the others: patched */
}

static void patch(const object *o, uint64_t at, uint64_t value, int32_t bytes)
{
    for (int32_t i = 0; i < bytes && !o->out->failed; i++) {
        o->out->data[at + (uint64_t)i] = (char)(uint8_t)(value >> (8 * i));
    }
}

static void put_symbols(object *o, const oribi_object_symbol *symbols, int32_t n,
                        uint32_t strings_index)
{
    oribi_text table = {0};
    put_symbol(o, &table, NULL);
    for (int32_t i = 0; i < n; i++) {
        put_symbol(o, &table, &symbols[i]);
    }
    align(o->out, 8);
    put_head(o, &(section_head){".symtab", SHT_SYMTAB, 0, strings_index, 1, o->out->length,
                                table.length, 8, o->m->is_64 ? 24 : 16});
    oribi_text_append_n(o->out, oribi_text_string(&table), table.length);
    o->out->failed = o->out->failed || table.failed;
    oribi_text_destroy(&table);
}

void oribi_object_write(int32_t machine_index, const oribi_object_section *sections,
                        int32_t n_sections, const oribi_object_symbol *symbols, int32_t n_symbols,
                        oribi_text *out)
{
    object o = {.m = &machines[machine_index], .out = out};
    (void)add_string(&o, "");
    put_file_head(&o);
    put_head(&o, &(section_head){"", 0, 0, 0, 0, 0, 0, 0, 0});
    for (int32_t i = 0; i < n_sections; i++) {
        const uint64_t alignment =
            sections[i].alignment > ALIGNMENT ? (uint64_t)sections[i].alignment : ALIGNMENT;
        align(out, alignment);
        put_head(&o, &(section_head){sections[i].name, SHT_PROGBITS, 2, 0, 0, out->length,
                                     sections[i].bytes->length, alignment, 0});
        oribi_text_append_n(out, oribi_text_string(sections[i].bytes), sections[i].bytes->length);
        out->failed = out->failed || sections[i].bytes->failed;
    }
    put_head(&o, &(section_head){".note.GNU-stack", SHT_PROGBITS, 0, 0, 0, out->length, 0, 1, 0});
    put_symbols(&o, symbols, n_symbols, (uint32_t)o.n_heads + 1);
    /* The string table names itself, so its own name comes before its size is known. */
    const uint64_t strings_bytes = o.strings.length + sizeof ".strtab";
    put_head(&o, &(section_head){".strtab", SHT_STRTAB, 0, 0, 0, out->length, strings_bytes, 1, 0});
    oribi_text_append_n(out, oribi_text_string(&o.strings), o.strings.length);
    align(out, 8);
    const bool is_64 = o.m->is_64;
    patch(&o, is_64 ? 40 : 32, out->length, is_64 ? 8 : 4);
    patch(&o, is_64 ? 60 : 48, (uint64_t)o.n_heads, 2);
    patch(&o, is_64 ? 62 : 50, (uint64_t)o.n_heads - 1, 2);
    oribi_text_append_n(out, oribi_text_string(&o.heads), o.heads.length);
    out->failed = out->failed || o.strings.failed || o.heads.failed;
    oribi_text_destroy(&o.strings);
    oribi_text_destroy(&o.heads);
}
