/* SPDX-License-Identifier: Apache-2.0 */
/* What ONNX operators become: ops, attributes, constants, layout, and the report of missing ones.
 * Numbers are compared in onnx_backend_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/onnx_import.h"
#include "tensorflow/c/ops.h"
#include "support/each_status.h"

static bytes one_op(int64_t opset, bytes *node, const int64_t *dims, int rank)
{
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, rank);
    put_message(&graph, GRAPH_NODE, node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return make_model(opset, &graph);
}

static const oribi_node *find_op(const oribi_graph *graph, const char *op)
{
    for (int32_t i = 0; i < graph->n_order; i++) {
        if (strcmp(graph->nodes[graph->order[i]]->op_name, op) == 0) {
            return graph->nodes[graph->order[i]];
        }
    }
    fail_msg("no %s in the graph", op);
    return NULL;
}

static void names_of_inputs_and_outputs_stay(void **state)
{
    (void)state;
    bytes node = make_node("", "Relu", "r", "x", "y");
    oribi_graph *graph = import_model(one_op(13, &node, (int64_t[]){-1, 3}, 2), status);
    assert_non_null(graph);
    assert_string_equal(graph->input_names[0], "x");
    assert_string_equal(graph->output_names[0], "y");
    assert_string_equal(graph->values[graph->outputs[0]]->name, "y");
    assert_string_equal(find_op(graph, "Relu")->name, "r");
    assert_int_equal(graph->values[graph->outputs[0]]->shape.dims[0], -1);
    assert_int_equal(graph->values[graph->outputs[0]]->shape.dims[1], 3);
    oribi_graph_destroy(graph);
}

static void clip_between_0_and_6_is_relu6_in_both_forms(void **state)
{
    (void)state;
    float low = 0, high = 6;
    bytes node = make_node("", "Clip", "c", "x", "y");
    put_attr_float(&node, "min", low);
    put_attr_float(&node, "max", high);
    oribi_graph *graph = import_model(one_op(10, &node, (int64_t[]){4}, 1), status);
    assert_int_equal(count_ops(graph, "Relu6"), 1);
    oribi_graph_destroy(graph);

    bytes body = {0};
    put_value(&body, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    put_initialiser(&body, "low", ONNX_FLOAT, NULL, 0, &low, 4);
    put_initialiser(&body, "high", ONNX_FLOAT, NULL, 0, &high, 4);
    put_node(&body, "", "Clip", "c", "x,low,high", "y");
    put_node(&body, "", "Clip", "d", "y,,high", "z");
    put_value(&body, GRAPH_OUTPUT, "z", ONNX_FLOAT, NULL, -1);
    graph = import_model(make_model(11, &body), status);
    assert_int_equal(count_ops(graph, "Relu6"), 1);
    assert_int_equal(count_ops(graph, "Minimum"), 1);
    assert_int_equal(count_ops(graph, "Maximum"), 0);
    oribi_graph_destroy(graph);
}

/* x [1, 4, 5, 5] with weights [outputs, 4 / group, 3, 3] of ConstantOfShape. */
static oribi_graph *conv_graph(int64_t outputs, int64_t group, const int64_t *pads)
{
    bytes body = {0}, node = make_node("", "Conv", "c", "x,w", "y");
    int64_t shape[] = {outputs, 4 / group, 3, 3};
    put_attr_int(&node, "group", group);
    put_attr_ints(&node, "pads", pads, 4);
    put_value(&body, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){1, 4, 5, 5}, 4);
    put_initialiser(&body, "shape", ONNX_INT64, (int64_t[]){4}, 1, shape, sizeof(shape));
    put_node(&body, "", "ConstantOfShape", "fill", "shape", "w");
    put_message(&body, GRAPH_NODE, &node);
    put_value(&body, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    oribi_graph *graph = import_model(make_model(13, &body), status);
    assert_string_equal(TF_Message(status), "");
    return graph;
}

