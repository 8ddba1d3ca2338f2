/* SPDX-License-Identifier: Apache-2.0 */
/* Layout rules for ops whose arguments name axes: joins, splits, pads, slices, tiles, reductions,
 * lines along an axis, shapes. The arguments must be constants; they are rewritten for the base's
 * order.
 */
#include "pass/layout_internal.h"

#include <string.h>

#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_slice.h"
enum { MAX_ROWS = 2 * ORIBI_MAX_RANK }; /* numbers of an argument: two for each axis at most */

/* The axis that an input, an attribute or the op itself says, made non-negative and mapped to the
 * base; -1 when it is not a good constant. */
static int32_t base_axis(const oribi_layout *layout, const oribi_node *node, const oribi_traits *t,
                         const oribi_layout_form *form)
{
    int64_t axis = t->axis;
    if (t->axes >= 0 &&
        !oribi_graph_constant_exactly(layout->graph, node->inputs[t->axes], &axis, 1)) {
        return -1;
    }
    int32_t at = 0;
    return oribi_geometry_axis(axis, form->perm.n, &at) ? form->perm.at[at] : -1;
}

/* Constant ints of the same type as `like`, in a scalar, a vector or a matrix of `columns`. */
static oribi_value_id add_like(oribi_layout *layout, oribi_value_id like, const int64_t *values,
                               int32_t rows, int32_t columns)
{
    int32_t narrow[MAX_ROWS];
    const oribi_value *v = layout->graph->values[like];
    int64_t dims[2] = {rows, columns};
    for (int32_t i = 0; i < rows * columns; i++) {
        narrow[i] = (int32_t)values[i];
    }
    return oribi_graph_add_constant_copy(layout->graph, v->name, v->dtype, dims,
                                         v->shape.rank == 0 ? 0
                                         : columns == 1     ? 1
                                                            : 2,
                                         v->dtype == TF_INT64 ? (const void *)values : narrow,
                                         layout->status);
}

/* The copy on `inputs` with another axis where the model said the old one. */
static oribi_node *clone_with_axis(oribi_layout *layout, oribi_node *node, const oribi_traits *t,
                                   oribi_value_id *inputs, int64_t axis)
{
    if (t->axes >= 0) {
        inputs[t->axes] = add_like(layout, node->inputs[t->axes], &axis, 1, 1);
        return inputs[t->axes] < 0 ? NULL : oribi_layout_clone(layout, node, inputs);
    }
    oribi_arena *arena = &layout->graph->arena;
    if (!oribi_attrs_set_int(&node->attrs, arena, t->axis_attr, axis)) {
        oribi_fail_memory(layout->status);
        return NULL;
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    if (!oribi_attrs_set_int(&node->attrs, arena, t->axis_attr, t->axis)) {
        oribi_fail_memory(layout->status);
        return NULL;
    }
    return copy;
}

/* Inputs of a copy, its data still to be put in; NULL: no memory. */
static oribi_value_id *other_inputs(oribi_layout *layout, const oribi_node *node,
                                    const oribi_traits *t)
{
    oribi_value_id *inputs = oribi_claim_array(&layout->graph->arena, (size_t)node->n_inputs + 1,
                                               sizeof *inputs, layout->status);
    if (inputs == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const bool is_data = i >= t->data && i < t->data + t->n_data;
        inputs[i] = is_data ? -1 : oribi_layout_value(layout, node->inputs[i], node);
    }
    return oribi_ok(layout->status) ? inputs : NULL;
}

static oribi_value_id *copy_inputs(oribi_layout *layout, const oribi_node *node,
                                   const oribi_traits *t, oribi_value_id base)
{
    oribi_value_id *inputs = other_inputs(layout, node, t);
    if (inputs != NULL) {
        inputs[t->data] = base;
    }
    return inputs;
}

bool oribi_layout_join_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    const oribi_layout_form *first = NULL;
    for (int32_t i = t->data; i < t->data + t->n_data && first == NULL; i++) {
        first = oribi_layout_moved(layout, node->inputs[i]);
    }
    if (first == NULL) {
        return false;
    }
    oribi_layout_form form = *first;
    int32_t axis = base_axis(layout, node, t, &form);
    if (axis < 0) {
        return false;
    }
    oribi_value_id *inputs = other_inputs(layout, node, t);
    ORIBI_TRY(inputs != NULL);
    for (int32_t i = t->data; i < t->data + t->n_data; i++) {
        inputs[i] = oribi_layout_operand(layout, node->inputs[i], &form, false, node);
        if (inputs[i] < 0) {
            return false;
        }
    }
    oribi_node *copy = clone_with_axis(layout, node, t, inputs, axis);
    ORIBI_TRY(copy != NULL);
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], &form.perm);
    return true;
}

