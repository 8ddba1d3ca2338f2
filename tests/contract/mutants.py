#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a test fail when a function of the contract does nothing? Each function that
docs/plugin-contract.md lists with a test of ours is overwritten, in a copy of that test's program, with
"return 0", and the program is run: who passes all the same does not see the function.

    mutants.py BUILD [FUNCTION...]

Only programs that are built are tried (x86-64, not stripped). Prints the survivors, less those of
UNSEEN, which says why; exit code 1 when there are others."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(\w+)` \| (works|refuses) \| `tests/(\w+)/(\w+)\.c: (\w+)`", re.M)
NOTHING = b"\x31\xc0\xc3"  # xor eax, eax; ret
SECONDS = 20

# Functions that may do nothing without a test's noticing, and why.
UNSEEN = {}


def symbols(program):
    out = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    return {w[2]: int(w[0], 16) for w in (line.split() for line in out.splitlines())
            if len(w) == 3 and w[1] in "tT"}


def segments(data):
    """(address, offset, bytes) of what is loaded of a 64-bit ELF file."""
    at, = struct.unpack_from("<Q", data, 32)
    size, n = struct.unpack_from("<HH", data, 54)
    for i in range(n):
        kind, _, offset, address, _, in_file = struct.unpack_from("<IIQQQQ", data, at + i * size)
        if kind == 1:
            yield address, offset, in_file


def mutant(program, address, folder):
    data = bytearray(program.read_bytes())
    for start, offset, size in segments(data):
        if start <= address < start + size:
            data[offset + address - start:offset + address - start + 3] = NOTHING
    path = folder / program.name
    path.write_bytes(data)
    path.chmod(0o755)
    return path


def passes(program, build):
    try:
        done = subprocess.run([program], cwd=build, capture_output=True, timeout=SECONDS, check=False,
                              env={**os.environ, "ORIBI_TESTS_QUIET": "1"})
    except subprocess.TimeoutExpired:
        return None
    return done.returncode == 0


def main():
    build, only = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    rows = ROW.findall((ROOT / "docs/plugin-contract.md").read_text())
    known, survivors, hangs, n = {}, [], [], 0
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        for function, _, room, file, test in rows:
            program = build / "tests" / f"{room}_{file}"
            if (only and function not in only) or not program.exists():
                continue
            if program not in known:
                known[program] = symbols(program) if passes(program, build) else {}
            address = known[program].get(function)
            if address is None:
                continue
            n += 1
            done = passes(mutant(program, address, folder), build)
            if done is None:
                hangs.append(function)
            elif done:
                survivors.append((function, f"{room}/{file}.c: {test}"))
    finally:
        shutil.rmtree(folder)
    for function, test in survivors:
        print(f"{function}: {test} does not see it{' (' + UNSEEN[function] + ')' if function in UNSEEN else ''}")
    for function in hangs:
        print(f"{function}: its test hangs")
    unexplained = [f for f, _ in survivors if f not in UNSEEN]
    print(f"{n} functions, {len(survivors)} unseen, {len(unexplained)} of them unexplained, {len(hangs)} hang")
    sys.exit(1 if unexplained or hangs else 0)


main()
