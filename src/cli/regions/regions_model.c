/* SPDX-License-Identifier: Apache-2.0 */
/* A random model out of operators that accelerators take: a chain, in which an operator of two
 * tensors may read what was made before.
 * Source   field numbers of onnx.proto.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/proto.h"
#include "regions.h"

enum { FLOAT = 1, INT8 = 3, INT32 = 6 }; /* ONNX's numbers */
enum { MAX_OPS = 5, MAX_DIM = 9 };

typedef enum form { UNARY, BINARY, CONV, DEPTHWISE, POOL, BIAS, DENSE, SOFTMAX } form;

typedef struct recipe {
    const char *name;
    form form;
    int rank; /* 0: any */
    int types[2];
} recipe;

static const recipe recipes[] = {
    {"Relu", UNARY, 0, {FLOAT}},
    {"Relu6", UNARY, 0, {FLOAT}},
    {"Tanh", UNARY, 0, {FLOAT}},
    {"Sigmoid", UNARY, 0, {FLOAT}},
    {"Abs", UNARY, 0, {FLOAT, INT32}},
    {"Neg", UNARY, 0, {FLOAT, INT32}},
    {"Add", BINARY, 0, {FLOAT, INT32}},
    {"AddV2", BINARY, 0, {FLOAT, INT32}},
    {"Sub", BINARY, 0, {FLOAT, INT32}},
    {"Mul", BINARY, 0, {FLOAT, INT32}},
    {"Maximum", BINARY, 0, {FLOAT, INT32}},
    {"Minimum", BINARY, 0, {FLOAT, INT32}},
    {"Conv2D", CONV, 4, {FLOAT}},
    {"DepthwiseConv2dNative", DEPTHWISE, 4, {FLOAT}},
    {"MaxPool", POOL, 4, {FLOAT}},
    {"AvgPool", POOL, 4, {FLOAT}},
    {"BiasAdd", BIAS, 4, {FLOAT}},
    {"MatMul", DENSE, 2, {FLOAT}},
    {"Softmax", SOFTMAX, 2, {FLOAT}},
    {"Oribi>QConv2D", CONV, 4, {INT8}},
    {"Oribi>QDepthwiseConv2D", DEPTHWISE, 4, {INT8}},
    {"Oribi>QAdd", BINARY, 0, {INT8}},
    {"Oribi>QSub", BINARY, 0, {INT8}},
    {"Oribi>QMul", BINARY, 0, {INT8}},
    {"Oribi>QMaxPool", POOL, 4, {INT8}},
    {"Oribi>QAveragePool", POOL, 4, {INT8}},
    {"Oribi>QFullyConnected", DENSE, 2, {INT8}},
    {"Oribi>QSoftmax", SOFTMAX, 2, {INT8}},
};
enum { N_RECIPES = sizeof recipes / sizeof recipes[0] };

typedef struct shape {
    int rank;
    int64_t dims[4];
} shape;

typedef struct value {
    shape shape;
    float scale; /* of int8 */
    int zero;
    bool is_read;
} value;

typedef struct maker {
    uint64_t state;
    int type, n_values, n_weights;
    value values[MAX_OPS + 1];
    oribi_text graph, node, attrs;
    oribi_text *what;
} maker;

/* splitmix64 */
uint64_t regions_draw(uint64_t *state, uint64_t n)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % n;
}

static int between(maker *m, int low, int high)
{
    return low + (int)regions_draw(&m->state, (uint64_t)(high - low) + 1);
}

static bool is_one_in(maker *m, int n)
{
    return between(m, 1, n) == 1;
}

/* --- Pieces of a model ------------------------------------------------------------------------ */

/* Ends the attribute whose value is in `message`; type as AttributeProto counts. */
static void put_attr(maker *m, const char *name, uint64_t type, oribi_text *message)
{
    oribi_proto_string(message, 1, name);
    oribi_proto_number(message, 20, type);
    oribi_proto_message(&m->attrs, 5, message);
}

static void put_float(maker *m, const char *name, float number)
{
    oribi_text message = {0};
    oribi_proto_float(&message, 2, number);
    put_attr(m, name, 1, &message);
}

static void put_int(maker *m, const char *name, int64_t number)
{
    oribi_text message = {0};
    oribi_proto_number(&message, 3, (uint64_t)number);
    put_attr(m, name, 2, &message);
}

static void put_word(maker *m, const char *name, const char *word)
{
    oribi_text message = {0};
    oribi_proto_bytes(&message, 4, word, strlen(word));
    put_attr(m, name, 3, &message);
}

