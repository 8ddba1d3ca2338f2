/* SPDX-License-Identifier: Apache-2.0 */
/* Small ops, kernels and graphs for the session's tests. Include after cmocka.h.
 *
 * Test>Fn: one float input of any shape, one output of the same; what its kernel does is chosen by
 * the attribute `fn`, an index into fn_table that a test fills.
 */
#ifndef ORIBI_TESTS_SESSION_SMALL_H_
#define ORIBI_TESTS_SESSION_SMALL_H_

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "session/session.h"
#include "tensor/status.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/ops.h"

typedef void (*small_fn)(TF_OpKernelContext *ctx);
enum { SMALL_MAX_FNS = 64 };
static small_fn fn_table[SMALL_MAX_FNS];
static int n_fns;

static inline int small_add_fn(small_fn fn)
{
    for (int i = 0; i < n_fns; i++) {
        if (fn_table[i] == fn) {
            return i;
        }
    }
    assert_true(n_fns < SMALL_MAX_FNS);
    fn_table[n_fns] = fn;
    return n_fns++;
}

static inline void small_expect_ok(TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK) {
        print_error("status %d: %s\n", (int)TF_GetCode(status), TF_Message(status));
    }
    assert_int_equal(TF_GetCode(status), TF_OK);
}

/* Is text in the buffer, which need not end in a NUL? */
static inline bool small_has(const TF_Buffer *buffer, const char *text)
{
    return memmem(buffer->data, buffer->length, text, strlen(text)) != NULL;
}

static inline void small_same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

static inline void *small_create(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    int64_t fn = 0;
    TF_OpKernelConstruction_GetAttrInt64(ctx, "fn", &fn, status);
    TF_OpKernelConstruction_Failure(ctx, status);
    TF_DeleteStatus(status);
    return (void *)(intptr_t)fn;
}

static inline void small_compute(void *kernel, TF_OpKernelContext *ctx)
{
    fn_table[(intptr_t)kernel](ctx);
}

/* Op `name` with float inputs and outputs from specs like "x: float", NULL-terminated. */
static inline void small_define_op(const char *name, const char *const *inputs,
                                   const char *const *outputs, const char *const *attrs,
                                   void (*shape)(TF_ShapeInferenceContext *, TF_Status *))
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    for (int i = 0; attrs != NULL && attrs[i] != NULL; i++) {
        TF_OpDefinitionBuilderAddAttr(op, attrs[i]);
    }
    for (int i = 0; inputs[i] != NULL; i++) {
        TF_OpDefinitionBuilderAddInput(op, inputs[i]);
    }
    for (int i = 0; outputs[i] != NULL; i++) {
        TF_OpDefinitionBuilderAddOutput(op, outputs[i]);
    }
    if (shape != NULL) {
        TF_OpDefinitionBuilderSetShapeInferenceFunction(op, shape);
    }
    TF_OpDefinitionBuilderSetIsStateful(op, true); /* passes leave it alone */
    TF_RegisterOpDefinition(op, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
}

