/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of an operator: which op a node becomes, what is refused and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "op/op_serves.h"
#include "support/onnx_import.h"
#include "tensorflow/c/op_traits.h"

static char message[2000];

typedef struct range {
    const char *domain, *operator_name;
    int since, until;
} range;

static TF_Code define(const char *op, const char *attr, range served)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(op);
    TF_OpDefinitionBuilderAddInput(builder, "x: float");
    TF_OpDefinitionBuilderAddOutput(builder, "y: float");
    if (attr != NULL) {
        TF_OpDefinitionBuilderAddAttr(builder, attr);
    }
    TF_OpDefinitionBuilderServes(builder, served.domain, served.operator_name, served.since,
                                 served.until);
    TF_RegisterOpDefinition(builder, status);
    const TF_Code code = TF_GetCode(status);
    snprintf(message, sizeof message, "%s", TF_Message(status));
    TF_DeleteStatus(status);
    return code;
}

/* The name of the op that a node of this version becomes, or NULL; since_version, or -1. */
static const char *become(const char *domain, const char *op_type, int64_t version,
                          int64_t *out_since)
{
    static char name[100];
    TF_Status *status = TF_NewStatus();
    bytes graph = {0}, node = make_node(domain, op_type, "n", "x", "y"), opset = {0};
    const int64_t dims[1] = {2};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    bytes model = make_model(13, &graph);
    put_text(&opset, 1, domain);
    put_int(&opset, 2, version);
    put_message(&model, 8, &opset);
    oribi_graph *imported = import_model(model, status);
    snprintf(message, sizeof message, "%s", TF_Message(status));
    TF_DeleteStatus(status);
    if (imported == NULL) {
        return NULL;
    }
    const oribi_node *found = imported->nodes[imported->order[0]];
    const oribi_attr *since = oribi_attrs_find(&found->attrs, "since_version");
    snprintf(name, sizeof name, "%s", found->op_name);
    *out_since = since != NULL ? since->u.i[0] : -1;
    oribi_graph_destroy(imported);
    return name;
}

static void each_version_becomes_the_op_that_serves_it(void **state)
{
    (void)state;
    int64_t since;
    assert_int_equal(define("Served>One", NULL, (range){"com.serve", "Gate", 2, 6}), TF_OK);
    assert_int_equal(define("Served>Two", "since_version: int", (range){"com.serve", "Gate", 9, 0}),
                     TF_OK);

    assert_string_equal(become("com.serve", "Gate", 2, &since), "Served>One");
    assert_int_equal(since, -1);
    assert_string_equal(become("com.serve", "Gate", 6, &since), "Served>One");
    assert_string_equal(become("com.serve", "Gate", 9, &since), "Served>Two");
    assert_int_equal(since, 9);
    assert_string_equal(become("com.serve", "Gate", 400, &since), "Served>Two");
    assert_int_equal(since, 400);
}

static void a_version_that_nobody_serves_is_refused_with_those_that_are(void **state)
{
    (void)state;
    int64_t since;
    assert_null(become("com.serve", "Gate", 7, &since));
    assert_non_null(strstr(message, "version 7"));
    assert_non_null(strstr(message, "2 to 6 (op Served>One)"));
    assert_non_null(strstr(message, "9 to any later (op Served>Two)"));
    assert_null(become("com.serve", "Gates", 7, &since)); /* another operator */
    assert_null(strstr(message, "Served>"));
}

static void an_op_that_serves_goes_before_one_of_the_name(void **state)
{
    (void)state;
    int64_t since;
    assert_int_equal(define("Com>Acme>Door", NULL, (range){"other", "Unused", 1, 0}), TF_OK);
    assert_int_equal(define("Served>Door", NULL, (range){"com.acme", "Door", 3, 3}), TF_OK);

    assert_string_equal(become("com.acme", "Door", 3, &since), "Served>Door");
}

static void a_standard_operator_that_we_lack_may_be_served(void **state)
{
    (void)state;
    int64_t since;
    assert_int_equal(define("Served>New", NULL, (range){"", "NotYetStandard", 1, 0}), TF_OK);

    assert_string_equal(become("", "NotYetStandard", 13, &since), "Served>New");
}

static void ranges_that_say_nothing_or_overlap_are_refused(void **state)
{
    (void)state;
    const range bad[] = {{"d", "", 1, 0}, {"d", NULL, 1, 0}, {"d", "X", 0, 0}, {"d", "X", 5, 4}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(define("Served>Bad", NULL, bad[i]), TF_INVALID_ARGUMENT);
    }
    assert_int_equal(define("Served>A", NULL, (range){"d", "X", 3, 5}), TF_OK);
    assert_int_equal(define("Served>B", NULL, (range){"d", "X", 5, 0}), TF_ALREADY_EXISTS);
    assert_non_null(strstr(message, "Served>A"));
    assert_int_equal(define("Served>B", NULL, (range){"d", "X", 1, 3}), TF_ALREADY_EXISTS);
    assert_int_equal(define("Served>B", NULL, (range){"d", "X", 1, 2}), TF_OK);
    assert_int_equal(define("Served>A", NULL, (range){"d", "X", 3, 5}), TF_OK); /* once more */
}

static void a_transaction_sees_its_own_services(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_op_begin("served.so", status));
    assert_int_equal(define("Served>P", NULL, (range){"d", "Y", 1, 0}), TF_OK);
    assert_int_equal(define("Served>Q", NULL, (range){"d", "Y", 4, 4}), TF_ALREADY_EXISTS);
    assert_false(oribi_op_commit(status));
    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    TF_DeleteStatus(status);
}

/* TFLite's custom operators carry a version each; the importer asks this. */
static void tflite_is_a_domain(void **state)
{
    (void)state;
    static const oribi_string domain = {"tflite", 6}, gate = {"Gate", 4};
    oribi_text others = {0};
    assert_int_equal(define("Served>Lite", NULL, (range){"tflite", "Gate", 2, 2}), TF_OK);

    assert_string_equal(oribi_op_serving(&domain, &gate, 2, &others)->name, "Served>Lite");
    assert_string_equal(oribi_text_string(&others), "");
    assert_null(oribi_op_serving(&domain, &gate, 1, &others));
    assert_string_equal(oribi_text_string(&others), "2 to 2 (op Served>Lite)");
    oribi_text_destroy(&others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_version_becomes_the_op_that_serves_it),
        cmocka_unit_test(a_version_that_nobody_serves_is_refused_with_those_that_are),
        cmocka_unit_test(an_op_that_serves_goes_before_one_of_the_name),
        cmocka_unit_test(a_standard_operator_that_we_lack_may_be_served),
        cmocka_unit_test(ranges_that_say_nothing_or_overlap_are_refused),
        cmocka_unit_test(a_transaction_sees_its_own_services),
        cmocka_unit_test(tflite_is_a_domain),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
