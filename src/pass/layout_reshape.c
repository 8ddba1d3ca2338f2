/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes and reshapes change places: splitting or merging axes that lie together in the base is
 * done on the base (channel shuffles), and a flatten before dense layers is done in the base's
 * order, with the rows of the weights permuted to fit.
 */
#include "pass/layout_internal.h"

#include <string.h>

/* Stands for one unknown dimension on both sides; larger primes than real dims are rare, and a
 * coincidence only makes the products differ. */
static const int64_t unknown_token = INT64_C(2147483647);

enum { MAX_RANK = ORIBI_PASS_MAX_RANK };

/* Axes from[] of the value that together make dims to[] of the result. Axes of one element are in
 * no group on the left; on the right those in front are a group of their own, which stays in front
 * (a batch of one), and others go with the group that follows. */
typedef struct group {
    int32_t from[MAX_RANK], n_from;
    int64_t to[MAX_RANK];
    int32_t n_to, to_start;
} group;

typedef struct grouping {
    group groups[MAX_RANK + 1];
    int32_t n_groups;
} grouping;

static bool read_dims(const oribi_shape *shape, int64_t *out)
{
    if (shape->rank < 0 || shape->rank > MAX_RANK) {
        return false;
    }
    int32_t n_unknown = 0;
    for (int32_t i = 0; i < shape->rank; i++) {
        out[i] = shape->dims[i] < 0 ? unknown_token : shape->dims[i];
        n_unknown += shape->dims[i] < 0 ? 1 : 0;
        if (out[i] == 0) {
            return false;
        }
    }
    return n_unknown <= 1;
}

static bool multiply(int64_t *product, int64_t by)
{
    return !__builtin_mul_overflow(*product, by, product);
}

/* Splits both lists of dims into groups of equal products. */
static bool make_groups(const int64_t *from, int32_t n_from, const int64_t *to, int32_t n_to,
                        grouping *out)
{
    int32_t i = 0, k = 0;
    out->n_groups = 0;
    group *front = &out->groups[0];
    *front = (group){.to_start = 0};
    while (k < n_to && to[k] == 1) {
        front->to[front->n_to++] = to[k++];
    }
    out->n_groups = k > 0 ? 1 : 0;
    for (;;) {
        group *g = &out->groups[out->n_groups];
        *g = (group){.to_start = k};
        while (i < n_from && from[i] == 1) {
            i++;
        }
        while (k < n_to && to[k] == 1) {
            g->to[g->n_to++] = to[k++];
        }
        if (i == n_from || k == n_to) {
            break;
        }
        int64_t left = from[i], right = to[k];
        g->from[g->n_from++] = i++;
        g->to[g->n_to++] = to[k++];
        while (left != right) {
            if (left < right) {
                if (i == n_from || !multiply(&left, from[i])) {
                    return false;
                }
                if (from[i] != 1) {
                    g->from[g->n_from++] = i;
                }
                i++;
            } else {
                if (k == n_to || !multiply(&right, to[k])) {
                    return false;
                }
                g->to[g->n_to++] = to[k++];
            }
        }
        out->n_groups++;
    }
    if (i != n_from || k != n_to) {
        return false;
    }
    group *rest = &out->groups[out->n_groups];
    if (rest->n_to > 0) { /* trailing ones: with the last group, or alone */
        if (out->n_groups == 0) {
            out->n_groups = 1;
        } else {
            group *last = &out->groups[out->n_groups - 1];
            for (int32_t t = 0; t < rest->n_to; t++) {
                last->to[last->n_to++] = rest->to[t];
            }
        }
    }
    return true;
}

/* Where the group lies in the base: first place and whether its axes lie together, and in order. */
typedef struct placement {
    int32_t first;
    bool is_together, is_ordered;
} placement;

static placement place(const group *g, const int32_t *rank_in_base)
{
    placement p = {.first = -1, .is_together = true, .is_ordered = true};
    int32_t low = MAX_RANK, high = -1;
    for (int32_t i = 0; i < g->n_from; i++) {
        int32_t at = rank_in_base[g->from[i]];
        low = at < low ? at : low;
        high = at > high ? at : high;
        p.is_ordered = p.is_ordered && (i == 0 || at == rank_in_base[g->from[i - 1]] + 1);
    }
    p.first = low == MAX_RANK ? -1 : low;
    p.is_together = g->n_from == 0 || high - low + 1 == g->n_from;
    return p;
}

/* rank_in_base[i]: place of the value's axis i among the base's axes of more than one element. */
static void rank_axes(const oribi_layout_form *form, const int64_t *dims, int32_t *rank_in_base)
{
    for (int32_t i = 0; i < form->rank; i++) {
        rank_in_base[i] = 0;
        for (int32_t k = 0; k < form->rank; k++) {
            rank_in_base[i] += dims[k] != 1 && form->perm[k] < form->perm[i] ? 1 : 0;
        }
    }
}

