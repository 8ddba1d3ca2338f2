#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emitted C on microcontrollers in QEMU, through `oribi verify`: bit for bit what the host computes and
what TensorFlow Lite Micro gave, workspace and stack as measured there, and faults that must be seen.

    qemu_test.py ORIBI SOURCE_FOLDER
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
TARGETS = {"cortex-m4": ("arm-none-eabi-gcc", "qemu-system-arm"),
           "cortex-m55": ("arm-none-eabi-gcc", "qemu-system-arm"),
           "riscv32": ("riscv64-unknown-elf-gcc", "qemu-system-riscv32")}
CORES = {"cortex-m0": "v6m", "cortex-m3": "plain", "cortex-m7": "dsp", "cortex-m33": "dsp", "riscv64": "plain",
         "riscv64-v": "rvv"}
TOOLS = {*TARGETS.values(), ("riscv64-unknown-elf-gcc", "qemu-system-riscv64")}
PORTS = {"ad01_int8": ("input_1", "Identity"), "kws_ref_model": ("input_1", "Identity"),
         "pretrainedResnet_quant": ("input_1_int8", "Identity_int8"),
         "vww_96_int8": ("input_1_int8", "Identity_int8")}
SHAPES = {"ad01_int8": ((1, 640), (1, 640)), "kws_ref_model": ((1, 49, 10, 1), (1, 12)),
          "pretrainedResnet_quant": ((1, 32, 32, 3), (1, 10)), "vww_96_int8": ((1, 96, 96, 3), (1, 2))}
CLANG = "clang-14"
STACK_BYTES = 512  # what a run may take; registers of 64 bits take more


def missing():
    return sorted({tool for tools in TOOLS for tool in tools if shutil.which(tool) is None})


def verify(model, *more):
    """Under one name, with which kernels have one text for all models, which is compiled once."""
    form = [] if "--image" in more else ["--json"]
    return subprocess.run([ORIBI, "verify", model, "--name", "net", *form, *more], capture_output=True, text=True,
                          timeout=600)


def npz(folder, name, i):
    """Golden vector i of a model as a file for --against."""
    arrays = [np.fromfile(TINY / f"golden/{name}/{what}_{i}.bin", np.int8).reshape(shape)
              for what, shape in zip(("input", "output"), SHAPES[name])]
    path = folder / f"{name}-{i}.npz"
    np.savez(path, **dict(zip(PORTS[name], arrays)))
    return path


class Case(unittest.TestCase):
    def setUp(self):
        if missing():
            self.skipTest("skipped: not installed: " + ", ".join(missing()))
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)


