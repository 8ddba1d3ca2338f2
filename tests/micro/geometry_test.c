/* SPDX-License-Identifier: Apache-2.0 */
/* Windows and slices of micro/geometry against slow references that count what they see: windows
 * one by one, the elements of a slice one by one. Sizes are small there; a second kind of test
 * takes sizes up to 2^63 and asks what must hold of any answer. Walks and axes:
 * geometry_walk_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "micro/geometry/geometry_slice.h"
#include "micro/geometry/geometry_window.h"
#include "micro/geometry_numbers.h"

/* --- Windows --------------------------------------------------------------------------------- */

/* Places of a window of `reach` elements, one each `stride`, within `size` elements. */
static int64_t count_places(int64_t size, int64_t reach, int64_t stride)
{
    int64_t count = 0;
    while (count * stride + reach <= size) {
        count++;
    }
    return count;
}

static int64_t count_reach(int64_t taps, int64_t dilation)
{
    int64_t reach = 1;
    for (int64_t tap = 1; tap < taps; tap++) {
        reach += dilation;
    }
    return reach;
}

static void check_same(const oribi_geometry_window *w)
{
    int64_t out = 0, total = 0;
    while (out * w->stride < w->in) {
        out++;
    }
    while (count_places(w->in + total, w->reach, w->stride) < out) {
        total++;
    }
    assert_int_equal(w->out, out);
    if (w->in > 0) {
        const int64_t odd = w->padding == ORIBI_GEOMETRY_SAME_LOWER ? w->before : w->after;
        assert_int_equal(w->before + w->after, total);
        assert_int_equal(odd, (total + 1) / 2);
    }
}

static void check_padded(const oribi_geometry_window *w, oribi_geometry_fit fit)
{
    const bool is_explicit = w->padding == ORIBI_GEOMETRY_EXPLICIT;
    const int64_t padded = w->in + w->before + w->after;
    const int64_t places = count_places(padded, w->reach, w->stride);
    const int64_t end = (places - 1) * w->stride + w->reach;
    assert_int_equal(fit, places > 0 ? ORIBI_GEOMETRY_FITS : ORIBI_GEOMETRY_NARROW);
    if (places == 0) {
        return;
    }
    const bool has_next =
        is_explicit && w->ceil && end < padded && places * w->stride < w->before + w->in;
    assert_int_equal(w->out, places + (has_next ? 1 : 0));
    int64_t after = 0;
    while ((w->out - 1) * w->stride + w->reach > w->before + w->in + after) {
        after++;
    }
    assert_int_equal(oribi_geometry_needed_after(w), after);
    assert_int_equal(oribi_geometry_meets_input(w), (w->out - 1) * w->stride < w->before + w->in);
}

static void windows_slide_as_counting_them_says(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        oribi_geometry_window w = {.in = pick(0, 12),
                                   .taps = pick(1, 6),
                                   .stride = pick(1, 5),
                                   .dilation = pick(1, 4),
                                   .padding = (oribi_geometry_padding)pick(0, 3),
                                   .ceil = pick(0, 1) != 0,
                                   .before = pick(0, 7),
                                   .after = pick(0, 7)};
        const oribi_geometry_fit fit = oribi_geometry_slide(&w);
        assert_int_equal(w.reach, count_reach(w.taps, w.dilation));
        if (w.padding == ORIBI_GEOMETRY_SAME || w.padding == ORIBI_GEOMETRY_SAME_LOWER) {
            assert_int_equal(fit, ORIBI_GEOMETRY_FITS);
            check_same(&w);
        } else {
            check_padded(&w, fit);
        }
    }
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;

static oribi_geometry_fit slide_widely(oribi_geometry_window *w)
{
    const bool is_same =
        w->padding == ORIBI_GEOMETRY_SAME || w->padding == ORIBI_GEOMETRY_SAME_LOWER;
    const bool is_explicit = w->padding == ORIBI_GEOMETRY_EXPLICIT;
    const wide reach = ((wide)w->taps - 1) * w->dilation + 1;
    const wide padded = (wide)w->in + (is_explicit ? (wide)w->before + w->after : 0);
    w->out = -1;
    if (w->stride < 1 || w->dilation < 1 || w->taps < -1 || w->taps == 0 || w->in < -1 ||
        (is_explicit && (w->before < 0 || w->after < 0))) {
        return ORIBI_GEOMETRY_RANGE;
    }
    if (w->taps > 0 && reach > INT64_MAX) {
        return ORIBI_GEOMETRY_OVERFLOW;
    }
    if (is_same) {
        w->out = w->in < 0 ? -1 : (int64_t)(((wide)w->in + w->stride - 1) / w->stride);
        return ORIBI_GEOMETRY_FITS;
    }
    if (w->in < 0 || w->taps < 0) {
        return ORIBI_GEOMETRY_FITS;
    }
    if (padded > INT64_MAX) {
        return ORIBI_GEOMETRY_OVERFLOW;
    }
    if (padded < reach) {
        return ORIBI_GEOMETRY_NARROW;
    }
    const wide places = (padded - reach) / w->stride + 1;
    const bool has_next = w->ceil && is_explicit && (padded - reach) % w->stride != 0 &&
                          places * w->stride < (wide)w->before + w->in;
    w->out = (int64_t)places + (has_next ? 1 : 0);
    return ORIBI_GEOMETRY_FITS;
}

