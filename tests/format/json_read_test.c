/* SPDX-License-Identifier: Apache-2.0 */
/* Reading JSON: what is understood, where malformed text is refused, and that what is written comes
 * back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "format/json.h"
#include "format/json_read.h"

typedef struct reading {
    oribi_arena arena;
    oribi_text error;
    const oribi_json_value *root;
} reading;

/* The text has no NUL behind it: a reader that goes too far meets the end of a block. */
static reading read_bytes(const char *text, size_t n)
{
    reading r = {0};
    char *copy = oribi_alloc(n);
    memcpy(copy, text, n);
    r.root = oribi_json_read(copy, n, &r.arena, &r.error);
    oribi_free(copy);
    return r;
}

static void end(reading *r)
{
    oribi_arena_destroy(&r->arena);
    oribi_text_destroy(&r->error);
}

static void values_of_each_kind_are_read(void **state)
{
    (void)state;
    static const char source[] = " {\"a\": [1, -2.5, 9007199254740993], \"b\": "
                                 "\"x\\n\\u00e9\\\"\", \"c\": true, \"d\": null, \"e\": {}} ";
    oribi_arena arena = {0};
    oribi_text error = {0};
    const oribi_json_value *root = oribi_json_read(source, strlen(source), &arena, &error);

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
    static const struct {
        const char *text;
        int at;
    } bad[] = {
        {"", 0},
        {"{", 1},
        {"[1,", 3},
        {"[1 2]", 3},
        {"{\"a\" 1}", 5},
        {"{a: 1}", 1},
        {"\"x", 1},
        {"\"\\q\"", 2},
        {"\"\\u12\"", 5},
        {"tru", 0},
        {"1 2", 2},
        {"[1]]", 3},
        {"{\"a\"", 4},
        {"-", 1},
        {"\"\\", 1},
        {"[\"\\u0", 2},
        {"[,]", 1},
        {"[1,]", 3},
        {"{\"a\":1,}", 7},
        {"'x'", 0},
        {"nul", 0},
        {"True", 0},
        {"NaN", 0},
        {"/**/1", 0},
        {"\xef\xbb\xbf"
         "1",
         0},
        {"{\"a\":}", 5},
        {"{1:2}", 1},
        {"[1}", 2},
        {"\"\\\"", 1},
        {"\"\\u00g0\"", 5},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char place[32];
        reading r = read_bytes(bad[i].text, strlen(bad[i].text));
        (void)snprintf(place, sizeof place, " at byte %d", bad[i].at);
        assert_null(r.root);
        const char *found = strstr(oribi_text_string(&r.error), " at byte ");
        assert_non_null(found);
        assert_string_equal(found, place);
        end(&r);
    }
}

static void every_cut_of_a_text_is_refused(void **state)
{
    (void)state;
    static const char whole[] = "{\"a\":[1.5e3,\"\\ud83d\\ude00\\n\",{\"b\":null}],\"c\":false}";
    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        reading r = read_bytes(whole, n);
        assert_null(r.root);
        end(&r);
    }
    reading r = read_bytes(whole, sizeof whole - 1);
    assert_non_null(r.root);
    end(&r);
}

static void nul_bytes_end_nothing(void **state)
{
    (void)state;
    reading r = read_bytes("[1]\0[2]", 7);
    assert_null(r.root);
    end(&r);
    r = read_bytes("\"a\\u0000b\"", 10);
    assert_int_equal(r.root->length, 3);
    assert_memory_equal(r.root->text, "a\0b", 4);
    end(&r);
    r = read_bytes("\"a\0b\"", 5);
    assert_null(r.root);
    end(&r);
}

static void depth_is_limited(void **state)
{
    (void)state;
    char deep[2 * ORIBI_JSON_MAX_DEPTH + 2];
    for (int depth = ORIBI_JSON_MAX_DEPTH; depth <= ORIBI_JSON_MAX_DEPTH + 1; depth++) {
        memset(deep, '[', (size_t)depth);
        memset(deep + depth, ']', (size_t)depth);
        reading r = read_bytes(deep, 2 * (size_t)depth);
        assert_int_equal(r.root != NULL, depth == ORIBI_JSON_MAX_DEPTH);
        assert_int_equal(strstr(oribi_text_string(&r.error), "too deep") != NULL, r.root == NULL);
        end(&r);
    }
}

static void neighbours_are_not_depth(void **state)
{
    (void)state;
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    oribi_json_open(&json, '[');
    for (int i = 0; i < 2 * ORIBI_JSON_MAX_DEPTH; i++) {
        oribi_json_raw(&json, "[{}]", 4);
    }
    oribi_json_close(&json, ']');
    reading r = read_bytes(text.data, text.length);

    assert_int_equal(r.root->count, 2 * ORIBI_JSON_MAX_DEPTH);
    end(&r);
    oribi_text_destroy(&text);
}

