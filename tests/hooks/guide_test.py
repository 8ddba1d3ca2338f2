#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The guide for users of microTVM and the list of gaps: their options, names, paths and tests are there, and
the application of the guide runs.

    guide_test.py ORIBI SOURCE_FOLDER BUILD_FOLDER
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

ORIBI, SOURCE, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
GUIDE = (SOURCE / "docs/reference/from-microtvm.md").read_text()
GAPS = (SOURCE / "tests/hooks/gaps.md").read_text()
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
MAIN = """#include <stdint.h>
#include <stdio.h>
int32_t classify(const float *pixels);
int main(void)
{
    float pixels[64];
    while (fread(pixels, sizeof pixels, 1, stdin) == 1) {
        printf("%d\\n", (int)classify(pixels));
    }
    return 0;
}
"""


def known_tests():
    text = subprocess.run(["ctest", "--test-dir", BUILD, "-N"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"Test +#\d+: (\S+)", text))


def faults_of_gaps(text, tests, sources):
    """What is wrong with the list: rows that are missing, tests that nobody runs, functions that no test has."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
            if re.match(r"\| \d+ \|", line)]
    found = [] if [r[0] for r in rows] == [str(i) for i in range(1, 20)] else ["the rows are not 1 to 19"]
    for row in rows:
        names = re.findall(r"`([^`]+)`", row[3])
        found += [] if names else [f"row {row[0]} names no test"]
        for name in names:
            test, _, function = name.partition(": ")
            if test not in tests:
                found.append(f"row {row[0]}: CTest has no {test}")
            stem = re.sub(r"_(some|all)$", "", test.split(".")[1]).removesuffix("_test")
            files = [s for path, s in sources.items() if path.parent.name == test.split(".")[0]
                     and path.stem.removesuffix("_test") == stem]
            if not any(re.search(rf"\b(def|void) {function}\(", s) for s in files) and function:
                found.append(f"row {row[0]}: {test} has no {function}")
    return found


class Guide(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.sources = {p: p.read_text() for p in (SOURCE / "tests").glob("*/*_test.*")}

    def test_every_gap_names_tests_that_are_there(self):
        self.assertEqual(faults_of_gaps(GAPS, known_tests(), self.sources), [])

    def test_a_gap_without_its_test_is_seen(self):
        tests = known_tests()
        row = next(line for line in GAPS.splitlines() if line.startswith("| 11 "))
        for bad in (GAPS.replace(row + "\n", ""), GAPS.replace("`hooks.design:", "`hooks.nothing:"),
                    GAPS.replace(": hold_keeps_open_across", ": hold_keeps_shut_across"),
                    GAPS.replace("| `compile.emitted`, `hooks.guide", "| hooks.guide").replace(
                        "test_the_application_of_the_guide_runs` |", "x |")):
            self.assertNotEqual(bad, GAPS)
            self.assertTrue(faults_of_gaps(bad, tests, self.sources))

    def test_options_and_paths_of_the_guide_are_there(self):
        texts = [subprocess.run([ORIBI, command, "--help"], capture_output=True, text=True).stdout
                 for command in ("compile", "verify", "run")]
        ours = set()
        for line in GUIDE.splitlines():
            cells = line.strip("|").split("|")
            where = cells[1] if line.startswith("| `") and len(cells) > 1 else line if "|" not in line else ""
            ours |= set(re.findall(r"`[^`]*?(--[a-z-]+)", where))
        self.assertGreater(len(ours), 10)
        for option in sorted(ours):
            self.assertTrue(any(option in text for text in texts), option)
        for path in re.findall(r"\((\w[\w.-]+\.md)\)", GUIDE) + re.findall(r"\((\w[\w.-]+\.md)\)", GAPS):
            self.assertTrue((SOURCE / "docs/reference" / path).exists(), path)
        for path in ("include/tvm/runtime/device.h", "include/oribi/target.h", "examples/own_code/target.c",
                     "examples/accelerators/woofles/include/tvm/device/woofles.h",
                     "examples/accelerators/woofles/driver.json"):
            self.assertTrue((SOURCE / path).exists(), path)

    def test_names_of_the_guide_are_in_the_header(self):
        subprocess.run([ORIBI, "compile", DIGITS, "--name", "net", "--io", "pool", "--pool", "name=sram", "--weights",
                        "bin", "-o", self.folder / "c"], check=True, stdout=subprocess.DEVNULL)
        header = (self.folder / "c/tvmgen_net.h").read_text()
        for name in ("tvmgen_net_run(", "tvmgen_net_map_inputs(", "tvmgen_net_map_outputs(", "TVMGEN_NET_WORKSPACE_SIZE",
                     "TVMGEN_NET_SRAM_WORKSPACE_POOL_SIZE", "TVMGEN_NET_WORKSPACE_ALIGNMENT", "TVMGEN_NET_PICTURE_SIZE",
                     "struct tvmgen_net_workspace_pools {", "TVMGEN_NET_BAD_ARGUMENT", "TVMGEN_NET_BAD_WEIGHTS"):
            self.assertIn(name, header)

    def test_the_application_of_the_guide_runs(self):
        blocks = GUIDE.split("```c\n")[1:]
        self.assertEqual(len(blocks), 1)
        subprocess.run([ORIBI, "compile", DIGITS, "--name", "digits", "-o", self.folder / "out"], check=True,
                       stdout=subprocess.DEVNULL)
        (self.folder / "classify.c").write_text(blocks[0].split("```")[0])
        (self.folder / "main.c").write_text(MAIN)
        subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O1", "-I",
                        self.folder / "out", self.folder / "classify.c", self.folder / "main.c",
                        *(self.folder / "out").rglob("*.c"), "-o", self.folder / "program"], check=True)
        with zipfile.ZipFile(SOURCE / "examples/digits/held_out.npz") as archive:
            arrays = [archive.read(name + ".npy") for name in ("pictures", "labels")]
        pixels, labels = (data[10 + int.from_bytes(data[8:10], "little"):] for data in arrays)
        labels = struct.unpack(f"<{len(labels) // 4}i", labels)
        self.assertEqual(len(pixels), 64 * len(labels))
        most = max(pixels)
        data = b"".join(struct.pack("<f", value / most) for value in pixels)
        done = subprocess.run([self.folder / "program"], input=data, capture_output=True, check=True, timeout=60)
        answers = [int(line) for line in done.stdout.split()]
        self.assertEqual(len(answers), len(labels))
        right = sum(a == b for a, b in zip(answers, labels))
        self.assertGreater(right / len(labels), 0.95, "nobody taught it these pictures")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
