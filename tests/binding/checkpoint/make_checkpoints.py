# SPDX-License-Identifier: Apache-2.0
"""The checkpoints of this folder, as TensorFlow 2.16.1 writes them: python3 make_checkpoints.py FOLDER"""
import sys

import tensorflow as tf

SMALL = {
    "weights": tf.constant([[1.5, -2, 3], [4, 5, 6.25]], tf.float32),
    "bias": tf.constant([0.5, -0.5], tf.float64),
    "step": tf.constant(7, tf.int64),
    "words": tf.constant(["a", "", "words of more than twenty-two bytes lie elsewhere"]),
    "flag": tf.constant([True, False]),
    "empty": tf.zeros([0, 3], tf.int32),
    "half": tf.constant([1, 2], tf.float16),
}
tf.raw_ops.SaveV2(prefix=f"{sys.argv[1]}/small", tensor_names=list(SMALL), shape_and_slices=[""] * len(SMALL),
                  tensors=list(SMALL.values()))
tf.raw_ops.SaveV2(prefix=f"{sys.argv[1]}/sliced", tensor_names=["part", "part"],
                  shape_and_slices=["4 2 0,2:-", "4 2 2,2:-"],
                  tensors=[tf.constant([[1., 2], [3, 4]]), tf.constant([[5., 6], [7, 8]])])
