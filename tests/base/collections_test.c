/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas, maps, texts, the nearest word, the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "support/fail_nth.h"

static void arena_gives_aligned_blocks_that_do_not_overlap(void **state)
{
    (void)state;
    oribi_arena arena = {0};
    unsigned char *blocks[300];
    size_t asked = 0;

    for (size_t i = 0; i < 300; i++) {
        size_t bytes = i * 37 % 5000;
        blocks[i] = oribi_arena_alloc(&arena, bytes);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)(i % 251), bytes);
        asked += bytes;
    }
    for (size_t i = 0; i < 300; i++) {
        for (size_t j = 0; j < i * 37 % 5000; j++) {
            assert_int_equal(blocks[i][j], i % 251);
        }
    }
    assert_int_equal(arena.used_bytes, asked);
    oribi_arena_destroy(&arena);
}

static void arena_copies_texts_and_refuses_overflow(void **state)
{
    (void)state;
    oribi_arena arena;
    oribi_arena_init(&arena);

    assert_string_equal(oribi_arena_strdup(&arena, "abc"), "abc");
    assert_string_equal(oribi_arena_strndup(&arena, "abcdef", 3), "abc");
    assert_string_equal(oribi_arena_printf(&arena, "%d-%s", 42, "x"), "42-x");
    assert_memory_equal(oribi_arena_memdup(&arena, "\1\2\3", 3), "\1\2\3", 3);
    int *zeros = oribi_arena_array(&arena, 100, sizeof(int));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(zeros[i], 0);
    }
    assert_null(oribi_arena_array(&arena, SIZE_MAX / 2, 3));
    assert_null(oribi_arena_alloc(&arena, SIZE_MAX));
    oribi_arena_destroy(&arena);
}

static bool fill_arena(void *arg)
{
    (void)arg;
    oribi_arena arena = {0};
    bool good = true;
    for (int i = 0; i < 40 && good; i++) {
        good = oribi_arena_alloc(&arena, 3000) != NULL;
    }
    oribi_arena_destroy(&arena);
    return good;
}

static void arena_survives_each_failed_allocation(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(fill_arena, NULL) > 2);
}

static void map_finds_what_was_put_in_the_order_it_was_put(void **state)
{
    (void)state;
    enum { N = 5000 };
    static char keys[N][16];
    oribi_map map = {0};
    assert_null(oribi_map_get(&map, "absent"));

    for (int i = 0; i < N; i++) {
        (void)snprintf(keys[i], sizeof(keys[i]), "key%d", i * 7919 % N);
        assert_true(oribi_map_put(&map, keys[i], keys[i]));
    }
    assert_int_equal(map.n_entries, N);
    for (int i = 0; i < N; i++) {
        assert_ptr_equal(oribi_map_get(&map, keys[i]), keys[i]);
        assert_ptr_equal(map.entries[i].key, keys[i]);
    }
    assert_null(oribi_map_get(&map, "absent"));
    assert_ptr_equal(oribi_map_get_n(&map, "key77777", 5), oribi_map_get(&map, "key77"));
    oribi_map_destroy(&map);
}

static void map_put_replaces_and_keeps_the_place(void **state)
{
    (void)state;
    int a = 0, b = 0;
    oribi_map map = {0};
    assert_true(oribi_map_put(&map, "x", &a));
    assert_true(oribi_map_put(&map, "", &a));
    assert_true(oribi_map_put_n(&map, "xyz", 1, &b));

    assert_int_equal(map.n_entries, 2);
    assert_ptr_equal(oribi_map_get(&map, "x"), &b);
    assert_ptr_equal(oribi_map_get(&map, ""), &a);
    assert_ptr_equal(map.entries[0].value, &b);
    oribi_map_destroy(&map);
}

static bool fill_map(void *arg)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    oribi_map map = {0};
    bool good = true;
    size_t n = 0;
    for (; n < 26 && good; n++) {
        good = oribi_map_put_n(&map, letters + n, 1, arg);
    }
    for (size_t i = 0; i + 1 < n; i++) { /* what was put before the failure is still there */
        assert_ptr_equal(oribi_map_get_n(&map, letters + i, 1), arg);
    }
    oribi_map_destroy(&map);
    return good;
}

