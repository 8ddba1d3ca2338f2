/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling the int8 digits model through the library: files, names, budgets, same bytes. What the
 * files compute: tests/cli/compile_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "oribi/oribi.h"
#include "tensor/patience.h"

#define DIGITS TEST_SOURCE "/examples/digits/digits_int8.tflite"

static oribi_compile *compile(const char *name, uint64_t max_ram, bool pool, TF_Code want)
{
    TF_Status *status = TF_NewStatus();
    oribi_compile *made = oribi_compile_create(status);
    char ram[16];

    assert_non_null(made);
    snprintf(ram, sizeof ram, "%d", (int)max_ram);
    oribi_compile_set_option(made, "name", name, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    oribi_compile_set_option(made, max_ram > 0 ? "max-ram" : "io", max_ram > 0 ? ram : "caller",
                             status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    oribi_compile_set_option(made, "io", pool ? "pool" : "caller", status);
    assert_int_equal(TF_GetCode(status), TF_OK);
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

    oribi_compile_set_option(c, "name", "a b*/", status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    oribi_compile_destroy(c);
    oribi_compile_destroy(NULL);
    TF_DeleteStatus(status);
}

static void options_are_listed_and_checked(void **state)
{
    static const char *const wrong[][2] = {
        {"io", "pools"},        {"wieghts", "c"},       {"max-ram", "0"},     {"max-ram", "12x"},
        {"self-test", "maybe"}, {"place", "node"},      {"place", ":flash"},  {"place", "n:a b"},
        {"rename", "a"},        {"rename", "a=for"},    {"rename", "=b"},     {"name", ""},
        {"max-flash", ""},      {"tflite-variant", ""}, {"layout", "cmake|"}, {"weights", NULL},
        {"shape", "x=1x"}};
    TF_Status *status = TF_NewStatus();
    oribi_compile *c = oribi_compile_create(status);
    int n = 0;
    (void)state;

    for (; oribi_compile_option_key(n) != NULL; n++) {
        assert_true(strlen(oribi_compile_option_help(n)) > 10);
        if (oribi_compile_option_values(n) == NULL) {
            oribi_compile_set_option(c, oribi_compile_option_key(n), NULL, status);
            assert_int_equal(TF_GetCode(status), TF_OK);
        }
    }
    assert_true(n > 8);
    assert_null(oribi_compile_option_key(-1));
    assert_null(oribi_compile_option_help(n));
    assert_null(oribi_compile_option_values(n));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        oribi_compile_set_option(c, wrong[i][0], wrong[i][1], status);
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    }
    oribi_compile_set_option(c, "rename", "x:0=y", status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    oribi_compile_destroy(c);
    TF_DeleteStatus(status);
}

static void models_of_one_call_share_kernels_and_have_names_of_their_own(void **state)
{
    const char *paths[] = {DIGITS, DIGITS};
    TF_Status *status = TF_NewStatus();
    oribi_compile *same = oribi_compile_create(status), *apart = oribi_compile_create(status);
    size_t n;
    (void)state;

    oribi_compile_models(same, paths, 2, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_int_equal(oribi_compile_num_files(same), 0);
    oribi_compile_set_option(apart, "name", "one", status);
    oribi_compile_set_option(apart, "name", "two", status);
    oribi_compile_models(apart, paths, 2, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_non_null(find(apart, "tvmgen_one.h", &n));
    assert_non_null(find(apart, "tvmgen_two.h", &n));
    for (int i = 0; i < oribi_compile_num_files(apart); i++) {
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(oribi_compile_file_name(apart, i),
                                    oribi_compile_file_name(apart, k));
        }
    }
    oribi_compile_set_option(apart, "io", "pool", status);
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    oribi_compile_destroy(same);
    oribi_compile_destroy(apart);
    TF_DeleteStatus(status);
}

static void a_report_comes_after_a_model_in_one_of_two_formats(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_compile *empty = oribi_compile_create(status), *c = compile("net", 0, false, TF_OK);
    size_t n = 1;
    (void)state;

    assert_null(oribi_compile_report(empty, "json", &n, status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    assert_int_equal(n, 0);
    assert_null(oribi_compile_report(c, "text", &n, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    const char *page = oribi_compile_report(c, "html", &n, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(strlen(page), n);
    assert_memory_equal(page, "<!DOCTYPE html>", 15);
    assert_memory_equal(oribi_compile_report(c, "json", &n, status), "{\"schema\":1,", 12);
    oribi_compile_destroy(c);
    oribi_compile_destroy(empty);
    TF_DeleteStatus(status);
}

static void a_report_asks_for_the_time_that_is_left(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_compile *c = compile("net", 0, false, TF_OK);
    oribi_patience over = {.deadline_ns = 1, .what = "a test"};
    const char *const formats[] = {"html", "json"};
    size_t n = 1;
    (void)state;

    oribi_patience_begin(&over);
    for (int i = 0; i < 2; i++) {
        assert_null(oribi_compile_report(c, formats[i], &n, status));
        assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
        assert_int_equal(n, 0);
    }
    oribi_patience_end(&over);
    assert_non_null(oribi_compile_report(c, "json", &n, status));

    oribi_compile_destroy(c);
    TF_DeleteStatus(status);
}

static void the_banner_says_what_changed_the_files(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_compile *c = oribi_compile_create(status);
    size_t n = 0;
    (void)state;

    oribi_compile_set_option(c, "cpu-mhz", "168", status);
    oribi_compile_set_option(c, "time-limit", "600000", status);
    oribi_compile_set_option(c, "name", "net", status);
    oribi_compile_model(c, DIGITS, status);
    assert_int_equal(TF_GetCode(status), TF_OK);

    const char *header = find(c, "tvmgen_net.h", &n);
    assert_non_null(header);
    assert_non_null(strstr(header, "--cpu-mhz 168"));
    assert_null(strstr(header, "time-limit"));
    oribi_compile_destroy(c);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_model_gives_the_same_bytes),
        cmocka_unit_test(names_and_run_are_in_the_header),
        cmocka_unit_test(a_budget_that_is_too_small_is_a_limit),
        cmocka_unit_test(a_name_that_is_no_identifier_is_refused),
        cmocka_unit_test(options_are_listed_and_checked),
        cmocka_unit_test(models_of_one_call_share_kernels_and_have_names_of_their_own),
        cmocka_unit_test(a_report_comes_after_a_model_in_one_of_two_formats),
        cmocka_unit_test(a_report_asks_for_the_time_that_is_left),
        cmocka_unit_test(the_banner_says_what_changed_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
