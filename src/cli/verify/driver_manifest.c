/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `driver.json`. Each object of it is a table of keys; whatever is in the file and in no
 * table, or in a table and not in the file, is an error that names the file, the place in it and
 * what would be right. Paths are checked here, so that who builds the driver finds all of it. */
#include "driver_manifest.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { VERSION = 1, MAX_FIELDS = 8, PLACE = 160, MAX_WINDOW = 8 << 20 };

/* --- Reading, as a table of keys -------------------------------------------------------------- */

/* Where the reader is, for messages: "kinds.npu.platforms". */
typedef struct reader {
    const driver_manifest *manifest;
    char place[PLACE];
} reader;

typedef bool read_function(reader *r, const oribi_json_value *value, void *out);
typedef struct field {
    const char *key;
    read_function *read;
    size_t offset; /* of what is read, in the object's struct */
    bool is_optional;
} field;

static __attribute__((format(printf, 2, 3))) bool fail(const reader *r, const char *format, ...)
{
    char text[512];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    cli_error("%s: %s%s%s", r->manifest->path, r->place, r->place[0] != 0 ? ": " : "", text);
    return false;
}

/* Reads a value that has a name; the place is as before afterwards. */
static bool read_at(reader *r, const char *name, const oribi_json_value *value, read_function *read,
                    void *out)
{
    const size_t length = strlen(r->place);
    snprintf(r->place + length, sizeof r->place - length, "%s%s", length > 0 ? "." : "", name);
    const bool good = read(r, value, out);
    r->place[length] = 0;
    return good;
}

static bool has_twice(const oribi_json_value *object, const oribi_json_value *member)
{
    const oribi_json_value *other = object->child;
    while (other != member && strcmp(other->key, member->key) != 0) {
        other = other->next;
    }
    return other != member;
}

static bool check_keys(const reader *r, const oribi_json_value *object, const field *fields, int n)
{
    const char *keys[MAX_FIELDS];
    char list[256] = "";
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(list);
        keys[i] = fields[i].key;
        snprintf(list + length, sizeof list - length, "%s'%s'", i > 0 ? ", " : "", keys[i]);
    }
    for (const oribi_json_value *member = object->child; member != NULL; member = member->next) {
        int i = 0;
        while (i < n && strcmp(keys[i], member->key) != 0) {
            i++;
        }
        if (has_twice(object, member)) {
            return fail(r, "the key '%s' is there twice", member->key);
        }
        if (i == n) {
            const char *near = oribi_text_did_you_mean(member->key, keys, (size_t)n);
            return fail(r, "there is no key '%s'%s%s%s; the keys here are %s", member->key,
                        near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?)" : "", list);
        }
    }
    return true;
}

static bool read_object(reader *r, const oribi_json_value *object, const field *fields, int n,
                        void *out)
{
    if (object->kind != ORIBI_JSON_OBJECT) {
        return fail(r, "an object, { ... }, belongs here");
    }
    bool good = check_keys(r, object, fields, n);
    for (int i = 0; good && i < n; i++) {
        const oribi_json_value *value = oribi_json_find(object, fields[i].key);
        if (value != NULL) {
            good = read_at(r, fields[i].key, value, fields[i].read, (char *)out + fields[i].offset);
        } else if (!fields[i].is_optional) {
            good = fail(r, "the key '%s' is missing", fields[i].key);
        }
    }
    return good;
}

/* --- Texts and numbers ------------------------------------------------------------------------ */

/* What becomes part of C: a letter, then letters, digits, '_', and in a kind's name '-'. */
static bool is_name(const char *text, bool is_kind)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *more = is_kind ? "0123456789_-" : "0123456789_";
    size_t length = strspn(text, letters);
    if (length == 0 && (is_kind || text[0] != '_')) {
        return false;
    }
    while (text[length] != 0 && (strchr(letters, text[length]) || strchr(more, text[length]))) {
        length++;
    }
    return text[length] == 0 && length < 64;
}

static bool read_version(reader *r, const oribi_json_value *value, void *out)
{
    (void)out;
    if (value->kind != ORIBI_JSON_NUMBER || value->number != (double)VERSION) {
        return fail(r, "this oribi reads manifests of version %d", VERSION);
    }
    return true;
}

static bool read_function_name(reader *r, const oribi_json_value *value, void *out)
{
    if (value->kind != ORIBI_JSON_STRING || !is_name(value->text, false)) {
        return fail(r, "the name of a C function belongs here");
    }
    *(char **)out = cli_copy_text(value->text, strlen(value->text));
    return true;
}

