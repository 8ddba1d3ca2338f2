#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command as a user meets it: exit codes, messages, files, pictures, plugins.

    command_test.py ORIBI SOURCE_FOLDER BUILD_FOLDER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx_lite as o

ORIBI, SOURCE, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
DIGITS = SOURCE / "examples/digits"
SHARED = SOURCE.parent / "shared/models/onnx"


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def oribi(self, *args, code=0, env=None):
        done = subprocess.run([ORIBI, *map(str, args)], capture_output=True, cwd=self.folder,
                              env={**os.environ, **(env or {})}, timeout=120)
        self.out, self.err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{args}\n{self.out}\n{self.err}")
        return self.out

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def plugin(self, name, text):
        source = self.write(name + ".c", text.encode())
        subprocess.run(["cc", "-shared", "-fPIC", "-I", SOURCE / "include", source, "-o",
                        self.folder / (name + ".so")], check=True)
        return self.folder / (name + ".so")

    def relu_model(self):
        return self.write("relu.onnx", o.model([o.node("Relu", ["x"], ["y"])], [o.info("x", [2, 3])],
                                               [o.info("y", [2, 3])]))

    # --- usage -----------------------------------------------------------------------------------

    def test_no_command_prints_help_and_exits_2(self):
        self.assertIn("usage: oribi COMMAND", self.oribi(code=2))

    def test_help_names_every_option_of_each_command(self):
        for command in ("run", "inspect", "bench", "pack", "ops", "plugin", "help"):
            text = self.oribi(command, "--help")
            self.assertIn(f"usage: oribi {command}", text)
            self.assertEqual(text, self.oribi("help", command))
        self.assertIn(".SH COMMANDS", self.oribi("help", "--generate", "man"))
        self.assertIn("complete -o filenames", self.oribi("help", "--generate", "bash"))

    def test_a_slip_gets_a_suggestion(self):
        self.oribi("rum", "x.onnx", code=2)
        self.assertIn("did you mean 'run'?", self.err)
        self.oribi("run", "x.onnx", "--thread", "2", code=2)
        self.assertIn("did you mean '--threads'?", self.err)
        self.oribi("run", self.relu_model(), "-i", "X=ramp", code=2)
        self.assertIn("did you mean 'x'?", self.err)

    def test_numbers_out_of_range_are_usage_errors(self):
        self.oribi("run", self.relu_model(), "--top-k", "many", code=2)
        self.assertIn("not 'many'", self.err)

    # --- packed files ----------------------------------------------------------------------------

    def test_a_packed_file_runs_as_its_model_does(self):
        picture = f"picture=@{DIGITS / 'digit-3-0059.png'}"
        packed = self.folder / "digits.oribi"
        self.oribi("pack", DIGITS / "digits.onnx", "-o", packed)
        self.assertIn("for this version", self.err)
        self.assertEqual(self.oribi("run", packed, "-i", picture, "--json"),
                         self.oribi("run", DIGITS / "digits.onnx", "-i", picture, "--json"))
        self.assertEqual(self.oribi("run", packed, "-i", picture, "--json", "--read"),
                         self.oribi("run", DIGITS / "digits.onnx", "-i", picture, "--json"))
        self.assertIn("_FusedConv2D", self.oribi("inspect", packed, "--steps"))
        self.assertIn("median", self.oribi("bench", packed, "-n", 1))

    def test_a_layer_of_few_weights_runs_from_a_packed_file(self):
        weights = np.float32([[1, 2, 3, 4], [5, 6, 7, 8]])
        model = self.write("small.onnx", o.model([o.node("MatMul", ["x", "w"], ["y"])], [o.info("x", [3, 2])],
                                                 [o.info("y", [3, 4])], [o.tensor("w", weights)]))
        packed = self.folder / "small.oribi"
        self.oribi("pack", model, "-o", packed)
        self.oribi("run", packed, "-i", "x=3x2xf32=1,0,0,1,2,-1", "-o", self.folder / "y.npy")
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), np.float32([[1, 0], [0, 1], [2, -1]]) @ weights)

    def test_packing_overwrites_nothing_unasked(self):
        self.oribi("pack", DIGITS / "digits.onnx", code=2)
        self.assertIn("-o FILE", self.err)
        there = self.write("there.oribi", b"kept")
        self.oribi("pack", DIGITS / "digits.onnx", "-o", there, code=4)
        self.assertEqual(there.read_bytes(), b"kept")
        self.oribi("pack", DIGITS / "digits.onnx", "-o", there, "--force")
        self.oribi("pack", there, "-o", self.folder / "again.oribi", code=4)
        self.assertIn("packed file already", self.err)

    def test_a_packed_file_is_not_compiled(self):
        packed = self.folder / "digits.oribi"
        self.oribi("pack", DIGITS / "digits.onnx", "-o", packed)
        self.oribi("compile", packed, "-o", self.folder / "out", code=3)
        self.assertIn("the model that it was", self.err)

    # --- inputs and outputs ----------------------------------------------------------------------

    def test_values_from_the_line_npy_npz_and_bin_give_the_same(self):
        model, x = self.relu_model(), np.array([[-1, 2, -3], [4, -5, 6]], np.float32)
        np.save(self.folder / "x.npy", x)
        np.savez(self.folder / "x.npz", a=x * 0, x=x)
        np.savez_compressed(self.folder / "z.npz", a=x * 0, x=x)
        x.tofile(self.folder / "x.bin")
        for text in ("x=2x3xf32=-1,2,-3,4,-5,6", "0=@x.npy", "x=@x.npz:x", "x=@z.npz:x", "x=@x.bin"):
            line = json.loads(self.oribi("run", model, "-i", text, "--json"))
            self.assertEqual(line["values"], np.maximum(x, 0).ravel().tolist())
            self.assertEqual(line["shape"], [2, 3])

    def test_an_unknown_batch_is_what_a_raw_file_holds_and_else_one(self):
        model = self.write("b.onnx", o.model([o.node("Relu", ["x"], ["y"])], [o.info("x", ["n", 3])],
                                             [o.info("y", ["n", 3])]))
        np.arange(6, dtype=np.float32).tofile(self.folder / "x.bin")
        self.assertEqual(json.loads(self.oribi("run", model, "-i", "x=@x.bin", "--json"))["shape"], [2, 3])
        self.assertEqual(json.loads(self.oribi("run", model, "-i", "x=ramp", "--json"))["shape"], [1, 3])
        np.arange(5, dtype=np.float32).tofile(self.folder / "odd.bin")
        self.oribi("run", model, "-i", "x=@odd.bin", code=4)

    def test_outputs_are_stored_and_never_overwritten_silently(self):
        model = self.relu_model()
        self.oribi("run", model, "-i", "x=ramp", "-o", "y.npz")
        want = np.arange(6, dtype=np.float32).reshape(2, 3) / 6
        np.testing.assert_array_equal(np.load(self.folder / "y.npz")["y"], want)
        self.oribi("run", model, "-i", "x=ramp", "-o", "y.npz", code=4)
        self.assertIn("--force", self.err)
        self.oribi("run", model, "-i", "x=ramp", "-o", "y.npz", "--force")
        self.oribi("run", model, "-i", "x=ramp", "-o", "y.npy")
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), want)

    def test_wrong_inputs_are_refused_with_what_was_expected(self):
        model = self.relu_model()
        self.oribi("run", model, code=4)
        self.assertIn("x", self.err)
        self.oribi("run", model, "-i", "x=3x3xf32=0", code=4)
        self.assertIn("x", self.err)
        self.oribi("run", model, "-i", "x=2x3xi32=0", code=4)
        self.write("short.bin", b"1234")
        self.oribi("run", model, "-i", "x=@short.bin", code=4)
        self.assertIn("24 bytes", self.err)
        self.write("bad.npy", b"\x93NUMPY\x01\x00\xff\xff{")
        self.oribi("run", model, "-i", "x=@bad.npy", code=4)
        self.write("bad.npz", b"PK\x05\x06" + b"\xff" * 40)
        self.oribi("run", model, "-i", "x=@bad.npz", code=4)

    def test_damaged_picture_and_archives_never_crash(self):
        picture = next(DIGITS.glob("*.png")).read_bytes()
        np.savez_compressed(self.folder / "g.npz", x=np.zeros((2, 3), np.float32))
        archive, model = (self.folder / "g.npz").read_bytes(), self.relu_model()
        for cut in range(0, len(archive), 7):
            self.write("cut.npz", archive[:cut])
            self.oribi("run", model, "-i", "x=@cut.npz:x", code=4)
        for cut in range(0, len(picture) - 12, 9):
            self.write("cut.png", picture[:cut])
            done = subprocess.run([ORIBI, "run", DIGITS / "digits.onnx", "-i", "0=@" +
                                   str(self.folder / "cut.png")], capture_output=True)
            self.assertIn(done.returncode, (0, 4))

    # --- the trained model -----------------------------------------------------------------------

    def test_digits_reach_98_percent_of_the_held_out_pictures(self):
        held_out = np.load(DIGITS / "held_out.npz")
        pictures, labels = held_out["pictures"], held_out["labels"]
        args = []
        for i, picture in enumerate(pictures):
            np.save(self.folder / f"{i}.npy", (picture / np.float32(255)).astype(np.float32)[None, None])
            args += ["-i", f"picture=@{i}.npy"]
        lines = self.oribi("run", DIGITS / "digits.onnx", *args, "--json", "--top-k", 1).splitlines()
        self.assertEqual(len(lines), len(labels))
        right = sum(json.loads(line)["top"][0]["index"] == label for line, label in zip(lines, labels))
        self.assertGreaterEqual(right / len(labels), 0.98)

    def test_pictures_are_drawn_named_and_ranked(self):
        text = self.oribi("run", DIGITS / "digits.onnx", "-i",
                          f"picture=@{next(DIGITS.glob('digit-7-*.png'))}", "--show", "--top-k", 3,
                          "--labels", DIGITS / "labels.txt")
        self.assertIn("seven", text.splitlines()[9])
        self.assertIn("\u2588", text)

    def test_trace_is_json_with_a_lane_and_every_step(self):
        self.oribi("run", DIGITS / "digits.onnx", "-i", "picture=rand:3", "--trace", "t.json")
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        self.assertIn("host", [e["args"]["name"] for e in events if e["ph"] == "M"])
        spans = [e for e in events if e["ph"] == "X"]
        self.assertGreaterEqual(len([e for e in spans if e["cat"] == "step"]), 5)
        self.assertTrue(all(e["dur"] >= 0 for e in spans))

    def test_inspect_says_how_integers_stand_for_numbers(self):
        model = SHARED.parent / "mlperf-tiny/kws_ref_model.tflite"
        if not model.exists():
            self.skipTest("no ../shared")
        text = self.oribi("inspect", model)
        self.assertRegex(text, r"input .*  scale 0\.584702909, zero point 83\n")
        self.assertRegex(text, r"output .*  scale 0\.00390625, zero point -128\n")
        told = json.loads(self.oribi("inspect", model, "--json"))
        self.assertEqual((0.5847029089927673, 83), (told["inputs"][0]["scale"], told["inputs"][0]["zero_point"]))
        self.assertEqual((0.00390625, -128), (told["outputs"][0]["scale"], told["outputs"][0]["zero_point"]))
        self.assertNotIn("scale", json.loads(self.oribi("inspect", DIGITS / "digits.onnx", "--json"))["inputs"][0])

    def test_inspect_and_bench_speak_json_and_tables(self):
        for flag in ("--steps", "--passes", "--memory"):
            json.loads(self.oribi("inspect", DIGITS / "digits.onnx", flag, "--json"))
            self.assertIn("picture", self.oribi("inspect", DIGITS / "digits.onnx", flag))
        self.assertIn("Conv2D", self.oribi("inspect", DIGITS / "digits.onnx", "--steps"))
        bench = json.loads(self.oribi("bench", DIGITS / "digits.onnx", "-n", 5, "--json"))
        self.assertEqual(bench["runs"], 5)

    def test_a_profile_has_each_step_with_its_work(self):
        steps = json.loads(self.oribi("inspect", DIGITS / "digits.onnx", "--steps", "--json"))["steps"]
        profile = json.loads(self.oribi("bench", DIGITS / "digits.onnx", "-n", 3, "--profile", "--json"))["profile"]
        self.assertEqual(sorted(s["node"] for s in steps), sorted(s["node"] for s in profile["steps"]))
        self.assertEqual(sorted(s["op"] for s in steps), sorted(s["op"] for s in profile["steps"]))
        # outputs times products each: three layers of 8x8x16, depthwise and pointwise at 4x4, 2x2x32, dense
        work = 2 * (1024 * 9 + 2 * 1024 * 144 + 256 * 9 + 512 * 16 + 128 * 288 + 10 * 128)
        self.assertEqual(work, sum(op["operations"] for op in profile["ops"]))
        self.assertEqual(len(steps), sum(op["count"] for op in profile["ops"]))
        for row in profile["steps"]:
            self.assertGreater(row["least_ms"], 0)
            self.assertGreaterEqual(row["moved_bytes"], 0)
        self.assertRegex(self.oribi("bench", DIGITS / "digits.onnx", "-n", 3, "--profile"), r"of roof  op: node\n")
        least = self.oribi("bench", DIGITS / "digits.onnx", "-n", 3, "--profile", "--isa", "any")
        self.assertRegex(least, r"roof: [\d.]+ GFLOP/s by plain, ")

    def test_ops_lists_the_map_and_one_op_in_full(self):
        self.assertIn("Conv2D", self.oribi("ops", "--map"))
        self.assertIn("BiasAdd", self.oribi("ops"))
        ops = {op["name"]: op for op in json.loads(self.oribi("ops", "--json"))["ops"]}
        self.assertEqual(["identity"], ops["Identity"]["traits"])
        self.assertEqual([], ops["Placeholder"]["traits"])
        self.assertIn("  trait vectors(data_format, bias)\n", self.oribi("ops", "BiasAdd"))
        self.assertEqual(["FusedBatchNormV3 Relu"], ops["_FusedBatchNormEx"]["fuses"])
        self.assertIn("  fuses MatMul BiasAdd=0 Add? Relu|", self.oribi("ops", "_FusedMatMul"))
        json.loads(self.oribi("ops", "--kernels", "--json"))

    # --- errors ----------------------------------------------------------------------------------

    def test_missing_and_truncated_models_exit_4_with_the_offset(self):
        self.oribi("run", "no.onnx", code=4)
        self.assertIn("no.onnx", self.err)
        data = (DIGITS / "digits.onnx").read_bytes()
        self.write("cut.onnx", data[:len(data) // 2])
        self.oribi("run", "cut.onnx", "-i", "0=ramp", code=4)
        self.assertRegex(self.err, r"byte \d+|offset \d+")

    def test_two_unknown_ops_are_both_listed_with_their_nodes(self):
        nodes = [o.node("Alpha", ["x"], ["a"], domain="com.acme", name="first"),
                 o.node("Beta", ["a"], ["y"], domain="com.acme", name="second")]
        self.write("u.onnx", o.model(nodes, [o.info("x", [2])], [o.info("y", [2])],
                                     domains=["com.acme"]))
        self.oribi("run", "u.onnx", "-i", "x=ramp", code=3)
        for word in ("Com>Acme>Alpha", "Com>Acme>Beta", "first", "second"):
            self.assertIn(word, self.err)

    def test_memory_limit_exits_5(self):
        self.oribi("run", DIGITS / "digits.onnx", "-i", "0=ramp", "--max-bytes", "1000", code=5)

    # --- plugins ---------------------------------------------------------------------------------

    def test_named_plugin_that_aborts_exits_6_and_found_one_warns(self):
        bad = self.plugin("bad", "#include <stdlib.h>\nvoid TF_InitKernel(void) { abort(); }\n")
        model = self.relu_model()
        self.oribi("run", model, "-i", "x=ramp", "--plugin", bad, code=6)
        self.assertIn("bad.so", self.err)
        self.oribi("run", model, "-i", "x=ramp", env={"ORIBI_PLUGIN_PATH": str(self.folder)})
        self.assertIn("bad.so", self.err)

    def test_plugin_that_needs_what_we_lack_is_refused_by_name(self):
        bad = self.plugin("lacks", "void TF_NoSuchFunction(void);\n"
                                   "void TF_InitKernel(void) { TF_NoSuchFunction(); }\n")
        self.oribi("plugin", "info", bad, code=6)
        self.assertIn("TF_NoSuchFunction", self.err)

    def test_custom_domain_op_comes_from_the_plugin(self):
        plugin = self.plugin("centre", (SOURCE / "examples/custom_op/centre.c").read_text())
        model = SOURCE / "examples/custom_op/digits_centred.onnx"
        picture = next(DIGITS.glob("digit-3-*.png"))
        self.oribi("run", model, "-i", f"0=@{picture}", code=3)
        self.assertIn("Com>Acme>Centre", self.err)
        line = json.loads(self.oribi("run", model, "-i", f"0=@{picture}", "--plugin", plugin,
                                     "--top-k", 1, "--json"))
        self.assertEqual(line["top"][0]["index"], 3)
        self.assertIn("centre.so", self.oribi("plugin", "list", "--plugin", plugin))

    def test_bitcast_of_the_design_runs_from_the_plugin(self):
        plugin = self.plugin("bitcast", (SOURCE / "examples/bitcast/bitcast.c").read_text())
        model = SOURCE / "examples/bitcast/bitcast.onnx"
        x = np.array([1, 2, -0.5, 0], np.float32)
        line = json.loads(self.oribi("run", model, "-i", "x=4xf32=1,2,-0.5,0", "--plugin", plugin,
                                     "--json"))
        self.assertEqual(line["values"], x.view(np.int32).tolist())
        steps = json.loads(self.oribi("inspect", model, "--plugin", plugin, "--json"))["steps"]
        self.assertIn("bitcast.so", steps[0]["provider"])

    # --- real models -----------------------------------------------------------------------------

    @unittest.skipUnless(SHARED.is_dir(), "skipped: ../shared/models is absent")
    def test_real_models_agree_through_the_command(self):
        for name, output in (("mnist", "Plus214_Output_0"), ("ultraface_rfb320", "boxes")):
            self.oribi("run", SHARED / f"{name}.onnx", "-i", "0=ramp", "-o", f"{name}.npz")
            self.assertIn(output, np.load(self.folder / f"{name}.npz"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
