/* SPDX-License-Identifier: Apache-2.0 */
/* Writes small ONNX files for tests: protobuf fields into a buffer that grows. A message is written
 * into a buffer of its own and then put into its parent, which takes it over.
 *
 *   bytes graph = {0};
 *   put_node(&graph, "", "Relu", "r", "x", "y");
 *   put_value(&graph, GRAPH_INPUT, "x", 1, (int64_t[]){2, 3}, 2);
 *   put_value(&graph, GRAPH_OUTPUT, "y", 1, NULL, -1);
 *   bytes model = make_model(13, &graph);
 *   ... free(model.data);
 */
#ifndef ORIBI_TESTS_SUPPORT_ONNX_WRITER_H_
#define ORIBI_TESTS_SUPPORT_ONNX_WRITER_H_

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    uint8_t *data;
    size_t n, capacity;
} bytes;

enum { GRAPH_NODE = 1, GRAPH_INITIALISER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_ATTRIBUTE = 5, ONNX_FLOAT = 1, ONNX_INT32 = 6, ONNX_INT64 = 7, ONNX_BOOL = 9 };

static inline void put_raw(bytes *to, const void *data, size_t n)
{
    if (to->n + n > to->capacity) {
        to->capacity = (to->n + n) * 2;
        to->data = realloc(to->data, to->capacity);
        if (to->data == NULL) {
            abort();
        }
    }
    if (n > 0) {
        memcpy(to->data + to->n, data, n);
    }
    to->n += n;
}

static inline void put_varint(bytes *to, uint64_t value)
{
    uint8_t byte;
    while (value > 127) {
        byte = (uint8_t)(value | 128);
        put_raw(to, &byte, 1);
        value >>= 7;
    }
    byte = (uint8_t)value;
    put_raw(to, &byte, 1);
}

static inline void put_int(bytes *to, uint32_t field, int64_t value)
{
    put_varint(to, (uint64_t)field << 3);
    put_varint(to, (uint64_t)value);
}

static inline void put_float(bytes *to, uint32_t field, float value)
{
    put_varint(to, (uint64_t)field << 3 | 5);
    put_raw(to, &value, sizeof(value));
}

static inline void put_bytes(bytes *to, uint32_t field, const void *data, size_t n)
{
    put_varint(to, (uint64_t)field << 3 | 2);
    put_varint(to, n);
    put_raw(to, data, n);
}

static inline void put_text(bytes *to, uint32_t field, const char *text)
{
    put_bytes(to, field, text, strlen(text));
}

static inline void put_message(bytes *to, uint32_t field, bytes *message)
{
    put_bytes(to, field, message->data, message->n);
    free(message->data);
    *message = (bytes){0};
}

/* rank -1: no shape; a dim of -1: unknown. */
static inline void put_value(bytes *graph, uint32_t field, const char *name, int onnx_type,
                             const int64_t *dims, int rank)
{
    bytes value = {0}, type = {0}, tensor = {0}, shape = {0};
    put_text(&value, 1, name);
    put_int(&tensor, 1, onnx_type);
    for (int i = 0; i < rank; i++) {
        bytes dim = {0};
        if (dims[i] >= 0) {
            put_int(&dim, 1, dims[i]);
        }
        put_message(&shape, 1, &dim);
    }
    if (rank >= 0) {
        put_message(&tensor, 2, &shape);
    }
    put_message(&type, 1, &tensor);
    put_message(&value, 2, &type);
    put_message(graph, field, &value);
}

static inline bytes make_tensor(const char *name, int onnx_type, const int64_t *dims, int rank,
                                const void *raw, size_t n)
{
    bytes tensor = {0};
    for (int i = 0; i < rank; i++) {
        put_int(&tensor, 1, dims[i]);
    }
    put_int(&tensor, 2, onnx_type);
    put_text(&tensor, 8, name);
    put_bytes(&tensor, 9, raw, n);
    return tensor;
}

static inline void put_initialiser(bytes *graph, const char *name, int onnx_type,
                                   const int64_t *dims, int rank, const void *raw, size_t n)
{
    bytes tensor = make_tensor(name, onnx_type, dims, rank, raw, n);
    put_message(graph, GRAPH_INITIALISER, &tensor);
}

static inline void put_names(bytes *node, uint32_t field, const char *names)
{
    while (*names != '\0') {
        size_t length = strcspn(names, ",");
        put_bytes(node, field, names, length);
        names += length + (names[length] == ',');
    }
}

/* inputs and outputs: names joined by commas; "a,,b" leaves one out. */
static inline bytes make_node(const char *domain, const char *op, const char *name,
                              const char *inputs, const char *outputs)
{
    bytes node = {0};
    put_names(&node, 1, inputs);
    put_names(&node, 2, outputs);
    put_text(&node, 3, name);
    put_text(&node, 4, op);
    put_text(&node, 7, domain);
    return node;
}

static inline void put_node(bytes *graph, const char *domain, const char *op, const char *name,
                            const char *inputs, const char *outputs)
{
    bytes node = make_node(domain, op, name, inputs, outputs);
    put_message(graph, GRAPH_NODE, &node);
}

static inline void put_attr_int(bytes *node, const char *name, int64_t value)
{
    bytes attr = {0};
    put_text(&attr, 1, name);
    put_int(&attr, 3, value);
    put_int(&attr, 20, 2);
    put_message(node, NODE_ATTRIBUTE, &attr);
}

static inline void put_attr_float(bytes *node, const char *name, float value)
{
    bytes attr = {0};
    put_text(&attr, 1, name);
    put_float(&attr, 2, value);
    put_int(&attr, 20, 1);
    put_message(node, NODE_ATTRIBUTE, &attr);
}

static inline void put_attr_text(bytes *node, const char *name, const char *value)
{
    bytes attr = {0};
    put_text(&attr, 1, name);
    put_text(&attr, 4, value);
    put_int(&attr, 20, 3);
    put_message(node, NODE_ATTRIBUTE, &attr);
}

/* Takes the graph over. */
static inline void put_attr_graph(bytes *node, const char *name, bytes *graph)
{
    bytes attr = {0};
    put_text(&attr, 1, name);
    put_message(&attr, 6, graph);
    put_int(&attr, 20, 5);
    put_message(node, NODE_ATTRIBUTE, &attr);
}

static inline void put_attr_ints(bytes *node, const char *name, const int64_t *values, int count)
{
    bytes attr = {0};
    put_text(&attr, 1, name);
    for (int i = 0; i < count; i++) {
        put_int(&attr, 8, values[i]);
    }
    put_int(&attr, 20, 7);
    put_message(node, NODE_ATTRIBUTE, &attr);
}

/* Takes the graph over. */
static inline bytes make_model(int64_t opset, bytes *graph)
{
    bytes model = {0}, import = {0};
    put_int(&model, 1, 8);
    put_text(&import, 1, "");
    put_int(&import, 2, opset);
    put_message(&model, 8, &import);
    put_message(&model, 7, graph);
    return model;
}

#endif
