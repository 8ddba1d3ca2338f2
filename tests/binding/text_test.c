/* SPDX-License-Identifier: Apache-2.0 */
/* ApiDefs and graphs as text; each against TensorFlow's: texts_test.py. */
#include <stdlib.h>

#include "binding/binding_small.h"

/* An OpList of "Twice", whose input is x. */
static const char list[] = "\x0a\x1e\x0a\x05Twice\x12\x10\x0a\x01x\x12\x0bthe `Twice`2\x03`x`";

static TF_ApiDefMap *make(void)
{
    TF_Buffer *buffer = TF_NewBufferFromString(list, sizeof list - 1);
    TF_ApiDefMap *map = TF_NewApiDefMap(buffer, status);
    expect_ok();
    TF_DeleteBuffer(buffer);
    return map;
}

static void put(TF_ApiDefMap *map, const char *text)
{
    TF_ApiDefMapPut(map, text, strlen(text), status);
}

static int has(const TF_Buffer *buffer, const char *text)
{
    const char *data = buffer->data;
    const size_t length = strlen(text);
    for (size_t i = 0; i + length <= buffer->length; i++) {
        if (memcmp(data + i, text, length) == 0) {
            return 1;
        }
    }
    return 0;
}

static void texts_change_what_is_told_of_an_op(void **state)
{
    (void)state;
    TF_ApiDefMap *map = make();
    put(map, "op { graph_op_name: 'Twice' endpoint { name: 'Double' } in_arg { name: 'x' "
             "rename_to: 'value' } description_suffix: 'end' }");
    expect_ok();

    TF_Buffer *made = TF_ApiDefMapGet(map, "Twice", 5, status);

    expect_ok();
    assert_true(has(made, "Double") && has(made, "`value`\nend") && has(made, "the `Double`"));
    TF_DeleteBuffer(made);
    assert_null(TF_ApiDefMapGet(map, "Thrice", 6, status));
    expect_ok();
    put(map, "");
    expect_code(TF_FAILED_PRECONDITION, "cannot be called after TF_ApiDefMapGet");
    TF_DeleteApiDefMap(map);
    TF_DeleteApiDefMap(NULL);
}

static void wrong_texts_are_refused(void **state)
{
    (void)state;
    static const struct {
        TF_Code code;
        const char *text, *words;
    } cases[] = {
        {TF_INVALID_ARGUMENT, "op { graph_op_name: 'Twice'\n", "line 2: a message has no end"},
        {TF_INVALID_ARGUMENT, "op { graph_op_name: 'Twice", "a text has no end"},
        {TF_INVALID_ARGUMENT, "op { summary: <<END\nab", "several lines has no end"},
        {TF_INVALID_ARGUMENT, "op { none: 1 }", "no field has this name"},
        {TF_INVALID_ARGUMENT, "op { visibility: so }", "a number is expected"},
        {TF_INVALID_ARGUMENT, "op { attr { default_value { list { i: [1, 2 } } } }", "expected"},
        {TF_FAILED_PRECONDITION, "op { graph_op_name: 'Twice' out_arg { name: 'q' } }",
         "Argument q not defined in base api for Twice"},
        {TF_FAILED_PRECONDITION, "op { graph_op_name: 'Twice' arg_order: 'y' }",
         "Invalid arg_order: y for Twice."},
    };
    TF_ApiDefMap *map = make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put(map, cases[i].text);
        expect_code(cases[i].code, cases[i].words);
    }
    TF_DeleteApiDefMap(map);
    TF_Buffer *buffer = TF_NewBufferFromString(list, sizeof list - 4);
    assert_null(TF_NewApiDefMap(buffer, status));
    expect_code(TF_DATA_LOSS, "Unparseable OpList");
    TF_DeleteBuffer(buffer);
}

static void a_graph_is_told_as_text(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    (void)placeholder(graph, "x", NULL, 0);
    size_t length = 0;

    char *text = (char *)(uintptr_t)TF_GraphDebugString(graph, &length);

    assert_int_equal(strlen(text), length);
    assert_non_null(strstr(text, "node {\n  name: \"x\"\n  op: \"Placeholder\"\n  attr {\n"
                                 "    key: \"dtype\"\n    value {\n      type: DT_FLOAT\n"));
    free(text);
    TF_DeleteGraph(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_change_what_is_told_of_an_op),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(a_graph_is_told_as_text),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
