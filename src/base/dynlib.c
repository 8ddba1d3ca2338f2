/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic libraries with dlopen. The handle is the system's own. */
#include "base/dynlib.h"

#include <dlfcn.h>
#include <string.h>

oribi_dynlib *oribi_dynlib_open(const char *path, unsigned flags, oribi_text *error)
{
    int mode = RTLD_NOW | ((flags & ORIBI_DYNLIB_GLOBAL) != 0 ? RTLD_GLOBAL : RTLD_LOCAL) |
               ((flags & ORIBI_DYNLIB_NOLOAD) != 0 ? RTLD_NOLOAD : 0) |
               ((flags & ORIBI_DYNLIB_KEEP) != 0 ? RTLD_NODELETE : 0);
    (void)dlerror(); /* an older message must not be taken for ours */
    void *handle = dlopen(path, mode);
    if (handle == NULL && error != NULL) {
        const char *reason = dlerror();
        oribi_text_append(error, reason != NULL ? reason : "not loaded");
    }
    return handle;
}

void oribi_dynlib_close(oribi_dynlib *library)
{
    if (library != NULL) {
        (void)dlclose(library);
    }
}

void *oribi_dynlib_find(oribi_dynlib *library, const char *name)
{
    return dlsym(library, name);
}

oribi_dynlib_function oribi_dynlib_find_function(oribi_dynlib *library, const char *name)
{
    /* ISO C has no cast from an object pointer to a function pointer; POSIX makes them alike. */
    void *found = dlsym(library, name);
    oribi_dynlib_function function = NULL;
    _Static_assert(sizeof(function) == sizeof(found), "pointers of one size");
    memcpy(&function, &found, sizeof(function));
    return function;
}
