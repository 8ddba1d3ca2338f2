/* SPDX-License-Identifier: Apache-2.0 */
/* Batches that go through steps a few images at a time: what comes out is what the whole gives,
 * whatever kernels do that the contract allows, and only where each image goes its own way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "plugin/plugin.h"
#include "session/small.h"
#include "support/fail_nth.h"
#include "tensorflow/c/op_traits.h"

/* An image is larger than any second level of a cache. */
enum { N = 4, WIDTH = 1 << 19, COUNT = N * WIDTH };
static const int64_t DIMS[2] = {N, WIDTH};

static int64_t seen[64]; /* images of each call of a kernel */
static int n_seen;

static void note(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    assert_int_equal((uintptr_t)TF_TensorData(x) % 64, 0);
    assert_int_equal(TF_TensorByteSize(x), TF_TensorElementCount(x) * (int64_t)sizeof(float));
    assert_true(n_seen < 64);
    seen[n_seen++] = TF_Dim(x, 0);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

/* --- Kernels: all add one -------------------------------------------------------------------- */

static void add_one(TF_OpKernelContext *ctx)
{
    note(ctx);
    small_add_one(ctx);
}

static void in_place(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    const int candidates[1] = {0};
    note(ctx);
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[2] = {TF_Dim(x, 0), TF_Dim(x, 1)};
    const float *from = TF_TensorData(x);
    TF_DeleteTensor(x);
    TF_Tensor *z = TF_ForwardInputOrAllocateOutput(ctx, candidates, 1, 0, dims, 2, NULL, status);
    small_expect_ok(status);
    float *to = TF_TensorData(z);
    for (int64_t i = 0; i < TF_TensorElementCount(z); i++) {
        to[i] = from[i] + 1.0f;
    }
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

/* A tensor of the kernel's own, or a temporary, becomes the output. */
static void set_output(TF_OpKernelContext *ctx, bool is_temporary)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    note(ctx);
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[2] = {TF_Dim(x, 0), TF_Dim(x, 1)};
    TF_Tensor *z = is_temporary ? TF_AllocateTemp(ctx, TF_FLOAT, dims, 2, NULL, status)
                                : TF_AllocateTensor(TF_FLOAT, dims, 2, TF_TensorByteSize(x));
    for (int64_t i = 0; i < TF_TensorElementCount(z); i++) {
        ((float *)TF_TensorData(z))[i] = ((const float *)TF_TensorData(x))[i] + 1.0f;
    }
    TF_SetOutput(ctx, 0, z, status);
    small_expect_ok(status);
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void own_tensor(TF_OpKernelContext *ctx)
{
    set_output(ctx, false);
}

static void temporary(TF_OpKernelContext *ctx)
{
    set_output(ctx, true);
}

static TF_Tensor *kept[64];
static int n_kept;

static void keep_input(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    assert_true(n_kept < 64);
    TF_GetInput(ctx, 0, &kept[n_kept++], status);
    TF_DeleteStatus(status);
    add_one(ctx);
}

static int calls_until_failure;

static void fail_at_last(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    if (calls_until_failure-- == 0) {
        TF_SetStatus(status, TF_ABORTED, "as the test wants it");
        TF_OpKernelContext_Failure(ctx, status);
    } else {
        add_one(ctx);
    }
    TF_DeleteStatus(status);
}

static void add_both(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *y = NULL, *x = NULL, *z = NULL;
    TF_GetInput(ctx, 1, &y, status);
    if (small_open(ctx, &x, &z)) {
        assert_int_equal(TF_TensorByteSize(x), TF_TensorByteSize(y));
        for (int64_t i = 0; i < TF_TensorElementCount(z); i++) {
            ((float *)TF_TensorData(z))[i] =
                ((const float *)TF_TensorData(x))[i] + ((const float *)TF_TensorData(y))[i];
        }
    }
    small_close(x, z);
    TF_DeleteTensor(y);
    TF_DeleteStatus(status);
}

/* --- Graphs ---------------------------------------------------------------------------------- */

static void define(const char *name, int n_inputs)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddAttr(op, "fn: int");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    if (n_inputs == 2) {
        TF_OpDefinitionBuilderAddInput(op, "y: float");
    }
    TF_OpDefinitionBuilderAddOutput(op, "z: float");
    TF_OpDefinitionBuilderAddTrait(op, n_inputs == 2 ? "batch(x, y)" : "batch(x)");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, small_same_shape);
    TF_RegisterOpDefinition(op, status);
    small_expect_ok(status);
    small_register(TF_NewKernelBuilder(name, "CPU", small_create, small_compute, NULL), name);
    TF_DeleteStatus(status);
}

