/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels and shape functions are told of scales and zero points: one, several, none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/onnx_import.h"
#include "tensorflow/c/quantisation.h"
#include "tensorflow/c/shape_inference.h"

static TF_Quantisation seen; /* of input 0; its numbers are copied */
static float scales[4];
static int32_t zeros[4];
static bool is_seen;

static void keep(bool found, const TF_Quantisation *said)
{
    is_seen = found;
    seen = *said;
    for (int i = 0; found && i < said->count && i < 4; i++) {
        scales[i] = said->scales[i];
        zeros[i] = said->zero_points[i];
    }
}

static void look(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_Quantisation said = {.struct_size = TF_QUANTISATION_STRUCT_SIZE};
    TF_Quantisation small = {.struct_size = TF_QUANTISATION_STRUCT_SIZE - 1};
    keep(TF_ShapeInferenceContextInputQuantisation(ctx, 0, &said), &said);
    assert_false(TF_ShapeInferenceContextInputQuantisation(ctx, 1, &said));
    assert_false(TF_ShapeInferenceContextInputQuantisation(ctx, -1, &said));
    assert_false(TF_ShapeInferenceContextInputQuantisation(ctx, 0, &small));
    assert_false(TF_ShapeInferenceContextInputQuantisation(ctx, 0, NULL));
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

static bool output_seen;

static void *create(TF_OpKernelConstruction *ctx)
{
    TF_Quantisation said = {.struct_size = TF_QUANTISATION_STRUCT_SIZE};
    keep(TF_OpKernelConstruction_InputQuantisation(ctx, 0, &said), &said);
    assert_false(TF_OpKernelConstruction_InputQuantisation(ctx, 1, &said));
    output_seen = TF_OpKernelConstruction_OutputQuantisation(ctx, 0, &said);
    assert_false(TF_OpKernelConstruction_OutputQuantisation(ctx, -1, &said));
    return NULL;
}

static int define(void **state)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Acme>Look");
    TF_OpDefinitionBuilderAddInput(op, "x: T");
    TF_OpDefinitionBuilderAddOutput(op, "y: T");
    TF_OpDefinitionBuilderAddAttr(op, "T: {int8, float}");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, look);
    TF_RegisterOpDefinition(op, status);
    TF_DeleteStatus(status);
    return load_built_ins(state);
}

static bytes model; /* its scales stay constants on these bytes */

/* x, quantised with `count` scales (0: a cast) along axis 1, then Look, then dequantised. */
static oribi_graph *make(int count, const float *scale, const int8_t *zero, TF_Status *status)
{
    const int64_t dims[2] = {2, 2}, n = count;
    bytes graph = {0}, node = make_node("", count > 0 ? "QuantizeLinear" : "Cast", "q",
                                        count > 0 ? "x,s,z" : "x", "stored");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 2);
    if (count > 0) {
        put_attr_int(&node, "axis", 1);
        put_initialiser(&graph, "s", ONNX_FLOAT, &n, 1, scale, (size_t)count * 4);
        put_initialiser(&graph, "z", 3, &n, 1, zero, (size_t)count);
    } else {
        put_attr_int(&node, "to", 3);
    }
    put_message(&graph, GRAPH_NODE, &node);
    put_node(&graph, "acme", "Look", "look", "stored", "looked");
    if (count > 0) {
        bytes back = make_node("", "DequantizeLinear", "d", "looked,s,z", "y");
        put_attr_int(&back, "axis", 1);
        put_message(&graph, GRAPH_NODE, &back);
    }
    put_value(&graph, GRAPH_OUTPUT, count > 0 ? "y" : "looked", count > 0 ? ONNX_FLOAT : 3, NULL,
              -1);
    bytes opset = {0};
    model = make_model(13, &graph);
    put_text(&opset, 1, "acme");
    put_int(&opset, 2, 1);
    put_message(&model, 8, &opset);
    return import_bytes(model.data, model.n, NULL, status);
}

static void create_look(oribi_graph *graph)
{
    const oribi_kernel_def def = {
        .op_name = "Acme>Look", .kernel_name = "look", .provider = "test", .create = create};
    TF_Status *status = TF_NewStatus();
    is_seen = false;
    for (int32_t i = 0; i < graph->n_order; i++) {
        const oribi_node *node = graph->nodes[graph->order[i]];
        oribi_node_view view;
        oribi_kernel kernel;
        if (strcmp(node->op_name, "Acme>Look") == 0) {
            assert_true(oribi_graph_node_view(graph, node, &view, status));
            assert_true(oribi_kernel_create(&def, &view, &kernel, status));
            oribi_kernel_destroy(&kernel);
        }
    }
    TF_DeleteStatus(status);
}

