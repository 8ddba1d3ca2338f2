/* SPDX-License-Identifier: Apache-2.0 */
/* oribi_plugin_examine: what a plugin's file says of itself, and what it registers in a helper
 * process. Not here: judgement (examine_check.c), running its kernels (trial.c).
 */
#include "author/examine.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "oribi/oribi.h"

static void put_names(oribi_json *json, const char *key, const oribi_elf_names *names)
{
    oribi_json_key(json, key);
    oribi_json_open(json, '[');
    for (size_t i = 0; i < names->count; i++) {
        oribi_json_string(json, names->items[i]);
    }
    oribi_json_close(json, ']');
}

static void release_text(void *data, size_t length)
{
    (void)length;
    oribi_free(data);
}

bool oribi__json_give(oribi_text *text, TF_Buffer *buffer, TF_Status *status)
{
    if (text->failed) {
        oribi_text_destroy(text);
        return oribi_fail_memory(status);
    }
    buffer->data = text->data;
    buffer->length = text->length;
    buffer->data_deallocator = release_text;
    return true;
}

static void put_note(oribi_json *json, const oribi_elf_note *note)
{
    char version[24];
    oribi_json_key(json, "note");
    if (!note->is_present) {
        oribi_json_null(json);
        return;
    }
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "name", note->name);
    oribi_json_put_string(json, "version", note->version);
    oribi_json_put_string(json, "licence", note->licence);
    oribi_json_put_string(json, "build", note->build);
    snprintf(version, sizeof(version), "%u.%u", note->contract / 100, note->contract % 100);
    oribi_json_put_string(json, "contract", version);
    snprintf(version, sizeof(version), "%u.%u", note->headers / 100, note->headers % 100);
    oribi_json_put_string(json, "headers", version);
    oribi_json_close(json, '}');
}

static void put_description(const oribi_examination *seen, oribi_json *json)
{
    put_note(json, &seen->elf->note);
    oribi_json_key(json, "entry_points");
    oribi_json_open(json, '[');
    for (int e = 0; e < ORIBI_N_ENTRIES; e++) {
        if (seen->elf->has_entry[e]) {
            oribi_json_string(json, oribi__entry_names[e]);
        }
    }
    oribi_json_close(json, ']');
    put_names(json, "needed", &seen->elf->needed);
    put_names(json, "functions", &seen->elf->undefined);
    put_names(json, "exports", &seen->elf->exports);
    put_names(json, "versions", &seen->elf->versions);
    oribi_json_key(json, "registered");
    oribi_json_raw(json, oribi_text_string(&seen->described), seen->described.length);
}

static bool examine(const char *path, bool is_check, oribi_arena *arena, oribi_text *text,
                    TF_Status *status)
{
    oribi_elf elf = {0};
    ORIBI_TRY(oribi__elf_read(path, arena, &elf, status));
    TF_Status *dry_run = TF_NewStatus();
    if (!dry_run) {
        return oribi_fail_memory(status);
    }
    oribi_examination seen = {.path = path, .elf = &elf, .dry_run = dry_run};
    const oribi_helper_request request = {.path = path, .options = "", .mode = "describe"};
    bool ok = oribi__helper_run(&request, &seen.described, dry_run);
    if (!ok && (!is_check || TF_GetCode(dry_run) == TF_UNAVAILABLE)) {
        oribi_status_copy(status, dry_run);
    } else {
        oribi_json json = {.text = text};
        oribi_json_open(&json, '{');
        oribi_json_put_string(&json, "path", path);
        if (is_check) {
            oribi__examine_findings(&seen, &json);
        } else {
            put_description(&seen, &json);
        }
        oribi_json_close(&json, '}');
        ok = true;
    }
    oribi_text_destroy(&seen.described);
    TF_DeleteStatus(dry_run);
    return ok;
}

static void tell_rules(const char *number, TF_Buffer *buffer, TF_Status *status)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    oribi_json_open(&json, '{');
    const bool is_found = oribi__examine_rules(number, &json);
    oribi_json_close(&json, '}');
    if (is_found) {
        oribi__json_give(&text, buffer, status);
        return;
    }
    oribi_text_destroy(&text);
    oribi_fail(status, TF_NOT_FOUND, "there is no rule '%s'", number);
}

void oribi_plugin_examine(const char *path, const char *what, TF_Buffer *buffer, TF_Status *status)
{
    const oribi_plugin_options *options = NULL;
    oribi_arena arena = {0};
    oribi_text text = {0};
    char *real = NULL;
    if (!ORIBI_GIVEN(status, path, what, buffer)) {
        return;
    }
    const bool is_check = strcmp(what, "check") == 0;
    if (buffer->data) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "oribi_plugin_examine: the buffer is not empty");
        return;
    }
    if (strcmp(what, "rules") == 0) {
        tell_rules(path, buffer, status);
        return;
    }
    if (!is_check && strcmp(what, "describe") != 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "oribi_plugin_examine: '%s' is neither describe nor check nor rules", what);
        return;
    }
    if (oribi_plugin_is_built_in(path)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "plugin '%s' is built in and has no file; `oribi ops --kernels` lists what it "
                   "brings, `oribi plugin test %s` tests it",
                   path, path);
        return;
    }
    if (oribi__plugin_spec_parse(path, &real, &options, status) &&
        examine(real, is_check, &arena, &text, status)) {
        oribi__json_give(&text, buffer, status);
    } else {
        oribi_text_destroy(&text);
    }
    oribi_arena_destroy(&arena);
    oribi_free(real);
}
