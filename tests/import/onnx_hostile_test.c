/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile ONNX files: an error with a message, never a crash, a leak or much memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "support/fail_nth.h"
#include "support/onnx_import.h"
#include "support/graph_check.h"

static const char *const digits = TEST_SOURCE "/examples/digits/digits.onnx";

/* Imports, checks what must hold whatever the bytes are, and returns the code. */
static TF_Code attempt(const void *data, size_t n)
{
    TF_Status *status = TF_NewStatus();
    oribi_import_options options = {.max_bytes = 64u << 20};
    oribi_graph *graph = import_bytes(data, n, &options, status);
    TF_Code code = TF_GetCode(status);
    if (graph != NULL) {
        assert_int_equal(code, TF_OK);
        assert_true(oribi_graph_check(graph, status));
    } else {
        assert_int_not_equal(code, TF_OK);
        assert_string_not_equal(TF_Message(status), "");
    }
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
    return code;
}

static TF_Code attempt_model(bytes model)
{
    TF_Code code = attempt(model.data, model.n);
    free(model.data);
    return code;
}

/* The build without sanitizers takes every byte. */
enum { EVERY = TEST_SANITIZED ? 3 : 1 };

static void truncate_everywhere(const char *path)
{
    void *data = NULL;
    size_t n = 0;
    if (oribi_file_read(path, SIZE_MAX, &data, &n) != 0) {
        print_message("skipped: %s is not here\n", path);
        skip();
    }
    assert_int_equal(attempt(data, n), TF_OK);
    int64_t live = fail_nth_live();
    for (size_t cut = 0; cut < n; cut += EVERY) {
        void *part = malloc(cut + 1); /* so that a sanitizer sees a read beyond the end */
        memcpy(part, data, cut);
        TF_Code code = attempt(part, cut);
        free(part);
        if (code == TF_OK) { /* whole messages may be missing at the end, never the graph */
            assert_true(cut > n / 2);
        }
    }
    assert_int_equal(fail_nth_live(), live);
    oribi_free(data);
}

static void digits_truncated_at_every_byte_is_an_error(void **state)
{
    (void)state;
    truncate_everywhere(digits);
}

static void mnist_truncated_at_every_byte_is_an_error(void **state)
{
    (void)state;
    truncate_everywhere(TEST_SHARED "/models/onnx/mnist.onnx");
}

static void any_single_byte_changed_is_survived(void **state)
{
    (void)state;
    static const uint8_t changes[] = {0xff, 0x80, 0x01, 0x08};
    void *data = NULL;
    size_t n = 0;
    if (oribi_file_read(digits, SIZE_MAX, &data, &n) != 0) {
        skip();
    }
    uint8_t *copy = malloc(n);
    size_t step = n / 3000 + 1; /* weights are most of the file: structure is hit often enough */
    for (size_t i = 0; i < n; i += i < 2000 || i + 2000 > n ? EVERY : step) {
        for (size_t k = 0; k < sizeof(changes); k++) {
            memcpy(copy, data, n);
            copy[i] ^= changes[k];
            (void)attempt(copy, n);
        }
    }
    free(copy);
    oribi_free(data);
}

static void text_and_emptiness_are_no_models(void **state)
{
    (void)state;
    assert_int_not_equal(attempt("", 0), TF_OK);
    assert_int_not_equal(attempt("#!/bin/sh\necho hello\n", 21), TF_OK);
    assert_int_equal(attempt("\x1c\0\0\0TFL3more", 12), TF_DATA_LOSS);
}

static bytes one_node(const char *inputs, const char *outputs, const char *graph_output)
{
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    put_node(&graph, "", "Add", "first", inputs, outputs);
    put_value(&graph, GRAPH_OUTPUT, graph_output, ONNX_FLOAT, NULL, -1);
    return make_model(13, &graph);
}

static void a_node_that_reads_itself_is_refused(void **state)
{
    (void)state;
    assert_int_equal(attempt_model(one_node("x,y", "y", "y")), TF_INVALID_ARGUMENT);
}

