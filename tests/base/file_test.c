/* SPDX-License-Identifier: Apache-2.0 */
/* Files: maps, reads, atomic writes, identity, paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "support/fail_nth.h"

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int count_entries(void)
{
    char command[128], answer[32] = "";
    (void)snprintf(command, sizeof(command), "ls -A %s | wc -l", folder);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_non_null(fgets(answer, sizeof(answer), list));
    (void)pclose(list);
    return atoi(answer);
}

static void folder_is_made(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/oribi_file_test_XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void written_bytes_are_read_and_mapped_back(void **state)
{
    (void)state;
    enum { N = 100000 };
    static uint8_t bytes[N];
    for (int i = 0; i < N; i++) {
        bytes[i] = (uint8_t)(i * 31);
    }
    const char *path = in_folder("bytes");
    assert_int_equal(oribi_file_write(path, bytes, N, false), 0);

    void *data = NULL;
    size_t length = 0;
    assert_int_equal(oribi_file_read(path, N, &data, &length), 0);
    assert_int_equal(length, N);
    assert_memory_equal(data, bytes, N);
    oribi_free(data);

    oribi_file_map map;
    assert_int_equal(oribi_file_map_open(path, &map), 0);
    assert_int_equal(map.bytes, N);
    assert_memory_equal(map.data, bytes, N);
    oribi_file_map_give_back(&map, map.data + 10, 50000);
    oribi_file_map_give_back(&map, map.data, N);
    oribi_file_map_give_back(&map, map.data + N, 1); /* out of range: nothing */
    assert_memory_equal(map.data, bytes, N);
    oribi_file_map_close(&map);
}

static void read_stops_at_its_limit(void **state)
{
    (void)state;
    void *data = NULL;
    size_t length = 7;

    assert_int_equal(oribi_file_read(in_folder("bytes"), 99999, &data, &length), EFBIG);
    assert_int_equal(oribi_file_read("/dev/zero", 5000, &data, &length), EFBIG);
    assert_int_equal(oribi_file_read(in_folder("absent"), 10, &data, &length), ENOENT);
    assert_int_equal(oribi_file_read(folder, 10, &data, &length), EISDIR);
    assert_null(data);
    assert_int_equal(length, 7);
}

static void a_file_is_read_as_it_would_be_mapped(void **state)
{
    (void)state;
    oribi_file_map map, read;
    assert_int_equal(oribi_file_map_open(in_folder("bytes"), &map), 0);
    assert_int_equal(oribi_file_map_read(in_folder("bytes"), UINT64_MAX, &read), 0);

    assert_int_equal(read.bytes, map.bytes);
    assert_memory_equal(read.data, map.data, map.bytes);
    assert_int_equal((uintptr_t)read.data % 64, 0);
    oribi_file_map_give_back(&read, read.data, read.bytes); /* nothing else has them: they stay */
    assert_memory_equal(read.data, map.data, map.bytes);

    oribi_file_map_close(&read);
    assert_null(read.data);
    assert_int_equal(oribi_file_map_read(in_folder("bytes"), map.bytes - 1, &read), EFBIG);
    assert_int_equal(oribi_file_map_read("/dev/zero", 5000, &read), EFBIG);
    assert_int_equal(oribi_file_map_read(in_folder("absent"), 10, &read), ENOENT);
    assert_null(read.data);
    oribi_file_map_close(&map);
}

/* The system's own files have other sizes than they say: so does one that is cut meanwhile. */
static void a_file_that_is_not_as_long_as_it_said_is_refused(void **state)
{
    (void)state;
    oribi_file_map map = {0};
    assert_int_equal(oribi_file_map_read("/proc/self/status", 1 << 20, &map), ESTALE); /* longer */
    const char *shorter = "/sys/kernel/mm/transparent_hugepage/enabled"; /* says 4096 */
    if (oribi_file_exists(shorter)) {
        assert_int_equal(oribi_file_map_read(shorter, 1 << 20, &map), ESTALE);
    }
    assert_null(map.data);
}

static void empty_files_map_to_nothing(void **state)
{
    (void)state;
    const char *path = in_folder("empty");
    oribi_file_map map = {.bytes = 1};
    assert_int_equal(oribi_file_write(path, NULL, 0, false), 0);

    assert_int_equal(oribi_file_map_open(path, &map), 0);

    assert_null(map.data);
    assert_int_equal(map.bytes, 0);
    oribi_file_map_close(&map);
    assert_int_equal(oribi_file_map_open(folder, &map), EISDIR);
    assert_int_equal(oribi_file_map_open("/dev/null", &map), ESPIPE);
}

