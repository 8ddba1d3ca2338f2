#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that fuzzing found: each gets a message, at once and in little memory.

    hostile_test.py ORIBI SOURCE_FOLDER
"""
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
import model


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


class Hostile(unittest.TestCase):
    def compile(self, graph):
        """Exit code and message."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.tflite").write_bytes(model.write(graph))
            limit = {} if "asan" in str(ORIBI) or "tsan" in str(ORIBI) else {"preexec_fn": limit_memory}
            done = subprocess.run([ORIBI, "compile", folder / "m.tflite", "-o", folder / "c"], capture_output=True,
                                  text=True, timeout=60, **limit)
            return done.returncode, done.stderr

    def test_a_slope_beyond_all_integers_is_a_float(self):
        graph = model.Graph()
        x = graph.add(model.Tensor("x", [2, 3], "f32"))
        y = graph.add(model.Tensor("y", [2, 3], "f32"))
        graph.inputs, graph.outputs = [x], [y]
        graph.op("LEAKY_RELU", [x], [y], alpha=2.5e30)
        self.assertEqual(self.compile(graph), (0, ""))

    def test_a_tensor_that_emitted_code_cannot_address_is_refused(self):
        graph = model.Graph()
        x = graph.add(model.Tensor("x", [3, 1, 1, 1], "i8", None, 0.5, 0))
        size = np.asarray([1769107205, 6252898], np.int32)
        s = graph.add(model.Tensor("s", [2], "i32", size))
        y = graph.add(model.Tensor("y", [3, *size, 1], "i8", None, 0.5, 0))
        graph.inputs, graph.outputs = [x], [y]
        graph.op("RESIZE_BILINEAR", [x, s], [y])
        code, message = self.compile(graph)
        self.assertIn("2 GiB", message)
        self.assertNotEqual(code, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
