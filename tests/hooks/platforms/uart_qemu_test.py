#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/accelerators/uart_accel/firmware: firmware on an emulated Cortex-M4 whose convolutions go over its second UART to `oribi
device-serve`. Bit for bit what the CPU computes, over a good line and over one that changes bytes or is late; with
nobody there, or when the line is cut, an error, and the next run is good.

    uart_qemu_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN [slow]

`slow`: the keyword model in every schedule and the wake-word model in one, instead, or of these five the one that is
today's (support/sample.py), since QEMU computes for ten seconds and more where the board waits for its line.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import sample  # noqa: E402
from relay import Relay  # noqa: E402

ORIBI, SOURCE, TARGET = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
SLOW = "slow" in sys.argv[4:]
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
BUILD = SOURCE / "examples/accelerators/uart_accel/firmware/build.sh"
SCHEDULES = ["design", "lazy", "eager", "hold"]
TIMEOUT, IO = -32002, -32003


@unittest.skipIf(shutil.which("qemu-system-arm") is None or shutil.which("arm-none-eabi-gcc") is None,
                 "the emulator or the compiler is absent")
class Uart(unittest.TestCase):
    model = DIGITS

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def build(self, schedule, runs, timeout_ms):
        subprocess.run([BUILD, ORIBI, TARGET, self.model, self.folder, "--device-schedule", schedule], check=True,
                       env={**os.environ, "RUNS": str(runs), "TIMEOUT_MS": str(timeout_ms)})

    def start_board(self, inputs, wait, limit=100):
        (self.folder / "in").write_bytes(inputs)
        for name in ("line", "console", "out"):
            (self.folder / name).unlink(missing_ok=True)
        line = f"socket,id=line,path=line,server=on,wait={'on' if wait else 'off'}"
        board = subprocess.Popen(["timeout", str(limit), "qemu-system-arm", "-M", "mps2-an386", "-display", "none",
                                  "-monitor", "none", "-serial", "file:console", "-chardev", line, "-serial",
                                  "chardev:line", "-semihosting-config", "enable=on,target=native", "-kernel",
                                  "image.elf"], cwd=self.folder, stdin=subprocess.DEVNULL)
        self.addCleanup(board.kill)
        return board

    def serve(self, *options):
        far = subprocess.Popen([ORIBI, "device-serve", self.model, "--plugin", TARGET, "--target-device", "uart_accel",
                                "--driver", BUILD.parents[1], *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(far.communicate)
        self.addCleanup(far.kill)
        return far

    def finish(self, board, runs, out_bytes):
        """Codes and outputs of the runs."""
        self.assertEqual(board.wait(600), 0, (self.folder / "console").read_text())
        out = (self.folder / "out").read_bytes()
        self.assertEqual(len(out), runs * (4 + out_bytes))
        parts = [out[i:i + 4 + out_bytes] for i in range(0, len(out), 4 + out_bytes)]
        return [struct.unpack("<i", p[:4])[0] for p in parts], [p[4:] for p in parts]

    def run_direct(self, schedule, inputs, runs, out_bytes, timeout_ms, limit=100):
        self.build(schedule, runs, timeout_ms)
        board = self.start_board(inputs, True, limit)
        far = self.serve("--connect", self.folder / "line")
        codes, outputs = self.finish(board, runs, out_bytes)
        self.assertIn(" 0 broken", far.communicate(timeout=100)[1])
        self.assertEqual(codes, [0] * runs, (self.folder / "console").read_text())
        return outputs

    def relayed(self, runs, timeout_ms, **how):
        self.build("design", runs, timeout_ms)
        far = self.serve("--socket", self.folder / "far")
        self.assertIn("serving on", far.stdout.readline())
        board = self.start_board(self.inputs(runs), True)
        relay = Relay(self.folder / "line", self.folder / "far", **how)
        return board, relay, far

    def wait_for(self, path, text):
        for _ in range(6000):
            if text in (path.read_text() if path.exists() else ""):
                return
            time.sleep(0.01)
        self.fail(f"no '{text}' in {path.name}")

    def inputs(self, runs):
        return bytes(i * 37 % 120 for i in range(64 * runs))

    def expected(self, inputs, runs):
        """By the CPU: the same model without a device, on this machine."""
        out = []
        for i in range(runs):
            value = np.frombuffer(inputs[64 * i:64 * i + 64], np.int8).reshape(1, 8, 8, 1)
            np.save(self.folder / "x.npy", value)
            subprocess.run([ORIBI, "run", DIGITS, "-i", f"picture=@{self.folder / 'x.npy'}", "-o",
                            self.folder / "y.npz", "--force"], check=True, stdout=subprocess.DEVNULL)
            with np.load(self.folder / "y.npz") as arrays:
                out.append(arrays[arrays.files[0]].tobytes())
        return out


@unittest.skipIf(SLOW, "the quick part")
class Digits(Uart):
    def test_a_board_computes_over_the_line_in_every_schedule(self):
        expected = self.expected(self.inputs(2), 2)
        self.assertNotEqual(expected[0], expected[1])
        for schedule in SCHEDULES:
            with self.subTest(schedule=schedule):
                self.assertEqual(self.run_direct(schedule, self.inputs(2), 2, 10, 20000), expected)

    def test_a_garbled_line_is_survived(self):
        board, relay, far = self.relayed(2, 2000, spoil=(1501, 20011))
        relay.start()
        codes, outputs = self.finish(board, 2, 10)
        self.assertEqual((codes, outputs), ([0, 0], self.expected(self.inputs(2), 2)))
        far.terminate()
        self.assertNotIn(" 0 broken", far.communicate(timeout=60)[1])

    def test_answers_may_be_late(self):
        """Later than the driver waits: it asks again, and takes each answer once."""
        board, relay, _ = self.relayed(2, 600, late=1.0)
        relay.start()
        codes, outputs = self.finish(board, 2, 10)
        self.assertEqual((codes, outputs), ([0, 0], self.expected(self.inputs(2), 2)))
        self.assertEqual(relay.late, 0.0)

    def test_a_cut_line_fails_a_run_and_the_next_one_is_good(self):
        board, relay, _ = self.relayed(3, 700)
        expected, console = self.expected(self.inputs(3), 3), self.folder / "console"
        relay.start()
        self.wait_for(console, "run 0: good")
        relay.cut_after = relay.moved + 4000  # a run moves some 20,000
        self.wait_for(console, "code")
        relay.mend()
        codes, outputs = self.finish(board, 3, 10)
        self.assertEqual([code in (TIMEOUT, IO) for code in codes], [False, True, False], console.read_text())
        self.assertEqual((codes[0], codes[2]), (0, 0))
        self.assertEqual((outputs[0], outputs[2]), (expected[0], expected[2]))
        self.assertRegex(console.read_text(), r"run 1: code -3200[23], (?:Load|Invoke) of uart_accel, operator \d, "
                                              r"failures while unwinding 0")

    def test_the_demo_recognises_what_the_cpu_recognises(self):
        done = subprocess.run([BUILD.parent / "demo.sh", ORIBI, TARGET], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        board = re.search(r"outputs: ([-\d ]+)", done.stdout).group(1).split()
        host = re.search(r"Identity.*\n.*\n +([-\d, ]+)", done.stdout).group(1).split(", ")
        self.assertEqual(board[:8], [v for v in host if v][:8], done.stdout)

    def test_nobody_there_is_an_error(self):
        self.build("design", 1, 100)
        codes, _ = self.finish(self.start_board(self.inputs(1), False), 1, 10)
        self.assertEqual(codes, [TIMEOUT])


@unittest.skipIf(not SLOW, "slow: the emulated line carries 4 to 15 kB a second to the board")
@unittest.skipIf(not (TINY / "vww_96_int8.tflite").exists(), "the models of MLPerf Tiny are absent")
class Tiny(Uart):
    def check(self, name, schedule):
        self.model = TINY / f"{name}.tflite"
        inputs = (TINY / "golden" / name / "input_0.bin").read_bytes()
        expected = (TINY / "golden" / name / "output_0.bin").read_bytes()
        self.assertEqual(self.run_direct(schedule, inputs, 1, len(expected), 20000, 400), [expected])

    def test_models_in_every_schedule(self):
        cases = [("kws_ref_model", schedule) for schedule in SCHEDULES] + [("vww_96_int8", "hold")]
        for name, schedule in sample.share(cases, len(cases)):
            with self.subTest(name, schedule=schedule):
                self.check(name, schedule)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