/* All outputs have the axes of the data. */
static bool axis_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t,
                      const oribi_layout_form *form, int32_t axis)
{
    oribi_value_id *inputs = copy_inputs(layout, node, t, form->base);
    ORIBI_TRY(inputs != NULL);
    oribi_node *copy = t->axes < 0 && t->axis_attr == NULL
                           ? oribi_layout_clone(layout, node, inputs)
                           : clone_with_axis(layout, node, t, inputs, axis);
    ORIBI_TRY(copy != NULL);
    for (int32_t i = 0; i < node->n_outputs; i++) {
        oribi_layout_set(layout, node->outputs[i], copy->outputs[i], &form->perm);
    }
    return true;
}

bool oribi_layout_split_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[t->data]);
    if (moved == NULL) {
        return false;
    }
    const oribi_layout_form form = *moved;
    const int32_t axis = base_axis(layout, node, t, &form);
    return axis >= 0 && axis_rule(layout, node, t, &form, axis);
}

/* Softmax works on the last axis: fine when that stays last. */
bool oribi_layout_along_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[t->data]);
    const oribi_shape *out = &layout->graph->values[node->outputs[0]]->shape;
    if (moved == NULL || out->rank != moved->perm.n || node->n_outputs != 1 ||
        oribi_layout_is_identity(moved)) {
        return false;
    }
    const oribi_layout_form form = *moved;
    const int32_t axis = base_axis(layout, node, t, &form);
    const bool is_given = t->axes >= 0 || t->axis_attr != NULL;
    const int64_t place = t->axis < 0 ? t->axis + form.perm.n : t->axis;
    return axis >= 0 && (is_given || axis == place) && axis_rule(layout, node, t, &form, axis);
}

bool oribi_layout_reduce_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[t->data]);
    oribi_dims given;
    if (moved == NULL || node->n_outputs != 1 ||
        !oribi_graph_constant_ints(layout->graph, node->inputs[t->axes], &given)) {
        return false;
    }
    oribi_layout_form form = *moved;
    oribi_geometry_axes named, reduced = {{0}}; /* of the value; of the base */
    oribi_dims axes = {0};                      /* ascending, as a reader expects */
    int32_t at = 0;
    if (oribi_geometry_name_axes(given.at, given.n, form.perm.n, &named, &at) !=
        ORIBI_GEOMETRY_NAMED) {
        return false;
    }
    for (int32_t i = 0; i < form.perm.n; i++) {
        if (oribi_geometry_has_axis(&named, i)) {
            (void)oribi_geometry_add_axis(&reduced, form.perm.at[i]);
        }
    }
    for (int32_t axis = 0; axis < form.perm.n; axis++) {
        if (oribi_geometry_has_axis(&reduced, axis)) {
            (void)oribi_dims_add(&axes, axis);
        }
    }
    oribi_value_id *inputs = copy_inputs(layout, node, t, form.base);
    ORIBI_TRY(inputs != NULL);
    inputs[t->axes] = add_like(layout, node->inputs[t->axes], axes.at, axes.n, 1);
    ORIBI_TRY(inputs[t->axes] >= 0);
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    ORIBI_TRY(copy != NULL);
    oribi_perm perm = {0};
    for (int32_t i = 0; i < form.perm.n; i++) {
        if (t->keeps_dims) {
            oribi_perm_add(&perm, form.perm.at[i]);
        } else if (!oribi_geometry_has_axis(&reduced, form.perm.at[i])) {
            int32_t below = 0;
            for (int32_t k = 0; k < axes.n; k++) {
                below += axes.at[k] < form.perm.at[i] ? 1 : 0;
            }
            oribi_perm_add(&perm, form.perm.at[i] - below);
        }
    }
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], &perm);
    return true;
}

/* Constant [rank] or [rank, columns] of ints whose rows follow the axes, in the base's order. */
static oribi_value_id permuted_rows(oribi_layout *layout, oribi_value_id value,
                                    const oribi_layout_form *form, int32_t columns)
{
    int64_t rows[MAX_ROWS], old[MAX_ROWS];
    if (!oribi_pass_constant_rows(layout->graph, value, form->perm.n, columns, old)) {
        return -1;
    }
    for (int32_t i = 0; i < form->perm.n * columns; i++) {
        rows[form->perm.at[i / columns] * columns + i % columns] = old[i];
    }
    return add_like(layout, value, rows, form->perm.n, columns);
}

/* The inputs `axes` and `more` have a row for each axis, the rest stay. */
static bool rows_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t, int32_t more,
                      int32_t columns)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[t->data]);
    if (moved == NULL || node->n_outputs != 1) {
        return false;
    }
    const oribi_layout_form form = *moved;
    oribi_value_id *inputs = copy_inputs(layout, node, t, form.base);
    ORIBI_TRY(inputs != NULL);
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (i == t->axes || i == more) {
            inputs[i] = permuted_rows(layout, node->inputs[i], &form, columns);
            ORIBI_TRY(inputs[i] >= 0);
        }
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    ORIBI_TRY(copy != NULL);
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], &form.perm);
    return true;
}

