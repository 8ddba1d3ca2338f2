#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi plugin test TARGET.so --driver DIR`: the examples and the tape pass on random models; errors that are planted in
copies of tiny_npu are found, with the seed that finds them again.

    regions_test.py ORIBI SOURCE_FOLDER
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from accelerators import FOLDER, INCLUDE

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
TAPE, TINY = SOURCE / "tests/hooks/tape", FOLDER / "tiny_npu"
CHECK = 'if (TF_GetCode(status) != TF_OK || x.dtype != TF_FLOAT) {'


class Regions(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_test(self, driver, *options, target=None, code=0, cases=3):
        plugin = self.folder / "target.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", *INCLUDE, "-I", driver / "include", "-I",
                        driver / "headers", target or driver / "target.c", "-lm", "-o", plugin], check=True)
        done = subprocess.run([ORIBI, "plugin", "test", plugin, "--driver", driver, "--seed", "1", "--random", str(cases),
                               *options], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def changed(self, *changes):
        folder = self.folder / "driver"
        shutil.copytree(TINY, folder)
        for file, old, new in changes:
            text = (folder / file).read_text()
            self.assertEqual(text.count(old), 1, old)
            (folder / file).write_text(text.replace(old, new))
        return folder

    def test_the_examples_pass(self):
        woofles = FOLDER / "woofles/target.c"
        for driver, target, kinds in ((FOLDER / "woofles", woofles, ["woofles"]), (FOLDER / "uart_accel", woofles, ["uart_accel"]),
                                      (TAPE, None, ["tape", "tape-own"]), (TINY, None, ["tiny_npu"])):
            done = self.run_test(driver, target=target)
            for kind in kinds:
                self.assertIn(f"{kind}: 3 random models, 0 failed; seed 1", done.stdout)
                taken = re.findall(rf"ok +{kind} .* \[(\d) of \d taken", done.stdout)
                self.assertEqual(len(taken), 3, done.stdout)
                self.assertTrue(all(int(n) > 0 for n in taken), done.stdout)

    def test_a_wrong_result_is_found_again_by_its_seed(self):
        folder = self.changed(("driver.c", "y[i] = x[i] > 0.0f ? x[i] : 0.0f;", "y[i] = x[i] > 0.0f || i == 6u ? x[i] : 0.0f;"))
        done = self.run_test(folder, code=6, cases=6)
        self.assertIn("differs", done.stderr)
        line = re.search(r"FAILED tiny_npu (.*seed (\d+))\]", done.stdout)
        again = self.run_test(folder, "--seed", line.group(2), code=6, cases=1)
        self.assertIn(f"FAILED tiny_npu {line.group(1)}]", again.stdout)

    def test_a_region_that_it_cannot_do_is_found(self):
        folder = self.changed(("target.c", CHECK, "if (TF_GetCode(status) != TF_OK) {"), ("target.c", '{"Relu"}', '{"Abs"}'),
                              ("driver.c", "x[i] > 0.0f ? x[i] : 0.0f", "x[i] < 0.0f ? -x[i] : x[i]"))
        done = self.run_test(folder, "--op", "Abs", code=6, cases=6)
        self.assertRegex(done.stdout, "FAILED tiny_npu int32 .*Abs")
        self.assertNotIn("FAILED tiny_npu float", done.stdout)

    def test_an_operator_that_it_refuses_at_run_time_is_found(self):
        folder = self.changed(("target.c", "oribi_target_set_op(code, 1);", "oribi_target_set_op(code, x.rank == 4 ? 2 : 1);"))
        done = self.run_test(folder, code=6, cases=8)
        self.assertIn("TVM_DEVICE_E_UNSUPPORTED", done.stderr)

    def leaking(self):
        """Close gives the device back when an operator was computed, and keeps it when the operator failed."""
        return self.changed(("driver.c", "return dev->is_on != 0 && dev->is_open != 0 ? compute(call)",
                             "return dev->is_on != 0 && dev->is_open != 0 ? (dev->is_open = 2, compute(call))"),
                            ("driver.c", "{\n    dev->is_open = 0;", "{\n    dev->is_open = dev->is_open == 2 ? 0 : dev->is_open;"))

    def test_a_hook_that_leaks_when_another_fails_is_found(self):
        done = self.run_test(self.leaking(), code=6, cases=2)
        self.assertIn("TVM_DEVICE_E_BUSY", done.stderr)
        self.assertEqual(done.stdout.count("FAILED"), 2, done.stdout)

    def verify(self, driver, *options, code=0):
        done = subprocess.run([ORIBI, "verify", TINY / "project/model.onnx", "--plugin", self.folder / "target.so", "--driver",
                               driver, "--target-device", "tiny_npu", "--runs", "1", *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_only_failing_hooks_find_it_and_on_boards_too(self):
        folder = self.leaking()
        self.run_test(folder, code=6, cases=1)
        targets = ["host", *(["cortex-m4"] if shutil.which("qemu-system-arm") and shutil.which("arm-none-eabi-gcc") else [])]
        for target in targets:
            self.verify(folder, "--target", target)
            found = self.verify(folder, "--target", target, "--failing-hooks", code=1)
            self.assertIn("Open", found.stderr)
            self.verify(TINY, "--target", target, "--failing-hooks")

    def test_a_target_that_takes_nothing_is_told(self):
        done = self.run_test(self.changed(("target.c", '{"Relu"}', '{"Nobodys"}')), code=6)
        self.assertIn("of 200 random models 'tiny_npu' takes nothing", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
