/* SPDX-License-Identifier: Apache-2.0 */
/* Files on POSIX. Not here: which paths a model may name (import), directories (plugin). */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

enum { READ_ALIGNMENT = 64, NO_REPLACE = 1 };

/* Opens for reading; a FIFO does not block the open. */
static int open_for_read(const char *path, int *out_fd, struct stat *out_stat)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno;
    }
    int error = fstat(fd, out_stat) != 0 ? errno : S_ISDIR(out_stat->st_mode) ? EISDIR : 0;
    if (error != 0) {
        (void)close(fd);
        return error;
    }
    *out_fd = fd;
    return 0;
}

int oribi_file_map_open(const char *path, oribi_file_map *out_map)
{
    struct stat st;
    int fd = -1;
    int error = open_for_read(path, &fd, &st);
    if (error != 0) {
        return error;
    }
    if (!S_ISREG(st.st_mode)) { /* cannot be mapped: pipe, terminal, device */
        error = ESPIPE;
    } else if ((uint64_t)st.st_size > SIZE_MAX) {
        error = EFBIG;
    } else if (st.st_size == 0) {
        *out_map = (oribi_file_map){0};
    } else {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            error = errno;
        } else {
            /* A huge page would bring 2 MiB of a model in for one header, and keep them. A system
             * without huge pages refuses; so much the better. */
            (void)madvise(data, (size_t)st.st_size, MADV_NOHUGEPAGE);
            *out_map = (oribi_file_map){.data = data, .bytes = (size_t)st.st_size};
        }
    }
    (void)close(fd);
    return error;
}

int oribi_file_map_zeros(size_t bytes, oribi_file_map *out_map)
{
    void *data = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) {
        return errno;
    }
    *out_map = (oribi_file_map){.data = data, .bytes = bytes};
    return 0;
}

void oribi_file_map_close(oribi_file_map *map)
{
    if (map == NULL) {
        return;
    }
    if (map->priv != NULL) {
        oribi_free(map->priv);
    } else if (map->data != NULL) {
        (void)munmap((void *)(uintptr_t)map->data, map->bytes);
    }
    *map = (oribi_file_map){0};
}

void oribi_file_map_give_back(const oribi_file_map *map, const void *from, size_t bytes)
{
    uintptr_t start = (uintptr_t)from, low = (uintptr_t)map->data, high = low + map->bytes;
    if (map->data == NULL || map->priv != NULL || start < low || start > high ||
        bytes > high - start) {
        return;
    }
    /* Whole pages inside the range only: the neighbours of its ends may be in use. The last page of
     * the file counts as whole. */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), end = start - low + bytes;
    size_t first = 0, last = end - end % page;
    if (!oribi_size_round_up(start - low, page, &first) ||
        (start + bytes == high && !oribi_size_round_up(end, page, &last))) {
        return;
    }
    if (last > first) {
        (void)madvise((void *)(low + first), last - first, MADV_DONTNEED);
    }
}

