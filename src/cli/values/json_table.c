/* SPDX-License-Identifier: Apache-2.0 */
/* The library describes itself in JSON; here it is printed as it is, or one array of it as a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Text of a cell; arrays of numbers as 1x3x8, others as JSON. The caller frees it. */
static char *cell(const oribi_json_value *item)
{
    char text[512] = "";
    size_t used = 0;

    if (item == NULL || item->kind == ORIBI_JSON_NULL) {
        return cli_copy_text("", 0);
    }
    if (item->kind == ORIBI_JSON_STRING) {
        return cli_copy_text(item->text, strlen(item->text));
    }
    if (item->kind != ORIBI_JSON_ARRAY || item->count == 0 ||
        item->child->kind != ORIBI_JSON_NUMBER) {
        return cli_copy_text(item->begin, (size_t)(item->end - item->begin));
    }
    for (const oribi_json_value *number = item->child; number != NULL; number = number->next) {
        if (used < sizeof text - 32) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.15g",
                                     used == 0 ? "" : "x", number->number);
        }
    }
    return cli_copy_text(text, used);
}

static void print_table(const oribi_json_value *rows, const char *const *columns)
{
    int n = 0, n_rows = rows->count, at = 0;
    size_t width[16];

    for (; columns[n] != NULL && n < 16; n++) {
        width[n] = strlen(columns[n]);
    }
    char **cells = cli_alloc((size_t)(n * n_rows + 1) * sizeof *cells);
    for (const oribi_json_value *row = rows->child; row != NULL; row = row->next) {
        for (int c = 0; c < n; c++, at++) {
            cells[at] = cell(oribi_json_find(row, columns[c]));
            size_t length = strlen(cells[at]);
            width[c] = length > width[c] ? length : width[c];
        }
    }
    for (int c = 0; c < n; c++) {
        printf("%-*s%s", c == n - 1 ? 0 : (int)width[c], columns[c], c == n - 1 ? "\n" : "  ");
    }
    for (int i = 0; i < at; i++) {
        int c = i % n;
        cli_print("%-*s%s", c == n - 1 ? 0 : (int)width[c], cells[i], c == n - 1 ? "\n" : "  ");
        free(cells[i]);
    }
    free(cells);
}

static void print_fields(const oribi_json_value *object)
{
    for (const oribi_json_value *item = object->child; item != NULL; item = item->next) {
        if (item->key != NULL && item->kind != ORIBI_JSON_ARRAY &&
            item->kind != ORIBI_JSON_OBJECT) {
            char *text = cell(item);
            cli_print("%-22s %s\n", item->key, text);
            free(text);
        }
    }
}

void cli_json_print(const TF_Buffer *json, bool raw, const char *array, const char *const *columns)
{
    if (raw) {
        fwrite(json->data, 1, json->length, stdout);
        fputc('\n', stdout);
        return;
    }
    cli_json parsed = cli_json_parse(json->data, json->length, "description");
    const oribi_json_value *root = parsed.root;
    if (root != NULL) {
        const oribi_json_value *rows = root->kind == ORIBI_JSON_ARRAY ? root
                                       : array != NULL                ? oribi_json_find(root, array)
                                                                      : NULL;
        print_fields(root);
        if (rows != NULL && columns != NULL) {
            print_table(rows, columns);
        }
    }
    cli_json_free(&parsed);
}
