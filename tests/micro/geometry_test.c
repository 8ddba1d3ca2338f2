/* SPDX-License-Identifier: Apache-2.0 */
/* micro/geometry against slow references that count what they see: windows one by one, the elements
 * of a slice one by one, every element of a walk. Sizes are small there; a second kind of test
 * takes sizes up to 2^63 and asks what must hold of any answer.
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
#include "micro/geometry/geometry_slice.h"
#include "micro/geometry/geometry_walk.h"
#include "micro/geometry/geometry_window.h"

enum { TIMES = 200000 };
static uint64_t seed = UINT64_C(88172645463325252);

static int64_t pick(int64_t low, int64_t high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (int64_t)(seed % ((uint64_t)high - (uint64_t)low + 1));
}

/* A number that hardly any model has, more often than not. */
static int64_t extreme(void)
{
    static const int64_t some[] = {
        INT64_MIN, INT64_MIN + 1, INT32_MIN, -1, 0, 1, INT32_MAX, (int64_t)INT32_MAX + 1,
        INT64_MAX, INT64_MAX - 1, 7,         -3};
    const int64_t which = pick(0, 15);
    return which < 12 ? some[which] : which < 14 ? INT64_C(1) << pick(0, 62) : pick(-20, 20);
}

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
    for (const oribi_kernel_text *text = oribi_kernel_texts; text->name != NULL; text++, n++) {
        assert_null(strstr(text->name, "geometry_"));
        assert_null(memmem(text->text, text->bytes, "geometry_", strlen("geometry_")));
    }
    assert_true(n > 200);
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
