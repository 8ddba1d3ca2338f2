/* SPDX-License-Identifier: Apache-2.0 */
/* Reading JSON: what is understood, and where malformed text is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_read.h"

static void values_of_each_kind_are_read(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    oribi_text error = {0};
    const oribi_json_value *root = oribi_json_read(" {\"a\": [1, -2.5, 9007199254740993], \"b\": "
                                                   "\"x\\n\\u00e9\\\"\", \"c\": true, \"d\": null,"
                                                   " \"e\": {}} ",
                                                   &arena, &error);

    assert_non_null(root);
    const oribi_json_value *a = oribi_json_find(root, "a");
    assert_int_equal(a->count, 3);
    assert_int_equal(a->child->integer, 1);
    assert_true(a->child->next->number == -2.5);
    assert_true(a->child->next->next->integer == 9007199254740993);
    assert_string_equal(oribi_json_find(root, "b")->text, "x\n\xc3\xa9\"");
    assert_true(oribi_json_find(root, "c")->number == 1);
    assert_int_equal(oribi_json_find(root, "d")->kind, ORIBI_JSON_NULL);
    assert_int_equal(oribi_json_find(root, "e")->count, 0);
    assert_null(oribi_json_find(root, "f"));
    assert_memory_equal(a->begin, "[1, -2.5, 9007199254740993]", 27);
    oribi_arena_destroy(&arena);
}

static void malformed_text_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",        "{",   "[1,", "[1 2]", "{\"a\" 1}", "{a: 1}", "\"x",  "\"\\q\"",
        "\"\\u12", "tru", "1 2", "[1]]",  "{\"a\"",    "-",      "\"\\", "[\"\\u0"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        oribi_arena arena = {0};
        oribi_text error = {0};
        assert_null(oribi_json_read(bad[i], &arena, &error));
        assert_non_null(strstr(oribi_text_string(&error), "at byte"));
        oribi_text_destroy(&error);
        oribi_arena_destroy(&arena);
    }
}

static void depth_is_limited(void **state)
{
    (void)state;
    char deep[2001];
    oribi_arena arena = {0};
    oribi_text error = {0};
    memset(deep, '[', 2000);
    deep[2000] = '\0';

    assert_null(oribi_json_read(deep, &arena, &error));

    assert_non_null(strstr(oribi_text_string(&error), "too deep"));
    oribi_text_destroy(&error);
    oribi_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_each_kind_are_read),
        cmocka_unit_test(malformed_text_is_refused_with_its_place),
        cmocka_unit_test(depth_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
