/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the contract that are named and not implemented: each is called, with nothing for
 * arguments, must say UNIMPLEMENTED and its own name in its status, return nothing and end nobody.
 * The calls: absent_calls.h, which list.py makes from the sources and keeps whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/next_pluggable_device/c_api.h"
#include "tensorflow/c/kernels_experimental.h"

#define A(name, has_status, call)                                                                  \
    static void call_##name(TF_Status *status)                                                     \
    {                                                                                              \
        (void)status;                                                                              \
        call;                                                                                      \
    }
#define B(name, has_status, call)                                                                  \
    static void call_##name(TF_Status *status)                                                     \
    {                                                                                              \
        (void)status;                                                                              \
        assert_true((call) == 0);                                                                  \
    }
#include "absent_calls.h"
#undef A
#undef B

static const struct {
    const char *name;
    int has_status;
    void (*call)(TF_Status *status);
} table[] = {
#define A(name, has_status, call) {#name, has_status, call_##name},
#define B(name, has_status, call) {#name, has_status, call_##name},
#include "absent_calls.h"
};
enum { N = sizeof table / sizeof table[0] };

static void each_says_that_it_is_not_implemented(void **state)
{
    (void)state;
    assert_true(N > 0);
    for (size_t i = 0; i < N; i++) {
        char wanted[200] = "";
        TF_Status *status = TF_NewStatus();
        TF_SetStatus(status, TF_ABORTED, "");

        table[i].call(status);

        if (table[i].has_status) {
            strcat(strcpy(wanted, table[i].name), " is not implemented in this version of Oribi");
        }
        if (TF_GetCode(status) != (table[i].has_status ? TF_UNIMPLEMENTED : TF_ABORTED)) {
            fail_msg("%s: code %d", table[i].name, (int)TF_GetCode(status));
        }
        assert_string_equal(TF_Message(status), wanted);
        TF_DeleteStatus(status);
    }
}

static void each_bears_a_status_that_is_not_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        table[i].call(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_says_that_it_is_not_implemented),
        cmocka_unit_test(each_bears_a_status_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
