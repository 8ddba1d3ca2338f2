/* SPDX-License-Identifier: Apache-2.0 */
/* Graph optimisers of plugins: a graph goes out as GraphDef and comes back, the same or another
 * one; what does not fit, or is no graph, is left aside. The messages are read and made here with
 * the wire reader and the proto writer. What optimisers may ask: grappler_help_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "format/proto.h"
#include "devices/on_grappler.h"
#include "format/wire.h"

static void a_graph_that_comes_back_is_the_same(void **state)
{
    (void)state;
    optimise_with = NULL;
    expect_minus();
    assert_non_null(strstr(logged, "became"));
}

/* "Sub" becomes "Add" wherever it stands alone. */
static void make_sub_add(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                         TF_Status *status)
{
    (void)item;
    (void)status;
    char *bytes = malloc(graph->length);
    memcpy(bytes, graph->data, graph->length);
    for (size_t i = 1; i + 3 <= graph->length; i++) {
        if (memcmp(bytes + i, "Sub", 3) == 0 && bytes[i - 1] == 3) {
            memcpy(bytes + i, "Add", 3);
        }
    }
    give(out, bytes, graph->length);
    free(bytes);
}

static void a_graph_that_changed_is_the_one_that_runs(void **state)
{
    (void)state;
    float half[2];
    float all[4];
    optimise_with = make_sub_add;
    run_graph(half, all);
    assert_true(all[0] == (10 + 1) * 2 && all[3] == (13 + 7) * 7);
}

/* --- What does not fit --------------------------------------------------------------------------
 */

static void put_node(oribi_text *graph, const char *name, const char *op, const char *a,
                     const char *b)
{
    oribi_text node = {0};
    oribi_proto_string(&node, 1, name);
    oribi_proto_string(&node, 2, op);
    oribi_proto_string(&node, 3, a);
    oribi_proto_string(&node, 3, b);
    oribi_proto_message(graph, 1, &node);
}

/* A Const named `name` of n elements of a type, all 1, as a value list of one. */
static void put_ones(oribi_text *graph, const char *name, TF_DataType type, int64_t n)
{
    oribi_text node = {0}, entry = {0}, value = {0}, tensor = {0}, dim = {0}, shape = {0};
    oribi_proto_number(&dim, 1, (uint64_t)n);
    oribi_proto_message(&shape, 2, &dim);
    oribi_proto_number(&tensor, 1, (uint64_t)type);
    oribi_proto_message(&tensor, 2, &shape);
    if (type == TF_FLOAT) {
        oribi_proto_float(&tensor, 5, 1);
    } else {
        oribi_proto_number(&tensor, 7, 1);
    }
    oribi_proto_message(&value, 8, &tensor);
    oribi_proto_string(&entry, 1, "value");
    oribi_proto_message(&entry, 2, &value);
    oribi_proto_string(&node, 1, name);
    oribi_proto_string(&node, 2, "Const");
    oribi_proto_message(&node, 5, &entry);
    oribi_proto_message(graph, 1, &node);
}

static int which;

static void misfit(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                   TF_Status *status)
{
    oribi_text text = {0};
    (void)item;
    (void)graph;
    switch (which) {
    case 0: /* a type that changed */
        put_ones(&text, "times", TF_INT32, 4);
        put_ones(&text, "split", TF_INT32, 2);
        break;
    case 1: /* a shape that changed; nothing has a second output */
        put_ones(&text, "times", TF_FLOAT, 5);
        put_ones(&text, "split", TF_FLOAT, 2);
        break;
    case 2:
        put_node(&text, "split", "Sub", "times", "times");
        put_node(&text, "times", "Mul", "split", "split");
        break;
    case 3:
        put_node(&text, "times", "Frobnicate", NULL, NULL);
        break;
    case 4:
        put_node(&text, "times", "Sub", "nobody", "nobody");
        break;
    case 5:
        put_node(&text, "times", "Placeholder", NULL, NULL);
        put_node(&text, "times", "Placeholder", NULL, NULL);
        break;
    case 6:
        put_node(&text, "split", "Placeholder", NULL, NULL);
        break;
    case 7:
        TF_SetStatus(status, TF_INTERNAL, "had a bad day");
        return;
    default: /* nothing given back */
        return;
    }
    give(out, text.data, text.length);
    oribi_text_destroy(&text);
}

