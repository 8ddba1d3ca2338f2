/* SPDX-License-Identifier: Apache-2.0 */
/* Integer products whose sums a model makes float and scales by steps of its own, as dynamically
 * quantised ones do (MatMulInteger, Cast, Mul): the op does all of it, in the same arithmetic. */
#include "pass/qdq_internal.h"

bool oribi_qdq_is_integer_product(const oribi_graph *graph, const oribi_node *node)
{
    return !node->is_dead && node->op != NULL && node->n_outputs == 1 &&
           graph->values[node->outputs[0]]->dtype == TF_INT32 && node->n_inputs == 5 &&
           oribi_attrs_find(&node->attrs, "Ty") != NULL &&
           oribi_pass_traits(node).cost == ORIBI_COST_MATMUL && !oribi_pass_is_foreign(node);
}

/* The product whose sums the value is, as float. NULL: it is not, or something else reads them. */
static oribi_node *product_of(const oribi_qdq *q, oribi_value_id value)
{
    const oribi_node *cast = oribi_qdq_sole_producer(q, value);
    if (cast == NULL || !oribi_pass_is_cast(cast) || q->graph->values[value]->dtype != TF_FLOAT) {
        return NULL;
    }
    oribi_node *product = oribi_qdq_sole_producer(q, cast->inputs[0]);
    return product != NULL && oribi_qdq_is_integer_product(q->graph, product) ? product : NULL;
}

/* One scale, or one for each column, as a vector. -1: another form, or, with a status, failed. */
static oribi_value_id scales_of(oribi_qdq *q, oribi_value_id scale, const oribi_node *product)
{
    const oribi_value *value = q->graph->values[scale];
    const oribi_shape *sums = &q->graph->values[product->outputs[0]]->shape;
    const oribi_shape *shape = &value->shape;
    if (value->dtype != TF_FLOAT || sums->rank < 2 || shape->rank > sums->rank ||
        !oribi_shape_is_full(shape)) {
        return -1;
    }
    int64_t count = 1;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] != 1 && i != shape->rank - 1) {
            return -1;
        }
        count = shape->dims[i];
    }
    if (count != 1 && count != sums->dims[sums->rank - 1]) {
        return -1;
    }
    return shape->rank == 1 ? scale : oribi_qdq_reshape(q, scale, &count, 1, product);
}

bool oribi_qdq_scale_sums(oribi_qdq *q, oribi_node *node)
{
    if (!oribi_pass_computes(node, ORIBI_FORMULA_PRODUCT) || node->n_inputs != 2 ||
        oribi_pass_is_foreign(node)) {
        return false;
    }
    for (int32_t i = 0; i < 2; i++) {
        const oribi_node *product = product_of(q, node->inputs[i]);
        const oribi_value_id scales =
            product != NULL ? scales_of(q, node->inputs[1 - i], product) : -1;
        if (scales < 0) {
            ORIBI_TRY(oribi_ok(q->status));
            continue;
        }
        const oribi_value_id inputs[] = {product->inputs[0], product->inputs[1], product->inputs[2],
                                         product->inputs[3], scales};
        const oribi_attr attrs[] = {QDQ_TYPE("Ty", TF_FLOAT), QDQ_INT("output_zero", 0)};
        const oribi_node *made = oribi_qdq_add(q, product->op_name, product, inputs, 5, attrs, 2);
        if (made != NULL) {
            oribi_pass_take_over(q->graph, node->outputs[0], made->outputs[0]);
            q->n_made++;
        }
        return made != NULL;
    }
    return false;
}