static int read_all(int fd, size_t max_bytes, size_t guess, char **data, size_t *bytes)
{
    size_t used = 0, capacity = guess < max_bytes ? guess + 1 : max_bytes + 1;
    char *buffer = oribi_alloc(capacity);
    int error = buffer == NULL ? ENOMEM : 0;
    while (error == 0) {
        if (used == capacity) { /* one byte is kept for the NUL and to see the file's end */
            size_t larger = capacity > max_bytes / 2 ? max_bytes + 1 : capacity * 2;
            char *grown = used > max_bytes ? NULL : oribi_realloc_array(buffer, larger, 1);
            if (grown == NULL) {
                error = used > max_bytes ? EFBIG : ENOMEM;
                break;
            }
            buffer = grown;
            capacity = larger;
        }
        ssize_t n = read(fd, buffer + used, capacity - used);
        if (n == 0) {
            break;
        }
        if (n > 0) {
            used += (size_t)n;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (error != 0) {
        oribi_free(buffer);
        return error;
    }
    buffer[used] = '\0';
    *data = buffer;
    *bytes = used;
    return 0;
}

/* A regular file of that size, into memory as well aligned as a mapping is for tensors. */
static int read_exactly(int fd, size_t bytes, oribi_file_map *out_map)
{
    uint8_t *data = oribi_alloc_aligned(bytes + 1, READ_ALIGNMENT);
    size_t used = 0;
    int error = data == NULL ? ENOMEM : 0;
    while (error == 0 && used <= bytes) { /* one byte more, to see that nothing follows */
        ssize_t n = read(fd, data + used, bytes + 1 - used);
        if (n == 0) {
            break;
        }
        used += n > 0 ? (size_t)n : 0;
        error = n < 0 && errno != EINTR ? errno : 0;
    }
    error = error == 0 && used != bytes ? ESTALE : error;
    if (error != 0) {
        oribi_free(data);
        return error;
    }
    *out_map = (oribi_file_map){.data = bytes > 0 ? data : NULL, .bytes = bytes, .priv = data};
    return 0;
}

static int read_pipe(int fd, size_t max_bytes, oribi_file_map *out_map)
{
    char *data = NULL;
    size_t bytes = 0;
    int error = fcntl(fd, F_SETFL, 0) != 0 ? errno : 0; /* read() waits for the writer again */
    error = error == 0 ? read_all(fd, max_bytes, 4096, &data, &bytes) : error;
    if (error == 0) {
        *out_map = (oribi_file_map){
            .data = bytes > 0 ? (const uint8_t *)data : NULL, .bytes = bytes, .priv = data};
    }
    return error;
}

int oribi_file_map_read(const char *path, uint64_t max_bytes, oribi_file_map *out_map)
{
    struct stat st;
    int fd = -1;
    int error = open_for_read(path, &fd, &st);
    if (error != 0) {
        return error;
    }
    max_bytes = max_bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : max_bytes;
    if (!S_ISREG(st.st_mode)) {
        error = read_pipe(fd, (size_t)max_bytes, out_map);
    } else if ((uint64_t)st.st_size > max_bytes) {
        error = EFBIG;
    } else {
        error = read_exactly(fd, (size_t)st.st_size, out_map);
    }
    (void)close(fd);
    return error;
}

int oribi_file_read(const char *path, size_t max_bytes, void **out_data, size_t *out_bytes)
{
    struct stat st;
    int fd = -1;
    int error = open_for_read(path, &fd, &st);
    if (error != 0) {
        return error;
    }
    max_bytes = max_bytes > SIZE_MAX - 2 ? SIZE_MAX - 2 : max_bytes;
    size_t guess = 4096;
    if (S_ISREG(st.st_mode)) {
        error = (uint64_t)st.st_size > max_bytes ? EFBIG : 0;
        guess = (size_t)st.st_size;
    } else { /* read() waits for the writer again */
        error = fcntl(fd, F_SETFL, 0) != 0 ? errno : 0;
    }
    char *data = NULL;
    size_t bytes = 0;
    if (error == 0) {
        error = read_all(fd, max_bytes, guess, &data, &bytes);
    }
    (void)close(fd);
    if (error == 0) {
        *out_data = data;
        *out_bytes = bytes;
    }
    return error;
}

static int write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        if (n > 0) {
            data += n;
            bytes -= (size_t)n;
        }
    }
    return 0;
}

/* The temporary takes its final name; without force only where the name is free. */
static int move_into_place(const char *temporary, const char *path, bool force)
{
    if (force) {
        return rename(temporary, path) == 0 ? 0 : errno;
    }
    /* By its number: glibc has the function since 2.28 alone. */
    if (syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, path, NO_REPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return errno;
    }
    if (link(temporary, path) != 0) { /* a file system without RENAME_NOREPLACE */
        return errno;
    }
    (void)unlink(temporary);
    return 0;
}

static int write_renamed(const char *path, const void *data, size_t bytes, bool force, mode_t mode)
{
    static atomic_uint counter;
    size_t room = strlen(path) + 40;
    char *temporary = oribi_alloc(room);
    if (temporary == NULL) {
        return ENOMEM;
    }
    (void)snprintf(temporary, room, "%s.tmp.%ld.%u", path, (long)getpid(),
                   atomic_fetch_add(&counter, 1));
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : write_all(fd, data, bytes);
    if (error == 0 && mode != 0 && fchmod(fd, mode) != 0) {
        error = errno;
    }
    if (fd >= 0 && close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0) {
        error = move_into_place(temporary, path, force);
    }
    if (error != 0 && fd >= 0) {
        (void)unlink(temporary);
    }
    oribi_free(temporary);
    return error;
}

/* Pipes, terminals and devices are written as they are: a rename would replace them by a file. */
static int write_through(const char *path, const void *data, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : write_all(fd, data, bytes);
    if (fd >= 0 && close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

int oribi_file_write(const char *path, const void *data, size_t bytes, bool force)
{
    struct stat st;
    if (lstat(path, &st) != 0) {
        return errno == ENOENT ? write_renamed(path, data, bytes, force, 0) : errno;
    }
    if (stat(path, &st) != 0) { /* a link to nowhere */
        return errno == ENOENT && !force ? EEXIST : errno;
    }
    if (S_ISDIR(st.st_mode)) {
        return EISDIR;
    }
    if (!S_ISREG(st.st_mode)) {
        return write_through(path, data, bytes);
    }
    if (!force) {
        return EEXIST;
    }
    char *real = oribi_path_real(path); /* a link stays a link: its file is replaced */
    if (real == NULL) {
        return errno;
    }
    int error = write_renamed(real, data, bytes, true, st.st_mode & 07777);
    oribi_free(real);
    return error;
}

int oribi_file_identify(const char *path, oribi_file_id *out_id)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return errno;
    }
    *out_id = (oribi_file_id){
        .device = (uint64_t)st.st_dev,
        .inode = (uint64_t)st.st_ino,
        .bytes = (int64_t)st.st_size,
        .mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
    };
    return 0;
}

bool oribi_file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}
