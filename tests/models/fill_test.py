#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No byte of a result is what happened to lie in memory: the first model of each file of vectors, and
the small models of ../shared, run twice by the command, over memory that malloc filled with one byte
and with another (glibc's MALLOC_PERTURB_), and give the same files.

    fill_test.py ORIBI
"""
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "models" / "mlperf-tiny"


def first_model(path):
    data = lzma.decompress(path.read_bytes())
    assert data[:6] == b"ORVEC1", path
    size = int.from_bytes(data[8:12], "little")
    head = json.loads(data[12:12 + size])
    offset, count = head["cases"][0]["model"]
    return data[12 + size + offset:12 + size + offset + count]


def execute(oribi, folder, filling, *arguments):
    environment = dict(os.environ, MALLOC_PERTURB_=str(filling))
    return subprocess.run([oribi, *arguments], cwd=folder, env=environment, capture_output=True,
                          text=True)


def outputs(oribi, folder, model, inputs, filling):
    """Exit code, output files with their bytes."""
    for old in folder.glob("out*"):
        old.unlink()
    options = [part for name in inputs for part in ("-i", f"{name}=rand:1")]
    got = execute(oribi, folder, filling, "run", model, *options, "-o", "out.npz")
    return got.returncode, got.stderr, [f.read_bytes() for f in sorted(folder.glob("out*"))]


def main():
    oribi = str(pathlib.Path(sys.argv[1]).resolve())
    models = [(p.name, first_model(p)) for p in sorted((ROOT / "tests" / "vectors").glob("*.xz"))]
    models += [(p.name, p.read_bytes()) for p in sorted(SHARED.glob("*.tflite"))]
    faults, n_run = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, data in models:
            model = "m.onnx" if name.startswith("onnx") else "m.tflite"
            (folder / model).write_bytes(data)
            about = json.loads(execute(oribi, folder, 0, "inspect", model, "--json").stdout)
            inputs = [value["name"] for value in about["inputs"]]
            first = outputs(oribi, folder, model, inputs, 0x5a)
            second = outputs(oribi, folder, model, inputs, 0xc3)
            n_run += first[0] == 0
            if first != second:
                faults.append(f"{name}: results depend on what lay in memory: {first[1]}")
    print("\n".join(faults))
    print(f"{len(models)} models, {n_run} ran, {len(faults)} faults")
    sys.exit(1 if faults or n_run < len(models) * 9 // 10 else 0)


if __name__ == "__main__":
    main()