typedef struct plan {
    grouping all;
    int32_t order[MAX_RANK + 1]; /* groups as they lie in the base */
    placement places[MAX_RANK + 1];
    bool is_ordered;  /* every group's axes are in order: only the groups move */
    bool groups_stay; /* groups lie in the base as in the value */
} plan;

static bool make_plan(const oribi_layout_form *form, const int64_t *from, const int64_t *to,
                      int32_t n_to, plan *out)
{
    int32_t rank_in_base[MAX_RANK];
    ORIBI_TRY(make_groups(from, form->rank, to, n_to, &out->all));
    rank_axes(form, from, rank_in_base);
    out->is_ordered = true;
    out->groups_stay = true;
    for (int32_t i = 0; i < out->all.n_groups; i++) {
        out->places[i] = place(&out->all.groups[i], rank_in_base);
        ORIBI_TRY(out->places[i].is_together);
        out->is_ordered = out->is_ordered && out->places[i].is_ordered;
        int32_t k = i;
        while (k > 0 && out->places[out->order[k - 1]].first > out->places[i].first) {
            out->order[k] = out->order[k - 1];
            k--;
        }
        out->order[k] = i;
        out->groups_stay = out->groups_stay && k == i;
    }
    return true;
}

/* Transpose within groups, for groups whose axes lie together but not in order. */
static oribi_value_id order_within(oribi_layout *layout, const oribi_layout_form *form,
                                   const plan *p, const int64_t *dims, const oribi_node *like)
{
    int8_t perm[MAX_RANK];
    int32_t n = 0;
    for (int32_t i = 0; i < form->rank; i++) { /* axes of one element first */
        if (dims[i] == 1) {
            perm[n++] = form->perm[i];
        }
    }
    for (int32_t k = 0; k < p->all.n_groups; k++) {
        const group *g = &p->all.groups[p->order[k]];
        for (int32_t i = 0; i < g->n_from; i++) {
            perm[n++] = form->perm[g->from[i]];
        }
    }
    return oribi_layout_transpose(layout, form->base, perm, form->rank, like);
}

/* Reshape of the base, group by group as they lie there; the result is a transpose of it. */
static bool reshape_base(oribi_layout *layout, oribi_node *node, const plan *p, oribi_value_id base)
{
    int64_t dims[MAX_RANK];
    int8_t perm[MAX_RANK];
    int32_t n = 0;
    for (int32_t k = 0; k < p->all.n_groups; k++) {
        const group *g = &p->all.groups[p->order[k]];
        for (int32_t i = 0; i < g->n_to; i++) {
            perm[g->to_start + i] = (int8_t)n;
            dims[n++] = g->to[i] == unknown_token ? -1 : g->to[i];
        }
    }
    oribi_value_id value = oribi_layout_reshape(layout, base, dims, n, node);
    ORIBI_TRY(value >= 0);
    oribi_layout_set(layout, node->outputs[0], value, perm, n);
    return true;
}

/* --- Dense layers after a flatten ------------------------------------------------------------ */

/* Are all readers MatMul(value, constant), whose rows can be permuted within the limit? */
static bool feeds_dense_only(const oribi_layout *layout, oribi_value_id value, oribi_use *uses,
                             int32_t max_uses, int32_t *out_n)
{
    size_t limit = layout->options != NULL && layout->options->fold_max_bytes > 0
                       ? layout->options->fold_max_bytes
                       : (size_t)64 << 20;
    int32_t n = oribi_graph_uses(layout->graph, value, uses, max_uses);
    *out_n = n;
    if (n < 1 || n > max_uses || layout->graph->values[value]->is_output) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        const oribi_node *user = uses[i].node;
        if (!oribi_pass_is(user, "MatMul") || uses[i].input != 0 ||
            oribi_pass_attr_bool(user, "transpose_a", false)) {
            return false;
        }
        const oribi_constant_view *view = oribi_pass_constant(layout->graph, user->inputs[1]);
        if (view == NULL || view->rank != 2 || oribi_pass_view_bytes(view) > limit ||
            (layout->graph->max_bytes > 0 &&
             layout->graph->made_bytes + oribi_pass_view_bytes(view) > layout->graph->max_bytes)) {
            return false;
        }
    }
    return true;
}

/* Row r of the result (axes in the base's order) is the model's row of the same element. */
static int64_t old_row(const oribi_layout_form *form, const group *g, const int64_t *dims,
                       int64_t row)
{
    int64_t index[MAX_RANK] = {0};
    for (int32_t axis = form->rank - 1; axis >= 0; axis--) {
        for (int32_t i = 0; i < g->n_from; i++) {
            if (form->perm[g->from[i]] == axis) {
                index[i] = row % dims[g->from[i]];
                row /= dims[g->from[i]];
            }
        }
    }
    int64_t old = 0;
    for (int32_t i = 0; i < g->n_from; i++) {
        old = old * dims[g->from[i]] + index[i];
    }
    return old;
}

