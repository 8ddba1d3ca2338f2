#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Float models as C: the bits of `oribi run --kernels micro`, whatever the compiler, its optimisation and
its mode; the values of ONNX Runtime.

    float_test.py ORIBI SOURCE_FOLDER [--large]

--large verifies every ONNX model of ../shared/models instead (minutes), vgg19, which takes gigabytes and as long as the
others together, where ORIBI_TEST_ALL_MODELS is set."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
MODELS = SOURCE.parent / "shared/models/onnx"
DIGITS = SOURCE / "examples/digits/digits.onnx"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
MAIN = """#include <stdio.h>
#include "tvmgen_net.h"
static union {{ double align; unsigned char bytes[TVMGEN_NET_WORKSPACE_SIZE]; }} memory
    __attribute__((aligned(TVMGEN_NET_WORKSPACE_ALIGNMENT)));
{arrays}
int main(void)
{{
    struct tvmgen_net_workspace_pools pools = {{memory.bytes}};
    struct tvmgen_net_inputs inputs = {{{inputs}}};
    struct tvmgen_net_outputs outputs = {{{outputs}}};
    if (fread(in0, 1, sizeof in0, stdin) != sizeof in0 ||
        tvmgen_net_run(&inputs, &outputs, &pools) != 0) {{
        return 1;
    }}
{writes}
    return 0;
}}
"""