static void conv_is_nhwc_between_transposes_with_its_weights_in_place(void **state)
{
    (void)state;
    oribi_graph *graph = conv_graph(8, 1, (int64_t[]){1, 1, 1, 1});
    const oribi_node *conv = find_op(graph, "Conv2D");
    const oribi_constant *filter = graph->values[conv->inputs[1]]->constant;
    assert_int_equal(count_ops(graph, "Transpose"), 2);
    assert_int_equal(filter->view.dims[0], 3);
    assert_int_equal(filter->view.dims[2], 4);
    assert_int_equal(filter->view.dims[3], 8);
    assert_int_equal(filter->view.strides[3], 0); /* a splat: nothing was filled */
    assert_null(filter->dense);
    const oribi_attr *padding = oribi_attrs_find(&conv->attrs, "padding");
    assert_string_equal(padding->u.s[0].data, "SAME");
    oribi_graph_destroy(graph);
}

static void uneven_pads_of_conv_are_explicit(void **state)
{
    (void)state;
    oribi_graph *graph = conv_graph(8, 1, (int64_t[]){2, 0, 1, 3});
    const oribi_node *conv = find_op(graph, "Conv2D");
    const oribi_attr *pads = oribi_attrs_find(&conv->attrs, "explicit_paddings");
    static const int64_t expected[] = {0, 0, 2, 1, 0, 3, 0, 0};
    assert_string_equal(oribi_attrs_find(&conv->attrs, "padding")->u.s[0].data, "EXPLICIT");
    assert_memory_equal(pads->u.i, expected, sizeof(expected));
    oribi_graph_destroy(graph);
}

static void one_group_per_channel_is_depthwise_and_fewer_are_not(void **state)
{
    (void)state;
    oribi_graph *graph = conv_graph(8, 4, (int64_t[]){0, 0, 0, 0});
    const oribi_node *conv = find_op(graph, "DepthwiseConv2dNative");
    const oribi_constant *filter = graph->values[conv->inputs[1]]->constant;
    assert_int_equal(filter->view.dims[2], 4);
    assert_int_equal(filter->view.dims[3], 2);
    oribi_graph_destroy(graph);
    graph = conv_graph(8, 2, (int64_t[]){0, 0, 0, 0});
    conv = find_op(graph, "Conv2D");
    assert_int_equal(graph->values[conv->inputs[1]]->constant->view.dims[2], 2);
    oribi_graph_destroy(graph);
}

static void channels_that_go_to_space_are_counted_where_there_are_no_pixels(void **state)
{
    (void)state;
    bytes node = make_node("", "DepthToSpace", "d", "x", "y");
    put_attr_int(&node, "blocksize", 2);
    put_attr_text(&node, "mode", "CRD");
    oribi_graph *graph = import_model(one_op(13, &node, (int64_t[]){2, 12, 3, 0}, 4), status);
    assert_string_equal(TF_Message(status), "");
    static const int64_t expected[] = {2, 3, 6, 0};
    assert_memory_equal(graph->values[graph->outputs[0]]->shape.dims, expected, sizeof expected);
    oribi_graph_destroy(graph);
}

static void heads_side_by_side_are_as_wide_in_an_empty_batch(void **state)
{
    (void)state;
    bytes node = make_node("com.microsoft", "MultiHeadAttention", "m", "x,x,x", "y");
    put_attr_int(&node, "num_heads", 2);
    oribi_graph *graph = import_model(one_op(17, &node, (int64_t[]){0, 4, 8}, 3), status);
    assert_string_equal(TF_Message(status), "");
    static const int64_t expected[] = {0, 4, 8};
    assert_memory_equal(graph->values[graph->outputs[0]]->shape.dims, expected, sizeof expected);
    oribi_graph_destroy(graph);
}

