#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Codes of errors: each ends with one that belongs to its exit code and that `oribi explain` knows, and
the published ones stay.

usage: codes_test.py ORIBI SOURCE BUILD"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import onnx_lite as o

ORIBI = os.path.abspath(sys.argv[1])
DIGITS = pathlib.Path(sys.argv[2]).resolve() / "examples/digits/digits.onnx"
# What was published; a code may be added here, none may go or become another.
PUBLISHED = """ORB1000 ORB2000 ORB3000 ORB3005 ORB3012 ORB4000 ORB4001 ORB4002 ORB4003 ORB4005 ORB4006 ORB4007 ORB4009
ORB4010 ORB4011 ORB4013 ORB4014 ORB4015 ORB5000 ORB5004 ORB5008 ORB6000""".split()


class Codes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)
        (self.at / "odd.onnx").write_bytes(o.model([o.node("NoSuchOp", ["x"], ["y"])],
                                                   [o.info("x", [4])], [o.info("y", [4])]))
        (self.at / "cut.onnx").write_bytes(DIGITS.read_bytes()[:999])
        (self.at / "plugin.so").write_text("no plugin")
        np.savez(self.at / "other.npz", probabilities=np.zeros((1, 10), "float32"))

    def oribi(self, *args):
        return subprocess.run([ORIBI, *map(str, args)], cwd=self.at, capture_output=True, text=True,
                              timeout=100, check=False)

    ERRORS = [("ORB2000", ("rum",)), ("ORB2000", ("run", DIGITS, "--no-such-option")),
              ("ORB2000", ("run", DIGITS, "--threads", "many")), ("ORB3012", ("run", "odd.onnx")),
              ("ORB4005", ("run", "none.onnx")), ("ORB4015", ("run", "cut.onnx")),
              ("ORB4000", ("run", DIGITS, "-i", "0=@none.npy")), ("ORB5008", ("run", DIGITS, "--max-bytes", "10k")),
              ("ORB6000", ("plugin", "info", "plugin.so"))]

    def test_an_error_ends_with_its_code(self):
        for code, words in self.ERRORS:
            with self.subTest(words):
                got = self.oribi(*words)
                self.assertEqual(int(code[3]), got.returncode, got.stderr)
                self.assertRegex(got.stderr, rf"oribi: error {code} \(.+\); `oribi explain {code}` tells more\n$")
                self.assertEqual(1, len(re.findall(r"error ORB", got.stderr)))

    def test_json_has_the_code_and_the_message(self):
        for code, words in self.ERRORS[3:]:
            with self.subTest(words):
                got = self.oribi(*words, "--json")
                told = json.loads(got.stderr.splitlines()[-1])["error"]
                self.assertEqual((code, got.returncode), (told["code"], told["exit"]))
                self.assertIn(told["message"].splitlines()[0], got.stderr)

    def test_no_error_has_no_code(self):
        for words, exit_code in ((("inspect", DIGITS), 0), (("compare", DIGITS, "other.npz"), 1)):
            got = self.oribi(*words)
            self.assertEqual((exit_code, False), (got.returncode, "ORB" in got.stderr), got.stderr)

    def test_every_code_is_explained(self):
        rows = json.loads(self.oribi("explain", "--json").stdout)
        self.assertLessEqual(set(PUBLISHED), {row["code"] for row in rows})
        self.assertEqual({row["code"] for row in rows}, set(PUBLISHED), "write the new code into this test")
        for row in rows:
            self.assertEqual(int(row["code"][3]), row["exit"])
            text = self.oribi("explain", row["code"]).stdout
            self.assertIn(row["text"], text)
        self.assertEqual(self.oribi("explain", "4005").stdout, self.oribi("explain", "orb4005").stdout)
        for word in ("ORB9999", "ORB", "x", "ORB4005x", "99999999999999999999"):
            self.assertEqual(2, self.oribi("explain", word).returncode, word)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
