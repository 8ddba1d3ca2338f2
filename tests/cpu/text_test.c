/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of texts, and the patterns of RegexFullMatch. What comes out of StringSplit and of
 * patterns is what Python's str.split and re.fullmatch give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

#include "cpu/base/families.h"
#include "cpu/elementwise/small_floats.h"
#include "cpu/text/regex.h"
#include "cpu/text/texts.h"

/* --- Patterns --------------------------------------------------------------------------------- */

static bool matches(const char *pattern, const char *text)
{
    static oribi_regex regex;
    static oribi_regex_room room;
    const char *why = oribi_regex_read(pattern, strlen(pattern), &regex);
    if (why != NULL) {
        fail_msg("%s: %s", pattern, why);
    }
    return oribi_regex_matches(&regex, text, strlen(text), &room);
}

static void patterns_match_whole_texts_as_in_python(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"abc", "abc", true},
        {"abc", "abcd", false},
        {"a|bc|d", "bc", true},
        {"a|bc|d", "c", false},
        {"(a|bc)+d", "abcabcd", true},
        {"(a|bc)+d", "abcabd", false},
        {"(?:ab)*", "ababab", true},
        {"(?:ab)*", "ababa", false},
        {"a?b?c", "ac", true},
        {"x{2,4}", "x", false},
        {"x{2,4}", "xxxx", true},
        {"x{2,4}", "xxxxx", false},
        {"(a|b){3}", "aba", true},
        {"(a|b){3}", "ab", false},
        {"(a{2}){2,}", "aaaaaa", true},
        {"(a{2}){2,}", "aaaaa", false},
        {"[a-c_.-]+", "a.b-c_", true},
        {"[^a-c]+", "xyz", true},
        {"[^a-c]+", "xbz", false},
        {"[]x]+", "]x", true},
        {"[\\w.]+@\\w+", "a.b@c9", true},
        {"\\d{3}-\\d", "123-4", true},
        {"\\D+", "abc1", false},
        {"\\s\\S", " x", true},
        {"a.c", "abc", true},
        {"a.c", "a\nc", false},
        {"a.c",
         "a\xc3\xa9"
         "c",
         true},
        {"..", "\xc3\xa9\xe2\x82\xac", true},
        {".", "\xc3\xa9\xe2\x82\xac", false},
        {"\xc3\xa9+", "\xc3\xa9\xc3\xa9", true},
        {"a\\b.b", "a-b", true},
        {"a\\bb", "ab", false},
        {"a\\Bb", "ab", true},
        {"^a$", "a", true},
        {"a^b", "ab", false},
        {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
        {"a+?b*?", "aab", true},
        {"\\.\\*\\n", ".*\n", true},
        {"()|x", "", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (matches(cases[i].pattern, cases[i].text) != cases[i].matches) {
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
        }
    }
}

static void patterns_that_cannot_be_read_are_refused(void **state)
{
    static const char *const patterns[] = {
        "(a",     "a)",  "[a",    "*a",      "a|*",        "\\",      "[z-a]",        "(?i)a",
        "x{3,2}", "\\q", "[\\q]", "[[:a:]]", "[\xc3\xa9]", "x{1001}", "(x{100}){100}"};
    static oribi_regex regex;
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (oribi_regex_read(patterns[i], strlen(patterns[i]), &regex) == NULL) {
            fail_msg("'%s' was read", patterns[i]);
        }
    }
}

/* Nesting and branches are limited, whatever the pattern. */
static void deep_patterns_are_refused(void **state)
{
    static oribi_regex regex;
    static char pattern[4001];
    (void)state;
    memset(pattern, '(', 4000);
    assert_non_null(oribi_regex_read(pattern, 4000, &regex));
    memset(pattern, '|', 4000);
    assert_non_null(oribi_regex_read(pattern, 4000, &regex));
    memset(pattern, '^', 4000);
    assert_non_null(oribi_regex_read(pattern, 4000, &regex));
}

/* --- Kernels ---------------------------------------------------------------------------------- */

static const oribi_cpu_kernel *find_row(const char *op)
{
    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            if (strcmp(row->op_name, op) == 0) {
                return row;
            }
        }
    }
    fail_msg("no kernel of %s", op);
    return NULL;
}

static void add_texts(harness *h, const char *const *texts, int64_t n)
{
    TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, &n, 1, (size_t)n * sizeof(TF_TString));
    assert_non_null(tensor);
    for (int64_t i = 0; i < n; i++) {
        TF_TString *at = (TF_TString *)TF_TensorData(tensor) + i;
        TF_StringInit(at);
        TF_StringCopy(at, texts[i], strlen(texts[i]));
    }
    h->inputs[h->n_inputs++] = tensor;
}

static void run(harness *h)
{
    assert_true(harness_resolve(h));
    if (!harness_run(h, find_row(h->op))) {
        fail_msg("%s: %s", h->op, TF_Message(h->status));
    }
}

