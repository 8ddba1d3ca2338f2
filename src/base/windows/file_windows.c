/* SPDX-License-Identifier: Apache-2.0 */
/* Files on Windows: file.h, and the real path. */
#include "base/file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/alloc.h"
#include "base/windows/windows_text.h"

enum { READ_ALIGNMENT = 64, PIECE = 1 << 20 };

static int last_error(void)
{
    return oribi_windows_errno(GetLastError());
}

static bool is_folder(const wchar_t *path)
{
    const DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

/* Opens for reading; *out_bytes is -1 where the file has no size: a pipe, a console. */
static int open_for_read(const char *path, HANDLE *out_file, int64_t *out_bytes)
{
    wchar_t *wide = oribi_windows_wide(path);
    if (wide == NULL) {
        return ENOENT;
    }
    const bool folder = is_folder(wide);
    HANDLE file = folder ? INVALID_HANDLE_VALUE
                         : CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                       NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    int error = folder ? EISDIR : file == INVALID_HANDLE_VALUE ? last_error() : 0;
    LARGE_INTEGER size = {.QuadPart = -1};
    if (error == 0 && GetFileType(file) == FILE_TYPE_DISK && !GetFileSizeEx(file, &size)) {
        error = last_error();
        (void)CloseHandle(file);
    }
    oribi_free(wide);
    *out_file = file;
    *out_bytes = size.QuadPart;
    return error;
}

int oribi_file_map_open(const char *path, oribi_file_map *out_map)
{
    HANDLE file;
    int64_t bytes;
    int error = open_for_read(path, &file, &bytes);
    if (error != 0) {
        return error;
    }
    if (bytes < 0) {
        error = ESPIPE;
    } else if (bytes == 0) {
        *out_map = (oribi_file_map){0};
    } else {
        HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
        const void *data =
            mapping != NULL ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, (size_t)bytes) : NULL;
        error = data == NULL ? last_error() : 0;
        if (mapping != NULL) {
            (void)CloseHandle(mapping); /* the view keeps it */
        }
        if (error == 0) {
            *out_map = (oribi_file_map){.data = data, .bytes = (size_t)bytes};
        }
    }
    (void)CloseHandle(file);
    return error;
}

int oribi_file_map_zeros(size_t bytes, oribi_file_map *out_map)
{
    const void *data = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY);
    if (data == NULL) {
        return last_error();
    }
    *out_map = (oribi_file_map){.data = data, .bytes = bytes};
    return 0;
}

void oribi_file_map_close(oribi_file_map *map)
{
    if (map == NULL) {
        return;
    }
    void *data = (void *)(uintptr_t)map->data;
    if (map->priv != NULL) {
        oribi_free(map->priv);
    } else if (data != NULL && !UnmapViewOfFile(data)) { /* zeros are no view */
        (void)VirtualFree(data, 0, MEM_RELEASE);
    }
    *map = (oribi_file_map){0};
}

void oribi_file_map_give_back(const oribi_file_map *map, const void *from, size_t bytes)
{
    /* Unlocking pages that are not locked takes them out of the working set. The system does so by
     * itself when memory is short; whole pages alone are at stake, and all of them stay readable.
     */
    const uintptr_t start = (uintptr_t)from, low = (uintptr_t)map->data;
    if (map->data != NULL && map->priv == NULL && start >= low && start - low <= map->bytes &&
        bytes > 0 && bytes <= map->bytes - (start - low)) {
        (void)VirtualUnlock((void *)start, bytes);
    }
}

/* To the end, or to one byte more than max_bytes; a NUL follows. */
static int read_all(HANDLE file, size_t max_bytes, size_t guess, uint8_t **out, size_t *out_bytes)
{
    size_t used = 0, room = (guess < max_bytes ? guess : max_bytes) + 2;
    uint8_t *data = oribi_alloc_aligned(room, READ_ALIGNMENT);
    int error = data == NULL ? ENOMEM : 0;
    while (error == 0 && used <= max_bytes) {
        if (room - used < 2) {
            const size_t larger = room > max_bytes / 2 ? max_bytes + 2 : 2 * room;
            uint8_t *grown = oribi_alloc_aligned(larger, READ_ALIGNMENT);
            if (grown == NULL) {
                error = ENOMEM;
                break;
            }
            memcpy(grown, data, used);
            oribi_free(data);
            data = grown;
            room = larger;
        }
        DWORD n = 0;
        const size_t wanted = room - used - 1;
        const BOOL good =
            ReadFile(file, data + used, (DWORD)(wanted < PIECE ? wanted : PIECE), &n, NULL);
        used += n;
        if (!good && GetLastError() != ERROR_BROKEN_PIPE) {
            error = last_error();
        }
        if (!good || n == 0) {
            break;
        }
    }
    error = error == 0 && used > max_bytes ? EFBIG : error;
    if (error != 0) {
        oribi_free(data);
        return error;
    }
    data[used] = 0;
    *out = data;
    *out_bytes = used;
    return 0;
}

