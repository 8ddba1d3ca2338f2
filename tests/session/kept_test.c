/* SPDX-License-Identifier: Apache-2.0 */
/* Handles that a kernel keeps beyond its step or its run, temporaries that it keeps, and handles
 * that another thread deletes: bytes that a handle reads are not given to anyone else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/thread.h"
#include "session/small.h"

static const int64_t DIMS[2] = {8, 8};
enum { COUNT = 64, MAX_KEPT = 16 };

static TF_Tensor *kept[MAX_KEPT];
static int n_kept;

static void drop_kept(void)
{
    for (int i = 0; i < n_kept; i++) {
        TF_DeleteTensor(kept[i]);
        kept[i] = NULL;
    }
    n_kept = 0;
}

static void expect_kept(int index, float first)
{
    const float *data = TF_TensorData(kept[index]);
    for (int i = 0; i < COUNT; i++) {
        assert_true(data[i] == first + (float)i);
    }
}

static void keep_input(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    assert_true(n_kept < MAX_KEPT);
    TF_GetInput(ctx, 0, &kept[n_kept++], status);
    TF_DeleteStatus(status);
    small_add_one(ctx);
}

static void keep_output(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    small_add_one(ctx);
    kept[n_kept++] = TF_GetMutableOutput(ctx, 0, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void drop_then_add(TF_OpKernelContext *ctx)
{
    drop_kept();
    small_add_one(ctx);
}

/* x -> n small nodes -> fn -> m small nodes (perhaps the last one drops) */
static oribi_session *around(int n, small_fn fn, int m, small_fn last)
{
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, DIMS);
    for (int i = 0; i < n; i++) {
        value = small_fn1(&g, small_add_one, value);
    }
    value = small_fn1(&g, fn, value);
    for (int i = 0; i < m; i++) {
        value = small_fn1(&g, small_add_one, value);
    }
    small_output(&g, small_fn1(&g, last, value), "z");
    return small_finish(&g);
}

static void a_handle_kept_beyond_its_step_keeps_its_bytes(void **state)
{
    (void)state;
    static const small_fn keepers[2] = {keep_input, keep_output};
    for (int k = 0; k < 2; k++) {
        oribi_session *session = around(2, keepers[k], 6, drop_then_add);
        oribi_run *run = small_run_of(session);
        for (int i = 0; i < 5; i++) {
            small_bind(run, 0, small_tensor(2, DIMS, (float)i));
            small_execute(run);
            small_expect(run, 0, COUNT, (float)i + 10);
            assert_int_equal(n_kept, 0);
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

static void handles_kept_beyond_their_run_keep_their_bytes(void **state)
{
    (void)state;
    static const small_fn keepers[2] = {keep_input, keep_output};
    for (int k = 0; k < 2; k++) {
        const int64_t live = oribi_alloc_live();
        oribi_session *session = around(2, keepers[k], 4, small_add_one);
        oribi_run *run = small_run_of(session);
        for (int i = 0; i < 5; i++) {
            small_bind(run, 0, small_tensor(2, DIMS, (float)(100 * i)));
            small_execute(run);
            small_expect(run, 0, COUNT, (float)(100 * i) + 8);
        }
        for (int i = 0; i < 5; i++) {
            expect_kept(i, (float)(100 * i) + (k == 0 ? 2 : 3));
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        for (int i = 0; i < 5; i++) {
            expect_kept(i, (float)(100 * i) + (k == 0 ? 2 : 3));
        }
        drop_kept();
        assert_true(oribi_alloc_live() <= live + 8); /* slabs of handles may have grown */
    }
}

static void handles_on_the_callers_input_outlive_the_binding(void **state)
{
    (void)state;
    oribi_session *session = around(0, keep_input, 0, small_add_one);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 3; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)(10 * i)));
        small_execute(run);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);

    for (int i = 0; i < 3; i++) {
        expect_kept(i, (float)(10 * i));
    }
    drop_kept();
}

static void handles_on_a_graph_output_outlive_the_run(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, keep_output, small_input(&g, "x", 2, DIMS)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 6; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)(10 * i)));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)(10 * i) + 1);
    }

    for (int i = 0; i < 6; i++) {
        expect_kept(i, (float)(10 * i) + 1);
    }
    drop_kept();
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Temporaries ----------------------------------------------------------------------------- */

