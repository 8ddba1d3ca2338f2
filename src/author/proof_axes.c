/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of elementwise, reduces, along, vectors and batch. Each is tried in two ways: what depends
 * on some elements alone must stay when the others change, and must go along when axes change
 * places. An elementwise op must also not care about the shape of equal operands, or who
 * broadcasts.
 */
#include "author/proof.h"

#include <string.h>

#include "base/alloc.h"

typedef struct situation {
    oribi_proof *p;
    oribi_trait trait;
    uint32_t gone;   /* axes of x along which an output depends on the whole of x */
    bool is_dropped; /* the output lacks these axes */
    int32_t fixed;   /* axis of x that has to stay where it is, or -1 */
} situation;

static int32_t first_data(const situation *s)
{
    return s->p->traits.data;
}

static int32_t end_of_data(const situation *s)
{
    return s->p->traits.data + s->p->traits.n_data;
}

/* --- What stays ------------------------------------------------------------------------------ */

/* Where the elements of an input lie that output index `at` depends on: their first one. */
static int64_t cell_of_output(const situation *s, const oribi_grid *x, const oribi_dims *at)
{
    oribi_dims index = {.n = x->dims.n};
    int32_t k = at->n - 1;
    for (int32_t i = x->dims.n - 1; i >= 0; i--) {
        const bool is_gone = (s->gone >> i & 1) != 0;
        if (is_gone && s->is_dropped) {
            continue;
        }
        index.at[i] = is_gone || x->dims.at[i] == 1 || k < 0 ? 0 : at->at[k];
        k--;
    }
    return oribi__index_offset(&x->dims, &index);
}

static int64_t cell_of_input(const situation *s, const oribi_grid *x, const oribi_dims *at)
{
    oribi_dims index = *at;
    for (int32_t i = 0; i < index.n; i++) {
        index.at[i] = (s->gone >> i & 1) != 0 ? 0 : index.at[i];
    }
    return oribi__index_offset(&x->dims, &index);
}

/* Marks some of the elements of some cells; cells[..] says of which. */
static void choose(const situation *s, const oribi_grid *x, uint8_t *cells, uint8_t *mask)
{
    oribi_trial *t = &s->p->c->trial;
    oribi_dims index = {.n = x->dims.n};
    for (int64_t i = 0; i < x->count; i++) {
        cells[i] = oribi__trial_chance(t, 40);
    }
    int64_t i = 0;
    do {
        mask[i++] = cells[cell_of_input(s, x, &index)] != 0 && oribi__trial_chance(t, 70);
    } while (oribi__index_next(&x->dims, &index));
}

/* Outputs of which no input changed must be as they were. */
static void compare_untouched(situation *s, uint8_t *const *cells, const oribi_grid *now)
{
    oribi_proof *p = s->p;
    oribi_dims index = {.n = p->out.dims.n};
    int64_t i = 0, n_untouched = 0;
    if (now->count != p->out.count) {
        oribi__proof_fail(p, s->trait, "with other values the output has another shape");
        return;
    }
    do {
        bool is_touched = false;
        for (int32_t k = first_data(s); k < end_of_data(s); k++) {
            is_touched |= cells[k][cell_of_output(s, &p->in[k], &index)] != 0;
        }
        if (!is_touched && !oribi__grid_same(&p->out, i, now, i)) {
            oribi__proof_fail(
                p, s->trait, "output element %lld changed with an input that it does not depend on",
                (long long)i);
            return;
        }
        n_untouched += !is_touched;
        i++;
    } while (oribi__index_next(&p->out.dims, &index));
    p->tried |= n_untouched > 0 && n_untouched < i ? (uint32_t)s->trait : 0;
}

