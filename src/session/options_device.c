/* SPDX-License-Identifier: Apache-2.0 */
/* Options that say where nodes run. Whether the devices are there shows when a session is made. */
#include <stdlib.h>
#include <string.h>

#include "session/session_internal.h"

static bool check_form(const char *device, TF_Status *status)
{
    const size_t length = strcspn(device, ":");
    char *end = NULL;
    bool ok = length > 0;
    if (ok && device[length] == ':') {
        const long number = strtol(device + length + 1, &end, 10);
        ok = end != device + length + 1 && *end == '\0' && number >= 0;
    }
    return ok || oribi_fail(status, TF_INVALID_ARGUMENT,
                            "device '%s': write NAME or NAME:N, N from 0", device);
}

void oribi_options_set_device(oribi_options *options, const char *device, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, device)) {
        return;
    }
    if (!check_form(device, status)) {
        return;
    }
    const char *copy = oribi_arena_strdup(&options->arena, device);
    if (copy == NULL) {
        oribi_fail_memory(status);
        return;
    }
    options->device = copy;
}

void oribi_options_place_node(oribi_options *options, const char *node, const char *device,
                              TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, node, device)) {
        return;
    }
    if (!check_form(device, status)) {
        return;
    }
    oribi_node_place *place = oribi_arena_array(&options->arena, 1, sizeof *place);
    char *name = oribi_arena_strdup(&options->arena, node);
    char *where = oribi_arena_strdup(&options->arena, device);
    if (place == NULL || name == NULL || where == NULL) {
        oribi_fail_memory(status);
        return;
    }
    *place = (oribi_node_place){name, where, NULL};
    oribi_node_place **last = &options->places;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = place;
}

void oribi_options_set_soft_placement(oribi_options *options, bool soft)
{
    if (options == NULL) {
        return;
    }
    options->is_strict = !soft;
}

void oribi_options_set_device_max_bytes(oribi_options *options, uint64_t bytes)
{
    if (options == NULL) {
        return;
    }
    options->device_max_bytes = bytes;
}

/* What the caller said of the host counts for devices too; else the device itself is the limit. */
uint64_t oribi_options_device_max_bytes(const oribi_options *options)
{
    const uint64_t own = options != NULL ? options->device_max_bytes : 0;
    const uint64_t host = options != NULL ? options->max_bytes : 0;
    return own > 0 ? own : host > 0 ? host : UINT64_MAX;
}

void oribi_options_set_unified_memory(oribi_options *options, bool unified)
{
    if (options == NULL) {
        return;
    }
    options->has_unified_memory = unified;
}

void oribi_options_set_keep_islands(oribi_options *options, bool keep)
{
    if (options == NULL) {
        return;
    }
    options->keeps_islands = keep;
}
