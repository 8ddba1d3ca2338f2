/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: transactions, conflicts, threads, and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "op/op_test_support.h"
#include "support/fail_nth.h"

static const char *const float_op[] = {"input x: float", "output y: float", NULL};
static const char *const int_op[] = {"input x: int32", "output y: int32", NULL};

static void rollback_leaves_nothing(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    int64_t live = fail_nth_live();
    test_begin(status);
    test_register("RolledBack", float_op, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_non_null(oribi_op_find("RolledBack")); /* its own transaction sees it */

    oribi_op_rollback();

    assert_null(oribi_op_find("RolledBack"));
    assert_true(fail_nth_live() == live);
    TF_DeleteStatus(status);
}

static bool not_pending(void *arg, const oribi_op_def *op)
{
    assert_string_not_equal(op->name, arg);
    return true;
}

static void commit_makes_ops_visible_with_their_provider(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    assert_true(oribi_op_begin("first.so", status));
    test_register("Committed", float_op, status);
    oribi_op_each(not_pending, "Committed");

    assert_true(oribi_op_commit(status));

    const oribi_op_def *op = oribi_op_find("Committed");
    assert_string_equal(op->provider, "first.so");
    TF_DeleteStatus(status);
}

static void an_identical_definition_is_accepted_and_the_first_stays(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    const oribi_op_def *first = oribi_op_find("Committed");
    assert_true(oribi_op_begin("second.so", status));

    test_register("Committed", float_op, status);

    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(oribi_op_commit(status));
    assert_ptr_equal(oribi_op_find("Committed"), first);
    assert_string_equal(first->provider, "first.so");
    TF_DeleteStatus(status);
}

static void a_different_definition_names_both_and_fails_the_whole_load(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus(), *ignored = TF_NewStatus();
    assert_true(oribi_op_begin("third.so", status));
    test_register("BesideTheConflict", float_op, ignored);

    test_register("Committed", int_op, ignored);
    assert_int_equal(TF_GetCode(ignored), TF_ALREADY_EXISTS);
    assert_non_null(strstr(TF_Message(ignored), "Op with name Committed"));
    TF_SetStatus(ignored, TF_OK, "");

    assert_false(oribi_op_commit(status));
    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    assert_non_null(strstr(TF_Message(status), "'third.so'"));
    assert_non_null(strstr(TF_Message(status), "'first.so'"));
    assert_non_null(strstr(TF_Message(status), "'x: float' against 'x: int32'"));
    assert_null(oribi_op_find("BesideTheConflict"));
    TF_DeleteStatus(ignored);
    TF_DeleteStatus(status);
}

static void a_bad_spec_fails_the_whole_load_too(void **state)
{
    (void)state;
    const char *const bad[] = {"input x: nonsense", NULL};
    TF_Status *status = TF_NewStatus(), *ignored = TF_NewStatus();
    assert_true(oribi_op_begin("bad.so", status));
    test_register("Bad", bad, ignored);
    test_register("BesideTheBad", float_op, ignored);

    assert_false(oribi_op_commit(status));

    assert_non_null(strstr(TF_Message(status), "Reference to unknown attr 'nonsense'"));
    assert_null(oribi_op_find("BesideTheBad"));
    TF_DeleteStatus(ignored);
    TF_DeleteStatus(status);
}

static void two_ops_of_one_load_may_not_contradict_either(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    test_begin(status);
    test_register("Twice", float_op, status);
    test_register("Twice", float_op, status);
    assert_int_equal(TF_GetCode(status), TF_OK);

    test_register("Twice", int_op, status);

    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    oribi_op_rollback();
    TF_DeleteStatus(status);
}

static void one_transaction_at_a_time(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    test_begin(status);

    assert_false(oribi_op_begin("other.so", status));

    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    oribi_op_rollback();
    oribi_op_rollback(); /* a second one does nothing */
    TF_SetStatus(status, TF_OK, "");
    assert_false(oribi_op_commit(status));
    test_begin(status);
    oribi_op_rollback();
    TF_DeleteStatus(status);
}

static void differences_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *a[4], *b[4], *want;
    } cases[] = {
        {{"input x: float"}, {"input x: float", "input y: float"}, "1 inputs against 2"},
        {{"output x: float"}, {"output y: float"}, "output 0: 'x: float' against 'y: float'"},
        {{"attr a: int"}, {"attr a: int = 3"}, "attr 'a: int' against 'a: int = 3'"},
        {{"attr a: int = 2"}, {"attr a: int = 3"}, "attr 'a: int = 2' against 'a: int = 3'"},
        {{"attr a: int >= 2"}, {"attr a: int"}, "attr 'a: int >= 2' against 'a: int'"},
        {{"attr a: {float, half}"}, {"attr a: {half, float}"}, "attr 'a: {float, half}' against"},
        {{"attr a: int", "attr b: int"}, {"attr b: int", "attr a: int"}, "attr 'a: int' against"},
        {{"input x: Ref(float)"}, {"input x: float"}, "'x: Ref(float)' against 'x: float'"},
    };
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_begin(status);
        test_register("Differs", cases[i].a, status);
        test_register("Differs", cases[i].b, status);
        assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
        if (strstr(TF_Message(status), cases[i].want) == NULL) {
            fail_msg("wanted '%s' in '%s'", cases[i].want, TF_Message(status));
        }
        oribi_op_rollback();
    }
    TF_DeleteStatus(status);
}