static void use_temporaries(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    const int64_t small[1] = {3};
    const int64_t empty[1] = {0};
    TF_Tensor *a = TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 2, NULL, status);
    TF_Tensor *b = TF_AllocateTemp(ctx, TF_INT64, small, 1, NULL, status);
    TF_Tensor *c = TF_AllocateTemp(ctx, TF_INT8, empty, 1, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(TF_TensorByteSize(a), COUNT * sizeof(float));
    assert_int_equal(TF_TensorType(b), TF_INT64);
    assert_non_null(TF_TensorData(c));
    assert_true(TF_TensorIsAligned(a) && TF_TensorIsAligned(b));
    memset(TF_TensorData(a), 0xee, COUNT * sizeof(float));
    memset(TF_TensorData(b), 0xdd, 24);
    small_add_one(ctx);
    assert_int_equal(((uint8_t *)TF_TensorData(a))[COUNT * sizeof(float) - 1], 0xee);
    assert_int_equal(((uint8_t *)TF_TensorData(b))[23], 0xdd);
    TF_DeleteTensor(a);
    TF_DeleteTensor(b);
    TF_DeleteTensor(c);
    TF_DeleteStatus(status);
}

static void temporaries_share_bytes_with_nothing_alive(void **state)
{
    (void)state;
    oribi_session *session = around(2, use_temporaries, 3, use_temporaries);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 5; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 7);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static TF_Tensor *cache; /* of a kernel that keeps its scratch from run to run */

static void keep_scratch(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    if (cache == NULL) {
        cache = TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 2, NULL, status);
        for (int i = 0; i < COUNT; i++) {
            ((float *)TF_TensorData(cache))[i] = 1000.0f + (float)i;
        }
    }
    TF_DeleteStatus(status);
    small_add_one(ctx);
}

static void a_temporary_may_be_kept_from_run_to_run(void **state)
{
    (void)state;
    oribi_session *session = around(2, keep_scratch, 4, small_add_one);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 5; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 8);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);

    for (int i = 0; i < COUNT; i++) {
        assert_true(((float *)TF_TensorData(cache))[i] == 1000.0f + (float)i);
    }
    TF_DeleteTensor(cache);
    cache = NULL;
}

static bool keeps_now;

static void keep_temporary_late(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *temp = TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 2, NULL, status);
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(temp))[i] = 7.0f + (float)i;
    }
    if (keeps_now) {
        kept[n_kept++] = temp;
    } else {
        TF_DeleteTensor(temp);
    }
    TF_DeleteStatus(status);
    small_add_one(ctx);
}

static void a_planned_temporary_may_suddenly_be_kept(void **state)
{
    (void)state;
    oribi_session *session = around(2, keep_temporary_late, 5, small_add_one);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 8; i++) {
        keeps_now = i >= 4;
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 9);
    }

    for (int i = 0; i < n_kept; i++) {
        expect_kept(i, 7.0f);
    }
    drop_kept();
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void refuse_bad_temporaries(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_AllocatorAttributes attrs = {.struct_size = 0};
    const int64_t negative[1] = {-1};
    const int64_t huge[2] = {INT64_MAX, INT64_MAX};
    assert_null(TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 2, &attrs, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_AllocateTemp(ctx, TF_FLOAT, negative, 1, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_AllocateTemp(ctx, TF_FLOAT, huge, 2, NULL, status));
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    const int64_t large[1] = {INT64_C(1) << 40};
    assert_null(TF_AllocateTemp(ctx, TF_INT8, large, 1, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    attrs.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
    attrs.on_host = 1;
    TF_DeleteTensor(TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 2, &attrs, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    small_add_one(ctx);
}

static void temporaries_that_cannot_be_are_refused(void **state)
{
    (void)state;
    oribi_session *session = around(1, refuse_bad_temporaries, 0, small_add_one);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 0));

    small_execute(run);

    small_expect(run, 0, COUNT, 3);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Other threads --------------------------------------------------------------------------- */

static void delete_kept(void *arg)
{
    (void)arg;
    drop_kept();
}

static void keep_and_delete_elsewhere(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_GetInput(ctx, 0, &kept[n_kept++], status);
    TF_GetInput(ctx, 0, &kept[n_kept++], status);
    oribi_thread *thread = oribi_thread_start(delete_kept, NULL, "deleter", 0);
    assert_non_null(thread);
    oribi_thread_join(thread);
    TF_DeleteStatus(status);
    small_add_one(ctx);
}

static void handles_may_be_deleted_by_another_thread(void **state)
{
    (void)state;
    oribi_session *session = around(2, keep_and_delete_elsewhere, 3, keep_and_delete_elsewhere);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 6; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 7);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void open_elsewhere(void *arg)
{
    TF_OpKernelContext *ctx = arg;
    TF_Status *status = TF_NewStatus();
    TF_GetInput(ctx, 0, &kept[n_kept++], status);
    TF_DeleteStatus(status);
}

static void keep_from_elsewhere(TF_OpKernelContext *ctx)
{
    oribi_thread *thread = oribi_thread_start(open_elsewhere, ctx, "opener", 0);
    assert_non_null(thread);
    oribi_thread_join(thread);
    small_add_one(ctx);
}

static void handles_that_another_thread_opened_keep_their_bytes(void **state)
{
    (void)state;
    oribi_session *session = around(2, keep_from_elsewhere, 4, small_add_one);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 4; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)(50 * i)));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)(50 * i) + 8);
    }
    oribi_run_destroy(run);

    for (int i = 0; i < 4; i++) {
        expect_kept(i, (float)(50 * i) + 2);
    }
    oribi_thread *thread = oribi_thread_start(delete_kept, NULL, "deleter", 0);
    oribi_thread_join(thread);
    oribi_session_destroy(session);
}

