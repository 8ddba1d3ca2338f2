/* SPDX-License-Identifier: Apache-2.0 */
/* A light model with seeded random weights in the place of its ConstantOfShape nodes, made in
 * memory as an ONNX file. The recipe is the one of tests/peer/random_weights.py, to the bit. A
 * fault can be planted in the file, to see that the comparison notices.
 */
#ifndef ORIBI_TESTS_MODELS_RANDOM_MODEL_H_
#define ORIBI_TESTS_MODELS_RANDOM_MODEL_H_

#include <math.h>
#include <stdlib.h>

#include "models/wire_walk.h"

typedef enum planted_fault { FAULT_NONE, FAULT_CHANNELS, FAULT_PADDING } planted_fault;

typedef struct random_model {
    void *block;
    const uint8_t *data;
    size_t bytes;
    uint64_t digest;
    int n_faults;
} random_model;

enum {
    ONNX_GRAPH = 7,
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_OP = 4,
    NODE_ATTRIBUTE = 5,
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_INT64 = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INTS = 8
};

static inline uint64_t fnv1a(uint64_t state, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        state = (state ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001B3);
    }
    return state;
}

static inline float uniform_at(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z = z ^ (z >> 31);
    return (float)(z >> 40) * 0x1p-24F;
}

/* Op of a node of the graph; empty when the field is something else. */
static inline wire_span op_of(const wire_field *field)
{
    return field->number == GRAPH_NODE ? wire_find(field->body, NODE_OP).body : (wire_span){0};
}

/* --- What a tensor is for -------------------------------------------------------------------- */

/* Name that a Reshape makes `name` from, or name itself. */
static inline wire_span before_reshape(wire_span graph, wire_span name)
{
    wire_field field;
    wire_span source = name;
    while (wire_next(&graph, &field)) {
        if (wire_is(op_of(&field), "Reshape") &&
            wire_same(wire_at(field.body, NODE_OUTPUT, 0), name)) {
            source = wire_at(field.body, NODE_INPUT, 0);
        }
    }
    return source;
}

/* Is the value an operand of a Mul? */
static inline bool is_multiplied(wire_span graph, wire_span name)
{
    wire_field field;
    while (wire_next(&graph, &field)) {
        if (wire_is(op_of(&field), "Mul") &&
            (wire_same(wire_at(field.body, NODE_INPUT, 0), name) ||
             wire_same(wire_at(field.body, NODE_INPUT, 1), name))) {
            return true;
        }
    }
    return false;
}

typedef enum weight_role { ROLE_SMALL, ROLE_NEAR_ONE, ROLE_WEIGHTS, ROLE_LAST_WEIGHTS } weight_role;

static inline weight_role role_of(wire_span graph, wire_span name)
{
    weight_role role = ROLE_SMALL;
    wire_span rest = graph, last = {0};
    wire_field field;
    while (wire_next(&rest, &field)) {
        wire_span op = op_of(&field);
        if (wire_is(op, "BatchNormalization")) {
            for (int i = 1; i < 5; i++) {
                if (wire_same(wire_at(field.body, NODE_INPUT, i), name)) {
                    role = i == 1 || i == 4 ? ROLE_NEAR_ONE : ROLE_SMALL;
                }
            }
        } else if (wire_is(op, "Unsqueeze") &&
                   wire_same(wire_at(field.body, NODE_INPUT, 0), name)) {
            role = is_multiplied(graph, wire_at(field.body, NODE_OUTPUT, 0)) ? ROLE_NEAR_ONE
                                                                             : ROLE_SMALL;
        } else if (wire_is(op, "Conv") || wire_is(op, "Gemm")) {
            last = wire_at(field.body, NODE_INPUT, 1);
            if (wire_same(before_reshape(graph, last), name)) {
                role = ROLE_WEIGHTS;
            }
        }
    }
    return role == ROLE_WEIGHTS && wire_same(before_reshape(graph, last), name) ? ROLE_LAST_WEIGHTS
                                                                                : role;
}

/* --- Making the file ------------------------------------------------------------------------- */