static int setup(void **state)
{
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);
    small_setup(state);
    define("Test>Image", 1);
    define("Test>Image2", 2);
    return 0;
}

static oribi_value_id image(small_graph *g, small_fn fn, oribi_value_id x)
{
    return small_node(g, "Test>Image", fn, &x, 1);
}

/* Runs it on first, first + 1, ...; the kernels that note saw `images` each time. */
static void run_once(oribi_run *run, float first, int n_calls, int64_t images)
{
    n_seen = 0;
    small_bind(run, 0, small_tensor(2, DIMS, first));
    small_execute(run);
    assert_int_equal(n_seen, n_calls);
    for (int i = 0; i < n_seen; i++) {
        assert_int_equal(seen[i], images);
    }
}

static void expect_good_runs(oribi_session *session, int n_noting, float added)
{
    oribi_run *run = small_run_of(session);
    for (int i = 0; i < 4; i++) {
        run_once(run, (float)(100 * i), n_noting * N, 1);
        small_expect(run, 0, COUNT, (float)(100 * i) + added);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void steps_see_one_image_after_the_other(void **state)
{
    (void)state;
    static const small_fn kinds[] = {add_one, in_place, own_tensor, temporary};
    for (int first = 0; first < 4; first++) {
        for (int last = 0; last < 4; last++) {
            small_graph g = small_begin();
            oribi_value_id value = image(&g, kinds[first], small_input(&g, "x", 2, DIMS));
            value = image(&g, kinds[last], image(&g, add_one, value));
            small_output(&g, value, "z");
            expect_good_runs(small_finish(&g), 3, 3);
        }
    }
}

/* What the loop makes is read behind it, and in it; what it reads was made before it. */
static void values_of_the_border_are_whole_outside(void **state)
{
    (void)state;
    static const small_fn kinds[] = {add_one, in_place, own_tensor, temporary};
    for (int k = 0; k < 4; k++) {
        small_graph g = small_begin();
        const oribi_value_id x = small_input(&g, "x", 2, DIMS);
        const oribi_value_id before = small_fn1(&g, small_add_one, x);
        const oribi_value_id both = image(&g, kinds[k], before);
        const oribi_value_id end = image(&g, kinds[k], image(&g, add_one, both));
        const oribi_value_id behind = small_fn1(&g, small_add_one, both);
        small_output(&g, small_fn1(&g, small_add_one, end), "z");
        small_output(&g, behind, "behind");
        oribi_session *session = small_finish(&g);
        oribi_run *run = small_run_of(session);
        for (int i = 0; i < 4; i++) {
            run_once(run, (float)i, 3 * N, 1);
            small_expect(run, 0, COUNT, (float)i + 5);
            small_expect(run, 1, COUNT, (float)i + 3);
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

static void two_operands_meet_image_by_image(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id y = small_input(&g, "y", 2, DIMS);
    const oribi_value_id both[2] = {image(&g, add_one, x), y};
    const oribi_value_id sum = small_node(&g, "Test>Image2", add_both, both, 2);
    const oribi_value_id again[2] = {sum, both[0]};
    small_output(&g, small_node(&g, "Test>Image2", add_both, again, 2), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Tensor *other = small_tensor(2, DIMS, 0);
    for (int64_t i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(other))[i] = -(float)i;
    }
    small_bind(run, 1, other);
    for (int i = 0; i < 3; i++) {
        run_once(run, (float)i, N, 1);
        small_expect(run, 0, COUNT, 2 * ((float)i + 1));
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void an_op_that_says_nothing_sees_the_whole(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_fn1(&g, add_one, small_input(&g, "x", 2, DIMS));
    small_output(&g, small_fn1(&g, add_one, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    run_once(run, 0, 2, N);
    small_expect(run, 0, COUNT, 2);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_batch_that_fits_the_cache_stays_whole(void **state)
{
    (void)state;
    const int64_t dims[2] = {N, 64};
    small_graph g = small_begin();
    oribi_value_id value = image(&g, add_one, small_input(&g, "x", 2, dims));
    small_output(&g, image(&g, add_one, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    n_seen = 0;
    small_bind(run, 0, small_tensor(2, dims, 0));
    small_execute(run);
    assert_int_equal(n_seen, 2);
    assert_int_equal(seen[0], N);
    small_expect(run, 0, N * 64, 2);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void images_that_would_not_be_aligned_stay_whole(void **state)
{
    (void)state;
    const int64_t dims[2] = {N, WIDTH + 1};
    small_graph g = small_begin();
    oribi_value_id value = image(&g, add_one, small_input(&g, "x", 2, dims));
    small_output(&g, image(&g, add_one, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    n_seen = 0;
    small_bind(run, 0, small_tensor(2, dims, 0));
    small_execute(run);
    assert_int_equal(n_seen, 2);
    assert_int_equal(seen[0], N);
    small_expect(run, 0, N * (WIDTH + 1), 2);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static int64_t watched[64];
static int n_watched;

static void note_value(void *arg, const oribi_value_event *event)
{
    (void)arg;
    assert_true(n_watched < 64);
    watched[n_watched++] = event->num_dims > 0 ? event->dims[0] : 0;
}

static void who_watches_sees_whole_values(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = image(&g, add_one, small_input(&g, "x", 2, DIMS));
    small_output(&g, image(&g, in_place, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    for (int i = 0; i < 3; i++) {
        run_once(run, (float)i, 2 * N, 1);
        small_expect(run, 0, COUNT, (float)i + 2);
        n_watched = 0;
        oribi_run_set_watch(run, note_value, NULL);
        run_once(run, 7, 2, N);
        small_expect(run, 0, COUNT, 9);
        assert_int_equal(n_watched, 2);
        assert_true(watched[0] == N && watched[1] == N);
        oribi_run_set_watch(run, NULL, NULL);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_kept_handle_keeps_its_image(void **state)
{
    (void)state;
    for (int where = 0; where < 3; where++) { /* before the loop, at its begin, inside */
        small_graph g = small_begin();
        const oribi_value_id x = small_input(&g, "x", 2, DIMS);
        oribi_value_id value = small_fn1(&g, small_add_one, x);
        value = small_fn1(&g, where == 0 ? keep_input : small_add_one, value);
        value = image(&g, where == 1 ? keep_input : small_add_one, value);
        value = image(&g, where == 2 ? keep_input : small_add_one, value);
        value = image(&g, small_add_one, image(&g, small_add_one, value));
        small_output(&g, small_fn1(&g, small_add_one, value), "z");
        oribi_session *session = small_finish(&g);
        for (int i = 0; i < 3; i++) {
            oribi_run *run = small_run_of(session);
            n_seen = 0;
            small_bind(run, 0, small_tensor(2, DIMS, (float)(10 * i)));
            small_execute(run);
            small_expect(run, 0, COUNT, (float)(10 * i) + 7);
            const int n_handles = where == 0 ? 1 : N;
            assert_int_equal(n_kept, n_handles);
            for (int k = 0; k < n_kept; k++) {
                const float first = (float)(10 * i + 1 + where) + (float)(k * WIDTH);
                const float *data = TF_TensorData(kept[k]);
                assert_int_equal(TF_TensorElementCount(kept[k]), COUNT / n_handles);
                for (int64_t e = 0; e < COUNT / n_handles; e++) {
                    assert_true(data[e] == first + (float)e);
                }
            }
            oribi_run_destroy(run);
            while (n_kept > 0) {
                TF_DeleteTensor(kept[--n_kept]);
            }
        }
        oribi_session_destroy(session);
    }
}

static void a_run_after_one_that_failed_between_images_is_good(void **state)
{
    (void)state;
    static const small_fn kinds[] = {add_one, own_tensor};
    for (int k = 0; k < 2; k++) {
        small_graph g = small_begin();
        oribi_value_id value = image(&g, kinds[k], small_input(&g, "x", 2, DIMS));
        const oribi_value_id both = image(&g, kinds[k], value);
        small_output(&g, both, "both");
        small_output(&g, image(&g, fail_at_last, both), "z");
        oribi_session *session = small_finish(&g);
        oribi_run *run = small_run_of(session);
        TF_Status *status = TF_NewStatus();
        for (int i = 0; i < 2 * N; i++) {
            calls_until_failure = i % N;
            n_seen = 0;
            small_bind(run, 0, small_tensor(2, DIMS, (float)i));
            oribi_run_execute(run, status);
            assert_int_equal(TF_GetCode(status), TF_ABORTED);
            calls_until_failure = 100;
            run_once(run, (float)i, 3 * N, 1);
            small_expect(run, 0, COUNT, (float)i + 2);
            small_expect(run, 1, COUNT, (float)i + 3);
        }
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

static bool make_session(void *arg)
{
    oribi_options *options = arg;
    TF_Status *status = TF_NewStatus();
    const oribi_shape shape = {2, (int64_t *)DIMS};
    oribi_graph *graph = oribi_graph_create(status);
    oribi_value_id value =
        graph != NULL ? oribi_graph_add_value(graph, "x", TF_FLOAT, &shape, status) : -1;
    bool ok = value >= 0 && oribi_graph_add_input(graph, value, "x", status);
    for (int i = 0; ok && i < 3; i++) {
        oribi_node *node = oribi_graph_add_node(graph, "Test>Image", "n", &value, 1, 1, status);
        ok = node != NULL &&
             oribi_attrs_set_int(&node->attrs, &graph->arena, "fn", small_add_fn(add_one)) &&
             oribi_graph_resolve(graph, node, status);
        value = ok ? node->outputs[0] : -1;
    }
    ok = ok && oribi_graph_add_output(graph, value, "z", status);
    oribi_session *session = ok ? oribi_session_from_graph(graph, options, status) : NULL;
    if (!ok && graph != NULL) {
        oribi_graph_destroy(graph);
    }
    ok = session != NULL;
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
    return ok;
}

static void each_allocation_of_a_plan_may_fail(void **state)
{
    (void)state;
    oribi_options *options = small_options();
    assert_true(fail_each_allocation(make_session, options) > 10);
    oribi_options_destroy(options);
}

static void the_third_run_allocates_nothing(void **state)
{
    (void)state;
    small_graph g = small_begin();
    oribi_value_id value = small_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    value = image(&g, temporary, image(&g, in_place, image(&g, in_place, value)));
    small_output(&g, image(&g, in_place, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    run_once(run, 0, 4 * N, 1);
    run_once(run, 0, 4 * N, 1);
    TF_Tensor *x = small_tensor(2, DIMS, 3);
    TF_Status *status = TF_NewStatus();
    oribi_run_set_input(run, 0, x, status);
    n_seen = 0;
    const uint64_t before = oribi_alloc_count();

    oribi_run_execute(run, status);

    assert_int_equal(oribi_alloc_count(), before);
    small_expect_ok(status);
    small_expect(run, 0, COUNT, 8);
    TF_DeleteStatus(status);
    TF_DeleteTensor(x);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Built-in ops ---------------------------------------------------------------------------- */

static oribi_value_id ints(small_graph *g, const int32_t *values, int64_t n)
{
    char name[32];
    snprintf(name, sizeof name, "c%d", g->n++);
    return oribi_graph_add_constant_copy(g->graph, name, TF_INT32, &n, 1, values, g->status);
}

static oribi_value_id add_op(small_graph *g, const char *op, const oribi_value_id *inputs, int n)
{
    char name[32];
    snprintf(name, sizeof name, "b%d", g->n++);
    oribi_node *node = oribi_graph_add_node(g->graph, op, name, inputs, n, 1, g->status);
    assert_non_null(node);
    if (!oribi_graph_resolve(g->graph, node, g->status)) {
        fail_msg("%s", TF_Message(g->status));
    }
    return node->outputs[0];
}

static oribi_value_id op_with_ints(small_graph *g, const char *op, oribi_value_id x,
                                   const int32_t *values, int64_t n)
{
    const oribi_value_id inputs[2] = {x, ints(g, values, n)};
    return add_op(g, op, inputs, 2);
}

enum { HALF = WIDTH / 2 };

/* Reshaped there, where an op keeps passes from seeing both reshapes, and back. */
static oribi_value_id by_way_of(small_graph *g, oribi_value_id x, const int32_t *there, int64_t n,
                                const int32_t *perm)
{
    const int32_t back[2] = {N, WIDTH};
    x = image(g, small_add_one, op_with_ints(g, "Reshape", x, there, n));
    x = perm != NULL ? op_with_ints(g, "Transpose", x, perm, n) : x;
    return op_with_ints(g, "Reshape", image(g, small_add_one, x), back, 2);
}

static oribi_value_id reshape(small_graph *g, oribi_value_id x)
{
    const int32_t there[3] = {N, 2, HALF};
    return by_way_of(g, x, there, 3, NULL);
}

static oribi_value_id reshape_over_images(small_graph *g, oribi_value_id x)
{
    const int32_t there[2] = {2 * N, HALF};
    return by_way_of(g, x, there, 2, NULL);
}

static oribi_value_id transpose_within(small_graph *g, oribi_value_id x)
{
    const int32_t there[3] = {N, 2, HALF}, perm[3] = {0, 2, 1};
    return by_way_of(g, x, there, 3, perm);
}

/* As many images, of others: N and the next axis are as long. */
static oribi_value_id transpose_over_images(small_graph *g, oribi_value_id x)
{
    const int32_t there[3] = {N, N, WIDTH / N}, perm[3] = {1, 0, 2};
    return by_way_of(g, x, there, 3, perm);
}

/* The sums of axis 0 or 1, whose lengths are equal, on all of x. */
static oribi_value_id add_sums(small_graph *g, oribi_value_id x, int32_t axis)
{
    const int32_t there[3] = {N, N, WIDTH / N}, back[2] = {N, WIDTH};
    const oribi_value_id y = op_with_ints(g, "Reshape", x, there, 3);
    const int32_t one[3] = {N, 1, WIDTH / N}, front[3] = {1, N, WIDTH / N};
    const oribi_value_id sum =
        op_with_ints(g, "Reshape", op_with_ints(g, "Sum", y, &axis, 1), axis == 1 ? one : front, 3);
    const oribi_value_id both[2] = {y, sum};
    return op_with_ints(g, "Reshape", add_op(g, "AddV2", both, 2), back, 2);
}

static oribi_value_id sums_within(small_graph *g, oribi_value_id x)
{
    return add_sums(g, x, 1);
}

static oribi_value_id sums_over_images(small_graph *g, oribi_value_id x)
{
    return add_sums(g, x, 0);
}

static oribi_value_id add_constant(small_graph *g, oribi_value_id x, int rank, const int64_t *dims)
{
    int64_t count = 1;
    for (int i = 0; i < rank; i++) {
        count *= dims[i];
    }
    float *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) {
        values[i] = (float)(i % 1000) + (float)(3000 * (i / (count > N ? WIDTH : 1)));
    }
    const oribi_value_id both[2] = {x,
                                    oribi_graph_add_constant_copy(g->graph, "numbers", TF_FLOAT,
                                                                  dims, rank, values, g->status)};
    free(values);
    return add_op(g, "AddV2", both, 2);
}

static oribi_value_id add_row(small_graph *g, oribi_value_id x)
{
    const int64_t dims[1] = {WIDTH};
    return add_constant(g, x, 1, dims);
}

static oribi_value_id add_one_row(small_graph *g, oribi_value_id x)
{
    const int64_t dims[2] = {1, WIDTH};
    return add_constant(g, x, 2, dims);
}

static oribi_value_id add_number_of_each(small_graph *g, oribi_value_id x)
{
    const int64_t dims[2] = {N, 1};
    return add_constant(g, x, 2, dims);
}

static oribi_value_id join(small_graph *g, oribi_value_id x, int32_t axis)
{
    const oribi_value_id other = image(g, small_add_one, x);
    const oribi_value_id inputs[3] = {
        x, other,
        oribi_graph_add_constant_copy(g->graph, "axis", TF_INT32, NULL, 0, &axis, g->status)};
    return add_op(g, "ConcatV2", inputs, 3);
}

static oribi_value_id join_within(small_graph *g, oribi_value_id x)
{
    return join(g, x, 1);
}

static oribi_value_id join_images(small_graph *g, oribi_value_id x)
{
    return join(g, x, 0);
}

static const struct {
    const char *name;
    oribi_value_id (*make)(small_graph *g, oribi_value_id x);
    bool goes_in_turns; /* the step that it ends in, or before its last view */
    const char *op;     /* that is meant */
} cases[] = {
    {"views", reshape, true, "Reshape"},
    {"views over images", reshape_over_images, false, "Reshape"},
    {"axes of an image", transpose_within, true, "Transpose"},
    {"the images' axis", transpose_over_images, false, "Transpose"},
    {"sums within", sums_within, true, "Sum"},
    {"sums over images", sums_over_images, false, "Sum"},
    {"a row for all", add_row, true, "AddV2"},
    {"one row", add_one_row, true, "AddV2"},
    {"a number for each", add_number_of_each, false, "AddV2"},
    {"joined within", join_within, true, "ConcatV2"},
    {"images joined", join_images, false, "ConcatV2"},
};

/* Does a step of the op go in turns? */
static bool has_turns(oribi_session *session, const char *op)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    char wanted[32];
    oribi_session_describe(session, "graph", json, status);
    small_expect_ok(status);
    snprintf(wanted, sizeof wanted, "\"op\":\"%s\"", op);
    char *text = strndup(json->data, json->length), *end;
    bool found = false;
    for (char *at = strstr(text, "\"step\":"); at != NULL; at = end) {
        end = strstr(at + 1, "\"step\":");
        const size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
        found |= memmem(at, length, wanted, strlen(wanted)) != NULL &&
                 memmem(at, length, "\"turns\":", 8) != NULL;
    }
    free(text);
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return found;
}

static void expect_same(const TF_Tensor *a, const TF_Tensor *b)
{
    assert_int_equal(TF_NumDims(a), TF_NumDims(b));
    for (int i = 0; i < TF_NumDims(a); i++) {
        assert_int_equal(TF_Dim(a, i), TF_Dim(b, i));
    }
    assert_int_equal(TF_TensorByteSize(a), TF_TensorByteSize(b));
    assert_memory_equal(TF_TensorData(a), TF_TensorData(b), TF_TensorByteSize(a));
}

/* The whole is what a watched run computes. */
static void each_image_goes_alone_only_where_it_may(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("%s\n", cases[i].name);
        small_graph g = small_begin();
        oribi_value_id value = image(&g, small_add_one, small_input(&g, "x", 2, DIMS));
        value = image(&g, small_add_one, image(&g, small_add_one, value));
        value = image(&g, small_add_one, cases[i].make(&g, value));
        small_output(&g, image(&g, small_add_one, value), "z");
        oribi_session *session = small_finish(&g);
        oribi_run *run = small_run_of(session);
        assert_true(has_turns(session, "Test>Image"));
        assert_int_equal(has_turns(session, cases[i].op), cases[i].goes_in_turns);
        TF_Tensor *results[3];
        for (int k = 0; k < 3; k++) {
            small_bind(run, 0, small_tensor(2, DIMS, 5));
            small_execute(run);
            results[k] = small_result(run, 0);
        }
        oribi_run *whole = small_run_of(session);
        n_watched = 0;
        oribi_run_set_watch(whole, note_value, NULL);
        small_bind(whole, 0, small_tensor(2, DIMS, 5));
        small_execute(whole);
        TF_Tensor *expected = small_result(whole, 0);
        for (int k = 0; k < 3; k++) {
            expect_same(results[k], expected);
            TF_DeleteTensor(results[k]);
        }
        TF_DeleteTensor(expected);
        oribi_run_destroy(whole);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_see_one_image_after_the_other),
        cmocka_unit_test(values_of_the_border_are_whole_outside),
        cmocka_unit_test(two_operands_meet_image_by_image),
        cmocka_unit_test(an_op_that_says_nothing_sees_the_whole),
        cmocka_unit_test(a_batch_that_fits_the_cache_stays_whole),
        cmocka_unit_test(images_that_would_not_be_aligned_stay_whole),
        cmocka_unit_test(who_watches_sees_whole_values),
        cmocka_unit_test(a_kept_handle_keeps_its_image),
        cmocka_unit_test(a_run_after_one_that_failed_between_images_is_good),
        cmocka_unit_test(each_allocation_of_a_plan_may_fail),
        cmocka_unit_test(the_third_run_allocates_nothing),
        cmocka_unit_test(each_image_goes_alone_only_where_it_may),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
