/* SPDX-License-Identifier: Apache-2.0 */
/* Small graphs for tests of passes: built by a function that is called twice, run node by node by
 * the reference way (no session, no plan), once as it is and once after passes.
 */
#ifndef ORIBI_TESTS_PASS_PASS_TEST_SUPPORT_H_
#define ORIBI_TESTS_PASS_PASS_TEST_SUPPORT_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "pass/pass.h"
#include "plugin/plugin.h"
#include "support/graph_check.h"

typedef struct net {
    oribi_graph *graph;
    TF_Status *status;
    oribi_pass_report report;
} net;

static inline void net_check(const net *n)
{
    if (TF_GetCode(n->status) != TF_OK) {
        fail_msg("%s", TF_Message(n->status));
    }
}

static inline net net_open(void)
{
    net n = {.status = TF_NewStatus()};
    oribi_plugin_load_built_ins(n.status);
    net_check(&n);
    n.graph = oribi_graph_create(n.status);
    net_check(&n);
    return n;
}

static inline void net_close(net *n)
{
    oribi_graph_destroy(n->graph);
    TF_DeleteStatus(n->status);
}

/* Repeatable numbers in [-1, 1). */
static inline float net_number(uint32_t seed, uint32_t index)
{
    uint32_t x = seed * 2654435761U + index * 2246822519U + 374761393U;
    x = (x ^ (x >> 15)) * 2654435761U;
    x = (x ^ (x >> 13)) * 2246822519U;
    return (float)((x ^ (x >> 16)) >> 8) * 0x1p-23F - 1.0F;
}

#define DIMS(...)                                                                                  \
    (const int64_t[]){__VA_ARGS__}, (int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / 8)
#define IDS(...)                                                                                   \
    (const oribi_value_id[]){__VA_ARGS__},                                                         \
        (int32_t)(sizeof((const oribi_value_id[]){__VA_ARGS__}) / sizeof(oribi_value_id))

static inline oribi_value_id net_input(net *n, const char *name, const int64_t *dims, int32_t rank)
{
    oribi_shape shape = {rank, (int64_t *)dims};
    oribi_value_id id = oribi_graph_add_value(n->graph, name, TF_FLOAT, &shape, n->status);
    net_check(n);
    oribi_graph_add_input(n->graph, id, name, n->status);
    net_check(n);
    return id;
}

/* base + spread * number in [-1, 1). */
static inline oribi_value_id net_floats(net *n, const int64_t *dims, int32_t rank, float base,
                                        float spread)
{
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        count *= dims[i];
    }
    float *data = malloc((size_t)(count + 1) * sizeof *data);
    assert_non_null(data);
    for (int64_t i = 0; i < count; i++) {
        data[i] = base + spread * net_number((uint32_t)n->graph->n_values + 7, (uint32_t)i);
    }
    oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "weights", TF_FLOAT, dims, rank, data, n->status);
    free(data);
    net_check(n);
    return id;
}

static inline oribi_value_id net_ints(net *n, const int64_t *values, int32_t count)
{
    int32_t narrow[32] = {0};
    int64_t dims[1] = {count};
    for (int32_t i = 0; i < count; i++) {
        narrow[i] = (int32_t)values[i];
    }
    oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "ints", TF_INT32, dims, 1, narrow, n->status);
    net_check(n);
    return id;
}

static inline oribi_value_id net_int(net *n, int32_t value)
{
    oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "int", TF_INT32, NULL, 0, &value, n->status);
    net_check(n);
    return id;
}

/* Node whose attributes are still to be set; net_done resolves it. */
static inline oribi_node *net_node(net *n, const char *op, const oribi_value_id *inputs,
                                   int32_t n_inputs)
{
    const oribi_op_def *def = oribi_op_find(op);
    if (def == NULL) {
        fail_msg("op %s is not registered", op);
    }
    int32_t n_outputs = def->n_outputs > 1 ? def->n_outputs : 1;
    oribi_node *node =
        oribi_graph_add_node(n->graph, op, op, inputs, n_inputs, n_outputs, n->status);
    net_check(n);
    return node;
}

static inline oribi_value_id net_done(net *n, oribi_node *node)
{
    oribi_graph_resolve(n->graph, node, n->status);
    net_check(n);
    return node->outputs[0];
}

