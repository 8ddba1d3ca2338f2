/* SPDX-License-Identifier: Apache-2.0 */
/* GraphDef messages into a graph: fed, fetched, and no graph that they must be like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "format/proto.h"
#include "import/graphdef/graphdef_read.h"
#include "plugin/plugin.h"
#include "support/fail_nth.h"
#include "tensorflow/c/ops.h"

static int load_built_ins(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    bool ok = oribi_plugin_load_built_ins(status);
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Test>Map");
    TF_OpDefinitionBuilderAddAttr(op, "f: func = { name: 'none' }");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "y: float");
    TF_RegisterOpDefinition(op, status);
    ok = ok && TF_GetCode(status) == TF_OK;
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

/* --- A message ------------------------------------------------------------------------------- */

typedef struct attr {
    const char *name;
    unsigned field; /* of AttrValue */
    uint64_t number;
} attr;

static const attr float_type = {"T", 6, TF_FLOAT};

/* `inputs`: up to three, NULL after the last. */
static void put_node(oribi_text *graph, const char *name, const char *op, const char *const *inputs,
                     const attr *given)
{
    oribi_text node = {0}, entry = {0}, value = {0};
    oribi_proto_string(&node, 1, name);
    oribi_proto_string(&node, 2, op);
    for (int i = 0; inputs != NULL && i < 3 && inputs[i] != NULL; i++) {
        oribi_proto_string(&node, 3, inputs[i]);
    }
    if (given != NULL) {
        oribi_proto_number(&value, given->field, given->number);
        oribi_proto_string(&entry, 1, given->name);
        oribi_proto_message(&entry, 2, &value);
        oribi_proto_message(&node, 5, &entry);
    }
    oribi_proto_message(graph, 1, &node);
}

#define INPUTS(...) ((const char *const[3]){__VA_ARGS__})

/* A constant of two floats: 1 and -2. */
static void put_constant(oribi_text *graph, const char *name)
{
    oribi_text node = {0}, entry = {0}, value = {0}, tensor = {0}, shape = {0}, dim = {0};
    const float numbers[] = {1, -2};
    oribi_proto_number(&dim, 1, 2);
    oribi_proto_message(&shape, 2, &dim);
    oribi_proto_number(&tensor, 1, TF_FLOAT);
    oribi_proto_message(&tensor, 2, &shape);
    oribi_proto_bytes(&tensor, 4, numbers, sizeof numbers);
    oribi_proto_message(&value, 8, &tensor);
    oribi_proto_string(&entry, 1, "value");
    oribi_proto_message(&entry, 2, &value);
    oribi_proto_string(&node, 1, name);
    oribi_proto_string(&node, 2, "Const");
    oribi_proto_message(&node, 5, &entry);
    oribi_proto_message(graph, 1, &node);
}

/* relu(x + c), and a node that nobody asks for. The order in the message means nothing. */
static oribi_text small_message(void)
{
    oribi_text graph = {0};
    put_node(&graph, "r", "Relu", INPUTS("sum:0"), &float_type);
    put_node(&graph, "unused", "NoSuchOp", NULL, NULL);
    put_node(&graph, "sum", "AddV2", INPUTS("x", "c", "^x"), &float_type);
    put_node(&graph, "x", "Placeholder", NULL, NULL);
    put_constant(&graph, "c");
    return graph;
}

/* --- Reading --------------------------------------------------------------------------------- */

/* Feeds a float [2] as "x" and fetches `name`; NULL: status set. */
static oribi_graph *read_message(const oribi_text *message, const char *name,
                                 const oribi_graphdef_known *known, TF_Status *status)
{
    const oribi_shape shape = {1, (int64_t[]){2}};
    oribi_graph *graph = oribi_graph_create(status);
    const oribi_value_id x =
        graph != NULL ? oribi_graph_add_value(graph, "x", TF_FLOAT, &shape, status) : -1;
    oribi_graphdef *def = NULL;
    oribi_value_id out = -1;
    bool ok = x >= 0 && oribi_graph_add_input(graph, x, "x", status);
    if (ok) {
        def = oribi_graphdef_open(graph, (const uint8_t *)message->data, message->length, known,
                                  status);
    }
    ok = def != NULL && oribi_graphdef_feed(def, "x", x, status) &&
         oribi_graphdef_fetch(def, name, &out, status) &&
         oribi_graph_add_output(graph, out, "y", status) && oribi_graph_sort(graph, status);
    oribi_graphdef_close(def);
    if (!ok) {
        oribi_graph_destroy(graph);
        return NULL;
    }
    return graph;
}

