/* SPDX-License-Identifier: Apache-2.0 */
/* How does a file get there whole or not at all? Every file that the command writes is written
 * here: under another name in its folder, to the disk, then renamed. Files of a group are renamed
 * when all of them are written; else they and the folders that were made for them go again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

struct cli_files {
    struct cli_file {
        char *path, *draft; /* draft NULL: written as it is (a pipe, a device) */
    } * files;
    char **folders; /* that were made */
    int n_files, n_folders, code;
    bool force;
};

/* No room is a limit, whatever it is that has none. */
static int code_of(int error)
{
    return error == ENOSPC || error == EDQUOT || error == EFBIG || error == ENOMEM ? CLI_LIMIT
                                                                                   : CLI_BAD_INPUT;
}

static bool fail(cli_files *files, const char *path, int error)
{
    cli_error("%s: %s", path, strerror(error));
    files->code = code_of(error);
    return false;
}

/* Under way: what a command that ends early for want of memory takes away again. */
static cli_files *current;

static void abandon(void)
{
    for (int i = 0; current != NULL && i < current->n_files; i++) {
        if (current->files[i].draft != NULL) {
            (void)unlink(current->files[i].draft);
        }
    }
    for (int i = current == NULL ? 0 : current->n_folders; i > 0; i--) {
        (void)rmdir(current->folders[i - 1]);
    }
}

cli_files *cli_files_begin(bool force)
{
    static bool is_watched;
    cli_files *files = cli_alloc(sizeof *files);

    files->force = force;
    is_watched = is_watched || atexit(abandon) == 0;
    current = files;
    return files;
}

bool cli_files_add_folder(cli_files *files, const char *path)
{
    char *copy = cli_copy_text(path, strlen(path));
    bool good = true;

    for (char *at = copy + strspn(copy, "/"); good && *copy != 0; at++) {
        if (*at != '/' && *at != 0) {
            continue;
        }
        const char end = *at;
        *at = 0;
        char *made = cli_copy_text(copy, strlen(copy));
        files->folders = cli_grow(files->folders, (size_t)files->n_folders + 1, sizeof(char *));
        if (mkdir(copy, 0777) == 0) {
            files->folders[files->n_folders++] = made;
            made = NULL;
        } else if (errno != EEXIST && end == 0) {
            good = fail(files, path, errno);
        }
        free(made);
        *at = end;
        if (end == 0) {
            break;
        }
    }
    free(copy);
    return good;
}

