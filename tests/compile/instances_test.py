#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instances of kernels (--optimize): what is made, that it computes what the kernel computes, and that the
estimates which decide are near what QEMU counts. Random graphs with instances: graphs_test.py.

    instances_test.py ORIBI SOURCE_FOLDER
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-O2", "-c"]
ARM = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft", "-ffreestanding"]


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


class Instances(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, model, how, name="c"):
        folder = self.folder / name / how
        done = run(ORIBI, "compile", model, "-o", folder, "--name", "net", "--optimize", how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder, json.loads((folder / "report.json").read_text())

    def models(self):
        names = ("kws_ref_model", "pretrainedResnet_quant", "vww_96_int8")
        return [DIGITS, *(path for path in (TINY / f"{name}.tflite" for name in names) if path.exists())]

    def test_what_is_made_is_what_the_report_says(self):
        for model in self.models():
            for how in ("size", "balanced", "speed"):
                with self.subTest(model=model.name, how=how):
                    folder, report = self.compile(model, how, model.stem)
                    all_of_it = report["instances"]
                    made = {c["name"]: c for c in all_of_it["classes"] if c["is_made"]}
                    self.assertLessEqual(all_of_it["code_bytes"], all_of_it["budget_bytes"])
                    self.assertEqual(sum(c["instructions_without"] - c["instructions"] for c in made.values()),
                                     all_of_it["instructions_without"] - all_of_it["instructions"])
                    called = [node["kernel"] for node in report["nodes"]]
                    for c in all_of_it["classes"]:
                        there = (folder / f"micro/{c['name']}.c").exists()
                        self.assertEqual((there, (folder / f"micro/{c['name']}.h").exists()), (c["is_made"],) * 2)
                        self.assertEqual(called.count(c["name"]), c["calls"] if c["is_made"] else 0)
                    if how != "balanced":
                        self.assertEqual(bool(made), how == "speed")
                    # A kernel is there when something calls it, and only then.
                    for kernel in {c["kernel"] for c in all_of_it["classes"]}:
                        is_called = kernel in called
                        self.assertEqual((folder / f"micro/{kernel}.c").exists(), is_called, kernel)

    def test_more_is_made_for_speed(self):
        for model in self.models():
            got = {how: self.compile(model, how, model.stem)[1]["instances"] for how in ("size", "balanced", "speed")}
            self.assertEqual(got["size"]["instructions"], got["size"]["instructions_without"])
            self.assertLess(got["speed"]["instructions"], got["size"]["instructions"])
            self.assertLessEqual(got["speed"]["instructions"], got["balanced"]["instructions"])
            self.assertLessEqual(got["balanced"]["instructions"], got["size"]["instructions"])

    def test_the_same_bytes_come_out(self):
        first, _ = self.compile(DIGITS, "speed", "a")
        again, _ = self.compile(DIGITS, "speed", "b")
        names = sorted(p.relative_to(first) for p in first.rglob("*") if p.is_file())
        self.assertEqual(names, sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file()))
        for name in names:
            self.assertEqual((first / name).read_bytes(), (again / name).read_bytes(), name)

    def test_no_compiler_warns(self):
        compilers = [["gcc"], ["clang"], ["arm-none-eabi-gcc", *ARM], ["clang", "--target=arm-none-eabi", *ARM]]
        for model in self.models():
            folder, report = self.compile(model, "speed", model.stem)
            for c in report["instances"]["classes"]:
                for compiler in compilers if c["is_made"] else []:
                    if shutil.which(compiler[0]):
                        done = run(*compiler, *STRICT, folder / f"micro/{c['name']}.c", "-o", self.folder / "one.o")
                        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_several_models_share_an_instance(self):
        folder = self.folder / "both"
        done = run(ORIBI, "compile", DIGITS, DIGITS, "--name", "one", "--name", "two", "-o", folder, "--optimize",
                   "speed", "--layout", "plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        sources = [p for p in folder.rglob("*.c")]
        self.assertEqual(len([p for p in sources if p.name == "conv2d_lanes_s8_point16.c"]), 1)
        done = run("gcc", "-std=c99", "-shared", "-fPIC", *sources, "-o", self.folder / "both.so")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_instances_compute_what_the_session_does(self):
        targets = ["host"]
        if shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm"):
            targets.append("cortex-m4")
        for model in self.models():
            for target in targets:
                with self.subTest(model=model.name, target=target):
                    done = run(ORIBI, "verify", model, "--target", target, "--optimize", "speed", "--runs", "2",
                               "--per-node")
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
