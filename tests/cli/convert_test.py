#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs that are not yet what the model wants: other types and orders of NumPy's arrays, tables,
sound, folders, batches, text. What comes out of an Identity is held against NumPy.

usage: convert_test.py ORIBI SOURCE BUILD"""
import io
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import wave
import zlib

import numpy as np

import onnx_lite as o

ORIBI = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()
ONNX = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
        "float64": 11}


def png(pixels):
    """Gray or RGB, uint8 [h, w] or [h, w, 3]."""
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    kind = 0 if pixels.ndim == 2 else 2

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, kind, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Convert(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def oribi(self, *args, code=0):
        got = subprocess.run([ORIBI, *map(str, args)], cwd=self.at, capture_output=True, timeout=300, check=False)
        self.assertEqual(got.returncode, code, got.stderr)
        return got

    def identity(self, dtype, shape):
        (self.at / "m.onnx").write_bytes(o.model([o.node("Identity", ["x"], ["y"])],
                                                 [o.info("x", shape, ONNX[dtype])],
                                                 [o.info("y", shape, ONNX[dtype])]))

    def gives(self, *args):
        return np.load(io.BytesIO(self.oribi("run", "m.onnx", *args, "-o", "-").stdout))["y"]

    def refuses(self, *args, words, code=4):
        self.assertIn(words, self.oribi("run", "m.onnx", *args, code=code).stderr.decode())

    def test_arrays_of_another_order_arrive_in_ours(self):
        a = np.arange(24, dtype="float32").reshape(2, 3, 4)
        self.identity("float32", [2, 3, 4])
        for name, array in (("fortran", np.asfortranarray(a)), ("big", a.astype(">f4")),
                            ("both", np.asfortranarray(a.astype(">f4"))), ("native", a.astype("=f4"))):
            with self.subTest(name):
                np.save(self.at / "x.npy", array)
                np.testing.assert_array_equal(self.gives("-i", "x=@x.npy"), a)

    def test_an_array_of_another_type_arrives_where_its_values_do(self):
        cases = [("float64", "float32", [0.1, -2.5, 1e30, np.nan, np.inf]), ("int64", "int32", [2**31 - 1, -2**31]),
                 ("int64", "float32", [2**24, -3]), ("uint8", "float32", [0, 255]), ("bool", "float32", [True, False]),
                 ("float64", "int32", [3.0, -4.0]), ("float32", "float64", [0.1]), ("int32", "int64", [-1]),
                 ("int64", "bool", [0, 1]), ("float64", "float16", [0.1, 65504]), ("int16", "uint8", [0, 255])]
        for source, wanted, values in cases:
            with self.subTest(f"{source} to {wanted}"):
                self.identity(wanted, [len(values)])
                array = np.array(values, source)
                np.save(self.at / "x.npy", array)
                np.testing.assert_array_equal(self.gives("-i", "x=@x.npy"), array.astype(wanted))

    def test_a_value_that_would_become_another_is_refused_with_its_place(self):
        for source, wanted, value in (("int64", "int32", 2**31), ("int64", "float32", 2**24 + 1),
                                      ("float64", "float32", 1e300), ("float64", "int32", 0.5),
                                      ("int16", "uint8", -1), ("int64", "bool", 2), ("float64", "int64", np.nan)):
            with self.subTest(f"{source} to {wanted}"):
                self.identity(wanted, [2])
                np.save(self.at / "x.npy", np.array([1, value], source))
                self.refuses("-i", "x=@x.npy", words="element 1 is")

    def test_tables_have_headings_comments_and_any_separator(self):
        self.identity("float32", ["n", 3])
        (self.at / "x.csv").write_text("# measured\na,b,c\n1,2.5,3\r\n\n4;5;-6e1\n")
        np.testing.assert_array_equal(self.gives("-i", "x=@x.csv"), np.array([[1, 2.5, 3], [4, 5, -60]], "float32"))
        (self.at / "bad.csv").write_text("1,2,3\n4,x,6\n")
        self.refuses("-i", "x=@bad.csv", words="line 2: 'x' is not a value of type f32")
        (self.at / "few.csv").write_text("1,2\n")
        self.refuses("-i", "x=@few.csv", words="the 2 numbers of the file do not fill the input's known dimensions")
        self.identity("int64", [2])
        (self.at / "i.csv").write_text("9007199254740993\t-1\n")
        np.testing.assert_array_equal(self.gives("-i", "x=@i.csv"), [9007199254740993, -1])

    def write_wav(self, samples, width, channels=1):
        with wave.open(str(self.at / "x.wav"), "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(width)
            file.setframerate(16000)
            file.writeframes(samples)

    def test_sound_is_numbers_from_minus_one_to_one_or_as_it_is(self):
        values = np.array([0, 16384, -32768, 32767], "<i2")
        self.write_wav(values.tobytes(), 2)
        self.identity("float32", [1, "n"])
        np.testing.assert_array_equal(self.gives("-i", "x=@x.wav"), [values.astype("float32") / 32768])
        self.identity("int16", [4])
        np.testing.assert_array_equal(self.gives("-i", "x=@x.wav"), values)
        self.identity("float32", [2])
        self.write_wav(bytes([0, 192]), 1)
        np.testing.assert_array_equal(self.gives("-i", "x=@x.wav"), np.array([-1, 0.5], "float32"))
        self.write_wav(b"\0\0\x40\0\0\x80", 3)
        np.testing.assert_array_equal(self.gives("-i", "x=@x.wav"), np.array([0.5, -1], "float32"))

    def test_channels_lie_as_the_input_has_them(self):
        values = np.array([[1, 10], [2, 20], [3, 30]], "<i2")
        self.write_wav(values.tobytes(), 2, 2)
        self.identity("int16", ["n", 2])
        np.testing.assert_array_equal(self.gives("-i", "x=@x.wav"), values)
        self.identity("int16", [2, 3])
        np.testing.assert_array_equal(self.gives("-i", "x=@x.wav"), values.T)

    def test_sound_that_is_cut_or_does_not_fit_is_refused(self):
        self.write_wav(np.zeros(5, "<i2").tobytes(), 2)
        self.identity("float32", [4])
        self.refuses("-i", "x=@x.wav", words="the input needs 4 samples (channels: 1, rate: 16000 Hz), but the file holds 5")
        whole = (self.at / "x.wav").read_bytes()
        for n in range(len(whole)):
            (self.at / "x.wav").write_bytes(whole[:n])
            self.oribi("run", "m.onnx", "-i", "x=@x.wav", code=4)

    def pictures(self):
        (self.at / "set").mkdir()
        for i in range(3):
            (self.at / "set" / f"{i}.png").write_bytes(png(np.full((4, 4), 40 * i, "uint8")))
        (self.at / "set" / ".hidden").write_bytes(b"")

    def test_a_folder_is_a_run_for_each_file(self):
        self.pictures()
        self.identity("uint8", [1, 1, 4, 4])
        self.oribi("run", "m.onnx", "-i", "x=@set/", "-o", "y-{}.npy")
        self.assertEqual([int(np.load(self.at / f"y-{i}.npy")[0, 0, 0, 0]) for i in range(3)], [0, 40, 80])
        (self.at / "empty").mkdir()
        self.refuses("-i", "x=@empty/", words="the folder has no file")
        self.refuses("-i", "x=@none/", words="No such file")

    def test_several_files_are_one_batch(self):
        self.pictures()
        self.identity("uint8", ["n", 1, 4, 4])
        np.testing.assert_array_equal(self.gives("-i", "x=[@set/]")[:, 0, 0, 0], [0, 40, 80])
        np.testing.assert_array_equal(self.gives("-i", "x=[@set/2.png,@set/1.png]")[:, 0, 0, 0], [80, 40])
        self.refuses("-i", "x=[set/2.png]", words="a batch is [@FILE,@FILE]")
        self.refuses("-i", "x=[]", words="the batch is empty")
        self.identity("uint8", [2, 1, 4, 4])
        self.oribi("run", "m.onnx", "-i", "x=[@set/]", code=4)

    def test_the_centre_of_a_picture_is_cut_out(self):
        pixels = np.zeros((8, 16), "uint8")
        pixels[2:6, 6:10] = np.arange(16).reshape(4, 4) * 10
        (self.at / "x.png").write_bytes(png(pixels))
        self.identity("uint8", [1, 1, 4, 4])
        np.testing.assert_array_equal(self.gives("-i", "x=@x.png", "--crop", 8)[0, 0], pixels[2:6, 6:10])
        self.refuses("-i", "x=@x.png", "--crop", 3, words="--crop 3 is smaller than the input, 4 by 4")

    def test_text_becomes_tokens_with_mask_and_segments(self):
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "run", "##ning", "!", "中", "who"]
        (self.at / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        names = ["input_ids", "attention_mask", "token_type_ids"]
        (self.at / "m.onnx").write_bytes(o.model(
            [o.node("Identity", [n], ["y_" + n]) for n in names],
            [o.info(n, [1, "n" if n == "input_ids" else "n"], 7) for n in names],
            [o.info("y_" + n, [1, "n"], 7) for n in names]))
        got = self.oribi("run", "m.onnx", "--text", "Unaffable RUNNING中!who xyz", "--vocabulary", "vocab.txt", "-o", "-")
        arrays = np.load(io.BytesIO(got.stdout))
        np.testing.assert_array_equal(arrays["y_input_ids"], [[2, 4, 5, 6, 7, 8, 10, 9, 11, 1, 3]])
        np.testing.assert_array_equal(arrays["y_attention_mask"], np.ones((1, 11)))
        np.testing.assert_array_equal(arrays["y_token_type_ids"], np.zeros((1, 11)))
        got = self.oribi("run", "m.onnx", "--text", "who", "--vocabulary", "vocab.txt", "-i",
                         "attention_mask=1x3xi64=1,1,0", "-o", "-")
        np.testing.assert_array_equal(np.load(io.BytesIO(got.stdout))["y_attention_mask"], [[1, 1, 0]])

    def test_text_is_padded_where_the_input_has_a_length(self):
        (self.at / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nwho\nThe\n")
        (self.at / "m.onnx").write_bytes(o.model(
            [o.node("Identity", ["ids"], ["y"]), o.node("Identity", ["mask"], ["z"])],
            [o.info("ids", [1, 5], 6), o.info("mask", [1, 5], 6)], [o.info("y", [1, 5], 6), o.info("z", [1, 5], 6)]))
        got = self.oribi("run", "m.onnx", "--text", "who Who", "--vocabulary", "vocab.txt", "-o", "-")
        arrays = np.load(io.BytesIO(got.stdout))
        np.testing.assert_array_equal(arrays["y"], [[2, 4, 1, 3, 0]])  # "The" stands there: capitals count
        np.testing.assert_array_equal(arrays["z"], [[1, 1, 1, 1, 0]])
        self.refuses("--text", "who who who who", "--vocabulary", "vocab.txt", words="the text has 6 tokens")
        (self.at / "bad.txt").write_text("who\n")
        self.refuses("--text", "who", "--vocabulary", "bad.txt", words="not a vocabulary of WordPiece")
        self.refuses("--text", "who", words="no effect without --vocabulary", code=2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