static void outputs_bring_the_nodes_that_they_need(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_text message = small_message();

    oribi_graph *graph = read_message(&message, "r", NULL, status);

    assert_string_equal(TF_Message(status), "");
    assert_int_equal(graph->n_order, 2);
    const oribi_node *sum = graph->nodes[graph->order[0]], *relu = graph->nodes[graph->order[1]];
    assert_string_equal(sum->op_name, "AddV2");
    assert_string_equal(relu->name, "r");
    assert_string_equal(relu->origin, "");
    assert_int_equal(relu->inputs[0], sum->outputs[0]);
    assert_int_equal(sum->inputs[0], graph->inputs[0]);
    const oribi_value *constant = graph->values[sum->inputs[1]];
    assert_true(((const float *)constant->constant->view.data)[1] == -2.0F);
    oribi_graph_destroy(graph);
    oribi_text_destroy(&message);
    TF_DeleteStatus(status);
}

static void two_fetches_share_their_nodes(void **state)
{
    (void)state;
    const oribi_shape shape = {1, (int64_t[]){2}};
    TF_Status *status = TF_NewStatus();
    oribi_text message = small_message();
    oribi_graph *graph = oribi_graph_create(status);
    const oribi_value_id x = oribi_graph_add_value(graph, "x", TF_FLOAT, &shape, status);
    oribi_graphdef *def =
        oribi_graphdef_open(graph, (const uint8_t *)message.data, message.length, NULL, status);
    oribi_value_id sum, relu, again;

    assert_true(oribi_graphdef_feed(def, "x", x, status));
    assert_true(oribi_graphdef_fetch(def, "sum", &sum, status));
    assert_true(oribi_graphdef_fetch(def, "r:0", &relu, status));
    assert_true(oribi_graphdef_fetch(def, "r", &again, status));

    assert_int_equal(graph->n_nodes, 2);
    assert_int_equal(relu, again);
    assert_int_equal(graph->nodes[1]->inputs[0], sum);
    oribi_graphdef_close(def);
    oribi_graph_destroy(graph);
    oribi_text_destroy(&message);
    TF_DeleteStatus(status);
}

static oribi_value_id stand_in(void *arg, const char *name, TF_Tensor *tensor, TF_Status *status)
{
    (void)tensor;
    (void)status;
    oribi_value_id *value = arg;
    return strcmp(name, "c") == 0 ? *value : -1;
}

static bool tell_origin(void *arg, oribi_node *node, TF_Status *status)
{
    (void)arg;
    (void)status;
    node->origin = strcmp(node->name, "sum") == 0 ? "line 7" : "";
    return true;
}

static void what_the_caller_knows_is_used(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_text message = small_message();
    oribi_value_id x = 0; /* the first value of the graph */

    const oribi_graphdef_known known = {.arg = &x, .constant = stand_in, .made = tell_origin};
    oribi_graph *graph = read_message(&message, "r", &known, status);

    const oribi_node *sum = graph->nodes[graph->order[0]];
    assert_int_equal(sum->inputs[1], x);
    assert_string_equal(sum->origin, "line 7");
    assert_string_equal(graph->nodes[graph->order[1]]->origin, "");
    oribi_graph_destroy(graph);
    oribi_text_destroy(&message);
    TF_DeleteStatus(status);
}

/* A node of Test>Map whose attribute f is the NameAttrList. */
static oribi_text message_with_function(const void *list, size_t bytes)
{
    oribi_text graph = {0}, node = {0}, entry = {0}, value = {0};
    oribi_proto_bytes(&value, 10, list, bytes);
    oribi_proto_string(&entry, 1, "f");
    oribi_proto_message(&entry, 2, &value);
    oribi_proto_string(&node, 1, "m");
    oribi_proto_string(&node, 2, "Test>Map");
    oribi_proto_string(&node, 3, "x");
    oribi_proto_message(&node, 5, &entry);
    oribi_proto_message(&graph, 1, &node);
    put_node(&graph, "x", "Placeholder", NULL, NULL);
    return graph;
}

