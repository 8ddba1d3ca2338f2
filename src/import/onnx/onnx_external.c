/* SPDX-License-Identifier: Apache-2.0 */
/* Files of external data: which ones a model may name, and their bytes. A name is a relative
 * path inside the model's folder (beside.h).
 */
#include "import/onnx/onnx.h"

#include <inttypes.h>
#include <string.h>

#include "import/beside.h"

static bool is_clean(const oribi_string *location)
{
    const char *text = location->data;
    size_t length = location->length;
    if (length == 0 || text[0] == '/' || memchr(text, '\0', length) != NULL ||
        memchr(text, '\\', length) != NULL) {
        return false;
    }
    for (size_t start = 0; start <= length;) {
        const char *slash = memchr(text + start, '/', length - start);
        size_t end = slash != NULL ? (size_t)(slash - text) : length;
        if (end - start == 2 && text[start] == '.' && text[start + 1] == '.') {
            return false;
        }
        start = end + 1;
    }
    return true;
}

static oribi_onnx_file *open_file(oribi_onnx *onnx, const char *location, const char *tensor,
                                  TF_Status *status)
{
    oribi_onnx_file *file = oribi_arena_array(&onnx->kept, 1, sizeof(*file));
    if (file == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    file->source = oribi_import_open_beside(onnx->graph, onnx->options, location, &file->data,
                                            &file->bytes, status);
    if (file->source == NULL) {
        oribi_status_prefix(status, "external data of tensor '%s': ", tensor);
        return NULL;
    }
    if (!oribi_map_put(&onnx->files, location, file)) {
        oribi_source_release(file->source);
        oribi_fail_memory(status);
        return NULL;
    }
    return file;
}

bool oribi_onnx_external_open(oribi_onnx *scope, const oribi_string *location, int64_t offset,
                              int64_t length, size_t expected_bytes, const char *tensor,
                              const uint8_t **out_data, oribi_source **out_source,
                              TF_Status *status)
{
    oribi_onnx *onnx = scope->root != NULL ? scope->root : scope; /* files are of all scopes */
    const char *text = oribi_import_text(&onnx->kept, location);
    ORIBI_TRY(text != NULL || oribi_fail_memory(status));
    if (onnx->options == NULL || onnx->options->folder == NULL) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "tensor '%s' is in the external file '%s', but a model from memory has "
                          "no folder; open the model by its path",
                          tensor, text);
    }
    if (!is_clean(location)) {
        return oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "external data of tensor '%s': '%s' is not a relative path inside the model's folder",
            tensor, text);
    }
    oribi_onnx_file *file = oribi_map_get(&onnx->files, text);
    if (file == NULL) {
        file = open_file(onnx, text, tensor, status);
        ORIBI_TRY(file != NULL);
    }
    uint64_t left = (uint64_t)offset <= file->bytes ? file->bytes - (uint64_t)offset : 0;
    if ((uint64_t)offset > file->bytes || expected_bytes > left ||
        (length >= 0 && (uint64_t)length != expected_bytes)) {
        return oribi_fail(status, TF_DATA_LOSS,
                          "external data of tensor '%s': needs %zu bytes at offset %" PRId64
                          " (length said to be %" PRId64 ") of '%s', which has %zu bytes",
                          tensor, expected_bytes, offset, length, text, file->bytes);
    }
    static const uint8_t nothing[1];
    *out_data = file->data == NULL ? nothing : file->data + offset;
    *out_source = file->source;
    return true;
}

void oribi_onnx_external_close(oribi_onnx *onnx)
{
    if (onnx == NULL) {
        return;
    }
    for (size_t i = 0; i < onnx->files.n_entries; i++) {
        const oribi_onnx_file *file = onnx->files.entries[i].value;
        oribi_source_release(file->source);
    }
    oribi_map_destroy(&onnx->files);
}
