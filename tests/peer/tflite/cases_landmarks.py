# SPDX-License-Identifier: Apache-2.0
"""Cases of MediaPipe's custom operators on landmarks and on pools. The interpreters get models of the same meaning in
built-in operators; of pools, whose places no built-in operator tells, models that give what numpy computes here."""
import math

import numpy as np

from build import Skip
from cases_window import geometry


def _made(b, name, inputs, shape, **options):
    y = b._add(f"t{len(b.graph.tensors)}", shape, "f32", None, None)
    b.op(name, inputs, [y], **options)
    return y


def _block(b, x, begin, size):
    return _made(b, "SLICE", [x, b.ints(begin), b.ints(size)], size)


def _shaped(b, x, shape):
    return _made(b, "RESHAPE", [x, b.ints(shape)], shape, new_shape=shape)


def _finish(b, y, shape, name, inputs, options):
    """The last of the twin's operators makes the result; then the model has one operator."""
    out = b.output(shape)
    b.op("RESHAPE", [y, b.ints(shape)], [out], new_shape=shape)
    b.twin = b.model()
    b.graph.operators.clear()
    b.op(name, inputs, [out], flex=options)


def transform_landmarks(b):
    if b.column != "f32":
        raise Skip()
    version, each, n = b.walk(1, 2), b.walk(3, 3, 2), b.size(1, 6)
    shape = [1, 1, 1, n * each] if version == 1 else [1, n, each]
    x, matrix, scale = b.input(shape), b.input([1, 4, 4]), b.walk(2.5, 1.0, 16.0)
    points, whole = _shaped(b, x, [n, each]), _shaped(b, matrix, [4, 4])
    shift = _shaped(b, _block(b, whole, [0, 3], [2, 1]), [1, 2])
    if version == 1:
        shift = _made(b, "MUL", [shift, b.const([scale], "f32")], [1, 2])
    y = _made(b, "BATCH_MATMUL", [_block(b, points, [0, 0], [n, 2]), _block(b, whole, [0, 0], [2, 2])], [n, 2], adj_y=True)
    y = _made(b, "ADD", [y, shift], [n, 2])
    if each == 3:
        y = _made(b, "CONCATENATION", [y, _block(b, points, [0, 2], [n, 1])], [n, 3], axis=1)
    options = {"dimensions": each, **({"scale": scale} if version == 1 else {})}
    _finish(b, y, shape, f"CUSTOM:TransformLandmarks:{version}", [x, matrix], options)


def transform_tensor(b):
    """The twin picks the four neighbours by constant places, and mixes them by constant parts."""
    if b.column != "f32":
        raise Skip()
    version, h, w, c, oh, ow = b.walk(1, 2), b.size(1, 7), b.size(1, 7), b.size(1, 4), b.size(1, 6), b.size(1, 6)
    matrix = np.zeros((4, 4), np.float32)
    angle, zoom = b.rng.uniform(-1, 1) * b.walk(1, 0, 0.2), b.rng.uniform(0.5, 1.5)
    matrix[0, :2] = [zoom * math.cos(angle), -zoom * math.sin(angle)]
    matrix[1, :2] = [zoom * math.sin(angle), zoom * math.cos(angle)]
    matrix[:2, 3] = b.rng.uniform(-1, 2, 2) if b.i % 3 else b.rng.integers(0, 2, 2)
    if b.i % 5 == 4:
        matrix[:2, :2] = np.eye(2)
    lines = matrix[:2, [0, 1, 3]].copy()
    if version == 2:
        lines[:, 2] = (lines[:, 2].astype(float) + lines[:, 0] * 0.5 + lines[:, 1] * 0.5 - 0.5).astype(np.float32)
    at_y, at_x = np.mgrid[:oh, :ow].astype(np.float32)
    x, y = (line[0] * at_x + line[1] * at_y + line[2] for line in lines)
    inside = (x >= 0) & (x <= w - 1) & (y >= 0) & (y <= h - 1)
    left, top = np.floor(np.where(inside, x, 0)).astype(int), np.floor(np.where(inside, y, 0)).astype(int)
    right, below = np.where(inside, x - left, 0), np.where(inside, y - top, 0)
    image, given = b.input([1, h, w, c]), b.input([1, 4, 4], data=matrix.reshape(1, 4, 4))
    pixels, total = _shaped(b, image, [h * w, c]), None
    for dy in (0, 1):
        for dx in (0, 1):
            part = (below if dy else 1 - below) * (right if dx else 1 - right) * inside
            places = np.minimum(top + dy, h - 1) * w + np.minimum(left + dx, w - 1)
            taken = _made(b, "GATHER", [pixels, b.ints(places.ravel())], [oh * ow, c], axis=0)
            mixed = _made(b, "MUL", [taken, b.const(part.reshape(-1, 1), "f32")], [oh * ow, c])
            total = mixed if total is None else _made(b, "ADD", [total, mixed], [oh * ow, c])
    _finish(b, total, [1, oh, ow, c], f"CUSTOM:TransformTensorBilinear:{version}", [image, given],
            {"mode": 0, "output_size": [oh, ow]})


