/* SPDX-License-Identifier: Apache-2.0 */
/* What TensorFlow Lite puts behind detectors: boxes that overlap, anchors. Read next:
 * picture_ops.c, which has ONNX's.
 */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void suppression(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t most;
    bool is_known;
    if (oribi_ops_input_int(ctx, 2, &most, &is_known, status)) {
        const int64_t dim = is_known ? most : -1;
        oribi_ops_output_dims(ctx, 0, 1, &dim, status);
        oribi_ops_output_dims(ctx, 1, 1, &dim, status);
        oribi_ops_output_dims(ctx, 2, 0, NULL, status);
    }
}

static void detection(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t dims[3] = {1, 0, 4}, most, classes;
    if (oribi_ops_attr_int(ctx, "max_detections", &most, status) &&
        oribi_ops_attr_int(ctx, "max_classes_per_detection", &classes, status) &&
        oribi_ops_multiply(most, classes, &dims[1], status)) {
        oribi_ops_output_dims(ctx, 0, 3, dims, status);
        oribi_ops_output_dims(ctx, 1, 2, dims, status);
        oribi_ops_output_dims(ctx, 2, 2, dims, status);
        oribi_ops_output_dims(ctx, 3, 1, dims, status);
    }
}

static void transform_bilinear(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape image;
    int64_t size[2];
    int count = 0;
    if (!oribi_ops_input_rank(ctx, 0, 4, &image, status) ||
        !oribi_ops_attr_ints(ctx, "size", size, 2, &count, status)) {
        return;
    }
    if (count != 2 || size[0] < 1 || size[1] < 1) {
        oribi_ops_fail(status, "Attr 'size' must be two positive numbers");
        return;
    }
    image.at[1] = size[0];
    image.at[2] = size[1];
    oribi_ops_output(ctx, 0, &image, status);
}

const oribi_ops_row oribi_ops_detection[] = {
    {.name = "Oribi>NonMaxSuppression",
     .inputs = "boxes: float; scores: float; max_output_size: int32; iou_threshold: float; "
               "score_threshold: float; soft_nms_sigma: float",
     .outputs = "selected_indices: int32; selected_scores: float; valid_outputs: int32",
     .traits = "parameters(max_output_size)",
     .shape = suppression},
    {.name = "Oribi>DetectionPostProcess",
     .inputs = "box_encodings: float; class_predictions: float; anchors: float",
     .outputs = "boxes: float; classes: float; scores: float; count: float",
     .attrs = "max_detections: int; max_classes_per_detection: int = 1; "
              "detections_per_class: int = 100; num_classes: int; nms_score_threshold: float; "
              "nms_iou_threshold: float; use_regular_nms: bool = false; y_scale: float; "
              "x_scale: float; h_scale: float; w_scale: float",
     .shape = detection},
    {.name = "Oribi>TransformBilinear", /* 1 NHWC; the first rows of a matrix of 4 x 4 lead back */
     .inputs = "image: float; matrix: float",
     .outputs = "y: float",
     .attrs = "size: list(int); half_pixel: bool = false",
     .shape = transform_bilinear},
    {.name = NULL},
};