static int write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        data += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* A name of its own beside the file, opened; -1 with errno. */
static int open_draft(struct cli_file *file, mode_t mode)
{
    const char *slash = strrchr(file->path, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - file->path) + 1;
    const size_t room = strlen(file->path) + 48;
    int fd = -1;

    file->draft = cli_alloc(room);
    for (unsigned i = 0; fd < 0 && i < 1000; i++) {
        (void)snprintf(file->draft, room, "%.*s.oribi-%ld-%u", folder, file->path, (long)getpid(),
                       i);
        fd = open(file->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    if (fd < 0) {
        const int error = errno;
        free(file->draft);
        file->draft = NULL;
        errno = error;
    }
    return fd;
}

/* An errno. */
static int write_draft(struct cli_file *file, const void *data, size_t bytes, mode_t mode)
{
    const int fd = open_draft(file, mode);
    int error = fd < 0 ? errno : write_all(fd, data, bytes);

    if (error == 0 && fsync(fd) != 0 && errno != EINVAL) {
        error = errno;
    }
    return fd >= 0 && close(fd) != 0 && error == 0 ? errno : error;
}

/* Pipes, terminals and devices: a rename would replace them by a file. */
static int write_through(const char *path, const void *data, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : write_all(fd, data, bytes);

    return fd >= 0 && close(fd) != 0 && error == 0 ? errno : error;
}

/* Which file that will be, a new one at its end, with the mode of what it replaces; false after a
 * message. */
static bool take_path(cli_files *files, const char *path, mode_t *mode, bool *is_device)
{
    struct stat info;
    char *copy = cli_copy_text(path, strlen(path));

    files->files = cli_grow(files->files, (size_t)files->n_files + 1, sizeof *files->files);
    struct cli_file *file = &files->files[files->n_files++];
    *file = (struct cli_file){copy, NULL};
    *mode = 0666;
    *is_device = false;
    if (stat(path, &info) != 0) { /* a name too long is no file yet, and never will be */
        return (errno == ENOENT && path[0] != 0) || fail(files, path, errno);
    }
    if (!S_ISREG(info.st_mode)) {
        *is_device = true;
        return !S_ISDIR(info.st_mode) || fail(files, path, EISDIR);
    }
    if (!files->force) {
        cli_error("%s exists; --force overwrites it", path);
        files->code = CLI_BAD_INPUT;
        return false;
    }
    *mode = info.st_mode & 0777;
    char *real = realpath(path, NULL); /* a link stays a link: its file is replaced */
    if (real == NULL) {
        return fail(files, path, errno);
    }
    free(file->path);
    file->path = real;
    return true;
}

bool cli_files_add(cli_files *files, const char *path, const void *data, size_t bytes)
{
    mode_t mode;
    bool is_device;

    if (files->code != CLI_OK || !take_path(files, path, &mode, &is_device)) {
        return false;
    }
    const int error = is_device ? write_through(path, data, bytes)
                                : write_draft(&files->files[files->n_files - 1], data, bytes, mode);
    return error == 0 || fail(files, path, error);
}

static void forget(cli_files *files)
{
    current = NULL;
    for (int i = 0; i < files->n_files; i++) {
        free(files->files[i].path);
        free(files->files[i].draft);
    }
    for (int i = 0; i < files->n_folders; i++) {
        free(files->folders[i]);
    }
    free(files->files);
    free(files->folders);
    free(files);
}

int cli_files_end(cli_files *files, int code)
{
    code = code != CLI_OK ? code : files->code;
    for (int i = 0; i < files->n_files && code == CLI_OK; i++) {
        struct cli_file *file = &files->files[i];
        if (file->draft != NULL && rename(file->draft, file->path) != 0) {
            (void)fail(files, file->path, errno);
            code = files->code;
        }
    }
    if (code != CLI_OK) {
        abandon();
    }
    forget(files);
    return code;
}

int cli_write_file(const char *path, const void *data, size_t bytes, bool force)
{
    cli_files *files = cli_files_begin(force);

    (void)cli_files_add(files, path, data, bytes);
    return cli_files_end(files, CLI_OK);
}

/* Only the file system knows what it refuses: it is asked for the draft, which goes again. */
static void try_draft(cli_files *files, const char *path)
{
    mode_t mode;
    bool is_device;

    if (!take_path(files, path, &mode, &is_device)) {
        return;
    }
    if (is_device) { /* opening one may wait for its other end */
        (void)(access(path, W_OK) == 0 || fail(files, path, errno));
        return;
    }
    const int fd = open_draft(&files->files[files->n_files - 1], mode);
    if (fd < 0 || close(fd) != 0) {
        (void)fail(files, path, errno);
    }
}

int cli_check_writable(const char *path, bool force)
{
    cli_files *files = cli_files_begin(force);

    try_draft(files, path);
    const int code = files->code;
    abandon();
    forget(files);
    return code;
}

int cli_check_folder(const char *path)
{
    cli_files *files = cli_files_begin(true);
    char *copy = cli_alloc(strlen(path) + sizeof "/.oribi");

    (void)strcat(strcpy(copy, path), "/.oribi");
    if (path[0] == 0) {
        (void)fail(files, path, ENOENT);
    } else if (cli_files_add_folder(files, path)) {
        try_draft(files, copy);
    }
    const int code = files->code;
    abandon();
    forget(files);
    free(copy);
    return code;
}
