/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of earlier probes: in memory, and in a small file of the user, one line each with a
 * checksum. A line that is damaged, a file that is too large or cannot be written is no error; the
 * plugin is probed again. Not here: probing (probe.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/folder.h"
#include "base/text.h"
#include "base/thread.h"
#include "oribi/oribi.h"
#include "plugin/plugin_internal.h"

enum {
    MAX_FILE_BYTES = 256 * 1024,
    MAX_LINES = 200,
    MAX_MESSAGE = 600,
    REFUSAL_SECONDS = 24 * 3600 /* a missing library may have been installed since */
};

typedef struct verdict {
    struct verdict *next;
    oribi_verdict_key key;
    int64_t when;
    TF_Code code;
    char *message;
} verdict;

static oribi_mutex mutex = ORIBI_MUTEX_INIT;
static verdict *known;

uint64_t oribi__verdict_hash(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    }
    return hash;
}

static bool key_equal(const oribi_verdict_key *a, const oribi_verdict_key *b)
{
    return a->plugin.device == b->plugin.device && a->plugin.inode == b->plugin.inode &&
           a->plugin.bytes == b->plugin.bytes && a->plugin.mtime_ns == b->plugin.mtime_ns &&
           a->probe.device == b->probe.device && a->probe.inode == b->probe.inode &&
           a->probe.bytes == b->probe.bytes && a->probe.mtime_ns == b->probe.mtime_ns &&
           a->options_hash == b->options_hash;
}

/* "key... when code" of a line, without checksum and message. */
static void print_head(oribi_text *text, const oribi_verdict_key *key, int64_t when, int code)
{
    oribi_text_printf(text,
                      "%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64
                      " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %x ",
                      key->plugin.device, key->plugin.inode, (uint64_t)key->plugin.bytes,
                      (uint64_t)key->plugin.mtime_ns, key->probe.device, key->probe.inode,
                      (uint64_t)key->probe.bytes, (uint64_t)key->probe.mtime_ns, key->options_hash,
                      (uint64_t)when, (unsigned)code);
}

/* Reads "CHECKSUM key... when code message"; line is NUL-terminated. */
static bool parse_line(const char *line, oribi_verdict_key *key, int64_t *when, TF_Code *code,
                       const char **message)
{
    uint64_t fields[12];
    const char *at = line;
    for (int i = 0; i < 12; i++) {
        char *end;
        fields[i] = strtoull(at, &end, 16);
        if (end == at || *end != ' ') {
            return false;
        }
        at = end + 1;
        if (i == 0 && oribi__verdict_hash(at, strlen(at)) != fields[0]) {
            return false;
        }
    }
    key->plugin = (oribi_file_id){fields[1], fields[2], (int64_t)fields[3], (int64_t)fields[4]};
    key->probe = (oribi_file_id){fields[5], fields[6], (int64_t)fields[7], (int64_t)fields[8]};
    key->options_hash = fields[9];
    *when = (int64_t)fields[10];
    *code = (TF_Code)fields[11];
    *message = at;
    return true;
}

/* Newly allocated path of the cache file; NULL: there is none. *out_folder likewise. */
static char *file_path(char **out_folder)
{
    const char *off = secure_getenv("ORIBI_PLUGIN_CACHE");
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    char *base = NULL;
    *out_folder = NULL;
    if (off && strcmp(off, "0") == 0) {
        return NULL;
    }
    if (cache && cache[0] == '/') {
        base = oribi_strdup(cache);
    } else if (home && home[0] == '/') {
        base = oribi_path_join(home, ".cache");
    }
    char *folder = base ? oribi_path_join(base, "oribi") : NULL;
    char *path = folder ? oribi_path_join(folder, "plugin-verdicts-1") : NULL;
    oribi_free(base);
    if (path) {
        *out_folder = folder;
    } else {
        oribi_free(folder);
    }
    return path;
}

/* The file's bytes with a NUL behind, or NULL. */
static char *read_file(const char *path)
{
    void *data = NULL;
    size_t bytes = 0;
    if (!path || oribi_file_read(path, MAX_FILE_BYTES, &data, &bytes) != 0) {
        return NULL;
    }
    char *text = oribi_strndup(data ? data : "", bytes);
    oribi_free(data);
    return text;
}