static void write_without_force_keeps_what_exists(void **state)
{
    (void)state;
    const char *path = in_folder("kept");
    assert_int_equal(oribi_file_write(path, "one", 3, false), 0);
    assert_int_equal(chmod(path, 0640), 0);

    assert_int_equal(oribi_file_write(path, "two", 3, false), EEXIST);
    void *data = NULL;
    size_t length = 0;
    assert_int_equal(oribi_file_read(path, 10, &data, &length), 0);
    assert_string_equal(data, "one");
    oribi_free(data);

    assert_int_equal(oribi_file_write(path, "three", 5, true), 0);
    assert_int_equal(oribi_file_read(path, 10, &data, &length), 0);
    assert_string_equal(data, "three");
    oribi_free(data);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void write_through_a_link_keeps_the_link(void **state)
{
    (void)state;
    char link_path[128];
    (void)snprintf(link_path, sizeof(link_path), "%s", in_folder("link"));
    assert_int_equal(symlink("kept", link_path), 0);

    assert_int_equal(oribi_file_write(link_path, "linked", 6, true), 0);

    struct stat st;
    void *data = NULL;
    size_t length = 0;
    assert_int_equal(lstat(link_path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(oribi_file_read(in_folder("kept"), 10, &data, &length), 0);
    assert_string_equal(data, "linked");
    oribi_free(data);
}

static void failed_writes_leave_no_temporary(void **state)
{
    (void)state;
    int before = count_entries();

    assert_int_equal(oribi_file_write(folder, "x", 1, true), EISDIR);
    assert_int_equal(oribi_file_write(in_folder("no/such"), "x", 1, true), ENOENT);
    assert_int_equal(oribi_file_write(in_folder("kept"), "x", 1, false), EEXIST);
    oribi_alloc_fail_at(1, true);
    assert_int_equal(oribi_file_write(in_folder("new"), "x", 1, false), ENOMEM);
    oribi_alloc_fail_at(0, false);

    assert_int_equal(count_entries(), before);
    assert_int_equal(oribi_file_write("/dev/null", "x", 1, false), 0);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void identity_follows_the_file_and_not_the_name(void **state)
{
    (void)state;
    oribi_file_id kept, linked, other;
    assert_int_equal(oribi_file_identify(in_folder("kept"), &kept), 0);
    assert_int_equal(oribi_file_identify(in_folder("link"), &linked), 0);
    assert_int_equal(oribi_file_identify(in_folder("bytes"), &other), 0);

    assert_memory_equal(&kept, &linked, sizeof(kept));
    assert_true(kept.inode != other.inode);
    assert_int_equal(kept.bytes, 6);
    assert_int_equal(oribi_file_identify(in_folder("absent"), &kept), ENOENT);
    assert_true(oribi_file_exists(in_folder("kept")));
    assert_false(oribi_file_exists(in_folder("absent")));
}

static void check_text(char *text, const char *expected)
{
    assert_non_null(text);
    assert_string_equal(text, expected);
    oribi_free(text);
}

static void paths_are_cut_and_joined(void **state)
{
    (void)state;
    check_text(oribi_path_join("a", "b"), "a/b");
    check_text(oribi_path_join("a/", "b"), "a/b");
    check_text(oribi_path_join("", "b"), "b");
    check_text(oribi_path_join("a", "/b"), "/b");
    check_text(oribi_path_folder("a/b/c"), "a/b");
    check_text(oribi_path_folder("c"), ".");
    check_text(oribi_path_folder("/c"), "/");
    check_text(oribi_path_folder("a//c"), "a");
    assert_string_equal(oribi_path_name("a/b.c"), "b.c");
    assert_string_equal(oribi_path_name("b.c"), "b.c");
    char expected[160];
    (void)snprintf(expected, sizeof(expected), "%s/kept", folder);
    check_text(oribi_path_real(in_folder("link")), expected);
    assert_null(oribi_path_real(in_folder("absent")));
    assert_int_equal(errno, ENOENT);
}

static void folder_is_removed(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder_is_made),
        cmocka_unit_test(written_bytes_are_read_and_mapped_back),
        cmocka_unit_test(read_stops_at_its_limit),
        cmocka_unit_test(a_file_is_read_as_it_would_be_mapped),
        cmocka_unit_test(a_file_that_is_not_as_long_as_it_said_is_refused),
        cmocka_unit_test(empty_files_map_to_nothing),
        cmocka_unit_test(write_without_force_keeps_what_exists),
        cmocka_unit_test(write_through_a_link_keeps_the_link),
        cmocka_unit_test(failed_writes_leave_no_temporary),
        cmocka_unit_test(identity_follows_the_file_and_not_the_name),
        cmocka_unit_test(paths_are_cut_and_joined),
        cmocka_unit_test(folder_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
