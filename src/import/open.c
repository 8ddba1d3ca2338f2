/* SPDX-License-Identifier: Apache-2.0 */
/* Opens models and chooses the importer, which is told from the bytes, never from the file's name.
 */
#include "import/open.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "import/foreign.h"
#include "import/packed/packed.h"
#include "import/tensorflow/tensorflow.h"

static void release_nothing(oribi_source *source)
{
    oribi_free(source);
}

/* Names the format, if it is known, in place of what was said before. */
static bool refuse_foreign(const oribi_foreign *foreign, const char *name, TF_Status *status)
{
    if (foreign != NULL) {
        oribi_fail(status, TF_UNIMPLEMENTED, "'%s' is %s, which is not read; convert it: %s", name,
                   foreign->what, foreign->todo);
    }
    return foreign != NULL;
}

bool oribi_model_file_open(const char *path, bool is_read, uint64_t max_bytes,
                           oribi_model_file *out, TF_Status *status)
{
    /* A SavedModel is a folder, of which this file is the graph. */
    char *inside = oribi_path_join(path, "saved_model.pb");
    const bool is_folder = inside != NULL && oribi_file_exists(inside);
    const char *opened = is_folder ? inside : path;
    oribi_model_file file = {
        .name = oribi_strdup(path), .folder = oribi_path_folder(opened), .is_read = is_read};
    if (inside == NULL || file.name == NULL || file.folder == NULL) {
        oribi_fail_memory(status);
    } else {
        file.source =
            oribi_source_open(opened, is_read, max_bytes, &file.data, &file.bytes, status);
    }
    oribi_free(inside);
    if (file.source == NULL) {
        refuse_foreign(oribi_foreign_find_folder(path), path, status);
        oribi_model_file_close(&file);
        return false;
    }
    *out = file;
    return true;
}

bool oribi_model_file_borrow(const void *data, size_t bytes, const char *name,
                             oribi_model_file *out, TF_Status *status)
{
    oribi_source *source = oribi_alloc_zero(1, sizeof *source);
    char *copy = oribi_strdup(name);
    if (source == NULL || copy == NULL) {
        oribi_free(source);
        oribi_free(copy);
        return oribi_fail_memory(status);
    }
    atomic_init(&source->references, 1);
    source->release = release_nothing;
    *out = (oribi_model_file){.source = source, .data = data, .bytes = bytes, .name = copy};
    return true;
}

bool oribi_model_file_share(const oribi_model_file *file, oribi_model_file *out, TF_Status *status)
{
    *out = *file;
    out->name = oribi_strdup(file->name);
    out->folder = file->folder != NULL ? oribi_strdup(file->folder) : NULL;
    if (out->name == NULL || (file->folder != NULL && out->folder == NULL)) {
        oribi_free(out->name);
        oribi_free(out->folder);
        *out = (oribi_model_file){0};
        return oribi_fail_memory(status);
    }
    oribi_source_retain(out->source);
    return true;
}

void oribi_model_file_close(oribi_model_file *file)
{
    if (file == NULL) {
        return;
    }
    oribi_source_release(file->source);
    oribi_free(file->name);
    oribi_free(file->folder);
    *file = (oribi_model_file){0};
}

oribi_graph *oribi_model_file_import(const oribi_model_file *file, oribi_import_options options,
                                     TF_Status *status)
{
    options.folder = file->folder;
    options.reads_files = file->is_read;
    options.held_bytes = file->is_read ? file->bytes : 0;
    oribi_source_retain(file->source);
    return oribi_import(file->data, file->bytes, file->source, file->name, &options, status);
}

oribi_graph *oribi_import(const uint8_t *data, size_t bytes, oribi_source *source,
                          const char *source_name, const oribi_import_options *options,
                          TF_Status *status)
{
    if (bytes >= 8 && memcmp(data + 4, "TFL3", 4) == 0) {
        return oribi_import_tflite(data, bytes, source, source_name, options, status);
    }
    if (oribi_is_packed(data, bytes)) {
        return oribi_import_packed(data, bytes, source, source_name, options, status);
    }
    if (bytes == 0) {
        oribi_fail(status, TF_DATA_LOSS, "'%s' is empty (byte 0): not a model", source_name);
        oribi_source_release(source);
        return NULL;
    }
    if (oribi_is_tensorflow(data, bytes)) {
        return oribi_import_tensorflow(data, bytes, source, source_name, options, status);
    }
    if (refuse_foreign(oribi_foreign_find(data, bytes), source_name, status)) {
        oribi_source_release(source);
        return NULL;
    }
    return oribi_import_onnx(data, bytes, source, source_name, options, status);
}
