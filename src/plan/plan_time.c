/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner: where each buffer lies when there are too many conflicts to store. One pass over
 * time: each buffer takes the lowest gap between those that live when it begins. Aliases are
 * ignored. Not here: orders and the search (plan_place.c, plan_search.c). Read first:
 * planner_internal.h.
 *
 * The live buffers of a pool are a tree in order of offset (AVL), each with the gap below it. A
 * subtree knows its widest gap, so the lowest gap that is wide enough is found from the root down,
 * and a plan of n buffers takes n log n steps. What a gap holds depends on where it begins, so
 * there is a width for each alignment of the problem.
 */
#include "plan/planner_internal.h"
#include "tensor/patience.h"
#include "tensor/status.h"

enum { NIL = 0, MAX_ALIGNMENTS = 64, BETWEEN_LOOKS = 256 /* at the clock */ };

typedef struct time_node { /* of a live buffer, or the end of a pool */
    uint64_t gap;          /* where the gap below it begins */
    uint64_t offset;       /* where the gap ends and the buffer begins */
    int32_t left, right;
    int32_t height;
} time_node;

typedef struct time_tree {
    plan_problem *problem;
    plan_layout *layout;
    time_node *nodes; /* [0] is NIL, [1 + i] is buffer i's, the last ones are the pools' ends */
    uint64_t *widest; /* by node, then by alignment: of its subtree */
    uint64_t alignments[MAX_ALIGNMENTS];
    uint8_t class_of[MAX_ALIGNMENTS]; /* by power of two */
    int32_t n_classes;
    int32_t roots[PLAN_MAX_POOLS];
} time_tree;

static uint64_t *widest(const time_tree *tree, int32_t node)
{
    return tree->widest + (size_t)node * (size_t)tree->n_classes;
}

static uint64_t width(const time_tree *tree, int32_t node, int32_t class)
{
    const uint64_t begin = oribi__plan_round_up(tree->nodes[node].gap, tree->alignments[class]);
    const uint64_t end = tree->nodes[node].offset;
    return end > begin ? end - begin : 0;
}

/* Works out what a node knows of its subtree, from its children. */
static void update(time_tree *tree, int32_t node)
{
    time_node *own = &tree->nodes[node];
    const int32_t left = tree->nodes[own->left].height;
    const int32_t right = tree->nodes[own->right].height;
    own->height = 1 + (left > right ? left : right);
    for (int32_t c = 0; c < tree->n_classes; c++) {
        const uint64_t below = widest(tree, own->left)[c];
        const uint64_t above = widest(tree, own->right)[c];
        const uint64_t here = width(tree, node, c);
        const uint64_t most = below > above ? below : above;
        widest(tree, node)[c] = here > most ? here : most;
    }
    tree->problem->work++;
}

static int32_t rotate_left(time_tree *tree, int32_t node)
{
    const int32_t top = tree->nodes[node].right;
    tree->nodes[node].right = tree->nodes[top].left;
    tree->nodes[top].left = node;
    update(tree, node);
    update(tree, top);
    return top;
}

static int32_t rotate_right(time_tree *tree, int32_t node)
{
    const int32_t top = tree->nodes[node].left;
    tree->nodes[node].left = tree->nodes[top].right;
    tree->nodes[top].right = node;
    update(tree, node);
    update(tree, top);
    return top;
}

/* Height of the left side less that of the right side. */
static int32_t lean(const time_tree *tree, int32_t node)
{
    const time_node *own = &tree->nodes[node];
    return tree->nodes[own->left].height - tree->nodes[own->right].height;
}

static int32_t balance(time_tree *tree, int32_t node)
{
    time_node *own = &tree->nodes[node];
    if (lean(tree, node) > 1) {
        own->left = lean(tree, own->left) < 0 ? rotate_left(tree, own->left) : own->left;
        return rotate_right(tree, node);
    }
    if (lean(tree, node) < -1) {
        own->right = lean(tree, own->right) > 0 ? rotate_right(tree, own->right) : own->right;
        return rotate_left(tree, node);
    }
    update(tree, node);
    return node;
}

/* These four go down one path and come back on it; a tree of 2^31 nodes is 45 levels deep. */
static int32_t insert(time_tree *tree, int32_t root, int32_t node)
{
    if (root == NIL) {
        update(tree, node);
        return node;
    }
    time_node *own = &tree->nodes[root];
    if (tree->nodes[node].offset < own->offset) {
        own->left = insert(tree, own->left, node);
    } else {
        own->right = insert(tree, own->right, node);
    }
    return balance(tree, root);
}

static int32_t take_lowest(time_tree *tree, int32_t root, int32_t *out_lowest)
{
    if (tree->nodes[root].left == NIL) {
        *out_lowest = root;
        return tree->nodes[root].right;
    }
    tree->nodes[root].left = take_lowest(tree, tree->nodes[root].left, out_lowest);
    return balance(tree, root);
}

static int32_t take(time_tree *tree, int32_t root, int32_t node)
{
    time_node *own = &tree->nodes[root];
    if (root != node) {
        if (tree->nodes[node].offset < own->offset) {
            own->left = take(tree, own->left, node);
        } else {
            own->right = take(tree, own->right, node);
        }
        return balance(tree, root);
    }
    if (own->right == NIL) {
        return own->left;
    }
    int32_t lowest = NIL;
    const int32_t right = take_lowest(tree, own->right, &lowest);
    tree->nodes[lowest].right = right;
    tree->nodes[lowest].left = own->left;
    return balance(tree, lowest);
}

