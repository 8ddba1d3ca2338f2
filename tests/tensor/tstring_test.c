/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: golden bytes of each kind, conversions, a random walk against a simple model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensorflow/c/tf_tstring.h"

static const char long_text[] = "0123456789abcdefghijklmnopqrstuvwxyz"; /* 36 */

static TF_TString new_string(const char *text, size_t size)
{
    TF_TString s;
    memset(&s, 0xee, sizeof(s));
    TF_TString_Init(&s);
    TF_TString_Copy(&s, text, size);
    return s;
}

/* A string of the OFFSET kind, with its text behind the struct. */
typedef struct offset_string {
    TF_TString s;
    char text[64];
} offset_string;

static void make_offset(offset_string *o, const char *text, uint32_t size)
{
    memset(o, 0xcc, sizeof(*o));
    o->s.u.offset.size = (size << 2) | TF_TSTR_OFFSET;
    o->s.u.offset.offset = (uint32_t)offsetof(offset_string, text);
    o->s.u.offset.count = 1;
    memcpy(o->text, text, size);
}

static void check(const TF_TString *s, TF_TString_Type type, const char *text, size_t size)
{
    assert_int_equal(TF_TString_GetType(s), type);
    assert_int_equal(TF_StringGetType(s), type);
    assert_int_equal(TF_TString_GetSize(s), size);
    assert_int_equal(TF_StringGetSize(s), size);
    assert_ptr_equal(TF_TString_GetDataPointer(s), TF_StringGetDataPointer(s));
    assert_int_equal(TF_TString_GetCapacity(s), TF_StringGetCapacity(s));
    assert_memory_equal(TF_TString_GetDataPointer(s), text, size);
    if (type == TF_TSTR_SMALL || type == TF_TSTR_LARGE) {
        assert_int_equal(TF_TString_GetDataPointer(s)[size], '\0');
        assert_true(TF_TString_GetCapacity(s) >= size);
    } else {
        assert_int_equal(TF_TString_GetCapacity(s), 0);
    }
}

static uint64_t word(const TF_TString *s, int n)
{
    uint64_t w = 0;
    memcpy(&w, (const char *)s + n * 8, 8);
    return w;
}

static void layout_is_24_bytes_aligned_to_8(void **state)
{
    (void)state;
    assert_int_equal(sizeof(TF_TString), 24);
    assert_int_equal(_Alignof(TF_TString), 8);
    assert_int_equal(sizeof(TF_TString_Offset), 12);
    assert_int_equal(TF_TString_SmallCapacity, 22);
}

static void zero_bytes_are_the_empty_small_string(void **state)
{
    (void)state;
    static const uint8_t zeros[24];
    TF_TString s;
    memset(&s, 0xee, sizeof(s));
    TF_TString_Init(&s);
    assert_memory_equal(&s, zeros, 24);
    memset(&s, 0xee, sizeof(s));
    TF_StringInit(&s);
    assert_memory_equal(&s, zeros, 24);
    check(&s, TF_TSTR_SMALL, "", 0);
}

static void small_string_has_its_golden_bytes(void **state)
{
    (void)state;
    static const uint8_t abc[24] = {3 << 2, 'a', 'b', 'c'};
    TF_TString s = new_string("abc", 3);
    assert_memory_equal(&s, abc, 24);
    TF_TString_Copy(&s, long_text, 22);
    assert_int_equal(s.u.raw.raw[0], 22 << 2);
    assert_memory_equal(s.u.raw.raw + 1, long_text, 22);
    assert_int_equal(s.u.raw.raw[23], 0);
    check(&s, TF_TSTR_SMALL, long_text, 22);
}

