/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels are chosen before anything is fused, and what is missing is told all at once. The vendor
 * kernels here are registered as a plugin's would be, and never run.
 */
#include "pass/pass_test_support.h"
#include "tensorflow/c/kernels.h"

static void never_called(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    (void)ctx;
    fail();
}

/* Knows a bias and nothing more. */
static void *create_with_bias_only(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    int32_t count = 0, bytes = 0;
    TF_OpKernelConstruction_GetAttrSize(ctx, "fused_ops", &count, &bytes, status);
    if (count != 1) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "only BiasAdd");
        TF_OpKernelConstruction_Failure(ctx, status);
    }
    TF_DeleteStatus(status);
    return NULL;
}

static void add_kernel_for(const char *provider, const char *device, const char *op,
                           void *(*create)(TF_OpKernelConstruction *))
{
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_kernel_begin(provider, status));
    TF_KernelBuilder *builder = TF_NewKernelBuilder(op, device, create, never_called, NULL);
    TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
    TF_RegisterKernelBuilder("vendor", builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(oribi_kernel_commit(status));
    TF_DeleteStatus(status);
}

static void add_kernel_with(const char *provider, const char *op,
                            void *(*create)(TF_OpKernelConstruction *))
{
    add_kernel_for(provider, "CPU", op, create);
}

static void add_kernel(const char *provider, const char *op)
{
    add_kernel_with(provider, op, NULL);
}

static void build(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 3));
    oribi_value_id bias = net_floats(n, DIMS(8), 0.0F, 1.0F);
    oribi_value_id y = net_op(n, "BiasAdd", IDS(net_conv(n, "Conv2D", x, 3, 3, 8), bias));
    y = net_op(n, "Relu", IDS(net_norm(n, y, 8)));
    net_output(n, y);
}

static net planned(void)
{
    net n = net_open();
    build(&n);
    net_pass(&n, 0);
    return n;
}

static void vendor_convolution_keeps_its_op_until_the_vendor_has_the_fused_one(void **state)
{
    (void)state;
    net n = planned();
    assert_int_equal(net_count(&n, "_FusedConv2D"), 1);
    net_close(&n);

    add_kernel("/opt/vendor.so", "Conv2D");
    n = planned();
    assert_int_equal(net_count(&n, "_FusedConv2D"), 0);
    assert_int_equal(net_count(&n, "Conv2D"), 1);
    assert_int_equal(net_count(&n, "FusedBatchNormV3"), 0); /* still goes into the weights */
    assert_int_equal(net_count(&n, "BiasAdd"), 1);
    net_close(&n);

    add_kernel("/opt/other.so", "_FusedConv2D");
    n = planned();
    assert_int_equal(net_count(&n, "_FusedConv2D"), 0); /* another vendor's does not count */
    net_close(&n);
}

/* The depthwise ops are free of other vendors here. */
static void vendor_fused_kernel_that_refuses_a_word_takes_the_others(void **state)
{
    (void)state;
    add_kernel_with("/opt/depth.so", "_FusedDepthwiseConv2dNative", create_with_bias_only);
    add_kernel_with("/opt/depth.so", "Oribi>FusedDepthwiseConv2d", create_with_bias_only);
    for (int with_relu = 0; with_relu < 2; with_relu++) {
        net n = net_open();
        oribi_value_id x = net_input(&n, "x", DIMS(1, 6, 5, 3));
        oribi_value_id y = net_conv(&n, "DepthwiseConv2dNative", x, 3, 3, 1);
        y = net_op(&n, "BiasAdd", IDS(y, net_floats(&n, DIMS(3), 0.0F, 1.0F)));
        net_output(&n, with_relu ? net_op(&n, "Relu", IDS(y)) : y);
        net_pass(&n, 0);
        assert_int_equal(net_count(&n, "_FusedDepthwiseConv2dNative"), 1);
        assert_int_equal(net_count(&n, "BiasAdd"), 0);
        assert_int_equal(net_count(&n, "Relu"), with_relu);
        net_close(&n);
    }
}

static void vendor_activation_is_not_taken_along(void **state)
{
    (void)state;
    add_kernel("/opt/relu.so", "Relu6");
    net n = net_open();
    oribi_value_id x = net_input(&n, "x", DIMS(1, 6, 5, 3));
    oribi_value_id y = net_conv(&n, "DepthwiseConv2dNative", x, 3, 3, 1);
    net_output(&n, net_op(&n, "Relu6", IDS(y)));
    net_pass(&n, 0);
    assert_int_equal(net_count(&n, "Relu6"), 1);
    net_close(&n);
}

