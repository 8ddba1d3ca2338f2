/* SPDX-License-Identifier: Apache-2.0 */
/* Files: mapping, reading, writing, identity, paths. Errors are errno values, 0 is success. */
#ifndef ORIBI_BASE_FILE_H_
#define ORIBI_BASE_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct oribi_file_map {
    const uint8_t *data; /* page aligned; NULL when the file is empty */
    size_t bytes;
    void *priv; /* heap memory that the bytes were read into, or NULL */
} oribi_file_map;

typedef struct oribi_file_id { /* device, inode, size and mtime: one build of one file */
    uint64_t device, inode;
    int64_t bytes, mtime_ns;
} oribi_file_id;

int oribi_file_map_open(const char *path, oribi_file_map *out_map); /* read-only, private */
/* The same bytes in memory of the process: whoever truncates the file later does no harm. Pipes can
 * be read, too. EFBIG: more than max_bytes; ESTALE: the file changed its size meanwhile. */
int oribi_file_map_read(const char *path, uint64_t max_bytes, oribi_file_map *out_map);
/* Zeros that can be read only; they take address space and no memory. bytes > 0. */
int oribi_file_map_zeros(size_t bytes, oribi_file_map *out_map);
void oribi_file_map_close(oribi_file_map *map);
/* Tells the system that pages of the range are not needed soon; they stay readable. */
void oribi_file_map_give_back(const oribi_file_map *map, const void *from, size_t bytes);
int oribi_file_read(const char *path, size_t max_bytes, void **out_data, size_t *out_bytes);
/* Writes through a temporary name and renames; EEXIST without `force` when the file exists. */
int oribi_file_write(const char *path, const void *data, size_t bytes, bool force);
int oribi_file_identify(const char *path, oribi_file_id *out_id);
bool oribi_file_exists(const char *path);

/* Joined and newly allocated (oribi_free); NULL: no memory. */
char *oribi_path_join(const char *folder, const char *name);
char *oribi_path_folder(const char *path);     /* "." when there is none */
const char *oribi_path_name(const char *path); /* borrowed tail */
/* Real path with links resolved, newly allocated, or NULL with errno. */
char *oribi_path_real(const char *path);

#endif
