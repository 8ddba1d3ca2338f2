/* SPDX-License-Identifier: Apache-2.0 */
/* FlexBuffers maps: what they hold is found, and bytes that lie do not lead outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/flex.h"

/* {"b": 300, "x": 0.5, "flag": true, "u": 7} as the reference library writes it */
static const uint8_t map[] = {0x62, 0x00, 0x78, 0x00, 0x66, 0x6c, 0x61, 0x67, 0x00, 0x75, 0x00,
                              0x04, 0x0c, 0x09, 0x05, 0x0d, 0x04, 0x00, 0x00, 0x00, 0x01, 0x00,
                              0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x2c, 0x01, 0x00, 0x00, 0x01,
                              0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x3f,
                              0x06, 0x6a, 0x06, 0x0e, 0x14, 0x26, 0x01};
static const char *const keys[] = {"b", "x", "flag", "u"};

static void numbers_of_every_kind_are_found(void **state)
{
    static const double wanted[] = {300, 0.5, 1, 7};
    oribi_flex_map m;
    (void)state;

    assert_true(oribi_flex_open(map, sizeof map, &m));

    for (int i = 0; i < 4; i++) {
        double value = -1;
        assert_true(oribi_flex_number(&m, keys[i], &value));
        assert_true(value >= wanted[i] && value <= wanted[i]);
    }
}

static void absent_keys_leave_the_value_alone(void **state)
{
    double value = 42;
    oribi_flex_map m;
    (void)state;

    assert_true(oribi_flex_open(map, sizeof map, &m));

    assert_false(oribi_flex_number(&m, "fla", &value));
    assert_false(oribi_flex_number(&m, "flags", &value));
    assert_true(value >= 42 && value <= 42);
}

/* {"a": [3, -1], "b": 5} */
static const uint8_t lists[] = {0x61, 0x00, 0x62, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00,
                                0x00, 0xff, 0xff, 0xff, 0xff, 0x02, 0x00, 0x00, 0x00, 0x14, 0x00,
                                0x00, 0x00, 0x16, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x04,
                                0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
                                0x05, 0x00, 0x00, 0x00, 0x2e, 0x06, 0x0a, 0x26, 0x01};

static void lists_of_integers_are_found(void **state)
{
    oribi_flex_vector a;
    oribi_flex_map m;
    (void)state;

    assert_true(oribi_flex_open(lists, sizeof lists, &m));

    assert_true(oribi_flex_ints(&m, "a", &a));
    assert_int_equal(a.count, 2);
    assert_int_equal(oribi_flex_int_at(&m, &a, 0), 3);
    assert_int_equal(oribi_flex_int_at(&m, &a, 1), -1);
    assert_false(oribi_flex_ints(&m, "b", &a));
    assert_false(oribi_flex_ints(&m, "c", &a));
}

/* Each copy has memory of its own, so that a sanitizer sees a step beyond it. */
static void look_everywhere(const uint8_t *data, size_t n)
{
    uint8_t *own = malloc(n + 1);
    oribi_flex_map m;
    double value;
    assert_non_null(own);
    uint8_t *tight = realloc(own, n > 0 ? n : 1);
    assert_non_null(tight);
    memcpy(tight, data, n);
    if (oribi_flex_open(tight, n, &m)) {
        for (int i = 0; i < 4; i++) {
            (void)oribi_flex_number(&m, keys[i], &value);
        }
        oribi_flex_vector list;
        const bool is_there = oribi_flex_ints(&m, "a", &list);
        for (uint64_t i = 0; is_there && i < list.count; i++) {
            (void)oribi_flex_int_at(&m, &list, i);
        }
    }
    free(tight);
}

static void spoil_everywhere(const uint8_t *data, size_t size)
{
    uint8_t spoilt[64];
    assert_true(size <= sizeof spoilt);
    for (size_t n = 0; n < size; n++) {
        look_everywhere(data + size - n, n);
        for (int bit = 0; bit < 8; bit++) {
            memcpy(spoilt, data, size);
            spoilt[n] ^= (uint8_t)(1U << bit);
            look_everywhere(spoilt, size);
        }
        memcpy(spoilt, data, size);
        spoilt[n] = 0xff;
        look_everywhere(spoilt, size);
    }
}

static void bytes_that_lie_do_not_lead_outside(void **state)
{
    oribi_flex_map m;
    (void)state;

    spoil_everywhere(map, sizeof map);
    spoil_everywhere(lists, sizeof lists);

    assert_false(oribi_flex_open(map, 0, &m));
    assert_false(oribi_flex_open(map, sizeof map - 1, &m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_kind_are_found),
        cmocka_unit_test(lists_of_integers_are_found),
        cmocka_unit_test(absent_keys_leave_the_value_alone),
        cmocka_unit_test(bytes_that_lie_do_not_lead_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