static inline void small_register(TF_KernelBuilder *builder, const char *name)
{
    TF_Status *status = TF_NewStatus();
    TF_RegisterKernelBuilder(name, builder, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
}

static inline int small_setup(void **state)
{
    (void)state;
    static const char *const x[] = {"x: float", NULL};
    static const char *const xy[] = {"x: float", "y: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    static const char *const fn[] = {"fn: int", NULL};
    small_define_op("Test>Fn", x, z, fn, small_same_shape);
    small_define_op("Test>Fn2", xy, z, fn, small_same_shape);
    small_define_op("Test>Blind", x, z, fn, NULL);
    small_register(TF_NewKernelBuilder("Test>Fn", "CPU", small_create, small_compute, NULL), "fn");
    small_register(TF_NewKernelBuilder("Test>Fn2", "CPU", small_create, small_compute, NULL),
                   "fn2");
    small_register(TF_NewKernelBuilder("Test>Blind", "CPU", small_create, small_compute, NULL),
                   "blind");
    return 0;
}

/* --- Kernels --------------------------------------------------------------------------------- */

/* Reads input 0 and allocates output 0 of the same shape; the caller deletes both. */
static inline bool small_open(TF_OpKernelContext *ctx, TF_Tensor **x, TF_Tensor **z)
{
    TF_Status *status = TF_NewStatus();
    int64_t dims[ORIBI_INLINE_RANK];
    *z = NULL;
    *x = NULL;
    TF_GetInput(ctx, 0, x, status);
    if (TF_GetCode(status) == TF_OK) {
        for (int i = 0; i < TF_NumDims(*x); i++) {
            dims[i] = TF_Dim(*x, i);
        }
        *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(*x), 0, status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
    return *z != NULL;
}

static inline void small_close(TF_Tensor *x, TF_Tensor *z)
{
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
}

static inline void small_add_one(TF_OpKernelContext *ctx)
{
    TF_Tensor *x;
    TF_Tensor *z;
    if (small_open(ctx, &x, &z)) {
        const float *from = TF_TensorData(x);
        float *to = TF_TensorData(z);
        const int64_t n = TF_TensorElementCount(x);
        for (int64_t i = 0; i < n; i++) {
            to[i] = from[i] + 1.0f;
        }
    }
    small_close(x, z);
}

/* --- Graphs ---------------------------------------------------------------------------------- */

typedef struct small_graph {
    oribi_graph *graph;
    TF_Status *status;
    int n;
} small_graph;

static inline small_graph small_begin(void)
{
    small_graph g = {.status = TF_NewStatus()};
    g.graph = oribi_graph_create(g.status);
    assert_non_null(g.graph);
    return g;
}

static inline oribi_value_id small_input(small_graph *g, const char *name, int rank,
                                         const int64_t *dims)
{
    const oribi_shape shape = {rank, (int64_t *)dims};
    const oribi_value_id id = oribi_graph_add_value(g->graph, name, TF_FLOAT, &shape, g->status);
    assert_true(id >= 0);
    assert_true(oribi_graph_add_input(g->graph, id, name, g->status));
    return id;
}

static inline oribi_value_id small_node(small_graph *g, const char *op, small_fn fn,
                                        const oribi_value_id *inputs, int n_inputs)
{
    char name[32];
    snprintf(name, sizeof name, "n%d", g->n++);
    oribi_node *node = oribi_graph_add_node(g->graph, op, name, inputs, n_inputs, 1, g->status);
    assert_non_null(node);
    assert_true(oribi_attrs_set_int(&node->attrs, &g->graph->arena, "fn", small_add_fn(fn)));
    if (!oribi_graph_resolve(g->graph, node, g->status)) {
        print_error("%s\n", TF_Message(g->status));
        fail();
    }
    return node->outputs[0];
}

static inline oribi_value_id small_fn1(small_graph *g, small_fn fn, oribi_value_id x)
{
    return small_node(g, "Test>Fn", fn, &x, 1);
}

static inline oribi_value_id small_fn2(small_graph *g, small_fn fn, oribi_value_id x,
                                       oribi_value_id y)
{
    const oribi_value_id both[2] = {x, y};
    return small_node(g, "Test>Fn2", fn, both, 2);
}

static inline oribi_value_id small_blind(small_graph *g, small_fn fn, oribi_value_id x)
{
    return small_node(g, "Test>Blind", fn, &x, 1);
}

static inline void small_output(small_graph *g, oribi_value_id value, const char *name)
{
    assert_true(oribi_graph_add_output(g->graph, value, name, g->status));
}

static inline oribi_options *small_options(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    assert_non_null(options);
    oribi_options_set_threads(options, 1);
    oribi_options_set_max_bytes(options, UINT64_C(1) << 30);
    TF_DeleteStatus(status);
    return options;
}

static inline oribi_session *small_finish(small_graph *g)
{
    oribi_options *options = small_options();
    oribi_session *session = oribi_session_from_graph(g->graph, options, g->status);
    small_expect_ok(g->status);
    assert_non_null(session);
    TF_DeleteStatus(g->status);
    oribi_options_destroy(options);
    return session;
}

/* --- Runs ------------------------------------------------------------------------------------ */

static inline TF_Tensor *small_tensor(int rank, const int64_t *dims, float first)
{
    size_t bytes = 0;
    assert_true(oribi_size_of_dims(dims, rank, sizeof(float), &bytes));
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, dims, rank, bytes);
    assert_non_null(tensor);
    float *data = TF_TensorData(tensor);
    for (size_t i = 0; i < bytes / sizeof(float); i++) {
        data[i] = first + (float)i;
    }
    return tensor;
}

static inline void small_bind(oribi_run *run, int index, TF_Tensor *tensor)
{
    TF_Status *status = TF_NewStatus();
    oribi_run_set_input(run, index, tensor, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    TF_DeleteTensor(tensor);
}

static inline oribi_run *small_run_of(oribi_session *session)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(session, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    return run;
}

static inline void small_execute(oribi_run *run)
{
    TF_Status *status = TF_NewStatus();
    oribi_run_execute(run, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
}

static inline TF_Tensor *small_result(oribi_run *run, int index)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *tensor = oribi_run_output(run, index, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    return tensor;
}

/* Output `index` is first, first + 1, ... */
static inline void small_expect(oribi_run *run, int index, int64_t count, float first)
{
    TF_Tensor *tensor = small_result(run, index);
    const float *data = TF_TensorData(tensor);
    assert_int_equal(TF_TensorElementCount(tensor), count);
    for (int64_t i = 0; i < count; i++) {
        if (data[i] != first + (float)i) {
            print_error("output %d, element %lld: %g, expected %g\n", index, (long long)i,
                        (double)data[i], (double)(first + (float)i));
            fail();
        }
    }
    TF_DeleteTensor(tensor);
}

#endif
