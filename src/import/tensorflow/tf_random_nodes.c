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

const oribi_tf_row oribi_tf_random_rows[] = {
    {"Multinomial", 2, multinomial, NULL, NULL},
    {"RandomStandardNormal", 1, normal, NULL, NULL},
    {"RandomUniform", 1, uniform, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
