/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a softmax between them become Oribi>Attention: what exporters write for
 * softmax(scale * q . k + mask) . v. Factors stand before or after the first product, a mask is
 * added or chosen (SelectV2 with a number that no score reaches), and transposes of heads before
 * and behind become layouts that the op reads and writes. Part of fusing: formulas (fuse_formula.c)
 * have no transposes and no inputs of several shapes. Read next: plugins/ops_core/matmul_ops.c.
 */
#include "pass/fuse_internal.h"

#include <math.h>
#include <string.h>

static const char *const attention = "Oribi>Attention";

/* A tensor that the op reads: the value, and where its batch, heads, sequence and head size lie. */
typedef struct operand {
    oribi_value_id value;
    char layout[5];
    double scale; /* times the value */
} operand;

typedef struct match {
    oribi_graph *graph;
    oribi_node *last, *softmax, *scores; /* the product with v, the one of q and k */
    operand query, key, value;
    oribi_value_id mask, chosen_by; /* -1: none; chosen_by: the condition of a SelectV2 */
    bool keeps_true;                /* the scores stand where it is true */
    int64_t times;                  /* heads of queries for one of keys */
    double scale;
    int32_t n_nodes;
} match;

/* Ours, and for the device of the last node. */
static bool may_take(const match *m, const oribi_node *node)
{
    return node != NULL && node->op != NULL && node->n_outputs == 1 &&
           m->graph->values[node->outputs[0]]->dtype == TF_FLOAT && !oribi_pass_is_foreign(node) &&
           oribi_fusion_same_device(m->last, node) && !oribi_pass_is_off(node, ORIBI_PASS_FUSE);
}

/* The node that makes a value which nobody else reads. */
static oribi_node *only_maker(const match *m, oribi_value_id value)
{
    const oribi_value *v = m->graph->values[value];
    oribi_node *node =
        v->n_uses == 1 && !v->is_output ? oribi_graph_producer(m->graph, value) : NULL;
    return may_take(m, node) ? node : NULL;
}

static bool is_products(const oribi_node *node)
{
    return node != NULL && oribi_pass_layer(node) == ORIBI_LAYER_PRODUCTS &&
           !oribi_pass_attr_bool(node, "adj_x", false);
}

/* Is the node its input `out_data` times a number? */
static bool is_scaled(const match *m, const oribi_node *node, int32_t *out_data, double *out_factor)
{
    const oribi_formula formula = oribi_pass_traits(node).formula;
    const bool divides = formula == ORIBI_FORMULA_QUOTIENT;
    if (node->n_inputs != 2 || (!divides && formula != ORIBI_FORMULA_PRODUCT)) {
        return false;
    }
    for (int32_t data = 0; data < (divides ? 1 : 2); data++) {
        double factor;
        const oribi_value_id other = node->inputs[1 - data];
        if (m->graph->values[other]->dtype == TF_FLOAT &&
            oribi_pass_channel_vector(m->graph, other, 1, &factor) && isfinite(factor) &&
            factor != 0.0) {
            *out_data = data;
            *out_factor = divides ? 1.0 / factor : factor;
            return true;
        }
    }
    return false;
}

/* --- Operands -------------------------------------------------------------------------------- */

static bool is_layout(const char *layout, bool heads_contiguous)
{
    return strcmp(layout, "BHSD") == 0 || strcmp(layout, "BSHD") == 0 ||
           (!heads_contiguous && strcmp(layout, "BHDS") == 0);
}

