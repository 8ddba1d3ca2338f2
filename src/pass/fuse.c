/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of nodes become the op that stands for them: a convolution takes the bias, the sum and the
 * activation that follow along. Which op stands for which chain is told by its definition
 * (op/fusion.h), for built-in ops in plugins/ops_core and for a vendor's own alike. Only where one
 * provider has kernels for both: a vendor's Conv2D stays a Conv2D.
 */
#include "pass/fuse_internal.h"

#include <string.h>

typedef oribi_fusion_row row;
typedef oribi_fusion_table table;

typedef enum kind { BIAS, ADDEND, VECTOR, OTHER } kind;

typedef struct link { /* of a chain that was found */
    oribi_node *node; /* NULL: it is missing, and zeros stand in */
    const char *word;
    int32_t data; /* the input that the chain goes through */
    kind kind;
    int64_t channels; /* of a bias */
} link;

typedef struct chain {
    oribi_graph *graph;
    const row *row;
    oribi_node *first, *last;
    oribi_node *turn; /* what turns planes into the first node's pixels, or NULL */
    link links[ORIBI_FUSION_WORDS];
    int32_t n_links, n_nodes; /* nodes behind the first, and the turn */
    const char *vendor;       /* who wrote kernels of what is taken along; NULL: only we */
    const char *origin;
} chain;

/* --- The table ------------------------------------------------------------------------------- */

/* Vendors' fusions come first, as their kernels do; then TensorFlow's ops, then ours. */
static int rank_of(const oribi_op_def *fused)
{
    return !fused->is_built_in ? 0 : strchr(fused->name, '>') == NULL ? 1 : 2;
}

static bool add_rows(void *arg, const oribi_op_def *op)
{
    table *t = arg;
    for (const oribi_fusion *f = op->fusions; f != NULL; f = f->next) {
        if ((f->formula != NULL) != t->of_formulas) {
            continue;
        }
        if (t->n == t->capacity) {
            const int32_t capacity = t->capacity * 2 + 16;
            row *rows = oribi_realloc_array(t->rows, (size_t)capacity, sizeof *rows);
            if (rows == NULL) {
                t->failed = true;
                return false;
            }
            t->rows = rows;
            t->capacity = capacity;
        }
        int32_t at = t->n++;
        for (; at > 0 && rank_of(t->rows[at - 1].fused) > rank_of(op); at--) {
            t->rows[at] = t->rows[at - 1];
        }
        t->rows[at] = (row){.first = oribi_op_find(f->first), .fused = op, .words = f};
    }
    return true;
}

bool oribi_fusion_table_make(oribi_fusion_table *t, TF_Status *status)
{
    oribi_op_each_present(add_rows, t); /* what stands for a chain is not in reserve */
    return !t->failed || oribi_fail_memory(status);
}

/* --- Finding chains -------------------------------------------------------------------------- */

static int64_t last_dim(const oribi_graph *graph, oribi_value_id value)
{
    const oribi_shape *shape = &graph->values[value]->shape;
    return shape->rank >= 2 ? shape->dims[shape->rank - 1] : -1;
}

const char *oribi_fusion_vendor_of(const oribi_node *node)
{
    return oribi_pass_is_foreign(node) ? node->kernel->provider : NULL;
}

bool oribi_fusion_same_device(const oribi_node *a, const oribi_node *b)
{
    return (a->device == NULL || b->device == NULL) ? a->device == b->device
                                                    : strcmp(a->device, b->device) == 0;
}

/* One vendor at most: only its own fused op may stand for its kernels. And what was asked for one
 * device does not go to another. */
static bool may_follow(const chain *c, const oribi_node *node)
{
    const char *vendor = oribi_fusion_vendor_of(node);
    return node->op != NULL && node->n_outputs == 1 && oribi_fusion_same_device(c->first, node) &&
           !oribi_pass_is_off(node, ORIBI_PASS_FUSE) &&
           (vendor == NULL || c->vendor == NULL || strcmp(vendor, c->vendor) == 0);
}

/* How many numbers along the last axis a bias of the value has; 0: it takes none. */
static int64_t channels_of(const chain *c, oribi_value_id value)
{
    const int64_t channels = last_dim(c->graph, value);
    return c->graph->values[value]->dtype == TF_FLOAT && channels > 0 &&
                   oribi_pass_attr_is(c->first, "data_format", "NHWC", "NHWC")
               ? channels
               : 0;
}

