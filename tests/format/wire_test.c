/* SPDX-License-Identifier: Apache-2.0 */
/* The wire cursor: what it reads, and where it says an error is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/proto.h"
#include "format/wire.h"
#include "support/each_status.h"

static bool first_field(const void *data, size_t n, oribi_wire_field *out)
{
    oribi_wire wire = oribi_wire_over(data, n);
    return oribi_wire_next(&wire, out, status);
}

static void a_varint_of_ten_bytes_is_read_whole(void **state)
{
    (void)state;
    oribi_wire_field f;
    assert_true(first_field("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, &f));
    assert_int_equal(f.number, 1);
    assert_true(f.value == UINT64_MAX);
}

static void a_varint_above_64_bits_is_refused(void **state)
{
    (void)state;
    oribi_wire_field f;
    assert_false(first_field("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, &f));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "byte 1"));
}

static void a_length_beyond_the_message_is_data_loss_at_its_field(void **state)
{
    (void)state;
    oribi_wire wire = oribi_wire_over((const uint8_t *)"\x08\x01\x12\x05"
                                                       "ab",
                                      6);
    oribi_wire_field f;
    assert_true(oribi_wire_next(&wire, &f, status));
    assert_false(oribi_wire_next(&wire, &f, status));
    assert_int_equal(TF_GetCode(status), TF_DATA_LOSS);
    assert_non_null(strstr(TF_Message(status), "byte 2"));
}

static void a_huge_length_does_not_wrap(void **state)
{
    (void)state;
    oribi_wire_field f;
    assert_false(first_field("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, &f));
    assert_int_equal(TF_GetCode(status), TF_DATA_LOSS);
}

static void groups_and_field_zero_are_refused(void **state)
{
    (void)state;
    oribi_wire_field f;
    assert_false(first_field("\x0b", 1, &f));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    assert_false(first_field("\x00\x01", 2, &f));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
}

static void an_empty_message_ends_without_an_error(void **state)
{
    (void)state;
    oribi_wire_field f;
    assert_false(first_field(NULL, 0, &f));
    assert_int_equal(TF_GetCode(status), TF_OK);
}

static void messages_nest_to_the_limit_only(void **state)
{
    (void)state;
    oribi_wire wire = oribi_wire_over((const uint8_t *)"\x0a\x00", 2);
    oribi_wire_field f;
    assert_true(oribi_wire_next(&wire, &f, status));
    wire.depth = ORIBI_WIRE_MAX_DEPTH - 1;
    oribi_wire inner;
    assert_true(oribi_wire_enter(&wire, &f, &inner, status));
    assert_false(oribi_wire_enter(&inner, &f, &wire, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
}

static void packed_and_single_elements_read_the_same(void **state)
{
    (void)state;
    oribi_wire wire = oribi_wire_over((const uint8_t *)"\x0a\x03\x01\x96\x01\x08\x07", 7);
    oribi_wire_field f;
    uint64_t value = 0;
    size_t position = 0, count = 0;
    assert_true(oribi_wire_next(&wire, &f, status));
    assert_true(oribi_wire_count(&wire, &f, ORIBI_WIRE_VARINT, &count, status));
    assert_int_equal(count, 2);
    assert_true(oribi_wire_element(&wire, &f, ORIBI_WIRE_VARINT, &position, &value, status));
    assert_int_equal(value, 1);
    assert_true(oribi_wire_element(&wire, &f, ORIBI_WIRE_VARINT, &position, &value, status));
    assert_int_equal(value, 150);
    assert_false(oribi_wire_element(&wire, &f, ORIBI_WIRE_VARINT, &position, &value, status));
    assert_true(oribi_wire_next(&wire, &f, status));
    position = 0;
    assert_true(oribi_wire_element(&wire, &f, ORIBI_WIRE_VARINT, &position, &value, status));
    assert_int_equal(value, 7);
    assert_false(oribi_wire_element(&wire, &f, ORIBI_WIRE_VARINT, &position, &value, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
}

static void packed_numbers_that_end_early_are_refused(void **state)
{
    (void)state;
    oribi_wire wire = oribi_wire_over((const uint8_t *)"\x0a\x02\x01\x96", 4);
    oribi_wire_field f;
    size_t count = 0;
    assert_true(oribi_wire_next(&wire, &f, status));
    assert_false(oribi_wire_count(&wire, &f, ORIBI_WIRE_VARINT, &count, status));
    assert_int_equal(TF_GetCode(status), TF_DATA_LOSS);
    TF_SetStatus(status, TF_OK, "");
    assert_false(oribi_wire_count(&wire, &f, ORIBI_WIRE_32, &count, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_status, drop_status)

static void what_is_written_comes_back(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0,     1,          127,        128,       16383,
                                       16384, UINT32_MAX, 1ull << 63, UINT64_MAX};
    enum { N = sizeof numbers / sizeof numbers[0] };
    oribi_text text = {0}, packed = {0};
    for (int i = 0; i < N; i++) {
        oribi_proto_number(&text, 1, numbers[i]);
        oribi_proto_varint(&packed, numbers[i]);
    }
    oribi_proto_message(&text, 536870911, &packed); /* the largest field number */
    oribi_proto_float(&text, 2, -1.5F);
    oribi_proto_string(&text, 3, "");
    oribi_proto_bytes(&text, 4, "a\0b", 3);
    oribi_wire wire = oribi_wire_over((const uint8_t *)text.data, text.length);
    oribi_wire_field f;
    oribi_string bytes;
    float real = 0;
    size_t position = 0;
    uint64_t number;

    for (int i = 0; i < N; i++) {
        assert_true(oribi_wire_next(&wire, &f, status) && f.number == 1 && f.value == numbers[i]);
    }
    assert_true(oribi_wire_next(&wire, &f, status));
    assert_int_equal(f.number, 536870911);
    for (int i = 0; i < N; i++) {
        assert_true(oribi_wire_element(&wire, &f, ORIBI_WIRE_VARINT, &position, &number, status));
        assert_true(number == numbers[i]);
    }
    assert_false(oribi_wire_element(&wire, &f, ORIBI_WIRE_VARINT, &position, &number, status));
    assert_true(oribi_wire_next(&wire, &f, status) && oribi_wire_float(&f, "x", &real, status));
    assert_true(real == -1.5F);
    assert_true(oribi_wire_next(&wire, &f, status) && oribi_wire_string(&f, "x", &bytes, status));
    assert_int_equal(bytes.length, 3);
    assert_memory_equal(bytes.data, "a\0b", 3);
    assert_false(oribi_wire_next(&wire, &f, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
    oribi_text_destroy(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_varint_of_ten_bytes_is_read_whole),
        TEST(a_varint_above_64_bits_is_refused),
        TEST(a_length_beyond_the_message_is_data_loss_at_its_field),
        TEST(a_huge_length_does_not_wrap),
        TEST(groups_and_field_zero_are_refused),
        TEST(an_empty_message_ends_without_an_error),
        TEST(messages_nest_to_the_limit_only),
        TEST(packed_and_single_elements_read_the_same),
        TEST(packed_numbers_that_end_early_are_refused),
        TEST(what_is_written_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
