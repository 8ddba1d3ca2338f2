/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of what only moves elements. Where a trait says which element goes where, the trial's own
 * result is compared with that. moves and rearranges do not say it: x is filled with the numbers of
 * its elements, a bit in each of several runs, and the result then tells where each came from.
 */
#include "author/proof.h"

#include <string.h>

#include "base/alloc.h"
#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_slice.h"

/* --- Which element goes where, as the trait says it --------------------------------------------
 */

typedef struct said {
    const oribi_proof *p;
    oribi_dims order, paddings, multiples, begin, size, strides, dims; /* arguments, as they are */
    oribi_dims shape;                                                  /* of the output */
    int32_t axis;
    int32_t output;
} said;

/* True with *out NULL: the trait says nothing of this element. False: there is no such element. */
typedef bool said_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                         int64_t *out_index);
typedef bool said_begin(said *s); /* false: the arguments are not such that it is known here */

static const oribi_grid *data_of(const said *s)
{
    return &s->p->in[s->p->traits.data];
}

static bool read_argument(const said *s, int32_t input, int32_t count, oribi_dims *out)
{
    return input >= 0 && oribi__grid_ints(&s->p->in[input], out) && (count < 0 || out->n == count);
}

static bool at_index(const said *s, const oribi_dims *index, const oribi_grid **out_x,
                     int64_t *out_index)
{
    const oribi_grid *x = data_of(s);
    *out_x = x;
    for (int32_t i = 0; i < x->dims.n; i++) {
        if (index->at[i] < 0 || index->at[i] >= x->dims.at[i]) {
            return false;
        }
    }
    *out_index = oribi__index_offset(&x->dims, index);
    return true;
}

static bool begin_identity(said *s)
{
    s->shape = data_of(s)->dims;
    return true;
}

static bool identity_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                            int64_t *out_index)
{
    return at_index(s, at, out_x, out_index);
}

static bool begin_view(said *s)
{
    s->shape = s->p->out.dims;
    return data_of(s)->count == s->p->out.count;
}

static bool view_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                        int64_t *out_index)
{
    *out_x = data_of(s);
    *out_index = oribi__index_offset(&s->shape, at);
    return true;
}

static bool begin_permutes(said *s)
{
    const oribi_grid *x = data_of(s);
    if (!read_argument(s, s->p->traits.axes, x->dims.n, &s->order)) {
        return false;
    }
    s->shape.n = x->dims.n;
    for (int32_t i = 0; i < x->dims.n; i++) {
        s->order.at[i] += s->order.at[i] < 0 ? x->dims.n : 0;
        s->shape.at[i] = x->dims.at[s->order.at[i]];
    }
    return true;
}

static bool permutes_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                            int64_t *out_index)
{
    oribi_dims index = *at;
    for (int32_t i = 0; i < at->n; i++) {
        index.at[s->order.at[i]] = at->at[i];
    }
    return at_index(s, &index, out_x, out_index);
}

static bool begin_pads(said *s)
{
    const oribi_grid *x = data_of(s);
    if (!read_argument(s, s->p->traits.axes, 2 * x->dims.n, &s->paddings)) {
        return false;
    }
    s->shape.n = x->dims.n;
    for (int32_t i = 0; i < x->dims.n; i++) {
        s->shape.at[i] = s->paddings.at[2 * i] + x->dims.at[i] + s->paddings.at[2 * i + 1];
    }
    return true;
}

static bool pads_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                        int64_t *out_index)
{
    oribi_dims index = *at;
    for (int32_t i = 0; i < at->n; i++) {
        index.at[i] -= s->paddings.at[2 * i];
    }
    if (!at_index(s, &index, out_x, out_index)) {
        const oribi_traits *traits = &s->p->traits;
        const bool has_value = traits->more >= 0 && (traits->is & ORIBI_TRAIT_MOVES) == 0;
        *out_x = has_value ? &s->p->in[traits->more] : NULL;
        *out_index = (traits->is & ORIBI_TRAIT_MOVES) != 0 ? -1 : 0; /* -1: not said */
    }
    return true;
}

static bool begin_tiles(said *s)
{
    const oribi_grid *x = data_of(s);
    if (!read_argument(s, s->p->traits.axes, x->dims.n, &s->multiples)) {
        return false;
    }
    s->shape.n = x->dims.n;
    for (int32_t i = 0; i < x->dims.n; i++) {
        s->shape.at[i] = x->dims.at[i] * s->multiples.at[i];
    }
    return true;
}

