/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow at import: what shapes of branches and iterations have in common, and whether a
 * condition is known before anything runs. One of shapes is, where those are known: it chooses
 * between branches at import.
 */
#include <string.h>

#include "import/emit.h"
#include "op/traits.h"

enum { MAX_DEPTH = 16, MAX_STEPS = 64 };

typedef struct walk {
    const oribi_graph *graph;
    int32_t steps_left; /* bounds the work on graphs that fan out */
} walk;

static bool truth(walk *w, oribi_value_id id, int32_t depth, bool *out);

static bool compare(const walk *w, const oribi_node *node, bool *out)
{
    static const struct {
        const char *op;
        bool less, equal, greater;
    } rows[] = {{"Equal", false, true, false},   {"NotEqual", true, false, true},
                {"Less", true, false, false},    {"LessEqual", true, true, false},
                {"Greater", false, false, true}, {"GreaterEqual", false, true, true}};
    int64_t a = 0, b = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(node->op_name, rows[i].op) == 0) {
            const bool known = oribi_graph_known_exactly(w->graph, node->inputs[0], &a, 1) &&
                               oribi_graph_known_exactly(w->graph, node->inputs[1], &b, 1);
            *out = a < b ? rows[i].less : a > b ? rows[i].greater : rows[i].equal;
            return known;
        }
    }
    return false;
}

/* One of two decides alone where it can. */
static bool connect(walk *w, const oribi_node *node, bool decides, int32_t depth, bool *out)
{
    bool a = false, b = false;
    const bool knows_a = truth(w, node->inputs[0], depth, &a);
    const bool knows_b = truth(w, node->inputs[1], depth, &b);
    const bool decided = (knows_a && a == decides) || (knows_b && b == decides);
    *out = decided ? decides : !decides;
    return decided || (knows_a && knows_b);
}

static bool truth_of_cast(walk *w, const oribi_node *node, int32_t depth, bool *out)
{
    int64_t number = 0;
    if (w->graph->values[node->inputs[0]]->dtype == TF_BOOL) {
        return truth(w, node->inputs[0], depth, out);
    }
    const bool known = oribi_graph_known_exactly(w->graph, node->inputs[0], &number, 1);
    *out = number != 0;
    return known;
}

static bool truth_of_node(walk *w, const oribi_node *node, int32_t depth, bool *out)
{
    oribi_traits t;
    oribi_op_traits(node->op, &node->attrs, &node->signature, &t);
    if ((t.is & ORIBI_TRAIT_VIEW) != 0) {
        return truth(w, node->inputs[t.data], depth, out);
    }
    if (strcmp(node->op_name, "LogicalNot") == 0) {
        const bool known = truth(w, node->inputs[0], depth, out);
        *out = !*out;
        return known;
    }
    if (strcmp(node->op_name, "LogicalAnd") == 0 || strcmp(node->op_name, "LogicalOr") == 0) {
        return connect(w, node, strcmp(node->op_name, "LogicalOr") == 0, depth, out);
    }
    return strcmp(node->op_name, "Cast") == 0 ? truth_of_cast(w, node, depth, out)
                                              : node->n_inputs == 2 && compare(w, node, out);
}

static bool truth(walk *w, oribi_value_id id, int32_t depth, bool *out)
{
    const oribi_value *value = id < 0 ? NULL : w->graph->values[id];
    if (value == NULL || depth == 0 || w->steps_left-- <= 0 || value->dtype != TF_BOOL) {
        return false;
    }
    if (value->constant != NULL) {
        const oribi_constant_view *view = &value->constant->view;
        bool is_one = true;
        for (int32_t k = 0; k < view->rank; k++) {
            is_one = is_one && view->dims[k] == 1;
        }
        *out = is_one && *(const uint8_t *)view->data != 0;
        return is_one;
    }
    const oribi_node *node = oribi_graph_producer(w->graph, id);
    return node != NULL && node->n_inputs > 0 && node->op != NULL &&
           truth_of_node(w, node, depth - 1, out);
}

bool oribi_import_truth(const oribi_graph *graph, oribi_value_id value, bool *out)
{
    walk w = {graph, MAX_STEPS};
    bool found = false;
    if (!truth(&w, value, MAX_DEPTH, &found)) {
        return false;
    }
    *out = found;
    return true;
}

bool oribi_import_join_shape(oribi_arena *arena, const oribi_shape *a, const oribi_shape *b,
                             oribi_shape *out)
{
    const bool same_rank = a->rank >= 0 && a->rank == b->rank;
    oribi_shape joined = {.rank = -1};
    if (!oribi_shape_copy(arena, a->dims, same_rank ? a->rank : -1, &joined)) {
        return false;
    }
    for (int32_t i = 0; i < joined.rank; i++) {
        joined.dims[i] = a->dims[i] == b->dims[i] ? a->dims[i] : -1;
    }
    *out = joined;
    return true;
}
