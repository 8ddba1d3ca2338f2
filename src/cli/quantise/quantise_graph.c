/* SPDX-License-Identifier: Apache-2.0 */
/* What of an ONNX file does the quantiser need to know? Nodes, the values between them, and which
 * of these are constants. Field numbers are those of onnx.proto; bytes stay where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "quantise/quantise.h"

/* Where the name is in the index, or the free place where it would be (FNV-1a). */
static int *place_of(const quantise *q, const char *name, size_t length)
{
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)name[i]) * 1099511628211U;
    }
    for (;; hash++) {
        int *at = &q->index[hash & (uint64_t)(q->n_index - 1)];
        if (*at < 0 || (strlen(q->values[*at].name) == length &&
                        memcmp(q->values[*at].name, name, length) == 0)) {
            return at;
        }
    }
}

static void grow_index(quantise *q)
{
    q->n_index = q->n_index == 0 ? 256 : 2 * q->n_index;
    free(q->index);
    q->index = cli_alloc((size_t)q->n_index * sizeof *q->index);
    memset(q->index, -1, (size_t)q->n_index * sizeof *q->index);
    for (int i = 0; i < q->n_values; i++) {
        *place_of(q, q->values[i].name, strlen(q->values[i].name)) = i;
    }
}

static int add_value(quantise *q, const char *name, size_t length)
{
    q->values = cli_grow(q->values, (size_t)q->n_values + 1, sizeof *q->values);
    q->values[q->n_values] = (quantise_value){
        .name = cli_copy_text(name, length), .producer = -1, .reader = -1, .group = q->n_values};
    q->n_values++;
    if (2 * q->n_values > q->n_index) {
        grow_index(q);
    } else {
        *place_of(q, name, length) = q->n_values - 1;
    }
    return q->n_values - 1;
}

static int find_n(const quantise *q, const char *name, size_t length)
{
    return q->n_index == 0 ? -1 : *place_of(q, name, length);
}

int quantise_find(const quantise *q, const char *name)
{
    return find_n(q, name, strlen(name));
}

int quantise_group(const quantise *q, int value)
{
    while (q->values[value].group != value) {
        value = q->values[value].group;
    }
    return value;
}

quantise_node *quantise_sole_reader(const quantise *q, int value)
{
    const quantise_value *v = &q->values[value];
    return v->n_readers == 1 && !v->is_output && !q->has_graphs ? &q->nodes[v->reader] : NULL;
}

static int value_of(quantise *q, const oribi_wire_field *field)
{
    const char *name = (const char *)field->data;
    const size_t length = strnlen(name, field->bytes); /* a NUL ends names everywhere */
    const int at = find_n(q, name, length);
    return at >= 0 ? at : add_value(q, name, length);
}

/* --- Nodes ----------------------------------------------------------------------------------- */

static void add_port(int **list, int *n, int value)
{
    *list = cli_grow(*list, (size_t)*n + 1, sizeof **list);
    (*list)[(*n)++] = value;
}

/* An attribute with a graph: what it reads of this one cannot be seen here. */
static bool has_graph(const oribi_wire *wire, const oribi_wire_field *field, TF_Status *status)
{
    oribi_wire inner;
    oribi_wire_field f;
    bool found = false;
    if (!oribi_wire_enter(wire, field, &inner, status)) {
        return false;
    }
    while (oribi_wire_next(&inner, &f, status)) {
        found = found || f.number == 6 || f.number == 11;
    }
    return found;
}

static void read_node(quantise *q, const oribi_wire *wire, const oribi_wire_field *field,
                      TF_Status *status)
{
    oribi_wire inner;
    oribi_wire_field f;
    quantise_node node = {.data = field->data, .bytes = field->bytes, .weight = -1, .result = -1};
    bool is_standard = true;

    if (!oribi_wire_enter(wire, field, &inner, status)) {
        return;
    }
    while (oribi_wire_next(&inner, &f, status)) {
        if (f.type != ORIBI_WIRE_BYTES) {
            continue;
        }
        if (f.number == 1) {
            add_port(&node.inputs, &node.n_inputs, f.bytes == 0 ? -1 : value_of(q, &f));
        } else if (f.number == 2) {
            add_port(&node.outputs, &node.n_outputs, f.bytes == 0 ? -1 : value_of(q, &f));
        } else if (f.number == 3 || f.number == 4) {
            char **to = f.number == 3 ? &node.name : &node.op;
            free(*to);
            *to = cli_copy_text((const char *)f.data, f.bytes);
        } else if (f.number == 5) {
            q->has_graphs = has_graph(&inner, &f, status) || q->has_graphs;
        } else if (f.number == 7) {
            is_standard = f.bytes == 0 || (f.bytes == 7 && memcmp(f.data, "ai.onnx", 7) == 0);
        }
    }
    if (!is_standard || node.op == NULL) {
        free(node.op);
        node.op = cli_copy_text("", 0);
    }
    node.name = node.name == NULL ? cli_copy_text("", 0) : node.name;
    q->nodes = cli_grow(q->nodes, (size_t)q->n_nodes + 1, sizeof *q->nodes);
    q->nodes[q->n_nodes++] = node;
}

/* --- Graph ----------------------------------------------------------------------------------- */