bool oribi_layout_pad_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    return rows_rule(layout, node, t, -1, 2);
}

bool oribi_layout_slice_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    return rows_rule(layout, node, t, t->more, 1);
}

bool oribi_layout_tile_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    return rows_rule(layout, node, t, -1, 1);
}

/* The specification as the node has it; false where its numbers are no constants. */
static bool read_strided(const oribi_layout *layout, const oribi_node *node, const oribi_traits *t,
                         oribi_geometry_strided_dims *values, oribi_geometry_strided *out)
{
    *out = (oribi_geometry_strided){.begin = values->begin.at,
                                    .end = values->end.at,
                                    .step = values->step.at,
                                    .begin_mask = oribi_pass_attr_int(node, "begin_mask", 0),
                                    .end_mask = oribi_pass_attr_int(node, "end_mask", 0),
                                    .ellipsis_mask = oribi_pass_attr_int(node, "ellipsis_mask", 0),
                                    .new_axis_mask = oribi_pass_attr_int(node, "new_axis_mask", 0),
                                    .shrink_axis_mask =
                                        oribi_pass_attr_int(node, "shrink_axis_mask", 0)};
    const bool are_known =
        oribi_graph_constant_ints(layout->graph, node->inputs[t->axes], &values->begin) &&
        oribi_graph_constant_ints(layout->graph, node->inputs[t->more], &values->end) &&
        oribi_graph_constant_ints(layout->graph, node->inputs[t->last], &values->step);
    out->n = are_known ? values->begin.n : -1;
    return are_known && values->end.n == out->n && values->step.n == out->n;
}

bool oribi_layout_strided_slice_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[t->data]);
    oribi_geometry_strided_dims values, there;
    oribi_geometry_strided spec;
    if (moved == NULL || node->n_inputs != 4 || !read_strided(layout, node, t, &values, &spec) ||
        !oribi_geometry_strided_reorder(&spec, &moved->perm, &there)) {
        return false;
    }
    const oribi_layout_form form = *moved;
    const int32_t rows_of[3] = {t->axes, t->more, t->last};
    const oribi_dims *const rows[3] = {&there.begin, &there.end, &there.step};
    oribi_value_id inputs[4];
    inputs[t->data] = form.base;
    for (int32_t i = 0; i < 3; i++) {
        inputs[rows_of[i]] =
            add_like(layout, node->inputs[rows_of[i]], rows[i]->at, form.perm.n, 1);
        ORIBI_TRY(inputs[rows_of[i]] >= 0);
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    ORIBI_TRY(copy != NULL);
    oribi_arena *arena = &layout->graph->arena;
    if (!oribi_attrs_set_int(&copy->attrs, arena, "begin_mask", there.begin_mask) ||
        !oribi_attrs_set_int(&copy->attrs, arena, "end_mask", there.end_mask)) {
        return oribi_fail_memory(layout->status);
    }
    ORIBI_TRY(oribi_graph_resolve(layout->graph, copy, layout->status));
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], &form.perm);
    return true;
}

/* Shape of the base, its elements put in order: cheaper than moving the data to ask. Size and rank
 * are the base's. */
bool oribi_layout_shape_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *t)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[t->data]);
    static const oribi_perm straight = {.n = 1, .at = {0}}, none = {.n = 0};
    if (moved == NULL || node->n_inputs != 1 || oribi_op_find("GatherV2") == NULL) {
        return false;
    }
    oribi_layout_form form = *moved;
    oribi_node *told = oribi_layout_clone(layout, node, &form.base);
    ORIBI_TRY(told != NULL);
    if (t->told != ORIBI_TOLD_SHAPE) {
        oribi_layout_set(layout, node->outputs[0], told->outputs[0], &none);
        return true;
    }
    const oribi_dims wide = oribi_perm_dims(&form.perm);
    const int32_t first = 0;
    oribi_value_id inputs[3] = {
        told->outputs[0],
        oribi_pass_add_ints(layout->graph, "perm", wide.at, wide.n, layout->status),
        oribi_graph_add_constant_copy(layout->graph, "axis", TF_INT32, NULL, 0, &first,
                                      layout->status)};
    ORIBI_TRY(inputs[1] >= 0 && inputs[2] >= 0);
    oribi_node *gather =
        oribi_pass_add_node(layout->graph, "GatherV2", node, inputs, 3, NULL, 0, layout->status);
    ORIBI_TRY(gather != NULL);
    oribi_layout_set(layout, node->outputs[0], gather->outputs[0], &straight);
    return true;
}