/* Goes up through transposes and factors as long as the op can read what comes there. */
static void find_operand(const match *m, oribi_value_id value, const char *layout,
                         bool heads_contiguous, operand *out)
{
    operand at = {.value = value, .scale = 1.0};
    memcpy(at.layout, layout, sizeof at.layout);
    *out = at;
    for (;;) {
        const oribi_node *node = oribi_graph_producer(m->graph, at.value);
        oribi_dims perm;
        int32_t data;
        double factor;
        if (!may_take(m, node)) {
            return;
        }
        if (oribi_pass_has(node, ORIBI_TRAIT_PERMUTES)) {
            const oribi_traits traits = oribi_pass_traits(node);
            char before[5] = "";
            if (!oribi_graph_constant_ints(m->graph, node->inputs[traits.axes], &perm) ||
                perm.n != 4 || !oribi_dims_is_permutation(&perm)) {
                return;
            }
            for (int i = 0; i < 4; i++) {
                before[perm.at[i]] = at.layout[i];
            }
            memcpy(at.layout, before, sizeof before);
            at.value = node->inputs[traits.data];
        } else if (is_scaled(m, node, &data, &factor)) {
            at.value = node->inputs[data];
            at.scale *= factor;
        } else {
            return;
        }
        if (is_layout(at.layout, heads_contiguous)) {
            *out = at;
        }
    }
}

/* The heads that an operand repeats, where the op can read them. */
static bool find_heads(const match *m, const operand *from, operand *out, int64_t *out_times)
{
    const oribi_node *node = oribi_graph_producer(m->graph, from->value);
    const oribi_value_id heads = strcmp(from->layout, "BHSD") == 0 && may_take(m, node)
                                     ? oribi_pass_unrepeat(m->graph, from->value, out_times)
                                     : -1;
    if (heads < 0) {
        return false;
    }
    find_operand(m, heads, "BHSD", false, out);
    out->scale *= from->scale;
    return true;
}

/* Both keys and values, as often as each other, or neither. */
static void take_heads(match *m)
{
    operand key, value;
    int64_t of_keys = 1, of_values = 1;
    m->times = 1;
    if (find_heads(m, &m->key, &key, &of_keys) && find_heads(m, &m->value, &value, &of_values) &&
        of_keys == of_values) {
        m->key = key;
        m->value = value;
        m->times = of_keys;
    }
}

static int64_t dim_of(const match *m, const operand *o, char axis)
{
    const oribi_shape *shape = &m->graph->values[o->value]->shape;
    return shape->rank == 4 ? shape->dims[strchr(o->layout, axis) - o->layout] : -1;
}

/* --- Between the products -------------------------------------------------------------------- */

/* A number that wins over every score that it is added to, or none. */
static bool is_far_below(const match *m, oribi_value_id value, double *out)
{
    return m->graph->values[value]->dtype == TF_FLOAT &&
           oribi_pass_channel_vector(m->graph, value, 1, out) && *out < -1e30;
}

/* The operand of a sum or a choice that is not the mask; -1: there is a mask already, or none. */
static oribi_value_id take_mask(match *m, const oribi_node *node, int32_t scores)
{
    double number;
    if (m->mask >= 0) {
        return -1;
    }
    if (oribi_pass_computes(node, ORIBI_FORMULA_SUM) && node->n_inputs == 2) {
        m->mask = node->inputs[1 - scores];
        return m->graph->values[m->mask]->dtype == TF_FLOAT ? node->inputs[scores] : -1;
    }
    if (oribi_pass_is(node, "SelectV2") && is_far_below(m, node->inputs[2 - scores], &number)) {
        m->mask = node->inputs[2 - scores];
        m->chosen_by = node->inputs[0];
        m->keeps_true = scores == 0;
        return node->inputs[1 + scores];
    }
    return -1;
}

/* From the softmax's input up to the first product: the mask, then factors. */
static bool find_scores(match *m, oribi_value_id value)
{
    for (;;) {
        oribi_node *node = only_maker(m, value);
        int32_t data;
        double factor;
        if (node == NULL) {
            return false;
        }
        m->n_nodes++;
        if (is_products(node)) {
            m->scores = node;
            return true;
        }
        if (is_scaled(m, node, &data, &factor)) {
            value = node->inputs[data];
            m->scale *= factor;
            continue;
        }
        if (m->scale != 1.0) {
            return false; /* a factor of the mask as well */
        }
        const match before = *m;
        for (int32_t scores = 0; scores < 2; scores++) {
            *m = before;
            value = take_mask(m, node, scores);
            if (value >= 0 && find_scores(m, value)) {
                return true;
            }
        }
        return false;
    }
}

