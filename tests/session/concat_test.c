/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenations whose inputs are written straight into the output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "plugin/plugin.h"
#include "session/small.h"

/* Test>Strided: like Test>Fn, but rows may be apart. */
static int odd_rows; /* extra rows asked for, to differ from the plan */

static void strided_compute(void *kernel, TF_OpKernelContext *ctx)
{
    const float added = (float)(intptr_t)kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    const int rank = TF_NumDims(x);
    int64_t dims[ORIBI_INLINE_RANK];
    int64_t rows = 1;
    for (int i = 0; i < rank; i++) {
        dims[i] = TF_Dim(x, i);
        rows *= i + 1 < rank ? dims[i] : 1;
    }
    dims[0] += odd_rows;
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, rank, 0, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    const int64_t stride = TF_OutputRowStride(ctx, 0);
    const int64_t width = dims[rank - 1];
    assert_true(stride >= width);
    rows = rows / (dims[0] - odd_rows) * dims[0];
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < width; c++) {
            const int64_t from = r * width + c;
            ((float *)TF_TensorData(z))[r * stride + c] =
                (from < TF_TensorElementCount(x) ? ((float *)TF_TensorData(x))[from] : 0) + added;
        }
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    static const char *const fn[] = {"fn: int", NULL};
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);
    small_setup(state);
    small_define_op("Test>Strided", x, z, fn, small_same_shape);
    small_define_op("Test>StridedBlind", x, z, fn, NULL); /* the kernel alone knows its shape */
    for (int i = 0; i < 2; i++) {
        TF_KernelBuilder *builder =
            TF_NewKernelBuilder(i == 0 ? "Test>Strided" : "Test>StridedBlind", "CPU", small_create,
                                strided_compute, NULL);
        TF_KernelBuilder_StridedOutput(builder, 0);
        small_register(builder, i == 0 ? "strided" : "strided_blind");
    }
    return 0;
}

static oribi_value_id strided_by(small_graph *g, const char *op, int added, oribi_value_id x)
{
    char name[32];
    snprintf(name, sizeof name, "s%d", g->n++);
    oribi_node *node = oribi_graph_add_node(g->graph, op, name, &x, 1, 1, g->status);
    assert_true(oribi_attrs_set_int(&node->attrs, &g->graph->arena, "fn", added));
    assert_true(oribi_graph_resolve(g->graph, node, g->status));
    return node->outputs[0];
}

static oribi_value_id strided(small_graph *g, int added, oribi_value_id x)
{
    return strided_by(g, "Test>Strided", added, x);
}

static oribi_value_id concat(small_graph *g, oribi_value_id a, oribi_value_id b, int32_t axis)
{
    char name[32];
    snprintf(name, sizeof name, "axis%d", g->n);
    const oribi_value_id c =
        oribi_graph_add_constant_copy(g->graph, name, TF_INT32, NULL, 0, &axis, g->status);
    const oribi_value_id inputs[3] = {a, b, c};
    snprintf(name, sizeof name, "join%d", g->n++);
    oribi_node *node = oribi_graph_add_node(g->graph, "ConcatV2", name, inputs, 3, 1, g->status);
    if (!oribi_graph_resolve(g->graph, node, g->status)) {
        fail_msg("%s", TF_Message(g->status));
    }
    return node->outputs[0];
}

static bool is_placed(oribi_session *session)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    oribi_session_describe(session, "graph", json, status);
    small_expect_ok(status);
    const bool found = small_has(json, "\"in_place_concat\":true");
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return found;
}

/* Rows of a and b side by side: row r is a's first + r * width + c, then b's. */
static void expect_joined(oribi_run *run, int64_t rows, int64_t width, float a, float b)
{
    TF_Tensor *tensor = small_result(run, 0);
    const float *data = TF_TensorData(tensor);
    assert_int_equal(TF_TensorElementCount(tensor), 2 * rows * width);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < width; c++) {
            assert_true(data[r * 2 * width + c] == a + (float)(r * width + c));
            assert_true(data[r * 2 * width + width + c] == b + (float)(r * width + c));
        }
    }
    TF_DeleteTensor(tensor);
}

static const int64_t DIMS[2] = {3, 5};

