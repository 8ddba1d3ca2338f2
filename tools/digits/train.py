#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the digit classifier of the demo and writes it as float ONNX and int8 TFLite.

Data: "Optical Recognition of Handwritten Digits", E. Alpaydin and C. Kaynak, UCI Machine Learning
Repository 1998, doi:10.24432/C50P49, CC BY 4.0; the 1797 pictures of 8 x 8 that scikit-learn carries
(load_digits). Every fifth picture is held out.

    python3 -m venv build/train && build/train/bin/pip install -r tools/digits/requirements.txt
    build/train/bin/python tools/digits/train.py examples/digits
"""
import pathlib
import sys

import numpy as np
import onnx
import tensorflow as tf
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from sklearn.datasets import load_digits
from tensorflow.python.framework.convert_to_constants import \
    convert_variables_to_constants_v2

SEED = 7


def load():
    digits = load_digits()
    grey = np.round(digits.images * 255 / 16).astype(np.uint8)
    held_out = np.arange(len(grey)) % 5 == 4
    return grey, digits.target, held_out


def build():
    layers = tf.keras.layers
    x = inputs = tf.keras.Input((8, 8, 1), name="picture")
    x = layers.Conv2D(16, 3, padding="same", activation="relu", name="conv1")(x)
    y = layers.Conv2D(16, 3, padding="same", activation="relu", name="conv2")(x)
    y = layers.Conv2D(16, 3, padding="same", name="conv3")(y)
    x = layers.ReLU(name="relu3")(layers.Add(name="add3")([x, y]))
    x = layers.MaxPool2D(2, name="pool3")(x)
    x = layers.DepthwiseConv2D(3, padding="same", activation="relu", name="depthwise4")(x)
    x = layers.Conv2D(32, 1, activation="relu", name="pointwise4")(x)
    x = layers.Conv2D(32, 3, padding="valid", activation="relu", name="conv5")(x)
    x = layers.Flatten(name="flatten")(x)
    x = layers.Dense(10, name="dense")(x)
    return tf.keras.Model(inputs, layers.Softmax(name="softmax")(x))


def augment(x):
    """Shifts by up to a pixel, small changes of brightness."""
    out = np.zeros_like(x)
    for i, picture in enumerate(x):
        dy, dx = np.random.randint(-1, 2, 2)
        out[i] = np.roll(picture, (dy, dx), (0, 1))
    return np.clip(out * np.random.uniform(0.85, 1.15, (len(x), 1, 1, 1)), 0, 1).astype(np.float32)


def train(model, x, y):
    model.compile(tf.keras.optimizers.Adam(2e-3), "sparse_categorical_crossentropy")
    for epoch in range(60):
        model.optimizer.learning_rate.assign(2e-3 * 0.95**epoch)
        mixed = np.concatenate([x, augment(x)])
        model.fit(mixed, np.concatenate([y, y]), batch_size=32, verbose=0)


def to_onnx(model, path):
    nodes, weights = [], []

    def constant(name, value):
        weights.append(numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name))
        return name

    def conv(name, source, relu, pads, depthwise=False):
        kernel, bias = model.get_layer(name).get_weights()
        if depthwise:
            kernel = kernel.transpose(2, 3, 0, 1)  # H W C 1 -> C 1 H W
        else:
            kernel = kernel.transpose(3, 2, 0, 1)
        group = kernel.shape[0] if depthwise else 1
        inputs = [source, constant(name + "_w", kernel), constant(name + "_b", bias)]
        nodes.append(helper.make_node("Conv", inputs, [name], name=name, pads=pads, group=group,
                                      kernel_shape=list(kernel.shape[2:])))
        if not relu:
            return name
        nodes.append(helper.make_node("Relu", [name], [name + "_relu"], name=name + "_relu"))
        return name + "_relu"

    same, none = [1, 1, 1, 1], [0, 0, 0, 0]
    a = conv("conv1", "picture", True, same)
    b = conv("conv3", conv("conv2", a, True, same), False, same)
    nodes.append(helper.make_node("Add", [a, b], ["add3"], name="add3"))
    nodes.append(helper.make_node("Relu", ["add3"], ["relu3"], name="relu3"))
    nodes.append(helper.make_node("MaxPool", ["relu3"], ["pool3"], name="pool3", kernel_shape=[2, 2],
                                  strides=[2, 2]))
    c = conv("depthwise4", "pool3", True, same, depthwise=True)
    c = conv("conv5", conv("pointwise4", c, True, none), True, none)
    nodes.append(helper.make_node("Flatten", [c], ["flat"], name="flatten"))
    kernel, bias = model.get_layer("dense").get_weights()
    kernel = kernel.reshape(2, 2, 32, 10).transpose(2, 0, 1, 3).reshape(128, 10)  # HWC -> CHW
    nodes.append(helper.make_node("Gemm", ["flat", constant("dense_w", kernel),
                                           constant("dense_b", bias)], ["logits"], name="dense"))
    nodes.append(helper.make_node("Softmax", ["logits"], ["probabilities"], name="softmax", axis=1))
    graph = helper.make_graph(
        nodes, "digits", [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, 10])], weights)
    result = helper.make_model(graph, producer_name="tools/digits/train.py",
                               opset_imports=[helper.make_opsetid("", 13)])
    result.ir_version = 8
    onnx.checker.check_model(result)
    path.write_bytes(result.SerializeToString())


def to_tflite(model, x, path):
    # A fixed batch and frozen weights keep shape arithmetic and variables out of the file.
    run = tf.function(lambda picture: model(picture, training=False))
    frozen = convert_variables_to_constants_v2(
        run.get_concrete_function(tf.TensorSpec([1, 8, 8, 1], tf.float32, "picture")))
    converted = convert(tf.lite.TFLiteConverter.from_concrete_functions([frozen]), x)
    path.write_bytes(converted)


def convert(converter, x):
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([row[None]] for row in x[:400])
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def tflite_accuracy(path, x, y):
    interpreter = tf.lite.Interpreter(model_path=str(path))
    interpreter.allocate_tensors()
    source, sink = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    scale, zero = source["quantization"]
    right = 0
    for row, label in zip(x, y):
        interpreter.set_tensor(source["index"],
                               np.clip(np.round(row[None] / scale) + zero, -128, 127).astype(np.int8))
        interpreter.invoke()
        right += int(interpreter.get_tensor(sink["index"]).argmax() == label)
    return right / len(y)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tf.keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    grey, labels, held_out = load()
    x = grey[..., None].astype(np.float32) / 255
    model = build()
    train(model, x[~held_out], labels[~held_out])
    to_onnx(model, folder / "digits.onnx")
    to_tflite(model, x[~held_out], folder / "digits_int8.tflite")
    tested, truth = x[held_out], labels[held_out]
    right = int((model.predict(tested, verbose=0).argmax(1) == truth).sum())
    int8 = tflite_accuracy(folder / "digits_int8.tflite", tested, truth)
    chosen = [int(np.flatnonzero(held_out & (labels == d))[0]) for d in range(10)]
    chosen += [int(np.flatnonzero(held_out & (labels == d))[3]) for d in (3, 8)]
    for old in folder.glob("*.png"):
        old.unlink()
    for index in chosen:
        Image.fromarray(grey[index]).save(folder / f"digit-{labels[index]}-{index:04d}.png")
    np.savez_compressed(folder / "held_out.npz", pictures=grey[held_out],
                        labels=truth.astype(np.int32))
    (folder / "labels.txt").write_text("\n".join(
        "zero one two three four five six seven eight nine".split()) + "\n")
    print(f"held out: {len(truth)}; float {right / len(truth):.4f}; int8 {int8:.4f}")


main()
