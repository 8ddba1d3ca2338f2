/* SPDX-License-Identifier: Apache-2.0 */
/* The library describes itself in JSON; here it is printed as it is, or one array of it as a table.
 */
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Text of a cell; arrays of numbers as 1x3x8, others as compact JSON. The caller frees it. */
static char *cell(const cJSON *item)
{
    char text[512] = "";
    size_t used = 0;

    if (item == NULL || cJSON_IsNull(item)) {
        return cli_copy_text("", 0);
    }
    if (cJSON_IsString(item)) {
        return cli_copy_text(item->valuestring, strlen(item->valuestring));
    }
    if (!cJSON_IsArray(item) || !cJSON_IsNumber(item->child)) {
        return cJSON_PrintUnformatted(item);
    }
    const cJSON *number;
    cJSON_ArrayForEach(number, item)
    {
        if (used < sizeof text - 32) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.15g",
                                     used == 0 ? "" : "x", number->valuedouble);
        }
    }
    return cli_copy_text(text, used);
}

static void print_table(const cJSON *rows, const char *const *columns)
{
    int n = 0, n_rows = cJSON_GetArraySize(rows), at = 0;
    size_t width[16];

    for (; columns[n] != NULL && n < 16; n++) {
        width[n] = strlen(columns[n]);
    }
    char **cells = cli_alloc((size_t)(n * n_rows + 1) * sizeof *cells);
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        for (int c = 0; c < n; c++, at++) {
            cells[at] = cell(cJSON_GetObjectItemCaseSensitive(row, columns[c]));
            size_t length = cells[at] == NULL ? 0 : strlen(cells[at]);
            width[c] = length > width[c] ? length : width[c];
        }
    }
    for (int c = 0; c < n; c++) {
        printf("%-*s%s", c == n - 1 ? 0 : (int)width[c], columns[c], c == n - 1 ? "\n" : "  ");
    }
    for (int i = 0; i < at; i++) {
        int c = i % n;
        printf("%-*s%s", c == n - 1 ? 0 : (int)width[c], cells[i] == NULL ? "" : cells[i],
               c == n - 1 ? "\n" : "  ");
        free(cells[i]);
    }
    free(cells);
}

static void print_fields(const cJSON *object)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, object)
    {
        if (item->string != NULL && !cJSON_IsArray(item) && !cJSON_IsObject(item)) {
            char *text = cell(item);
            printf("%-22s %s\n", item->string, text == NULL ? "" : text);
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
    cJSON *root = cJSON_ParseWithLength(json->data, json->length);
    if (root == NULL) {
        fwrite(json->data, 1, json->length, stdout);
        return;
    }
    const cJSON *rows = cJSON_IsArray(root) ? root : cJSON_GetObjectItemCaseSensitive(root, array);
    print_fields(root);
    if (rows != NULL && columns != NULL) {
        print_table(rows, columns);
    }
    cJSON_Delete(root);
}