static inline oribi_value_id net_op(net *n, const char *op, const oribi_value_id *inputs,
                                    int32_t n_inputs)
{
    return net_done(n, net_node(n, op, inputs, n_inputs));
}

static inline oribi_value_id net_transpose(net *n, oribi_value_id x, const int64_t *perm,
                                           int32_t rank)
{
    return net_op(n, "Transpose", IDS(x, net_ints(n, perm, rank)));
}

static inline oribi_value_id net_to_nhwc(net *n, oribi_value_id x)
{
    return net_transpose(n, x, DIMS(0, 2, 3, 1));
}

static inline oribi_value_id net_to_nchw(net *n, oribi_value_id x)
{
    return net_transpose(n, x, DIMS(0, 3, 1, 2));
}

static inline oribi_value_id net_reshape(net *n, oribi_value_id x, const int64_t *dims,
                                         int32_t rank)
{
    return net_op(n, "Reshape", IDS(x, net_ints(n, dims, rank)));
}

/* NHWC convolution of a square kernel, stride 1, SAME. */
static inline oribi_value_id net_conv(net *n, const char *op, oribi_value_id x, int64_t size,
                                      int64_t in, int64_t out)
{
    oribi_value_id filter = net_floats(n, DIMS(size, size, in, out), 0.0F, 0.4F);
    oribi_node *node = net_node(n, op, IDS(x, filter));
    const int64_t strides[4] = {1, 1, 1, 1};
    oribi_attrs_set_ints(&node->attrs, &n->graph->arena, "strides", strides, 4);
    oribi_attrs_set_string(&node->attrs, &n->graph->arena, "padding", "SAME");
    return net_done(n, node);
}

static inline oribi_value_id net_norm(net *n, oribi_value_id x, int64_t channels)
{
    oribi_value_id scale = net_floats(n, DIMS(channels), 1.0F, 0.5F);
    oribi_value_id offset = net_floats(n, DIMS(channels), 0.0F, 0.5F);
    oribi_value_id mean = net_floats(n, DIMS(channels), 0.0F, 0.5F);
    oribi_value_id variance = net_floats(n, DIMS(channels), 1.0F, 0.5F);
    oribi_node *node = net_node(n, "FusedBatchNormV3", IDS(x, scale, offset, mean, variance));
    oribi_attrs_set_bool(&node->attrs, &n->graph->arena, "is_training", false);
    oribi_attrs_set_float(&node->attrs, &n->graph->arena, "epsilon", 1e-3F);
    return net_done(n, node);
}

static inline void net_output(net *n, oribi_value_id value)
{
    oribi_graph_add_output(n->graph, value, n->graph->values[value]->name, n->status);
    net_check(n);
}

static inline int net_count(const net *n, const char *op)
{
    int count = 0;
    for (int32_t i = 0; i < n->graph->n_nodes; i++) {
        const oribi_node *node = n->graph->nodes[i];
        count += !node->is_dead && (op == NULL || strcmp(node->op_name, op) == 0);
    }
    return count;
}

/* --- Running by hand ------------------------------------------------------------------------ */

static inline void net_run_node(net *n, oribi_node *node, TF_Tensor **values)
{
    oribi_node_view view;
    oribi_kernel kernel;
    TF_Tensor *inputs[64] = {NULL}, *outputs[64] = {NULL};
    assert_true(node->n_inputs <= 64 && node->n_outputs <= 64);
    oribi_graph_node_view(n->graph, node, &view, n->status);
    net_check(n);
    const oribi_kernel_def *def =
        node->kernel != NULL ? node->kernel : oribi_kernel_select(&view, "CPU", NULL, n->status);
    net_check(n);
    oribi_kernel_create(def, &view, &kernel, n->status);
    net_check(n);
    for (int32_t i = 0; i < node->n_inputs; i++) {
        oribi_value_id id = node->inputs[i];
        if (values[id] == NULL) {
            values[id] = oribi_graph_constant_tensor(n->graph, id, n->status);
            net_check(n);
        }
        inputs[i] = values[id];
    }
    oribi_kernel_run_once(&kernel, inputs, outputs, NULL, n->status);
    net_check(n);
    oribi_kernel_destroy(&kernel);
    for (int32_t i = 0; i < node->n_outputs; i++) {
        values[node->outputs[i]] = outputs[i];
    }
}