static void try_stays(situation *s)
{
    oribi_proof *p = s->p;
    uint8_t *cells[ORIBI_TRIAL_MAX_INPUTS];
    oribi_variant v;
    oribi_grid now;
    bool ok = true, varies = false;
    oribi__variant_begin(p, &v);
    for (int32_t k = first_data(s); ok && k < end_of_data(s); k++) {
        oribi_arena *arena = &p->c->trial.arena;
        const oribi_grid *x = &p->in[k];
        uint8_t *mask = oribi_arena_alloc(arena, (size_t)x->count);
        cells[k] = oribi_arena_alloc(arena, (size_t)x->count);
        ok = mask != NULL && cells[k] != NULL;
        if (ok) {
            const int64_t by = 1 + (int64_t)oribi__trial_random(&p->c->trial, (uint64_t)x->count);
            choose(s, x, cells[k], mask);
            varies |= oribi__grid_varies(x);
            ok = oribi__variant_set(p, &v, k, oribi__grid_turn(x, by, mask));
        }
    }
    if (ok && varies && oribi__variant_run(p, &v, &now)) {
        compare_untouched(s, cells, &now);
    }
    oribi__variant_end(p, &v);
}

/* Until some outputs could change and others could not. */
static void prove_stays(situation *s)
{
    enum { TRIES = 4 };
    for (int i = 0; i < TRIES && (i == 0 || (s->p->tried & (uint32_t)s->trait) == 0); i++) {
        try_stays(s);
    }
}

/* --- Axes that change places ----------------------------------------------------------------- */

/* A random order of `n` axes in which `fixed` stays. */
static oribi_dims random_order(oribi_trial *t, int32_t n, int32_t fixed)
{
    oribi_dims order = {.n = n};
    for (int32_t i = 0; i < n; i++) {
        order.at[i] = i;
    }
    for (int32_t i = n - 1; i > 0; i--) {
        const int32_t k = (int32_t)oribi__trial_random(t, (uint64_t)i + 1);
        const int64_t swap = order.at[i];
        if (i != fixed && k != fixed) {
            order.at[i] = order.at[k];
            order.at[k] = swap;
        }
    }
    return order;
}

static bool is_straight(const oribi_dims *order)
{
    for (int32_t i = 0; i < order->n; i++) {
        if (order->at[i] != i) {
            return false;
        }
    }
    return true;
}

/* The place of an axis in the order; axes below 0 count from the end. */
static int64_t place_of(const oribi_dims *order, int64_t axis)
{
    for (int32_t i = 0; i < order->n; i++) {
        if (order->at[i] == (axis < 0 ? axis + order->n : axis)) {
            return i;
        }
    }
    return axis;
}

/* Axis i of the result is axis order[i] of x, to whose dims ones are added in front. */
static TF_Tensor *reorder(const oribi_grid *x, const oribi_dims *order)
{
    oribi_dims dims = {.n = order->n}, steps = {.n = order->n};
    const int32_t missing = order->n - x->dims.n;
    for (int32_t i = 0; i < order->n; i++) {
        const int32_t from = (int32_t)order->at[i] - missing;
        int64_t step = 1;
        for (int32_t k = from < 0 ? x->dims.n : from + 1; k < x->dims.n; k++) {
            step *= x->dims.at[k];
        }
        dims.at[i] = from < 0 ? 1 : x->dims.at[from];
        steps.at[i] = from < 0 ? 0 : step;
    }
    return oribi__grid_spread(x, &dims, &steps);
}

/* How the output's axes lie when those of x lie in this order. */
static oribi_dims order_of_output(const situation *s, const oribi_dims *order)
{
    oribi_dims out = {0};
    for (int32_t i = 0; i < order->n; i++) {
        int64_t axis = order->at[i];
        if (s->is_dropped && (s->gone >> axis & 1) != 0) {
            continue;
        }
        if (s->is_dropped) {
            axis -= __builtin_popcount(s->gone & ((1U << axis) - 1));
        }
        oribi_dims_add(&out, axis);
    }
    return out;
}

