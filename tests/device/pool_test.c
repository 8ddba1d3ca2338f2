/* SPDX-License-Identifier: Apache-2.0 */
/* Thread pool: each unit exactly once, worker numbers exclusive, nesting, foreign threads,
 * cancellation, scheduled work, sleep and wake. Run it under TSan too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "device/pool.h"
#include "tensor/status.h"

enum { MOST_UNITS = 5000, MOST_THREADS = 16 };

typedef struct tally {
    atomic_int units[MOST_UNITS];
    atomic_int inside[MOST_THREADS]; /* blocks that run now, by worker number */
    atomic_int n_clashes, n_blocks;
    int n_threads;
    int64_t total;
} tally;

static oribi_pool *create(int threads)
{
    TF_Status *status = TF_NewStatus();
    oribi_pool *pool = oribi_pool_create(threads, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    return pool;
}

static void pause_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void count_units(void *object, int64_t begin, int64_t end, int worker)
{
    tally *t = object;
    bool is_wrong =
        worker < 0 || worker >= t->n_threads || begin < 0 || end > t->total || begin >= end;
    is_wrong = is_wrong || atomic_fetch_add(&t->inside[worker], 1) != 0;
    atomic_fetch_add(&t->n_clashes, is_wrong);
    for (int64_t i = begin; i < end; i++) {
        atomic_fetch_add_explicit(&t->units[i], 1, memory_order_relaxed);
    }
    atomic_fetch_add(&t->n_blocks, 1);
    if (!is_wrong) {
        atomic_fetch_sub(&t->inside[worker], 1);
    }
}

static tally *new_tally(oribi_pool *pool, int64_t total)
{
    tally *t = oribi_alloc_zero(1, sizeof(*t));
    t->n_threads = oribi_pool_threads(pool);
    t->total = total;
    return t;
}

static int count_wrong_units(const tally *t)
{
    int n_wrong = atomic_load(&t->n_clashes);
    for (int64_t i = 0; i < MOST_UNITS; i++) {
        n_wrong += atomic_load(&t->units[i]) != (i < t->total);
    }
    return n_wrong;
}

static void each_unit_is_done_exactly_once(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 8};
    for (size_t i = 0; i < 4; i++) {
        oribi_pool *pool = create(threads[i]);
        assert_int_equal(oribi_pool_threads(pool), threads[i]);
        for (int64_t total = 0; total < MOST_UNITS; total += 1 + total / 3) {
            for (int64_t cost = 1; cost < 1000000000; cost *= 37) {
                tally *t = new_tally(pool, total);
                oribi_pool_parallel_for(pool, total, cost, count_units, t, NULL);
                assert_int_equal(count_wrong_units(t), 0);
                oribi_free(t);
            }
        }
        oribi_pool_release(pool);
    }
}

static void blocks_have_the_size_asked_for(void **state)
{
    (void)state;
    oribi_pool *pool = create(4);
    tally *t = new_tally(pool, 1001);

    oribi_pool_parallel_blocks(pool, 1001, 10, count_units, t, NULL);

    assert_int_equal(count_wrong_units(t), 0);
    assert_int_equal(atomic_load(&t->n_blocks), 101);
    oribi_free(t);
    oribi_pool_release(pool);
}

static void no_pool_runs_on_the_caller(void **state)
{
    (void)state;
    tally *t = new_tally(NULL, 100);

    oribi_pool_parallel_for(NULL, 100, 1000000, count_units, t, NULL);

    assert_int_equal(count_wrong_units(t), 0);
    assert_int_equal(oribi_pool_threads(NULL), 1);
    assert_int_equal(oribi_pool_current_worker(NULL), 0);
    oribi_free(t);
    oribi_pool_release(NULL);
}

static void small_loop_stays_on_the_caller_in_one_block(void **state)
{
    (void)state;
    oribi_pool *pool = create(4);
    tally *t = new_tally(pool, 1000);

    oribi_pool_parallel_for(pool, 1000, 2, count_units, t, NULL);

    assert_int_equal(count_wrong_units(t), 0);
    assert_int_equal(atomic_load(&t->n_blocks), 1);
    oribi_free(t);
    oribi_pool_release(pool);
}

/* What the first block of each of two workers is, while both are inside. */
typedef struct meeting {
    atomic_int n_inside;
    atomic_int n_blocks, n_uneven;
    _Atomic int64_t first[2];
} meeting;

static void meet(void *object, int64_t begin, int64_t end, int worker)
{
    meeting *m = object;
    const int64_t size = end - begin;
    atomic_fetch_add(&m->n_blocks, 1);
    atomic_fetch_add(&m->n_uneven, size < 2 || size > 3);
    if (atomic_load(&m->first[worker]) < 0) {
        atomic_store(&m->first[worker], begin);
        atomic_fetch_add(&m->n_inside, 1);
        while (atomic_load(&m->n_inside) < 2) { /* the other one claims its first block */
            oribi_thread_yield();
        }
    }
}

