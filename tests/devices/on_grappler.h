/* SPDX-License-Identifier: Apache-2.0 */
/* An optimiser for the tests of graph optimisers, which does what the test wants, and a graph that
 * it gets. Included after cmocka.h; setup() registers it.
 */
#ifndef ORIBI_TESTS_DEVICES_ON_GRAPPLER_H_
#define ORIBI_TESTS_DEVICES_ON_GRAPPLER_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/optimizer.h"
#include "plugin/plugin.h"
#include "session/small.h"
#include "tensorflow/c/c_api.h"

static const int64_t DIMS[1] = {4};

typedef void (*optimise_fn)(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                            TF_Status *status);
static optimise_fn optimise_with;
static int n_optimised, n_made;
static char logged[2000];

/* --- The optimiser ------------------------------------------------------------------------------
 */

static inline void give(TF_Buffer *out, const void *bytes, size_t length)
{
    TF_Buffer *made = TF_NewBufferFromString(bytes, length);
    const TF_Buffer empty = *out;
    *out = *made;
    *made = empty;
    TF_DeleteBuffer(made);
}

static inline void *create_optimizer(void)
{
    n_made++;
    return &n_made;
}

static inline void destroy_optimizer(void *optimizer)
{
    assert_ptr_equal(optimizer, &n_made);
    n_made--;
}

static inline void optimise(void *optimizer, const TF_Buffer *graph, const TF_GrapplerItem *item,
                            TF_Buffer *optimized, TF_Status *status)
{
    assert_ptr_equal(optimizer, &n_made);
    n_optimised++;
    if (optimise_with != NULL) {
        optimise_with(graph, item, optimized, status);
    } else {
        give(optimized, graph->data, graph->length);
    }
}

static inline void init_graph(TP_OptimizerRegistrationParams *params, TF_Status *status)
{
    (void)status;
    params->device_type = "CPU";
    params->optimizer->create_func = create_optimizer;
    params->optimizer->destroy_func = destroy_optimizer;
    params->optimizer->optimize_func = optimise;
}

static inline void keep_log(void *arg, int level, const char *text)
{
    (void)arg;
    (void)level;
    (void)snprintf(logged, sizeof logged, "%s", text);
}

static inline int setup(void **state)
{
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_plugin_load_built_ins(status));
    oribi_optimizer *made = oribi_optimizer_create(init_graph, "test", status);
    assert_non_null(made);
    oribi_optimizer_commit(made);
    assert_null(oribi_optimizer_create(init_graph, "other", status));
    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    TF_DeleteStatus(status);
    oribi_set_log(keep_log, NULL);
    return small_setup(state);
}

/* --- A graph: z = (x - y) * c, s = Split(z) -----------------------------------------------------
 */

static inline oribi_session *make_session(void)
{
    static const float values[4] = {2, 3, 5, 7};
    small_graph g = small_begin();
    oribi_value_id in[2] = {small_input(&g, "x:0 \"odd\"", 1, DIMS), small_input(&g, "y", 1, DIMS)};
    oribi_node *sub = oribi_graph_add_node(g.graph, "Sub", "minus", in, 2, 1, g.status);
    assert_true(oribi_graph_resolve(g.graph, sub, g.status));
    const oribi_value_id c =
        oribi_graph_add_constant_copy(g.graph, "c", TF_FLOAT, DIMS, 1, values, g.status);
    const oribi_value_id factors[2] = {sub->outputs[0], c};
    oribi_node *mul = oribi_graph_add_node(g.graph, "Mul", "times", factors, 2, 1, g.status);
    assert_true(oribi_graph_resolve(g.graph, mul, g.status));
    const oribi_value_id axis =
        oribi_graph_add_constant_copy(g.graph, "axis", TF_INT32, NULL, 0, &(int32_t){0}, g.status);
    const oribi_value_id split_in[2] = {axis, mul->outputs[0]};
    oribi_node *split = oribi_graph_add_node(g.graph, "Split", "split", split_in, 2, 2, g.status);
    assert_true(oribi_attrs_set_int(&split->attrs, &g.graph->arena, "num_split", 2));
    assert_true(oribi_graph_resolve(g.graph, split, g.status));
    small_output(&g, split->outputs[1], "half");
    small_output(&g, mul->outputs[0], "all");
    return small_finish(&g);
}

/* Runs it with x = 10.., y = 1, 3, 5, 7 on a fresh session. */
static inline void run_graph(float *half, float *all)
{
    n_optimised = 0;
    logged[0] = 0;
    oribi_session *session = make_session();
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    TF_Tensor *y = small_tensor(1, DIMS, 0);
    for (int i = 0; i < 4; i++) {
        ((float *)TF_TensorData(y))[i] = (float)(2 * i + 1);
    }
    small_bind(run, 0, small_tensor(1, DIMS, 10));
    small_bind(run, 1, y);
    small_execute(run);
    TF_Tensor *out[2] = {oribi_run_output(run, 0, status), oribi_run_output(run, 1, status)};
    assert_int_equal(TF_TensorElementCount(out[0]), 2);
    assert_int_equal(TF_TensorElementCount(out[1]), 4);
    memcpy(half, TF_TensorData(out[0]), 2 * sizeof(float));
    memcpy(all, TF_TensorData(out[1]), 4 * sizeof(float));
    TF_DeleteTensor(out[0]);
    TF_DeleteTensor(out[1]);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(n_optimised, 1);
    assert_int_equal(n_made, 0);
}

static inline void expect_minus(void)
{
    float half[2];
    float all[4];
    run_graph(half, all);
    for (int i = 0; i < 4; i++) {
        static const float c[4] = {2, 3, 5, 7};
        assert_true(all[i] == (float)(10 + i - (2 * i + 1)) * c[i]);
    }
    assert_true(half[0] == all[2] && half[1] == all[3]);
}

#endif
