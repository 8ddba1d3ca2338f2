/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs in the caller's memory: written in place, copied where they must be, refused where they
 * do not fit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/small.h"

static const int64_t DIMS[2] = {3, 5};
static const int64_t ANY[2] = {-1, 5};
static const void *written; /* where the last kernel wrote */
static bool fails;

static void add_one_and_tell(TF_OpKernelContext *ctx)
{
    TF_Tensor *x, *z;
    if (small_open(ctx, &x, &z)) {
        const float *from = TF_TensorData(x);
        float *to = TF_TensorData(z);
        for (int64_t i = 0; i < TF_TensorElementCount(x); i++) {
            to[i] = from[i] + 1.0f;
        }
        written = to;
    }
    if (fails) {
        TF_Status *status = TF_NewStatus();
        TF_SetStatus(status, TF_INTERNAL, "on purpose");
        TF_OpKernelContext_Failure(ctx, status);
        TF_DeleteStatus(status);
    }
    small_close(x, z);
}

static oribi_session *adder(const int64_t *dims)
{
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, add_one_and_tell, small_input(&g, "x", 2, dims)), "z");
    return small_finish(&g);
}

static TF_Code set_output(oribi_run *run, int index, const TF_Tensor *tensor, const char *word)
{
    TF_Status *status = TF_NewStatus();
    oribi_run_set_output(run, index, tensor, status);
    const TF_Code code = TF_GetCode(status);
    if (code != TF_OK && strstr(TF_Message(status), word) == NULL) {
        print_error("'%s' does not say '%s'\n", TF_Message(status), word);
        fail();
    }
    TF_DeleteStatus(status);
    return code;
}

static void the_kernel_writes_where_the_caller_says(void **state)
{
    (void)state;
    oribi_session *session = adder(DIMS);
    oribi_run *run = small_run_of(session);
    TF_Tensor *own = small_tensor(2, DIMS, 90);
    assert_int_equal(set_output(run, 0, own, ""), TF_OK);

    for (int i = 0; i < 4; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, 15, (float)i + 1);
        assert_ptr_equal(written, TF_TensorData(own));
        assert_true(*(float *)TF_TensorData(own) == (float)i + 1);
    }
    assert_int_equal(set_output(run, 0, NULL, ""), TF_OK);
    small_execute(run);
    assert_ptr_not_equal(written, TF_TensorData(own));

    TF_DeleteTensor(own);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void the_tensor_may_be_deleted_and_outlives_the_run(void **state)
{
    (void)state;
    oribi_session *session = adder(DIMS);
    oribi_run *run = small_run_of(session);
    TF_Tensor *own = small_tensor(2, DIMS, 0);
    assert_int_equal(set_output(run, 0, own, ""), TF_OK);
    TF_DeleteTensor(own);
    small_bind(run, 0, small_tensor(2, DIMS, 7));
    small_execute(run);
    TF_Tensor *result = small_result(run, 0);
    oribi_run_destroy(run);
    oribi_session_destroy(session);

    assert_true(*(float *)TF_TensorData(result) == 8);
    TF_DeleteTensor(result);
}

