#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What emitted C weighs round the operators of a device: rows of a table, no code of their own. Two chains of
convolutions, one longer, are compiled for a Cortex-M4 with -Os; their difference, by operator, is compared with a gate.
The params are not counted, which are the model's.

    glue_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN MADE_TARGETS"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE, TARGET, MADE = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
import model

SHORT, LONG = 8, 40
CORE = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
# Bytes of an operator, at most: of a device that shares the host's memory, of one behind a cache, of one with a memory
# of its own and params that stay, held open and in the order that opens it round each operator.
GATES = {("shared", "hold"): 42, ("cached", "hold"): 56, ("woofles", "hold"): 56, ("woofles", "design"): 78}
# Operators with code of their own, as they were before they had rows: 83, 196, 157 and 332 bytes.
CASES = "\n".join(f"    case {i}: return TVMDeviceSharedInvoke(devices->shared, &cursor->calls[0]) != {i} ? "
                  f"failed(devices, TVM_DEVICE_HOOK_INVOKE, 0, {i}, code) : code + {i * 1000};" for i in range(LONG))


def chain(n):
    """n convolutions, one behind the other, whose names are equally long."""
    graph = model.Graph()
    last = graph.add(model.Tensor("x", [1, 4, 4, 4], "i8", None, 0.5, 0))
    graph.inputs.append(last)
    for i in range(n):
        weights = graph.add(model.Tensor(f"w{i:02}", [4, 1, 1, 4], "i8", np.full((4, 1, 1, 4), i, np.int8), [0.5] * 4,
                                         [0] * 4))
        bias = graph.add(model.Tensor(f"b{i:02}", [4], "i32", np.full(4, i, np.int32), [0.25] * 4, [0] * 4))
        y = graph.add(model.Tensor(f"y{i:02}", [1, 4, 4, 4], "i8", None, 0.5, 0))
        graph.op("CONV_2D", [last, weights, bias], [y], padding="VALID", stride_w=1, stride_h=1, activation="NONE",
                 dilation_w=1, dilation_h=1)
        last = y
    graph.outputs.append(last)
    return model.write(graph)


@unittest.skipUnless(shutil.which("arm-none-eabi-gcc"), "skipped: arm-none-eabi-gcc is absent")
class Glue(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def weight(self, kind, schedule, n, change=lambda text: text):
        """Bytes of the model's own C file."""
        work = self.folder / f"{kind}{schedule}{n}"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        (work / "m.tflite").write_bytes(chain(n))
        subprocess.run([ORIBI, "compile", work / "m.tflite", "-o", work / "c", "--name", "net", "--plugin", TARGET,
                        "--plugin", MADE, "--target-device", kind, "--device-schedule", schedule], check=True,
                       stdout=subprocess.DEVNULL)
        (work / "c/driver.h").write_text(
            f'#include "tvm/runtime/hooks.h"\ntypedef struct {{ int32_t none; }} tvm_device_{kind}_t;\n'
            f"TVM_DEVICE_HOOKS({kind.title()}, tvm_device_{kind}_t);\n")
        source = work / "c/tvmgen_net.c"
        source.write_text(change(source.read_text()))
        subprocess.run(["arm-none-eabi-gcc", *CORE, "-std=c99", "-Os", "-Wall", "-Wextra", "-Wconversion", "-Wshadow",
                        "-Werror", f"-DTVM_DEVICE_{kind.upper()}_HEADER=\"driver.h\"", "-I", work / "c", "-I",
                        SOURCE / "include", "-c", source, "-o", work / "net.o"], check=True)
        report = subprocess.run(["arm-none-eabi-size", work / "net.o"], check=True, capture_output=True, text=True)
        return int(report.stdout.splitlines()[1].split()[0])

    def of_one(self, kind, schedule, change=lambda text: text):
        return (self.weight(kind, schedule, LONG, change) - self.weight(kind, schedule, SHORT)) / (LONG - SHORT)

    def test_an_operator_of_a_device_costs_rows(self):
        for (kind, schedule), gate in GATES.items():
            with self.subTest(kind=kind, schedule=schedule):
                bytes_of_one = self.of_one(kind, schedule)
                print(f"{kind}, {schedule}: {bytes_of_one:.0f} bytes an operator")
                self.assertGreater(bytes_of_one, 20)  # it has a row for its call
                self.assertLessEqual(bytes_of_one, gate)

    def test_operators_with_code_of_their_own_are_seen(self):
        def with_cases(text):
            head, _, tail = text.partition("static int32_t run_operator(int32_t index,")
            body = tail.replace("        int32_t code;", "        int32_t code = 0;\n        switch (index) {\n" + CASES +
                                "\n        default: break;\n        }", 1)
            self.assertTrue(body != tail, "the text has changed: nothing was planted")
            return head + "static int32_t run_operator(int32_t index," + body
        self.assertGreater(self.of_one("shared", "hold", with_cases), GATES["shared", "hold"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
