#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A target with a compiler of its own, tape/: whole subgraphs of int8 models as one tape each, run by a driver that knows
nothing of the examples, in the host's memory and in one of its own. On the desk with the goldens of TensorFlow Lite Micro,
as emitted C on this machine and on every emulated board; what is said of nodes; faults that are planted in copies.

    tape_test.py ORIBI SOURCE_FOLDER
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
TAPE = SOURCE / "tests/hooks/tape"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
RESNET, DIGITS = TINY / "pretrainedResnet_quant.tflite", SOURCE / "examples/digits/digits_int8.tflite"
INCLUDE = ["-I", SOURCE / "include", "-I", TAPE / "headers"]
SHARED = ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", *INCLUDE]
HAS_BOARD = shutil.which("qemu-system-arm") is not None and shutil.which("arm-none-eabi-gcc") is not None
HAS_RISCV = shutil.which("riscv64-unknown-elf-gcc") is not None and shutil.which("qemu-system-riscv32") is not None
RISCV = ["riscv32", "riscv64", "riscv64-v"] if HAS_RISCV else []
SCHEDULES = ["design", "lazy", "eager", "hold"]


class Tape(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.plugin = cls.shared / "tape_target.so"
        subprocess.run([*SHARED, TAPE / "target.c", "-lm", "-o", cls.plugin], check=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_oribi(self, *words, code=0):
        done = subprocess.run([ORIBI, *words], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def verify(self, devices, *options, model=DIGITS, driver=TAPE, plugin=None, code=0):
        names = [part for d in devices for part in ("--target-device", d)]
        return self.run_oribi("verify", model, "--runs", "1", "--plugin", plugin or self.plugin, *names, "--driver", driver,
                              *options, code=code)

    def changed(self, file, old, new):
        """A copy of the driver, and its target, with one thing otherwise."""
        folder = self.folder / "tape"
        shutil.copytree(TAPE, folder)
        text = (folder / file).read_text()
        self.assertEqual(text.count(old), 1)
        (folder / file).write_text(text.replace(old, new))
        plugin = self.folder / "tape_target.so"
        subprocess.run([*SHARED, folder / "target.c", "-lm", "-o", plugin], check=True)
        return folder, plugin

    def test_emitted_code_computes_what_the_host_computes(self):
        for model in (DIGITS, RESNET) if TINY.is_dir() else (DIGITS,):
            for devices in (["tape"], ["tape-own"], ["a=tape-own", "b=tape-own"]):
                with self.subTest(model=model.name, devices=devices):
                    schedule = SCHEDULES[len(model.name + devices[0]) % 4]
                    done = self.verify(devices, "--device-schedule", schedule, model=model)
                    self.assertIn("host: equal bit for bit: 1 runs", done.stdout)
        for schedule in SCHEDULES:
            self.verify(["tape-own"], "--device-schedule", schedule)
        self.assertRegex(self.verify(["tape"], "--per-node").stdout, r"per node +(\d+) of \1 values")

    @unittest.skipUnless(HAS_BOARD, "no emulator of a Cortex-M")
    def test_it_does_on_emulated_boards(self):
        for kind, model in (("tape", DIGITS), ("tape-own", RESNET if TINY.is_dir() else DIGITS)):
            done = self.verify([kind], "--target", "cortex-m4", model=model)
            self.assertIn("cortex-m4: equal bit for bit: 1 runs", done.stdout)
        for target in ["cortex-m0", "cortex-m3", "cortex-m7", "cortex-m33", "cortex-m55", *RISCV]:
            with self.subTest(target=target):
                self.assertIn(f"{target}: equal bit for bit: 1 runs", self.verify(["tape-own"], "--target", target).stdout)

    @unittest.skipUnless(HAS_BOARD, "no compiler for a Cortex-M")
    def test_an_image_for_a_board_of_ones_own_has_the_driver(self):
        self.run_oribi("verify", DIGITS, "--plugin", self.plugin, "--target-device", "tape", "--driver", TAPE, "--target",
                       "cortex-m4", "--image", self.folder / "firmware")
        symbols = subprocess.run(["arm-none-eabi-nm", self.folder / "firmware/image"], capture_output=True, text=True,
                                 check=True).stdout
        self.assertIn(" T TVMDeviceTapeInvoke", symbols)

    @unittest.skipUnless(TINY.is_dir(), "no MLPerf Tiny models")
    def test_the_desk_gives_what_tensorflow_lite_micro_gave(self):
        golden = TINY / "golden"
        for kind, source, name in (("tape", "tape", "pretrainedResnet_quant"), ("tape-own", "tape_own", "vww_96_int8")):
            driver = self.folder / f"{kind}.so"
            header = f'-DTVM_DEVICE_{source.upper()}_HEADER="tvm/device/{source}/posix.h"'
            subprocess.run([*SHARED, header, TAPE / f"src/{source}.c", TAPE / "src/machine.c", "-o", driver], check=True)
            for i in range(2):
                out = self.folder / f"{kind}{i}.npy"
                self.run_oribi("run", TINY / f"{name}.tflite", "--plugin", self.plugin, "--device", f"{kind}={driver}",
                               "-i", f"0=@{golden / name / f'input_{i}.bin'}", "-o", out)
                data = out.read_bytes()
                made = data[10 + int.from_bytes(data[8:10], "little"):]
                self.assertEqual(made, (golden / name / f"output_{i}.bin").read_bytes())

    @unittest.skipUnless(TINY.is_dir(), "no MLPerf Tiny models")
    def test_reports_know_regions(self):
        common = [RESNET, "--plugin", self.plugin, "--target-device", "tape"]
        nodes = json.loads(self.run_oribi("inspect", *common, "--json").stdout)["nodes"]
        by_op = {}
        for node in nodes:
            by_op.setdefault(node["op"], []).append(node)
        self.assertEqual([n["device"] for n in by_op["Oribi>QAdd"]], ["tape"] * 3)
        self.assertEqual([n["device"] for n in by_op["Oribi>QConv2D"]], ["tape"] * 9)
        self.assertEqual(by_op["Oribi>QAdd"][0]["why"], "tape, compile_region: taken")
        self.assertEqual(by_op["Oribi>QAveragePool"][0]["why"], "tape, compile_region: a tape convolves and adds")
        self.run_oribi("compile", *common, "-o", self.folder / "c")
        report = json.loads((self.folder / "c/report.json").read_text())
        regions = [n for n in report["nodes"] if n["op"] == "Oribi>Region"]
        self.assertEqual(len(regions), 3, regions)  # of twelve operators
        self.assertEqual(sum(n["estimated_us"] for n in regions), 12 * 50)

    def test_faults_are_found(self):
        folder, plugin = self.changed("src/machine.c", "clamped(value, p.low, p.high);\n    }\n    return TVM_DEVICE_OK;\n}\n\nstatic int32_t add",
                                      "(int8_t)(1 ^ clamped(value, p.low, p.high));\n    }\n    return TVM_DEVICE_OK;\n}\n\nstatic int32_t add")
        self.assertIn("differs", self.verify(["tape"], driver=folder, plugin=plugin, code=1).stderr)

    def test_a_place_that_leaves_its_tensor_ends_the_run(self):
        folder, plugin = self.changed("target.c", "struct tape_place place = {0, 0, (uint32_t)t->bytes};",
                                      "struct tape_place place = {0, 1, (uint32_t)t->bytes};")
        done = self.verify(["tape"], driver=folder, plugin=plugin, code=1)
        self.assertIn("TVM_DEVICE_E_RANGE", done.stderr)

    def test_a_compiler_that_fails_is_told(self):
        folder, plugin = self.changed("target.c", "TENSORS_MAX = 256", "TENSORS_MAX = 0")
        done = self.run_oribi("compile", RESNET if TINY.is_dir() else DIGITS, "-o", self.folder / "c", "--plugin", plugin,
                              "--target-device", "tape", code=4)
        self.assertRegex(done.stderr, "target 'tape', node '.*': a tape has 256 tensors at most")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
