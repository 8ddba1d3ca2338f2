/* SPDX-License-Identifier: Apache-2.0 */
/* The kit of graph optimisers: bytes there and back, edits, damaged bytes, no memory; and the
 * example plugin on a model. Bytes are made and read by the library's own writer and reader.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/proto.h"
#include "format/wire.h"
#include "oribi/graph_kit.h"
#include "oribi/oribi.h"
#include "support/onnx_writer.h"

static TF_Status *status;
static TF_Buffer *given, *written;

static int set_up(void **state)
{
    (void)state;
    status = TF_NewStatus();
    given = TF_NewBuffer();
    written = TF_NewBuffer();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    TF_DeleteStatus(status);
    TF_DeleteBuffer(given);
    TF_DeleteBuffer(written);
    return 0;
}

static void add_attr(oribi_text *node, const char *name, oribi_text *value)
{
    oribi_text entry = {0};
    oribi_proto_string(&entry, 1, name);
    oribi_proto_message(&entry, 2, value);
    oribi_proto_message(node, 5, &entry);
}

/* name, op, device; inputs joined by commas; T is float. */
static void add_node(oribi_text *graph, const char *name, const char *op, const char *device,
                     const char *inputs)
{
    oribi_text node = {0}, type = {0};
    oribi_proto_string(&node, 1, name);
    oribi_proto_string(&node, 2, op);
    while (*inputs != '\0') {
        const size_t length = strcspn(inputs, ",");
        oribi_proto_bytes(&node, 3, inputs, length);
        inputs += length + (inputs[length] == ',');
    }
    oribi_proto_string(&node, 4, device);
    oribi_proto_number(&type, 6, TF_FLOAT);
    add_attr(&node, "T", &type);
    oribi_proto_string(&node, 6, "debug"); /* which the kit does not know */
    oribi_proto_message(graph, 1, &node);
}

static void give_graph(oribi_text *graph)
{
    TF_Buffer *made = TF_NewBufferFromString(graph->data, graph->length);
    TF_DeleteBuffer(given);
    given = made;
    oribi_text_destroy(graph);
}

/* x -> s = Sigmoid(x), y = Mul(s, x), z = Neg(y:0), c = Const(^y) */
static void give_swish(void)
{
    oribi_text graph = {0}, versions = {0};
    add_node(&graph, "x", "Placeholder", "/device:CPU:0", "");
    add_node(&graph, "s", "Sigmoid", "", "x");
    add_node(&graph, "y", "Mul", "/device:CPU:0", "s,x");
    add_node(&graph, "z", "Neg", "", "y:0");
    add_node(&graph, "c", "Const", "", "^y");
    oribi_proto_number(&versions, 1, 1766);
    oribi_proto_message(&graph, 4, &versions);
    oribi_proto_string(&graph, 77, "of later years");
    give_graph(&graph);
}

static void begin(oribi_rewrite *rewrite)
{
    if (!oribi_rewrite_begin(rewrite, given, status)) {
        fail_msg("%s", TF_Message(status));
    }
}

static void end(oribi_rewrite *rewrite)
{
    TF_DeleteBuffer(written);
    written = TF_NewBuffer();
    oribi_rewrite_end(rewrite, written);
    assert_string_equal(TF_Message(status), "");
}

/* Begins with what was written. */
static void again(oribi_rewrite *rewrite)
{
    TF_Buffer *old = given;
    given = written;
    written = old;
    begin(rewrite);
}

static void a_graph_that_nobody_touches_keeps_its_bytes(void **state)
{
    (void)state;
    oribi_rewrite rewrite;
    give_swish();
    begin(&rewrite);
    assert_int_equal(rewrite.n_nodes, 5);
    end(&rewrite);
    assert_int_equal(written->length, given->length);
    assert_memory_equal(written->data, given->data, given->length);
}

static void nodes_are_found_with_inputs_readers_and_devices(void **state)
{
    (void)state;
    oribi_rewrite rewrite;
    int output = 7;
    give_swish();
    begin(&rewrite);

    oribi_rewrite_node *y = oribi_rewrite_find(&rewrite, "y:3", &output);
    assert_string_equal(y->name, "y");
    assert_int_equal(output, 3);
    assert_ptr_equal(oribi_rewrite_find(&rewrite, "^y", &output), y);
    assert_int_equal(output, -1);
    assert_null(oribi_rewrite_find(&rewrite, "nobody", NULL));
    assert_int_equal(y->n_readers, 2);
    assert_int_equal(oribi_rewrite_find(&rewrite, "x", NULL)->n_readers, 2);
    assert_string_equal(y->device, "/device:CPU:0");
    assert_string_equal(y->inputs[1], "x");
    assert_ptr_equal(oribi_rewrite_input(&rewrite, y, 0, "Sigmoid"), rewrite.nodes[1]);
    assert_null(oribi_rewrite_input(&rewrite, y, 1, "Sigmoid"));
    assert_null(oribi_rewrite_input(&rewrite, y, 2, NULL));
    oribi_rewrite_node *c = oribi_rewrite_find(&rewrite, "c", NULL);
    assert_null(oribi_rewrite_input(&rewrite, c, 0, NULL)); /* a control input */
    end(&rewrite);
}

