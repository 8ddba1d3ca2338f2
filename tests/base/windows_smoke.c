/* SPDX-License-Identifier: Apache-2.0 */
/* src/base on Windows, each room once: threads, files, folders, child processes, libraries,
 * numbers, maps, the heap. A program of its own, because the tests' frame is not there;
 * windows_test.py compiles it and runs it under Wine.
 *
 *     smoke.exe FOLDER            FOLDER: where files may be written
 *     smoke.exe say|sleep|quote   the children that it starts
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/futex.h"
#include "base/map.h"
#include "base/number.h"
#include "base/process.h"
#include "base/thread.h"

static int n_failed;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("%s:%d: not so: %s\n", __func__, __LINE__, #what);                              \
            n_failed++;                                                                            \
        }                                                                                          \
    } while (0)

/* --- Threads --------------------------------------------------------------------------------- */

static oribi_mutex mutex = ORIBI_MUTEX_INIT;
static oribi_cond cond = ORIBI_COND_INIT;
static oribi_once once = ORIBI_ONCE_INIT;
static int n_done, n_once;
static _Atomic uint32_t word;

static void begin_once(void)
{
    n_once++;
}

static void work(void *arg)
{
    oribi_once_call(&once, begin_once);
    while (atomic_load(&word) == 0) {
        oribi_futex_wait(&word, 0);
    }
    oribi_mutex_lock(&mutex);
    n_done += *(const int *)arg;
    oribi_cond_broadcast(&cond);
    oribi_mutex_unlock(&mutex);
}

static void threads(void)
{
    enum { N = 8 };
    const int each = 3;
    oribi_thread *started[N];
    for (int i = 0; i < N; i++) {
        started[i] = oribi_thread_start(work, (void *)(uintptr_t)&each, "smoke", 0);
        CHECK(started[i] != NULL);
    }
    const uint64_t before = oribi_now_ns();
    oribi_mutex_lock(&mutex);
    CHECK(n_done == 0);
    CHECK(!oribi_cond_wait_until(&cond, &mutex, before + 20000000));
    CHECK(oribi_now_ns() >= before + 20000000);
    atomic_store(&word, 1);
    oribi_futex_wake(&word, N);
    while (n_done < N * each) {
        oribi_cond_wait(&cond, &mutex);
    }
    oribi_mutex_unlock(&mutex);
    for (int i = 0; i < N; i++) {
        oribi_thread_join(started[i]);
    }
    CHECK(n_once == 1);
    CHECK(oribi_processor_count() >= 1);
    CHECK(oribi_memory_limit_bytes() > 1 << 20);
    CHECK(oribi_thread_self() == oribi_thread_self());
}

/* --- Files ----------------------------------------------------------------------------------- */

static void files(const char *folder)
{
    static const char text[] = "a model's bytes\n";
    char *deep = oribi_path_join(folder, "one/zw\xc3\xb6lf"); /* UTF-8 */
    oribi_file_map map;
    oribi_file_id first, second;
    oribi_folder_list list;
    void *data;
    size_t bytes;
    CHECK(oribi_folder_make(folder) == 0);
    char *one = oribi_path_join(folder, "one");
    CHECK(oribi_folder_make(one) == 0);
    CHECK(!oribi_file_exists(deep));
    CHECK(oribi_file_map_open(deep, &map) == ENOENT);
    CHECK(oribi_file_write(deep, text, sizeof text, false) == 0);
    CHECK(oribi_file_exists(deep));
    CHECK(oribi_file_write(deep, "other", 5, false) == EEXIST);
    CHECK(oribi_file_identify(deep, &first) == 0 && first.bytes == (int64_t)sizeof text);

    CHECK(oribi_file_map_open(deep, &map) == 0 && map.bytes == sizeof text &&
          memcmp(map.data, text, sizeof text) == 0);
    oribi_file_map_give_back(&map, map.data, map.bytes);
    CHECK(map.data[0] == 'a');
    oribi_file_map_close(&map);
    CHECK(oribi_file_map_read(deep, 4, &map) == EFBIG);
    CHECK(oribi_file_map_read(deep, 1000, &map) == 0 && map.bytes == sizeof text &&
          (uintptr_t)map.data % 64 == 0);
    oribi_file_map_close(&map);
    CHECK(oribi_file_read(deep, 1000, &data, &bytes) == 0 && bytes == sizeof text);
    oribi_free(data);
    CHECK(oribi_file_map_zeros(1 << 20, &map) == 0 && map.data[(1 << 20) - 1] == 0);
    oribi_file_map_close(&map);

    CHECK(oribi_file_write(deep, "", 0, true) == 0);
    CHECK(oribi_file_map_open(deep, &map) == 0 && map.bytes == 0);
    CHECK(oribi_file_identify(deep, &second) == 0 && second.inode != first.inode);
    CHECK(oribi_file_read(one, 10, &data, &bytes) == EISDIR);
    CHECK(oribi_folder_read(one, &list) == 0 && list.n_names == 1);
    oribi_folder_list_destroy(&list);
    char *real = oribi_path_real(one);
    CHECK(real != NULL && strcmp(oribi_path_name(real), "one") == 0);
    char *up = oribi_path_folder("c:\\models\\m.onnx");
    CHECK(up != NULL && strcmp(up, "c:\\models") == 0);
    CHECK(strcmp(oribi_path_name("models\\m.onnx"), "m.onnx") == 0);
    oribi_free(up);
    oribi_free(real);
    oribi_free(one);
    oribi_free(deep);
}

