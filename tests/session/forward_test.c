/* SPDX-License-Identifier: Apache-2.0 */
/* When an input is forwarded, and when it never is; aliases that kernels set; temporaries. Each
 * case runs several times, because the first runs only learn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/small.h"

static const int64_t DIMS[2] = {4, 6};
enum { COUNT = 24, RUNS = 5 };

static int forwarded; /* what the last forwarding kernel was told */

/* Output 0 in place of the first of the candidates, else allocated; adds 1. */
static void forward_of(TF_OpKernelContext *ctx, const int *candidates, int n, bool opens_first)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *early = NULL;
    TF_Tensor *x = NULL;
    forwarded = -2;
    if (opens_first) {
        TF_GetInput(ctx, 0, &early, status);
    }
    TF_Tensor *z =
        TF_ForwardInputOrAllocateOutput(ctx, candidates, n, 0, DIMS, 2, &forwarded, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_GetInput(ctx, 0, &x, status);
    const float *from = TF_TensorData(x);
    float *to = TF_TensorData(z);
    assert_true(forwarded != 0 || from == to);
    assert_true(forwarded == 0 || from != to);
    for (int i = 0; i < COUNT; i++) {
        to[i] = from[i] + 1.0f;
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
    TF_DeleteTensor(early);
    TF_DeleteStatus(status);
}

static void forward(TF_OpKernelContext *ctx)
{
    const int candidates[1] = {0};
    forward_of(ctx, candidates, 1, false);
}

static void forward_either(TF_OpKernelContext *ctx)
{
    const int candidates[2] = {1, 0};
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_Tensor *y = NULL;
    TF_Tensor *z =
        TF_ForwardInputOrAllocateOutput(ctx, candidates, 2, 0, DIMS, 2, &forwarded, status);
    TF_GetInput(ctx, 0, &x, status);
    TF_GetInput(ctx, 1, &y, status);
    for (int i = 0; i < COUNT; i++) { /* z may be x or y */
        ((float *)TF_TensorData(z))[i] =
            ((float *)TF_TensorData(x))[i] + ((float *)TF_TensorData(y))[i];
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void forward_while_open(TF_OpKernelContext *ctx)
{
    const int candidates[1] = {0};
    forward_of(ctx, candidates, 1, true);
}

/* Runs a session of one input and one output; returns what the last run forwarded. */
static int run_and_check(oribi_session *session, float added)
{
    oribi_run *run = small_run_of(session);
    for (int i = 0; i < RUNS; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + added);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    return forwarded;
}

static void an_intermediate_value_with_one_reader_is_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    value = small_fn1(&g, forward, value);
    small_output(&g, small_fn1(&g, small_add_one, value), "z");

    assert_int_equal(run_and_check(small_finish(&g), 3), 0);
}

static void a_chain_of_forwards_may_end_in_a_graph_output(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    for (int i = 0; i < 4; i++) {
        value = small_fn1(&g, forward, value);
    }
    small_output(&g, value, "z");

    assert_int_equal(run_and_check(small_finish(&g), 5), 0);
}

static void the_callers_input_is_never_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id value = small_fn1(&g, forward, small_input(&g, "x", 2, DIMS));
    small_output(&g, small_fn1(&g, small_add_one, value), "z");

    assert_int_equal(run_and_check(small_finish(&g), 2), -1);
}

static void a_constant_is_never_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    float values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = (float)i;
    }
    const oribi_value_id c =
        oribi_graph_add_constant_copy(g.graph, "c", TF_FLOAT, DIMS, 2, values, g.status);
    small_output(&g, small_fn1(&g, forward, c), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < RUNS; i++) {
        small_execute(run);
        small_expect(run, 0, COUNT, 1);
        assert_int_equal(forwarded, -1);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_graph_output_is_never_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    small_output(&g, value, "early");
    small_output(&g, small_fn1(&g, forward, value), "z");

    assert_int_equal(run_and_check(small_finish(&g), 1), -1);
}

static void a_value_with_a_later_reader_is_never_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    const oribi_value_id plus = small_fn1(&g, forward, value);
    small_output(&g, small_fn1(&g, small_add_one, value), "z"); /* must still see `value` */
    small_output(&g, plus, "plus");

    assert_int_equal(run_and_check(small_finish(&g), 2), -1);
}

static void a_value_given_twice_is_never_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    oribi_value_id twice = small_fn2(&g, forward_either, value, value);
    small_output(&g, twice, "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < RUNS; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, 0));
        small_execute(run);
        assert_int_equal(forwarded, -1);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_value_with_an_open_handle_is_never_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    value = small_fn1(&g, forward_while_open, value);
    small_output(&g, small_fn1(&g, small_add_one, value), "z");

    assert_int_equal(run_and_check(small_finish(&g), 3), -1);
}