static void edits_are_written(void **state)
{
    (void)state;
    oribi_rewrite rewrite;
    give_swish();
    begin(&rewrite);
    oribi_rewrite_node *y = oribi_rewrite_find(&rewrite, "y", NULL);
    const char *const x = "x";
    y->op = "Acme>Swish";
    oribi_rewrite_set_inputs(&rewrite, y, &x, 1);
    oribi_rewrite_prune(&rewrite, oribi_rewrite_find(&rewrite, "s", NULL));
    oribi_rewrite_prune(&rewrite, oribi_rewrite_find(&rewrite, "x", NULL)); /* y reads it */
    oribi_rewrite_node *more = oribi_rewrite_add(&rewrite, "Relu", "y", y); /* the name is taken */
    assert_string_equal(more->name, "y_1");
    const char *const from_y = "y";
    assert_true(oribi_rewrite_copy_attr(&rewrite, more, y, "T"));
    assert_false(oribi_rewrite_copy_attr(&rewrite, more, y, "missing"));
    oribi_rewrite_replace(&rewrite, "y", "y_1");
    oribi_rewrite_set_inputs(&rewrite, more, &from_y, 1);
    end(&rewrite);

    again(&rewrite);
    assert_int_equal(rewrite.n_nodes, 5);
    assert_null(oribi_rewrite_find(&rewrite, "s", NULL));
    y = oribi_rewrite_find(&rewrite, "y", NULL);
    assert_string_equal(y->op, "Acme>Swish");
    assert_int_equal(y->n_inputs, 1);
    assert_int_equal(y->n_readers, 2); /* Relu, and c, which waits for it */
    more = oribi_rewrite_find(&rewrite, "y_1", NULL);
    assert_string_equal(more->device, "/device:CPU:0");
    assert_ptr_equal(
        oribi_rewrite_input(&rewrite, oribi_rewrite_find(&rewrite, "z", NULL), 0, "Relu"), more);
    assert_int_equal(rewrite.rest.length, 5 + 17); /* versions, and what came later */
    end(&rewrite);
}

static void attributes_of_each_kind_come_back(void **state)
{
    (void)state;
    oribi_rewrite rewrite;
    const int64_t strides[3] = {1, -2, INT64_MAX};
    const char *const fused[2] = {"BiasAdd", "Relu"};
    give_swish();
    begin(&rewrite);
    oribi_rewrite_node *node = rewrite.nodes[2];
    oribi_rewrite_set_int(&rewrite, node, "i", -5);
    oribi_rewrite_set_float(&rewrite, node, "f", 0.25f);
    oribi_rewrite_set_bool(&rewrite, node, "b", true);
    oribi_rewrite_set_type(&rewrite, node, "T", TF_HALF); /* in place of float */
    oribi_rewrite_set_text(&rewrite, node, "s", "a\0b", 3);
    oribi_rewrite_set_ints(&rewrite, node, "strides", strides, 3);
    oribi_rewrite_set_texts(&rewrite, node, "fused_ops", fused, 2);
    oribi_rewrite_set_int(&rewrite, node, "gone", 1);
    oribi_rewrite_drop_attr(node, "gone");
    end(&rewrite);

    again(&rewrite);
    node = rewrite.nodes[2];
    int64_t number = 0, list[3] = {0};
    float real = 0;
    bool flag = false;
    TF_DataType type = TF_FLOAT;
    oribi_rewrite_bytes text;
    assert_true(oribi_rewrite_get_int(node, "i", &number) && number == -5);
    assert_true(oribi_rewrite_get_float(node, "f", &real) && real == 0.25f);
    assert_true(oribi_rewrite_get_bool(node, "b", &flag) && flag);
    assert_true(oribi_rewrite_get_type(node, "T", &type) && type == TF_HALF);
    assert_true(oribi_rewrite_get_text(node, "s", &text) && text.length == 3);
    assert_memory_equal(text.data, "a\0b", 3);
    assert_int_equal(oribi_rewrite_get_ints(node, "strides", list, 2), 3);
    assert_true(list[0] == 1 && list[1] == -2 && list[2] == 0);
    assert_int_equal(oribi_rewrite_get_ints(node, "fused_ops", list, 3), -1);
    assert_false(oribi_rewrite_get_int(node, "f", &number));
    assert_false(oribi_rewrite_get_int(node, "gone", &number));
    assert_int_equal(node->n_attrs, 7);
    end(&rewrite);
}

