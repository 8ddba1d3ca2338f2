/* SPDX-License-Identifier: Apache-2.0 */
/* What is done when all models have become files: what they share, the folders of a layout, an
 * archive. */
#include <string.h>

#include "base/map.h"
#include "compile/emit/emit_parts.h"
#include "compile/finish.h"
#include "compile/tar.h"
#include "tensor/status.h"

int oribi_compile_num_files(const oribi_compile *compile)
{
    return compile != NULL ? compile->files.n : 0;
}

static const oribi_file *file_at(const oribi_compile *compile, int index)
{
    return compile != NULL && index >= 0 && index < compile->files.n ? &compile->files.items[index]
                                                                     : NULL;
}

const char *oribi_compile_file_name(const oribi_compile *compile, int index)
{
    const oribi_file *file = file_at(compile, index);
    return file != NULL ? file->name : NULL;
}

const void *oribi_compile_file_data(const oribi_compile *compile, int index, size_t *bytes)
{
    const oribi_file *file = file_at(compile, index);
    if (bytes != NULL) {
        *bytes = file != NULL ? file->bytes : 0;
    }
    return file != NULL ? file->data : NULL;
}

/* --- Layout ---------------------------------------------------------------------------------- */

typedef struct folders {
    const char *headers; /* what an application includes */
    const char *sources; /* and what these include */
} folders;

static const folders layouts[] = {
    [ORIBI_LAYOUT_CMAKE] = {"", ""},
    [ORIBI_LAYOUT_PLAIN] = {"", ""},
    [ORIBI_LAYOUT_ZEPHYR] = {"include/", "src/"},
    [ORIBI_LAYOUT_ESP_IDF] = {"include/", "src/"},
    [ORIBI_LAYOUT_ARDUINO] = {"src/", "src/"},
    [ORIBI_LAYOUT_PLATFORMIO] = {"include/", "src/"},
    [ORIBI_LAYOUT_CMSIS_PACK] = {"include/", "source/"},
    [ORIBI_LAYOUT_MLF] = {"codegen/host/include/", "codegen/host/src/"},
};

static const char *suffix_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot : "";
}

/* Reports, and weights that the application loads, stay at the top. */
static const char *folder_of(const oribi_compile *all, const char *name)
{
    const folders *f = &layouts[all->options.layout];
    const char *suffix = suffix_of(name);
    const bool is_internal = strncmp(name, "micro/", 6) == 0 || strstr(name, "_weights.h") != NULL;
    if (strcmp(suffix, ".h") == 0) {
        return is_internal ? f->sources : f->headers;
    }
    if (strcmp(suffix, ".bin") == 0) {
        return all->options.weights == ORIBI_WEIGHTS_INCBIN ? f->sources : "";
    }
    const bool is_source =
        strcmp(suffix, ".c") == 0 || strcmp(suffix, ".S") == 0 || strcmp(suffix, ".o") == 0;
    return is_source ? f->sources : "";
}

static bool move_files(oribi_compile *all, TF_Status *status)
{
    for (int32_t i = 0; i < all->files.n; i++) {
        oribi_file *file = &all->files.items[i];
        file->name =
            oribi_arena_printf(&all->files.arena, "%s%s", folder_of(all, file->name), file->name);
        if (file->name == NULL) {
            return oribi_fail_memory(status);
        }
    }
    return true;
}

/* The Model Library Format is one archive. Beside it lie the reports and the metadata. */
static bool pack(oribi_compile *all, TF_Status *status)
{
    oribi_files *files = &all->files;
    oribi_text tar = {0};
    int32_t n_kept = 0;
    for (int32_t i = 0; i < files->n; i++) {
        oribi_file *file = &files->items[i];
        oribi_text text = {.data = file->data};
        const char *name = oribi_arena_printf(&files->arena, "./%s", file->name);
        tar.failed = tar.failed || name == NULL;
        if (!tar.failed) {
            oribi_tar_add(&tar, name, file->data, file->bytes, oribi_compile_time());
        }
        if (strchr(file->name, '/') == NULL) {
            files->items[n_kept++] = *file;
        } else {
            oribi_text_destroy(&text);
        }
    }
    files->n = n_kept;
    oribi_tar_end(&tar);
    return oribi_files_add(files, &tar, status, "tvmgen_%s.tar", all->programs[0]->name);
}

/* Models "a" and "a_static" may each want tvmgen_a_static.h. */
static bool check_files(const oribi_compile *all, TF_Status *status)
{
    oribi_map seen = {0};
    bool ok = true;
    for (int32_t i = 0; ok && i < all->files.n; i++) {
        const char *name = all->files.items[i].name;
        if (oribi_map_get(&seen, name) != NULL) {
            ok = oribi_fail(status, TF_INVALID_ARGUMENT,
                            "two of the files would be '%s'; give the models other names: --name",
                            name);
        } else if (!oribi_map_put(&seen, name, (void *)(uintptr_t)all)) {
            ok = oribi_fail_memory(status);
        }
    }
    oribi_map_destroy(&seen);
    return ok;
}

bool oribi_compile_finish(oribi_compile *all, TF_Status *status)
{
    oribi_files *files = &all->files;
    ORIBI_TRY(oribi_compile_check_budgets(all, status));
    ORIBI_TRY(oribi_emit_kernels(all, files, status));
    ORIBI_TRY(oribi_emit_shared(all, files, status));
    ORIBI_TRY(oribi_emit_table(all, files, status));
    ORIBI_TRY(check_files(all, status));
    ORIBI_TRY(move_files(all, status));
    ORIBI_TRY(oribi_emit_build(all, files, status));
    ORIBI_TRY(oribi_emit_metadata(all, files, status));
    return all->options.layout != ORIBI_LAYOUT_MLF || pack(all, status);
}
