/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes without a kernel for half, bfloat16 or smaller types are computed in a wider one, between
 * casts. From one such node to the next values stay wide: that rounds less and saves two casts. A
 * kernel for the narrow type, of a plugin or a device, goes before: its node is left alone.
 */
#include "pass/pass_internal.h"

#include <string.h>

enum { USES_SEEN = 8 };

static TF_DataType wider(TF_DataType dtype)
{
    switch ((int)dtype) {
    case TF_HALF:
    case TF_BFLOAT16:
    case TF_FLOAT8_E5M2:
    case TF_FLOAT8_E4M3FN:
    case TF_FLOAT8_E4M3FNUZ:
    case TF_FLOAT8_E4M3B11FNUZ:
    case TF_FLOAT8_E5M2FNUZ:
    case TF_FLOAT4_E2M1FN:
        return TF_FLOAT;
    case TF_INT4:
    case TF_INT2:
        return TF_INT8;
    case TF_UINT4:
    case TF_UINT2:
        return TF_UINT8;
    default:
        return dtype;
    }
}

static bool is_narrow(const oribi_graph *graph, oribi_value_id value)
{
    return value >= 0 && wider(graph->values[value]->dtype) != graph->values[value]->dtype;
}

static bool has_narrow(const oribi_graph *graph, const oribi_node *node)
{
    bool has = false;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        has = has || is_narrow(graph, node->inputs[i]);
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        has = has || is_narrow(graph, node->outputs[i]);
    }
    return has;
}

static oribi_value_id add_cast(oribi_graph *graph, const oribi_node *like, oribi_value_id from,
                               TF_DataType to, TF_Status *status)
{
    const TF_DataType types[1] = {to};
    const oribi_attr target = {.name = "DstT", .kind = TF_ATTR_TYPE, .count = 1, .u.type = types};
    const oribi_node *node =
        oribi_pass_add_node(graph, ORIBI_PASS_CAST, like, &from, 1, &target, 1, status);
    return node != NULL ? node->outputs[0] : -1;
}

/* The value as it was before this pass narrowed it, as another node has it widened, or through a
 * new cast. `first` is the first node of this pass. */
static oribi_value_id widened(oribi_graph *graph, const oribi_node *node, oribi_value_id value,
                              int32_t first, TF_Status *status)
{
    const TF_DataType to = wider(graph->values[value]->dtype);
    const oribi_node *maker = oribi_graph_producer(graph, value);
    oribi_use uses[USES_SEEN + 1];
    if (maker != NULL && maker->id >= first && oribi_pass_is_cast(maker) &&
        graph->values[maker->inputs[0]]->dtype == to) {
        return maker->inputs[0];
    }
    const int32_t n_uses = oribi_graph_uses(graph, value, uses, USES_SEEN);
    for (int32_t i = 0; i < n_uses && i < USES_SEEN; i++) {
        const oribi_node *user = uses[i].node;
        if (user->id >= first && oribi_pass_is_cast(user) &&
            graph->values[user->outputs[0]]->dtype == to) {
            return user->outputs[0];
        }
    }
    return add_cast(graph, node, value, to, status);
}

static bool copy_attrs(oribi_graph *graph, const oribi_node *from, oribi_node *to,
                       TF_Status *status)
{
    for (int32_t i = 0; i < from->attrs.count; i++) {
        oribi_attr attr = from->attrs.items[i];
        TF_DataType *types = NULL;
        if (attr.kind == TF_ATTR_TYPE) {
            types = oribi_arena_array(&graph->arena, (size_t)attr.count + 1, sizeof *types);
            for (int32_t k = 0; types != NULL && k < attr.count; k++) {
                types[k] = wider(attr.u.type[k]);
            }
            attr.u.type = types;
        }
        if ((attr.kind == TF_ATTR_TYPE && types == NULL) ||
            !oribi_attrs_set(&to->attrs, &graph->arena, &attr)) {
            return oribi_fail_memory(status);
        }
    }
    return true;
}

/* The same node on wide inputs, with its kernel; NULL with OK where there is none. */
static oribi_node *add_wide(oribi_graph *graph, const oribi_pass_options *options,
                            const oribi_node *node, const oribi_value_id *inputs, TF_Status *status)
{
    oribi_node *wide = oribi_graph_add_node(graph, node->op_name, node->name, inputs,
                                            node->n_inputs, node->n_outputs, status);
    if (wide == NULL || !copy_attrs(graph, node, wide, status)) {
        return NULL;
    }
    wide->device = node->device;
    wide->origin = node->origin;
    wide->passes_off = node->passes_off;
    if (oribi_graph_resolve(graph, wide, status)) {
        wide->kernel = oribi_pass_select(graph, wide, options, status);
    }
    if (wide->kernel == NULL) {
        oribi_graph_remove_node(graph, wide);
        if (TF_GetCode(status) == TF_NOT_FOUND || TF_GetCode(status) == TF_INVALID_ARGUMENT) {
            TF_SetStatus(status, TF_OK, "");
        }
        return NULL;
    }
    return wide;
}

static bool hand_over(oribi_graph *graph, oribi_node *node, const oribi_node *wide,
                      TF_Status *status)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_value_id old = node->outputs[i];
        oribi_value_id new = wide->outputs[i];
        const TF_DataType dtype = graph->values[old]->dtype;
        ORIBI_TRY(oribi_graph_merge_shape(graph, &graph->values[old]->shape,
                                          &graph->values[new]->shape) ||
                  oribi_fail_memory(status));
        if (graph->values[new]->dtype != dtype) {
            new = add_cast(graph, node, new, dtype, status);
            ORIBI_TRY(new >= 0);
        }
        oribi_pass_take_over(graph, old, new);
    }
    oribi_graph_remove_node(graph, node);
    return true;
}

static bool widen_node(oribi_graph *graph, const oribi_pass_options *options, oribi_node *node,
                       int32_t first, int32_t *n_widened, TF_Status *status)
{
    oribi_value_id *inputs =
        oribi_claim_array(&graph->arena, (size_t)node->n_inputs + 1, sizeof *inputs, status);
    ORIBI_TRY(inputs != NULL);
    for (int32_t i = 0; i < node->n_inputs; i++) {
        inputs[i] = node->inputs[i];
        if (is_narrow(graph, inputs[i])) {
            inputs[i] = widened(graph, node, inputs[i], first, status);
            ORIBI_TRY(inputs[i] >= 0);
        }
    }
    const oribi_node *wide = add_wide(graph, options, node, inputs, status);
    if (wide == NULL) {
        return oribi_ok(status);
    }
    ++*n_widened;
    return hand_over(graph, node, wide, status);
}

bool oribi_pass_widen(oribi_graph *graph, const oribi_pass_options *options,
                      oribi_pass_report *report, TF_Status *status)
{
    const int32_t first = graph->n_nodes, count = graph->n_order;
    int32_t n_widened = 0;
    for (int32_t i = 0; i < count; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (node->is_dead || node->kernel != NULL || node->op == NULL || node->n_bodies > 0 ||
            node->op->is_stateful || !has_narrow(graph, node)) {
            continue;
        }
        ORIBI_TRY(oribi_patience_left(status));
        ORIBI_TRY(widen_node(graph, options, node, first, &n_widened, status));
    }
    if (n_widened > 0) {
        oribi_pass_note(graph, report, "widen", "%d nodes compute in a wider type between casts",
                        (int)n_widened);
        (void)oribi_graph_remove_dead(graph);
        ORIBI_TRY(oribi_graph_sort(graph, status));
    }
    return true;
}