static void large_string_has_its_golden_words(void **state)
{
    (void)state;
    TF_TString s = new_string(long_text, 23);
    assert_int_equal(word(&s, 0), (23 << 2) | 1);
    assert_int_equal(TF_le32toh((uint32_t)word(&s, 0)), (23 << 2) | 1);
    assert_int_equal(word(&s, 1), 47); /* twice the 22 of SMALL: ((44 + 1 + 15) & ~15) - 1 */
    assert_int_equal(word(&s, 2), (uintptr_t)s.u.large.ptr);
    check(&s, TF_TSTR_LARGE, long_text, 23);
    TF_StringDealloc(&s);
    check(&s, TF_TSTR_SMALL, "", 0);
}

static void view_has_its_golden_words_and_a_zero_third(void **state)
{
    (void)state;
    TF_TString a = new_string(long_text, 30), b;
    TF_TString_Init(&b);
    TF_TString_AssignView(&a, long_text, 5); /* frees what a held */
    TF_StringAssignView(&b, long_text, 5);
    assert_int_equal(word(&a, 0), (5 << 2) | 3);
    assert_int_equal(word(&a, 1), (uintptr_t)long_text);
    assert_int_equal(word(&a, 2), 0);
    assert_memory_equal(&a, &b, 24);
    check(&a, TF_TSTR_VIEW, long_text, 5);
    TF_TString_Dealloc(&a); /* nothing to free: stays */
    check(&a, TF_TSTR_VIEW, long_text, 5);
}

static void offset_string_is_read_relative_to_itself(void **state)
{
    (void)state;
    offset_string o;
    make_offset(&o, long_text, 30);
    check(&o.s, TF_TSTR_OFFSET, long_text, 30);
    assert_int_equal((uint32_t)word(&o.s, 0), (30 << 2) | 2);
}

static void capacity_grows_and_shrinks_by_the_rules(void **state)
{
    (void)state;
    TF_TString s;
    TF_TString_Init(&s);
    TF_TString_Resize(&s, 100, 'x');
    assert_int_equal(TF_TString_GetCapacity(&s), 111);
    TF_TString_Resize(&s, 111, 'y');
    assert_int_equal(TF_TString_GetCapacity(&s), 111);
    TF_TString_Resize(&s, 112, 'y'); /* beyond: at least twice */
    assert_int_equal(TF_TString_GetCapacity(&s), 223);
    TF_TString_Resize(&s, 1000, 'z');
    assert_int_equal(TF_TString_GetCapacity(&s), 1007);
    TF_TString_Resize(&s, 504, '-'); /* not under half: stays */
    assert_int_equal(TF_TString_GetCapacity(&s), 1007);
    TF_TString_Resize(&s, 502, '-'); /* under half: ((1007/2 + 1 + 15) & ~15) - 1 */
    assert_int_equal(TF_TString_GetCapacity(&s), 511);
    assert_int_equal(TF_TString_GetDataPointer(&s)[501], 'z');
    assert_int_equal(TF_TString_GetDataPointer(&s)[99], 'x');
    TF_TString_Resize(&s, 22, '-');
    check(&s, TF_TSTR_SMALL, "xxxxxxxxxxxxxxxxxxxxxx", 22);
}

static void reserve_keeps_text_and_never_shrinks(void **state)
{
    (void)state;
    TF_TString s = new_string("abc", 3);
    TF_TString_Reserve(&s, 22);
    check(&s, TF_TSTR_SMALL, "abc", 3);
    TF_TString_Reserve(&s, 23);
    check(&s, TF_TSTR_LARGE, "abc", 3);
    assert_int_equal(TF_TString_GetCapacity(&s), 31);
    TF_TString_Reserve(&s, 10);
    assert_int_equal(TF_TString_GetCapacity(&s), 31);
    TF_TString_ReserveAmortized(&s, 32);
    assert_int_equal(TF_TString_GetCapacity(&s), 63);
    TF_TString_ReserveAmortized(&s, 1000);
    assert_int_equal(TF_TString_GetCapacity(&s), 1007);
    check(&s, TF_TSTR_LARGE, "abc", 3);
    TF_TString_Dealloc(&s);
}