/* Next line of *rest, cut off with a NUL; NULL at the end. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (!line || !*line) {
        return NULL;
    }
    char *end = strchr(line, '\n');
    *rest = end ? end + 1 : NULL;
    if (end) {
        *end = '\0';
    }
    return line;
}

static bool is_usable(TF_Code code, int64_t when, bool is_named)
{
    int64_t age = (int64_t)time(NULL) - when;
    return code == TF_OK || (!is_named && age >= 0 && age < REFUSAL_SECONDS);
}

bool oribi__verdict_find(const oribi_verdict_key *key, bool is_named, TF_Status *status)
{
    bool is_found = false;
    oribi_mutex_lock(&mutex);
    for (const verdict *v = known; v && !is_found; v = v->next) {
        if (key_equal(&v->key, key) && is_usable(v->code, v->when, is_named)) {
            oribi_fail(status, v->code, "%s", v->message);
            is_found = true;
        }
    }
    oribi_mutex_unlock(&mutex);
    if (is_found) {
        return true;
    }
    char *folder;
    char *path = file_path(&folder);
    char *text = read_file(path);
    char *rest = text;
    for (char *line = next_line(&rest); line; line = next_line(&rest)) {
        oribi_verdict_key found;
        int64_t when;
        TF_Code code;
        const char *message;
        if (parse_line(line, &found, &when, &code, &message) && key_equal(&found, key) &&
            is_usable(code, when, is_named)) {
            oribi_fail(status, code, "%s", message); /* the last one counts */
            is_found = true;
        }
    }
    oribi_free(text);
    oribi_free(path);
    oribi_free(folder);
    return is_found;
}

/* One line, without control characters. */
static void clean(char *message)
{
    for (; *message; message++) {
        if ((unsigned char)*message < ' ') {
            *message = ' ';
        }
    }
}

static void keep_in_memory(const oribi_verdict_key *key, int64_t when, TF_Code code,
                           const char *message)
{
    verdict *v = oribi_alloc_zero(1, sizeof(*v));
    char *copy = oribi_strdup(message);
    if (!v || !copy) {
        oribi_free(v);
        oribi_free(copy);
        return;
    }
    *v = (verdict){NULL, *key, when, code, copy};
    oribi_mutex_lock(&mutex);
    v->next = known;
    known = v;
    oribi_mutex_unlock(&mutex);
}

/* The old lines, without those of the same file and the oldest ones, and the new line. Two
 * processes that write at once: one's line is lost and its plugin probed again. */
static void keep_in_file(const oribi_verdict_key *key, const char *new_line)
{
    char *folder;
    char *path = file_path(&folder);
    if (!path || oribi_folder_make(folder) != 0) {
        oribi_free(path);
        oribi_free(folder);
        return;
    }
    char *old = read_file(path);
    size_t n_lines = 0;
    for (const char *at = old; at && *at; at++) {
        n_lines += *at == '\n';
    }
    oribi_text text = {0};
    char *rest = old;
    for (char *line = next_line(&rest); line; line = next_line(&rest)) {
        oribi_verdict_key found;
        int64_t when;
        TF_Code code;
        const char *message;
        bool is_old = n_lines-- >= MAX_LINES;
        if (!is_old && parse_line(line, &found, &when, &code, &message) &&
            !(found.plugin.device == key->plugin.device &&
              found.plugin.inode == key->plugin.inode && found.options_hash == key->options_hash)) {
            oribi_text_printf(&text, "%s\n", line);
        }
    }
    oribi_text_printf(&text, "%s\n", new_line);
    if (!text.failed && text.length <= MAX_FILE_BYTES) {
        (void)oribi_file_write(path, text.data, text.length, true);
    }
    oribi_text_destroy(&text);
    oribi_free(old);
    oribi_free(path);
    oribi_free(folder);
}

void oribi__verdict_keep(const oribi_verdict_key *key, const TF_Status *status)
{
    char message[MAX_MESSAGE];
    int64_t when = (int64_t)time(NULL);
    oribi_text head = {0};
    oribi_text line = {0};
    (void)snprintf(message, sizeof(message), "%s", TF_Message(status));
    clean(message);
    keep_in_memory(key, when, TF_GetCode(status), message);
    print_head(&head, key, when, (int)TF_GetCode(status));
    oribi_text_append(&head, message);
    if (!head.failed) {
        oribi_text_printf(&line, "%016" PRIx64 " %s", oribi__verdict_hash(head.data, head.length),
                          head.data);
    }
    if (!line.failed && line.length) {
        keep_in_file(key, line.data);
    }
    oribi_text_destroy(&head);
    oribi_text_destroy(&line);
}

void oribi__verdict_forget_all(void)
{
    oribi_mutex_lock(&mutex);
    for (verdict *next; known != NULL; known = next) {
        next = known->next;
        oribi_free(known->message);
        oribi_free(known);
    }
    oribi_mutex_unlock(&mutex);
}