enum { N_THREADS = 4, OPS_PER_THREAD = 400 };

static void register_and_look_up(void *arg)
{
    int thread = *(int *)arg;
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < OPS_PER_THREAD; i++) {
        char name[32];
        snprintf(name, sizeof name, "Thread%dOp%d", thread, i);
        test_register(name, float_op, status);
        const oribi_op_def *op = oribi_op_find(name);
        if (TF_GetCode(status) != TF_OK || op == NULL || op->n_inputs != 1) {
            *(int *)arg = -1;
        }
        snprintf(name, sizeof name, "Thread%dOp%d", (thread + 1) % N_THREADS, i);
        op = oribi_op_find(name); /* there or not, but whole */
        if (op != NULL && (op->n_outputs != 1 || op->outputs[0].type != TF_FLOAT)) {
            *(int *)arg = -1;
        }
    }
    TF_DeleteStatus(status);
}

static bool count_op(void *arg, const oribi_op_def *op)
{
    *(int *)arg += strncmp(op->name, "Thread", 6) == 0;
    return true;
}

static void threads_register_and_look_up_at_once(void **state)
{
    (void)state;
    int ids[N_THREADS], count = 0;
    oribi_thread *threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        ids[i] = i;
        threads[i] = oribi_thread_start(register_and_look_up, &ids[i], "ops", 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        oribi_thread_join(threads[i]);
        assert_int_equal(ids[i], i);
    }

    oribi_op_each(count_op, &count);

    assert_int_equal(count, N_THREADS * OPS_PER_THREAD);
}

static void look_for_pending(void *arg)
{
    *(bool *)arg = oribi_op_find("Pending") != NULL;
}

static void another_thread_does_not_see_what_is_pending(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    bool seen = true;
    test_begin(status);
    test_register("Pending", float_op, status);

    oribi_thread_join(oribi_thread_start(look_for_pending, &seen, "look", 0));

    assert_false(seen);
    oribi_op_rollback();
    TF_DeleteStatus(status);
}

static const char *const rich_op[] = {
    "attr T: {half, float} = DT_FLOAT",
    "attr N: int >= 0 = 2",
    "attr s: {'a', 'b'} = 'a'",
    "attr l: list(shape) = [{ dim { size: 3 } }, { unknown_rank: true }]",
    "attr t: tensor = { dtype: DT_STRING tensor_shape { } string_val: 'some text that is long' }",
    "input x: N * T",
    "output y: T",
    NULL};

static bool register_rich_op(void *arg)
{
    TF_Status *status = arg;
    TF_SetStatus(status, TF_OK, "");
    if (!oribi_op_begin("poor.so", status)) {
        return false;
    }
    test_register("Rich", rich_op, status);
    bool ok = TF_GetCode(status) == TF_OK && oribi_op_find("Rich") != NULL;
    assert_true(ok || TF_GetCode(status) == TF_RESOURCE_EXHAUSTED);
    oribi_op_rollback();
    return ok;
}

static void registration_survives_every_failing_allocation(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();

    fail_each_allocation(register_rich_op, status);

    TF_DeleteStatus(status);
}

static int attempts;
static bool commit_rich_op(void *arg)
{
    TF_Status *status = arg;
    char name[32];
    TF_SetStatus(status, TF_OK, "");
    snprintf(name, sizeof name, "RichNumber%d", attempts++);
    if (!oribi_op_begin("poor.so", status)) {
        return false;
    }
    test_register(name, rich_op, status);
    bool ok = oribi_op_commit(status);
    assert_true(ok == (oribi_op_find(name) != NULL));
    return ok;
}

static void commit_survives_every_failing_allocation(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();

    uint64_t n = 1;
    while (!fail_nth_once(commit_rich_op, status, n, true, true)) {
        (void)fail_nth_once(commit_rich_op, status, n, false, true);
        n++;
    }

    assert_true(n > 5);

    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rollback_leaves_nothing),
        cmocka_unit_test(commit_makes_ops_visible_with_their_provider),
        cmocka_unit_test(an_identical_definition_is_accepted_and_the_first_stays),
        cmocka_unit_test(a_different_definition_names_both_and_fails_the_whole_load),
        cmocka_unit_test(a_bad_spec_fails_the_whole_load_too),
        cmocka_unit_test(two_ops_of_one_load_may_not_contradict_either),
        cmocka_unit_test(one_transaction_at_a_time),
        cmocka_unit_test(differences_are_told),
        cmocka_unit_test(threads_register_and_look_up_at_once),
        cmocka_unit_test(another_thread_does_not_see_what_is_pending),
        cmocka_unit_test(registration_survives_every_failing_allocation),
        cmocka_unit_test(commit_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
