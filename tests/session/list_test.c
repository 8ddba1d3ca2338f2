/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences and optionals: what lists hold counts against the limit and outlives the session, and
 * what does not fit is refused. What ONNX says of them is tested with its own data
 * (import/onnx_backend_test.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oribi/oribi.h"
#include "support/onnx_import.h"
#include "tensorflow/c/variant.h"
#include "support/each_status.h"

enum { TYPE_SEQUENCE = 4, TYPE_OPTIONAL = 9 };

/* A port whose type is a sequence or optional, of such if `inner` is not 0, of tensors. */
static void put_list(bytes *graph, uint32_t field, const char *name, uint32_t outer, uint32_t inner,
                     int onnx_type)
{
    bytes value = {0}, type = {0}, tensor = {0}, element = {0}, list = {0};
    put_text(&value, 1, name);
    put_int(&tensor, 1, onnx_type);
    put_message(&element, 1, &tensor);
    if (inner != 0) {
        bytes within = {0}, around = {0};
        put_message(&within, 1, &element);
        put_message(&around, inner, &within);
        element = around;
    }
    put_message(&list, 1, &element);
    put_message(&type, outer, &list);
    put_message(&value, 2, &type);
    put_message(graph, field, &value);
}

/* s = [x + 0, x + 1, ...]: n trips of a loop that puts x, to which it adds the trip, at the end. */
static bytes growing_model(int64_t count)
{
    bytes body = {0}, graph = {0};
    put_value(&body, GRAPH_INPUT, "i", ONNX_INT64, NULL, 0);
    put_value(&body, GRAPH_INPUT, "c", ONNX_BOOL, NULL, 0);
    put_list(&body, GRAPH_INPUT, "a", TYPE_SEQUENCE, 0, ONNX_FLOAT);
    bytes cast = make_node("", "Cast", "cast", "i", "f");
    put_attr_int(&cast, "to", ONNX_FLOAT);
    put_message(&body, GRAPH_NODE, &cast);
    put_node(&body, "", "Add", "add", "x,f", "e");
    put_node(&body, "", "SequenceInsert", "insert", "a,e", "b");
    put_value(&body, GRAPH_OUTPUT, "c", ONNX_BOOL, NULL, -1);
    put_list(&body, GRAPH_OUTPUT, "b", TYPE_SEQUENCE, 0, ONNX_FLOAT);
    put_node(&graph, "", "SequenceEmpty", "empty", "", "none");
    bytes node = make_node("", "Loop", "loop", "n,,none", "s");
    put_attr_graph(&node, "body", &body);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_INPUT, "n", ONNX_INT64, NULL, 0);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, &count, 1);
    put_list(&graph, GRAPH_OUTPUT, "s", TYPE_SEQUENCE, 0, ONNX_FLOAT);
    return make_model(17, &graph);
}

/* y = the element of s at p. */
static bytes reading_model(void)
{
    bytes graph = {0};
    put_node(&graph, "", "SequenceAt", "at", "s,p", "y");
    put_list(&graph, GRAPH_INPUT, "s", TYPE_SEQUENCE, 0, ONNX_FLOAT);
    put_value(&graph, GRAPH_INPUT, "p", ONNX_INT64, NULL, 0);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return make_model(17, &graph);
}

typedef struct opened {
    bytes bytes;
    oribi_model *model;
    oribi_session *session;
    oribi_run *run;
} opened;

static opened open_with_limit(bytes model, uint64_t max_bytes)
{
    opened o = {.bytes = model};
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_threads(options, 1);
    if (max_bytes > 0) {
        oribi_options_set_max_bytes(options, max_bytes);
    }
    o.model = oribi_model_from_memory(model.data, model.n, "test.onnx", options, status);
    assert_string_equal(TF_Message(status), "");
    o.session = oribi_session_create(o.model, options, status);
    assert_string_equal(TF_Message(status), "");
    o.run = oribi_run_create(o.session, status);
    oribi_options_destroy(options);
    return o;
}

static void close_model(opened *o)
{
    oribi_run_destroy(o->run);
    oribi_session_destroy(o->session);
    oribi_model_destroy(o->model);
    free(o->bytes.data);
}

static void give(opened *o, int index, TF_Tensor *tensor)
{
    oribi_run_set_input(o->run, index, tensor, status);
    TF_DeleteTensor(tensor);
    assert_string_equal(TF_Message(status), "");
}

