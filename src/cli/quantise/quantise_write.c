/* SPDX-License-Identifier: Apache-2.0 */
/* The edited file. Where value T is quantised, its node makes "T_real" instead, and a
 * QuantizeLinear and a DequantizeLinear make T of that: who reads T needs no change. Weights become
 * int8 with a scale for each channel. Up to opset 12 the pairs are of com.microsoft, whose
 * operators have the axis that ONNX's lack there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantise/quantise.h"

enum { FLOAT = 1, INT8 = 3, INT32 = 6 }; /* of TensorProto */

typedef struct writer {
    quantise *q;
    oribi_text nodes, initializers;
    bool *is_needed; /* values that somebody still reads as they were */
    int n_made;
} writer;

/* A name that no value of the model has: the base, a tail, and a number if need be. */
static char *make_name(writer *w, const char *base, const char *tail)
{
    const size_t room = strlen(base) + strlen(tail) + 16;
    char *name = cli_alloc(room);
    (void)snprintf(name, room, "%s%s", base, tail);
    for (int i = 2; quantise_find(w->q, name) >= 0; i++) {
        (void)snprintf(name, room, "%s%s%d", base, tail, i);
    }
    return name;
}

static void put_tensor(writer *w, const char *name, int type, const int64_t *dims, int rank,
                       const void *data, size_t bytes)
{
    oribi_text tensor = {0};
    for (int i = 0; i < rank; i++) {
        oribi_proto_number(&tensor, 1, (uint64_t)dims[i]);
    }
    oribi_proto_number(&tensor, 2, (uint64_t)type);
    oribi_proto_string(&tensor, 8, name);
    oribi_proto_bytes(&tensor, 9, data, bytes);
    oribi_proto_message(&w->initializers, 5, &tensor);
}

/* --- Pairs ----------------------------------------------------------------------------------- */

/* QuantizeLinear or DequantizeLinear; axis -1: one scale. */
static void put_linear(writer *w, bool dequantizes, const char *from, const char *scale,
                       const char *zero, const char *to, int axis)
{
    oribi_text node = {0}, attr = {0}, name = {0};
    oribi_text_printf(&name, "%s_%s", from, dequantizes ? "dequantize" : "quantize");
    oribi_proto_string(&node, 1, from);
    oribi_proto_string(&node, 1, scale);
    oribi_proto_string(&node, 1, zero); /* "": none */
    oribi_proto_string(&node, 2, to);
    oribi_proto_string(&node, 3, oribi_text_string(&name));
    oribi_proto_string(&node, 4, dequantizes ? "DequantizeLinear" : "QuantizeLinear");
    if (axis >= 0) {
        oribi_proto_string(&attr, 1, "axis");
        oribi_proto_number(&attr, 3, (uint64_t)axis);
        oribi_proto_number(&attr, 20, 2);
        oribi_proto_message(&node, 5, &attr);
    }
    oribi_proto_string(&node, 7, w->q->opset < 13 ? "com.microsoft" : "");
    node.failed = node.failed || name.failed;
    oribi_text_destroy(&name);
    oribi_proto_message(&w->nodes, 1, &node);
}

/* From a float value to the same, rounded to one of 256 steps. */
static void put_pair(writer *w, int value, const char *from, const char *to)
{
    const quantise_value *v = &w->q->values[value];
    const quantise_value *g = &w->q->values[quantise_group(w->q, value)];
    const int8_t zero = (int8_t)g->zero;
    char *scale_name = make_name(w, v->name, "_scale");
    char *zero_name = make_name(w, v->name, "_zero"), *bytes = make_name(w, v->name, "_int8");

    put_tensor(w, scale_name, FLOAT, NULL, 0, &g->scale, sizeof g->scale);
    put_tensor(w, zero_name, INT8, NULL, 0, &zero, 1);
    put_linear(w, false, from, scale_name, zero_name, bytes, -1);
    put_linear(w, true, bytes, scale_name, zero_name, to, -1);
    free(scale_name);
    free(zero_name);
    free(bytes);
}

/* --- Weights --------------------------------------------------------------------------------- */

/* Numbers along the axis: how many, and how many elements one covers at a time. */
static void read_axis(const TF_Tensor *t, int axis, int64_t *channels, int64_t *behind)
{
    *channels = axis < 0 ? 1 : TF_Dim(t, axis);
    *behind = 1;
    for (int d = axis < 0 ? 0 : axis + 1; d < TF_NumDims(t); d++) {
        *behind *= TF_Dim(t, d);
    }
}

