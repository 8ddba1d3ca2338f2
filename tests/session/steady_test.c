/* SPDX-License-Identifier: Apache-2.0 */
/* From the third run with the same shapes on, a run allocates nothing, maps nothing and takes no
 * lock, whatever its kernels do that the contract allows. The calls are counted by the linker's
 * wrapping (see CMakeLists.txt), so that nothing slips past our allocator either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/thread.h"
#include "plugin/plugin.h"
#include "session/small.h"
#include "tensorflow/c/thread_pool.h"

/* --- Counting -------------------------------------------------------------------------------- */

static _Atomic bool counts; /* only then, and only what happens in a run */
static _Atomic int n_allocations, n_maps, n_locks;

static void count(_Atomic int *counter)
{
    if (counts) {
        (*counter)++;
    }
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    count(&n_allocations);
    return __real_malloc(bytes);
}

void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes)
{
    count(&n_allocations);
    return __real_calloc(n, bytes);
}

void *__real_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes)
{
    count(&n_allocations);
    return __real_realloc(block, bytes);
}

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    count(&n_allocations);
    return __real_aligned_alloc(alignment, bytes);
}

int __real_posix_memalign(void **block, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes)
{
    count(&n_allocations);
    return __real_posix_memalign(block, alignment, bytes);
}

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    count(&n_maps);
    return __real_mmap(at, bytes, protection, flags, file, offset);
}

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    count(&n_locks);
    return __real_pthread_mutex_lock(mutex);
}

static void start_counting(void)
{
    n_allocations = 0;
    n_maps = 0;
    n_locks = 0;
    counts = true;
}

static void expect_nothing(bool locks_too)
{
    counts = false;
    assert_int_equal(n_allocations, 0);
    assert_int_equal(n_maps, 0);
    assert_true(!locks_too || n_locks == 0);
}

/* --- Kernels --------------------------------------------------------------------------------- */

static const int64_t DIMS[2] = {4, 16};
static const int64_t ANY[2] = {-1, 16};

static void three_handles_and_a_status(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Status *other = TF_NewStatus();
    TF_Tensor *handles[3];
    for (int i = 0; i < 3; i++) {
        TF_GetInput(ctx, 0, &handles[i], status);
    }
    const int64_t dims[2] = {TF_Dim(handles[0], 0), 16};
    TF_Tensor *temps[2];
    for (int i = 0; i < 2; i++) {
        temps[i] = TF_AllocateTemp(ctx, TF_FLOAT, dims, 2, NULL, status);
    }
    TF_SetStatus(other, TF_ABORTED, "a text of a kernel that is dropped again");
    small_add_one(ctx);
    for (int i = 0; i < 3; i++) {
        TF_DeleteTensor(handles[i]);
    }
    TF_DeleteTensor(temps[0]);
    TF_DeleteTensor(temps[1]);
    TF_DeleteStatus(other);
    TF_DeleteStatus(status);
}

