/* SPDX-License-Identifier: Apache-2.0 */
/* Opening what a far end works on: sockets, and windows of shared memory. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "far_end.h"

enum { CONNECT_STEPS = 200, CONNECT_STEP_MS = 50 };

/* --- Sockets ---------------------------------------------------------------------------------- */

static bool set_address(const char *path, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof out->sun_path) {
        cli_error("%s: a socket's path has at most %zu bytes", path, sizeof out->sun_path - 1);
        return false;
    }
    strcpy(out->sun_path, path);
    return true;
}

int far_end_listen(const char *path)
{
    struct sockaddr_un address;
    struct stat info;
    if (!set_address(path, &address)) {
        return -1;
    }
    if (stat(path, &info) == 0 && S_ISSOCK(info.st_mode)) {
        (void)unlink(path); /* of a process that is gone */
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 1) != 0) {
        cli_error("%s: %s", path, strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return -1;
    }
    return fd;
}

int far_end_connect(const char *path)
{
    struct sockaddr_un address;
    if (!set_address(path, &address)) {
        return -1;
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int i = 0; fd >= 0 && i < CONNECT_STEPS && !far_end_is_stopped(); i++) {
        if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
            return fd;
        }
        (void)poll(NULL, 0, CONNECT_STEP_MS);
    }
    cli_error("%s: %s", path, strerror(errno));
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}

/* --- Windows ---------------------------------------------------------------------------------- */

/* "123", "0x100", "8M". */
static bool read_size(const char *text, char end, uint64_t *out, const char **out_after)
{
    char *after;
    errno = 0;
    *out = strtoull(text, &after, 0);
    if (after == text || errno != 0) {
        return false;
    }
    const int shift = *after == 'k' ? 10 : *after == 'm' || *after == 'M' ? 20 : 0;
    *out <<= shift;
    after += shift > 0;
    *out_after = after;
    return *out <= UINT32_MAX && (*after == 0 || *after == end);
}

static bool map(far_end *end, const char *path, uint64_t offset, uint64_t bytes)
{
    struct stat info;
    const int fd = open(path, O_RDWR);
    if (fd < 0 || fstat(fd, &info) != 0) {
        cli_error("%s: %s", path, strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    const uint64_t size = (uint64_t)info.st_size;
    bytes = bytes > 0 ? bytes : offset < size ? size - offset : 0;
    if (bytes == 0 || bytes > UINT32_MAX || offset > size || bytes > size - offset ||
        offset % 65536 != 0) {
        cli_error("%s: a window of %llu bytes at %llu does not fit: the file has %llu, and a "
                  "window begins at a multiple of 65536",
                  path, (unsigned long long)bytes, (unsigned long long)offset,
                  (unsigned long long)size);
        (void)close(fd);
        return false;
    }
    void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    (void)close(fd);
    if (memory == MAP_FAILED) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    end->end.window = memory;
    end->end.window_bytes = (uint32_t)bytes;
    return true;
}

bool far_end_map(far_end *end, const char *text)
{
    uint64_t offset = 0, bytes = 0;
    const char *at = strrchr(text, '@'), *after = "";
    const size_t length = at != NULL ? (size_t)(at - text) : strlen(text);
    if (at != NULL && (!read_size(at + 1, ':', &offset, &after) ||
                       (*after == ':' && !read_size(after + 1, 0, &bytes, &after)))) {
        cli_error("'%s': a window is FILE, FILE@OFFSET or FILE@OFFSET:BYTES", text);
        return false;
    }
    char *path = cli_alloc(length + 1);
    memcpy(path, text, length);
    const bool good = map(end, path, offset, bytes);
    free(path);
    return good;
}

void far_end_unmap(far_end *end)
{
    if (end->end.window != NULL) {
        (void)munmap(end->end.window, end->end.window_bytes);
        end->end.window = NULL;
    }
}