static void what_does_not_fit_is_left_aside_and_said(void **state)
{
    (void)state;
    static const char *const says[] = {"node 'split' has no output 1",
                                       "node 'split' has no output 1",
                                       "cycle",
                                       "there is no node 'split'",
                                       "there is no node 'split'",
                                       "a second node 'times'",
                                       "it is not an input of the model",
                                       "had a bad day",
                                       "returned no graph"};
    optimise_with = misfit;
    for (which = 0; which < (int)(sizeof says / sizeof says[0]); which++) {
        expect_minus();
        if (strstr(logged, says[which]) == NULL || strstr(logged, "runs as it was") == NULL) {
            fail_msg("case %d says: %s", which, logged);
        }
    }
}

static void change_type(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                        TF_Status *status)
{
    oribi_text text = {0};
    (void)item;
    (void)status;
    oribi_text_append_n(&text, graph->data, graph->length);
    put_ones(&text, "extra", which == 0 ? TF_INT32 : TF_FLOAT, which == 0 ? 4 : 3);
    /* `times` and who reads it are renamed, and another one stands in its place. */
    for (size_t i = 2; i + 5 <= graph->length; i++) {
        if (memcmp(text.data + i, "times", 5) == 0 &&
            (text.data[i - 2] == 10 || text.data[i - 2] == 26)) { /* name or input */
            memcpy(text.data + i, "tames", 5);
        }
    }
    put_node(&text, "times", "Identity", "extra", NULL);
    give(out, text.data, text.length);
    oribi_text_destroy(&text);
}

static void an_output_keeps_type_and_shape(void **state)
{
    (void)state;
    optimise_with = change_type;
    for (which = 0; which < 2; which++) {
        expect_minus();
        assert_non_null(strstr(logged, "became"));
        assert_non_null(strstr(logged, "runs as it was"));
    }
}

/* Each byte changed in turn, and each length: whatever comes of it, nothing breaks. */
static size_t at;
static void damage(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                   TF_Status *status)
{
    char *bytes = malloc(graph->length);
    (void)item;
    (void)status;
    memcpy(bytes, graph->data, graph->length);
    const size_t where = at / 3;
    if (where >= graph->length) {
        at = SIZE_MAX;
    } else if (at % 3 == 0) {
        bytes[where] = (char)(bytes[where] ^ (1 << (where % 8)));
    } else if (at % 3 == 1) {
        bytes[where] = (char)0xff;
    }
    give(out, bytes, at != SIZE_MAX && at % 3 == 2 ? where : graph->length);
    free(bytes);
}

static void damaged_messages_break_nothing(void **state)
{
    (void)state;
    optimise_with = damage;
    for (at = 0; at != SIZE_MAX; at += at == SIZE_MAX ? 0 : 1) {
        oribi_session *session = make_session();
        oribi_session_destroy(session);
        if (at == SIZE_MAX) {
            break;
        }
    }
}

/* --- What TensorFlow's optimisers count on ------------------------------------------------------
 */

static int n_nodes, n_placed, n_transposes;

static void count_nodes(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                        TF_Status *status)
{
    static const char host[] = "/job:localhost/replica:0/task:0/device:CPU:0";
    oribi_wire wire = oribi_wire_over(graph->data, graph->length);
    oribi_wire_field field;
    (void)item;
    n_nodes = n_placed = n_transposes = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_wire node;
        oribi_wire_field part;
        if (field.number != 1) {
            continue;
        }
        n_nodes++;
        assert_true(oribi_wire_enter(&wire, &field, &node, status));
        while (oribi_wire_next(&node, &part, status)) {
            n_placed += part.number == 4 && part.bytes == sizeof host - 1 &&
                        memcmp(part.data, host, part.bytes) == 0;
            n_transposes +=
                part.number == 2 && part.bytes == 9 && memcmp(part.data, "Transpose", 9) == 0;
        }
    }
    give(out, graph->data, graph->length);
}

static TF_Tensor *run_model(const char *path, char **out_steps);
static const char digits[] = TEST_SOURCE "/examples/digits/digits.onnx";

static void every_node_is_placed_and_no_transpose_is_left(void **state)
{
    (void)state;
    optimise_with = count_nodes;
    TF_DeleteTensor(run_model(digits, NULL));
    assert_true(n_nodes > 30);
    assert_int_equal(n_placed, n_nodes);
    assert_int_equal(n_transposes, 0);
}

