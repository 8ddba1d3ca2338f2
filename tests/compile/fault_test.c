/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of compile, inspect and run fails once: an error, or the same bytes as ever
 * (what failed was a luxury), never a file cut short. A stride keeps the large ones short
 * (ORIBI_TEST_STRIDE=1 takes them all).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "oribi/oribi.h"

#define EXAMPLE(name) TEST_SOURCE "/examples/" name

typedef struct sink { /* what came out, as one number and its length */
    uint64_t hash;
    size_t bytes;
} sink;

static void pour(sink *s, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    for (size_t i = 0; i < bytes; i++) {
        s->hash = (s->hash ^ at[i]) * UINT64_C(1099511628211);
    }
    s->bytes += bytes;
}

typedef bool work(const char *path, sink *out, TF_Status *status);

/* --- What is done ----------------------------------------------------------------------------- */

static void pour_report(oribi_compile *compile, const char *format, sink *out, TF_Status *status)
{
    size_t bytes = 0;
    if (TF_GetCode(status) == TF_OK) {
        const char *text = oribi_compile_report(compile, format, &bytes, status);
        pour(out, text, text != NULL ? bytes : 0);
    }
}

static bool compile_with(const char *path, const char *const *options, sink *out, TF_Status *status)
{
    oribi_compile *compile = oribi_compile_create(status);
    for (; compile != NULL && *options != NULL && TF_GetCode(status) == TF_OK; options += 2) {
        oribi_compile_set_option(compile, options[0], options[1], status);
    }
    if (compile != NULL && TF_GetCode(status) == TF_OK) {
        oribi_compile_model(compile, path, status);
    }
    for (int i = 0; TF_GetCode(status) == TF_OK && i < oribi_compile_num_files(compile); i++) {
        size_t bytes = 0;
        const void *data = oribi_compile_file_data(compile, i, &bytes);
        const char *name = oribi_compile_file_name(compile, i);
        pour(out, name, strlen(name) + 1);
        pour(out, data, bytes);
    }
    if (compile != NULL) {
        pour_report(compile, "json", out, status);
        pour_report(compile, "html", out, status);
    }
    oribi_compile_destroy(compile);
    return TF_GetCode(status) == TF_OK;
}

static bool compile_plain(const char *path, sink *out, TF_Status *status)
{
    return compile_with(path, (const char *const[]){NULL}, out, status);
}

static bool compile_all(const char *path, sink *out, TF_Status *status)
{
    return compile_with(path,
                        (const char *const[]){"name", "net", "io", "pool", "self-test", NULL,
                                              "weights", "bin", "rings", "least", NULL},
                        out, status);
}

static bool inspect(const char *path, sink *out, TF_Status *status)
{
    oribi_model *model = oribi_model_open(path, NULL, status);
    oribi_session *session = model != NULL ? oribi_session_create(model, NULL, status) : NULL;
    TF_Buffer *json = TF_NewBuffer();
    bool ok = session != NULL && json != NULL;
    if (ok) {
        oribi_session_describe(session, "graph", json, status);
        ok = TF_GetCode(status) == TF_OK;
        const char *text = json->data;
        assert_true(!ok || (json->length > 2 && text[0] == '{' &&
                            memrchr(text, '}', json->length) >= (void *)(text + json->length - 2)));
        pour(out, text, ok ? json->length : 0);
    }
    TF_DeleteBuffer(json);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    return ok;
}