/* --- Processes and libraries ------------------------------------------------------------------ */

static void processes(const char *self)
{
    const char *say[] = {self, "say", NULL}, *sleep[] = {self, "sleep", NULL};
    const char *quote[] = {self, "quote", "two words", "a\"b\\", "", NULL};
    const char *none[] = {"c:/no/such/program.exe", NULL};
    oribi_process_result r;
    CHECK(oribi_process_run(say, 100, 20000, &r) == 0);
    CHECK(r.exit_code == 7 && !r.timed_out && strncmp(oribi_text_string(&r.out), "out", 3) == 0 &&
          strncmp(oribi_text_string(&r.err), "err", 3) == 0);
    oribi_process_result_destroy(&r);
    CHECK(oribi_process_run(quote, 100, 20000, &r) == 0 && r.exit_code == 0);
    oribi_process_result_destroy(&r);
    CHECK(oribi_process_run(say, 2, 20000, &r) == 0 && r.truncated && r.out.length == 2);
    oribi_process_result_destroy(&r);
    CHECK(oribi_process_run(sleep, 100, 300, &r) == 0 && r.timed_out && r.exit_code == -1);
    oribi_process_result_destroy(&r);
    CHECK(oribi_process_run(none, 100, 1000, &r) == ENOENT);
}

static void libraries(void)
{
    oribi_text error = {0};
    oribi_dynlib *library = oribi_dynlib_open("kernel32.dll", ORIBI_DYNLIB_LOCAL, &error);
    CHECK(library != NULL);
    CHECK(oribi_dynlib_find_function(library, "GetTickCount") != NULL);
    CHECK(oribi_dynlib_find(library, "no_such_function") == NULL);
    oribi_dynlib_close(library);
    CHECK(oribi_dynlib_open("no_such_library.dll", ORIBI_DYNLIB_LOCAL, &error) == NULL);
    CHECK(strstr(oribi_text_string(&error), "no_such_library.dll") != NULL);
    oribi_text_destroy(&error);
}

/* --- The rest --------------------------------------------------------------------------------- */

static void memory(void)
{
    char text[ORIBI_NUMBER_TEXT], *end;
    oribi_map map = {0};
    int value = 5;
    const int64_t before = oribi_alloc_live();
    void *block = oribi_alloc_aligned(1000, 4096);
    CHECK(block != NULL && (uintptr_t)block % 4096 == 0);
    oribi_free(block);
    CHECK(oribi_map_put(&map, "key", &value));
    CHECK(oribi_map_get(&map, "key") == &value && oribi_map_get(&map, "no") == NULL);
    oribi_map_destroy(&map);
    CHECK(oribi_alloc_live() == before);
    CHECK(oribi_number_parse("1.5e3x", &end) == 1500 && *end == 'x');
    oribi_number_print(0.1, 17, text);
    CHECK(strcmp(text, "0.10000000000000001") == 0);
}

static int child(int argc, char **argv)
{
    if (strcmp(argv[1], "say") == 0) {
        printf("out\n");
        fprintf(stderr, "err\n");
        return 7;
    }
    if (strcmp(argv[1], "sleep") == 0) {
        oribi_thread_sleep(60000000000u);
        return 0;
    }
    return argc == 5 && strcmp(argv[2], "two words") == 0 && strcmp(argv[3], "a\"b\\") == 0 &&
                   argv[4][0] == '\0'
               ? 0
               : 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    if (strcmp(argv[1], "say") == 0 || strcmp(argv[1], "sleep") == 0 ||
        strcmp(argv[1], "quote") == 0) {
        return child(argc, argv);
    }
    threads();
    files(argv[1]);
    processes(argv[0]);
    libraries();
    memory();
    printf("%d failed\n", n_failed);
    return n_failed > 0;
}