def landmarks_matrix(b):
    if b.column != "f32":
        raise Skip()
    n, wide, high = b.size(3, 20), b.size(1, 64), b.size(1, 64)
    left, right = (int(v) for v in b.rng.choice(n, 2, replace=False))
    subset = [int(v) for v in b.rng.integers(0, n, 2 * b.size(1, 4))]
    target, scale_x, scale_y = b.walk(0.0, 1.5707964, -0.5), b.pick(1.0, 1.5, 0.25), b.pick(1.0, 2.0)
    x = b.input([1, n, 3], data=b.rng.uniform(0, 192, (1, n, 3)))
    points = _shaped(b, x, [n, 3])

    def value(v):
        return b.const([[v]], "f32")

    def op(name, *inputs):
        shape = [max(b.graph.tensors[i].shape[0] for i in inputs), 1]
        return _made(b, name, list(inputs), shape)

    def mix(p, q, name, r, s):
        return op(name, op("MUL", p, q), op("MUL", r, s))

    def at(place, axis):
        return _block(b, points, [place, axis], [1, 1])

    angle = op("SUB", value(target), op("ATAN2", op("SUB", at(right, 1), at(left, 1)), op("SUB", at(right, 0), at(left, 0))))
    cos, sin = op("COS", angle), op("SIN", angle)
    chosen = _made(b, "GATHER", [points, b.ints(subset)], [len(subset), 3], axis=0)
    px, py = (_block(b, chosen, [0, k], [len(subset), 1]) for k in (0, 1))
    sizes, middles = [], []
    for axis in (mix(px, cos, "SUB", py, sin), mix(px, sin, "ADD", py, cos)):
        most, least = (_made(b, name, [axis, b.ints([0])], [1, 1], keep_dims=True) for name in ("REDUCE_MAX", "REDUCE_MIN"))
        sizes.append(op("SUB", most, least))
        middles.append(op("MUL", op("ADD", most, least), value(0.5)))
    sx, sy = op("MUL", sizes[0], value(scale_x / wide)), op("MUL", sizes[1], value(scale_y / high))
    xx, xy, yy = op("MUL", cos, sx), op("MUL", sin, sy), op("MUL", cos, sy)
    yx = op("MUL", op("MUL", sin, sx), value(-1.0))
    back = value(-wide / 2), value(-high / 2)
    to_x = op("ADD", mix(middles[0], cos, "ADD", middles[1], sin), mix(xx, back[0], "ADD", xy, back[1]))
    to_y = op("ADD", mix(middles[1], cos, "SUB", middles[0], sin), mix(yx, back[0], "ADD", yy, back[1]))
    o, one = value(0.0), value(1.0)
    y = _made(b, "CONCATENATION", [xx, xy, o, to_x, yx, yy, o, to_y, o, o, one, o, o, o, o, one], [16, 1], axis=0)
    _finish(b, y, [1, 4, 4], "CUSTOM:Landmarks2TransformMatrix:2", [x], {
        "left_rotation_idx": left, "right_rotation_idx": right, "target_rotation_radians": target, "output_width": wide,
        "output_height": high, "scale_x": scale_x, "scale_y": scale_y, "subset_idxs": subset})


def _computed(b, results, name, inputs, **options):
    """An operator with these results, which the twin holds as constants and adds nothing to, so that it writes them."""
    one = _block(b, inputs[0], [0] * 4, [1] * 4)
    nothing = _made(b, "SUB", [one, one], [1] * 4)
    outs = [b.output(list(r.shape)) for r in results]
    for result, out in zip(results, outs):
        b.op("ADD", [b.const(result, "f32"), nothing], [out])
    b.twin = b.model()
    b.graph.operators.clear()
    b.op(name, inputs, outs, **options)


def _words(g, activation=0):
    return [1 if g["padding"] == "SAME" else 2, g["sw"], g["sh"], g["kw"], g["kh"], activation]


