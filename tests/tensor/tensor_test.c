/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: ownership, alignment, sharing and every refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fail_nth.h"
#include "tensor/status.h"
#include "tensor/tensor.h"
#include "tensorflow/c/dlpack.h"

typedef struct release_log {
    int calls;
    void *data;
    size_t bytes;
} release_log;

static void log_release(void *data, size_t bytes, void *arg)
{
    release_log *log = arg;
    log->calls++;
    log->data = data;
    log->bytes = bytes;
}

static _Alignas(64) unsigned char room[1024];
static const int64_t shape23[] = {2, 3};

static void aligned_memory_is_taken_and_given_back_with_the_last_handle(void **state)
{
    (void)state;
    release_log log = {0};
    TF_Tensor *t = TF_NewTensor(TF_FLOAT, shape23, 2, room, 24, log_release, &log);
    assert_non_null(t);
    assert_ptr_equal(TF_TensorData(t), room);
    assert_int_equal(TF_TensorType(t), TF_FLOAT);
    assert_int_equal(TF_NumDims(t), 2);
    assert_int_equal(TF_Dim(t, 0), 2);
    assert_int_equal(TF_Dim(t, 1), 3);
    assert_int_equal(TF_TensorByteSize(t), 24);
    assert_int_equal(TF_TensorElementCount(t), 6);
    assert_true(TF_TensorIsAligned(t));
    assert_null(TF_TensorMaybeMove(t)); /* memory of a caller never moves */

    TF_Tensor *shared = oribi_tensor_share(t);
    TF_DeleteTensor(t);
    assert_int_equal(log.calls, 0);
    assert_ptr_equal(TF_TensorData(shared), room);
    TF_DeleteTensor(shared);

    assert_int_equal(log.calls, 1);
    assert_ptr_equal(log.data, room);
    assert_int_equal(log.bytes, 24);
}

static void unaligned_plain_bytes_are_copied_and_released_at_once(void **state)
{
    (void)state;
    release_log log = {0};
    for (int i = 0; i < 24; i++) {
        room[4 + i] = (unsigned char)i;
    }
    TF_Tensor *t = TF_NewTensor(TF_FLOAT, shape23, 2, room + 4, 24, log_release, &log);

    assert_int_equal(log.calls, 1);
    assert_ptr_equal(log.data, room + 4);
    assert_memory_equal(TF_TensorData(t), room + 4, 24);
    assert_ptr_not_equal(TF_TensorData(t), room + 4);
    assert_true(TF_TensorIsAligned(t));
    assert_ptr_equal(TF_TensorMaybeMove(t), t); /* the copy is ours */
    TF_DeleteTensor(t);
    assert_int_equal(log.calls, 1);
}

static void unaligned_strings_are_not_copied(void **state)
{
    (void)state;
    release_log log = {0};
    memset(room, 0, sizeof(room));
    TF_Tensor *t = TF_NewTensor(TF_STRING, NULL, 0, room + 8, 24, log_release, &log);
    assert_ptr_equal(TF_TensorData(t), room + 8);
    assert_true(TF_TensorIsAligned(t));
    TF_DeleteTensor(t);
    assert_int_equal(log.calls, 1);
}

static void refused_tensors_release_their_memory_once(void **state)
{
    (void)state;
    static const int64_t negative[] = {2, -3}, huge[] = {INT64_MAX, 8}, two[] = {2};
    static const struct {
        TF_DataType dtype;
        const int64_t *dims;
        int rank;
        size_t bytes;
    } refused[] = {
        {TF_FLOAT, shape23, 2, 23},  {TF_FLOAT, negative, 2, 1000}, {TF_FLOAT, huge, 2, 1000},
        {TF_STRING, two, 1, 47},     {(TF_DataType)0, two, 1, 100}, {(TF_DataType)101, two, 1, 100},
        {TF_FLOAT, shape23, -1, 24}, {TF_FLOAT, shape23, 255, 24},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        release_log log = {0};
        assert_null(TF_NewTensor(refused[i].dtype, refused[i].dims, refused[i].rank, room,
                                 refused[i].bytes, log_release, &log));
        assert_int_equal(log.calls, 1);
        assert_null(TF_AllocateTensor(refused[i].dtype, refused[i].dims, refused[i].rank,
                                      refused[i].bytes));
    }
}