/* A vendor's op of which no shape is inferred stands in for Sub. */
static void blind_sub(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *a = NULL, *b = NULL;
    (void)kernel;
    TF_GetInput(ctx, 0, &a, status);
    TF_GetInput(ctx, 1, &b, status);
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, DIMS, 1, 16, status);
    for (int i = 0; i < 4; i++) {
        ((float *)TF_TensorData(z))[i] =
            ((float *)TF_TensorData(a))[i] - ((float *)TF_TensorData(b))[i];
    }
    TF_DeleteTensor(a);
    TF_DeleteTensor(b);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void register_blind(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Bub");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddInput(op, "y: float");
    TF_OpDefinitionBuilderAddOutput(op, "z: float");
    TF_RegisterOpDefinition(op, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_RegisterKernelBuilder("Bub", TF_NewKernelBuilder("Bub", "CPU", NULL, blind_sub, NULL),
                             status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void rename_op(const TF_Buffer *graph, TF_Buffer *out, const char *from, const char *to)
{
    char *bytes = malloc(graph->length);
    memcpy(bytes, graph->data, graph->length);
    for (size_t i = 1; i + strlen(from) <= graph->length; i++) {
        if ((size_t)bytes[i - 1] == strlen(from) && memcmp(bytes + i, from, strlen(from)) == 0) {
            memcpy(bytes + i, to, strlen(to));
        }
    }
    give(out, bytes, graph->length);
    free(bytes);
}

static void make_sub_blind(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                           TF_Status *status)
{
    (void)item;
    (void)status;
    rename_op(graph, out, "Sub", "Bub");
}

static void an_op_that_infers_nothing_keeps_the_shape_that_was_known(void **state)
{
    (void)state;
    register_blind();
    optimise_with = make_sub_blind;
    expect_minus();
    assert_non_null(strstr(logged, "1 of them written"));
    oribi_session *session = make_session();
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    oribi_session_describe(session, "graph", json, status);
    small_expect_ok(status);
    assert_true(small_has(json, "\"Bub\""));
    assert_true(small_has(json, "\"is_planned\":true"));
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    oribi_session_destroy(session);
}

static void switch_off(TF_TriState state)
{
    oribi_optimizer *optimizer = (oribi_optimizer *)oribi_optimizer_find("CPU");
    optimizer->configs.remapping = state;
    optimizer->configs.layout_optimizer = state;
    optimizer->configs.constant_folding = state;
}

static void make_relu_elu(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                          TF_Status *status)
{
    (void)item;
    (void)status;
    rename_op(graph, out, "Relu", "Selu");
}

/* The steps' ops, one after the other. */
static char *steps_of(optimise_fn with)
{
    char *steps = NULL;
    optimise_with = with;
    TF_DeleteTensor(run_model(digits, &steps));
    return steps;
}

static int count_text(const char *text, const char *word)
{
    int n = 0;
    for (const char *found = text; (found = strstr(found, word)) != NULL; found++) {
        n++;
    }
    return n;
}

static void our_passes_leave_alone_what_was_written_and_nothing_else(void **state)
{
    (void)state;
    which = 7;
    char *ours = steps_of(misfit); /* which fails: the model as it was */
    switch_off(TF_TriState_Off);
    char *same = steps_of(NULL); /* an answer that took nothing */
    char *taken = steps_of(make_relu_elu);
    switch_off(TF_TriState_Default);
    char *fused = steps_of(make_relu_elu);

    assert_string_equal(same, ours);
    assert_int_equal(count_text(ours, "Selu"), 0);
    assert_int_equal(count_text(taken, "\"Selu\""), 6);  /* each Relu, a step of its own */
    assert_true(count_text(taken, "_FusedConv2D") >= 5); /* with their biases */
    assert_true(count_text(fused, "\"op\":") <= count_text(taken, "\"op\":"));
    free(ours);
    free(same);
    free(taken);
    free(fused);
}

/* --- States and real models ---------------------------------------------------------------------
 */

static void states_survive(void **state)
{
    (void)state;
    const oribi_shape shape = {1, (int64_t *)DIMS};
    optimise_with = NULL;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 1, DIMS);
    const oribi_value_id read = oribi_graph_add_value(g.graph, "n", TF_FLOAT, &shape, g.status);
    const oribi_value_id next = small_fn1(&g, small_add_one, read);
    small_output(&g, small_fn1(&g, small_add_one, x), "z");
    small_output(&g, next, "count");
    assert_true(
        oribi_graph_add_state(g.graph, read, next, "n", small_tensor(1, DIMS, 10), g.status));
    oribi_session *session = small_finish(&g);
    assert_non_null(strstr(logged, "became"));
    oribi_run *run = small_run_of(session);
    for (int i = 0; i < 3; i++) {
        small_bind(run, 0, small_tensor(1, DIMS, 0));
        small_execute(run);
        small_expect(run, 1, 4, 11 + (float)i);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* The words "op":"Conv2D" of the steps, one after the other; malloc'ed. */
static char *ops_in(const TF_Buffer *json)
{
    char *text = strndup(json->data, json->length);
    char *to = text;
    for (const char *from = text; (from = strstr(from, "\"op\":")) != NULL;) {
        const size_t length = strcspn(from, ",}");
        memmove(to, from, length);
        to += length;
        from += length;
    }
    *to = '\0';
    return text;
}

static TF_Tensor *run_model(const char *path, char **out_steps)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();
    oribi_model *model = oribi_model_open(path, options, status);
    small_expect_ok(status);
    oribi_session *session = oribi_session_create(model, options, status);
    small_expect_ok(status);
    if (out_steps != NULL) {
        TF_Buffer *json = TF_NewBuffer();
        oribi_session_describe(session, "graph", json, status);
        small_expect_ok(status);
        *out_steps = ops_in(json);
        TF_DeleteBuffer(json);
    }
    oribi_run *run = small_run_of(session);
    int64_t dims[8];
    const int rank = oribi_model_input_shape(model, 0, dims, 8);
    size_t elements = 1;
    for (int i = 0; i < rank; i++) {
        elements *= (size_t)dims[i];
    }
    const TF_DataType type = oribi_model_input_type(model, 0);
    const size_t bytes = elements * TF_DataTypeSize(type);
    TF_Tensor *input = TF_AllocateTensor(type, dims, rank, bytes);
    for (size_t i = 0; i < elements; i++) {
        if (type == TF_FLOAT) {
            ((float *)TF_TensorData(input))[i] = (float)(i % 17) / 16;
        } else {
            ((int8_t *)TF_TensorData(input))[i] = (int8_t)(i * 31 % 251 - 125);
        }
    }
    small_bind(run, 0, input);
    small_execute(run);
    TF_Tensor *out = oribi_run_output(run, 0, status);
    small_expect_ok(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    return out;
}

static void real_models_come_back_bit_for_bit(void **state)
{
    (void)state;
    static const char *const models[] = {TEST_SOURCE "/examples/digits/digits.onnx",
                                         TEST_SOURCE "/examples/digits/digits_int8.tflite"};
    for (int i = 0; i < 2; i++) {
        optimise_with = misfit; /* which fails: the model as it was */
        which = 7;
        TF_Tensor *before = run_model(models[i], NULL);
        optimise_with = NULL;
        logged[0] = 0;
        TF_Tensor *after = run_model(models[i], NULL);
        assert_non_null(strstr(logged, "became"));
        assert_int_equal(TF_TensorByteSize(before), TF_TensorByteSize(after));
        assert_memory_equal(TF_TensorData(before), TF_TensorData(after), TF_TensorByteSize(before));
        TF_DeleteTensor(before);
        TF_DeleteTensor(after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_that_comes_back_is_the_same),
        cmocka_unit_test(a_graph_that_changed_is_the_one_that_runs),
        cmocka_unit_test(what_does_not_fit_is_left_aside_and_said),
        cmocka_unit_test(an_output_keeps_type_and_shape),
        cmocka_unit_test(every_node_is_placed_and_no_transpose_is_left),
        cmocka_unit_test(an_op_that_infers_nothing_keeps_the_shape_that_was_known),
        cmocka_unit_test(our_passes_leave_alone_what_was_written_and_nothing_else),
        cmocka_unit_test(states_survive),
        cmocka_unit_test(real_models_come_back_bit_for_bit),
        cmocka_unit_test(damaged_messages_break_nothing),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
