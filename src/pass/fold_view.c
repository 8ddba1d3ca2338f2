/* SPDX-License-Identifier: Apache-2.0 */
/* Folding that makes no bytes: Transpose and Reshape of constants are views, Fill is one element,
 * elementwise on one element stays one element, and integers that follow from shapes are known.
 */
#include "pass/fold_internal.h"

#include <string.h>

static bool replace(oribi_graph *graph, oribi_node *node, oribi_value_id constant,
                    oribi_pass_report *report, const char *how)
{
    if (constant < 0) {
        return false;
    }
    oribi_pass_note(graph, report, "fold", "%s '%s' %s", node->op_name, node->name, how);
    oribi_graph_replace_uses(graph, node->outputs[0], constant);
    oribi_pass_drop(graph, node);
    return true;
}

static bool fold_transpose(oribi_graph *graph, oribi_node *node, const oribi_traits *t,
                           oribi_pass_report *report, TF_Status *status)
{
    oribi_dims perm;
    const oribi_constant_view *view = oribi_pass_constant(graph, node->inputs[t->data]);
    if (view->dtype == TF_STRING ||
        !oribi_graph_constant_ints(graph, node->inputs[t->axes], &perm) || perm.n != view->rank ||
        !oribi_dims_is_permutation(&perm)) {
        return false;
    }
    oribi_value_id id = oribi_graph_add_constant_transposed(
        graph, graph->values[node->outputs[0]]->name, node->inputs[t->data], &perm, status);
    return replace(graph, node, id, report, "is a view of its constant");
}

static bool fold_reshape(oribi_graph *graph, oribi_node *node, const oribi_traits *t,
                         oribi_pass_report *report, TF_Status *status)
{
    const oribi_shape *shape = &graph->values[node->outputs[0]]->shape;
    const oribi_constant_view *view = oribi_pass_constant(graph, node->inputs[t->data]);
    if (!oribi_shape_is_full(shape) || view->dtype == TF_STRING) {
        return false;
    }
    int64_t count = 1;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (__builtin_mul_overflow(count, shape->dims[i], &count)) {
            return false;
        }
    }
    if (count != oribi_pass_view_count(view)) {
        return false;
    }
    oribi_value_id id =
        oribi_pass_add_reshaped(graph, node->inputs[t->data], shape->dims, shape->rank, status);
    return replace(graph, node, id, report, "is a view of its constant");
}

static bool fold_fill(oribi_graph *graph, oribi_node *node, const oribi_traits *t,
                      oribi_pass_report *report, TF_Status *status)
{
    const oribi_constant_view *value = oribi_pass_constant(graph, node->inputs[t->data]);
    oribi_dims dims, zeros = {0};
    if (value->dtype == TF_STRING || oribi_pass_view_count(value) != 1 ||
        !oribi_graph_constant_ints(graph, node->inputs[t->axes], &dims)) {
        return false;
    }
    size_t elements = 0;
    if (!oribi_size_of_dims(dims.at, dims.n, oribi_dtype_bytes(value->dtype), &elements)) {
        return false;
    }
    oribi_value_id id =
        oribi_pass_add_view(graph, graph->values[node->outputs[0]]->name, node->inputs[t->data],
                            dims.at, elements == 0 ? NULL : zeros.at, dims.n, status);
    return replace(graph, node, id, report, "is one repeated element");
}

/* One element in, one element out, repeated as before. */
static bool fold_splat(oribi_graph *graph, oribi_node *node, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status)
{
    const oribi_constant_view *view = oribi_pass_constant(graph, node->inputs[0]);
    size_t element = oribi_dtype_bytes(view->dtype);
    bool done = false;
    TF_Tensor *one = TF_AllocateTensor(view->dtype, NULL, 0, element);
    TF_Tensor *result = NULL;
    if (one == NULL) {
        return oribi_fail_memory(status);
    }
    memcpy(TF_TensorData(one), view->data, element);
    if (!oribi_pass_fold_run(graph, node, &one, &result, options, status)) {
        TF_SetStatus(status, TF_OK, "");
        goto end;
    }
    if (TF_TensorElementCount(result) == 1) {
        oribi_dims zeros = {0};
        void *copy = oribi_arena_memdup(&graph->arena, TF_TensorData(result),
                                        oribi_dtype_bytes(TF_TensorType(result)));
        oribi_constant_view made = {.dtype = TF_TensorType(result),
                                    .rank = view->rank,
                                    .dims = view->dims,
                                    .strides = zeros.at,
                                    .data = copy};
        if (copy == NULL) {
            oribi_fail_memory(status);
            goto end;
        }
        oribi_value_id id = oribi_graph_add_constant(graph, graph->values[node->outputs[0]]->name,
                                                     &made, NULL, status);
        done = replace(graph, node, id, report, "on one repeated element is one again");
    }
end:
    TF_DeleteTensor(one);
    TF_DeleteTensor(result);
    return done;
}

