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
MADE = BUILD / "tests/plugin/plugins"
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
        additions = MADE / "additions.so"
        self.assertTrue(additions.exists())
        for threads in ("1", "4"):
            self.run_bug(self.build(BUGS / "none.c"), "--check-all", "--threads", threads, "-p", additions)

    # --- recorded calls --------------------------------------------------------------------------

    def nodes(self, model):
        return [s["node"] for s in json.loads(self.oribi("inspect", model, "--steps", "--json"))["steps"]]

    def test_each_node_of_a_model_is_replayed_with_the_same_outputs(self):
        for name in ("digits.onnx", "digits_int8.tflite"):
            model = SOURCE / "examples/digits" / name
            for node in self.nodes(model):
                self.oribi("run", model, "-i", "picture=rand:1", "--record", "r.json", "--force", "--node", node)
                self.oribi("plugin", "replay", "r.json")
                self.assertIn("replayed: completed, with the same outputs", self.out)

    def test_the_first_call_that_fails_is_recorded_and_fails_again(self):
        for bug, words in FOUND.items():
            with self.subTest(bug):
                plugin = self.build(BUGS / f"{bug}.c")
                self.run_bug(plugin, "--check", "--record", "r.json", "--force", code=self.failed)
                call = json.loads((self.folder / "r.json").read_text())
                self.assertEqual(("Bug", f"check: {words}"), (call["cases"][0]["op"], call["cases"][0]["error"][:len(words) + 7]))
                self.assertEqual(("the bug", str(plugin)), (call["recorded"]["node"], call["recorded"]["plugin"]))
                self.assertIn(b"the bug", bytes.fromhex(call["recorded"]["node_def"]))
                self.oribi("plugin", "replay", "r.json", "--plugin", plugin, code=6)
                self.assertIn("replayed: the same", self.out)
                self.assertEqual(True, json.loads(self.oribi("plugin", "replay", "r.json", "-p", plugin, "--json", code=6))
                                 ["call"]["same"])

    def test_a_mended_plugin_and_other_results_are_told(self):
        self.run_bug(self.build(BUGS / "out_of_bounds.c"), "--check", "--record", "r.json", code=self.failed)
        good = self.build(BUGS / "none.c")
        self.oribi("plugin", "replay", "r.json", "-p", good)
        self.assertRegex(self.out, "recorded: check: out-of-bounds: .*\nreplayed: completed\n")
        self.run_bug(good, "--record", "r.json", "--force", "--node", "the bug")
        self.oribi("plugin", "replay", "r.json", "-p", good)
        other = (BUGS / "none.c").read_text().replace("p.x[i] + 1", "p.x[i] + (i == 2 ? 2 : 1)")
        (self.folder / "other.c").write_text(other)
        self.oribi("plugin", "replay", "r.json", "-p", self.build(self.folder / "other.c", "-I", BUGS), code=6)
        self.assertIn("replayed: completed, but output 0 differs from element 2 (byte 10) on", self.out)

    def test_a_kernels_own_error_and_a_crash_are_recorded(self):
        fails = (BUGS / "none.c").read_text().replace("p.y[i] = p.x[i] + 1;", 'TF_SetStatus(p.status, TF_ABORTED, "no \\"x\\" today");')
        (self.folder / "fails.c").write_text(fails)
        plugin = self.build(self.folder / "fails.c", "-I", BUGS)
        self.run_bug(plugin, "--record", "r.json", code=self.failed)
        self.oribi("plugin", "replay", "r.json", "-p", plugin, code=6)
        self.assertIn('recorded: no "x" today\nreplayed: the same', self.out)
        (self.folder / "crash.c").write_text((BUGS / "none.c").read_text().replace("p.y[i] = p.x[i] + 1;", "abort();"))
        plugin = self.build(self.folder / "crash.c", "-I", BUGS)
        self.run_bug(plugin, "--record", "r.json", "--force", "--node", "the bug", code=-6)
        self.oribi("plugin", "replay", "r.json", "-p", plugin, code=6)
        self.assertRegex(self.out, r"^node 'the bug', op Bug, kernel 'Bug' of /.*\nrecorded: began, and did not end\nreplayed: .*crashed in the probe \(computing the recorded call\)")

    def test_no_file_says_which_plugin_is_loaded(self):
        plugin = self.build(BUGS / "none.c")
        self.run_bug(plugin, "--record", "r.json", "--node", "the bug")
        self.oribi("plugin", "replay", "r.json", code=6)
        self.assertIn("which is not loaded because a file says so; name it", self.err)
        self.oribi("plugin", "replay", "r.json", "-p", MADE / "own.so", code=4)
        self.assertIn("there is no op 'Bug'", self.err)
        self.run_bug(plugin, "--record", "new.json", "--node", "nobody", code=3)
        self.assertIn("no step runs a node 'nobody'", self.err)

    def test_hostile_recordings_are_refused(self):
        """Changed at every place, cut off, and made to ask for the moon: an error, never a crash."""
        model = SOURCE / "examples/digits/digits.onnx"
        node = next(n for n in self.nodes(model) if n.startswith("softmax"))
        self.oribi("run", model, "-i", "picture=rand:1", "--record", "r.json", "--node", node)
        text = (self.folder / "r.json").read_text()
        call = json.loads(text)

        def changed(change):
            copy = json.loads(text)
            change(copy, copy["cases"][0])
            return json.dumps(copy)

        big = 1 << 40
        hostile = ["", "{}", "[" * 100, text[:len(text) // 2], text.replace("Softmax", "NoSuchOp"), '{"cases":[], "recorded":{}}',
                   changed(lambda f, c: c["inputs"][0].update(shape=[big, big])),
                   changed(lambda f, c: c["inputs"][0].update(shape=[-1, 10])),
                   changed(lambda f, c: c["inputs"][0].update(shape=[1] * 300)),
                   changed(lambda f, c: c["inputs"][0].update(shape=[1, 11])),
                   changed(lambda f, c: c["inputs"][0].update(bytes="xy" * 40)),
                   changed(lambda f, c: c["inputs"][0].update(bytes="00")),
                   changed(lambda f, c: c["inputs"][0].update(bytes=["00"] * 40)),
                   changed(lambda f, c: c["inputs"][0].update(type="string")),
                   changed(lambda f, c: c["inputs"][0].pop("type")), changed(lambda f, c: c["inputs"].append({})),
                   changed(lambda f, c: c["inputs"].clear()), changed(lambda f, c: c.pop("outputs")),
                   changed(lambda f, c: c["outputs"].append({})), changed(lambda f, c: c["attrs"].update(T=big)),
                   changed(lambda f, c: c["attrs"].update(T="int32")), changed(lambda f, c: c["attrs"].clear()),
                   changed(lambda f, c: c.update(op="Pack", attrs={"N": big, "T": "float"})),
                   changed(lambda f, c: c.update(op="Pack", attrs={"N": -1, "T": "float"})),
                   changed(lambda f, c: c.update(op=["Softmax"])), changed(lambda f, c: f.update(cases=[c, c])),
                   changed(lambda f, c: f["recorded"].update(label="nobody")), changed(lambda f, c: f.pop("recorded"))]
        for data in hostile:
            with self.subTest(data[:300]):
                (self.folder / "h.json").write_text(data)
                self.refused()
        data = bytearray(text.encode())
        for at in range(0, len(data), 3):  # most make it no JSON; some another call
            data[at] ^= 5
            (self.folder / "h.json").write_bytes(data)
            self.refused((0, 4, 6))
            data[at] ^= 5
        call["cases"][0]["inputs"][0]["scales"] = ["nan"]
        call["cases"][0]["inputs"][0]["zero_points"] = [big]
        (self.folder / "h.json").write_text(json.dumps(call))
        self.oribi("plugin", "replay", "h.json")

    def refused(self, codes=(4, 6)):
        done = subprocess.run([ORIBI, "plugin", "replay", "h.json"], cwd=self.folder, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertIn(done.returncode, codes, done.stderr)
        self.assertNotIn("crashed", done.stderr + done.stdout)
        self.assertNotIn("hung", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