static void each_thread_begins_in_a_half_of_its_own(void **state)
{
    (void)state;
    oribi_pool *pool = create(2);
    for (int i = 0; i < 100; i++) {
        meeting m = {.first = {-1, -1}};

        oribi_pool_parallel_blocks(pool, 10, 1, meet, &m, NULL);

        assert_int_equal(atomic_load(&m.first[0]), 0);
        assert_int_equal(atomic_load(&m.first[1]), 5);
    }
    oribi_pool_release(pool);
}

static void blocks_of_a_loop_differ_by_one_unit_and_are_as_many_for_each_thread(void **state)
{
    (void)state;
    oribi_pool *pool = create(2);
    meeting m = {.first = {-1, -1}};

    oribi_pool_parallel_for(pool, 20, 7000, meet, &m, NULL); /* seven blocks would do, of three */

    assert_int_equal(atomic_load(&m.n_blocks), 8);
    assert_int_equal(atomic_load(&m.n_uneven), 0);
    assert_int_equal(atomic_load(&m.first[1]), 10);
    oribi_pool_release(pool);
}

typedef struct sums { /* plain memory: the loop's end must make it visible */
    int64_t values[64];
} sums;

static void write_squares(void *object, int64_t begin, int64_t end, int worker)
{
    sums *s = object;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        s->values[i] += i * i;
    }
}

static void thousands_of_short_loops_lose_nothing(void **state)
{
    (void)state;
    oribi_pool *pool = create(3);
    sums s = {{0}};
    enum { LOOPS = 20000 };

    for (int loop = 0; loop < LOOPS; loop++) {
        oribi_pool_parallel_blocks(pool, 64, 1 + loop % 40, write_squares, &s, NULL);
        if (loop % 4000 == 0) {
            pause_ms(2); /* workers fall asleep and are woken */
        }
    }

    for (int64_t i = 0; i < 64; i++) {
        assert_int_equal(s.values[i], i * i * LOOPS);
    }
    oribi_pool_release(pool);
}

typedef struct nest {
    oribi_pool *pool;
    atomic_int n_done, n_wrong;
    int depth;
} nest;

static void go_deeper(void *object, int64_t begin, int64_t end, int worker)
{
    nest *outer = object;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        if (outer->depth == 0) {
            atomic_fetch_add(&outer->n_done, 1);
            continue;
        }
        nest inner = {.pool = outer->pool, .depth = outer->depth - 1};
        oribi_pool_parallel_blocks(outer->pool, 7, 1, go_deeper, &inner, NULL);
        atomic_fetch_add(&outer->n_done, atomic_load(&inner.n_done));
    }
}

static void loops_nest_deeply_from_callers_and_workers(void **state)
{
    (void)state;
    oribi_pool *pool = create(4);
    nest outer = {.pool = pool, .depth = 4};

    oribi_pool_parallel_blocks(pool, 7, 1, go_deeper, &outer, NULL);

    assert_int_equal(atomic_load(&outer.n_done), 7 * 7 * 7 * 7 * 7);
    oribi_pool_release(pool);
}

static void run_loops(void *arg)
{
    oribi_pool *pool = arg;
    for (int i = 0; i < 300; i++) {
        tally *t = new_tally(pool, 50 + i);
        oribi_pool_parallel_blocks(pool, 50 + i, 1 + i % 9, count_units, t, NULL);
        if (count_wrong_units(t) != 0) {
            abort();
        }
        oribi_free(t);
    }
}

static void foreign_threads_share_a_pool(void **state)
{
    (void)state;
    oribi_pool *pool = create(3);
    oribi_thread *threads[6];

    for (int i = 0; i < 6; i++) {
        threads[i] = oribi_thread_start(run_loops, pool, "caller", 0);
        assert_non_null(threads[i]);
    }
    for (int i = 0; i < 6; i++) {
        oribi_thread_join(threads[i]);
    }

    oribi_pool_release(pool);
}

typedef struct cancelling {
    atomic_int cancelled, n_blocks;
} cancelling;

static void cancel_in_the_third_block(void *object, int64_t begin, int64_t end, int worker)
{
    cancelling *c = object;
    (void)begin;
    (void)end;
    (void)worker;
    if (atomic_fetch_add(&c->n_blocks, 1) >= 2) { /* the third may be slower than the fourth */
        atomic_store(&c->cancelled, 1);
    }
}

static void cancelled_loop_starts_no_further_block(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        oribi_pool *pool = create(threads);
        cancelling c = {0};

        oribi_pool_parallel_blocks(pool, 100000, 1, cancel_in_the_third_block, &c, &c.cancelled);

        assert_in_range(atomic_load(&c.n_blocks), 3, 3 + threads);
        int before = atomic_load(&c.n_blocks);
        oribi_pool_parallel_for(pool, 1000, 100000, cancel_in_the_third_block, &c, &c.cancelled);
        assert_int_equal(atomic_load(&c.n_blocks), before);
        oribi_pool_release(pool);
    }
}

