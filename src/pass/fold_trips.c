/* SPDX-License-Identifier: Apache-2.0 */
/* How often does a loop run whose condition its body computes, as exporters of `while` write it?
 * Where the condition, and what it needs of earlier iterations, begin as constants and are small,
 * those nodes alone are run, until the condition ends the loop. Read first: fold_control.c.
 */
#include "pass/fold_internal.h"

#include <string.h>

#include "tensor/patience.h"

enum {
    BEFORE = 2,         /* number and condition, in front of what is carried */
    MOST_ELEMENTS = 64, /* of a value */
    MOST_RUNS = 1 << 16 /* of nodes, and iterations */
};

typedef struct counting {
    oribi_graph *outer, *inner;
    const oribi_node *node;
    const oribi_pass_options *options;
    TF_Status *status;
    int32_t n_carried;
    bool *is_needed;         /* by value of the body */
    oribi_value_id *waiting; /* needed ones whose own needs are not yet known */
    int32_t n_waiting;
    TF_Tensor **values; /* by value of the body, in this iteration; constants stay */
} counting;

/* --- What the condition needs ----------------------------------------------------------------- */

static void need(counting *c, oribi_value_id value)
{
    if (!c->is_needed[value]) {
        c->is_needed[value] = true;
        c->waiting[c->n_waiting++] = value;
    }
}

static bool is_small(const oribi_value *value)
{
    int64_t count = 1;
    for (int32_t i = 0; i < value->shape.rank && count <= MOST_ELEMENTS; i++) {
        count *= value->shape.dims[i];
    }
    return oribi_shape_is_full(&value->shape) && count <= MOST_ELEMENTS &&
           oribi_dtype_bytes(value->dtype) > 0;
}

static int32_t formal_of(const counting *c, oribi_value_id value)
{
    for (int32_t i = 0; i < c->inner->n_inputs; i++) {
        if (c->inner->inputs[i] == value) {
            return i;
        }
    }
    return -1;
}

/* A captured value is none that is known: those that are stand in the body as constants. */
static bool follow_formal(counting *c, int32_t formal)
{
    if (formal < BEFORE) {
        return formal >= 0;
    }
    if (formal >= BEFORE + c->n_carried ||
        c->outer->values[c->node->inputs[formal]]->constant == NULL) {
        return false;
    }
    need(c, c->inner->outputs[formal - 1]);
    return true;
}

/* False: the run alone knows, or it is not worth it. */
static bool follow(counting *c)
{
    need(c, c->inner->outputs[0]);
    while (c->n_waiting > 0) {
        const oribi_value_id id = c->waiting[--c->n_waiting];
        const oribi_value *value = c->inner->values[id];
        const oribi_node *made =
            value->constant == NULL ? oribi_graph_producer(c->inner, id) : NULL;
        const int32_t formal = formal_of(c, id);
        if (!is_small(value)) {
            return false;
        }
        if (value->constant == NULL && made == NULL) {
            ORIBI_TRY(follow_formal(c, formal));
        }
        if (made != NULL && (made->n_bodies > 0 || !oribi_pass_may_run(made))) {
            return false;
        }
        for (int32_t i = 0; made != NULL && i < made->n_inputs; i++) {
            ORIBI_TRY(made->inputs[i] >= 0);
            need(c, made->inputs[i]);
        }
    }
    return true;
}

/* --- The run ---------------------------------------------------------------------------------- */

static void put(counting *c, oribi_value_id value, TF_Tensor *tensor)
{
    TF_DeleteTensor(c->values[value]);
    c->values[value] = tensor;
}

static bool put_scalar(counting *c, oribi_value_id value, const void *bytes)
{
    const size_t size = oribi_dtype_bytes(c->inner->values[value]->dtype);
    TF_Tensor *tensor = TF_AllocateTensor(c->inner->values[value]->dtype, NULL, 0, size);
    if (tensor == NULL) {
        return oribi_fail_memory(c->status);
    }
    memcpy(TF_TensorData(tensor), bytes, size);
    put(c, value, tensor);
    return true;
}

static bool begin(counting *c)
{
    const uint8_t yes = 1;
    for (int32_t i = 0; i < c->inner->n_values; i++) {
        if (c->is_needed[i] && c->inner->values[i]->constant != NULL) {
            put(c, i, oribi_graph_constant_tensor(c->inner, i, c->status));
            ORIBI_TRY(c->values[i] != NULL);
        }
    }
    for (int32_t i = BEFORE; i < BEFORE + c->n_carried; i++) {
        const oribi_value_id id = c->inner->inputs[i];
        if (c->is_needed[id]) {
            put(c, id, oribi_graph_constant_tensor(c->outer, c->node->inputs[i], c->status));
            ORIBI_TRY(c->values[id] != NULL);
        }
    }
    return put_scalar(c, c->inner->inputs[1], &yes);
}