static int read_path(const char *path, uint64_t max_bytes, uint8_t **out, size_t *out_bytes)
{
    HANDLE file;
    int64_t bytes;
    const uint64_t most = max_bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : max_bytes;
    int error = open_for_read(path, &file, &bytes);
    if (error != 0) {
        return error;
    }
    error = bytes > 0 && (uint64_t)bytes > most ? EFBIG : 0;
    if (error == 0) {
        error = read_all(file, (size_t)most, bytes < 0 ? 4096 : (size_t)bytes, out, out_bytes);
    }
    (void)CloseHandle(file);
    if (error == 0 && bytes >= 0 && *out_bytes != (uint64_t)bytes) {
        oribi_free(*out);
        error = EIO; /* it changed its size meanwhile; there is no ESTALE */
    }
    return error;
}

int oribi_file_map_read(const char *path, uint64_t max_bytes, oribi_file_map *out_map)
{
    uint8_t *data;
    size_t bytes;
    const int error = read_path(path, max_bytes, &data, &bytes);
    if (error == 0) {
        *out_map = (oribi_file_map){.data = bytes > 0 ? data : NULL, .bytes = bytes, .priv = data};
    }
    return error;
}

int oribi_file_read(const char *path, size_t max_bytes, void **out_data, size_t *out_bytes)
{
    uint8_t *data;
    const int error = read_path(path, max_bytes, &data, out_bytes);
    if (error == 0) {
        *out_data = data;
    }
    return error;
}

static int write_all(HANDLE file, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        DWORD n = 0;
        if (!WriteFile(file, data, (DWORD)(bytes < PIECE ? bytes : PIECE), &n, NULL)) {
            return last_error();
        }
        data += n;
        bytes -= n;
    }
    return 0;
}

/* A new file under a name of its own, which then takes the final one. */
static int write_renamed(const wchar_t *path, const void *data, size_t bytes, bool force)
{
    static atomic_uint counter;
    const size_t room = wcslen(path) + 40;
    wchar_t *temporary = oribi_alloc_array(room, sizeof *temporary);
    if (temporary == NULL) {
        return ENOMEM;
    }
    (void)swprintf(temporary, room, L"%ls.tmp.%lu.%u", path, GetCurrentProcessId(),
                   atomic_fetch_add(&counter, 1));
    HANDLE file =
        CreateFileW(temporary, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    int error = file == INVALID_HANDLE_VALUE ? last_error() : write_all(file, data, bytes);
    if (file != INVALID_HANDLE_VALUE && !CloseHandle(file) && error == 0) {
        error = last_error();
    }
    if (error == 0 && !MoveFileExW(temporary, path, force ? MOVEFILE_REPLACE_EXISTING : 0)) {
        error = last_error();
    }
    if (error != 0 && file != INVALID_HANDLE_VALUE) {
        (void)DeleteFileW(temporary);
    }
    oribi_free(temporary);
    return error;
}

int oribi_file_write(const char *path, const void *data, size_t bytes, bool force)
{
    wchar_t *wide = oribi_windows_wide(path);
    if (wide == NULL) {
        return ENOENT;
    }
    const bool is_there = GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
    const int error = is_folder(wide)      ? EISDIR
                      : is_there && !force ? EEXIST
                                           : write_renamed(wide, data, bytes, force);
    oribi_free(wide);
    return error;
}

int oribi_file_identify(const char *path, oribi_file_id *out_id)
{
    HANDLE file;
    int64_t bytes;
    BY_HANDLE_FILE_INFORMATION info;
    int error = open_for_read(path, &file, &bytes);
    if (error != 0) {
        return error;
    }
    error = GetFileInformationByHandle(file, &info) ? 0 : last_error();
    (void)CloseHandle(file);
    if (error == 0) {
        const uint64_t ticks = (uint64_t)info.ftLastWriteTime.dwHighDateTime << 32 |
                               info.ftLastWriteTime.dwLowDateTime; /* of 100 ns, since 1601 */
        *out_id = (oribi_file_id){
            .device = info.dwVolumeSerialNumber,
            .inode = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
            .bytes = bytes,
            .mtime_ns = ((int64_t)ticks - 116444736000000000) * 100,
        };
    }
    return error;
}

bool oribi_file_exists(const char *path)
{
    wchar_t *wide = oribi_windows_wide(path);
    const bool found = wide != NULL && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
    oribi_free(wide);
    return found;
}

char *oribi_path_real(const char *path)
{
    wchar_t *wide = oribi_windows_wide(path), full[32768];
    const DWORD n = wide != NULL && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES
                        ? GetFullPathNameW(wide, sizeof full / sizeof full[0], full, NULL)
                        : 0;
    char *real = n > 0 && n < sizeof full / sizeof full[0] ? oribi_windows_narrow(full) : NULL;
    errno = real == NULL ? (wide == NULL ? ENOMEM : ENOENT) : errno;
    oribi_free(wide);
    return real;
}
