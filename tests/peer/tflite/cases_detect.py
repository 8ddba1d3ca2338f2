# SPDX-License-Identifier: Apache-2.0
"""Cases of what stands behind detectors. Scores differ, since the references leave open which of equals is first."""
import numpy as np

from build import Skip


def _boxes(b, n):
    """Corners y, x, y, x in any order, close enough to overlap."""
    centre, size = b.rng.uniform(0, 1, (n, 2)), b.rng.uniform(0.05, 0.6, (n, 2))
    corners = np.concatenate([centre - size / 2, centre + size / 2], 1)
    if b.i % 4 == 3:
        corners = corners[:, [2, 3, 0, 1]]
    return corners


def _scores(b, *shape):
    count = int(np.prod(shape))
    return (b.rng.permutation(count).reshape(shape) + 0.5) / count


def _suppression(name, is_soft):
    def case(b):
        if not b.is_float:
            raise Skip()
        n, most = b.size(1, 30), b.size(0 if b.i % 7 == 6 else 1, 12)
        inputs = [b.input([n, 4], data=_boxes(b, n)), b.input([n], data=_scores(b, n))]
        inputs.append(b.const(np.int32(most), "i32"))
        inputs += [b.const(np.float32(b.walk(0.5, 0.3, 0.75)), "f32"), b.const(np.float32(b.walk(0.0, 0.2)), "f32")]
        outputs = [b.output([most], None, "i32")]
        if is_soft:
            inputs.append(b.const(np.float32(b.walk(0.5, 0.0, 0.2, 1.0)), "f32"))
            outputs.append(b.output([most]))
        b.op(name, inputs, outputs + [b.output([], None, "i32")])
    return case


def detection(b):
    if b.column not in ("f32", "u8"):
        raise Skip()
    n, classes, background = b.size(2, 20), b.size(1, 4), b.i % 2
    most, each, by_class = b.size(1, 6), b.size(1, 3), b.i % 3 == 0
    each = 1 if by_class else min(each, classes)
    q, qs, qa = b.quant(-7, -5), b.quant(-8, -8) and (np.float32(1 / 256), 0), b.quant(-8, -8) and (np.float32(1 / 256), 0)
    anchors = np.concatenate([b.rng.uniform(0.2, 0.8, (n, 2)), b.rng.uniform(0.2, 0.6, (n, 2))], 1)
    if b.is_float:
        encoded, scores = b.rng.standard_normal((1, n, 4)), _scores(b, 1, n, classes + background)
    else:
        total = n * (classes + background)
        scores = (b.rng.permutation(256)[:total] if total <= 256 else b.rng.integers(0, 256, total)).reshape(
            1, n, classes + background)
        encoded, anchors = b.values([1, n, 4]), (anchors * 256).astype(int)
    x = [b.input([1, n, 4], q, data=encoded), b.input([1, n, classes + background], qs, data=scores),
         b.const(anchors, b.kind, qa)]
    places = most * each
    y = [b.output([1, places, 4], None, "f32"), b.output([1, places], None, "f32"), b.output([1, places], None, "f32"),
         b.output([1], None, "f32")]
    options = {"max_detections": most, "max_classes_per_detection": each, "num_classes": classes,
               "nms_score_threshold": float(b.walk(0.1, 0.0, 0.4)), "nms_iou_threshold": float(b.walk(0.5, 0.6, 0.3, 1.0)),
               "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0, "use_regular_nms": by_class}
    if b.i % 4 == 1:
        options["detections_per_class"] = b.size(1, 3)
    if not by_class:
        b.exclude("tflm")  # which leaves what it does not find unwritten
    b.op("CUSTOM:TFLite_Detection_PostProcess", x, y, flex=options)


CASES = {"NON_MAX_SUPPRESSION_V4": _suppression("NON_MAX_SUPPRESSION_V4", False),
         "NON_MAX_SUPPRESSION_V5": _suppression("NON_MAX_SUPPRESSION_V5", True),
         "DETECTION_POSTPROCESS": detection}
