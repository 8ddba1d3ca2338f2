#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of real models is what was measured, and a run of a few models or columns leaves the others as they were. On copies: a number that
was changed by hand, a model that is missing and one too many are seen.

    corpus_page_test.py"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import corpus_page  # noqa: E402


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tests/peer").mkdir(parents=True)
        (self.root / "docs/reference").mkdir(parents=True)
        self.files = {}
        for file in (corpus_page.LIST, corpus_page.RESULTS, corpus_page.HERE / "corpus_page.py"):
            self.files[file.name] = self.root / "tests/peer" / file.name
        self.files["page"] = self.root / "docs/reference" / corpus_page.PAGE.name
        self.files[corpus_page.LIST.name].write_text("# a comment\none==1 one/a.onnx x=1x2\ntwo==2 two/b.tflite tolerance=0.02\n")
        self.files["corpus_page.py"].write_text((corpus_page.HERE / "corpus_page.py").read_text())
        self.files["page"].write_text(f"# Head\n\n{corpus_page.BEGIN}\n{corpus_page.END}\n\ntail\n")
        self.put({"one==1 one/a.onnx": {"tolerance": 1e-3, "difference": 2.5e-4, "ratio": 0.5, "compile": "equal"},
                  "two==2 two/b.tflite": {"tolerance": 0.02, "fault": "a | b", "compile": "yes, 17 MB"}})

    def put(self, results):
        self.files[corpus_page.RESULTS.name].write_text(json.dumps(results))

    def run_page(self, *arguments):
        done = subprocess.run([sys.executable, self.files["corpus_page.py"], *arguments], capture_output=True, text=True)
        return done.returncode, done.stderr

    def test_the_page_of_this_tree_is_what_was_measured(self):
        done = subprocess.run([sys.executable, corpus_page.HERE / "corpus_page.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_table_has_a_line_for_each_model(self):
        self.assertEqual(self.run_page("--update")[0], 0)
        lines = self.files["page"].read_text().splitlines()
        self.assertEqual(lines[5:7], ["| one: a.onnx | 2.5e-04 | 0.50 | equal |", "| two: b.tflite | a \\| b |  | yes, 17 MB |"])
        self.assertEqual(lines[8], "1 of 2 models that the peers run agree; mean of the 1 times 0.50, worst 0.50; of 2 compiled 1 are equal, "
                                   "1 too large for a microcontroller, 0 refused or wrong.")
        self.assertEqual((lines[0], lines[-1]), ("# Head", "tail"))
        self.assertEqual(self.run_page()[0], 0)

    def test_what_was_changed_by_hand_is_seen(self):
        self.run_page("--update")
        page = self.files["page"]
        page.write_text(page.read_text().replace("| 0.50 |", "| 0.40 |"))
        code, said = self.run_page()
        self.assertEqual(code, 1)
        self.assertIn("stale", said)

    def test_results_of_other_models_are_seen(self):
        for results in ({"one==1 one/a.onnx": {}}, {"one==1 one/a.onnx": {}, "two==2 two/b.tflite": {}, "three==3 c": {}}):
            self.put(results)
            code, said = self.run_page()
            self.assertEqual(code, 1)
            self.assertRegex(said, "differ in (two|three)")

    def test_a_run_leaves_what_it_did_not_measure(self):
        results = {"k": {"tolerance": 1e-3, "fault": "was wrong", "ratio": 0.5, "compile": "refused"}}
        corpus_page.merge(results, "k", {"tolerance": 1e-3, "difference": 0.0}, False, False)
        self.assertEqual(results["k"], {"tolerance": 1e-3, "difference": 0.0, "ratio": 0.5, "compile": "refused"})
        corpus_page.merge(results, "k", {"tolerance": 1e-3, "difference": 0.0, "compile": "equal"}, False, True)
        self.assertEqual(results["k"]["compile"], "equal")
        corpus_page.merge(results, "k", {"tolerance": 1e-3, "fault": "time"}, True, False)
        self.assertEqual(results["k"], {"tolerance": 1e-3, "fault": "time", "compile": "equal"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
