/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner on large problems: the pass over time gives the offsets that a plain walk over a
 * sorted list gives, to the byte, and the planner's work grows as n log n, which its own counter
 * proves, not a clock. ORIBI_TEST_SEED replaces the first seed.
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
#include "plan/planner_internal.h"
#include "tensor/patience.h"
#include "tensor/status.h"

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 16) % n);
}

/* --- The reference: a sorted list of live buffers, walked from the lowest ----------------------
 */

typedef struct live_list {
    int32_t *by_offset;
    int32_t n;
} live_list;

static uint64_t list_fit(const plan_problem *problem, const plan_layout *layout, live_list *list,
                         int32_t j, int32_t *out_slot)
{
    const oribi_plan_buffer *buffer = &problem->buffers[j];
    const uint64_t mask = buffer->alignment - 1;
    uint64_t offset = 0;
    int32_t kept = 0;
    int32_t found = -1;
    for (int32_t k = 0; k < list->n; k++) {
        const int32_t i = list->by_offset[k];
        if (problem->buffers[i].last_use < buffer->first_use) {
            continue;
        }
        if (found < 0 && offset + buffer->bytes <= layout->offset[i]) {
            found = kept;
        }
        if (found < 0) {
            offset = (layout->offset[i] + problem->buffers[i].bytes + mask) & ~mask;
        }
        list->by_offset[kept++] = i;
    }
    list->n = kept;
    *out_slot = found < 0 ? kept : found;
    return offset;
}

static void place_by_list(plan_problem *problem, plan_layout *layout)
{
    live_list lists[PLAN_MAX_POOLS] = {{0}};
    for (int32_t p = 0; p < problem->n_pools; p++) {
        lists[p].by_offset =
            oribi_arena_array(&problem->arena, (size_t)problem->n + 1, sizeof(int32_t));
    }
    oribi__plan_layout_clear(problem, layout);
    for (int32_t k = 0; k < problem->n; k++) {
        const int32_t j = problem->by_first_use[k];
        const oribi_plan_buffer *buffer = &problem->buffers[j];
        uint64_t least_over = UINT64_MAX;
        uint64_t offset = 0;
        int32_t slot = 0;
        int32_t pool = __builtin_ctz(buffer->allowed_pools);
        for (int32_t p = pool; buffer->bytes && p < problem->n_pools && least_over; p++) {
            if (buffer->allowed_pools >> p & 1) {
                int32_t here;
                const uint64_t at = list_fit(problem, layout, &lists[p], j, &here);
                const uint64_t limit = problem->pools[p].max_bytes;
                const uint64_t end = at + buffer->bytes;
                const uint64_t over = limit && end > limit ? end - limit : 0;
                if (over < least_over) {
                    least_over = over;
                    offset = at;
                    slot = here;
                    pool = p;
                }
            }
        }
        if (buffer->bytes) {
            live_list *list = &lists[pool];
            memmove(list->by_offset + slot + 1, list->by_offset + slot,
                    (size_t)(list->n - slot) * sizeof(int32_t));
            list->by_offset[slot] = j;
            list->n++;
        }
        oribi__plan_put(problem, layout, j, pool, offset);
    }
}

/* --- Random problems ---------------------------------------------------------------------------
 */

enum { MOST = 400 };

static void sort_by_steps(plan_problem *problem)
{
    const size_t n = (size_t)problem->n + 1;
    uint64_t *keys = oribi_arena_array(&problem->arena, n, sizeof(*keys));
    int32_t *scratch = oribi_arena_array(&problem->arena, n, sizeof(*scratch));
    problem->by_first_use = oribi_arena_array(&problem->arena, n, sizeof(int32_t));
    problem->by_last_use = oribi_arena_array(&problem->arena, n, sizeof(int32_t));
    for (int32_t i = 0; i < problem->n; i++) {
        problem->by_first_use[i] = i;
        keys[i] = oribi__plan_step_key(problem->buffers[i].first_use);
    }
    oribi__plan_sort(problem->by_first_use, problem->n, keys, scratch);
    for (int32_t i = 0; i < problem->n; i++) {
        problem->by_last_use[i] = i;
        keys[i] = oribi__plan_step_key(problem->buffers[i].last_use);
    }
    oribi__plan_sort(problem->by_last_use, problem->n, keys, scratch);
}

