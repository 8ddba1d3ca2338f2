/* SPDX-License-Identifier: Apache-2.0 */
/* Graph optimisers of plugins: a graph goes out as GraphDef and comes back, the same or another
 * one; what does not fit, or is no graph, is left aside. The messages are read and made here with
 * the wire reader and the proto writer, the optimiser is this file's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/proto.h"
#include "import/wire.h"
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

static void give(TF_Buffer *out, const void *bytes, size_t length)
{
    TF_Buffer *made = TF_NewBufferFromString(bytes, length);
    const TF_Buffer empty = *out;
    *out = *made;
    *made = empty;
    TF_DeleteBuffer(made);
}

static void *create_optimizer(void)
{
    n_made++;
    return &n_made;
}

static void destroy_optimizer(void *optimizer)
{
    assert_ptr_equal(optimizer, &n_made);
    n_made--;
}

static void optimise(void *optimizer, const TF_Buffer *graph, const TF_GrapplerItem *item,
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

static void init_graph(TP_OptimizerRegistrationParams *params, TF_Status *status)
{
    (void)status;
    params->device_type = "CPU";
    params->optimizer->create_func = create_optimizer;
    params->optimizer->destroy_func = destroy_optimizer;
    params->optimizer->optimize_func = optimise;
}

static void keep_log(void *arg, int level, const char *text)
{
    (void)arg;
    (void)level;
    (void)snprintf(logged, sizeof logged, "%s", text);
}

static int setup(void **state)
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

static oribi_session *make_session(void)
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
static void run_graph(float *half, float *all)
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

static void expect_minus(void)
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
                                       "an input that was none before",
                                       "had a bad day",
                                       "gave no graph back"};
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

/* --- Helper functions ---------------------------------------------------------------------------
 */