static bool tiles_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                         int64_t *out_index)
{
    oribi_dims index = *at;
    for (int32_t i = 0; i < at->n; i++) {
        index.at[i] %= data_of(s)->dims.at[i];
    }
    return at_index(s, &index, out_x, out_index);
}

static bool begin_slices(said *s)
{
    const oribi_grid *x = data_of(s);
    if (!read_argument(s, s->p->traits.axes, x->dims.n, &s->begin) ||
        !read_argument(s, s->p->traits.more, x->dims.n, &s->size)) {
        return false;
    }
    s->shape.n = x->dims.n;
    for (int32_t i = 0; i < x->dims.n; i++) {
        const int64_t rest = x->dims.at[i] - s->begin.at[i];
        s->shape.at[i] = s->size.at[i] == -1 ? rest : s->size.at[i];
    }
    return true;
}

static bool slices_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                          int64_t *out_index)
{
    oribi_dims index = *at;
    for (int32_t i = 0; i < at->n; i++) {
        index.at[i] += s->begin.at[i];
    }
    return at_index(s, &index, out_x, out_index);
}

static int64_t mask_of(const said *s, const char *name)
{
    const oribi_attr *attr = oribi_attrs_find(&s->p->c->trial.attrs, name);
    return attr != NULL && attr->kind == TF_ATTR_INT ? attr->u.i[0] : 0;
}

/* The box as geometry reads it; s->begin and s->strides are those of each dimension then. */
static bool cut_box(said *s, const oribi_geometry_strided *spec)
{
    const oribi_dims in = data_of(s)->dims;
    oribi_geometry_slice slice;
    oribi_geometry_cut cut = oribi_geometry_slice_open(&slice, spec, in.n);
    oribi_dims begin = in, strides = in;
    s->shape = in;
    while (cut == ORIBI_GEOMETRY_PART &&
           (cut = oribi_geometry_slice_next(&slice, in.at)) == ORIBI_GEOMETRY_PART) {
        begin.at[slice.axis] = slice.first;
        strides.at[slice.axis] = slice.step;
        s->shape.at[slice.axis] = slice.count;
    }
    s->begin = begin;
    s->strides = strides;
    return cut == ORIBI_GEOMETRY_END;
}

static bool begin_strides(said *s)
{
    const oribi_grid *x = data_of(s);
    oribi_dims end;
    if (!read_argument(s, s->p->traits.axes, -1, &s->begin) || s->begin.n > x->dims.n ||
        !read_argument(s, s->p->traits.more, s->begin.n, &end) ||
        !read_argument(s, s->p->traits.last, s->begin.n, &s->strides)) {
        return false;
    }
    const oribi_dims first = s->begin, step = s->strides;
    const oribi_geometry_strided spec = {.n = first.n,
                                         .begin = first.at,
                                         .end = end.at,
                                         .step = step.at,
                                         .begin_mask = mask_of(s, "begin_mask"),
                                         .end_mask = mask_of(s, "end_mask"),
                                         .ellipsis_mask = mask_of(s, "ellipsis_mask"),
                                         .new_axis_mask = mask_of(s, "new_axis_mask"),
                                         .shrink_axis_mask = mask_of(s, "shrink_axis_mask")};
    return spec.ellipsis_mask == 0 && spec.new_axis_mask == 0 && spec.shrink_axis_mask == 0 &&
           cut_box(s, &spec);
}

static bool strides_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                           int64_t *out_index)
{
    oribi_dims index = *at;
    for (int32_t i = 0; i < s->begin.n; i++) {
        index.at[i] = s->begin.at[i] + at->at[i] * s->strides.at[i];
    }
    return at_index(s, &index, out_x, out_index);
}

/* The axis, from an input or an attribute, of a value of this rank. */
static bool read_axis(said *s, int32_t rank)
{
    oribi_dims axis = {.n = 1, .at = {s->p->traits.axis}};
    if (s->p->traits.axes >= 0 && !read_argument(s, s->p->traits.axes, 1, &axis)) {
        return false;
    }
    return oribi_geometry_axis(axis.at[0], rank, &s->axis);
}

static bool begin_joins(said *s)
{
    const oribi_grid *x = data_of(s);
    if (!read_axis(s, x->dims.n)) {
        return false;
    }
    s->shape = x->dims;
    for (int32_t k = 1; k < s->p->traits.n_data; k++) {
        s->shape.at[s->axis] += x[k].dims.at[s->axis];
    }
    return true;
}

