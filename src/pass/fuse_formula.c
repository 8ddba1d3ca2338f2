/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that compute a formula become the op that stands for it: what exporters write for Gelu, for
 * a layer normalisation. Sums and products are compared as sets of parts, so that the order in
 * which an exporter wrote them, a division for a product, a Square for a Pow does not matter. Read
 * first: tensorflow/c/op_traits.h, which says what the words of a formula mean.
 */
#include "pass/fuse_internal.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 24, MOST_PARTS = 6, MOST_USES = 12 };

typedef struct match { /* small: it is copied where another way may have to be tried */
    oribi_graph *graph;
    const oribi_fusion *formula;
    oribi_node *root;
    oribi_value_id inputs[ORIBI_FORMULA_INPUTS]; /* -1: not met yet */
    double attrs[ORIBI_FORMULA_INPUTS];          /* NaN: not met yet */
    oribi_node *nodes[MOST_NODES];               /* that the fused one stands for */
    int32_t n_nodes;
} match;

/* A sum of values times weights and a number, or a product of values to powers and a number. */
typedef struct part {
    oribi_value_id value;   /* of a graph ... */
    const oribi_term *term; /* ... or of a formula */
    double weight;
} part;
typedef struct parts {
    bool is_sum, failed;
    double number;
    const oribi_term *attr; /* stands beside the number */
    part at[MOST_PARTS];
    int32_t n;
} parts;

/* --- Parts ----------------------------------------------------------------------------------- */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static bool same_part(const part *a, const part *b)
{
    return a->term == NULL ? a->value == b->value
                           : a->term->kind == ORIBI_TERM_INPUT && b->term->kind == a->term->kind &&
                                 a->term->index == b->term->index;
}

static void add_part(parts *list, part one)
{
    for (int32_t i = 0; i < list->n; i++) {
        if (same_part(&list->at[i], &one)) {
            list->at[i].weight += one.weight;
            return;
        }
    }
    if (list->n < MOST_PARTS) {
        list->at[list->n++] = one;
    } else {
        list->failed = true;
    }
}

static void add_number(parts *list, double number, double weight)
{
    if (list->is_sum) {
        list->number += number * weight;
    } else {
        list->number *= pow(number, weight);
    }
}

static void term_parts(const oribi_term *term, double weight, parts *list)
{
    const oribi_term_role wanted = list->is_sum ? ORIBI_ROLE_SUM : ORIBI_ROLE_PRODUCT;
    if (term->kind == ORIBI_TERM_NUMBER) {
        add_number(list, term->number, weight);
    } else if (term->kind == ORIBI_TERM_ATTR) {
        list->failed = list->failed || list->attr != NULL || weight != 1.0;
        list->attr = term;
    } else if (term->role != wanted || (!list->is_sum && weight != rint(weight))) {
        add_part(list, (part){.term = term, .weight = weight});
    } else {
        for (const oribi_term *t = term->first; t != NULL; t = t->next) {
            term_parts(t, weight * term->power * (term->inverts && t != term->first ? -1.0 : 1.0),
                       list);
        }
    }
}

static bool scalar_of(const match *m, oribi_value_id value, double *out)
{
    return m->graph->values[value]->dtype == TF_FLOAT &&
           oribi_pass_channel_vector(m->graph, value, 1, out);
}

/* The node that made the value, if it may be taken along; NULL else. */
static oribi_node *maker(const match *m, oribi_value_id value)
{
    oribi_node *node = oribi_graph_producer(m->graph, value);
    const bool may = node != NULL && node->op != NULL && node->n_outputs == 1 &&
                     m->graph->values[value]->dtype == TF_FLOAT &&
                     oribi_fusion_same_device(m->root, node) &&
                     !oribi_pass_is_off(node, ORIBI_PASS_FUSE);
    return may ? node : NULL;
}

