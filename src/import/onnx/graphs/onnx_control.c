/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow. A condition that is known chooses its graph now; any other If, and Loop, are nodes
 * that have graphs. Scan is in onnx_scan.c.
 */
#include "import/onnx/graphs/onnx_control.h"

#include <string.h>

#include "import/import_body.h"

/* --- Shapes ------------------------------------------------------------------------------------
 */

static bool output_types(oribi_onnx_node *n, oribi_attrs *attrs, const char *name,
                         const oribi_graph *body, int32_t first, int32_t count)
{
    n->failed = n->failed || !oribi_import_set_types(n->graph, attrs, name, body,
                                                     body->outputs + first, count, n->status);
    return !n->failed;
}

/* And, of a list, what the body's output holds. */
static void set_shape(oribi_onnx_node *n, oribi_value_id value, const oribi_shape *shape,
                      const oribi_graph *body, oribi_value_id made)
{
    oribi_shape *to = &n->graph->values[value]->shape;
    if (!oribi_shape_copy(&n->graph->arena, shape->dims, shape->rank, to)) {
        (void)oribi_onnx_no_memory(n);
    } else if (!oribi_onnx_set_list(n->graph, value, oribi_onnx_list_type(body, made), n->status)) {
        n->failed = true;
    }
}

/* Are values of two graphs of one type, and lists of one type, as far as it is known? */
static bool same_type(const oribi_graph *a, oribi_value_id x, const oribi_graph *b,
                      oribi_value_id y)
{
    const TF_DataType of_x = oribi_onnx_list_type(a, x), of_y = oribi_onnx_list_type(b, y);
    return a->values[x]->dtype == b->values[y]->dtype && (of_x == of_y || of_x == 0 || of_y == 0);
}

/* The type in messages: that of a list's elements. */
static const char *type_name(const oribi_graph *graph, oribi_value_id value)
{
    const TF_DataType element = oribi_onnx_list_type(graph, value);
    return element != 0 ? oribi_dtype_name(element) : oribi_dtype_name(graph->values[value]->dtype);
}

/* --- If ----------------------------------------------------------------------------------------
 */

static bool read_branch(oribi_onnx_node *n, const char *step, oribi_onnx_body *out)
{
    oribi_wire graph;
    memset(out, 0, sizeof *out);
    ORIBI_TRY(oribi_onnx_read_graph(n, step, &graph));
    bool ok = oribi_onnx_body_open(n, step, out) && oribi_onnx_body_read(out, &graph, NULL, 0);
    ok = oribi_onnx_body_close(out, ok);
    n->failed = n->failed || !ok;
    return ok;
}

static bool check_branches(oribi_onnx_node *n, const oribi_graph *yes, const oribi_graph *no)
{
    if (yes->n_outputs != no->n_outputs || n->n_outputs > yes->n_outputs) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "there are %d outputs; then_branch has %d, else_branch %d",
                               (int)n->n_outputs, (int)yes->n_outputs, (int)no->n_outputs);
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        if (!same_type(yes, yes->outputs[i], no, no->outputs[i])) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "output %d is %s in then_branch, but %s in else_branch", (int)i,
                                   type_name(yes, yes->outputs[i]), type_name(no, no->outputs[i]));
        }
    }
    return true;
}

static bool make_if(oribi_onnx_node *n, oribi_onnx_body *branches)
{
    const oribi_graph *yes = branches[0].body.graph, *no = branches[1].body.graph;
    oribi_attrs attrs = {0};
    if (!check_branches(n, yes, no) || !output_types(n, &attrs, "Tresults", yes, 0, n->n_outputs)) {
        oribi_graph_destroy(branches[0].body.graph);
        oribi_graph_destroy(branches[1].body.graph);
        return false;
    }
    const oribi_node *node =
        oribi_onnx_body_node(n, "Oribi>If", n->inputs, 1, n->n_outputs, branches, 2, &attrs);
    ORIBI_TRY(node != NULL);
    for (int32_t i = 0; i < n->n_outputs; i++) {
        oribi_shape shape;
        ORIBI_TRY(oribi_import_join_shape(&n->onnx->scratch, &yes->values[yes->outputs[i]]->shape,
                                          &no->values[no->outputs[i]]->shape, &shape) ||
                  oribi_onnx_no_memory(n));
        set_shape(n, node->outputs[i], &shape, yes, yes->outputs[i]);
        ORIBI_TRY(oribi_emit_bind(n, i, node->outputs[i]));
    }
    return true;
}