static void a_cycle_of_two_nodes_is_refused_with_its_name(void **state)
{
    (void)state;
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    put_node(&graph, "", "Add", "first", "x,b", "a");
    put_node(&graph, "", "Add", "second", "x,a", "b");
    put_value(&graph, GRAPH_OUTPUT, "b", ONNX_FLOAT, NULL, -1);
    TF_Status *status = TF_NewStatus();
    assert_null(import_model(make_model(13, &graph), status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'second'"));
    assert_non_null(strstr(TF_Message(status), "on a cycle"));
    TF_DeleteStatus(status);
}

/* The last node first, each of which reads what the next one makes, and two of them the same. */
static void nodes_that_are_not_in_order_are_read(void **state)
{
    (void)state;
    enum { N = 20000 };
    bytes graph = {0};
    char inputs[32], output[16];
    put_value(&graph, GRAPH_INPUT, "v0", ONNX_FLOAT, (int64_t[]){2}, 1);
    for (int i = N; i > 0; i--) {
        snprintf(inputs, sizeof inputs, "v%d,v%d", i - 1, i > 1 ? i - 2 : 0);
        snprintf(output, sizeof output, "v%d", i);
        put_node(&graph, "", "Add", output, inputs, output);
    }
    put_value(&graph, GRAPH_OUTPUT, output, ONNX_FLOAT, NULL, -1);
    snprintf(output, sizeof output, "v%d", N);
    put_value(&graph, GRAPH_OUTPUT, output, ONNX_FLOAT, NULL, -1);
    TF_Status *status = TF_NewStatus();
    oribi_graph *read = import_model(make_model(13, &graph), status);
    assert_string_equal(TF_Message(status), "");
    assert_int_equal(read->n_order, N);
    assert_string_equal(read->nodes[read->order[0]]->name, "v1");
    oribi_graph_destroy(read);
    TF_DeleteStatus(status);
}

static void an_output_that_nothing_makes_is_refused(void **state)
{
    (void)state;
    assert_int_equal(attempt_model(one_node("x,x", "y", "z")), TF_INVALID_ARGUMENT);
}

static void names_that_are_there_twice_are_refused(void **state)
{
    (void)state;
    assert_int_equal(attempt_model(one_node("x,x", "x", "x")), TF_INVALID_ARGUMENT);
    assert_int_equal(attempt_model(one_node("x,x", "y,y", "y")), TF_INVALID_ARGUMENT);
    bytes graph = {0};
    float one = 1;
    put_initialiser(&graph, "w", ONNX_FLOAT, NULL, 0, &one, 4);
    put_initialiser(&graph, "w", ONNX_FLOAT, NULL, 0, &one, 4);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_INVALID_ARGUMENT);
}

static TF_Code initialiser(const int64_t *dims, int rank, int type, const void *raw, size_t n)
{
    bytes graph = {0};
    put_initialiser(&graph, "w", type, dims, rank, raw, n);
    put_node(&graph, "", "Identity", "i", "w", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", type, NULL, -1);
    return attempt_model(make_model(13, &graph));
}

static void dimensions_must_fit_the_data(void **state)
{
    (void)state;
    int64_t huge[] = {INT64_MAX, INT64_MAX}, wraps[] = {INT64_C(1) << 32, INT64_C(1) << 32};
    int64_t negative[] = {-1, 4}, two[] = {2};
    int64_t many[64] = {0};
    float data[] = {1, 2};
    assert_int_equal(initialiser(two, 1, ONNX_FLOAT, data, 8), TF_OK);
    assert_int_equal(initialiser(two, 1, ONNX_FLOAT, data, 7), TF_INVALID_ARGUMENT);
    assert_int_equal(initialiser(huge, 2, ONNX_FLOAT, data, 8), TF_INVALID_ARGUMENT);
    assert_int_equal(initialiser(wraps, 2, ONNX_FLOAT, data, 0), TF_INVALID_ARGUMENT);
    assert_int_equal(initialiser(negative, 2, ONNX_FLOAT, data, 8), TF_INVALID_ARGUMENT);
    assert_int_equal(initialiser(many, 64, ONNX_FLOAT, data, 0), TF_INVALID_ARGUMENT);
    assert_int_equal(initialiser(two, 1, 99, data, 8), TF_UNIMPLEMENTED);
    assert_int_equal(initialiser(two, 1, 0, data, 8), TF_INVALID_ARGUMENT);
}

static void an_attribute_of_another_kind_is_refused(void **state)
{
    (void)state;
    bytes graph = {0}, node = make_node("", "LeakyRelu", "leaky", "x", "y");
    put_attr_text(&node, "alpha", "no number");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_INVALID_ARGUMENT);
}

static void an_output_declared_with_another_type_is_refused(void **state)
{
    (void)state;
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    put_node(&graph, "", "Relu", "r", "x", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_INT64, NULL, -1);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_INVALID_ARGUMENT);
}