static void the_first_candidate_that_may_be_is_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id a = small_fn1(&g, small_add_one, x);
    const oribi_value_id b = small_fn1(&g, small_add_one, x);
    const oribi_value_id sum = small_fn2(&g, forward_either, a, b);
    small_output(&g, small_fn1(&g, small_add_one, sum), "z");
    small_graph h = small_begin();
    const oribi_value_id y = small_input(&h, "x", 2, DIMS);
    const oribi_value_id only = small_fn1(&h, small_add_one, y);
    const oribi_value_id part = small_fn2(&h, forward_either, only, y);
    small_output(&h, small_fn1(&h, small_add_one, part), "z");
    oribi_session *sessions[2] = {small_finish(&g), small_finish(&h)};
    const int expected[2] = {1, 0};

    for (int k = 0; k < 2; k++) {
        oribi_run *run = small_run_of(sessions[k]);
        for (int i = 0; i < RUNS; i++) {
            small_bind(run, 0, small_tensor(2, DIMS, 0));
            small_execute(run);
        }
        assert_int_equal(forwarded, expected[k]);
        oribi_run_destroy(run);
        oribi_session_destroy(sessions[k]);
    }
}

static bool takes_turns;
static int turn;

static void forward_or_allocate_by_turns(TF_OpKernelContext *ctx)
{
    if (takes_turns && turn++ % 2 == 0) {
        small_add_one(ctx);
    } else {
        forward(ctx);
    }
}

static void a_kernel_may_change_its_mind_in_every_run(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        small_graph g = small_begin();
        oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
        value = small_fn1(&g, forward_or_allocate_by_turns, value);
        small_output(&g, small_fn1(&g, small_add_one, value), "z");
        takes_turns = true;
        turn = first;

        (void)run_and_check(small_finish(&g), 3);
    }
}

static void candidates_out_of_range_are_an_error_and_no_crash(void **state);
static TF_Code bad_code[3];