static bool joins_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                         int64_t *out_index)
{
    oribi_dims index = *at;
    const oribi_grid *x = data_of(s), *end = x + s->p->traits.n_data;
    while (x < end && index.at[s->axis] >= x->dims.at[s->axis]) {
        index.at[s->axis] -= x->dims.at[s->axis];
        x++;
    }
    *out_x = x;
    *out_index = x < end ? oribi__index_offset(&x->dims, &index) : 0;
    return x < end;
}

static bool begin_stacks(said *s)
{
    const oribi_grid *x = data_of(s);
    if (!read_axis(s, x->dims.n + 1) || x->dims.n == ORIBI_MAX_RANK) {
        return false;
    }
    s->shape.n = x->dims.n + 1;
    for (int32_t i = 0; i < s->shape.n; i++) {
        s->shape.at[i] = i == s->axis ? s->p->traits.n_data : x->dims.at[i - (i > s->axis)];
    }
    return true;
}

static bool stacks_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                          int64_t *out_index)
{
    oribi_dims index = {.n = at->n - 1};
    for (int32_t i = 0; i < index.n; i++) {
        index.at[i] = at->at[i + (i >= s->axis)];
    }
    *out_x = data_of(s) + at->at[s->axis];
    *out_index = oribi__index_offset(&(*out_x)->dims, &index);
    return true;
}

/* Output number s->output begins where the ones before it end. */
static bool begin_splits(said *s)
{
    const oribi_trial_outcome *o = &s->p->c->first;
    const oribi_grid *x = data_of(s);
    oribi_grid one;
    if (!read_axis(s, x->dims.n)) {
        return false;
    }
    s->begin = (oribi_dims){.n = x->dims.n};
    for (int32_t i = 0; i <= s->output; i++) {
        if (!oribi__grid_of_output(o, i, &one) || one.dims.n != x->dims.n) {
            return false;
        }
        s->begin.at[s->axis] += i < s->output ? one.dims.at[s->axis] : 0;
    }
    s->shape = x->dims;
    s->shape.at[s->axis] = s->output + 1 < o->n_outputs
                               ? one.dims.at[s->axis]
                               : x->dims.at[s->axis] - s->begin.at[s->axis];
    return true;
}

static bool begin_gathers(said *s)
{
    const oribi_grid *x = data_of(s), *indices = &s->p->in[s->p->traits.more];
    if (!read_axis(s, x->dims.n) || x->dims.n - 1 + indices->dims.n > ORIBI_MAX_RANK ||
        !oribi__grid_is_integer(indices->dtype)) {
        return false;
    }
    for (int32_t i = 0; i < x->dims.n; i++) {
        for (int32_t k = 0; i == s->axis && k < indices->dims.n; k++) {
            oribi_dims_add(&s->shape, indices->dims.at[k]);
        }
        if (i != s->axis) {
            oribi_dims_add(&s->shape, x->dims.at[i]);
        }
    }
    return true;
}

static bool gathers_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                           int64_t *out_index)
{
    const oribi_grid *x = data_of(s), *indices = &s->p->in[s->p->traits.more];
    oribi_dims index = {.n = x->dims.n}, which = {.n = indices->dims.n};
    for (int32_t i = 0; i < which.n; i++) {
        which.at[i] = at->at[s->axis + i];
    }
    for (int32_t i = 0; i < index.n; i++) {
        index.at[i] = i < s->axis ? at->at[i] : i > s->axis ? at->at[i + which.n - 1] : 0;
    }
    index.at[s->axis] =
        (int64_t)oribi__grid_number(indices, oribi__index_offset(&indices->dims, &which));
    index.at[s->axis] += index.at[s->axis] < 0 ? x->dims.at[s->axis] : 0;
    return at_index(s, &index, out_x, out_index);
}

static bool begin_fills(said *s)
{
    return read_argument(s, s->p->traits.axes, -1, &s->shape);
}

static bool fills_source(const said *s, const oribi_dims *at, const oribi_grid **out_x,
                         int64_t *out_index)
{
    (void)at;
    *out_x = data_of(s);
    *out_index = 0;
    return true;
}

