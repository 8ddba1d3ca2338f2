#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command and devices of plugins: lists, results, copies, lanes of a trace, refusals.

    command_test.py ORIBI PLUGIN SOURCE_FOLDER [PROFILER]

PROFILER: a plugin with a profiler, whose events a trace shows as well.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ORIBI, PLUGIN, SOURCE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
MODEL = str(SOURCE / "examples/digits/digits.onnx")
PICTURE = f"0=@{SOURCE}/examples/digits/digit-4-0004.png"


class Command(unittest.TestCase):
    def oribi(self, *words, code=0):
        done = subprocess.run([ORIBI, *map(str, words)], capture_output=True, text=True, timeout=60)
        self.assertEqual(code, done.returncode, done.stderr)
        self.err = done.stderr
        return done.stdout

    def run_digits(self, *words):
        return self.oribi("run", MODEL, "-i", PICTURE, "--json", *words)

    def test_devices_are_listed(self):
        told = json.loads(self.oribi("devices", "-p", f"{PLUGIN}:devices=3", "--json"))["devices"]
        self.assertEqual(["FAKE:0", "FAKE:1", "FAKE:2"], [d["name"] for d in told])
        self.assertEqual("nobody", told[0]["vendor"])
        self.assertEqual(1 << 32, told[0]["total_bytes"])
        self.assertEqual([], json.loads(self.oribi("devices", "--json"))["devices"])

    def test_a_model_gives_the_same_on_a_device(self):
        expected = json.loads(self.run_digits())
        for words in (("--device", "fake"), ("--device", "FAKE:1"), ("--device", "fake", "--place-node", "conv3=CPU"),
                      ("--place-node", "dense=FAKE:1"),
                      ("--device", "fake", "--keep-islands")):
            found = json.loads(self.run_digits("-p", PLUGIN, *words))
            self.assertEqual(expected["shape"], found["shape"])
            for x, y in zip(expected["values"], found["values"]):
                self.assertAlmostEqual(x, y, delta=1e-5)

    def test_copies_and_waits_are_shown(self):
        told = json.loads(self.oribi("inspect", MODEL, "-p", PLUGIN, "--device", "fake", "--copies", "--json",
                                     "--keep-islands"))["copies"]
        self.assertEqual(("to device", "picture", "CPU", "FAKE:0", 256),
                         tuple(told[0][k] for k in ("kind", "value", "from", "to", "bytes")))
        self.assertEqual("wait for all", told[-1]["kind"])
        self.assertEqual([], json.loads(self.oribi("inspect", MODEL, "--copies", "--json"))["copies"])

    def test_nodes_that_are_not_worth_their_copies_run_on_the_cpu(self):
        def count(*words):
            told = json.loads(self.oribi("inspect", MODEL, "-p", PLUGIN, "--device", "fake", "--json", "--copies", *words))
            waits = [c for c in told["copies"] if c["kind"].startswith("wait")]
            return len(told["copies"]) - len(waits), len(waits)
        self.assertEqual((2, 2), count())
        self.assertEqual((14, 8), count("--keep-islands"))
        why = self.oribi("inspect", MODEL, "-p", PLUGIN, "--device", "fake", "--explain", "dense")
        self.assertIn("on the CPU, though FAKE:0 has a kernel: 3 nodes there would cost copies of", why)

    def test_a_trace_has_lanes_for_host_kernels_and_copies(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_digits("-p", f"{PLUGIN}:delay_us=20", "--device", "fake", "--keep-islands", "--trace",
                            f"{folder}/t.json")
            events = json.loads(pathlib.Path(f"{folder}/t.json").read_text())["traceEvents"]
        names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertLessEqual({"host", "FAKE:0 kernels", "FAKE:0 copies"}, set(names.values()))
        spans = {}
        for event in (e for e in events if e["ph"] == "X"):
            spans.setdefault((names[event["tid"]], event["cat"]), []).append(event)
        self.assertIn(("host", "wait"), spans)
        self.assertIn("dense", [e["name"] for e in spans["FAKE:0 kernels", "kernel"]])
        self.assertIn("picture from CPU to FAKE:0", [e["name"] for e in spans["FAKE:0 copies", "copy"]])
        on_device = spans["FAKE:0 kernels", "kernel"] + spans["FAKE:0 copies", "copy"]
        on_device.sort(key=lambda e: e["ts"])
        for one, next_one in zip(on_device, on_device[1:]):  # a stream does one thing after the other
            self.assertGreaterEqual(next_one["ts"], one["ts"] + one["dur"] - 0.01)

    def test_a_trace_has_the_lanes_of_a_plugins_profiler(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_digits("-p", sys.argv[4], "--trace", f"{folder}/t.json")
            events = json.loads(pathlib.Path(f"{folder}/t.json").read_text())["traceEvents"]
        lanes = {e["args"]["name"]: e["pid"] for e in events if e["ph"] == "M"}
        lanes.pop("worker", None)  # a thread of the pool, where one came in time
        self.assertEqual({"host": 1, "/device:FAKE:0 stream 1": 2}, lanes)
        spans = {e["name"]: e for e in events if e["ph"] == "X" and e["pid"] == 2}
        self.assertEqual({"gemm": 2, "copy": 1}, {name: e["dur"] for name, e in spans.items()})
        self.assertAlmostEqual(3, spans["copy"]["ts"] - spans["gemm"]["ts"], delta=0.01)
        self.assertTrue(any(e["ph"] == "X" and e["pid"] == 1 for e in events))

    def test_what_cannot_be_is_refused(self):
        self.oribi("run", MODEL, "-i", PICTURE, "--device", "fake", code=3)
        self.assertIn("there is no device 'fake': the devices are CPU; load the plugin", self.err)
        self.oribi("run", MODEL, "-i", PICTURE, "-p", PLUGIN, "--device", "fake", "--strict-placement", code=3)
        self.assertIn("has no kernel for device FAKE:0", self.err)
        self.oribi("run", MODEL, "-i", PICTURE, "-p", PLUGIN, "--place-node", "conv3", code=2)
        self.assertIn("--place-node wants NODE=NAME[:N]", self.err)
        self.oribi("inspect", MODEL, "-p", PLUGIN, "--device", "fake:x", code=2)
        self.assertIn("write NAME or NAME:N", self.err)


sys.exit(not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful())