/* Of height and width, in TensorFlow's ops as one of four. */
static void put_pair(maker *m, const char *name, const int pair[2])
{
    oribi_text message = {0};
    for (int i = m->type == INT8 ? 1 : 0; i < (m->type == INT8 ? 3 : 4); i++) {
        oribi_proto_number(&message, 8, i == 1 || i == 2 ? (uint64_t)pair[i - 1] : 1u);
    }
    put_attr(m, name, 7, &message);
}

static void put_scale(maker *m, const char *tensor, const value *v)
{
    char name[32];
    snprintf(name, sizeof name, "%s_scale", tensor);
    put_float(m, name, v->scale);
    snprintf(name, sizeof name, "%s_zero", tensor);
    put_int(m, name, v->zero);
}

static void put_port(maker *m, unsigned field, const char *name, const shape *s)
{
    oribi_text port = {0}, kind = {0}, tensor = {0}, dims = {0};
    for (int i = 0; i < s->rank; i++) {
        oribi_text dim = {0};
        oribi_proto_number(&dim, 1, (uint64_t)s->dims[i]);
        oribi_proto_message(&dims, 1, &dim);
    }
    oribi_proto_number(&tensor, 1, (uint64_t)m->type);
    oribi_proto_message(&tensor, 2, &dims);
    oribi_proto_message(&kind, 1, &tensor);
    oribi_proto_string(&port, 1, name);
    oribi_proto_message(&port, 2, &kind);
    oribi_proto_message(&m->graph, field, &port);
}

static void add_input(maker *m, int index)
{
    char name[16];
    snprintf(name, sizeof name, "v%d", index);
    oribi_proto_string(&m->node, 1, name);
    m->values[index].is_read = true;
}

/* Random numbers as the node's next input. */
static void add_weights(maker *m, int type, const shape *s)
{
    oribi_text message = {0}, data = {0};
    char name[16];
    int64_t count = 1;
    snprintf(name, sizeof name, "w%d", m->n_weights++);
    for (int i = 0; i < s->rank; i++) {
        oribi_proto_number(&message, 1, (uint64_t)s->dims[i]);
        count *= s->dims[i];
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t number = between(m, -127, 127);
        const float real = (float)number / 64.0f;
        const int8_t byte = (int8_t)number;
        oribi_text_append_n(&data,
                            type == FLOAT  ? (const void *)&real
                            : type == INT8 ? (const void *)&byte
                                           : (const void *)&number,
                            type == INT8 ? 1 : 4);
    }
    oribi_proto_number(&message, 2, (uint64_t)type);
    oribi_proto_string(&message, 8, name);
    oribi_proto_bytes(&message, 9, data.data, data.length);
    oribi_proto_message(&m->graph, 5, &message);
    oribi_proto_string(&m->node, 1, name);
    oribi_text_destroy(&data);
}

/* --- Operators -------------------------------------------------------------------------------- */

static void put_activation(maker *m)
{
    static const char *const words[] = {"NONE", "RELU", "RELU6", "RELU_N1_TO_1"};
    if (m->type == INT8) {
        put_word(m, "activation", words[between(m, 0, 3)]);
    }
}

/* Places of a window over what is made of it: false where it does not fit. */
static bool slide(maker *m, const value *in, const int window[2], const int strides[2],
                  const int dilations[2], value *out)
{
    const bool is_same = is_one_in(m, 2);
    for (int i = 0; i < 2; i++) {
        const int64_t covered = (window[i] - 1) * dilations[i];
        const int64_t places = in->shape.dims[i + 1] - (is_same ? 0 : covered);
        if (places < 1) {
            return false;
        }
        out->shape.dims[i + 1] = (places + strides[i] - 1) / strides[i];
    }
    put_word(m, "padding", is_same ? "SAME" : "VALID");
    put_pair(m, "strides", strides);
    return true;
}

static void put_channels(maker *m, const value *in, int64_t channels, int64_t taps, value *out)
{
    oribi_text scales = {0};
    const float weight = (float)between(m, 1, 30) * 0.001f;
    for (int64_t i = 0; i < channels; i++) {
        oribi_proto_float(&scales, 7, weight * (1.0f + (float)between(m, 0, 9) * 0.1f));
    }
    put_attr(m, "filter_scales", 6, &scales);
    out->scale = in->scale * weight * 100.0f * sqrtf((float)taps);
    put_scale(m, "input", in);
    put_scale(m, "output", out);
    put_activation(m);
    add_weights(m, INT32, &(shape){1, {channels}});
}

