/* SPDX-License-Identifier: Apache-2.0 */
/* RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL, MULTINOMIAL: generators that a session keeps from run to
 * run. Without seeds they are those of seeds 0, the same in each session.
 */
#include "import/tflite/tflite.h"

/* LiteRT reads 64 bits and keeps the lower half, with its sign. */
static int64_t seed_of(oribi_tflite_node *n, int field)
{
    return (int32_t)(uint32_t)((uint64_t)oribi_tflite_long(n, field, 0) & UINT32_MAX);
}

static bool draw(oribi_tflite_node *n, const char *op, const oribi_value_id *inputs,
                 int32_t n_inputs, const oribi_emit_attr *attr)
{
    const oribi_dims scalar = {.n = 0};
    oribi_tflite_variable *kept = NULL;
    const int64_t seed = seed_of(n, 0), seed2 = seed_of(n, 1);
    const oribi_value_id drawn = oribi_tflite_keep(n, TF_INT64, &scalar, 0, &kept);
    const oribi_value_id all[3] = {inputs[0], n_inputs > 1 ? inputs[1] : drawn, drawn};
    const oribi_node *node =
        oribi_tflite_emit_node(n, op, all, n_inputs + 1,
                               ATTRS(*attr, ATTR_INT("seed", seed), ATTR_INT("seed2", seed2)), 2);
    if (node == NULL) {
        return false;
    }
    kept->current = node->outputs[1];
    return oribi_tflite_bind(n, 0, node->outputs[0]);
}

static bool uniform(oribi_tflite_node *n)
{
    const oribi_emit_attr kind = ATTR_TEXT("distribution", "UNIFORM");
    return draw(n, "Oribi>RandomNumbers", INPUTS(oribi_tflite_input(n, 0)), &kind);
}

static bool normal(oribi_tflite_node *n)
{
    const oribi_emit_attr kind = ATTR_TEXT("distribution", "NORMAL");
    return draw(n, "Oribi>RandomNumbers", INPUTS(oribi_tflite_input(n, 0)), &kind);
}

static bool multinomial(oribi_tflite_node *n)
{
    const oribi_emit_attr kind = ATTR_TYPE("Tout", n->outputs[0]->dtype);
    return draw(n, "Oribi>Multinomial", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
                &kind);
}

const oribi_tflite_row oribi_tflite_random_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {148, 114, 1, 1, 1, uniform, NULL},
    {146, 114, 1, 1, 1, normal, NULL},
    {149, 114, 2, 2, 1, multinomial, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
