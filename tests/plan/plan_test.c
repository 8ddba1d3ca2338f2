/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner: worked examples, random instances under an independent checker, and tiny ones
 * against exhaustive search. ORIBI_TEST_SEED replaces the first seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "plan/plan_check.h"
#include "tensor/status.h"

enum { MOST = 64 };

typedef struct instance {
    oribi_plan_buffer buffers[MOST];
    oribi_plan_alias aliases[MOST];
    oribi_plan_pool pools[3];
    int32_t n, n_aliases, n_pools;
    oribi_plan_bounds bounds;
} instance;

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 16) % n);
}

static uint64_t first_seed(void)
{
    const char *text = getenv("ORIBI_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : 1;
    print_message("seed %llu (ORIBI_TEST_SEED)\n", (unsigned long long)seed);
    return seed;
}

static TF_Code plan(instance *it, int64_t effort)
{
    TF_Status *status = TF_NewStatus();
    oribi_plan_memory_search(it->buffers, it->n, it->aliases, it->n_aliases, it->pools, it->n_pools,
                             &it->bounds, effort, status);
    TF_Code code = TF_GetCode(status);
    TF_DeleteStatus(status);
    return code;
}

static const char *check(const instance *it, int32_t *i, int32_t *j)
{
    return plan_check(it->buffers, it->n, it->aliases, it->n_aliases, it->pools, it->n_pools, i, j);
}

static void assert_valid(const instance *it, uint64_t seed)
{
    int32_t i;
    int32_t j;
    const char *wrong = check(it, &i, &j);
    if (wrong) {
        fail_msg("seed %llu: buffers %d and %d: %s", (unsigned long long)seed, i, j, wrong);
    }
}

static void add(instance *it, uint64_t bytes, int32_t first, int32_t last)
{
    it->buffers[it->n++] = (oribi_plan_buffer){
        .bytes = bytes, .alignment = 1, .first_use = first, .last_use = last, .allowed_pools = 1};
    it->n_pools = 1;
}

static void random_instance(instance *it, uint64_t seed, int32_t n, uint32_t most_bytes,
                            uint32_t steps, uint32_t alias_percent)
{
    memset(it, 0, sizeof(*it));
    random_state = seed * 0x9E3779B97F4A7C15u + 1;
    for (int32_t i = 0; i < n; i++) {
        uint64_t bytes = 1 + random_below(most_bytes); /* one at a time: the order is fixed */
        int32_t first = (int32_t)random_below(steps);
        int32_t last = first + (int32_t)random_below(steps / 2 + 1);
        add(it, bytes, first, last);
        it->buffers[i].alignment = 1u << random_below(3);
    }
    for (int32_t b = 0; b < n; b++) {
        for (int32_t a = 0; a < n && it->n_aliases < MOST; a++) {
            if (a != b && it->buffers[a].last_use == it->buffers[b].first_use &&
                random_below(100) < alias_percent) {
                int64_t offset = (int64_t)random_below(most_bytes) - most_bytes / 3;
                it->aliases[it->n_aliases++] = (oribi_plan_alias){
                    a, b, offset < 0 ? INT64_MIN : offset, offset < 0 ? offset : INT64_MAX};
            }
        }
    }
}

/* Windows that end on both sides, some of one pair, some of a single offset or of none. */
static void add_random_windows(instance *it, int32_t most_bytes)
{
    for (int32_t k = 0; k < it->n_aliases; k++) {
        const int64_t middle = (int64_t)random_below((uint32_t)most_bytes * 2) - most_bytes;
        it->aliases[k].min_offset = middle;
        it->aliases[k].max_offset = middle + (int64_t)random_below(8) - 1;
        if (k > 0 && random_below(4) == 0) {
            it->aliases[k].a = it->aliases[k - 1].a;
            it->aliases[k].b = it->aliases[k - 1].b;
        }
    }
}

static void chain_of_buffers_needs_the_two_largest_neighbours(void **state)
{
    (void)state;
    instance it = {0};
    const uint64_t bytes[] = {100, 400, 50, 300, 350, 20};
    for (int32_t i = 0; i < 6; i++) {
        add(&it, bytes[i], i, i + 1);
    }

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.pools[0].out_bytes, 650);
    assert_int_equal(it.bounds.floor_no_alias_bytes, 650);
    assert_int_equal(it.bounds.bound_bytes, 650);
}