static void allocated_tensors_are_aligned_and_may_be_larger(void **state)
{
    (void)state;
    for (size_t extra = 0; extra < 200; extra += 13) {
        TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, shape23, 2, 24 + extra);
        assert_int_equal((uintptr_t)TF_TensorData(t) % TF_TensorDefaultAlignment(), 0);
        assert_int_equal(TF_TensorByteSize(t), 24 + extra);
        memset(TF_TensorData(t), 1, 24 + extra);
        TF_DeleteTensor(t);
    }
    assert_int_equal(TF_TensorDefaultAlignment(), 64);
    TF_DeleteTensor(NULL);
}

static void empty_tensors_and_scalars_exist(void **state)
{
    (void)state;
    static const int64_t empty[] = {3, 0, 2};
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, empty, 3, 0);
    assert_non_null(TF_TensorData(t));
    assert_int_equal(TF_TensorElementCount(t), 0);
    assert_int_equal(TF_TensorByteSize(t), 0);
    TF_DeleteTensor(t);

    t = TF_AllocateTensor(TF_DOUBLE, NULL, 0, 8);
    assert_int_equal(TF_NumDims(t), 0);
    assert_int_equal(TF_TensorElementCount(t), 1);
    assert_int_equal(TF_Dim(t, 0), -1);
    TF_DeleteTensor(t);
    t = TF_NewTensor(TF_FLOAT, empty, 3, NULL, 0, NULL, NULL);
    assert_non_null(t);
    TF_DeleteTensor(t);
}

static void move_needs_sole_ownership(void **state)
{
    (void)state;
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, shape23, 2, 24);
    assert_ptr_equal(TF_TensorMaybeMove(t), t);
    TF_Tensor *shared = oribi_tensor_share(t);
    assert_null(TF_TensorMaybeMove(t));
    assert_null(TF_TensorMaybeMove(shared));
    TF_DeleteTensor(t);
    assert_ptr_equal(TF_TensorMaybeMove(shared), shared);
    TF_DeleteTensor(shared);
}

static void set_shape_replaces_dims_of_any_rank(void **state)
{
    (void)state;
    int64_t dims[254];
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, shape23, 2, 24);
    for (int i = 0; i < 254; i++) {
        dims[i] = i + 1;
    }
    for (int rank = 0; rank <= 254; rank += rank < 12 ? 1 : 11) {
        TF_SetShape(t, dims, rank);
        assert_int_equal(TF_NumDims(t), rank);
        for (int i = 0; i < rank; i++) {
            assert_int_equal(TF_Dim(t, i), i + 1);
        }
        TF_Tensor *shared = oribi_tensor_share(t);
        assert_int_equal(TF_NumDims(shared), rank);
        TF_DeleteTensor(shared);
    }
    TF_SetShape(t, dims, 20);
    TF_SetShape(t, t->dims, 5); /* its own dims, from the heap to inline */
    assert_int_equal(TF_Dim(t, 4), 5);
    TF_SetShape(t, dims, 255);
    assert_int_equal(TF_NumDims(t), 5);
    assert_int_equal(TF_TensorElementCount(t), 120);
    TF_DeleteTensor(t);
}

static void strings_die_with_the_last_handle_only(void **state)
{
    (void)state;
    static const int64_t four[] = {4};
    static const char text[] = "a text that is longer than what a small string can hold";
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, four, 1, 4 * sizeof(TF_TString));
    TF_TString *strings = TF_TensorData(t);
    for (int i = 0; i < 3; i++) { /* the fourth is left as it came */
        TF_TString_Init(&strings[i]);
        TF_TString_Copy(&strings[i], text, i == 1 ? 3 : sizeof(text));
    }
    TF_Tensor *shared = oribi_tensor_share(t);
    TF_DeleteTensor(t);
    assert_string_equal(TF_TString_GetDataPointer(&strings[2]), text);
    assert_int_equal(TF_TString_GetSize(&strings[3]), 0);
    TF_DeleteTensor(shared); /* the leak checker of the sanitizer build is the judge here */
}