/* An output set from a handle that was kept from an earlier run. */
static void set_from_last_run(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_SetOutput(ctx, 0, n_kept > 0 ? kept[0] : x, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    drop_kept();
    kept[n_kept++] = x;
    TF_DeleteStatus(status);
}

static void an_output_may_be_set_from_a_handle_of_an_earlier_run(void **state)
{
    (void)state;
    oribi_session *session = around(1, set_from_last_run, 2, small_add_one);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 6; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)(10 * i)));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)(10 * (i > 0 ? i - 1 : 0)) + 4);
    }

    drop_kept();
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- A handle that comes back ---------------------------------------------------------------- */

static TF_Tensor *get(TF_OpKernelContext *ctx, TF_Status *status)
{
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(TF_NumDims(x), 2);
    assert_int_equal(TF_Dim(x, 0), DIMS[0]);
    assert_int_equal(TF_TensorType(x), TF_FLOAT);
    assert_int_equal(TF_TensorByteSize(x), COUNT * sizeof(float));
    return x;
}

static void misuse(TF_OpKernelContext *ctx)
{
    static const int64_t many[10] = {1, 1, 1, 1, 1, 1, 1, 1, 8, 8}, few[1] = {COUNT};
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = get(ctx, status), *again = get(ctx, status);
    assert_ptr_not_equal(x, again);
    TF_DeleteTensor(x);
    TF_DeleteTensor(again);
    x = get(ctx, status);
    TF_SetShape(x, many, 10); /* no room in the handle */
    again = get(ctx, status);
    TF_DeleteTensor(again);
    TF_DeleteTensor(x);
    x = get(ctx, status);
    TF_SetShape(x, few, 1);
    TF_DeleteTensor(x);
    TF_Tensor *other = TF_AllocateTensor(TF_INT32, few, 1, COUNT * sizeof(int32_t));
    x = get(ctx, status);
    TF_TensorBitcastFrom(other, TF_INT32, x, few, 1, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_ptr_equal(TF_TensorData(x), TF_TensorData(other));
    TF_DeleteTensor(other);
    kept[n_kept++] = x; /* a tensor like any other: it outlives the run */
    kept[n_kept++] = get(ctx, status);
    oribi_thread *thread = oribi_thread_start(delete_kept, NULL, "deleter", 0);
    assert_non_null(thread);
    oribi_thread_join(thread);
    TF_GetInput(ctx, 1, &x, status);
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    TF_DeleteTensor(get(ctx, status)); /* clears the status */
    TF_DeleteStatus(status);
    small_add_one(ctx);
}

static void a_handle_is_as_new_whatever_was_done_to_it(void **state)
{
    (void)state;
    oribi_session *session = around(1, misuse, 2, misuse);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 5; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 5);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_kept_beyond_its_step_keeps_its_bytes),
        cmocka_unit_test(handles_kept_beyond_their_run_keep_their_bytes),
        cmocka_unit_test(handles_on_the_callers_input_outlive_the_binding),
        cmocka_unit_test(handles_on_a_graph_output_outlive_the_run),
        cmocka_unit_test(temporaries_share_bytes_with_nothing_alive),
        cmocka_unit_test(a_temporary_may_be_kept_from_run_to_run),
        cmocka_unit_test(a_planned_temporary_may_suddenly_be_kept),
        cmocka_unit_test(temporaries_that_cannot_be_are_refused),
        cmocka_unit_test(handles_may_be_deleted_by_another_thread),
        cmocka_unit_test(handles_that_another_thread_opened_keep_their_bytes),
        cmocka_unit_test(an_output_may_be_set_from_a_handle_of_an_earlier_run),
        cmocka_unit_test(a_handle_is_as_new_whatever_was_done_to_it),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