static bool conv(maker *m, const recipe *r, const value *in, value *out)
{
    const int window[2] = {between(m, 1, 3), between(m, 1, 3)};
    const int strides[2] = {between(m, 1, 2), is_one_in(m, 4) ? between(m, 1, 3) : 1};
    const bool is_dilated = strides[0] == 1 && strides[1] == 1 && is_one_in(m, 3);
    const int dilations[2] = {is_dilated ? 2 : 1, is_dilated ? between(m, 1, 2) : 1};
    const int64_t from = in->shape.dims[3], times = between(m, 1, 2), to = between(m, 1, MAX_DIM);
    const bool is_deep = r->form == DEPTHWISE;
    const bool is_grouped = !is_deep && from % 2 == 0 && to % 2 == 0 && is_one_in(m, 3);
    const int64_t each = is_grouped ? from / 2 : from;
    out->shape.dims[3] = is_deep ? from * times : to;
    const bool is_quantised = m->type == INT8;
    const shape filter = is_quantised && is_deep
                             ? (shape){4, {1, window[0], window[1], from * times}}
                         : is_quantised ? (shape){4, {to, window[0], window[1], each}}
                         : is_deep      ? (shape){4, {window[0], window[1], from, times}}
                                        : (shape){4, {window[0], window[1], each, to}};
    /* TensorFlow's depthwise layers have one stride. */
    const int even[2] = {strides[0], strides[0]}, plain[2] = {1, 1};
    const bool is_even = is_deep && !is_quantised;
    if (!slide(m, in, window, is_even ? even : strides, is_even ? plain : dilations, out)) {
        return false;
    }
    put_pair(m, "dilations", is_even ? plain : dilations);
    add_weights(m, m->type, &filter);
    if (is_quantised && is_deep) {
        put_int(m, "depth_multiplier", times);
    }
    if (is_quantised) {
        put_channels(m, in, out->shape.dims[3], window[0] * window[1] * (is_deep ? 1 : each), out);
    }
    return true;
}

static bool pool(maker *m, const value *in, value *out)
{
    const int window[2] = {between(m, 1, 3), between(m, 1, 3)}, one[2] = {1, 1};
    const int strides[2] = {between(m, 1, 3), between(m, 1, 3)};
    put_pair(m, "ksize", window);
    if (m->type == INT8) {
        put_scale(m, "input", in);
        put_scale(m, "output", in);
        put_activation(m);
    }
    *out = *in;
    return slide(m, in, window, strides, one, out);
}

/* The second tensor is what was made before, or a constant. */
static bool binary(maker *m, const value *in, value *out)
{
    value other = {.shape = in->shape, .scale = 0.02f, .zero = between(m, -9, 9)};
    const int before = between(m, 0, m->n_values - 1);
    const shape *s = &m->values[before].shape;
    if (is_one_in(m, 3) || memcmp(s, &in->shape, sizeof *s) != 0) {
        if (is_one_in(m, 3)) {
            other.shape = (shape){1, {in->shape.dims[in->shape.rank - 1]}};
        }
        add_weights(m, m->type, &other.shape);
    } else {
        add_input(m, before);
        other = m->values[before];
    }
    if (m->type == INT8) {
        put_scale(m, "a", in);
        put_scale(m, "b", &other);
        put_scale(m, "output", out);
        put_activation(m);
    }
    return true;
}

static bool dense(maker *m, const value *in, value *out)
{
    const int64_t from = in->shape.dims[1], to = between(m, 1, MAX_DIM);
    const bool is_quantised = m->type == INT8;
    out->shape.dims[1] = to;
    add_weights(m, m->type, &(shape){2, {is_quantised ? to : from, is_quantised ? from : to}});
    if (is_quantised) {
        put_channels(m, in, to, from, out);
    }
    return true;
}

static bool softmax(maker *m, const value *in, value *out)
{
    if (m->type == INT8) {
        out->scale = 1.0f / 256.0f;
        out->zero = -128;
        put_scale(m, "input", in);
        put_scale(m, "output", out);
        put_float(m, "beta", 1.0f);
    }
    return true;
}

