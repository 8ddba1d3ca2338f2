/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of runs that have a time limit: the device calls back, and is not asked again and again. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "devices/on_spy.h"

static int setup(void **state)
{
    (void)state;
    spy_load("delay_us=2000"); /* so that the host is always there first */
    return 0;
}

typedef struct pair {
    oribi_session *cpu, *session;
    oribi_run *expected, *run;
} pair;

static pair make_pair(void)
{
    pair p = {.cpu = device_session(device_dense(ROWS, true), NULL, NULL),
              .session = device_session(device_dense(ROWS, true), "FAKE:0", NULL)};
    p.expected = device_run(p.cpu, ROWS, -3);
    p.run = device_run(p.session, ROWS, -3);
    small_execute(p.expected);
    return p;
}

static void free_pair(pair *p)
{
    oribi_run_destroy(p->expected);
    oribi_run_destroy(p->run);
    oribi_session_destroy(p->cpu);
    oribi_session_destroy(p->session);
    assert_int_equal(fake_live_bytes(), 0);
}

/* Two waits: each asks for the event's status once, after it came. */
static void a_run_with_a_time_limit_is_called_back(void **state)
{
    (void)state;
    pair p = make_pair();
    oribi_run_set_time_limit(p.run, 60000000000u);
    small_execute(p.run);

    for (int i = 0; i < 3; i++) {
        const int64_t n = spy_calls("host_callback"), asked = spy_calls("get_event_status");
        small_execute(p.run);
        assert_int_equal(oribi_run_num_waits(p.run), 2);
        assert_int_equal(spy_calls("host_callback") - n, 2);
        assert_int_equal(spy_calls("get_event_status") - asked, 2);
        device_expect_same(p.expected, p.run);
    }
    free_pair(&p);
}

static void a_run_without_one_waits_for_events_alone(void **state)
{
    (void)state;
    pair p = make_pair();
    const int64_t n = spy_calls("host_callback");

    small_execute(p.run);
    small_execute(p.run);

    assert_int_equal(spy_calls("host_callback"), n);
    free_pair(&p);
}

static void a_device_that_refuses_callbacks_is_asked_instead(void **state)
{
    (void)state;
    pair p = make_pair();
    small_execute(p.run);
    oribi_run_set_time_limit(p.run, 60000000000u);
    const int64_t asked = spy_calls("get_event_status");

    spy_set_callbacks(0);
    small_execute(p.run);
    spy_set_callbacks(1);

    assert_true(spy_calls("get_event_status") - asked > 2);
    device_expect_same(p.expected, p.run);
    small_execute(p.run);
    free_pair(&p);
}

static void *cancel_soon(void *arg)
{
    const struct timespec pause = {0, 60000000};
    nanosleep(&pause, NULL);
    oribi_run_cancel(arg);
    return NULL;
}

/* The event is 300 ms late: the callback comes when nobody waits for it any more. */
static void a_wait_that_is_cancelled_leaves_its_callback_alone(void **state)
{
    (void)state;
    pair p = make_pair();
    TF_Status *status = TF_NewStatus();
    pthread_t thread;
    small_execute(p.run);
    oribi_run_set_time_limit(p.run, 60000000000u);

    fake_plant("late", 0, 1, 1);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, p.run), 0);
    oribi_run_execute(p.run, status);
    pthread_join(thread, NULL);

    assert_int_equal(TF_GetCode(status), TF_CANCELLED);
    TF_DeleteStatus(status);
    free_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_with_a_time_limit_is_called_back),
        cmocka_unit_test(a_run_without_one_waits_for_events_alone),
        cmocka_unit_test(a_device_that_refuses_callbacks_is_asked_instead),
        cmocka_unit_test(a_wait_that_is_cancelled_leaves_its_callback_alone),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