static void everything_that_is_missing_is_told_at_once(void **state)
{
    (void)state;
    net n = net_open();
    oribi_pass_options options = {0};
    oribi_value_id x = net_input(&n, "x", DIMS(1, 6));
    static const char *const names[] = {"first", "second", "third"};
    for (int i = 0; i < 3; i++) {
        oribi_node *node = oribi_graph_add_node(n.graph, i == 1 ? "Acme>Bar" : "Acme>Foo", names[i],
                                                &x, 1, 1, n.status);
        n.graph->values[node->outputs[0]]->dtype = TF_FLOAT;
        x = node->outputs[0];
    }
    net_output(&n, x);
    assert_false(oribi_pass_run_all(n.graph, &options, NULL, n.status));
    assert_int_equal(TF_GetCode(n.status), TF_UNIMPLEMENTED);
    const char *message = TF_Message(n.status);
    assert_non_null(strstr(message, "'Acme>Foo'"));
    assert_non_null(strstr(message, "'first', 'third'"));
    assert_non_null(strstr(message, "'Acme>Bar'"));
    assert_non_null(strstr(message, "'second'"));
    net_close(&n);
}

static void op_without_a_kernel_for_its_type_tells_why(void **state)
{
    (void)state;
    net n = net_open();
    oribi_pass_options options = {0};
    oribi_shape shape = {2, (int64_t[]){2, 2}};
    oribi_value_id x = oribi_graph_add_value(n.graph, "x", TF_COMPLEX128, &shape, n.status);
    oribi_graph_add_input(n.graph, x, "x", n.status);
    net_output(&n, net_op(&n, "MatMul", IDS(x, x)));
    assert_false(oribi_pass_run_all(n.graph, &options, NULL, n.status));
    assert_int_equal(TF_GetCode(n.status), TF_UNIMPLEMENTED);
    assert_non_null(strstr(TF_Message(n.status), "node 'MatMul'"));
    assert_non_null(strstr(TF_Message(n.status), "COMPLEX128"));
    net_close(&n);
}

/* --- A device's kernels are all that there is on it --------------------------------------------
 */

static void add_acme(const char *op)
{
    add_kernel_for("/opt/acme.so", "ACME", op, NULL);
}

static net planned_on_acme(void (*build_net)(net *))
{
    net n = net_open();
    const oribi_pass_options options = {.device = "ACME"};
    build_net(&n);
    oribi_pass_run_all(n.graph, &options, NULL, n.status);
    net_check(&n);
    return n;
}

static void build_turned(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 3, 6, 5));
    x = net_op(n, "Transpose", IDS(x, net_ints(n, (int64_t[]){0, 2, 3, 1}, 4)));
    x = net_op(n, "Relu", IDS(x));
    net_output(n, net_op(n, "Transpose", IDS(x, net_ints(n, (int64_t[]){0, 3, 1, 2}, 4))));
}

static void transposes_of_a_device_cancel_and_those_of_a_vendor_do_not(void **state)
{
    (void)state;
    add_acme("Transpose");
    add_acme("Relu");
    net n = planned_on_acme(build_turned);
    assert_int_equal(net_count(&n, "Transpose"), 0);
    assert_int_equal(net_count(&n, "Relu"), 1);
    net_close(&n);

    add_kernel("/opt/turn.so", "Transpose");
    n = net_open();
    build_turned(&n);
    net_pass(&n, 0);
    assert_int_equal(net_count(&n, "Transpose"), 2);
    net_close(&n);
}

static void build_norm(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 3));
    net_output(n, net_norm(n, net_conv(n, "Conv2D", x, 3, 3, 8), 8));
}

static void norms_of_a_device_fold_where_it_can_add_what_is_left(void **state)
{
    (void)state;
    add_acme("Conv2D");
    add_acme("FusedBatchNormV3");
    net n = planned_on_acme(build_norm);
    assert_int_equal(net_count(&n, "FusedBatchNormV3"), 1);
    assert_int_equal(net_count(&n, "BiasAdd"), 0); /* which would run on the CPU */
    net_close(&n);

    add_acme("BiasAdd");
    n = planned_on_acme(build_norm);
    assert_int_equal(net_count(&n, "FusedBatchNormV3"), 0);
    assert_int_equal(net_count(&n, "BiasAdd"), 1);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vendor_convolution_keeps_its_op_until_the_vendor_has_the_fused_one),
        cmocka_unit_test(vendor_fused_kernel_that_refuses_a_word_takes_the_others),
        cmocka_unit_test(vendor_activation_is_not_taken_along),
        cmocka_unit_test(everything_that_is_missing_is_told_at_once),
        cmocka_unit_test(op_without_a_kernel_for_its_type_tells_why),
        cmocka_unit_test(transposes_of_a_device_cancel_and_those_of_a_vendor_do_not),
        cmocka_unit_test(norms_of_a_device_fold_where_it_can_add_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
