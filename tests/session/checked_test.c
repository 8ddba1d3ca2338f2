/* SPDX-License-Identifier: Apache-2.0 */
/* Checked sessions and recorded calls, from C: what options refuse, results that stay the same,
 * failed allocations. Faulty kernels, as a user meets them: tests/plugin/checked_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/small.h"
#include "support/fail_nth.h"

static const int64_t DIMS[2] = {2, 3};

static void write_nothing(TF_OpKernelContext *ctx)
{
    TF_Tensor *x, *z;
    (void)small_open(ctx, &x, &z);
    small_close(x, z);
}

/* x, + 1, + 1 again and again, where the last kernel is `last`; with an unknown first dimension. */
static oribi_session *session_of(const oribi_options *options, small_fn last, TF_Status *status)
{
    static const int64_t open[2] = {-1, 3};
    small_graph g = small_begin();
    oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, open));
    value = small_fn1(&g, small_add_one, value);
    small_output(&g, small_fn1(&g, last, value), "z");
    TF_DeleteStatus(g.status);
    return oribi_session_from_graph(g.graph, options, status);
}

static void words_that_nobody_knows_are_refused(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();

    oribi_options_set_check(options, "some", status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'some'"));
    oribi_options_set_check(options, "all", status);
    small_expect_ok(status);
    oribi_options_set_record(options, "/no/such/folder/x.json", "nobody", status);
    small_expect_ok(status);
    assert_null(session_of(options, small_add_one, status));
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_non_null(strstr(TF_Message(status), "no step runs a node 'nobody'"));

    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static void a_checked_session_computes_the_same_for_every_shape(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();
    oribi_options_set_check(options, "plugins", status);
    oribi_session *session = session_of(options, small_add_one, status);
    small_expect_ok(status);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 6; i++) {
        const int64_t dims[2] = {1 + i % 3, 3};
        small_bind(run, 0, small_tensor(2, dims, (float)i));
        small_execute(run);
        TF_Tensor *z = small_result(run, 0);
        assert_int_equal(TF_Dim(z, 0), dims[0]);
        for (int64_t k = 0; k < 3 * dims[0]; k++) {
            assert_true(((const float *)TF_TensorData(z))[k] == (float)(i + k + 3));
        }
        TF_DeleteTensor(z);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

/* A failed run keeps the last good result, and names what was found; without the check it passes.
 */
static void a_fault_fails_the_run_of_the_session_that_checks(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (int checks = 0; checks < 2; checks++) {
        oribi_options *options = small_options();
        oribi_options_set_check(options, checks ? "plugins" : "off", status);
        oribi_session *session = session_of(options, write_nothing, status);
        small_expect_ok(status);
        oribi_run *run = small_run_of(session);
        small_bind(run, 0, small_tensor(2, DIMS, 1));
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), checks ? TF_INTERNAL : TF_OK);
        assert_true(!checks || strstr(TF_Message(status), "node 'n2' (op Test>Fn, kernel 'fn' of "
                                                          "application): check: unwritten-output: "
                                                          "output 0") != NULL);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        oribi_options_destroy(options);
    }
    TF_DeleteStatus(status);
}

/* With the n-th allocation failing, once options and graph are there; 0: none. */
static bool make_and_run(const char *file, uint64_t n)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();
    oribi_options_set_check(options, "all", status);
    oribi_options_set_record(options, file, "n0", status);
    small_expect_ok(status);
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS)), "z");
    TF_DeleteStatus(g.status);
    TF_Tensor *x = small_tensor(2, DIMS, 0);

    oribi_alloc_fail_at(n, false);
    oribi_session *session = oribi_session_from_graph(g.graph, options, status);
    oribi_run *run = session != NULL ? oribi_run_create(session, status) : NULL;
    if (run != NULL) {
        oribi_run_set_input(run, 0, x, status);
    }
    if (run != NULL && TF_GetCode(status) == TF_OK) {
        oribi_run_execute(run, status);
    }
    oribi_alloc_fail_at(0, false);
    const bool ok = run != NULL && TF_GetCode(status) == TF_OK;

    TF_DeleteTensor(x);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    return ok;
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    char file[] = "/tmp/oribi-checked-XXXXXX";
    const int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);

    assert_true(make_and_run(file, 0));
    for (uint64_t n = 1, good = 0; n < 4000 && good < 40; n++) {
        const int64_t live = fail_nth_live();
        good = make_and_run(file, n) ? good + 1 : 0; /* the record and the log may fail alone */
        assert_int_equal(fail_nth_live(), live);
    }

    FILE *written = fopen(file, "rb");
    assert_non_null(written);
    char text[64] = {0};
    assert_true(fread(text, 1, sizeof text - 1, written) > 0);
    assert_memory_equal(text, "{\"cases\":[{\"op\":\"Test>Fn\"", 25);
    fclose(written);
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_nobody_knows_are_refused),
        cmocka_unit_test(a_checked_session_computes_the_same_for_every_shape),
        cmocka_unit_test(a_fault_fails_the_run_of_the_session_that_checks),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
