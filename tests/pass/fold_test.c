/* SPDX-License-Identifier: Apache-2.0 */
/* Constants are computed once, without bytes where a view does. */
#include "pass/pass_test_support.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static void build_views(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(5, 6));
    oribi_value_id w = net_transpose(n, net_floats(n, DIMS(4, 6), 0.0F, 1.0F), DIMS(1, 0));
    net_output(n, net_op(n, "MatMul", IDS(x, w)));
}

static void transposed_constant_is_a_view_of_the_same_bytes(void **state)
{
    (void)state;
    net n = net_compare(build_views);
    assert_int_equal(net_count(&n, "Transpose"), 0);
    const oribi_node *node = oribi_graph_producer(n.graph, n.graph->outputs[0]);
    const oribi_constant_view *view = &n.graph->values[node->inputs[1]]->constant->view;
    assert_int_equal(view->dims[0], 6);
    assert_int_equal(view->strides[0], 4);
    assert_int_equal(view->strides[1], 24);
    net_close(&n);
}

static void build_fill(net *n)
{
    oribi_value_id value = net_floats(n, DIMS(1), 2.0F, 1.0F);
    value = net_reshape(n, value, NULL, 0);
    oribi_value_id big = net_op(n, "Fill", IDS(net_ints(n, DIMS(64, 1000)), value));
    oribi_value_id x = net_input(n, "x", DIMS(1, 64));
    net_output(n, net_op(n, "MatMul", IDS(x, net_op(n, "Sqrt", IDS(big)))));
}

static void fill_and_elementwise_on_it_stay_one_element(void **state)
{
    (void)state;
    net n = net_compare(build_fill);
    const oribi_node *node = oribi_graph_producer(n.graph, n.graph->outputs[0]);
    const oribi_constant_view *view = &n.graph->values[node->inputs[1]]->constant->view;
    assert_int_equal(view->strides[0], 0);
    assert_int_equal(view->strides[1], 0);
    assert_int_equal(net_count(&n, NULL), 1);
    net_close(&n);
}

static void build_arithmetic(net *n)
{
    oribi_value_id a = net_floats(n, DIMS(3, 4), 1.0F, 0.5F),
                   b = net_floats(n, DIMS(4), 1.0F, 0.5F);
    oribi_value_id x = net_input(n, "x", DIMS(3, 4));
    oribi_value_id c = net_op(n, "Mul", IDS(net_op(n, "AddV2", IDS(a, b)), b));
    net_output(n, net_op(n, "Identity", IDS(net_op(n, "AddV2", IDS(x, c)))));
}

static void nodes_on_constants_are_computed_once(void **state)
{
    (void)state;
    net n = net_compare(build_arithmetic);
    assert_int_equal(net_count(&n, NULL), 1);
    net_close(&n);
}

static void build_shape_arithmetic(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(-1, 3, 4));
    oribi_value_id shape = net_op(n, "Shape", IDS(x));
    oribi_value_id one = net_ints(n, DIMS(1)), two = net_ints(n, DIMS(2)),
                   three = net_ints(n, DIMS(3));
    oribi_value_id h = net_op(n, "StridedSlice", IDS(shape, one, two, one));
    oribi_value_id w = net_op(n, "StridedSlice", IDS(shape, two, three, one));
    oribi_value_id size = net_op(n, "Mul", IDS(h, w));
    oribi_node *join = net_node(n, "ConcatV2", IDS(net_ints(n, DIMS(-1)), size, net_int(n, 0)));
    net_output(n, net_op(n, "Reshape", IDS(x, net_done(n, join))));
}

static void known_dims_of_an_open_shape_fold(void **state)
{
    (void)state;
    net n = net_compare(build_shape_arithmetic);
    assert_int_equal(net_count(&n, NULL), 1);
    const oribi_value *out = n.graph->values[n.graph->outputs[0]];
    assert_int_equal(out->shape.rank, 2);
    assert_int_equal(out->shape.dims[0], -1);
    assert_int_equal(out->shape.dims[1], 12);
    net_close(&n);
}

/* 256 KiB of constants would become 64 MiB that no kernel packs. */
static void build_blow_up(net *n)
{
    oribi_value_id a = net_floats(n, DIMS(4096, 1), 0.0F, 1.0F),
                   b = net_floats(n, DIMS(1, 1024), 0.0F, 1.0F);
    oribi_value_id x = net_input(n, "x", DIMS(1, 1024));
    net_output(n, net_op(n, "AddV2", IDS(x, net_op(n, "Mul", IDS(a, b)))));
}

static void a_result_much_larger_than_its_inputs_is_not_kept(void **state)
{
    (void)state;
    net n = net_open();
    build_blow_up(&n);
    net_pass(&n, 0);
    assert_int_equal(net_count(&n, "Mul"), 1);
    net_close(&n);
}

static int n_computed;

static void count_and_copy(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *input = NULL;
    TF_GetInput(ctx, 0, &input, status);
    TF_SetOutput(ctx, 0, input, status);
    TF_DeleteTensor(input);
    TF_DeleteStatus(status);
    n_computed++;
}

static void register_copy(const char *op, bool is_stateful)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *definition = TF_NewOpDefinitionBuilder(op);
    TF_OpDefinitionBuilderAddInput(definition, "x: float");
    TF_OpDefinitionBuilderAddOutput(definition, "y: float");
    TF_OpDefinitionBuilderSetIsStateful(definition, is_stateful);
    TF_RegisterOpDefinition(definition, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_RegisterKernelBuilder(op, TF_NewKernelBuilder(op, "CPU", NULL, count_and_copy, NULL),
                             status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void stateful_ops_are_never_folded(void **state)
{
    (void)state;
    register_copy("TestStateful", true);
    register_copy("TestStateless", false);
    net n = net_open();
    net_output(&n, net_op(&n, "TestStateful", IDS(net_floats(&n, DIMS(3), 0.0F, 1.0F))));
    net_output(&n, net_op(&n, "TestStateless", IDS(net_floats(&n, DIMS(3), 0.0F, 1.0F))));
    net_pass(&n, 0);
    assert_int_equal(net_count(&n, "TestStateful"), 1);
    assert_int_equal(net_count(&n, "TestStateless"), 0);
    assert_int_equal(n_computed, 1);
    net_close(&n);
}

static void a_result_above_the_limit_is_not_computed(void **state)
{
    (void)state;
    net n = net_open();
    build_arithmetic(&n);
    oribi_pass_options options = {.fold_max_bytes = 32};
    oribi_pass_run_all(n.graph, &options, &n.report, n.status);
    net_check(&n);
    assert_int_equal(net_count(&n, "Mul"), 1);
    net_close(&n);
}

static void folding_can_be_switched_off(void **state)
{
    (void)state;
    net n = net_open();
    build_arithmetic(&n);
    net_pass(&n, ORIBI_PASS_FOLD);
    assert_int_equal(net_count(&n, "Mul"), 1);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposed_constant_is_a_view_of_the_same_bytes),
        cmocka_unit_test(fill_and_elementwise_on_it_stay_one_element),
        cmocka_unit_test(nodes_on_constants_are_computed_once),
        cmocka_unit_test(known_dims_of_an_open_shape_fold),
        cmocka_unit_test(a_result_much_larger_than_its_inputs_is_not_kept),
        cmocka_unit_test(stateful_ops_are_never_folded),
        cmocka_unit_test(a_result_above_the_limit_is_not_computed),
        cmocka_unit_test(folding_can_be_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
