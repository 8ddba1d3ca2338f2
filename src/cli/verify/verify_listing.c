/* SPDX-License-Identifier: Apache-2.0 */
/* What GCC's call graph leaves out, from objdump's listing of an image: the functions of the
 * compiler's own library (divisions, long products, floats on a core without them), and the words
 * by which an Arm function makes room for arguments of its caller's before it saves registers.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify_stack.h"

typedef struct symbol {
    char name[128];
    unsigned long long address;
} symbol;

typedef struct listing {
    verify_calls *calls;
    symbol *symbols; /* of functions; several may have one address */
    size_t n_symbols;
    size_t at; /* the function that is read; SIZE_MAX: none */
    char name[128];
    unsigned long long address;
    bool is_read;    /* all of it is from here: GCC has said nothing */
    bool has_begun;  /* registers are saved, or it has branched */
    int64_t leading; /* what it takes before that */
    bool has_ended;  /* its last instruction leads away */
} listing;

/* --- Instructions ----------------------------------------------------------------------------- */

/* Registers of "{r4, r5-r7, lr}", by their bytes. */
static int64_t list_bytes(const char *list)
{
    int64_t n = 0;
    for (const char *at = strchr(list, '{'); at != NULL && *at != '}' && *at != '\0';
         at = strpbrk(at + 1, ",}")) {
        char kind = 0, kind_2 = 0;
        int from = 0, to = 0;
        const int read = sscanf(at + 1, " %c%d-%c%d", &kind, &from, &kind_2, &to);
        n += (read == 4 ? to - from + 1 : 1) * (kind == 'd' ? 8 : 4);
    }
    return n;
}

/* What an instruction takes of the stack. */
static int64_t taken(const char *name, const char *operands)
{
    const char *down = strstr(operands, "[sp, #-"), *number = strrchr(operands, '#');
    long long bytes = 0;
    if (strncmp(name, "push", 4) == 0 || strncmp(name, "vpush", 5) == 0 ||
        (strncmp(name, "stmdb", 5) == 0 && strncmp(operands, "sp!", 3) == 0)) {
        return list_bytes(operands);
    }
    if (strncmp(name, "sub", 3) == 0 && strncmp(operands, "sp,", 3) == 0 && number != NULL) {
        return sscanf(number + 1, "%lld", &bytes) == 1 ? bytes : 0;
    }
    if (strncmp(name, "str", 3) == 0 && down != NULL && strstr(down, "]!") != NULL) {
        return sscanf(down + 7, "%lld", &bytes) == 1 ? bytes : 0;
    }
    if (strncmp(name, "add", 3) == 0 && sscanf(operands, "sp,sp,-%lld", &bytes) == 1) {
        return bytes;
    }
    return 0;
}

static bool leads_away(const char *name, const char *operands)
{
    static const char *const ends[] = {"b", "b.n", "b.w", "bx", "ret", "j", "jr", "udf", "ebreak"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (strcmp(name, ends[i]) == 0) {
            return true;
        }
    }
    return strstr(operands, "pc}") != NULL;
}

/* The function at an address: the last one that begins before it. NULL: none does. */
static const symbol *function_at(const listing *l, unsigned long long address)
{
    const symbol *found = NULL;
    for (size_t i = 0; i < l->n_symbols; i++) {
        const symbol *s = &l->symbols[i];
        found = s->address <= address && (found == NULL || s->address > found->address) ? s : found;
    }
    return found;
}

/* Where a branch or a call goes: "1a2 <name+0x10>"; the name may be that of any symbol. */
static void follow(listing *l, const char *name, const char *operands)
{
    const char *at = strchr(operands, '<');
    unsigned long long address;
    if ((name[0] != 'b' && name[0] != 'c' && name[0] != 'j') || at == NULL) {
        return;
    }
    for (at--; at > operands && isxdigit((unsigned char)at[-1]); at--) {
    }
    const symbol *to = sscanf(at, "%llx", &address) == 1 ? function_at(l, address) : NULL;
    if (to != NULL && to->address != l->address) {
        verify_function_calls(l->calls, l->at,
                              verify_function_of(l->calls, to->name, strlen(to->name)));
    }
}

/* --- Functions -------------------------------------------------------------------------------- */

/* Functions that GCC knows, static ones of any file, take so much more. */
static void add_leading(const listing *l)
{
    const size_t length = strlen(l->name);
    for (size_t i = 0; i < l->calls->n && l->leading > 0; i++) {
        verify_function *f = &l->calls->frames[i];
        const size_t own = strlen(f->name);
        const bool is_it = own >= length && strcmp(f->name + own - length, l->name) == 0 &&
                           (own == length || f->name[own - length - 1] == ':');
        f->bytes += is_it && f->bytes >= 0 ? l->leading : 0;
    }
}

