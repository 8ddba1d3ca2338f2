#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transformers in the variants that ONNX Runtime's tools make, against ONNX Runtime's own outputs; decoders token by token.

    transformers_test.py ORIBI SOURCE_FOLDER BUILD_FOLDER DECODE_MODEL TOKENS

The models are those of tests/import/transformers/models.tar.xz (make_models.py there)."""
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE, _, DECODE = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
TOKENS = int(sys.argv[5])
FOLDER = pathlib.Path(tempfile.mkdtemp())
with tarfile.open(SOURCE / "tests/import/transformers/models.tar.xz") as archive:
    archive.extractall(FOLDER)
NAMES = sorted(p.stem for p in FOLDER.glob("*.npz"))
# Halves round in other places here than there; so do sums before they become bytes. Nearly equal scores then change places.
COARSE = ("fp16", "f16", "quantized")


def tolerance(name):
    return 3e-2 if any(word in name for word in COARSE) else 1e-4


class Transformers(unittest.TestCase):
    def run_model(self, name, data):
        given = []
        for key in data.files:
            if key.startswith("in:"):
                np.save(FOLDER / f"{key[3:]}.npy", data[key])
                given += ["-i", f"{key[3:]}=@{FOLDER / key[3:]}.npy"]
        done = subprocess.run([ORIBI, "run", FOLDER / f"{name}.onnx", *given, "-o", FOLDER / "result.npz", "-f", "-t", "1"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.load(FOLDER / "result.npz")

    def test_outputs_are_those_of_onnx_runtime(self):
        for name in NAMES:
            with self.subTest(name), np.load(FOLDER / f"{name}.npz") as data:
                found = self.run_model(name, data)
                wanted = {k[4:]: data[k] for k in data.files if k.startswith("out:")}
                self.assertEqual(sorted(found), sorted(wanted))
                for key, value in wanted.items():
                    self.assertEqual((found[key].shape, found[key].dtype), (value.shape, value.dtype), key)
                    counts = ~np.isnan(value)  # what is not a number may be anything
                    self.assertTrue(counts.any() or value.size == 0, key)
                    np.testing.assert_allclose(found[key][counts].astype("f8"), value[counts].astype("f8"), rtol=tolerance(name),
                                               atol=tolerance(name), err_msg=key)

    def test_decoders_find_the_same_tokens(self):
        decoders = 0
        for name in NAMES:
            with self.subTest(name), np.load(FOLDER / f"{name}.npz") as data:
                if "tokens" not in data.files:
                    continue
                decoders += 1
                wanted = data["tokens"].tolist()[:TOKENS]
                prompt = [str(token) for token in data["prompt"][0]]
                done = subprocess.run([DECODE, FOLDER / f"{name}.onnx", str(len(wanted)), *prompt], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([int(token) for token in done.stdout.split()], wanted)
        self.assertGreaterEqual(decoders, 18)

    def test_with_bounds_all_lengths_make_one_plan(self):
        for name in ("gpt2", "llama", "llama_q4f16", "grouped", "gpt2_quantized"):
            with self.subTest(name), np.load(FOLDER / f"{name}.npz") as data:
                wanted = data["tokens"].tolist()[:TOKENS]
                prompt = [str(token) for token in data["prompt"][0]]
                words = [DECODE, "--bound", str(len(prompt) + len(wanted)), FOLDER / f"{name}.onnx", str(len(wanted)), *prompt]
                done = subprocess.run(words, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, "plans 1\n"))
                self.assertEqual([int(token) for token in done.stdout.split()], wanted)

    def test_caches_with_room_that_are_past_and_present_are_written_in_place(self):
        for name in ("grouped", "grouped_q4", "grouped_fp16", "grouped_packed"):
            with self.subTest(name), np.load(FOLDER / f"{name}.npz") as data:
                wanted = data["tokens"].tolist()[:TOKENS]
                prompt = [str(token) for token in data["prompt"][0]]
                words = [DECODE, "--room", str(len(prompt) + len(wanted)), FOLDER / f"{name}.onnx", str(len(wanted)), *prompt]
                done = subprocess.run(words, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, "copies 0\n"))
                self.assertEqual([int(token) for token in done.stdout.split()], wanted)

    def test_more_than_a_bound_is_refused_and_bounds_name_what_there_is(self):
        words = [ORIBI, "run", FOLDER / "minilm.onnx", *(f"-i{n}=1x4xi64=1,1,1,1" for n in ("input_ids", "attention_mask", "token_type_ids"))]
        for bound, code, said in (("input_ids:1=4", 0, ""), ("input_ids:1=3", 4, "dimension 1 of input 'input_ids' is 4, and its bound 3"),
                                  ("input_ids:2=4", 4, "a bound for dimension 2 of input 'input_ids'"), ("input_ids=4", 2, "--bound wants"),
                                  ("ids:1=4", 4, "a bound for dimension 1 of input 'ids'"), ("input_ids:1=x", 2, "--bound wants")):
            with self.subTest(bound):
                done = subprocess.run([*words, "--bound", bound], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    try:
        unittest.main(argv=sys.argv[:1], exit=False, verbosity=1).result.wasSuccessful() or sys.exit(1)
    finally:
        shutil.rmtree(FOLDER)
