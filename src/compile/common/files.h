/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory: what comes out of a compilation. */
#ifndef ORIBI_COMPILE_COMMON_FILES_H_
#define ORIBI_COMPILE_COMMON_FILES_H_

#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "tensorflow/c/tf_status.h"

typedef struct oribi_file {
    const char *name; /* below the folder, "micro/conv2d_s8.c" */
    char *data;
    size_t bytes;
} oribi_file;

typedef struct oribi_files {
    oribi_arena arena; /* of names, and of what is needed until all is written */
    oribi_file *items;
    int32_t n, capacity;
} oribi_files;

/* Adds a file of that name and takes over the text, also when it fails. */
bool oribi_files_add(oribi_files *files, oribi_text *text, TF_Status *status, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
void oribi_files_drop(oribi_files *files);

#endif