/* Sizes, lives and alignments of kinds that differ from problem to problem. */
static void random_problem(plan_problem *problem, oribi_plan_buffer *buffers,
                           oribi_plan_pool *pools)
{
    const int32_t steps = 1 + (int32_t)random_below(100);
    const uint32_t life = 1 + random_below(60);
    const uint32_t bytes = 1 + random_below(random_below(2) ? 300 : 6);
    const uint32_t powers = 1 + random_below(9);
    const uint32_t n_pools = 1 + random_below(4);
    const bool is_limited = random_below(2) == 1;
    problem->n = (int32_t)random_below(MOST + 1);
    for (int32_t i = 0; i < problem->n; i++) {
        const int32_t first = (int32_t)random_below((uint32_t)steps) - 20;
        const uint32_t allowed = 1 + random_below((1u << n_pools) - 1);
        buffers[i] = (oribi_plan_buffer){.bytes = random_below(bytes),
                                         .alignment = UINT64_C(1) << random_below(powers),
                                         .first_use = first,
                                         .last_use = first + (int32_t)random_below(life),
                                         .allowed_pools = allowed};
    }
    for (uint32_t p = 0; p < n_pools; p++) {
        pools[p] = (oribi_plan_pool){.max_bytes = is_limited ? 1 + random_below(3000) : 0};
    }
    problem->buffers = buffers;
    problem->pools = pools;
    problem->n_pools = (int32_t)n_pools;
}

static plan_layout new_layout(plan_problem *problem)
{
    const size_t n = (size_t)problem->n + 1;
    return (plan_layout){.offset = oribi_arena_array(&problem->arena, n, sizeof(uint64_t)),
                         .pool = oribi_arena_array(&problem->arena, n, sizeof(int32_t))};
}

static void pass_over_time_gives_the_offsets_of_a_walk_over_a_sorted_list(void **state)
{
    (void)state;
    const char *text = getenv("ORIBI_TEST_SEED");
    const uint64_t first = text ? strtoull(text, NULL, 10) : 1;
    print_message("seed %llu (ORIBI_TEST_SEED)\n", (unsigned long long)first);
    TF_Status *status = TF_NewStatus();
    for (uint64_t seed = first; seed < first + 3000; seed++) {
        static oribi_plan_buffer buffers[MOST];
        oribi_plan_pool pools[4];
        plan_problem problem = {0};
        random_state = seed * UINT64_C(0x9E3779B97F4A7C15);
        random_problem(&problem, buffers, pools);
        sort_by_steps(&problem);
        plan_layout wanted = new_layout(&problem);
        plan_layout found = new_layout(&problem);
        place_by_list(&problem, &wanted);

        assert_true(oribi__plan_place_by_time(&problem, &found, status));

        const size_t n = (size_t)problem.n;
        if (memcmp(wanted.offset, found.offset, n * sizeof *found.offset) != 0 ||
            memcmp(wanted.pool, found.pool, n * sizeof *found.pool) != 0 ||
            memcmp(&wanted.score, &found.score, sizeof found.score) != 0) {
            fail_msg("seed %llu: %d buffers lie elsewhere", (unsigned long long)seed, problem.n);
        }
        oribi_arena_destroy(&problem.arena);
    }
    TF_DeleteStatus(status);
}

/* --- Growth ------------------------------------------------------------------------------------
 */

typedef struct problem_family {
    const char *name;
    void (*make)(oribi_plan_buffer *buffers, int32_t n);
} problem_family;