/* Does a constant have a number for each channel, or one for all? */
static bool is_bias(const chain *c, oribi_value_id value, int64_t channels, bool *out_along_last)
{
    const oribi_constant_view *view = oribi_pass_constant(c->graph, value);
    if (view == NULL || view->dtype != TF_FLOAT) {
        return false;
    }
    const int64_t count = oribi_pass_view_count(view);
    *out_along_last = view->rank > 0 && view->dims[view->rank - 1] == count && count == channels;
    return *out_along_last || count == 1;
}

static bool adds_bias(const chain *c, const oribi_node *node, link *out)
{
    const oribi_value_id value = node->inputs[out->data];
    bool along_last;
    out->channels = channels_of(c, value);
    return out->channels > 0 && node->n_inputs == 2 &&
           oribi_pass_computes(node, ORIBI_FORMULA_SUM) &&
           oribi_pass_attr_is(node, "data_format", "NHWC", "NHWC") &&
           c->graph->values[node->outputs[0]]->shape.rank == c->graph->values[value]->shape.rank &&
           is_bias(c, node->inputs[1 - out->data], out->channels, &along_last);
}

static bool adds_tensor(const chain *c, const oribi_node *node, int32_t data)
{
    if (node->n_inputs != 2 || !oribi_pass_computes(node, ORIBI_FORMULA_SUM)) {
        return false;
    }
    const oribi_value_id value = node->inputs[data], other = node->inputs[1 - data];
    return other != value && c->graph->values[other]->constant == NULL &&
           oribi_pass_same_shape(c->graph, value, other);
}

/* An activation whose second operand has a number for each channel, as PRelu's slope. */
static bool takes_vector(const chain *c, const oribi_node *node, link *out)
{
    const oribi_value_id value = node->inputs[0];
    bool along_last;
    out->channels = channels_of(c, value);
    return out->data == 0 && out->channels > 0 &&
           c->graph->values[node->outputs[0]]->shape.rank == c->graph->values[value]->shape.rank &&
           is_bias(c, node->inputs[1], out->channels, &along_last);
}

