/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what stands behind detectors. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/index/detection_prepare.h"

enum { BOXES, SCORES, ANCHORS };

bool oribi_lower_detection(oribi_lowering *lowering, oribi_call *call)
{
    enum { MOST = 1 << 20 };
    oribi_sizes boxes, scores, anchors;
    struct oribi_micro_detection_args args = {
        .classes = oribi_lower_int(call, "num_classes", 0),
        .most = oribi_lower_int(call, "max_detections", 0),
        .classes_each = oribi_lower_int(call, "max_classes_per_detection", 0),
        .most_of_class = oribi_lower_int(call, "detections_per_class", 0),
        .by_class = oribi_lower_bool(call, "use_regular_nms") ? 1 : 0,
        .least = oribi_lower_float(call, "nms_score_threshold"),
        .overlap = oribi_lower_float(call, "nms_iou_threshold"),
        .y_scale = oribi_lower_float(call, "y_scale"),
        .x_scale = oribi_lower_float(call, "x_scale"),
        .h_scale = oribi_lower_float(call, "h_scale"),
        .w_scale = oribi_lower_float(call, "w_scale")};
    ORIBI_TRY(
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, BOXES), &boxes, NULL) &&
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, SCORES), &scores,
                          NULL) &&
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, ANCHORS), &anchors,
                          NULL));
    bool fits = boxes.n == 3 && scores.n == 3 && anchors.n == 2 && boxes.at[0] == 1 &&
                scores.at[0] == 1 && boxes.at[1] == scores.at[1] && anchors.at[0] == boxes.at[1] &&
                boxes.at[2] >= 4 && anchors.at[1] == 4;
    fits = fits && args.classes >= 1 && scores.at[2] >= args.classes &&
           scores.at[2] - 1 <= args.classes && args.most >= 1 && args.most <= MOST &&
           args.most_of_class >= 1 && args.classes_each >= 1 && args.classes_each <= MOST &&
           args.overlap > 0 && args.overlap <= 1;
    if (!fits) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    args.boxes = boxes.at[1];
    args.row = boxes.at[2];
    args.width = scores.at[2];
    args.background = args.width - args.classes;
    call->n_inputs = 3;
    call->has_scratch = true;
    call->scratch_bytes = oribi_micro_detection_scratch(&args);
    return call->scratch_bytes <= INT32_MAX
               ? ORIBI_CALL_SET(lowering, call, "detection", detection, &args)
               : oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
}