/* Could a mask make more scores than the product has? */
static bool keeps_shape(const match *m)
{
    const oribi_shape *a = &m->graph->values[m->scores->outputs[0]]->shape;
    const oribi_shape *b = &m->graph->values[m->softmax->outputs[0]]->shape;
    for (int32_t i = 0; i < 4; i++) {
        if (a->rank != 4 || b->rank != 4 ||
            (a->dims[i] >= 0 && b->dims[i] >= 0 && a->dims[i] != b->dims[i])) {
            return false;
        }
    }
    return true;
}

static bool find(match *m)
{
    m->softmax = only_maker(m, m->last->inputs[0]);
    m->mask = m->chosen_by = -1;
    m->scale = 1.0;
    m->n_nodes = 2;
    if (!oribi_pass_is(m->softmax, "Softmax") || !find_scores(m, m->softmax->inputs[0]) ||
        !keeps_shape(m)) {
        return false;
    }
    const bool turns_key = oribi_pass_attr_bool(m->scores, "adj_y", false);
    const bool turns_value = oribi_pass_attr_bool(m->last, "adj_y", false);
    find_operand(m, m->scores->inputs[0], "BHSD", true, &m->query);
    find_operand(m, m->scores->inputs[1], turns_key ? "BHSD" : "BHDS", false, &m->key);
    find_operand(m, m->last->inputs[1], turns_value ? "BHDS" : "BHSD", false, &m->value);
    take_heads(m);
    m->scale *= m->query.scale * m->key.scale;
    /* A factor of the values would be one of the result. Heads broadcast in another way. */
    return m->value.scale == 1.0 && m->scale > 0.0 && isfinite((float)m->scale) &&
           (float)m->scale > 0.0F && dim_of(m, &m->query, 'H') > 0 && dim_of(m, &m->key, 'H') > 0 &&
           dim_of(m, &m->query, 'H') == m->times * dim_of(m, &m->key, 'H') &&
           dim_of(m, &m->key, 'H') == dim_of(m, &m->value, 'H') &&
           dim_of(m, &m->query, 'B') == dim_of(m, &m->key, 'B') &&
           dim_of(m, &m->key, 'B') == dim_of(m, &m->value, 'B');
}

/* --- Making the fused node ------------------------------------------------------------------- */

/* A mask to add of a condition: 0 where the scores stay, the number elsewhere. */
static oribi_value_id chosen_mask(const match *m, const oribi_pass_options *options,
                                  TF_Status *status)
{
    const double zero = 0.0;
    const int64_t dims[1] = {0}, strides[1] = {0};
    oribi_value_id inputs[3] = {m->chosen_by, -1, -1};
    const oribi_value_id vector = oribi_pass_add_floats(m->graph, "no_mask", &zero, 1, status);
    const oribi_value_id none =
        vector < 0 ? -1
                   : oribi_pass_add_view(m->graph, "no_mask", vector, dims, strides, 0, status);
    if (none < 0) {
        return -1;
    }
    inputs[m->keeps_true ? 1 : 2] = none;
    inputs[m->keeps_true ? 2 : 1] = m->mask;
    oribi_node *node =
        oribi_pass_add_node(m->graph, "SelectV2", m->softmax, inputs, 3, NULL, 0, status);
    if (node == NULL) {
        return -1;
    }
    node->kernel = oribi_pass_select(m->graph, node, options, status);
    return node->kernel != NULL ? node->outputs[0] : -1;
}

/* The Transpose behind that brings heads beside their elements; NULL: none. */
static oribi_node *turns_behind(const match *m)
{
    oribi_node *node = oribi_pass_only_consumer(m->graph, m->last->outputs[0], NULL);
    oribi_dims perm;
    return may_take(m, node) && oribi_pass_has(node, ORIBI_TRAIT_PERMUTES) &&
                   oribi_graph_constant_ints(m->graph, node->inputs[oribi_pass_traits(node).axes],
                                             &perm) &&
                   perm.n == 4 && perm.at[0] == 0 && perm.at[1] == 2 && perm.at[2] == 1 &&
                   perm.at[3] == 3
               ? node
               : NULL;
}