static void windows_of_any_size_slide_as_128_bits_say(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        oribi_geometry_window w = {.in = extreme(),
                                   .taps = extreme(),
                                   .stride = extreme(),
                                   .dilation = pick(0, 2) != 0 ? 1 : extreme(),
                                   .padding = (oribi_geometry_padding)pick(0, 3),
                                   .ceil = pick(0, 1) != 0,
                                   .before = extreme(),
                                   .after = extreme()};
        oribi_geometry_window expected = w;
        const oribi_geometry_fit fit = slide_widely(&expected);
        assert_int_equal(oribi_geometry_slide(&w), fit);
        assert_int_equal(w.out, expected.out);
    }
}
#endif

static void unknown_sizes_leave_unknown_what_depends_on_them(void **state)
{
    (void)state;
    oribi_geometry_window w = {.in = -1, .taps = 3, .stride = 2, .dilation = 1};
    assert_int_equal(oribi_geometry_slide(&w), ORIBI_GEOMETRY_FITS);
    assert_int_equal(w.out, -1);
    assert_int_equal(w.reach, 3);
    w = (oribi_geometry_window){
        .in = 5, .taps = -1, .stride = 2, .dilation = 1, .padding = ORIBI_GEOMETRY_SAME};
    assert_int_equal(oribi_geometry_slide(&w), ORIBI_GEOMETRY_FITS);
    assert_int_equal(w.out, 3);
    assert_int_equal(w.before, -1);
}

/* --- Slices ---------------------------------------------------------------------------------- */

/* Elements of a dimension, one by one; their number. */
static int64_t list_elements(const oribi_geometry_strided *s, int32_t i, int64_t in,
                             int64_t *elements)
{
    const int64_t step = s->step[i];
    int64_t count = 0, at = s->begin[i] < 0 ? s->begin[i] + in : s->begin[i];
    int64_t end = s->end[i] < 0 ? s->end[i] + in : s->end[i];
    if (s->begin_mask >> i & 1) {
        at = step > 0 ? 0 : in - 1;
    }
    if (s->end_mask >> i & 1) {
        end = step > 0 ? in : -1;
    }
    while (step > 0 ? at < 0 : at >= in) { /* the edge comes first, wherever the steps would fall */
        at += step > 0 ? 1 : -1;
    }
    for (; step > 0 ? at < end && at < in : at > end && at >= 0; at += step) {
        elements[count++] = at;
    }
    return count;
}

static void check_part(const oribi_geometry_slice *s, oribi_geometry_cut cut, int64_t in)
{
    int64_t elements[16] = {0};
    const oribi_geometry_strided *spec = s->spec;
    if (cut == ORIBI_GEOMETRY_ZERO_STEP) {
        assert_int_equal(spec->step[s->entry], 0);
        return;
    }
    if (cut == ORIBI_GEOMETRY_BACKWARD_INDEX) {
        assert_true(spec->step[s->entry] <= 0);
        return;
    }
    if (cut == ORIBI_GEOMETRY_INDEX || cut == ORIBI_GEOMETRY_OUTSIDE) {
        const int64_t begin = spec->begin[s->entry];
        assert_int_equal(cut == ORIBI_GEOMETRY_INDEX, begin >= -in && begin < in);
        assert_true(cut == ORIBI_GEOMETRY_OUTSIDE || (begin - s->first) % in == 0);
        return;
    }
    const int64_t count = list_elements(spec, s->entry, in, elements);
    assert_int_equal(s->count, count);
    for (int64_t k = 0; k < count; k++) {
        assert_int_equal(s->first + k * s->step, elements[k]);
    }
}