static bool translate_if(oribi_onnx_node *n)
{
    oribi_wire graph;
    bool condition = false;
    if (oribi_import_truth(n->graph, n->inputs[0], &condition)) {
        const char *branch = condition ? "then_branch" : "else_branch";
        return oribi_onnx_read_graph(n, branch, &graph) &&
               oribi_onnx_graph_inline(n, branch, &graph);
    }
    oribi_onnx_body branches[2];
    ORIBI_TRY(read_branch(n, "then_branch", &branches[0]));
    if (!read_branch(n, "else_branch", &branches[1]) || branches[0].is_missing ||
        branches[1].is_missing) {
        oribi_graph_destroy(branches[0].body.graph);
        oribi_graph_destroy(branches[1].body.graph);
        return !n->failed && oribi_onnx_mark_missing(n);
    }
    return make_if(n, branches);
}

/* --- Loops -------------------------------------------------------------------------------------
 */

/* Shapes of what is carried, tried first as the loop begins, then with what the body changes
 * unknown. */
enum { ATTEMPTS = 3 };

static bool declared_shapes(oribi_onnx_node *n, oribi_wire graph, int32_t first,
                            oribi_shape *shapes, int32_t count)
{
    oribi_wire_field f;
    oribi_onnx_info port;
    int32_t i = -first;
    while (oribi_wire_next(&graph, &f, n->status)) {
        if (f.number != 11) {
            continue;
        }
        ORIBI_TRY(oribi_onnx_info_read(&graph, &f, &port, n->status));
        if (i >= 0 && i < count) {
            const int32_t rank = port.has_shape ? port.dims.n : -1;
            ORIBI_TRY(oribi_shape_copy(&n->onnx->scratch, port.dims.at, rank, &shapes[i]) ||
                      oribi_fail_memory(n->status));
        }
        i++;
    }
    return oribi_ok(n->status);
}

/* What the body declares of a shape that is not known; the run checks it. */
static void overlay(oribi_shape *shape, const oribi_shape *declared)
{
    if (shape->rank < 0) {
        *shape = *declared;
    }
    for (int32_t k = 0; shape->rank == declared->rank && k < shape->rank; k++) {
        shape->dims[k] = shape->dims[k] < 0 ? declared->dims[k] : shape->dims[k];
    }
}

/* Formals and, for a scan, the elements; the graph's nodes; what the loop wants of its outputs. */
static bool fill_body(oribi_onnx_body *b, const oribi_onnx_loop *l, const oribi_shape *carried)
{
    static const oribi_shape scalar = {0, NULL};
    const oribi_onnx_node *n = l->node;
    const oribi_onnx_formal number = {.dtype = TF_INT64, .shape = scalar};
    const oribi_onnx_formal condition = {.dtype = TF_BOOL, .shape = scalar};
    oribi_value_id *inputs = oribi_claim_array(
        &n->onnx->scratch, (size_t)(l->n_carried + l->n_scanned) + 3, sizeof *inputs, n->status);
    ORIBI_TRY(inputs != NULL);
    inputs[0] = oribi_onnx_body_formal(b, "iteration", &number);
    inputs[1] = oribi_onnx_body_formal(b, "condition", &condition);
    for (int32_t i = 0; i < l->n_carried; i++) {
        const oribi_value *initial = n->graph->values[l->initial[i]];
        const oribi_onnx_formal formal = {initial->dtype, carried[i],
                                          oribi_onnx_list_type(n->graph, l->initial[i])};
        inputs[2 + i] = oribi_onnx_body_formal(b, initial->name, &formal);
    }
    if (l->fill != NULL) {
        return l->fill(b, l, inputs);
    }
    return oribi_onnx_body_read(b, &l->graph, inputs, 2 + l->n_carried);
}

static bool read_body(const oribi_onnx_loop *l, const oribi_shape *carried, oribi_onnx_body *out)
{
    oribi_onnx_node *n = l->node;
    bool ok = oribi_onnx_body_open(n, "body", out) && fill_body(out, l, carried);
    ok = oribi_onnx_body_close(out, ok && !out->node.failed);
    n->failed = n->failed || !ok;
    return ok;
}