/* The name in a message, field 1 of ports and 8 of tensors; where the tensor's data are. */
static void read_named(quantise *q, const oribi_wire *wire, const oribi_wire_field *field,
                       TF_Status *status)
{
    const uint32_t name = field->number == 5 ? 8 : 1;
    oribi_wire inner;
    oribi_wire_field f;
    if (!oribi_wire_enter(wire, field, &inner, status)) {
        return;
    }
    while (oribi_wire_next(&inner, &f, status)) {
        if (f.number == name && f.type == ORIBI_WIRE_BYTES) {
            quantise_value *v = &q->values[value_of(q, &f)];
            v->is_constant = v->is_constant || field->number == 5;
            v->is_input = v->is_input || field->number == 11;
            v->is_output = v->is_output || field->number == 12;
        } else if (field->number == 5 && f.number == 14 && f.value == 1) {
            TF_SetStatus(status, TF_UNIMPLEMENTED,
                         "weights lie in files of their own; store the model as one file first");
        }
    }
}

static void read_graph(quantise *q, const oribi_wire *wire, const oribi_wire_field *field,
                       TF_Status *status)
{
    oribi_wire graph;
    oribi_wire_field f;
    if (!oribi_wire_enter(wire, field, &graph, status)) {
        return;
    }
    while (TF_GetCode(status) == TF_OK && oribi_wire_next(&graph, &f, status)) {
        if (f.number == 1 && f.type == ORIBI_WIRE_BYTES) {
            read_node(q, &graph, &f, status);
        } else if (f.number == 5 || f.number == 11 || f.number == 12) {
            read_named(q, &graph, &f, status);
        }
    }
}

static void read_opset(quantise *q, const oribi_wire *wire, const oribi_wire_field *field,
                       TF_Status *status)
{
    static const char microsoft[] = "com.microsoft";
    oribi_wire inner;
    oribi_wire_field f;
    bool is_onnx = true;
    int64_t version = 0;
    if (!oribi_wire_enter(wire, field, &inner, status)) {
        return;
    }
    while (oribi_wire_next(&inner, &f, status)) {
        if (f.number == 1 && f.type == ORIBI_WIRE_BYTES) {
            is_onnx = f.bytes == 0 || (f.bytes == 7 && memcmp(f.data, "ai.onnx", 7) == 0);
            q->has_microsoft = q->has_microsoft || (f.bytes == sizeof microsoft - 1 &&
                                                    memcmp(f.data, microsoft, f.bytes) == 0);
        } else if (f.number == 2) {
            version = (int64_t)f.value;
        }
    }
    q->opset = is_onnx ? version : q->opset;
}

/* Who makes and who reads each value, and which are constants; nodes are in order. */
static void link_nodes(quantise *q)
{
    for (int i = 0; i < q->n_nodes; i++) {
        quantise_node *n = &q->nodes[i];
        n->is_constant = strncmp(n->op, "Random", 6) != 0 && strcmp(n->op, "Bernoulli") != 0 &&
                         n->op[0] != 0 && !q->has_graphs;
        for (int k = 0; k < n->n_inputs; k++) {
            if (n->inputs[k] >= 0) {
                q->values[n->inputs[k]].n_readers++;
                q->values[n->inputs[k]].reader = i;
                n->is_constant = n->is_constant && q->values[n->inputs[k]].is_constant;
            }
        }
        for (int k = 0; k < n->n_outputs; k++) {
            if (n->outputs[k] >= 0) {
                q->values[n->outputs[k]].producer = i;
                q->values[n->outputs[k]].is_constant = n->is_constant;
            }
        }
    }
}

int quantise_read(quantise *q, const char *path)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire_field f;
    int code = CLI_OK;

    *q = (quantise){.path = path, .ir = 3};
    cli_budget_begin(UINT64_MAX, 0, 0);
    q->file = cli_read_file(path, &q->bytes);
    if (q->file == NULL) {
        code = CLI_BAD_INPUT;
    }
    oribi_wire wire = oribi_wire_over(q->file, q->file == NULL ? 0 : q->bytes);
    while (code == CLI_OK && TF_GetCode(status) == TF_OK && oribi_wire_next(&wire, &f, status)) {
        if (f.number == 1) {
            q->ir = (int64_t)f.value;
        } else if (f.number == 7) {
            read_graph(q, &wire, &f, status);
        } else if (f.number == 8) {
            read_opset(q, &wire, &f, status);
        }
    }
    if (code == CLI_OK && TF_GetCode(status) == TF_UNIMPLEMENTED) {
        cli_error("%s: %s", path, TF_Message(status));
        code = CLI_UNSUPPORTED;
    } else if (code == CLI_OK && (TF_GetCode(status) != TF_OK || q->n_nodes == 0)) {
        cli_error("%s: no ONNX model; `quantise` reads ONNX of floats", path);
        code = CLI_UNSUPPORTED; /* the library has read it before, as another format */
    }
    link_nodes(q);
    TF_DeleteStatus(status);
    return code;
}

void quantise_free(quantise *q)
{
    for (int i = 0; i < q->n_values; i++) {
        free(q->values[i].name);
        free(q->values[i].bins);
        TF_DeleteTensor(q->values[i].constant);
        TF_DeleteTensor(q->values[i].real);
    }
    for (int i = 0; i < q->n_nodes; i++) {
        free(q->nodes[i].name);
        free(q->nodes[i].op);
        free(q->nodes[i].inputs);
        free(q->nodes[i].outputs);
        free(q->nodes[i].factor);
        free(q->nodes[i].term);
    }
    free(q->values);
    free(q->index);
    free(q->nodes);
    free(q->file);
}
