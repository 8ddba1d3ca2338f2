/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: with seeds those of TensorFlow's first run, in each run. Without, each node has
 * seeds of its own, by its name.
 */
#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

static int64_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(1469598103934665603);
    for (; *name != '\0'; name++) {
        hash = (hash ^ (uint8_t)*name) * UINT64_C(1099511628211);
    }
    return (int64_t)(hash >> 1);
}

static value drawn(maker m, from node, const char *op, const value *inputs, int32_t n,
                   const oribi_emit_attr *kind)
{
    const int64_t seed = oribi_tf_attr_int(node, "seed", 0);
    const int64_t seed2 = oribi_tf_attr_int(node, "seed2", 0);
    const value start = oribi_tf_number(m, TF_INT64, 0);
    const value all[] = {inputs[0], n > 1 ? inputs[1] : start, start};
    const oribi_node *made = oribi_tf_emit_node(
        m, op, all, n + 1,
        ATTRS(*kind, ATTR_INT("seed", seed),
              ATTR_INT("seed2", seed == 0 && seed2 == 0 ? hash_of(m->name) : seed2)),
        2);
    return made != NULL ? made->outputs[0] : -1;
}

static value numbers(maker m, from node, const char *distribution)
{
    const oribi_emit_attr kind = ATTR_TEXT("distribution", distribution);
    const value shape = oribi_tf_cast(m, node->inputs[0], TF_INT32);
    const value made = drawn(m, node, "Oribi>RandomNumbers", &shape, 1, &kind);
    return oribi_tf_cast(m, made, oribi_tf_attr_type(node, "dtype", TF_FLOAT));
}

static value uniform(maker m, from node)
{
    return numbers(m, node, "UNIFORM");
}

static value normal(maker m, from node)
{
    return numbers(m, node, "NORMAL");
}

static value multinomial(maker m, from node)
{
    const oribi_emit_attr kind =
        ATTR_TYPE("Tout", oribi_tf_attr_type(node, "output_dtype", TF_INT64));
    const value logits = oribi_tf_cast(m, node->inputs[0], TF_FLOAT);
    return drawn(m, node, "Oribi>Multinomial", (const value[]){logits, node->inputs[1]}, 2, &kind);
}

/* Two numbers of unsigned integers, or the first alone. */
static value unsigned_ints(maker m, int64_t first, int64_t second, bool is_pair)
{
    const value numbers[] = {oribi_tf_number(m, TF_INT64, (double)first),
                             oribi_tf_number(m, TF_INT64, (double)second)};
    return oribi_tf_cast(
        m, oribi_tf_emit(m, "Pack", numbers, is_pair ? 2 : 1, ATTRS(ATTR_INT("axis", 0))),
        TF_UINT64);
}

/* A generator that keeps a state draws its first numbers as one of this key and counter. */
static value keyed(maker m, from node, const char *op, TF_DataType dtype)
{
    const int64_t seed = oribi_tf_attr_int(node, "seed", 0);
    int64_t seed2 = oribi_tf_attr_int(node, "seed2", 0);
    if (seed == 0 && seed2 == 0) {
        seed2 = hash_of(m->name) & INT32_MAX;
    }
    value inputs[6] = {node->inputs[0], unsigned_ints(m, seed, 0, false),
                       unsigned_ints(m, 0, seed2, true), oribi_tf_int(m, 1)};
    const int32_t n_more = node->n_inputs > 2 ? 2 : 0; /* limits */
    for (int32_t i = 0; i < n_more; i++) {
        inputs[4 + i] = node->inputs[1 + i];
    }
    return oribi_tf_emit(m, op, inputs, 4 + n_more, ATTRS(ATTR_TYPE("dtype", dtype)));
}

static value truncated_normal(maker m, from node)
{
    return keyed(m, node, "StatelessTruncatedNormalV2",
                 oribi_tf_attr_type(node, "dtype", TF_FLOAT));
}

static value uniform_int(maker m, from node)
{
    return keyed(m, node, "StatelessRandomUniformIntV2", oribi_tf_dtype(m, node->inputs[1]));
}

const oribi_tf_row oribi_tf_random_rows[] = {
    {"Multinomial", 2, multinomial, NULL, NULL},
    {"RandomStandardNormal", 1, normal, NULL, NULL},
    {"RandomUniform", 1, uniform, NULL, NULL},
    {"RandomUniformInt", 3, uniform_int, NULL, NULL},
    {"TruncatedNormal", 1, truncated_normal, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
