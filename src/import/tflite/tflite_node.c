/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one operator: options, inputs as values, quantisation. Making nodes: tflite_emit.c. */
#include "import/tflite/tflite.h"

#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"

bool oribi_tflite_spend(oribi_tflite *tflite, uint64_t elements, TF_Status *status)
{
    if (elements > tflite->budget) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "the file uses the same lists again and again: it describes far more "
                          "than its %zu bytes hold",
                          tflite->file.bytes);
    }
    tflite->budget -= elements;
    return true;
}

const oribi_emit_from *oribi_tflite_from(oribi_tflite_node *n)
{
    n->from = (oribi_emit_from){n->graph,   n->label,         n->origin,           n->status,
                                &n->failed, &n->wants_shapes, &n->tflite->is_unfit};
    return &n->from;
}

/* --- Options ---------------------------------------------------------------------------------- */

static int64_t read_option(oribi_tflite_node *n, int field, int bytes, int64_t absent)
{
    int64_t value = absent;
    if (!n->failed && !oribi_flat_read_int(&n->options, field, bytes, true, absent,
                                           "an operator's option", &value, n->status)) {
        n->failed = true;
    }
    return value;
}

int64_t oribi_tflite_int(oribi_tflite_node *n, int field, int64_t absent)
{
    return read_option(n, field, 4, absent);
}

int64_t oribi_tflite_long(oribi_tflite_node *n, int field, int64_t absent)
{
    return read_option(n, field, 8, absent);
}

int64_t oribi_tflite_byte(oribi_tflite_node *n, int field, int64_t absent)
{
    return read_option(n, field, 1, absent);
}

float oribi_tflite_float(oribi_tflite_node *n, int field, float absent)
{
    float value = absent;
    if (!n->failed && !oribi_flat_read_float(&n->options, field, absent, "an operator's option",
                                             &value, n->status)) {
        n->failed = true;
    }
    return value;
}

float oribi_tflite_finite(oribi_tflite_node *n, int field, float absent, const char *what)
{
    const float value = oribi_tflite_float(n, field, absent);
    if (!n->failed && !isfinite(value)) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "%s is %g, which is not a finite number", what,
                          (double)value);
    }
    return value;
}

bool oribi_tflite_dims_option(oribi_tflite_node *n, int field, oribi_dims *out)
{
    oribi_flat_vector vector = {0};
    out->n = 0;
    if (n->failed || !oribi_flat_read_vector(&n->options, field, 4, "an operator's option", &vector,
                                             n->status)) {
        n->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < vector.count; i++) {
        if (!oribi_dims_add(out, oribi_flat_int32_at(&vector, i))) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "a list has %u values; at most %d are supported",
                                     (unsigned)vector.count, ORIBI_MAX_RANK);
        }
    }
    return vector.file != NULL;
}

/* --- Inputs ----------------------------------------------------------------------------------- */

/* Elements of int4 as int8: the lower half of each byte comes first. */
static bool unpack_constant(oribi_tflite_node *n, oribi_tflite_tensor *tensor, const char *name,
                            const int64_t *dims, size_t count)
{
    const uint8_t *data = tensor->data.file->data + tensor->data.at;
    int8_t *values = NULL;
    if (oribi_graph_charge(n->graph, count, n->status)) {
        values = oribi_arena_array(&n->tflite->scratch, count + 1, 1);
        if (values == NULL) {
            oribi_fail_memory(n->status);
        }
    }
    for (size_t i = 0; values != NULL && i < count; i++) {
        const int value = data[i / 2] >> (i % 2 * 4) & 15;
        values[i] = (int8_t)(value < 8 ? value : value - 16);
    }
    tensor->value = values == NULL ? ORIBI_TFLITE_UNMADE
                                   : oribi_graph_add_constant_copy(n->graph, name, TF_INT8, dims,
                                                                   (int32_t)tensor->shape.count,
                                                                   values, n->status);
    n->failed = tensor->value < 0;
    tensor->value = n->failed ? ORIBI_TFLITE_UNMADE : tensor->value;
    return !n->failed;
}

static bool add_sparse(oribi_tflite_node *n, oribi_tflite_tensor *tensor, const oribi_dims *dims,
                       size_t bytes)
{
    const char *name = oribi_import_text(&n->tflite->scratch, &tensor->name);
    const void *values = name == NULL ? NULL : oribi_tflite_expand(n, tensor, bytes);
    if (name == NULL || values == NULL) {
        n->failed = true;
        return name == NULL ? oribi_fail_memory(n->status) : false;
    }
    const oribi_value_id value = oribi_graph_add_constant_copy(
        n->graph, name, tensor->dtype, dims->at, dims->n, values, n->status);
    n->failed = value < 0;
    tensor->value = n->failed ? ORIBI_TFLITE_UNMADE : value;
    return !n->failed;
}

