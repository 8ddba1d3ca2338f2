#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `oribi verify` see that the header says other units of an input or output than the model? Real numbers
go in and out by the header's functions; faults are planted behind the header, as an application would see them.

    units_test.py ORIBI SOURCE_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
import container  # noqa: E402
import model  # noqa: E402

TARGETS = ("host", *(["cortex-m4"] if shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm") else []))
M = "TVMGEN_ADDER_"
# (what is wrong, C behind the header, what verify says)
FAULTS = [
    ("scale of an input one bit off", f"#undef {M}A_SCALE\n#define {M}A_SCALE 0x1.000002p-1f\n",
     "input 'a': the header says scale 0.50000006 and zero point 3, the model scale 0.5 and zero point 3"),
    ("scale of an output one bit off", f"#undef {M}Y_SCALE\n#define {M}Y_SCALE 0x1.fffffep-1f\n", "output 'y': the header"),
    ("scale of another input", f"#undef {M}B_SCALE\n#define {M}B_SCALE {M}A_SCALE\n",
     "input 'b': the header says scale 0.5 and zero point -7, the model scale 0.25 and zero point -7"),
    ("zero point of another port", f"#undef {M}Y_ZERO_POINT\n#define {M}Y_ZERO_POINT {M}A_ZERO_POINT\n",
     "output 'y': the header says scale 1 and zero point 3, the model scale 1 and zero point 10"),
    ("an input is stored off by little", "#define tvmgen_adder_quantize_b(x) tvmgen_adder_quantize_b((x) * 1.01f)\n",
     "input 'b': tvmgen_adder_quantize_b stores the real number of element"),
    ("an input is cut, not rounded", f"#define tvmgen_adder_quantize_a(x) (int8_t)((int32_t)((x) / {M}A_SCALE) + 3)\n",
     "input 'a': tvmgen_adder_quantize_a stores the real number of element"),
    ("an output is read off by little", "#define tvmgen_adder_dequantize_y(x) (tvmgen_adder_dequantize_y(x) * 1.01f)\n",
     "output 'y': tvmgen_adder_dequantize_y reads element"),
    ("units where the model has none", f"#define {M}F_SCALE 1.0f\n", "output 'f' has no scale in the model"),
]


class Units(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def verify(self, path, target, *more):
        return subprocess.run([ORIBI, "verify", path, "--target", target, "--runs", "2", *more], capture_output=True,
                              text=True)

    def adder(self):
        """y = a + b of different units; f, of floats, has none."""
        graph = model.Graph()
        a, b, y = (graph.add(model.Tensor(name, [1, 40], "i8", None, [scale], [zero]))
                   for name, scale, zero in (("a", 0.5, 3), ("b", 0.25, -7), ("y", 1.0, 10)))
        f = graph.add(model.Tensor("f", [1, 40], "f32"))
        graph.op("ADD", [a, b], [y])
        graph.op("DEQUANTIZE", [a], [f])
        graph.inputs, graph.outputs = [a, b], [y, f]
        path = self.folder / "adder.tflite"
        path.write_bytes(model.write(graph))
        return path

    def test_each_fault_is_seen_and_names_the_port(self):
        path = self.adder()
        header = self.folder / "plant.h"
        for target in TARGETS:
            for what, text, message in FAULTS if target == "host" else [FAULTS[0], FAULTS[-2]]:
                with self.subTest(what, target=target):
                    header.write_text(f'#include "tvmgen_adder.h"\n{text}')
                    done = self.verify(path, target, "--cflags", f"-include {header}")
                    self.assertIn(message, done.stderr)
                    self.assertEqual(done.returncode, 4 if "has no scale" in message else 1)

    def test_ports_of_each_type_are_as_the_model_says(self):
        """Also several inputs, inputs in the workspace, and a model that keeps state between runs."""
        paths = [self.adder()]
        for name in ("add_i8", "add_u8", "add_i16x8", "quantize_i8", "dequantize_u8", "unidirectional_sequence_lstm_i8",
                     "call_once_i8"):
            _, cases = container.unpack(SOURCE / f"tests/vectors/{name}.bin.xz")
            paths.append(self.folder / f"{name}.tflite")
            paths[-1].write_bytes(cases[0].model)
        for path in paths:
            for options in ([], ["--io", "pool"]) if path == paths[0] or "lstm" in path.name else ([],):
                for target in TARGETS if path == paths[0] else ("host",):
                    with self.subTest(path.name, options=options, target=target):
                        done = self.verify(path, target, *options)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.assertIn("equal bit for bit: 2 runs", done.stdout)  # real numbers are not counted

    def test_a_state_is_no_port(self):
        graph = model.Graph()
        x, h, y, n = (graph.add(model.Tensor(name, [1, 6], "i8", None, [scale], [3]))
                      for name, scale in zip("xhyn", (0.5, 0.25, 1.0, 0.25)))
        graph.op("ADD", [x, h], [y])
        graph.op("SUB", [x, h], [n])
        graph.inputs, graph.outputs = [h, x], [n, y]
        path = self.folder / "adder.tflite"
        path.write_bytes(model.write(graph))
        done = self.verify(path, "host", "--state", "h=n")
        self.assertEqual(done.returncode, 0, done.stderr)
        header = self.folder / "plant.h"
        header.write_text(f'#include "tvmgen_adder.h"\n#undef {M}X_SCALE\n#define {M}X_SCALE 0.25f\n')
        done = self.verify(path, "host", "--state", "h=n", "--cflags", f"-include {header}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("input 'x': the header says scale 0.25 and zero point 3, the model scale 0.5", done.stderr)


unittest.main(argv=sys.argv[:1], verbosity=2)
