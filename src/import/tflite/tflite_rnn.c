/* SPDX-License-Identifier: Apache-2.0 */
/* RNN and its sequences in one direction and in both, of floats: ONNX's op, whose hidden state is a
 * state of the graph here; Oribi>HybridRnn where the weights are of int8.
 */
#include "import/tflite/tflite.h"
#include "micro/recurrent/recurrent_f32.h"

enum { WEIGHTS, RECURRENT, BIAS, HIDDEN, N_DIRECTION }; /* inputs of a direction, from its first */

typedef struct rnn {
    bool time_major, is_asymmetric; /* asymmetric matters with weights of int8 */
    int64_t activation;             /* a code of recurrent_f32.h */
    oribi_dims x;                   /* steps, batch, features, or the batch first */
} rnn;

bool oribi_tflite_bind_ways(oribi_tflite_node *n, oribi_value_id forward, oribi_value_id back,
                            bool is_one)
{
    if (!is_one) {
        return oribi_tflite_bind(n, 0, forward) && oribi_tflite_bind(n, 1, back);
    }
    return oribi_tflite_bind(n, 0,
                             oribi_tflite_emit(n, "ConcatV2",
                                               INPUTS(forward, back, oribi_tflite_scalar(n, 2)),
                                               ATTRS(ATTR_INT("N", 2))));
}

static bool read_activation(oribi_tflite_node *n, int field, rnn *out)
{
    switch (oribi_tflite_byte(n, field, 0)) {
    case ORIBI_TFLITE_ACT_NONE:
        out->activation = ORIBI_MICRO_GATE_AFFINE;
        return true;
    case ORIBI_TFLITE_ACT_RELU:
        out->activation = ORIBI_MICRO_GATE_RELU;
        return true;
    case ORIBI_TFLITE_ACT_TANH:
        out->activation = ORIBI_MICRO_GATE_TANH;
        return true;
    default:
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "this fused activation is not supported");
    }
}

/* [1, ...] of a matrix. */
static oribi_value_id one_of(oribi_tflite_node *n, oribi_value_id x)
{
    oribi_dims dims, out = {.n = 3, .at = {1}};
    if (!oribi_tflite_dims(n, x, &dims)) {
        return -1;
    }
    if (dims.n != 2) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "the weights must be matrices");
        return -1;
    }
    out.at[1] = dims.at[0];
    out.at[2] = dims.at[1];
    return oribi_tflite_reshape(n, x, &out);
}

/* One direction, whose inputs begin with `first`. Its result is [steps, batch, units], or the batch
 * first. */
