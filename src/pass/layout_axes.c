/* SPDX-License-Identifier: Apache-2.0 */
/* Layout rules for ops whose arguments name axes: concat, split, pad, slices, tile, reductions,
 * shape. The arguments must be constants; they are rewritten for the base's order.
 */
#include "pass/layout_internal.h"

#include <string.h>

/* Axis argument, made non-negative and mapped to the base; -1 when it is not a good constant. */
static int32_t base_axis(const oribi_layout *layout, oribi_value_id value,
                         const oribi_layout_form *form)
{
    int64_t axis = 0;
    if (oribi_graph_constant_ints(layout->graph, value, &axis, 1) != 1) {
        return -1;
    }
    axis = axis < 0 ? axis + form->rank : axis;
    return axis < 0 || axis >= form->rank ? -1 : form->perm[axis];
}

static oribi_value_id add_scalar(oribi_layout *layout, int32_t axis)
{
    return oribi_graph_add_constant_copy(layout->graph, "axis", TF_INT32, NULL, 0, &axis,
                                         layout->status);
}

/* Constant ints of the same type as `like`, in a vector or a matrix of `columns`. */
static oribi_value_id add_like(oribi_layout *layout, oribi_value_id like, const int64_t *values,
                               int32_t rows, int32_t columns)
{
    int32_t narrow[2 * ORIBI_PASS_MAX_RANK];
    TF_DataType dtype = layout->graph->values[like]->dtype;
    int64_t dims[2] = {rows, columns};
    for (int32_t i = 0; i < rows * columns; i++) {
        narrow[i] = (int32_t)values[i];
    }
    return oribi_graph_add_constant_copy(
        layout->graph, layout->graph->values[like]->name, dtype, dims, columns == 1 ? 1 : 2,
        dtype == TF_INT64 ? (const void *)values : narrow, layout->status);
}

/* A new type attribute (Tidx) may follow the rewritten argument, so it is inferred again. */
static oribi_node *clone_retyped(oribi_layout *layout, const oribi_node *node,
                                 const oribi_value_id *inputs, const char *attr)
{
    oribi_graph *graph = layout->graph;
    oribi_node *copy = oribi_graph_add_node(graph, node->op_name, node->name, inputs,
                                            node->n_inputs, node->n_outputs, layout->status);
    if (copy == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i < node->attrs.count; i++) {
        if (strcmp(node->attrs.items[i].name, attr) != 0 &&
            !oribi_attrs_set(&copy->attrs, &graph->arena, &node->attrs.items[i])) {
            oribi_fail_memory(layout->status);
            return NULL;
        }
    }
    copy->device = node->device;
    copy->origin = node->origin;
    return oribi_graph_resolve(graph, copy, layout->status) ? copy : NULL;
}

bool oribi_layout_concat_rule(oribi_layout *layout, oribi_node *node)
{
    int32_t n = node->n_inputs - 1;
    const oribi_layout_form *first = NULL;
    for (int32_t i = 0; i < n && first == NULL; i++) {
        first = oribi_layout_moved(layout, node->inputs[i]);
    }
    if (first == NULL) {
        return false;
    }
    oribi_layout_form form = *first;
    int32_t axis = base_axis(layout, node->inputs[n], &form);
    oribi_value_id *inputs =
        oribi_arena_array(&layout->graph->arena, (size_t)n + 1, sizeof *inputs);
    if (inputs == NULL) {
        return oribi_fail_memory(layout->status);
    }
    for (int32_t i = 0; i < n && axis >= 0; i++) {
        inputs[i] = oribi_layout_operand(layout, node->inputs[i], &form, false, node);
        if (inputs[i] < 0) {
            return false;
        }
    }
    if (axis < 0 || (inputs[n] = add_scalar(layout, axis)) < 0) {
        return false;
    }
    oribi_node *copy = clone_retyped(layout, node, inputs, "Tidx");
    ORIBI_TRY(copy != NULL);
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], form.perm, form.rank);
    return true;
}

bool oribi_layout_split_rule(oribi_layout *layout, oribi_node *node)
{
    bool sized = oribi_pass_is(node, "SplitV");
    int32_t data = sized ? 0 : 1, axis_input = sized ? 2 : 0;
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[data]);
    if (moved == NULL) {
        return false;
    }
    oribi_layout_form form = *moved;
    int32_t axis = base_axis(layout, node->inputs[axis_input], &form);
    oribi_value_id inputs[3];
    if (axis < 0 || (inputs[axis_input] = add_scalar(layout, axis)) < 0) {
        return false;
    }
    inputs[data] = form.base;
    if (sized) {
        inputs[1] = node->inputs[1];
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    ORIBI_TRY(copy != NULL);
    for (int32_t i = 0; i < node->n_outputs; i++) {
        oribi_layout_set(layout, node->outputs[i], copy->outputs[i], form.perm, form.rank);
    }
    return true;
}