static double real_weight(const quantise_node *n, const float *w, int64_t i, int64_t channel)
{
    return (double)w[i] * (n->factor == NULL ? 1 : n->factor[channel]);
}

/* Symmetric: the zero point is 0, and -128 is not used. */
static void quantise_tensor(const quantise_node *n, const TF_Tensor *t, float *scales, int8_t *out)
{
    const float *w = TF_TensorData(t);
    const int64_t count = TF_TensorElementCount(t);
    int64_t channels, behind;

    read_axis(t, n->axis, &channels, &behind);
    for (int64_t i = 0; i < count; i++) {
        const int64_t c = i / behind % channels;
        const float size = (float)fabs(real_weight(n, w, i, c));
        scales[c] = size > scales[c] ? size : scales[c];
    }
    for (int64_t c = 0; c < channels; c++) {
        const float scale = scales[c] / 127;
        scales[c] = isnormal(scale) ? scale : 1;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t c = i / behind % channels;
        const double step = rint(real_weight(n, w, i, c) / (double)scales[c]);
        out[i] = (int8_t)(step < -127 ? -127 : step > 127 ? 127 : step);
    }
}

/* The name under which the node reads its weights, dequantised; their scales, all 0 before. */
static char *put_weights(writer *w, const quantise_node *n, float *scales)
{
    const quantise_value *v = &w->q->values[n->inputs[n->weight]];
    const TF_Tensor *t = v->constant;
    const int64_t count = TF_TensorElementCount(t);
    int64_t channels, behind;
    cli_dims dims = {0};
    char own[32], *base = cli_alloc(strlen(v->name) + sizeof own);

    (void)snprintf(own, sizeof own, "_%d", w->n_made++);
    (void)strcat(strcpy(base, v->name), v->n_readers > 1 ? own : ""); /* each reader has its own */
    read_axis(t, n->axis, &channels, &behind);
    for (int d = 0; d < TF_NumDims(t); d++) {
        (void)cli_dims_add(&dims, TF_Dim(t, d));
    }
    int8_t *zeros = cli_alloc((size_t)channels), *bytes = cli_alloc((size_t)count);
    char *names[4] = {make_name(w, base, "_int8"), make_name(w, base, "_scale"),
                      make_name(w, base, "_zero"), make_name(w, base, "_dequantized")};
    const int rank = n->axis < 0 ? 0 : 1;
    quantise_tensor(n, t, scales, bytes);
    put_tensor(w, names[0], INT8, dims.at, dims.n, bytes, (size_t)count);
    put_tensor(w, names[1], FLOAT, &channels, rank, scales, (size_t)channels * sizeof *scales);
    put_tensor(w, names[2], INT8, &channels, rank, zeros, (size_t)channels);
    put_linear(w, true, names[0], names[1], names[2], names[3], n->axis);
    for (int i = 0; i < 3; i++) {
        free(names[i]);
    }
    free(zeros);
    free(bytes);
    free(base);
    return names[3];
}

/* A number for each channel, which the layer adds to its sums; NULL: the model has none. */
static const float *find_bias(const quantise *q, const quantise_node *n, int64_t channels)
{
    const int at = n->n_inputs > 2 && strcmp(n->op, "MatMul") != 0 ? n->inputs[2] : -1;
    const TF_Tensor *t = at < 0 ? NULL : q->values[at].constant;
    const bool is_bias = t != NULL && TF_TensorType(t) == TF_FLOAT && TF_NumDims(t) > 0 &&
                         TF_TensorElementCount(t) == channels &&
                         TF_Dim(t, TF_NumDims(t) - 1) == channels;
    return is_bias ? TF_TensorData(t) : NULL;
}

/* The same with what the layer took along; NULL: none. */
static double *read_bias(const quantise *q, const quantise_node *n, int64_t channels)
{
    const float *bias = find_bias(q, n, channels);
    if (bias == NULL && n->factor == NULL) {
        return NULL;
    }
    double *out = cli_alloc((size_t)channels * sizeof *out);
    for (int64_t c = 0; c < channels; c++) {
        out[c] = bias != NULL ? (double)bias[c] : 0;
        out[c] = n->factor == NULL ? out[c] : out[c] * n->factor[c] + n->term[c];
    }
    return out;
}

