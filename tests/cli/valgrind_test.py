#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command under valgrind, which sees what no sanitizer here does: bytes that nobody wrote.

    valgrind_test.py ORIBI SOURCE_FOLDER BUILD_FOLDER

Each command must end as it does without valgrind, with nothing read that was never written and nothing
lost. A program with both faults is the planted one.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits"
HOSTILE = SOURCE / "tests/hostile/files"
VALGRIND = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full",
            "--errors-for-leak-kinds=definite", "--trace-children=no"]
FAULT = """#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int *p = malloc(8);
    (void)argv;
    if (argc == 1 && p[1] > 3) {
        puts("x");
    }
    p = NULL;
    return p != NULL;
}
"""


class Valgrind(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def clean(self, *command, code=0):
        done = subprocess.run([*VALGRIND, *map(str, command)], capture_output=True, cwd=self.folder,
                              stdin=subprocess.DEVNULL, timeout=280)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stderr.decode()[-3000:]}")

    def test_the_planted_faults_are_seen(self):
        (self.folder / "fault.c").write_text(FAULT)
        subprocess.run(["cc", "-g", "-w", "fault.c", "-o", "fault"], cwd=self.folder, check=True)
        self.clean(self.folder / "fault", code=99)
        self.clean(self.folder / "fault", "leak", code=99)

    def test_compile_float(self):
        self.clean(ORIBI, "compile", DIGITS / "digits.onnx", "-o", "c")

    def test_compile_quantised_with_reports_and_self_test(self):
        self.clean(ORIBI, "compile", DIGITS / "digits_int8.tflite", "-o", "c", "--self-test",
                   "--report", "r.html")

    def test_run_a_picture(self):
        self.clean(ORIBI, "run", DIGITS / "digits.onnx", "-i", "picture=@" + str(DIGITS / "digit-3-0059.png"),
                   "--json")

    def test_run_random_and_write(self):
        self.clean(ORIBI, "run", DIGITS / "digits_int8.tflite", "-i", "picture=rand:1", "-o", "o.npz")

    def test_inspect(self):
        self.clean(ORIBI, "inspect", DIGITS / "digits.onnx", "--json", "--steps")
        self.clean(ORIBI, "inspect", DIGITS / "digits_int8.tflite")

    def test_what_is_refused(self):
        self.clean(ORIBI, "inspect", HOSTILE / "stack_smash_ret.tflite", code=4)
        self.clean(ORIBI, "run", HOSTILE / "tr10.onnx", "-i", f"x=@{HOSTILE / 'tr10.npy'}")
        self.clean(ORIBI, "run", DIGITS / "digits.onnx", "-i", "picture=@" + str(DIGITS / "digits.onnx"),
                   code=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
