#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the rows of a table of hostile files: each must be refused, or computed right, and no more.

    hostile_test.py ORIBI TABLE.rows

A row is `arguments | exit code | expectation [| most memory]`, `#` begins a comment:

    inspect smash.tflite      | 4 | rank 60 .* at most 16
    run tr10.onnx -i x=@t.npy | 0 | = np.transpose(a("t.npy"), [7, 0, 1])
    run bomb.onnx -i x=@p.png | 4 | --max-bytes         | 64m
    make fan.py 25000

- The expectation is a regular expression that the output must contain, or after `=` an expression of
  numpy that the only output must equal (`a(FILE)` loads a .npy file; nearly, for floats).
- `make SCRIPT ARGUMENTS` runs a script of `generate/`, which writes large files; scripts and commands
  run in one scratch folder that has copies of `files/`, so rows may name either. `80000/8000` is the
  second number under sanitizers, which look for something else than time and take ten times as long.
- Whatever is expected: no row may crash, outlast 60 s, wake a sanitizer or print an address.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SANITIZED = os.environ.get("ORIBI_SANITIZED") == "1"
SECONDS = 60
# Pointers of a 64-bit Linux process, as %p shows them and as numbers: heap and program, then stack
# and libraries.
ADDRESS = r"0x(?:5[5-6]|7[ef])[0-9a-f]{10}\b|\b(?:9[3-4]\d{12}|1(?:3[89]|40)\d{12})\b"
SANITIZER = r"(?:Address|Leak|Memory|Thread)Sanitizer|runtime error:"


def execute(command, folder):
    """Exit code (negative: the signal), everything printed, peak memory in bytes."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT, cwd=folder)
        end = time.monotonic() + SECONDS
        while True:
            pid, state, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                child.kill()
            time.sleep(0.005)
        child.returncode = os.waitstatus_to_exitcode(state)
        out.seek(0)
        return child.returncode, out.read().decode(errors="replace"), usage.ru_maxrss * 1024


def bytes_of(text):
    units = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def result_fault(folder, expression):
    try:
        found = np.load(folder / "result.npy")
    except (OSError, ValueError) as error:
        return f"has no result that numpy reads: {error}"
    wanted = np.asarray(eval(expression, {"np": np, "a": lambda name: np.load(folder / name)}))
    if found.shape != wanted.shape:
        return f"has shape {found.shape}, expected {wanted.shape}"
    if not np.allclose(found, wanted, rtol=1e-5, atol=1e-6):
        return f"has values {found.ravel()[:8]}, expected {wanted.ravel()[:8]}"
    return None


def fault(oribi, folder, cells):
    arguments, code, expectation = cells[:3]
    computes = expectation.startswith("=")
    extra = ["-f", "-o", "result.npy"] if computes else []
    found, text, peak = execute([oribi, *shlex.split(arguments), *extra], folder)
    if found != int(code):
        return f"ended with {found}, expected {code}:\n{text[:2000]}"
    if re.search(SANITIZER, text):
        return f"woke a sanitizer:\n{text[:2000]}"
    if re.search(ADDRESS, text):
        return f"printed an address:\n{text[:2000]}"
    if len(cells) > 3 and peak > bytes_of(cells[3]) and not SANITIZED:
        return f"took {peak} bytes, at most {cells[3]} expected"
    if computes:
        return result_fault(folder, expectation[1:].strip())
    if not re.search(expectation, text):
        return f"did not say '{expectation}':\n{text[:2000]}"
    return None


def main():
    oribi, table = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    bad = n_rows = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "files"
        shutil.copytree(HERE / "files", folder)
        for number, line in enumerate(table.read_text().splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("make "):
                script, *rest = shlex.split(re.sub(r"(\d+)/(\d+)", r"\2" if SANITIZED else r"\1", line[5:]))
                subprocess.run([sys.executable, HERE / "generate" / script, *rest], cwd=folder, check=True)
                continue
            cells = [c.strip() for c in re.split(r"\s\|\s", line)]
            if len(cells) not in (3, 4):
                sys.exit(f"{table}:{number}: a row has three or four cells")
            n_rows += 1
            (folder / "result.npy").unlink(missing_ok=True)
            said = fault(oribi, folder, cells)
            if said:
                print(f"{table.name}:{number}: oribi {cells[0]}: {said}")
                bad += 1
    print(f"{table.name}: {n_rows} rows, {bad} faults")
    sys.exit(1 if bad or n_rows == 0 else 0)


main()