static bool take(match *m, oribi_node *node)
{
    for (int32_t i = 0; i < m->n_nodes; i++) {
        if (m->nodes[i] == node) {
            return true;
        }
    }
    if (m->n_nodes == MOST_NODES) {
        return false;
    }
    m->nodes[m->n_nodes++] = node;
    return true;
}

/* How does the node's result come of its inputs? The weights of both, as parts of a sum or of a
 * product, and how many count; 0: otherwise. */
static int32_t weights_of(const match *m, const oribi_node *node, bool is_sum, double out[2])
{
    const oribi_traits traits = oribi_pass_traits(node);
    const oribi_formula f = traits.formula;
    out[1] = f == ORIBI_FORMULA_DIFFERENCE || f == ORIBI_FORMULA_QUOTIENT ? -1.0 : 1.0;
    if (!is_sum && oribi_formula_power(node->op_name, &out[0])) {
        return !isnan(out[0]) || scalar_of(m, node->inputs[1], &out[0]) ? 1 : 0;
    }
    out[0] = 1.0;
    const bool fits = is_sum ? f == ORIBI_FORMULA_SUM || f == ORIBI_FORMULA_DIFFERENCE
                             : f == ORIBI_FORMULA_PRODUCT || f == ORIBI_FORMULA_QUOTIENT;
    return fits && node->n_inputs == 2 && traits.vectors == 0 ? 2 : 0;
}

/* Nodes whose result others read as well are not looked into, but for the first one. */
static void value_parts(match *m, oribi_value_id value, double weight, bool is_first, parts *list)
{
    double number, weights[2];
    if (scalar_of(m, value, &number)) {
        add_number(list, number, weight);
        return;
    }
    const oribi_value *v = m->graph->values[value];
    oribi_node *node = is_first || (v->n_uses == 1 && !v->is_output) ? maker(m, value) : NULL;
    const bool is_whole = list->is_sum || weight == rint(weight);
    const int32_t n = node != NULL && is_whole ? weights_of(m, node, list->is_sum, weights) : 0;
    if (n == 0) {
        add_part(list, (part){.value = value, .weight = weight});
        return;
    }
    list->failed = list->failed || !take(m, node);
    for (int32_t i = 0; i < n && !list->failed; i++) {
        value_parts(m, node->inputs[i], weight * weights[i], false, list);
    }
}

/* --- Matching -------------------------------------------------------------------------------- */

static bool match_term(match *m, const oribi_term *term, oribi_value_id value);

static bool match_attr(match *m, const oribi_term *term, double number)
{
    double *known = &m->attrs[term->index];
    const bool same = isnan(*known) || is_near(number, *known);
    *known = number;
    return same && isfinite(number);
}

/* Gives each of the formula's parts from `from` on a part of its own of the value's. What computes
 * something comes before plain inputs, which go with anything. */
static bool match_parts(match *m, const parts *terms, int32_t from, const parts *values,
                        uint32_t used)
{
    if (from == terms->n) {
        return true;
    }
    const match before = *m;
    for (int32_t i = 0; i < values->n; i++) {
        if ((used & 1u << i) == 0 && values->at[i].weight == terms->at[from].weight &&
            match_term(m, terms->at[from].term, values->at[i].value) &&
            match_parts(m, terms, from + 1, values, used | 1u << i)) {
            return true;
        }
        *m = before;
    }
    return false;
}

static void inputs_last(parts *list)
{
    parts sorted = *list;
    sorted.n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < list->n; i++) {
            if ((list->at[i].term->kind == ORIBI_TERM_INPUT) == (pass == 1)) {
                sorted.at[sorted.n++] = list->at[i];
            }
        }
    }
    *list = sorted;
}

static bool match_sum(match *m, const oribi_term *term, oribi_value_id value, bool is_sum)
{
    const double none = is_sum ? 0.0 : 1.0;
    parts terms = {.is_sum = is_sum, .number = none}, values = terms;
    term_parts(term, 1.0, &terms);
    value_parts(m, value, 1.0, true, &values);
    if (terms.failed || values.failed || terms.n != values.n) {
        return false;
    }
    if (terms.attr == NULL
            ? !is_near(values.number, terms.number)
            : !match_attr(m, terms.attr,
                          is_sum ? values.number - terms.number : values.number / terms.number)) {
        return false;
    }
    inputs_last(&terms);
    return match_parts(m, &terms, 0, &values, 0);
}

