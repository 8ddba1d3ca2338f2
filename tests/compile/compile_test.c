/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling the int8 digits model through the library: files, names, budgets, same bytes. What the
 * files compute: tests/cli/compile_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "oribi/oribi.h"

#define DIGITS TEST_SOURCE "/examples/digits/digits_int8.tflite"

static oribi_compile *compile(const char *name, uint64_t max_ram, bool pool, TF_Code want)
{
    TF_Status *status = TF_NewStatus();
    oribi_compile *made = oribi_compile_create(status);

    assert_non_null(made);
    oribi_compile_set_name(made, name, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    oribi_compile_set_budget(made, max_ram, 0);
    oribi_compile_set_io_in_workspace(made, pool);
    oribi_compile_model(made, DIGITS, status);
    if (TF_GetCode(status) != want) {
        fail_msg("code %d: %s", TF_GetCode(status), TF_Message(status));
    }
    TF_DeleteStatus(status);
    return made;
}

static const char *find(const oribi_compile *compiled, const char *name, size_t *bytes)
{
    for (int i = 0; i < oribi_compile_num_files(compiled); i++) {
        if (strcmp(oribi_compile_file_name(compiled, i), name) == 0) {
            return oribi_compile_file_data(compiled, i, bytes);
        }
    }
    return NULL;
}

static void same_model_gives_the_same_bytes(void **state)
{
    oribi_compile *a = compile("net", 0, false, TF_OK), *b = compile("net", 0, false, TF_OK);
    (void)state;

    assert_true(oribi_compile_num_files(a) > 5);
    assert_int_equal(oribi_compile_num_files(a), oribi_compile_num_files(b));
    for (int i = 0; i < oribi_compile_num_files(a); i++) {
        size_t n, m;
        const void *x = oribi_compile_file_data(a, i, &n), *y = oribi_compile_file_data(b, i, &m);
        assert_string_equal(oribi_compile_file_name(a, i), oribi_compile_file_name(b, i));
        assert_int_equal(n, m);
        assert_memory_equal(x, y, n);
    }
    oribi_compile_destroy(a);
    oribi_compile_destroy(b);
}

static void names_and_run_are_in_the_header(void **state)
{
    oribi_compile *c = compile("net2", 0, false, TF_OK);
    size_t n;
    (void)state;

    const char *header = find(c, "tvmgen_net2.h", &n);
    assert_non_null(header);
    assert_non_null(memmem(header, n, "tvmgen_net2_run(", 16));
    assert_non_null(find(c, "metadata.json", &n));
    assert_non_null(find(c, "report.json", &n));
    oribi_compile_destroy(c);
}

static void a_budget_that_is_too_small_is_a_limit(void **state)
{
    (void)state;
    oribi_compile_destroy(compile("net", 1000, false, TF_RESOURCE_EXHAUSTED));
    oribi_compile_destroy(compile("net", 100000, true, TF_OK));
}

static void a_name_that_is_no_identifier_is_refused(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_compile *c = oribi_compile_create(status);
    (void)state;

    oribi_compile_set_name(c, "a b*/", status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    oribi_compile_destroy(c);
    oribi_compile_destroy(NULL);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_model_gives_the_same_bytes),
        cmocka_unit_test(names_and_run_are_in_the_header),
        cmocka_unit_test(a_budget_that_is_too_small_is_a_limit),
        cmocka_unit_test(a_name_that_is_no_identifier_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
