#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One device of a kind more never costs anything: neither copies, nor bytes that are copied, nor time by the estimates,
whichever model, kind and schedule.

    instances_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN MADE_TARGETS"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from accelerators import in_turn

ORIBI, SOURCE, TARGET, MADE = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
MODELS = [DIGITS, *(p for p in (TINY / f"{n}.tflite" for n in ("kws_ref_model", "pretrainedResnet_quant", "vww_96_int8"))
                    if p.exists())]
# A memory of their own with a way from one to the other, and without; started calls in the host's memory; plain calls.
KINDS = ("woofles", "walled", "queued", "shared")
MOST = 3


class Instances(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def cost(self, model, kind, schedule, n, *options):
        """Copies, bytes of them, microseconds; and how many devices work."""
        devices = [word for i in range(n) for word in ("--target-device", f"npu{i}={kind}")]
        subprocess.run([ORIBI, "compile", model, "-o", self.folder / "c", "--name", "net", "--force", "--plugin", TARGET,
                        "--plugin", MADE, *devices, "--device-schedule", schedule, *options], check=True, stdout=subprocess.DEVNULL)
        report = json.loads((self.folder / "c/report.json").read_text())
        text = (self.folder / "c/tvmgen_net.c").read_text()
        ranges = [int(m) for m in re.findall(r"^    \{\d+u, (\d+)u, \d+u\},$", text, re.M)]
        moved = [ranges[int(m)] for m in re.findall(r"\{TVM_DEVICE_HOOK_COPY_\w+, \d+u, \d+u, (\d+)u\}", text)]
        copies = [m for m in report["timeline"] if m["event"].startswith("copy_")]
        self.assertEqual(len(copies), len(moved))
        return (len(copies), sum(moved), max(m["at_us"] + m["us"] for m in report["timeline"]),
                sum(d["operators"] > 0 for d in report["devices"]))

    def test_a_device_more_costs_nothing(self):
        shared, gained = 0, 0
        for model in MODELS:
            for kind in KINDS:
                for schedule in ("design", "hold"):
                    before = self.cost(model, kind, schedule, 1)
                    for n in range(2, MOST + 1):
                        with self.subTest(model=model.stem, kind=kind, schedule=schedule, n=n):
                            now = self.cost(model, kind, schedule, n)
                            for k, what in enumerate(("copies", "bytes", "us")):
                                self.assertLessEqual(now[k], before[k], what)
                            shared += now[3] > 1
                            gained += now[2] < before[2]
                            before = now
        self.assertGreater(shared, 0)  # they do share work where that is free,
        self.assertTrue(gained > 0 or len(MODELS) == 1)  # and are the faster for it where operators do not wait

    def test_operators_in_turn_would_cost(self):
        """What the first test looks for is there when the caller says where operators go."""
        one = self.cost(DIGITS, "woofles", "hold", 1)
        two = self.cost(DIGITS, "woofles", "hold", 2, *in_turn(ORIBI, DIGITS, TARGET, ["npu0=woofles", "npu1=woofles"]))
        self.assertEqual(two[3], 2)
        self.assertGreater(two[0], one[0])
        self.assertGreater(two[1], one[1])
        self.assertGreater(two[2], one[2])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