static void a_function_keeps_its_attributes(void **state)
{
    (void)state;
    static const char list[] = "\x0a\x05" /* twice, with n: 7 */
                               "twice\x12\x07\x0a\x01n\x12\x02\x18\x07";
    TF_Status *status = TF_NewStatus();
    oribi_text message = message_with_function(list, sizeof list - 1);

    oribi_graph *graph = read_message(&message, "m", NULL, status);

    assert_string_equal(TF_Message(status), "");
    const oribi_attr *f = oribi_attrs_find(&graph->nodes[graph->order[0]]->attrs, "f");
    assert_non_null(f);
    assert_int_equal(f->u.s[0].length, sizeof list - 1);
    assert_memory_equal(f->u.s[0].data, list, sizeof list - 1);
    assert_int_equal(oribi_func_name(&f->u.s[0]).length, 5);
    oribi_text text = {0};
    oribi_attr_print(f, &text);
    assert_non_null(strstr(text.data, "twice"));
    oribi_text_destroy(&text);
    oribi_graph_destroy(graph);
    oribi_text_destroy(&message);
    TF_DeleteStatus(status);
}

static void expect_error(oribi_text message, const char *name, const char *says)
{
    TF_Status *status = TF_NewStatus();
    assert_null(read_message(&message, name, NULL, status));
    if (strstr(TF_Message(status), says) == NULL) {
        fail_msg("'%s' is not in '%s'", says, TF_Message(status));
    }
    oribi_text_destroy(&message);
    TF_DeleteStatus(status);
}

static void bad_graphs_are_refused_by_name(void **state)
{
    (void)state;
    oribi_text cycle = {0}, twice = {0}, unfed = {0}, port = {0}, nameless = {0};
    put_node(&cycle, "a", "Relu", INPUTS("b"), &float_type);
    put_node(&cycle, "b", "Relu", INPUTS("a"), &float_type);
    put_node(&twice, "a", "Relu", INPUTS("x"), &float_type);
    put_node(&twice, "a", "Elu", INPUTS("x"), &float_type);
    put_node(&unfed, "z", "Placeholder", NULL, NULL);
    put_node(&unfed, "a", "Relu", INPUTS("z"), &float_type);
    put_node(&port, "x", "Placeholder", NULL, NULL);
    put_node(&port, "a", "Relu", INPUTS("x:1"), &float_type);
    put_node(&nameless, "", "Relu", INPUTS("x"), &float_type);
    expect_error(cycle, "a", "node 'a' is on a cycle");
    expect_error(twice, "a", "a second node 'a'");
    expect_error(unfed, "a", "node 'z' (Placeholder): it is not an input of the model");
    expect_error(port, "a", "node 'x' has no output 1");
    expect_error(nameless, "", "an unnamed node");
    expect_error(small_message(), "nowhere", "there is no node 'nowhere'");
    expect_error(small_message(), "unused", "there is no op 'NoSuchOp'");
    expect_error(small_message(), "r:7", "node 'r' has no output 7");
    /* an entry, and the message in it, that end too early */
    expect_error(message_with_function("\x0a\x01g\x12\x05\x0a", 6), "m",
                 "are left; the file is truncated or damaged");
    expect_error(message_with_function("\x12\x07\x0a\x01n\x12\x02\x18\x80", 9), "m",
                 "node 'm' (Test>Map)");
}

static void any_cut_and_any_wrong_byte_is_survived(void **state)
{
    (void)state;
    oribi_text message = small_message();
    int n_refused = 0;
    for (size_t i = 0; i < 2 * message.length; i++) {
        oribi_text broken = {0};
        TF_Status *status = TF_NewStatus();
        oribi_text_append_n(&broken, message.data, i < message.length ? i : message.length);
        if (i >= message.length) {
            broken.data[i - message.length] ^= (char)(1 << (i % 8));
        }
        oribi_graph *graph = read_message(&broken, "r", NULL, status);
        assert_int_equal(graph == NULL, TF_GetCode(status) != TF_OK);
        n_refused += graph == NULL;
        oribi_graph_destroy(graph);
        oribi_text_destroy(&broken);
        TF_DeleteStatus(status);
    }
    assert_true(n_refused > (int)message.length);
    oribi_text_destroy(&message);
}

static bool read_once(void *arg)
{
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = read_message(arg, "r", NULL, status);
    const bool ok = graph != NULL;
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
    return ok;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    oribi_text message = small_message();
    assert_true(fail_each_allocation(read_once, &message) > 10);
    oribi_text_destroy(&message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_bring_the_nodes_that_they_need),
        cmocka_unit_test(two_fetches_share_their_nodes),
        cmocka_unit_test(what_the_caller_knows_is_used),
        cmocka_unit_test(a_function_keeps_its_attributes),
        cmocka_unit_test(bad_graphs_are_refused_by_name),
        cmocka_unit_test(any_cut_and_any_wrong_byte_is_survived),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
