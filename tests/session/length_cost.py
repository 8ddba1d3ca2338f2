# SPDX-License-Identifier: Apache-2.0
"""What does a length that was never seen cost a decoder whose inputs have bounds? Instructions of its
run against those of the next one at the same length.

    length_cost.py ORIBI SOURCE [COMPILER]

More than 5 % fail. Models: tests/import/transformers/models.tar.xz.
"""
import pathlib
import re
import sys
import tarfile
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import costs  # noqa: E402

MOST = 0.05
BOUND = 64
LEARN = [8, 16, 30, 8, 16, 30]  # what no shape function foretells has its room then
LENGTHS = [31, 40]
MODELS = {"llama": (8, ["position_ids"]), "grouped": (16, [])}  # size of a head, further inputs
CACHES = [f"past_key_values.{layer}.{part}" for layer in range(2) for part in ("key", "value")]


def give(folder, name, pasts):
    """A folder for each input, a file in it for each run."""
    size, further = MODELS[name]
    words = []
    for i in ["input_ids", "attention_mask", *further, *CACHES]:
        (folder / i).mkdir()
        words += ["-i", f"{i}=@{folder / i}/"]
        for run, past in enumerate(pasts):
            value = (numpy.full((1, 2, past, size), 0.25, numpy.float32) if i in CACHES
                     else numpy.ones((1, past + 1), numpy.int64) if i == "attention_mask" else numpy.full((1, 1), past, numpy.int64))
            numpy.save(folder / i / f"{run:03}.npy", value)
    return words


def count(oribi, model, name, folder):
    """Instructions of each run, in order: callgrind writes a file when the next begins."""
    command = [oribi, "run", model, "-t", "1", "--isa", "avx2", "-f", "-o", folder / "out{}.npz",
               "--bound", f"attention_mask:1={BOUND + 1}"]
    for cache in CACHES:
        command += ["--bound", f"{cache}:2={BOUND}"]
    command += give(folder, name, [*LEARN, *(n for n in LENGTHS for _ in range(2))])
    out = costs.callgrind(command, ["--toggle-collect=oribi_run_execute", "--dump-before=oribi_run_execute"], folder)
    files = sorted(folder.glob(out.name + ".*"), key=lambda p: int(p.suffix[1:]))[1:] + [out]
    found = [int(re.search(r"^totals: (\d+)$", f.read_text(), re.M)[1]) for f in files]
    return found[len(LEARN):]


def main():
    oribi, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    good = True
    for name in MODELS:
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            with tarfile.open(source / "tests/import/transformers/models.tar.xz") as archive:
                archive.extract(f"./{name}.onnx", folder)
            counts = count(oribi, folder / f"{name}.onnx", name, folder)
            if len(counts) != 2 * len(LENGTHS) or min(counts) == 0:
                sys.exit(f"callgrind saw other runs: {counts}")
            new, seen = sum(counts[::2]), sum(counts[1::2])
            print(f"{name}: a new length costs {100 * (new / seen - 1):+.2f} % of its run ({seen // len(LENGTHS):,} instructions)")
            good = good and new <= seen * (1 + MOST)
    sys.exit(0 if good else 1)


main()