/* The tensor's data as a constant of the graph, in place. */
static bool add_constant(oribi_tflite_node *n, oribi_tflite_tensor *tensor)
{
    const oribi_dims dims = oribi_tflite_dims_of(tensor);
    size_t bytes = 0;
    static const uint8_t nothing[1];
    for (int32_t i = 0; i < dims.n; i++) {
        if (dims.at[i] < 0) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "dimension %d of a constant is negative (tensor at byte %zu)",
                                     (int)i, tensor->offset);
        }
    }
    const bool fits = oribi_size_of_dims(dims.at, dims.n, oribi_dtype_bytes(tensor->dtype), &bytes);
    if (fits && tensor->is_sparse) {
        return add_sparse(n, tensor, &dims, bytes);
    }
    if (!fits || (tensor->is_packed ? bytes / 2 + bytes % 2 : bytes) != tensor->data.count) {
        return oribi_tflite_fail(
            n, TF_INVALID_ARGUMENT,
            "a constant has %u bytes, but its shape needs %zu (tensor at byte %zu)",
            (unsigned)tensor->data.count, bytes, tensor->offset);
    }
    const char *name = oribi_import_text(&n->tflite->scratch, &tensor->name);
    ORIBI_TRY(name != NULL || oribi_tflite_no_memory(n));
    if (tensor->is_packed) {
        return unpack_constant(n, tensor, name, dims.at, bytes);
    }
    const uint8_t *data =
        tensor->data.file != NULL ? tensor->data.file->data + tensor->data.at : nothing;
    oribi_constant_view view = {tensor->dtype, dims.n, dims.at, NULL, data};
    oribi_source_retain(n->tflite->source);
    tensor->value = oribi_graph_add_constant(n->graph, name, &view, n->tflite->source, n->status);
    n->failed = tensor->value < 0;
    tensor->value = n->failed ? ORIBI_TFLITE_UNMADE : tensor->value;
    return !n->failed;
}

oribi_value_id oribi_tflite_input(oribi_tflite_node *n, int32_t i)
{
    if (n->failed || i >= n->n_inputs || n->inputs[i] == NULL) {
        return -1;
    }
    oribi_tflite_tensor *tensor = n->inputs[i];
    if (tensor->value >= 0) {
        return tensor->value;
    }
    const char *why = tensor->is_variable  ? "is a variable"
                      : tensor->dtype == 0 ? "has an element type that is not supported"
                                           : NULL;
    if (why != NULL) {
        const char *type = oribi_tflite_type_name(tensor->type);
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "input %d %s (%s)", (int)i, why,
                          type != NULL ? type : "unknown type");
        return -1;
    }
    if (!add_constant(n, tensor)) {
        return -1;
    }
    if (!oribi_tflite_quantise(n->graph, tensor, tensor->value, n->status)) {
        n->failed = true;
        return -1;
    }
    return tensor->value;
}

TF_DataType oribi_tflite_dtype_in(const oribi_tflite_node *n, int32_t i)
{
    return i < n->n_inputs && n->inputs[i] != NULL ? n->inputs[i]->dtype : (TF_DataType)0;
}

oribi_dims oribi_tflite_dims_of(const oribi_tflite_tensor *tensor)
{
    oribi_dims dims = {0};
    for (uint32_t i = 0; i < tensor->shape.count; i++) {
        const int32_t dim = oribi_flat_int32_at(&tensor->shape, i);
        (void)oribi_dims_add(&dims, dim < 0 ? -1 : dim); /* as many as fit (read_tensor) */
    }
    return dims;
}

bool oribi_tflite_dims(oribi_tflite_node *n, oribi_value_id value, oribi_dims *out)
{
    if (n->failed || value < 0) {
        return false;
    }
    const oribi_shape *shape = &n->graph->values[value]->shape;
    if (shape->rank < 0) {
        return oribi_tflite_want_shapes(n, "the rank of '%s' must be known",
                                        n->graph->values[value]->name);
    }
    return oribi_dims_set(out, shape->dims, shape->rank) ||
           oribi_tflite_fail(n, TF_UNIMPLEMENTED, "'%s' has rank %d; at most %d is supported",
                             n->graph->values[value]->name, (int)shape->rank, ORIBI_MAX_RANK);
}

int32_t oribi_tflite_rank(const oribi_tflite_node *n, oribi_value_id value)
{
    return value < 0 ? -1 : n->graph->values[value]->shape.rank;
}

int64_t oribi_tflite_dim(const oribi_tflite_node *n, oribi_value_id value, int32_t axis)
{
    if (value < 0) {
        return -1;
    }
    const oribi_shape *shape = &n->graph->values[value]->shape;
    return axis >= 0 && axis < shape->rank ? shape->dims[axis] : -1;
}

/* --- Quantisation ----------------------------------------------------------------------------- */