static bool run(const char *path, sink *out, TF_Status *status)
{
    int64_t dims[4] = {0};
    oribi_model *model = oribi_model_open(path, NULL, status);
    oribi_session *session = model != NULL ? oribi_session_create(model, NULL, status) : NULL;
    oribi_run *made = session != NULL ? oribi_run_create(session, status) : NULL;
    TF_Tensor *x = NULL, *y = NULL;
    if (made != NULL) {
        assert_in_range(oribi_model_input_shape(model, 0, dims, 4), 1, 4);
        dims[0] = 1; /* the batch, where it is open */
        x = oribi_run_make_input(made, 0, dims, oribi_model_input_shape(model, 0, NULL, 0), status);
    }
    if (x != NULL) {
        memset(TF_TensorData(x), 0, TF_TensorByteSize(x));
        oribi_run_set_input(made, 0, x, status);
    }
    if (x != NULL && TF_GetCode(status) == TF_OK) {
        oribi_run_execute(made, status);
    }
    if (x != NULL && TF_GetCode(status) == TF_OK) {
        y = oribi_run_output(made, 0, status);
    }
    const bool ok = y != NULL;
    pour(out, ok ? TF_TensorData(y) : NULL, ok ? TF_TensorByteSize(y) : 0);
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    oribi_run_destroy(made);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    return ok;
}

/* --- Each allocation fails ----------------------------------------------------------------------
 */

static bool attempt(work *f, const char *path, sink *out, uint64_t nth, bool sticky)
{
    TF_Status *status = TF_NewStatus();
    *out = (sink){UINT64_C(14695981039346656037), 0};
    oribi_alloc_fail_at(nth, sticky);
    const bool ok = f(path, out, status);
    oribi_alloc_fail_at(0, false);
    if (!ok && nth == 0) {
        fail_msg("%s: %s", path, TF_Message(status));
    }
    TF_DeleteStatus(status);
    return ok;
}

static void fail_all(work *f, const char *path, uint64_t stride)
{
    sink whole, again;
    const char *given = getenv("ORIBI_TEST_STRIDE");
    const uint64_t step = given != NULL ? strtoull(given, NULL, 10) : stride;
    assert_true(attempt(f, path, &whole, 0, false)); /* what is made once is made */
    const uint64_t before = oribi_alloc_count();
    assert_true(attempt(f, path, &whole, 0, false));
    const uint64_t n = oribi_alloc_count() - before;
    assert_true(n > 50 && whole.bytes >= 10);
    int64_t refused = 0;
    for (uint64_t i = 1; i <= n; i += step > 0 ? step : 1) {
        for (int sticky = 0; sticky < 2; sticky++) {
            const bool ok = attempt(f, path, &again, i, sticky == 1);
            refused += !ok;
            if (ok && f != inspect && (again.bytes != whole.bytes || again.hash != whole.hash)) {
                fail_msg("%s: allocation %llu of %llu fails, and %zu bytes come out, not %zu", path,
                         (unsigned long long)i, (unsigned long long)n, again.bytes, whole.bytes);
            }
        }
    }
    print_message("%s: %llu allocations, %lld refusals\n", path, (unsigned long long)n,
                  (long long)refused);
    assert_true(refused > 0);
}

static void compiling_int8_never_cuts_a_file_short(void **state)
{
    (void)state;
    fail_all(compile_plain, EXAMPLE("digits/digits_int8.tflite"), 1);
    fail_all(compile_all, EXAMPLE("digits/digits_int8.tflite"), 3);
}

static void compiling_floats_never_cuts_a_file_short(void **state)
{
    (void)state;
    fail_all(compile_plain, EXAMPLE("digits/digits.onnx"), 1);
    fail_all(compile_all, EXAMPLE("digits/digits.onnx"), 3);
}

static void inspecting_says_all_or_fails(void **state)
{
    (void)state;
    fail_all(inspect, EXAMPLE("digits/digits_int8.tflite"), 2);
    fail_all(inspect, EXAMPLE("digits/digits.onnx"), 2);
}

static void running_computes_or_fails(void **state)
{
    (void)state;
    fail_all(run, EXAMPLE("digits/digits_int8.tflite"), 2);
    fail_all(run, EXAMPLE("digits/digits.onnx"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiling_int8_never_cuts_a_file_short),
        cmocka_unit_test(compiling_floats_never_cuts_a_file_short),
        cmocka_unit_test(inspecting_says_all_or_fails),
        cmocka_unit_test(running_computes_or_fails),
    };
    cmocka_set_test_filter(getenv("TEST_ONLY"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