/* Over the last axis, which is kept. */
static bool is_over_last(const match *m, const oribi_node *node)
{
    const oribi_constant_view *axes =
        node->n_inputs == 2 ? oribi_pass_constant(m->graph, node->inputs[1]) : NULL;
    const int32_t rank = m->graph->values[node->inputs[0]]->shape.rank;
    if (axes == NULL || oribi_pass_view_count(axes) != 1 || rank < 1 ||
        !oribi_pass_attr_bool(node, "keep_dims", false)) {
        return false;
    }
    int64_t axis = 0;
    int32_t narrow = 0;
    if (axes->dtype == TF_INT64) {
        memcpy(&axis, axes->data, sizeof axis);
    } else if (axes->dtype == TF_INT32) {
        memcpy(&narrow, axes->data, sizeof narrow);
        axis = narrow;
    }
    return axis == -1 || axis == rank - 1;
}

static bool match_call(match *m, const oribi_term *term, oribi_value_id value)
{
    oribi_node *node = maker(m, value);
    if (node == NULL || !oribi_pass_is(node, term->name) || !take(m, node)) {
        return false;
    }
    if (oribi_pass_has(node, ORIBI_TRAIT_REDUCES)) {
        return is_over_last(m, node) && match_term(m, term->first, node->inputs[0]);
    }
    const match before = *m;
    const bool turns = term->first->next != NULL && term->first->next->next == NULL &&
                       (node->op->is_commutative || term->turns);
    for (int32_t turn = 0; turn <= (turns ? 1 : 0); turn++) {
        const oribi_term *t = term->first;
        int32_t i = 0;
        *m = before;
        for (; t != NULL && i < node->n_inputs &&
               match_term(m, t, node->inputs[turn == 0 ? i : 1 - i]);
             i++) {
            t = t->next;
        }
        if (t == NULL && i == node->n_inputs) {
            return true;
        }
    }
    return false;
}

static bool match_term(match *m, const oribi_term *term, oribi_value_id value)
{
    double number;
    switch (term->kind) {
    case ORIBI_TERM_INPUT: {
        oribi_value_id *known = &m->inputs[term->index];
        const bool same = *known < 0 || *known == value;
        *known = value;
        return same;
    }
    case ORIBI_TERM_NUMBER:
        return scalar_of(m, value, &number) && is_near(number, term->number);
    case ORIBI_TERM_ATTR:
        return scalar_of(m, value, &number) && match_attr(m, term, number);
    case ORIBI_TERM_CALL:
        break;
    }
    return term->role == ORIBI_ROLE_OTHER ? match_call(m, term, value)
                                          : match_sum(m, term, value, term->role == ORIBI_ROLE_SUM);
}

/* Does nobody else read what the nodes make, the last one apart? */
static bool is_closed(const match *m)
{
    for (int32_t i = 0; i < m->n_nodes; i++) {
        oribi_use uses[MOST_USES];
        const oribi_value_id value = m->nodes[i]->outputs[0];
        const int32_t n = m->graph->values[value]->n_uses;
        if (m->nodes[i] == m->root) {
            continue;
        }
        if (n > MOST_USES || oribi_graph_uses(m->graph, value, uses, MOST_USES) != n) {
            return false;
        }
        for (int32_t k = 0; k < n; k++) {
            int32_t at = 0;
            for (; at < m->n_nodes && m->nodes[at] != uses[k].node; at++) {
            }
            if (at == m->n_nodes) {
                return false;
            }
        }
    }
    return m->n_nodes > 1;
}

