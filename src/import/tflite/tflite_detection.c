/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind detectors: NON_MAX_SUPPRESSION_V4 and V5, and the custom operator
 * TFLite_Detection_PostProcess.
 */
#include <string.h>

#include "import/tflite/tflite.h"

/* V4 has no sigma and does not give the scores. */
static bool suppression(oribi_tflite_node *n)
{
    oribi_value_id inputs[6];
    for (int32_t i = 0; i < 5; i++) {
        inputs[i] = oribi_tflite_input(n, i);
    }
    const bool is_soft = n->n_inputs == 6;
    inputs[5] = is_soft ? oribi_tflite_input(n, 5) : oribi_tflite_scalar_like(n, inputs[0], 0.0f);
    const oribi_node *node =
        oribi_tflite_emit_node(n, "Oribi>NonMaxSuppression", inputs, 6, NO_ATTRS, 3);
    ORIBI_TRY(node != NULL && oribi_tflite_bind(n, 0, node->outputs[0]));
    return is_soft ? oribi_tflite_bind(n, 1, node->outputs[1]) &&
                         oribi_tflite_bind(n, 2, node->outputs[2])
                   : oribi_tflite_bind(n, 1, node->outputs[2]);
}

/* Bytes become floats first. */
static oribi_value_id real_input(oribi_tflite_node *n, int32_t i)
{
    oribi_tflite_quant q = {0};
    const oribi_value_id x = oribi_tflite_input(n, i);
    if (n->failed || !oribi_tflite_is_quantised(n, i)) {
        return x;
    }
    return oribi_tflite_quant_of(n, n->inputs[i], "an input", &q)
               ? oribi_tflite_emit(
                     n, "Oribi>QDequantize", INPUTS(x),
                     ATTRS(ATTR_FLOAT("input_scale", q.scale), ATTR_INT("input_zero", q.zero)))
               : -1;
}

bool oribi_tflite_detection(oribi_tflite_node *n)
{
    oribi_flex_map m;
    ORIBI_TRY(oribi_tflite_flex(n, &m));
    const oribi_value_id inputs[3] = {real_input(n, 0), real_input(n, 1), real_input(n, 2)};
    const oribi_node *node = oribi_tflite_emit_node(
        n, "Oribi>DetectionPostProcess", inputs, 3,
        ATTRS(ATTR_INT("max_detections", oribi_tflite_flex_int(n, &m, "max_detections", 0)),
              ATTR_INT("max_classes_per_detection",
                       oribi_tflite_flex_int(n, &m, "max_classes_per_detection", 0)),
              ATTR_INT("detections_per_class",
                       oribi_tflite_flex_int(n, &m, "detections_per_class", 100)),
              ATTR_INT("num_classes", oribi_tflite_flex_int(n, &m, "num_classes", 0)),
              ATTR_BOOL("use_regular_nms", oribi_tflite_flex_int(n, &m, "use_regular_nms", 0) != 0),
              ATTR_FLOAT("nms_score_threshold", oribi_tflite_flex_float(&m, "nms_score_threshold")),
              ATTR_FLOAT("nms_iou_threshold", oribi_tflite_flex_float(&m, "nms_iou_threshold")),
              ATTR_FLOAT("y_scale", oribi_tflite_flex_float(&m, "y_scale")),
              ATTR_FLOAT("x_scale", oribi_tflite_flex_float(&m, "x_scale")),
              ATTR_FLOAT("h_scale", oribi_tflite_flex_float(&m, "h_scale")),
              ATTR_FLOAT("w_scale", oribi_tflite_flex_float(&m, "w_scale"))),
        4);
    for (int32_t i = 0; node != NULL && i < 4; i++) {
        ORIBI_TRY(oribi_tflite_bind(n, i, node->outputs[i]));
    }
    return node != NULL;
}

const oribi_tflite_row oribi_tflite_detection_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {120, 0, 5, 5, 2, suppression, NULL},
    {121, 0, 6, 6, 3, suppression, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