static void compare_reordered(situation *s, const oribi_dims *order, const oribi_grid *now)
{
    oribi_proof *p = s->p;
    const oribi_dims back = order_of_output(s, order);
    oribi_dims index = {.n = now->dims.n};
    int64_t i = 0;
    if (now->dims.n != back.n || back.n != p->out.dims.n || now->count != p->out.count) {
        oribi__proof_fail(p, s->trait, "with axes in another order the output has another rank");
        return;
    }
    for (int32_t k = 0; k < back.n; k++) {
        if (now->dims.at[k] != p->out.dims.at[back.at[k]]) {
            oribi__proof_fail(p, s->trait,
                              "with axes in another order the output's axes do not follow");
            return;
        }
    }
    do {
        oribi_dims was = {.n = back.n};
        for (int32_t k = 0; k < back.n; k++) {
            was.at[back.at[k]] = index.at[k];
        }
        if (!oribi__grid_same(&p->out, oribi__index_offset(&p->out.dims, &was), now, i)) {
            oribi__proof_fail(p, s->trait,
                              "with axes in another order the elements do not follow them");
            return;
        }
        i++;
    } while (oribi__index_next(&now->dims, &index));
}

/* The arguments that name axes of x name them in the new order. */
static bool rewrite_axes(const situation *s, const oribi_dims *order, oribi_variant *v)
{
    oribi_proof *p = s->p;
    const oribi_traits *traits = &p->traits;
    if (traits->axis_attr != NULL && s->fixed < 0 &&
        !oribi_attrs_set_int(&v->attrs, &p->c->trial.arena, traits->axis_attr,
                             place_of(order, traits->axis))) {
        return false;
    }
    if (traits->axes >= 0) {
        oribi_dims axes;
        if (!oribi__grid_ints(&p->in[traits->axes], &axes)) {
            return false;
        }
        for (int32_t i = 0; i < axes.n; i++) {
            axes.at[i] = place_of(order, axes.at[i]);
        }
        return oribi__variant_set(p, v, traits->axes,
                                  oribi__grid_with_ints(&p->in[traits->axes], &axes));
    }
    return true;
}

static void prove_order(situation *s, int32_t rank)
{
    oribi_proof *p = s->p;
    const oribi_dims order = random_order(&p->c->trial, rank, s->fixed);
    oribi_variant v;
    oribi_grid now;
    if (is_straight(&order)) {
        return;
    }
    oribi__variant_begin(p, &v);
    bool ok = rewrite_axes(s, &order, &v);
    for (int32_t k = first_data(s); ok && k < end_of_data(s); k++) {
        ok = p->in[k].dims.n == 0 || oribi__variant_set(p, &v, k, reorder(&p->in[k], &order));
    }
    if (ok && oribi__variant_run(p, &v, &now)) {
        compare_reordered(s, &order, &now);
    } else if (ok && v.outcome.status != NULL && p->traits.format_attr == NULL) {
        oribi__proof_fail(p, s->trait, "with axes in another order it fails: %s",
                          TF_Message(v.outcome.status));
    }
    oribi__variant_end(p, &v);
}

/* --- Of elementwise alone --------------------------------------------------------------------- */

static void compare_flat(situation *s, const oribi_grid *now, const char *how)
{
    oribi_proof *p = s->p;
    for (int64_t i = 0; i < p->out.count; i++) {
        if (now->count != p->out.count || !oribi__grid_same(&p->out, i, now, i)) {
            oribi__proof_fail(p, s->trait, "%s it gives another result", how);
            return;
        }
    }
}

/* All operands with one dimension, or all as large as the output. What it refuses proves nothing.
 */
static void prove_shape(situation *s, bool is_flat)
{
    oribi_proof *p = s->p;
    oribi_variant v;
    oribi_grid now;
    bool ok = true, is_other = false;
    oribi__variant_begin(p, &v);
    for (int32_t k = first_data(s); ok && k < end_of_data(s); k++) {
        const oribi_grid *x = &p->in[k];
        oribi_dims dims = p->out.dims, steps = {.n = p->out.dims.n};
        int64_t step = 1;
        for (int32_t i = x->dims.n - 1; i >= 0; i--) {
            const int32_t to = dims.n - x->dims.n + i;
            steps.at[to] = x->dims.at[i] == 1 ? 0 : step;
            step *= x->dims.at[i];
        }
        if (is_flat) {
            ok = x->count == p->out.count;
            dims = (oribi_dims){.n = 1, .at = {x->count}};
            steps = (oribi_dims){.n = 1, .at = {1}};
        }
        is_other |= x->dims.n != dims.n || x->count != p->out.count;
        ok = ok && oribi__variant_set(p, &v, k, oribi__grid_spread(x, &dims, &steps));
    }
    if (ok && is_other && oribi__variant_run(p, &v, &now)) {
        compare_flat(s, &now,
                     is_flat ? "with the same elements in one dimension"
                             : "with operands repeated instead of broadcast");
    }
    oribi__variant_end(p, &v);
}

