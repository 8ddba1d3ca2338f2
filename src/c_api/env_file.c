/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders for plugins (env.h). Time, threads and libraries: env_system.c. */
#include "tensorflow/c/env.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tensor/status.h"

struct TF_WritableFileHandle {
    FILE *file;
    char *name;
};

struct TF_StringStream {
    char **strings;
    size_t count, next;
};

static void set_result(TF_Status *status, bool good, const char *name)
{
    int error = errno;

    if (good) {
        TF_SetStatus(status, TF_OK, "");
    } else {
        TF_SetStatusFromIOError(status, error, name);
    }
}

void TF_CreateDir(const char *dirname, TF_Status *status)
{
    set_result(status, mkdir(dirname, 0777) == 0, dirname);
}

void TF_DeleteDir(const char *dirname, TF_Status *status)
{
    set_result(status, rmdir(dirname) == 0, dirname);
}

void TF_DeleteFile(const char *filename, TF_Status *status)
{
    set_result(status, unlink(filename) == 0, filename);
}

void TF_FileStat(const char *filename, TF_FileStatistics *stats, TF_Status *status)
{
    struct stat info;
    bool good = stat(filename, &info) == 0;

    set_result(status, good, filename);
    if (good) {
        stats->length = info.st_size;
        stats->mtime_nsec = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
        stats->is_directory = S_ISDIR(info.st_mode);
    }
}

/* Holds what TF_DeleteRecursively could not delete, and why. */
typedef struct removal {
    int64_t files, folders;
    int error; /* the first one */
} removal;

static void note_failure(removal *r, int64_t *count)
{
    (*count)++;
    if (r->error == 0) {
        r->error = errno;
    }
}

/* Opens each folder relative to its parent and never through a link, so that a link planted
 * meanwhile cannot lead the deletion elsewhere. Deep trees are limited by the open files of the
 * process. */
static void remove_tree(int parent, const char *name, removal *r)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (folder == NULL) {
        note_failure(r, &r->folders);
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode)) {
            remove_tree(fd, entry->d_name, r);
        } else if (unlinkat(fd, entry->d_name, 0) != 0) {
            note_failure(r, &r->files);
        }
    }
    closedir(folder);
    if (unlinkat(parent, name, AT_REMOVEDIR) != 0) {
        note_failure(r, &r->folders);
    }
}

void TF_DeleteRecursively(const char *dirname, int64_t *undeleted_file_count,
                          int64_t *undeleted_dir_count, TF_Status *status)
{
    removal r = {0, 0, 0};

    remove_tree(AT_FDCWD, dirname, &r);
    *undeleted_file_count = r.files;
    *undeleted_dir_count = r.folders;
    errno = r.error;
    set_result(status, r.error == 0, dirname);
}

void TF_NewWritableFile(const char *filename, TF_WritableFileHandle **handle, TF_Status *status)
{
    TF_WritableFileHandle *made = oribi_alloc_zero(1, sizeof *made);

    *handle = NULL;
    if (made != NULL) {
        made->name = oribi_strdup(filename);
    }
    if (made == NULL || made->name == NULL) {
        oribi_fail_memory(status);
        goto failed;
    }
    made->file = fopen(filename, "wbe");
    set_result(status, made->file != NULL, filename);
    if (made->file != NULL) {
        *handle = made;
        return;
    }
failed:
    if (made != NULL) {
        oribi_free(made->name);
    }
    oribi_free(made);
}

void TF_CloseWritableFile(TF_WritableFileHandle *handle, TF_Status *status)
{
    set_result(status, fclose(handle->file) == 0, handle->name);
    oribi_free(handle->name);
    oribi_free(handle);
}

void TF_SyncWritableFile(TF_WritableFileHandle *handle, TF_Status *status)
{
    set_result(status, fflush(handle->file) == 0 && fsync(fileno(handle->file)) == 0, handle->name);
}

void TF_FlushWritableFile(TF_WritableFileHandle *handle, TF_Status *status)
{
    set_result(status, fflush(handle->file) == 0, handle->name);
}

void TF_AppendWritableFile(TF_WritableFileHandle *handle, const char *data, size_t length,
                           TF_Status *status)
{
    set_result(status, fwrite(data, 1, length, handle->file) == length, handle->name);
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes a copy of the string; false: no memory. */
static bool add_string(TF_StringStream *list, const char *string)
{
    char **grown = oribi_realloc_array(list->strings, list->count + 1, sizeof *grown);

    if (grown == NULL) {
        return false;
    }
    list->strings = grown;
    list->strings[list->count] = oribi_strdup(string);
    return list->strings[list->count] != NULL && ++list->count > 0;
}

TF_StringStream *TF_GetChildren(const char *filename, TF_Status *status)
{
    DIR *folder = opendir(filename);
    TF_StringStream *list = NULL;
    struct dirent *entry;
    bool good = folder != NULL;

    set_result(status, good, filename);
    if (!good) {
        return NULL;
    }
    list = oribi_alloc_zero(1, sizeof *list);
    good = list != NULL;
    while (good && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            good = add_string(list, entry->d_name);
        }
    }
    closedir(folder);
    if (!good) {
        TF_StringStreamDone(list);
        oribi_fail_memory(status);
        return NULL;
    }
    if (list->count > 1) {
        qsort(list->strings, list->count, sizeof *list->strings, compare_strings);
    }
    return list;
}

TF_StringStream *TF_GetLocalTempDirectories(void)
{
    const char *const candidates[] = {getenv("TEST_TMPDIR"), getenv("TMPDIR"), getenv("TMP"),
                                      "/tmp"};
    TF_StringStream *list = oribi_alloc_zero(1, sizeof *list);
    struct stat info;

    for (size_t i = 0; list != NULL && i < sizeof candidates / sizeof candidates[0]; i++) {
        if (candidates[i] != NULL && stat(candidates[i], &info) == 0 && S_ISDIR(info.st_mode) &&
            !add_string(list, candidates[i])) {
            TF_StringStreamDone(list);
            return NULL;
        }
    }
    return list;
}

bool TF_StringStreamNext(TF_StringStream *list, const char **result)
{
    if (list == NULL || list->next == list->count) {
        *result = NULL;
        return false;
    }
    *result = list->strings[list->next++];
    return true;
}

void TF_StringStreamDone(TF_StringStream *list)
{
    if (list != NULL) {
        for (size_t i = 0; i < list->count; i++) {
            oribi_free(list->strings[i]);
        }
        oribi_free(list->strings);
        oribi_free(list);
    }
}

/* The caller frees the name with free(), so it lives on the C heap. */
char *TF_GetTempFileName(const char *extension)
{
    TF_StringStream *folders = TF_GetLocalTempDirectories();
    const char *folder;
    char *name = NULL;

    while (name == NULL && TF_StringStreamNext(folders, &folder)) {
        if (asprintf(&name, "%s/oribi-XXXXXX%s%s", folder, extension[0] == '.' ? "" : ".",
                     extension) < 0) { /* C heap */
            name = NULL;
            break;
        }
        int tail = (int)strlen(extension) + (extension[0] == '.' ? 0 : 1);
        int fd = mkstemps(name, tail);
        if (fd < 0) {
            free(name); /* C heap */
            name = NULL;
        } else {
            close(fd);
        }
    }
    TF_StringStreamDone(folders);
    return name;
}
