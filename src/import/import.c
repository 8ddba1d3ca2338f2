/* SPDX-License-Identifier: Apache-2.0 */
/* Which importer: told from the bytes, never from the file's name. */
#include "import/import.h"

#include <string.h>

oribi_graph *oribi_import(const uint8_t *data, size_t bytes, oribi_source *source,
                          const char *source_name, const oribi_import_options *options,
                          TF_Status *status)
{
    if (bytes >= 8 && memcmp(data + 4, "TFL3", 4) == 0) {
        return oribi_import_tflite(data, bytes, source, source_name, options, status);
    }
    if (bytes == 0) {
        oribi_fail(status, TF_DATA_LOSS, "'%s' is empty (byte 0): not a model", source_name);
        oribi_source_release(source);
        return NULL;
    }
    return oribi_import_onnx(data, bytes, source, source_name, options, status);
}
