/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic libraries on Windows, whose names belong to the library that has them: GLOBAL says
 * nothing there. */
#include "base/dynlib.h"

#include <string.h>
#include <windows.h>

#include "base/alloc.h"
#include "base/windows/windows_text.h"

static HMODULE open_wide(const wchar_t *path, unsigned flags)
{
    HMODULE module = NULL;
    if (path == NULL || (flags & ORIBI_DYNLIB_NOLOAD) != 0) {
        (void)GetModuleHandleExW(0, path, &module);
    } else {
        module = LoadLibraryExW(path, NULL, 0);
    }
    if (module != NULL && (flags & ORIBI_DYNLIB_KEEP) != 0) {
        HMODULE same = NULL;
        (void)GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN |
                                     GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                                 (const wchar_t *)(const void *)module, &same);
    }
    return module;
}

oribi_dynlib *oribi_dynlib_open(const char *path, unsigned flags, oribi_text *error)
{
    wchar_t *wide = path != NULL ? oribi_windows_wide(path) : NULL;
    HMODULE module = path == NULL || wide != NULL ? open_wide(wide, flags) : NULL;
    if (module == NULL && error != NULL) {
        oribi_text_printf(error, "%s: not loaded: error %lu of Windows",
                          path != NULL ? path : "the program", GetLastError());
    }
    oribi_free(wide);
    return (oribi_dynlib *)module;
}

void oribi_dynlib_close(oribi_dynlib *library)
{
    if (library != NULL) {
        (void)FreeLibrary((HMODULE)library);
    }
}

oribi_dynlib_function oribi_dynlib_find_function(oribi_dynlib *library, const char *name)
{
    const FARPROC found = GetProcAddress((HMODULE)library, name);
    oribi_dynlib_function function = NULL;
    _Static_assert(sizeof(function) == sizeof(found), "pointers of one size");
    memcpy(&function, &found, sizeof(function));
    return function;
}

void *oribi_dynlib_find(oribi_dynlib *library, const char *name)
{
    const oribi_dynlib_function found = oribi_dynlib_find_function(library, name);
    void *address = NULL;
    memcpy(&address, &found, sizeof(address));
    return address;
}