static void outputs_that_are_left_out_are_not_bound(void **state)
{
    (void)state;
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    put_node(&graph, "", "DynamicQuantizeLinear", "q", "x", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", 2, NULL, -1);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_OK);
}

static void an_op_type_with_a_zero_inside_is_an_unknown_op(void **state)
{
    (void)state;
    bytes graph = {0}, node = {0};
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_bytes(&node, 4, "Relu\0Relu", 9);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_UNIMPLEMENTED);
}

static void scalars_are_added_like_tensors(void **state)
{
    (void)state;
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, NULL, 0);
    put_node(&graph, "", "Sum", "s", "x,x,x", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_OK);
}

static void messages_nested_without_end_are_refused(void **state)
{
    (void)state;
    bytes inner = {0};
    for (int i = 0; i < 2000; i++) { /* attribute -> graph -> node -> attribute ... */
        bytes outer = {0};
        put_message(&outer, i % 3 == 0 ? 6 : i % 3 == 1 ? 5 : 1, &inner);
        inner = outer;
    }
    (void)attempt_model(make_model(13, &inner)); /* read lazily: survived, at least */
}

static void a_fill_of_absurd_size_costs_nothing(void **state)
{
    (void)state;
    bytes graph = {0};
    int64_t shape[] = {INT64_C(1) << 20, INT64_C(1) << 20, 1024};
    put_initialiser(&graph, "shape", ONNX_INT64, (int64_t[]){3}, 1, shape, sizeof(shape));
    put_node(&graph, "", "ConstantOfShape", "fill", "shape", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_OK);
}

/* More bytes than a signed offset can tell: strides of the permuted filter would overflow. */
static void a_filter_beyond_every_address_is_refused(void **state)
{
    (void)state;
    bytes graph = {0};
    int64_t shape[] = {INT64_C(1) << 54, 12, 7, 7}, dims[] = {1, 12, 8, 8};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 4);
    put_initialiser(&graph, "shape", ONNX_INT64, (int64_t[]){4}, 1, shape, sizeof(shape));
    put_node(&graph, "", "ConstantOfShape", "fill", "shape", "w");
    put_node(&graph, "", "Conv", "conv", "x,w", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_INVALID_ARGUMENT);
}