static oribi_value_id direction(oribi_tflite_node *n, const rnn *r, int32_t first, bool is_reverse)
{
    const int64_t none = 0, places = r->time_major ? 1 : 0;
    const int32_t no_length = 0;
    const float one = 1.0f, zero = 0.0f;
    const bool is_hybrid = oribi_tflite_is_hybrid(n, 0, first + WEIGHTS);
    for (int32_t i = 0; i < N_DIRECTION; i++) {
        const bool is_bytes = is_hybrid && i <= RECURRENT;
        if (oribi_tflite_dtype_in(n, first + i) != (is_bytes ? TF_INT8 : TF_FLOAT)) {
            oribi_tflite_fail(n, TF_UNIMPLEMENTED, "input %d must be of %s", (int)(first + i),
                              is_bytes ? "int8" : "floats");
            return -1;
        }
    }
    const oribi_value_id bias = oribi_tflite_input(n, first + BIAS);
    const int64_t units = oribi_tflite_dim(n, bias, 0), batch = r->x.at[places];
    if (n->failed || units < 0 || batch < 0 || r->x.at[1 - places] < 0) {
        oribi_tflite_want_shapes(n, "the sizes of its inputs must be known");
        return -1;
    }
    const oribi_dims both = {.n = 2, .at = {1, 2 * units}};
    oribi_dims hidden = {.n = 3, .at = {1, batch, units}};
    oribi_dims kept = {.n = 2, .at = {batch, units}}, y_dims = r->x;
    y_dims.at[2] = units;
    if (!r->time_major) {
        hidden.at[0] = batch;
        hidden.at[1] = 1;
    }
    oribi_value_id b = oribi_tflite_emit(
        n, "ConcatV2",
        INPUTS(bias, oribi_tflite_zeros(n, TF_FLOAT, units), oribi_tflite_scalar(n, 0)),
        ATTRS(ATTR_INT("N", 2)));
    b = oribi_tflite_reshape(n, b, &both);
    const oribi_value_id lengths = oribi_graph_add_constant_copy(n->graph, "lengths", TF_INT32,
                                                                 &none, 1, &no_length, n->status);
    n->failed = n->failed || lengths < 0;
    const oribi_value_id h =
        oribi_tflite_reshape(n, oribi_tflite_state(n, first + HIDDEN), &hidden);
    oribi_value_id x = oribi_tflite_reshape(n, oribi_tflite_input(n, 0), &r->x);
    x = is_hybrid ? oribi_tflite_through_bytes(n, x, 2, r->is_asymmetric) : x;
    const oribi_value_id inputs[] = {x,
                                     one_of(n, oribi_tflite_weights_in(n, first + WEIGHTS)),
                                     one_of(n, oribi_tflite_weights_in(n, first + RECURRENT)),
                                     b,
                                     lengths,
                                     h};
    const oribi_emit_attr attrs[] = {ATTR_TEXT("direction", is_reverse ? "reverse" : "forward"),
                                     ATTR_INT("layout", r->time_major ? 0 : 1),
                                     ATTR_INTS("activations", &r->activation, 1),
                                     ATTR_FLOATS("activation_alpha", &one, 1),
                                     ATTR_FLOATS("activation_beta", &zero, 1),
                                     ATTR_BOOL("asymmetric", r->is_asymmetric)};
    const oribi_node *node = oribi_tflite_emit_node(n, is_hybrid ? "Oribi>HybridRnn" : "ONNX>RNN",
                                                    inputs, 6, attrs, is_hybrid ? 6 : 5, 2);
    if (node == NULL) {
        return -1;
    }
    const oribi_value_id y = node->outputs[0];
    const oribi_value_id next = oribi_tflite_reshape(n, node->outputs[1], &kept);
    return oribi_tflite_set_state(n, first + HIDDEN, next) ? oribi_tflite_reshape(n, y, &y_dims)
                                                           : -1;
}

static bool read_input(oribi_tflite_node *n, int32_t rank, rnn *out)
{
    return oribi_tflite_dims(n, oribi_tflite_input(n, 0), &out->x) &&
           (out->x.n == rank || oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                                  "the input must have %d dimensions", (int)rank));
}

/* A sequence of one step. */
static bool one_step(oribi_tflite_node *n)
{
    rnn r = {.time_major = true, .is_asymmetric = oribi_tflite_byte(n, 1, 0) != 0};
    ORIBI_TRY(read_activation(n, 0, &r) && read_input(n, 2, &r));
    r.x = (oribi_dims){.n = 3, .at = {1, r.x.at[0], r.x.at[1]}};
    const oribi_value_id y = direction(n, &r, 1, false);
    const oribi_dims flat = {.n = 2, .at = {r.x.at[1], y < 0 ? 0 : oribi_tflite_dim(n, y, 2)}};
    return oribi_tflite_bind(n, 0, oribi_tflite_reshape(n, y, &flat));
}

static bool one_way(oribi_tflite_node *n)
{
    rnn r = {.time_major = oribi_tflite_byte(n, 0, 0) != 0,
             .is_asymmetric = oribi_tflite_byte(n, 2, 0) != 0};
    return read_activation(n, 1, &r) && read_input(n, 3, &r) &&
           oribi_tflite_bind(n, 0, direction(n, &r, 1, false));
}

static bool both_ways(oribi_tflite_node *n)
{
    rnn r = {.time_major = oribi_tflite_byte(n, 0, 0) != 0,
             .is_asymmetric = oribi_tflite_byte(n, 3, 0) != 0};
    const bool is_one = oribi_tflite_byte(n, 2, 0) != 0;
    for (int32_t i = 9; i < n->n_inputs; i++) {
        if (n->inputs[i] != NULL) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "a second input is not supported");
        }
    }
    if (n->n_outputs != (is_one ? 1 : 2)) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "it has %d outputs", (int)n->n_outputs);
    }
    ORIBI_TRY(read_activation(n, 1, &r) && read_input(n, 3, &r));
    const oribi_value_id forward = direction(n, &r, 1, false), back = direction(n, &r, 5, true);
    return oribi_tflite_bind_ways(n, forward, back, is_one);
}

const oribi_tflite_row oribi_tflite_rnn_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {24, 7, 5, 5, 1, one_step, NULL},
    {35, 31, 5, 5, 1, one_way, NULL},
    {46, 70, 9, 12, -1, both_ways, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