static bool check_body(const oribi_onnx_loop *l, const oribi_graph *body)
{
    oribi_onnx_node *n = l->node;
    if (body->n_outputs < 1 + l->n_carried || body->values[body->outputs[0]]->dtype != TF_BOOL) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "its body has %d outputs; it needs a condition and %d values that "
                               "are carried",
                               (int)body->n_outputs, (int)l->n_carried);
    }
    for (int32_t i = 0; i < body->n_outputs - 1; i++) {
        const TF_DataType dtype = body->values[body->outputs[1 + i]]->dtype;
        if (i < l->n_carried && !same_type(body, body->outputs[1 + i], n->graph, l->initial[i])) {
            return oribi_onnx_fail(
                n, TF_INVALID_ARGUMENT, "value %d is carried as %s, but begins as %s", (int)i,
                type_name(body, body->outputs[1 + i]), type_name(n->graph, l->initial[i]));
        }
        if (i >= l->n_carried && oribi_dtype_owns(dtype)) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "output %d collects %s", (int)i,
                                   dtype == TF_STRING ? "strings" : "sequences");
        }
    }
    return true;
}

/* Joins with what the body makes of them; true in *out_same when that changes nothing. */
static bool join_carried(const oribi_onnx_loop *l, const oribi_graph *body, oribi_shape *carried,
                         const oribi_shape *declared, bool *out_same)
{
    *out_same = true;
    for (int32_t i = 0; i < l->n_carried; i++) {
        oribi_shape joined;
        if (!oribi_import_join_shape(&l->node->onnx->scratch, &carried[i],
                                     &body->values[body->outputs[1 + i]]->shape, &joined)) {
            return oribi_fail_memory(l->node->status);
        }
        overlay(&joined, &declared[i]);
        bool same = joined.rank == carried[i].rank;
        for (int32_t k = 0; same && k < joined.rank; k++) {
            same = joined.dims[k] == carried[i].dims[k];
        }
        *out_same = *out_same && same;
        carried[i] = joined;
    }
    return true;
}

/* Reads the body until its shapes hold for every iteration. */
static bool settle_body(const oribi_onnx_loop *l, oribi_shape *carried, const oribi_shape *declared,
                        oribi_onnx_body *out)
{
    for (int attempt = 1;; attempt++) {
        bool same = false;
        ORIBI_TRY(read_body(l, carried, out));
        if (out->is_missing) {
            return true;
        }
        if (!check_body(l, out->body.graph) ||
            !join_carried(l, out->body.graph, carried, declared, &same)) {
            l->node->failed = true;
            oribi_graph_destroy(out->body.graph);
            return false;
        }
        if (same || attempt > ATTEMPTS) {
            return true;
        }
        for (int32_t i = 0; attempt == ATTEMPTS && i < l->n_carried; i++) {
            carried[i] = declared[i]; /* which holds whatever the body does */
        }
        oribi_graph_destroy(out->body.graph);
    }
}

/* Outputs: what is carried may be what it began as; what is collected has one axis more. */
static bool set_shapes(const oribi_onnx_loop *l, const oribi_node *node, const oribi_graph *body,
                       const oribi_shape *carried)
{
    oribi_onnx_node *n = l->node;
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_shape *made = &body->values[body->outputs[1 + i]]->shape;
        oribi_shape shape = {.rank = -1};
        if (i < l->n_carried) {
            if (!oribi_import_join_shape(&n->onnx->scratch, &carried[i],
                                         &n->graph->values[l->initial[i]]->shape, &shape)) {
                return oribi_fail_memory(n->status);
            }
        } else if (made->rank >= 0 && made->rank < ORIBI_MAX_RANK) {
            oribi_dims dims = {.n = 1, .at = {-1}};
            for (int32_t k = 0; k < made->rank; k++) {
                (void)oribi_dims_add(&dims, made->dims[k]);
            }
            ORIBI_TRY(oribi_shape_copy(&n->onnx->scratch, dims.at, dims.n, &shape) ||
                      oribi_fail_memory(n->status));
        }
        set_shape(n, node->outputs[i], &shape, body, body->outputs[1 + i]);
    }
    return !n->failed;
}