static void ask_for_bad_indices(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    const int bad[1] = {7};
    const int good[1] = {0};
    TF_Tensor *none = NULL;
    assert_null(TF_ForwardInputOrAllocateOutput(ctx, bad, 1, 0, DIMS, 2, NULL, status));
    bad_code[0] = TF_GetCode(status);
    assert_null(TF_ForwardInputOrAllocateOutput(ctx, good, 1, 3, DIMS, 2, NULL, status));
    bad_code[1] = TF_GetCode(status);
    TF_GetInput(ctx, -1, &none, status);
    bad_code[2] = TF_GetCode(status);
    assert_null(none);
    assert_null(TF_AllocateOutput(ctx, 1, TF_FLOAT, DIMS, 2, 0, status));
    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    TF_SetOutput(ctx, -1, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    assert_null(TF_GetMutableOutput(ctx, 2, status));
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    assert_int_equal(TF_InputDatatype(ctx, 9), 0);
    assert_int_equal(TF_ExpectedOutputDataType(ctx, -3), 0);
    assert_int_equal(TF_ExpectedOutputDataType(ctx, 0), TF_FLOAT);
    assert_false(TF_IsHostMemoryInput(ctx, 1, status));
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    assert_true(TF_IsHostMemoryOutput(ctx, 0, status));
    TF_DeleteTensor(TF_AllocateOutput(ctx, 0, TF_FLOAT, DIMS, 2, 0, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_null(TF_AllocateOutput(ctx, 0, TF_FLOAT, DIMS, 2, 0, status));
    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    TF_DeleteStatus(status);
}

static void candidates_out_of_range_are_an_error_and_no_crash(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, ask_for_bad_indices, small_input(&g, "x", 2, DIMS)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 0));

    for (int i = 0; i < RUNS; i++) {
        small_execute(run);
        assert_int_equal(bad_code[0], TF_INVALID_ARGUMENT);
        assert_int_equal(bad_code[1], TF_INTERNAL);
        assert_int_equal(bad_code[2], TF_OUT_OF_RANGE);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Aliases --------------------------------------------------------------------------------- */

static void set_input_as_output(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_SetOutput(ctx, 0, x, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void set_reshaped(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    const int64_t dims[3] = {2, 3, 4};
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_SetShape(x, dims, 3);
    TF_SetOutput(ctx, 0, x, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void set_bitcast(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    const int64_t none = 0;
    const int64_t dims[1] = {COUNT};
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_Tensor *z = TF_AllocateTensor(TF_INT32, &none, 1, 0);
    TF_TensorBitcastFrom(x, TF_FLOAT, z, dims, 1, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_SetOutput(ctx, 0, z, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void set_own_tensor(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_Tensor *z = small_tensor(2, DIMS, ((float *)TF_TensorData(x))[0] + 1.0f);
    TF_SetOutput(ctx, 0, z, status);
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void set_temporary(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_Tensor *other = TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 2, NULL, status);
    TF_Tensor *z = TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 2, NULL, status);
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(other))[i] = -1.0f;
        ((float *)TF_TensorData(z))[i] = ((float *)TF_TensorData(x))[i] + 1.0f;
    }
    TF_SetOutput(ctx, 0, z, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(other);
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

typedef struct alias_case {
    const char *name;
    small_fn fn;
    float added;
} alias_case;
static const alias_case aliases[] = {{"input", set_input_as_output, 0},
                                     {"reshaped", set_reshaped, 0},
                                     {"bitcast", set_bitcast, 0},
                                     {"own", set_own_tensor, 1},
                                     {"temporary", set_temporary, 1}};

/* x -> before nodes -> alias -> after nodes; the value before the alias is read again at the end */
static void check_alias(const alias_case *alias, int before, int after, bool reads_again)
{
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, DIMS);
    for (int i = 0; i < before; i++) {
        value = small_blind(&g, small_add_one, value);
    }
    const oribi_value_id source = value;
    value = small_blind(&g, alias->fn, value);
    for (int i = 0; i < after; i++) {
        value = small_blind(&g, small_add_one, value);
    }
    small_output(&g, value, "z");
    if (reads_again) {
        small_output(&g, small_blind(&g, small_add_one, source), "again");
    }
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    for (int i = 0; i < RUNS; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)(10 * i)));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)(10 * i + before + after) + alias->added);
        if (reads_again) {
            small_expect(run, 1, COUNT, (float)(10 * i + before + 1));
        }
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void aliases_that_kernels_set_keep_their_values(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof aliases / sizeof aliases[0]; k++) {
        for (int before = 0; before < 3; before++) {
            for (int after = 0; after < 3; after++) {
                check_alias(&aliases[k], before, after, false);
                check_alias(&aliases[k], before, after, true);
            }
        }
    }
}

static void a_view_that_is_still_read_keeps_its_source_from_being_forwarded(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    const oribi_value_id view = small_blind(&g, set_reshaped, value);
    const oribi_value_id changed = small_fn1(&g, small_add_one, view); /* reads `view` */
    const oribi_value_id other = small_blind(&g, set_input_as_output, view);
    const oribi_value_id in_place = small_fn1(&g, forward, other); /* other has one reader */
    small_output(&g, in_place, "in_place");
    small_output(&g, changed, "changed");
    small_output(&g, small_fn1(&g, small_add_one, view), "late"); /* reads `view` again */
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < RUNS; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 2);
        small_expect(run, 1, COUNT, (float)i + 2);
        small_expect(run, 2, COUNT, (float)i + 2);
        assert_int_equal(forwarded, -1);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void set_wrong_type(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *z = TF_AllocateTensor(TF_INT32, DIMS, 2, COUNT * 4);
    TF_SetOutput(ctx, 0, z, status);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void an_alias_of_another_type_fails_the_run(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, set_wrong_type, small_input(&g, "x", 2, DIMS)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(2, DIMS, 0));

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    assert_non_null(strstr(TF_Message(status),
                           "Output 0 of type int32 does not match declared output type float"));
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void set_shape_beyond_its_bytes(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    const int64_t dims[2] = {100, 100};
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_SetShape(x, dims, 2); /* checks nothing */
    TF_SetOutput(ctx, 0, x, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void an_alias_larger_than_its_bytes_is_refused(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, set_shape_beyond_its_bytes, small_input(&g, "x", 2, DIMS)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(2, DIMS, 0));

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_intermediate_value_with_one_reader_is_forwarded),
        cmocka_unit_test(a_chain_of_forwards_may_end_in_a_graph_output),
        cmocka_unit_test(the_callers_input_is_never_forwarded),
        cmocka_unit_test(a_constant_is_never_forwarded),
        cmocka_unit_test(a_graph_output_is_never_forwarded),
        cmocka_unit_test(a_value_with_a_later_reader_is_never_forwarded),
        cmocka_unit_test(a_value_given_twice_is_never_forwarded),
        cmocka_unit_test(a_value_with_an_open_handle_is_never_forwarded),
        cmocka_unit_test(the_first_candidate_that_may_be_is_forwarded),
        cmocka_unit_test(a_kernel_may_change_its_mind_in_every_run),
        cmocka_unit_test(candidates_out_of_range_are_an_error_and_no_crash),
        cmocka_unit_test(aliases_that_kernels_set_keep_their_values),
        cmocka_unit_test(a_view_that_is_still_read_keeps_its_source_from_being_forwarded),
        cmocka_unit_test(an_alias_of_another_type_fails_the_run),
        cmocka_unit_test(an_alias_larger_than_its_bytes_is_refused),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
