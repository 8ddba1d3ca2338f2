#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels and emitted C under the warnings that reviewers of firmware switch on, with each compiler that is here and for
cores with the instructions that kernels have forms of. Each kernel family once, not each model.

    warnings_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE, TARGET = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
DIGITS = SOURCE / "examples/digits"
WARNINGS = ["-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wcast-qual",
            "-Wcast-align", "-Wundef", "-Wshadow", "-Werror"]
COMPILERS = {"gcc": ["gcc"], "clang": ["clang"],
             "cortex-m55": ["arm-none-eabi-gcc", "-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard", "-I",
                            SOURCE / "platform/include"]}  # it has all forms: plain, DSP, MVE
HERE = {name: command for name, command in COMPILERS.items() if shutil.which(command[0])}


class Warnings(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, command, files, include, code=0):
        paths = [word for folder in include for word in ("-I", folder)]
        done = subprocess.run([*command, *WARNINGS, *paths, *files], capture_output=True, text=True)
        self.assertEqual(done.returncode != 0, code != 0, done.stderr[-4000:])
        return done.stderr

    def test_kernels_have_no_warnings(self):
        files = [f for f in sorted((SOURCE / "micro").rglob("*.c"))
                 if not f.stem.endswith("prepare") and not f.stem.startswith("geometry_")]  # the host's half
        include = [SOURCE, SOURCE / "include", SOURCE / "include/micro",
                   *sorted(f for f in (SOURCE / "micro").glob("**/") if f.is_dir())]
        self.assertGreater(len(files), 100)
        for name, command in HERE.items():
            with self.subTest(compiler=name):
                self.check(command, files, include)

    def test_emitted_code_has_no_warnings(self):
        sets = {"int8": [DIGITS / "digits_int8.tflite"], "float": [DIGITS / "digits.onnx"],
                "devices": [DIGITS / "digits_int8.tflite", "--plugin", TARGET, "--target-device", "woofles", "--target-device",
                            "uart_accel", "--device-platform", "woofles=posix", "--device-platform", "uart_accel=posix"]}
        kinds = [SOURCE / "examples/accelerators" / kind / "include" for kind in ("woofles", "uart_accel")]
        for what, arguments in sets.items():
            folder = self.folder / what
            subprocess.run([ORIBI, "compile", *arguments, "--name", "net", "-o", folder, "--self-test" if what != "devices"
                            else "--force"], check=True, stdout=subprocess.DEVNULL)
            for name, command in HERE.items():
                if what == "devices" and command[0].startswith("arm"):
                    continue  # its headers are of a system
                with self.subTest(what=what, compiler=name):
                    self.check(command, sorted(folder.glob("*.c")), [folder, SOURCE / "include", *kinds])

    def test_what_they_are_for_is_seen(self):
        for fault in ("char *f(const char *x);\nchar *f(const char *x) { return (char *)x; }",
                      "int f(void);\n#if NOT_DEFINED\n#endif\nint f(void) { return 0; }",
                      "int x;\nint f(int x);\nint f(int x) { return x; }",
                      "signed char f(int x);\nsigned char f(int x) { return x; }",
                      "unsigned f(int x);\nunsigned f(int x) { return x; }"):
            (self.folder / "fault.c").write_text(fault + "\n")
            for name, command in HERE.items():
                with self.subTest(fault=fault, compiler=name):
                    self.check(command, [self.folder / "fault.c"], [], code=1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
