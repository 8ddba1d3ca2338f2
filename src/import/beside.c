/* SPDX-License-Identifier: Apache-2.0 */
/* See beside.h. */
#include "import/beside.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

static bool is_inside(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || strcmp(folder, "/") == 0);
}

oribi_source *oribi_import_open_beside(oribi_graph *graph, const oribi_import_options *options,
                                       const char *location, const uint8_t **out_data,
                                       size_t *out_bytes, TF_Status *status)
{
    char *joined = oribi_path_join(options->folder, location);
    char *folder = oribi_path_real(options->folder);
    char *real = joined == NULL ? NULL : oribi_path_real(joined);
    const int error = errno;
    oribi_source *source = NULL;
    if (joined == NULL) {
        oribi_fail_memory(status);
    } else if (real == NULL || folder == NULL) {
        oribi_fail(status, error == ENOMEM ? TF_RESOURCE_EXHAUSTED : TF_NOT_FOUND,
                   "cannot open '%s' (%s); it belongs beside the model", joined, strerror(error));
    } else if (!options->follow_links && !is_inside(real, folder)) {
        oribi_fail(status, TF_PERMISSION_DENIED,
                   "'%s' is a link out of the model's folder to '%s'; allow following links if you "
                   "trust the model",
                   joined, real);
    } else {
        source =
            oribi_graph_open_file(graph, real, options->reads_files, out_data, out_bytes, status);
    }
    oribi_free(joined);
    oribi_free(folder);
    oribi_free(real);
    return source;
}