static void buffer_goes_into_the_gap_that_an_earlier_one_left(void **state)
{
    (void)state;
    instance it = {0};
    add(&it, 10, 0, 1);
    add(&it, 10, 0, 9);
    add(&it, 10, 2, 9);

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.pools[0].out_bytes, 20);
}

static void in_place_step_needs_one_buffer(void **state)
{
    (void)state;
    instance it = {0};
    add(&it, 100, 0, 1);
    add(&it, 100, 1, 2);
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 1, 0, INT64_MAX};

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.pools[0].out_bytes, 100);
    assert_int_equal(it.bounds.floor_no_alias_bytes, 200);
    assert_int_equal(it.bounds.bound_bytes, 100);
}

static void output_overlaps_input_by_a_diagonal_from_below(void **state)
{
    (void)state;
    instance it = {0}; /* as a convolution that reads 20 bytes ahead of what it writes */
    add(&it, 100, 0, 1);
    add(&it, 90, 1, 2);
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 1, INT64_MIN, -20};

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.pools[0].out_bytes, 120);
    assert_int_equal(it.bounds.bound_bytes, 120);
    assert_int_equal(it.buffers[0].out_offset, 20);
}

static void output_overlaps_input_from_above(void **state)
{
    (void)state;
    instance it = {0};
    add(&it, 100, 0, 1);
    add(&it, 100, 1, 2);
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 1, 30, INT64_MAX};

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.pools[0].out_bytes, 130);
}

static void exactly_in_place_is_one_offset_for_buffers_of_two_sizes(void **state)
{
    (void)state;
    instance it = {0}; /* the output must begin where the input begins; 10 bytes of it outlive it */
    add(&it, 100, 0, 1);
    add(&it, 40, 1, 2);
    add(&it, 30, 0, 2);
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 1, 0, 0};

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.buffers[1].out_offset, it.buffers[0].out_offset);
    assert_int_equal(it.pools[0].out_bytes, 130);
    assert_int_equal(it.bounds.bound_bytes, 130);
}

static void window_of_no_offset_saves_nothing(void **state)
{
    (void)state;
    instance it = {0};
    add(&it, 96, 0, 1);
    add(&it, 96, 1, 2);
    it.buffers[0].alignment = it.buffers[1].alignment = 32;
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 1, 1, 31};
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 1, 20, 10};

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.pools[0].out_bytes, 192);
    assert_int_equal(it.bounds.bound_bytes, 192);
}

static void alias_of_buffers_that_share_more_steps_has_no_effect(void **state)
{
    (void)state;
    instance it = {0};
    add(&it, 100, 0, 3);
    add(&it, 100, 1, 4);
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 1, 0, INT64_MAX};

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.pools[0].out_bytes, 200);
}

static void alignment_is_kept_and_its_gaps_are_in_the_bound(void **state)
{
    (void)state;
    instance it = {0};
    for (int32_t i = 0; i < 3; i++) {
        add(&it, 10, 0, 5);
        it.buffers[i].alignment = 64;
    }

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.pools[0].out_bytes, 138);
    assert_int_equal(it.bounds.bound_bytes, 138);
}

static void full_pool_spills_to_the_next_allowed_one(void **state)
{
    (void)state;
    instance it = {0};
    for (int32_t i = 0; i < 3; i++) {
        add(&it, 100, 0, 1);
        it.buffers[i].allowed_pools = i == 0 ? 1 : 3;
    }
    it.n_pools = 2;
    it.pools[0].max_bytes = 250;

    assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);

    assert_valid(&it, 0);
    assert_int_equal(it.buffers[0].out_pool, 0);
    assert_int_equal(it.pools[0].out_bytes, 200);
    assert_int_equal(it.pools[1].out_bytes, 100);
}