static void expect(int count, const float *scale, const int8_t *zero)
{
    assert_true(is_seen);
    assert_int_equal(seen.struct_size, TF_QUANTISATION_STRUCT_SIZE);
    assert_int_equal(seen.count, count);
    assert_int_equal(seen.axis, count > 1 ? 1 : 0);
    for (int i = 0; i < count; i++) {
        assert_true(scales[i] == scale[i]);
        assert_int_equal(zeros[i], zero[i]);
    }
}

static void each_scale_of_an_axis_is_told(void **state)
{
    (void)state;
    static const float scale[2] = {0.5f, 0.25f};
    static const int8_t zero[2] = {3, -4};
    for (int count = 1; count <= 2; count++) {
        TF_Status *status = TF_NewStatus();
        oribi_graph *graph = make(count, scale, zero, status);
        assert_string_equal(TF_Message(status), "");
        expect(count, scale, zero); /* the shape function */
        create_look(graph);
        expect(count, scale, zero);
        assert_true(output_seen); /* the operator behind says it */
        oribi_graph_destroy(graph);
        free(model.data);
        TF_DeleteStatus(status);
    }
}

static void numbers_have_none(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = make(0, NULL, NULL, status);
    assert_string_equal(TF_Message(status), "");
    assert_false(is_seen);
    create_look(graph);
    assert_false(is_seen);
    assert_false(output_seen);
    oribi_graph_destroy(graph);
    free(model.data);
    TF_DeleteStatus(status);
}

/* What a file gives as the zero point of bytes may be a float, and one that no integer holds. */
static void a_zero_point_of_float_is_none(void **state)
{
    (void)state;
    const int64_t dims[1] = {4};
    const float scale = 0.5f, each[] = {5.0f, 8e37f};
    for (int i = 0; i < 2; i++) {
        bytes graph = {0};
        put_value(&graph, GRAPH_INPUT, "x", 3, dims, 1);
        put_initialiser(&graph, "s", ONNX_FLOAT, dims, 0, &scale, sizeof scale);
        put_initialiser(&graph, "z", ONNX_FLOAT, dims, 0, &each[i], sizeof each[i]);
        put_node(&graph, "", "DequantizeLinear", "d", "x,s,z", "y");
        put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
        model = make_model(13, &graph);
        TF_Status *status = TF_NewStatus();
        oribi_graph *made = import_bytes(model.data, model.n, NULL, status);
        if (made != NULL) {
            assert_int_equal(made->values[made->inputs[0]]->quantisation.n_scales, 0);
        }
        assert_true(made != NULL || TF_GetCode(status) == TF_INVALID_ARGUMENT);
        oribi_graph_destroy(made);
        free(model.data);
        TF_DeleteStatus(status);
    }
}

static void read_bad(const void *arg, int32_t i, double *scale, int64_t *zero)
{
    *scale = i == *(const int32_t *)arg ? 0 : 0.5;
    *zero = i;
}

static void an_impossible_scale_makes_all_of_them_none(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = oribi_graph_create(status);
    const oribi_value_id id = oribi_graph_add_value(graph, "x", TF_INT8, NULL, status);
    const oribi_quantisation said = oribi_graph_quantisation(TF_INT8, 3, 0, 0.5, 0);
    for (int32_t bad = 2; bad <= 3; bad++) { /* of 0, 1 and 2 */
        assert_true(oribi_graph_quantise(graph, graph->values[id], &said, read_bad, &bad, status));
        const TF_Quantisation view =
            oribi_graph_quantisation_view(&graph->values[id]->quantisation);
        assert_int_equal(view.count, bad == 2 ? 0 : 3);
        assert_true(bad == 2 || view.zero_points[2] == 2);
    }
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scale_of_an_axis_is_told),
        cmocka_unit_test(numbers_have_none),
        cmocka_unit_test(a_zero_point_of_float_is_none),
        cmocka_unit_test(an_impossible_scale_makes_all_of_them_none),
    };
    return cmocka_run_group_tests(tests, define, NULL);
}
