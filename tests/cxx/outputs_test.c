/* SPDX-License-Identifier: Apache-2.0 */
/* Does the host get what a kernel in C++ handed over as its output, whichever way it did? Each way
 * of plugins/idioms.cc is computed by itself, in a session, at once and later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cxx/run_session.h"
#include "plugin/plugin.h"

enum { ELEMENTS = 5, N_OUTPUTS = 2 };

static const char *const ways[] = {
    "nothing else",
    "assigned",
    "moved",
    "swapped",
    "copied from",
    "copied from another shape",
    "bitcast",
    "mutable output",
    "temporary",
    "temporary filled later",
    "filled through the output",
    "assigned twice",
    "assigned and back",
    "slice of another",
    "set after all",
    "set, then assigned",
    "set, the pointer kept",
    "input assigned",
    "input copied from",
    "itself, reshaped",
    "itself, without its end",
    "itself, without its beginning",
    "set",
    "set, then filled",
    "temporary set, then filled",
    "set twice",
    "input set",
    "forwarded, then assigned",
    "input forwarded, then assigned",
    "list assigned",
    "list set",
    "shared",
    "input shared",
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static const char *const ops[] = {"Idiom", "IdiomLater"};

static int load(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 0);
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(CXX_PLUGINS "/idioms.so", status);
    const bool ok = TF_GetCode(status) == TF_OK;
    if (!ok) {
        print_error("%s\n", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

static int factor_of(const char *way)
{
    return strncmp(way, "input", 5) == 0 ? 1 : 2;
}

static TF_Tensor *numbers(void)
{
    const int64_t dims[1] = {ELEMENTS};
    TF_Tensor *x = TF_AllocateTensor(TF_INT32, dims, 1, ELEMENTS * sizeof(int32_t));
    for (int32_t i = 0; i < ELEMENTS; i++) {
        ((int32_t *)TF_TensorData(x))[i] = 100 * (i + 1);
    }
    return x;
}

/* Is the tensor factor * x + more, of x's shape? */
static void check(const TF_Tensor *y, int factor, int more, const char *op, const char *way)
{
    const int32_t *got = TF_TensorData(y);
    if (TF_NumDims(y) != 1 || TF_Dim(y, 0) != ELEMENTS) {
        fail_msg("%s, %s: another shape", op, way);
    }
    for (int32_t i = 0; i < ELEMENTS; i++) {
        if (got[i] != factor * 100 * (i + 1) + more) {
            fail_msg("%s, %s: element %d is %d", op, way, (int)i, (int)got[i]);
        }
    }
}

static void attrs_of(const char *way, char *out, size_t capacity)
{
    snprintf(out, capacity, "way=\"%s\";N=%d", way, N_OUTPUTS);
}

static void each_way_of_handing_an_output_over_reaches_the_host(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * N_WAYS; k++) {
        const char *op = ops[k % 2], *way = ways[k / 2];
        char attrs[128];
        TF_Status *status = TF_NewStatus();
        TF_Tensor *x = numbers();
        run_op run;
        attrs_of(way, attrs, sizeof attrs);

        (void)run_op_begin(&run, op, attrs, &x, 1, NULL, status);
        assert_string_equal(TF_Message(status), "");
        for (int i = 0; i < N_OUTPUTS; i++) {
            check(run.outputs[i], factor_of(way), 0, op, way);
        }
        (void)run_session(&run, op, &x, 1, status);
        assert_string_equal(TF_Message(status), "");
        for (int i = 0; i < N_OUTPUTS; i++) {
            check(run.outputs[i], factor_of(way), 0, op, way);
        }

        run_op_end(&run);
        TF_DeleteTensor(x);
        TF_DeleteStatus(status);
    }
}

static void expect_failure(const char *way, const char *words)
{
    for (int k = 0; k < 2; k++) {
        char attrs[128];
        TF_Status *status = TF_NewStatus();
        TF_Tensor *x = numbers();
        run_op run;
        attrs_of(way, attrs, sizeof attrs);

        assert_false(run_op_begin(&run, ops[k], attrs, &x, 1, NULL, status));

        if (strstr(TF_Message(status), words) == NULL) {
            fail_msg("%s, %s: '%s'", ops[k], way, TF_Message(status));
        }
        run_op_end(&run);
        TF_DeleteTensor(x);
        TF_DeleteStatus(status);
    }
}