static TF_Tensor *number(int64_t value)
{
    TF_Tensor *tensor = TF_AllocateTensor(TF_INT64, NULL, 0, sizeof value);
    memcpy(TF_TensorData(tensor), &value, sizeof value);
    return tensor;
}

static TF_Tensor *zeros(TF_DataType dtype, int64_t count)
{
    TF_Tensor *tensor = TF_AllocateTensor(dtype, &count, 1, (size_t)count * TF_DataTypeSize(dtype));
    memset(TF_TensorData(tensor), 0, TF_TensorByteSize(tensor));
    return tensor;
}

/* A sequence of n tensors of the type, the k-th of which has k + 1 elements of 0. */
static TF_Tensor *sequence(TF_DataType dtype, int64_t n)
{
    TF_Tensor *list = TF_AllocateTensor(TF_VARIANT, &n, 1, (size_t)n * sizeof(TF_VariantHead *));
    for (int64_t k = 0; k < n; k++) {
        TF_Tensor *element = zeros(dtype, k + 1);
        TF_TensorSetVariantTensor(list, k, element, status);
        assert_string_equal(TF_Message(status), "");
        TF_DeleteTensor(element);
    }
    return list;
}

static void fails_with(TF_Code code, const char *text)
{
    assert_int_equal(TF_GetCode(status), code);
    if (strstr(TF_Message(status), text) == NULL) {
        fail_msg("'%s' does not say '%s'", TF_Message(status), text);
    }
}

static void elements_outlive_the_model(void **state)
{
    (void)state;
    opened o = open_with_limit(growing_model(4), 0);
    TF_Tensor *list = NULL;
    for (int64_t trips = 1; trips < 40; trips += 9) {
        give(&o, 0, number(trips));
        give(&o, 1, zeros(TF_FLOAT, 4));
        oribi_run_execute(o.run, status);
        assert_string_equal(TF_Message(status), "");
        TF_DeleteTensor(list);
        list = oribi_run_output(o.run, 0, status);
        assert_int_equal(TF_NumDims(list), 1);
        assert_int_equal(TF_Dim(list, 0), trips);
    }
    close_model(&o);

    for (int64_t i = 0; i < TF_Dim(list, 0); i++) {
        TF_Tensor *element = TF_TensorVariantTensor(list, i, status);
        assert_int_equal(TF_TensorType(element), TF_FLOAT);
        assert_int_equal(TF_Dim(element, 0), 4);
        assert_float_equal(((const float *)TF_TensorData(element))[3], (float)i, 0.0f);
        TF_DeleteTensor(element);
    }
    TF_DeleteTensor(list);
}

static void what_a_list_holds_counts_against_the_limit(void **state)
{
    (void)state;
    enum { COUNT = 1 << 16 }; /* 256 KiB an element, 16 of them 4 MiB */
    opened o = open_with_limit(growing_model(COUNT), 8 << 20);
    give(&o, 1, zeros(TF_FLOAT, COUNT));
    for (int k = 0; k < 20; k++) { /* what a run let go of is there for the next one */
        give(&o, 0, number(8));
        oribi_run_execute(o.run, status);
        assert_string_equal(TF_Message(status), "");
    }

    give(&o, 0, number(40));
    oribi_run_execute(o.run, status);
    fails_with(TF_RESOURCE_EXHAUSTED, "an element of a list");
    fails_with(TF_RESOURCE_EXHAUSTED, "--max-bytes");

    give(&o, 0, number(8));
    oribi_run_execute(o.run, status);
    assert_string_equal(TF_Message(status), "");
    close_model(&o);
}

static void small_elements_count_as_what_they_cost(void **state)
{
    (void)state;
    opened o = open_with_limit(growing_model(1), 1 << 20);
    give(&o, 0, number(INT64_MAX));
    give(&o, 1, zeros(TF_FLOAT, 1));
    oribi_run_execute(o.run, status);
    fails_with(TF_RESOURCE_EXHAUSTED, "--max-bytes");
    close_model(&o);
}

static void the_applications_list_is_read(void **state)
{
    (void)state;
    opened o = open_with_limit(reading_model(), 0);
    for (int64_t position = -3; position < 3; position++) {
        give(&o, 0, sequence(TF_FLOAT, 3));
        give(&o, 1, number(position));
        oribi_run_execute(o.run, status);
        assert_string_equal(TF_Message(status), "");
        TF_Tensor *y = oribi_run_output(o.run, 0, status);
        assert_int_equal(TF_Dim(y, 0), 1 + (position < 0 ? position + 3 : position));
        TF_DeleteTensor(y);
    }
    close_model(&o);
}

