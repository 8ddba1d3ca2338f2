/* SPDX-License-Identifier: Apache-2.0 */
/* Talk: errors, notes and progress on stderr; exit codes; files. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

void cli_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("oribi: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void cli_note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static int exit_code(const TF_Status *status)
{
    switch (TF_GetCode(status)) {
    case TF_OK:
        return CLI_OK;
    case TF_UNIMPLEMENTED:
        return CLI_UNSUPPORTED;
    case TF_RESOURCE_EXHAUSTED:
    case TF_DEADLINE_EXCEEDED:
        return CLI_LIMIT;
    default:
        return CLI_BAD_INPUT;
    }
}

int cli_fail(const TF_Status *status)
{
    cli_error("%s", TF_Message(status));
    return exit_code(status);
}

void cli_progress(const char *what, int64_t done, int64_t total)
{
    static int drawn = -1;

    if (!isatty(STDERR_FILENO)) {
        return;
    }
    if (total <= 0) {
        if (drawn >= 0) {
            fputs("\r\033[K", stderr);
        }
        drawn = -1;
        return;
    }
    int width = (int)(done * 40 / total);
    if (width == drawn) {
        return;
    }
    drawn = width;
    fprintf(stderr, "\r%s [%.*s%*s] %3d %%", what, width,
            "########################################", 40 - width, "", (int)(done * 100 / total));
    fflush(stderr);
}

void *cli_alloc(size_t bytes)
{
    void *block = calloc(1, bytes == 0 ? 1 : bytes);

    if (block == NULL) {
        cli_error("out of memory (%zu bytes)", bytes);
        exit(CLI_LIMIT);
    }
    return block;
}

void *cli_grow(void *block, size_t count, size_t size)
{
    void *grown = size != 0 && count > SIZE_MAX / size ? NULL : realloc(block, count * size + 1);

    if (grown == NULL) {
        cli_error("out of memory (%zu times %zu bytes)", count, size);
        exit(CLI_LIMIT);
    }
    return grown;
}

uint8_t *cli_read_file(const char *path, size_t *out_bytes)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    uint8_t *data = NULL;
    size_t used = 0, room = 0;

    if (file == NULL) {
        cli_error("%s: %s", path, strerror(errno));
        return NULL;
    }
    for (;;) {
        if (room - used < 65536) {
            room = room * 2 + 131072;
            data = cli_grow(data, room, 1);
        }
        size_t got = fread(data + used, 1, room - used - 1, file);
        used += got;
        if (got == 0) {
            break;
        }
    }
    bool failed = ferror(file) != 0;
    if (file != stdin) {
        fclose(file);
    }
    if (failed) {
        cli_error("%s: cannot be read", path);
        free(data);
        return NULL;
    }
    data[used] = 0;
    *out_bytes = used;
    return data;
}

bool cli_write_file(const char *path, const void *data, size_t bytes, bool force)
{
    struct stat info;

    if (!force && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        cli_error("%s exists; --force overwrites it", path);
        return false;
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    bool written = fwrite(data, 1, bytes, file) == bytes;
    if (fclose(file) != 0 || !written) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}