bool oribi_layout_reduce_rule(oribi_layout *layout, oribi_node *node)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[0]);
    int64_t axes[ORIBI_PASS_MAX_RANK];
    int32_t n =
        oribi_graph_constant_ints(layout->graph, node->inputs[1], axes, ORIBI_PASS_MAX_RANK);
    if (moved == NULL || n < 0) {
        return false;
    }
    oribi_layout_form form = *moved;
    bool keeps = oribi_pass_attr_bool(node, "keep_dims", false);
    uint32_t reduced = 0; /* axes of the base */
    for (int32_t i = 0; i < n; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + form.rank : axes[i];
        if (axis < 0 || axis >= form.rank) {
            return false;
        }
        axes[i] = form.perm[axis];
        reduced |= 1U << axes[i];
    }
    for (int32_t i = 1; i < n; i++) { /* ascending, as a reader expects */
        for (int32_t k = i; k > 0 && axes[k] < axes[k - 1]; k--) {
            int64_t swap = axes[k];
            axes[k] = axes[k - 1];
            axes[k - 1] = swap;
        }
    }
    oribi_value_id inputs[2] = {form.base, add_like(layout, node->inputs[1], axes, n, 1)};
    ORIBI_TRY(inputs[1] >= 0);
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    ORIBI_TRY(copy != NULL);
    int8_t perm[ORIBI_PASS_MAX_RANK];
    int32_t rank = 0;
    for (int32_t i = 0; i < form.rank; i++) {
        if (keeps) {
            perm[rank++] = form.perm[i];
        } else if ((reduced & (1U << form.perm[i])) == 0) {
            int32_t below = __builtin_popcount(reduced & ((1U << form.perm[i]) - 1));
            perm[rank++] = (int8_t)(form.perm[i] - below);
        }
    }
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], perm, rank);
    return true;
}

/* Constant [rank] or [rank, columns] of ints whose rows follow the axes, in the base's order. */
static oribi_value_id permuted_rows(oribi_layout *layout, oribi_value_id value,
                                    const oribi_layout_form *form, int32_t columns)
{
    const oribi_constant_view *view = oribi_pass_constant(layout->graph, value);
    int64_t rows[2 * ORIBI_PASS_MAX_RANK], old[2 * ORIBI_PASS_MAX_RANK];
    if (view == NULL || view->rank != (columns == 1 ? 1 : 2) || view->dims[0] != form->rank ||
        form->rank > ORIBI_PASS_MAX_RANK || (columns != 1 && view->dims[1] != columns) ||
        (view->dtype != TF_INT32 && view->dtype != TF_INT64)) {
        return -1;
    }
    int64_t strides[ORIBI_PASS_MAX_RANK] = {0};
    oribi_pass_view_strides(view, strides);
    for (int32_t i = 0; i < form->rank * columns; i++) {
        const char *at = (const char *)view->data + (i / columns) * strides[0] +
                         (columns == 1 ? 0 : (i % columns) * strides[1]);
        int32_t narrow = 0;
        if (view->dtype == TF_INT32) {
            memcpy(&narrow, at, sizeof narrow);
            old[i] = narrow;
        } else {
            memcpy(&old[i], at, sizeof old[i]);
            if (old[i] > INT32_MAX || old[i] < INT32_MIN) {
                return -1;
            }
        }
    }
    for (int32_t i = 0; i < form->rank * columns; i++) {
        rows[form->perm[i / columns] * columns + i % columns] = old[i];
    }
    return add_like(layout, value, rows, form->rank, columns);
}

/* input 0 is data, inputs first..last have a row for each axis, the rest stay. */
static bool rows_rule(oribi_layout *layout, oribi_node *node, int32_t last, int32_t columns)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[0]);
    oribi_value_id inputs[4];
    if (moved == NULL || node->n_inputs > 4) {
        return false;
    }
    oribi_layout_form form = *moved;
    inputs[0] = form.base;
    for (int32_t i = 1; i < node->n_inputs; i++) {
        inputs[i] = i <= last ? permuted_rows(layout, node->inputs[i], &form, columns)
                              : oribi_layout_value(layout, node->inputs[i], node);
        if (inputs[i] < 0) {
            return false;
        }
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    ORIBI_TRY(copy != NULL);
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], form.perm, form.rank);
    return true;
}

