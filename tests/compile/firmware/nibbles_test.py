#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weights of four bits in the flash of emitted C: half of the bytes that those of eight take, and the
results of a session, which widens them when a model is read, for layers of every kind on every core.

    nibbles_test.py ORIBI SOURCE_FOLDER
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
import build  # noqa: E402

CORES = ("dsp", "plain", "v6m", "mve", "rvv")
TARGETS = ("cortex-m4", "cortex-m0", "cortex-m55", "riscv32")
# The input's shape, the filter's (channels last where the layer is depthwise), options. Odd numbers of channels
# and of blocks of them, blocks that are parts of a group, one of all channels, rows and images.
LAYERS = {
    "convolution": ([1, 7, 7, 8], [11, 3, 3, 8], {}),
    "convolution that is too large to be widened at once": ([1, 5, 5, 40], [21, 5, 5, 40], {}),
    "convolution of holes": ([1, 7, 7, 8], [13, 3, 3, 8], {"dilation": 2}),
    "convolution of more weights than a block has": ([1, 5, 5, 96], [9, 5, 5, 96], {"dilation": 2}),
    "groups": ([1, 7, 7, 8], [24, 3, 3, 2], {}),
    "groups, some of them in a block": ([1, 5, 5, 64], [96, 3, 3, 8], {}),
    "groups of several blocks": ([1, 5, 5, 64], [24, 5, 5, 32], {"stride": 2}),
    "depthwise": ([1, 9, 8, 144], [1, 3, 3, 144], {}),
    "depthwise, strides": ([1, 9, 8, 20], [1, 3, 3, 20], {"stride": 2}),
    "depthwise, images": ([2, 6, 6, 24], [1, 3, 3, 24], {}),
    "depthwise of large windows": ([1, 9, 8, 104], [1, 5, 5, 104], {}),
    "depthwise, channels of a channel": ([1, 6, 5, 50], [1, 5, 5, 150], {"stride": 2}),
    "dense": ([1, 539], [7, 539], {}),
    "dense, rows": ([3, 130], [21, 130], {}),
    "dense, rows, of more weights than a vector's block has": ([3, 1100], [37, 1100], {}),
    "dense whose channels are large": ([1, 5003], [30, 5003], {}),
}


