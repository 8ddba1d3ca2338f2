/* SPDX-License-Identifier: Apache-2.0 */
/* A list of files that grows. */
#include "compile/common/files.h"

#include <stdarg.h>
#include <string.h>

#include "tensor/patience.h"
#include "tensor/status.h"

static bool grow(oribi_files *files)
{
    const int32_t capacity = files->capacity * 2 + 16;
    oribi_file *grown = oribi_arena_array(&files->arena, (size_t)capacity, sizeof *grown);
    if (grown != NULL && files->n > 0) {
        memcpy(grown, files->items, (size_t)files->n * sizeof *grown);
    }
    files->items = grown != NULL ? grown : files->items;
    files->capacity = grown != NULL ? capacity : files->capacity;
    return grown != NULL;
}

bool oribi_files_add(oribi_files *files, oribi_text *text, TF_Status *status, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    const char *made = oribi_arena_vprintf(&files->arena, name, args);
    va_end(args);
    oribi_text_append(text, ""); /* never NULL */
    if (!oribi_patience_left(status)) {
        oribi_text_destroy(text);
        return false;
    }
    if (made == NULL || text->failed || text->data == NULL ||
        (files->n == files->capacity && !grow(files))) {
        oribi_text_destroy(text);
        return oribi_fail_memory(status);
    }
    files->items[files->n++] = (oribi_file){made, text->data, text->length};
    *text = (oribi_text){0};
    return true;
}

void oribi_files_drop(oribi_files *files)
{
    for (int32_t i = 0; i < files->n; i++) {
        oribi_text text = {.data = files->items[i].data};
        oribi_text_destroy(&text);
    }
    files->n = 0;
}