static bool find(match *m)
{
    for (int32_t i = 0; i < ORIBI_FORMULA_INPUTS; i++) {
        m->inputs[i] = -1;
        m->attrs[i] = NAN;
    }
    m->n_nodes = 0;
    bool ok = match_term(m, m->formula->formula, m->root->outputs[0]) && is_closed(m);
    for (int32_t i = 0; i < m->formula->n_inputs; i++) {
        ok = ok && m->inputs[i] >= 0;
    }
    return ok;
}

/* --- Making the fused node ------------------------------------------------------------------- */

static bool set_attrs(const match *m, const oribi_op_def *fused, const oribi_term *term,
                      oribi_node *node)
{
    bool ok = true;
    if (term->kind == ORIBI_TERM_ATTR) {
        ok = oribi_attrs_set_float(&node->attrs, &m->graph->arena, term->name,
                                   (float)m->attrs[term->index]);
    }
    for (const oribi_term *t = term->first; t != NULL && ok; t = t->next) {
        ok = set_attrs(m, fused, t, node);
    }
    return ok;
}

/* What the op is told besides: which formula it is, how many inputs a list has. */
static bool set_words(const match *m, const oribi_op_def *fused, oribi_node *node)
{
    const oribi_arg_def *last = &fused->inputs[fused->n_inputs - 1];
    const int64_t n = m->formula->n_inputs - (fused->n_inputs - 1);
    return (m->formula->says == NULL ||
            oribi_attrs_set_string(&node->attrs, &m->graph->arena, m->formula->says,
                                   m->formula->says_what)) &&
           (last->number_attr == NULL ||
            oribi_attrs_set_int(&node->attrs, &m->graph->arena, last->number_attr, n));
}

/* The result must be no other tensor: an operand that broadcasts, or that has more dimensions, may
 * mean something else to the fused op. */
static bool makes_the_same(const match *m, const oribi_node *node)
{
    const oribi_value *a = m->graph->values[node->outputs[0]];
    const oribi_value *b = m->graph->values[m->root->outputs[0]];
    if (a->dtype != b->dtype || a->shape.rank < 0 || a->shape.rank != b->shape.rank) {
        return false;
    }
    for (int32_t i = 0; i < a->shape.rank; i++) {
        if (a->shape.dims[i] >= 0 && b->shape.dims[i] >= 0 &&
            a->shape.dims[i] != b->shape.dims[i]) {
            return false;
        }
    }
    return true;
}

/* Vectors beside data of unknown length might be broadcast to it. */
static bool lengths_are_known(const match *m, const oribi_node *node)
{
    if (oribi_pass_has(node, ORIBI_TRAIT_ELEMENTWISE)) {
        return true;
    }
    const oribi_shape *x = &m->graph->values[m->inputs[0]]->shape;
    for (int32_t i = 1; i < m->formula->n_inputs; i++) {
        const oribi_shape *other = &m->graph->values[m->inputs[i]]->shape;
        if (x->rank < 1 || other->rank != 1 || other->dims[0] < 0 ||
            other->dims[0] != x->dims[x->rank - 1]) {
            return false;
        }
    }
    return true;
}

static const char *vendor_of(const match *m)
{
    const char *vendor = NULL;
    for (int32_t i = 0; i < m->n_nodes; i++) {
        const char *own = oribi_fusion_vendor_of(m->nodes[i]);
        vendor = own != NULL ? own : vendor;
    }
    return vendor;
}