static bool read_transport(reader *r, const oribi_json_value *value, void *out)
{
    const char *text = value->kind == ORIBI_JSON_STRING ? value->text : "";
    if (strcmp(text, "line") != 0 && strcmp(text, "none") != 0) {
        return fail(r, "a transport is \"line\" or \"none\"");
    }
    *(bool *)out = strcmp(text, "line") == 0;
    return true;
}

static bool read_bytes(reader *r, const oribi_json_value *value, void *out)
{
    if (value->kind != ORIBI_JSON_NUMBER || value->number < 1 ||
        value->number > (double)MAX_WINDOW || value->number != (double)(uint32_t)value->number) {
        return fail(r, "a window has 1 to %d bytes", (int)MAX_WINDOW);
    }
    *(uint32_t *)out = (uint32_t)value->number;
    return true;
}

static bool read_window(reader *r, const oribi_json_value *value, void *out)
{
    static const field fields[] = {{"bytes", read_bytes, 0, false}};
    return read_object(r, value, fields, 1, out);
}

static bool read_list(reader *r, const oribi_json_value *value, driver_list *out)
{
    if (value->kind != ORIBI_JSON_ARRAY) {
        return fail(r, "a list of texts, [\"...\"], belongs here");
    }
    out->at = cli_alloc(((size_t)value->count + 1) * sizeof *out->at);
    for (const oribi_json_value *item = value->child; item != NULL; item = item->next) {
        if (item->kind != ORIBI_JSON_STRING || item->text[0] == 0) {
            return fail(r, "item %d is not a text", out->n);
        }
        out->at[out->n++] = cli_copy_text(item->text, strlen(item->text));
    }
    return true;
}

static bool read_words(reader *r, const oribi_json_value *value, void *out)
{
    return read_list(r, value, out);
}

/* --- Files ------------------------------------------------------------------------------------ */

/* Is the path in the driver's folder, links followed, and of that type? */
static bool check_path(const reader *r, const char *name, mode_t type)
{
    const char *folder = r->manifest->folder;
    struct stat info;
    const size_t length = strlen(folder);
    if (name[0] == '/') {
        return fail(r, "'%s' is absolute; paths begin at the folder of the manifest", name);
    }
    char *path = cli_path_in(folder, name);
    char *real = realpath(path, NULL);
    bool good = true;
    if (real == NULL || stat(real, &info) != 0) {
        good = fail(r, "'%s': %s (paths begin at %s)", name, strerror(errno), folder);
    } else if (strncmp(real, folder, length) != 0 || (real[length] != '/' && real[length] != 0)) {
        good = fail(r, "'%s' leads out of %s; a driver's files lie in its folder", name, folder);
    } else if ((info.st_mode & S_IFMT) != type) {
        good = fail(r, "'%s' is not a %s", name, type == S_IFDIR ? "folder" : "file");
    }
    free(real);
    free(path);
    return good;
}

static bool read_folders(reader *r, const oribi_json_value *value, void *out)
{
    driver_list *list = out;
    bool good = read_list(r, value, list);
    for (int i = 0; good && i < list->n; i++) {
        good = check_path(r, list->at[i], S_IFDIR);
    }
    return good;
}

static bool read_sources(reader *r, const oribi_json_value *value, void *out)
{
    driver_list *list = out;
    bool good = read_list(r, value, list);
    for (int i = 0; good && i < list->n; i++) {
        const char *end = strrchr(list->at[i], '.');
        if (end == NULL || (strcmp(end, ".c") != 0 && strcmp(end, ".S") != 0)) {
            good = fail(r, "'%s' is not C: a source ends in .c or .S", list->at[i]);
        }
        good = good && check_path(r, list->at[i], S_IFREG);
    }
    return good;
}

/* --- The objects ------------------------------------------------------------------------------ */

static bool read_verify(reader *r, const oribi_json_value *value, void *out)
{
    static const field fields[] = {
        {"sources", read_sources, offsetof(driver_kind, verify.sources), true},
        {"start", read_function_name, offsetof(driver_kind, verify.start), false},
        {"stop", read_function_name, offsetof(driver_kind, verify.stop), false},
    };
    return read_object(r, value, fields, sizeof fields / sizeof fields[0], out);
}