static void limit_that_cannot_be_met_is_reported_and_changes_nothing(void **state)
{
    (void)state;
    instance it = {0};
    add(&it, 100, 0, 1);
    add(&it, 101, 0, 1);
    it.pools[0].max_bytes = 200;
    instance before = it;
    TF_Status *status = TF_NewStatus();

    bool ok = oribi_plan_memory(it.buffers, it.n, NULL, 0, it.pools, 1, &it.bounds, status);

    assert_false(ok);
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(TF_Message(status), "pool 0 needs 201 bytes but may have only 200"));
    assert_memory_equal(&it, &before, sizeof(it));
    TF_DeleteStatus(status);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    instance good = {0};
    add(&good, 8, 0, 1);
    add(&good, 8, 1, 2);
    instance it = good;
    it.buffers[1].alignment = 3;
    assert_int_equal(plan(&it, 1), TF_INVALID_ARGUMENT);
    it = good;
    it.buffers[0].last_use = -1;
    assert_int_equal(plan(&it, 1), TF_INVALID_ARGUMENT);
    it = good;
    it.buffers[0].allowed_pools = 2;
    assert_int_equal(plan(&it, 1), TF_INVALID_ARGUMENT);
    it = good;
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 2, 0, 0};
    assert_int_equal(plan(&it, 1), TF_INVALID_ARGUMENT);
    it = good;
    it.n_pools = 0;
    assert_int_equal(plan(&it, 1), TF_INVALID_ARGUMENT);
    it = good;
    it.buffers[0].bytes = UINT64_MAX - 4;
    assert_int_equal(plan(&it, 1), TF_RESOURCE_EXHAUSTED);
    it = good;
    it.aliases[it.n_aliases++] = (oribi_plan_alias){0, 1, INT64_MIN, INT64_MIN};
    assert_int_equal(plan(&it, 1), TF_OK);
    assert_valid(&it, 0);
}

static void random_plans_are_valid_and_the_same_each_time(void **state)
{
    (void)state;
    uint64_t seed = first_seed();
    for (uint64_t end = seed + 300; seed < end; seed++) {
        instance it;
        random_instance(&it, seed, 1 + (int32_t)(seed % 40), 200, 3 + (uint32_t)(seed % 17), 30);
        if (seed % 3 == 0) { /* three pools, two of them small */
            it.n_pools = 3;
            for (int32_t i = 0; i < it.n; i++) {
                it.buffers[i].allowed_pools = 4 | random_below(4);
            }
            it.pools[0].max_bytes = 300;
            it.pools[1].max_bytes = 200;
        }
        instance again = it;

        assert_int_equal(plan(&it, 50000), TF_OK);
        assert_valid(&it, seed);
        assert_true(it.n_pools > 1 || it.pools[0].out_bytes >= it.bounds.bound_bytes);
        assert_true(it.bounds.bound_bytes <= it.bounds.floor_no_alias_bytes);

        assert_int_equal(plan(&again, 50000), TF_OK);
        assert_memory_equal(&it, &again, sizeof(it));
    }
}

static uint64_t digest_of(uint64_t digest, uint64_t value)
{
    return (digest ^ value) * 1099511628211u;
}

static void plans_are_the_same_on_every_host(void **state)
{
    (void)state;
    uint64_t digest = 14695981039346656037u;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        instance it;
        random_instance(&it, seed, 5 + (int32_t)(seed % 50), 1000, 12, 20);
        assert_int_equal(plan(&it, 30000), TF_OK);
        for (int32_t i = 0; i < it.n; i++) {
            digest = digest_of(digest, it.buffers[i].out_offset);
        }
    }
    /* Changes when the planner does; it must not change with compiler, host or optimisation. */
    assert_int_equal(digest, 0x1cf00ffd2de591e8u);
}