/* The fused node, or NULL when nobody has a kernel for it. */
static oribi_node *make(const match *m, const oribi_op_def *fused,
                        const oribi_pass_options *options, TF_Status *status)
{
    oribi_node *node = oribi_graph_add_node(m->graph, fused->name, m->root->name, m->inputs,
                                            m->formula->n_inputs, fused->n_outputs, status);
    if (node == NULL) {
        return NULL;
    }
    node->device = m->root->device;
    node->origin = m->root->origin;
    for (int32_t i = 0; i < m->n_nodes; i++) {
        node->origin = oribi_pass_join_origin(m->graph, node->origin, m->nodes[i]);
    }
    if (set_attrs(m, fused, m->formula->formula, node) && set_words(m, fused, node) &&
        oribi_graph_resolve(m->graph, node, status) && makes_the_same(m, node) &&
        lengths_are_known(m, node)) {
        const char *vendor = vendor_of(m);
        node->kernel = oribi_pass_select(m->graph, node, options, status);
        if (node->kernel != NULL &&
            (vendor == NULL || strcmp(node->kernel->provider, vendor) == 0) &&
            oribi_fusion_can_create(m->graph, node, status)) {
            return node;
        }
    }
    oribi_graph_remove_node(m->graph, node);
    TF_SetStatus(status, TF_OK, "");
    return NULL;
}

/* --- The pass -------------------------------------------------------------------------------- */

static oribi_term_role role_of(const match *m, const oribi_node *node)
{
    double weights[2];
    return weights_of(m, node, true, weights) > 0    ? ORIBI_ROLE_SUM
           : weights_of(m, node, false, weights) > 0 ? ORIBI_ROLE_PRODUCT
                                                     : ORIBI_ROLE_OTHER;
}

/* Each once nobody reads it any more, so that none is looked at again. */
static void drop_nodes(const match *m)
{
    for (int32_t round = 0; round < m->n_nodes; round++) {
        for (int32_t i = 0; i < m->n_nodes; i++) {
            if (!m->nodes[i]->is_dead && m->graph->values[m->nodes[i]->outputs[0]]->n_uses == 0) {
                oribi_pass_drop(m->graph, m->nodes[i]);
            }
        }
    }
}

static bool fuse_node(const oribi_fusion_table *t, oribi_graph *graph, oribi_node *root,
                      const oribi_pass_options *options, oribi_pass_report *report,
                      TF_Status *status)
{
    match m = {.graph = graph, .root = root};
    const oribi_term_role its = role_of(&m, root);
    for (int32_t i = 0; i < t->n; i++) {
        m.formula = t->rows[i].words;
        if (m.formula->formula->role != its ||
            (its == ORIBI_ROLE_OTHER && t->rows[i].first != root->op) || !find(&m)) {
            continue;
        }
        const oribi_node *node = make(&m, t->rows[i].fused, options, status);
        ORIBI_TRY(oribi_ok(status));
        if (node != NULL) {
            oribi_pass_note(graph, report, "fuse", "%d nodes up to %s '%s' are %s", (int)m.n_nodes,
                            root->op_name, root->name, node->op_name);
            oribi_pass_take_over(graph, root->outputs[0], node->outputs[0]);
            drop_nodes(&m);
            return true;
        }
    }
    return true;
}

/* From the end on, so that the longest formula is found first. */
static bool fuse_all(const oribi_fusion_table *t, oribi_graph *graph,
                     const oribi_pass_options *options, oribi_pass_report *report,
                     TF_Status *status)
{
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = graph->n_order - 1; i >= 0; i--) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (!node->is_dead && node->op != NULL && node->n_outputs == 1 &&
            graph->values[node->outputs[0]]->n_uses > 0 &&
            graph->values[node->outputs[0]]->dtype == TF_FLOAT &&
            !oribi_pass_is_off(node, ORIBI_PASS_FUSE)) {
            ORIBI_TRY(oribi_patience_left(status));
            ORIBI_TRY(fuse_node(t, graph, node, options, report, status));
        }
    }
    oribi_graph_remove_dead(graph);
    return oribi_graph_sort(graph, status);
}

bool oribi_pass_fuse_formulas(oribi_graph *graph, const oribi_pass_options *options,
                              oribi_pass_report *report, TF_Status *status)
{
    oribi_fusion_table t = {.of_formulas = true};
    if (options != NULL && options->plain_activations) {
        return true;
    }
    const bool ok = oribi_fusion_table_make(&t, status) &&
                    (t.n == 0 || fuse_all(&t, graph, options, report, status));
    oribi_free(t.rows);
    return ok;
}