const oribi_node *oribi_onnx_loop_make(const oribi_onnx_loop *l, bool *out_missing)
{
    oribi_onnx_node *n = l->node;
    oribi_arena *scratch = &n->onnx->scratch;
    const size_t count = (size_t)l->n_carried + 1;
    oribi_shape *carried = oribi_arena_array(scratch, count, sizeof *carried);
    oribi_shape *declared = oribi_arena_array(scratch, count, sizeof *declared);
    oribi_value_id *fixed = oribi_arena_array(scratch, count + 2, sizeof *fixed);
    bool ok = carried != NULL && declared != NULL && fixed != NULL;
    for (int32_t i = 0; ok && i < l->n_carried; i++) {
        const oribi_shape *shape = &n->graph->values[l->initial[i]]->shape;
        declared[i] = (oribi_shape){.rank = -1};
        ok = oribi_shape_copy(scratch, shape->dims, shape->rank, &carried[i]);
        fixed[2 + i] = l->initial[i];
    }
    n->failed = n->failed || !ok;
    if (!ok) {
        oribi_fail_memory(n->status);
        return NULL;
    }
    fixed[0] = l->trips;
    fixed[1] = l->condition;
    oribi_onnx_body body;
    if (l->first_declared >= 0 &&
        !declared_shapes(n, l->graph, l->first_declared, declared, l->n_carried)) {
        n->failed = true;
        return NULL;
    }
    if (!settle_body(l, carried, declared, &body) || body.is_missing) {
        *out_missing = !n->failed;
        return NULL;
    }
    oribi_attrs attrs = {0};
    const oribi_graph *graph = body.body.graph;
    const int32_t n_collected = graph->n_outputs - 1 - l->n_carried;
    if (!output_types(n, &attrs, "Tcarried", graph, 1, l->n_carried) ||
        !output_types(n, &attrs, "Tcollected", graph, 1 + l->n_carried, n_collected)) {
        oribi_graph_destroy(body.body.graph);
        return NULL;
    }
    const oribi_node *node = oribi_onnx_body_node(n, "Oribi>Loop", fixed, 2 + l->n_carried,
                                                  l->n_carried + n_collected, &body, 1, &attrs);
    n->failed = n->failed || node == NULL || !set_shapes(l, node, graph, carried);
    return n->failed ? NULL : node;
}

bool oribi_onnx_loop_translate(const oribi_onnx_loop *l)
{
    oribi_onnx_node *n = l->node;
    bool is_missing = false;
    const oribi_node *node = n->failed ? NULL : oribi_onnx_loop_make(l, &is_missing);
    if (node == NULL) {
        return is_missing && oribi_onnx_mark_missing(n);
    }
    if (n->n_outputs > node->n_outputs) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there are %d outputs; the body makes %d",
                               (int)n->n_outputs, (int)node->n_outputs);
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        const oribi_value_id made = node->outputs[i];
        ORIBI_TRY(oribi_emit_bind(n, i, l->finish != NULL ? l->finish(l, i, made) : made));
    }
    return true;
}

oribi_value_id oribi_onnx_loop_constant(oribi_onnx_node *n, TF_DataType dtype, const void *value)
{
    const oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "loop", dtype, NULL, 0, value, n->status);
    n->failed = n->failed || id < 0;
    return id;
}

static bool translate_loop(oribi_onnx_node *n)
{
    static const int64_t endless = INT64_MAX;
    static const uint8_t yes = 1;
    oribi_onnx_loop l = {.node = n,
                         .trips = oribi_emit_input(n, 0),
                         .condition = oribi_emit_input(n, 1),
                         .n_carried = n->n_inputs > 2 ? n->n_inputs - 2 : 0,
                         .initial = n->inputs + 2};
    ORIBI_TRY(oribi_onnx_read_graph(n, "body", &l.graph));
    l.trips = l.trips >= 0 ? l.trips : oribi_onnx_loop_constant(n, TF_INT64, &endless);
    l.condition = l.condition >= 0 ? l.condition : oribi_onnx_loop_constant(n, TF_BOOL, &yes);
    l.first_declared = 2;
    for (int32_t i = 0; i < l.n_carried; i++) {
        if (l.initial[i] < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is required", (int)i + 2);
        }
    }
    return oribi_onnx_loop_translate(&l);
}

const oribi_onnx_row oribi_onnx_control_rows[] = {
    {"If", 1, ORIBI_ONNX_MAX_OPSET, translate_if, 1, 1, "Oribi>If, or the graph that is chosen"},
    {"Loop", 1, ORIBI_ONNX_MAX_OPSET, translate_loop, 0, -1, "Oribi>Loop"},
    {"Scan", 8, 8, oribi_onnx_translate_scan_8, 0, -1, "Oribi>Loop"},
    {"Scan", 9, ORIBI_ONNX_MAX_OPSET, oribi_onnx_translate_scan, 1, -1, "Oribi>Loop, GatherV2"},
    {NULL, 0, 0, NULL, 0, 0, NULL},
};