/* The bias in steps of the sums: the scale of what comes in times that of the weights. False: it
 * does not fit int32, or what comes in is float. */
static bool make_sums(const quantise *q, const quantise_node *n, const double *bias,
                      int64_t channels, const float *scales, float *out_scales, int32_t *out)
{
    const quantise_value *x = &q->values[n->inputs[0]];
    const float scale = q->values[quantise_group(q, n->inputs[0])].scale;
    bool fits = x->is_taken;
    for (int64_t c = 0; c < channels && fits; c++) {
        out_scales[c] = scale * scales[c];
        const double sum = isnormal(out_scales[c]) ? rint(bias[c] / (double)out_scales[c]) : 1e30;
        fits = fabs(sum) < 2147483647;
        out[c] = fits ? (int32_t)sum : 0;
    }
    return fits;
}

/* The name under which the layer reads its bias: dequantised from int32, or float. */
static char *put_bias(writer *w, const quantise_node *n, const double *bias, int64_t channels,
                      const float *scales)
{
    const char *base = w->q->values[n->result >= 0 ? n->result : n->outputs[0]].name;
    const size_t bytes = (size_t)channels * 4;
    float *reals = cli_alloc(bytes);
    int32_t *sums = cli_alloc(bytes);
    char *names[3] = {make_name(w, base, "_bias_int32"), make_name(w, base, "_bias_scale"),
                      make_name(w, base, "_bias")};

    if (make_sums(w->q, n, bias, channels, scales, reals, sums)) {
        put_tensor(w, names[0], INT32, &channels, 1, sums, bytes);
        put_tensor(w, names[1], FLOAT, &channels, 1, reals, bytes);
        put_linear(w, true, names[0], names[1], "", names[2], 0);
    } else {
        for (int64_t c = 0; c < channels; c++) {
            reals[c] = (float)bias[c];
        }
        put_tensor(w, names[2], FLOAT, &channels, 1, reals, bytes);
    }
    free(names[0]);
    free(names[1]);
    free(reals);
    free(sums);
    return names[2];
}

/* --- Nodes ----------------------------------------------------------------------------------- */

/* The node's message with other names at its ports; what else it has stays as it is. */
static void put_edited(writer *w, const quantise_node *n, char *const *inputs, int n_inputs,
                       char *const *outputs)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(n->data, n->bytes);
    oribi_wire_field f;
    oribi_text node = {0};
    const uint8_t *from = wire.at;

    for (int k = 0; k < n_inputs; k++) { /* one that is left out stays an empty name */
        oribi_proto_bytes(&node, 1, inputs[k], strlen(inputs[k]));
    }
    for (int k = 0; k < n->n_outputs; k++) {
        oribi_proto_bytes(&node, 2, outputs[k], strlen(outputs[k]));
    }
    while (oribi_wire_next(&wire, &f, status)) {
        if (f.number != 1 && f.number != 2) {
            oribi_text_append_n(&node, from, (size_t)(wire.at - from));
        }
        from = wire.at;
    }
    oribi_proto_message(&w->nodes, 1, &node);
    TF_DeleteStatus(status);
}

static char *name_of(const quantise *q, int value)
{
    const char *name = value < 0 ? "" : q->values[value].name;
    return cli_copy_text(name, strlen(name));
}

/* An input of the model is quantised once, for those who compute on bytes. */
static void put_inputs_pairs(writer *w, char **of_inputs)
{
    for (int i = 0; i < w->q->n_values; i++) {
        const quantise_value *v = &w->q->values[i];
        if (v->is_taken && v->producer < 0) {
            of_inputs[i] = make_name(w, v->name, "_dequantized");
            put_pair(w, i, v->name, of_inputs[i]);
        }
    }
}

/* New names for weights and bias of a node that computes on bytes; what is left as it is stays
 * NULL. */
static void put_parameters(writer *w, const quantise_node *n, char **inputs)
{
    const quantise_value *v = &w->q->values[n->inputs[n->weight]];
    int64_t channels, behind;
    read_axis(v->constant, n->axis, &channels, &behind);
    float *scales = cli_alloc((size_t)channels * sizeof *scales);
    double *bias = n->axis < 0 ? NULL : read_bias(w->q, n, channels);
    inputs[n->weight] = put_weights(w, n, scales);
    if (bias != NULL) {
        inputs[2] = put_bias(w, n, bias, channels, scales);
    }
    free(bias);
    free(scales);
}