static void a_list_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    opened o = open_with_limit(reading_model(), 0);
    give(&o, 0, sequence(TF_FLOAT, 3));
    give(&o, 1, number(3));
    oribi_run_execute(o.run, status);
    fails_with(TF_INVALID_ARGUMENT, "position 3 is not in a list of 3 elements");

    give(&o, 0, sequence(TF_INT32, 3));
    give(&o, 1, number(0));
    oribi_run_execute(o.run, status);
    fails_with(TF_INVALID_ARGUMENT, "the list has elements of type 3");

    const int64_t one = 1; /* an element that nobody has set */
    give(&o, 0, TF_AllocateTensor(TF_VARIANT, &one, 1, sizeof(TF_VariantHead *)));
    oribi_run_execute(o.run, status);
    fails_with(TF_NOT_FOUND, "variant 0 is empty");

    TF_Tensor *floats = zeros(TF_FLOAT, 3);
    oribi_run_set_input(o.run, 0, floats, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_DeleteTensor(floats);
    close_model(&o);
}

static void an_optional_without_a_value_is_told(void **state)
{
    (void)state;
    bytes graph = {0};
    put_node(&graph, "", "OptionalGetElement", "get", "o", "y");
    put_list(&graph, GRAPH_INPUT, "o", TYPE_OPTIONAL, 0, ONNX_FLOAT);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    opened o = open_with_limit(make_model(18, &graph), 0);
    give(&o, 0, TF_AllocateTensor(TF_VARIANT, NULL, 0, sizeof(TF_VariantHead *)));
    oribi_run_execute(o.run, status);
    fails_with(TF_INVALID_ARGUMENT, "the optional has no value");
    close_model(&o);
}

/* --- Models that cannot be ----------------------------------------------------------------------
 */

static void is_refused(bytes *graph, TF_Code code, const char *text)
{
    const bytes model = make_model(18, graph);
    assert_null(oribi_model_from_memory(model.data, model.n, "test.onnx", NULL, status));
    fails_with(code, text);
    free(model.data);
}

static void a_sequence_of_sequences_is_refused(void **state)
{
    (void)state;
    bytes declared = {0}, made = {0};
    put_list(&declared, GRAPH_INPUT, "s", TYPE_SEQUENCE, TYPE_SEQUENCE, ONNX_FLOAT);
    is_refused(&declared, TF_UNIMPLEMENTED, "'s' is a sequence of sequences");

    put_list(&made, GRAPH_INPUT, "s", TYPE_SEQUENCE, 0, ONNX_FLOAT);
    put_node(&made, "", "SequenceConstruct", "twice", "s,s", "y");
    put_list(&made, GRAPH_OUTPUT, "y", TYPE_SEQUENCE, 0, ONNX_FLOAT);
    is_refused(&made, TF_INVALID_ARGUMENT,
               "there are no sequences of several types or of sequences");
}

static void a_tensor_of_another_type_is_refused(void **state)
{
    (void)state;
    bytes graph = {0}, no_list = {0};
    put_list(&graph, GRAPH_INPUT, "s", TYPE_SEQUENCE, 0, ONNX_FLOAT);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_INT64, NULL, 0);
    put_node(&graph, "", "SequenceInsert", "insert", "s,x", "y");
    put_list(&graph, GRAPH_OUTPUT, "y", TYPE_SEQUENCE, 0, ONNX_FLOAT);
    is_refused(&graph, TF_INVALID_ARGUMENT, "the tensor is int64, but the sequence holds float");

    put_value(&no_list, GRAPH_INPUT, "x", ONNX_FLOAT, NULL, 0);
    put_value(&no_list, GRAPH_INPUT, "p", ONNX_INT64, NULL, 0);
    put_node(&no_list, "", "SequenceAt", "at", "x,p", "y");
    put_value(&no_list, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    is_refused(&no_list, TF_INVALID_ARGUMENT,
               "input 0 must be a sequence or an optional; it is float");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_status, drop_status)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(elements_outlive_the_model),
        TEST(what_a_list_holds_counts_against_the_limit),
        TEST(small_elements_count_as_what_they_cost),
        TEST(the_applications_list_is_read),
        TEST(a_list_that_does_not_fit_is_refused),
        TEST(an_optional_without_a_value_is_told),
        TEST(a_sequence_of_sequences_is_refused),
        TEST(a_tensor_of_another_type_is_refused),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
