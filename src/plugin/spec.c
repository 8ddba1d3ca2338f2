/* SPDX-License-Identifier: Apache-2.0 */
/* Plugin specs: "path[:key=val[,key=val]]", and the options that a plugin reads during its init.
 * Not here: whether the file is any good (elf.c).
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "plugin/plugin_internal.h"

static oribi_mutex mutex = ORIBI_MUTEX_INIT;
static oribi_plugin_options *known; /* each text once */
static ORIBI_THREAD_LOCAL const oribi_plugin_options *current;

void oribi__plugin_options_enter(const oribi_plugin_options *options)
{
    current = options;
}

const char *oribi__plugin_option(const oribi_plugin_options *options, const char *key)
{
    for (size_t i = 0; options && key && i < options->n; i++) {
        if (strcmp(options->items[i].key, key) == 0) {
            return options->items[i].value;
        }
    }
    return NULL;
}

const char *TF_PluginOption(const char *key)
{
    return oribi__plugin_option(current, key);
}

static size_t count_commas(const char *text)
{
    size_t n = 0;
    for (; *text; text++) {
        n += *text == ',';
    }
    return n;
}

static bool cut_items(oribi_plugin_options *options, const char *spec, TF_Status *status)
{
    char *rest = options->cut;
    while (rest) {
        char *item = rest;
        char *comma = strchr(rest, ',');
        rest = comma ? comma + 1 : NULL;
        if (comma) {
            *comma = '\0';
        }
        char *equals = strchr(item, '=');
        if (!equals || equals == item) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "plugin '%s': option '%s' is not of the form key=value; write "
                              "PATH:key=value,key=value",
                              spec, item);
        }
        *equals = '\0';
        for (size_t i = 0; i < options->n; i++) {
            if (strcmp(options->items[i].key, item) == 0) {
                return oribi_fail(status, TF_INVALID_ARGUMENT,
                                  "plugin '%s': option '%s' is given twice", spec, item);
            }
        }
        options->items[options->n].key = item;
        options->items[options->n++].value = equals + 1;
    }
    return true;
}

static void options_destroy(oribi_plugin_options *options)
{
    if (options) {
        oribi_free(options->text);
        oribi_free(options->cut);
        oribi_free(options);
    }
}

void oribi__plugin_options_forget_all(void)
{
    for (oribi_plugin_options *next; known != NULL; known = next) {
        next = known->next;
        options_destroy(known);
    }
}

/* The known options of this text, made on first sight. */
static const oribi_plugin_options *intern(const char *text, const char *spec, TF_Status *status)
{
    oribi_mutex_lock(&mutex);
    oribi_plugin_options *options = known;
    while (options && strcmp(options->text, text) != 0) {
        options = options->next;
    }
    if (!options) {
        size_t n = count_commas(text) + 1;
        options = oribi_alloc_zero(1, sizeof(*options) + n * sizeof(options->items[0]));
        if (options) {
            options->text = oribi_strdup(text);
            options->cut = oribi_strdup(text);
        }
        if (!options || !options->text || !options->cut) {
            options_destroy(options);
            options = NULL;
            oribi_fail_memory(status);
        } else if (!cut_items(options, spec, status)) {
            options_destroy(options);
            options = NULL;
        } else {
            options->next = known;
            known = options;
        }
    }
    oribi_mutex_unlock(&mutex);
    return options;
}

bool oribi__plugin_spec_parse(const char *spec, char **out_path,
                              const oribi_plugin_options **out_options, TF_Status *status)
{
    const oribi_plugin_options *options = NULL;
    const char *colon = oribi_file_exists(spec) ? NULL : strchr(spec, ':');
    char *given = colon ? oribi_strndup(spec, (size_t)(colon - spec)) : oribi_strdup(spec);
    if (!given) {
        return oribi_fail_memory(status);
    }
    char *path = oribi_path_real(given);
    if (!path) {
        if (errno == ENOMEM) {
            oribi_fail_memory(status);
        } else {
            oribi_fail(status, errno == EACCES ? TF_PERMISSION_DENIED : TF_NOT_FOUND,
                       "plugin '%s': %s", given, strerror(errno));
        }
    }
    oribi_free(given);
    if (path && colon && colon[1]) {
        options = intern(colon + 1, spec, status);
        if (!options) {
            oribi_free(path);
            path = NULL;
        }
    }
    if (!path) {
        return false;
    }
    *out_path = path;
    *out_options = options;
    return true;
}
