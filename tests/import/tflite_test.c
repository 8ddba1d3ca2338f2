/* SPDX-License-Identifier: Apache-2.0 */
/* TFLite models: what they become, and that damaged ones are refused with a message. What they
 * compute: tests/models/tflite_golden_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "import/flat.h"
#include "support/fail_nth.h"
#include "support/onnx_import.h"
#include "support/graph_check.h"

static const char *const digits = TEST_SOURCE "/examples/digits/digits_int8.tflite";

enum { CONV_2D = 3, DELEGATE = 51, ABS = 101 };

static uint8_t *read_model(const char *path, size_t *out_n)
{
    void *data = NULL;
    if (oribi_file_read(path, SIZE_MAX, &data, out_n) != 0) {
        print_message("skipped: %s is not here\n", path);
        skip();
    }
    return data;
}

static double attr_float(const oribi_node *node, const char *name)
{
    const oribi_attr *attr = oribi_attrs_find(&node->attrs, name);
    assert_non_null(attr);
    return (double)attr->u.f[0];
}

static int64_t attr_int(const oribi_node *node, const char *name)
{
    const oribi_attr *attr = oribi_attrs_find(&node->attrs, name);
    assert_non_null(attr);
    return attr->u.i[0];
}

/* --- Whole models ----------------------------------------------------------------------------- */

typedef struct expected {
    const char *path, *input, *output;
    int32_t rank;
    int64_t dims[4], classes;
    double input_scale, output_scale; /* of the README beside the models; 0: not looked at */
    int64_t input_zero, output_zero;
    int n_conv, n_depthwise, n_dense, n_add, n_pool, n_softmax;
} expected;

#define TINY TEST_SHARED "/models/mlperf-tiny/"
static const expected models[] = {
    {TINY "ad01_int8.tflite",
     "input_1",
     "Identity",
     2,
     {1, 640},
     640,
     0.3910152316093445,
     0.36449846625328064,
     89,
     96,
     0,
     0,
     10,
     0,
     0,
     0},
    {TINY "kws_ref_model.tflite",
     "input_1",
     "Identity",
     4,
     {1, 49, 10, 1},
     12,
     0.5847029089927673,
     0.00390625,
     83,
     -128,
     5,
     4,
     1,
     0,
     1,
     1},
    {TINY "pretrainedResnet_quant.tflite",
     "input_1_int8",
     "Identity_int8",
     4,
     {1, 32, 32, 3},
     10,
     1.0,
     0.00390625,
     -128,
     -128,
     9,
     0,
     1,
     3,
     1,
     1},
    {TINY "vww_96_int8.tflite",
     "input_1_int8",
     "Identity_int8",
     4,
     {1, 96, 96, 3},
     2,
     0.003921568859368563,
     0.00390625,
     -128,
     -128,
     14,
     13,
     1,
     0,
     1,
     1},
    {TEST_SOURCE "/examples/digits/digits_int8.tflite",
     NULL,
     NULL,
     4,
     {1, 8, 8, 1},
     10,
     0,
     0,
     0,
     0,
     5,
     1,
     1,
     1,
     1,
     1},
};

static void check_ends(const oribi_graph *graph, const expected *e)
{
    const oribi_value *input = graph->values[graph->inputs[0]];
    const oribi_value *output = graph->values[graph->outputs[0]];
    assert_int_equal(graph->n_inputs, 1);
    assert_int_equal(graph->n_outputs, 1);
    assert_int_equal(input->dtype, TF_INT8);
    assert_int_equal(output->dtype, TF_INT8);
    assert_int_equal(input->shape.rank, e->rank);
    assert_memory_equal(input->shape.dims, e->dims, (size_t)e->rank * sizeof e->dims[0]);
    assert_int_equal(output->shape.rank, 2);
    assert_int_equal(output->shape.dims[1], e->classes);
    if (e->input != NULL) {
        const oribi_node *first = graph->nodes[graph->order[0]];
        const oribi_node *last = graph->nodes[graph->order[graph->n_order - 1]];
        assert_string_equal(graph->input_names[0], e->input);
        assert_string_equal(graph->output_names[0], e->output);
        assert_true(attr_float(first, "input_scale") == (double)(float)e->input_scale);
        assert_true(attr_float(last, "output_scale") == (double)(float)e->output_scale);
        assert_int_equal(attr_int(first, "input_zero"), e->input_zero);
        assert_int_equal(attr_int(last, "output_zero"), e->output_zero);
    }
}

static void model_becomes_quantised_ops_with_its_scales(void **state)
{
    const expected *e = *state;
    size_t n = 0;
    uint8_t *data = read_model(e->path, &n);
    TF_Status *status = TF_NewStatus();

    oribi_graph *graph = import_bytes(data, n, NULL, status);

    if (graph == NULL) {
        fail_msg("%s", TF_Message(status));
    }
    check_ends(graph, e);
    assert_int_equal(count_ops(graph, "Oribi>QConv2D"), e->n_conv);
    assert_int_equal(count_ops(graph, "Oribi>QDepthwiseConv2D"), e->n_depthwise);
    assert_int_equal(count_ops(graph, "Oribi>QFullyConnected"), e->n_dense);
    assert_int_equal(count_ops(graph, "Oribi>QAdd"), e->n_add);
    assert_int_equal(count_ops(graph, "Oribi>QAveragePool") + count_ops(graph, "Oribi>QMaxPool"),
                     e->n_pool);
    assert_int_equal(count_ops(graph, "Oribi>QSoftmax"), e->n_softmax);
    for (int32_t i = 0; i < graph->n_values; i++) { /* weights are not copied */
        const oribi_constant *constant = graph->values[i]->constant;
        if (constant != NULL && constant->source != NULL) {
            const uint8_t *at = constant->view.data;
            assert_true(at >= data && at < data + n);
        }
    }
    assert_true(oribi_graph_check(graph, status));
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
    oribi_free(data);
}

