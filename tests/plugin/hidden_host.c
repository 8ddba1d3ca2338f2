/* SPDX-License-Identifier: Apache-2.0 */
/* hidden_host LIBORIBI PLUGIN [OTHER]: opens the library as Python or Java would, its symbols seen
 * by nobody, then OTHER, and loads the plugin. Prints the failure; exit 1.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/oribi.h"

static void *library;

static void find(const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof(found));
    if (!found) {
        printf("no %s\n", name);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    TF_Status *(*new_status)(void);
    TF_Code (*get_code)(const TF_Status *);
    const char *(*get_message)(const TF_Status *);
    void (*load)(const char *, TF_Status *);
    if (argc < 3) {
        return 2;
    }
    setenv("ORIBI_PLUGIN_CACHE", "0", 1);
    library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    if (!library || (argc > 3 && !dlopen(argv[3], RTLD_NOW | RTLD_LOCAL))) {
        printf("%s\n", dlerror());
        return 2;
    }
    find("TF_NewStatus", (void *)&new_status);
    find("TF_GetCode", (void *)&get_code);
    find("TF_Message", (void *)&get_message);
    find("oribi_plugin_load_file", (void *)&load);
    TF_Status *status = new_status();
    load(argv[2], status);
    if (get_code(status) != TF_OK) {
        printf("%s\n", get_message(status));
        return 1;
    }
    return 0;
}
