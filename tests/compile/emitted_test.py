#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C that `oribi compile` writes: clean C99 with gcc and clang, no symbol but memcpy, memmove and
memset, bit for bit what the host computes, and the golden vectors of MLPerf Tiny.

    emitted_test.py ORIBI SOURCE_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
         "-ffp-contract=off"]
MAIN = """#include <stdio.h>
#include <stdint.h>
#include "{header}"
static int8_t in[{n}], out[{m}];
static union {{ uint64_t align[2]; uint8_t bytes[TVMGEN_NET_WORKSPACE_SIZE]; }} memory
    __attribute__((aligned(TVMGEN_NET_WORKSPACE_ALIGNMENT)));
int main(void)
{{
    struct {name}_workspace_pools pools = {{memory.bytes}};
    struct {name}_inputs inputs = {{in}};
    struct {name}_outputs outputs = {{out}};
    while (fread(in, 1, sizeof in, stdin) == sizeof in) {{
        if ({name}_run(&inputs, &outputs, &pools) != 0) {{
            return 1;
        }}
        fwrite(out, 1, sizeof out, stdout);
    }}
    return 0;
}}
"""


class Emitted(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, model, code=0, *more):
        done = subprocess.run([ORIBI, "compile", model, "-o", self.folder / "c", "--name", "net", "--force",
                               *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.folder / "c"

    def objects(self, folder, compiler):
        out = []
        for source in sorted(folder.rglob("*.c")):
            out.append(self.folder / f"{compiler}-{source.stem}.o")
            subprocess.run([compiler, *FLAGS, f"-I{folder}", "-c", source, "-o", out[-1]], check=True)
        return out

    def test_it_is_clean_c99_and_asks_for_nothing(self):
        folder = self.compile(DIGITS)
        for compiler in ("gcc", "clang-14"):
            objects = self.objects(folder, compiler)
            whole = self.folder / "whole.o"
            subprocess.run(["ld", "-r", *objects, "-o", whole], check=True)
            names = subprocess.run(["nm", "-u", whole], check=True, capture_output=True, text=True).stdout
            self.assertLessEqual(set(names.split()) - {"U"}, {"memcpy", "memmove", "memset"})
        subprocess.run(["g++", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{folder}",
                        "-x", "c++", folder / "tvmgen_net.h"], check=True)

    def test_same_input_same_bytes(self):
        first = {p.name: p.read_bytes() for p in self.compile(DIGITS).rglob("*") if p.is_file()}
        second = {p.name: p.read_bytes() for p in self.compile(DIGITS).rglob("*") if p.is_file()}
        self.assertEqual(first, second)

    def test_it_computes_what_the_host_computes(self):
        done = subprocess.run([ORIBI, "verify", DIGITS, "--target", "host"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_budgets_that_are_too_small_exit_5(self):
        self.compile(DIGITS, 5, "--max-ram", "1000")
        self.compile(DIGITS, 5, "--max-flash", "1000")

    def run_vectors(self, model, inputs, n_out):
        folder = self.compile(model)
        main = self.folder / "main.c"
        main.write_text(MAIN.format(header="tvmgen_net.h", name="tvmgen_net", n=len(inputs[0]), m=n_out))
        program = self.folder / "program"
        subprocess.run(["gcc", "-std=c99", "-O2", "-fsanitize=address,undefined",
                        "-fno-sanitize-recover=undefined", f"-I{folder}", main,
                        *sorted(folder.rglob("*.c")), "-o", program], check=True)
        done = subprocess.run([program], input=b"".join(inputs), capture_output=True, check=True)
        return [done.stdout[i:i + n_out] for i in range(0, len(done.stdout), n_out)]

    def test_digits_are_recognised_by_the_c(self):
        held_out = np.load(SOURCE / "examples/digits/held_out.npz")
        pictures = [(p.astype(np.int16) - 128).astype(np.int8).tobytes() for p in held_out["pictures"]]
        outputs = self.run_vectors(DIGITS, pictures, 10)
        right = sum(int(np.frombuffer(o, np.int8).argmax()) == label
                    for o, label in zip(outputs, held_out["labels"]))
        self.assertGreaterEqual(right / len(pictures), 0.98)

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_golden_vectors_are_exact(self):
        for golden in sorted((TINY / "golden").iterdir()):
            with self.subTest(golden.name):
                inputs = [(golden / f"input_{i}.bin").read_bytes() for i in range(4)]
                wanted = [(golden / f"output_{i}.bin").read_bytes() for i in range(4)]
                self.assertEqual(self.run_vectors(TINY / f"{golden.name}.tflite", inputs,
                                                  len(wanted[0])), wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