static const struct {
    oribi_trait trait;
    said_begin *begin;
    said_source *source;
} rows[] = {
    {ORIBI_TRAIT_IDENTITY, begin_identity, identity_source},
    {ORIBI_TRAIT_VIEW, begin_view, view_source},
    {ORIBI_TRAIT_PERMUTES, begin_permutes, permutes_source},
    {ORIBI_TRAIT_PADS, begin_pads, pads_source},
    {ORIBI_TRAIT_TILES, begin_tiles, tiles_source},
    {ORIBI_TRAIT_SLICES, begin_slices, slices_source},
    {ORIBI_TRAIT_STRIDES, begin_strides, strides_source},
    {ORIBI_TRAIT_JOINS, begin_joins, joins_source},
    {ORIBI_TRAIT_SPLITS, begin_splits, slices_source},
    {ORIBI_TRAIT_STACKS, begin_stacks, stacks_source},
    {ORIBI_TRAIT_GATHERS, begin_gathers, gathers_source},
    {ORIBI_TRAIT_FILLS, begin_fills, fills_source},
};

static bool same_dims(const oribi_dims *a, const oribi_dims *b)
{
    return a->n == b->n && memcmp(a->at, b->at, (size_t)a->n * sizeof a->at[0]) == 0;
}

/* Bytes of the element that must be there; NULL: nothing is said. */
static const uint8_t *wanted_element(const said *s, said_source *source, const oribi_dims *at,
                                     bool *out_exists)
{
    static const uint8_t zeros[16];
    const oribi_grid *x = NULL;
    int64_t index = 0;
    *out_exists = source(s, at, &x, &index);
    return !*out_exists || index < 0 ? NULL
           : x == NULL               ? zeros
                                     : x->data + (size_t)index * x->element;
}

static void compare_said(oribi_proof *p, oribi_trait trait, said_source *source, const said *s,
                         const oribi_grid *out)
{
    oribi_dims index = {.n = out->dims.n};
    int64_t i = 0;
    if (out->dtype != data_of(s)->dtype || !same_dims(&out->dims, &s->shape)) {
        oribi_text text = {0};
        const oribi_shape shape = {s->shape.n, (int64_t *)s->shape.at};
        oribi_shape_print(&shape, &text);
        oribi__proof_fail(p, trait, "output %d has another type, or a shape other than %s",
                          (int)s->output, oribi_text_string(&text));
        oribi_text_destroy(&text);
        return;
    }
    if (out->count == 0) {
        return;
    }
    do {
        bool exists = true;
        const uint8_t *wanted = wanted_element(s, source, &index, &exists);
        const bool is_same = wanted == NULL || memcmp(out->data + (size_t)i * out->element, wanted,
                                                      out->element) == 0;
        if (!exists || !is_same) {
            oribi__proof_fail(
                p, trait, "element %lld of output %d is not the element of x that the trait says",
                (long long)i, (int)s->output);
            return;
        }
        i++;
    } while (oribi__index_next(&out->dims, &index));
    p->tried |= oribi__grid_varies(data_of(s)) || trait == ORIBI_TRAIT_FILLS ? (uint32_t)trait : 0;
}

static void prove_said(oribi_proof *p, size_t row)
{
    const oribi_trait trait = rows[row].trait;
    const int32_t n = trait == ORIBI_TRAIT_SPLITS ? p->c->first.n_outputs : 1;
    for (int32_t i = 0; i < n && (p->wrong & (uint32_t)trait) == 0; i++) {
        said s = {.p = p, .output = i};
        oribi_grid out;
        if (oribi__grid_of_output(&p->c->first, i, &out) && rows[row].begin(&s)) {
            compare_said(p, trait, rows[row].source, &s, &out);
        }
    }
}

/* --- moves and rearranges ----------------------------------------------------------------------
 */

/* Two numbers that every type has: 1 and 2, of bool 1 and 0. */
static void put_digit(const oribi_grid *x, uint8_t *at, bool digit)
{
    const float single = digit ? 1.0F : 2.0F;
    const double wide = digit ? 1.0 : 2.0;
    const uint16_t half =
        (uint16_t)(x->dtype == TF_HALF ? (digit ? 0x3c00 : 0x4000) : (digit ? 0x3f80 : 0x4000));
    memset(at, 0, x->element);
    if (x->dtype == TF_FLOAT || x->dtype == TF_COMPLEX64) {
        memcpy(at, &single, sizeof single);
    } else if (x->dtype == TF_DOUBLE || x->dtype == TF_COMPLEX128) {
        memcpy(at, &wide, sizeof wide);
    } else if (x->dtype == TF_HALF || x->dtype == TF_BFLOAT16) {
        memcpy(at, &half, sizeof half);
    } else {
        at[0] = (uint8_t)(digit ? 1 : x->dtype == TF_BOOL ? 0 : 2);
    }
}