static void bitcast_shares_storage_under_a_new_shape(void **state)
{
    (void)state;
    static const int64_t dims[] = {3, 4, 2};
    release_log log = {0};
    TF_Status *s = TF_NewStatus();
    TF_SetStatus(s, TF_INTERNAL, "older");
    TF_Tensor *from = TF_AllocateTensor(TF_FLOAT, shape23, 2, 24);
    TF_Tensor *to = TF_NewTensor(TF_INT8, NULL, 0, room, 1, log_release, &log);

    TF_TensorBitcastFrom(from, TF_UINT8, to, dims, 3, s);

    assert_int_equal(TF_GetCode(s), TF_OK);
    assert_int_equal(log.calls, 1); /* what `to` held before */
    assert_ptr_equal(TF_TensorData(to), TF_TensorData(from));
    assert_int_equal(TF_TensorType(to), TF_UINT8);
    assert_int_equal(TF_Dim(to, 1), 4);
    assert_int_equal(TF_TensorByteSize(to), 24);
    assert_null(TF_TensorMaybeMove(from));
    TF_TensorBitcastFrom(to, TF_INT16, to, (const int64_t[]){12}, 1, s); /* onto itself */
    assert_int_equal(TF_GetCode(s), TF_OK);
    TF_TensorBitcastFrom(to, TF_FLOAT, from, shape23, 2, s); /* back: the same storage */
    assert_int_equal(TF_GetCode(s), TF_OK);
    TF_DeleteTensor(to);
    assert_ptr_equal(TF_TensorMaybeMove(from), from);
    TF_DeleteTensor(from);
    TF_DeleteStatus(s);
}

static void bitcast_refuses_other_sizes_and_leaves_the_target(void **state)
{
    (void)state;
    static const int64_t six[] = {6}, five[] = {5}, negative[] = {-6}, huge[] = {INT64_MAX};
    TF_Status *s = TF_NewStatus();
    TF_Tensor *from = TF_AllocateTensor(TF_FLOAT, six, 1, 24);
    TF_Tensor *to = TF_AllocateTensor(TF_INT8, five, 1, 5);
    void *data = TF_TensorData(to);
    static const struct {
        TF_DataType dtype;
        const int64_t *dims;
        int rank;
    } refused[] = {{TF_FLOAT, five, 1},      {TF_STRING, six, 1}, {TF_FLOAT, negative, 1},
                   {TF_DOUBLE, huge, 1},     {TF_DOUBLE, six, 1}, {TF_RESOURCE, six, 1},
                   {(TF_DataType)0, six, 1}, {TF_FLOAT, six, -1}};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        TF_SetStatus(s, TF_OK, "");
        TF_TensorBitcastFrom(from, refused[i].dtype, to, refused[i].dims, refused[i].rank, s);

        assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
        assert_ptr_equal(TF_TensorData(to), data);
        assert_int_equal(TF_TensorType(to), TF_INT8);
        assert_int_equal(TF_Dim(to, 0), 5);
    }
    TF_DeleteTensor(from);
    TF_DeleteTensor(to);
    TF_DeleteStatus(s);
}

/* --- Storage of an owner --------------------------------------------------------------------- */

typedef struct owner {
    int open;
    float storage[6];
} owner;

static void owner_drop(TF_Tensor *tensor)
{
    ((owner *)tensor->owner)->open--;
    oribi_tensor_handle_free(tensor);
}

static void owner_leave(TF_Tensor *tensor)
{
    ((owner *)tensor->owner)->open--;
    tensor->owner_ops = NULL;
    tensor->owner = NULL;
}

static bool owner_is_plain(const TF_Tensor *tensor)
{
    (void)tensor;
    return false; /* as memory of a device */
}

static void owner_share(const TF_Tensor *from, TF_Tensor *to);
static const oribi_tensor_owner_ops owner_ops = {owner_drop, owner_share, owner_leave,
                                                 owner_is_plain};

static void owner_share(const TF_Tensor *from, TF_Tensor *to)
{
    to->data = from->data;
    to->bytes = from->bytes;
    to->owner_ops = &owner_ops;
    to->owner = from->owner;
    ((owner *)to->owner)->open++;
}