class Models(Case):
    def measure(self, model, target, *more):
        done = verify(model, "--target", target, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        measured = json.loads(done.stdout)
        self.assertEqual(measured["touched_bytes"], measured["workspace_bytes"])
        self.assertLessEqual(measured["stack_bytes"], STACK_BYTES * (5 / 4 if target.startswith("riscv64") else 1))
        self.assertGreater(measured["stack_bytes"], 0)
        if "--cc" not in more:  # clang lists no calls
            self.assertGreaterEqual(measured["stack_bound_bytes"], measured["stack_bytes"])
        self.assertGreater(measured["instructions"], 1000)
        return measured

    def test_digits_are_exact_on_every_target(self):
        for target in TARGETS:
            with self.subTest(target):
                self.measure(DIGITS, target, "--runs", "3")

    def test_floats_without_a_unit_for_them_have_a_stack_bound(self):
        for target in ("cortex-m0", "riscv32"):
            with self.subTest(target):
                done = verify(SOURCE / "examples/digits/digits.onnx", "--target", target, "--runs", "1")
                measured = json.loads(done.stdout)
                self.assertGreaterEqual(measured["stack_bound_bytes"], measured["stack_bytes"])
                self.assertLessEqual(measured["stack_bound_bytes"], 1.05 * measured["stack_bytes"])

    def test_counts_are_the_same_twice_with_ports_in_the_pool_too(self):
        counts = [self.measure(DIGITS, "cortex-m4", "--runs", "1", "--io", "pool")["instructions"] for _ in range(2)]
        self.assertEqual(counts[0], counts[1])

    def test_pools_and_places_of_weights_are_exact(self):
        for more in (["--pool", "name=fast,size=1500", "--pool", "name=slow", "--weights", "bin"],
                     ["--weights", "incbin", "--io", "pool"], ["--weights", "obj", "--optimize", "size"]):
            measured = self.measure(DIGITS, "cortex-m4", "--runs", "2", "--per-node", *more)
            self.assertEqual(measured["compared"], len(measured["values"]))
            self.assertGreater(measured["constants_bytes"], 15000)

    @unittest.skipUnless(shutil.which(CLANG), f"skipped: {CLANG} is not installed")
    def test_clang_for_bare_metal_is_exact_too(self):
        for target in ("cortex-m4", "cortex-m55"):
            with self.subTest(target):
                self.measure(DIGITS, target, "--runs", "3", "--cc", CLANG)

    def test_a_digit_is_recognised_on_a_cortex_m4(self):
        picture = SOURCE / "examples/digits/digit-8-0114.png"
        done = subprocess.run([ORIBI, "verify", DIGITS, "--name", "net", "--target", "cortex-m4", "--runs", "0", "--top-k", "1", "-i",
                               f"picture=@{picture}"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"Identity: i8 1x10\n +8 +127")
        self.assertRegex(done.stdout, r"flash +\d+ bytes \(code \d+, constants \d+\)")
        self.assertEqual(verify(DIGITS, "-i", "picture=rand:1", "-i", "picture=rand:2").returncode, 2)
        self.assertEqual(verify(DIGITS, "-i", "nothing=rand:1").returncode, 2)

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_golden_vectors_are_exact_on_every_target(self):
        for name in PORTS:
            against = [word for i in range(4) for word in ("--against", npz(self.folder, name, i))]
            for target in TARGETS:
                with self.subTest(name, target=target):
                    measured = self.measure(TINY / f"{name}.tflite", target, "--runs", "0", *against)
                    self.assertEqual(measured["runs"], 4)
                    self.assertLessEqual(measured["stack_bound_bytes"], 1.3 * measured["stack_bytes"])

    def test_a_golden_that_is_wrong_is_refused(self):
        held_out = np.load(SOURCE / "examples/digits/held_out.npz")
        done = subprocess.run([ORIBI, "inspect", DIGITS, "--json"], capture_output=True, text=True, check=True)
        model = json.loads(done.stdout)
        first, last = model["inputs"][0]["name"], model["outputs"][0]["name"]
        picture = (held_out["pictures"][0].astype(np.int16) - 128).astype(np.int8)
        np.savez(self.folder / "wrong.npz",
                 **{first: picture.reshape(1, 8, 8, 1), last: np.full((1, 10), 3, np.int8)})
        done = verify(DIGITS, "--target", "cortex-m4", "--runs", "0", "--against", self.folder / "wrong.npz")
        self.assertEqual(done.returncode, 1)
        self.assertIn("differs from the golden output", done.stderr)


class Cores(Models):
    """The cores that boards above do not have; the tests of Models run on these, and those of kernels' choice."""

    test_digits_are_exact_on_every_target = None
    test_counts_are_the_same_twice_with_ports_in_the_pool_too = None
    test_pools_and_places_of_weights_are_exact = None
    test_clang_for_bare_metal_is_exact_too = None
    test_a_digit_is_recognised_on_a_cortex_m4 = None
    test_golden_vectors_are_exact_on_every_target = None
    test_a_golden_that_is_wrong_is_refused = None

    def test_digits_are_exact_on_every_core(self):
        for target in CORES:
            with self.subTest(target):
                self.measure(DIGITS, target, "--runs", "3", "--per-node")

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_golden_vectors_are_exact_on_every_core(self):
        for name in PORTS:
            for target in CORES if name in ("kws_ref_model", "ad01_int8") else ("cortex-m0", "cortex-m3"):
                with self.subTest(name, target=target):
                    against = npz(self.folder, name, 0)
                    measured = self.measure(TINY / f"{name}.tflite", target, "--runs", "0", "--against", against)
                    self.assertLessEqual(measured["stack_bound_bytes"], 1.3 * measured["stack_bytes"])

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_vectors_of_other_compilers_and_twins_under_sanitizers_give_the_golden_bits(self):
        sanitizers = ["--core", "mve", "--cflags", "-fsanitize=address,undefined -fno-sanitize-recover=all"]
        for name in ("kws_ref_model", "pretrainedResnet_quant"):
            model, against = TINY / f"{name}.tflite", ["--runs", "0", "--against", npz(self.folder, name, 0)]
            for more in (["--cc", CLANG], ["--cflags", "-Os"]):
                if shutil.which(more[1]) or more[0] == "--cflags":
                    with self.subTest(name, more=more):
                        self.measure(model, "cortex-m55", *against, *more)
            with self.subTest(name, core="mve"):
                done = verify(model, *against, *sanitizers)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_set_of_kernels_gives_the_same_bits_on_a_host_and_on_another_core(self):
        for core in {*CORES.values(), "mve"}:
            with self.subTest(core):
                done = verify(DIGITS, "--core", core, "--runs", "3", "--per-node")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.measure(DIGITS, "cortex-m4", "--core", core, "--runs", "1")

    def test_a_target_gets_the_kernels_of_its_core(self):
        for target, core in CORES.items():
            with self.subTest(target):
                given = self.measure(DIGITS, target, "--runs", "1", "--core", core)
                self.assertEqual(self.measure(DIGITS, target, "--runs", "1"), given)
        done = verify(DIGITS, "--core", "v7m")
        self.assertEqual(done.returncode, 2)
        self.assertIn("dsp|plain|v6m|mve|rvv", done.stderr)


class Float(Case):
    """Float models of ONNX, on the cores that have a floating-point unit."""

    def check(self, name, *more, targets=("cortex-m4", "cortex-m55")):
        model = TINY.parent / f"onnx/{name}.onnx"
        if not model.is_file():
            self.skipTest(f"skipped: ../shared/models/onnx/{name}.onnx is absent")
        for target in targets:
            with self.subTest(target):
                done = verify(model, "--target", target, "--runs", "1", *more)
                self.assertEqual(done.returncode, 0, done.stderr)
                measured = json.loads(done.stdout)
                self.assertEqual(measured["touched_bytes"], measured["workspace_bytes"])
                self.assertLessEqual(measured["stack_bytes"], STACK_BYTES)
                yield measured

    def test_mnist_is_exact_node_by_node_fused_and_not(self):
        for measured, most in zip(self.check("mnist", "--per-node"), (2_600_000, 910_000)):
            self.assertEqual(measured["compared"], len(measured["values"]))
            self.assertEqual(measured["unfused_compared"], len(measured["unfused_values"]))
            self.assertGreater(measured["unfused_compared"], measured["compared"])
            # 786,560 multiply-adds; one pixel at a time took 3,614,850.
            self.assertLess(measured["instructions"], most)

    def test_mnist_by_fused_multiply_add_is_exact_and_takes_2_4_instructions_each_with_helium_0_9(self):
        for measured, most in zip(self.check("mnist", "--fma", "--per-node"), (2.4, 0.9)):
            self.assertEqual(measured["compared"], len(measured["values"]))
            self.assertEqual(measured["unfused_compared"], len(measured["unfused_values"]))
            self.assertLess(measured["instructions"], most * 786_560)

    def test_transposed_convolutions_by_fused_multiply_add_take_2_4_instructions_each(self):
        sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
        import build  # noqa: PLC0415
        b = build.Builder("TRANSPOSE_CONV", "f32", 0)
        x, w = b.input([1, 8, 8, 64]), b.const(b.rng.standard_normal([32, 4, 4, 64]) / 16, "f32")
        b.op("TRANSPOSE_CONV", [b.ints([1, 16, 16, 32]), w, x], [b.output([1, 16, 16, 32])], padding="SAME", stride_h=2, stride_w=2,
             activation="NONE")
        path = self.folder / "transposed.tflite"
        path.write_bytes(b.model())
        for target in ("cortex-m4", "cortex-m55", "riscv64-v"):
            done = verify(path, "--target", target, "--runs", "1", "--fma")
            self.assertEqual(done.returncode, 0, done.stderr)
            if target != "riscv64-v":
                self.assertLess(json.loads(done.stdout)["instructions"], 2.4 * 2_097_152)

    def test_svdf_of_floats_is_the_same_and_takes_2_6_instructions_for_each_product_fused(self):
        """Memories that the assembly takes whole, with values left over, and not at all."""
        sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
        import build  # noqa: PLC0415
        for units, rank, features, memory, most in ((128, 1, 64, 16, 2.6), (13, 2, 7, 6, None), (5, 1, 9, 4, None), (9, 1, 5, 3, None)):
            b = build.Builder("SVDF", "f32", 0)
            x, filters = b.input([1, features]), units * rank
            w, time = (b.const(b.rng.standard_normal([filters, n]), "f32") for n in (features, memory))
            bias = b.const(b.rng.standard_normal(units), "f32")
            b.op("SVDF", [x, w, time, bias, b.state([1, filters * memory])], [b.output([1, units])], rank=rank, activation="NONE")
            path = self.folder / f"svdf{memory}.tflite"
            path.write_bytes(b.model())
            for target, fused in (("cortex-m4", "--fma"), ("cortex-m4", ""), ("cortex-m55", "--fma")):
                with self.subTest(f"{memory} {fused}", target=target):
                    done = verify(path, "--target", target, "--runs", "3", *fused.split())
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if fused and most:
                        self.assertLess(json.loads(done.stdout)["instructions"], most * filters * (features + memory))

    def recurrent(self, op, gates, features, units, unit=1.0, **attributes):
        """A layer of ONNX over three steps, and its input."""
        sys.path.insert(0, str(SOURCE / "tests/cli"))
        import onnx_lite as onnx  # noqa: PLC0415
        rng = np.random.default_rng(units)
        shapes = {"x": (3, 1, features), "w": (1, gates * units, features), "r": (1, gates * units, units), "b": (1, 2 * gates * units)}
        v = {k: np.float32(rng.uniform(-0.3, 0.3, s) * (1 if k == "r" else unit)) for k, s in shapes.items()}
        v["b"] *= unit == 1
        node = onnx.node(op, ["x", "w", "r", "b"], ["y"], hidden_size=units, **attributes)
        path = self.folder / f"{op}{units}.onnx"
        path.write_bytes(onnx.model([node], [onnx.info("x", shapes["x"])], [onnx.info("y", (3, 1, 1, units))],
                                    [onnx.tensor(k, v[k]) for k in "wrb"], 14))
        np.save(self.folder / "x.npy", v["x"])
        return path, v, ["-i", f"x=@{self.folder}/x.npy"]

    def test_recurrent_layers_take_2_4_instructions_for_each_product_fused_and_3_rounded(self):
        for op, gates, target, fused, most in (("LSTM", 4, "cortex-m4", [], 3.0), ("LSTM", 4, "cortex-m4", ["--fma"], 2.4),
                                               ("GRU", 3, "cortex-m4", ["--fma"], 2.4), ("LSTM", 4, "cortex-m55", ["--fma"], 1.4)):
            model, _, given = self.recurrent(op, gates, 64, 128, **({"linear_before_reset": 1} if op == "GRU" else {}))
            with self.subTest(f"{op} {fused}", target=target):
                done = verify(model, "--target", target, "--runs", "0", *given, *fused)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLess(json.loads(done.stdout)["instructions"], most * 3 * gates * 128 * (64 + 128))

    def test_recurrent_layers_of_odd_sizes_and_of_numbers_next_to_nought_are_the_same(self):
        scalar = ["--cc", CLANG, "--cflags", "-fno-vectorize -fno-slp-vectorize"]
        for features, units, unit in ((7, 13, 1.0), (9, 16, 2.0**-64)):
            model, v, given = self.recurrent("RNN", 1, features, units, unit, activations=["Relu"])
            if unit != 1:  # Helium would make nought of them
                sums = np.abs(v["w"][0].astype(np.float64) @ v["x"][0, 0])
                self.assertGreater(np.count_nonzero((sums > 1e-44) & (sums < np.finfo(np.float32).tiny)), 4)
            for target in ("cortex-m4", "cortex-m55"):
                for more in ([], ["--fma"], *([scalar] if shutil.which(CLANG) else [])):
                    with self.subTest(f"{features} {units} {unit} {more}", target=target):
                        done = verify(model, "--target", target, "--runs", "0", *given, *more)
                        self.assertEqual(done.returncode, 0, done.stderr)

    def test_fused_multiply_add_is_the_same_where_no_core_has_it(self):
        model = SOURCE / "examples/digits/digits.onnx"
        for target, more in (("cortex-m0", ()), ("cortex-m7", ()), ("cortex-m33", ()), ("cortex-m55", ()), ("riscv32", ()), ("riscv64-v", ()),
                             ("cortex-m4", ("--cc", CLANG))):
            if more and not shutil.which(CLANG):
                continue
            with self.subTest(target, more=more):
                done = verify(model, "--target", target, "--runs", "1", "--fma", *more)
                self.assertEqual(done.returncode, 0, done.stderr)
                if target == "cortex-m55":
                    self.assertLess(json.loads(done.stdout)["instructions"], 0.9 * 352_768)

    def test_numbers_next_to_nought_are_the_same_on_cores_with_vectors(self):
        """Vectors of MVE would make nought of them."""
        sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
        import model  # noqa: PLC0415
        main = model.Graph()
        a, b, y = (main.add(model.Tensor(name, [1, 16], "f32")) for name in "aby")
        main.op("MUL", [a, b], [y])
        main.inputs, main.outputs = [a, b], [y]
        path, against = self.folder / "product.tflite", self.folder / "tiny.npz"
        path.write_bytes(model.write(main))
        values = np.linspace(1e-20, 2e-20, 16, dtype=np.float32).reshape(1, 16)
        np.savez(against, a=values, b=values, y=values * values)
        self.assertTrue(np.all(values * values > 0))
        scalar = ("--cc", CLANG, "--cflags", "-fno-vectorize -fno-slp-vectorize")
        for target, more in (("cortex-m4", ()), ("cortex-m55", ()), ("cortex-m55", scalar)):
            if more and not shutil.which(CLANG):
                continue
            with self.subTest(target, more=more):
                done = verify(path, "--target", target, "--runs", "0", "--against", against, *more)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_windows_of_numbers_next_to_nought_are_the_same_on_cores_with_vectors(self):
        """Products, sums that cancel and inputs, each of which Helium would make nought of."""
        sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
        import model  # noqa: PLC0415
        rng, window = np.random.default_rng(7), dict(padding="SAME", stride_w=1, stride_h=1)
        filters = {"CONV_2D": ((8, 3, 3, 8), {}), "DEPTHWISE_CONV_2D": ((1, 3, 3, 8), {"depth_multiplier": 1})}
        for name, scale, weight, bits in (("products", 1e-19, 1e-19, 0), ("sums", 2.0**-103, 2.0**-23, 8), ("inputs", 1e-39, 1, 0)):
            def some(most, shape, unit):  # of a few bits products and sums are exact, and many cancel
                values = rng.uniform(-most, most, shape)
                return np.float32((np.round(values * bits) / bits if bits else values) * unit)  # noqa: B023
            main, x = model.Graph(), some(1, (1, 5, 7, 8), scale)
            whole = {"x": x}
            main.inputs = [main.add(model.Tensor("x", x.shape, "f32"))]
            for op, (shape, more) in filters.items():
                w = some(2, shape, weight)
                constants = [main.add(model.Tensor(f"{op} {i}", v.shape, "f32", v)) for i, v in enumerate((w, np.zeros(8, np.float32)))]
                main.outputs.append(main.add(model.Tensor(op, x.shape, "f32")))
                main.op(op, [0, *constants], main.outputs[-1:], **window, **more, dilation_w=1, dilation_h=1)
                whole[op] = self.windows(x, w)
            main.outputs.append(main.add(model.Tensor("largest", x.shape, "f32")))
            main.op("MAX_POOL_2D", [0], main.outputs[-1:], **window, filter_w=3, filter_h=3)
            whole["largest"] = self.windows(x, None)
            tiny = np.abs(np.concatenate([v.ravel() for key, v in whole.items() if key != "x"]))
            self.assertGreater(np.count_nonzero((tiny > 0) & (tiny < np.finfo(np.float32).tiny)), 20)
            path, against = self.folder / f"{name}.tflite", self.folder / f"{name}.npz"
            path.write_bytes(model.write(main))
            np.savez(against, **whole)
            clang = ["--cc", CLANG, "--cflags", "-fno-vectorize -fno-slp-vectorize"]
            for more in [[], *([["--fma"]] if bits else []), *([clang] if shutil.which(CLANG) else [])]:
                with self.subTest(name, more=more):
                    done = verify(path, "--target", "cortex-m55", "--runs", "0", "--against", against, *more)
                    self.assertEqual(done.returncode, 0, done.stderr)

    @staticmethod
    def windows(x, w):
        """3 by 3, padded: sums of products, each rounded, in the order of docs/reference/compile-float.md; without w the largest."""
        _, height, width, depth = x.shape
        y = np.full(x.shape, -np.inf if w is None else 0, np.float32)
        for r, c, o, i, j in np.ndindex(height, width, depth, 3, 3):
            if 0 <= r + i - 1 < height and 0 <= c + j - 1 < width:
                tap, at = x[0, r + i - 1, c + j - 1], (0, r, c, o)
                if w is None:
                    y[at] = max(y[at], tap[o])
                elif w.shape[0] == 1:
                    y[at] += tap[o] * w[0, i, j, o]
                else:
                    for k in range(depth):
                        y[at] += tap[k] * w[o, i, j, k]
        return y

    def test_ultraface_is_exact(self):
        for measured in self.check("ultraface_rfb320"):
            self.assertGreater(measured["instructions"], 168_000_000)  # the fine timer went round


class State(Case):
    def test_what_a_run_leaves_reaches_the_next_one(self):
        """A model that hands out what it was given in the run before, through a variable."""
        sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
        import model  # noqa: PLC0415
        main, init = model.Graph(), model.Graph("init")
        first = init.add(model.Tensor("first", (2, 3), "f32", np.full((2, 3), 7, np.float32)))
        handles = [graph.add(model.Tensor("handle", [], "resource")) for graph in (main, init)]
        init.op("VAR_HANDLE", [], [handles[1]], container="", shared_name="kept")
        init.op("ASSIGN_VARIABLE", [handles[1], first], [])
        x, y = main.add(model.Tensor("x", [2, 3], "f32")), main.add(model.Tensor("y", [2, 3], "f32"))
        main.inputs, main.outputs = [x], [y]
        main.op("VAR_HANDLE", [], [handles[0]], container="", shared_name="kept")
        main.op("CALL_ONCE", [], [], init_subgraph=1)
        main.op("READ_VARIABLE", [handles[0]], [y])
        main.op("ASSIGN_VARIABLE", [handles[0], x], [])
        path = self.folder / "kept.tflite"
        path.write_bytes(model.write(main, init))
        for target in ("host", *TARGETS):
            with self.subTest(target):
                done = verify(path, "--target", target, "--runs", "4")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["ram_bytes"], 72)
        header = self.folder / "plant.h"  # the first copy resets; every other one after it, into the state, is lost
        header.write_text("""#include <stddef.h>
static inline void *plant(void *to, const void *from, size_t n)
{
    static int calls;
    for (size_t i = 0; (calls == 0 || calls % 2 == 1) && i < n; i++) {
        ((volatile char *)to)[i] = ((const char *)from)[i];
    }
    calls++;
    return to;
}
#define memcpy plant
""")
        done = verify(path, "--target", "cortex-m4", "--runs", "2", "--cflags", f"-include {header}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("random inputs 2: output 'y' differs from the host session", done.stderr)


    def test_models_with_state_are_exact_node_by_node(self):
        """SVDF, LSTM and variables, as the interpreters' vectors have them."""
        sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
        import container  # noqa: PLC0415
        for name in ("svdf_i8", "unidirectional_sequence_lstm_i8", "unidirectional_sequence_lstm_i16x8",
                     "unidirectional_sequence_lstm_f32", "call_once_i8"):
            _, cases = container.unpack(SOURCE / f"tests/vectors/{name}.bin.xz")
            path = self.folder / f"{name}.tflite"
            path.write_bytes(cases[2].model)  # of the float LSTM one with coupled gates
            for target in ("host", *TARGETS):
                with self.subTest(name, target=target):
                    done = verify(path, "--target", target, "--runs", "4", "--per-node")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    measured = json.loads(done.stdout)
                    self.assertEqual(measured["compared"], len(measured["values"]))

    def adder(self):
        """y = x + h, n = x - h, of int8 whose state h starts as the zero point 3."""
        sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
        import model  # noqa: PLC0415
        graph = model.Graph()
        x, h, y, n = (graph.add(model.Tensor(name, [1, 6], "i8", None, [0.5], [3])) for name in "xhyn")
        graph.op("ADD", [x, h], [y])
        graph.op("SUB", [x, h], [n])
        graph.inputs, graph.outputs = [x, h], [n, y]
        path = self.folder / "adder.tflite"
        path.write_bytes(model.write(graph))
        return path

    def test_an_output_that_is_brought_back_is_compared_over_the_runs(self):
        path = self.adder()
        np.savez(self.folder / "golden.npz", x=np.array([[1, 2, 3, 4, 5, 6]], np.int8),
                 y=np.array([[1, 2, 3, 4, 5, 6]], np.int8))  # h is zero
        for target in ("host", *TARGETS):
            with self.subTest(target):
                done = verify(path, "--target", target, "--state", "h=n", "--per-node", "--runs", "5", "--against",
                              self.folder / "golden.npz")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["runs"], 6)
        given = verify(path, "--state", "h=n", "--runs", "0", "-i", "x=1x6xi8=1,2,3,4,5,6")
        self.assertEqual(given.returncode, 0, given.stderr)
        given = verify(path, "--state", "h=n", "-i", "x=1x6xi8=1,2,3,4,5,6", "-i", "h=1x6xi8=1,2,3,4,5,6")
        self.assertEqual(given.returncode, 2)
        self.assertIn("is state, which the runs before give", given.stderr)

    def test_a_state_that_is_lost_is_seen(self):
        header = self.folder / "plant.h"  # the state goes back to its first value before each run
        header.write_text("#define TVMGEN_ON_OP(index) \\\n    ((index) == 0 ? (void)(*(volatile int8_t *)(uintptr_t)"
                          "(const void *)state = 3) : (void)0)\n")
        done = verify(self.adder(), "--state", "h=n", "--runs", "3", "--cflags", f"-include {header}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("random inputs 2: output 'y' differs from the host session at byte 0", done.stderr)


class Nodes(Case):
    def test_every_value_of_the_digits_is_compared(self):
        for target in ("host", *TARGETS):
            done = verify(DIGITS, "--target", target, "--runs", "2", "--per-node")
            self.assertEqual(done.returncode, 0, done.stderr)
            measured = json.loads(done.stdout)
            self.assertEqual(measured["compared"], len(measured["values"]))
            self.assertGreaterEqual(measured["compared"], 10)

    def test_the_first_node_that_differs_is_named(self):
        header = self.folder / "plant.h"
        header.write_text("""#include <stdint.h>
static inline void plant(int32_t index, uint8_t *workspace, int32_t size)
{
    for (int32_t i = 0; index == 4 && i < size; i++) {
        workspace[i] ^= 0x55;
    }
}
#define TVMGEN_ON_OP(index) plant(index, workspace_pools->workspace, TVMGEN_NET_WORKSPACE_SIZE)
""")
        for target in ("host", "cortex-m4"):
            done = verify(DIGITS, "--target", target, "--runs", "1", "--per-node", "--cflags", f"-include {header}")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"operator 4, 'functional_1/\S+' \(Oribi>Q\w+\), is the first that differs")

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_every_layer_is_what_tflite_micro_computed(self):
        """layers_N.txt: index, operator, tensor, bytes and CRC-32 of each operator's output."""
        for name in PORTS:
            golden = npz(self.folder, name, 2)
            layers = [line.split() for line in (TINY / f"golden/{name}/layers_2.txt").read_text().splitlines()
                      if line and not line.startswith("#")]
            wanted = {(int(layer[3]), int(layer[4], 16)) for layer in layers}
            for target in ("cortex-m4", "riscv32") if name == "kws_ref_model" else ("cortex-m4",):
                done = verify(TINY / f"{name}.tflite", "--target", target, "--runs", "0", "--per-node",
                              "--no-fuse", "--against", golden)
                self.assertEqual(done.returncode, 0, done.stderr)
                values = json.loads(done.stdout)["values"]
                got = {(value["bytes"], value["crc32"]) for value in values}
                self.assertLessEqual(wanted, got, (name, target))


class Sources(Case):
    """What the compilers of the targets say about the emitted C and about platform/."""

    BARE = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
            "-ffp-contract=off", "-ffreestanding", "-fbuiltin"]
    COMPILERS = [("cortex-m4", "arm-none-eabi-", "arm-none-eabi-gcc",
                  "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"),
                 ("cortex-m55", "arm-none-eabi-", "arm-none-eabi-gcc", "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard"),
                 ("cortex-m33", "arm-none-eabi-", "arm-none-eabi-gcc",
                  "-mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard"),
                 ("cortex-m0", "arm-none-eabi-", "arm-none-eabi-gcc", "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft"),
                 ("riscv32", "riscv64-unknown-elf-", "riscv64-unknown-elf-gcc", "-march=rv32imac -mabi=ilp32"),
                 ("riscv64", "riscv64-unknown-elf-", "riscv64-unknown-elf-gcc",
                  "-march=rv64imac -mabi=lp64 -mcmodel=medany"),
                 ("cortex-m55", "arm-none-eabi-", CLANG,
                  "--target=thumbv8.1m.main-none-eabihf -mcpu=cortex-m55 -fshort-enums")]
    FOLDERS = {"cortex-m0": "cortex-m4", "riscv64": "riscv32"}  # of platform/
    ASKED = {"memcpy", "memmove", "memset"}

    def compile(self, compiler, flags, sources, includes):
        objects = []
        for source in sources:
            objects.append(self.folder / f"{len(objects)}-{source.stem}.o")
            done = subprocess.run([compiler, *self.BARE, *flags.split(), *includes, "-isystem",
                                   SOURCE / "platform/include", "-c", source, "-o", objects[-1]],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return objects

    def test_emitted_c_is_clean_and_asks_for_nothing(self):
        models = [DIGITS, *sorted(TINY.glob("*.tflite"))[1:3]]
        for i, model in enumerate(models):
            subprocess.run([ORIBI, "compile", model, "--name", "net", "-o", self.folder / f"c{i}"], check=True, capture_output=True)
        for target, prefix, compiler, flags in self.COMPILERS:
            if shutil.which(compiler) is None:
                continue
            for i in range(len(models)):
                with self.subTest(models[i].stem, compiler=compiler, target=target):
                    folder = self.folder / f"c{i}"
                    objects = self.compile(compiler, flags, sorted(folder.rglob("*.c")), [f"-I{folder}"])
                    self.check_objects(prefix, flags, objects)

    def test_the_check_of_objects_sees_symbols_and_state(self):
        for text in ("int puts(const char *); int f(void); int f(void) { return puts(\"x\"); }",
                     "int count(void); int count(void) { static int n; return ++n; }"):
            source = self.folder / "plant.c"
            source.write_text(text)
            objects = self.compile("arm-none-eabi-gcc", self.COMPILERS[0][3], [source], [])
            with self.assertRaises(AssertionError):
                self.check_objects("arm-none-eabi-", self.COMPILERS[0][3], objects)

    @staticmethod
    @functools.lru_cache
    def libgcc(prefix, flags):
        words = flags.split() if "--target" not in flags else ["-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"]
        library = subprocess.run([f"{prefix}gcc", *words, "-print-libgcc-file-name"], check=True,
                                 capture_output=True, text=True).stdout.strip()
        listed = subprocess.run([f"{prefix}nm", "--defined-only", library], check=True, capture_output=True,
                                text=True).stdout
        return {line.split()[-1] for line in listed.splitlines() if len(line.split()) == 3}

    def check_objects(self, prefix, flags, objects):
        whole, linker = self.folder / "whole.o", f"{prefix}ld"
        bits = "64" if "rv64" in flags else "32"
        more = [f"-melf{bits}lriscv"] if prefix.startswith("riscv") else []
        subprocess.run([linker, *more, "-r", *objects, "-o", whole], check=True)
        names = subprocess.run([f"{prefix}nm", "-u", whole], check=True, capture_output=True, text=True).stdout
        plain = {re.sub(r"^__aeabi_(mem(?:cpy|move|set))[48]?$|^__aeabi_memclr[48]?$",
                        lambda found: found.group(1) or "memset", name) for name in names.split()}  # clang's names
        self.assertLessEqual(plain - {"U"} - self.libgcc(prefix, flags), self.ASKED)
        sizes = subprocess.run([f"{prefix}size", "-A", whole], check=True, capture_output=True, text=True).stdout
        for line in sizes.splitlines():
            if re.match(r"\.s?(data|bss)\b", line):
                self.assertEqual(line.split()[1], "0", line)

    def test_platform_is_clean(self):
        for target, prefix, compiler, flags in self.COMPILERS:
            if shutil.which(compiler) is None:
                continue
            own = "riscv32" if target.startswith("riscv") else "cortex-m"
            board = self.FOLDERS.get(target, target)
            sources = [*(SOURCE / "platform/harness").glob("*.c"), *(SOURCE / f"platform/{board}").glob("*.c"),
                       *(SOURCE / f"platform/{own}").glob("*.c")]
            with self.subTest(compiler=compiler, target=target):
                self.compile(compiler, flags, sorted(set(sources)),
                             [f"-I{SOURCE / folder}" for folder in ("platform", f"platform/{board}", "include")])


class Serial(Case):
    """An image for a board, in QEMU with its UART on a pty."""

    MACHINES = {"cortex-m4": ["qemu-system-arm", "-M", "mps2-an386", "-icount", "shift=10"],
                "cortex-m55": ["qemu-system-arm", "-M", "mps3-an547", "-icount", "shift=10"],
                "riscv32": ["qemu-system-riscv32", "-M", "virt", "-bios", "none", "-icount", "shift=0"]}

    def board(self, target, *more):
        folder = self.folder / target
        done = verify(DIGITS, "--target", target, "--image", folder, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        machine = subprocess.Popen([*self.MACHINES[target], "-display", "none", "-monitor", "none",
                                    "-serial", "pty", "-kernel", folder / "image"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(machine.stdout.close)
        self.addCleanup(machine.wait)
        self.addCleanup(machine.kill)
        found = re.search(r"/dev/pts/\d+", machine.stdout.readline())
        self.assertIsNotNone(found)
        return found.group(0)

    def test_a_board_on_a_serial_line_is_compared(self):
        for target in TARGETS:
            with self.subTest(target):
                port = self.board(target)
                for _ in range(2):  # the board stays
                    done = verify(DIGITS, "--target", target, "--port", port, "--runs", "2", "--per-node", "--profile",
                                  "--timeout", "60")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    measured = json.loads(done.stdout)
                    self.assertEqual(measured["runs"], 2)
                    self.assertEqual(measured["compared"], len(measured["values"]))
                    counts = [row["instructions"] for row in measured["operators"]]
                    self.assertAlmostEqual(sum(counts), measured["instructions"], delta=100 * len(counts))

    def test_a_fault_of_a_board_is_told(self):
        header = self.folder / "plant.h"
        header.write_text("#define TVMGEN_ON_OP(index) ((index) == 2 ? (void)(workspace_pools->workspace[4096] = 1) : (void)0)\n")
        port = self.board("cortex-m4", "--cflags", f"-include {header}")
        done = verify(DIGITS, "--target", "cortex-m4", "--port", port, "--runs", "1", "--timeout", "30")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a fault occurred on the target: data", done.stderr)

    def test_another_model_and_no_board_are_told(self):
        port = self.board("cortex-m4")
        other = self.folder / "other.tflite"
        other.write_bytes(DIGITS.read_bytes() + b"\0")
        done = verify(other, "--target", "cortex-m4", "--port", port, "--runs", "1", "--timeout", "30")
        self.assertEqual(done.returncode, 1)
        self.assertIn("another model", done.stderr)
        silent = os.openpty()
        self.addCleanup(os.close, silent[0])
        self.addCleanup(os.close, silent[1])
        done = verify(DIGITS, "--target", "cortex-m4", "--port", os.ttyname(silent[1]), "--timeout", "2")
        self.assertEqual(done.returncode, 5)
        self.assertIn("no answer", done.stderr)
        done = verify(DIGITS, "--target", "cortex-m4", "--port", "/dev/null", "--timeout", "2")
        self.assertEqual(done.returncode, 4)


FAULT = """#ifdef TVMGEN_NET_H_ /* the model's C alone: no other file is compiled anew */
static inline uint32_t deep(uint32_t n)
{
    volatile uint32_t here[16] = {n};
    return n == 0u ? here[0] : deep(n - 1u) + here[n % 16u];
}
static inline void plant(uint8_t *workspace, uintptr_t inputs)
{
    static const uint32_t constant = 5;
    int8_t *picture = *(int8_t *const *)inputs;
    switch (picture[63]) {
CASES
    }
}
#endif
"""


class Faults(Case):
    """Each fault is code that runs before every operator, on the target alone; the last pixel says which. So those of a
    target are one text, which is compiled once."""

    FAULTS = {"beside": "workspace[SIZE] = 1;", "before": "workspace[-1] = 1;", "far": "workspace[4096] = 1;",
              "far before": "*(volatile uint8_t *)(workspace - 4096);",
              "constant": "*(volatile uint32_t *)(uintptr_t)&constant = 6;",
              "code": "*(volatile uint32_t *)((uintptr_t)&deep & ~(uintptr_t)3) = 0;",
              "stack": "workspace[0] = (uint8_t)deep(1000u);", "old memory": "for (int i = 0; i < 63; i++) { picture[i] = (int8_t)workspace[i]; }"}
    OTHER_CORES = {"cortex-m4": {"vadd.f64": '__asm__ volatile(".inst.w 0xee310b02");',
                                 "vadd.i8 q0, q1, q0": '__asm__ volatile(".inst.w 0xef020840");'},
                   "cortex-m3": {"sxtb16": '__asm__ volatile(".inst.w 0xfa2ff080");'},
                   "cortex-m0": {"ldr": '__asm__ volatile("ldr r0, [%0]" ::"l"(workspace + 1) : "r0");'},
                   "riscv32": {"fadd.s": '__asm__ volatile(".word 0x003100d3");'},
                   "riscv64": {"fadd.s": '__asm__ volatile(".word 0x003100d3");',
                               "vsetvli": '__asm__ volatile(".word 0x0c0072d7" ::: "t0");'}}

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()  # one name, so that what was compiled is known
        cls.addClassCleanup(cls.shared.cleanup)

    @staticmethod
    @functools.lru_cache
    def workspace():
        with tempfile.TemporaryDirectory() as folder:
            report = subprocess.run([ORIBI, "compile", DIGITS, "-o", f"{folder}/c", "--json"], check=True, capture_output=True, text=True)
        return json.loads(report.stdout)["workspace_bytes"]

    def refused(self, target, name, words, own=None):
        """own: a fault that is alone in the program."""
        faults = {name: own} if own else self.FAULTS | self.OTHER_CORES.get(target, {})
        cases = [f"    case {i}: {fault.replace('SIZE', str(self.workspace()))} break;" for i, fault in enumerate(faults.values())]
        header, macros = pathlib.Path(self.shared.name, "plant.h"), pathlib.Path(self.shared.name, "macros.h")
        header.write_text(FAULT.replace("CASES", "\n".join(cases)))
        macros.write_text(f"""#define TVMGEN_CONFIG_HEADER "{header}"
#define TVMGEN_ON_OP(index) plant(workspace_pools->workspace, (uintptr_t)(const void *)inputs)
""")
        pixels = [0] * 63 + [list(faults).index(name)]
        done = verify(DIGITS, "--target", target, "--runs", "0", "-i", "picture=1x8x8x1xi8=" + ",".join(map(str, pixels)), "--cflags",
                      f"-include {macros}")
        self.assertEqual(done.returncode, 1, (target, name, done.stderr[-600:]))
        self.assertIn(words, done.stderr)

    def test_without_a_fault_it_runs(self):
        with self.assertRaisesRegex(AssertionError, "0 != 1"):
            self.refused("cortex-m4", "none", "", own=";")

    def test_a_byte_beside_the_workspace_is_seen(self):
        size = self.workspace()
        for target in ("host", *TARGETS):
            with self.subTest(target):
                self.refused(target, "beside", "bytes beside" if target == "host" or size % 16 else "a fault")
        self.refused("cortex-m4", "before", "bytes beside")

    def test_an_access_far_from_the_workspace_is_a_fault(self):
        for target in TARGETS:
            with self.subTest(target):
                self.refused(target, "far", "in plant (plant.h:")
        self.refused("cortex-m4", "far before", "a fault occurred on the target: data")

    def test_constants_and_code_cannot_be_written(self):
        for target in TARGETS:
            with self.subTest(target):
                self.refused(target, "constant", "a fault occurred on the target: data")
        self.refused("cortex-m4", "code", "a fault occurred on the target: data")

    def test_a_stack_overflow_is_a_fault(self):
        for target in TARGETS:
            with self.subTest(target):
                self.refused(target, "stack", "data that may not be written" if target == "riscv32" else "stack")

    def test_an_instruction_of_another_core_is_a_fault(self):
        self.refused("cortex-m4", "vadd.f64", "an instruction that this core does not have")
        self.refused("cortex-m4", "vadd.i8 q0, q1, q0", "fault")
        self.refused("cortex-m3", "sxtb16", "an instruction that this core does not have")
        self.refused("riscv32", "fadd.s", "an illegal instruction")
        self.refused("riscv64", "fadd.s", "an illegal instruction")
        self.refused("riscv64", "vsetvli", "an illegal instruction")

    def test_what_armv6m_lacks_is_refused_where_the_board_has_it(self):
        for name, later in (("sdiv", ".inst.w 0xfb90f0f1"), ("cbz", ".inst.n 0xb100"), ("it", ".inst.n 0xbf08\\n nop")):
            self.refused("cortex-m0", name, "later than ARMv6-M", own=f'__asm__ volatile("{later}");')
        self.refused("cortex-m0", "ldr", "a fault")

    def test_faults_of_further_cores_are_seen(self):
        for target in CORES:
            with self.subTest(target):
                self.refused(target, "far", "in plant (plant.h:")
                self.refused(target, "constant", "a fault occurred on the target: data")
                self.refused(target, "stack", "data that may not be written" if target.startswith("riscv64") else "stack")

    def test_results_that_depend_on_old_memory_are_seen(self):
        self.refused("cortex-m4", "old memory", "differs")

    def test_an_endless_loop_ends_with_the_time_limit(self):
        header = self.folder / "plant.h"
        header.write_text("#define TVMGEN_ON_OP(index) for (;;) {}\n")
        done = verify(DIGITS, "--target", "cortex-m4", "--runs", "1", "--timeout", "2", "--cflags",
                      f"-include {header}")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("--timeout", done.stderr)

    def test_unknown_targets_and_compilers_are_refused(self):
        self.assertEqual(verify(DIGITS, "--target", "cortex-m1").returncode, 2)
        self.assertEqual(verify(DIGITS, "--state", "a=b").returncode, 4)
        done = verify(DIGITS, "--target", "cortex-m4", "--cc", "no-such-compiler")
        self.assertEqual(done.returncode, 3)
        self.assertIn("gcc-arm-none-eabi", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
