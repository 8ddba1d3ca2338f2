#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kits as a stranger has them: the headers alone by each compiler, what `oribi plugin new` writes with
them, a plugin of several files, and TensorFlow's headers instead of Oribi's.

    kit_test.py ORIBI SOURCE_FOLDER
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
INCLUDE = SOURCE / "include"
KITS = ("kernel_kit.h", "kernel_kit_bodies.h", "device_kit.h", "graph_kit.h", "graph_kit_bodies.h", "graph_kit_bytes.h")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wvla", "-Werror"]
C_WARNINGS = WARNINGS + ["-Wstrict-prototypes", "-Wmissing-prototypes"]
C = [c for c in ("gcc", "clang", "clang-14") if shutil.which(c)]
CXX = [c for c in ("g++", "clang++", "clang++-14") if shutil.which(c)]
MOST_LINES = 24  # of code in a plugin with an op of elements, its namespace in C++ included
# What TensorFlow's own folder lacks.
EXTENSION = ("kernels_extension.h", "thread_pool.h", "plugin_note.h", "op_traits.h", "device_extension.h")


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    return done.returncode, done.stdout + done.stderr


def code_lines(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return sum(1 for line in text.split("\n") if line.strip())


class Kits(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def good(self, *command, **more):
        code, said = run(*command, **more)
        self.assertEqual(code, 0, said)
        return said

    def new(self, *flags):
        self.good(ORIBI, "plugin", "new", "my_op", *flags, cwd=self.folder)
        return self.folder / "my_op" / ("my_op.cc" if "--cxx" in flags else "my_op.c")

    def test_each_header_compiles_alone(self):
        for name in KITS:
            for compiler in C:
                for more in ([], ["-DTF_CAPI_WEAK"], ["-DORIBI_KIT_SHARED"], ["-DORIBI_TARGET_CONTRACT=100"]):
                    self.good(compiler, "-std=c11", *C_WARNINGS, *more, "-fsyntax-only", "-I", INCLUDE, "-x", "c", INCLUDE / "oribi" / name)
            for compiler in CXX:
                for more in (["-std=c++14"], ["-std=c++20", "-DTF_CAPI_WEAK"]):
                    self.good(compiler, *more, *WARNINGS, "-fsyntax-only", "-I", INCLUDE, "-x", "c++", INCLUDE / "oribi" / name)
        for compiler in C:
            for name in ("kernel_kit.h", "graph_kit.h"):
                self.good(compiler, "-std=c99", *C_WARNINGS, "-fsyntax-only", "-I", INCLUDE, "-x", "c", INCLUDE / "oribi" / name)

    def test_a_new_plugin_is_short_and_passes(self):
        for flags, compilers in (([], C), (["--cxx"], CXX)):
            source = self.new(*flags)
            self.assertLessEqual(code_lines(source.read_text()), MOST_LINES)
            for compiler in compilers:
                plugin = source.with_suffix(".so")
                self.good(compiler, "-O2", "-shared", "-fPIC", "-fvisibility=hidden", *WARNINGS, "-I", INCLUDE, source, "-o", plugin)
                self.assertIn("1 good, 0 failed", self.good(ORIBI, "plugin", "test", plugin))
            shutil.rmtree(source.parent)

    def test_the_loop_is_judged(self):
        source = self.new()
        plugin = source.with_suffix(".so")
        source.write_text(source.read_text().replace("kernel->factor * x[i]", "kernel->factor + x[i]"))
        self.good(C[0], "-O2", "-shared", "-fPIC", "-I", INCLUDE, source, "-o", plugin)
        code, said = run(ORIBI, "plugin", "test", plugin)
        self.assertNotEqual(code, 0, said)

    def test_several_files_share_one_copy(self):
        source = self.new()
        (source.parent / "bodies.c").write_text('#define ORIBI_KIT_BODIES\n#include "oribi/kernel_kit.h"\n')
        plugin = source.with_suffix(".so")
        objects = []
        for file in (source, source.parent / "bodies.c"):
            objects.append(file.with_suffix(".o"))
            self.good(C[0], "-O2", "-c", "-fPIC", "-fvisibility=hidden", *C_WARNINGS, "-DORIBI_KIT_SHARED", "-I", INCLUDE, file, "-o", objects[-1])
        self.assertIn(" U oribi_kit_unary", self.good("nm", objects[0]))
        self.good(C[0], "-shared", *objects, "-o", plugin)
        self.assertNotIn("oribi_kit", self.good("nm", "-D", plugin))
        self.assertIn("1 good, 0 failed", self.good(ORIBI, "plugin", "test", plugin))

    def test_an_older_host_loads_it(self):
        source = self.new()
        plugin = source.with_suffix(".so")
        self.good(C[0], "-shared", "-fPIC", "-I", INCLUDE, source, "-o", plugin)
        self.assertRegex(self.good("nm", "-D", plugin), r" w TF_OpDefinitionBuilderAddTrait")
        self.good(C[0], "-shared", "-fPIC", "-DTF_CAPI_WEAK", "-I", INCLUDE, source, "-o", plugin)
        self.assertNotRegex(self.good("nm", "-D", plugin), r" U TF_")
        self.assertIn("1 good, 0 failed", self.good(ORIBI, "plugin", "test", plugin))

    def test_tensorflows_headers_are_enough(self):
        theirs = self.folder / "theirs"
        shutil.copytree(INCLUDE / "tensorflow/c", theirs / "tensorflow/c", ignore=shutil.ignore_patterns(*EXTENSION))
        shutil.copytree(INCLUDE / "oribi", theirs / "oribi", ignore=lambda _, names: [n for n in names if n not in KITS])
        source = self.new()
        plugin = source.with_suffix(".so")
        source.write_text(re.sub(r"ORIBI_PLUGIN\(.*\n", "", source.read_text()))
        self.good(C[0], "-shared", "-fPIC", *C_WARNINGS, "-I", theirs, source, "-o", plugin)
        declared = "".join(p.read_text() for p in (theirs / "tensorflow/c").rglob("*.h"))
        for name in re.findall(r" [Uw] (TF_\w+)", self.good("nm", "-D", plugin)):
            self.assertRegex(declared, rf"\b{name}\(")
        source.write_text(source.read_text() + "void *f(void);\nvoid *f(void) { return (void *)TF_ThreadPool_ParallelFor; }\n")
        code, said = run(C[0], "-c", "-I", theirs, source, "-o", self.folder / "x.o")
        self.assertNotEqual(code, 0, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
