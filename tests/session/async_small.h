/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous ops for tests: each kernel works on a thread of its own. Include after cmocka.h. */
#ifndef ORIBI_TESTS_SESSION_ASYNC_SMALL_H_
#define ORIBI_TESTS_SESSION_ASYNC_SMALL_H_

#include <sched.h>
#include <semaphore.h>

#include "base/thread.h"
#include "plugin/plugin.h"
#include "session/small.h"

static const int64_t DIMS[2] = {4, 8};
enum { COUNT = 32 };

/* --- Barriers -------------------------------------------------------------------------------- */

typedef struct gate { /* for as many as pass it: nobody goes on before all are there */
    oribi_mutex lock;
    oribi_cond changed;
    int count;
    bool is_made;
} gate;

/* Empties it; nobody is inside. */
static inline void gate_open(gate *self)
{
    if (!self->is_made) {
        assert_true(oribi_mutex_init(&self->lock) && oribi_cond_init(&self->changed));
        self->is_made = true;
    }
    self->count = 0;
}

static inline void gate_await(gate *self, int all)
{
    oribi_mutex_lock(&self->lock);
    while (self->count < all) {
        oribi_cond_wait(&self->changed, &self->lock);
    }
    oribi_mutex_unlock(&self->lock);
}

static inline void gate_pass(gate *self, int all)
{
    oribi_mutex_lock(&self->lock);
    self->count++;
    oribi_cond_broadcast(&self->changed);
    oribi_mutex_unlock(&self->lock);
    gate_await(self, all);
}

/* --- Kernels --------------------------------------------------------------------------------- */

typedef struct flying {
    TF_OpKernelContext *ctx;
    TF_AsyncOpKernelDoneCallback *done;
    void (*work)(struct flying *self);
} flying;
typedef void (*flying_fn)(flying *self);

static flying_fn flying_table[SMALL_MAX_FNS];
static int n_flying_fns;
static oribi_thread *flying_threads[4096];
static atomic_int n_flying_threads;

static inline void join_all(void)
{
    while (n_flying_threads > 0) {
        oribi_thread_join(flying_threads[--n_flying_threads]);
    }
}

static inline void fly(void *arg)
{
    flying *self = arg;
    self->work(self);
    free(self);
}

static inline void async_compute(void *kernel, TF_OpKernelContext *ctx,
                                 TF_AsyncOpKernelDoneCallback *done)
{
    flying *self = malloc(sizeof *self);
    *self = (flying){ctx, done, flying_table[(intptr_t)kernel]};
    flying_threads[n_flying_threads++] = oribi_thread_start(fly, self, "flying", 0);
}

static atomic_int n_async_deleted;

static inline void async_delete(void *kernel)
{
    (void)kernel;
    n_async_deleted++;
}

static inline oribi_value_id async_node_of(small_graph *g, const char *op, flying_fn fn,
                                           const oribi_value_id *inputs, int n_inputs)
{
    char name[32];
    int index = 0;
    while (index < n_flying_fns && flying_table[index] != fn) {
        index++;
    }
    if (index == n_flying_fns) {
        assert_true(index < SMALL_MAX_FNS);
        flying_table[n_flying_fns++] = fn;
    }
    snprintf(name, sizeof name, "n%d", g->n++);
    oribi_node *node = oribi_graph_add_node(g->graph, op, name, inputs, n_inputs, 1, g->status);
    assert_non_null(node);
    assert_true(oribi_attrs_set_int(&node->attrs, &g->graph->arena, "fn", index));
    assert_true(oribi_graph_resolve(g->graph, node, g->status));
    return node->outputs[0];
}

static inline oribi_value_id async_node(small_graph *g, flying_fn fn, oribi_value_id x)
{
    return async_node_of(g, "Test>Async", fn, &x, 1);
}

/* An op without a state, unlike those of small.h, whose nodes keep their order. */
static inline void define_pure(const char *name, const char *const *inputs, const char *attr)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddAttr(op, attr);
    for (int i = 0; inputs[i] != NULL; i++) {
        TF_OpDefinitionBuilderAddInput(op, inputs[i]);
    }
    TF_OpDefinitionBuilderAddOutput(op, "z: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, small_same_shape);
    TF_RegisterOpDefinition(op, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
}

static inline oribi_value_id pure_fn1(small_graph *g, small_fn fn, oribi_value_id x)
{
    return small_node(g, "Test>Pure", fn, &x, 1);
}

static inline oribi_value_id pure_fn2(small_graph *g, small_fn fn, oribi_value_id x,
                                      oribi_value_id y)
{
    const oribi_value_id both[2] = {x, y};
    return small_node(g, "Test>Pure2", fn, both, 2);
}

static inline int async_setup(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    static const char *const xy[] = {"x: float", "y: float", NULL};
    static const char *const rx[] = {"r: resource", "x: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    static const char *const fn[] = {"fn: int", NULL};
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_plugin_load_built_ins(status));
    TF_DeleteStatus(status);
    small_setup(state);
    define_pure("Test>Async", x, "fn: int");
    define_pure("Test>Pure", x, "fn: int");
    define_pure("Test>Pure2", xy, "fn: int");
    small_register(TF_NewKernelBuilder("Test>Pure", "CPU", small_create, small_compute, NULL),
                   "pure");
    small_register(TF_NewKernelBuilder("Test>Pure2", "CPU", small_create, small_compute, NULL),
                   "pure2");
    small_define_op("Test>AsyncOn", rx, z, fn, NULL);
    small_register(
        TF_NewAsyncKernelBuilder("Test>Async", "CPU", small_create, async_compute, async_delete),
        "async");
    small_register(
        TF_NewAsyncKernelBuilder("Test>AsyncOn", "CPU", small_create, async_compute, async_delete),
        "async_on");
    return 0;
}

/* --- Kernels of two inputs ------------------------------------------------------------------- */

static inline void combine(TF_OpKernelContext *ctx, float first)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x;
    TF_Tensor *y = NULL;
    TF_Tensor *z;
    assert_true(small_open(ctx, &x, &z));
    TF_GetInput(ctx, 1, &y, status);
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(z))[i] =
            first * ((float *)TF_TensorData(x))[i] + ((float *)TF_TensorData(y))[i];
    }
    TF_DeleteTensor(y);
    small_close(x, z);
    TF_DeleteStatus(status);
}

static inline void add_both(TF_OpKernelContext *ctx)
{
    combine(ctx, 1.0f);
}

static inline void second_of_two(TF_OpKernelContext *ctx)
{
    combine(ctx, 0.0f);
}

#endif
