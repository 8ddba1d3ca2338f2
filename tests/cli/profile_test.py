#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi profile`: what its table, CSV, page and trace have of the steps that `oribi inspect` lists, and
what it says of a baseline. No clock is asked: a baseline is edited to be far faster or slower.

usage: profile_test.py ORIBI SOURCE BUILD"""
import csv
import html.parser
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import onnx_lite as o

ORIBI = os.path.abspath(sys.argv[1])
DIGITS = pathlib.Path(sys.argv[2]).resolve() / "examples/digits/digits.onnx"


class Page(html.parser.HTMLParser):
    """What a browser would find in a page: tags that are closed, what it would load, its text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.loads, self.texts, self.scripts = [], [], [], [], 0
        self.feed(text)
        self.close()
        self.faults += [f"{tag} is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.loads += [v for k, v in attrs if k in ("src", "href", "srcset") and not v.startswith("#")]
        self.faults += [f"handler {k}" for k, _ in attrs if k.startswith("on")]
        self.scripts += tag == "script"
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        self.texts.append(data)


class Profile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def oribi(self, *args, code=0):
        got = subprocess.run([ORIBI, *map(str, args)], cwd=self.at, capture_output=True, text=True,
                             timeout=300, check=False)
        self.assertEqual(got.returncode, code, got.stdout + got.stderr)
        return got.stdout if code == 0 else got.stdout + got.stderr

    def profile(self, *more, model=DIGITS, code=0):
        return self.oribi("profile", model, "-n", 3, "--warm-up", 1, *more, code=code)

    def rows(self, name):
        return list(csv.DictReader((self.at / name).read_text().splitlines()))

    def test_every_form_has_every_step(self):
        steps = json.loads(self.oribi("inspect", DIGITS, "--json"))["steps"]
        nodes = sorted(s["node"] for s in steps)
        text = self.profile("--csv", "p.csv", "--html", "p.html", "--save", "p.json", "--trace", "t.json")
        for step in steps:
            self.assertIn(f"{step['op']}: {step['node']}\n", text)
        rows = self.rows("p.csv")
        self.assertEqual(nodes, sorted(row["node"] for row in rows))
        self.assertEqual({s["node"]: s["operations"] // 2 for s in steps}, {r["node"]: int(r["macs"]) for r in rows})
        self.assertAlmostEqual(1, sum(float(row["share"]) for row in rows), places=4)
        saved = json.loads((self.at / "p.json").read_text())
        self.assertEqual(nodes, sorted(s["node"] for s in saved["steps"]))
        self.assertAlmostEqual(saved["total_ms"], sum(s["least_ms"] for s in saved["steps"]))
        page = Page((self.at / "p.html").read_text())
        self.assertEqual([], page.faults + page.loads)
        self.assertLessEqual(set(nodes), set(page.texts))
        events = json.loads((self.at / "t.json").read_text())["traceEvents"]
        self.assertLessEqual(set(nodes), {e["name"] for e in events if e.get("cat") == "step"})

    def baseline(self, factor, drop=0):
        saved = json.loads((self.at / "p.json").read_text())
        saved["total_ms"] *= factor
        for step in saved["steps"]:
            step["least_ms"] *= factor
        saved["steps"] = saved["steps"][drop:]
        (self.at / "b.json").write_text(json.dumps(saved))

    def test_slower_than_the_baseline_is_exit_code_1(self):
        self.profile("--save", "p.json")
        self.baseline(1000)
        self.assertIn("not more than 10 % slower", self.profile("--baseline", "b.json"))
        self.baseline(0.001, drop=1)
        said = self.profile("--baseline", "b.json", code=1)
        self.assertIn("more than 10 % slower", said)
        self.assertIn("1 steps are new, 0 are gone", said)
        told = json.loads(self.profile("--baseline", "b.json", "--json", code=1))["baseline"]
        self.assertTrue(told["is_slower"])
        self.assertEqual(10, len(told["slower"]))
        self.baseline(0.5)
        self.assertIn("not more than 100000 % slower", self.profile("--baseline", "b.json", "--tolerance", "100000"))

    def test_what_is_no_profile_is_refused(self):
        for name, text in (("a.json", "{}"), ("b.json", "{"), ("c.json", '{"total_ms": "1", "steps": []}')):
            (self.at / name).write_text(text)
            self.assertIn(name, self.profile("--baseline", name, code=4))
        self.profile("--baseline", "none.json", code=4)
        self.assertIn("--force overwrites", self.profile("--csv", "a.json", code=4))
        self.assertEqual("{}", (self.at / "a.json").read_text())

    def test_names_cannot_leave_their_cell(self):
        bad = '</script><script>alert("1,\n2")</script>'
        (self.at / "m.onnx").write_bytes(o.model([o.node("Sin", ["x"], ["y"], name=bad)],
                                                 [o.info("x", [4])], [o.info("y", [4])]))
        self.profile("--csv", "p.csv", "--html", "p.html", model="m.onnx")
        page = Page((self.at / "p.html").read_text())
        self.assertEqual(([], [], 1), (page.faults, page.loads, page.scripts))
        self.assertEqual(bad.replace("\n", "?"), self.rows("p.csv")[0]["node"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
