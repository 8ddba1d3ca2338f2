/* SPDX-License-Identifier: Apache-2.0 */
/* What is a source made of, without asking a preprocessor? Of its own bytes, those of all files
 * that it may include, and the flags: where these are as before, so is the text after
 * preprocessing. What lies in no folder of an -I is the compiler's own and goes by its name.
 *
 * It takes a fortieth of the time that a preprocessor takes, and gives up where it cannot be sure:
 * at an include by a macro that somebody defines, at #include_next, and where the text may say
 * where it lies (__FILE__, assert).
 */
#define _GNU_SOURCE
#include "once_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILES = 1024, MAX_FOLDERS = 64, MAX_MACROS = 16, MAX_NAME = 256 };

typedef struct scan {
    hash *h;
    const char *folders[MAX_FOLDERS];
    char *files[MAX_FILES];            /* those seen, by their real paths */
    text texts[MAX_FILES];             /* and what is in them */
    char macros[MAX_MACROS][MAX_NAME]; /* that name a file to include */
    int n_folders, n_files, n_macros;
} scan;

static const char *const FOLDERS[] = {"-I", "-isystem", "-iquote", "-idirafter", NULL};

static bool read_text(const char *path, text *out)
{
    FILE *in = fopen(path, "rb");
    size_t room = 1 << 14, n = 0;
    *out = (text){malloc(room), 0};
    while (in && out->data &&
           (n = fread(out->data + out->length, 1, room - out->length - 1, in)) > 0) {
        out->length += n;
        if (room - out->length < 2) {
            room *= 4;
            out->data = realloc(out->data, room);
        }
    }
    const bool ok = in && out->data && !ferror(in);
    if (ok) {
        out->data[out->length] = '\0';
    }
    if (in) {
        fclose(in);
    }
    return ok && memchr(out->data, '\0', out->length) == NULL;
}

static bool add_file(scan *s, const char *path);

/* A file that is included, beside the one that does and in the folders of the flags: all that have
 * the name, whichever the compiler takes first. */
static bool add_include(scan *s, const char *from, const char *name, bool is_quoted)
{
    char path[PATH_MAX];
    const char *slash = strrchr(from, '/');
    bool ok = name[0] != '/';
    hash_add(s->h, name, strlen(name) + 1);
    for (int i = is_quoted ? -1 : 0; ok && i < s->n_folders; i++) {
        const int n = i >= 0 ? snprintf(path, sizeof path, "%s/%s", s->folders[i], name)
                             : snprintf(path, sizeof path, "%.*s%s",
                                        slash ? (int)(slash - from) + 1 : 0, from, name);
        ok = n >= 0 && n < (int)sizeof path;
        if (ok && access(path, R_OK) == 0) {
            hash_add(s->h, (const char *)&i, sizeof i);
            ok = add_file(s, path);
        }
    }
    hash_add(s->h, "end", 4);
    return ok;
}

/* `at` is behind the word include. */
static bool add_directive(scan *s, const char *from, const char *at)
{
    char name[MAX_NAME];
    at += strspn(at, " \t");
    const char end = *at == '"' ? '"' : *at == '<' ? '>' : '\0';
    const size_t n =
        end ? strcspn(at + 1, end == '"' ? "\"\n" : ">\n")
            : strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    if (n == 0 || n >= sizeof name || (end && at[1 + n] != end)) {
        return false;
    }
    memcpy(name, at + (end ? 1 : 0), n);
    name[n] = '\0';
    if (end) {
        return add_include(s, from, name, end == '"');
    }
    if (s->n_macros == MAX_MACROS) {
        return false;
    }
    memcpy(s->macros[s->n_macros++], name, n + 1);
    return true;
}

/* Each "# include" of a text, in comments and behind a false #if, too. */
static bool add_directives(scan *s, const char *path, const char *data)
{
    for (const char *at = strstr(data, "include"); at; at = strstr(at + 7, "include")) {
        const char *before = at;
        while (before > data && (before[-1] == ' ' || before[-1] == '\t')) {
            before--;
        }
        const char mark = before > data ? before[-1] : '\n';
        const bool is_spliced = before - data > 1 && mark == '\n' && before[-2] == '\\';
        if (mark == '/' || is_spliced || (mark == '#' && !add_directive(s, path, at + 7))) {
            return false;
        }
    }
    return true;
}

