#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The corrected example of the design, docs/reference/design-example.md: its files are taken from the page, compiled
with warnings as errors, and run.

    design_test.py ORIBI SOURCE_FOLDER DESIGN_TARGETS
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from accelerators import INCLUDE, OPS

ORIBI, SOURCE, TARGETS = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wstrict-prototypes", "-Wno-missing-prototypes",
         "-Werror", "-O1", "-g", "-fsanitize=address,undefined"]
COMMAND = re.compile(r"```\w*[^\n]*\noribi compile (.*?)```", re.S)
FILE = re.compile(r"^`([\w/.]+)`:\n\n```c\n(.*?)```", re.S | re.M)


class Design(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.page = (SOURCE / "docs/reference/design-example.md").read_text()

    def take(self):
        """The command and the files of the page."""
        command = COMMAND.search(self.page).group(1).replace("\\\n", " ").split()
        words = [{"digits_int8.tflite": DIGITS, "woofles_target.so": TARGETS, "out": self.folder / "out"}.get(w.rsplit("/", 1)[-1], w)
                 for w in command]
        subprocess.run([ORIBI, "compile", *words], check=True, stdout=subprocess.DEVNULL)
        files = FILE.findall(self.page)
        self.assertEqual(len(files), self.page.count("```c\n"), "each block of C is a file")
        for name, text in files:
            path = self.folder / "page" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return [name for name, _ in files]

    def build(self, compiler, standard):
        generated = list((self.folder / "out").rglob("*.c"))
        sources = [*generated, *(self.folder / "page").rglob("*.c"), SOURCE / "tests/hooks/made/design_main.c", OPS]
        return subprocess.run([compiler, f"-std={standard}", *FLAGS, "-I", self.folder / "page", "-I",
                               self.folder / "out", "-I", SOURCE / "tests/hooks/stand_in", *INCLUDE,
                               "-I", SOURCE, *sources, "-o", self.folder / "program"], capture_output=True, text=True)

    def test_the_example_of_the_page_computes_what_the_host_computes(self):
        names = self.take()
        self.assertEqual(len([n for n in names if n.endswith(".c")]), 3)
        inputs = bytes((i * 31) % 127 for i in range(64 * 4))
        expected = b""
        for i in range(4):
            (self.folder / "in.bin").write_bytes(inputs[64 * i:64 * i + 64])
            subprocess.run([ORIBI, "run", DIGITS, "--kernels", "micro", "-i", f"0=@{self.folder / 'in.bin'}", "-o",
                            self.folder / "out.npy", "--force"], check=True, stdout=subprocess.DEVNULL)
            data = (self.folder / "out.npy").read_bytes()
            expected += data[10 + int.from_bytes(data[8:10], "little"):]
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                continue
            done = self.build(compiler, "c99")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run([self.folder / "program"], input=inputs, capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)
            woofles, line = map(int, done.stderr.split())
            self.assertGreater(woofles, 0)
            self.assertGreater(line, 0)

    def test_the_slips_of_the_design_do_not_compile(self):
        """Each of these lines, as the design prints it, put back into the page's example."""
        slips = {
            "const struct tvmgen_mynetwork_devices devices = {": "const struct tvmgen_mynetwork_devices devices {",
            ".accelerator = &accelerator,": ".accelerator = accelerator,",
            "TVMDeviceWooflesDestroy(&accelerator);": "TVMDeviceDestroy(&accelerator);",
            "tvm_dev->dev = zephyr_dev;": "tvm_dev->device = zephyr_dev;",
            "struct k_mutex lock;": "k_mutex lock;",
            "TVMDeviceWooflesActivate(tvm_device_woofles_t *tvm_dev)\n{\n    (void)tvm_dev;\n    return 0;\n}":
                "TVMDeviceWooflesActivate(tvm_device_woofles_t *tvm_dev) {}",
            "typedef struct {\n    const struct device *dev;\n    struct k_mutex lock;\n} tvm_device_woofles_t;":
                "typedef tvm_device_woofles_t void*;",
        }
        page = self.page
        for good, slip in slips.items():
            with self.subTest(slip=slip):
                self.assertEqual(page.count(good), 1)
                self.page = page.replace(good, slip)
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                self.take()
                self.assertNotEqual(self.build("gcc", "c99").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
