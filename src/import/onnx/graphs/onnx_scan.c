/* SPDX-License-Identifier: Apache-2.0 */
/* Scan as a loop: an element of each scanned input is gathered in the body, by the number of the
 * iteration; what is collected along axis 0 is turned and moved afterwards. Scan of opset 8 is such
 * a loop inside another one, over the batch.
 */
#include "import/onnx/graphs/onnx_control.h"

#include <string.h>

typedef struct scanned {
    oribi_value_id value, last; /* last: index of the last element, where it is read backwards */
    int32_t axis;
} scanned;

typedef struct scan {
    oribi_onnx_node *node;
    oribi_wire graph;
    int32_t n_states, n_inputs; /* scanned ones */
    const oribi_value_id *states, *inputs;
    scanned *elements;
    oribi_value_id trips;               /* -1: the length of the first input */
    int64_t *out_axes, *out_directions; /* of what is collected; NULL: all 0 */
} scan;

/* Integers of an attribute; false: absent, or failed. */
static bool list_of(oribi_onnx_node *n, const char *name, int32_t count, int64_t **out)
{
    oribi_onnx_attr attr;
    int32_t found = 0;
    *out = NULL;
    ORIBI_TRY(oribi_onnx_find_attr(n, name, &attr) && oribi_onnx_read_ints(n, &attr, out, &found));
    if (found != count) {
        *out = NULL;
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s has %d elements; there are %d", name,
                               (int)found, (int)count);
    }
    return true;
}

/* Length of an axis, a scalar of type int64. */
static oribi_value_id length_of(oribi_onnx_node *n, oribi_value_id x, int32_t axis)
{
    const int64_t known = oribi_emit_dim(n, x, axis);
    return known >= 0 ? oribi_onnx_loop_constant(n, TF_INT64, &known)
                      : oribi_emit_element(n, oribi_emit_shape_of(n, x, TF_INT64), axis);
}

static oribi_value_id element_of(oribi_onnx_node *n, oribi_value_id x, oribi_value_id index,
                                 int32_t axis)
{
    return oribi_emit3(n, "GatherV2", x, index, oribi_emit_int(n, axis));
}

/* --- The inner loop ----------------------------------------------------------------------------
 */

static bool fill_scan(oribi_onnx_body *b, const oribi_onnx_loop *l, oribi_value_id *inputs)
{
    const scan *s = l->arg;
    oribi_onnx_node *n = &b->node;
    oribi_value_id *own = inputs + 2; /* of the graph: states, then elements */
    ORIBI_TRY(oribi_onnx_body_output(b, inputs[1], "condition"));
    for (int32_t k = 0; k < s->n_inputs; k++) {
        const scanned *e = &s->elements[k];
        const oribi_value_id x = oribi_onnx_body_take(b, e->value);
        oribi_value_id index = inputs[0];
        if (e->last >= 0) {
            index = oribi_emit2(n, "Sub", oribi_onnx_body_take(b, e->last), index);
        }
        own[s->n_states + k] = element_of(n, x, index, e->axis);
    }
    return !n->failed && oribi_onnx_body_read(b, &l->graph, own, s->n_states + s->n_inputs);
}

/* Over one sequence: states, then what is collected, time first. */
static oribi_onnx_loop loop_of(const scan *s, oribi_onnx_node *n)
{
    static const uint8_t yes = 1;
    oribi_onnx_loop l = {.node = n,
                         .graph = s->graph,
                         .trips = s->trips,
                         .condition = oribi_onnx_loop_constant(n, TF_BOOL, &yes),
                         .initial = s->states,
                         .n_carried = s->n_states,
                         .n_scanned = s->n_inputs,
                         .fill = fill_scan,
                         .arg = s};
    if (l.trips < 0) {
        l.trips = length_of(n, s->elements[0].value, s->elements[0].axis);
    }
    return l;
}

