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
#include "base/proto.h"
#include "devices/on_grappler.h"
#include "import/wire.h"

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
        cmocka_unit_test(states_survive),
        cmocka_unit_test(real_models_come_back_bit_for_bit),
        cmocka_unit_test(damaged_messages_break_nothing),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