/* --- Damaged ones ----------------------------------------------------------------------------- */

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

/* The build without sanitizers takes every byte. */
enum { EVERY = TEST_SANITIZED ? 3 : 1 };

static void truncated_at_every_byte_it_is_survived(void **state)
{
    (void)state;
    size_t n = 0, accepted = 0;
    uint8_t *data = read_model(digits, &n);
    int64_t live = fail_nth_live();
    for (size_t cut = 0; cut < n; cut += EVERY) {
        uint8_t *part = malloc(cut + 1); /* so that a sanitizer sees a read beyond the end */
        memcpy(part, data, cut);
        accepted += attempt(part, cut) == TF_OK;
        free(part);
    }
    assert_true(accepted * EVERY < n / 4); /* tables that are not needed may lie at the end */
    assert_int_equal(fail_nth_live(), live);
    oribi_free(data);
}

static void any_single_byte_changed_is_survived(void **state)
{
    (void)state;
    static const uint8_t changes[] = {0xff, 0x80, 0x01, 0x10};
    size_t n = 0;
    uint8_t *data = read_model(digits, &n);
    for (size_t i = 0; i < n; i += EVERY) {
        uint8_t kept = data[i];
        data[i] = kept ^ changes[i % sizeof changes];
        (void)attempt(data, n);
        data[i] = (uint8_t)~kept;
        (void)attempt(data, n);
        data[i] = kept;
    }
    oribi_free(data);
}

typedef struct import_again {
    const uint8_t *data;
    size_t n;
} import_again;

static bool import_and_destroy(void *arg)
{
    const import_again *a = arg;
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = status == NULL ? NULL : import_bytes(a->data, a->n, NULL, status);
    bool made = graph != NULL;
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
    return made;
}

static void each_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    import_again again = {0};
    uint8_t *data = read_model(digits, &again.n);
    again.data = data;
    assert_true(fail_each_allocation(import_and_destroy, &again) > 20);
    oribi_free(data);
}

/* Gives each operator of one kind another code. */
static void change_code(uint8_t *data, size_t n, uint8_t from, uint8_t to)
{
    oribi_flat file = {data, n};
    oribi_flat_table model = {0}, code = {0};
    oribi_flat_vector codes = {0};
    TF_Status *status = TF_NewStatus();
    int changed = 0;
    assert_true(oribi_flat_root(&file, &model, status));
    assert_true(oribi_flat_read_vector(&model, 1, 4, "codes", &codes, status));
    for (uint32_t i = 0; i < codes.count; i++) {
        assert_true(oribi_flat_table_at(&codes, i, "a code", &code, status));
        for (int field = 0; field <= 3; field += 3) {
            if (oribi_flat_has(&code, field)) {
                uint8_t *at = data + code.at + data[code.vtable + 4 + 2 * (size_t)field];
                changed += *at == from;
                *at = *at == from ? to : *at;
            }
        }
    }
    assert_true(changed > 0);
    TF_DeleteStatus(status);
}

static void operators_that_are_missing_are_reported_at_once(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *data = read_model(digits, &n);
    TF_Status *status = TF_NewStatus();
    change_code(data, n, CONV_2D, DELEGATE); /* which no file may hold */

    assert_null(import_bytes(data, n, NULL, status));

    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    assert_non_null(strstr(TF_Message(status), " DELEGATE: 5 nodes: 'functional_1/conv1_1"));
    assert_non_null(strstr(TF_Message(status), "conv5_1"));
    TF_DeleteStatus(status);
    oribi_free(data);
}

static void operators_with_other_inputs_than_theirs_are_refused(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *data = read_model(digits, &n);
    change_code(data, n, CONV_2D, ABS);
    assert_int_equal(attempt(data, n), TF_INVALID_ARGUMENT);
    oribi_free(data);
}

static void text_behind_the_magic_is_refused_with_an_offset(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_null(import_bytes("\x1c\0\0\0TFL3more", 12, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_DATA_LOSS);
    assert_non_null(strstr(TF_Message(status), "byte 0"));
    assert_null(import_bytes("\x08\0\0\0TFL3\x04\0\0\0\x04\0\x04\0", 16, NULL, status));
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

int main(void)
{
#define MODEL(i)                                                                                   \
    {                                                                                              \
        "model_becomes_quantised_ops_with_its_scales_" #i,                                         \
            model_becomes_quantised_ops_with_its_scales, NULL, NULL, (void *)(uintptr_t)&models[i] \
    }
    const struct CMUnitTest tests[] = {
        MODEL(0),
        MODEL(1),
        MODEL(2),
        MODEL(3),
        MODEL(4),
        cmocka_unit_test(truncated_at_every_byte_it_is_survived),
        cmocka_unit_test(any_single_byte_changed_is_survived),
        cmocka_unit_test(each_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(operators_that_are_missing_are_reported_at_once),
        cmocka_unit_test(operators_with_other_inputs_than_theirs_are_refused),
        cmocka_unit_test(text_behind_the_magic_is_refused_with_an_offset),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
