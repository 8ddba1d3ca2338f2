/* SPDX-License-Identifier: Apache-2.0 */
/* Which traits of an op let a transpose through, and the rule for elementwise ones. Ops with axes
 * in their arguments are in layout_axes.c, reshapes in layout_reshape.c.
 */
#include "pass/layout_internal.h"

#include <string.h>

/* A constant of at most the form's rank, read in the base's order. */
static oribi_value_id permuted_constant(oribi_layout *layout, oribi_value_id value,
                                        const oribi_layout_form *form)
{
    const oribi_constant_view *view = oribi_pass_constant(layout->graph, value);
    oribi_dims dims, strides, old;
    if (view->rank > form->perm.n || view->dtype == TF_STRING ||
        !oribi_pass_view_strides(view, &old)) {
        return -1;
    }
    int32_t missing = form->perm.n - view->rank;
    for (int32_t i = 0; i < form->perm.n; i++) {
        dims.at[form->perm.at[i]] = i < missing ? 1 : view->dims[i - missing];
        strides.at[form->perm.at[i]] = i < missing ? 0 : old.at[i - missing];
    }
    int32_t skip = 0; /* leading ones say nothing; per-channel vectors become vectors */
    while (skip < missing && dims.at[skip] == 1) {
        skip++;
    }
    return oribi_pass_add_view(layout->graph, layout->graph->values[value]->name, value,
                               dims.at + skip, strides.at + skip, form->perm.n - skip,
                               layout->status);
}

/* value as it is, or with its dims put in another order where that moves only ones. */
static oribi_value_id free_operand(oribi_layout *layout, oribi_value_id value,
                                   const oribi_layout_form *form, bool broadcast,
                                   const oribi_node *like)
{
    const oribi_layout_form *own = oribi_layout_moved(layout, value);
    oribi_value_id from = own != NULL ? own->base : value;
    const oribi_shape *shape = &layout->graph->values[value]->shape;
    oribi_dims dims = {.n = form->perm.n};
    int32_t missing = form->perm.n - shape->rank, n_unknown = 0;
    if (shape->rank < 0 || missing < 0 || (missing > 0 && !broadcast)) {
        return -1;
    }
    if (own != NULL && !oribi_layout_is_free(&layout->graph->values[from]->shape, &own->perm)) {
        return -1;
    }
    int8_t last = -1;
    for (int32_t i = 0; i < form->perm.n; i++) {
        const int64_t dim = i < missing ? 1 : shape->dims[i - missing];
        dims.at[form->perm.at[i]] = dim;
        n_unknown += dim < 0 ? 1 : 0;
        if (dim != 1) {
            if (form->perm.at[i] < last) {
                return -1;
            }
            last = form->perm.at[i];
        }
    }
    if (n_unknown > 1) {
        return -1;
    }
    return oribi_layout_reshape(layout, from, &dims, like);
}

oribi_value_id oribi_layout_operand(oribi_layout *layout, oribi_value_id value,
                                    const oribi_layout_form *form, bool broadcast,
                                    const oribi_node *like)
{
    if (value < 0) {
        return value;
    }
    const oribi_layout_form *own = oribi_layout_moved(layout, value);
    if (own != NULL && oribi_layout_same_perm(&own->perm, &form->perm)) {
        return own->base;
    }
    const oribi_value *v = layout->graph->values[value];
    if (v->constant != NULL && (broadcast || v->shape.rank == form->perm.n)) {
        return broadcast && v->shape.rank == 0 ? value : permuted_constant(layout, value, form);
    }
    if (own == NULL && broadcast && v->shape.rank == 0) {
        return value;
    }
    return free_operand(layout, value, form, broadcast, like);
}

/* The first moved input of the given rank decides. */
static bool leading_form(const oribi_layout *layout, const oribi_node *node, const oribi_traits *t,
                         int32_t rank, oribi_layout_form *out)
{
    for (int32_t i = t->data; i < t->data + t->n_data; i++) {
        const oribi_layout_form *form = oribi_layout_moved(layout, node->inputs[i]);
        if (form != NULL && form->perm.n == rank && !oribi_layout_is_identity(form)) {
            *out = *form;
            return true;
        }
    }
    return false;
}

static bool set_format(oribi_layout *layout, oribi_node *node, const char *attr, bool nchw)
{
    return oribi_attrs_set_string(&node->attrs, &layout->graph->arena, attr,
                                  nchw ? "NCHW" : "NHWC") ||
           oribi_fail_memory(layout->status);
}

static bool set_axis(oribi_layout *layout, oribi_node *node, const char *attr, int64_t axis)
{
    return oribi_attrs_set_int(&node->attrs, &layout->graph->arena, attr, axis) ||
           oribi_fail_memory(layout->status);
}

/* Vectors lie along the C of data_format, which the copy has elsewhere: at the end or behind the
 * batch. Its shapes are inferred as it is made, so it must read the new format by then. */