static void in_place(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    int forwarded = -1;
    const int candidates[1] = {0};
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[2] = {TF_Dim(x, 0), 16};
    TF_DeleteTensor(x);
    TF_Tensor *z =
        TF_ForwardInputOrAllocateOutput(ctx, candidates, 1, 0, dims, 2, &forwarded, status);
    TF_GetInput(ctx, 0, &x, status);
    for (int64_t i = 0; i < TF_TensorElementCount(z); i++) {
        ((float *)TF_TensorData(z))[i] = ((float *)TF_TensorData(x))[i] + 1.0f;
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void view(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_SetOutput(ctx, 0, x, status);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void temp_as_output(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[2] = {TF_Dim(x, 0), 16};
    TF_Tensor *z = TF_AllocateTemp(ctx, TF_FLOAT, dims, 2, NULL, status);
    for (int64_t i = 0; i < TF_TensorElementCount(z); i++) {
        ((float *)TF_TensorData(z))[i] = ((float *)TF_TensorData(x))[i] + 1.0f;
    }
    TF_SetOutput(ctx, 0, z, status);
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

typedef struct block_work {
    const float *from;
    float *to;
} block_work;

static void add_block(void *object, int64_t begin, int64_t end)
{
    const block_work *work = object;
    for (int64_t i = begin; i < end; i++) {
        work->to[i] = work->from[i] + 1.0f;
    }
}

static void on_the_pool(TF_OpKernelContext *ctx)
{
    TF_Tensor *x;
    TF_Tensor *z;
    if (small_open(ctx, &x, &z)) {
        block_work work = {TF_TensorData(x), TF_TensorData(z)};
        const TF_RangeCallable fn = {&work, add_block, NULL};
        TF_ThreadPool_ParallelFor(ctx, TF_TensorElementCount(x), 10000, fn);
    }
    small_close(x, z);
}

/* --- Tests ----------------------------------------------------------------------------------- */

static oribi_session *everything(const int64_t *dims, bool uses_pool)
{
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    oribi_value_id value = small_blind(&g, view, x);
    value = small_blind(&g, three_handles_and_a_status, value);
    value = small_fn1(&g, in_place, value);
    value = small_blind(&g, view, value);
    value = small_blind(&g, temp_as_output, value);
    value = small_fn1(&g, in_place, value);
    value = small_fn1(&g, uses_pool ? on_the_pool : small_add_one, value);
    small_output(&g, value, "z");
    small_output(&g, small_blind(&g, view, value), "same");
    small_output(&g, small_blind(&g, temp_as_output, value), "temp");
    oribi_options *options = small_options();
    oribi_options_set_threads(options, uses_pool ? 3 : 1);
    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
    small_expect_ok(g.status);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    return session;
}

static void run_steadily(oribi_run *run, TF_Tensor *input, TF_Status *status)
{
    oribi_run_set_input(run, 0, input, status);
    oribi_run_execute(run, status);
    for (int i = 0; i < 3; i++) {
        TF_DeleteTensor(oribi_run_output(run, i, status));
    }
}

static void the_third_run_allocates_maps_and_locks_nothing(void **state)
{
    (void)state;
    oribi_session *session = everything(DIMS, false);
    oribi_run *run = small_run_of(session);
    TF_Tensor *input = small_tensor(2, DIMS, 5);
    TF_Status *status = TF_NewStatus();
    run_steadily(run, input, status);
    run_steadily(run, input, status);
    const uint64_t before = oribi_alloc_count();

    start_counting();
    for (int i = 0; i < 10; i++) {
        run_steadily(run, input, status);
    }
    expect_nothing(true);

    small_expect_ok(status);
    assert_int_equal(oribi_alloc_count(), before);
    small_expect(run, 0, 64, 10);
    small_expect(run, 1, 64, 10);
    small_expect(run, 2, 64, 11);
    TF_DeleteStatus(status);
    TF_DeleteTensor(input);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void loops_on_the_pool_allocate_nothing(void **state)
{
    (void)state;
    oribi_session *session = everything(DIMS, true);
    oribi_run *run = small_run_of(session);
    TF_Tensor *input = small_tensor(2, DIMS, 5);
    TF_Status *status = TF_NewStatus();
    run_steadily(run, input, status);
    run_steadily(run, input, status);

    start_counting();
    for (int i = 0; i < 100; i++) {
        run_steadily(run, input, status);
    }
    expect_nothing(false); /* a worker that went to sleep is woken under the pool's lock */

    small_expect(run, 0, 64, 10);
    TF_DeleteStatus(status);
    TF_DeleteTensor(input);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void shapes_in_turn_allocate_nothing_once_each_was_seen_twice(void **state)
{
    (void)state;
    oribi_session *session = everything(ANY, false);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    TF_Tensor *inputs[4];
    for (int i = 0; i < 4; i++) {
        const int64_t dims[2] = {3 * i, 16};
        inputs[i] = small_tensor(2, dims, (float)i);
    }
    for (int round = 0; round < 3; round++) { /* output buffers grow with the largest */
        for (int i = 0; i < 4; i++) {
            run_steadily(run, inputs[i], status);
        }
    }

    start_counting();
    for (int i = 0; i < 40; i++) {
        run_steadily(run, inputs[i % 4], status);
    }
    expect_nothing(false); /* finding the plan of other shapes takes the session's lock */

    small_expect_ok(status);
    small_expect(run, 0, 144, 8);
    for (int i = 0; i < 4; i++) {
        TF_DeleteTensor(inputs[i]);
    }
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void the_counter_sees_an_allocation(void **state)
{
    (void)state;
    oribi_session *session = everything(ANY, false);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    TF_Tensor *input = small_tensor(2, DIMS, 0);

    start_counting();
    run_steadily(run, input, status); /* the first run plans and allocates */
    counts = false;

    assert_true(n_allocations > 0);
    assert_true(n_locks > 0);
    TF_DeleteTensor(input);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_run_allocates_maps_and_locks_nothing),
        cmocka_unit_test(loops_on_the_pool_allocate_nothing),
        cmocka_unit_test(shapes_in_turn_allocate_nothing_once_each_was_seen_twice),
        cmocka_unit_test(the_counter_sees_an_allocation),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