static void check_texts(const harness *h, int output, const char *const *wanted, int64_t n)
{
    const TF_Tensor *found = h->outputs[output];
    assert_int_equal(TF_TensorElementCount(found), n);
    for (int64_t i = 0; i < n; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(TF_TensorData(found), i);
        if (text.n != strlen(wanted[i]) || memcmp(text.at, wanted[i], text.n) != 0) {
            fail_msg("text %lld is '%.*s', not '%s'", (long long)i, (int)text.n, text.at,
                     wanted[i]);
        }
    }
}

#define TEXTS(...)                                                                                 \
    (const char *const[]){__VA_ARGS__},                                                            \
        (int64_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void split_of(const char *text, const char *delimiter, int64_t most,
                     const char *const *wanted, int64_t n)
{
    harness h;
    harness_init(&h, "ONNX>StringSplit");
    add_texts(&h, &text, 1);
    assert_true(oribi_attrs_set_string(&h.attrs, &h.arena, "delimiter", delimiter));
    assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "maxsplit", most));
    run(&h);
    check_texts(&h, 0, wanted, n);
    assert_int_equal(*(const int64_t *)TF_TensorData(h.outputs[1]), n);
    harness_destroy(&h);
}

static void texts_are_split_as_python_splits_them(void **state)
{
    (void)state;
    split_of("a,b,,c", ",", -1, TEXTS("a", "b", "", "c"));
    split_of("a,", ",", -1, TEXTS("a", ""));
    split_of("", ",", -1, TEXTS(""));
    split_of("", "", -1, NULL, 0);
    split_of("  a  b c ", "", -1, TEXTS("a", "b", "c"));
    split_of("  a  b c ", "", 1, TEXTS("a", "b c "));
    split_of("a--b--c", "--", 1, TEXTS("a", "b--c"));
    split_of("aaa", "aa", -1, TEXTS("", "a"));
    split_of("a b", "", 0, TEXTS("a b"));
}

static void joined_texts_broadcast(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "ONNX>StringConcat");
    add_texts(&h, TEXTS("cat", "", "a text that is longer than twenty-two bytes"));
    add_texts(&h, TEXTS("s"));
    run(&h);
    check_texts(&h, 0, TEXTS("cats", "s", "a text that is longer than twenty-two bytess"));
    harness_destroy(&h);
}

static void normalised_texts_lose_stopwords_and_change_case(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "ONNX>StringNormalizer");
    add_texts(&h, TEXTS("Monday", "\xc3\x84pfel", "MONDAY", "\xd0\x96\xcf\x82"));
    add_texts(&h, TEXTS("monday"));
    assert_true(oribi_attrs_set_string(&h.attrs, &h.arena, "case_change_action", "LOWER"));
    run(&h);
    check_texts(&h, 0, TEXTS("\xc3\xa4pfel", "\xd0\xb6\xcf\x82"));
    harness_destroy(&h);
}

/* --- Small floats ----------------------------------------------------------------------------- */

/* Of every code: it is what its value becomes, and what lies half way to the next larger one
 * becomes the even one of both. */
static void check_codes(TF_DataType dtype)
{
    const oribi_cpu_small_float *format = oribi_cpu_small_float_of(dtype);
    assert_non_null(format);
    for (int code = 0; code <= format->most; code++) {
        const double value = oribi_cpu_small_value(format, (uint8_t)code);
        assert_int_equal(oribi_cpu_small_bits(format, value), code);
        if (code > 0) {
            const double below = oribi_cpu_small_value(format, (uint8_t)(code - 1));
            const int even = code % 2 == 0 ? code : code - 1;
            assert_true(below < value);
            assert_int_equal(oribi_cpu_small_bits(format, (below + value) / 2), even);
            assert_int_equal(oribi_cpu_small_bits(format, -value), code | format->sign);
        }
    }
    assert_true(isnan(oribi_cpu_small_value(format, format->nan)) || dtype == TF_FLOAT4_E2M1FN);
    assert_int_equal(oribi_cpu_small_bits(format, (double)NAN), format->nan);
    assert_int_equal(oribi_cpu_small_bits(format, (double)INFINITY), format->beyond);
    assert_int_equal(oribi_cpu_small_bits(format, 1e300), format->beyond);
}

static void small_floats_round_to_the_nearest(void **state)
{
    (void)state;
    check_codes(TF_FLOAT8_E5M2);
    check_codes(TF_FLOAT8_E4M3FN);
    check_codes(TF_FLOAT8_E4M3FNUZ);
    check_codes(TF_FLOAT8_E4M3B11FNUZ);
    check_codes(TF_FLOAT8_E5M2FNUZ);
    check_codes(TF_FLOAT4_E2M1FN);
    assert_null(oribi_cpu_small_float_of(TF_FLOAT));
    assert_null(oribi_cpu_small_float_of((TF_DataType)99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_whole_texts_as_in_python),
        cmocka_unit_test(patterns_that_cannot_be_read_are_refused),
        cmocka_unit_test(deep_patterns_are_refused),
        cmocka_unit_test(texts_are_split_as_python_splits_them),
        cmocka_unit_test(joined_texts_broadcast),
        cmocka_unit_test(normalised_texts_lose_stopwords_and_change_case),
        cmocka_unit_test(small_floats_round_to_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
