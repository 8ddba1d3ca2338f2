/* SPDX-License-Identifier: Apache-2.0 */
/* Operators with a state of their own, a variable tensor (tflite_variable.c): SVDF. */
#include "import/tflite/tflite.h"

enum { INPUT, FEATURE, TIME, BIAS, STATE };

/* The bias, or zeros. */
static oribi_value_id read_bias(oribi_tflite_node *n, TF_DataType type, int64_t units)
{
    const oribi_value_id bias = oribi_tflite_input(n, BIAS);
    return bias >= 0 ? bias : oribi_tflite_zeros(n, type, units);
}

static bool finish(oribi_tflite_node *n, const oribi_node *node, oribi_value_id output)
{
    return node != NULL && oribi_tflite_bind(n, 0, output) &&
           oribi_tflite_set_state(n, STATE, node->outputs[1]);
}

static bool svdf_f32(oribi_tflite_node *n, int64_t rank, const oribi_value_id *inputs)
{
    const oribi_node *node =
        oribi_tflite_emit_node(n, "Oribi>Svdf", inputs, 5, ATTRS(ATTR_INT("rank", rank)), 2);
    const oribi_value_id y =
        node == NULL ? -1 : oribi_tflite_activate(n, node->outputs[0], oribi_tflite_byte(n, 1, 0));
    return finish(n, node, y);
}

static bool svdf_s8(oribi_tflite_node *n, int64_t rank, const oribi_value_id *inputs)
{
    oribi_tflite_quant in = {0}, feature = {0}, time = {0}, state = {0}, out = {0};
    ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[INPUT], "the input", &in) &&
              oribi_tflite_quant_of(n, n->inputs[FEATURE], "the feature filter", &feature) &&
              oribi_tflite_quant_of(n, n->inputs[TIME], "the time filter", &time) &&
              oribi_tflite_quant_of(n, n->inputs[STATE], "the state", &state) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    if (oribi_tflite_byte(n, 1, 0) != ORIBI_TFLITE_ACT_RELU) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "int8 SVDF supports only the activation RELU");
    }
    const bool is_narrow = oribi_tflite_dtype_in(n, STATE) == TF_INT8;
    if (is_narrow && oribi_tflite_rounds_as_tflite(n)) {
        return oribi_tflite_fail(
            n, TF_UNIMPLEMENTED,
            "SVDF with a state of int8 is not supported in the variant tflite, "
            "whose interpreter does not have it");
    }
    if (feature.zero != 0 || time.zero != 0 || (state.zero != 0 && !is_narrow)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "weights or a state with a zero point are not supported");
    }
    const oribi_emit_attr attrs[] = {ATTR_INT("rank", rank),
                                     ATTR_FLOAT("input_scale", in.scale),
                                     ATTR_INT("input_zero", in.zero),
                                     ATTR_FLOAT("output_scale", out.scale),
                                     ATTR_INT("output_zero", out.zero),
                                     ATTR_FLOAT("feature_scale", feature.scale),
                                     ATTR_FLOAT("time_scale", time.scale),
                                     ATTR_FLOAT("state_scale", state.scale),
                                     ATTR_INT("state_zero", state.zero)};
    const oribi_node *node = oribi_tflite_emit_node(
        n, is_narrow ? "Oribi>QNarrowSvdf" : "Oribi>QSvdf", inputs, 5, attrs, is_narrow ? 9 : 8, 2);
    return finish(n, node, node == NULL ? -1 : node->outputs[0]);
}

static bool svdf(oribi_tflite_node *n)
{
    const int64_t rank = oribi_tflite_int(n, 0, 0);
    const bool is_int8 = oribi_tflite_is_int8(n);
    const TF_DataType cell = oribi_tflite_dtype_in(n, STATE) == TF_INT8 ? TF_INT8 : TF_INT16;
    const TF_DataType wanted[4] = {is_int8 ? TF_INT8 : TF_FLOAT, is_int8 ? TF_INT8 : TF_FLOAT,
                                   is_int8 ? cell : TF_FLOAT, is_int8 ? TF_INT32 : TF_FLOAT};
    for (int32_t i = 0; i < 4; i++) {
        const TF_DataType type = oribi_tflite_dtype_in(n, i);
        const bool is_hybrid = (i == FEATURE || i == TIME) && oribi_tflite_is_hybrid(n, INPUT, i);
        if (type != wanted[i] && !is_hybrid && (i != BIAS || n->inputs[i] != NULL)) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                     "SVDF does not support input %d of type %s", (int)i,
                                     type == 0 ? "?" : oribi_dtype_name(type));
        }
    }
    if (rank < 1) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "rank %lld", (long long)rank);
    }
    const oribi_value_id feature =
        is_int8 ? oribi_tflite_input(n, FEATURE) : oribi_tflite_weights_in(n, FEATURE);
    const int64_t filters = oribi_tflite_dim(n, feature, 0);
    oribi_value_id x = oribi_tflite_input(n, INPUT);
    if (oribi_tflite_is_hybrid(n, INPUT, FEATURE)) {
        x = oribi_tflite_through_bytes(n, x, 1, oribi_tflite_byte(n, 2, 0) != 0);
    }
    const oribi_value_id inputs[5] = {
        x, feature, is_int8 ? oribi_tflite_input(n, TIME) : oribi_tflite_weights_in(n, TIME),
        read_bias(n, wanted[BIAS], filters / rank), oribi_tflite_state(n, STATE)};
    return is_int8 ? svdf_s8(n, rank, inputs) : svdf_f32(n, rank, inputs);
}

/* clang-format off */
const oribi_tflite_row oribi_tflite_recurrent_rows[] = {
    {27, 6, 3, 5, 1, svdf, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
/* clang-format on */
