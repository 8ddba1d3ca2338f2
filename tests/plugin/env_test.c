/* SPDX-License-Identifier: Apache-2.0 */
/* env.h and logging.h as a plugin uses them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "tensorflow/c/env.h"
#include "tensorflow/c/logging.h"

static char *make_folder(void)
{
    char *folder = strdup("/tmp/oribi-env-XXXXXX");

    assert_non_null(mkdtemp(folder));
    return folder;
}

static void files_are_written_listed_and_deleted(void **state)
{
    TF_Status *status = TF_NewStatus();
    char *folder = make_folder(), path[256];
    TF_WritableFileHandle *file = NULL;
    TF_FileStatistics stats;
    const char *name;
    (void)state;

    for (int i = 2; i > 0; i--) {
        snprintf(path, sizeof path, "%s/%d.txt", folder, i);
        TF_NewWritableFile(path, &file, status);
        assert_int_equal(TF_GetCode(status), TF_OK);
        TF_AppendWritableFile(file, "hello", 5, status);
        TF_FlushWritableFile(file, status);
        TF_FileStat(path, &stats, status);
        assert_int_equal(stats.length, 5);
        TF_SetStatus(status, TF_UNKNOWN, "");
        TF_SyncWritableFile(file, status);
        assert_int_equal(TF_GetCode(status), TF_OK);
        TF_SetStatus(status, TF_UNKNOWN, "");
        TF_CloseWritableFile(file, status);
        assert_int_equal(TF_GetCode(status), TF_OK);
    }
    TF_FileStat(path, &stats, status);
    assert_int_equal(stats.length, 5);
    assert_false(stats.is_directory);
    assert_true(stats.mtime_nsec > 0);

    TF_StringStream *children = TF_GetChildren(folder, status);
    assert_true(TF_StringStreamNext(children, &name));
    assert_string_equal(name, "1.txt");
    assert_true(TF_StringStreamNext(children, &name));
    assert_string_equal(name, "2.txt");
    assert_false(TF_StringStreamNext(children, &name));
    TF_StringStreamDone(children);

    TF_DeleteDir(folder, status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    TF_DeleteFile(path, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    int64_t files, folders;
    TF_DeleteRecursively(folder, &files, &folders, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(files + folders, 0);
    TF_FileStat(folder, &stats, status);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    free(folder);
    TF_DeleteStatus(status);
}

static void recursive_deletion_does_not_follow_links(void **state)
{
    TF_Status *status = TF_NewStatus();
    char *kept = make_folder(), *folder = make_folder(), link[256], inside[256];
    int64_t files, folders;
    TF_FileStatistics stats;
    (void)state;

    snprintf(inside, sizeof inside, "%s/precious", kept);
    TF_CreateDir(inside, status);
    TF_CreateDir(inside, status);
    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(kept, link), 0);

    TF_DeleteRecursively(folder, &files, &folders, status);

    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_FileStat(inside, &stats, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(stats.is_directory);
    TF_DeleteRecursively(kept, &files, &folders, status);
    TF_DeleteRecursively(kept, &files, &folders, status);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_int_equal(folders, 1);
    free(kept);
    free(folder);
    TF_DeleteStatus(status);
}

static void temporary_names_are_new_files_with_the_extension(void **state)
{
    char *name = TF_GetTempFileName("txt");
    struct stat info;
    (void)state;

    assert_non_null(name);
    assert_string_equal(name + strlen(name) - 4, ".txt");
    assert_int_equal(stat(name, &info), 0);
    unlink(name);
    free(name);
}

static void set_flag(void *arg)
{
    *(int *)arg = 7;
}

static void threads_and_libraries_and_clock_work(void **state)
{
    TF_Status *status = TF_NewStatus();
    TF_ThreadOptions options;
    int flag = 0;
    (void)state;

    TF_DefaultThreadOptions(&options);
    assert_int_equal(options.numa_node, -1);
    TF_JoinThread(TF_StartThread(&options, "oribi-test", set_flag, &flag));
    assert_int_equal(flag, 7);
    assert_true(TF_NowNanos() / 1000000000u - (uint64_t)time(NULL) + 1 <= 2);
    assert_true(TF_NowNanos() / 1000000000u - TF_NowSeconds() <= 1);
    const uint64_t micros = TF_NowMicros();
    assert_true(TF_NowNanos() / 1000u - micros <= 60000000u);
    void *library = TF_LoadSharedLibrary("libm.so.6", status);
    assert_non_null(library);
    assert_non_null(TF_GetSymbolFromLibrary(library, "cos", status));
    assert_null(TF_GetSymbolFromLibrary(library, "no_such_symbol", status));
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_null(TF_LoadSharedLibrary("/no/such/library.so", status));
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    TF_DeleteStatus(status);
}

static void the_folders_for_temporary_files_are_folders(void **state)
{
    TF_StringStream *list = TF_GetLocalTempDirectories();
    const char *name = NULL;
    int n = 0;
    (void)state;
    assert_non_null(list);

    while (TF_StringStreamNext(list, &name)) {
        struct stat info;
        assert_int_equal(stat(name, &info), 0);
        assert_true(S_ISDIR(info.st_mode));
        n++;
    }

    assert_true(n > 0);
    TF_StringStreamDone(list);
}

static char last_line[128];
static int last_level;

static void keep_line(void *arg, int level, const char *message)
{
    (void)arg;
    last_level = level;
    snprintf(last_line, sizeof last_line, "%s", message);
}

static void a_fatal_line_is_logged_and_the_process_lives(void **state)
{
    (void)state;
    oribi_log_set_hook(keep_line, NULL);
    TF_Log(TF_FATAL, "lost %d", 3);
    assert_string_equal(last_line, "lost 3");
    assert_int_equal(last_level, ORIBI_LOG_ERROR);
    TF_VLog(9, "hidden");
    setenv("TF_CPP_MAX_VLOG_LEVEL", "9", 1);
    TF_VLog(10, "hidden");
    assert_string_equal(last_line, "lost 3");
    TF_VLog(9, "shown %d", 4);
    assert_string_equal(last_line, "shown 4");
    unsetenv("TF_CPP_MAX_VLOG_LEVEL");
    TF_DVLog(0, "for debug builds of TensorFlow only");
    assert_string_equal(last_line, "shown 4");
    oribi_log_set_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_written_listed_and_deleted),
        cmocka_unit_test(recursive_deletion_does_not_follow_links),
        cmocka_unit_test(temporary_names_are_new_files_with_the_extension),
        cmocka_unit_test(the_folders_for_temporary_files_are_folders),
        cmocka_unit_test(threads_and_libraries_and_clock_work),
        cmocka_unit_test(a_fatal_line_is_logged_and_the_process_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
