/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of float inputs and weights of int8, which the converter makes unless it is told
 * otherwise ("dynamic range"). TFLite quantises the input of each batch by its range while the
 * model runs and multiplies integers. The same numbers come from float kernels over the input that
 * went through bytes (Oribi>ThroughBytes) and the weights times their scales, since sums of
 * products of bytes are exact in either.
 */
#include "import/tflite/tflite.h"

bool oribi_tflite_is_hybrid(const oribi_tflite_node *n, int32_t x, int32_t filter)
{
    return oribi_tflite_dtype_in(n, x) == TF_FLOAT && oribi_tflite_is_quantised(n, filter) &&
           oribi_tflite_dtype_in(n, filter) == TF_INT8;
}

/* The scales in the shape of the weights, all 1 but the dimension that has one for each place. */
static oribi_value_id scales_of(oribi_tflite_node *n, const oribi_tflite_tensor *tensor)
{
    const uint32_t count = tensor->scales.count;
    oribi_dims dims = oribi_tflite_dims_of(tensor);
    const int64_t axis = tensor->quantised_dimension;
    if (count != 1 && (axis < 0 || axis >= dims.n || dims.at[axis] != (int64_t)count)) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "the weights have %u scales along dimension %lld",
                          (unsigned)count, (long long)axis);
        return -1;
    }
    float *scales = oribi_arena_array(&n->tflite->scratch, (size_t)count, sizeof *scales);
    if (scales == NULL || !oribi_tflite_spend(n->tflite, count + tensor->zeros.count, n->status)) {
        n->failed = true;
        if (scales == NULL) {
            oribi_fail_memory(n->status);
        }
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        scales[i] = oribi_flat_float_at(&tensor->scales, i);
    }
    for (uint32_t i = 0; i < tensor->zeros.count; i++) {
        if (oribi_flat_int64_at(&tensor->zeros, i) != 0) {
            oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                              "weights of int8 with a zero point are not supported");
            return -1;
        }
    }
    for (int32_t i = 0; i < dims.n; i++) {
        dims.at[i] = count > 1 && i == axis ? dims.at[i] : 1;
    }
    const oribi_value_id id = oribi_graph_add_constant_copy(n->graph, "scales", TF_FLOAT, dims.at,
                                                            dims.n, scales, n->status);
    n->failed = id < 0;
    return id;
}

oribi_value_id oribi_tflite_weights_in(oribi_tflite_node *n, int32_t i)
{
    const oribi_value_id weights = oribi_tflite_input(n, i);
    if (weights < 0 || oribi_tflite_dtype_in(n, i) == TF_FLOAT) {
        return weights;
    }
    return oribi_tflite_scaled(n, weights, scales_of(n, n->inputs[i]));
}

oribi_value_id oribi_tflite_scaled(oribi_tflite_node *n, oribi_value_id weights,
                                   oribi_value_id scales)
{
    const oribi_value_id wide =
        oribi_tflite_emit(n, "Cast", INPUTS(weights), ATTRS(ATTR_TYPE("DstT", TF_FLOAT)));
    return oribi_tflite_emit(n, "Mul", INPUTS(wide, scales), NO_ATTRS);
}

oribi_value_id oribi_tflite_through_bytes(oribi_tflite_node *n, oribi_value_id x, int64_t lead,
                                          bool asymmetric)
{
    return oribi_tflite_emit(n, "Oribi>ThroughBytes", INPUTS(x),
                             ATTRS(ATTR_INT("lead", lead), ATTR_BOOL("asymmetric", asymmetric)));
}
