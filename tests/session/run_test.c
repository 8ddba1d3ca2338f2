/* SPDX-License-Identifier: Apache-2.0 */
/* A session's runs from the outside: bindings, results, failures, shapes that change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/small.h"

static const int64_t DIMS[2] = {3, 5};
static const int64_t ANY[2] = {-1, 5};

static oribi_session *chain(int length, const int64_t *dims)
{
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, dims);
    for (int i = 0; i < length; i++) {
        value = small_fn1(&g, small_add_one, value);
    }
    small_output(&g, value, "z");
    return small_finish(&g);
}

static void a_chain_computes_the_same_in_every_run(void **state)
{
    (void)state;
    oribi_session *session = chain(7, DIMS);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 5; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, 15, (float)i + 7);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void the_session_lives_as_long_as_its_runs(void **state)
{
    (void)state;
    oribi_session *session = chain(2, DIMS);
    oribi_run *run = small_run_of(session);

    oribi_session_destroy(session);
    small_bind(run, 0, small_tensor(2, DIMS, 0));
    small_execute(run);

    small_expect(run, 0, 15, 2);
    oribi_run_destroy(run);
}

static void an_unbound_input_is_named(void **state)
{
    (void)state;
    oribi_session *session = chain(1, DIMS);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    assert_non_null(strstr(TF_Message(status), "'x'"));
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void inputs_of_a_wrong_type_or_shape_are_refused(void **state)
{
    (void)state;
    oribi_session *session = chain(1, ANY);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    const int64_t wrong[2] = {3, 4};
    TF_Tensor *shape = small_tensor(2, wrong, 0);
    TF_Tensor *type = TF_AllocateTensor(TF_INT32, DIMS, 2, 60);

    oribi_run_set_input(run, 0, shape, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "[3,4]"));
    oribi_run_set_input(run, 0, type, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    oribi_run_set_input(run, 1, shape, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    oribi_run_set_input(run, 0, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);

    TF_DeleteTensor(shape);
    TF_DeleteTensor(type);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void results_need_a_run_and_a_known_index(void **state)
{
    (void)state;
    oribi_session *session = chain(1, DIMS);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();

    assert_null(oribi_run_output(run, 0, status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    assert_null(oribi_run_output(run, 1, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);

    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void results_stay_while_their_handles_live(void **state)
{
    (void)state;
    oribi_session *session = chain(3, DIMS);
    oribi_run *run = small_run_of(session);
    TF_Tensor *kept[8];

    for (int i = 0; i < 8; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)(100 * i)));
        small_execute(run);
        kept[i] = small_result(run, 0);
    }

    for (int i = 0; i < 8; i++) {
        assert_true(((float *)TF_TensorData(kept[i]))[0] == (float)(100 * i + 3));
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    for (int i = 0; i < 8; i++) {
        assert_true(((float *)TF_TensorData(kept[i]))[14] == (float)(100 * i + 17));
        TF_DeleteTensor(kept[i]);
    }
}

static void shapes_change_between_runs_and_plans_are_dropped(void **state)
{
    (void)state;
    oribi_session *session = chain(4, ANY);
    oribi_run *run = small_run_of(session);

    for (int round = 0; round < 3; round++) {
        for (int64_t rows = 0; rows < 24; rows++) { /* more than the plans that are kept */
            const int64_t dims[2] = {rows, 5};
            small_bind(run, 0, small_tensor(2, dims, (float)rows));
            small_execute(run);
            small_expect(run, 0, rows * 5, (float)rows + 4);
        }
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void an_output_that_is_an_input_is_a_copy(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, x, "same");
    small_output(&g, small_fn1(&g, small_add_one, x), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    TF_Tensor *input = small_tensor(2, DIMS, 1);
    oribi_run_set_input(run, 0, input, status);

    small_execute(run);
    memset(TF_TensorData(input), 0, TF_TensorByteSize(input));

    small_expect(run, 0, 15, 1);
    small_expect(run, 1, 15, 2);
    TF_DeleteTensor(input);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_constant_may_be_an_output(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const float values[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    const oribi_value_id c =
        oribi_graph_add_constant_copy(g.graph, "c", TF_FLOAT, DIMS, 2, values, g.status);
    small_output(&g, c, "c");
    small_output(&g, small_fn1(&g, small_add_one, c), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 3; i++) {
        small_execute(run);
        small_expect(run, 0, 15, 0);
        small_expect(run, 1, 15, 1);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Failures -------------------------------------------------------------------------------- */

static bool fails;

static void fail_sometimes(TF_OpKernelContext *ctx)
{
    if (fails) {
        TF_Status *status = TF_NewStatus();
        TF_SetStatus(status, TF_ABORTED, "first");
        TF_OpKernelContext_Failure(ctx, status);
        TF_SetStatus(status, TF_DATA_LOSS, "second");
        TF_OpKernelContext_Failure(ctx, status);
        TF_DeleteStatus(status);
        return;
    }
    small_add_one(ctx);
}

static void a_failing_kernel_is_named_and_the_last_good_result_stays(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, DIMS);
    value = small_fn1(&g, small_add_one, value);
    value = small_fn1(&g, fail_sometimes, value);
    small_output(&g, value, "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();

    for (int i = 0; i < 4; i++) {
        fails = false;
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        fails = true;
        small_bind(run, 0, small_tensor(2, DIMS, 50));
        oribi_run_execute(run, status);

        assert_int_equal(TF_GetCode(status), TF_ABORTED);
        assert_string_equal(TF_Message(status),
                            "node 'n1' (op Test>Fn, kernel 'fn' of application): first");
        small_expect(run, 0, 15, (float)i + 2);
    }

    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void set_nothing(TF_OpKernelContext *ctx)
{
    (void)ctx;
}

static void an_output_that_is_not_set_fails_the_run(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, set_nothing, small_input(&g, "x", 2, DIMS)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(2, DIMS, 0));

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    assert_non_null(strstr(TF_Message(status), "Missing 0-th output from node 'n0'"));
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Requests that differ from what was inferred ---------------------------------------------- */

/* Twice the elements, in one dimension; goes on whatever the host says. */
static void flatten(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[1] = {2 * TF_TensorElementCount(x)};
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_INT8, dims, 1, 3, status);
    if (z != NULL) {
        assert_int_equal(TF_TensorType(z), TF_FLOAT);
        assert_int_equal(TF_TensorByteSize(z), (size_t)dims[0] * sizeof(float));
        for (int64_t i = 0; i < dims[0]; i++) {
            ((float *)TF_TensorData(z))[i] = ((float *)TF_TensorData(x))[0] + (float)i;
        }
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

/* The input, seen as another shape. */
static void set_flat(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[1] = {TF_TensorElementCount(x)};
    TF_Tensor *z = TF_AllocateTensor(TF_FLOAT, dims, 1, (size_t)dims[0] * sizeof(float));
    TF_SetOutput(ctx, 0, z, status);
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void expect_two_shapes(void (*compute)(TF_OpKernelContext *))
{
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, DIMS);
    value = small_fn1(&g, small_add_one, value);
    value = small_fn1(&g, compute, value);
    small_output(&g, small_fn1(&g, small_add_one, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();

    for (int i = 0; i < 3; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_INTERNAL);
        assert_non_null(strstr(TF_Message(status), "output 0 of node '"));
        assert_non_null(strstr(TF_Message(status), "' from kernel '"));
        assert_non_null(
            strstr(TF_Message(status), compute == flatten ? "shape [30]" : "shape [15]"));
        assert_non_null(strstr(TF_Message(status), "function says [3,5]"));
    }
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void another_shape_than_was_inferred_is_an_error_that_names_both(void **state)
{
    (void)state;
    expect_two_shapes(flatten);
    expect_two_shapes(set_flat);
}

static void where_no_shape_was_inferred_a_kernel_chooses_it(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, DIMS);
    value = small_fn1(&g, small_add_one, value);
    value = small_blind(&g, flatten, value);
    small_output(&g, small_blind(&g, small_add_one, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 4; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, 30, (float)i + 2);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Outputs that are written after they were set ------------------------------------------------
 */

/* As TensorFlow has it output and tensor are one storage, from the moment that it is set. */
static void set_then_write(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_SetOutput(ctx, 0, x, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    for (int64_t i = 0; i < TF_TensorElementCount(x); i++) {
        ((float *)TF_TensorData(x))[i] += 1;
    }
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void an_input_that_is_set_as_output_may_still_be_written(void **state)
{
    (void)state;
    for (int is_output = 0; is_output < 2; is_output++) {
        small_graph g = small_begin();
        oribi_value_id value = small_input(&g, "x", 2, DIMS);
        value = small_fn1(&g, small_add_one, value);
        value = small_fn1(&g, set_then_write, value);
        value = is_output ? value : small_fn1(&g, small_add_one, value);
        small_output(&g, value, "z");
        oribi_session *session = small_finish(&g);
        oribi_run *run = small_run_of(session);
        for (int i = 0; i < 3; i++) { /* the first run has no plan for it */
            small_bind(run, 0, small_tensor(2, DIMS, (float)i));
            small_execute(run);
            small_expect(run, 0, 15, (float)i + (is_output ? 2 : 3));
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

static void ops_without_a_shape_function_are_planned_after_the_first_run(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, DIMS);
    for (int i = 0; i < 5; i++) {
        value = small_blind(&g, small_add_one, value);
    }
    small_output(&g, value, "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();

    for (int i = 0; i < 3; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, 15, (float)i + 5);
    }
    oribi_session_describe(session, "memory", json, status);

    small_expect_ok(status);
    assert_true(small_has(json, "\"arena_bytes\":128")); /* two of 60 bytes, rounded up */
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static int64_t varying_rows;

static void grow(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    const int64_t dims[2] = {varying_rows, 5};
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 2, 0, status);
    assert_non_null(z);
    for (int64_t i = 0; i < varying_rows * 5; i++) {
        ((float *)TF_TensorData(z))[i] = (float)i;
    }
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void sizes_that_depend_on_data_vary_from_run_to_run(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, DIMS);
    value = small_blind(&g, grow, value);
    value = small_blind(&g, small_add_one, value);
    value = small_blind(&g, small_add_one, value);
    small_output(&g, value, "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 0));
    static const int64_t rows[] = {3, 9, 1, 0, 40, 2, 40, 41, 7};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        varying_rows = rows[i];
        small_execute(run);
        small_expect(run, 0, rows[i] * 5, 2);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void memory_above_the_limit_is_refused_before_it_is_taken(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const int64_t dims[2] = {1000, 1000};
    oribi_value_id value = small_input(&g, "x", 2, dims);
    value = small_fn1(&g, small_add_one, value);
    small_output(&g, small_fn1(&g, small_add_one, value), "z");
    oribi_options *options = small_options();
    oribi_options_set_max_bytes(options, 1000000);
    const int64_t live = oribi_alloc_live();

    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);

    if (session != NULL) { /* the plan fits, the output does not */
        oribi_run *run = small_run_of(session);
        small_bind(run, 0, small_tensor(2, dims, 0));
        oribi_run_execute(run, g.status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
    assert_int_equal(TF_GetCode(g.status), TF_RESOURCE_EXHAUSTED);
    assert_true(oribi_alloc_live() <= live);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_computes_the_same_in_every_run),
        cmocka_unit_test(the_session_lives_as_long_as_its_runs),
        cmocka_unit_test(an_unbound_input_is_named),
        cmocka_unit_test(inputs_of_a_wrong_type_or_shape_are_refused),
        cmocka_unit_test(results_need_a_run_and_a_known_index),
        cmocka_unit_test(results_stay_while_their_handles_live),
        cmocka_unit_test(shapes_change_between_runs_and_plans_are_dropped),
        cmocka_unit_test(an_output_that_is_an_input_is_a_copy),
        cmocka_unit_test(a_constant_may_be_an_output),
        cmocka_unit_test(a_failing_kernel_is_named_and_the_last_good_result_stays),
        cmocka_unit_test(an_output_that_is_not_set_fails_the_run),
        cmocka_unit_test(another_shape_than_was_inferred_is_an_error_that_names_both),
        cmocka_unit_test(where_no_shape_was_inferred_a_kernel_chooses_it),
        cmocka_unit_test(an_input_that_is_set_as_output_may_still_be_written),
        cmocka_unit_test(ops_without_a_shape_function_are_planned_after_the_first_run),
        cmocka_unit_test(sizes_that_depend_on_data_vary_from_run_to_run),
        cmocka_unit_test(memory_above_the_limit_is_refused_before_it_is_taken),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