bool oribi_layout_pad_rule(oribi_layout *layout, oribi_node *node)
{
    return rows_rule(layout, node, 1, 2);
}

bool oribi_layout_slice_rule(oribi_layout *layout, oribi_node *node)
{
    return rows_rule(layout, node, 2, 1);
}

bool oribi_layout_tile_rule(oribi_layout *layout, oribi_node *node)
{
    return rows_rule(layout, node, 1, 1);
}

static int64_t permuted_mask(int64_t mask, const oribi_layout_form *form, int32_t given)
{
    int64_t permuted = 0;
    for (int32_t i = 0; i < form->rank; i++) {
        bool set = i >= given || (mask & (INT64_C(1) << i)) != 0;
        permuted |= set ? INT64_C(1) << form->perm[i] : 0;
    }
    return permuted;
}

/* Axes that the model leaves out are whole: full masks stand for them. */
bool oribi_layout_strided_slice_rule(oribi_layout *layout, oribi_node *node)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[0]);
    if (moved == NULL || oribi_pass_attr_int(node, "ellipsis_mask", 0) != 0 ||
        oribi_pass_attr_int(node, "new_axis_mask", 0) != 0 ||
        oribi_pass_attr_int(node, "shrink_axis_mask", 0) != 0) {
        return false;
    }
    oribi_layout_form form = *moved;
    oribi_value_id inputs[4] = {form.base};
    int32_t given = 0;
    for (int32_t i = 1; i < 4; i++) {
        int64_t old[ORIBI_PASS_MAX_RANK], rows[ORIBI_PASS_MAX_RANK];
        given = oribi_graph_constant_ints(layout->graph, node->inputs[i], old, ORIBI_PASS_MAX_RANK);
        if (given < 0 || given > form.rank) {
            return false;
        }
        for (int32_t axis = 0; axis < form.rank; axis++) {
            rows[form.perm[axis]] = axis < given ? old[axis] : (i == 3 ? 1 : 0);
        }
        inputs[i] = add_like(layout, node->inputs[i], rows, form.rank, 1);
        ORIBI_TRY(inputs[i] >= 0);
    }
    oribi_node *copy = oribi_layout_clone(layout, node, inputs);
    ORIBI_TRY(copy != NULL);
    static const char *const masks[] = {"begin_mask", "end_mask"};
    for (int i = 0; i < 2; i++) {
        int64_t mask = permuted_mask(oribi_pass_attr_int(node, masks[i], 0), &form, given);
        if (!oribi_attrs_set_int(&copy->attrs, &layout->graph->arena, masks[i], mask)) {
            return oribi_fail_memory(layout->status);
        }
    }
    ORIBI_TRY(oribi_graph_resolve(layout->graph, copy, layout->status));
    oribi_layout_set(layout, node->outputs[0], copy->outputs[0], form.perm, form.rank);
    return true;
}

/* Shape of the base, its elements put in order: cheaper than moving the data to ask. */
bool oribi_layout_shape_rule(oribi_layout *layout, oribi_node *node)
{
    const oribi_layout_form *moved = oribi_layout_moved(layout, node->inputs[0]);
    static const int8_t straight[1] = {0};
    if (moved == NULL || oribi_op_find("GatherV2") == NULL) {
        return false;
    }
    oribi_layout_form form = *moved;
    oribi_node *shape = oribi_layout_clone(layout, node, &form.base);
    ORIBI_TRY(shape != NULL);
    int64_t wide[ORIBI_PASS_MAX_RANK];
    for (int32_t i = 0; i < form.rank; i++) {
        wide[i] = form.perm[i];
    }
    oribi_value_id inputs[3] = {
        shape->outputs[0],
        oribi_pass_add_ints(layout->graph, "perm", wide, form.rank, layout->status),
        add_scalar(layout, 0)};
    ORIBI_TRY(inputs[1] >= 0 && inputs[2] >= 0);
    oribi_node *gather =
        oribi_pass_add_node(layout->graph, "GatherV2", node, inputs, 3, NULL, 0, layout->status);
    ORIBI_TRY(gather != NULL);
    oribi_layout_set(layout, node->outputs[0], gather->outputs[0], straight, 1);
    return true;
}