static void memory_that_an_input_has_too_is_written_when_all_is_read(void **state)
{
    (void)state;
    oribi_session *session = adder(DIMS);
    oribi_run *run = small_run_of(session);
    TF_Tensor *both = small_tensor(2, DIMS, 1);
    TF_Status *status = TF_NewStatus();
    oribi_run_set_input(run, 0, both, status);
    small_expect_ok(status);
    assert_int_equal(set_output(run, 0, both, ""), TF_OK);

    for (int i = 2; i < 5; i++) {
        small_execute(run);
        small_expect(run, 0, 15, (float)i);
        assert_ptr_not_equal(written, TF_TensorData(both));
    }

    TF_DeleteStatus(status);
    TF_DeleteTensor(both);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void an_output_that_is_an_input_or_a_constant_is_copied_there(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, x, "x");
    small_output(&g, small_fn1(&g, small_add_one, x), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Tensor *own = small_tensor(2, DIMS, 0);
    assert_int_equal(set_output(run, 0, own, ""), TF_OK);
    small_bind(run, 0, small_tensor(2, DIMS, 4));

    small_execute(run);

    small_expect(run, 0, 15, 4);
    small_expect(run, 1, 15, 5);
    assert_true(*(float *)TF_TensorData(own) == 4);
    TF_DeleteTensor(own);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id z = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    small_output(&g, z, "z");
    small_output(&g, small_fn1(&g, small_add_one, z), "w");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    const int64_t wrong[2] = {5, 3};
    TF_Tensor *shape = small_tensor(2, wrong, 0), *good = small_tensor(2, DIMS, 0);
    TF_Tensor *type = TF_AllocateTensor(TF_INT32, DIMS, 2, 60);

    assert_int_equal(set_output(run, 0, shape, "'z' has shape [3,5]"), TF_INVALID_ARGUMENT);
    assert_int_equal(set_output(run, 0, type, "'z' is"), TF_INVALID_ARGUMENT);
    assert_int_equal(set_output(run, 2, good, "no output 2"), TF_INVALID_ARGUMENT);
    assert_int_equal(set_output(run, -1, good, "no output -1"), TF_INVALID_ARGUMENT);
    assert_int_equal(set_output(NULL, 0, good, "run"), TF_INVALID_ARGUMENT);
    assert_int_equal(set_output(run, 0, good, ""), TF_OK);
    assert_int_equal(set_output(run, 1, good, "shares memory with that of output 'z'"),
                     TF_INVALID_ARGUMENT);

    TF_DeleteTensor(shape);
    TF_DeleteTensor(type);
    TF_DeleteTensor(good);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_result_of_another_shape_fails_the_run_and_leaves_the_memory(void **state)
{
    (void)state;
    oribi_session *session = adder(ANY);
    oribi_run *run = small_run_of(session);
    const int64_t other[2] = {4, 5};
    TF_Tensor *own = small_tensor(2, DIMS, 50);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(2, DIMS, 0));
    small_execute(run);
    assert_int_equal(set_output(run, 0, own, ""), TF_OK);
    small_bind(run, 0, small_tensor(2, other, 0));

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'z' has shape [4,5]"));
    assert_true(*(float *)TF_TensorData(own) == 50);
    small_expect(run, 0, 15, 1); /* of the last good run */
    TF_DeleteStatus(status);
    TF_DeleteTensor(own);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_run_that_fails_does_not_disturb_the_next(void **state)
{
    (void)state;
    oribi_session *session = adder(DIMS);
    oribi_run *run = small_run_of(session);
    TF_Tensor *own = small_tensor(2, DIMS, 0);
    TF_Status *status = TF_NewStatus();
    assert_int_equal(set_output(run, 0, own, ""), TF_OK);
    small_bind(run, 0, small_tensor(2, DIMS, 2));
    fails = true;
    oribi_run_execute(run, status);
    fails = false;
    assert_int_equal(TF_GetCode(status), TF_INTERNAL);

    small_execute(run);

    small_expect(run, 0, 15, 3);
    TF_DeleteStatus(status);
    TF_DeleteTensor(own);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void steady_runs_into_the_callers_memory_allocate_nothing(void **state)
{
    (void)state;
    oribi_session *session = adder(DIMS);
    oribi_run *run = small_run_of(session);
    TF_Tensor *own = small_tensor(2, DIMS, 0);
    assert_int_equal(set_output(run, 0, own, ""), TF_OK);
    small_bind(run, 0, small_tensor(2, DIMS, 2));
    for (int i = 0; i < 3; i++) {
        small_execute(run);
    }
    TF_Status *status = TF_NewStatus();
    const uint64_t before = oribi_alloc_count();

    for (int i = 0; i < 10; i++) {
        oribi_run_execute(run, status);
    }

    assert_int_equal(oribi_alloc_count(), before);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    TF_DeleteTensor(own);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_writes_where_the_caller_says),
        cmocka_unit_test(the_tensor_may_be_deleted_and_outlives_the_run),
        cmocka_unit_test(memory_that_an_input_has_too_is_written_when_all_is_read),
        cmocka_unit_test(an_output_that_is_an_input_or_a_constant_is_copied_there),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(a_result_of_another_shape_fails_the_run_and_leaves_the_memory),
        cmocka_unit_test(a_run_that_fails_does_not_disturb_the_next),
        cmocka_unit_test(steady_runs_into_the_callers_memory_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