/* A QLinearMatMul whose zero point is a float of 3e12; found by fuzzing. */
static void a_zero_point_that_is_no_integer_is_refused(void **state)
{
    static const uint8_t model[] = {
        0x08, 0x08, 0x3a, 0xf1, 0x02, 0x0a, 0x31, 0x0a, 0x01, 0x78, 0x0a, 0x02, 0x63, 0x30, 0x0a,
        0x02, 0x63, 0x31, 0x0a, 0x02, 0x63, 0x32, 0x0a, 0x02, 0x63, 0x33, 0x0a, 0x02, 0x63, 0x35,
        0x0a, 0x02, 0x63, 0x35, 0x0a, 0x02, 0x63, 0x36, 0x12, 0x01, 0x79, 0x22, 0x0d, 0x51, 0x4c,
        0x69, 0x6e, 0x65, 0x61, 0x72, 0x4d, 0x61, 0x74, 0x4d, 0x75, 0x6c, 0x12, 0x01, 0x67, 0x2a,
        0x0c, 0x10, 0x01, 0x42, 0x02, 0x63, 0x30, 0x4a, 0x04, 0x5a, 0x3f, 0xef, 0x3c, 0x2a, 0x09,
        0x10, 0x02, 0x42, 0x02, 0x63, 0x31, 0x4a, 0x01, 0xa7, 0x2a, 0xcd, 0x01, 0x08, 0x18, 0x08,
        0x08, 0x10, 0x02, 0x42, 0x02, 0x63, 0x32, 0x4a, 0xc0, 0x01, 0xcf, 0x08, 0x9f, 0xe5, 0x2c,
        0x98, 0x87, 0x7d, 0xac, 0xf5, 0x52, 0x22, 0x1c, 0x42, 0x86, 0xfb, 0xca, 0x02, 0x24, 0xde,
        0x4b, 0x2a, 0xdf, 0x8e, 0xa0, 0xc1, 0x91, 0xfa, 0x25, 0xe2, 0x71, 0xcf, 0x39, 0x3c, 0xd3,
        0x95, 0x68, 0x1f, 0xc1, 0x93, 0x45, 0x38, 0x96, 0x15, 0xb6, 0x03, 0xc4, 0x3e, 0x64, 0x3b,
        0xd1, 0x29, 0x90, 0xd7, 0x10, 0xfa, 0x1d, 0x96, 0x48, 0x5c, 0x80, 0xb7, 0x82, 0x82, 0x86,
        0xd4, 0x57, 0x12, 0xa3, 0x35, 0x43, 0x02, 0x01, 0x2b, 0x19, 0x2c, 0x33, 0x8b, 0x21, 0x7e,
        0x5b, 0x0f, 0x65, 0xf5, 0x93, 0x76, 0xff, 0x31, 0x8d, 0xad, 0x70, 0xe2, 0x2b, 0x22, 0x46,
        0x58, 0x78, 0xaf, 0xe7, 0x8f, 0x90, 0xd0, 0x1d, 0x8a, 0x0d, 0xb7, 0x0b, 0xae, 0x29, 0x71,
        0x6f, 0x0f, 0xbd, 0x04, 0x39, 0x0f, 0x23, 0x7e, 0x49, 0x11, 0x60, 0x78, 0xd8, 0x5b, 0xfb,
        0x19, 0xc2, 0x7d, 0xfb, 0x52, 0xef, 0xbd, 0xfc, 0xfe, 0x49, 0x1b, 0x00, 0xfc, 0xf6, 0x97,
        0xa4, 0x48, 0x6a, 0x87, 0x23, 0x1b, 0xc4, 0x64, 0xc4, 0x0f, 0x66, 0xbe, 0x5e, 0x6d, 0x1a,
        0xd0, 0xad, 0x36, 0xb3, 0xc7, 0xc5, 0x63, 0xa8, 0x08, 0xbe, 0x7e, 0xfa, 0x4a, 0x5b, 0xce,
        0x34, 0x7d, 0xef, 0x8c, 0xcd, 0x76, 0xbe, 0xe9, 0x48, 0xe1, 0x8d, 0x80, 0xab, 0x11, 0x83,
        0x51, 0xfc, 0x70, 0x55, 0xda, 0xaa, 0xf0, 0x2a, 0x0c, 0x10, 0x01, 0x42, 0x02, 0x63, 0x33,
        0x4a, 0x04, 0x35, 0x90, 0xe3, 0x3c, 0x2a, 0x09, 0x10, 0x02, 0x42, 0x02, 0x63, 0x34, 0x4a,
        0x01, 0x68, 0x2a, 0x0c, 0x10, 0x01, 0x42, 0x02, 0x63, 0x35, 0x4a, 0x04, 0x56, 0x45, 0x43,
        0x54, 0x2a, 0x09, 0x10, 0x02, 0x42, 0x02, 0x63, 0x36, 0x4a, 0x01, 0xcb, 0x5a, 0x13, 0x0a,
        0x01, 0x78, 0x12, 0x0e, 0x0a, 0x0c, 0x08, 0x02, 0x12, 0x08, 0x0a, 0x02, 0x08, 0x01, 0x0a,
        0x02, 0x08, 0x18, 0x62, 0x09, 0x0a, 0x01, 0x79, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x02, 0x42,
        0x04, 0x0a, 0x00, 0x10, 0x0d,
    };
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_null(import_bytes(model, sizeof model, NULL, status));
    assert_non_null(strstr(TF_Message(status), "not a zero point"));
    TF_DeleteStatus(status);
}