static bool is_known(const listing *l, const char *name, size_t length)
{
    bool is = false;
    for (size_t i = 0; i < l->calls->n && !is; i++) {
        const verify_function *f = &l->calls->frames[i];
        const size_t own = strlen(f->name);
        is = f->bytes >= 0 && own >= length && strncmp(f->name + own - length, name, length) == 0 &&
             (own == length || f->name[own - length - 1] == ':');
    }
    return is;
}

/* "000001a0 <function>:". What did not end goes on into the next one. */
static void begin(listing *l, const char *line)
{
    unsigned long long address;
    const char *name = strchr(line, '<');
    const size_t length = name != NULL ? strcspn(name + 1, ">") : 0;
    const bool is_label = sscanf(line, "%llx", &address) == 1 && length > 0;
    const symbol *function = is_label ? function_at(l, address) : NULL;
    if (function == NULL || function->address != address || length >= sizeof l->name) {
        return; /* a label within a function */
    }
    const bool goes_on = l->is_read && !l->has_ended;
    const size_t before = l->at;
    l->is_read = !is_known(l, name + 1, length);
    l->at = verify_function_of(l->calls, name + 1, length);
    if (goes_on) {
        verify_function_calls(l->calls, before, l->at);
    }
    if (l->is_read) {
        l->calls->frames[l->at].bytes = 0;
    }
    snprintf(l->name, sizeof l->name, "%.*s", (int)length, name + 1);
    l->address = address;
    l->has_begun = false;
    l->has_ended = false;
    l->leading = 0;
}

/* "    1a2:\tf8df 0004 \tldr.w\tr0, [pc, #4]" */
static void read_instruction(listing *l, const char *line)
{
    char name[16] = "";
    const char *at = strchr(line, '\t');
    at = at != NULL ? strchr(at + 1, '\t') : NULL;
    if (at == NULL || at[1] == '.' || strncmp(at + 1, "nop", 3) == 0) {
        return; /* data */
    }
    const size_t length = strcspn(at + 1, "\t\n ");
    snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
    const char *operands = at + 1 + length + (at[1 + length] == '\t' ? 1 : 0);
    const int64_t bytes = taken(name, operands);
    if (l->is_read) {
        l->calls->frames[l->at].bytes += bytes;
        follow(l, name, operands);
    } else if (!l->has_begun && strncmp(name, "sub", 3) == 0) {
        l->leading += bytes; /* others may stand between it and what saves registers */
    } else if (!l->has_begun && bytes > 0) {
        add_leading(l); /* room for arguments, then registers: GCC counts from there */
    }
    const bool is_branch = (name[0] == 'b' || name[0] == 'c') && strchr(operands, '<') != NULL;
    l->has_begun = l->has_begun || (bytes > 0 && strncmp(name, "sub", 3) != 0) || is_branch;
    l->has_ended = leads_away(name, operands);
}

/* "000049ac g     F .text\t0000005a .hidden __aeabi_lmul" */
static void read_symbol(listing *l, const char *line)
{
    symbol s;
    const char *name = strrchr(line, ' ');
    if (sscanf(line, "%llx", &s.address) == 1 && name != NULL &&
        sscanf(name, " %127s", s.name) == 1) {
        l->symbols = cli_grow(l->symbols, l->n_symbols + 1, sizeof *l->symbols);
        l->symbols[l->n_symbols++] = s;
    }
}

/* A function may have names besides the one that is listed. */
static void join_names(listing *l)
{
    verify_calls *calls = l->calls;
    for (size_t i = 0; i < l->n_symbols; i++) {
        const symbol *s = &l->symbols[i];
        const size_t at = verify_function_of(calls, s->name, strlen(s->name));
        for (size_t k = 0; k < l->n_symbols && calls->frames[at].bytes < 0; k++) {
            const symbol *other = &l->symbols[k];
            if (other->address == s->address && strcmp(other->name, s->name) != 0) {
                const size_t same = verify_function_of(calls, other->name, strlen(other->name));
                if (calls->frames[same].bytes >= 0) {
                    calls->frames[at].bytes = 0;
                    verify_function_calls(calls, at, same);
                }
            }
        }
    }
}

void verify_read_listing(const verify *v, verify_calls *calls)
{
    char tool[64], line[512];
    char *path = verify_path(v, "listing");
    listing l = {.calls = calls, .at = SIZE_MAX};
    verify_tool(v, "objdump", tool, sizeof tool);
    const char *const argv[] = {tool, "-d", "-t", "image", NULL};
    const verify_process process = {
        .argv = argv, .folder = v->folder, .out = path, .err = "/dev/null", .seconds = 60};
    FILE *file = verify_process_run(&process) == 0 ? fopen(path, "r") : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strstr(line, " F ") != NULL && isxdigit((unsigned char)line[0])) {
            read_symbol(&l, line);
        } else if (isxdigit((unsigned char)line[0]) && strchr(line, '\t') == NULL) {
            begin(&l, line);
        } else if (l.at != SIZE_MAX) {
            read_instruction(&l, line);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    join_names(&l);
    free(l.symbols);
    free(path);
}
