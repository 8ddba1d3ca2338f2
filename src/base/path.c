/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as text, declared in file.h. Not here: anything that opens a file (file.c). */
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#ifdef _WIN32
static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static bool is_absolute(const char *path)
{
    return is_slash(path[0]) || (path[0] != '\0' && path[1] == ':');
}
#else
static bool is_slash(char c)
{
    return c == '/';
}

static bool is_absolute(const char *path)
{
    return is_slash(path[0]);
}
#endif

static const char *last_slash(const char *path)
{
    const char *found = NULL;
    for (; *path != '\0'; path++) {
        found = is_slash(*path) ? path : found;
    }
    return found;
}

char *oribi_path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder), bytes = 0;
    if (length == 0 || is_absolute(name)) {
        return oribi_strdup(name);
    }
    bool slash = is_slash(folder[length - 1]);
    if (!oribi_size_add(length + 2, strlen(name), &bytes)) {
        return NULL;
    }
    char *joined = oribi_alloc(bytes);
    if (joined != NULL) {
        memcpy(joined, folder, length);
        joined[length] = '/';
        strcpy(joined + length + (slash ? 0 : 1), name);
    }
    return joined;
}

char *oribi_path_folder(const char *path)
{
    const char *slash = last_slash(path);
    if (slash == NULL) {
        return oribi_strdup(".");
    }
    while (slash > path && is_slash(slash[-1])) {
        slash--;
    }
    return slash == path ? oribi_strdup("/") : oribi_strndup(path, (size_t)(slash - path));
}

const char *oribi_path_name(const char *path)
{
    const char *slash = last_slash(path);
    return slash == NULL ? path : slash + 1;
}

#ifndef _WIN32 /* windows/file_windows.c */
char *oribi_path_real(const char *path)
{
    char resolved[PATH_MAX];
    if (realpath(path, resolved) == NULL) {
        return NULL;
    }
    char *copy = oribi_strdup(resolved);
    if (copy == NULL) {
        errno = ENOMEM;
    }
    return copy;
}
#endif