oribi_quantisation oribi_tflite_quantisation(const oribi_tflite_tensor *tensor)
{
    const oribi_quantisation none = {0};
    const uint32_t n = tensor->scales.count;
    if (n == 0 || (tensor->zeros.count != 0 && tensor->zeros.count != n)) {
        return none;
    }
    return oribi_graph_quantisation(tensor->dtype, n, tensor->quantised_dimension,
                                    (double)oribi_flat_float_at(&tensor->scales, 0),
                                    tensor->zeros.count > 0 ? oribi_flat_int64_at(&tensor->zeros, 0)
                                                            : 0);
}

static void read_units(const void *arg, int32_t i, double *scale, int64_t *zero)
{
    const oribi_tflite_tensor *tensor = arg;
    *scale = (double)oribi_flat_float_at(&tensor->scales, (uint32_t)i);
    *zero = tensor->zeros.count > 0 ? oribi_flat_int64_at(&tensor->zeros, (uint32_t)i) : 0;
}

bool oribi_tflite_quantise(oribi_graph *graph, const oribi_tflite_tensor *tensor,
                           oribi_value_id value, TF_Status *status)
{
    const oribi_quantisation said = oribi_tflite_quantisation(tensor);
    return oribi_graph_quantise(graph, graph->values[value], &said, read_units, tensor, status);
}

bool oribi_tflite_quant_of(oribi_tflite_node *n, const oribi_tflite_tensor *tensor,
                           const char *what, oribi_tflite_quant *out)
{
    if (n->failed) {
        return false;
    }
    if (tensor->scales.count != 1 || tensor->zeros.count > 1) {
        return oribi_tflite_fail(
            n, TF_INVALID_ARGUMENT, "%s must have one scale and one zero point, but has %u and %u",
            what, (unsigned)tensor->scales.count, (unsigned)tensor->zeros.count);
    }
    float scale = oribi_flat_float_at(&tensor->scales, 0);
    int64_t zero = tensor->zeros.count == 0 ? 0 : oribi_flat_int64_at(&tensor->zeros, 0);
    const bool is_byte = tensor->dtype == TF_UINT8, is_wide = tensor->dtype == TF_INT16;
    const int64_t low = is_byte ? 0 : is_wide ? INT16_MIN : INT8_MIN;
    const int64_t high = is_byte ? UINT8_MAX : is_wide ? INT16_MAX : INT8_MAX;
    if (!isfinite(scale) || !(scale > 0.0f) || zero < low || zero > high) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "%s has scale %g and zero point %" PRId64
                                 "; a positive scale and a zero point of %s are possible",
                                 what, (double)scale, zero,
                                 is_byte   ? "uint8"
                                 : is_wide ? "int16"
                                           : "int8");
    }
    *out = (oribi_tflite_quant){scale, zero};
    return true;
}

bool oribi_tflite_is_int8(const oribi_tflite_node *n)
{
    return oribi_tflite_dtype_in(n, 0) == TF_INT8 && n->inputs[0]->scales.count > 0;
}

int32_t oribi_tflite_variant_find(const char *name)
{
    static const char *const names[] = {[ORIBI_VARIANT_TFLM] = "tflm",
                                        [ORIBI_VARIANT_TFLITE] = "tflite",
                                        [ORIBI_VARIANT_LITERT] = "litert"};
    for (int32_t i = 0; i < (int32_t)(sizeof names / sizeof *names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

bool oribi_tflite_rounds_as_tflite(const oribi_tflite_node *n)
{
    return n->tflite->options != NULL && n->tflite->options->tflite_variant != ORIBI_VARIANT_TFLM;
}

bool oribi_tflite_rounds_as_litert(const oribi_tflite_node *n)
{
    return n->tflite->options != NULL && n->tflite->options->tflite_variant == ORIBI_VARIANT_LITERT;
}

bool oribi_tflite_is_bytes(const oribi_tflite_node *n)
{
    return oribi_tflite_is_quantised(n, 0) && oribi_tflite_dtype_in(n, 0) != TF_INT16;
}

bool oribi_tflite_is_quantised(const oribi_tflite_node *n, int32_t i)
{
    const TF_DataType type = oribi_tflite_dtype_in(n, i);
    return (type == TF_INT8 || type == TF_UINT8 || type == TF_INT16) &&
           n->inputs[i]->scales.count > 0;
}

bool oribi_tflite_same_quant(oribi_tflite_node *n, const oribi_tflite_tensor *a,
                             const oribi_tflite_tensor *b)
{
    oribi_tflite_quant qa = {0}, qb = {0};
    return oribi_tflite_quant_of(n, a, "the input", &qa) &&
           oribi_tflite_quant_of(n, b, "the output", &qb) && !(qa.scale < qb.scale) &&
           !(qa.scale > qb.scale) && qa.zero == qb.zero;
}
