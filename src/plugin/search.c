/* SPDX-License-Identifier: Apache-2.0 */
/* Where plugins are found without being named: ORIBI_PLUGIN_PATH (files and folders, separated by
 * colons), then the library's own folder (own.c). Never the current folder, unless it is written
 * there as ".".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/folder.h"
#include "base/log.h"
#include "device/device.h"
#include "plugin/plugin_internal.h"

/* x.so, x.so.1, x.so.1.2 */
static bool is_library_name(const char *name)
{
    const char *at = strstr(name, ".so");
    return at && at > name && name[0] != '.' && strspn(at + 3, ".0123456789") == strlen(at + 3);
}

/* A plugin that fails is a warning, one whose hardware is not there only a note; only memory is an
 * error. */
static bool load_found(const char *path, TF_Status *status)
{
    TF_Status *own = TF_NewStatus();
    if (!own) {
        return oribi_fail_memory(status);
    }
    if (!oribi__plugin_load(path, false, own)) {
        const bool is_absent = TF_GetCode(own) == TF_UNAVAILABLE;
        oribi_log(is_absent ? ORIBI_LOG_INFO : ORIBI_LOG_WARNING,
                  "%s (found on the search path; left out)", TF_Message(own));
        if (is_absent) {
            oribi_device_note_absent(path, TF_Message(own));
        }
    }
    TF_DeleteStatus(own);
    return true;
}

static bool load_folder(const char *folder, TF_Status *status)
{
    oribi_folder_list list;
    int error = oribi_folder_read(folder, &list);
    bool ok = error != ENOMEM || oribi_fail_memory(status);
    if (error != 0) {
        return ok;
    }
    for (size_t i = 0; ok && i < list.n_names; i++) {
        if (is_library_name(list.names[i])) {
            char *path = oribi_path_join(folder, list.names[i]);
            ok = path ? load_found(path, status) : oribi_fail_memory(status);
            oribi_free(path);
        }
    }
    oribi_folder_list_destroy(&list);
    return ok;
}

static bool load_place(const char *place, TF_Status *status)
{
    oribi_folder_list list;
    int error = oribi_folder_read(place, &list);
    if (error == ENOTDIR) {
        return load_found(place, status);
    }
    if (error != 0) {
        oribi_log(ORIBI_LOG_WARNING, "ORIBI_PLUGIN_PATH: '%s': %s", place, strerror(error));
        return error != ENOMEM || oribi_fail_memory(status);
    }
    oribi_folder_list_destroy(&list);
    return load_folder(place, status);
}

bool oribi_plugin_load_found(TF_Status *status)
{
    ORIBI_TRY(oribi_plugin_load_built_ins(status));
    const char *places = secure_getenv("ORIBI_PLUGIN_PATH");
    while (places && *places) {
        size_t length = strcspn(places, ":");
        if (length > 0) { /* an empty place is not the current folder */
            char *place = oribi_strndup(places, length);
            bool ok = place ? load_place(place, status) : oribi_fail_memory(status);
            oribi_free(place);
            ORIBI_TRY(ok);
        }
        places += length + (places[length] == ':');
    }
    char *folder = oribi__own_find("plugins");
    bool ok = !folder || load_folder(folder, status);
    oribi_free(folder);
    return ok;
}
