#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi inspect --html`: a page that loads nothing, with each step, arc and buffer that `--json` tells.

usage: inspect_page_test.py ORIBI SOURCE BUILD"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import onnx_lite as o
from profile_test import Page

ORIBI = os.path.abspath(sys.argv[1])
DIGITS = pathlib.Path(sys.argv[2]).resolve() / "examples/digits/digits.onnx"


class InspectPage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def oribi(self, *args, code=0):
        got = subprocess.run([ORIBI, *map(str, args)], cwd=self.at, capture_output=True, text=True,
                             timeout=100, check=False)
        self.assertEqual(got.returncode, code, got.stdout + got.stderr)
        return got.stdout

    def page(self, model):
        self.oribi("inspect", model, "--html", "p.html", "--force")
        text = (self.at / "p.html").read_text()
        page = Page(text)
        self.assertEqual(([], [], 1), (page.faults, page.loads, page.scripts))
        self.assertIn("prefers-color-scheme:dark", text)
        self.assertIn("default-src &#39;none&#39;", text)
        return text, page

    def test_every_step_arc_and_buffer_is_drawn(self):
        text, page = self.page(DIGITS)
        steps = json.loads(self.oribi("inspect", DIGITS, "--json"))["steps"]
        self.assertLessEqual({s["node"] for s in steps} | {s["kernel"] for s in steps}, set(page.texts))
        self.assertEqual([f"s{i}" for i in range(len(steps))], re.findall(r'<tr id="(s\d+)"', text))
        made, arcs = set(), []
        for s in steps:
            arcs += [i["name"] for i in s["inputs"] if i["name"] in made]
            made |= {out["name"] for out in s["outputs"]}
        self.assertEqual(arcs, re.findall(r'<path class="edge"[^>]*><title>(.*?)</title>', text))
        memory = json.loads(self.oribi("inspect", DIGITS, "--memory", "--json"))
        wanted = [f"{b['value']}: {b['bytes']} bytes at {b['offset']}, steps {b['first_use']} to {b['last_use']}"
                  for b in memory["buffers"] if b["storage"] == "arena"]
        self.assertEqual(wanted, re.findall(r'buffer"[^>]*><title>(.*?)</title>', text))

    def test_names_make_parts_and_stay_text(self):
        bad = '</text></svg><script>alert("1")</script>'
        names = ["a/b/one", "a/b/two", "c/" + bad]
        nodes = [o.node(op, [x], [y], name=name) for op, x, y, name in
                 zip(("Sin", "Cos", "Tan"), ("x", "p", "q"), ("p", "q", "y"), names)]
        (self.at / "m.onnx").write_bytes(o.model(nodes, [o.info("x", [4])], [o.info("y", [4])]))
        text, page = self.page("m.onnx")
        self.assertEqual(2, text.count('class="part"'))
        self.assertEqual(1, page.texts.count("a/b"))
        self.assertIn(names[2], page.texts)

    def test_a_file_that_is_there_stays(self):
        (self.at / "p.html").write_text("mine")
        self.oribi("inspect", DIGITS, "--html", "p.html", code=4)
        self.assertEqual("mine", (self.at / "p.html").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