static void writing_turns_views_and_offsets_into_own_text(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 36; size += 4) {
        TF_TString_Type own = size <= 22 ? TF_TSTR_SMALL : TF_TSTR_LARGE;
        TF_TString v;
        offset_string o;
        TF_TString_Init(&v);
        TF_TString_AssignView(&v, long_text, size);
        make_offset(&o, long_text, (uint32_t)size);

        const char *text = TF_TString_GetMutableDataPointer(&v);
        assert_ptr_equal(text, TF_TString_GetDataPointer(&v));
        assert_non_null(TF_TString_GetMutableDataPointer(&o.s));

        check(&v, own, long_text, size);
        check(&o.s, own, long_text, size);
        TF_TString_Dealloc(&v);
        TF_TString_Dealloc(&o.s);
    }
}

static void assign_copies_by_kind(void **state)
{
    (void)state;
    offset_string o;
    TF_TString small = new_string("abc", 3), large = new_string(long_text, 36), view, dst;
    TF_TString_Init(&view);
    TF_TString_AssignView(&view, long_text, 30);
    make_offset(&o, long_text, 30);
    TF_TString_Init(&dst);

    TF_TString_Assign(&dst, &large);
    check(&dst, TF_TSTR_LARGE, long_text, 36);
    assert_ptr_not_equal(dst.u.large.ptr, large.u.large.ptr);
    TF_TString_Assign(&dst, &dst);
    check(&dst, TF_TSTR_LARGE, long_text, 36);
    TF_TString_Assign(&dst, &small);
    assert_memory_equal(&dst, &small, 24);
    TF_TString_Assign(&dst, &view);
    assert_memory_equal(&dst, &view, 24);
    TF_TString_Assign(&dst, &o.s);
    check(&dst, TF_TSTR_VIEW, long_text, 30);
    assert_ptr_equal(TF_TString_GetDataPointer(&dst), o.text);
    TF_TString_Dealloc(&large);
}

static void move_hands_large_text_over(void **state)
{
    (void)state;
    offset_string o;
    TF_TString large = new_string(long_text, 36), dst = new_string(long_text, 30);
    const char *text = large.u.large.ptr;
    make_offset(&o, long_text, 30);

    TF_TString_Move(&dst, &large);
    check(&dst, TF_TSTR_LARGE, long_text, 36);
    assert_ptr_equal(dst.u.large.ptr, text);
    check(&large, TF_TSTR_SMALL, "", 0);
    TF_TString_Move(&dst, &dst);
    check(&dst, TF_TSTR_LARGE, long_text, 36);
    TF_TString_Move(&dst, &o.s);
    check(&dst, TF_TSTR_VIEW, long_text, 30);
}

static void append_takes_parts_of_itself(void **state)
{
    (void)state;
    TF_TString s = new_string("0123456789", 10);
    TF_TString_Append(&s, &s);
    check(&s, TF_TSTR_SMALL, "01234567890123456789", 20);
    TF_TString_Append(&s, &s);
    check(&s, TF_TSTR_LARGE, "0123456789012345678901234567890123456789", 40);
    TF_TString_AppendN(&s, TF_TString_GetDataPointer(&s) + 1, 3);
    check(&s, TF_TSTR_LARGE, "0123456789012345678901234567890123456789123", 43);
    TF_TString_AppendN(&s, NULL, 0);
    TF_TString_Dealloc(&s);
}

static void sizes_beyond_62_bits_are_refused(void **state)
{
    (void)state;
    TF_TString s = new_string("abc", 3);
    assert_null(TF_TString_ResizeUninitialized(&s, SIZE_MAX / 2));
    TF_TString_Reserve(&s, SIZE_MAX);
    TF_TString_AppendN(&s, "x", SIZE_MAX / 2);
    check(&s, TF_TSTR_SMALL, "abc", 3);
}

/* --- Random walk ----------------------------------------------------------------------------- */