/* Exhaustive: buffers i.. at every offset below `height`. */
static bool fits(instance *it, int32_t i, uint64_t height)
{
    if (i == it->n) {
        return true;
    }
    instance part = {.n_pools = 1, .pools = {{0, height}}};
    oribi_plan_buffer *buffer = &it->buffers[i];
    for (uint64_t at = 0; at + buffer->bytes <= height; at += buffer->alignment) {
        int32_t x;
        int32_t y;
        buffer->out_offset = at;
        buffer->out_pool = 0;
        if (!plan_check(it->buffers, i + 1, it->aliases, it->n_aliases, part.pools, 1, &x, &y) &&
            fits(it, i + 1, height)) {
            return true;
        }
    }
    return false;
}

static void tiny_plans_are_optimal(void **state)
{
    (void)state;
    int n_at_bound = 0;
    uint64_t seed = first_seed();
    uint64_t end = seed + 400;
    for (; seed < end; seed++) {
        instance it;
        random_instance(&it, seed, 2 + (int32_t)(seed % 5), 7, 5, 50);
        instance oracle = it;

        assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);
        assert_valid(&it, seed);

        uint64_t height = it.pools[0].out_bytes - 1;
        if (fits(&oracle, 0, height)) {
            fail_msg("seed %llu: planned %llu bytes, %llu are enough", (unsigned long long)seed,
                     (unsigned long long)height + 1, (unsigned long long)height);
        }
        n_at_bound += it.pools[0].out_bytes == it.bounds.bound_bytes;
    }
    print_message("%d of 400 reach the bound, all are optimal\n", n_at_bound);
}

static void plans_with_windows_are_valid_and_hardly_ever_miss_the_best(void **state)
{
    (void)state;
    int n_missed = 0;
    uint64_t seed = first_seed();
    for (uint64_t end = seed + 300; seed < end; seed++) {
        instance it;
        random_instance(&it, seed, 2 + (int32_t)(seed % 30), 100, 3 + (uint32_t)(seed % 9), 40);
        add_random_windows(&it, 100);
        assert_int_equal(plan(&it, 50000), TF_OK);
        assert_valid(&it, seed);
        assert_true(it.pools[0].out_bytes >= it.bounds.bound_bytes);

        random_instance(&it, seed, 2 + (int32_t)(seed % 5), 7, 5, 60);
        add_random_windows(&it, 7);
        instance oracle = it;
        assert_int_equal(plan(&it, ORIBI_PLAN_QUICK), TF_OK);
        assert_valid(&it, seed);
        n_missed += fits(&oracle, 0, it.pools[0].out_bytes - 1);
    }
    print_message("%d of 300 tiny ones are not the best\n", n_missed);
    assert_true(n_missed <= 6);
}

/* The checker must see an alias whose offset is wrong by one. */
static void checker_finds_a_window_that_is_left_by_one(void **state)
{
    (void)state;
    int n_found = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        instance it;
        random_instance(&it, seed, 10, 50, 6, 60);
        add_random_windows(&it, 50);
        for (int32_t k = 0; k < it.n_aliases; k++) { /* what the planner believes, one byte more */
            it.aliases[k].max_offset++;
        }
        assert_int_equal(plan(&it, 20000), TF_OK);
        assert_valid(&it, seed);
        for (int32_t k = 0; k < it.n_aliases; k++) {
            it.aliases[k].max_offset--;
        }
        int32_t i;
        int32_t j;
        n_found += check(&it, &i, &j) != NULL;
    }
    print_message("%d of 60 plans used the wrong byte\n", n_found);
    assert_true(n_found > 5);
}

