/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes compute on bytes? Those for which src/pass/qdq.c has integer kernels. Their inputs
 * and results are quantised, but for what goes straight into a rectifier, which becomes bounds, and
 * for products whose result only float operators read, which are sums times a scale.
 */
#include <stdlib.h>
#include <string.h>

#include "quantise/quantise.h"

typedef enum kind {
    OTHER,
    LAYER,    /* weights at input 1 */
    PRODUCT,  /* the same; the result may stay float */
    ELEMENT,  /* of two operands, of which one may be constant */
    FUNCTION, /* of one operand */
    RECTIFIER,
    MOVE, /* what goes in comes out, elsewhere */
    JOIN
} kind;

static const struct {
    const char *op;
    kind kind;
} kinds[] = {
    {"Conv", LAYER},
    {"Gemm", PRODUCT},
    {"MatMul", PRODUCT},
    {"Add", ELEMENT},
    {"Mul", ELEMENT},
    {"AveragePool", FUNCTION},
    {"GlobalAveragePool", FUNCTION},
    {"Sigmoid", FUNCTION},
    {"Tanh", FUNCTION},
    {"LeakyRelu", FUNCTION},
    {"HardSigmoid", FUNCTION},
    {"HardSwish", FUNCTION},
    {"Elu", FUNCTION},
    {"Relu", RECTIFIER},
    {"Clip", RECTIFIER},
    {"MaxPool", MOVE},
    {"Reshape", MOVE},
    {"Flatten", MOVE},
    {"Transpose", MOVE},
    {"Squeeze", MOVE},
    {"Unsqueeze", MOVE},
    {"Slice", MOVE},
    {"Identity", MOVE},
    {"Dropout", MOVE},
    {"Concat", JOIN},
};

static kind kind_of(const quantise_node *n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].op, n->op) == 0) {
            return kinds[i].kind;
        }
    }
    return OTHER;
}

/* --- Attributes ------------------------------------------------------------------------------ */

static bool find_attr(const quantise_node *node, const char *name, uint32_t number,
                      oribi_wire_field *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(node->data, node->bytes), inner;
    oribi_wire_field f, g;
    bool found = false;

    while (!found && oribi_wire_next(&wire, &f, status)) {
        bool is_it = false, has_value = false;
        if (f.number != 5 || !oribi_wire_enter(&wire, &f, &inner, status)) {
            continue;
        }
        while (oribi_wire_next(&inner, &g, status)) {
            is_it = is_it || (g.number == 1 && g.bytes == strlen(name) &&
                              memcmp(g.data, name, g.bytes) == 0);
            has_value = has_value || g.number == number;
            *out = g.number == number ? g : *out;
        }
        found = is_it && has_value;
    }
    TF_DeleteStatus(status);
    return found;
}

int64_t quantise_attr_int(const quantise_node *node, const char *name, int64_t fallback)
{
    oribi_wire_field f = {0};
    return find_attr(node, name, 3, &f) ? (int64_t)f.value : fallback;
}

float quantise_attr_float(const quantise_node *node, const char *name, float fallback)
{
    oribi_wire_field f = {0};
    if (find_attr(node, name, 2, &f) && f.type == ORIBI_WIRE_32) {
        const uint32_t bits = (uint32_t)f.value;
        memcpy(&fallback, &bits, sizeof bits);
    }
    return fallback;
}

/* --- Which nodes ----------------------------------------------------------------------------- */

static bool is_float(const TF_Tensor *tensor)
{
    return tensor != NULL && TF_TensorType(tensor) == TF_FLOAT && TF_TensorElementCount(tensor) > 0;
}

static bool is_computed(const quantise *q, int value)
{
    return value >= 0 && !q->values[value].is_constant;
}

/* A layer of constant weights; its channels' dimension. */
static bool take_layer(const quantise *q, quantise_node *n)
{
    const TF_Tensor *w =
        n->n_inputs < 2 || n->inputs[1] < 0 ? NULL : q->values[n->inputs[1]].constant;
    if (n->n_inputs < 2 || !is_computed(q, n->inputs[0])) {
        return false;
    }
    if (is_computed(q, n->inputs[1])) {
        return strcmp(n->op, "MatMul") == 0; /* of two computed sides */
    }
    if (!is_float(w) || TF_NumDims(w) < 2) {
        return false;
    }
    n->weight = 1;
    n->axis = strcmp(n->op, "Conv") == 0                                             ? 0
              : strcmp(n->op, "Gemm") == 0 && quantise_attr_int(n, "transB", 0) != 0 ? 0
              : TF_NumDims(w) == 2                                                   ? 1
                                                                                     : -1;
    return true;
}