static void put_node(writer *w, const quantise_node *n, char *const *of_inputs)
{
    const int room = n->n_inputs > 3 ? n->n_inputs : 3;
    char **inputs = cli_alloc((size_t)room * sizeof *inputs);
    char **outputs = cli_alloc(((size_t)n->n_outputs + 1) * sizeof *outputs);

    if (n->is_core && n->weight >= 0) {
        put_parameters(w, n, inputs);
    }
    const int n_inputs = inputs[2] != NULL && n->n_inputs < 3 ? 3 : n->n_inputs;
    for (int k = 0; k < n_inputs; k++) {
        const int v = k < n->n_inputs ? n->inputs[k] : -1;
        if (inputs[k] == NULL && v >= 0 && of_inputs[v] != NULL) {
            inputs[k] = cli_copy_text(of_inputs[v], strlen(of_inputs[v]));
        } else if (inputs[k] == NULL) {
            inputs[k] = name_of(w->q, v);
        }
    }
    for (int k = 0; k < n->n_outputs; k++) {
        const int v = k == 0 && n->result >= 0 ? n->result : n->outputs[k];
        outputs[k] = v >= 0 && w->q->values[v].is_taken
                         ? make_name(w, w->q->values[v].name, "_real")
                         : name_of(w->q, v);
    }
    put_edited(w, n, inputs, n_inputs, outputs);
    for (int k = 0; k < n->n_outputs; k++) {
        const int v = k == 0 && n->result >= 0 ? n->result : n->outputs[k];
        if (v >= 0 && w->q->values[v].is_taken) {
            put_pair(w, v, outputs[k], w->q->values[v].name);
        }
        free(outputs[k]);
    }
    for (int k = 0; k < n_inputs; k++) {
        free(inputs[k]);
    }
    free(inputs);
    free(outputs);
}

/* Constants whose numbers went into new ones have no reader. */
static bool is_kept(const writer *w, const quantise_node *n)
{
    bool is_read = !n->is_constant || w->q->has_graphs;
    for (int k = 0; k < n->n_outputs && !is_read; k++) {
        const int v = n->outputs[k];
        is_read = v >= 0 && (w->is_needed[v] || w->q->values[v].is_output);
    }
    return is_read && !n->is_gone;
}

/* Does the node read something else there now? */
static bool has_new(const writer *w, const quantise_node *n, int input)
{
    if (!n->is_core || n->weight < 0) {
        return false;
    }
    int64_t channels, behind;
    read_axis(w->q->values[n->inputs[n->weight]].constant, n->axis, &channels, &behind);
    return input == n->weight || (input == 2 && n->axis >= 0 &&
                                  (n->factor != NULL || find_bias(w->q, n, channels) != NULL));
}

static void mark_needed(writer *w)
{
    for (int i = w->q->n_nodes - 1; i >= 0; i--) { /* readers before what they read */
        const quantise_node *n = &w->q->nodes[i];
        if (!is_kept(w, n)) {
            continue;
        }
        for (int k = 0; k < n->n_inputs; k++) {
            if (n->inputs[k] >= 0 && !has_new(w, n, k)) {
                w->is_needed[n->inputs[k]] = true;
            }
        }
    }
}

static void put_nodes(writer *w)
{
    char **of_inputs = cli_alloc(((size_t)w->q->n_values + 1) * sizeof *of_inputs);

    mark_needed(w);
    put_inputs_pairs(w, of_inputs);
    for (int i = 0; i < w->q->n_nodes; i++) {
        if (is_kept(w, &w->q->nodes[i])) {
            put_node(w, &w->q->nodes[i], of_inputs);
        }
    }
    for (int i = 0; i < w->q->n_values; i++) {
        free(of_inputs[i]);
    }
    free(of_inputs);
}

/* --- File ------------------------------------------------------------------------------------ */

/* The value that a tensor (field 8) or a port (field 1) names. */
static int named(quantise *q, const oribi_wire_field *field, uint32_t number)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(field->data, field->bytes);
    oribi_wire_field f;
    int value = -1;

    while (oribi_wire_next(&wire, &f, status)) {
        if (f.number == number && f.type == ORIBI_WIRE_BYTES) {
            char *name = cli_copy_text((const char *)f.data, f.bytes);
            value = quantise_find(q, name);
            free(name);
        }
    }
    TF_DeleteStatus(status);
    return value;
}