/* Every entry once and in order, every dimension once and in order. */
static void check_walk(const oribi_geometry_strided *spec, const int64_t *dims, int32_t rank)
{
    oribi_geometry_slice s;
    oribi_geometry_cut cut = oribi_geometry_slice_open(&s, spec, rank);
    int32_t axis = 0, entry = 0, named = 0;
    for (int32_t i = 0; i < spec->n; i++) {
        named += (spec->ellipsis_mask >> i & 1) == 0 && (spec->new_axis_mask >> i & 1) == 0;
    }
    assert_int_equal(cut, named > rank ? ORIBI_GEOMETRY_TOO_MANY : ORIBI_GEOMETRY_PART);
    while (cut <= ORIBI_GEOMETRY_NEW &&
           (cut = oribi_geometry_slice_next(&s, dims)) != ORIBI_GEOMETRY_END) {
        if (cut != ORIBI_GEOMETRY_NEW) {
            assert_int_equal(s.axis, axis++);
        }
        if (s.entry < 0) {
            assert_int_equal(s.count, dims[s.axis]);
            assert_true(oribi_geometry_is_whole(&s, dims));
            continue;
        }
        entry += (spec->ellipsis_mask >> entry & 1) != 0 ? 1 : 0;
        assert_int_equal(s.entry, entry++);
        assert_int_equal(cut == ORIBI_GEOMETRY_NEW, spec->new_axis_mask >> s.entry & 1);
        if (cut != ORIBI_GEOMETRY_NEW) {
            check_part(&s, cut, dims[s.axis]);
        }
    }
    if (cut == ORIBI_GEOMETRY_END) {
        assert_int_equal(axis, rank);
    }
}

static void strided_slices_take_the_elements_that_stepping_meets(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        int64_t dims[6], begin[6], end[6], step[6];
        for (int k = 0; k < 6; k++) {
            dims[k] = pick(0, 9);
            begin[k] = pick(-12, 12);
            end[k] = pick(-12, 12);
            step[k] = pick(0, 9) == 0 ? 0 : pick(0, 2) != 0 ? pick(1, 4) : pick(-4, -1);
        }
        const oribi_geometry_strided spec = {.n = (int32_t)pick(0, 6),
                                             .begin = begin,
                                             .end = end,
                                             .step = step,
                                             .begin_mask = pick(0, 63) & pick(0, 63),
                                             .end_mask = pick(0, 63) & pick(0, 63),
                                             .ellipsis_mask = pick(0, 1) << pick(0, 5),
                                             .new_axis_mask = pick(0, 63) & pick(0, 63),
                                             .shrink_axis_mask = pick(0, 63) & pick(0, 63)};
        oribi_geometry_strided apart = spec;
        apart.new_axis_mask &= ~spec.ellipsis_mask;
        check_walk(&apart, dims, (int32_t)pick(0, 6));
    }
}

/* Whatever the numbers are, what is taken lies in the dimension, and one step more does not. */
static void strided_slices_of_any_numbers_stay_inside(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        const int64_t begin = extreme(), end = extreme(), step = extreme();
        const int64_t in = pick(0, 3) == 0 ? INT64_MAX : pick(0, 9);
        const oribi_geometry_strided spec = {.n = 1,
                                             .begin = &begin,
                                             .end = &end,
                                             .step = &step,
                                             .begin_mask = pick(0, 1),
                                             .end_mask = pick(0, 1)};
        oribi_geometry_slice s;
        assert_int_equal(oribi_geometry_slice_open(&s, &spec, 1), ORIBI_GEOMETRY_PART);
        if (oribi_geometry_slice_next(&s, &in) == ORIBI_GEOMETRY_ZERO_STEP) {
            assert_int_equal(step, 0);
            continue;
        }
        assert_true(s.count >= 0 && s.count <= in);
        assert_true(s.count > 0 || (s.first == 0 && s.step == 1));
        if (s.count > 0) {
            const int64_t last = s.first + (s.count - 1) * s.step;
            assert_true(s.first >= 0 && s.first < in && last >= 0 && last < in);
            assert_true(s.count == 1 || s.step == step);
        }
        if (spec.begin_mask != 0 && spec.end_mask != 0) {
            assert_int_equal(s.count > 0, in > 0);
        }
    }
}

static void slices_with_unknown_numbers_are_unknown(void **state)
{
    (void)state;
    const int64_t step[] = {1, 2}, dims[] = {-1, 6};
    const oribi_geometry_strided spec = {
        .n = 2, .step = step, .begin_mask = 2, .end_mask = 3, .shrink_axis_mask = 1};
    oribi_geometry_slice s;
    assert_int_equal(oribi_geometry_slice_open(&s, &spec, 2), ORIBI_GEOMETRY_PART);
    assert_int_equal(oribi_geometry_slice_next(&s, dims), ORIBI_GEOMETRY_INDEX);
    assert_int_equal(s.first, -1);
    assert_int_equal(oribi_geometry_slice_next(&s, dims), ORIBI_GEOMETRY_PART);
    assert_int_equal(s.count, 3); /* the masks say enough */
    assert_int_equal(oribi_geometry_slice_next(&s, dims), ORIBI_GEOMETRY_END);
}

