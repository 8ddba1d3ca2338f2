/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>TreeEnsemble: each row of x goes down each tree, and what its leaves weigh is joined.
 * nodes[i] = {feature, true, false, first member}; a child of -1 - l is leaf l. modes: ONNX's, and
 * 128 where what is no number goes the true way.
 * Source   ai.onnx.ml's TreeEnsemble (version 5).
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include <math.h>

enum { X, ROOTS, NODES, MODES, SPLITS, TARGETS, WEIGHTS, MEMBERS, N_INPUTS };
enum { AVERAGE, SUM, MIN, MAX };
enum { LEQ, LT, GTE, GT, EQ, NEQ, MEMBER, MISSING_IS_TRUE = 128 };

typedef struct tree_state {
    int64_t n_targets, aggregate;
} tree_state;

static void tree_read(oribi_kit_setup *setup, tree_state *state)
{
    oribi_kit_attr_int(setup, "n_targets", &state->n_targets);
    oribi_kit_attr_int(setup, "aggregate_function", &state->aggregate);
    if (oribi_kit_setup_is_ok(setup) && (state->aggregate < AVERAGE || state->aggregate > MAX)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "aggregate_function is not 0 to 3");
    }
}
ORIBI_KIT_CREATE(tree, tree_state)

typedef struct tree_call {
    const tree_state *s;
    const void *x, *splits, *weights, *members;
    const int64_t *roots, *nodes, *targets;
    const uint8_t *modes;
    void *y;
    int64_t features, n_roots, n_nodes, n_leaves, n_members;
    bool is_double;
} tree_call;

static double number_at(const tree_call *c, const void *data, int64_t i)
{
    return c->is_double ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* The members of a node end with one that is no number, or with the list. */
static bool is_member(const tree_call *c, int64_t first, double value)
{
    for (int64_t i = first; i >= 0 && i < c->n_members; i++) {
        const double member = number_at(c, c->members, i);
        if (isnan(member) || member == value) {
            return !isnan(member);
        }
    }
    return false;
}

static bool goes_true(const tree_call *c, int64_t node, double value)
{
    const unsigned mode = c->modes[node];
    if (isnan(value) && (mode & MISSING_IS_TRUE) != 0) {
        return true;
    }
    const double split = number_at(c, c->splits, node);
    switch (mode & 127u) {
    case LEQ:
        return value <= split;
    case LT:
        return value < split;
    case GTE:
        return value >= split;
    case GT:
        return value > split;
    case EQ:
        return value == split;
    case NEQ:
        return value != split;
    default:
        return is_member(c, oribi_kit_int_at(c->nodes, TF_INT64, 4 * node + 3), value);
    }
}

/* The leaf, or -1: the tree leads nowhere, or in a circle. */
static int64_t find_leaf(const tree_call *c, int64_t row, int64_t root)
{
    int64_t at = root;
    for (int64_t steps = 0; at >= 0 && at < c->n_nodes && steps < c->n_nodes; steps++) {
        const int64_t feature = oribi_kit_int_at(c->nodes, TF_INT64, 4 * at);
        if (feature < 0 || feature >= c->features) {
            return -1;
        }
        const double value = number_at(c, c->x, row * c->features + feature);
        at = oribi_kit_int_at(c->nodes, TF_INT64, 4 * at + (goes_true(c, at, value) ? 1 : 2));
    }
    return at < 0 && at >= -c->n_leaves ? -1 - at : -1;
}

static double joined(const tree_call *c, double old, double weight, bool is_first)
{
    switch (c->s->aggregate) {
    case MIN:
        return is_first || weight < old ? weight : old;
    case MAX:
        return is_first || weight > old ? weight : old;
    default:
        return old + weight;
    }
}

static bool score(oribi_kit_run *run, const tree_call *c, int64_t row, double *sums, bool *seen,
                  int64_t *patience)
{
    for (int64_t k = 0; k < c->s->n_targets; k++) {
        sums[k] = 0;
        seen[k] = false;
    }
    for (int64_t tree = 0; tree < c->n_roots; tree++) {
        if (oribi_kit_stops(run, patience, 20 + c->n_nodes)) {
            return false;
        }
        const int64_t leaf = find_leaf(c, row, c->roots[tree]);
        const int64_t target = leaf < 0 ? -1 : oribi_kit_int_at(c->targets, TF_INT64, leaf);
        if (target < 0 || target >= c->s->n_targets) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "tree %lld leads to no leaf with a target, or reads a feature "
                                  "that the input has not",
                                  (long long)tree);
        }
        sums[target] = joined(c, sums[target], number_at(c, c->weights, leaf), !seen[target]);
        seen[target] = true;
    }
    return true;
}

