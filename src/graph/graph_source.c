/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: where the bytes of constants are, counted. A file is mapped, or read into memory where
 * the caller does not trust others to leave it alone: a mapped file that somebody truncates kills
 * the process that reads it (SIGBUS).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "graph/graph.h"
#include "tensor/status.h"

void oribi_source_retain(oribi_source *source)
{
    if (source != NULL) {
        atomic_fetch_add_explicit(&source->references, 1, memory_order_relaxed);
    }
}

void oribi_source_release(oribi_source *source)
{
    if (source != NULL &&
        atomic_fetch_sub_explicit(&source->references, 1, memory_order_acq_rel) == 1) {
        source->release(source);
    }
}

static void release_file(oribi_source *source)
{
    oribi_file_map_close(source->priv);
    oribi_free(source->priv);
    oribi_free(source);
}

static void give_back_file(oribi_source *source, const void *from, size_t bytes)
{
    oribi_file_map_give_back(source->priv, from, bytes);
}

static bool fail_to_open(const char *path, int error, uint64_t max_bytes, TF_Status *status)
{
    if (error == EFBIG) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "%s: the file does not fit in the %" PRIu64
                          " bytes left of the memory limit; raise the limit",
                          path, max_bytes);
    }
    if (error == ESTALE) {
        return oribi_fail(
            status, TF_DATA_LOSS,
            "%s: the file changed size while it was read; open it again when nothing writes to it",
            path);
    }
    if (error == ENOMEM) {
        return oribi_fail_memory(status);
    }
    oribi_fail_io(status, error, path);
    return false;
}

oribi_source *oribi_source_open(const char *path, bool is_read, uint64_t max_bytes,
                                const uint8_t **out_data, size_t *out_bytes, TF_Status *status)
{
    oribi_source *source = oribi_alloc_zero(1, sizeof *source);
    oribi_file_map *map = oribi_alloc_zero(1, sizeof *map);
    int error = source != NULL && map != NULL ? 0 : ENOMEM;
    if (error == 0) {
        error =
            is_read ? oribi_file_map_read(path, max_bytes, map) : oribi_file_map_open(path, map);
    }
    if (error != 0) {
        oribi_free(map);
        oribi_free(source);
        (void)fail_to_open(path, error, max_bytes, status);
        return NULL;
    }
    atomic_init(&source->references, 1);
    source->release = release_file;
    source->give_back = give_back_file;
    source->priv = map;
    *out_data = map->data;
    *out_bytes = map->bytes;
    return source;
}

oribi_source *oribi_graph_open_file(oribi_graph *graph, const char *path, bool is_read,
                                    const uint8_t **out_data, size_t *out_bytes, TF_Status *status)
{
    const uint64_t held = graph->made_bytes + graph->arena.used_bytes;
    const uint64_t left = graph->max_bytes == 0     ? UINT64_MAX
                          : graph->max_bytes > held ? graph->max_bytes - held
                                                    : 0;
    oribi_source *source = oribi_source_open(path, is_read, left, out_data, out_bytes, status);
    if (source != NULL && is_read && !oribi_graph_charge(graph, *out_bytes, status)) {
        oribi_source_release(source);
        return NULL;
    }
    return source;
}

oribi_source *oribi_source_zeros(size_t bytes, const uint8_t **out_data, TF_Status *status)
{
    oribi_source *source = oribi_alloc_zero(1, sizeof *source);
    oribi_file_map *map = oribi_alloc_zero(1, sizeof *map);
    if (source == NULL || map == NULL || oribi_file_map_zeros(bytes, map) != 0) {
        oribi_free(map);
        oribi_free(source);
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_init(&source->references, 1);
    source->release = release_file;
    source->priv = map;
    *out_data = map->data;
    return source;
}
