/* SPDX-License-Identifier: Apache-2.0 */
/* The loader under TensorFlow's own calls (c_api.h), and plugins that were linked to TensorFlow's
 * libraries by name.
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

#include "base/dynlib.h"
#include "base/text.h"
#include "kernel/kernel.h"
#include "tensorflow/c/c_api.h"

#define PLUGIN(name) TEST_PLUGINS "/" name ".so"

static void expect(const TF_Status *status, TF_Code code)
{
    if (TF_GetCode(status) != code) {
        fail_msg("code %d, not %d: %s", TF_GetCode(status), code, TF_Message(status));
    }
}

/* An OpList with exactly this one op, y = op(x). */
static void expect_list(TF_Buffer list, const char *op)
{
    const unsigned char *data = list.data;
    assert_true(list.length > 4 && list.length < 128);
    assert_int_equal(data[0], 1 << 3 | 2); /* op, a message */
    assert_int_equal(data[1], list.length - 2);
    assert_int_equal(data[2], 1 << 3 | 2); /* its name */
    assert_int_equal(data[3], strlen(op));
    assert_memory_equal(data + 4, op, strlen(op));
}

static TF_Library *load(const char *path)
{
    TF_Status *status = TF_NewStatus();
    TF_Library *library = TF_LoadLibrary(path, status);
    expect(status, TF_OK);
    assert_non_null(library);
    TF_DeleteStatus(status);
    return library;
}

static void a_library_lists_the_ops_that_it_registered(void **state)
{
    (void)state;
    TF_Library *library = load(PLUGIN("own"));
    expect_list(TF_GetOpList(library), "TestOwn");
    assert_true(oribi_kernel_exists("TestOwn", "CPU"));

    TF_Library *again = load(PLUGIN("own"));
    expect_list(TF_GetOpList(again), "TestOwn");
    TF_DeleteLibraryHandle(library); /* the other one lives on, and so do the ops */
    expect_list(TF_GetOpList(again), "TestOwn");
    TF_DeleteLibraryHandle(again);
    TF_DeleteLibraryHandle(NULL);
    assert_non_null(oribi_op_find("TestOwn"));
}

/* That it computes, here and in TensorFlow: tests/peer/compare_hosts.py. */
static void weak_reference_to_what_we_lack_is_no_reason_to_refuse(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();

    TF_DeleteLibraryHandle(load(PLUGIN("weak")));
    TF_Library *refused = TF_LoadLibrary(PLUGIN("strong"), status);

    assert_non_null(oribi_op_find("Com>Acme>Weak"));
    assert_null(refused);
    assert_non_null(strstr(TF_Message(status), "TF_NeverThere"));
    TF_DeleteStatus(status);
}

static void a_link_to_a_library_is_the_same_library(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof(path), "/tmp/oribi-library-test-%d.so", (int)getpid());
    TF_DeleteLibraryHandle(load(PLUGIN("search")));
    unlink(path);
    assert_int_equal(symlink(PLUGIN("search"), path), 0);

    TF_Library *library = load(path);

    expect_list(TF_GetOpList(library), "TestSearch");
    TF_DeleteLibraryHandle(library);
    unlink(path);
}

static void constructors_register_where_there_is_no_entry_point(void **state)
{
    (void)state;
    TF_Library *library = load(PLUGIN("constructor"));

    expect_list(TF_GetOpList(library), "TestConstructor");
    assert_string_equal(oribi_op_find("TestConstructor")->provider, PLUGIN("constructor"));
    TF_DeleteLibraryHandle(library);
}

static void a_library_without_ops_has_an_empty_list(void **state)
{
    (void)state;
    TF_Library *library = load(PLUGIN("no_entry"));

    assert_int_equal(TF_GetOpList(library).length, 0);
    TF_DeleteLibraryHandle(library);
}

static void a_file_that_is_missing_or_broken_gives_no_handle(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_null(TF_LoadLibrary("/no/such/library.so", status));
    expect(status, TF_NOT_FOUND);
    assert_null(TF_LoadPluggableDeviceLibrary("/no/such/library.so", status));
    expect(status, TF_NOT_FOUND);
    assert_null(TF_LoadLibrary(TEST_SOURCE "/README.md", status));
    expect(status, TF_INVALID_ARGUMENT);
    assert_null(TF_LoadLibrary(PLUGIN("missing_other"), status));
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    assert_null(TF_LoadPluggableDeviceLibrary(PLUGIN("aborts"), status));
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void plugins_for_devices_load_by_their_call(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    TF_Library *library = TF_LoadPluggableDeviceLibrary(PLUGIN("cxx"), status);
    expect(status, TF_OK);

    expect_list(TF_GetOpList(library), "TestCxx");
    TF_DeletePluggableDeviceLibraryHandle(library);
    TF_DeletePluggableDeviceLibraryHandle(NULL);
    TF_DeleteStatus(status);
}

/* Its imports are TF_...@tensorflow of libtensorflow_framework.so.2, which is not there. */
static void a_plugin_linked_to_tensorflow_finds_us(void **state)
{
    (void)state;
    TF_Library *library = load(PLUGIN("versioned"));

    expect_list(TF_GetOpList(library), "TestVersioned");
    oribi_dynlib *empty =
        oribi_dynlib_open("libtensorflow_framework.so.2", ORIBI_DYNLIB_NOLOAD, NULL);
    assert_non_null(empty);
    assert_null(oribi_dynlib_find(empty, "TF_NewStatus")); /* which is why the imports reach us */
    oribi_dynlib_close(empty);
    TF_DeleteLibraryHandle(library);
    TF_DeleteLibraryHandle(load(PLUGIN("gcc_O3"))); /* the empty library is no TensorFlow */
}

static void the_empty_libraries_have_their_names_and_nothing_else(void **state)
{
    static const char *const names[] = {"libtensorflow_framework.so.2", "libtensorflow_cc.so.2",
                                        "libtensorflow.so.2", "_pywrap_tensorflow_internal.so"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[300];
        oribi_text error = {0};
        snprintf(path, sizeof(path), "%s/lib/oribi/dropin/%s", TEST_BINARY, names[i]);
        oribi_dynlib *library = oribi_dynlib_open(path, ORIBI_DYNLIB_LOCAL, &error);
        if (!library) {
            fail_msg("%s", oribi_text_string(&error));
        }
        oribi_dynlib *by_name = oribi_dynlib_open(names[i], ORIBI_DYNLIB_NOLOAD, NULL);
        assert_ptr_equal(by_name, library);
        assert_null(oribi_dynlib_find(library, "malloc")); /* needs no other library */
        oribi_dynlib_close(by_name);
        oribi_dynlib_close(library);
    }
}

static int setup(void **state)
{
    (void)state;
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    setenv("ORIBI_PLUGIN_CACHE", "0", 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_lists_the_ops_that_it_registered),
        cmocka_unit_test(weak_reference_to_what_we_lack_is_no_reason_to_refuse),
        cmocka_unit_test(a_link_to_a_library_is_the_same_library),
        cmocka_unit_test(constructors_register_where_there_is_no_entry_point),
        cmocka_unit_test(a_library_without_ops_has_an_empty_list),
        cmocka_unit_test(a_file_that_is_missing_or_broken_gives_no_handle),
        cmocka_unit_test(plugins_for_devices_load_by_their_call),
        cmocka_unit_test(a_plugin_linked_to_tensorflow_finds_us),
        cmocka_unit_test(the_empty_libraries_have_their_names_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