/* The same of its result, 1e33; found by fuzzing. */
static void a_zero_point_of_the_result_has_the_results_type(void **state)
{
    static const uint8_t model[] = {
        0x08, 0x08, 0x3a, 0xbf, 0x01, 0x0a, 0x32, 0x0a, 0x01, 0x78, 0x0a, 0x02, 0x63, 0x30, 0x0a,
        0x02, 0x63, 0x31, 0x0a, 0x01, 0x77, 0x0a, 0x02, 0x63, 0x32, 0x0a, 0x02, 0x63, 0x33, 0x0a,
        0x02, 0x63, 0x34, 0x0a, 0x02, 0x63, 0x34, 0x12, 0x01, 0x79, 0x22, 0x0d, 0x51, 0x4c, 0x69,
        0x6e, 0x65, 0x61, 0x72, 0x4d, 0x61, 0x74, 0x4d, 0x75, 0x6c, 0x3a, 0x00, 0x12, 0x01, 0x67,
        0x2a, 0x0c, 0x10, 0x01, 0x42, 0x02, 0x63, 0x30, 0x4a, 0x04, 0x5f, 0x6f, 0x44, 0x3d, 0x2a,
        0x09, 0x10, 0x02, 0x42, 0x02, 0x63, 0x31, 0x4a, 0x01, 0xc8, 0x2a, 0x0c, 0x10, 0x01, 0x42,
        0x02, 0x63, 0x32, 0x4a, 0x04, 0x91, 0x47, 0x9d, 0x3c, 0x2a, 0x09, 0x10, 0x02, 0x42, 0x02,
        0x63, 0x33, 0x4a, 0x01, 0x13, 0x2a, 0x0c, 0x10, 0x01, 0x42, 0x02, 0x63, 0x34, 0x4a, 0x04,
        0x4b, 0x3e, 0x8d, 0x76, 0x2a, 0x09, 0x10, 0x02, 0x42, 0x02, 0x63, 0x35, 0x4a, 0x01, 0xc4,
        0x5a, 0x17, 0x0a, 0x01, 0x78, 0x12, 0x12, 0x0a, 0x10, 0x08, 0x02, 0x12, 0x0c, 0x0a, 0x02,
        0x08, 0x02, 0x0a, 0x02, 0x08, 0x08, 0x0a, 0x02, 0x08, 0x10, 0x5a, 0x17, 0x0a, 0x01, 0x77,
        0x12, 0x12, 0x0a, 0x10, 0x08, 0x02, 0x12, 0x0c, 0x0a, 0x02, 0x08, 0x02, 0x0a, 0x02, 0x08,
        0x10, 0x0a, 0x02, 0x08, 0x10, 0x62, 0x09, 0x0a, 0x01, 0x79, 0x12, 0x04, 0x0a, 0x02, 0x08,
        0x02, 0x42, 0x04, 0x0a, 0x00, 0x10, 0x0d, 0x42, 0x11, 0x0a, 0x0d, 0x63, 0x6f, 0x6d, 0x2e,
        0x6d, 0x69, 0x63, 0x72, 0x6f, 0x73, 0x6f, 0x66, 0x74, 0x10, 0x01};
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_null(import_bytes(model, sizeof model, NULL, status));
    assert_non_null(strstr(TF_Message(status), "y_zero_point is float; it must be int8 or uint8"));
    TF_DeleteStatus(status);
}