static bool set_attrs(const match *m, oribi_node *node, bool turns)
{
    oribi_attrs *attrs = &node->attrs;
    oribi_arena *arena = &m->graph->arena;
    return oribi_attrs_set_string(attrs, arena, "query_layout", m->query.layout) &&
           oribi_attrs_set_string(attrs, arena, "key_layout", m->key.layout) &&
           oribi_attrs_set_string(attrs, arena, "value_layout", m->value.layout) &&
           oribi_attrs_set_string(attrs, arena, "output_layout", turns ? "BSHD" : "BHSD") &&
           oribi_attrs_set_float(attrs, arena, "scale", (float)m->scale) &&
           oribi_attrs_set_bool(attrs, arena, "safe_softmax", false) &&
           oribi_attrs_set_int(attrs, arena, "N", m->mask >= 0 ? 1 : 0);
}

/* The fused node, or NULL when nobody has a kernel for it. */
static oribi_node *make(const match *m, oribi_value_id mask, bool turns,
                        const oribi_pass_options *options, TF_Status *status)
{
    const oribi_value_id inputs[4] = {m->query.value, m->key.value, m->value.value, mask};
    oribi_node *node = oribi_graph_add_node(m->graph, attention, m->last->name, inputs,
                                            mask >= 0 ? 4 : 3, 1, status);
    if (node == NULL) {
        return NULL;
    }
    node->device = m->last->device;
    node->origin = oribi_pass_join_origin(m->graph, m->scores->origin, m->softmax);
    node->origin = oribi_pass_join_origin(m->graph, node->origin, m->last);
    if (set_attrs(m, node, turns) && oribi_graph_resolve(m->graph, node, status)) {
        node->kernel = oribi_pass_select(m->graph, node, options, status);
        if (node->kernel != NULL && !oribi_pass_is_foreign(node)) {
            return node;
        }
    }
    oribi_graph_remove_node(m->graph, node);
    TF_SetStatus(status, TF_OK, "");
    return NULL;
}

static bool fuse_node(oribi_graph *graph, oribi_node *last, const oribi_pass_options *options,
                      oribi_pass_report *report, TF_Status *status)
{
    match m = {.graph = graph, .last = last};
    if (!may_take(&m, last) || !is_products(last) || !find(&m)) {
        return true;
    }
    oribi_node *turn = turns_behind(&m), *end = turn != NULL ? turn : last;
    const oribi_value_id mask = m.chosen_by >= 0 ? chosen_mask(&m, options, status) : m.mask;
    ORIBI_TRY(m.chosen_by < 0 || mask >= 0);
    const oribi_node *node = make(&m, mask, turn != NULL, options, status);
    ORIBI_TRY(oribi_ok(status));
    if (node != NULL) {
        oribi_pass_note(
            graph, report, "fuse", "'%s' to '%s' are %s of %s, %s and %s into %s, scale %g%s",
            m.scores->name, end->name, attention, m.query.layout, m.key.layout, m.value.layout,
            turn != NULL ? "BSHD" : "BHSD", m.scale, m.mask >= 0 ? ", with a mask" : "");
        oribi_pass_take_over(graph, end->outputs[0], node->outputs[0]);
        oribi_pass_drop(graph, end);
    }
    return true;
}

bool oribi_pass_fuse_attention(oribi_graph *graph, const oribi_pass_options *options,
                               oribi_pass_report *report, TF_Status *status)
{
    if ((options != NULL && options->plain_activations) || oribi_op_find(attention) == NULL) {
        return true;
    }
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (!node->is_dead) {
            ORIBI_TRY(oribi_patience_left(status));
            ORIBI_TRY(fuse_node(graph, node, options, report, status));
        }
    }
    oribi_graph_remove_dead(graph);
    return oribi_graph_sort(graph, status);
}
