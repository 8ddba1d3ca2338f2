/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, conditions with deadlines, what a container may use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/cgroup.h"
#include "base/thread.h"

typedef struct counter {
    oribi_mutex mutex;
    oribi_cond cond;
    int count;
} counter;

static void count_up(void *arg)
{
    counter *c = arg;
    for (int i = 0; i < 1000; i++) {
        oribi_mutex_lock(&c->mutex);
        c->count++;
        oribi_cond_signal(&c->cond);
        oribi_mutex_unlock(&c->mutex);
    }
}

static void threads_count_under_a_lock(void **state)
{
    (void)state;
    counter c = {.count = 0};
    oribi_thread *threads[4];
    int64_t live = oribi_alloc_live();
    assert_true(oribi_mutex_init(&c.mutex));
    assert_true(oribi_cond_init(&c.cond));
    for (int i = 0; i < 4; i++) {
        threads[i] = oribi_thread_start(count_up, &c, "counts-with-a-long-name", i == 0 ? 1 : 0);
        assert_non_null(threads[i]);
    }

    oribi_mutex_lock(&c.mutex);
    while (c.count < 4000) {
        oribi_cond_wait(&c.cond, &c.mutex);
    }
    oribi_mutex_unlock(&c.mutex);
    for (int i = 0; i < 4; i++) {
        oribi_thread_join(threads[i]);
    }
    oribi_thread_join(NULL);

    assert_int_equal(c.count, 4000);
    assert_int_equal(oribi_alloc_live(), live);
    oribi_cond_destroy(&c.cond);
    oribi_mutex_destroy(&c.mutex);
}

static void wait_ends_at_its_deadline_and_not_before(void **state)
{
    (void)state;
    oribi_mutex mutex = ORIBI_MUTEX_INIT;
    oribi_cond cond = ORIBI_COND_INIT; /* the static kind obeys the monotonic clock too */
    uint64_t deadline = oribi_now_ns() + 20000000;

    oribi_mutex_lock(&mutex);
    while (oribi_cond_wait_until(&cond, &mutex, deadline)) {
    }
    oribi_mutex_unlock(&mutex);

    assert_true(oribi_now_ns() >= deadline);
    oribi_mutex_lock(&mutex);
    assert_false(oribi_cond_wait_until(&cond, &mutex, 0));
    oribi_mutex_unlock(&mutex);
}

static void signal_before_the_deadline_is_seen(void **state)
{
    (void)state;
    counter c = {.mutex = ORIBI_MUTEX_INIT, .cond = ORIBI_COND_INIT};
    bool in_time = true;

    oribi_mutex_lock(&c.mutex);
    oribi_thread *thread = oribi_thread_start(count_up, &c, NULL, 0);
    assert_non_null(thread);
    while (c.count == 0 && in_time) {
        in_time = oribi_cond_wait_until(&c.cond, &c.mutex, oribi_now_ns() + 60000000000u);
    }
    oribi_mutex_unlock(&c.mutex);
    oribi_thread_join(thread);

    assert_true(in_time);
}

static int once_calls;
static void call_once(void)
{
    once_calls++;
}

static void once_runs_once(void **state)
{
    (void)state;
    oribi_once once = ORIBI_ONCE_INIT;
    oribi_once_call(&once, call_once);
    oribi_once_call(&once, call_once);
    assert_int_equal(once_calls, 1);
}

static void thread_without_memory_does_not_start(void **state)
{
    (void)state;
    oribi_alloc_fail_at(1, false);
    oribi_thread *thread = oribi_thread_start(count_up, NULL, NULL, 0);
    oribi_alloc_fail_at(0, false);
    assert_null(thread);
}

static void machine_has_a_processor_and_memory(void **state)
{
    (void)state;
    assert_in_range(oribi_processor_count(), 1, 1 << 20);
    assert_true(oribi_memory_limit_bytes() > 1 << 20);
    assert_true(oribi_memory_limit_bytes() < UINT64_MAX);
}

static void cpu_quota_is_read_in_whole_processors(void **state)
{
    (void)state;
    assert_int_equal(oribi_cgroup_parse_cpu_max("max 100000\n"), 0);
    assert_int_equal(oribi_cgroup_parse_cpu_max("200000 100000\n"), 2);
    assert_int_equal(oribi_cgroup_parse_cpu_max("399999 100000"), 3);
    assert_int_equal(oribi_cgroup_parse_cpu_max("50000 100000"), 1);
    assert_int_equal(oribi_cgroup_parse_cpu_max("-1 100000"), 0);
    assert_int_equal(oribi_cgroup_parse_cpu_max("100000 0"), 0);
    assert_int_equal(oribi_cgroup_parse_cpu_max(""), 0);
    assert_int_equal(oribi_cgroup_parse_cpu_max("9223372036854775807 1"), 1 << 20);
}

static void memory_limit_is_read_in_bytes(void **state)
{
    (void)state;
    assert_true(oribi_cgroup_parse_bytes("1073741824\n") == 1073741824);
    assert_true(oribi_cgroup_parse_bytes("max\n") == UINT64_MAX);
    assert_true(oribi_cgroup_parse_bytes("") == UINT64_MAX);
    assert_true(oribi_cgroup_parse_bytes("-1") == UINT64_MAX);
}

static void group_path_is_found_for_both_versions(void **state)
{
    (void)state;
    static const char both[] =
        "12:cpuset:/a\n4:cpu,cpuacct:/docker/x:y\n3:memory:/\n0::/user.slice";
    char path[64];

    assert_true(oribi_cgroup_find_path(both, "", path, sizeof(path)));
    assert_string_equal(path, "/user.slice");
    assert_true(oribi_cgroup_find_path(both, "cpu", path, sizeof(path)));
    assert_string_equal(path, "/docker/x:y");
    assert_true(oribi_cgroup_find_path(both, "memory", path, sizeof(path)));
    assert_string_equal(path, "/");
    assert_false(oribi_cgroup_find_path(both, "pids", path, sizeof(path)));
    assert_false(oribi_cgroup_find_path(both, "cpu", path, 5));
    assert_false(oribi_cgroup_find_path("garbage\n1:\n", "", path, sizeof(path)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_count_under_a_lock),
        cmocka_unit_test(wait_ends_at_its_deadline_and_not_before),
        cmocka_unit_test(signal_before_the_deadline_is_seen),
        cmocka_unit_test(once_runs_once),
        cmocka_unit_test(thread_without_memory_does_not_start),
        cmocka_unit_test(machine_has_a_processor_and_memory),
        cmocka_unit_test(cpu_quota_is_read_in_whole_processors),
        cmocka_unit_test(memory_limit_is_read_in_bytes),
        cmocka_unit_test(group_path_is_found_for_both_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
