#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi run --device` with the drivers of the example accelerators: bit for bit what the CPU computes; hooks in the order
of the emitted C, also when one of them fails; the messages. `oribi device-serve --pty`.

    desk_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN MADE_TARGETS
"""
import json
import mmap
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

ORIBI, SOURCE, TARGET, MADE = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
import model as tflite  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from accelerators import FOLDER, INCLUDE, OPS, in_turn  # noqa: E402
from made_program import Program  # noqa: E402

DRIVERS = {kind: TARGET.parent / f"{kind}_driver.so" for kind in ("woofles", "uart_accel")}
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
SCHEDULES = ["design", "lazy", "eager", "hold"]
NAMES = {"A": "Activate", "O": "Open", "I": "Invoke", "S": "Start", "W": "Wait", "T": "CopyTo", "F": "CopyFrom",
         "P": "CopyPeer", "L": "Load", "C": "Close", "D": "Deactivate"}


class Desk(unittest.TestCase):
    turns = {}

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_oribi(self, *args, code=0):
        done = subprocess.run([ORIBI, *args], capture_output=True, text=True, timeout=100, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def run_model(self, model, value, *options, code=0):
        return self.run_oribi("run", model, "-i", f"0=@{value}", "--plugin", TARGET, "--json", *options, code=code)

    def values(self, *args):
        return [json.loads(line)["values"] for line in self.run_model(*args).stdout.splitlines()]

    def test_models_compute_what_the_cpu_computes(self):
        models = {DIGITS: self.folder / "x.bin"}
        (self.folder / "x.bin").write_bytes(bytes(i * 37 % 120 for i in range(64)))
        if (TINY / "vww_96_int8.tflite").exists():
            for name in ("kws_ref_model", "pretrainedResnet_quant", "vww_96_int8"):
                models[TINY / f"{name}.tflite"] = TINY / "golden" / name / "input_0.bin"
        sets = [["--device", f"woofles={DRIVERS['woofles']}"],
                ["--target-device", "npu1=woofles", "--target-device", "npu2=woofles", "--device",
                 f"npu1={DRIVERS['woofles']}", "--device", f"npu2={DRIVERS['woofles']}"]]
        for model, value in models.items():
            expected = self.values(model, value)
            if model != DIGITS:
                golden = (TINY / "golden" / model.stem / "output_0.bin").read_bytes()
                self.assertEqual([v & 255 for v in expected[0]], list(golden))
            for devices in sets:
                for schedule in SCHEDULES:
                    with self.subTest(model=model.stem, devices=devices, schedule=schedule):
                        turns = in_turn(ORIBI, model, TARGET, ["npu1=woofles", "npu2=woofles"]) if len(devices) > 2 else []
                        self.assertEqual(self.values(model, value, *devices, "--device-schedule", schedule, *turns),
                                         expected)

    def recorder(self, devices, schedule):
        """The emitted C with recorders, as a program and as a driver."""
        emitted = self.folder / "c"
        shutil.rmtree(emitted, ignore_errors=True)
        arguments = [part for d in devices for part in ("--target-device", d)]
        self.run_oribi("compile", DIGITS, "-o", emitted, "--name", "net", "--plugin", TARGET, *arguments,
                       "--device-schedule", schedule, *in_turn(ORIBI, DIGITS, TARGET, devices))
        (emitted / "recorder_config.h").write_text("#include <stdint.h>\nvoid recorder_on_operator(int32_t index);\n"
                                                   "#define TVMGEN_ON_OP(index) recorder_on_operator(index)\n")
        ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", (emitted / "tvmgen_net.h").read_text())
        flags = ["-O1", "-g", "-DRECORDER_PRINT=\"recorder_posix.h\"", "-DTVM_DEVICE_WOOFLES_HEADER=\"recorder.h\"",
                 "-DTVM_DEVICE_UART_ACCEL_HEADER=\"recorder.h\"", "-DTVMGEN_CONFIG_HEADER=\"recorder_config.h\"",
                 f"-DRECORDER_IN_TYPE=TVMGEN_NET_{ports[0]}_TYPE", f"-DRECORDER_IN_COUNT=TVMGEN_NET_{ports[0]}_COUNT",
                 f"-DRECORDER_OUT_TYPE=TVMGEN_NET_{ports[-1]}_TYPE",
                 f"-DRECORDER_OUT_COUNT=TVMGEN_NET_{ports[-1]}_COUNT", f"-DRECORDER_DEVICES={len(devices)}",
                 "-DRECORDER_MEMBERS=" + ", ".join(f"&devices[{i}]" for i in range(len(devices))), "-I", emitted, "-I",
                 SOURCE / "tests/hooks/made", *INCLUDE]
        for source, more, out in (("recorder_main.c", [], "program"),
                                  ("recorder_driver.c", ["-shared", "-fPIC"], "driver.so")):
            subprocess.run(["gcc", *flags, *more, SOURCE / "tests/hooks/made" / source, *emitted.rglob("*.c"), "-o",
                            self.folder / out], check=True)
        return subprocess.run([self.folder / "program"], capture_output=True, text=True, check=True).stdout

    def run_recorded(self, devices, schedule, first, second):
        log = self.folder / "log"
        options = [part for i, d in enumerate(devices) for part in
                   ("--target-device", d, "--device",
                    f"{d.split('=')[0]}={self.folder / 'driver.so'}:index={i},first={first},second={second},log={log}")]
        options += self.turns.setdefault(str(devices), in_turn(ORIBI, DIGITS, TARGET, devices))
        done = subprocess.run([ORIBI, "run", DIGITS, "-i", "0=ramp", "--plugin", TARGET, "--device-schedule", schedule,
                               *options], capture_output=True, text=True, cwd=self.folder, timeout=100)
        return done, log.read_text().split()

    def test_hooks_are_called_as_by_emitted_code_also_when_one_fails(self):
        nodes = {n["node"] for n in json.loads(self.run_oribi("inspect", DIGITS, "--plugin", TARGET, "--target-device",
                                                              "woofles", "--json").stdout)["nodes"]}
        compared = 0
        for devices in (["woofles"], ["npu1=woofles", "npu2=woofles"], ["a=uart_accel", "b=woofles", "c=uart_accel"]):
            for schedule in ("design", "hold") if len(devices) < 3 else ("hold",):
                for line in self.recorder(devices, schedule).splitlines()[:-1]:
                    run, result, _ = line.split("; ")
                    head, events = run.split(":")
                    first, second = map(int, head.split()[1:])
                    if second > first + 1:
                        continue
                    calls = [e for e in events.split() if e[0] != "o"]
                    done, called = self.run_recorded(devices, schedule, first, second)
                    self.assertEqual(called, calls, f"{devices} {schedule} {head}")
                    code, hook, device, _, cleanup, instance = result.split()
                    self.assertEqual(done.returncode, 0 if code == "0" else 4, done.stderr)
                    if code != "0":
                        self.assertIn(f"device '{instance}' (", done.stderr)
                        self.assertIn(f"): {hook} failed at operator '", done.stderr)
                        self.assertIn(re.search("at operator '([^']*)'", done.stderr).group(1), nodes)
                        self.assertIn(f"with code {code},", done.stderr)
                        self.assertEqual("more hook failed" in done.stderr, cleanup == "1", done.stderr)
                    compared += 1
        self.assertGreater(compared, 200)

    def test_variables_of_a_model_go_on_from_run_to_run(self):
        """A model that hands out what it was given in the run before, with a device that takes nothing of it."""
        main, init = tflite.Graph(), tflite.Graph("init")

        def handle(graph):
            index = graph.add(tflite.Tensor("handle", [], "resource"))
            graph.op("VAR_HANDLE", [], [index], container="", shared_name="kept")
            return index

        first = init.add(tflite.Tensor("first", [2], "f32", np.array([7, 8], np.float32)))
        init.op("ASSIGN_VARIABLE", [handle(init), first], [])
        x, y = main.add(tflite.Tensor("x", [2], "f32")), main.add(tflite.Tensor("y", [2], "f32"))
        main.inputs, main.outputs = [x], [y]
        kept = handle(main)
        main.op("CALL_ONCE", [], [], init_subgraph=1)
        main.op("READ_VARIABLE", [kept], [y])
        main.op("ASSIGN_VARIABLE", [kept, x], [])
        (self.folder / "stream.tflite").write_bytes(tflite.write(main, init))
        done = self.run_oribi("run", "stream.tflite", "-i", "0=2xf32=1,2", "-i", "0=2xf32=3,4", "-i", "0=2xf32=5,6",
                              "--plugin", TARGET, "--device", f"woofles={DRIVERS['woofles']}", "--json")
        self.assertEqual([json.loads(line)["values"] for line in done.stdout.splitlines()], [[7, 8], [1, 2], [3, 4]])

    def test_caches_and_addresses_are_kept_as_by_emitted_code(self):
        driver, log, inputs = self.folder / "cache.so", self.folder / "log", bytes(i * 37 % 120 for i in range(64))
        (self.folder / "x.bin").write_bytes(inputs)
        subprocess.run(["gcc", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", SOURCE, *INCLUDE,
                        SOURCE / "tests/hooks/made/cache_driver.c",
                        OPS, "-o", driver], check=True)
        expected = self.values(DIGITS, "x.bin")
        for kinds in (["cached"], ["queued"], ["cached", "queued"]):
            devices = [f"n{i}={kind}" for i, kind in enumerate(kinds)]
            for schedule in SCHEDULES:
                with self.subTest(devices=devices, schedule=schedule):
                    log.unlink(missing_ok=True)
                    program = Program(ORIBI, SOURCE, MADE, self.folder / f"{'_'.join(kinds)}_{schedule}", DIGITS, devices,
                                      "--device-schedule", schedule)
                    lines, _ = program.run(inputs)
                    lines = [re.sub(r"^(\w+ (?:Invoke|Start)) .*", r"\1", line) for line in lines]
                    lines = [re.sub(r" \w+\+\d+:(\d+)$", r" \1", line) for line in lines
                             if line != "work" and not line.startswith("operator")]
                    options = [part for i, d in enumerate(devices) for part in
                               ("--target-device", d, "--device", f"n{i}={driver}:log={log},name=n{i}")]
                    done = self.run_oribi("run", DIGITS, "-i", "0=@x.bin", "--plugin", MADE, "--json", *options,
                                          "--device-schedule", schedule)
                    self.assertEqual([json.loads(done.stdout)["values"]], expected)
                    self.assertIn("CacheInvalidate", log.read_text())
                    self.assertEqual(log.read_text().splitlines(), lines)

    def test_memory_lies_where_the_target_asked_for_it_and_no_better(self):
        driver = self.folder / "align.so"
        (self.folder / "x.bin").write_bytes(bytes(64))
        subprocess.run(["gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *INCLUDE,
                        SOURCE / "tests/hooks/made/align_driver.c", "-o", driver], check=True)
        for kinds in (["al16"], ["al64"], ["al128"], ["al4096"], ["al16", "al4096"]):
            devices = [part for kind in kinds for part in ("--target-device", kind, "--device", f"{kind}={driver}")]
            with self.subTest(kinds=kinds):
                done = self.run_oribi("run", DIGITS, "-i", "0=@x.bin", "-i", "0=@x.bin", "--plugin", MADE, *devices)
                self.assertIn(f"{kinds[0][2:]} bytes", done.stdout)

    def test_what_does_not_go_together_is_said(self):
        (self.folder / "x.bin").write_bytes(bytes(64))
        driver = ["--device", f"woofles={DRIVERS['woofles']}"]
        for options, code, message in (
                ([*driver, "--trace", "t"], 2, "--trace does not go with --device"),
                (["--device-schedule", "hold"], 2, "without --device NAME=DRIVER.so"),
                (["--device", "npu=x.so"], 4, "there is no target 'npu'"),
                (["--device", "woofles=missing.so"], 4, "missing.so"),
                ([*driver, "--device-schedule", "soon"], 2, "design|lazy|eager|hold"),
                (["--target-device", "a=woofles", "--target-device", "b=woofles", "--device",
                  f"a={DRIVERS['woofles']}"], 4, "device 'b' has no driver")):
            with self.subTest(options=options):
                self.assertIn(message, self.run_model(DIGITS, "x.bin", *options, code=code).stderr)

    def test_a_platform_for_a_kind_that_no_device_is_of_is_refused(self):
        base = ["compile", DIGITS, "-o", str(self.folder / "refused"), "--plugin", TARGET, "--target-device", "npu1=woofles"]
        for kind in ("npu1", "Woofles", "uart_accel", "nothing"):
            done = subprocess.run([ORIBI, *base, "--device-platform", f"{kind}=posix"], check=False,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(f"is of the kind '{kind}'; the kinds are: woofles", done.stderr)
        self.assertFalse((self.folder / "refused").exists())

    def test_inspect_says_which_device_takes_a_node(self):
        devices = ["--plugin", TARGET, "--target-device", "npu1=woofles", "--target-device", "uart_accel"]
        nodes = json.loads(self.run_oribi("inspect", DIGITS, *devices, "--json").stdout)["nodes"]
        self.assertEqual({n["device"] for n in nodes}, {"npu1", "uart_accel", "cpu"})
        self.assertEqual({n["op"] for n in nodes if n["device"] != "cpu"}, {"Oribi>QConv2D", "Oribi>QDepthwiseConv2D"})
        conv = next(n["node"] for n in nodes if n["device"] == "npu1")
        self.assertIn("when compiled, on npu1; woofles, conv2d: taken",
                      self.run_oribi("inspect", DIGITS, *devices, "--explain", conv).stdout)
        self.assertIn("when compiled, on cpu; --assign keeps it on the CPU", self.run_oribi(
            "inspect", DIGITS, *devices, "--assign", f"{conv}=cpu", "--explain", conv).stdout)
        self.assertIn("no node 'x'", self.run_oribi("inspect", DIGITS, *devices, "--explain", "x", code=4).stderr)

    def test_a_served_terminal_is_an_accelerator(self):
        (self.folder / "x.bin").write_bytes(bytes(i * 37 % 120 for i in range(64)))
        far = subprocess.Popen([ORIBI, "device-serve", DIGITS, "--plugin", TARGET, "--target-device", "uart_accel",
                                "--driver", FOLDER / "uart_accel", "--pty"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(far.communicate)
        self.addCleanup(far.kill)
        path = re.match(r"serving on (/dev/pts/\d+)$", far.stdout.readline()).group(1)
        expected = self.values(DIGITS, "x.bin")
        for schedule in ("design", "hold"):  # one after the other: the terminal stays
            self.assertEqual(self.values(DIGITS, "x.bin", "--device", f"uart_accel={DRIVERS['uart_accel']}:path={path}",
                                         "--device-schedule", schedule), expected)
        far.terminate()
        self.assertRegex(far.communicate(timeout=20)[1], r"\d\d requests, 0 broken")
        self.assertEqual(far.returncode, 0)

    def test_a_served_window_is_a_device_with_a_memory(self):
        """A copy in the window, as the driver of a woofles would ask for it: woofles/common/woofles_window.h."""
        window, line = self.folder / "window", self.folder / "bell"
        window.write_bytes(bytes(1 << 20))
        far = subprocess.Popen([ORIBI, "device-serve", DIGITS, "--plugin", TARGET, "--target-device", "woofles",
                                "--driver", FOLDER / "woofles", "--window", f"{window}@0x10000:64k", "--socket", line, "--once"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(far.communicate)
        self.addCleanup(far.kill)
        self.assertIn("serving on", far.stdout.readline())
        with open(window, "r+b") as file, mmap.mmap(file.fileno(), 65536, offset=65536) as memory, \
                socket.socket(socket.AF_UNIX) as bell:
            self.assertEqual(memory[:4], b"WOOF")
            self.assertEqual(struct.unpack_from("<I", memory, 20)[0], 65536)
            bell.connect(str(line))
            memory[2000:2005] = b"bytes"
            for i, (to, power, code) in enumerate(((3000, 0, -32007), (3000, 1, 0), (65534, 1, -32006))):
                struct.pack_into("<20I", memory, 32 + 80 * i, 2, 0, 1, 1, 0, 0, 2000, to, *[0] * 4, 5, 5, *[0] * 6)
                struct.pack_into("<2I", memory, 4, power, i + 1)
                bell.sendall(b"!")
                for _ in range(2000):
                    if struct.unpack_from("<I", memory, 12)[0] == i + 1:
                        break
                    time.sleep(0.005)
                self.assertEqual(struct.unpack_from("<i", memory, 32 + 80 * i + 72)[0], code)
                self.assertEqual(bytes(memory[3000:3005]), b"bytes" if i > 0 else bytes(5))
            for i in range(3, 500):  # a board that polls reads no interrupts, and is served all the same
                struct.pack_into("<20I", memory, 32 + 80 * (i % 8), 2, 0, 1, 1, 0, 0, 2000, 3000, *[0] * 4, 5, 5, *[0] * 6)
                struct.pack_into("<I", memory, 8, i + 1)
                bell.sendall(b"!")
                deadline = time.monotonic() + 20
                while struct.unpack_from("<I", memory, 12)[0] != i + 1:
                    self.assertLess(time.monotonic(), deadline, f"command {i}")
        self.assertEqual(far.wait(20), 0)
        for text, message in ((f"{window}@1", "65536"), (f"{window}@x", "'"), ("missing", "No such file"),
                              (f"{window}@0:2M", "does not fit")):
            self.assertIn(message, self.run_oribi("device-serve", DIGITS, "--plugin", TARGET, "--target-device",
                                                  "woofles", "--driver", FOLDER / "woofles", "--window", text, "--pty",
                                                  code=4).stderr)
        self.assertIn("woofles_prepare returned -32001", self.run_oribi(
            "device-serve", DIGITS, "--plugin", TARGET, "--target-device", "woofles", "--driver", FOLDER / "woofles", "--pty",
            code=4).stderr)

    def test_serving_wants_a_model_a_device_its_driver_and_one_line(self):
        driver = ["--driver", FOLDER / "uart_accel"]
        for options in ([], [DIGITS], [DIGITS, "--target-device", "uart_accel"],
                        [DIGITS, "--target-device", "uart_accel", "--pty"],
                        [DIGITS, "--target-device", "uart_accel", *driver, "--pty", "--socket", "x"]):
            self.assertIn("device-serve: wants", self.run_oribi("device-serve", *options, code=2).stderr)
        self.assertIn("there is no target 'uart_accel'", self.run_oribi(
            "device-serve", DIGITS, "--target-device", "uart_accel", *driver, "--pty", code=4).stderr)
        self.assertIn("--driver has no kind of --target-device; it has 'uart_accel'", self.run_oribi(
            "device-serve", DIGITS, "--target-device", "x", *driver, "--pty", code=4).stderr)
        self.assertIn("it plays one accelerator, but --driver has 'woofles' as well", self.run_oribi(
            "device-serve", DIGITS, "--target-device", "uart_accel", "--target-device", "woofles", *driver, "--driver",
            FOLDER / "woofles", "--pty", code=4).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