static inline int64_t count_of(const int64_t *dims, int rank)
{
    int64_t count = 1;
    for (int i = 0; i < rank; i++) {
        count *= dims[i];
    }
    return count;
}

/* Dims that a ConstantOfShape node asks for: its input is an initializer. */
static inline int dims_of(wire_span graph, wire_span node, int64_t *out_dims)
{
    wire_span name = wire_at(node, NODE_INPUT, 0);
    wire_field field;
    while (wire_next(&graph, &field)) {
        if (field.number != GRAPH_INITIALIZER ||
            !wire_same(wire_find(field.body, TENSOR_NAME).body, name)) {
            continue;
        }
        wire_span raw = wire_find(field.body, TENSOR_RAW).body;
        if (raw.bytes > 0) {
            memcpy(out_dims, raw.data, raw.bytes < 64 ? raw.bytes : 64);
            return (int)(raw.bytes / 8);
        }
        return wire_ints(field.body, TENSOR_INT64, out_dims, 8);
    }
    return -1;
}

static inline void fill_values(float *to, int64_t count, const int64_t *dims, int rank,
                               wire_span name, weight_role role, float factor)
{
    uint64_t seed = fnv1a(UINT64_C(0xCBF29CE484222325), name.data, name.bytes);
    int64_t fan_out = 1;
    for (int i = rank - 1; i >= 0; i--) {
        fan_out = dims[i] != 1 ? dims[i] : fan_out; /* ends as the first one that is not 1 */
    }
    float scale =
        (float)sqrt(6.0 / (double)(count / fan_out)) * (role == ROLE_LAST_WEIGHTS ? factor : 1.0F);
    for (int64_t i = 0; i < count; i++) {
        float u = uniform_at(seed, (uint64_t)i), sign = u * 2.0F - 1.0F;
        to[i] = role == ROLE_SMALL      ? sign * 0.125F
                : role == ROLE_NEAR_ONE ? u * 0.5F + 0.75F
                                        : sign * scale;
    }
}

static inline uint64_t digest_ends(uint64_t digest, const float *values, int64_t count)
{
    const int64_t n = count < 64 ? count : 64;
    for (int end = 0; end < 2; end++) {
        for (int64_t i = 0; i < n; i++) {
            uint32_t word;
            memcpy(&word, &values[end == 0 ? i : count - n + i], sizeof word);
            digest = (digest ^ word) * UINT64_C(0x100000001B3);
        }
    }
    return digest;
}

/* Output channels 0 and 1 of a convolution change places. */
static inline void swap_channels(float *values, int64_t count, int64_t channels)
{
    int64_t each = count / channels;
    for (int64_t i = 0; i < each; i++) {
        float swap = values[i];
        values[i] = values[each + i];
        values[each + i] = swap;
    }
}

/* pads t,l,b,r of a copied Conv node become t-1,l-1,b+1,r+1: same output shape, shifted by one. */
static inline bool shift_padding(uint8_t *node, size_t bytes)
{
    wire_span rest = {node, bytes};
    wire_field field;
    while (wire_next(&rest, &field)) {
        int64_t pads[5];
        if (field.number != NODE_ATTRIBUTE ||
            !wire_is(wire_find(field.body, ATTRIBUTE_NAME).body, "pads") ||
            wire_ints(field.body, ATTRIBUTE_INTS, pads, 5) != 4 || pads[0] < 1 || pads[1] < 1 ||
            pads[2] > 100 || pads[3] > 100) {
            continue;
        }
        wire_span attribute = field.body;
        wire_field ints;
        int index = 0;
        while (wire_next(&attribute, &ints)) {
            if (ints.number != ATTRIBUTE_INTS) {
                continue;
            }
            size_t n = ints.type == 0 ? 1 : ints.body.bytes;
            const uint8_t *first =
                ints.type == 0 ? ints.whole.data + ints.whole.bytes - 1 : ints.body.data;
            for (size_t i = 0; i < n; i++, index++) {
                uint8_t *value = node + (first + i - node);
                *value = (uint8_t)(*value + (index < 2 ? -1 : 1));
            }
        }
        return true;
    }
    return false;
}

