/* SPDX-License-Identifier: Apache-2.0 */
/* What do names of devices say, and how is a node's place called? Not here: which device a node
 * gets (pass_choose.c, and session_place.c in the session).
 */
#include "pass/pass_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

static const char *after_device(const char *device)
{
    const char *at = device != NULL ? strstr(device, "/device:") : NULL;
    return at != NULL ? at + 8 : device;
}

void oribi_pass_device_type(const char *device, char out_type[ORIBI_DEVICE_TYPE_BYTES])
{
    const char *at = after_device(device);
    out_type[0] = '\0';
    if (at == NULL || *at == '/') {
        return; /* none, or a task or job, but no device */
    }
    size_t length = strcspn(at, ":/");
    if (length < ORIBI_DEVICE_TYPE_BYTES) {
        for (size_t i = 0; i < length; i++) {
            out_type[i] = oribi_to_upper(at[i]);
        }
        out_type[length] = '\0';
    }
}

int oribi_pass_device_ordinal(const char *device, const char *type)
{
    const char *at = after_device(device);
    const size_t length = strlen(type);
    for (size_t i = 0; at != NULL && i < length; i++) {
        if (oribi_to_upper(at[i]) != type[i]) {
            return -1;
        }
    }
    if (at == NULL || (at[length] != '\0' && at[length] != ':')) {
        return -1;
    }
    return at[length] == ':' ? atoi(at + length + 1) : 0;
}

const char *oribi_pass_place_name(oribi_arena *arena, const oribi_node *node, const char *standard)
{
    const char *type = node->kernel != NULL ? node->kernel->device_type : "CPU";
    type = strcmp(type, "DEFAULT") == 0 ? "CPU" : type;
    int ordinal = oribi_pass_device_ordinal(node->device, type);
    if (ordinal < 0) {
        ordinal = oribi_pass_device_ordinal(standard, type);
    }
    return oribi_arena_printf(arena, "/job:localhost/replica:0/task:0/device:%s:%d", type,
                              ordinal < 0 ? 0 : ordinal);
}
