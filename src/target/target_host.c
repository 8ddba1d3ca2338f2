/* SPDX-License-Identifier: Apache-2.0 */
/* The host's kernel of an op of one kernel: how does `run` become a CPU kernel? What prepare says
 * holds for sizes of inputs; a node keeps it for those of the last run. Nothing is allocated while
 * sizes stay.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "kernel/construction_internal.h"
#include "target/target.h"
#include "tensor/status.h"

enum { MOST_INPUTS = 16, MOST_OUTPUTS = 8 };

/* What holds for these sizes. Counted: a run that uses it may end after another brought its own. */
typedef struct plan {
    int32_t references; /* under the mutex */
    oribi_arena arena;
    oribi_target_code code;
    oribi_shape inputs[MOST_INPUTS], outputs[MOST_OUTPUTS];
    int32_t n_inputs, n_outputs;
} plan;

typedef struct host {
    const oribi_target_kernel *kernel;
    const oribi_node_view *node;
    oribi_mutex mutex;
    plan *latest; /* or NULL */
} host;

static void release(host *h, plan *p)
{
    oribi_mutex_lock(&h->mutex);
    const bool is_last = p != NULL && --p->references == 0;
    oribi_mutex_unlock(&h->mutex);
    if (is_last) {
        oribi_arena_destroy(&p->arena);
        oribi_free(p);
    }
}

/* --- Planning -------------------------------------------------------------------------------- */

/* A graph of the one node, with inputs of these sizes. */
static oribi_node *make_node(const host *h, oribi_graph *graph, const oribi_shape *shapes,
                             TF_Status *status)
{
    const oribi_node_view *view = h->node;
    oribi_value_id ids[MOST_INPUTS];
    for (int32_t i = 0; i < view->signature->n_inputs; i++) {
        oribi_constant_view constant = {0};
        const bool is_constant = view->constant_input != NULL && view->dense_constant != NULL &&
                                 view->constant_input(view->arg, i, &constant);
        if (is_constant) {
            TF_Tensor *dense = view->dense_constant(view->arg, i, status);
            if (dense == NULL) {
                return NULL;
            }
            ids[i] = oribi_graph_add_constant_tensor(graph, "constant", dense, status);
            TF_DeleteTensor(dense);
        } else {
            ids[i] = oribi_graph_add_value(graph, "input", view->signature->input_types[i],
                                           &shapes[i], status);
        }
        if (ids[i] < 0) {
            return NULL;
        }
    }
    oribi_node *node =
        oribi_graph_add_node(graph, view->op->name, view->name, ids, view->signature->n_inputs,
                             view->signature->n_outputs, status);
    for (int32_t i = 0; node != NULL && i < view->attrs->count; i++) {
        if (!oribi_attrs_set(&node->attrs, &graph->arena, &view->attrs->items[i])) {
            oribi_fail_memory(status);
            return NULL;
        }
    }
    return node != NULL && oribi_graph_resolve(graph, node, status) ? node : NULL;
}

static bool copy_shapes(plan *p, const oribi_graph *graph, const oribi_node *node,
                        const oribi_shape *inputs, TF_Status *status)
{
    bool ok = true;
    p->n_inputs = node->n_inputs;
    p->n_outputs = node->n_outputs;
    for (int32_t i = 0; ok && i < node->n_inputs; i++) {
        ok = oribi_shape_copy(&p->arena, inputs[i].dims, inputs[i].rank, &p->inputs[i]);
    }
    for (int32_t i = 0; ok && i < node->n_outputs; i++) {
        const oribi_value *value = graph->values[node->outputs[i]];
        if (!oribi_shape_is_full(&value->shape)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "the shape function of the op does not say what output %d is",
                              (int)i);
        }
        ok = oribi_shape_copy(&p->arena, value->shape.dims, value->shape.rank, &p->outputs[i]);
    }
    return ok || oribi_fail_memory(status);
}

