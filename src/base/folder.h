/* SPDX-License-Identifier: Apache-2.0 */
/* Folders: names in one, making one. Errors are errno values, 0 is success. */
#ifndef ORIBI_BASE_FOLDER_H_
#define ORIBI_BASE_FOLDER_H_

#include <stddef.h>

typedef struct oribi_folder_list {
    char **names; /* without "." and "..", sorted by byte value */
    size_t n_names;
} oribi_folder_list;

int oribi_folder_read(const char *path, oribi_folder_list *out_list);
void oribi_folder_list_destroy(oribi_folder_list *list);
/* With parents, for this user alone (mode 0700); one that exists is fine. */
int oribi_folder_make(const char *path);

#endif
