#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi compile A B --table`: each row runs its model and says of it what the report says; a changed constant is seen.

    table_test.py ORIBI SOURCE_FOLDER
"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits"
MODELS = [DIGITS / "digits_int8.tflite", DIGITS / "digits.onnx"]
FLAGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wcast-qual", "-Wundef", "-Werror",
         "-fsanitize=undefined"]


class Table(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, *options, code=0):
        done = subprocess.run([ORIBI, "compile", *MODELS, "--name", "a", "--name", "b", "--table", "-o", self.folder / "c",
                               "--force", *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def run_rows(self, name="program"):
        """By model: the words of its lines."""
        subprocess.run(["gcc", *FLAGS, '-DTABLE_HEADER="tvmgen_a_table.h"', "-DTABLE=tvmgen_a_table",
                        "-DCOUNT=TVMGEN_A_TABLE_COUNT", "-I", self.folder / "c", *(self.folder / "c").rglob("*.c"),
                        SOURCE / "tests/compile/firmware/table_main.c", "-lm", "-o", self.folder / name], check=True)
        text = subprocess.run([self.folder / name], check=True, capture_output=True, text=True).stdout
        return [[line.split() for line in part.splitlines()] for part in text.split("model ")[1:]]

    def test_each_row_is_its_model(self):
        self.compile()
        rows = self.run_rows()
        self.assertEqual([row[0][0] for row in rows], ["a", "b"])
        for row, model in zip(rows, MODELS):
            name, source, sha256, constants, crc_holds = row[0]
            report = json.loads((self.folder / f"c/report_{name}.json").read_text())
            self.assertEqual((source, sha256), (model.name, hashlib.sha256(model.read_bytes()).hexdigest()))
            self.assertEqual(crc_holds, "1")
            self.assertGreater(int(constants), 1000)
            header = (self.folder / f"c/tvmgen_{name}.h").read_text()
            self.assertGreater(report["workspace_bytes"], 0)
            inputs = [line[1:] for line in row[1:] if line[0] == "port"][0]
            macro = f"TVMGEN_{name.upper()}_{inputs[0].upper()}"
            self.assertIn(f"#define {macro}_SIZE {inputs[2]} ", header)
            self.assertIn(f"#define {macro}_TYPE {inputs[1]}\n", header)
            self.assertIn(f"#define {macro}_SHAPE {{{', '.join(inputs[6:])}}}\n", header)
            if inputs[1] == "int8_t":
                self.assertIn(f"#define {macro}_ZERO_POINT ({inputs[5]})\n", header)
            data = bytes(0 if inputs[1] == "float" else k * 5 % 100 for k in range(int(inputs[2])))
            kind = {"float": np.float32, "int8_t": np.int8}[inputs[1]]
            np.save(self.folder / "in.npy", np.frombuffer(data, kind).reshape([int(n) for n in inputs[6:]]))
            subprocess.run([ORIBI, "run", model, "--force", "--kernels", "micro", "-i", f"0=@{self.folder / 'in.npy'}", "-o",
                            self.folder / "out.npy"], check=True, stdout=subprocess.DEVNULL)
            npy = (self.folder / "out.npy").read_bytes()
            expected = npy[10 + int.from_bytes(npy[8:10], "little"):]
            self.assertIn(["out", *map(str, expected)], row)

    def test_a_changed_constant_is_seen(self):
        self.compile()
        path = self.folder / "c/tvmgen_b_weights.c"
        text = path.read_text()
        number = re.search(r"= \{\s*(-?\d[\w.+-]*)", text)
        path.write_text(text[:number.start(1)] + "0.515625f" + text[number.end(1):])
        self.assertEqual([row[0][4] for row in self.run_rows()], ["1", "0"])

    def test_the_header_is_cplusplus(self):
        self.compile()
        subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", self.folder / "c/tvmgen_a_table.h"],
                       check=True)

    def test_what_it_does_not_go_with_is_refused(self):
        for options in (["--io", "pool"], ["--weights", "bin"]):
            self.assertIn("--table: a row's `run`", self.compile(*options, code=4).stderr)
        self.assertFalse((self.folder / "c").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
