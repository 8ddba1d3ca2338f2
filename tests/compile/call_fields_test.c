/* SPDX-License-Identifier: Apache-2.0 */
/* A field of a call that is lost, or asked for by a wrong name, ends the compilation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compile/lower.h"

static void expect(const oribi_lowering *lowering, TF_Code code, const char *text)
{
    assert_int_equal(oribi_lower_check_fields(lowering, "n"), code == TF_OK);
    assert_int_equal(TF_GetCode(lowering->status), code);
    assert_non_null(strstr(TF_Message(lowering->status), text));
}

/* adds a field more than there is room for, in one of four ways */
static void fill(oribi_lowering *lowering, oribi_call *call, int way)
{
    static const int32_t numbers[2] = {1, 2};
    for (int32_t i = 0; i < ORIBI_CALL_FIELDS; i++) {
        oribi_call_number(call, "some", i);
    }
    expect(lowering, TF_OK, "");
    if (way == 0) {
        oribi_call_number(call, "last", 1);
    } else if (way == 1) {
        oribi_call_real(call, "last", 1);
    } else if (way == 2) {
        assert_true(oribi_call_numbers(lowering, call, "last", numbers, 2));
    } else {
        oribi_call_place(call, "last", 0, 2, numbers);
    }
}

static void a_field_that_has_no_room_is_an_error(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        oribi_arena arena = {0};
        oribi_lowering lowering = {.arena = &arena, .status = TF_NewStatus()};
        oribi_call call = {.fault = &lowering.fault};
        fill(&lowering, &call, way);
        expect(&lowering, TF_INTERNAL, "'n': the call has no room for field 'last'");
        TF_DeleteStatus(lowering.status);
        oribi_arena_destroy(&arena);
    }
}

static void an_array_that_has_no_room_is_an_error(void **state)
{
    (void)state;
    oribi_lowering lowering = {.status = TF_NewStatus()};
    oribi_call call = {.fault = &lowering.fault};
    for (int32_t i = 0; i < ORIBI_CALL_PLACED; i++) {
        oribi_call_place(&call, "some", 0, 1, &lowering);
    }
    expect(&lowering, TF_OK, "");
    oribi_call_place(&call, "last", 0, 1, &lowering);
    expect(&lowering, TF_INTERNAL, "no room for array 'last'");
    TF_DeleteStatus(lowering.status);
}

static void a_name_that_no_field_has_is_an_error(void **state)
{
    (void)state;
    oribi_lowering lowering = {.status = TF_NewStatus()};
    oribi_call call = {.fault = &lowering.fault};
    oribi_call_number(&call, "taps", 7);
    assert_int_equal(oribi_call_number_of(&call, "taps"), 7);
    expect(&lowering, TF_OK, "");
    assert_int_equal(oribi_call_number_of(&call, "tabs"), 0);
    assert_int_equal(oribi_call_number_of(&call, "later"), 0);
    expect(&lowering, TF_INTERNAL, "the call has no field 'tabs'");
    TF_DeleteStatus(lowering.status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_that_has_no_room_is_an_error),
        cmocka_unit_test(an_array_that_has_no_room_is_an_error),
        cmocka_unit_test(a_name_that_no_field_has_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