static void owned_storage_counts_every_handle(void **state)
{
    (void)state;
    owner o = {.open = 1};
    TF_Status *s = TF_NewStatus();
    TF_Tensor *t = oribi_tensor_handle(TF_FLOAT, shape23, 2);
    t->data = o.storage;
    t->bytes = sizeof(o.storage);
    t->owner_ops = &owner_ops;
    t->owner = &o;

    TF_Tensor *shared = oribi_tensor_share(t);
    TF_Tensor *cast = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
    TF_TensorBitcastFrom(t, TF_INT32, cast, shape23, 2, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    assert_int_equal(o.open, 3);
    TF_Status *refused = TF_NewStatus();
    assert_null(TF_TensorToDLPack(t, 0, refused)); /* for it is not plain */
    assert_int_equal(TF_GetCode(refused), TF_INVALID_ARGUMENT);
    TF_DeleteStatus(refused);
    assert_ptr_equal(TF_TensorData(cast), o.storage);
    assert_null(TF_TensorMaybeMove(cast));
    TF_Tensor *plain = TF_AllocateTensor(TF_UINT32, shape23, 2, 24);
    TF_TensorBitcastFrom(plain, TF_INT32, t, shape23, 2, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    assert_int_equal(o.open, 2);
    assert_ptr_equal(TF_TensorData(t), TF_TensorData(plain));
    TF_DeleteTensor(plain);
    TF_DeleteTensor(t);
    TF_DeleteTensor(shared);
    TF_DeleteTensor(cast);

    assert_int_equal(o.open, 0);
    TF_DeleteStatus(s);
}

/* --- Failing allocations --------------------------------------------------------------------- */

static const int64_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

static bool allocate_tensor(void *arg)
{
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, ones, *(int *)arg, 100);
    TF_Tensor *shared = t == NULL ? NULL : oribi_tensor_share(t);
    bool made = shared != NULL;
    TF_DeleteTensor(t);
    TF_DeleteTensor(shared);
    return made;
}

static bool wrap_tensor(void *arg)
{
    release_log log = {0};
    TF_Tensor *t = TF_NewTensor(TF_FLOAT, ones, 9, room + *(int *)arg, 100, log_release, &log);
    bool made = t != NULL;
    assert_int_equal(log.calls, !made || *(int *)arg != 0); /* refused or copied: released */
    TF_DeleteTensor(t);
    assert_int_equal(log.calls, 1);
    return made;
}

static bool cast_tensor(void *arg)
{
    TF_Status *s = TF_NewStatus();
    TF_Tensor *from = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
    TF_Tensor *to = TF_AllocateTensor(TF_INT8, NULL, 0, 1);
    bool made = from != NULL && to != NULL;
    if (made) {
        TF_TensorBitcastFrom(from, TF_INT32, to, ones, *(int *)arg, s);
        made = TF_GetCode(s) == TF_OK;
    }
    TF_DeleteTensor(to);
    TF_DeleteTensor(from);
    TF_DeleteStatus(s);
    return made;
}

static void creation_survives_each_failed_allocation(void **state)
{
    (void)state;
    int inline_rank = 8, heap_rank = 9, aligned = 0, unaligned = 4;
    /* Counts: heap of the thread, slab and so on; 1 more than the allocations of a success. */
    assert_true(fail_each_allocation(allocate_tensor, &inline_rank) >= 4);
    assert_true(fail_each_allocation(allocate_tensor, &heap_rank) >= 6);
    assert_true(fail_each_allocation(wrap_tensor, &aligned) >= 5);
    assert_true(fail_each_allocation(wrap_tensor, &unaligned) >= 5);
    assert_true(fail_each_allocation(cast_tensor, &heap_rank) >= 7);
}

static void steady_state_takes_nothing_from_the_heap(void **state)
{
    (void)state;
    release_log log = {0};
    TF_DeleteTensor(TF_NewTensor(TF_FLOAT, shape23, 2, room, 24, log_release, &log));
    TF_DeleteStatus(TF_NewStatus());
    uint64_t count = oribi_alloc_count();

    for (int i = 0; i < 1000; i++) {
        TF_Status *s = TF_NewStatus();
        TF_Tensor *t = TF_NewTensor(TF_FLOAT, shape23, 2, room, 24, log_release, &log);
        TF_Tensor *shared = oribi_tensor_share(t);
        (void)oribi_fail(s, TF_INTERNAL, "a message of less than %d bytes", 128);
        TF_DeleteTensor(t);
        TF_DeleteTensor(shared);
        TF_DeleteStatus(s);
    }

    assert_int_equal(oribi_alloc_count(), count);
    assert_int_equal(log.calls, 1001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_memory_is_taken_and_given_back_with_the_last_handle),
        cmocka_unit_test(unaligned_plain_bytes_are_copied_and_released_at_once),
        cmocka_unit_test(unaligned_strings_are_not_copied),
        cmocka_unit_test(refused_tensors_release_their_memory_once),
        cmocka_unit_test(allocated_tensors_are_aligned_and_may_be_larger),
        cmocka_unit_test(empty_tensors_and_scalars_exist),
        cmocka_unit_test(move_needs_sole_ownership),
        cmocka_unit_test(set_shape_replaces_dims_of_any_rank),
        cmocka_unit_test(strings_die_with_the_last_handle_only),
        cmocka_unit_test(bitcast_shares_storage_under_a_new_shape),
        cmocka_unit_test(bitcast_refuses_other_sizes_and_leaves_the_target),
        cmocka_unit_test(owned_storage_counts_every_handle),
        cmocka_unit_test(creation_survives_each_failed_allocation),
        cmocka_unit_test(steady_state_takes_nothing_from_the_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
