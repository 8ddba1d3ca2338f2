/* SPDX-License-Identifier: Apache-2.0 */
/* Detections. Read next: detection_body.h. */
#include "micro/float_rules.h"

#include "micro/index/detection_body.h"

void oribi_micro_detection(const struct oribi_micro_detection_args *args, const float *encoded,
                           const float *scores, const float *anchors, float *corners,
                           float *categories, float *best, float *count, uint8_t *scratch)
{
    places s = {args, scores, NULL, NULL, NULL, NULL, 0};
    choose(&s, encoded, anchors, scratch);
    put(&s, corners, categories, best);
    *count = (float)s.n_best;
}
