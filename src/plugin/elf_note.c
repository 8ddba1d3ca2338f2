/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the segments of a shared library and in its version table: the note of
 * ORIBI_PLUGIN, the kind of stack, the versions asked of other libraries. Contract: elf.h.
 * Source   gABI chapter 5, notes; LSB Core, symbol versioning.
 */
#include <string.h>

#include "plugin/elf_internal.h"
#include "tensorflow/c/plugin_note.h"

enum { MAX_VERSIONS = 10000 };

/* The next NUL-terminated text of a note's contents; NULL: it has no end. */
static const char *next_text(oribi_elf_reader *r, const char **at, const char *end)
{
    const char *nul = *at < end ? memchr(*at, '\0', (size_t)(end - *at)) : NULL;
    const char *text = nul ? oribi_arena_strdup(r->arena, *at) : NULL;
    *at = nul ? nul + 1 : end;
    return text;
}

static bool read_own_note(oribi_elf_reader *r, const uint8_t *content, size_t bytes, oribi_elf *elf)
{
    uint32_t versions[2];
    if (bytes < sizeof(versions)) {
        return oribi__elf_fail(r, "damaged: its note of the plugin contract is too short");
    }
    memcpy(versions, content, sizeof(versions));
    const char *at = (const char *)content + sizeof(versions);
    const char *end = (const char *)content + bytes;
    oribi_elf_note note = {.is_present = true, .contract = versions[0], .headers = versions[1]};
    note.name = next_text(r, &at, end);
    note.version = next_text(r, &at, end);
    note.licence = next_text(r, &at, end);
    note.build = next_text(r, &at, end);
    if (!note.name || !note.version || !note.licence || !note.build) {
        return oribi__elf_fail(
            r, "damaged: the texts in its note of the plugin contract are out of range");
    }
    elf->note = note;
    return true;
}

static bool read_notes(oribi_elf_reader *r, const ElfW(Phdr) * segment, oribi_elf *elf)
{
    const uint64_t align = segment->p_align == 8 ? 8 : 4;
    uint64_t bytes = segment->p_filesz;
    if (segment->p_offset > r->map.bytes || bytes > r->map.bytes - segment->p_offset) {
        return oribi__elf_fail(r, "truncated or damaged: a note is beyond the end");
    }
    const uint8_t *at = r->map.data + segment->p_offset;
    while (bytes >= 12) {
        uint32_t head[3]; /* bytes of the owner, bytes of the contents, type */
        memcpy(head, at, sizeof(head));
        const uint64_t owner = ((uint64_t)head[0] + align - 1) & ~(align - 1);
        const uint64_t whole = 12 + owner + (((uint64_t)head[1] + align - 1) & ~(align - 1));
        if (12 + owner + head[1] > bytes) {
            return true; /* of somebody else's making; the system does not read it either */
        }
        const bool is_own = head[0] == 6 && memcmp(at + 12, "Oribi", 6) == 0;
        if (is_own && head[2] == ORIBI_PLUGIN_NOTE_TYPE &&
            !read_own_note(r, at + 12 + owner, head[1], elf)) {
            return false;
        }
        if (is_own && head[2] == ORIBI_PLUGIN_CASES_TYPE) {
            const char *text = (const char *)at + 12 + owner;
            elf->cases = next_text(r, &text, text + head[1]);
            if (!elf->cases) {
                return oribi__elf_fail(r, "damaged: its note of test cases has no end");
            }
        }
        at += whole < bytes ? whole : bytes;
        bytes -= whole < bytes ? whole : bytes;
    }
    return true;
}

bool oribi__elf_read_segments(oribi_elf_reader *r, oribi_elf *elf)
{
    for (unsigned i = 0; i < r->header.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!oribi__elf_segment(r, i, &segment)) {
            return false;
        }
        if (segment.p_type == PT_GNU_STACK) {
            elf->has_stack_mark = true;
            elf->is_stack_executable = (segment.p_flags & PF_X) != 0;
        } else if (segment.p_type == PT_NOTE && !read_notes(r, &segment, elf)) {
            return false;
        }
    }
    return true;
}

bool oribi__elf_read_versions(oribi_elf_reader *r, oribi_elf *elf)
{
    uint64_t at = 0;
    uint64_t room;
    if (!r->needs || r->n_needs == 0) {
        return true;
    }
    if (!oribi__elf_translate(r, r->needs, &at, &room)) {
        return false;
    }
    for (uint64_t i = 0; i < r->n_needs; i++) {
        ElfW(Verneed) need;
        if (!oribi__elf_read_at(r, at, &need, sizeof(need), "the version table")) {
            return false;
        }
        uint64_t entry = at + need.vn_aux;
        for (unsigned k = 0; k < need.vn_cnt; k++) {
            ElfW(Vernaux) version;
            if (!oribi__elf_read_at(r, entry, &version, sizeof(version), "the version table")) {
                return false;
            }
            const char *name = oribi__elf_string(r, version.vna_name);
            if (!name) {
                return oribi__elf_fail(r, "damaged: the name of a version is out of range");
            }
            if (elf->versions.count == MAX_VERSIONS) {
                return oribi__elf_fail(r, "damaged: its version table has no end");
            }
            if (!oribi__elf_keep(r, &elf->versions, name)) {
                return false;
            }
            if (version.vna_next == 0) {
                break;
            }
            entry += version.vna_next;
        }
        if (need.vn_next == 0) {
            break;
        }
        at += need.vn_next;
    }
    return true;
}