static void give_scores(const tree_call *c, int64_t row, const double *sums)
{
    for (int64_t k = 0; k < c->s->n_targets; k++) {
        const int64_t at = row * c->s->n_targets + k;
        const double y =
            c->s->aggregate == AVERAGE && c->n_roots > 0 ? sums[k] / (double)c->n_roots : sums[k];
        if (c->is_double) {
            ((double *)c->y)[at] = y;
        } else {
            ((float *)c->y)[at] = (float)y;
        }
    }
}

static bool take(oribi_kit_run *run, tree_call *c, oribi_cpu_shape *x)
{
    TF_Tensor *const *in = run->in;
    if (!oribi_cpu_input_shape(run, X, x)) {
        return false;
    }
    c->n_nodes = TF_TensorElementCount(in[NODES]) / 4;
    c->n_leaves = TF_TensorElementCount(in[TARGETS]);
    c->n_roots = TF_TensorElementCount(in[ROOTS]);
    c->n_members = TF_TensorElementCount(in[MEMBERS]);
    if (x->n != 2 || TF_TensorElementCount(in[NODES]) != 4 * c->n_nodes ||
        TF_TensorElementCount(in[MODES]) != c->n_nodes ||
        TF_TensorElementCount(in[SPLITS]) != c->n_nodes ||
        TF_TensorElementCount(in[WEIGHTS]) != c->n_leaves) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "an input [n, features], and as many numbers of each kind as there "
                              "are nodes and leaves, are wanted");
    }
    c->features = x->at[1];
    c->is_double = TF_TensorType(in[X]) == TF_DOUBLE;
    c->x = TF_TensorData(in[X]);
    c->roots = TF_TensorData(in[ROOTS]);
    c->nodes = TF_TensorData(in[NODES]);
    c->modes = TF_TensorData(in[MODES]);
    c->splits = TF_TensorData(in[SPLITS]);
    c->targets = TF_TensorData(in[TARGETS]);
    c->weights = TF_TensorData(in[WEIGHTS]);
    c->members = TF_TensorData(in[MEMBERS]);
    return true;
}

static bool tree_run(const void *state, oribi_kit_run *run)
{
    tree_call c = {.s = state};
    oribi_cpu_shape x;
    TF_Tensor *memory = NULL;
    int64_t bytes = 0, patience = 0;
    if (!take(run, &c, &x) ||
        !oribi_cpu_count(run, (const int64_t[]){c.s->n_targets, sizeof(double) + 1}, 2, &bytes)) {
        return false;
    }
    const int64_t out[2] = {x.at[0], c.s->n_targets};
    double *sums = oribi_kit_scratch(run, bytes, &memory);
    c.y = sums == NULL ? NULL : oribi_kit_output(run, 0, out, 2);
    bool good = c.y != NULL;
    const int64_t cost = 4 * c.s->n_targets;
    for (int64_t row = 0; good && row < x.at[0] && !oribi_kit_stops(run, &patience, cost); row++) {
        good = score(run, &c, row, sums, (bool *)(sums + c.s->n_targets), &patience);
        if (good) {
            give_scores(&c, row, sums);
        }
    }
    TF_DeleteTensor(memory);
    return good;
}
ORIBI_KIT_COMPUTE(tree, N_INPUTS)

const oribi_cpu_kernel oribi_cpu_tree_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>TreeEnsemble", tree, tree,
                        "a row after another, a tree after another"),
    {.op_name = NULL},
};