static inline void put_weights(uint8_t **to, wire_span graph, wire_span node, float factor,
                               planted_fault fault, random_model *model)
{
    int64_t dims[8] = {0};
    int rank = dims_of(graph, node, dims);
    int64_t count = count_of(dims, rank);
    wire_span name = wire_at(node, NODE_OUTPUT, 0);
    uint8_t head[512], *at = head;
    for (int i = 0; i < rank; i++) {
        wire_put_varint(&at, TENSOR_DIMS << 3);
        wire_put_varint(&at, (uint64_t)dims[i]);
    }
    wire_put_varint(&at, TENSOR_TYPE << 3);
    wire_put_varint(&at, 1); /* FLOAT */
    wire_put_bytes(&at, TENSOR_NAME, name);
    wire_put_varint(&at, TENSOR_RAW << 3 | 2);
    wire_put_varint(&at, (uint64_t)count * sizeof(float));
    size_t head_bytes = (size_t)(at - head);
    wire_put_varint(to, GRAPH_INITIALIZER << 3 | 2);
    wire_put_varint(to, head_bytes + (size_t)count * sizeof(float));
    memcpy(*to, head, head_bytes);
    *to += head_bytes;
    float *values = malloc((size_t)count * sizeof *values);
    if (values == NULL) {
        abort();
    }
    fill_values(values, count, dims, rank, name, role_of(graph, name), factor);
    model->digest = digest_ends(model->digest, values, count);
    if (fault == FAULT_CHANNELS && rank == 4 && dims[0] > 1 && model->n_faults == 0) {
        swap_channels(values, count, dims[0]);
        model->n_faults++;
    }
    memcpy(*to, values, (size_t)count * sizeof *values);
    *to += (size_t)count * sizeof *values;
    free(values);
}

static inline size_t bytes_needed(wire_span file, wire_span graph)
{
    size_t bytes = file.bytes * 2 + 1024;
    wire_span rest = graph;
    wire_field field;
    while (wire_next(&rest, &field)) {
        if (wire_is(op_of(&field), "ConstantOfShape")) {
            int64_t dims[8] = {0};
            int rank = dims_of(graph, field.body, dims);
            bytes += (size_t)count_of(dims, rank) * sizeof(float) + 512;
        }
    }
    return bytes;
}

/* block is NULL when there is no memory for it. Free with random_model_free. */
static inline random_model random_model_make(wire_span file, float factor, planted_fault fault)
{
    random_model model = {.digest = UINT64_C(0xCBF29CE484222325)};
    wire_span graph = wire_find(file, ONNX_GRAPH).body, rest = graph;
    wire_field field;
    uint8_t *block = model.block = malloc(bytes_needed(file, graph));
    if (block == NULL) {
        return model;
    }
    uint8_t *body = block + 32, *to = body;
    while (wire_next(&rest, &field)) {
        wire_span op = op_of(&field);
        if (wire_is(op, "ConstantOfShape")) {
            put_weights(&to, graph, field.body, factor, fault, &model);
            continue;
        }
        memcpy(to, field.whole.data, field.whole.bytes);
        if (fault == FAULT_PADDING && wire_is(op, "Conv") && model.n_faults == 0 &&
            shift_padding(to + (field.body.data - field.whole.data), field.body.bytes)) {
            model.n_faults++;
        }
        to += field.whole.bytes;
    }
    uint8_t head[16], *at = head;
    wire_put_varint(&at, ONNX_GRAPH << 3 | 2);
    wire_put_varint(&at, (uint64_t)(to - body));
    uint8_t *start = body - (at - head);
    memcpy(start, head, (size_t)(at - head));
    while (wire_next(&file, &field)) {
        if (field.number != ONNX_GRAPH) {
            memcpy(to, field.whole.data, field.whole.bytes);
            to += field.whole.bytes;
        }
    }
    model.data = start;
    model.bytes = (size_t)(to - start);
    return model;
}

static inline void random_model_free(random_model *model)
{
    free(model->block);
    *model = (random_model){0};
}

#endif