def max_pool_places(b):
    if b.column != "f32":
        raise Skip()
    g, n, c = geometry(b, False), b.pick(1, 2), b.size(1, 5)
    data = b.values([n, g["h"], g["w"], c])
    if b.i % 3 == 1:  # equal values: the first counts
        data = np.round(data) + np.float32(0)  # no zeros below 0
    x = b.input(list(data.shape), data=data)
    top, left = (max(0, (g[o] - 1) * g[s] + g[k] - g[i]) // 2 if g["padding"] == "SAME" else 0
                 for o, s, k, i in (("oh", "sh", "kh", "h"), ("ow", "sw", "kw", "w")))
    y = np.full([n, g["oh"], g["ow"], c], np.finfo(np.float32).min, np.float32)
    places = np.full(y.shape, 0.1, np.float32)
    for at in np.ndindex(*y.shape):
        for place in range(g["kh"] * g["kw"]):
            row, column = at[1] * g["sh"] - top + place // g["kw"], at[2] * g["sw"] - left + place % g["kw"]
            if 0 <= row < g["h"] and 0 <= column < g["w"] and data[at[0], row, column, at[3]] > y[at]:
                y[at] = data[at[0], row, column, at[3]]
                places[at] = np.float32(place) + np.float32(0.1)
    activation = b.walk(0, 0, 1, 0, 3, 2)
    bounds = {1: (0, None), 2: (-1, 1), 3: (0, 6)}
    y = np.clip(y, *bounds[activation]) if activation else y
    _computed(b, [y, places], "CUSTOM:MaxPoolingWithArgmax2D", [x], words=_words(g, activation))


def max_unpool_places(b):
    if b.column != "f32":
        raise Skip()
    g, n, c = geometry(b, False), b.pick(1, 2), b.size(1, 4)
    data = b.values([n, g["oh"], g["ow"], c])
    given = b.rng.integers(0, g["kh"] * g["kw"], data.shape).astype(np.float32) + np.float32(0.1)
    if b.i % 4 == 3:  # those that are none are passed over
        given[b.rng.random(given.shape) < 0.3] = b.pick(-3.0, 1e9, g["kh"] * g["kw"] * 9.0)
    x, places = b.input(list(data.shape), data=data), b.input(list(data.shape), data=given)
    h, w = g["oh"] * g["kh"], g["ow"] * g["kw"]
    y = np.zeros([n, h, w, c], np.float32)
    top, left = max(0, (g["oh"] - 1) * g["sh"] + g["kh"] - h) // 2, max(0, (g["ow"] - 1) * g["sw"] + g["kw"] - w) // 2
    for at in np.ndindex(*data.shape):
        place = int(given[at])
        row, column = at[1] * g["sh"] - top + place // g["kw"], at[2] * g["sw"] - left + place % g["kw"]
        if place >= 0 and 0 <= row < h and 0 <= column < w:
            y[at[0], row, column, at[3]] = data[at]
    _computed(b, [y], "CUSTOM:MaxUnpooling2D", [x, places], words=_words(g))


def old_landmarks_matrix(b):
    """Version 1, by matrices of doubles."""
    if b.column != "f32":
        raise Skip()
    n, hw, cut, reach = b.size(3, 12), b.shape(2, 2, 64), b.shape(2, 2, 48), b.walk(192, 1, 256)
    larger, subset = b.pick(1.0, 1.5, 0.5), [int(v) for v in b.rng.integers(0, n, b.size(2, 7))]
    left, right = (int(v) for v in b.rng.choice(n, 2, replace=False))
    data = b.rng.uniform(0, reach, (1, 1, 1, 3 * n)).astype(np.float32)
    points = data.reshape(n, 3).astype(np.float64)[:, :2]
    apart = points[right] - points[left]
    alpha = -math.atan(apart[1] / apart[0])
    cos, sin = math.cos(alpha), math.sin(alpha)
    turned = points[subset] @ np.array([[cos, sin], [-sin, cos]])
    size, middle = larger * np.ptp(turned, 0), (turned.max(0) + turned.min(0)) / 2
    back = np.array([[cos, sin], [-sin, cos]])
    turn = np.eye(3)
    turn[:2, :2], turn[:2, 2] = back, back @ middle / reach * 2 - 1
    half = np.array([hw[1] - 1, hw[0] - 1]) / 2
    whole, relative = np.diag([*half, 1.0]), np.diag([2 / (cut[1] - 1), 2 / (cut[0] - 1), 1.0])
    whole[:2, 2], relative[:2, 2] = half, -1
    made = whole @ turn @ np.diag([*(size / reach), 1.0]) @ relative
    y = np.zeros((4, 4))
    y[:2, :2], y[:2, 3], y[2, 2], y[3, 3] = made[:2, :2], made[:2, 2], 1, 1
    x = b.input([1, 1, 1, 3 * n], data=data)
    _computed(b, [y.reshape(1, 4, 4)], "CUSTOM:Landmarks2TransformMatrix", [x], flex={
        "dimensions": 3, "landmarks_range": reach, "bbox_size_multiplier": larger, "left_rotation_idx": left,
        "right_rotation_idx": right, "input_hw": hw, "output_hw": cut, "subset": subset})


CASES = {"LANDMARKS_2_TRANSFORM_MATRIX_V1": old_landmarks_matrix, "MAX_POOLING_WITH_ARGMAX_2D": max_pool_places, "MAX_UNPOOLING_2D": max_unpool_places, "LANDMARKS_2_TRANSFORM_MATRIX": landmarks_matrix, "TRANSFORM_LANDMARKS": transform_landmarks,
         "TRANSFORM_TENSOR_BILINEAR": transform_tensor}