static void surrogates_come_in_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *read;
    } cases[] = {
        {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
        {"\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf"},
        {"\"\\ud7ff\\ue000\"", "\xed\x9f\xbf\xee\x80\x80"},
        {"\"\\ud83d\"", NULL},
        {"\"\\ude00\"", NULL},
        {"\"\\ud83dx\"", NULL},
        {"\"\\ud83d\\n\"", NULL},
        {"\"\\ud83d\\u0041\"", NULL},
        {"\"\\ud83d\\ud83d\"", NULL},
        {"\"\\ude00\\ud83d\"", NULL},
        {"\"\\ud83d\\u\"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reading r = read_bytes(cases[i].text, strlen(cases[i].text));
        assert_int_equal(r.root != NULL, cases[i].read != NULL);
        if (r.root != NULL) {
            assert_string_equal(r.root->text, cases[i].read);
        }
        end(&r);
    }
}

static void text_that_is_not_utf8_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"\"\xff\"",         "\"\xc3\"",     "\"\xc0\x80\"",
                                      "\"\xed\xa0\x80\"", "\"\xe2\x82\"", "\"\xf4\x90\x80\x80\"",
                                      "{\"\x80\":1}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        reading r = read_bytes(bad[i], strlen(bad[i]));
        assert_null(r.root);
        assert_non_null(strstr(oribi_text_string(&r.error), "not UTF-8 at byte"));
        end(&r);
    }
    reading r = read_bytes("\"\xc3\xa9\x7f\"", 5);
    assert_string_equal(r.root->text, "\xc3\xa9\x7f");
    end(&r);
    r = read_bytes("\"a\tb\"", 5);
    assert_null(r.root);
    end(&r);
}

static void numbers_follow_the_grammar(void **state)
{
    (void)state;
    static const char *const bad[] = {"01",  "-01",  "+1",   ".5",  "1.",    "1.e2", "1e",
                                      "1e+", "0x10", "-inf", "- 1", "1e999", "--1",  "1_0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        reading r = read_bytes(bad[i], strlen(bad[i]));
        assert_null(r.root);
        end(&r);
    }
    static const struct {
        const char *text;
        double number;
        int64_t integer;
    } good[] = {
        {"0", 0, 0},
        {"-0", -0.0, 0},
        {"1e3", 1000, 1000},
        {"-2.75", -2.75, -2},
        {"1E-2", 0.01, 0},
        {"9223372036854775807", 0x1p63, INT64_MAX},
        {"-9223372036854775808", -0x1p63, INT64_MIN},
        {"18446744073709551615", 0x1p64, INT64_MAX},
        {"1e300", 1e300, INT64_MAX},
        {"-1e300", -1e300, INT64_MIN},
        {"0.1000000000000000055511151231257827021181583404541015625000000000000000000000000001",
         0.1, 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        reading r = read_bytes(good[i].text, strlen(good[i].text));
        assert_non_null(r.root);
        assert_memory_equal(&r.root->number, &good[i].number, sizeof(double));
        assert_true(r.root->integer == good[i].integer);
        end(&r);
    }
}

static double next_double(uint64_t *seed)
{
    double value = NAN;
    while (!isfinite(value)) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        const uint64_t bits = *seed ^ (*seed >> 29);
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    static const int64_t integers[] = {INT64_MIN, -1, 0, 1, 9007199254740993, INT64_MAX};
    static const double doubles[] = {0.1, 5e-324, DBL_MIN, DBL_MAX, -0.0, 1e22, 1.0 / 3};
    uint64_t seed = 20261122;
    for (int i = 0; i < 2000; i++) {
        const double real = i < 7 ? doubles[i] : next_double(&seed);
        const int64_t integer = i < 6 ? integers[i] : (int64_t)(seed ^ (seed << 7));
        char string[5];
        for (int k = 0; k < 4; k++) { /* ASCII, all of it in time */
            string[k] = (char)((i * 4 + k) % 128);
        }
        oribi_text text = {0};
        oribi_json json = {.text = &text};
        oribi_json_open(&json, '[');
        oribi_json_double(&json, real);
        oribi_json_int(&json, integer);
        oribi_json_string_n(&json, string, 4);
        oribi_json_close(&json, ']');

        reading r = read_bytes(text.data, text.length);

        assert_non_null(r.root);
        const oribi_json_value *one = r.root->child, *two = one->next, *three = two->next;
        assert_memory_equal(&one->number, &real, sizeof real);
        assert_true(two->integer == integer);
        assert_int_equal(three->length, 4);
        assert_memory_equal(three->text, string, 4);
        end(&r);
        oribi_text_destroy(&text);
    }
}

static void memory_that_ends_is_an_error(void **state)
{
    (void)state;
    static const char source[] = "{\"a\":[1,2,\"x\"]}";
    for (uint64_t nth = 1;; nth++) {
        oribi_arena arena = {0};
        oribi_text error = {0};
        oribi_alloc_fail_at(nth, true);
        const oribi_json_value *root = oribi_json_read(source, strlen(source), &arena, &error);
        oribi_alloc_fail_at(0, false);
        oribi_arena_destroy(&arena);
        oribi_text_destroy(&error);
        if (root != NULL) {
            assert_true(nth > 1);
            break;
        }
    }
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    reading r = read_bytes("[2.5]", 5);
    (void)setlocale(LC_NUMERIC, "C");
    assert_true(r.root != NULL && r.root->child->number == 2.5);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_each_kind_are_read),
        cmocka_unit_test(malformed_text_is_refused_with_its_place),
        cmocka_unit_test(every_cut_of_a_text_is_refused),
        cmocka_unit_test(nul_bytes_end_nothing),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(neighbours_are_not_depth),
        cmocka_unit_test(surrogates_come_in_pairs),
        cmocka_unit_test(text_that_is_not_utf8_is_refused),
        cmocka_unit_test(numbers_follow_the_grammar),
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(memory_that_ends_is_an_error),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