static TF_Tensor *with_digits(const oribi_grid *x, int64_t first, int bit)
{
    TF_Tensor *made = oribi__grid_turn(x, 0, NULL);
    for (int64_t i = 0; made != NULL && i < x->count; i++) {
        put_digit(x, (uint8_t *)TF_TensorData(made) + (size_t)i * x->element,
                  ((first + i) >> bit & 1) != 0);
    }
    return made;
}

/* Adds the bit to each output's source; false when an output is none of the two numbers. */
static bool read_digits(oribi_proof *p, oribi_trait trait, const oribi_grid *now, int bit,
                        int64_t *sources)
{
    uint8_t one[16], zero[16];
    put_digit(now, one, true);
    put_digit(now, zero, false);
    for (int64_t i = 0; i < now->count; i++) {
        const uint8_t *at = now->data + (size_t)i * now->element;
        const bool is_one = memcmp(at, one, now->element) == 0;
        if (!is_one && memcmp(at, zero, now->element) != 0) {
            oribi__proof_fail(p, trait, "output element %lld is not an element of x", (long long)i);
            return false;
        }
        sources[i] |= (int64_t)is_one << bit;
    }
    return true;
}

/* Where each output element comes from; NULL: not found out, or the trait is wrong. */
static int64_t *find_sources(oribi_proof *p, oribi_trait trait, int64_t total)
{
    int64_t *sources = oribi_arena_array(&p->c->trial.arena, (size_t)p->out.count, sizeof *sources);
    for (int64_t i = 0; sources != NULL && i < p->out.count; i++) {
        sources[i] = 0;
    }
    for (int bit = 0; sources != NULL && total >> bit > 0; bit++) {
        oribi_variant v;
        oribi_grid now;
        int64_t first = 0;
        bool ok = true;
        oribi__variant_begin(p, &v);
        for (int32_t k = p->traits.data; ok && k < p->traits.data + p->traits.n_data; k++) {
            ok = oribi__variant_set(p, &v, k, with_digits(&p->in[k], first, bit));
            first += p->in[k].count;
        }
        ok = ok && oribi__variant_run(p, &v, &now) && now.count == p->out.count &&
             read_digits(p, trait, &now, bit, sources);
        oribi__variant_end(p, &v);
        sources = ok ? sources : NULL;
    }
    return sources;
}

static bool is_that_element(const oribi_proof *p, int64_t index, int64_t source)
{
    for (int32_t k = p->traits.data; k < p->traits.data + p->traits.n_data; k++) {
        const oribi_grid *x = &p->in[k];
        if (source < x->count) {
            return memcmp(p->out.data + (size_t)index * x->element,
                          x->data + (size_t)source * x->element, x->element) == 0;
        }
        source -= x->count;
    }
    return false;
}

static void prove_moves(oribi_proof *p)
{
    const bool is_whole = (p->traits.is & ORIBI_TRAIT_REARRANGES) != 0;
    const oribi_trait trait = is_whole ? ORIBI_TRAIT_REARRANGES : ORIBI_TRAIT_MOVES;
    const oribi_grid *x = &p->in[p->traits.data];
    int64_t total = 0;
    for (int32_t k = 0; k < p->traits.n_data; k++) {
        total += x[k].count;
    }
    if (x->dtype != p->out.dtype || (is_whole && p->out.count != total)) {
        oribi__proof_fail(p, trait, "the output has another type or number of elements than x");
        return;
    }
    const int64_t *sources = find_sources(p, trait, total);
    uint8_t *seen = oribi_arena_alloc(&p->c->trial.arena, (size_t)total);
    if (sources == NULL || seen == NULL) {
        return;
    }
    memset(seen, 0, (size_t)total);
    for (int64_t i = 0; i < p->out.count; i++) {
        if (sources[i] >= total || !is_that_element(p, i, sources[i])) {
            oribi__proof_fail(
                p, trait, "the element of x that becomes output element %lld depends on the values",
                (long long)i);
            return;
        }
        if (is_whole && seen[sources[i]]++ != 0) {
            oribi__proof_fail(p, trait, "the output has element %lld of x twice",
                              (long long)sources[i]);
            return;
        }
    }
    if (x->count == 1 || oribi__grid_varies(x)) {
        p->tried |= ORIBI_TRAIT_MOVES | (is_whole ? ORIBI_TRAIT_REARRANGES : 0U);
    }
}

void oribi__prove_moves(oribi_proof *p)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if ((p->traits.is & (uint32_t)rows[i].trait) != 0) {
            prove_said(p, i);
        }
    }
    if ((p->traits.is & ORIBI_TRAIT_MOVES) != 0) {
        prove_moves(p);
    }
}