bool oribi_pass_fold_view(oribi_graph *graph, oribi_node *node, const oribi_pass_options *options,
                          oribi_pass_report *report, TF_Status *status)
{
    const oribi_traits t = oribi_pass_traits(node);
    const oribi_constant_view *view =
        t.n_data > 0 ? oribi_pass_constant(graph, node->inputs[t.data]) : NULL;
    if (view == NULL || node->n_outputs != 1 || view->rank > ORIBI_MAX_RANK ||
        node->op->is_stateful) {
        return false;
    }
    if ((t.is & ORIBI_TRAIT_PERMUTES) != 0) {
        return fold_transpose(graph, node, &t, report, status);
    }
    if ((t.is & ORIBI_TRAIT_VIEW) != 0 && (t.is & ORIBI_TRAIT_ELEMENTWISE) == 0) {
        return fold_reshape(graph, node, &t, report, status);
    }
    if ((t.is & ORIBI_TRAIT_FILLS) != 0) {
        return fold_fill(graph, node, &t, report, status);
    }
    return (t.is & ORIBI_TRAIT_ELEMENTWISE) != 0 && node->n_inputs == 1 &&
           view->dtype != TF_STRING && oribi_pass_view_is_splat(view) &&
           oribi_pass_view_count(view) > 1 && fold_splat(graph, node, options, report, status);
}

/* Elements of an integer node's output as far as shapes tell them; -1 when they do not. */
static int32_t known_elements(oribi_graph *graph, const oribi_node *node, int64_t *out, int32_t max,
                              TF_Status *status)
{
    const oribi_traits t = oribi_pass_traits(node);
    if (t.told == ORIBI_TOLD_SIZE || t.told == ORIBI_TOLD_RANK) {
        const oribi_shape *shape = &graph->values[node->inputs[t.data]]->shape;
        bool is_rank = t.told == ORIBI_TOLD_RANK;
        if (shape->rank < 0 || (!is_rank && !oribi_shape_is_full(shape))) {
            return -1;
        }
        out[0] = is_rank ? shape->rank : 1;
        for (int32_t i = 0; !is_rank && i < shape->rank; i++) {
            if (__builtin_mul_overflow(out[0], shape->dims[i], &out[0])) {
                return -1;
            }
        }
        return 1;
    }
    oribi_shape partial;
    if (!oribi_graph_partial_ints(graph, node->outputs[0], &partial, status) ||
        partial.rank > max) {
        return -1;
    }
    for (int32_t i = 0; i < partial.rank; i++) {
        out[i] = partial.dims[i];
    }
    return partial.rank;
}

bool oribi_pass_fold_known(oribi_graph *graph, oribi_node *node, oribi_pass_report *report,
                           TF_Status *status)
{
    enum { MAX_ELEMENTS = 64 };
    int64_t elements[MAX_ELEMENTS];
    int32_t narrow[MAX_ELEMENTS] = {0};
    const oribi_value *value = node->n_outputs == 1 ? graph->values[node->outputs[0]] : NULL;
    if (value == NULL || node->n_inputs < 1 || node->op->is_stateful ||
        (value->dtype != TF_INT32 && value->dtype != TF_INT64)) {
        return false;
    }
    int32_t count = known_elements(graph, node, elements, MAX_ELEMENTS, status);
    bool fits = value->shape.rank == 1 || (value->shape.rank == 0 && count == 1);
    if (count < 0 || !fits) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        if (elements[i] < 0 || (value->dtype == TF_INT32 && elements[i] > INT32_MAX)) {
            return false;
        }
        narrow[i] = (int32_t)elements[i];
    }
    const void *data = value->dtype == TF_INT64 ? (const void *)elements : narrow;
    int64_t dims[1] = {count};
    oribi_value_id id = oribi_graph_add_constant_copy(graph, value->name, value->dtype, dims,
                                                      value->shape.rank, data, status);
    return replace(graph, node, id, report, "follows from shapes");
}
