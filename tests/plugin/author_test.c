/* SPDX-License-Identifier: Apache-2.0 */
/* The author's tools as functions: reports on good plugins and on the built-in ones, and what they
 * say to bad requests. As commands, on planted bugs and hostile files: tools_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oribi/oribi.h"
#include "tensorflow/c/tf_buffer.h"

#define PLUGIN(name) TEST_PLUGINS "/" name ".so"

typedef struct fixture {
    TF_Status *status;
    TF_Buffer *json;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    f = (fixture){TF_NewStatus(), TF_NewBuffer()};
    *state = &f;
    return f.status == NULL || f.json == NULL;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    TF_DeleteBuffer(f->json);
    TF_DeleteStatus(f->status);
    return 0;
}

static void expect_ok(const fixture *f)
{
    if (TF_GetCode(f->status) != TF_OK) {
        fail_msg("code %d: %s", (int)TF_GetCode(f->status), TF_Message(f->status));
    }
}

static void expect_error(const fixture *f, TF_Code code, const char *words)
{
    assert_int_equal(TF_GetCode(f->status), code);
    if (strstr(TF_Message(f->status), words) == NULL) {
        fail_msg("'%s' is not in: %s", words, TF_Message(f->status));
    }
    assert_null(f->json->data); /* outputs are untouched */
}

static void expect_text(const fixture *f, const char *words)
{
    char *text = calloc(f->json->length + 1, 1);
    assert_non_null(text);
    memcpy(text, f->json->data, f->json->length);
    if (strstr(text, words) == NULL) {
        fail_msg("'%s' is not in: %s", words, text);
    }
    free(text);
}

static void examination_describes_and_checks(void **state)
{
    fixture *f = *state;

    oribi_plugin_examine(PLUGIN("own"), "describe", f->json, f->status);

    expect_ok(f);
    expect_text(f, "\"entry_points\":[\"TF_InitKernel\"]");
    expect_text(f, "\"name\":\"TestOwn\"");
    oribi_plugin_examine(PLUGIN("own"), "check", f->json, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT); /* the buffer is full */
    TF_DeleteBuffer(f->json);
    f->json = TF_NewBuffer();
    oribi_plugin_examine(PLUGIN("own"), "check", f->json, f->status);
    expect_ok(f);
    expect_text(f, "\"errors\":0");
}

static void a_plugin_that_works_with_its_sibling_is_not_called_bad(void **state)
{
    fixture *f = *state;

    oribi_plugin_examine(PLUGIN("with_sibling"), "check", f->json, f->status);

    expect_ok(f);
    expect_text(f, "\"errors\":0");
    expect_text(f, "needs 1 C++ symbols of another library (_ZN6vendor6answerEv)");
}

static void examination_refuses_bad_requests(void **state)
{
    fixture *f = *state;

    oribi_plugin_examine(PLUGIN("own"), "weigh", f->json, f->status);
    expect_error(f, TF_INVALID_ARGUMENT, "'weigh' is neither describe nor check nor rules");
    oribi_plugin_examine("/no/such/plugin.so", "check", f->json, f->status);
    expect_error(f, TF_NOT_FOUND, "/no/such/plugin.so");
    oribi_plugin_examine(TEST_SOURCE "/README.md", "describe", f->json, f->status);
    expect_error(f, TF_INVALID_ARGUMENT, "README.md");
}

static int n_told, last_total;

static void tell(void *arg, const char *kernel, int done, int total)
{
    (void)arg;
    assert_non_null(kernel);
    n_told = done;
    last_total = total;
}

static void a_good_plugin_passes_its_test(void **state)
{
    fixture *f = *state;
    const oribi_plugin_test_settings settings = {
        .struct_size = sizeof settings, .seed = 7, .progress = tell};

    oribi_plugin_test(PLUGIN("own"), &settings, f->json, f->status);

    expect_ok(f);
    expect_text(f, "\"seed\":7");
    expect_text(f, "\"findings\":[]");
    expect_text(f, "\"failures\":0");
    assert_true(n_told > 0);
    assert_int_equal(n_told, last_total);
}

static void a_built_in_plugin_is_tested_by_its_name(void **state)
{
    fixture *f = *state;
    const oribi_plugin_test_settings settings = {
        .struct_size = sizeof settings, .seed = 7, .only = "LogicalAnd", .n_cases = 2};

    oribi_plugin_test("cpu", &settings, f->json, f->status);

    expect_ok(f);
    expect_text(f, "\"op\":\"LogicalAnd\"");
    expect_text(f, "\"failures\":0");
}