static void map_survives_each_failed_allocation(void **state)
{
    (void)state;
    int value = 0;
    assert_true(fail_each_allocation(fill_map, &value) > 3);
}

static void text_grows_and_prints(void **state)
{
    (void)state;
    oribi_text text = {0};
    assert_string_equal(oribi_text_string(&text), "");

    for (int i = 0; i < 1000; i++) {
        oribi_text_printf(&text, "%d,", i % 10);
    }
    oribi_text_append(&text, "end");
    oribi_text_append_n(&text, "\0x", 2);

    assert_int_equal(text.length, 2005);
    assert_memory_equal(text.data + 1998, "9,end\0x", 8);
    assert_false(text.failed);
    oribi_text_destroy(&text);
}

static void text_that_failed_stays_failed(void **state)
{
    (void)state;
    oribi_text text = {0};
    oribi_text_append(&text, "kept");
    oribi_alloc_fail_at(1, false);
    oribi_text_printf(&text, "%200s", "lost");
    oribi_alloc_fail_at(0, false);
    oribi_text_append(&text, "ignored");

    assert_true(text.failed);
    assert_string_equal(oribi_text_string(&text), "kept");
    oribi_text_destroy(&text);
}

static void near_words_are_suggested_and_far_ones_are_not(void **state)
{
    (void)state;
    static const char *const ops[] = {"Conv2D", "MatMul", "BiasAdd", "AddV2", "Relu", "Transpose"};
    static const struct {
        const char *word, *expected;
    } cases[] = {
        {"conv2d", "Conv2D"},
        {"Matmul", "MatMul"},
        {"BaisAdd", "BiasAdd"},
        {"Rellu", "Relu"},
        {"Tranpsose", "Transpose"},
        {"Softmax", NULL},
        {"Transposed", "Transpose"},
        {"", NULL},
        {"x", NULL},
        {"AddV3", "AddV2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *found = oribi_text_did_you_mean(cases[i].word, ops, 6);
        if (cases[i].expected == NULL) {
            assert_null(found);
        } else {
            assert_non_null(found);
            assert_string_equal(found, cases[i].expected);
        }
    }
    char longest[200];
    memset(longest, 'a', sizeof(longest));
    longest[199] = '\0';
    assert_null(oribi_text_did_you_mean(longest, ops, 6));
}

typedef struct heard {
    int level;
    size_t length;
} heard;

static void hear(void *arg, int level, const char *message)
{
    *(heard *)arg = (heard){level, strlen(message)};
}

static void log_reaches_the_hook_whole(void **state)
{
    (void)state;
    heard h = {0};
    oribi_log_set_hook(hear, &h);

    oribi_log(ORIBI_LOG_INFO, "%s %d", "abc", 12);
    assert_int_equal(h.level, ORIBI_LOG_INFO);
    assert_int_equal(h.length, 6);
    oribi_log(ORIBI_LOG_ERROR, "%2000d", 1);
    assert_int_equal(h.level, ORIBI_LOG_ERROR);
    assert_int_equal(h.length, 2000);
    oribi_log_set_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_aligned_blocks_that_do_not_overlap),
        cmocka_unit_test(arena_copies_texts_and_refuses_overflow),
        cmocka_unit_test(arena_survives_each_failed_allocation),
        cmocka_unit_test(map_finds_what_was_put_in_the_order_it_was_put),
        cmocka_unit_test(map_put_replaces_and_keeps_the_place),
        cmocka_unit_test(map_survives_each_failed_allocation),
        cmocka_unit_test(text_grows_and_prints),
        cmocka_unit_test(text_that_failed_stays_failed),
        cmocka_unit_test(near_words_are_suggested_and_far_ones_are_not),
        cmocka_unit_test(log_reaches_the_hook_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
