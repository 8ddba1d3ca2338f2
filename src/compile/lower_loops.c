/* SPDX-License-Identifier: Apache-2.0 */
/* Loops in emitted C: the operators of the body stand among all others, once. Before them one gives
 * what is carried its first values, behind them one gives it the next ones; that one's outputs are
 * the first one's, the same bytes (../compile/plan/loops.c), and after it what is emitted goes back
 * to the body while there are iterations. `goes_on` is the guard of the body, so a loop of no
 * iteration runs nothing and is what it began as; inside a branch that is not taken it is such a
 * loop.
 */
#include "compile/lower_control.h"

#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/move/loop_begin.h"
#include "micro/move/loop_next.h"
#include "tensor/status.h"

enum { BEFORE = 2 }; /* trips and condition, iteration and condition: in front of what is carried */

typedef struct loop {
    const oribi_inlining *l;
    oribi_node *node;
    oribi_body *body;
    int32_t n_carried, n_outputs;
    const oribi_value_id *begin; /* the values of the first node */
} loop;

/* --- Shapes ---------------------------------------------------------------------------------- */

static bool refuse(const loop *o, oribi_value_id value, const char *why)
{
    oribi_text text = {0};
    oribi_shape_print(&o->l->graph->values[value]->shape, &text);
    oribi_fail(o->l->status, TF_UNIMPLEMENTED,
               "node '%s' (%s): '%s' %s %s; compiled models need fixed shapes", o->node->name,
               o->node->op_name, o->l->graph->values[value]->name, oribi_text_string(&text), why);
    oribi_text_destroy(&text);
    return false;
}

/* What is carried must stay as it begins, what is collected have a known number of elements. */
static bool check_shapes(const loop *o)
{
    const oribi_graph *outer = o->l->graph, *inner = o->body->graph;
    for (int32_t i = 0; i < o->n_carried; i++) {
        const oribi_shape *first = &outer->values[o->node->inputs[BEFORE + i]]->shape;
        const oribi_shape *formal = &inner->values[inner->inputs[BEFORE + i]]->shape;
        const oribi_shape *next = &inner->values[inner->outputs[1 + i]]->shape;
        if (!oribi_shape_is_full(first) || !oribi_shape_equal(first, formal) ||
            !oribi_shape_equal(first, next)) {
            return refuse(o, o->node->inputs[BEFORE + i],
                          "is carried, and has another shape after an iteration, or none that is "
                          "known");
        }
    }
    for (int32_t i = o->n_carried; i < o->n_outputs; i++) {
        if (!oribi_shape_is_full(&outer->values[o->node->outputs[i]]->shape)) {
            return refuse(o, o->node->outputs[i],
                          "collects an element in each iteration, and how many there are, or of "
                          "what shape, is not known before a run");
        }
    }
    return true;
}

/* --- Nodes ----------------------------------------------------------------------------------- */

static bool give_shape(const loop *o, oribi_value_id value, const oribi_shape *shape)
{
    return oribi_shape_copy(&o->l->graph->arena, shape->dims, shape->rank,
                            &o->l->graph->values[value]->shape) ||
           oribi_fail_memory(o->l->status);
}

/* One of the two nodes, with the types of the loop and its shapes. */
static oribi_node *add(const loop *o, const char *op, const oribi_value_id *inputs, int32_t n)
{
    static const oribi_shape scalar = {0, NULL};
    const bool captures = strcmp(op, "Oribi>LoopBegin") == 0;
    oribi_graph *graph = o->l->graph;
    oribi_node *node = oribi_graph_add_node(graph, op, o->node->name, inputs, n,
                                            BEFORE + o->n_outputs, o->l->status);
    if (node == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i < o->node->attrs.count; i++) {
        const oribi_attr *types = &o->node->attrs.items[i];
        const bool is_taken = captures || strcmp(types->name, "Tcaptured") != 0;
        if (is_taken && !oribi_attrs_set(&node->attrs, &graph->arena, types)) {
            oribi_fail_memory(o->l->status);
            return NULL;
        }
    }
    node->origin = o->node->origin;
    bool ok = oribi_graph_resolve(graph, node, o->l->status);
    for (int32_t i = 0; ok && i < BEFORE + o->n_outputs; i++) {
        const oribi_value_id like = i < BEFORE                  ? -1
                                    : i < BEFORE + o->n_carried ? o->node->inputs[i]
                                                                : o->node->outputs[i - BEFORE];
        ok = give_shape(o, node->outputs[i], like < 0 ? &scalar : &graph->values[like]->shape);
    }
    return ok ? node : NULL;
}

/* The loop begins if its branch is taken. It waits for all that the body reads. */
static bool add_begin(loop *o)
{
    const oribi_node *node = o->node;
    oribi_value_id *inputs = oribi_inline_values(o->l, node->n_inputs);
    if (inputs == NULL) {
        return false;
    }
    memcpy(inputs, node->inputs, (size_t)node->n_inputs * sizeof *inputs);
    if (node->guard > 0) {
        const oribi_value_id both[2] = {node->guard - 1, inputs[1]};
        inputs[1] = oribi_inline_add(o->l, node, "LogicalAnd", both, 2);
        ORIBI_TRY(inputs[1] >= 0);
    }
    const oribi_node *begin = add(o, "Oribi>LoopBegin", inputs, node->n_inputs);
    o->begin = begin != NULL ? begin->outputs : NULL;
    return begin != NULL;
}