static bool make(maker *m, const recipe *r, const value *in, value *out)
{
    switch (r->form) {
    case BINARY:
        return binary(m, in, out);
    case CONV:
    case DEPTHWISE:
        return conv(m, r, in, out);
    case POOL:
        return pool(m, in, out);
    case BIAS:
        add_weights(m, m->type, &(shape){1, {in->shape.dims[in->shape.rank - 1]}});
        return true;
    case DENSE:
        return dense(m, in, out);
    case SOFTMAX:
        return softmax(m, in, out);
    default:
        return true;
    }
}

/* --- The model -------------------------------------------------------------------------------- */

static void put_node(maker *m, const recipe *r)
{
    const int last = m->n_values - 1;
    const value in = m->values[last];
    value out = {
        .shape = in.shape, .scale = 0.01f * (float)between(m, 1, 9), .zero = between(m, -20, 20)};
    char name[16];
    add_input(m, last);
    if (make(m, r, &in, &out)) {
        snprintf(name, sizeof name, "v%d", m->n_values);
        oribi_proto_string(&m->node, 2, name);
        oribi_proto_string(&m->node, 3, name);
        oribi_proto_string(&m->node, 4, r->name);
        oribi_text_append_n(&m->node, m->attrs.data, m->attrs.length);
        oribi_proto_string(&m->node, 7, "org.tensorflow");
        oribi_proto_message(&m->graph, 1, &m->node);
        oribi_text_printf(m->what, "%s %s", m->n_values > 1 ? "," : "", r->name);
        m->values[m->n_values++] = out;
    } else {
        m->values[last].is_read = in.is_read;
        oribi_text_destroy(&m->node);
    }
    oribi_text_destroy(&m->attrs);
    m->node = m->attrs = (oribi_text){0};
}

static bool fits(const maker *m, const recipe *r)
{
    return (r->types[0] == m->type || r->types[1] == m->type) &&
           (r->rank == 0 || r->rank == m->values[0].shape.rank);
}

static const recipe *find(const char *only)
{
    for (int i = 0; only != NULL && i < N_RECIPES; i++) {
        if (strcmp(recipes[i].name, only) == 0) {
            return &recipes[i];
        }
    }
    return NULL;
}

/* Types and rank are those of a recipe, so that a graph of them is as likely as there are ops. */
static void begin(maker *m, const recipe *wanted)
{
    const recipe *r = wanted != NULL ? wanted : &recipes[between(m, 0, N_RECIPES - 1)];
    m->type = r->types[1] != 0 && is_one_in(m, 2) ? r->types[1] : r->types[0];
    value *in = &m->values[m->n_values++];
    in->shape.rank = r->rank != 0 ? r->rank : between(m, 1, 4);
    for (int i = 0; i < in->shape.rank; i++) {
        in->shape.dims[i] = i == 0 && in->shape.rank > 1 ? 1 : between(m, 1, MAX_DIM);
    }
    in->scale = 0.05f;
    in->zero = between(m, -20, 20);
    put_port(m, 11, "v0", &in->shape);
    oribi_text_printf(m->what, "%s",
                      m->type == FLOAT  ? "float"
                      : m->type == INT8 ? "int8"
                                        : "int32");
    for (int i = 0; i < in->shape.rank; i++) {
        oribi_text_printf(m->what, "%s%d", i == 0 ? " " : "x", (int)in->shape.dims[i]);
    }
    oribi_text_append(m->what, ":");
}

void regions_model(uint64_t seed, const char *only, oribi_text *model, oribi_text *what)
{
    maker m = {.state = seed, .what = what};
    oribi_text opset = {0};
    const recipe own = {only, UNARY, 0, {FLOAT, INT32}}, *wanted = find(only);
    wanted = wanted == NULL && only != NULL ? &own : wanted;
    begin(&m, wanted);
    const int n = 1 + between(&m, 1, MAX_OPS);
    for (int tries = 0; m.n_values < n && tries < 500; tries++) {
        const recipe *r =
            wanted != NULL && is_one_in(&m, 2) ? wanted : &recipes[between(&m, 0, N_RECIPES - 1)];
        if (fits(&m, r)) {
            put_node(&m, r);
        }
    }
    for (int i = 1; i < m.n_values; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        if (!m.values[i].is_read || is_one_in(&m, 6)) {
            put_port(&m, 12, name, &m.values[i].shape);
        }
    }
    oribi_proto_string(&m.graph, 2, "regions");
    oribi_proto_number(model, 1, 8);
    oribi_proto_message(model, 7, &m.graph);
    oribi_proto_number(&opset, 2, 13);
    oribi_proto_message(model, 8, &opset);
}