/* Weights that nobody reads any more go; initializers are no inputs; the shapes of values that are
 * gone, or are made elsewhere now, go too. */
static bool stays(writer *w, const oribi_wire_field *f)
{
    const int value =
        f->number == 5 || f->number == 11 ? named(w->q, f, f->number == 5 ? 8 : 1) : -1;
    switch (f->number) {
    case 1:
    case 13:
        return false;
    case 5:
        return value < 0 || w->q->has_graphs || w->is_needed[value] ||
               w->q->values[value].is_output;
    case 11:
        return value < 0 || !w->q->values[value].is_constant;
    default:
        return true;
    }
}

static void put_graph(writer *w, const oribi_wire_field *old, oribi_text *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(old->data, old->bytes);
    oribi_wire_field f;
    const uint8_t *from = wire.at;
    oribi_text graph = {0};

    put_nodes(w);
    oribi_text_append_n(&graph, w->nodes.data, w->nodes.length);
    while (oribi_wire_next(&wire, &f, status)) {
        if (stays(w, &f)) {
            oribi_text_append_n(&graph, from, (size_t)(wire.at - from));
        }
        from = wire.at;
    }
    if (w->initializers.length > 0) {
        oribi_text_append_n(&graph, w->initializers.data, w->initializers.length);
    }
    graph.failed = graph.failed || w->nodes.failed || w->initializers.failed;
    oribi_proto_message(out, 7, &graph);
    oribi_text_destroy(&w->nodes);
    oribi_text_destroy(&w->initializers);
    TF_DeleteStatus(status);
}

void quantise_write(quantise *q, oribi_text *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(q->file, q->bytes);
    oribi_wire_field f;
    const uint8_t *from = wire.at;
    writer w = {.q = q, .is_needed = cli_alloc((size_t)q->n_values + 1)};

    oribi_proto_number(out, 1,
                       (uint64_t)(q->ir < 4 ? 4 : q->ir)); /* 4: initializers are no inputs */
    while (oribi_wire_next(&wire, &f, status)) {
        if (f.number == 7 && f.type == ORIBI_WIRE_BYTES) {
            put_graph(&w, &f, out);
        } else if (f.number != 1) {
            oribi_text_append_n(out, from, (size_t)(wire.at - from));
        }
        from = wire.at;
    }
    if (q->opset < 13 && !q->has_microsoft) {
        oribi_text opset = {0};
        oribi_proto_string(&opset, 1, "com.microsoft");
        oribi_proto_number(&opset, 2, 1);
        oribi_proto_message(out, 8, &opset);
    }
    free(w.is_needed);
    TF_DeleteStatus(status);
    if (out->failed) {
        cli_no_memory(out->length);
    }
}

/* --- Outputs --------------------------------------------------------------------------------- */

/* ValueInfoProto: a name and float; its shape is what comes out. */
void quantise_put_output(oribi_text *graph, const char *name)
{
    oribi_text port = {0}, type = {0}, tensor = {0};
    oribi_proto_number(&tensor, 1, 1);
    oribi_proto_message(&type, 1, &tensor);
    oribi_proto_string(&port, 1, name);
    oribi_proto_message(&port, 2, &type);
    oribi_proto_message(graph, 12, &port);
}

/* The graph's own fields, then an output for each value that is taken and is neither an input nor
 * an output. */
static void put_watched(quantise *q, const oribi_wire_field *old, oribi_text *out)
{
    oribi_text graph = {0};
    oribi_text_append_n(&graph, old->data, old->bytes);
    for (int i = 0; i < q->n_values; i++) {
        const quantise_value *v = &q->values[i];
        if (v->is_taken && v->producer >= 0 && !v->is_output) {
            quantise_put_output(&graph, v->name);
        }
    }
    oribi_proto_message(out, 7, &graph);
}

void quantise_add_outputs(quantise *q, const uint8_t *file, size_t bytes, oribi_text *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(file, bytes);
    oribi_wire_field f;
    const uint8_t *from = wire.at;

    while (oribi_wire_next(&wire, &f, status)) {
        if (f.number == 7 && f.type == ORIBI_WIRE_BYTES) {
            put_watched(q, &f, out);
        } else {
            oribi_text_append_n(out, from, (size_t)(wire.at - from));
        }
        from = wire.at;
    }
    TF_DeleteStatus(status);
    if (out->failed) {
        cli_no_memory(out->length);
    }
}
