/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind detectors: boxes relative to anchors become corners, and of those that overlap
 * the best stay, either of each class or by the best class of each anchor.
 */
#ifndef ORIBI_MICRO_DETECTION_H_
#define ORIBI_MICRO_DETECTION_H_

#include <stdint.h>

struct oribi_micro_detection_args {
    int32_t boxes, row;         /* and floats of an encoded one, at least 4 */
    int32_t width, background;  /* scores of a box, and those in front that are no class */
    int32_t classes;            /* at least 1 */
    int32_t most, classes_each; /* detections, and classes of each (by anchor) */
    int32_t most_of_class;      /* detections (by class) */
    int32_t by_class;           /* 1: the best of each class; 0: of each anchor */
    float least, overlap;       /* of a score; of what two boxes have in common */
    float y_scale, x_scale, h_scale, w_scale;
};

/* A candidate. */
struct oribi_micro_found {
    float score;
    int32_t box, category;
};

/* Shapes   encoded [boxes, row], scores [boxes, width], anchors [boxes, 4] (centre and size);
 *          corners [most * classes_each, 4], categories and best [most * classes_each], count one
 *          float: how many there are. The rest is zeros.
 * Owns     nothing; outputs do not overlap inputs. scratch: detection_prepare.h.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's TFLite_Detection_PostProcess; of equal scores the first is better.
 */
void oribi_micro_detection(const struct oribi_micro_detection_args *args, const float *encoded,
                           const float *scores, const float *anchors, float *corners,
                           float *categories, float *best, float *count, uint8_t *scratch);

#endif