/* The gap below a node has another beginning. */
static void move_gap(time_tree *tree, int32_t root, int32_t node, uint64_t gap)
{
    if (root == node) {
        tree->nodes[node].gap = gap;
    } else if (tree->nodes[node].offset < tree->nodes[root].offset) {
        move_gap(tree, tree->nodes[root].left, node, gap);
    } else {
        move_gap(tree, tree->nodes[root].right, node, gap);
    }
    update(tree, root);
}

/* The one above it: there always is one, the end of the pool. */
static int32_t next_above(time_tree *tree, int32_t root, int32_t node)
{
    int32_t next = NIL;
    while (root != NIL) {
        const bool is_above = tree->nodes[root].offset > tree->nodes[node].offset;
        next = is_above ? root : next;
        root = is_above ? tree->nodes[root].left : tree->nodes[root].right;
        tree->problem->work++;
    }
    return next;
}

/* The node above the lowest gap that is wide enough: at most the last one, which has no end. */
static int32_t find_gap(time_tree *tree, int32_t root, int32_t class, uint64_t bytes)
{
    for (;;) {
        const time_node *own = &tree->nodes[root];
        tree->problem->work++;
        if (widest(tree, own->left)[class] >= bytes) {
            root = own->left;
        } else if (width(tree, root, class) >= bytes) {
            return root;
        } else {
            root = own->right;
        }
    }
}

static bool tree_init(time_tree *tree)
{
    plan_problem *problem = tree->problem;
    uint64_t seen = 0;
    for (int32_t i = 0; i < problem->n; i++) {
        seen |= problem->buffers[i].alignment;
    }
    for (int32_t k = 0; k < MAX_ALIGNMENTS; k++) {
        if (seen >> k & 1) {
            tree->class_of[k] = (uint8_t)tree->n_classes;
            tree->alignments[tree->n_classes++] = UINT64_C(1) << k;
        }
    }
    const size_t n = (size_t)problem->n + (size_t)problem->n_pools + 1;
    tree->nodes = oribi_arena_array(&problem->arena, n, sizeof *tree->nodes);
    tree->widest =
        oribi_arena_array(&problem->arena, n * (size_t)(tree->n_classes + 1), sizeof *tree->widest);
    if (tree->nodes == NULL || tree->widest == NULL) {
        return false;
    }
    for (int32_t p = 0; p < problem->n_pools; p++) {
        const int32_t end = problem->n + 1 + p;
        tree->nodes[end].offset = UINT64_MAX;
        tree->roots[p] = insert(tree, NIL, end);
    }
    return true;
}

/* The first allowed pool in which j fits below the limit; else the one with the smallest overflow.
 */
static void place_one(time_tree *tree, int32_t j)
{
    const plan_problem *problem = tree->problem;
    const oribi_plan_buffer *buffer = &problem->buffers[j];
    const int32_t class = tree->class_of[__builtin_ctzll(buffer->alignment)];
    int32_t pool = __builtin_ctz(buffer->allowed_pools);
    int32_t above = NIL;
    uint64_t least_over = UINT64_MAX;
    uint64_t offset = 0;
    for (int32_t p = pool; buffer->bytes && p < problem->n_pools && least_over; p++) {
        if (buffer->allowed_pools >> p & 1) {
            const int32_t here = find_gap(tree, tree->roots[p], class, buffer->bytes);
            const uint64_t at =
                oribi__plan_round_up(tree->nodes[here].gap, tree->alignments[class]);
            const uint64_t limit = problem->pools[p].max_bytes;
            const uint64_t end = at + buffer->bytes;
            const uint64_t over = limit && end > limit ? end - limit : 0;
            if (over < least_over) {
                least_over = over;
                offset = at;
                above = here;
                pool = p;
            }
        }
    }
    oribi__plan_put(problem, tree->layout, j, pool, offset);
    if (buffer->bytes) {
        const uint64_t gap = tree->nodes[above].gap;
        move_gap(tree, tree->roots[pool], above, offset + buffer->bytes);
        tree->nodes[j + 1] = (time_node){.gap = gap, .offset = offset};
        tree->roots[pool] = insert(tree, tree->roots[pool], j + 1);
    }
}

/* Its bytes join the gap above it. */
static void remove_one(time_tree *tree, int32_t j)
{
    if (tree->problem->buffers[j].bytes) {
        int32_t *root = &tree->roots[tree->layout->pool[j]];
        move_gap(tree, *root, next_above(tree, *root, j + 1), tree->nodes[j + 1].gap);
        *root = take(tree, *root, j + 1);
    }
}

bool oribi__plan_place_by_time(plan_problem *problem, plan_layout *layout, TF_Status *status)
{
    time_tree tree = {.problem = problem, .layout = layout};
    const int32_t *by_end = problem->by_last_use;
    ORIBI_TRY(tree_init(&tree) || oribi_fail_memory(status));
    oribi__plan_layout_clear(problem, layout);
    int32_t ended = 0;
    for (int32_t k = 0; k < problem->n; k++) {
        const int32_t j = problem->by_first_use[k];
        ORIBI_TRY(k % BETWEEN_LOOKS != 0 || oribi_patience_left(status));
        while (problem->buffers[by_end[ended]].last_use < problem->buffers[j].first_use) {
            remove_one(&tree, by_end[ended++]);
        }
        place_one(&tree, j);
    }
    return true;
}
