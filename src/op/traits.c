/* SPDX-License-Identifier: Apache-2.0 */
/* The traits of one node: of those that its op declares, which hold for its attributes, with flat
 * inputs. How they were read: spec_trait.c.
 */
#include "op/traits.h"

#include <string.h>

static const TF_DataType *type_of(const oribi_attrs *attrs, const char *name)
{
    const oribi_attr *attr = oribi_attrs_find(attrs, name);
    return attr != NULL && attr->kind == TF_ATTR_TYPE && attr->count == 1 ? attr->u.type : NULL;
}

/* An attribute that is absent or of another kind equals nothing and differs from nothing. */
static bool condition_holds(const oribi_trait_condition *condition, const oribi_attrs *attrs)
{
    bool is_equal;
    if (condition->is_of_sizes) {
        const TF_DataType *a = type_of(attrs, condition->attr),
                          *b = type_of(attrs, condition->other);
        if (a == NULL || b == NULL) {
            return false;
        }
        is_equal = oribi_dtype_bytes(*a) == oribi_dtype_bytes(*b);
    } else {
        const oribi_attr *a = oribi_attrs_find(attrs, condition->attr);
        const oribi_attr *b =
            condition->other != NULL ? oribi_attrs_find(attrs, condition->other) : condition->value;
        if (a == NULL || b == NULL) {
            return false;
        }
        is_equal = oribi_attr_equal(a, b);
    }
    return is_equal != condition->is_different;
}

static bool holds(const oribi_trait_def *trait, const oribi_attrs *attrs)
{
    for (int32_t i = 0; i < trait->n_conditions; i++) {
        if (!condition_holds(&trait->conditions[i], attrs)) {
            return false;
        }
    }
    return true;
}

bool oribi_op_is(const oribi_op_def *op, const oribi_attrs *attrs, uint32_t traits)
{
    uint32_t is = 0;
    for (int32_t i = 0; op != NULL && i < op->n_traits && (is & traits) != traits; i++) {
        is |= (op->traits[i].is & traits & ~is) != 0 && holds(&op->traits[i], attrs)
                  ? op->traits[i].is
                  : 0;
    }
    return (is & traits) == traits;
}

static bool is_channels_first(const oribi_attrs *attrs)
{
    const oribi_attr *format = oribi_attrs_find(attrs, "data_format");
    return format != NULL && format->kind == TF_ATTR_STRING && format->count == 1 &&
           strncmp(format->u.s->data, "NC", 2) == 0;
}

static int32_t flat(const oribi_signature *signature, int32_t argument)
{
    return argument < 0 ? -1 : signature->input_arg_start[argument];
}

static uint64_t flat_bits(const oribi_signature *signature, uint64_t bits)
{
    uint64_t out = 0;
    for (; bits != 0; bits &= bits - 1) {
        const int i = __builtin_ctzll(bits); /* of an input of the op, when it was parsed */
        for (int32_t k = signature->input_arg_start[i];
             k < signature->input_arg_start[i + 1] && k < 64; k++) {
            out |= UINT64_C(1) << k;
        }
    }
    return out;
}

static void take(const oribi_trait_def *trait, const oribi_attrs *attrs,
                 const oribi_signature *signature, oribi_traits *out)
{
    out->is |= trait->is;
    if (trait->batch != 0) {
        out->batch |= flat_bits(signature, trait->batch);
        return; /* the word says nothing else */
    }
    const oribi_attr *keep =
        trait->keep_attr != NULL ? oribi_attrs_find(attrs, trait->keep_attr) : NULL;
    const oribi_attr *axis =
        trait->axis_attr != NULL ? oribi_attrs_find(attrs, trait->axis_attr) : NULL;
    if (trait->n_data > 0) {
        out->data = flat(signature, trait->data);
        out->n_data = flat(signature, trait->data + trait->n_data) - out->data;
    }
    out->axes = trait->axes >= 0 ? flat(signature, trait->axes) : out->axes;
    out->more = trait->more >= 0 ? flat(signature, trait->more) : out->more;
    out->last = trait->last >= 0 ? flat(signature, trait->last) : out->last;
    out->weights = trait->weights >= 0 ? flat(signature, trait->weights) : out->weights;
    if (trait->cost != ORIBI_COST_NONE) {
        out->cost = trait->cost;
        out->has_channels_first = is_channels_first(attrs);
    }
    out->formula = trait->formula != ORIBI_FORMULA_NONE ? trait->formula : out->formula;
    out->told = trait->told != ORIBI_TOLD_NOTHING ? trait->told : out->told;
    out->axis_attr = trait->axis_attr != NULL ? trait->axis_attr : out->axis_attr;
    out->format_attr = trait->format_attr != NULL ? trait->format_attr : out->format_attr;
    out->axis = trait->axis != 0 ? trait->axis : out->axis;
    if (axis != NULL && axis->kind == TF_ATTR_INT && axis->count == 1) {
        out->axis = axis->u.i[0];
    }
    out->keeps_dims |=
        keep != NULL && keep->kind == TF_ATTR_BOOL && keep->count == 1 && keep->u.b[0] != 0;
    out->vectors |= trait->vectors != 0 ? flat_bits(signature, trait->vectors) : 0;
    out->parameters |= trait->parameters != 0 ? flat_bits(signature, trait->parameters) : 0;
    out->packed |= trait->packed != 0 ? flat_bits(signature, trait->packed) : 0;
}

void oribi_op_traits(const oribi_op_def *op, const oribi_attrs *attrs,
                     const oribi_signature *signature, oribi_traits *out)
{
    *out = (oribi_traits){.data = -1, .axes = -1, .more = -1, .last = -1, .weights = -1};
    for (int32_t i = 0; op != NULL && i < op->n_traits; i++) {
        if (holds(&op->traits[i], attrs)) {
            take(&op->traits[i], attrs, signature, out);
        }
    }
}

double oribi_traits_products(const oribi_traits *traits, const oribi_shape *weights,
                             const oribi_shape *output)
{
    const int32_t axis = traits->has_channels_first ? 1 : output->rank - 1;
    const int32_t first =
        traits->cost == ORIBI_COST_MATMUL && weights->rank > 2 ? weights->rank - 2 : 0;
    if (traits->cost == ORIBI_COST_NONE || weights->rank < 1 || axis < 0 || axis >= output->rank ||
        output->dims[axis] < 1) {
        return 0;
    }
    double products = 1.0 / (double)output->dims[axis];
    for (int32_t i = first; i < weights->rank; i++) {
        products *= weights->dims[i] > 0 ? (double)weights->dims[i] : 0;
    }
    return products;
}