static oribi_node *clone_with_format(oribi_layout *layout, oribi_node *node, const oribi_traits *t,
                                     const oribi_layout_form *form, const oribi_value_id *inputs)
{
    const bool nchw = oribi_pass_attr_is(node, t->format_attr, "NCHW", "NHWC");
    const int32_t last = form->perm.n - 1, axis = last < 1 ? -1 : form->perm.at[nchw ? 1 : last];
    if ((axis != last && axis != 1) ||
        (!nchw && !oribi_pass_attr_is(node, t->format_attr, "NHWC", "NHWC")) ||
        !set_format(layout, node, t->format_attr, axis != last)) {
        return NULL;
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    return set_format(layout, node, t->format_attr, nchw) ? copy : NULL;
}

/* The same where an attribute says the axis; vectors of one element have none. */
static oribi_node *clone_with_axis(oribi_layout *layout, oribi_node *node, const oribi_traits *t,
                                   const oribi_layout_form *form, const oribi_value_id *inputs)
{
    const int64_t axis = t->axis + (t->axis < 0 ? form->perm.n : 0);
    const bool is_there = axis >= 0 && axis < form->perm.n;
    if (!set_axis(layout, node, t->axis_attr, is_there ? form->perm.at[axis] : 0)) {
        return NULL;
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    return set_axis(layout, node, t->axis_attr, t->axis) ? copy : NULL;
}

static oribi_node *clone_elementwise(oribi_layout *layout, oribi_node *node, const oribi_traits *t,
                                     const oribi_layout_form *form, const oribi_value_id *inputs)
{
    if ((t->is & ORIBI_TRAIT_VECTORS) == 0) {
        return oribi_layout_clone(layout, node, inputs);
    }
    return t->format_attr != NULL ? clone_with_format(layout, node, t, form, inputs)
                                  : clone_with_axis(layout, node, t, form, inputs);
}

/* Does the input have one element, or one for each index of the axis? Where data_format says the
 * axis there is no other way. */
static bool is_vector(const oribi_layout *layout, const oribi_node *node, const oribi_traits *t,
                      int32_t input)
{
    const oribi_shape *shape = &layout->graph->values[node->inputs[input]]->shape;
    const oribi_shape *data = &layout->graph->values[node->inputs[t->data]]->shape;
    const int64_t axis = t->axis + (t->axis < 0 ? data->rank : 0);
    return t->format_attr != NULL || shape->rank == 0 ||
           (shape->rank == 1 && shape->dims[0] == 1) ||
           (shape->rank == 1 && shape->dims[0] >= 0 && axis >= 0 && axis < data->rank &&
            data->dims[axis] == shape->dims[0]);
}

/* Data is computed place by place, so it may lie in any order; vectors follow their axis. */
static bool elementwise_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    enum { MAX_INPUTS = 16 };
    oribi_value_id inputs[MAX_INPUTS];
    oribi_layout_form form;
    int32_t rank = layout->graph->values[node->outputs[0]]->shape.rank;
    if (node->n_inputs > MAX_INPUTS || !oribi_pass_has_one_result(layout->graph, node) ||
        !leading_form(layout, node, t, rank, &form)) {
        return false;
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const bool is_data = i >= t->data && i < t->data + t->n_data;
        if ((t->vectors >> i & 1) != 0 && node->inputs[i] >= 0 && !is_vector(layout, node, t, i)) {
            return false;
        }
        inputs[i] = is_data ? oribi_layout_operand(layout, node->inputs[i], &form, true, node)
                            : oribi_layout_value(layout, node->inputs[i], node);
        if (inputs[i] < 0 && node->inputs[i] >= 0) {
            return false;
        }
    }
    oribi_node *copy = clone_elementwise(layout, node, t, &form, inputs);
    ORIBI_TRY(copy != NULL);
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], &form.perm);
    return true;
}

oribi_layout_rule *oribi_layout_find_rule(const oribi_traits *t)
{
    static const struct {
        uint32_t trait;
        oribi_layout_rule *rule;
    } rules[] = {
        {ORIBI_TRAIT_ELEMENTWISE, elementwise_rule},
        {ORIBI_TRAIT_VIEW, oribi_layout_reshape_rule},
        {ORIBI_TRAIT_REDUCES, oribi_layout_reduce_rule},
        {ORIBI_TRAIT_PADS, oribi_layout_pad_rule},
        {ORIBI_TRAIT_JOINS, oribi_layout_join_rule},
        {ORIBI_TRAIT_SPLITS, oribi_layout_split_rule},
        {ORIBI_TRAIT_SLICES, oribi_layout_slice_rule},
        {ORIBI_TRAIT_STRIDES, oribi_layout_strided_slice_rule},
        {ORIBI_TRAIT_TILES, oribi_layout_tile_rule},
        {ORIBI_TRAIT_ALONG, oribi_layout_along_rule},
        {ORIBI_TRAIT_TELLS, oribi_layout_shape_rule},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if ((t->is & rules[i].trait) != 0) {
            return rules[i].rule;
        }
    }
    return NULL;
}