/* What is carried, if the value is the same bytes under another shape; -1: it is not. */
static int32_t carried_as(const loop *o, oribi_value_id value)
{
    value = oribi_pass_viewed(o->l->graph, value);
    for (int32_t i = 0; i < o->n_carried; i++) {
        if (o->begin[BEFORE + i] == value) {
            return i;
        }
    }
    return -1;
}

/* Values that change places are copied first: each is written over when its turn comes. */
static oribi_value_id settle_next(const loop *o, int32_t index, oribi_value_id next)
{
    const int32_t from = carried_as(o, next);
    if (from < 0 || from == index) {
        return next;
    }
    const oribi_value_id copy = oribi_inline_add(o->l, o->node, "Pack", &next, 1);
    if (copy >= 0) {
        oribi_graph_producer(o->l->graph, copy)->guard = o->begin[1] + 1;
    }
    return copy;
}

static bool add_next(const loop *o, const oribi_value_id *results)
{
    const int32_t n = BEFORE + o->n_outputs;
    oribi_value_id *inputs = oribi_inline_values(o->l, n);
    if (inputs == NULL) {
        return false;
    }
    inputs[0] = o->node->inputs[0];
    inputs[1] = results[0];
    for (int32_t i = 0; i < o->n_outputs; i++) {
        inputs[BEFORE + i] = i < o->n_carried ? settle_next(o, i, results[1 + i]) : results[1 + i];
        ORIBI_TRY(inputs[BEFORE + i] >= 0);
    }
    oribi_node *next = add(o, "Oribi>LoopNext", inputs, n);
    if (next == NULL) {
        return false;
    }
    next->guard = o->begin[1] + 1;
    for (int32_t i = 0; i < o->n_outputs; i++) {
        oribi_graph_replace_uses(o->l->graph, o->node->outputs[i], next->outputs[BEFORE + i]);
    }
    return true;
}

bool oribi_compile_lower_loop(const oribi_inlining *l, oribi_node *node)
{
    loop o = {.l = l, .node = node, .body = &node->bodies[0], .n_outputs = node->n_outputs};
    o.n_carried = o.body->n_formals - BEFORE;
    ORIBI_TRY(oribi_inline_prepare(l, node, o.body) && check_shapes(&o) && add_begin(&o));
    oribi_value_id *results = oribi_inline_values(l, o.body->graph->n_outputs);
    return results != NULL &&
           oribi_graph_splice(l->graph, node, o.body, o.begin, o.begin[1], results, l->status) &&
           add_next(&o, results);
}

/* --- The two ends as calls ------------------------------------------------------------------- */

/* The inputs behind trips and condition, and the bytes of each. */
static int32_t *measure(oribi_lowering *lowering, oribi_call *call, int32_t n)
{
    int32_t *bytes = oribi_arena_array(lowering->arena, (size_t)n + 1, sizeof *bytes);
    if (bytes == NULL) {
        oribi_fail_memory(lowering->status);
    }
    for (int32_t i = 0; bytes != NULL && i < n; i++) {
        oribi_sizes dims;
        const oribi_value *value = oribi_lower_input(lowering, call, 2 + i);
        if (!oribi_lower_sizes(lowering, call, value, &dims, NULL)) {
            return NULL;
        }
        bytes[i] = (int32_t)oribi_lower_bytes(value); /* below 2 GiB: lower.c has checked it */
    }
    call->n_inputs = 2 + n;
    call->lists_inputs = true;
    call->lists_outputs = true;
    return bytes;
}

static int32_t carried(const oribi_call *call)
{
    const oribi_attr *types = oribi_attrs_find(&call->node->attrs, "Tcarried");
    return types != NULL ? types->count : 0;
}

bool oribi_lower_loop_begin(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_loop_begin_args args = {.n_carried = carried(call)};
    args.bytes = measure(lowering, call, args.n_carried);
    ORIBI_TRY(args.bytes != NULL &&
              ORIBI_CALL_SET(lowering, call, "loop_begin", loop_begin, &args));
    ORIBI_CALL_PLACE(call, &args, bytes, args.n_carried);
    return true;
}

bool oribi_lower_loop_next(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_loop_next_args args = {.n_carried = carried(call)};
    args.n_collected = call->node->n_outputs - 2 - args.n_carried;
    args.bytes = measure(lowering, call, args.n_carried + args.n_collected);
    ORIBI_TRY(args.bytes != NULL && ORIBI_CALL_SET(lowering, call, "loop_next", loop_next, &args));
    ORIBI_CALL_PLACE(call, &args, bytes, args.n_carried + args.n_collected);
    return true;
}
