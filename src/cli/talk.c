/* SPDX-License-Identifier: Apache-2.0 */
/* Talk: errors, notes and progress on stderr; exit codes; memory; files in. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "format/utf8.h"

/* Without memory, too: then as it is. One write, so that lines of processes do not mix. */
static void talk(FILE *to, const char *before, const char *format, va_list args, const char *after)
{
    oribi_text raw = {0}, shown = {0};
    va_list again;

    va_copy(again, args);
    oribi_text_vprintf(&raw, format, args);
    oribi_text_append(&shown, before);
    oribi_utf8_show(&shown, oribi_text_string(&raw), raw.length);
    oribi_text_append(&shown, after);
    if (raw.failed || shown.failed) {
        fputs(before, to);
        vfprintf(to, format, again);
        fputs(after, to);
    } else {
        fwrite(shown.data, 1, shown.length, to);
    }
    va_end(again);
    oribi_text_destroy(&raw);
    oribi_text_destroy(&shown);
}

static char last_message[1000];
static int last_code; /* TF_Code */

int cli_last_error(const char **message)
{
    *message = last_message;
    return last_code;
}

void cli_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(last_message, sizeof last_message, format, args);
    va_end(args);
    last_code = 0;
    va_start(args, format);
    talk(stderr, "oribi: ", format, args, "\n");
    va_end(args);
}

void cli_note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    talk(stderr, "", format, args, "\n");
    va_end(args);
}

void cli_print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    talk(stdout, "", format, args, "");
    va_end(args);
}

void cli_log(void *arg, int level, const char *message)
{
    (void)arg;
    if (level > 0) {
        cli_error("%s: %s", level > 1 ? "error" : "warning", message);
    }
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
    last_code = (int)TF_GetCode(status);
    return exit_code(status);
}

int cli_fail_plugin(const TF_Status *status)
{
    (void)cli_fail(status);
    return TF_GetCode(status) == TF_RESOURCE_EXHAUSTED ? CLI_LIMIT : CLI_PLUGIN;
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

_Noreturn void cli_no_memory(size_t bytes)
{
    cli_error("out of memory (%zu bytes)", bytes);
    cli_tell_code(CLI_LIMIT, false);
    exit(CLI_LIMIT);
}

void *cli_alloc(size_t bytes)
{
    void *block = calloc(1, bytes == 0 ? 1 : bytes);

    if (block == NULL) {
        cli_no_memory(bytes);
    }
    return block;
}

void *cli_grow(void *block, size_t count, size_t size)
{
    size_t bytes;
    bool fits = !__builtin_mul_overflow(count, size, &bytes) && bytes < PTRDIFF_MAX;
    void *grown = fits ? realloc(block, bytes + 1) : NULL;

    if (grown == NULL) {
        cli_no_memory(fits ? bytes : SIZE_MAX);
    }
    return grown;
}

TF_Buffer *cli_buffer(void)
{
    TF_Buffer *buffer = TF_NewBuffer();

    if (buffer == NULL) {
        cli_no_memory(sizeof *buffer);
    }
    return buffer;
}

bool cli_ends_with(const char *text, const char *tail)
{
    const size_t a = strlen(text), b = strlen(tail);
    return a >= b && strcmp(text + a - b, tail) == 0;
}

uint32_t cli_little(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint32_t)at[i] << 8 * i;
    }
    return value;
}

char *cli_copy_text(const char *text, size_t length)
{
    char *copy = cli_alloc(length + 1);

    memcpy(copy, text, length);
    return copy;
}

char *cli_path_in(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = cli_alloc(size);

    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* Reads on to the end; room for one byte more stays. NULL after a message. */
static uint8_t *read_on(int fd, const char *path, size_t expected, size_t most, size_t *out_bytes)
{
    size_t used = 0, room = 0;
    uint8_t *data = NULL;
    ssize_t got;

    do {
        if (used > most) {
            cli_error("%s: more than %zu bytes, which no file of that kind has", path, most);
            free(data);
            return NULL;
        }
        if (room - used < 2) {
            size_t more = used == 0 ? expected + 2 : room;
            if (!cli_budget_take(path, more)) {
                free(data);
                return NULL;
            }
            room += more;
            data = cli_grow(data, room, 1);
        }
        got = read(fd, data + used, room - used - 1);
        used += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EINTR));
    if (got < 0) {
        cli_error("%s: %s", path, strerror(errno));
        free(data);
        return NULL;
    }
    data[used] = 0;
    *out_bytes = used;
    return data;
}

static uint8_t *read_file(const char *path, size_t most, size_t *out_bytes)
{
    struct stat info;
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0) {
        cli_error("%s: %s", path[0] != 0 ? path : "no file is named", strerror(errno));
        return NULL;
    }
    const bool is_sized =
        S_ISREG(info.st_mode) && info.st_size > 0 && (uint64_t)info.st_size < most;
    uint8_t *data = read_on(fd, path, is_sized ? (size_t)info.st_size : 131072, most, out_bytes);
    if (!is_stdin) {
        close(fd);
    }
    return data;
}

uint8_t *cli_read_file(const char *path, size_t *out_bytes)
{
    return read_file(path, SIZE_MAX, out_bytes);
}

char *cli_read_text(const char *path, size_t *out_bytes)
{
    enum { MOST_TEXT = 1 << 24 };
    return (char *)read_file(path, MOST_TEXT, out_bytes);
}
