/* SPDX-License-Identifier: Apache-2.0 */
/* JSON out: structure, escapes, numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>

#include "format/json.h"

static void objects_and_arrays_get_their_commas(void **state)
{
    (void)state;
    oribi_text text = {0};
    oribi_json json = {.text = &text};

    oribi_json_open(&json, '{');
    oribi_json_key(&json, "a");
    oribi_json_int(&json, INT64_MIN);
    oribi_json_key(&json, "b");
    oribi_json_open(&json, '[');
    oribi_json_bool(&json, true);
    oribi_json_null(&json);
    oribi_json_open(&json, '[');
    oribi_json_close(&json, ']');
    oribi_json_open(&json, '{');
    oribi_json_close(&json, '}');
    oribi_json_uint(&json, UINT64_MAX);
    oribi_json_close(&json, ']');
    oribi_json_key(&json, "c");
    oribi_json_string(&json, NULL);
    oribi_json_close(&json, '}');

    assert_string_equal(oribi_text_string(&text),
                        "{\"a\":-9223372036854775808,\"b\":[true,null,[],{},18446744073709551615],"
                        "\"c\":null}");
    oribi_text_destroy(&text);
}

static void strings_are_escaped_and_made_valid(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        size_t length;
        const char *out;
    } cases[] = {
        {"plain", 5, "\"plain\""},
        {"q\"b\\s/", 6, "\"q\\\"b\\\\s/\""},
        {"\b\t\n\v\f\r\1\x7f", 8, "\"\\b\\t\\n\\u000b\\f\\r\\u0001\\u007f\""},
        {"a\0b", 3, "\"a\\u0000b\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff", 1, "\"\xef\xbf\xbd\""},
        {"a\xc2\x9b", 3, "\"a\\u009b\""},                                /* a control of C1 */
        {"\xc3", 1, "\"\xef\xbf\xbd\""},                                 /* cut short */
        {"\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* overlong */
        {"\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* surrogate */
        {"\xf4\x8f\xbf\xbf", 4, "\"\xf4\x8f\xbf\xbf\""},                 /* the last one */
        {"\xf4\x90\x80\x80", 4, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        oribi_text text = {0};
        oribi_json json = {.text = &text};

        oribi_json_string_n(&json, cases[i].in, cases[i].length);

        assert_string_equal(oribi_text_string(&text), cases[i].out);
        oribi_text_destroy(&text);
    }
}

static void check_double(double value, const char *expected)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    oribi_json_double(&json, value);
    assert_string_equal(oribi_text_string(&text), expected);
    oribi_text_destroy(&text);
}

static void doubles_are_short_and_come_back(void **state)
{
    (void)state;
    check_double(0.1, "0.1");
    check_double(0, "0");
    check_double(-0.0, "-0");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(5e-324, "5e-324");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double(1e22, "1e+22");
    check_double(NAN, "null");
    check_double(-INFINITY, "null");
}

static void doubles_do_not_follow_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *set = NULL;
    for (size_t i = 0; i < 4 && set == NULL; i++) {
        set = setlocale(LC_NUMERIC, names[i]);
    }
    if (set == NULL) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    check_double(2.5, "2.5");
    (void)setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_arrays_get_their_commas),
        cmocka_unit_test(strings_are_escaped_and_made_valid),
        cmocka_unit_test(doubles_are_short_and_come_back),
        cmocka_unit_test(doubles_do_not_follow_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
