#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command and plugin cuda, on the double of its driver: lists, a model, a trace, what is said
without a driver, and the plugin as it is built where nothing compiles for the device.

    gpu_command_test.py ORIBI PLUGIN PLUGIN_WITHOUT_KERNELS DOUBLE SOURCE_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ORIBI, PLUGIN, EMPTY, DOUBLE, SOURCE = sys.argv[1:6]
MODEL = f"{SOURCE}/examples/digits/digits.onnx"
PICTURE = f"0=@{SOURCE}/examples/digits/digit-4-0004.png"


class Command(unittest.TestCase):
    def oribi(self, *words, code=0, path=""):
        done = subprocess.run([ORIBI, *map(str, words)], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "ORIBI_PLUGIN_PATH": path})
        self.assertEqual(code, done.returncode, done.stderr)
        self.err = done.stderr
        return done.stdout

    def digits(self, *words, code=0):
        return self.oribi("run", MODEL, "-i", PICTURE, "--json", *words, code=code)

    def same(self, a, b):
        for x, y in zip(json.loads(a)["values"], json.loads(b)["values"], strict=True):
            self.assertAlmostEqual(x, y, delta=1e-4)

    def test_devices_are_listed(self):
        told = json.loads(self.oribi("devices", "-p", f"{PLUGIN}:driver={DOUBLE}", "--json"))["devices"]
        self.assertEqual([("CUDA:0", "double 0", "NVIDIA"), ("CUDA:1", "double 1", "NVIDIA")],
                         [(d["name"], d["hardware"], d["vendor"]) for d in told])

    def test_without_a_driver_the_plugin_says_so_and_nothing_crashes(self):
        self.digits("-p", f"{PLUGIN}:driver=/nowhere/libcuda.so.1", "--device", "CUDA", code=6)
        self.assertIn("SE_InitPlugin: no NVIDIA driver: /nowhere/libcuda.so.1: cannot open", self.err)

    def test_found_without_a_driver_it_is_left_out_and_its_reason_is_told(self):
        there = any(pathlib.Path(folder).glob("libcuda.so.1*") for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64"))
        if there:
            self.skipTest("there is a driver")
        told = json.loads(self.oribi("devices", "--json", path=PLUGIN))["devices"]
        self.assertEqual("", self.err)
        self.assertEqual([("(none)", PLUGIN)], [(d["name"], d["provider"]) for d in told])
        self.assertIn("no NVIDIA driver: libcuda.so.1", told[0]["error"])
        self.oribi("run", MODEL, "-i", PICTURE, "--device", "cuda", code=3, path=PLUGIN)
        self.assertIn("there is no device 'cuda'", self.err)
        self.assertIn("no NVIDIA driver: libcuda.so.1", self.err)

    def test_a_model_gives_the_same_and_a_trace_has_its_lanes(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace.json"
            words = ("-p", f"{PLUGIN}:driver={DOUBLE},blas={DOUBLE}", "--device", "cuda:1", "--strict-placement")
            self.same(self.digits(), self.digits(*words, "--trace", trace))
            text = trace.read_text()
        self.assertIn("CUDA:1", text)
        events = json.loads(text)
        events = events["traceEvents"] if isinstance(events, dict) else events
        names = {e["args"]["name"] for e in events if e.get("ph") == "M" and "name" in e.get("args", {})}
        self.assertTrue(any("CUDA:1" in n for n in names), names)

    def test_without_cublas_products_are_the_plugins_own(self):
        words = ("-p", f"{PLUGIN}:driver={DOUBLE},blas=/nowhere/libcublas.so.13", "--device", "CUDA", "--strict-placement")
        self.same(self.digits(), self.digits(*words))

    def test_without_kernels_nodes_run_on_the_cpu(self):
        words = ("-p", f"{EMPTY}:driver={DOUBLE}", "--device", "CUDA")
        self.same(self.digits(), self.digits(*words))
        self.digits(*words, "--strict-placement", code=3)
        self.assertIn("has no kernel for device CUDA:0", self.err)


unittest.main(argv=sys.argv[:1])