static bool read_far_end(reader *r, const oribi_json_value *value, void *out)
{
    static const field fields[] = {
        {"sources", read_sources, offsetof(driver_kind, far_end.sources), false},
        {"flags", read_words, offsetof(driver_kind, far_end.flags), true},
        {"link", read_words, offsetof(driver_kind, far_end.link), true},
        {"prepare", read_function_name, offsetof(driver_kind, far_end.prepare), true},
        {"serve", read_function_name, offsetof(driver_kind, far_end.serve), false},
    };
    return read_object(r, value, fields, sizeof fields / sizeof fields[0], out);
}

static bool read_platform(reader *r, const oribi_json_value *value, void *out)
{
    static const field fields[] = {
        {"sources", read_sources, offsetof(driver_platform, sources), true},
        {"flags", read_words, offsetof(driver_platform, flags), true},
        {"link", read_words, offsetof(driver_platform, link), true},
        {"transport", read_transport, offsetof(driver_platform, has_line), true},
        {"window", read_window, offsetof(driver_platform, window_bytes), true},
    };
    return read_object(r, value, fields, sizeof fields / sizeof fields[0], out);
}

static bool read_platforms(reader *r, const oribi_json_value *value, void *out)
{
    driver_kind *kind = out;
    bool good = value->kind == ORIBI_JSON_OBJECT && value->child != NULL;
    if (!good) {
        return fail(r, "an object with a member for each platform belongs here, "
                       "{\"posix\": { ... }}");
    }
    kind->platforms = cli_alloc((size_t)value->count * sizeof *kind->platforms);
    for (const oribi_json_value *item = value->child; good && item != NULL; item = item->next) {
        driver_platform *platform = &kind->platforms[kind->n_platforms++];
        platform->name = cli_copy_text(item->key, strlen(item->key));
        good = has_twice(value, item)      ? fail(r, "'%s' is there twice", item->key)
               : !is_name(item->key, true) ? fail(r, "'%s' is not a valid name", item->key)
                                           : read_at(r, item->key, item, read_platform, platform);
    }
    return good;
}

/* Do the parts fit together? */
static bool check_kind(const reader *r, const driver_kind *kind)
{
    bool has_line = false;
    for (int i = 0; i < kind->n_platforms; i++) {
        has_line = has_line || kind->platforms[i].has_line;
    }
    if (has_line && kind->far_end.serve == NULL) {
        return fail(r, "a platform has the transport \"line\", so the key 'far_end' says who is at "
                       "its other end");
    }
    return true;
}

static bool read_kind(reader *r, const oribi_json_value *value, void *out)
{
    static const field fields[] = {
        {"include", read_folders, offsetof(driver_kind, include), false},
        {"sources", read_sources, offsetof(driver_kind, sources), true},
        {"platforms", read_platforms, 0, false},
        {"verify", read_verify, 0, false},
        {"far_end", read_far_end, 0, true},
    };
    return read_object(r, value, fields, sizeof fields / sizeof fields[0], out) &&
           check_kind(r, out);
}

static bool read_kinds(reader *r, const oribi_json_value *value, void *out)
{
    driver_manifest *manifest = out;
    bool good = value->kind == ORIBI_JSON_OBJECT && value->child != NULL;
    if (!good) {
        return fail(r, "an object with a member for each kind of device belongs here, "
                       "{\"npu\": { ... }}");
    }
    manifest->kinds = cli_alloc((size_t)value->count * sizeof *manifest->kinds);
    for (const oribi_json_value *item = value->child; good && item != NULL; item = item->next) {
        driver_kind *kind = &manifest->kinds[manifest->n++];
        kind->name = cli_copy_text(item->key, strlen(item->key));
        kind->folder = manifest->folder;
        good = has_twice(value, item) ? fail(r, "'%s' is there twice", item->key)
               : !is_name(item->key, true)
                   ? fail(r, "'%s' is not a valid name of a kind", item->key)
                   : read_at(r, item->key, item, read_kind, kind);
    }
    return good;
}

/* --- The file --------------------------------------------------------------------------------- */

static bool read_file(driver_manifest *manifest)
{
    static const field fields[] = {
        {"oribi_driver", read_version, 0, false},
        {"kinds", read_kinds, 0, false},
    };
    size_t bytes;
    char *text = cli_read_text(manifest->path, &bytes);
    if (text == NULL) {
        return false;
    }
    cli_json json = cli_json_parse(text, bytes, manifest->path);
    reader r = {.manifest = manifest};
    const bool good = json.root != NULL && read_object(&r, json.root, fields,
                                                       sizeof fields / sizeof fields[0], manifest);
    cli_json_free(&json);
    free(text);
    return good;
}