static void work_beyond_64_bits_of_cycles_is_still_cut(void **state)
{
    (void)state;
    oribi_pool *pool = create(2);
    cancelling c = {0};

    oribi_pool_parallel_for(pool, INT64_MAX, INT64_MAX, cancel_in_the_third_block, &c,
                            &c.cancelled);

    assert_in_range(atomic_load(&c.n_blocks), 3, 5);
    oribi_pool_release(pool);
}

typedef struct job {
    oribi_pool *pool;
    atomic_int n_done;
    atomic_int on_worker;
} job;

static void do_job(void *object)
{
    job *j = object;
    nest inner = {.pool = j->pool, .depth = 1};
    oribi_pool_parallel_blocks(j->pool, 7, 1, go_deeper, &inner, NULL);
    int worker = oribi_pool_current_worker(j->pool);
    atomic_fetch_add(&j->on_worker, worker > 0 && worker < oribi_pool_threads(j->pool));
    atomic_fetch_add(&j->n_done, atomic_load(&inner.n_done) == 49);
}

static void scheduled_work_is_done_before_destroy_returns(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        oribi_pool *pool = create(threads);
        job j = {.pool = pool};
        pause_ms(1);

        for (int i = 0; i < 200; i++) {
            assert_true(oribi_pool_schedule(pool, do_job, &j));
        }
        oribi_pool_release(pool);

        assert_int_equal(atomic_load(&j.n_done), 200);
        assert_int_equal(atomic_load(&j.on_worker), threads > 1 ? 200 : 0);
    }
}

static atomic_int n_meeting;

static void meet_another(void *object)
{
    (void)object;
    atomic_fetch_add(&n_meeting, 1);
    while (atomic_load(&n_meeting) < 2) {
        oribi_thread_yield();
    }
    atomic_fetch_add(&n_meeting, 8);
}

static void a_thread_that_sleeps_is_stood_in_for(void **state)
{
    (void)state;
    oribi_pool *pool = create(2); /* one worker, and the caller */

    for (int early = 0; early < 2; early++) {
        atomic_store(&n_meeting, 0);
        if (early == 1) {
            oribi_pool_lend(pool);
        }
        assert_true(oribi_pool_schedule(pool, meet_another, NULL));
        assert_true(oribi_pool_schedule(pool, meet_another, NULL));
        if (early == 0) {
            oribi_pool_lend(pool);
        }
        while (atomic_load(&n_meeting) < 18) {
            oribi_thread_yield();
        }
        oribi_pool_take_back(pool);
    }

    oribi_pool_release(pool);
}

static void steady_state_allocates_nothing(void **state)
{
    (void)state;
    oribi_pool *pool = create(4);
    sums s = {{0}};
    uint64_t before = oribi_alloc_count();

    for (int loop = 0; loop < 100; loop++) {
        oribi_pool_parallel_for(pool, 64, 100000, write_squares, &s, NULL);
    }

    assert_int_equal(oribi_alloc_count(), before);
    oribi_pool_release(pool);
}

static void idle_pool_takes_no_processor_time(void **state)
{
    (void)state;
    oribi_pool *pool = create(4);
    struct timespec before;
    struct timespec after;
    pause_ms(50);

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    pause_ms(300);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);

    int64_t used_ns =
        (after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec;
    assert_true(used_ns < 3000000); /* 1 % of 300 ms; processor time, so load does not matter */
    oribi_pool_release(pool);
}

static void creation_fails_cleanly_at_each_allocation(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        TF_Status *status = TF_NewStatus();
        int64_t live = oribi_alloc_live();
        oribi_alloc_fail_at(n, true);
        oribi_pool *pool = oribi_pool_create(4, status);
        oribi_alloc_fail_at(0, false);
        TF_Code code = TF_GetCode(status);
        TF_DeleteStatus(status);
        if (pool) {
            oribi_pool_release(pool);
            assert_true(n > 3);
            return;
        }
        assert_int_equal(code, TF_RESOURCE_EXHAUSTED);
        assert_int_equal(oribi_alloc_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_unit_is_done_exactly_once),
        cmocka_unit_test(blocks_have_the_size_asked_for),
        cmocka_unit_test(no_pool_runs_on_the_caller),
        cmocka_unit_test(each_thread_begins_in_a_half_of_its_own),
        cmocka_unit_test(blocks_of_a_loop_differ_by_one_unit_and_are_as_many_for_each_thread),
        cmocka_unit_test(small_loop_stays_on_the_caller_in_one_block),
        cmocka_unit_test(thousands_of_short_loops_lose_nothing),
        cmocka_unit_test(loops_nest_deeply_from_callers_and_workers),
        cmocka_unit_test(foreign_threads_share_a_pool),
        cmocka_unit_test(cancelled_loop_starts_no_further_block),
        cmocka_unit_test(work_beyond_64_bits_of_cycles_is_still_cut),
        cmocka_unit_test(scheduled_work_is_done_before_destroy_returns),
        cmocka_unit_test(a_thread_that_sleeps_is_stood_in_for),
        cmocka_unit_test(steady_state_allocates_nothing),
        cmocka_unit_test(idle_pool_takes_no_processor_time),
        cmocka_unit_test(creation_fails_cleanly_at_each_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
