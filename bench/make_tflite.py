#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Larger int8 models for peer_tflite.py: networks of keras.applications with random weights at 224 x 224, quantised by
TensorFlow Lite's converter, a scale for each channel. Without their softmax, since random weights leave it nothing to tell apart.

    make_tflite.py FOLDER [NAME ...]     needs a Python with tensorflow, 2.16 or so; minutes for resnet50
"""
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy as np
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2 as freeze
except ImportError:
    sys.exit("skipped: this Python has no tensorflow")

SIZE = 224
NETWORKS = {"mobilenet": "MobileNet", "mobilenet_v2": "MobileNetV2", "resnet50": "ResNet50", "mobilenet_v3": "MobileNetV3Large",
            "efficientnet_b0": "EfficientNetB0", "efficientnet_v2_b0": "EfficientNetV2B0", "densenet121": "DenseNet121",
            "inception_v3": "InceptionV3", "convnext_tiny": "ConvNeXtTiny"}


def pictures():
    random = np.random.default_rng(1)
    for _ in range(4):
        yield [random.uniform(-1, 1, (1, SIZE, SIZE, 3)).astype(np.float32)]


def convert(name):
    tf.keras.utils.set_random_seed(1)
    network = getattr(tf.keras.applications, NETWORKS[name])(weights=None, classifier_activation=None,
                                                             input_shape=(SIZE, SIZE, 3))
    call = tf.function(lambda x: network(x, training=False)).get_concrete_function(tf.TensorSpec((1, SIZE, SIZE, 3)))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([freeze(call)])
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = pictures
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def main():
    if len(sys.argv) < 2 or set(sys.argv[2:]) - set(NETWORKS):
        sys.exit(f"usage: make_tflite.py FOLDER [{' | '.join(NETWORKS)}] ...")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NETWORKS:
        (folder / f"{name}_int8.tflite").write_bytes(convert(name))


main()