static void shape_arithmetic_on_known_shapes_is_constant_at_once(void **state)
{
    (void)state;
    bytes body = {0};
    int64_t zero = 0, minus = -1, axis = 0;
    bytes join = make_node("", "Concat", "join", "batch1,rest", "target");
    put_attr_int(&join, "axis", 0);
    put_value(&body, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2, 3, 4}, 3);
    put_initialiser(&body, "zero", ONNX_INT64, NULL, 0, &zero, 8);
    put_initialiser(&body, "rest", ONNX_INT64, (int64_t[]){1}, 1, &minus, 8);
    put_initialiser(&body, "axes", ONNX_INT64, (int64_t[]){1}, 1, &axis, 8);
    put_node(&body, "", "Shape", "s", "x", "shape");
    put_node(&body, "", "Gather", "g", "shape,zero", "batch");
    put_node(&body, "", "Unsqueeze", "u", "batch,axes", "batch1");
    put_message(&body, GRAPH_NODE, &join);
    put_node(&body, "", "Reshape", "r", "x,target", "y");
    put_value(&body, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    oribi_graph *graph = import_model(make_model(13, &body), status);
    assert_string_equal(TF_Message(status), "");
    int64_t dims[2] = {0};
    const oribi_node *reshape = find_op(graph, "Reshape");
    assert_true(oribi_graph_constant_exactly(graph, reshape->inputs[1], dims, 2));
    assert_int_equal(dims[0], 2);
    assert_int_equal(dims[1], -1);
    assert_int_equal(graph->n_order, 1);
    assert_int_equal(graph->values[graph->outputs[0]]->shape.dims[1], 12);
    oribi_graph_destroy(graph);
}

static void a_zero_in_a_reshape_keeps_an_unknown_dimension(void **state)
{
    (void)state;
    bytes body = {0};
    int64_t target[] = {0, 12};
    put_value(&body, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){-1, 3, 4}, 3);
    put_initialiser(&body, "t", ONNX_INT64, (int64_t[]){2}, 1, target, sizeof(target));
    put_node(&body, "", "Reshape", "r", "x,t", "y");
    put_value(&body, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    oribi_graph *graph = import_model(make_model(13, &body), status);
    int64_t dims[2] = {0};
    const oribi_node *reshape = find_op(graph, "Reshape");
    assert_true(oribi_graph_constant_exactly(graph, reshape->inputs[1], dims, 2));
    assert_int_equal(dims[0], -1);
    assert_int_equal(dims[1], 12);
    oribi_graph_destroy(graph);
}

/* --- Other domains --------------------------------------------------------------------------- */

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *s)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, s);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, s);
    TF_DeleteShapeHandle(shape);
}

static void register_foo(void)
{
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder("Com>Acme>Foo");
    TF_OpDefinitionBuilderAddInput(builder, "x: T");
    TF_OpDefinitionBuilderAddOutput(builder, "y: T");
    TF_OpDefinitionBuilderAddAttr(builder, "T: {float, int32}");
    TF_OpDefinitionBuilderAddAttr(builder, "power: int = 2");
    TF_OpDefinitionBuilderAddAttr(builder, "fast: bool = false");
    TF_OpDefinitionBuilderAddAttr(builder, "to: type = DT_FLOAT");
    TF_OpDefinitionBuilderAddAttr(builder, "sizes: list(int) = []");
    TF_OpDefinitionBuilderAddAttr(builder, "mode: string = 'a'");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, same_shape);
    TF_RegisterOpDefinition(builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
}

static void a_custom_op_takes_inputs_by_position_and_attributes_by_name(void **state)
{
    (void)state;
    register_foo();
    bytes node = make_node("com.acme", "Foo", "f", "x", "y");
    put_attr_int(&node, "power", 3);
    put_attr_int(&node, "fast", 1);
    put_attr_int(&node, "to", 7);
    put_attr_ints(&node, "sizes", (int64_t[]){4, 5}, 2);
    put_attr_text(&node, "mode", "b");
    oribi_graph *graph = import_model(one_op(13, &node, (int64_t[]){2}, 1), status);
    assert_string_equal(TF_Message(status), "");
    const oribi_attrs *attrs = &find_op(graph, "Com>Acme>Foo")->attrs;
    assert_int_equal(oribi_attrs_find(attrs, "power")->u.i[0], 3);
    assert_true(oribi_attrs_find(attrs, "fast")->u.b[0]);
    assert_int_equal(oribi_attrs_find(attrs, "to")->u.type[0], TF_INT64);
    assert_int_equal(oribi_attrs_find(attrs, "T")->u.type[0], TF_FLOAT);
    assert_int_equal(oribi_attrs_find(attrs, "sizes")->u.i[1], 5);
    assert_string_equal(oribi_attrs_find(attrs, "mode")->u.s[0].data, "b");
    oribi_graph_destroy(graph);
}

