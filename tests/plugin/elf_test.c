/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of plugin files: what it finds in good ones, and that no damage to a file can do more
 * than an error. Run it under ASan too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "plugin/elf.h"

static char folder[] = "/tmp/oribi-elf-test-XXXXXX";

static TF_Code read_elf(const char *path, oribi_arena *arena, oribi_elf *elf, char message[500])
{
    TF_Status *status = TF_NewStatus();
    bool ok = oribi__elf_read(path, arena, elf, status);
    TF_Code code = TF_GetCode(status);
    assert_true(ok == (code == TF_OK));
    snprintf(message, 500, "%s", TF_Message(status));
    TF_DeleteStatus(status);
    return code;
}

static bool contains(const char **names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Each name that a device plugin needs, weak ones apart, is TensorFlow's too. */
static void a_device_plugin_needs_none_of_our_extensions(void **state)
{
    (void)state;
    static const char *const ours[] = {"TF_PluginOption", "TF_SetDeviceExtension",
                                       "TF_KernelBuilder_StridedOutput"};
    oribi_arena arena = {0};
    oribi_elf elf;
    TF_Status *status = TF_NewStatus();
    assert_true(oribi__elf_read(TEST_PLUGINS "/device_NOTHING.so", &arena, &elf, status));
    assert_true(contains(elf.undefined.items, elf.undefined.count, "TF_AllocateOutput"));
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        assert_true(contains(elf.others.items, elf.others.count, ours[i]));
        assert_false(contains(elf.undefined.items, elf.undefined.count, ours[i]));
    }
    TF_DeleteStatus(status);
    oribi_arena_destroy(&arena);
}

static void note_tells_contract_name_version_and_licence(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    oribi_elf elf;
    TF_Status *status = TF_NewStatus();

    assert_true(oribi__elf_read(TEST_PLUGINS "/newer_with_floor.so", &arena, &elf, status));
    assert_true(elf.note.is_present);
    assert_int_equal(elf.note.contract, 100);
    assert_int_equal(elf.note.headers, 105);
    assert_string_equal(elf.note.name, "newer");
    assert_string_equal(elf.note.version, "3.1");
    assert_string_equal(elf.note.licence, "MIT");
    assert_true(elf.has_stack_mark && !elf.is_stack_executable);

    assert_true(oribi__elf_read(TEST_PLUGINS "/own.so", &arena, &elf, status));
    assert_false(elf.note.is_present);
    TF_DeleteStatus(status);
    oribi_arena_destroy(&arena);
}

static void library_tells_entry_points_and_needs(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    oribi_elf elf;
    char message[500];

    assert_int_equal(read_elf(TEST_PLUGINS "/missing_function.so", &arena, &elf, message), TF_OK);

    assert_true(elf.has_entry[ORIBI_ENTRY_INIT_KERNEL]);
    assert_false(elf.has_entry[ORIBI_ENTRY_SE_INIT_PLUGIN]);
    assert_true(contains(elf.undefined.items, elf.undefined.count, "TF_FrobnicateTensor"));
    assert_true(contains(elf.undefined.items, elf.undefined.count, "SE_DefenestrateStream"));
    assert_true(contains(elf.undefined.items, elf.undefined.count, "TF_NewStatus"));
    assert_int_equal(elf.undefined.count, 4);
    assert_int_equal(read_elf(TEST_PLUGINS "/option.so", &arena, &elf, message), TF_OK);
    assert_true(contains(elf.needed.items, elf.needed.count, "libc.so.6"));
    oribi_arena_destroy(&arena);
}

typedef struct file_bytes {
    uint8_t *data;
    size_t bytes;
} file_bytes;

static file_bytes read_good(void)
{
    void *data;
    file_bytes file;
    assert_int_equal(oribi_file_read(TEST_PLUGINS "/own.so", 1 << 24, &data, &file.bytes), 0);
    file.data = data;
    return file;
}

static TF_Code read_bytes(const void *data, size_t bytes, char message[500])
{
    char path[100];
    oribi_arena arena = {0};
    oribi_elf elf;
    snprintf(path, sizeof(path), "%s/x.so", folder);
    assert_int_equal(oribi_file_write(path, data, bytes, true), 0);
    TF_Code code = read_elf(path, &arena, &elf, message);
    oribi_arena_destroy(&arena);
    return code;
}

static void file_of_another_kind_is_named(void **state)
{
    (void)state;
    char message[500];
    file_bytes good = read_good();

    assert_int_equal(read_bytes("hello\n", 6, message), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "not a shared library"));
    assert_int_equal(read_bytes("", 0, message), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "not a shared library"));

    good.data[4] ^= 3; /* the other of 32 and 64 bits */
    assert_int_equal(read_bytes(good.data, good.bytes, message), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "-bit library; this Oribi is"));
    good.data[4] ^= 3;

    good.data[18] = 22; /* e_machine: IBM Z */
    good.data[19] = 0;
    assert_int_equal(read_bytes(good.data, good.bytes, message), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "built for IBM Z (machine 22)"));
    oribi_free(good.data);
}

static void missing_file_is_not_found(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    oribi_elf elf;
    char message[500];
    assert_int_equal(read_elf("/nowhere/x.so", &arena, &elf, message), TF_NOT_FOUND);
    assert_int_not_equal(read_elf("/", &arena, &elf, message), TF_OK);
    oribi_arena_destroy(&arena);
}

static void truncated_file_is_an_error_at_each_length(void **state)
{
    (void)state;
    char message[500];
    file_bytes good = read_good();
    int n_refused = 0;
    for (size_t bytes = 0; bytes < good.bytes; bytes += 1 + bytes / 40) {
        /* The section headers at the end are not looked at, so the longest ones may pass. */
        TF_Code code = read_bytes(good.data, bytes, message);
        assert_true(code == TF_OK || code == TF_INVALID_ARGUMENT);
        n_refused += code != TF_OK;
    }
    assert_int_equal(read_bytes(good.data, 64, message), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "truncated or damaged"));
    assert_true(n_refused > 50);
    oribi_free(good.data);
}

static void damaged_bytes_never_do_more_than_fail(void **state)
{
    (void)state;
    char message[500];
    const char *text = getenv("ORIBI_TEST_SEED");
    uint64_t random = text ? strtoull(text, NULL, 10) : 1;
    print_message("seed %llu (ORIBI_TEST_SEED)\n", (unsigned long long)random);
    file_bytes good = read_good();
    uint8_t *copy = oribi_alloc(good.bytes);
    for (int round = 0; round < 1500; round++) {
        memcpy(copy, good.data, good.bytes);
        for (int i = 0; i < 4; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            /* Mostly the headers and the dynamic section's tables, which come first. */
            size_t reach = random & 1 ? 1024 : good.bytes;
            copy[(random >> 20) % reach] = (uint8_t)(random >> 8);
        }
        TF_Code code = read_bytes(copy, good.bytes, message);
        assert_true(code == TF_OK || code == TF_INVALID_ARGUMENT);
    }
    oribi_free(copy);
    oribi_free(good.data);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[100];
    (void)state;
    snprintf(path, sizeof(path), "%s/x.so", folder);
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_tells_entry_points_and_needs),
        cmocka_unit_test(a_device_plugin_needs_none_of_our_extensions),
        cmocka_unit_test(note_tells_contract_name_version_and_licence),
        cmocka_unit_test(file_of_another_kind_is_named),
        cmocka_unit_test(missing_file_is_not_found),
        cmocka_unit_test(truncated_file_is_an_error_at_each_length),
        cmocka_unit_test(damaged_bytes_never_do_more_than_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