/* Inputs that are scanned, their axes and directions. */
static bool set_elements(scan *s, oribi_onnx_node *n, const int64_t *axes,
                         const int64_t *directions)
{
    static const int64_t one = 1;
    s->elements =
        oribi_arena_array(&n->onnx->scratch, (size_t)s->n_inputs + 1, sizeof *s->elements);
    ORIBI_TRY(s->elements != NULL || oribi_onnx_no_memory(n));
    for (int32_t k = 0; k < s->n_inputs; k++) {
        scanned *e = &s->elements[k];
        const int64_t axis = axes != NULL ? axes[k] : 0;
        const int32_t rank = axis < 0 ? oribi_emit_rank(n, s->inputs[k]) : ORIBI_MAX_RANK;
        *e = (scanned){s->inputs[k], -1, oribi_emit_axis(n, axis, rank)};
        if (directions != NULL && directions[k] != 0) {
            e->last = oribi_emit2(n, "Sub", length_of(n, e->value, e->axis),
                                  oribi_onnx_loop_constant(n, TF_INT64, &one));
        }
    }
    return !n->failed;
}

/* States and scanned inputs among the node's, from `first` on. */
static bool begin(oribi_onnx_node *n, int32_t first, scan *out)
{
    const int64_t n_scanned = oribi_onnx_int(n, "num_scan_inputs", 0);
    const int32_t n_all = n->n_inputs - first;
    *out = (scan){.node = n, .trips = -1};
    ORIBI_TRY(!n->failed && oribi_onnx_read_graph(n, "body", &out->graph));
    if (n_scanned < 1 || n_scanned > n_all) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "num_scan_inputs is %lld; there are %d inputs", (long long)n_scanned,
                               (int)n_all);
    }
    for (int32_t i = first; i < n->n_inputs; i++) {
        if (n->inputs[i] < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is required", (int)i);
        }
    }
    out->n_inputs = (int32_t)n_scanned;
    out->n_states = n_all - out->n_inputs;
    out->states = n->inputs + first;
    out->inputs = out->states + out->n_states;
    return true;
}

/* --- Outputs -----------------------------------------------------------------------------------
 */

/* Axis 0 goes to `axis`; backwards: its elements in the other order. */
static oribi_value_id turn(oribi_onnx_node *n, oribi_value_id x, int64_t axis, bool is_backwards)
{
    if (is_backwards) {
        x = oribi_emit2(n, "ReverseV2", x, oribi_emit_vector(n, &(int64_t){0}, 1));
    }
    if (axis == 0 || n->failed) {
        return x;
    }
    const int32_t rank = oribi_emit_rank(n, x);
    const int32_t to = oribi_emit_axis(n, axis, rank);
    oribi_dims perm = {.n = 0};
    for (int32_t i = 0; i < rank; i++) {
        (void)oribi_dims_add(&perm, i < to ? i + 1 : i == to ? 0 : i);
    }
    return n->failed ? -1 : oribi_emit_transpose(n, x, &perm);
}

static oribi_value_id turn_output(const oribi_onnx_loop *l, int32_t output, oribi_value_id made)
{
    const scan *s = l->arg;
    const int32_t k = output - s->n_states;
    return k < 0 ? made
                 : turn(l->node, made, s->out_axes != NULL ? s->out_axes[k] : 0,
                        s->out_directions != NULL && s->out_directions[k] != 0);
}

bool oribi_onnx_translate_scan(oribi_onnx_node *n)
{
    scan s;
    int64_t *axes = NULL, *directions = NULL;
    ORIBI_TRY(begin(n, 0, &s));
    (void)list_of(n, "scan_input_axes", s.n_inputs, &axes);
    (void)list_of(n, "scan_input_directions", s.n_inputs, &directions);
    (void)list_of(n, "scan_output_axes", n->n_outputs - s.n_states, &s.out_axes);
    (void)list_of(n, "scan_output_directions", n->n_outputs - s.n_states, &s.out_directions);
    ORIBI_TRY(!n->failed && set_elements(&s, n, axes, directions));
    oribi_onnx_loop l = loop_of(&s, n);
    l.finish = turn_output;
    return oribi_onnx_loop_translate(&l);
}

/* --- Opset 8: over the batch -------------------------------------------------------------------
 */