def fields(data):
    """(number, value) of a protobuf message; value: int or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            size = {2: varint, 5: lambda: 4, 1: lambda: 8}[key & 7]()
            yield key >> 3, data[at:at + size]
            at += size


def tensor_proto(path):
    """The float elements of a serialized TensorProto, flat."""
    parts = [value for number, value in fields(path.read_bytes()) if number in (4, 9)]
    return np.frombuffer(b"".join(parts), np.float32)


def has_fma():
    try:
        return " fma " in pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


class Float(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, model, *more):
        done = subprocess.run([ORIBI, "compile", model, "-o", self.folder / "c", "--name", "net", "--force",
                               *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "c"

    def build(self, folder, n_outputs, *flags, compiler="gcc"):
        header = (folder / "tvmgen_net.h").read_text()
        ports = [line.split()[1][len("TVMGEN_NET_"):-len("_COUNT")] for line in header.splitlines()
                 if line.startswith("#define") and line.split()[1].endswith("_COUNT")]
        self.assertEqual(len(ports), 1 + n_outputs)
        names = ["in0"] + [f"out{i}" for i in range(n_outputs)]
        arrays = [f"static float {n}[TVMGEN_NET_{p}_COUNT];" for n, p in zip(names, ports)]
        writes = [f"    fwrite({n}, 1, sizeof {n}, stdout);" for n in names[1:]]
        (self.folder / "main.c").write_text(MAIN.format(
            arrays="\n".join(arrays), inputs="in0", outputs=", ".join(names[1:]), writes="\n".join(writes)))
        program = self.folder / "program"
        done = subprocess.run([compiler, *flags, "-w", f"-I{folder}", self.folder / "main.c",
                               *sorted(folder.rglob("*.c")), "-o", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def run_program(self, program, values):
        return subprocess.run([program], input=values.astype(np.float32).tobytes(), check=True,
                              capture_output=True).stdout

    def verify(self, model, *more):
        done = subprocess.run([ORIBI, "verify", model, "--name", "net", "--runs", "1", *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{model}: {done.stderr}")
        self.assertIn("equal bit for bit", done.stdout)

    def need(self, name):
        if not (MODELS / name).exists():
            self.skipTest(f"../shared/models/onnx/{name} is not there")
        return MODELS / name

    def test_the_digits_model_equals_the_session_per_node(self):
        self.verify(DIGITS, "--per-node")

    def test_mnist_equals_the_session_per_node(self):
        self.verify(self.need("mnist.onnx"), "--per-node")

    def test_ultraface_equals_the_session(self):
        self.verify(self.need("ultraface_rfb320.onnx"))

    def test_shufflenet_with_weights_of_the_assembler_equals_the_session(self):
        self.verify(self.need("light_shufflenet.onnx"), "--weights", "incbin")

    def test_resizing_and_choosing_equal_the_session_per_node(self):
        import container
        for name in ("resize", "where"):
            _, cases = container.unpack(SOURCE / f"tests/vectors/onnx_{name}.bin.xz")
            for case in cases[::5]:
                with self.subTest(f"{name} {case.name}"):
                    model = self.folder / "model.onnx"
                    model.write_bytes(case.model)
                    self.verify(model, "--per-node")

    def test_it_gives_the_values_of_onnx_runtime(self):
        for name, n_outputs, count in (("mnist", 1, 28 * 28), ("ultraface_rfb320", 2, 3 * 240 * 320)):
            with self.subTest(name):
                folder = self.compile(self.need(f"{name}.onnx"))
                got = np.frombuffer(self.run_program(self.build(folder, n_outputs, "-O2", "-std=c99"),
                                                     np.arange(count) / count), np.float32)
                want = np.concatenate([tensor_proto(MODELS / f"{name}_output_{i}.pb")
                                       for i in range(n_outputs)])
                np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)

    def test_every_compiler_and_mode_gives_the_same_bits(self):
        folder = self.compile(DIGITS)
        values = np.random.default_rng(5).random(64)
        modes = [["-std=c99", "-O0"], ["-std=c99", "-O2"], ["-std=c99", "-O3"], ["-std=gnu99", "-O3"]]
        modes += [["-std=gnu99", "-O3", "-mfma", "-mavx2"]] if has_fma() else []
        first = None
        for compiler in ("gcc", "clang-14"):
            for mode in modes:
                with self.subTest(f"{compiler} {' '.join(mode)}"):
                    out = self.run_program(self.build(folder, 1, *mode, compiler=compiler), values)
                    first = first or out
                    self.assertEqual(out, first)

    @unittest.skipUnless(has_fma(), "the processor has no fused multiply-add")
    def test_a_contraction_would_be_seen(self):
        folder = self.compile(DIGITS)
        values = np.random.default_rng(5).random(64)
        good = self.run_program(self.build(folder, 1, "-std=gnu99", "-O3", "-mfma"), values)
        rules = folder / "micro/float_rules.h"
        text = rules.read_text()
        rules.write_text(text.replace('#pragma GCC optimize("fp-contract=off")', ""))
        self.assertNotEqual(rules.read_text(), text)

        bad = self.run_program(self.build(folder, 1, "-std=gnu99", "-O3", "-mfma"), values)

        self.assertNotEqual(good, bad)

    def test_fused_products_equal_a_session_that_fuses_and_no_other(self):
        self.verify(DIGITS, "--fma", "--per-node", "--self-test")
        done = subprocess.run([ORIBI, "verify", DIGITS, "--name", "net", "--runs", "1", "--fma", "--kernels", "micro"],
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("differs from the host session", done.stderr)

    def test_fused_products_of_every_kind_of_layer_equal_a_session_that_fuses(self):
        import container
        for name, count in (("conv_2d_f32", 1), ("depthwise_conv_2d_f32", 1), ("batch_matmul_f32", 1), ("svdf_f32", 1), ("lstm_f32", 3),
                            ("unidirectional_sequence_lstm_f32", 3), ("unidirectional_sequence_rnn_f32", 1),
                            ("unidirectional_sequence_rnn_h8", 1), ("unidirectional_sequence_lstm_h8", 3)):
            _, cases = container.unpack(SOURCE / f"tests/vectors/{name}.bin.xz")
            for case in cases[:count]:
                with self.subTest(f"{name} {case.name}"):
                    model = self.folder / "model.tflite"
                    model.write_bytes(case.model)
                    self.verify(model, "--fma")
                    self.check_first_step(case, model)

    def check_first_step(self, case, model):
        """The session against what the interpreter gave, about."""
        given = []
        for i, data in enumerate(case.inputs[:len(case.inputs) // case.steps]):
            (self.folder / f"{i}.bin").write_bytes(data)
            given += ["-i", f"{i}=@{self.folder}/{i}.bin"]
        subprocess.run([ORIBI, "run", model, *given, "-o", self.folder / "y.npz", "-f", "--kernels", "micro-fma"], check=True, capture_output=True)
        outputs = next(iter(case.outputs.values()))
        outputs = outputs[:len(outputs) // case.steps]
        got = list(np.load(self.folder / "y.npz").values())
        self.assertEqual(len(got), len(outputs))
        for y, want in zip(got, outputs):
            np.testing.assert_allclose(y.ravel(), np.frombuffer(want, np.float32), rtol=1e-5, atol=5e-6)

    def test_recurrent_layers_of_tflite_fuse_each_product(self):
        """SVDF and RNN of numbers whose sums double holds exactly, so that numpy knows the bits."""
        import model as flat
        rng = np.random.default_rng(11)

        def some(*shape):
            return np.float32(rng.integers(-(2**19), 2**19, shape) / 2**19)

        def dot(a, b, total, is_fused):
            for x, w in zip(a, b):
                total = np.float32(np.float64(total) + (np.float64(x) * np.float64(w) if is_fused else np.float32(x * w)))
            return total

        x, w, r, bias, time = some(1, 23), some(11, 23), some(11, 11), some(11), some(11, 5)
        state = {"rnn": (1, 11), "svdf": (1, 55)}
        constants = {"rnn": (w, r, bias), "svdf": (w, time, bias)}
        for name, op, options in (("rnn", "RNN", {}), ("svdf", "SVDF", {"rank": 1})):
            main = flat.Graph()
            ids = [main.add(flat.Tensor("x", x.shape, "f32"))]
            ids += [main.add(flat.Tensor(f"c{i}", c.shape, "f32", c)) for i, c in enumerate(constants[name])]
            ids.append(main.add(flat.Tensor("state", state[name], "f32", variable=True)))
            main.inputs, main.outputs = ids[:1], [main.add(flat.Tensor("y", (1, 11), "f32"))]
            main.op(op, ids, main.outputs, activation="NONE", **options)
            path = self.folder / f"{name}.tflite"
            path.write_bytes(flat.write(main))
            steps = self.folder / f"{name} steps"  # the second meets what the first has left
            steps.mkdir()
            for i in range(2 if name == "svdf" else 1):
                np.save(steps / f"{i}.npy", x)
            seen = {}
            for kernels in ("micro", "micro-fma"):
                subprocess.run([ORIBI, "run", path, "-i", f"x=@{steps}/", "-o", self.folder / "y{}.npz", "-f", "--kernels", kernels],
                               check=True, capture_output=True)
                fused = kernels == "micro-fma"
                if name == "rnn":
                    want = [dot(w[u], x[0], bias[u], fused) for u in range(11)]
                else:
                    sums = [dot(w[u], x[0], np.float32(0), fused) for u in range(11)]
                    want = [bias[u] + dot([np.float32(0)] * 3 + [sums[u]] * 2, time[u], np.float32(0), fused) for u in range(11)]
                seen[kernels] = np.load(max(self.folder.glob("y*.npz")))["y"]
                np.testing.assert_array_equal(seen[kernels][0], np.float32(want), f"{name} {kernels}")
            self.assertFalse(np.array_equal(seen["micro"], seen["micro-fma"]))

    def test_fused_products_are_the_same_with_the_instruction_and_without(self):
        folder = self.compile(DIGITS, "--fma")
        values = np.random.default_rng(5).random(64)
        plain = self.run_program(self.build(folder, 1, "-std=c99", "-O2"), values)
        rounded = self.run_program(self.build(self.compile(DIGITS), 1, "-std=c99", "-O2"), values)
        self.assertNotEqual(plain, rounded)
        folder = self.compile(DIGITS, "--fma")
        modes = [("gcc", "-O0"), ("gcc", "-O2", "-mavx"), ("clang-14", "-O2")]
        modes += [(c, level, "-mfma") for c in ("gcc", "clang-14") for level in ("-O0", "-O3")] if has_fma() else []
        for compiler, *mode in modes:
            with self.subTest(f"{compiler} {' '.join(mode)}"):
                self.assertEqual(self.run_program(self.build(folder, 1, *mode, compiler=compiler), values), plain)

    @unittest.skipUnless(shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64"),
                         "skipped: aarch64-linux-gnu-gcc or qemu-aarch64 is absent")
    def test_fused_products_are_the_same_on_arm64(self):
        folder = self.compile(DIGITS, "--fma")
        values = np.random.default_rng(5).random(64)
        plain = self.run_program(self.build(folder, 1, "-O2"), values)
        program = self.build(folder, 1, "-O3", "-static", compiler="aarch64-linux-gnu-gcc")
        self.assertEqual(subprocess.run(["qemu-aarch64", program], input=values.astype(np.float32).tobytes(),
                                        check=True, capture_output=True).stdout, plain)

    def test_a_product_that_is_rounded_would_be_seen(self):
        folder = self.compile(DIGITS, "--fma")
        header = folder / "micro/fma_f32.h"
        text = header.read_text()
        plant = text.replace("near.bits += ", "near.bits += 0 * ").replace("(double)x * (double)weight", "x * weight")
        self.assertNotEqual(plant, text)
        values = np.random.default_rng(5).random(64)
        good = self.run_program(self.build(folder, 1, "-O2"), values)
        header.write_text(plant)
        self.assertNotEqual(self.run_program(self.build(folder, 1, "-O2"), values), good)

    def test_fast_math_is_refused(self):
        folder = self.compile(DIGITS)
        done = subprocess.run(["gcc", "-std=c99", "-Ofast", f"-I{folder}", "-c", folder / "micro/conv2d_f32.c",
                               "-o", self.folder / "x.o"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("fast-math", done.stderr)

    def test_it_is_clean_c99_and_asks_for_nothing(self):
        for compiler, more in (("gcc", []), ("clang-14", []), ("gcc", ["--fma"]), ("clang-14", ["--fma"])):
            folder = self.compile(DIGITS, *more)
            objects = []
            for source in sorted(folder.rglob("*.c")):
                objects.append(self.folder / f"{compiler}-{source.stem}.o")
                subprocess.run([compiler, "-std=c99", "-O2", *WARNINGS, f"-I{folder}", "-c", source, "-o",
                                objects[-1]], check=True)
            subprocess.run(["ld", "-r", *objects, "-o", self.folder / "whole.o"], check=True)
            names = subprocess.run(["nm", "-u", self.folder / "whole.o"], check=True, capture_output=True,
                                   text=True).stdout
            self.assertLessEqual(set(names.split()) - {"U"}, {"memcpy", "memmove", "memset"})


class Large(Float):
    """Every model."""

    def test_every_model_equals_the_session(self):
        models = sorted(MODELS.glob("*.onnx"))
        if not models:
            self.skipTest("../shared/models/onnx is not there")
        if "ORIBI_TEST_ALL_MODELS" not in os.environ:
            models = [m for m in models if m.name != "light_vgg19.onnx"]
        for model in models:
            with self.subTest(model.name):
                self.verify(model, "--weights", "incbin", "--max-bytes", "8g", "--timeout", "900")


if __name__ == "__main__":
    if "--large" in sys.argv:
        tests = unittest.TestSuite([Large("test_every_model_equals_the_session")])
    else:
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(Float)
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if result.wasSuccessful() else 1)
