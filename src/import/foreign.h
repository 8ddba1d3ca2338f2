/* SPDX-License-Identifier: Apache-2.0 */
/* Which format that no importer reads do these bytes have? */
#ifndef ORIBI_IMPORT_FOREIGN_H_
#define ORIBI_IMPORT_FOREIGN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct oribi_foreign {
    const char *what; /* "a Keras model (.keras)" */
    const char *todo; /* how it becomes one that is read: one command, or a sentence */
} oribi_foreign;

/* NULL: none that is known. The bytes are looked at and never trusted. */
const oribi_foreign *oribi_foreign_find(const uint8_t *data, size_t bytes);
/* The same of a folder, by the names of files in it; path is the folder's. */
const oribi_foreign *oribi_foreign_find_folder(const char *path);

#endif