/* The same of the input's zero point, 5e24. */
static void a_zero_point_beyond_8_bits_is_refused(void **state)
{
    static const uint8_t model[] = {
        0x08, 0x08, 0x3a, 0x81, 0x04, 0x0a, 0x31, 0x0a, 0x01, 0x78, 0x0a, 0x02, 0x63, 0x30, 0x0a,
        0x02, 0x63, 0x30, 0x0a, 0x02, 0x63, 0x32, 0x0a, 0x02, 0x63, 0x33, 0x0a, 0x02, 0x63, 0x34,
        0x0a, 0x02, 0x63, 0x35, 0x0a, 0x02, 0x63, 0x36, 0x12, 0x01, 0x79, 0x22, 0x0d, 0x51, 0x4c,
        0x69, 0x6e, 0x65, 0x61, 0x72, 0x4d, 0x61, 0x74, 0x4d, 0x75, 0x6c, 0x12, 0x01, 0x67, 0x2a,
        0x0c, 0x10, 0x01, 0x42, 0x02, 0x63, 0x30, 0x4a, 0x04, 0xa5, 0x61, 0x87, 0x68, 0x2a, 0x09,
        0x10, 0x02, 0x42, 0x02, 0x63, 0x31, 0x4a, 0x01, 0x82, 0x2a, 0xdd, 0x02, 0x08, 0x10, 0x08,
        0x15, 0x10, 0x02, 0x42, 0x02, 0x63, 0x32, 0x4a, 0xd0, 0x02, 0xe0, 0xc8, 0xf9, 0x41, 0x6c,
        0xf3, 0x9d, 0x8f, 0xae, 0xa2, 0xa2, 0x0a, 0x78, 0x30, 0x84, 0xda, 0x77, 0x25, 0x7a, 0x60,
        0xe2, 0x3a, 0xa7, 0x8d, 0x6a, 0x9b, 0x06, 0xdd, 0x8d, 0xae, 0x1e, 0xe6, 0xd0, 0x15, 0x4c,
        0xa9, 0x95, 0x8c, 0x83, 0xe7, 0x99, 0x24, 0x19, 0x6f, 0x98, 0x71, 0x3d, 0xf9, 0x18, 0x08,
        0xc0, 0xd3, 0x02, 0xd0, 0xaf, 0x2d, 0xd3, 0x50, 0xab, 0x2e, 0x79, 0xf4, 0x83, 0xdb, 0x3a,
        0x1f, 0x66, 0x6b, 0xc6, 0xf1, 0x7b, 0xbb, 0x90, 0x8e, 0xcc, 0x93, 0x5e, 0x36, 0xb5, 0xca,
        0x1a, 0x29, 0x10, 0xb3, 0x16, 0x64, 0xbc, 0x37, 0x3d, 0xf4, 0x1b, 0xca, 0xf4, 0x59, 0x0b,
        0x1f, 0xa0, 0xc9, 0x05, 0x49, 0x40, 0x03, 0xb3, 0xc3, 0x27, 0x7e, 0x2b, 0x09, 0x51, 0xf7,
        0xc9, 0x54, 0x77, 0xce, 0xb0, 0x16, 0x5f, 0x98, 0xe9, 0x1a, 0x43, 0xa4, 0x2e, 0x63, 0x45,
        0x56, 0xcd, 0xb7, 0x1b, 0x68, 0xb3, 0x87, 0x6b, 0xb1, 0x74, 0xe3, 0xa8, 0xe9, 0xf0, 0xb2,
        0xe2, 0x0e, 0xaa, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x0d, 0x00, 0x0c, 0x00, 0x00,
        0x00, 0x87, 0xec, 0xc4, 0xa4, 0x78, 0xba, 0x59, 0x0e, 0xf6, 0x77, 0x6c, 0xdd, 0x95, 0xe2,
        0xd5, 0xf1, 0x1b, 0x1b, 0x64, 0xdc, 0xe3, 0xe7, 0x55, 0x15, 0x44, 0x5c, 0xce, 0x0d, 0xe3,
        0x92, 0xec, 0xbe, 0x01, 0x2a, 0x54, 0xb2, 0xc6, 0xd3, 0xeb, 0x2a, 0x12, 0x85, 0x61, 0xf9,
        0x5e, 0xe6, 0x52, 0x83, 0x3e, 0x4f, 0x01, 0x15, 0xf2, 0x6e, 0xc9, 0xfe, 0xeb, 0xf1, 0x6d,
        0x66, 0xd0, 0x86, 0xf6, 0x08, 0x26, 0x72, 0x5a, 0xdf, 0xb1, 0x9c, 0x17, 0xf3, 0x6f, 0xb9,
        0x90, 0xa1, 0xa6, 0x45, 0xf3, 0x98, 0x6e, 0x98, 0xc8, 0xbe, 0xf7, 0x0b, 0x54, 0x0e, 0x39,
        0xcb, 0xce, 0xaa, 0xc0, 0x2f, 0x34, 0x44, 0x43, 0x3e, 0x0e, 0xa6, 0x09, 0xdd, 0x3f, 0xf7,
        0x6b, 0xfd, 0xfb, 0xf3, 0x55, 0x46, 0xbc, 0x69, 0x7c, 0x0b, 0x98, 0x64, 0x8b, 0xed, 0x1e,
        0x16, 0x62, 0x25, 0x0c, 0x3c, 0xb0, 0x44, 0x86, 0x4b, 0x78, 0x5b, 0xe9, 0x8b, 0x09, 0x0e,
        0xb9, 0x1f, 0x70, 0xf3, 0x25, 0xae, 0x72, 0x56, 0xfe, 0x1f, 0x2e, 0xac, 0x7d, 0xbc, 0xb3,
        0xd6, 0xc0, 0x05, 0xb8, 0x67, 0xc8, 0x5d, 0xe2, 0x5f, 0x7d, 0xa1, 0xd3, 0x45, 0xf3, 0x6e,
        0xf6, 0x8a, 0x03, 0xdd, 0x0f, 0x07, 0x08, 0x1f, 0x94, 0x31, 0x10, 0x69, 0xd5, 0x9f, 0xb2,
        0xfe, 0x2a, 0x0c, 0x10, 0x01, 0x42, 0x02, 0x63, 0x33, 0x4a, 0x04, 0xa0, 0xa0, 0xb5, 0x3a,
        0x2a, 0x09, 0x10, 0x02, 0x42, 0x02, 0x63, 0x34, 0x4a, 0x01, 0xf5, 0x2a, 0x0c, 0x10, 0x01,
        0x42, 0x02, 0x63, 0x35, 0x4a, 0x04, 0x85, 0xba, 0x93, 0x3e, 0x2a, 0x09, 0x10, 0x02, 0x42,
        0x02, 0x63, 0x36, 0x4a, 0x01, 0x69, 0x5a, 0x13, 0x0a, 0x01, 0x78, 0x12, 0x0e, 0x0a, 0x0c,
        0x08, 0x02, 0x12, 0x08, 0x0a, 0x02, 0x08, 0x06, 0x0a, 0x02, 0x08, 0x14, 0x62, 0x09, 0x0a,
        0x01, 0x79, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x02, 0x42, 0x04, 0x0a, 0x00, 0x10, 0x0d,
    };
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_null(import_bytes(model, sizeof model, NULL, status));
    assert_string_not_equal(TF_Message(status), ""); /* a shape was wrong before it */
    TF_DeleteStatus(status);
}