/* --- The traits ------------------------------------------------------------------------------- */

/* A vector that is neither one element nor as long as its axis is told otherwise than we know. */
static bool vectors_fit(const oribi_proof *p, int64_t axis)
{
    const oribi_grid *x = &p->in[p->traits.data];
    for (int32_t i = 0; i < p->c->trial.signature.n_inputs; i++) {
        const bool is_vector = (p->traits.vectors >> i & 1) != 0;
        if (is_vector && p->in[i].count != 1 &&
            (axis < 0 || axis >= x->dims.n || p->in[i].count != x->dims.at[axis])) {
            return false;
        }
    }
    return true;
}

static bool begin_vectors(situation *s)
{
    const oribi_proof *p = s->p;
    const oribi_traits *traits = &p->traits;
    const int32_t rank = p->in[traits->data].dims.n;
    int64_t axis = traits->axis;
    if (traits->format_attr != NULL) {
        const oribi_attr *format = oribi_attrs_find(&p->c->trial.attrs, traits->format_attr);
        const bool is_first = format != NULL && strncmp(format->u.s->data, "NC", 2) == 0;
        axis = is_first ? 1 : rank - 1;
        s->fixed = (int32_t)axis;
    }
    axis += axis < 0 ? rank : 0;
    return vectors_fit(p, axis);
}

/* A vector counts for the index of its own axis alone. */
static void prove_vectors(situation *s)
{
    oribi_proof *p = s->p;
    const int64_t axis = s->fixed >= 0 ? s->fixed : p->traits.axis;
    const oribi_grid *x = &p->in[p->traits.data];
    oribi_dims index = {.n = p->out.dims.n};
    oribi_variant v;
    oribi_grid now;
    oribi__variant_begin(p, &v);
    bool ok = p->out.count == x->count && p->out.dims.n == x->dims.n, varies = false;
    for (int32_t i = 0; ok && i < p->c->trial.signature.n_inputs; i++) {
        const oribi_grid *a = &p->in[i];
        uint8_t *mask = oribi_arena_alloc(&p->c->trial.arena, (size_t)a->count);
        if ((p->traits.vectors >> i & 1) == 0 || a->count < 2 || mask == NULL) {
            continue;
        }
        memset(mask, 0, (size_t)a->count);
        mask[0] = 1; /* only what belongs to its first element may change */
        varies = true;
        ok = oribi__variant_set(p, &v, i, oribi__grid_turn(a, 1, mask));
    }
    if (ok && varies && oribi__variant_run(p, &v, &now) && now.count == p->out.count) {
        int64_t i = 0;
        do {
            const bool is_its_own = index.at[axis < 0 ? axis + index.n : axis] == 0;
            if (!is_its_own && !oribi__grid_same(&p->out, i, &now, i)) {
                oribi__proof_fail(p, ORIBI_TRAIT_VECTORS,
                                  "output element %lld changed with an element of a vector that "
                                  "belongs to another index of the axis",
                                  (long long)i);
                break;
            }
            i++;
        } while (oribi__index_next(&p->out.dims, &index));
        p->tried |= ORIBI_TRAIT_VECTORS;
    }
    oribi__variant_end(p, &v);
}

static void prove_elementwise(oribi_proof *p)
{
    situation s = {.p = p, .trait = ORIBI_TRAIT_ELEMENTWISE, .fixed = -1};
    const bool has_vectors = (p->traits.is & ORIBI_TRAIT_VECTORS) != 0;
    if (has_vectors && !begin_vectors(&s)) {
        return;
    }
    prove_stays(&s);
    if ((p->wrong & ORIBI_TRAIT_ELEMENTWISE) == 0) {
        prove_order(&s, p->out.dims.n);
    }
    if (has_vectors) {
        prove_vectors(&s);
    } else if ((p->wrong & ORIBI_TRAIT_ELEMENTWISE) == 0) {
        prove_shape(&s, true);
        prove_shape(&s, false);
    }
}