/* Output `index` on repeatable inputs; the caller deletes it. */
static inline TF_Tensor *net_run(net *n, int32_t index)
{
    oribi_graph *graph = n->graph;
    TF_Tensor **values = calloc((size_t)graph->n_values + 1, sizeof(TF_Tensor *));
    assert_non_null(values);
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        const oribi_value *value = graph->values[graph->inputs[i]];
        size_t bytes = 0;
        int64_t dims[8];
        for (int32_t k = 0; k < value->shape.rank; k++) { /* an unknown batch is two */
            dims[k] = value->shape.dims[k] < 0 ? 2 : value->shape.dims[k];
        }
        oribi_size_of_dims(dims, value->shape.rank, sizeof(float), &bytes);
        TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, dims, value->shape.rank, bytes);
        float *data = TF_TensorData(tensor);
        for (size_t k = 0; k < bytes / sizeof(float); k++) {
            data[k] = net_number((uint32_t)i + 1000, (uint32_t)k);
        }
        values[graph->inputs[i]] = tensor;
    }
    oribi_graph_sort(graph, n->status);
    net_check(n);
    for (int32_t i = 0; i < graph->n_order; i++) {
        net_run_node(n, graph->nodes[graph->order[i]], values);
    }
    oribi_value_id id = graph->outputs[index];
    if (values[id] == NULL) {
        values[id] = oribi_graph_constant_tensor(graph, id, n->status);
        net_check(n);
    }
    TF_Tensor *result = oribi_tensor_share(values[id]);
    for (int32_t i = 0; i < graph->n_values; i++) {
        TF_DeleteTensor(values[i]);
    }
    free(values);
    return result;
}

static inline void net_expect_close(const TF_Tensor *expected, const TF_Tensor *found)
{
    assert_int_equal(TF_TensorType(expected), TF_TensorType(found));
    assert_int_equal(TF_NumDims(expected), TF_NumDims(found));
    for (int i = 0; i < TF_NumDims(expected); i++) {
        assert_int_equal(TF_Dim(expected, i), TF_Dim(found, i));
    }
    int64_t count = TF_TensorElementCount(expected);
    const float *a = TF_TensorData(expected), *b = TF_TensorData(found);
    for (int64_t i = 0; i < count; i++) {
        if (!(fabsf(a[i] - b[i]) <= 1e-4F * (1.0F + fabsf(a[i])))) {
            fail_msg("element %lld: expected %g, found %g", (long long)i, (double)a[i],
                     (double)b[i]);
        }
    }
}

static inline void net_pass(net *n, uint32_t disabled)
{
    oribi_pass_options options = {.disabled = disabled};
    oribi_pass_run_all(n->graph, &options, &n->report, n->status);
    net_check(n);
    oribi_graph_check(n->graph, n->status);
    net_check(n);
}

/* Builds twice; the second net goes through the passes and comes back, with the same outputs. */
static inline net net_compare_without(uint32_t disabled, void (*build)(net *n))
{
    net before = net_open(), after = net_open();
    build(&before);
    build(&after);
    net_pass(&after, disabled);
    assert_int_equal(before.graph->n_outputs, after.graph->n_outputs);
    for (int32_t i = 0; i < before.graph->n_outputs; i++) {
        TF_Tensor *expected = net_run(&before, i), *found = net_run(&after, i);
        net_expect_close(expected, found);
        TF_DeleteTensor(expected);
        TF_DeleteTensor(found);
    }
    net_close(&before);
    return after;
}

static inline net net_compare(void (*build)(net *n))
{
    return net_compare_without(0, build);
}

static inline void net_print(const net *n)
{
    oribi_text text = {0};
    oribi_graph_print(n->graph, &text);
    print_message("%s\n", oribi_text_string(&text));
    oribi_text_destroy(&text);
    for (int32_t i = 0; i < n->report.n_changes; i++) {
        print_message("%s: %s\n", n->report.changes[i].pass, n->report.changes[i].what);
    }
}

#endif