static void rows_are_written_side_by_side(void **state)
{
    (void)state;
    for (int after = 0; after < 3; after++) {
        small_graph g = small_begin();
        const oribi_value_id x = small_input(&g, "x", 2, DIMS);
        oribi_value_id value = concat(&g, strided(&g, 1, x), strided(&g, 2, x), -1);
        for (int i = 0; i < after; i++) {
            value = small_fn1(&g, small_add_one, value);
        }
        small_output(&g, value, "z");
        oribi_session *session = small_finish(&g);
        oribi_run *run = small_run_of(session);
        for (int i = 0; i < 4; i++) {
            const float first = (float)(i + after);
            small_bind(run, 0, small_tensor(2, DIMS, (float)i));
            small_execute(run);
            expect_joined(run, 3, 5, first + 1, first + 2);
        }
        assert_true(is_placed(session));
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

static void a_piece_that_differs_from_the_plan_is_joined_by_the_kernel(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g,
                 concat(&g, strided_by(&g, "Test>StridedBlind", 1, x),
                        strided_by(&g, "Test>StridedBlind", 2, x), 1),
                 "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 8; i++) {
        odd_rows = i == 3 || i == 6 ? 2 : 0;
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        TF_Tensor *z = small_result(run, 0);
        assert_int_equal(TF_Dim(z, 0), 3 + odd_rows);
        if (odd_rows > 0) {
            assert_true(((float *)TF_TensorData(z))[4 * 10] == 1.0f);
            assert_true(((float *)TF_TensorData(z))[4 * 10 + 5] == 2.0f);
            assert_true(((float *)TF_TensorData(z))[2 * 10 + 5] == (float)i + 12.0f);
        } else {
            expect_joined(run, 3, 5, (float)i + 1, (float)i + 2);
        }
        TF_DeleteTensor(z);
    }
    odd_rows = 0;

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static bool misses;

static void sometimes_larger(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    if (misses) { /* through a tensor of its own: never where it was planned */
        TF_Tensor *x = NULL;
        TF_GetInput(ctx, 0, &x, status);
        TF_Tensor *z = small_tensor(2, DIMS, ((float *)TF_TensorData(x))[0] + 1.0f);
        TF_SetOutput(ctx, 0, z, status);
        TF_DeleteTensor(z);
        TF_DeleteTensor(x);
    } else {
        small_add_one(ctx);
    }
    TF_DeleteStatus(status);
}

static void pieces_one_after_the_other_need_no_stride(void **state)
{
    (void)state;
    static const int64_t one[3] = {1, 16, 4}; /* 256 bytes: the second piece is aligned */
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 3, one);
    const oribi_value_id a = small_fn1(&g, small_add_one, x);
    const oribi_value_id b = small_fn1(&g, small_add_one, small_fn1(&g, small_add_one, x));
    small_output(&g, concat(&g, a, b, 1), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 4; i++) {
        small_bind(run, 0, small_tensor(3, one, (float)i));
        small_execute(run);
        TF_Tensor *z = small_result(run, 0);
        for (int k = 0; k < 64; k++) {
            assert_true(((float *)TF_TensorData(z))[k] == (float)(i + k + 1));
            assert_true(((float *)TF_TensorData(z))[64 + k] == (float)(i + k + 2));
        }
        TF_DeleteTensor(z);
    }

    assert_true(is_placed(session));
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void kernels_that_declared_nothing_are_not_given_strides(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id a = small_fn1(&g, sometimes_larger, x);
    const oribi_value_id b = strided(&g, 2, x);
    small_output(&g, concat(&g, a, b, 1), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 6; i++) {
        misses = i % 2 == 1;
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        expect_joined(run, 3, 5, (float)i + 1, (float)i + 2);
    }

    assert_false(is_placed(session));
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_piece_with_another_reader_is_copied(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id a = strided(&g, 1, x);
    small_output(&g, concat(&g, a, strided(&g, 2, x), 1), "z");
    small_output(&g, small_fn1(&g, small_add_one, a), "other");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 3; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        expect_joined(run, 3, 5, (float)i + 1, (float)i + 2);
        small_expect(run, 1, 15, (float)i + 2);
    }

    assert_false(is_placed(session));
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_concatenation_of_concatenations_is_right(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id inner = concat(&g, strided(&g, 0, x), strided(&g, 0, x), 1);
    const oribi_value_id other = concat(&g, strided(&g, 0, x), strided(&g, 0, x), 1);
    small_output(&g, concat(&g, inner, other, 1), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 4; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        TF_Tensor *z = small_result(run, 0);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 20; c++) {
                assert_true(((float *)TF_TensorData(z))[r * 20 + c] == (float)(i + r * 5 + c % 5));
            }
        }
        TF_DeleteTensor(z);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Watching -------------------------------------------------------------------------------- */

typedef struct watched {
    int n;
    float first[8][15]; /* of each value, its first elements */
    size_t bytes[8];
    char node[8][32];
} watched;

static void note_value(void *arg, const oribi_value_event *event)
{
    watched *w = arg;
    assert_true(w->n < 8);
    assert_non_null(event->name);
    assert_int_equal(event->dtype, TF_FLOAT);
    assert_int_equal(event->num_dims, 2);
    assert_int_equal(event->dims[0], 3);
    memcpy(w->first[w->n], event->data,
           event->bytes < sizeof w->first[0] ? event->bytes : sizeof w->first[0]);
    w->bytes[w->n] = event->bytes;
    snprintf(w->node[w->n++], sizeof w->node[0], "%s", event->node);
}

static void a_watch_sees_every_value_dense(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id a = strided(&g, 1, x), b = strided(&g, 2, x);
    const oribi_value_id value = concat(&g, a, b, -1);
    small_output(&g, small_fn1(&g, small_add_one, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    watched w = {0};
    oribi_run_set_watch(run, note_value, &w);

    for (int i = 0; i < 4; i++) {
        w.n = 0;
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        assert_int_equal(w.n, 4);
        for (int k = 0; k < 15; k++) { /* the pieces' rows lie apart once they are placed */
            assert_true(w.first[0][k] == (float)(i + 1 + k));
            assert_true(w.first[1][k] == (float)(i + 2 + k));
        }
        assert_int_equal(w.bytes[0], 60);
        assert_int_equal(w.bytes[2], 120);
        assert_true(w.first[2][5] == (float)(i + 2));
        assert_true(w.first[3][5] == (float)(i + 3));
        assert_string_equal(w.node[0], "s0");
    }
    assert_true(is_placed(session));
    oribi_run_set_watch(run, NULL, NULL);
    w.n = 0;
    small_execute(run);
    assert_int_equal(w.n, 0);

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_written_side_by_side),
        cmocka_unit_test(a_piece_that_differs_from_the_plan_is_joined_by_the_kernel),
        cmocka_unit_test(pieces_one_after_the_other_need_no_stride),
        cmocka_unit_test(kernels_that_declared_nothing_are_not_given_strides),
        cmocka_unit_test(a_piece_with_another_reader_is_copied),
        cmocka_unit_test(a_concatenation_of_concatenations_is_right),
        cmocka_unit_test(a_watch_sees_every_value_dense),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