static void a_deep_chain_is_imported(void **state)
{
    (void)state;
    bytes graph = {0};
    char from[32] = "x", to[32];
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    for (int i = 0; i < 20000; i++) {
        snprintf(to, sizeof(to), "v%d", i);
        put_node(&graph, "", "Relu", to, from, to);
        memcpy(from, to, sizeof(to));
    }
    put_value(&graph, GRAPH_OUTPUT, from, ONNX_FLOAT, NULL, -1);
    assert_int_equal(attempt_model(make_model(13, &graph)), TF_OK);
}

/* --- Memory ---------------------------------------------------------------------------------- */

static size_t held, peak;

static void *count_allocate(void *self, size_t n, size_t alignment)
{
    (void)self;
    size_t header = alignment < 64 ? 64 : alignment;
    char *block = NULL;
    if (posix_memalign((void **)&block, header, n + header) != 0) {
        return NULL;
    }
    memcpy(block + header - sizeof(n), &n, sizeof(n));
    memcpy(block + header - 2 * sizeof(n), &header, sizeof(header));
    held += n;
    peak = held > peak ? held : peak;
    return block + header;
}

static void count_release(void *self, void *block)
{
    (void)self;
    size_t n = 0, header = 0;
    if (block == NULL) {
        return;
    }
    memcpy(&n, (char *)block - sizeof(n), sizeof(n));
    memcpy(&header, (char *)block - 2 * sizeof(n), sizeof(header));
    held -= n;
    free((char *)block - header);
}

/* With AddressSanitizer there are gaps between what an arena gives. */
#if defined(__SANITIZE_ADDRESS__)
#define TIMES 9
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TIMES 9
#endif
#endif
#ifndef TIMES
#define TIMES 8
#endif

