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
#include "tensorflow/c/kernel_op.h"
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

static oribi_session *everything_within(const int64_t *dims, bool uses_pool, int64_t bound)
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
    if (bound >= 0) {
        oribi_options_set_input_bound(options, "x", 0, bound, g.status);
        small_expect_ok(g.status);
    }
    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
    small_expect_ok(g.status);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    return session;
}

static oribi_session *everything(const int64_t *dims, bool uses_pool)
{
    return everything_within(dims, uses_pool, -1);
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

/* --- Asynchronous kernels -------------------------------------------------------------------- */

/* On the thread that runs: what another thread allocates for itself is not the run's. */
static void compute_at_once(void *kernel, TF_OpKernelContext *ctx,
                            TF_AsyncOpKernelDoneCallback *done)
{
    fn_table[(intptr_t)kernel](ctx);
    TF_RunAsyncOpKernelDoneCallback(done);
}

static bool no_hook_is_called;

static void call_hook(void *object)
{
    *(bool *)object = false;
}

static void with_a_hook(TF_OpKernelContext *ctx)
{
    assert_true(TF_OpKernelContext_OnCancel(ctx, call_hook, &no_hook_is_called));
    three_handles_and_a_status(ctx);
}

static oribi_session *asynchronous(const int64_t *dims)
{
    static const small_fn fns[4] = {view, with_a_hook, temp_as_output, in_place};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    oribi_value_id value = x;
    for (int i = 0; i < 8; i++) {
        value = small_node(&g, "Test>AtOnce", fns[i % 4], &value, 1);
        value = i % 4 == 1 ? small_fn1(&g, small_add_one, value) : value;
    }
    small_output(&g, value, "z");
    small_output(&g, small_node(&g, "Test>AtOnce", view, &x, 1), "same");
    small_output(&g, small_node(&g, "Test>AtOnce", temp_as_output, &value, 1), "temp");
    return small_finish(&g);
}

/* With one shape from the third run on, with several in turn once each was seen. */
static void asynchronous_kernels_allocate_nothing(void **state)
{
    (void)state;
    for (int n_shapes = 1; n_shapes <= 3; n_shapes += 2) {
        oribi_session *session = asynchronous(n_shapes == 1 ? DIMS : ANY);
        oribi_run *run = small_run_of(session);
        TF_Status *status = TF_NewStatus();
        TF_Tensor *inputs[3];
        for (int i = 0; i < n_shapes; i++) {
            const int64_t dims[2] = {4 + 3 * i, 16};
            inputs[i] = small_tensor(2, dims, 5);
        }
        no_hook_is_called = true;
        for (int i = 0; i < (n_shapes == 1 ? 2 : 4 * n_shapes); i++) {
            run_steadily(run, inputs[i % n_shapes], status);
        }
        const uint64_t before = oribi_alloc_count();

        start_counting();
        for (int i = 0; i < 10 * n_shapes; i++) {
            run_steadily(run, inputs[i % n_shapes], status);
        }
        expect_nothing(false); /* who waits and who is done meet at a lock */

        small_expect_ok(status);
        assert_int_equal(oribi_alloc_count(), before);
        assert_true(no_hook_is_called);
        const int64_t count = 16 * (4 + 3 * (n_shapes - 1));
        small_expect(run, 0, count, 13);
        small_expect(run, 1, count, 5);
        small_expect(run, 2, count, 14);
        for (int i = 0; i < n_shapes; i++) {
            TF_DeleteTensor(inputs[i]);
        }
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

static int setup_steady(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    static const char *const fn[] = {"fn: int", NULL};
    const int result = small_setup(state);
    small_define_op("Test>AtOnce", x, z, fn, small_same_shape);
    small_register(
        TF_NewAsyncKernelBuilder("Test>AtOnce", "CPU", small_create, compute_at_once, NULL),
        "at_once");
    return result;
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

static void run_rows(oribi_run *run, int64_t rows, TF_Status *status)
{
    const int64_t dims[2] = {rows, 16};
    const bool counted = counts;
    counts = false;
    TF_Tensor *input = small_tensor(2, dims, 1);
    counts = counted;
    run_steadily(run, input, status);
    small_expect_ok(status);
    counts = false;
    small_expect(run, 0, 16 * rows, 6);
    small_expect(run, 2, 16 * rows, 7);
    counts = counted;
    TF_DeleteTensor(input);
}

/* Lengths that were never seen, too. */
static void lengths_within_a_bound_share_a_plan_and_allocate_nothing(void **state)
{
    (void)state;
    oribi_session *session = everything_within(ANY, false, 1000);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    for (int64_t rows = 1; rows <= 1000; rows += 111) {
        run_rows(run, rows, status);
    }

    start_counting();
    for (int64_t i = 0; i < 200; i++) {
        run_rows(run, i * 37 % 1000 + 1, status);
    }
    expect_nothing(true);

    oribi_session_describe(session, "memory", json, status);
    small_expect_ok(status);
    assert_true(small_has(json, "\"plans\":1,"));
    TF_DeleteBuffer(json);
    const int64_t dims[2] = {1001, 16};
    TF_Tensor *input = small_tensor(2, dims, 1);
    oribi_run_set_input(run, 0, input, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_DeleteTensor(input);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* A kernel that calls two ops: what the first makes is a temporary, the second writes the output.
 */
static TF_KernelOp *new_op(TF_OpKernelConstruction *ctx, const char *name, small_fn fn,
                           TF_Status *status)
{
    const TF_DataType type = TF_FLOAT;
    TF_KernelOp *op = TF_NewKernelOp(ctx, name, status);
    TF_KernelOp_SetAttrInt(op, "fn", small_add_fn(fn), status);
    TF_KernelOp_Prepare(op, &type, 1, status);
    small_expect_ok(status);
    return op;
}

static void *create_caller(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_KernelOp **ops = oribi_alloc_zero(2, sizeof *ops);
    ops[0] = new_op(ctx, "Test>Blind", temp_as_output, status);
    ops[1] = new_op(ctx, "Test>Fn", three_handles_and_a_status, status);
    TF_DeleteStatus(status);
    return ops;
}

static void compute_caller(void *kernel, TF_OpKernelContext *ctx)
{
    TF_KernelOp **ops = kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x, *z, *made = NULL;
    if (small_open(ctx, &x, &z)) {
        TF_KernelOp_Run(ops[0], ctx, &x, 1, &made, 1, status);
        TF_KernelOp_Run(ops[1], ctx, &made, 1, &z, 1, status);
        TF_OpKernelContext_Failure(ctx, status);
    }
    TF_DeleteTensor(made);
    small_close(x, z);
    TF_DeleteStatus(status);
}

static void delete_caller(void *kernel)
{
    TF_KernelOp **ops = kernel;
    TF_DeleteKernelOp(ops[0]);
    TF_DeleteKernelOp(ops[1]);
    oribi_free(ops);
}

static void ops_that_a_kernel_calls_allocate_map_and_lock_nothing(void **state)
{
    (void)state;
    static const char *const in[] = {"x: float", NULL}, *const out[] = {"z: float", NULL};
    static const char *const attrs[] = {"fn: int", NULL};
    small_define_op("Test>Caller", in, out, attrs, small_same_shape);
    small_register(
        TF_NewKernelBuilder("Test>Caller", "CPU", create_caller, compute_caller, delete_caller),
        "caller");
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, small_node(&g, "Test>Caller", small_add_one, &x, 1), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Tensor *input = small_tensor(2, DIMS, 5);
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < 2; i++) {
        oribi_run_set_input(run, 0, input, status);
        oribi_run_execute(run, status);
    }
    small_expect_ok(status);

    start_counting();
    for (int i = 0; i < 10; i++) {
        oribi_run_set_input(run, 0, input, status);
        oribi_run_execute(run, status);
        TF_DeleteTensor(oribi_run_output(run, 0, status));
    }
    expect_nothing(true);

    small_expect_ok(status);
    small_expect(run, 0, 64, 7);
    TF_DeleteStatus(status);
    TF_DeleteTensor(input);
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
        cmocka_unit_test(lengths_within_a_bound_share_a_plan_and_allocate_nothing),
        cmocka_unit_test(loops_on_the_pool_allocate_nothing),
        cmocka_unit_test(asynchronous_kernels_allocate_nothing),
        cmocka_unit_test(shapes_in_turn_allocate_nothing_once_each_was_seen_twice),
        cmocka_unit_test(ops_that_a_kernel_calls_allocate_map_and_lock_nothing),
        cmocka_unit_test(the_counter_sees_an_allocation),
    };
    return cmocka_run_group_tests(tests, setup_steady, NULL);
}
