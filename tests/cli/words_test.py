#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What does the command say? Mistakes and questions, each with words that the answer must have and
words that no answer may have; and ops of a plugin in ONNX models of any domain.

usage: words_test.py ORIBI SOURCE"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import onnx_lite as onnx

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
C_FUNCTION = re.compile(r"\b(oribi|TF|TVM|tvm)_[a-z]\w*|\bTF_[A-Z]\w+")


class Words(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        relu = onnx.model([onnx.node("Relu", ["picture"], ["y"], name="the model's relu")],
                          [onnx.info("picture", [2, 3, 4])], [onnx.info("y", [2, 3, 4])])
        (self.folder / "relu.onnx").write_bytes(relu)

    def oribi(self, *words, code=0):
        done = subprocess.run([ORIBI, *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        self.assertIsNone(C_FUNCTION.search(done.stderr), done.stderr)
        return done

    def test_mistakes(self):
        model, one = "relu.onnx", ["-i", "picture=rand:1"]
        (self.folder / "d.npz").mkdir()
        for words, code, expected in (
                (["run", model], 4, "input 'picture' has no value; give it one: -i picture=@FILE"),
                (["run", model, "-i", "picture"], 2, "an input is NAME=VALUE"),
                (["run", model, "-i", "pictur=ramp"], 2, "did you mean 'picture'?"),
                (["run", "nofile.onnx", *one], 4, "oribi: nofile.onnx: No such file"),
                (["inspect", "nofile.onnx"], 4, "nofile.onnx: No such file"),
                (["inspect", ""], 4, "oribi: '': No such file"),
                (["inspect", "/dev/zero"], 4, "/dev/zero: not a regular file"),
                (["plugin", "info", "/dev/zero"], 6, "'/dev/zero': not a regular file"),
                (["run", model, "-i", "picture=@"], 4, "no file is named"),
                (["run", model, *one, "-k1", "--labels", ""], 4, "no file is named"),
                (["run", model, *one, "-k1", "--labels", "/dev/zero"], 4, "/dev/zero: more than 16777216 bytes"),
                (["compile", "nofile.onnx", "-o", "d"], 4, "nofile.onnx: No such file"),
                (["run", model, *one, "-o", "no/folder/x.npz"], 4, "no/folder/x.npz: No such file"),
                (["run", model, *one, "-o", "d.npz"], 4, "d.npz: Is a directory"),
                (["run", model, *one, "--trace", "no/t.json"], 4, "no/t.json: No such file"),
                (["compile", model, "-o", "relu.onnx/d"], 4, "relu.onnx/d: Not a directory"),
                (["compile", model, "-o", "d", "--report", "no/r.html"], 4, "no/r.html: No such"),
                (["run", model, *one, "--max-bytes", "1"], 5, "bytes, but the limit is 1"),
                (["inspect", model, "--explain", "nothing"], 4, "no step runs a node 'nothing'"),
                (["inspect", model, "--explain", "the model's relo"], 4, "did you mean"),
                (["ops", "Conv"], 4, "the ONNX operator of that name becomes: Conv2D"),
                (["ops", "Conv2E"], 4, "did you mean 'Conv2D'?"),
                (["plugin", "frobnicate"], 2, "not 'frobnicate'"),
                (["plugin", "tset", "f"], 2, "did you mean `test`?"),
                (["plugin", "new"], 2, "NAME is missing"),
                (["plugin", "check"], 2, "FILE is missing"),
                (["plugin", "list", "x"], 2, "what is 'x'?"),
                (["run", model, "-q"], 2, "unknown option '-q'"),
                (["run", model, "-f1"], 2, "unknown option '-f1'")):
            with self.subTest(words=words):
                error = self.oribi(*words, code=code).stderr
                self.assertIn(expected, error)
                self.assertNotRegex(error, r"'([^']+)', did you mean '\1'")
                self.assertNotIn(" 0 more bytes", error)

    def test_values_of_letters_may_be_attached(self):
        apart = self.oribi("run", "relu.onnx", "-i", "picture=rand:3", "-k", "2").stdout
        self.assertEqual(self.oribi("run", "relu.onnx", "-ipicture=rand:3", "-k2").stdout, apart)

    def test_version(self):
        first = self.oribi("--version").stdout
        self.assertEqual(self.oribi("-V").stdout, first)
        self.assertEqual(self.oribi("version").stdout, first)

    def test_largest_elements_have_their_place_and_whole_numbers_no_fraction(self):
        values = ",".join(str(v) for v in list(range(23)) + [99])
        out = self.oribi("run", "relu.onnx", "-i", f"picture=2x3x4xf32={values}", "-k", "2").stdout
        self.assertRegex(out, r"\[1, 2, 3\] +99\.000000")
        whole = onnx.model([onnx.node("Identity", ["x"], ["y"])], [onnx.info("x", [1, 3], 3)],
                           [onnx.info("y", [1, 3], 3)])
        (self.folder / "whole.onnx").write_bytes(whole)
        out = self.oribi("run", "whole.onnx", "-i", "x=1x3xi8=1,127,-3", "-k1").stdout
        self.assertRegex(out, r"\n +1 +127 *\n$")

    def test_a_node_is_explained_by_its_name_in_the_model(self):
        for name in [json.loads(self.oribi("inspect", "relu.onnx", "--json").stdout)["steps"][0]["node"],
                     "the model's relu"]:
            out = self.oribi("inspect", "relu.onnx", "--explain", name).stdout
            self.assertIn("chosen: kernel 'Relu", out)
            lines = [line for line in out.splitlines() if "fits" in line]
            self.assertEqual(len(lines), len({line.split(" of ")[0] for line in lines}), out)

    def test_kernels_use_no_better_instruction_set_than_was_said(self):
        rows = re.findall(r"^HOST_ISA\((\w+), (\w+), (-\d+)", (SOURCE / "micro/isa_list.inc").read_text(), re.M)
        here = re.search(r"processor has (.*)", self.oribi("inspect", "relu.onnx", "--isa", "mmx", code=2).stderr)[1]
        self.assertEqual(here.split(", ")[0], "any")
        digits, picture = SOURCE / "examples/digits/digits.onnx", "picture=rand:1"
        plain = self.oribi("run", digits, "-i", picture, "--isa", "any", "--json").stdout
        for name, _, priority in [("any", "any", max(p for _, where, p in rows if where == "any")), *rows]:
            if name not in here.split(", "):
                refusal = self.oribi("bench", digits, "--isa", name, code=3).stderr
                self.assertIn(f"this processor has no instruction set '{name}'; choose {here}", refusal)
                continue
            kernels = {step["kernel"] for step in
                       json.loads(self.oribi("inspect", digits, "--isa", name, "--json").stdout)["steps"]}
            better = [row for row in rows if int(row[2]) > int(priority)]
            self.assertFalse([k for k in kernels for row in better if k.endswith("." + row[0])], (name, kernels))
            if name in ("any", "avx2", "neon"):
                self.assertTrue([k for k in kernels if k.endswith("." + name.replace("any", "portable"))], kernels)
            self.assertEqual(self.oribi("bench", digits, "--isa", name, "-n", "1", "--json").stderr, "")
            values = [np.array(json.loads(text)["values"]) for text in (
                plain, self.oribi("run", digits, "-i", picture, "--isa", name, "--json").stdout)]
            np.testing.assert_allclose(*values, rtol=1e-4, atol=1e-4)

    def test_more_cores_take_less_time_and_no_less_than_their_share(self):
        digits = SOURCE / "examples/digits/digits.onnx"
        told = json.loads(self.oribi("inspect", digits, "--parallel", "--json").stdout)
        steps = json.loads(self.oribi("inspect", digits, "--json").stdout)["steps"]
        self.assertEqual(told["cores"], [1, 2, 8, 32])
        self.assertEqual(sorted(s["node"] for s in told["steps"]), sorted(s["node"] for s in steps))
        for step in told["steps"]:
            for cores, work, serial, span in zip(told["cores"], step["work_ms"], step["serial_ms"], step["span_ms"]):
                self.assertGreaterEqual(span * 1.001, serial + (work - serial) / cores, step)
                self.assertLessEqual(span, work * 1.001, step)
        for span, roof in zip(told["span_ms"], told["span_with_memory_ms"]):
            self.assertLessEqual(span, roof * 1.001)
        text = self.oribi("inspect", digits, "--parallel").stdout
        self.assertRegex(text, r"\d+ steps with loops have a serial part above 2 %")

    def test_every_node_that_went_into_a_step_is_explained(self):
        digits = SOURCE / "examples/digits/digits.onnx"
        for name in ("conv1", "conv1_relu", "conv2", "conv2_relu", "conv3", "add3", "relu3", "depthwise4",
                     "depthwise4_relu", "pointwise4", "pointwise4_relu", "conv5", "conv5_relu", "dense"):
            self.assertIn("chosen: kernel '_Fused", self.oribi("inspect", digits, "--explain", name).stdout)
        gelu = [onnx.node("Div", ["x", "root"], ["a"], name="divided"), onnx.node("Erf", ["a"], ["b"], name="error"),
                onnx.node("Add", ["b", "one"], ["c"], name="moved"), onnx.node("Mul", ["x", "c"], ["d"], name="product"),
                onnx.node("Mul", ["d", "half"], ["y"], name="halved")]
        weights = [onnx.tensor(name, np.float32(value)) for name, value in (("root", 2 ** 0.5), ("one", 1), ("half", 0.5))]
        (self.folder / "gelu.onnx").write_bytes(
            onnx.model(gelu, [onnx.info("x", [2, 8])], [onnx.info("y", [2, 8])], weights))
        steps = json.loads(self.oribi("inspect", "gelu.onnx", "--json").stdout)["steps"]
        self.assertEqual([step["op"] for step in steps], ["ONNX>Gelu"])
        for name in ("divided", "error", "moved", "product", "halved"):
            self.assertIn("op ONNX>Gelu", self.oribi("inspect", "gelu.onnx", "--explain", name).stdout)

    def test_labels_keep_their_lines(self):
        (self.folder / "labels.txt").write_bytes(b"zero\r\n\r\ntwo\nthree")
        values = ",".join(str(v) for v in (4, 3, 2, 1, *[0] * 20))
        out = self.oribi("run", "relu.onnx", "-i", f"picture=2x3x4xf32={values}", "-k4", "--labels", "labels.txt").stdout
        self.assertRegex(out, r"4\.0+ +zero\n.* 3\.0+ *\n.* 2\.0+ +two\n.* 1\.0+ +three")

    def test_what_is_printed_arrives(self):
        for words in (["--version"], ["help"], ["run", "--help"], ["ops"], ["inspect", "relu.onnx"]):
            with self.subTest(words=words), open("/dev/full", "wb") as full:
                done = subprocess.run([ORIBI, *words], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, 5)
                self.assertRegex(done.stderr, b"standard output(: No space left on device)?\n")

    def test_ops_that_the_map_names_are_there_or_of_a_plugin(self):
        known = {o["name"] for o in json.loads(self.oribi("ops", "--json").stdout)["ops"]}
        n = 0
        for row in json.loads(self.oribi("ops", "--map", "--json").stdout)["map"]:
            for name, mark in re.findall(r"([A-Z][\w>]*)( \(of a plugin\))?", row["to"]):
                if "<" not in row["onnx"] and name != "ONNX":
                    n += 1
                    self.assertEqual(name in known, mark == "", row)
        self.assertGreater(n, 200)

    def test_an_opset_that_is_too_new_is_named(self):
        for op, opset in (("Relu", 99), ("Range", 99), ("NewThing", 31)):
            (self.folder / "new.onnx").write_bytes(onnx.model(
                [onnx.node(op, ["x"], ["y"])], [onnx.info("x", [2])], [onnx.info("y", [2])], opset=opset))
            self.assertRegex(self.oribi("inspect", "new.onnx", code=3).stderr,
                             rf"asks for opset {opset}, but operators are read up to opset \d+")

    def build_plugin(self, name, *options, edit=None):
        self.oribi("plugin", "new", name, *options)
        suffix, compiler = (("cc", "c++") if "--cxx" in options else ("c", "cc"))
        source = self.folder / name / f"{name}.{suffix}"
        if edit is not None:
            source.write_text(edit(source.read_text()))
        plugin = self.folder / name / f"{name}.so"
        for command in ([compiler, "-shared", "-fPIC", "-I", SOURCE / "include", source, "-o", plugin],
                        [compiler, "-Wall", "-Wextra", "-Werror", self.folder / name / f"model.{suffix}",
                         "-o", self.folder / name / "model"],
                        [self.folder / name / "model", self.folder / f"{name}.onnx"]):
            subprocess.run(command, check=True, timeout=120)
        return plugin

    def scale(self, plugin, model):
        done = self.oribi("run", model, "--plugin", plugin, "-i", "x=4xf32=1,2,3,-4", "--json")
        return json.loads(done.stdout)["values"]

    def test_the_template_makes_a_model_with_its_op(self):
        for name, options in (("my_op", []), ("cx", ["--cxx"]), ("a" * 60, []), ("mi", ["--micro"]), ("b" * 60, ["--micro"])):
            plugin = self.build_plugin(name, *options)
            self.assertEqual(self.scale(plugin, f"{name}.onnx"), [3, 6, 9, -12])

    def test_an_op_of_a_plugin_answers_in_any_domain_but_that_of_onnx(self):
        plugin = self.build_plugin("my_op")
        for domain in ("my_op", "com.acme", "ai.onnx.ml", "com.microsoft", "org.tensorflow", "x y/z", "A"):
            self.write_scale("m.onnx", domain)
            self.assertEqual(self.scale(plugin, "m.onnx"), [3, 6, 9, -12], domain)
        for domain in ("", "ai.onnx"):
            self.write_scale("m.onnx", domain)
            self.oribi("inspect", "m.onnx", "--plugin", plugin, code=3)
        (self.folder / "built_in.onnx").write_bytes(onnx.model(
            [onnx.node("Relu6", ["x"], ["y"], domain="com.acme")], [onnx.info("x", [4])],
            [onnx.info("y", [4])], domains=["com.acme"]))
        self.oribi("inspect", "built_in.onnx", "--plugin", plugin, code=3)

    def test_the_op_of_the_domain_goes_first(self):
        def edit(text):
            at = text.index("{", text.index("void TF_InitKernel(void)")) + 1
            end = text.rindex("}")
            return text[:end] + text[at:end].replace("MyOp", "Com>Acme>MyOp") + text[end:]
        plugin = self.build_plugin("my_op", edit=edit)
        for domain, op in (("com.acme", "Com>Acme>MyOp"), ("com.other", "MyOp")):
            self.write_scale("m.onnx", domain)
            steps = json.loads(self.oribi("inspect", "m.onnx", "--plugin", plugin, "--json").stdout)["steps"]
            self.assertEqual([s["op"] for s in steps], [op])

    def write_scale(self, name, domain):
        (self.folder / name).write_bytes(onnx.model(
            [onnx.node("MyOp", ["x"], ["y"], domain=domain, factor=3.0)], [onnx.info("x", [4])],
            [onnx.info("y", [4])], domains=[domain] if domain else []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
