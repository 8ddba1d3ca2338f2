/* SPDX-License-Identifier: Apache-2.0 */
/* Walks, axes and borders of micro/geometry against slow references: every element of a walk.
 * Windows and slices: geometry_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compile/common/kernel_texts.h"
#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_pad.h"
#include "micro/geometry/geometry_walk.h"
#include "micro/geometry_numbers.h"

/* --- Walks ----------------------------------------------------------------------------------- */

static bool next_place(const int64_t *dims, int32_t n, int64_t *at)
{
    for (int32_t i = n - 1; i >= 0; i--) {
        if (++at[i] < dims[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

/* Element of a dense operand at a place of the result, found by its coordinates. */
static int64_t element_at(const oribi_dims *operand, const int64_t *at, int32_t rank)
{
    int64_t element = 0;
    for (int32_t i = 0; i < operand->n; i++) {
        const int64_t here = at[rank - operand->n + i];
        element = element * operand->at[i] + (operand->at[i] == 1 ? 0 : here);
    }
    return element;
}

/* The offset of element number k of a walk. */
static int64_t offset_of(const oribi_geometry_walk *walk, int operand, int64_t k)
{
    int64_t offset = 0;
    for (int i = walk->rank - 1; i >= 0; i--) {
        offset += k % walk->axes[i].dim * walk->axes[i].strides[operand];
        k /= walk->axes[i].dim;
    }
    return offset;
}

static void check_broadcast(const oribi_dims *a, const oribi_dims *b, const oribi_dims *out)
{
    oribi_geometry_walk walk;
    oribi_dims steps[2], at = {0};
    int64_t k = 0;
    oribi_geometry_broadcast_steps(a->at, a->n, out->n, steps[0].at);
    oribi_geometry_broadcast_steps(b->at, b->n, out->n, steps[1].at);
    oribi_geometry_walk_open(&walk, 2);
    for (int32_t i = 0; i < out->n; i++) {
        const int64_t both[2] = {steps[0].at[i], steps[1].at[i]};
        assert_true(oribi_geometry_walk_add(&walk, out->at[i], both));
    }
    oribi_geometry_walk_close(&walk);
    oribi_geometry_walk_collapse(&walk);
    assert_true(walk.rank >= 1);
    for (bool goes_on = walk.count > 0; goes_on; k++) {
        assert_int_equal(offset_of(&walk, 0, k), element_at(a, at.at, out->n));
        assert_int_equal(offset_of(&walk, 1, k), element_at(b, at.at, out->n));
        goes_on = next_place(out->at, out->n, at.at);
    }
    assert_int_equal(walk.count, k);
}

static void broadcasts_step_to_the_elements_that_coordinates_name(void **state)
{
    (void)state;
    int n_fit = 0;
    for (int i = 0; i < TIMES / 10; i++) {
        oribi_dims a = {.n = (int32_t)pick(0, 5)}, b = {.n = (int32_t)pick(0, 5)}, out = {0};
        bool expected = true;
        out.n = a.n > b.n ? a.n : b.n;
        for (int32_t k = 0; k < a.n; k++) {
            a.at[k] = pick(0, 3) == 0 ? 1 : pick(0, 4);
        }
        for (int32_t k = 0; k < b.n; k++) {
            const int32_t at = a.n - b.n + k;
            b.at[k] = pick(0, 2) == 0 ? 1 : at >= 0 && pick(0, 5) != 0 ? a.at[at] : pick(0, 4);
            expected = expected && (at < 0 || a.at[at] == b.at[k] || a.at[at] == 1 || b.at[k] == 1);
        }
        assert_int_equal(oribi_geometry_broadcast(a.at, a.n, b.at, b.n, out.at), expected);
        if (expected) {
            check_broadcast(&a, &b, &out);
            n_fit++;
        }
    }
    assert_true(n_fit > TIMES / 100);
}

static void unknown_sizes_broadcast_to_what_is_certain(void **state)
{
    (void)state;
    static const int64_t rows[][3] = {{-1, -1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, 4, 4},
                                      {4, -1, 4},   {-1, 0, -1}, {0, 1, 0},   {3, 3, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t out = -9;
        assert_true(oribi_geometry_broadcast_dim(rows[i][0], rows[i][1], &out));
        assert_int_equal(out, rows[i][2]);
    }
}

static void axes_join_where_both_operands_go_straight_on(void **state)
{
    (void)state;
    oribi_geometry_walk walk;
    const int64_t dims[] = {2, 1, 3, 4, 5}, x[] = {60, 7, 20, 5, 1}, y[] = {20, 9, 0, 5, 1};
    oribi_geometry_walk_open(&walk, 2);
    for (int i = 0; i < 5; i++) {
        assert_true(oribi_geometry_walk_add(&walk, dims[i], (const int64_t[]){x[i], y[i]}));
    }
    oribi_geometry_walk_close(&walk);
    oribi_geometry_walk_collapse(&walk);
    assert_int_equal(walk.rank, 3);
    assert_int_equal(walk.axes[2].dim, 20);
    assert_int_equal(walk.axes[2].strides[0], 1);
    assert_int_equal(walk.count, 120);
}

static void empty_values_of_huge_sizes_do_not_overflow(void **state)
{
    (void)state;
    oribi_geometry_walk walk;
    const int64_t dims[] = {INT64_MAX, 0, INT64_MAX, INT64_MAX};
    int64_t steps[4];
    oribi_geometry_steps(dims, 4, 8, steps);
    assert_int_equal(steps[3], 8);
    assert_int_equal(steps[2], 0);
    oribi_geometry_walk_open(&walk, 1);
    for (int i = 0; i < 4; i++) {
        assert_true(oribi_geometry_walk_add(&walk, dims[i], &steps[i]));
    }
    oribi_geometry_walk_close(&walk);
    assert_int_equal(walk.count, 0);
    oribi_geometry_walk_collapse(&walk);
    while (walk.rank < ORIBI_GEOMETRY_WALK_RANK) {
        assert_true(oribi_geometry_walk_add(&walk, 1, &steps[0]));
    }
    assert_false(oribi_geometry_walk_add(&walk, 1, &steps[0]));
}

/* --- Axes and borders ------------------------------------------------------------------------ */

static void axes_are_named_once_and_reduced(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        const int32_t rank = pick(0, 9) == 0 ? ORIBI_MAX_TENSOR_RANK : (int32_t)pick(0, 6);
        const int32_t n = (int32_t)pick(0, 4);
        const bool keeps = pick(0, 1) != 0;
        int64_t axes[4];
        oribi_wide_dims dims = {.n = rank}, out;
        unsigned char times[ORIBI_MAX_TENSOR_RANK] = {0};
        oribi_geometry_naming expected = ORIBI_GEOMETRY_NAMED;
        for (int32_t k = 0; k < rank; k++) {
            dims.at[k] = 10 + k;
        }
        for (int32_t k = 0; k < n && expected != ORIBI_GEOMETRY_NO_AXIS; k++) {
            axes[k] = pick(0, 30) == 0 ? extreme() : pick(-rank, rank > 0 ? rank - 1 : 0);
            if (axes[k] < -rank || axes[k] > rank - 1) {
                expected = ORIBI_GEOMETRY_NO_AXIS;
            } else if (times[axes[k] < 0 ? axes[k] + rank : axes[k]]++ != 0) {
                expected = ORIBI_GEOMETRY_TWICE;
            }
            for (int32_t rest = k + 1; rest < n; rest++) {
                axes[rest] = 0;
            }
        }
        oribi_geometry_axes set;
        int32_t at = -1;
        assert_int_equal(oribi_geometry_name_axes(axes, n, rank, &set, &at), expected);
        assert_int_equal(at >= 0, expected != ORIBI_GEOMETRY_NAMED);
        if (expected == ORIBI_GEOMETRY_NO_AXIS) {
            continue;
        }
        const int32_t left = oribi_geometry_reduce(dims.at, rank, &set, keeps, out.at);
        int32_t next = 0;
        for (int32_t k = 0; k < rank; k++) {
            if (times[k] == 0 || keeps) {
                assert_int_equal(out.at[next++], times[k] == 0 ? dims.at[k] : 1);
            }
        }
        assert_int_equal(left, next);
    }
}

static void the_first_repetition_is_told(void **state)
{
    (void)state;
    const int64_t axes[] = {0, 1, -2, 0};
    oribi_geometry_axes set;
    int32_t at = -1;
    assert_int_equal(oribi_geometry_name_axes(axes, 4, 3, &set, &at), ORIBI_GEOMETRY_TWICE);
    assert_int_equal(at, 2);
}

static void permutations_are_told_from_others(void **state)
{
    (void)state;
    const int64_t dims[] = {4, 1, 6};
    int64_t good[] = {-1, 0, 1}, twice[] = {0, -3, 1}, outside[] = {0, 3, 1}, out[3];
    int64_t apart[] = {1, 0, 2};
    int32_t at = -1;
    assert_int_equal(oribi_geometry_permutation(good, 3, &at), ORIBI_GEOMETRY_NAMED);
    oribi_geometry_permute(dims, good, 3, out);
    assert_int_equal(out[0], 6);
    assert_int_equal(out[1], 4);
    assert_int_equal(out[2], 1);
    assert_false(oribi_geometry_stays(dims, good, 3));
    assert_true(oribi_geometry_stays(dims, apart, 3));
    assert_int_equal(oribi_geometry_permutation(twice, 3, &at), ORIBI_GEOMETRY_TWICE);
    assert_int_equal(at, 1);
    assert_int_equal(oribi_geometry_permutation(outside, 3, &at), ORIBI_GEOMETRY_NO_AXIS);
    assert_int_equal(at, 1);
}

static void borders_are_as_long_as_what_fills_them_allows(void **state)
{
    (void)state;
    int64_t size = -9;
    assert_true(oribi_geometry_pad(5, 2, 3, ORIBI_GEOMETRY_VALUE, &size));
    assert_int_equal(size, 10);
    assert_true(oribi_geometry_pad(-1, 2, 3, ORIBI_GEOMETRY_REFLECT, &size));
    assert_int_equal(size, -1);
    assert_true(oribi_geometry_pad(5, 5, 0, ORIBI_GEOMETRY_SYMMETRIC, &size));
    assert_true(oribi_geometry_pad(5, 0, 4, ORIBI_GEOMETRY_REFLECT, &size));
    size = 77;
    assert_false(oribi_geometry_pad(5, 5, 0, ORIBI_GEOMETRY_REFLECT, &size));
    assert_false(oribi_geometry_pad(5, 0, 6, ORIBI_GEOMETRY_SYMMETRIC, &size));
    assert_false(oribi_geometry_pad(5, -1, 0, ORIBI_GEOMETRY_VALUE, &size));
    assert_false(oribi_geometry_pad(1, INT64_MAX, 0, ORIBI_GEOMETRY_VALUE, &size));
    assert_false(oribi_geometry_pad(1, INT64_MAX - 1, 1, ORIBI_GEOMETRY_VALUE, &size));
    assert_int_equal(size, 77);
}

/* --- The room -------------------------------------------------------------------------------- */

static void no_geometry_travels_with_emitted_code(void **state)
{
    (void)state;
    int n = 0;
    for (const oribi_kernel_text *text = oribi_kernel_texts(); text->name != NULL; text++, n++) {
        assert_null(strstr(text->name, "geometry_"));
        assert_null(memmem(text->text, text->bytes, "geometry_", strlen("geometry_")));
    }
    assert_true(n > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcasts_step_to_the_elements_that_coordinates_name),
        cmocka_unit_test(unknown_sizes_broadcast_to_what_is_certain),
        cmocka_unit_test(axes_join_where_both_operands_go_straight_on),
        cmocka_unit_test(empty_values_of_huge_sizes_do_not_overflow),
        cmocka_unit_test(axes_are_named_once_and_reduced),
        cmocka_unit_test(the_first_repetition_is_told),
        cmocka_unit_test(permutations_are_told_from_others),
        cmocka_unit_test(borders_are_as_long_as_what_fills_them_allows),
        cmocka_unit_test(no_geometry_travels_with_emitted_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