def add(b, x, scales, shape, options):
    """The layer of a tensor. Returns its result and that one's quantisation."""
    stride, dilation = options.get("stride", 1), options.get("dilation", 1)
    dims = b.graph.tensors[x].shape
    is_deep = len(shape) == 4 and shape[0] == 1
    taps = math.prod(shape[1:3] if is_deep else shape[1:])
    w, bias, result = b.weights(shape, 3 if is_deep else 0, scales, taps)
    channels = shape[3] if is_deep else shape[0]
    sizes = [dims[0], -(-dims[1] // stride), -(-dims[2] // stride)] if len(shape) == 4 else [math.prod(dims) // shape[1]]
    y = b._add(f"t{len(b.graph.tensors)}", sizes + [channels], "i8", None, result)
    if len(shape) == 2:
        b.op("FULLY_CONNECTED", [x, w, bias], [y], activation="NONE", weights_format=0, keep_num_dims=False, asymmetric=False)
        return y, result
    extra = {"depth_multiplier": channels // dims[3]} if is_deep else {}
    b.op("DEPTHWISE_CONV_2D" if is_deep else "CONV_2D", [x, w, bias], [y], padding="SAME", stride_w=stride, stride_h=stride,
         activation="NONE", dilation_w=dilation, dilation_h=dilation, **extra)
    return y, result


def residual():
    """A convolution whose result only a sum takes, with the convolution's own input."""
    b = build.Builder("CONV_2D", "i8x4", 0)
    scales = b.quant()
    x = b.input([1, 7, 7, 12], scales)
    y, _ = add(b, x, scales, [12, 3, 3, 12], {})
    b.op("ADD", [y, x], [b.output([1, 7, 7, 12], b.quant())], activation="NONE")
    return b.model()


def model(column, layers):
    """Layers side by side; one without a shape of its input takes the result of the one before."""
    b = build.Builder("CONV_2D", column, 0)
    for i, (dims, shape, options) in enumerate(layers):
        if dims is not None:
            scales = b.quant()
            x = b.input(dims, scales)
        x, scales = add(b, x, scales, shape, options)
        if i + 1 == len(layers) or layers[i + 1][0] is not None:
            b.graph.outputs.append(x)
    return b.model()


class Nibbles(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def save(self, column, layers):
        path = self.folder / f"{column}.tflite"
        path.write_bytes(model(column, layers))
        return path

    def run_oribi(self, *arguments):
        done = subprocess.run([ORIBI, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done.stdout

    def flash(self, path, core):
        """Of each layer."""
        self.run_oribi("compile", path, "-o", self.folder / "c", "--core", core)
        report = json.loads((self.folder / "c/report.json").read_text())
        shutil.rmtree(self.folder / "c")
        return [node["flash"] for node in report["nodes"]]

    def test_each_kind_of_layer_takes_half_a_byte_a_weight_on_every_core(self):
        wide, small = self.save("i8", list(LAYERS.values())), self.save("i8x4", list(LAYERS.values()))
        for core in CORES:
            for (name, layer), before, after in zip(LAYERS.items(), self.flash(wide, core), self.flash(small, core), strict=True):
                with self.subTest(name, core=core):
                    # A word may be incomplete; the ninth weight of a window of 3 x 3 lies in a word of its own, and what lies
                    # beside weights differs where weights of four bits fit a faster kernel.
                    self.assertGreater(before - after, 0.43 * math.prod(layer[1]) - 48)

    def test_results_are_those_of_a_session(self):
        path = self.save("i8x4", list(LAYERS.values()))
        for core in CORES:
            with self.subTest(core=core):
                self.run_oribi("verify", path, "--core", core, "--runs", 2)

    def test_a_sum_stays_beside_its_convolution(self):
        path = self.folder / "residual.tflite"
        path.write_bytes(residual())
        for core in CORES:
            with self.subTest(core=core):
                self.run_oribi("verify", path, "--core", core, "--runs", 2)

    def test_rows_at_a_time_and_weights_in_a_file(self):
        path = self.save("i8x4", [([1, 16, 16, 16], [32, 3, 3, 4], {}), (None, [1, 3, 3, 32], {}), (None, [8, 1, 1, 32], {})])
        for core, options in zip(CORES, (("--weights", "bin"), ("--rings", "least"), ("--rings", "least", "--weights", "bin"),
                                         ("--rings", "least"), ("--rings", "least")), strict=True):
            with self.subTest(core=core, options=options):
                self.run_oribi("verify", path, "--core", core, "--runs", 2, *options)

    def test_boards_compute_the_same(self):
        path = self.save("i8x4", [([1, 6, 6, 16], [24, 3, 3, 4], {}), (None, [1, 3, 3, 24], {}), (None, [1, 5, 5, 24], {"stride": 2}),
                                  (None, [10, 3, 3, 24], {}), (None, [13, 90], {})])
        for target in TARGETS:
            if shutil.which("qemu-system-riscv32" if target == "riscv32" else "qemu-system-arm"):
                with self.subTest(target=target):
                    self.run_oribi("verify", path, "--target", target, "--runs", 2)

    @unittest.skipUnless(shutil.which("qemu-system-riscv64"), "QEMU is needed")
    def test_layers_whose_weights_are_widened_in_blocks_have_vectors(self):
        layers = [LAYERS["convolution that is too large to be widened at once"], LAYERS["dense, rows, of more weights than a vector's block has"]]
        wide, small = (json.loads(self.run_oribi("verify", self.save(column, layers), "--target", "riscv64-v", "--runs", 1, "--json"))
                       for column in ("i8", "i8x4"))
        self.assertLess(small["instructions"], 2 * wide["instructions"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
