#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi verify` with devices: the emitted C with the drivers of the example accelerators, on this machine and on an
emulated Cortex-M4, where a `woofles` is a window of shared memory with a UART byte as its doorbell, and the far side
is a process that computes with the host's kernels.

    verify_devices_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN [slow]

`slow`: the three models in every schedule with one and two instances on the Cortex-M4, instead.
"""
import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from accelerators import DRIVERS, FOLDER, in_turn  # noqa: E402

ORIBI, SOURCE, TARGET = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
SLOW = "slow" in sys.argv[4:]
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
SCHEDULES = ["design", "lazy", "eager", "hold"]
HAS_BOARD = shutil.which("qemu-system-arm") is not None and shutil.which("arm-none-eabi-gcc") is not None
TARGETS = ["host", "cortex-m4"] if HAS_BOARD else ["host"]


class Verify(unittest.TestCase):
    def verify(self, model, target, devices, *options, code=0, runs=1, drivers=DRIVERS):
        arguments = [part for d in devices for part in ("--target-device", d)]
        done = subprocess.run([ORIBI, "verify", model, "--target", target, "--runs", str(runs), "--plugin", TARGET,
                               *drivers, *arguments, *in_turn(ORIBI, model, TARGET, devices), *options], capture_output=True, text=True, timeout=400)
        self.assertEqual(done.returncode, code, done.stderr)
        return done


@unittest.skipIf(SLOW, "the quick part")
class Quick(Verify):
    def test_devices_compute_what_the_host_session_computes(self):
        for target, (devices, schedule) in itertools.product(TARGETS, (
                (["woofles"], "design"), (["npu1=woofles", "npu2=woofles"], "hold"), (["uart_accel"], "lazy"),
                (["a=uart_accel", "b=woofles", "c=uart_accel", "d=woofles"], "eager"))):
            with self.subTest(target=target, devices=devices):
                done = self.verify(DIGITS, target, devices, "--device-schedule", schedule, runs=2)
                self.assertIn("equal bit for bit: 2 runs", done.stdout)
                self.assertNotIn("instructions", done.stdout)  # waiting for others is not the model's

    def test_the_keyword_model_on_two_windows(self):
        if not (TINY / "kws_ref_model.tflite").exists():
            self.skipTest("the models of MLPerf Tiny are absent")
        for target in TARGETS:
            self.verify(TINY / "kws_ref_model.tflite", target, ["npu1=woofles", "npu2=woofles"], "--device-schedule",
                        "hold")

    def test_every_value_is_compared_by_node(self):
        """Also those that devices compute: they have the names that the host session knows."""
        for target, devices, schedule in ((TARGETS[-1], ["npu1=woofles", "npu2=woofles"], "lazy"),
                                          ("host", ["uart_accel"], "design")):
            done = self.verify(DIGITS, target, devices, "--device-schedule", schedule, "--per-node")
            self.assertRegex(done.stdout, r"per node +(\d\d) of \1 values")
        self.verify(DIGITS, "host", ["woofles"], "--no-fuse", "--per-node")
        for target in ("cortex-m0", "cortex-m3", "cortex-m7") if len(TARGETS) > 1 else ():
            self.verify(DIGITS, target, ["woofles"])

    def test_a_device_that_is_wrong_is_caught(self):
        """A driver whose accelerator computes one channel wrongly."""
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(FOLDER / "woofles", folder / "woofles")
        ops = folder / "woofles/common/woofles_ops.c"
        right, wrong = "value += c->p.output_zero;", "value += c->p.output_zero + (channel == 1);"
        self.assertIn(right, ops.read_text())
        ops.write_text(ops.read_text().replace(right, wrong))
        done = self.verify(DIGITS, "host", ["woofles"], code=1, drivers=["--driver", folder / "woofles"])
        self.assertIn("differs from the host session", done.stderr)

    def test_what_it_cannot_verify_is_said(self):
        for target, devices, options, message in (
                ("host", ["woofles"], ["--per-node", "--device-schedule", "hold"], "does not go with --device-schedule hold"),
                ("host", ["woofles"], ["--device", "host=woofles"], "--device does not go with --target-device"),
                ("cortex-m55", ["woofles"], [], "'woofles' has a line or a window, which are there on host, cortex-m0, cortex-m3, "
                 "cortex-m4, cortex-m7, not on cortex-m55"),
                ("cortex-m4", ["woofles"], ["--port", "nowhere"], "a line or a window: --port does not go with it"),
                ("host", [f"n{i}=woofles" for i in range(5)], [], "at most 4 devices")):
            self.assertIn(message, self.verify(DIGITS, target, devices, *options, code=3).stderr)


@unittest.skipIf(not SLOW, "slow: 24 firmwares")
@unittest.skipIf(not (TINY / "vww_96_int8.tflite").exists(), "the models of MLPerf Tiny are absent")
@unittest.skipIf(not HAS_BOARD, "the emulator or the compiler is absent")
class Matrix(Verify):
    def test_models_in_every_schedule_on_one_and_two_windows(self):
        models = ["kws_ref_model", "pretrainedResnet_quant", "vww_96_int8"]
        for name, schedule, devices in itertools.product(models, SCHEDULES, (["woofles"], ["npu1=woofles", "npu2=woofles"])):
            with self.subTest(model=name, schedule=schedule, devices=devices):
                self.verify(TINY / f"{name}.tflite", "cortex-m4", devices, "--device-schedule", schedule)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