/* Activations without transcendental functions, which is what emitted layers have. */
static bool is_plain(const char *op)
{
    static const char *const plain[] = {"Relu", "Relu6", "LeakyRelu"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(op, plain[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds what the word is for this node, and its name in fused_ops; false: another op. */
static bool matches(const chain *c, const oribi_fusion_word *word, const oribi_node *node,
                    const oribi_pass_options *options, link *out)
{
    for (int32_t i = 0; i < word->n_ops; i++) {
        out->word = word->ops[i];
        out->kind = strcmp(out->word, "BiasAdd") == 0                   ? BIAS
                    : strcmp(out->word, "Add") == 0                     ? ADDEND
                    : node->n_inputs == 2 && c->row->fused->is_built_in ? VECTOR
                                                                        : OTHER;
        if (out->kind == BIAS     ? adds_bias(c, node, out)
            : out->kind == ADDEND ? adds_tensor(c, node, out->data)
            : out->kind == VECTOR
                ? oribi_pass_is(node, out->word) && takes_vector(c, node, out) &&
                      (options == NULL || !options->plain_activations)
                : oribi_pass_is(node, out->word) && (out->data == 0 || node->op->is_commutative) &&
                      (options == NULL || !options->plain_activations || is_plain(out->word))) {
            return true;
        }
    }
    return false;
}

/* The node that turns an image of a few planes into pixels which the first node alone reads. */
static oribi_node *find_turn(const chain *c)
{
    enum { MOST_PLANES = 4 }; /* as pictures have; others are turned as well before */
    static const int64_t wanted[4] = {0, 2, 3, 1};
    const oribi_value_id pixels = c->first->n_inputs > 0 ? c->first->inputs[0] : -1;
    oribi_node *node = pixels >= 0 ? oribi_graph_producer(c->graph, pixels) : NULL;
    oribi_dims order;
    return oribi_pass_has(node, ORIBI_TRAIT_PERMUTES) && may_follow(c, node) &&
                   oribi_pass_only_consumer(c->graph, pixels, NULL) == c->first &&
                   oribi_graph_constant_ints(c->graph, node->inputs[oribi_pass_traits(node).axes],
                                             &order) &&
                   order.n == 4 && memcmp(order.at, wanted, sizeof wanted) == 0 &&
                   last_dim(c->graph, pixels) >= 1 && last_dim(c->graph, pixels) <= MOST_PLANES &&
                   oribi_pass_attr_is(c->first, "data_format", "NHWC", "NHWC")
               ? node
               : NULL;
}

static void take_along(chain *c, const oribi_node *node)
{
    c->vendor = c->vendor != NULL ? c->vendor : oribi_fusion_vendor_of(node);
    c->origin = oribi_pass_join_origin(c->graph, c->origin, node);
    c->n_nodes++;
}

/* Goes along the words and takes `most` nodes; false: the row wants another chain. */
static bool find_chain(chain *c, const oribi_pass_options *options, int32_t most)
{
    c->last = c->first;
    c->vendor = oribi_fusion_vendor_of(c->first);
    c->origin = c->first->origin;
    c->n_links = c->n_nodes = 0;
    c->turn = NULL;
    if (c->row->words->of_planes) {
        c->turn = options == NULL || !options->plain_activations ? find_turn(c) : NULL;
        if (c->turn == NULL) {
            return false; /* or emitted layers, which read pixels */
        }
        take_along(c, c->turn);
    }
    for (int32_t i = 0; i < c->row->words->n_words; i++) {
        const oribi_fusion_word *word = &c->row->words->words[i];
        link *l = &c->links[c->n_links];
        *l = (link){.node = NULL};
        oribi_node *node = c->n_nodes < most
                               ? oribi_pass_only_consumer(c->graph, c->last->outputs[0], &l->data)
                               : NULL;
        if (node != NULL && may_follow(c, node) && matches(c, word, node, options, l)) {
            l->node = node;
            take_along(c, node);
            c->last = node;
            c->n_links++;
        } else if (word->or_zeros && channels_of(c, c->last->outputs[0]) > 0) {
            *l = (link){.word = word->ops[0],
                        .kind = BIAS,
                        .channels = channels_of(c, c->last->outputs[0])};
            c->n_links++;
        } else if (!word->may_miss) {
            return false;
        }
    }
    return c->n_nodes > 0;
}

/* --- Making the fused node ------------------------------------------------------------------- */

static oribi_value_id bias_vector(const chain *c, const link *l, TF_Status *status)
{
    static const float zero = 0.0F;
    int64_t stride = 0;
    if (l->node == NULL) {
        const oribi_constant_view view = {
            .dtype = TF_FLOAT, .rank = 1, .dims = &l->channels, .strides = &stride, .data = &zero};
        return oribi_graph_add_constant(c->graph, "no_bias", &view, NULL, status);
    }
    const oribi_value_id value = l->node->inputs[1 - l->data];
    const oribi_constant_view *view = oribi_pass_constant(c->graph, value);
    bool along_last = false;
    oribi_dims strides;
    if (!is_bias(c, value, l->channels, &along_last) || !oribi_pass_view_strides(view, &strides)) {
        return -1;
    }
    if (along_last && view->rank == 1) {
        return value;
    }
    stride = along_last ? strides.at[view->rank - 1] : 0;
    return oribi_pass_add_view(c->graph, c->graph->values[value]->name, value, &l->channels,
                               &stride, 1, status);
}

/* Lists what the first node reads, then what each link reads besides. -1: no memory, or it cannot
 * be. */
static int32_t gather_inputs(const chain *c, oribi_value_id **out_inputs, TF_Status *status)
{
    size_t most = (size_t)c->first->n_inputs;
    for (int32_t i = 0; i < c->n_links; i++) {
        most += c->links[i].node != NULL ? (size_t)c->links[i].node->n_inputs : 1;
    }
    oribi_value_id *inputs = oribi_arena_array(&c->graph->arena, most, sizeof *inputs);
    int32_t n = 0;
    if (inputs == NULL) {
        oribi_fail_memory(status);
        return -1;
    }
    for (int32_t i = 0; i < c->first->n_inputs; i++) {
        inputs[n++] = i == 0 && c->turn != NULL ? c->turn->inputs[oribi_pass_traits(c->turn).data]
                                                : c->first->inputs[i];
    }
    for (int32_t i = 0; i < c->n_links; i++) {
        const link *l = &c->links[i];
        if (l->kind == BIAS || l->kind == VECTOR) {
            inputs[n++] = bias_vector(c, l, status);
            if (inputs[n - 1] < 0) {
                return -1;
            }
            continue;
        }
        for (int32_t k = 0; k < l->node->n_inputs; k++) {
            if (k != l->data) {
                inputs[n++] = l->node->inputs[k];
            }
        }
    }
    *out_inputs = inputs;
    return n;
}

/* "leakyrelu_alpha" of LeakyRelu's alpha, as TensorFlow names it. */
static const char *fused_name(const chain *c, const oribi_node *node, const char *attr)
{
    const char *op = strrchr(node->op_name, '>');
    char *name =
        oribi_arena_printf(&c->graph->arena, "%s_%s", op != NULL ? op + 1 : node->op_name, attr);
    for (char *at = name; at != NULL && at < name + strlen(name) - strlen(attr); at++) {
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
    }
    return name;
}

/* Attributes that the fused op has too; false when one that says something would be lost. */
static bool copy_attrs(const chain *c, const oribi_node *from, oribi_node *node)
{
    for (int32_t i = 0; i < from->attrs.count; i++) {
        oribi_attr attr = from->attrs.items[i];
        const oribi_attr_def *def = oribi_op_find_attr(from->op, attr.name);
        if (from != c->first && oribi_pass_is_told_by_inputs(from->op, attr.name)) {
            continue;
        }
        attr.name = from == c->first ? attr.name : fused_name(c, from, attr.name);
        if (attr.name == NULL) {
            return false;
        }
        if (oribi_op_find_attr(c->row->fused, attr.name) != NULL) {
            ORIBI_TRY(oribi_attrs_set(&node->attrs, &c->graph->arena, &attr));
        } else if (def == NULL || def->default_value == NULL ||
                   !oribi_attr_equal(def->default_value, &attr)) {
            return false;
        }
    }
    return true;
}

/* Tells the fused op what it stands for, in the attributes that TensorFlow's own have for it. */
static bool set_words(const chain *c, oribi_node *node, const oribi_value_id *args, int32_t n_args)
{
    const char *words[ORIBI_FUSION_WORDS];
    const oribi_op_def *fused = c->row->fused;
    oribi_arena *arena = &c->graph->arena;
    TF_DataType *types = oribi_arena_array(arena, (size_t)n_args + 1, sizeof *types);
    for (int32_t i = 0; i < c->n_links; i++) {
        words[i] = c->links[i].word;
    }
    for (int32_t i = 0; types != NULL && i < n_args; i++) {
        types[i] = c->graph->values[args[i]]->dtype;
    }
    return types != NULL &&
           (oribi_op_find_attr(fused, "fused_ops") == NULL ||
            oribi_attrs_set_strings(&node->attrs, arena, "fused_ops", words, c->n_links)) &&
           (c->n_links == 0 || oribi_op_find_attr(fused, "activation_mode") == NULL ||
            oribi_attrs_set_string(&node->attrs, arena, "activation_mode",
                                   words[c->n_links - 1])) &&
           (oribi_op_find_attr(fused, "num_args") == NULL ||
            oribi_attrs_set_int(&node->attrs, arena, "num_args", n_args)) &&
           (oribi_op_find_attr(fused, "TArgs") == NULL ||
            oribi_attrs_set_types(&node->attrs, arena, "TArgs", types, n_args));
}

static bool set_attrs(const chain *c, oribi_node *node)
{
    bool ok = copy_attrs(c, c->first, node);
    for (int32_t i = 0; i < c->n_links && ok; i++) {
        ok = (c->links[i].kind != OTHER && c->links[i].kind != VECTOR) ||
             copy_attrs(c, c->links[i].node, node);
    }
    return ok && set_words(c, node, node->inputs + c->first->n_inputs,
                           node->n_inputs - c->first->n_inputs);
}

static void keep_constant(void *arg, int32_t input)
{
    (void)arg;
    (void)input;
}

/* A vendor's fused kernel may know fewer words than TensorFlow has: it is asked by making it once,
 * without giving any constant back. Ours know them all. */
bool oribi_fusion_can_create(oribi_graph *graph, const oribi_node *node, TF_Status *status)
{
    oribi_node_view view;
    oribi_kernel kernel;
    if (!oribi_pass_is_foreign(node)) {
        return true;
    }
    ORIBI_TRY(oribi_graph_node_view(graph, node, &view, status));
    view.release_constant = keep_constant;
    ORIBI_TRY(oribi_kernel_create(node->kernel, &view, &kernel, status));
    oribi_kernel_destroy(&kernel);
    return true;
}

static bool makes_the_same(const chain *c, const oribi_node *node)
{
    const oribi_value *a = c->graph->values[node->outputs[0]];
    const oribi_value *b = c->graph->values[c->last->outputs[0]];
    return a->dtype == b->dtype &&
           (!oribi_shape_is_full(&a->shape) || !oribi_shape_is_full(&b->shape) ||
            oribi_pass_same_shape(c->graph, node->outputs[0], c->last->outputs[0]));
}

/* The fused node, or NULL when its op cannot say what the chain says, or nobody has a kernel. */
static oribi_node *make(const chain *c, const oribi_pass_options *options, TF_Status *status)
{
    const oribi_op_def *fused = c->row->fused;
    oribi_value_id *inputs = NULL;
    const int32_t n_inputs = gather_inputs(c, &inputs, status);
    oribi_node *node = n_inputs < 0
                           ? NULL
                           : oribi_graph_add_node(c->graph, fused->name, c->first->name, inputs,
                                                  n_inputs, fused->n_outputs, status);
    if (node == NULL) {
        return NULL;
    }
    node->device = c->first->device;
    node->origin = c->origin;
    if (set_attrs(c, node) && oribi_graph_resolve(c->graph, node, status) &&
        makes_the_same(c, node)) {
        node->kernel = oribi_pass_select(c->graph, node, options, status);
        const bool is_theirs =
            node->kernel != NULL &&
            (c->vendor == NULL || strcmp(node->kernel->provider, c->vendor) == 0);
        if (is_theirs && oribi_fusion_can_create(c->graph, node, status)) {
            return node;
        }
    }
    oribi_graph_remove_node(c->graph, node);
    TF_SetStatus(status, TF_OK, "");
    return NULL;
}

/* --- The pass -------------------------------------------------------------------------------- */

static void replace(const chain *c, const oribi_node *node, oribi_pass_report *report)
{
    oribi_text words = {0};
    if (c->turn != NULL) {
        oribi_text_printf(&words, "planes%s", c->n_links > 0 ? ", " : "");
    }
    for (int32_t i = 0; i < c->n_links; i++) {
        oribi_text_printf(&words, "%s%s", i > 0 ? ", " : "", c->links[i].word);
    }
    oribi_pass_note(c->graph, report, "fuse", "%s '%s' takes along %s, up to '%s'",
                    c->first->op_name, c->first->name, oribi_text_string(&words), c->last->name);
    oribi_text_destroy(&words);
    oribi_pass_take_over(c->graph, c->last->outputs[0], node->outputs[0]);
    oribi_pass_drop(c->graph, c->last);
}

/* Emitted layers have one matrix of weights, constant, and read their input as it lies. */
static bool is_bare_product(const oribi_graph *graph, const oribi_node *node)
{
    const oribi_layer layer = oribi_pass_layer(node);
    return layer == ORIBI_LAYER_PRODUCTS ||
           (layer == ORIBI_LAYER_DENSE && (graph->values[node->inputs[1]]->constant == NULL ||
                                           oribi_pass_attr_bool(node, "transpose_a", false)));
}

/* The longest chain that some op stands for and has a kernel. */
static bool fuse_node(const table *t, oribi_graph *graph, oribi_node *first,
                      const oribi_pass_options *options, oribi_pass_report *report,
                      TF_Status *status)
{
    chain c = {.graph = graph, .first = first};
    int32_t longest = 0;
    if (options != NULL && options->plain_activations && is_bare_product(graph, first)) {
        return true;
    }
    for (int32_t i = 0; i < t->n; i++) {
        c.row = &t->rows[i];
        if (c.row->first == first->op && find_chain(&c, options, ORIBI_FUSION_WORDS)) {
            longest = c.n_nodes > longest ? c.n_nodes : longest;
        }
    }
    for (int32_t most = longest; most > 0; most--) {
        for (int32_t i = 0; i < t->n; i++) {
            c.row = &t->rows[i];
            if (c.row->first != first->op || !find_chain(&c, options, most) || c.n_nodes != most) {
                continue;
            }
            const oribi_node *node = make(&c, options, status);
            ORIBI_TRY(oribi_ok(status));
            if (node != NULL) {
                replace(&c, node, report);
                return true;
            }
        }
    }
    return true;
}

static bool fuse_all(const table *t, oribi_graph *graph, const oribi_pass_options *options,
                     oribi_pass_report *report, TF_Status *status)
{
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (!node->is_dead && node->op != NULL && node->n_outputs > 0 &&
            graph->values[node->outputs[0]]->n_uses > 0 &&
            !oribi_pass_is_off(node, ORIBI_PASS_FUSE)) {
            ORIBI_TRY(oribi_patience_left(status));
            ORIBI_TRY(fuse_node(t, graph, node, options, report, status));
        }
    }
    oribi_graph_remove_dead(graph);
    return oribi_graph_sort(graph, status);
}

bool oribi_pass_fuse(oribi_graph *graph, const oribi_pass_options *options,
                     oribi_pass_report *report, TF_Status *status)
{
    table t = {.rows = NULL};
    if (options != NULL && (options->disabled & ORIBI_PASS_FUSE) != 0) {
        return true;
    }
    const bool ok = oribi_pass_fuse_pads(graph, report, status) &&
                    oribi_pass_fuse_attention(graph, options, report, status) &&
                    oribi_pass_fuse_formulas(graph, options, report, status) &&
                    oribi_fusion_table_make(&t, status) &&
                    fuse_all(&t, graph, options, report, status);
    oribi_free(t.rows);
    return ok;
}
