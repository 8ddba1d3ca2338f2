/* SPDX-License-Identifier: Apache-2.0 */
/* The files that came out: each model's, then what the models of one compilation share. */
#include <string.h>

#include "base/map.h"
#include "compile/compile_internal.h"
#include "compile/tar.h"
#include "tensor/status.h"

void oribi_emit_banner(const oribi_compile *c, oribi_writer *writer, const char *what)
{
    oribi_text safe = {0}, asked = {0};
    oribi_writer_append_safe(&safe, c->source_name);
    oribi_compile_options_print(&c->options, &asked);
    oribi_writer_line(writer, "/* SPDX-License-Identifier: 0BSD */");
    oribi_writer_comment(
        writer,
        "%s Made by oribi %s from '%s' (SHA-256 %s)%s%s; make it again rather than "
        "change it.",
        what, oribi_version(), oribi_text_string(&safe), c->sha256, asked.length > 0 ? " with" : "",
        oribi_text_string(&asked));
    writer->text.failed = writer->text.failed || safe.failed || asked.failed;
    oribi_text_destroy(&safe);
    oribi_text_destroy(&asked);
}

bool oribi_compile_add_file(oribi_compile *c, const char *name, oribi_text *text, TF_Status *status)
{
    oribi_text_append(text, ""); /* never NULL */
    bool ok = name != NULL && !text->failed && text->data != NULL;
    if (ok && c->n_files == c->files_capacity) {
        const int32_t capacity = c->files_capacity * 2 + 16;
        oribi_file *grown = oribi_arena_array(&c->arena, (size_t)capacity, sizeof *grown);
        ok = grown != NULL;
        if (ok && c->n_files > 0) {
            memcpy(grown, c->files, (size_t)c->n_files * sizeof *grown);
        }
        c->files = ok ? grown : c->files;
        c->files_capacity = ok ? capacity : c->files_capacity;
    }
    if (!ok) {
        oribi_text_destroy(text);
        return oribi_fail_memory(status);
    }
    c->files[c->n_files++] = (oribi_file){name, text->data, text->length};
    *text = (oribi_text){0};
    return true;
}

void oribi_compile_drop_files(oribi_compile *c)
{
    for (int32_t i = 0; i < c->n_files; i++) {
        oribi_text text = {.data = c->files[i].data};
        oribi_text_destroy(&text);
    }
    c->n_files = 0;
}

int oribi_compile_num_files(const oribi_compile *compile)
{
    return compile != NULL ? compile->n_files : 0;
}

static const oribi_file *file_at(const oribi_compile *compile, int index)
{
    return compile != NULL && index >= 0 && index < compile->n_files ? &compile->files[index]
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

static bool take_files(oribi_compile *all, oribi_compile *model, TF_Status *status)
{
    for (int32_t i = 0; i < model->n_files; i++) {
        oribi_file *file = &model->files[i];
        oribi_text text = {.data = file->data, .length = file->bytes, .capacity = file->bytes + 1};
        const char *name = file->name;
        if (all->n_models > 1 && strcmp(name, "report.json") == 0) {
            name = oribi_arena_printf(&all->arena, "report_%s.json", model->name);
        }
        file->data = NULL;
        ORIBI_TRY(oribi_compile_add_file(all, name, &text, status));
    }
    return true;
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
    for (int32_t i = 0; i < all->n_files; i++) {
        oribi_file *file = &all->files[i];
        file->name =
            oribi_arena_printf(&all->arena, "%s%s", folder_of(all, file->name), file->name);
        if (file->name == NULL) {
            return oribi_fail_memory(status);
        }
    }
    return true;
}

/* The Model Library Format is one archive. Beside it lie the reports and the metadata. */
static bool pack(oribi_compile *all, TF_Status *status)
{
    oribi_text tar = {0};
    int32_t n_kept = 0;
    for (int32_t i = 0; i < all->n_files; i++) {
        oribi_file *file = &all->files[i];
        oribi_text text = {.data = file->data};
        const char *name = oribi_arena_printf(&all->arena, "./%s", file->name);
        tar.failed = tar.failed || name == NULL;
        if (!tar.failed) {
            oribi_tar_add(&tar, name, file->data, file->bytes, oribi_compile_time());
        }
        if (strchr(file->name, '/') == NULL) {
            all->files[n_kept++] = *file;
        } else {
            oribi_text_destroy(&text);
        }
    }
    all->n_files = n_kept;
    oribi_tar_end(&tar);
    return oribi_compile_add_file(
        all, oribi_arena_printf(&all->arena, "tvmgen_%s.tar", all->models[0]->name), &tar, status);
}

/* Models "a" and "a_static" may each want tvmgen_a_static.h. */
static bool check_files(const oribi_compile *all, TF_Status *status)
{
    oribi_map seen = {0};
    bool ok = true;
    for (int32_t i = 0; ok && i < all->n_files; i++) {
        const char *name = all->files[i].name;
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
    ORIBI_TRY(oribi_compile_check_budgets(all, status));
    for (int32_t i = 0; i < all->n_models; i++) {
        ORIBI_TRY(take_files(all, all->models[i], status));
    }
    ORIBI_TRY(oribi_emit_kernels(all, status));
    ORIBI_TRY(oribi_emit_shared(all, status));
    ORIBI_TRY(check_files(all, status));
    ORIBI_TRY(move_files(all, status));
    ORIBI_TRY(oribi_emit_build(all, status));
    ORIBI_TRY(oribi_emit_metadata(all, status));
    return all->options.layout != ORIBI_LAYOUT_MLF || pack(all, status);
}