/* Zeros behind what was collected of a sequence that is shorter than the longest. */
static oribi_value_id pad_end(oribi_onnx_node *n, oribi_value_id x, oribi_value_id more)
{
    const int32_t rank = oribi_emit_rank(n, x);
    const int64_t two[] = {1, 1};
    if (n->failed) {
        return -1;
    }
    const oribi_value_id row = oribi_emit(
        n, "PadV2",
        INPUTS(oribi_emit_reshape(n, more, two, 2),
               oribi_emit_reshape(n, oribi_emit_vector(n, (int64_t[]){0, rank - 1, 1, 0}, 4),
                                  (int64_t[]){2, 2}, 2),
               oribi_emit_scalar(n, TF_INT64, 0)),
        NO_ATTRS);
    return oribi_emit3(n, "PadV2", x, row, oribi_emit_scalar_like(n, x, 0));
}

typedef struct batch {
    scan s; /* as the node has it: with a batch in front */
    oribi_value_id lengths, longest;
    int64_t *directions;
} batch;

static bool fill_batch(oribi_onnx_body *b, const oribi_onnx_loop *l, oribi_value_id *inputs)
{
    const batch *all = l->arg;
    oribi_onnx_node *n = &b->node;
    oribi_arena *scratch = &n->onnx->scratch;
    const int32_t n_all = all->s.n_states + all->s.n_inputs;
    oribi_value_id *own = oribi_claim_array(scratch, (size_t)n_all + 1, sizeof *own, n->status);
    ORIBI_TRY(own != NULL);
    for (int32_t i = 0; i < n_all; i++) {
        own[i] = element_of(n, oribi_onnx_body_take(b, all->s.states[i]), inputs[0], 0);
    }
    scan one = all->s;
    one.node = n;
    one.states = own;
    one.inputs = own + one.n_states;
    ORIBI_TRY(!n->failed && set_elements(&one, n, NULL, NULL));
    if (all->lengths >= 0) {
        one.trips = element_of(n, oribi_onnx_body_take(b, all->lengths), inputs[0], 0);
    }
    for (int32_t k = 0; k < one.n_inputs; k++) {
        if (all->directions != NULL && all->directions[k] != 0) {
            const oribi_value_id length =
                one.trips >= 0 ? one.trips : length_of(n, one.inputs[k], 0);
            one.elements[k].last =
                oribi_emit2(n, "Sub", length, oribi_onnx_loop_constant(n, TF_INT64, &(int64_t){1}));
        }
    }
    const oribi_onnx_loop inner = loop_of(&one, n);
    const oribi_node *node = n->failed ? NULL : oribi_onnx_loop_make(&inner, &b->is_missing);
    if (node == NULL) {
        return b->is_missing;
    }
    ORIBI_TRY(oribi_onnx_body_output(b, inputs[1], "condition"));
    for (int32_t i = 0; i < node->n_outputs; i++) {
        oribi_value_id value = node->outputs[i];
        if (i >= one.n_states && one.trips >= 0) {
            const oribi_value_id longest = oribi_onnx_body_take(b, all->longest);
            value = pad_end(n, value, oribi_emit2(n, "Sub", longest, one.trips));
        }
        ORIBI_TRY(oribi_onnx_body_output(b, value, "collected"));
    }
    return true;
}

bool oribi_onnx_translate_scan_8(oribi_onnx_node *n)
{
    static const uint8_t yes = 1;
    batch all = {.lengths = oribi_emit_input(n, 0), .longest = -1};
    ORIBI_TRY(begin(n, 1, &all.s));
    (void)list_of(n, "directions", all.s.n_inputs, &all.directions);
    if (all.lengths >= 0) {
        all.longest = length_of(n, all.s.inputs[0], 1);
    }
    const oribi_onnx_loop l = {.node = n,
                               .graph = all.s.graph,
                               .trips = length_of(n, all.s.inputs[0], 0),
                               .condition = oribi_onnx_loop_constant(n, TF_BOOL, &yes),
                               .first_declared = -1,
                               .fill = fill_batch,
                               .arg = &all};
    return oribi_onnx_loop_translate(&l);
}