static void a_large_graph_is_indexed_and_pruned(void **state)
{
    (void)state;
    enum { N = 20000 };
    oribi_rewrite rewrite;
    oribi_text graph = {0};
    char name[20], input[20] = "";
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "n%d", i);
        add_node(&graph, name, "Neg", "", input);
        memcpy(input, name, sizeof input);
    }
    give_graph(&graph);
    begin(&rewrite);
    assert_ptr_equal(oribi_rewrite_find(&rewrite, "n17777", NULL), rewrite.nodes[17777]);
    rewrite.nodes[10]->is_kept = true;
    oribi_rewrite_prune(&rewrite, rewrite.nodes[N - 1]);
    end(&rewrite);

    again(&rewrite);
    assert_int_equal(rewrite.n_nodes, 11);
    end(&rewrite);
}

/* --- Damage ------------------------------------------------------------------------------------
 */

static void damaged_bytes_are_refused_or_read_never_past_their_end(void **state)
{
    (void)state;
    oribi_rewrite rewrite;
    give_swish();
    const size_t length = given->length;
    uint8_t *copy = malloc(length);
    int refused = 0;
    for (size_t i = 0; i < length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, given->data, length);
            copy[i] ^= (uint8_t)(1 << bit);
            const TF_Buffer view = {copy, length, NULL};
            if (oribi_rewrite_begin(&rewrite, &view, status)) {
                TF_Buffer *out = TF_NewBuffer();
                oribi_rewrite_end(&rewrite, out);
                TF_DeleteBuffer(out);
            } else {
                assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
                refused++;
            }
        }
        uint8_t *cut = malloc(i + 1); /* a block of its own: the sanitizer sees its end */
        memcpy(cut, given->data, i);
        const TF_Buffer view = {cut, i, NULL};
        if (oribi_rewrite_begin(&rewrite, &view, status)) {
            TF_Buffer *out = TF_NewBuffer();
            oribi_rewrite_end(&rewrite, out);
            TF_DeleteBuffer(out);
        }
        free(cut);
    }
    assert_true(refused > (int)length);
    free(copy);
}

/* --- The example -------------------------------------------------------------------------------
 */

static void the_example_makes_one_op_of_two(void **state)
{
    (void)state;
    const int64_t dims[1] = {3};
    const float x[3] = {-1, 0, 2};
    bytes graph = {0};
    oribi_plugin_load_file(TEST_BINARY "/examples/swish.so", status);
    assert_string_equal(TF_Message(status), "");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_node(&graph, "", "Sigmoid", "s", "x", "s");
    put_node(&graph, "", "Mul", "m", "x,s", "m");
    put_node(&graph, "", "Exp", "e", "m", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    bytes bytes_of_model = make_model(13, &graph);

    oribi_model *model =
        oribi_model_from_memory(bytes_of_model.data, bytes_of_model.n, "m", NULL, status);
    oribi_session *session = oribi_session_create(model, NULL, status);
    assert_string_equal(TF_Message(status), "");
    TF_Buffer *json = TF_NewBuffer();
    oribi_session_describe(session, "graph", json, status);
    assert_non_null(memmem(json->data, json->length, "Acme>Swish", 10));
    assert_null(memmem(json->data, json->length, "Sigmoid", 7));
    oribi_run *run = oribi_run_create(session, status);
    TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, dims, 1, sizeof x);
    memcpy(TF_TensorData(input), x, sizeof x);
    oribi_run_set_input(run, 0, input, status);
    oribi_run_execute(run, status);
    TF_Tensor *output = oribi_run_output(run, 0, status);
    assert_string_equal(TF_Message(status), "");
    const float *y = TF_TensorData(output); /* exp(x / (1 + exp(-x))) */
    assert_true(y[1] == 1.0f && y[0] > 0.7641f && y[0] < 0.7643f && y[2] > 5.821f && y[2] < 5.822f);

    TF_DeleteTensor(input);
    TF_DeleteTensor(output);
    TF_DeleteBuffer(json);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    free(bytes_of_model.data);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_graph_that_nobody_touches_keeps_its_bytes),
        CASE(nodes_are_found_with_inputs_readers_and_devices),
        CASE(edits_are_written),
        CASE(attributes_of_each_kind_come_back),
        CASE(a_large_graph_is_indexed_and_pruned),
        CASE(damaged_bytes_are_refused_or_read_never_past_their_end),
        CASE(the_example_makes_one_op_of_two),
    };
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