static bool run_node(counting *c, const oribi_node *node)
{
    TF_Tensor **inputs = oribi_alloc_zero((size_t)node->n_inputs + 1, sizeof(TF_Tensor *));
    TF_Tensor **outputs = oribi_alloc_zero((size_t)node->n_outputs + 1, sizeof(TF_Tensor *));
    bool ok = (inputs != NULL && outputs != NULL) || oribi_fail_memory(c->status);
    for (int32_t i = 0; ok && i < node->n_inputs; i++) {
        inputs[i] = c->values[node->inputs[i]];
    }
    ok = ok && oribi_pass_fold_run(c->inner, node, inputs, outputs, c->options, c->status);
    for (int32_t i = 0; ok && i < node->n_outputs; i++) {
        put(c, node->outputs[i], outputs[i]);
    }
    oribi_free(inputs);
    oribi_free(outputs);
    return ok;
}

/* States take their next values; one may be the next of another. */
static bool step_states(counting *c)
{
    TF_Tensor **next = oribi_alloc_zero((size_t)c->n_carried + 1, sizeof(TF_Tensor *));
    bool ok = next != NULL || oribi_fail_memory(c->status);
    for (int32_t i = 0; ok && i < c->n_carried; i++) {
        const oribi_value_id from = c->inner->outputs[1 + i];
        if (c->is_needed[c->inner->inputs[BEFORE + i]] && c->values[from] != NULL) {
            next[i] = oribi_tensor_share(c->values[from]);
            ok = next[i] != NULL || oribi_fail_memory(c->status);
        }
    }
    for (int32_t i = 0; next != NULL && i < c->n_carried; i++) {
        if (next[i] != NULL) {
            put(c, c->inner->inputs[BEFORE + i], next[i]);
        }
    }
    oribi_free(next);
    return ok;
}

static bool iterate(counting *c, int64_t number, int32_t *runs, bool *out_goes_on)
{
    ORIBI_TRY(put_scalar(c, c->inner->inputs[0], &number));
    for (int32_t i = 0; i < c->inner->n_order; i++) {
        const oribi_node *node = c->inner->nodes[c->inner->order[i]];
        bool is_needed = false;
        for (int32_t k = 0; k < node->n_outputs; k++) {
            is_needed = is_needed || c->is_needed[node->outputs[k]];
        }
        if (is_needed) {
            ORIBI_TRY(++*runs <= MOST_RUNS && run_node(c, node));
        }
    }
    const TF_Tensor *condition = c->values[c->inner->outputs[0]];
    ORIBI_TRY(TF_TensorByteSize(condition) == 1);
    *out_goes_on = *(const uint8_t *)TF_TensorData(condition) != 0;
    return step_states(c);
}

static int64_t count(counting *c, int64_t most)
{
    bool goes_on = true;
    int64_t number = 0;
    int32_t runs = 0;
    if (!begin(c)) {
        return -1;
    }
    for (; goes_on && number < most; number++) {
        if (number >= MOST_RUNS || !oribi_patience_left(c->status) ||
            !iterate(c, number, &runs, &goes_on)) {
            return -1;
        }
    }
    return number;
}

int64_t oribi_pass_count_trips(oribi_graph *graph, const oribi_node *node,
                               const oribi_pass_options *options, int64_t most, TF_Status *status)
{
    const oribi_body *body = &node->bodies[0];
    const size_t n = (size_t)body->graph->n_values + 1;
    counting c = {.outer = graph,
                  .inner = body->graph,
                  .node = node,
                  .options = options,
                  .status = status,
                  .n_carried = body->n_formals - BEFORE,
                  .is_needed = oribi_alloc_zero(n, sizeof(bool)),
                  .waiting = oribi_alloc_zero(n, sizeof(oribi_value_id)),
                  .values = oribi_alloc_zero(n, sizeof(TF_Tensor *))};
    int64_t trips = -1;
    if (c.is_needed == NULL || c.waiting == NULL || c.values == NULL) {
        oribi_fail_memory(status);
    } else if (oribi_graph_sort(c.inner, status) && follow(&c)) {
        trips = count(&c, most);
    }
    for (size_t i = 0; c.values != NULL && i < n; i++) {
        TF_DeleteTensor(c.values[i]);
    }
    oribi_free(c.values);
    oribi_free(c.waiting);
    oribi_free(c.is_needed);
    return trips;
}
