#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reports of `oribi compile`: report.json against its schema and against what the C touches, the
page against HTML that a model's strings would like to be.

    report_test.py ORIBI SOURCE_FOLDER
"""
import copy
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True

DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
SCHEMA = json.loads((SOURCE / "docs/reference/report.schema.json").read_text())
GOALS = {"ad01_int8": 768, "kws_ref_model": 8704, "pretrainedResnet_quant": 33408, "vww_96_int8": 39424}
FLOORS = {"ad01_int8": 768, "kws_ref_model": 16000, "pretrainedResnet_quant": 49152, "vww_96_int8": 55296}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def wrong(value, schema, where="$"):
    """Where the value breaks the schema: the part of draft 7 that the schema uses. None: nowhere."""
    known = {"$schema", "$ref", "title", "description", "type", "additionalProperties", "required",
             "properties", "enum", "pattern", "minimum", "minItems", "items", "anyOf", "definitions"}
    assert set(schema) <= known, set(schema) - known
    if "$ref" in schema:
        return wrong(value, SCHEMA["definitions"][schema["$ref"].rsplit("/", 1)[1]], where)
    if "anyOf" in schema and all(wrong(value, s, where) for s in schema["anyOf"]):
        return f"{where}: none of the forms"
    kind = schema.get("type")
    if kind == "integer":
        if not isinstance(value, int) or isinstance(value, bool) or value < schema.get("minimum", value):
            return f"{where}: {value!r} is no such integer"
    elif kind and not isinstance(value, TYPES[kind]):
        return f"{where}: {value!r} is no {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where}: {value!r} is not one of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{where}: {value!r} is not {schema['pattern']}"
    found = None
    if kind == "object":
        for key in schema.get("required", []):
            found = found or (None if key in value else f"{where}: no {key}")
        for key, item in value.items():
            if key not in schema["properties"]:
                return f"{where}: {key} is unknown"
            found = found or wrong(item, schema["properties"][key], f"{where}.{key}")
    if kind == "array":
        if len(value) < schema.get("minItems", 0):
            return f"{where}: too few"
        for i, item in enumerate(value):
            found = found or wrong(item, schema["items"], f"{where}[{i}]")
    return found


class Page(html.parser.HTMLParser):
    """A page as a browser would read it: its tags, links, anchors and text."""
    VOID = {"meta"}
    TAGS = set("html head meta title style body header section h1 h2 h3 p div span table tr th td b i code svg"
               " rect line text tspan path circle a".split())
    ATTRIBUTES = set("lang charset name content http-equiv class id href style width height viewbox role"
                     " aria-label x y x1 x2 y1 y2 cx cy r d".split())

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.links, self.ids, self.texts = [], [], [], set(), []
        self.feed(text)
        self.close()
        self.faults += [f"{tag} is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        if tag not in self.TAGS:
            self.faults.append(f"tag {tag}")
        for key, value in attrs:
            if key not in self.ATTRIBUTES:
                self.faults.append(f"attribute {key}")
            if key == "href":
                self.links.append(value)
            if key == "id":
                self.faults += [f"id {value} twice"] if value in self.ids else []
                self.ids.add(value)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        self.faults.append("a comment")


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, *arguments, code=0):
        done = subprocess.run([ORIBI, "compile", *arguments, "-o", self.folder / "c", "--force"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def report(self, *arguments):
        self.compile(*arguments, "--report", self.folder / "r.json")
        return json.loads((self.folder / "r.json").read_text())

    def models(self):
        return [DIGITS] + ([TINY / f"{name}.tflite" for name in GOALS] if TINY.is_dir() else [])

    def test_json_keeps_to_its_schema(self):
        for model in self.models():
            for io in ("caller", "pool"):
                with self.subTest(model.name, io=io):
                    report = self.report(model, "--io", io)
                    self.assertIsNone(wrong(report, SCHEMA))
                    self.assertEqual(report, json.loads((self.folder / "c/report.json").read_text()))

    def test_the_schema_sees_what_is_wrong(self):
        report = self.report(DIGITS)
        for change in (lambda r: r.pop("macs"), lambda r: r.update(workspace_bytes=-1),
                       lambda r: r.update(workspace_bytes=1.5), lambda r: r.update(extra=1),
                       lambda r: r["nodes"][0].update(shares="yes"), lambda r: r["pools"].clear(),
                       lambda r: r["buffers"][0].update(offset="0"), lambda r: r.update(sha256="00"),
                       lambda r: r["nodes"][0].update(inputs=[None])):
            bad = copy.deepcopy(report)
            change(bad)
            self.assertIsNotNone(wrong(bad, SCHEMA))

    def test_jsonschema_agrees(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("skipped: jsonschema is absent")
        jsonschema.validate(self.report(DIGITS), SCHEMA)

    def test_numbers_agree_with_each_other(self):
        for model in self.models():
            for io in ("caller", "pool"):
                with self.subTest(model.name, io=io):
                    r = self.report(model, "--io", io)
                    buffers = r["buffers"]
                    self.assertEqual(r["workspace_bytes"], max(b["offset"] + b["bytes"] for b in buffers))
                    self.assertEqual(r["workspace_bytes"], sum(p["bytes"] for p in r["pools"]))
                    self.assertGreaterEqual(r["workspace_bytes"], r["bound_bytes"])
                    self.assertEqual(r["macs"], sum(n["macs"] for n in r["nodes"]))
                    self.assertEqual(max(n["live_bytes"] for n in r["nodes"]),
                                     r["nodes"][r["peak_step"]]["live_bytes"])
                    self.check_overlaps(buffers)
                    self.check_longest(r)

    def check_longest(self, r):
        """Without devices: the operator with the most multiplications and bytes written, by no more than its numbers."""
        cycles = [4 * n["macs"] + sum(p["bytes"] for p in n["places"]) if n["operator"] is not None else 0
                  for n in r["nodes"]]
        at = cycles.index(max(cycles))
        self.assertEqual(r["longest_step"], {"name": r["nodes"][at]["name"], "step": at, "macs": r["nodes"][at]["macs"],
                                             "cycles": max(cycles), "us": r["nodes"][at]["estimated_us"]})

    def check_overlaps(self, buffers):
        """Two that live at one step and share bytes must say so."""
        for i, a in enumerate(buffers):
            for b in buffers[:i]:
                if (a["pool"] == b["pool"] and a["first_step"] <= b["last_step"]
                        and b["first_step"] <= a["last_step"] and a["offset"] < b["offset"] + b["bytes"]
                        and b["offset"] < a["offset"] + a["bytes"]):
                    self.assertTrue(a["shares"] != "own" or b["shares"] != "own", (a, b))

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_workspaces_are_as_small_as_they_should_be(self):
        for name, goal in GOALS.items():
            for io in ("caller", "pool"):
                with self.subTest(name, io=io):
                    r = self.report(TINY / f"{name}.tflite", "--io", io)
                    self.assertLessEqual(r["workspace_bytes"], goal)
                    if io == "pool":
                        self.assertEqual(r["floor_no_alias_bytes"], FLOORS[name])

    def test_page_is_whole_and_leads_to_each_operator(self):
        for model in self.models():
            with self.subTest(model.name):
                self.compile(model, "--report", self.folder / "r.html")
                text = (self.folder / "r.html").read_text()
                page = Page(text)
                self.assertEqual(page.faults, [])
                self.assertTrue(all(link[0] == "#" and link[1:] in page.ids for link in page.links))
                report = json.loads((self.folder / "c/report.json").read_text())
                self.assertEqual(len(page.ids), len(report["nodes"]))
                # The map has a link a buffer, the bars and the graph a link an operator.
                self.assertEqual(len(page.links), len(report["buffers"]) + 2 * len(report["nodes"]))
                self.assertNotRegex(text, r"(?:src|href)=\"?(?!\"?#)|url\(|@import|<script")

    def test_strings_of_the_model_stay_strings(self):
        data = DIGITS.read_bytes()
        names = sorted({n["name"] for n in self.report(DIGITS)["nodes"]}, key=len)[-4:]
        hostile = ["</title></style><script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>&lt;",
                   "a\nb\tc\x01\\u003c/svg>--><!--]]>", "\udc80\udcff\u2028<b>*/ ?><%= ${x} `y`"]
        for name, bad in zip(names, hostile):
            raw, replacement = name.encode(), bad.encode("utf-8", "surrogateescape")
            replacement = (replacement + b"_" * len(raw))[:len(raw)]
            self.assertGreater(len(raw), 6)
            self.assertIn(raw, data)
            data = data.replace(raw, replacement)
        model = self.folder / "a<b>&'x'.tflite"
        model.write_bytes(data)
        self.compile(model, "--name", "net", "--report", self.folder / "r.html")
        page = Page((self.folder / "r.html").read_text())
        self.assertEqual(page.faults, [])
        self.assertIn("a<b>&'x'.tflite", page.texts)
        self.assertTrue(any("<script" in text or "</titl" in text for text in page.texts))
        report = json.loads((self.folder / "c/report.json").read_text())
        self.assertIsNone(wrong(report, SCHEMA))
        self.assertEqual(report["model"], "a<b>&'x'.tflite")

    def test_two_models_are_one_report(self):
        other = self.folder / "other.tflite"
        shutil.copy(DIGITS, other)
        reports = self.report(DIGITS, other)
        self.assertEqual([wrong(r, SCHEMA) for r in reports], [None, None])
        self.compile(DIGITS, other, "--report", self.folder / "r.html")
        self.assertEqual(Page((self.folder / "r.html").read_text()).faults, [])

    def test_a_report_of_another_kind_is_a_usage_error(self):
        self.compile(DIGITS, "--report", self.folder / "r.txt", code=2)

    def test_the_same_report_each_time(self):
        texts = []
        for _ in range(2):
            self.compile(DIGITS, "--report", self.folder / "r.html")
            texts.append((self.folder / "r.html").read_bytes())
        self.assertEqual(*texts)

    def test_budgets_name_what_is_largest(self):
        nodes = self.report(DIGITS)["nodes"]
        largest = max(nodes, key=lambda n: n["flash"])["name"]
        self.assertIn(f"'{largest}'", self.compile(DIGITS, "--max-flash", "1k", code=5).stderr)
        self.assertIn("workspace", self.compile(DIGITS, "--max-ram", "100", code=5).stderr)
        self.compile(DIGITS, "--max-flash", "1m", "--max-ram", "1m")

    def test_pools_that_are_too_small_are_named(self):
        text = self.compile(DIGITS, "--pool", "name=fast,size=1k", "--pool", "name=slow,size=512", code=5).stderr
        self.assertRegex(text, r"0 is 'fast', 1 is 'slow'.* needs \d+ bytes but may have")
        self.compile(DIGITS, "--pool", "name=fast,size=x", code=2)
        self.compile(DIGITS, "--pool", "size=1k", code=2)
        self.compile(DIGITS, "--pool", "name=a", "--pool", "name=a", code=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