static void set(oribi_plan_buffer *buffer, int32_t first, int32_t last, uint64_t bytes)
{
    *buffer = (oribi_plan_buffer){
        .bytes = bytes, .alignment = 64, .first_use = first, .last_use = last, .allowed_pools = 1};
}

static void make_chain(oribi_plan_buffer *buffers, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        set(&buffers[i], i, i + 1, 64 + 64 * (uint64_t)(i % 7));
    }
}

/* One value that n nodes read, whose results a last node reads. */
static void make_fan(oribi_plan_buffer *buffers, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        set(&buffers[i], i, n, 64 + 64 * (uint64_t)(i % 7));
    }
}

/* A fan that is read from its last member to its first one. */
static void make_diamond(oribi_plan_buffer *buffers, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        set(&buffers[i], i, 2 * n - i, 64 + 64 * ((uint64_t)i * 37 % 11));
    }
}

/* Rungs that live through the half of all steps: gaps of all sizes open and close. */
static void make_ladder(oribi_plan_buffer *buffers, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        set(&buffers[i], i, i + n / 2 - (i % 3) * (n / 8), 64 + 64 * ((uint64_t)i * 7919 % 101));
        buffers[i].alignment = UINT64_C(64) << (i % 3);
    }
}

static uint64_t work_of(const problem_family *family, int32_t n)
{
    oribi_plan_buffer *buffers = oribi_alloc_zero((size_t)n, sizeof *buffers);
    oribi_plan_pool pool = {0};
    oribi_plan_bounds bounds = {0};
    TF_Status *status = TF_NewStatus();
    assert_non_null(buffers);
    family->make(buffers, n);
    assert_true(oribi_plan_memory(buffers, n, NULL, 0, &pool, 1, &bounds, status));
    assert_true(pool.out_bytes >= bounds.bound_bytes);
    TF_DeleteStatus(status);
    oribi_free(buffers);
    return bounds.work;
}

static void work_grows_as_n_log_n_up_to_a_million_buffers(void **state)
{
    (void)state;
    static const problem_family families[] = {{"chain", make_chain},
                                              {"fan", make_fan},
                                              {"diamond", make_diamond},
                                              {"ladder", make_ladder}};
    /* Below some thousand buffers the planner searches, up to limits of its own. */
    const uint64_t fixed = ORIBI_PLAN_QUICK + 2 * (uint64_t)PLAN_MAX_EDGES + 4096 * 4096;
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        uint64_t log = 10;
        /* The count is the same in every build; sanitizers have the smaller sizes alone. */
        for (int32_t n = 1000; n <= (TEST_SANITIZED ? 10000 : 1000000); n *= 10) {
            const uint64_t work = work_of(&families[f], n);
            print_message("%s of %d: %llu\n", families[f].name, n, (unsigned long long)work);
            assert_true(work >= (uint64_t)n); /* something counts */
            assert_true(work <= fixed + 12 * (uint64_t)n * log);
            log += 4; /* a little above the logarithm of ten, to base two */
        }
    }
}

static void planning_ends_with_the_threads_patience(void **state)
{
    (void)state;
    enum { N = 20000 };
    oribi_plan_buffer *buffers = oribi_alloc_zero(N, sizeof *buffers);
    oribi_plan_pool pool = {.out_bytes = 7};
    TF_Status *status = TF_NewStatus();
    oribi_patience patience = {.deadline_ns = 1, .what = "the test"};
    make_fan(buffers, N);

    oribi_patience_begin(&patience);
    const bool ok = oribi_plan_memory(buffers, N, NULL, 0, &pool, 1, NULL, status);
    oribi_patience_end(&patience);

    assert_false(ok);
    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    assert_int_equal(pool.out_bytes, 7);
    assert_null(oribi_patience_now());
    TF_DeleteStatus(status);
    oribi_free(buffers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pass_over_time_gives_the_offsets_of_a_walk_over_a_sorted_list),
        cmocka_unit_test(work_grows_as_n_log_n_up_to_a_million_buffers),
        cmocka_unit_test(planning_ends_with_the_threads_patience),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
