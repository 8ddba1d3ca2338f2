#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checked runs (`oribi run --check`, ORIBI_CHECK=1) on planted faulty kernels: each is named with plugin, op,
node, argument and byte, and nobody sees it without the check. Recorded calls, and their replay.

    checked_test.py ORIBI SOURCE_FOLDER BUILD_FOLDER
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
sys.path.insert(0, str(SOURCE / "tests/cli"))
import onnx_lite as onnx  # noqa: E402

BUGS = SOURCE / "tests/plugin/bugs"
# Planted bug: what the check says of it, on an input of four floats.
FOUND = {"out_of_bounds": "out-of-bounds: wrote at byte 16 of output 0, which has 16",
         "before_temporary": "out-of-bounds: wrote at byte -4 of temporary 0, before its start",
         "unwritten_output": "unwritten-output: output 0, byte 12 was not written",
         "nothing_written": "unwritten-output: output 0 was allocated and not written, from byte 0 on",
         "uninitialised_read": "uninitialised-read: output 0, from byte 0 on, depends on what temporaries or outputs "
                               "held before",
         "input_modified": "input-modified: wrote at byte 2 of input 0",
         "shape_function": "shape-function: output 0 has shape [5], but the op's shape function says [4]",
         "nondeterministic": "nondeterministic: output 0 differs from byte 2 on between runs on equal inputs"}


class Checked(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        bug = onnx.model([onnx.node("Relu", ["x"], ["h"], name="first"),
                          onnx.node("Bug", ["h"], ["y"], domain="org.tensorflow", name="the bug")],
                         [onnx.info("x", [4])], [onnx.info("y", [4])], domains=["org.tensorflow"])
        (self.folder / "bug.onnx").write_bytes(bug)

    def oribi(self, *words, code=0, env=None):
        done = subprocess.run([ORIBI, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **(env or {})}, check=False)
        self.out, self.err = done.stdout, done.stderr
        self.assertEqual(done.returncode, code, f"{words}\n{self.out}\n{self.err}")
        return self.out

    def build(self, source, *flags):
        plugin = self.folder / f"{source.stem}.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-I", SOURCE / "include", source, "-o", plugin, *flags], check=True)
        return plugin

    def run_bug(self, plugin, *words, code=0, env=None):
        return self.oribi("run", "bug.onnx", "-i", "x=4xf32=1,2,3,4", "-p", plugin, "--json", *words, code=code, env=env)

    def test_each_planted_bug_is_named(self):
        for bug, words in FOUND.items():
            with self.subTest(bug):
                plugin = self.build(BUGS / f"{bug}.c")
                self.run_bug(plugin, "--check", code=self.failed)
                self.assertIn(f"node 'the bug' (op Bug, kernel 'Bug' of {plugin}): check: {words}", self.err)

    failed = 4

    def test_nobody_sees_them_without_the_check(self):
        for bug in ("before_temporary", "unwritten_output", "uninitialised_read", "input_modified", "nondeterministic"):
            with self.subTest(bug):
                self.run_bug(self.build(BUGS / f"{bug}.c"))

    def test_a_good_plugin_computes_the_same(self):
        plugin = self.build(BUGS / "none.c")
        plain = self.run_bug(plugin)
        self.assertEqual([2, 3, 4, 5], json.loads(plain)["values"])
        self.assertEqual(plain, self.run_bug(plugin, "--check"))
        self.assertEqual(plain, self.run_bug(plugin, "--check-all"))

    def test_the_environment_asks_for_it_as_well(self):
        plugin = self.build(BUGS / "out_of_bounds.c")
        for word, code in (("1", self.failed), ("plugins", self.failed), ("all", self.failed)):
            self.run_bug(plugin, env={"ORIBI_CHECK": word}, code=code)
            self.assertIn("check: out-of-bounds", self.err)
        self.run_bug(self.build(BUGS / "unwritten_output.c"), env={"ORIBI_CHECK": "0"})
        self.run_bug(plugin, env={"ORIBI_CHECK": "some"}, code=4)
        self.assertIn("no kernels 'some' to check; choose plugins, all or off", self.err)

    def test_built_in_kernels_pass(self):
        """Models with convolutions, with constants that kernels pack, of integers, with a state."""
        examples = SOURCE / "examples/digits"
        for model in ("digits.onnx", "digits_int8.tflite"):
            words = ["run", examples / model, "-i", f"picture=@{examples}/digit-3-0059.png", "--json"]
            self.assertEqual(self.oribi(*words), self.oribi(*words, "--check-all"))

    def test_plugins_of_every_kind_pass(self):
        additions = BUILD / "tests/plugin/plugins/additions.so"
        self.assertTrue(additions.exists())
        for threads in ("1", "4"):
            self.run_bug(self.build(BUGS / "none.c"), "--check-all", "--threads", threads, "-p", additions)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