static plan *make_plan(const host *h, const oribi_shape *inputs, TF_Status *status)
{
    plan *p = oribi_alloc_zero(1, sizeof *p);
    oribi_graph *graph = p != NULL ? oribi_graph_create(status) : NULL;
    if (p == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_node *node = graph != NULL ? make_node(h, graph, inputs, status) : NULL;
    const bool ok = node != NULL && copy_shapes(p, graph, node, inputs, status) &&
                    oribi_target_kernel_ask(h->kernel, graph, node, &p->arena, &p->code, status);
    oribi_graph_destroy(graph);
    if (!ok) {
        oribi_arena_destroy(&p->arena);
        oribi_free(p);
        return NULL;
    }
    p->references = 2; /* of the caller and of the node */
    return p;
}

static bool same_shapes(const plan *p, const oribi_shape *inputs)
{
    bool is_same = true;
    for (int32_t i = 0; is_same && i < p->n_inputs; i++) {
        is_same = oribi_shape_equal(&p->inputs[i], &inputs[i]);
    }
    return is_same;
}

/* The plan for these sizes, to be released; NULL: prepare refuses them. */
static plan *plan_for(host *h, const oribi_shape *inputs, TF_Status *status)
{
    plan *found = NULL;
    oribi_mutex_lock(&h->mutex);
    if (h->latest != NULL && same_shapes(h->latest, inputs)) {
        found = h->latest;
        found->references++;
    }
    oribi_mutex_unlock(&h->mutex);
    if (found == NULL) {
        found = make_plan(h, inputs, status);
        if (found != NULL) {
            oribi_mutex_lock(&h->mutex);
            plan *before = h->latest;
            h->latest = found;
            oribi_mutex_unlock(&h->mutex);
            release(h, before);
        }
    }
    return found;
}

/* --- The kernel ------------------------------------------------------------------------------ */

static void destroy(void *state)
{
    host *h = state;
    if (h != NULL) {
        release(h, h->latest);
        oribi_mutex_destroy(&h->mutex);
        oribi_free(h);
    }
}

/* What prepare refuses, it refuses when the session is made, where sizes are known by then. */
static void plan_ahead(host *h, TF_Status *status)
{
    const oribi_node_view *node = h->node;
    bool are_known = node->input_shapes != NULL;
    for (int32_t i = 0; are_known && i < node->signature->n_inputs; i++) {
        are_known = oribi_shape_is_full(&node->input_shapes[i]);
    }
    if (are_known) {
        release(h, plan_for(h, node->input_shapes, status));
    }
}

static void *create(TF_OpKernelConstruction *construction)
{
    const oribi_node_view *node = construction->node;
    TF_Status *status = TF_NewStatus();
    host *h = oribi_alloc_zero(1, sizeof *h);
    if (status == NULL || h == NULL || !oribi_mutex_init(&h->mutex)) {
        oribi_fail_memory(construction->failure);
        oribi_free(h);
        TF_DeleteStatus(status);
        return NULL;
    }
    h->node = node;
    h->kernel = oribi_target_kernel_find(node->op->name, node->attrs);
    if (h->kernel == NULL || node->signature->n_inputs > MOST_INPUTS ||
        node->signature->n_outputs > MOST_OUTPUTS) {
        oribi_fail(status, TF_UNIMPLEMENTED,
                   "a kernel for host and emitted C has at most %d inputs "
                   "and %d outputs",
                   MOST_INPUTS, MOST_OUTPUTS);
    } else {
        plan_ahead(h, status);
    }
    TF_OpKernelConstruction_Failure(construction, status);
    TF_DeleteStatus(status);
    return h;
}

/* A computation, and the handles that it holds. */
typedef struct work {
    TF_OpKernelContext *context;
    TF_Tensor *inputs[MOST_INPUTS], *outputs[MOST_OUTPUTS], *scratch;
    oribi_shape shapes[MOST_INPUTS];
    int64_t dims[MOST_INPUTS][ORIBI_MAX_RANK];
    int32_t n_inputs, n_outputs;
} work;

static bool take_inputs(work *w, TF_Status *status)
{
    for (int32_t i = 0; i < w->n_inputs; i++) {
        TF_GetInput(w->context, i, &w->inputs[i], status);
        if (!oribi_ok(status)) {
            return false;
        }
        const int rank = TF_NumDims(w->inputs[i]);
        if (rank > ORIBI_MAX_RANK) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "input %d has more than %d dims", (int)i,
                              ORIBI_MAX_RANK);
        }
        for (int k = 0; k < rank; k++) {
            w->dims[i][k] = TF_Dim(w->inputs[i], k);
        }
        w->shapes[i] = (oribi_shape){rank, w->dims[i]};
    }
    return true;
}

static size_t bytes_of(const oribi_shape *shape, TF_DataType type)
{
    size_t bytes = oribi_dtype_bytes(type);
    for (int32_t i = 0; i < shape->rank; i++) {
        bytes *= (size_t)shape->dims[i];
    }
    return bytes;
}