static void a_test_refuses_bad_requests(void **state)
{
    fixture *f = *state;
    oribi_plugin_test_settings settings = {.struct_size = sizeof settings,
                                           .cases = "{\"cases\": 3}"};

    oribi_plugin_test(PLUGIN("own"), &settings, f->json, f->status);
    expect_error(f, TF_INVALID_ARGUMENT, "test cases");
    settings.cases = NULL;
    settings.only = "#2/1";
    oribi_plugin_test(PLUGIN("own"), &settings, f->json, f->status);
    expect_error(f, TF_INVALID_ARGUMENT, "write K/N");
    oribi_plugin_test("/no/such/plugin.so", NULL, f->json, f->status);
    expect_error(f, TF_NOT_FOUND, "/no/such/plugin.so");
    oribi_plugin_test(PLUGIN("aborts"), NULL, f->json, f->status);
    expect_error(f, TF_ABORTED, "crashed");
}

/* Recordings of faulty kernels, and hostile ones: checked_test.py. */
static void a_replay_refuses_bad_requests(void **state)
{
    fixture *f = *state;

    oribi_plugin_replay("cpu", "/no/such/call.json", f->json, f->status);
    expect_error(f, TF_NOT_FOUND, "/no/such/call.json");
    oribi_plugin_replay(NULL, TEST_SOURCE "/README.md", f->json, f->status);
    expect_error(f, TF_INVALID_ARGUMENT, "is no recorded call");
}

/* What the helper process calls, here in this one. */
static void one_case_is_computed_and_judged(void **state)
{
    fixture *f = *state;

    oribi_plugin_load_file("cpu", f->status);
    expect_ok(f);
    oribi_plugin_test_case("cpu", "{\"seed\": 1, \"case\": 0, \"op\": \"MatMul\"}", f->json,
                           f->status);

    expect_ok(f);
    expect_text(f, "\"findings\":[]");
    expect_text(f, "\"done\":true");
}

static void several_cases_are_answered_in_one_list(void **state)
{
    fixture *f = *state;

    oribi_plugin_load_file("cpu", f->status);
    expect_ok(f);
    oribi_plugin_test_case("cpu",
                           "[{\"seed\": 1, \"case\": 0, \"op\": \"MatMul\"},"
                           " {\"seed\": 1, \"case\": 1, \"op\": \"Abs\"}]",
                           f->json, f->status);

    expect_ok(f);
    expect_text(f, "[{\"findings\":[]");
    expect_text(f, "},{\"findings\":[]");
}

static void a_case_refuses_bad_requests(void **state)
{
    fixture *f = *state;

    oribi_plugin_test_case("cpu", "{", f->json, f->status);
    expect_error(f, TF_INVALID_ARGUMENT, "JSON");
    oribi_plugin_test_case("cpu", "{\"seed\": 1, \"op\": \"MatMul\"}", f->json, f->status);
    expect_error(f, TF_INVALID_ARGUMENT, "must have a kernel, a seed and a case");
    oribi_plugin_test_case("cpu", "{\"seed\": 1, \"case\": 0, \"op\": \"NoSuchOp\"}", f->json,
                           f->status);
    expect_error(f, TF_NOT_FOUND, "no such kernel or op");
    oribi_plugin_test_case("cpu", "[{\"seed\": 1, \"case\": 0, \"op\": \"Abs\"}, []]", f->json,
                           f->status);
    expect_error(f, TF_INVALID_ARGUMENT, "must be an object");
    oribi_plugin_test_case("/no/such/plugin.so", "{}", f->json, f->status);
    expect_error(f, TF_NOT_FOUND, "/no/such/plugin.so");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(examination_describes_and_checks),
        CASE(a_plugin_that_works_with_its_sibling_is_not_called_bad),
        CASE(examination_refuses_bad_requests),
        CASE(a_good_plugin_passes_its_test),
        CASE(a_built_in_plugin_is_tested_by_its_name),
        CASE(a_test_refuses_bad_requests),
        CASE(a_replay_refuses_bad_requests),
        CASE(one_case_is_computed_and_judged),
        CASE(several_cases_are_answered_in_one_list),
        CASE(a_case_refuses_bad_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