/* The elements of a slice stay the same ones when value and specification are put in another order.
 */
static void slices_of_reordered_values_take_the_same_elements(void **state)
{
    (void)state;
    const oribi_perm perm = {.n = 3, .at = {2, 0, 1}};
    for (int i = 0; i < TIMES / 10; i++) {
        int64_t dims[3], there_dims[3], begin[3], end[3], step[3];
        for (int k = 0; k < 3; k++) {
            dims[k] = there_dims[perm.at[k]] = pick(0, 9);
            begin[k] = pick(-12, 12);
            end[k] = pick(-12, 12);
            step[k] = pick(0, 2) != 0 ? pick(1, 4) : pick(-4, -1);
        }
        const oribi_geometry_strided spec = {.n = (int32_t)pick(0, 3),
                                             .begin = begin,
                                             .end = end,
                                             .step = step,
                                             .begin_mask = pick(0, 7),
                                             .end_mask = pick(0, 7)};
        oribi_geometry_strided_dims values;
        assert_true(oribi_geometry_strided_reorder(&spec, &perm, &values));
        const oribi_geometry_strided moved = {.n = 3,
                                              .begin = values.begin.at,
                                              .end = values.end.at,
                                              .step = values.step.at,
                                              .begin_mask = values.begin_mask,
                                              .end_mask = values.end_mask};
        oribi_geometry_slice here, there;
        int64_t parts[3][3];
        (void)oribi_geometry_slice_open(&there, &moved, 3);
        while (oribi_geometry_slice_next(&there, there_dims) == ORIBI_GEOMETRY_PART) {
            const int64_t part[] = {there.first, there.count, there.step};
            memcpy(parts[there.axis], part, sizeof part);
        }
        (void)oribi_geometry_slice_open(&here, &spec, 3);
        while (oribi_geometry_slice_next(&here, dims) == ORIBI_GEOMETRY_PART) {
            const int64_t part[] = {here.first, here.count, here.step};
            assert_memory_equal(parts[perm.at[here.axis]], part, sizeof part);
        }
    }
}

static void two_ellipses_are_refused(void **state)
{
    (void)state;
    const int64_t numbers[] = {0, 0};
    const oribi_geometry_strided spec = {
        .n = 2, .begin = numbers, .end = numbers, .step = numbers, .ellipsis_mask = 3};
    oribi_geometry_slice s;
    assert_int_equal(oribi_geometry_slice_open(&s, &spec, 3), ORIBI_GEOMETRY_TWO_ELLIPSES);
}

static void plain_slices_lie_within_their_dimension(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        const int64_t in = pick(-1, 5), begin = pick(-1, 7), size = pick(-3, 7);
        int64_t count = 0, from = begin < 0 ? 0 : begin;
        const bool fits = oribi_geometry_slice_size(in, begin, size, &count);
        bool expected = size >= -1;
        for (int64_t at = from; in >= 0 && at < from + size; at++) {
            expected = expected && at < in;
        }
        assert_int_equal(fits, expected && (in < 0 || begin <= in));
        if (fits) {
            assert_int_equal(count, size >= 0 ? size : in < 0 || begin < 0 ? -1 : in - begin);
        }
    }
    int64_t count = 0;
    assert_false(oribi_geometry_slice_size(5, 3, INT64_MAX, &count));
    assert_false(oribi_geometry_slice_size(INT64_MAX, INT64_MAX, 1, &count));
    assert_false(oribi_geometry_slice_size(5, 3, INT64_MIN, &count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_slide_as_counting_them_says),
#ifdef __SIZEOF_INT128__
        cmocka_unit_test(windows_of_any_size_slide_as_128_bits_say),
#endif
        cmocka_unit_test(unknown_sizes_leave_unknown_what_depends_on_them),
        cmocka_unit_test(strided_slices_take_the_elements_that_stepping_meets),
        cmocka_unit_test(strided_slices_of_any_numbers_stay_inside),
        cmocka_unit_test(slices_with_unknown_numbers_are_unknown),
        cmocka_unit_test(slices_of_reordered_values_take_the_same_elements),
        cmocka_unit_test(two_ellipses_are_refused),
        cmocka_unit_test(plain_slices_lie_within_their_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
