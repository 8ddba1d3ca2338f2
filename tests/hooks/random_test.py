#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random devices, pools and schedules: whatever is not refused computes what the CPU computes, and no device
touches a pool that it does not see.

    random_test.py ORIBI SOURCE_FOLDER MADE_TARGETS FIRST_SEED SEEDS
"""
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from made_program import Program

ORIBI, SOURCE, TARGETS = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
SEEDS = range(int(sys.argv[4]), int(sys.argv[4]) + int(sys.argv[5]))
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
MODELS = [DIGITS, DIGITS] + ([TINY / "kws_ref_model.tflite", TINY / "pretrainedResnet_quant.tflite"]
                             if TINY.is_dir() and len(SEEDS) > 20 else [])
KINDS = ["cached", "queued", "queued", "shared", "peer", "walled", "wide"]
REFUSALS = ("sees no pool that the CPU sees", "the CPU sees none of the pools")


def made_up(seed):
    """A model, its devices, the options, and by device the pools that name it."""
    r = random.Random(seed)
    model, names = r.choice(MODELS), "abc"[:r.randint(1, 3)]
    devices = [f"{name}={r.choice(KINDS)}" for name in names]
    options, sees = ["--device-schedule", r.choice(["design", "lazy", "eager", "hold", "hold"])], {}
    pools = [(f"p{k}", [n for n in names if r.random() < 0.45], r.random() < 0.25) for k in range(r.randint(1, 4))] \
        if r.random() < 0.75 else []
    pools += [("last", list(names) if r.random() < 0.5 else [], False)] if pools else []
    for pool, who, is_hidden in pools:
        options += ["--pool", "".join([f"name={pool}", *(f",device={n}" for n in who),
                                       ",cpu=no" if who and is_hidden else ""])]
        for name in who:
            sees.setdefault(name, set()).add(pool)
    return model, devices, options, sees, r.random() < 0.3


class Random(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def expected(self, model):
        if model != DIGITS:
            inputs = sorted((TINY / "golden" / model.stem).glob("*input*"))[0]
            return inputs.read_bytes(), pathlib.Path(str(inputs).replace("input", "output")).read_bytes()
        inputs = bytes(i * 31 % 127 for i in range(64))
        (self.folder / "in.bin").write_bytes(inputs)
        subprocess.run([ORIBI, "run", model, "--kernels", "micro", "-i", f"0=@{self.folder / 'in.bin'}", "-o",
                        self.folder / "out.npy", "--force"], check=True, stdout=subprocess.DEVNULL)
        data = (self.folder / "out.npy").read_bytes()
        return inputs, data[10 + int.from_bytes(data[8:10], "little"):]

    def check(self, seed):
        model, devices, options, sees, is_sanitized = made_up(seed)
        flags = ("-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all") if is_sanitized else ()
        try:
            program = Program(ORIBI, SOURCE, TARGETS, self.folder / str(seed), model, devices, *options, flags=flags)
        except AssertionError as refusal:
            self.assertTrue(any(text in str(refusal) for text in REFUSALS), refusal)
            return 0
        inputs, expected = self.expected(model)
        lines, out = program.run(inputs)
        self.assertEqual(out, expected)
        walled = {d.split("=")[0] for d in devices if d.endswith("walled")}
        for line in lines:
            call = re.match(r"([abc]) (?:Invoke|Start) ", line)
            if call and call.group(1) in sees and call.group(1) not in walled:
                touched = {part.split("+")[0] for part in line.split() if re.search(r"\+\d+:\d+$", part)}
                self.assertLessEqual(touched, sees[call.group(1)], line)
        return 1

    def test_whatever_is_not_refused_computes_what_the_cpu_computes(self):
        ran = 0
        for seed in SEEDS:
            with self.subTest(seed=seed, case=str(made_up(seed)[1:3])):
                ran += self.check(seed)
        self.assertGreater(ran, len(SEEDS) // 2)
        print(f"{ran} of {len(SEEDS)} ran")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