typedef struct model {
    char text[4096];
    size_t size;
} model;

static uint64_t seed;
static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

static size_t draw_size(void)
{
    static const size_t ranges[] = {8, 30, 200, 1500};
    return (size_t)draw(ranges[draw(4)]);
}

static char source[1500];

static void step(TF_TString *s, model *m, TF_TString *other, model *n)
{
    size_t size = draw_size(), from = (size_t)draw(sizeof(source) - size);
    switch (draw(9)) {
    case 0:
        TF_StringCopy(s, source + from, size);
        memcpy(m->text, source + from, m->size = size);
        break;
    case 1:
        TF_StringAssignView(s, source + from, size);
        memcpy(m->text, source + from, m->size = size);
        break;
    case 2:
        if (m->size + size <= 2000) {
            TF_TString_AppendN(s, source + from, size);
            memcpy(m->text + m->size, source + from, size);
            m->size += size;
        }
        break;
    case 3:
        TF_TString_Resize(s, size, '#');
        if (size > m->size) {
            memset(m->text + m->size, '#', size - m->size);
        }
        m->size = size;
        break;
    case 4:
        TF_TString_ReserveAmortized(s, size);
        break;
    case 5:
        TF_TString_Reserve(s, size);
        break;
    case 6:
        /* Copied at once: a view on the other's own text dies with it. */
        TF_TString_Copy(s, TF_TString_GetDataPointer(other), TF_TString_GetSize(other));
        *m = *n;
        break;
    case 7:
        if (TF_TString_GetType(other) == TF_TSTR_LARGE) {
            TF_TString_Move(s, other);
            *m = *n;
            n->size = 0;
        } else {
            TF_TString_Assign(s, other);
            *m = *n;
        }
        break;
    default:
        if (m->size > 0) {
            size_t at = (size_t)draw(m->size);
            TF_TString_GetMutableDataPointer(s)[at] = '!';
            m->text[at] = '!';
        }
        break;
    }
}

static void random_walks_agree_with_the_model(void **state)
{
    (void)state;
    const char *given = getenv("ORIBI_TEST_SEED");
    seed = given != NULL ? strtoull(given, NULL, 10) : 20240611;
    print_message("seed %llu (ORIBI_TEST_SEED)\n", (unsigned long long)seed);
    for (size_t i = 0; i < sizeof(source); i++) {
        source[i] = (char)('a' + i % 26);
    }
    static model models[2];
    TF_TString strings[2];
    TF_StringInit(&strings[0]);
    TF_StringInit(&strings[1]);
    for (int i = 0; i < 50000; i++) {
        int k = (int)draw(2);
        step(&strings[k], &models[k], &strings[1 - k], &models[1 - k]);
        for (int j = 0; j < 2; j++) {
            check(&strings[j], TF_TString_GetType(&strings[j]), models[j].text, models[j].size);
        }
    }
    TF_StringDealloc(&strings[0]);
    TF_StringDealloc(&strings[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_24_bytes_aligned_to_8),
        cmocka_unit_test(zero_bytes_are_the_empty_small_string),
        cmocka_unit_test(small_string_has_its_golden_bytes),
        cmocka_unit_test(large_string_has_its_golden_words),
        cmocka_unit_test(view_has_its_golden_words_and_a_zero_third),
        cmocka_unit_test(offset_string_is_read_relative_to_itself),
        cmocka_unit_test(capacity_grows_and_shrinks_by_the_rules),
        cmocka_unit_test(reserve_keeps_text_and_never_shrinks),
        cmocka_unit_test(writing_turns_views_and_offsets_into_own_text),
        cmocka_unit_test(assign_copies_by_kind),
        cmocka_unit_test(move_hands_large_text_over),
        cmocka_unit_test(append_takes_parts_of_itself),
        cmocka_unit_test(sizes_beyond_62_bits_are_refused),
        cmocka_unit_test(random_walks_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
