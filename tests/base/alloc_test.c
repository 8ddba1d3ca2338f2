/* SPDX-License-Identifier: Apache-2.0 */
/* The heap: alignment, growth, counting, hooks, planned failures, size arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

static void blocks_have_the_alignment_asked_for(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (size_t bytes = 0; bytes < 200; bytes += 33) {
            char *block = oribi_alloc_aligned(bytes, alignment);

            assert_non_null(block);
            assert_int_equal((uintptr_t)block % alignment, 0);
            memset(block, 0x5a, bytes);
            oribi_free(block);
        }
    }
}

static void realloc_keeps_the_common_bytes(void **state)
{
    (void)state;
    uint8_t *block = oribi_alloc(10);
    memset(block, 7, 10);

    block = oribi_realloc_array(block, 1000, 3);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(block[i], 7);
    }
    memset(block, 9, 3000);
    block = oribi_realloc_array(block, 5, 1);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(block[i], 9);
    }
    oribi_free(block);
}

static void products_that_overflow_give_no_block(void **state)
{
    (void)state;
    int64_t live = oribi_alloc_live();

    assert_null(oribi_alloc_array(SIZE_MAX / 2, 3));
    assert_null(oribi_alloc_zero(SIZE_MAX, SIZE_MAX));
    assert_null(oribi_alloc(SIZE_MAX));
    assert_null(oribi_alloc_aligned(SIZE_MAX - 32, 64));
    assert_int_equal(oribi_alloc_live(), live);
}

static void live_count_balances(void **state)
{
    (void)state;
    int64_t live = oribi_alloc_live();
    uint64_t count = oribi_alloc_count();

    char *a = oribi_strdup("text"), *b = oribi_strndup("texture", 4);
    assert_string_equal(a, b);
    assert_int_equal(oribi_alloc_live(), live + 2);
    assert_int_equal(oribi_alloc_count(), count + 2);
    oribi_free(a);
    oribi_free(b);
    oribi_free(NULL);

    assert_int_equal(oribi_alloc_live(), live);
}

static void planned_failure_hits_the_nth_once(void **state)
{
    (void)state;
    oribi_alloc_fail_at(2, false);
    void *first = oribi_alloc(1), *second = oribi_alloc(1), *third = oribi_alloc(1);
    oribi_alloc_fail_at(0, false);

    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    oribi_free(first);
    oribi_free(third);
}

static void sticky_failure_hits_all_later_ones(void **state)
{
    (void)state;
    oribi_alloc_fail_at(2, true);
    void *first = oribi_alloc(1), *second = oribi_alloc(1), *third = oribi_alloc(1);
    oribi_alloc_fail_at(0, false);
    void *fourth = oribi_alloc(1);

    assert_non_null(first);
    assert_null(second);
    assert_null(third);
    assert_non_null(fourth);
    oribi_free(first);
    oribi_free(fourth);
}

static void failed_realloc_keeps_the_block(void **state)
{
    (void)state;
    char *block = oribi_strdup("kept");

    oribi_alloc_fail_at(1, false);
    assert_null(oribi_realloc_array(block, 100, 1));

    oribi_alloc_fail_at(0, false);
    assert_string_equal(block, "kept");
    oribi_free(block);
}

typedef struct hook_log {
    int allocated, released;
    bool refuse;
} hook_log;

static void *logging_allocate(void *self, size_t bytes, size_t alignment)
{
    hook_log *log = self;
    void *block = NULL;
    if (log->refuse ||
        posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes)) {
        return NULL;
    }
    log->allocated++;
    return block;
}

static void logging_release(void *self, void *block)
{
    hook_log *log = self;
    log->released++;
    free(block);
}

static void hooks_see_every_block_and_others_go_home(void **state)
{
    (void)state;
    hook_log log = {0};
    void *before = oribi_alloc(8);
    oribi_alloc_set_hooks(&(oribi_alloc_hooks){
        .self = &log, .allocate = logging_allocate, .release = logging_release});

    char *block = oribi_alloc_aligned(100, 64);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    block = oribi_realloc_array(block, 300, 1);
    oribi_free(block);
    oribi_free(before);
    log.refuse = true;
    assert_null(oribi_alloc(1));
    oribi_alloc_set_hooks(NULL);

    assert_int_equal(log.allocated, 2);
    assert_int_equal(log.released, 2);
}

static void sizes_add_and_multiply_up_to_the_limit(void **state)
{
    (void)state;
    size_t out = 42;

    assert_true(oribi_size_mul(PTRDIFF_MAX / 3, 3, &out));
    assert_true(out == PTRDIFF_MAX / 3 * 3);
    assert_true(oribi_size_add(PTRDIFF_MAX - 1, 1, &out));
    assert_true(out == PTRDIFF_MAX);
    out = 42;
    assert_false(oribi_size_mul(PTRDIFF_MAX / 2 + 1, 2, &out));
    assert_false(oribi_size_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_false(oribi_size_add(PTRDIFF_MAX, 1, &out));
    assert_false(oribi_size_add(SIZE_MAX, 1, &out));
    assert_int_equal(out, 42);
}

static void sizes_are_rounded_up_to_the_limit_and_never_wrap(void **state)
{
    (void)state;
    const size_t top = (size_t)PTRDIFF_MAX - 63; /* the largest multiple of 64 */
    size_t out = 42;

    for (size_t n = 0; n < 300; n++) {
        assert_true(oribi_size_round_up(n, 64, &out));
        assert_true(out >= n && out < n + 64 && out % 64 == 0);
    }
    assert_true(oribi_size_round_up(top, 64, &out));
    assert_true(out == top);
    out = 42;
    for (size_t past = 0; past < 63; past++) {
        assert_false(oribi_size_round_up(top + 1 + past, 64, &out));
        assert_false(oribi_size_round_up(SIZE_MAX - past, 64, &out));
    }
    assert_int_equal(out, 42);
}