static void an_output_of_another_type_fails_the_computation(void **state)
{
    (void)state;
    expect_failure("of another type", "does not match declared output type");
    expect_failure("its bytes of another type", "does not match declared output type");
}

static void what_a_failed_kernel_left_behind_is_not_handed_over(void **state)
{
    (void)state;
    expect_failure("failed after", "this kernel gives up");
}

/* --- Tensors that several values share, where one of them is written in place ---------------- */

static oribi_node *add(oribi_graph *graph, const char *op, const char *name, const char *way,
                       oribi_value_id input, TF_Status *status)
{
    const int32_t n_outputs = way != NULL ? N_OUTPUTS : 1;
    oribi_node *node = oribi_graph_add_node(graph, op, name, &input, 1, n_outputs, status);
    if (way != NULL) {
        oribi_attrs_set_int(&node->attrs, &graph->arena, "N", n_outputs);
        oribi_attrs_set_string(&node->attrs, &graph->arena, "way", way);
    }
    if (!oribi_graph_resolve(graph, node, status)) {
        fail_msg("%s", TF_Message(status));
    }
    return node;
}

/* in -> + 1 = m -> way -> a, b; a -> + 1 = c; m -> + 1 = d. The outputs are b, c, d. */
static oribi_session *diamond(const char *way, TF_Status *status)
{
    oribi_graph *graph = oribi_graph_create(status);
    int64_t dims[1] = {ELEMENTS};
    const oribi_shape shape = {.dims = dims, .rank = 1};
    oribi_value_id x = oribi_graph_add_value(graph, "x", TF_INT32, &shape, status);
    oribi_graph_add_input(graph, x, "x", status);
    const oribi_value_id m = add(graph, "IdiomInPlace", "m", NULL, x, status)->outputs[0];
    const oribi_node *both = add(graph, "Idiom", "both", way, m, status);
    const oribi_node *c = add(graph, "IdiomInPlace", "c", NULL, both->outputs[0], status);
    const oribi_node *d = add(graph, "IdiomInPlace", "d", NULL, m, status);
    oribi_graph_add_output(graph, both->outputs[1], "b", status);
    oribi_graph_add_output(graph, c->outputs[0], "c", status);
    oribi_graph_add_output(graph, d->outputs[0], "d", status);
    oribi_session *session = oribi_session_from_graph(graph, NULL, status);
    assert_string_equal(TF_Message(status), "");
    return session;
}

static void values_that_share_a_tensor_are_not_written_in_place(void **state)
{
    (void)state;
    for (int k = 0; k < N_WAYS; k++) {
        TF_Status *status = TF_NewStatus();
        oribi_session *session = diamond(ways[k], status);
        oribi_run *run = oribi_run_create(session, status);
        TF_Tensor *x = numbers();
        oribi_run_set_input(run, 0, x, status);
        for (int round = 0; round < 4; round++) {
            oribi_run_execute(run, status);
            assert_string_equal(TF_Message(status), "");
            const int factor = factor_of(ways[k]), more[3] = {factor, factor + 1, 2};
            for (int i = 0; i < 3; i++) {
                TF_Tensor *y = oribi_run_output(run, i, status);
                check(y, i == 2 ? 1 : factor, more[i], "diamond", ways[k]);
                TF_DeleteTensor(y);
            }
        }
        check(x, 1, 0, "the caller's input", ways[k]);
        TF_DeleteTensor(x);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        TF_DeleteStatus(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_of_handing_an_output_over_reaches_the_host),
        cmocka_unit_test(an_output_of_another_type_fails_the_computation),
        cmocka_unit_test(what_a_failed_kernel_left_behind_is_not_handed_over),
        cmocka_unit_test(values_that_share_a_tensor_are_not_written_in_place),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
