/* SPDX-License-Identifier: Apache-2.0 */
/* Handles across threads: remote frees, orphans, reuse, and nothing left at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "support/fail_nth.h"
#include "tensor/status.h"
#include "tensor/tensor.h"

enum { N_HANDLES = 500 };
static TF_Tensor *tensors[N_HANDLES];
static TF_Status *statuses[N_HANDLES];
static const int64_t one[] = {1};

static void make_all(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_HANDLES; i++) {
        tensors[i] = TF_AllocateTensor(TF_INT32, one, 1, 4);
        *(int32_t *)TF_TensorData(tensors[i]) = i;
        statuses[i] = TF_NewStatus();
        (void)oribi_fail(statuses[i], TF_INTERNAL, "status %d", i);
    }
}

static void delete_all(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_HANDLES; i++) {
        TF_DeleteTensor(tensors[i]);
        TF_DeleteStatus(statuses[i]);
    }
}

static void on_thread(void (*work)(void *arg))
{
    oribi_thread *thread = oribi_thread_start(work, NULL, "other", 0);
    assert_non_null(thread);
    oribi_thread_join(thread);
}

static void handles_outlive_the_thread_that_made_them(void **state)
{
    (void)state;
    int64_t live = fail_nth_live();
    on_thread(make_all);

    for (int i = 0; i < N_HANDLES; i++) {
        char expected[32];
        (void)snprintf(expected, sizeof(expected), "status %d", i);
        assert_int_equal(*(int32_t *)TF_TensorData(tensors[i]), i);
        assert_string_equal(TF_Message(statuses[i]), expected);
    }
    delete_all(NULL);

    assert_int_equal(fail_nth_live(), live);
}

static void handles_freed_elsewhere_are_used_again_here(void **state)
{
    (void)state;
    int64_t live = fail_nth_live();
    make_all(NULL);
    on_thread(delete_all);
    uint64_t count = oribi_alloc_count();

    TF_Status *kept[N_HANDLES];
    for (int i = 0; i < N_HANDLES; i++) {
        kept[i] = TF_NewStatus();
    }
    assert_int_equal(oribi_alloc_count(), count);
    for (int i = 0; i < N_HANDLES; i++) {
        TF_DeleteStatus(kept[i]);
    }

    assert_int_equal(fail_nth_live(), live);
}

static void new_thread_adopts_what_an_older_one_left(void **state)
{
    (void)state;
    int64_t live = fail_nth_live();
    on_thread(make_all);
    int64_t with_handles = fail_nth_live();
    for (int i = 0; i < 20; i++) { /* each takes over the slabs of the one before */
        on_thread(delete_all);
        on_thread(make_all);
    }

    assert_true(fail_nth_live() <= with_handles);
    delete_all(NULL);
    assert_int_equal(fail_nth_live(), live);
}

static void every_handle_is_distinct(void **state)
{
    (void)state;
    make_all(NULL);
    for (int i = 0; i < N_HANDLES; i++) {
        for (int j = 0; j < i; j++) {
            assert_ptr_not_equal(tensors[i], tensors[j]);
            assert_true((char *)tensors[i] + sizeof(TF_Tensor) <= (char *)tensors[j] ||
                        (char *)tensors[j] + sizeof(TF_Tensor) <= (char *)tensors[i]);
        }
    }
    delete_all(NULL);
}

/* --- Stress: threads make, share and delete each other's handles through a table ------------- */

enum { N_CELLS = 64, N_STEPS = 20000, N_THREADS = 4 };
static _Atomic(TF_Tensor *) cells[N_CELLS];
static _Atomic int failures;

static void swap_handles(void *arg)
{
    uint64_t x = 88172645463325252u + (uint64_t)(uintptr_t)arg * 7919;
    for (int i = 0; i < N_STEPS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        TF_Tensor *mine = TF_AllocateTensor(TF_INT64, one, 1, 8);
        TF_Status *status = TF_NewStatus();
        *(uint64_t *)TF_TensorData(mine) = (uint64_t)(uintptr_t)mine;
        if (x % 3 == 0) { /* a second handle keeps the storage when the first goes */
            TF_Tensor *shared = oribi_tensor_share(mine);
            *(uint64_t *)TF_TensorData(mine) = (uint64_t)(uintptr_t)shared;
            TF_DeleteTensor(mine);
            mine = shared;
        }
        TF_Tensor *other = atomic_exchange(&cells[x / 3 % N_CELLS], mine);
        if (other != NULL && *(uint64_t *)TF_TensorData(other) != (uint64_t)(uintptr_t)other) {
            failures++;
        }
        TF_DeleteTensor(other);
        TF_DeleteStatus(status);
    }
}

static void threads_trade_handles_without_loss(void **state)
{
    (void)state;
    int64_t live = fail_nth_live();
    for (int round = 0; round < 3; round++) {
        oribi_thread *threads[N_THREADS];
        for (uintptr_t i = 0; i < N_THREADS; i++) {
            threads[i] = oribi_thread_start(swap_handles, (void *)(i + 1), "stress", 0);
            assert_non_null(threads[i]);
        }
        for (int i = 0; i < N_THREADS; i++) {
            oribi_thread_join(threads[i]);
        }
    }
    for (int i = 0; i < N_CELLS; i++) {
        TF_DeleteTensor(atomic_exchange(&cells[i], NULL));
    }

    assert_int_equal(failures, 0);
    assert_int_equal(fail_nth_live(), live);
}

static void handles_left_open_at_the_end_are_no_crash(void **state)
{
    (void)state;
    /* One that stays reachable: the library's end must cope, and so must the leak checker. */
    static TF_Status *left;
    on_thread(make_all);
    delete_all(NULL);
    left = TF_NewStatus();
    assert_non_null(left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_outlive_the_thread_that_made_them),
        cmocka_unit_test(handles_freed_elsewhere_are_used_again_here),
        cmocka_unit_test(new_thread_adopts_what_an_older_one_left),
        cmocka_unit_test(every_handle_is_distinct),
        cmocka_unit_test(threads_trade_handles_without_loss),
        cmocka_unit_test(handles_left_open_at_the_end_are_no_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