/* Outputs; the first in the memory of an input, where prepare and the host allow it. */
static bool make_outputs(work *w, const plan *p, TF_Status *status)
{
    const oribi_kernel_code *own = p->code.own;
    int candidates[2];
    for (int32_t k = 0; k < own->n_in_place; k++) {
        candidates[k] = own->inputs[own->in_place[k]];
    }
    for (int32_t i = 0; i < w->n_outputs && oribi_ok(status); i++) {
        const oribi_shape *shape = &p->outputs[i];
        const TF_DataType type = TF_ExpectedOutputDataType(w->context, i);
        if (i == 0 && own->n_in_place > 0) {
            int forwarded = -1;
            w->outputs[i] =
                TF_ForwardInputOrAllocateOutput(w->context, candidates, own->n_in_place, i,
                                                shape->dims, shape->rank, &forwarded, status);
        } else {
            w->outputs[i] = TF_AllocateOutput(w->context, i, type, shape->dims, shape->rank,
                                              bytes_of(shape, type), status);
        }
    }
    return oribi_ok(status);
}

static bool make_scratch(work *w, const plan *p, TF_Status *status)
{
    const int64_t bytes = (int64_t)p->code.scratch_bytes;
    if (bytes > 0) {
        w->scratch = TF_AllocateTemp(w->context, TF_UINT8, &bytes, 1, NULL, status);
    }
    return oribi_ok(status);
}

static void call(const host *h, const work *w, const plan *p, const void *const *data)
{
    const oribi_kernel_code *own = p->code.own;
    const void *inputs[MOST_INPUTS];
    void *outputs[MOST_OUTPUTS];
    bool is_empty = true;
    for (int32_t i = 0; i < own->n_inputs; i++) {
        inputs[i] = data[own->inputs[i]];
    }
    for (int32_t i = 0; i < w->n_outputs; i++) {
        outputs[i] = TF_TensorData(w->outputs[i]);
        is_empty = is_empty && TF_TensorByteSize(w->outputs[i]) == 0;
    }
    if (!is_empty) {
        h->kernel->run(own->arguments, inputs, outputs,
                       w->scratch != NULL ? TF_TensorData(w->scratch) : NULL);
    }
}

static void compute(void *state, TF_OpKernelContext *context)
{
    host *h = state;
    work w = {.context = context,
              .n_inputs = h->node->signature->n_inputs,
              .n_outputs = h->node->signature->n_outputs};
    const void *data[MOST_INPUTS];
    TF_Status *status = TF_NewStatus();
    if (status == NULL) {
        return; /* the host sees that an output is missing */
    }
    plan *p = take_inputs(&w, status) ? plan_for(h, w.shapes, status) : NULL;
    for (int32_t i = 0; p != NULL && i < w.n_inputs; i++) {
        data[i] = TF_TensorData(w.inputs[i]);
        TF_DeleteTensor(w.inputs[i]); /* what is forwarded must have no other handle */
        w.inputs[i] = NULL;
    }
    if (p != NULL && make_outputs(&w, p, status) && make_scratch(&w, p, status)) {
        call(h, &w, p, data);
    }
    if (!oribi_ok(status)) {
        TF_OpKernelContext_Failure(context, status);
    }
    for (int32_t i = 0; i < MOST_INPUTS; i++) {
        TF_DeleteTensor(w.inputs[i]);
    }
    for (int32_t i = 0; i < MOST_OUTPUTS; i++) {
        TF_DeleteTensor(w.outputs[i]);
    }
    TF_DeleteTensor(w.scratch);
    release(h, p);
    TF_DeleteStatus(status);
}

void oribi_target_kernel_host(const oribi_target_kernel *kernel, TF_Status *status)
{
    TF_KernelBuilder *builder = TF_NewKernelBuilder(kernel->op, "CPU", create, compute, destroy);
    for (int32_t i = 0; builder != NULL && i < kernel->n_types && oribi_ok(status); i++) {
        TF_KernelBuilder_TypeConstraint(builder, kernel->types[i].attr, kernel->types[i].type,
                                        status);
    }
    if (!oribi_ok(status)) {
        TF_DeleteKernelBuilder(builder);
        return;
    }
    TF_RegisterKernelBuilder(kernel->op, builder, status);
}