static bool read_manifest(const char *folder, driver_manifest *out)
{
    const size_t size = strlen(folder) + sizeof "/driver.json";
    out->path = cli_alloc(size);
    snprintf(out->path, size, "%s/driver.json", folder);
    out->folder = realpath(folder, NULL);
    if (out->folder == NULL) {
        cli_error("--driver %s: %s; it is a folder with a driver.json", folder, strerror(errno));
        return false;
    }
    return read_file(out);
}

bool driver_set_read(const cli_args *args, driver_set *out)
{
    bool good = true;
    int n = 0;
    while (cli_value_at(args, "--driver", n) != NULL) {
        n++;
    }
    *out = (driver_set){.at = cli_alloc(((size_t)n + 1) * sizeof *out->at)};
    for (int i = 0; good && i < n; i++) {
        good = read_manifest(cli_value_at(args, "--driver", i), &out->at[out->n++]);
    }
    return good;
}

static void free_list(driver_list *list)
{
    for (int i = 0; i < list->n; i++) {
        free(list->at[i]);
    }
    free(list->at);
}

static void free_kind(driver_kind *kind)
{
    for (int i = 0; i < kind->n_platforms; i++) {
        driver_platform *p = &kind->platforms[i];
        free(p->name);
        free_list(&p->sources);
        free_list(&p->flags);
        free_list(&p->link);
    }
    free(kind->platforms);
    free(kind->name);
    free_list(&kind->include);
    free_list(&kind->sources);
    free_list(&kind->verify.sources);
    free(kind->verify.start);
    free(kind->verify.stop);
    free_list(&kind->far_end.sources);
    free_list(&kind->far_end.flags);
    free_list(&kind->far_end.link);
    free(kind->far_end.prepare);
    free(kind->far_end.serve);
}

void driver_set_free(driver_set *set)
{
    for (int i = 0; i < set->n; i++) {
        for (int k = 0; k < set->at[i].n; k++) {
            free_kind(&set->at[i].kinds[k]);
        }
        free(set->at[i].kinds);
        free(set->at[i].folder);
        free(set->at[i].path);
    }
    free(set->at);
    *set = (driver_set){NULL, 0};
}

/* --- Finding ---------------------------------------------------------------------------------- */

/* The k-th driver of the kind; NULL: there are not so many. */
static const driver_kind *find(const driver_set *set, const char *kind, int k)
{
    for (int i = 0; i < set->n; i++) {
        for (int j = 0; j < set->at[i].n; j++) {
            if (strcmp(set->at[i].kinds[j].name, kind) == 0 && k-- == 0) {
                return &set->at[i].kinds[j];
            }
        }
    }
    return NULL;
}

bool driver_has(const driver_set *set, const char *kind)
{
    return find(set, kind, 0) != NULL;
}

const char *driver_kinds(const driver_set *set)
{
    static char list[256];
    list[0] = 0;
    for (int i = 0; i < set->n; i++) {
        for (int k = 0; k < set->at[i].n; k++) {
            const size_t length = strlen(list);
            snprintf(list + length, sizeof list - length, "%s'%s'", length > 0 ? ", " : "",
                     set->at[i].kinds[k].name);
        }
    }
    return list;
}

const driver_kind *driver_find(const driver_set *set, const char *command, const char *kind)
{
    const driver_kind *found = find(set, kind, 0), *other = find(set, kind, 1);
    if (found == NULL && set->n == 0) {
        cli_error("%s: a device of the kind '%s' needs its driver: --driver DIR, a folder with a "
                  "driver.json; `oribi run --device %s=driver.so` runs a shared object instead",
                  command, kind, kind);
    } else if (found == NULL) {
        cli_error("%s: there is no driver for the kind '%s'; the kinds in --driver are %s", command,
                  kind, driver_kinds(set));
    } else if (other != NULL) {
        cli_error("%s: two drivers are for the kind '%s': %s and %s; name only one of them",
                  command, kind, found->folder, other->folder);
        return NULL;
    }
    return found;
}

const driver_platform *driver_platform_find(const driver_kind *kind, const char *name)
{
    for (int i = 0; i < kind->n_platforms; i++) {
        if (strcmp(kind->platforms[i].name, name) == 0) {
            return &kind->platforms[i];
        }
    }
    return NULL;
}