static void sizes_of_dims_refuse_overflow_and_negatives(void **state)
{
    (void)state;
    const int64_t shape[] = {2, 3, 5}, empty[] = {4, 0, 9}, negative[] = {2, -1};
    const int64_t huge[] = {INT64_MAX, 4}, hidden[] = {INT64_MAX, INT64_MAX, 0};
    const int64_t half = PTRDIFF_MAX / 2 + 1; /* twice that fits size_t, and no object */
    size_t out = 42;

    assert_true(oribi_size_of_dims(shape, 3, 4, &out));
    assert_int_equal(out, 120);
    assert_true(oribi_size_of_dims(NULL, 0, 8, &out));
    assert_int_equal(out, 8);
    assert_true(oribi_size_of_dims(empty, 3, 4, &out));
    assert_int_equal(out, 0);
    out = 42;
    assert_false(oribi_size_of_dims(negative, 2, 4, &out));
    assert_false(oribi_size_of_dims(huge, 2, 4, &out));
    assert_false(oribi_size_of_dims(hidden, 3, 4, &out));
    assert_false(oribi_size_of_dims(&half, 1, 2, &out));
    assert_int_equal(out, 42);
    assert_true(oribi_size_of_dims(&half, 1, 1, &out));
    assert_true(out == (size_t)half);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_alignment_asked_for),
        cmocka_unit_test(realloc_keeps_the_common_bytes),
        cmocka_unit_test(products_that_overflow_give_no_block),
        cmocka_unit_test(live_count_balances),
        cmocka_unit_test(planned_failure_hits_the_nth_once),
        cmocka_unit_test(sticky_failure_hits_all_later_ones),
        cmocka_unit_test(failed_realloc_keeps_the_block),
        cmocka_unit_test(hooks_see_every_block_and_others_go_home),
        cmocka_unit_test(sizes_add_and_multiply_up_to_the_limit),
        cmocka_unit_test(sizes_are_rounded_up_to_the_limit_and_never_wrap),
        cmocka_unit_test(sizes_of_dims_refuse_overflow_and_negatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