/* Axes that the op names once each, as bits; 0: they are not such. */
static bool read_axes(const oribi_proof *p, const oribi_dims *axes, uint32_t *bits)
{
    const int32_t rank = p->in[p->traits.data].dims.n;
    *bits = 0;
    for (int32_t i = 0; i < axes->n; i++) {
        const int64_t axis = axes->at[i] < 0 ? axes->at[i] + rank : axes->at[i];
        if (axis < 0 || axis >= rank || (*bits >> axis & 1) != 0) {
            return false;
        }
        *bits |= 1U << axis;
    }
    return true;
}

static void prove_reduces(oribi_proof *p)
{
    situation s = {
        .p = p, .trait = ORIBI_TRAIT_REDUCES, .is_dropped = !p->traits.keeps_dims, .fixed = -1};
    oribi_dims axes;
    const oribi_grid *x = &p->in[p->traits.data];
    if (!oribi__grid_ints(&p->in[p->traits.axes], &axes) || !read_axes(p, &axes, &s.gone)) {
        return;
    }
    const int32_t rank = x->dims.n - (s.is_dropped ? __builtin_popcount(s.gone) : 0);
    if (p->out.dims.n != rank) {
        oribi__proof_fail(p, s.trait, "the output has rank %d instead of %d", (int)p->out.dims.n,
                          (int)rank);
        return;
    }
    prove_stays(&s);
    if ((p->wrong & ORIBI_TRAIT_REDUCES) == 0) {
        prove_order(&s, x->dims.n);
    }
}

static void prove_along(oribi_proof *p)
{
    situation s = {.p = p, .trait = ORIBI_TRAIT_ALONG, .fixed = -1};
    const oribi_grid *x = &p->in[p->traits.data];
    oribi_dims axes = {.n = 1, .at = {p->traits.axis}};
    if ((p->traits.axes >= 0 && !oribi__grid_ints(&p->in[p->traits.axes], &axes)) ||
        !read_axes(p, &axes, &s.gone) || axes.n != 1) {
        return;
    }
    for (int32_t i = 0; i < x->dims.n; i++) {
        const bool is_along = (s.gone >> i & 1) != 0;
        if (p->out.dims.n != x->dims.n || (!is_along && p->out.dims.at[i] != x->dims.at[i])) {
            oribi__proof_fail(p, s.trait, "the output's other dimensions are not those of x");
            return;
        }
    }
    s.fixed = p->traits.axes < 0 && p->traits.axis_attr == NULL ? __builtin_ctz(s.gone) : -1;
    prove_stays(&s);
    if ((p->wrong & ORIBI_TRAIT_ALONG) == 0) {
        prove_order(&s, x->dims.n);
    }
}

/* An image of the output depends on that image of each input that has as many. */
static void prove_batch(oribi_proof *p)
{
    situation s = {.p = p, .trait = ORIBI_TRAIT_BATCH, .gone = ~1U, .fixed = -1};
    const oribi_traits said = p->traits;
    for (int32_t k = 0; k < p->c->trial.signature.n_inputs && p->out.dims.n > 0; k++) {
        const oribi_dims *dims = &p->in[k].dims;
        if ((said.batch >> k & 1) != 0 && dims->n == p->out.dims.n &&
            dims->at[0] == p->out.dims.at[0]) {
            p->traits.data = k;
            p->traits.n_data = 1;
            prove_stays(&s);
        }
    }
    p->traits = said;
}

void oribi__prove_axes(oribi_proof *p)
{
    if ((p->traits.is & ORIBI_TRAIT_ELEMENTWISE) != 0) {
        prove_elementwise(p);
    }
    if ((p->traits.is & ORIBI_TRAIT_REDUCES) != 0) {
        prove_reduces(p);
    }
    if ((p->traits.is & ORIBI_TRAIT_ALONG) != 0) {
        prove_along(p);
    }
    if ((p->traits.is & ORIBI_TRAIT_BATCH) != 0) {
        prove_batch(p);
    }
}
