/* SPDX-License-Identifier: Apache-2.0 */
/* Folders by POSIX, of which MinGW has as much. Not here: files and paths (file.c, path.c). */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(oribi_folder_list *list, size_t *capacity, const char *name)
{
    if (list->n_names == *capacity) {
        size_t more = *capacity ? *capacity * 2 : 16;
        char **grown = oribi_realloc_array(list->names, more, sizeof(*grown));
        if (!grown) {
            return ENOMEM;
        }
        list->names = grown;
        *capacity = more;
    }
    char *copy = oribi_strdup(name);
    if (!copy) {
        return ENOMEM;
    }
    list->names[list->n_names++] = copy;
    return 0;
}

int oribi_folder_read(const char *path, oribi_folder_list *out_list)
{
    oribi_folder_list list = {NULL, 0};
    size_t capacity = 0;
    int error = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        return errno;
    }
    while (error == 0) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry) {
            error = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            error = add_name(&list, &capacity, entry->d_name);
        }
    }
    (void)closedir(folder);
    if (error != 0) {
        oribi_folder_list_destroy(&list);
        return error;
    }
    if (list.n_names > 1) {
        qsort(list.names, list.n_names, sizeof(*list.names), compare_names);
    }
    *out_list = list;
    return 0;
}

void oribi_folder_list_destroy(oribi_folder_list *list)
{
    if (list == NULL) {
        return;
    }
    for (size_t i = 0; i < list->n_names; i++) {
        oribi_free(list->names[i]);
    }
    oribi_free(list->names);
    *list = (oribi_folder_list){NULL, 0};
}

static int make_one(const char *path)
{
#ifdef _WIN32
    const int failed = mkdir(path);
#else
    const int failed = mkdir(path, 0700);
#endif
    return failed == 0 || errno == EEXIST ? 0 : errno;
}

int oribi_folder_make(const char *path)
{
    char *part = oribi_strdup(path);
    int error = part ? 0 : ENOMEM;
    for (size_t i = 1; error == 0; i++) {
        if (part[i - 1] == '\0') {
            break;
        }
        if (part[i] == '/' || part[i] == '\0') {
            char cut = part[i];
            part[i] = '\0';
            error = make_one(part);
            part[i] = cut;
        }
    }
    oribi_free(part);
    return error;
}