/* The checker must see a plan whose planner forgot one pair. */
static void checker_finds_one_forgotten_conflict(void **state)
{
    (void)state;
    int n_found = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        instance it;
        random_instance(&it, seed, 12, 50, 6, 0);
        assert_int_equal(plan(&it, 20000), TF_OK);
        assert_valid(&it, seed);
        /* As if the pair (0, k) had been ignored: 0 lies where a neighbour lies. */
        for (int32_t k = 1; k < it.n; k++) {
            const oribi_plan_buffer *x = &it.buffers[0];
            const oribi_plan_buffer *y = &it.buffers[k];
            if (x->first_use <= y->last_use && y->first_use <= x->last_use) {
                int32_t i;
                int32_t j;
                instance faulty = it;
                faulty.buffers[0].alignment = 1;
                faulty.buffers[0].out_offset = y->out_offset;
                faulty.pools[0].out_bytes += 100;
                assert_non_null(check(&faulty, &i, &j));
                n_found++;
            }
        }
    }
    assert_true(n_found > 100);
}

static void too_many_conflicts_for_a_search_still_give_a_valid_plan(void **state)
{
    (void)state;
    enum { N = 3000 };
    oribi_plan_buffer *buffers = oribi_alloc_zero(N, sizeof(*buffers));
    oribi_plan_pool pool = {0};
    TF_Status *status = TF_NewStatus();
    random_state = 7;
    for (int32_t i = 0; i < N; i++) {
        buffers[i] = (oribi_plan_buffer){.bytes = 1 + random_below(100),
                                         .alignment = 4,
                                         .first_use = i / 2,
                                         .last_use = i / 2 + 800 + (int32_t)random_below(800),
                                         .allowed_pools = 1};
    }

    assert_true(oribi_plan_memory(buffers, N, NULL, 0, &pool, 1, NULL, status));

    int32_t i;
    int32_t j;
    assert_null(plan_check(buffers, N, NULL, 0, &pool, 1, &i, &j));
    TF_DeleteStatus(status);
    oribi_free(buffers);
}

static void plan_fails_cleanly_at_each_allocation(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        instance it;
        random_instance(&it, 5, 30, 100, 9, 30);
        instance before = it;
        TF_Status *status = TF_NewStatus();
        int64_t live = oribi_alloc_live();
        oribi_alloc_fail_at(n, true);
        bool ok = oribi_plan_memory(it.buffers, it.n, it.aliases, it.n_aliases, it.pools, 1,
                                    &it.bounds, status);
        oribi_alloc_fail_at(0, false);
        assert_int_equal(oribi_alloc_live(), live);
        TF_Code code = TF_GetCode(status);
        TF_DeleteStatus(status);
        if (ok) {
            assert_true(n > 3);
            return;
        }
        assert_int_equal(code, TF_RESOURCE_EXHAUSTED);
        assert_memory_equal(&it, &before, sizeof(it));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_buffers_needs_the_two_largest_neighbours),
        cmocka_unit_test(buffer_goes_into_the_gap_that_an_earlier_one_left),
        cmocka_unit_test(in_place_step_needs_one_buffer),
        cmocka_unit_test(output_overlaps_input_by_a_diagonal_from_below),
        cmocka_unit_test(output_overlaps_input_from_above),
        cmocka_unit_test(exactly_in_place_is_one_offset_for_buffers_of_two_sizes),
        cmocka_unit_test(window_of_no_offset_saves_nothing),
        cmocka_unit_test(plans_with_windows_are_valid_and_hardly_ever_miss_the_best),
        cmocka_unit_test(checker_finds_a_window_that_is_left_by_one),
        cmocka_unit_test(alias_of_buffers_that_share_more_steps_has_no_effect),
        cmocka_unit_test(alignment_is_kept_and_its_gaps_are_in_the_bound),
        cmocka_unit_test(full_pool_spills_to_the_next_allowed_one),
        cmocka_unit_test(limit_that_cannot_be_met_is_reported_and_changes_nothing),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(random_plans_are_valid_and_the_same_each_time),
        cmocka_unit_test(plans_are_the_same_on_every_host),
        cmocka_unit_test(tiny_plans_are_optimal),
        cmocka_unit_test(checker_finds_one_forgotten_conflict),
        cmocka_unit_test(too_many_conflicts_for_a_search_still_give_a_valid_plan),
        cmocka_unit_test(plan_fails_cleanly_at_each_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
