/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: every character there and back, and what is none; text as a terminal may get it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/utf8.h"

static void every_character_is_well_formed_and_no_cut_of_it(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x110000; code++) {
        char bytes[4];
        const bool is_character = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        const size_t n = oribi_utf8_put(code, bytes);
        assert_int_equal(n > 0, is_character);
        if (n > 0) {
            assert_int_equal(oribi_utf8_bytes(bytes, n), n);
            assert_int_equal(oribi_utf8_bytes(bytes, n - 1), 0);
        }
    }
}

/* All sequences of two and three bytes: exactly those that oribi_utf8_put makes are taken. */
static void no_two_forms_of_a_character(void **state)
{
    (void)state;
    uint32_t n_two = 0, n_three = 0;
    for (uint32_t i = 0; i < 1 << 24; i++) {
        const char bytes[3] = {(char)(i >> 16), (char)(i >> 8), (char)i};
        const size_t n = oribi_utf8_bytes(bytes, 3);
        n_two += n == 2 && (i & 0xff) == 0;
        n_three += n == 3;
    }
    assert_int_equal(n_two, 0x800 - 0x80);
    assert_int_equal(n_three, 0x10000 - 0x800 - 0x800);
}

static void four_bytes_end_with_the_last_plane(void **state)
{
    (void)state;
    assert_int_equal(oribi_utf8_bytes("\xf0\x90\x80\x80", 4), 4);
    assert_int_equal(oribi_utf8_bytes("\xf4\x8f\xbf\xbf", 4), 4);
    assert_int_equal(oribi_utf8_bytes("\xf0\x8f\xbf\xbf", 4), 0); /* overlong */
    assert_int_equal(oribi_utf8_bytes("\xf4\x90\x80\x80", 4), 0); /* beyond */
    assert_int_equal(oribi_utf8_bytes("\xf5\x80\x80\x80", 4), 0);
    assert_int_equal(oribi_utf8_bytes("", 0), 0);
}

static void shown_text_has_no_command_for_a_terminal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *shown;
    } cases[] = {
        {"plain \xc3\xa9\xe2\x82\xac", 11, "plain \xc3\xa9\xe2\x82\xac"},
        {"a\nb\tc", 5, "a\nb\tc"},
        {"\x1b[2J\x7f\r", 6, "\\x1b[2J\\x7f\\x0d"},
        {"\xc2\x9b\x9b", 3, "\\xc2\\x9b\\x9b"},
        {"\xef"
         "utput",
         6, "\\xefutput"},
        {"\xed\xa0\x80", 3, "\\xed\\xa0\\x80"},
        {"a\0b", 3, "a\\x00b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oribi_text text = {0};
        oribi_utf8_show(&text, cases[i].text, cases[i].length);
        assert_string_equal(oribi_text_string(&text), cases[i].shown);
        oribi_text_destroy(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_well_formed_and_no_cut_of_it),
        cmocka_unit_test(no_two_forms_of_a_character),
        cmocka_unit_test(four_bytes_end_with_the_last_plane),
        cmocka_unit_test(shown_text_has_no_command_for_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