static void a_custom_op_refuses_an_attribute_it_does_not_have(void **state)
{
    (void)state;
    bytes node = make_node("com.acme", "Foo", "f", "x", "y");
    put_attr_int(&node, "colour", 3);
    assert_null(import_model(one_op(13, &node, (int64_t[]){2}, 1), status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "colour"));
    TF_SetStatus(status, TF_OK, "");
    node = make_node("com.acme", "Foo", "f", "x", "y");
    put_attr_text(&node, "power", "three");
    assert_null(import_model(one_op(13, &node, (int64_t[]){2}, 1), status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
}

static void all_missing_ops_are_reported_at_once_with_their_nodes(void **state)
{
    (void)state;
    bytes body = {0};
    put_value(&body, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    put_node(&body, "com.acme", "Bar", "bar 1", "x", "a");
    put_node(&body, "", "Relu", "fine", "a", "b");
    put_node(&body, "com.acme", "Bar", "bar 2", "b", "c");
    put_node(&body, "", "NoSuchOperator", "odd", "c", "d");
    put_value(&body, GRAPH_OUTPUT, "d", ONNX_FLOAT, NULL, -1);
    assert_null(import_model(make_model(13, &body), status));
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    static const char *const expected[] = {"com.acme:Bar (opset 1)",
                                           "2 nodes: 'bar 1', 'bar 2'",
                                           "Com>Acme>Bar",
                                           "NoSuchOperator",
                                           "'odd'",
                                           "ONNX>NoSuchOperator"};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_non_null(strstr(TF_Message(status), expected[i]));
    }
    assert_null(strstr(TF_Message(status), "'fine'"));
}

static void the_map_names_every_family(void **state)
{
    (void)state;
    oribi_text text = {0};
    oribi_import_onnx_print_map(&text);
    assert_non_null(strstr(oribi_text_string(&text), "ONNX Conv 1-28 -> Conv2D"));
    assert_non_null(strstr(oribi_text_string(&text), "Com>Example>Name"));
    oribi_text_destroy(&text);
}

/* --- External data --------------------------------------------------------------------------- */

static bytes external_model(const char *location, const char *offset, const char *length)
{
    bytes body = {0}, tensor = {0}, entry = {0};
    put_int(&tensor, 1, 2);
    put_int(&tensor, 2, ONNX_FLOAT);
    put_text(&tensor, 8, "w");
    put_int(&tensor, 14, 1);
    put_text(&entry, 1, "location");
    put_text(&entry, 2, location);
    put_message(&tensor, 13, &entry);
    put_text(&entry, 1, "offset");
    put_text(&entry, 2, offset);
    put_message(&tensor, 13, &entry);
    put_text(&entry, 1, "length");
    put_text(&entry, 2, length);
    put_message(&tensor, 13, &entry);
    put_message(&body, GRAPH_INITIALISER, &tensor);
    put_value(&body, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    put_node(&body, "", "Add", "a", "x,w", "y");
    put_value(&body, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return make_model(13, &body);
}

static char folder[64], outside[64];

static int make_folders(void **state)
{
    (void)state;
    char path[128];
    float data[] = {0, 1, 2, 3};
    strcpy(folder, "/tmp/oribi-external-XXXXXX");
    strcpy(outside, "/tmp/oribi-outside-XXXXXX");
    if (mkdtemp(folder) == NULL || mkdtemp(outside) == NULL) {
        return -1;
    }
    const char *const folders[] = {folder, outside};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/w.bin", folders[i]);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(data, 1, sizeof(data), file) != sizeof(data) ||
            fclose(file) != 0) {
            return -1;
        }
    }
    char link_path[128];
    snprintf(path, sizeof(path), "%s/w.bin", outside);
    snprintf(link_path, sizeof(link_path), "%s/link.bin", folder);
    return symlink(path, link_path) != 0 ? -1 : make_status(state);
}

static int drop_folders(void **state)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/link.bin", folder);
    unlink(path);
    snprintf(path, sizeof(path), "%s/w.bin", folder);
    unlink(path);
    snprintf(path, sizeof(path), "%s/w.bin", outside);
    unlink(path);
    rmdir(folder);
    rmdir(outside);
    return drop_status(state);
}

static TF_Code import_external(bytes model, bool follow_links)
{
    oribi_import_options options = {.folder = folder, .follow_links = follow_links};
    TF_SetStatus(status, TF_OK, "");
    oribi_graph *graph = import_bytes(model.data, model.n, &options, status);
    if (graph != NULL) { /* the mapping outlives the import */
        const oribi_node *add = graph->nodes[graph->order[0]];
        float first = 0;
        memcpy(&first, graph->values[add->inputs[1]]->constant->view.data, sizeof(first));
        assert_true(first == 1.0f);
    }
    oribi_graph_destroy(graph);
    free(model.data);
    return TF_GetCode(status);
}

static void external_data_is_read_beside_the_model(void **state)
{
    (void)state;
    assert_int_equal(import_external(external_model("w.bin", "4", "8"), false), TF_OK);
    assert_int_equal(import_external(external_model("./w.bin", "4", "8"), false), TF_OK);
}

static void external_data_outside_the_folder_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"../w.bin", "/etc/passwd", "a/../../w.bin",
                                        "",         "..",          "a\\..\\w.bin"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_int_equal(import_external(external_model(names[i], "0", "8"), true),
                         TF_INVALID_ARGUMENT);
    }
    assert_int_equal(import_external(external_model("link.bin", "4", "8"), false),
                     TF_PERMISSION_DENIED);
    assert_int_equal(import_external(external_model("link.bin", "4", "8"), true), TF_OK);
}