/* A constant is added to a product: that stays float, as the product's sums do. */
static bool is_bias(const quantise *q, const quantise_node *n, int value)
{
    const int from = q->values[value].producer;
    return strcmp(n->op, "Add") == 0 && from >= 0 && kind_of(&q->nodes[from]) == PRODUCT &&
           q->nodes[from].is_core && q->nodes[from].weight >= 0;
}

/* Two computed sides, or one and a constant of several elements, which becomes bytes, too. */
static bool take_element(const quantise *q, quantise_node *n)
{
    int n_computed = 0;
    for (int k = 0; k < n->n_inputs && n->n_inputs == 2; k++) {
        if (is_computed(q, n->inputs[k])) {
            n_computed++;
            if (!is_computed(q, n->inputs[1 - k]) && is_bias(q, n, n->inputs[k])) {
                return false;
            }
        } else if (n->inputs[k] >= 0 && is_float(q->values[n->inputs[k]].constant)) {
            n->weight = k;
            n->axis = -1;
        }
    }
    return n_computed == 2 || (n_computed == 1 && n->weight >= 0);
}

static bool is_taken_node(const quantise *q, quantise_node *n)
{
    switch (kind_of(n)) {
    case LAYER:
    case PRODUCT:
        return take_layer(q, n);
    case ELEMENT:
        return take_element(q, n);
    case FUNCTION:
    case RECTIFIER:
        return n->n_inputs > 0 && is_computed(q, n->inputs[0]);
    default:
        return false;
    }
}

/* --- Which values ---------------------------------------------------------------------------- */

static void join_groups(quantise *q, int a, int b)
{
    a = quantise_group(q, a);
    b = quantise_group(q, b);
    q->values[a].group = b;
}

/* Which values does a node that computes on bytes read, at once or moved? */
static bool *mark_read_as_bytes(const quantise *q)
{
    bool *marks = cli_alloc((size_t)q->n_values + 1);
    for (int i = q->n_nodes - 1; i >= 0; i--) { /* readers before what they read */
        const quantise_node *n = &q->nodes[i];
        const int out = n->n_outputs > 0 ? n->outputs[0] : -1;
        for (int k = 0; k < n->n_inputs && !n->is_gone; k++) {
            const bool moves = kind_of(n) == JOIN || (kind_of(n) == MOVE && k == 0);
            if (n->inputs[k] >= 0 && (n->is_core || (moves && out >= 0 && marks[out]))) {
                marks[n->inputs[k]] = true;
            }
        }
    }
    return marks;
}

static void take_values(quantise *q, const quantise_node *n, const bool *is_read_as_bytes)
{
    const int result = n->result >= 0 ? n->result : n->outputs[0];
    const quantise_node *reader = quantise_sole_reader(q, result);

    for (int k = 0; k < n->n_inputs; k++) {
        if (k < 2 && k != n->weight && is_computed(q, n->inputs[k]) &&
            (k == 0 || kind_of(n) == ELEMENT || kind_of(n) == PRODUCT)) {
            q->values[n->inputs[k]].is_taken = true;
        }
    }
    if (reader != NULL && kind_of(reader) == RECTIFIER && reader->is_core) {
        return; /* whose result it is that becomes bytes */
    }
    if (kind_of(n) == PRODUCT && n->weight >= 0 && !is_read_as_bytes[result]) {
        return;
    }
    q->values[result].is_taken = true;
}

/* A rectifier's own input is not quantised where it is the only reader: take it back. */
static void spare_rectified(quantise *q)
{
    for (int i = 0; i < q->n_nodes; i++) {
        const quantise_node *n = &q->nodes[i];
        if (n->is_core && kind_of(n) == RECTIFIER && q->values[n->inputs[0]].producer >= 0 &&
            quantise_sole_reader(q, n->inputs[0]) == n) {
            q->values[n->inputs[0]].is_taken = false;
        }
    }
}

void quantise_choose(quantise *q)
{
    for (int i = 0; i < q->n_nodes; i++) {
        quantise_node *n = &q->nodes[i];
        n->is_core = !n->is_gone && !n->is_constant && n->n_outputs > 0 && n->outputs[0] >= 0 &&
                     is_taken_node(q, n);
    }
    bool *marks = mark_read_as_bytes(q);
    for (int i = 0; i < q->n_nodes; i++) {
        const quantise_node *n = &q->nodes[i];
        const kind k = kind_of(n);
        if (n->is_core) {
            take_values(q, n, marks);
        } else if ((k == MOVE || k == JOIN) && n->n_outputs > 0 && n->outputs[0] >= 0) {
            for (int at = 0; at < (k == MOVE ? 1 : n->n_inputs); at++) {
                if (at < n->n_inputs && is_computed(q, n->inputs[at])) {
                    join_groups(q, n->outputs[0], n->inputs[at]);
                }
            }
        }
    }
    spare_rectified(q);
    free(marks);
}
