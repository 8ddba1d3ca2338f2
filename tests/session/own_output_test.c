/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs in the caller's memory: written in place, copied where they must be, refused where they
 * do not fit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "plugin/plugin.h"
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

/* z = y + 1, over the memory of its last input y where the host allows; of another one, x, twice
 * what is at the other end is added. */
static void add_in_place(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *y = NULL;
    const int last = TF_NumInputs(ctx) - 1;
    int64_t dims[2];
    int forwarded = -1;
    TF_GetInput(ctx, last, &y, status);
    if (last == 1) {
        TF_GetInput(ctx, 0, &x, status);
    }
    const float *from = TF_TensorData(y), *other = x != NULL ? TF_TensorData(x) : NULL;
    for (int k = 0; k < 2; k++) {
        dims[k] = TF_Dim(y, k);
    }
    TF_DeleteTensor(y);
    TF_Tensor *z = TF_ForwardInputOrAllocateOutput(ctx, &last, 1, 0, dims, 2, &forwarded, status);
    float *to = TF_TensorData(z);
    const int64_t n = TF_TensorElementCount(z);
    assert_int_equal(forwarded == last, (const float *)to == from);
    for (int64_t i = 0; i < n; i++) {
        to[i] = from[i] + 1.0f + (other != NULL ? 2.0f * other[n - 1 - i] : 0.0f);
    }
    written = to;
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
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

static void give(oribi_run *run, int input, const TF_Tensor *tensor)
{
    TF_Status *status = TF_NewStatus();
    oribi_run_set_input(run, input, tensor, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
}

static void leave(void *data, size_t bytes, void *arg)
{
    (void)data;
    (void)bytes;
    (void)arg;
}

/* 3 x 5 floats that begin `lines` times 64 bytes into the memory. */
static TF_Tensor *part(char *memory, int lines)
{
    return TF_NewTensor(TF_FLOAT, DIMS, 2, memory + 64 * lines, 60, leave, NULL);
}

static void fill(TF_Tensor *tensor, float value)
{
    for (int i = 0; i < 15; i++) {
        ((float *)TF_TensorData(tensor))[i] = value + (float)i;
    }
}

static void a_kernel_that_asks_writes_over_the_input_that_lies_there(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, add_in_place, small_input(&g, "x", 2, ANY)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Tensor *both = small_tensor(2, DIMS, 1);
    uint64_t before = 0;
    give(run, 0, both);
    assert_int_equal(set_output(run, 0, both, ""), TF_OK);

    for (int i = 2; i < 12; i++) {
        before = i == 5 ? oribi_alloc_count() : before;
        TF_Status *status = TF_NewStatus();
        oribi_run_execute(run, status);
        small_expect_ok(status);
        TF_DeleteStatus(status);
        assert_ptr_equal(written, TF_TensorData(both));
        assert_true(((float *)TF_TensorData(both))[14] == (float)(i + 14));
    }
    assert_int_equal(oribi_alloc_count(), before);

    small_expect(run, 0, 15, 11);
    assert_int_equal(set_output(run, 0, NULL, ""), TF_OK);
    small_execute(run);
    small_expect(run, 0, 15, 12);
    assert_true(((float *)TF_TensorData(both))[0] == 11);
    TF_DeleteTensor(both);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void an_input_that_others_read_as_well_is_not_written_over(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        small_graph g = small_begin();
        const oribi_value_id x = small_input(&g, "x", 2, DIMS);
        const oribi_value_id a = small_fn1(&g, first ? small_add_one : add_in_place, x);
        const oribi_value_id b = small_fn1(&g, first ? add_in_place : small_add_one, x);
        small_output(&g, a, "a");
        small_output(&g, b, "b");
        oribi_session *session = small_finish(&g);
        oribi_run *run = small_run_of(session);
        TF_Tensor *both = small_tensor(2, DIMS, 1);
        give(run, 0, both);
        assert_int_equal(set_output(run, first, both, ""), TF_OK);

        for (int i = 2; i < 5; i++) {
            small_execute(run);
            small_expect(run, 0, 15, (float)i);
            small_expect(run, 1, 15, (float)i);
            assert_ptr_not_equal(written, TF_TensorData(both));
        }
        TF_DeleteTensor(both);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

/* x begins at line x of one memory, y at line y, the output at line z; lines of 16 floats, of which
 * a tensor has 15. in_place: may the output be y's? */
static void overlap_in_every_way(oribi_session *session, int x_at, int y_at, int z_at,
                                 bool in_place)
{
    _Alignas(64) static float memory[16 * 3];
    oribi_run *run = small_run_of(session);
    TF_Tensor *x = part((char *)memory, x_at), *y = part((char *)memory, y_at);
    TF_Tensor *z = part((char *)memory, z_at);
    give(run, 0, x);
    give(run, 1, y);
    assert_int_equal(set_output(run, 0, z, ""), TF_OK);
    for (int i = 0; i < 4; i++) {
        fill(x, 1);
        fill(y, 10); /* x has it too where they are one */
        small_execute(run);
        for (int k = 0; k < 15; k++) {
            const int first = x_at == y_at ? 10 : 1; /* of x, which y wrote over there */
            assert_true(((float *)TF_TensorData(z))[k] ==
                        (float)(10 + k + 1 + 2 * (first + 14 - k)));
        }
        assert_int_equal(written == TF_TensorData(z), in_place);
    }
    oribi_run_destroy(run);
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    TF_DeleteTensor(z);
}

static void memory_of_two_inputs_or_of_another_is_written_when_all_is_read(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS), y = small_input(&g, "y", 2, DIMS);
    small_output(&g, small_fn2(&g, add_in_place, x, y), "z");
    oribi_session *session = small_finish(&g);

    overlap_in_every_way(session, 0, 1, 2, true); /* nothing is shared */
    overlap_in_every_way(session, 0, 1, 1, true); /* over y */
    overlap_in_every_way(session, 0, 1, 0, false);
    overlap_in_every_way(session, 0, 0, 0, false);

    oribi_session_destroy(session);
}

/* The output begins a line behind its input or before it: each element of the one is another's. */
static void memory_that_overlaps_in_part_is_written_when_all_is_read(void **state)
{
    (void)state;
    static const int64_t dims[2] = {8, 5};
    for (int at = 0; at < 2; at++) {
        _Alignas(64) static float memory[16 + 40];
        small_graph g = small_begin();
        small_output(&g, small_fn1(&g, add_in_place, small_input(&g, "x", 2, dims)), "z");
        oribi_session *session = small_finish(&g);
        oribi_run *run = small_run_of(session);
        TF_Tensor *x = TF_NewTensor(TF_FLOAT, dims, 2, memory + 16 * at, 160, leave, NULL);
        TF_Tensor *z = TF_NewTensor(TF_FLOAT, dims, 2, memory + 16 * (1 - at), 160, leave, NULL);
        give(run, 0, x);
        assert_int_equal(set_output(run, 0, z, ""), TF_OK);
        for (int n = 0; n < 4; n++) {
            for (int i = 0; i < 40; i++) {
                ((float *)TF_TensorData(x))[i] = (float)(100 * n + i);
            }
            small_execute(run);
            for (int i = 0; i < 40; i++) {
                assert_true(((float *)TF_TensorData(z))[i] == (float)(100 * n + i + 1));
            }
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        TF_DeleteTensor(x);
        TF_DeleteTensor(z);
    }
}

/* z = past, then more, along axis 1 of [heads, rows, 4]. */
static oribi_session *grower(int64_t heads)
{
    const int64_t dims[3] = {heads, -1, 4}, one[3] = {heads, 1, 4};
    const int32_t axis = 1;
    small_graph g = small_begin();
    const oribi_value_id ids[3] = {
        small_input(&g, "past", 3, dims), small_input(&g, "more", 3, one),
        oribi_graph_add_constant_copy(g.graph, "axis", TF_INT32, NULL, 0, &axis, g.status)};
    oribi_node *node = oribi_graph_add_node(g.graph, "ConcatV2", "join", ids, 3, 1, g.status);
    assert_non_null(node);
    assert_true(oribi_graph_resolve(g.graph, node, g.status));
    small_output(&g, node->outputs[0], "present");
    return small_finish(&g);
}

static void count_allocations(void *arg, const oribi_trace_event *event)
{
    *(int *)arg += strcmp(event->kind, "alloc") == 0;
}

static void a_cache_that_grows_by_a_join_grows_where_it_is(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    for (int64_t heads = 1; heads <= 2; heads++) {
        _Alignas(64) static float memory[2 * ROWS * 4];
        static float wanted[2][ROWS * 4];
        oribi_session *session = grower(heads);
        oribi_run *run = small_run_of(session);
        const int64_t one[3] = {heads, 1, 4};
        TF_Tensor *more = small_tensor(3, one, 0);
        int allocations = 0;
        give(run, 1, more);
        for (int64_t rows = 0; rows < ROWS; rows++) {
            const int64_t before[3] = {heads, rows, 4}, after[3] = {heads, rows + 1, 4};
            const size_t row = 4 * sizeof(float);
            TF_Tensor *past = TF_NewTensor(TF_FLOAT, before, 3, memory,
                                           (size_t)(heads * rows) * row, leave, NULL);
            TF_Tensor *present = TF_NewTensor(TF_FLOAT, after, 3, memory,
                                              (size_t)(heads * (rows + 1)) * row, leave, NULL);
            for (int64_t k = 0; k < heads * 4; k++) {
                ((float *)TF_TensorData(more))[k] = (float)(100 * rows + k);
                wanted[k / 4][rows * 4 + k % 4] = (float)(100 * rows + k);
            }
            if (rows == 1) { /* before it nothing was there to grow */
                oribi_run_set_trace(run, count_allocations, &allocations);
            }
            give(run, 0, past);
            assert_int_equal(set_output(run, 0, present, ""), TF_OK);
            small_execute(run);
            for (int64_t h = 0; h < heads; h++) {
                assert_memory_equal(memory + h * (rows + 1) * 4, wanted[h],
                                    (size_t)(rows + 1) * row);
            }
            TF_DeleteTensor(past);
            TF_DeleteTensor(present);
        }
        assert_true(heads > 1 || allocations == 0);
        TF_DeleteTensor(more);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

static void a_run_that_would_have_another_shape_leaves_the_input_it_lies_over(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, add_in_place, small_input(&g, "x", 2, ANY)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    const int64_t more[2] = {4, 5};
    _Alignas(64) static float memory[32];
    TF_Tensor *x = TF_NewTensor(TF_FLOAT, more, 2, memory, 80, leave, NULL);
    TF_Tensor *z = part((char *)memory, 0);
    TF_Status *status = TF_NewStatus();
    give(run, 0, x);
    assert_int_equal(set_output(run, 0, z, ""), TF_OK);

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_true(memory[0] == 0 && memory[19] == 0);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
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

static int setup(void **state)
{
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);
    return small_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_writes_where_the_caller_says),
        cmocka_unit_test(the_tensor_may_be_deleted_and_outlives_the_run),
        cmocka_unit_test(memory_that_an_input_has_too_is_written_when_all_is_read),
        cmocka_unit_test(a_kernel_that_asks_writes_over_the_input_that_lies_there),
        cmocka_unit_test(an_input_that_others_read_as_well_is_not_written_over),
        cmocka_unit_test(memory_of_two_inputs_or_of_another_is_written_when_all_is_read),
        cmocka_unit_test(memory_that_overlaps_in_part_is_written_when_all_is_read),
        cmocka_unit_test(a_cache_that_grows_by_a_join_grows_where_it_is),
        cmocka_unit_test(a_run_that_would_have_another_shape_leaves_the_input_it_lies_over),
        cmocka_unit_test(an_output_that_is_an_input_or_a_constant_is_copied_there),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(a_result_of_another_shape_fails_the_run_and_leaves_the_memory),
        cmocka_unit_test(a_run_that_fails_does_not_disturb_the_next),
        cmocka_unit_test(steady_runs_into_the_callers_memory_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
