/* SPDX-License-Identifier: Apache-2.0 */
/* A model's bytes, and how they become a graph: the one way in for session and compile. The bytes
 * stay where they are while the file is open; it can be imported as often as one likes.
 */
#ifndef ORIBI_IMPORT_OPEN_H_
#define ORIBI_IMPORT_OPEN_H_

#include "import/import.h"

typedef struct oribi_model_file {
    oribi_source *source; /* one reference; owns data */
    const uint8_t *data;
    size_t bytes;
    char *name;   /* for messages: the path, or what the caller calls the bytes */
    char *folder; /* of external data; NULL: there is none */
    bool is_read; /* into memory, not mapped: others may truncate the file */
} oribi_model_file;

/* Maps the file, or reads it, max_bytes at most. False: status set, nothing is open. */
bool oribi_model_file_open(const char *path, bool is_read, uint64_t max_bytes,
                           oribi_model_file *out, TF_Status *status);
/* The caller's bytes, which stay its own and must outlive all graphs of the file. */
bool oribi_model_file_borrow(const void *data, size_t bytes, const char *name,
                             oribi_model_file *out, TF_Status *status);
/* Another handle of the same bytes. False: no memory, status set. */
bool oribi_model_file_share(const oribi_model_file *file, oribi_model_file *out, TF_Status *status);
/* The options' folder, reads_files and held_bytes are set from the file. NULL: status set. */
oribi_graph *oribi_model_file_import(const oribi_model_file *file, oribi_import_options options,
                                     TF_Status *status);
void oribi_model_file_close(oribi_model_file *file); /* {0} ok; graphs keep the bytes */

#endif