static void import_takes_eight_times_the_file_and_a_mebibyte(void **state)
{
    (void)state;
    static const char *const names[] = {
        "light_densenet121", "light_inception_v2", "light_shufflenet", "light_resnet50", "mnist",
        "ultraface_rfb320"};
    char path[1024];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *data = NULL;
        size_t n = 0;
        snprintf(path, sizeof(path), TEST_SHARED "/models/onnx/%s.onnx", names[i]);
        if (oribi_file_read(path, SIZE_MAX, &data, &n) != 0) {
            skip();
        }
        size_t before = peak = held;
        assert_int_equal(attempt(data, n), TF_OK);
        print_message("%s: %zu bytes for a file of %zu\n", names[i], peak - before, n);
        assert_in_range(peak - before, 0, n * TIMES + (1 << 20));
        oribi_free(data);
    }
}

static void the_limit_is_obeyed(void **state)
{
    (void)state;
    void *data = NULL;
    size_t n = 0;
    TF_Status *status = TF_NewStatus();
    oribi_import_options options = {.max_bytes = 4096};
    if (oribi_file_read(digits, SIZE_MAX, &data, &n) != 0) {
        skip();
    }
    assert_null(import_bytes(data, n, &options, status));
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    TF_DeleteStatus(status);
    oribi_free(data);
}

typedef struct file {
    void *data;
    size_t n;
} file;

static bool import_once(void *arg)
{
    const file *f = arg;
    TF_Status *status = TF_NewStatus();
    if (status == NULL) {
        return false;
    }
    oribi_graph *graph = import_bytes(f->data, f->n, NULL, status);
    if (graph == NULL) {
        assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    }
    bool ok = graph != NULL;
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
    return ok;
}

static void each_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    file f = {0};
    if (oribi_file_read(digits, SIZE_MAX, &f.data, &f.n) != 0) {
        skip();
    }
    assert_true(import_once(&f));
    uint64_t n = fail_each_allocation(import_once, &f);
    print_message("%llu allocations\n", (unsigned long long)n);
    oribi_free(f.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_truncated_at_every_byte_is_an_error),
        cmocka_unit_test(mnist_truncated_at_every_byte_is_an_error),
        cmocka_unit_test(any_single_byte_changed_is_survived),
        cmocka_unit_test(text_and_emptiness_are_no_models),
        cmocka_unit_test(a_zero_point_that_is_no_integer_is_refused),
        cmocka_unit_test(a_zero_point_of_the_result_has_the_results_type),
        cmocka_unit_test(a_zero_point_beyond_8_bits_is_refused),
        cmocka_unit_test(a_node_that_reads_itself_is_refused),
        cmocka_unit_test(a_cycle_of_two_nodes_is_refused_with_its_name),
        cmocka_unit_test(nodes_that_are_not_in_order_are_read),
        cmocka_unit_test(an_output_that_nothing_makes_is_refused),
        cmocka_unit_test(names_that_are_there_twice_are_refused),
        cmocka_unit_test(dimensions_must_fit_the_data),
        cmocka_unit_test(an_attribute_of_another_kind_is_refused),
        cmocka_unit_test(an_output_declared_with_another_type_is_refused),
        cmocka_unit_test(outputs_that_are_left_out_are_not_bound),
        cmocka_unit_test(an_op_type_with_a_zero_inside_is_an_unknown_op),
        cmocka_unit_test(scalars_are_added_like_tensors),
        cmocka_unit_test(messages_nested_without_end_are_refused),
        cmocka_unit_test(a_fill_of_absurd_size_costs_nothing),
        cmocka_unit_test(a_filter_beyond_every_address_is_refused),
        cmocka_unit_test(a_deep_chain_is_imported),
        cmocka_unit_test(import_takes_eight_times_the_file_and_a_mebibyte),
        cmocka_unit_test(the_limit_is_obeyed),
        cmocka_unit_test(each_allocation_that_fails_leaves_nothing_behind),
    };
    oribi_alloc_hooks hooks = {NULL, count_allocate, count_release};
    oribi_alloc_set_hooks(&hooks);
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