static void read_names(const TF_GrapplerItem *item, bool fetches, char *out, TF_Status *status)
{
    char *values[8];
    size_t lengths[8];
    char storage[200];
    int n = 0;
    size_t bytes = 0;
    if (fetches) {
        TF_GetFetchNodesListSize(item, &n, &bytes, status);
        TF_GetFetchNodesList(item, values, lengths, n, storage, bytes, status);
    } else {
        TF_GetNodesToPreserveListSize(item, &n, &bytes, status);
        TF_GetNodesToPreserveList(item, values, lengths, n, storage, bytes, status);
    }
    assert_int_equal(TF_GetCode(status), TF_OK);
    out[0] = 0;
    for (int i = 0; i < n; i++) {
        sprintf(out + strlen(out), "%.*s ", (int)lengths[i], values[i]);
    }
    TF_GetFetchNodesList(item, values, lengths, n, storage, 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
}

/* dtype and first dimension of a TensorProperties, and whether there is a value. */
static void read_properties(const TF_Buffer *buffer, int64_t *dtype, int64_t *dim, bool *has_value)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(buffer->data, buffer->length);
    oribi_wire_field field;
    *dim = -2;
    *has_value = false;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_wire shape, size;
        if (field.number == 1) {
            *dtype = (int64_t)field.value;
        } else if (field.number == 2) {
            assert_true(oribi_wire_enter(&wire, &field, &shape, status));
            while (oribi_wire_next(&shape, &field, status)) {
                assert_true(oribi_wire_enter(&shape, &field, &size, status));
                assert_true(oribi_wire_next(&size, &field, status));
                *dim = (int64_t)field.value;
            }
        } else {
            *has_value = field.number == 3;
        }
    }
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void ask_everything(const TF_Buffer *graph, const TF_GrapplerItem *item, TF_Buffer *out,
                           TF_Status *status)
{
    char names[300];
    int n = -1;
    int64_t dtype, dim;
    bool has_value;
    read_names(item, false, names, status);
    assert_string_equal(names, "x_0__odd_ y split times ");
    read_names(item, true, names, status);
    assert_string_equal(names, "split:1 times ");

    TF_GraphProperties *properties = TF_NewGraphProperties(item);
    TF_GetInputPropertiesListSize(properties, "times", &n, status);
    assert_int_equal(n, 0);
    TF_InferStatically(properties, 0, 0, 1, 0, status);
    TF_GetInputPropertiesListSize(properties, "times", &n, status);
    assert_int_equal(n, 2);
    TF_Buffer *buffers[2] = {TF_NewBuffer(), TF_NewBuffer()};
    TF_GetInputPropertiesList(properties, "times", buffers, 2, status);
    read_properties(buffers[0], &dtype, &dim, &has_value);
    assert_true(dtype == TF_FLOAT && dim == 4 && !has_value);
    read_properties(buffers[1], &dtype, &dim, &has_value);
    assert_true(dtype == TF_FLOAT && dim == 4 && has_value);
    TF_GetOutputPropertiesListSize(properties, "split", &n, status);
    assert_int_equal(n, 2);
    TF_GetOutputPropertiesList(properties, "split", buffers, 2, status);
    read_properties(buffers[1], &dtype, &dim, &has_value);
    assert_true(dtype == TF_FLOAT && dim == 2 && !has_value);
    TF_GetOutputPropertiesList(properties, "axis", buffers, 1, status);
    read_properties(buffers[0], &dtype, &dim, &has_value);
    assert_true(dtype == TF_INT32 && dim == -2 && !has_value);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_GetOutputPropertiesList(properties, "times", buffers, 2, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    TF_DeleteBuffer(buffers[0]);
    TF_DeleteBuffer(buffers[1]);
    TF_DeleteGraphProperties(properties);
    give(out, graph->data, graph->length);
}

static void helper_functions_answer(void **state)
{
    (void)state;
    optimise_with = ask_everything;
    expect_minus();
    assert_non_null(strstr(logged, "became"));
}

static void look_up(TF_FunctionLibraryDefinition *library, const char *name, TF_Code code)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *found = TF_NewBuffer();
    TF_LookUpOpDef(library, name, found, status);
    assert_int_equal(TF_GetCode(status), code);
    if (code == TF_OK) { /* field 1 comes first: the name */
        const unsigned char *bytes = found->data;
        assert_int_equal(bytes[1], strlen(name));
        assert_memory_equal(bytes + 2, name, strlen(name));
    }
    TF_DeleteBuffer(found);
    TF_DeleteStatus(status);
}

static void ops_and_functions_are_found(void **state)
{
    (void)state;
    oribi_text graph = {0}, library = {0}, function = {0}, signature = {0};
    oribi_proto_string(&signature, 1, "twice");
    oribi_proto_message(&function, 1, &signature);
    oribi_proto_message(&library, 1, &function);
    oribi_proto_message(&graph, 2, &library);
    TF_Status *status = TF_NewStatus();
    TF_Buffer *bytes = TF_NewBufferFromString(graph.data, graph.length);
    TF_FunctionLibraryDefinition *made = TF_NewFunctionLibraryDefinition(bytes, status);
    TF_DeleteBuffer(bytes);
    look_up(made, "Conv2D", TF_OK);
    look_up(made, "twice", TF_OK);
    look_up(made, "thrice", TF_NOT_FOUND);
    TF_DeleteFunctionLibraryDefinition(made);
    TF_DeleteStatus(status);
    oribi_text_destroy(&graph);
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

static TF_Tensor *run_model(const char *path)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();
    oribi_model *model = oribi_model_open(path, options, status);
    small_expect_ok(status);
    oribi_session *session = oribi_session_create(model, options, status);
    small_expect_ok(status);
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
        TF_Tensor *before = run_model(models[i]);
        optimise_with = NULL;
        logged[0] = 0;
        TF_Tensor *after = run_model(models[i]);
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
        cmocka_unit_test(helper_functions_answer),
        cmocka_unit_test(ops_and_functions_are_found),
        cmocka_unit_test(states_survive),
        cmocka_unit_test(real_models_come_back_bit_for_bit),
        cmocka_unit_test(damaged_messages_break_nothing),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
