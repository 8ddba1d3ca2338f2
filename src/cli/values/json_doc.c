/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that the command reads: the library's descriptions, reports of compiled models, manifests.
 * Getters take NULL and values of other kinds, and give what "absent" means.
 */
#include <stdio.h>

#include "cli.h"

cli_json cli_json_parse(const char *text, size_t bytes, const char *what)
{
    cli_json json = {0};
    oribi_text error = {0};

    json.root = oribi_json_read(text, bytes, &json.arena, &error);
    if (json.root == NULL) {
        cli_error("%s: %s", what, oribi_text_string(&error));
    }
    oribi_text_destroy(&error);
    return json;
}

void cli_json_free(cli_json *json)
{
    oribi_arena_destroy(&json->arena);
    json->root = NULL;
}

const oribi_json_value *cli_json_first(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *value = oribi_json_find(object, key);
    return value == NULL ? NULL : value->child;
}

int cli_json_count(const oribi_json_value *value)
{
    return value == NULL ? 0 : value->count;
}

const char *cli_json_text(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *value = oribi_json_find(object, key);
    return value == NULL ? NULL : value->text;
}

int64_t cli_json_number(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *value = oribi_json_find(object, key);
    return value == NULL ? 0 : value->integer;
}

bool cli_json_is(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *value = oribi_json_find(object, key);
    return value != NULL && value->kind == ORIBI_JSON_BOOL && value->integer != 0;
}

void cli_text_print(oribi_text *text)
{
    if (text->failed) {
        cli_no_memory(text->length);
    }
    fwrite(oribi_text_string(text), 1, text->length, stdout);
    oribi_text_destroy(text);
}