static void external_data_that_is_short_or_missing_is_named(void **state)
{
    (void)state;
    assert_int_equal(import_external(external_model("w.bin", "12", "8"), false), TF_DATA_LOSS);
    assert_int_equal(import_external(external_model("w.bin", "999999999999", "8"), false),
                     TF_DATA_LOSS);
    assert_int_equal(import_external(external_model("w.bin", "4", "4"), false), TF_DATA_LOSS);
    assert_int_equal(import_external(external_model("w.bin", "-4", "8"), false),
                     TF_INVALID_ARGUMENT);
    assert_int_equal(import_external(external_model("none.bin", "4", "8"), false), TF_NOT_FOUND);
    assert_non_null(strstr(TF_Message(status), "none.bin"));
}

static void external_data_of_a_model_in_memory_is_refused(void **state)
{
    (void)state;
    assert_null(import_model(external_model("w.bin", "4", "8"), status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
}

#define TEST(name)     cmocka_unit_test_setup_teardown(name, make_status, drop_status)
#define EXTERNAL(name) cmocka_unit_test_setup_teardown(name, make_folders, drop_folders)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_of_inputs_and_outputs_stay),
        TEST(clip_between_0_and_6_is_relu6_in_both_forms),
        TEST(conv_is_nhwc_between_transposes_with_its_weights_in_place),
        TEST(uneven_pads_of_conv_are_explicit),
        TEST(one_group_per_channel_is_depthwise_and_fewer_are_not),
        TEST(channels_that_go_to_space_are_counted_where_there_are_no_pixels),
        TEST(heads_side_by_side_are_as_wide_in_an_empty_batch),
        TEST(shape_arithmetic_on_known_shapes_is_constant_at_once),
        TEST(a_zero_in_a_reshape_keeps_an_unknown_dimension),
        TEST(a_custom_op_takes_inputs_by_position_and_attributes_by_name),
        TEST(a_custom_op_refuses_an_attribute_it_does_not_have),
        TEST(all_missing_ops_are_reported_at_once_with_their_nodes),
        TEST(the_map_names_every_family),
        EXTERNAL(external_data_is_read_beside_the_model),
        EXTERNAL(external_data_outside_the_folder_is_refused),
        EXTERNAL(external_data_that_is_short_or_missing_is_named),
        TEST(external_data_of_a_model_in_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