static oribi_value_id permute_rows(oribi_layout *layout, oribi_value_id weights, int32_t axis,
                                   const oribi_layout_form *form, const group *g,
                                   const int64_t *dims)
{
    const oribi_constant_view *view = oribi_pass_constant(layout->graph, weights);
    int64_t strides[MAX_RANK];
    oribi_pass_view_strides(view, strides);
    if (strides[axis] == 0) {
        return weights;
    }
    int64_t rows = view->dims[axis], columns = view->dims[1 - axis];
    size_t element = oribi_dtype_bytes(view->dtype), bytes = 0;
    int64_t made_dims[2] = {rows, columns};
    if (!oribi_size_of_dims(made_dims, 2, element, &bytes)) {
        return -1;
    }
    /* Memory keeps the order that the model has, so that reading and writing both run along it. */
    bool rows_outside = strides[axis] >= strides[1 - axis];
    if (!rows_outside) {
        made_dims[0] = columns;
        made_dims[1] = rows;
    }
    TF_Tensor *made = TF_AllocateTensor(view->dtype, made_dims, 2, bytes);
    if (made == NULL) {
        oribi_fail_memory(layout->status);
        return -1;
    }
    char *to = TF_TensorData(made);
    const char *from = view->data;
    for (int64_t i = 0; i < made_dims[0]; i++) {
        for (int64_t k = 0; k < made_dims[1]; k++) {
            int64_t row = rows_outside ? i : k, column = rows_outside ? k : i;
            const char *at =
                from + old_row(form, g, dims, row) * strides[axis] + column * strides[1 - axis];
            memcpy(to, at, element);
            to += element;
        }
    }
    oribi_value_id id = oribi_graph_add_constant_tensor(
        layout->graph, layout->graph->values[weights]->name, made, layout->status);
    TF_DeleteTensor(made);
    if (id >= 0 && rows_outside != (axis == 0)) {
        static const int32_t swap[2] = {1, 0};
        id = oribi_graph_add_constant_transposed(
            layout->graph, layout->graph->values[weights]->name, id, swap, layout->status);
    }
    return id;
}

static bool flatten_rule(oribi_layout *layout, oribi_node *node, const oribi_layout_form *form,
                         const plan *p, const int64_t *dims)
{
    enum { MAX_USES = 4 };
    oribi_use uses[MAX_USES];
    int32_t n_uses = 0;
    oribi_graph *graph = layout->graph;
    const group *last = &p->all.groups[p->all.n_groups - 1];
    oribi_value_id out = node->outputs[0];
    const oribi_shape *shape = &graph->values[out]->shape;
    for (int32_t i = 0; i < p->all.n_groups - 1; i++) {
        if (!p->places[i].is_ordered) {
            return false;
        }
    }
    int64_t inner = 1; /* the group must be the whole last dimension */
    for (int32_t i = 0; i < last->n_from; i++) {
        inner *= dims[last->from[i]];
        if (dims[last->from[i]] == unknown_token) {
            return false;
        }
    }
    if (shape->rank != 2 || shape->dims[1] != inner ||
        !feeds_dense_only(layout, out, uses, MAX_USES, &n_uses)) {
        return false;
    }
    oribi_value_id flat = oribi_layout_reshape(layout, form->base, shape->dims, 2, node);
    ORIBI_TRY(flat >= 0);
    for (int32_t i = 0; i < n_uses; i++) {
        oribi_node *dense = uses[i].node;
        int32_t axis = oribi_pass_attr_bool(dense, "transpose_b", false) ? 1 : 0;
        oribi_value_id weights = permute_rows(layout, dense->inputs[1], axis, form, last, dims);
        ORIBI_TRY(weights >= 0);
        oribi_graph_set_node_input(graph, dense, 0, flat);
        oribi_graph_set_node_input(graph, dense, 1, weights);
        oribi_pass_note(graph, layout->report, "layout",
                        "weights of MatMul '%s' permuted, so that '%s' flattens without transpose",
                        dense->name, node->name);
    }
    static const int8_t straight[2] = {0, 1};
    oribi_layout_set(layout, out, flat, straight, 2);
    return true;
}

bool oribi_layout_reshape_rule(oribi_layout *layout, oribi_node *node)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[0]);
    const oribi_shape *out_shape = &layout->graph->values[node->outputs[0]]->shape;
    int64_t from[MAX_RANK], to[MAX_RANK];
    plan p;
    if (moved == NULL || !read_dims(&layout->graph->values[node->inputs[0]]->shape, from) ||
        layout->graph->values[node->inputs[0]]->shape.rank != moved->rank ||
        !read_dims(out_shape, to)) {
        return false;
    }
    oribi_layout_form form = *moved;
    if (!make_plan(&form, from, to, out_shape->rank, &p)) {
        return false;
    }
    if (p.is_ordered) {
        return reshape_base(layout, node, &p, form.base);
    }
    if (p.groups_stay) {
        return p.all.n_groups > 0 && flatten_rule(layout, node, &form, &p, from);
    }
    oribi_value_id ordered = order_within(layout, &form, &p, from, node);
    ORIBI_TRY(ordered >= 0);
    return reshape_base(layout, node, &p, ordered);
}
