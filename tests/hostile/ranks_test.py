#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every family of ops at ranks up to 17 (each of them with ORIBI_TEST_FULL=1) against numpy: 16 is computed right, 17 is refused. Compiled, they
end above rank 8: a value of a higher rank is named with its rank.

    ranks_test.py ORIBI [FAMILY...]

The models are in ranks_models.py and ranks_chains.py. Exit code 3 or 4 and a message that names the limit
are the only way to end above 16.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import ranks_chains  # noqa: F401  (adds its families)
from ranks_models import FAMILIES

ORIBI = pathlib.Path(sys.argv[1]).resolve()
# Ranks with kernels and walks of their own (1 to 5), either side of what is compiled (8) and of what there is (16).
RANKS = [2, 8, 9, 16, 17] if os.environ.get("ORIBI_SANITIZED") == "1" else [1, 2, 3, 4, 5, 8, 9, 15, 16, 17]
if os.environ.get("ORIBI_TEST_FULL") == "1":
    RANKS = range(1, 18)
MAX_RANK = 16
REFUSED = r"(?:at most|more than) 16|16 at most|rank (?:of )?17|(?:\b17|\b18) (?:axes|dimensions|sizes|elements)"
CRASH = r"Sanitizer|runtime error:|0x(?:5[5-6]|7[ef])[0-9a-f]{10}\b|\b(?:9[3-4]\d{12}|1(?:3[89]|40)\d{12})\b"
COMPILED_RANK = r"node '[^']*' \([^)]*\): '[^']+' has rank (\d+); what is compiled has at most 8"
# Why a model of any rank is not compiled.
NOT_COMPILED = ["operators cannot be compiled to C yet", "which cannot be compiled", "not provided by any"]
COMPUTED = "a computed shape has an unknown length"  # what Expand says


def check(folder, make, rank, is_open):
    m, y, wanted = make(rank)
    (folder / "m.onnx").write_bytes(m.bytes(y, is_open))
    inputs = []
    for name, array in {"x": m.x, **m.more}.items():
        np.save(folder / f"{name}.npy", array)
        inputs += ["-i", f"{name}=@{name}.npy"]
    (folder / "y.npy").unlink(missing_ok=True)
    done = subprocess.run([ORIBI, "run", "m.onnx", *inputs, "-f", "-o", "y.npy"], cwd=folder,
                          capture_output=True, timeout=120)
    text = (done.stdout + done.stderr).decode(errors="replace")
    above = max(rank, m.x.ndim, wanted.ndim) > MAX_RANK
    if done.returncode not in (0, 3, 4) or re.search(CRASH, text):
        return f"ended with {done.returncode}: {text[:500]}"
    if done.returncode != 0:
        may = is_open or (above and re.search(REFUSED, text)) or (m.more and COMPUTED in text)
        return None if may else f"refused: {text[:500]}"
    if max(m.x.ndim, wanted.ndim) > MAX_RANK:
        return "was not refused"
    found = np.load(folder / "y.npy")
    if found.shape != wanted.shape:
        return f"has shape {found.shape}, expected {wanted.shape}"
    if not np.allclose(found, wanted, rtol=1e-5, atol=1e-5):
        return f"has {found.ravel()[:6]}, expected {wanted.ravel()[:6]}"
    return None


def check_compiled(folder, make, rank):
    m, y, _ = make(rank)
    (folder / "m.onnx").write_bytes(m.bytes(y, False))
    done = subprocess.run([ORIBI, "compile", "m.onnx", "-f", "-o", "c"], cwd=folder, capture_output=True,
                          timeout=120)
    text = done.stderr.decode(errors="replace")
    may = (0, 3, 4) if m.more and "is not known before a run" in text else (0, 3)
    if done.returncode not in may or re.search(CRASH, text):
        return f"compile ended with {done.returncode}: {text[:500]}"
    found = re.search(COMPILED_RANK, text)
    # Where a run computes the shape there is no rank to name.
    if done.returncode == 0 or m.more or any(reason in text for reason in NOT_COMPILED):
        return None
    return None if found and int(found.group(1)) > 8 else f"compile did not name value and rank: {text[:500]}"


def main():
    bad = n = 0
    chosen = sys.argv[2:] or FAMILIES
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen:
            make, lowest, highest = FAMILIES[name]
            for rank, is_open in [(r, False) for r in RANKS] + [(9, True), (16, True)]:
                if lowest <= rank <= highest:
                    said = check(pathlib.Path(scratch), make, rank, is_open)
                    n += 1
                    if not said and 8 < rank <= MAX_RANK and not is_open:
                        said = check_compiled(pathlib.Path(scratch), make, rank)
                    if said:
                        print(f"{name} of rank {rank}{', open' if is_open else ''}: {said.strip()}")
                        bad += 1
    print(f"{n} models, {bad} faults")
    sys.exit(1 if bad or n == 0 else 0)


main()