static bool add_file(scan *s, const char *path)
{
    static const char *const unsure[] = {
        "__FILE",   "__BASE_FILE__", "__DATE__", "__TIME",  "__has_include", "include_next",
        "assert.h", ".incbin",       "#embed",   "#import", "?\?/",          "%:",
        NULL};
    char *real = realpath(path, NULL);
    for (int i = 0; real && i < s->n_files; i++) {
        if (strcmp(real, s->files[i]) == 0) {
            hash_add(s->h, (const char *)&i, sizeof i);
            free(real);
            return true;
        }
    }
    if (!real || s->n_files == MAX_FILES || !read_text(path, &s->texts[s->n_files])) {
        return false;
    }
    const text t = s->texts[s->n_files];
    s->files[s->n_files++] = real;
    const char *name = strrchr(real, '/');
    hash_add(s->h, name, strlen(name) + 1);
    hash_add(s->h, t.data, t.length + 1);
    for (int i = 0; unsure[i]; i++) {
        if (strstr(t.data, unsure[i])) {
            return false;
        }
    }
    return add_directives(s, path, t.data);
}

/* A file that is included by a macro's name. Where a file that was seen defines it, it must be as a
 * path from the root. */
static bool add_named(scan *s, const char *name, const char *const *flags, int n_flags)
{
    const size_t n = strlen(name);
    for (int i = 0; i < n_flags; i++) {
        if (strncmp(flags[i], "-D", 2) == 0 &&
            strstr(flags[i][2] ? flags[i] : flags[i + 1], name)) {
            return false;
        }
    }
    for (int i = 0; i < s->n_files; i++) {
        for (const char *at = strstr(s->texts[i].data, name); at; at = strstr(at + 1, name)) {
            const char *word = at;
            while (word > s->texts[i].data && strchr(" \t\\\n", word[-1])) {
                word--;
            }
            if (word - s->texts[i].data < 6 || strncmp(word - 6, "define", 6) != 0) {
                continue;
            }
            char path[PATH_MAX];
            const char *value = at + n + strspn(at + n, " \t");
            const size_t length = value[0] == '"' ? strcspn(value + 1, "\"\n") : 0;
            if (value[0] != '"' || value[1] != '/' || value[1 + length] != '"' ||
                length >= sizeof path) {
                return false;
            }
            memcpy(path, value + 1, length);
            path[length] = '\0';
            if (!add_file(s, path)) {
                return false;
            }
        }
    }
    return true;
}

bool hash_add_sources(hash *h, const char *source, const char *const *flags, int n_flags)
{
    scan *s = calloc(1, sizeof *s);
    if (s) {
        s->h = h;
    }
    bool ok = s && !getenv("CPATH") && !getenv("C_INCLUDE_PATH") && !getenv("CPLUS_INCLUDE_PATH");
    for (int i = 0; ok && i < n_flags; i++) {
        const bool is_apart = is_in(flags[i], FOLDERS);
        if (starts(flags[i], FOLDERS)) {
            const char *joined = flags[i] + (flags[i][1] == 'I' ? 2 : 0);
            ok = s->n_folders < MAX_FOLDERS && (is_apart || flags[i][1] == 'I');
            s->folders[s->n_folders++] = is_apart ? flags[i + 1] : joined;
        }
        i += is_apart;
    }
    for (int i = 0; ok && i < n_flags; i++) {
        if (is_in(flags[i], FOLDERS)) {
            hash_add(h, flags[i++], 2);
        } else if (starts(flags[i], FOLDERS)) {
            hash_add(h, flags[i], 2);
        } else if (strcmp(flags[i], "-include") == 0 || strcmp(flags[i], "-imacros") == 0) {
            hash_add(h, flags[i], 9);
            ok = add_file(s, flags[++i]);
        } else {
            hash_add(h, flags[i], strlen(flags[i]) + 1);
        }
    }
    ok = ok && add_file(s, source);
    for (int i = 0; ok && i < s->n_macros; i++) {
        ok = add_named(s, s->macros[i], flags, n_flags);
    }
    for (int i = 0; s && i < s->n_files; i++) {
        free(s->files[i]);
        free(s->texts[i].data);
    }
    free(s);
    return ok;
}
