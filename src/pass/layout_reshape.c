/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes and reshapes change places: splitting or merging axes that lie together in the base is
 * done on the base (channel shuffles), and a flatten before dense layers is done in the base's
 * order, with the rows of the weights permuted to fit.
 */
#include "pass/layout_internal.h"

#include <string.h>

#include "base/alloc.h"

/* Stands for one unknown dimension on both sides; larger primes than real dims are rare, and a
 * coincidence only makes the products differ. */
static const int64_t unknown_token = INT64_C(2147483647);

/* Axes from[] of the value that together make dims to[] of the result. Axes of one element are in
 * no group on the left; on the right those in front are a group of their own, which stays in front
 * (a batch of one), and others go with the group that follows. */
typedef struct group {
    oribi_dims from, to;
    int32_t to_start;
} group;

typedef struct grouping {
    group groups[ORIBI_MAX_RANK + 1];
    int32_t n_groups;
} grouping;

static bool read_dims(const oribi_shape *shape, oribi_dims *out)
{
    int32_t n_unknown = 0;
    ORIBI_TRY(oribi_dims_set(out, shape->dims, shape->rank));
    for (int32_t i = 0; i < out->n; i++) {
        n_unknown += out->at[i] < 0 ? 1 : 0;
        out->at[i] = out->at[i] < 0 ? unknown_token : out->at[i];
        if (out->at[i] == 0) {
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
static bool make_groups(const oribi_dims *from, const oribi_dims *to, grouping *out)
{
    const int32_t n_from = from->n, n_to = to->n;
    int32_t i = 0, k = 0;
    out->n_groups = 0;
    group *front = &out->groups[0];
    *front = (group){.to_start = 0};
    while (k < n_to && to->at[k] == 1) {
        oribi_dims_add(&front->to, to->at[k++]);
    }
    out->n_groups = k > 0 ? 1 : 0;
    for (;;) {
        group *g = &out->groups[out->n_groups];
        *g = (group){.to_start = k};
        while (i < n_from && from->at[i] == 1) {
            i++;
        }
        while (k < n_to && to->at[k] == 1) {
            oribi_dims_add(&g->to, to->at[k++]);
        }
        if (i == n_from || k == n_to) {
            break;
        }
        int64_t left = from->at[i], right = to->at[k];
        oribi_dims_add(&g->from, i++);
        oribi_dims_add(&g->to, to->at[k++]);
        while (left != right) {
            if (left < right) {
                if (i == n_from || !multiply(&left, from->at[i])) {
                    return false;
                }
                if (from->at[i] != 1) {
                    oribi_dims_add(&g->from, i);
                }
                i++;
            } else {
                if (k == n_to || !multiply(&right, to->at[k])) {
                    return false;
                }
                oribi_dims_add(&g->to, to->at[k++]);
            }
        }
        out->n_groups++;
    }
    if (i != n_from || k != n_to) {
        return false;
    }
    group *rest = &out->groups[out->n_groups];
    if (rest->to.n > 0) { /* trailing ones: with the last group, or alone */
        if (out->n_groups == 0) {
            out->n_groups = 1;
        } else {
            group *last = &out->groups[out->n_groups - 1];
            for (int32_t t = 0; t < rest->to.n; t++) {
                oribi_dims_add(&last->to, rest->to.at[t]);
            }
        }
    }
    return true;
}

/* Where the group lies in the base: first place and whether its axes lie together, and in order;
 * then, of another group, which one lies at this one's place there. */
typedef struct placement {
    int32_t first, lies_here;
    bool is_together, is_ordered;
} placement;

static placement place(const group *g, const oribi_perm *rank_in_base)
{
    placement p = {.first = -1, .is_together = true, .is_ordered = true};
    int32_t low = ORIBI_MAX_RANK, high = -1;
    for (int32_t i = 0; i < g->from.n; i++) {
        int32_t at = rank_in_base->at[g->from.at[i]];
        low = at < low ? at : low;
        high = at > high ? at : high;
        p.is_ordered = p.is_ordered && (i == 0 || at == rank_in_base->at[g->from.at[i - 1]] + 1);
    }
    p.first = low == ORIBI_MAX_RANK ? -1 : low;
    p.is_together = g->from.n == 0 || high - low + 1 == g->from.n;
    return p;
}

/* At i: place of the value's axis i among the base's axes of more than one element. */
static oribi_perm rank_axes(const oribi_layout_form *form, const oribi_dims *dims)
{
    oribi_perm rank_in_base = {0};
    for (int32_t i = 0; i < form->perm.n; i++) {
        int32_t rank = 0;
        for (int32_t k = 0; k < form->perm.n; k++) {
            rank += dims->at[k] != 1 && form->perm.at[k] < form->perm.at[i] ? 1 : 0;
        }
        oribi_perm_add(&rank_in_base, rank);
    }
    return rank_in_base;
}

typedef struct plan {
    grouping all;
    placement places[ORIBI_MAX_RANK + 1];
    bool is_ordered;  /* every group's axes are in order: only the groups move */
    bool groups_stay; /* groups lie in the base as in the value */
} plan;

static bool make_plan(const oribi_layout_form *form, const oribi_dims *from, const oribi_dims *to,
                      plan *out)
{
    ORIBI_TRY(make_groups(from, to, &out->all));
    const oribi_perm rank_in_base = rank_axes(form, from);
    out->is_ordered = true;
    out->groups_stay = true;
    for (int32_t i = 0; i < out->all.n_groups; i++) {
        out->places[i] = place(&out->all.groups[i], &rank_in_base);
        ORIBI_TRY(out->places[i].is_together);
        out->is_ordered = out->is_ordered && out->places[i].is_ordered;
        int32_t k = i;
        while (k > 0 && out->places[out->places[k - 1].lies_here].first > out->places[i].first) {
            out->places[k].lies_here = out->places[k - 1].lies_here;
            k--;
        }
        out->places[k].lies_here = i;
        out->groups_stay = out->groups_stay && k == i;
    }
    return true;
}

/* Transpose within groups, for groups whose axes lie together but not in order. */
static oribi_value_id order_within(oribi_layout *layout, const oribi_layout_form *form,
                                   const plan *p, const oribi_dims *dims, const oribi_node *like)
{
    oribi_perm perm = {0};
    for (int32_t i = 0; i < form->perm.n; i++) { /* axes of one element first */
        if (dims->at[i] == 1) {
            oribi_perm_add(&perm, form->perm.at[i]);
        }
    }
    for (int32_t k = 0; k < p->all.n_groups; k++) {
        const group *g = &p->all.groups[p->places[k].lies_here];
        for (int32_t i = 0; i < g->from.n; i++) {
            oribi_perm_add(&perm, form->perm.at[g->from.at[i]]);
        }
    }
    return oribi_layout_transpose(layout, form->base, &perm, like);
}

/* Reshape of the base, group by group as they lie there; the result is a transpose of it. */
static bool reshape_base(oribi_layout *layout, oribi_node *node, const plan *p, oribi_value_id base)
{
    oribi_dims dims = {0};
    oribi_perm perm = {0};
    for (int32_t k = 0; k < p->all.n_groups; k++) {
        const group *g = &p->all.groups[p->places[k].lies_here];
        for (int32_t i = 0; i < g->to.n; i++) {
            perm.at[g->to_start + i] = perm.n++;
            oribi_dims_add(&dims, g->to.at[i] == unknown_token ? -1 : g->to.at[i]);
        }
    }
    oribi_value_id value = oribi_layout_reshape(layout, base, &dims, node);
    ORIBI_TRY(value >= 0);
    oribi_layout_set(layout, node->outputs[0], value, &perm);
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
        if (oribi_pass_layer(user) != ORIBI_LAYER_DENSE || uses[i].input != 0 ||
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
static int64_t old_row(const oribi_layout_form *form, const group *g, const oribi_dims *dims,
                       int64_t row)
{
    oribi_dims index = {0};
    for (int32_t axis = form->perm.n - 1; axis >= 0; axis--) {
        for (int32_t i = 0; i < g->from.n; i++) {
            if (form->perm.at[g->from.at[i]] == axis) {
                index.at[i] = row % dims->at[g->from.at[i]];
                row /= dims->at[g->from.at[i]];
            }
        }
    }
    int64_t old = 0;
    for (int32_t i = 0; i < g->from.n; i++) {
        old = old * dims->at[g->from.at[i]] + index.at[i];
    }
    return old;
}

/* Copies n elements, `step` bytes apart or at offsets of their own (NULL: none). */
static void gather(char *to, const char *from, int64_t n, size_t element, int64_t step,
                   const int64_t *offsets)
{
    for (int64_t k = 0; k < n; k++) {
        const char *at = from + (offsets != NULL ? offsets[k] : k * step);
        if (element == sizeof(float)) {
            memcpy(to, at, sizeof(float));
        } else {
            memcpy(to, at, element);
        }
        to += element;
    }
}

static oribi_value_id permute_rows(oribi_layout *layout, oribi_value_id weights, int32_t axis,
                                   const oribi_layout_form *form, const group *g,
                                   const oribi_dims *dims)
{
    const oribi_constant_view *view = oribi_pass_constant(layout->graph, weights);
    oribi_dims steps;
    if (!oribi_pass_view_strides(view, &steps)) {
        return -1;
    }
    const int64_t *strides = steps.at;
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
    int64_t *offsets = oribi_alloc_array((size_t)rows + 1, sizeof *offsets);
    if (made == NULL || offsets == NULL) {
        oribi_fail_memory(layout->status);
        TF_DeleteTensor(made);
        oribi_free(offsets);
        return -1;
    }
    for (int64_t row = 0; row < rows; row++) {
        offsets[row] = old_row(form, g, dims, row) * strides[axis];
    }
    char *to = TF_TensorData(made);
    const char *from = view->data;
    for (int64_t i = 0; i < made_dims[0]; i++) {
        gather(to, from + (rows_outside ? offsets[i] : i * strides[1 - axis]), made_dims[1],
               element, strides[1 - axis], rows_outside ? NULL : offsets);
        to += (size_t)made_dims[1] * element;
    }
    oribi_free(offsets);
    oribi_value_id id = oribi_graph_add_constant_tensor(
        layout->graph, layout->graph->values[weights]->name, made, layout->status);
    TF_DeleteTensor(made);
    if (id >= 0 && rows_outside != (axis == 0)) {
        static const oribi_dims swap = {.n = 2, .at = {1, 0}};
        id = oribi_graph_add_constant_transposed(
            layout->graph, layout->graph->values[weights]->name, id, &swap, layout->status);
    }
    return id;
}

static bool flatten_rule(oribi_layout *layout, oribi_node *node, const oribi_layout_form *form,
                         const plan *p, const oribi_dims *dims)
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
    for (int32_t i = 0; i < last->from.n; i++) {
        const int64_t dim = dims->at[last->from.at[i]];
        if (dim == unknown_token || !multiply(&inner, dim)) {
            return false;
        }
    }
    if (shape->rank != 2 || shape->dims[1] != inner ||
        !feeds_dense_only(layout, out, uses, MAX_USES, &n_uses)) {
        return false;
    }
    const oribi_dims matrix = {.n = 2, .at = {shape->dims[0], shape->dims[1]}};
    oribi_value_id flat = oribi_layout_reshape(layout, form->base, &matrix, node);
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
    static const oribi_perm straight = {.n = 2, .at = {0, 1}};
    oribi_layout_set(layout, out, flat, &straight);
    return true;
}

bool oribi_layout_reshape_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[t->data]);
    const oribi_shape *out_shape = &layout->graph->values[node->outputs[0]]->shape;
    oribi_dims from, to;
    plan p;
    if (moved == NULL || !read_dims(&layout->graph->values[node->inputs[t->data]]->shape, &from) ||
        from.n != moved->perm.n || !read_dims(out_shape, &to)) {
        return false;
    }
    oribi_layout_form form = *moved;
    if (!make_plan(&form, &from, &to, &p)) {
        return false;
    }
    if (p.is_ordered) {
        return reshape_base(layout, node, &p, form.base);
    }
    if (p.groups_stay) {
        return p.all.n_groups > 0 && flatten_rule(layout, node, &form, &p, &from);
    }
    oribi_value_id ordered = order_within(layout, &form, &p, &from, node);
    ORIBI_TRY(ordered >= 0);
    return reshape_base(layout, node, &p, ordered);
}
