/* SPDX-License-Identifier: Apache-2.0 */
/* What is left when a program has shut the library down: nothing. A process for each case, because
 * none comes back from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "oribi/oribi.h"

#define MODEL TEST_SOURCE "/examples/digits/digits.onnx"

/* 0, or the number of the first step that was not as it should be. */
static int run_and_shut_down(void)
{
    const int64_t before = oribi_alloc_live();
    TF_Status *status = TF_NewStatus();
    oribi_plugin_load_file(TEST_BINARY "/examples/centre.so:key=value", status);
    oribi_model *model = oribi_model_open(MODEL, NULL, status);
    oribi_session *session = oribi_session_create(model, NULL, status);
    oribi_run *run = oribi_run_create(session, status);
    const int64_t dims[] = {1, 1, 8, 8};
    TF_Tensor *in = oribi_run_make_input(run, 0, dims, 4, status);
    oribi_run_set_input(run, 0, in, status);
    oribi_run_execute(run, status);
    TF_Tensor *out = oribi_run_output(run, 0, status);
    if (out == NULL || TF_GetCode(status) != TF_OK) {
        return 1;
    }
    oribi_model_destroy(model);
    oribi_session_destroy(session);
    oribi_shutdown(status); /* the run keeps its session */
    if (TF_GetCode(status) != TF_FAILED_PRECONDITION) {
        return 2;
    }
    oribi_run_execute(run, status);
    if (TF_GetCode(status) != TF_OK) {
        return 3;
    }
    oribi_run_destroy(run);
    for (int i = 0; i < 2; i++) {
        oribi_shutdown(status);
        if (TF_GetCode(status) != TF_OK) {
            return 4;
        }
    }
    TF_DeleteTensor(in);
    TF_DeleteTensor(out);
    TF_DeleteStatus(status);
    status = TF_NewStatus();
    TF_DeleteStatus(status);
    status = NULL;
    TF_Status *last = TF_NewStatus();
    oribi_shutdown(last);
    const int64_t left = oribi_alloc_live() - before - 2; /* this status and its heap */
    TF_DeleteStatus(last);
    return left > 0 ? 5 : 0;
}

static int use_afterwards(void)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    oribi_describe("ops", json, status);
    oribi_shutdown(status);
    if (TF_GetCode(status) != TF_OK) {
        return 1;
    }
    if (oribi_model_open(MODEL, NULL, status) != NULL ||
        TF_GetCode(status) != TF_FAILED_PRECONDITION) {
        return 2;
    }
    oribi_plugin_load_file(TEST_BINARY "/examples/centre.so", status);
    if (TF_GetCode(status) != TF_FAILED_PRECONDITION) {
        return 3;
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return 0;
}

static int in_a_child(int (*body)(void))
{
    int code = -1;
    const pid_t child = fork();
    if (child == 0) {
        _exit(body());
    }
    assert_true(child > 0 && waitpid(child, &code, 0) == child && WIFEXITED(code));
    return WEXITSTATUS(code);
}

static void nothing_is_left_after_a_shutdown(void **state)
{
    (void)state;
    assert_int_equal(in_a_child(run_and_shut_down), 0);
}

static void after_a_shutdown_nothing_is_opened(void **state)
{
    (void)state;
    assert_int_equal(in_a_child(use_afterwards), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left_after_a_shutdown),
        cmocka_unit_test(after_a_shutdown_nothing_is_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
