#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a test fail when a function of the contract does nothing? Each function that
docs/reference/plugin-contract.md lists with a test of ours is overwritten, in a copy of that test's program, with
"return 0", and the program is run: who passes all the same does not see the function.

    mutants.py BUILD [--part K/N] [FUNCTION...]

Only programs that are built are tried (x86-64, not stripped). Says of each function, as it goes, whether it
is seen, and names the survivors again at the end; exit code 1 when UNSEEN does not say why. --part takes the
K-th of N parts of the functions, so that a long pass can be had in pieces."""
import argparse
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(\w+)` \| (works|refuses) \| `tests/(\w+)/(\w+)\.c: (\w+)`", re.M)
NOTHING = b"\x31\xc0\xc3"  # xor eax, eax; ret
SECONDS = 20

# Functions that may do nothing without a test's noticing, and why.
LEAKS = "a leak, which the preset asan sees"
NOTHING_TO_SAY = "0 or NULL is its answer"
UNSEEN = {**dict.fromkeys(("TF_DeleteStatus", "TF_DeleteEigenAllocatorHandle", "TF_DeleteGraphProperties",
                           "TF_DeleteFunctionLibraryDefinition", "TF_DeleteThreadPoolHandle", "TF_StringStreamDone",
                           "TF_DeleteBuffer", "TF_DeleteDimensionHandle", "TF_DeleteShapeHandle",
                           "oribi_compile_destroy", "oribi_model_destroy", "oribi_options_destroy"), LEAKS),
          **dict.fromkeys(("TF_EigenStream_GetDeviceProperties", "TF_GetFrameId", "TF_GetIterId", "TF_GetDeviceId"),
                          NOTHING_TO_SAY),
          "TF_DVLog": "it says nothing outside debug builds"}


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


def part(text):
    k, n = (int(word) for word in text.split("/"))
    if not 1 <= k <= n:
        raise ValueError(text)
    return k, n


def chosen(given):
    """(function, its test's program, the test) of what is asked for; tests of one program stand together."""
    rows = sorted(ROW.findall((ROOT / "docs/reference/plugin-contract.md").read_text()), key=lambda row: row[2:4])
    rows = [(f, given.build.resolve() / "tests" / f"{room}_{file}", f"{room}/{file}.c: {test}")
            for f, _, room, file, test in rows if not given.functions or f in given.functions]
    k, n = given.part
    return rows[(k - 1) * len(rows) // n:k * len(rows) // n]


def tell(program, function, known, folder, build):
    """"seen", "unseen", "hangs", or why it cannot be told."""
    if not program.exists():
        return "is not built"
    if program not in known:
        known[program] = symbols(program) if passes(program, build) else None
    if known[program] is None:
        return "does not pass as it is"
    if function not in known[program]:
        return "has no such function"
    done = passes(mutant(program, known[program][function], folder), build)
    return "hangs" if done is None else "unseen" if done else "seen"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--part", type=part, default=(1, 1))
    parser.add_argument("functions", nargs="*")
    given = parser.parse_args()
    known, found = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for function, program, test in chosen(given):
            found[function] = tell(program, function, known, pathlib.Path(folder), given.build), test
            is_told = found[function][0] in ("seen", "unseen", "hangs")
            print(f"{function}: {found[function][0] if is_told else f'{program.name} {found[function][0]}'}", flush=True)
    told = {what: {f: test for f, (kind, test) in found.items() if kind == what} for what in ("seen", "unseen", "hangs")}
    for what in ("unseen", "hangs"):
        for function, test in told[what].items():
            print(f"{what}: {function}: {test}{' (' + UNSEEN[function] + ')' if function in UNSEEN else ''}")
    bad = [f for f in told["unseen"] if f not in UNSEEN]  # the time limit of a test sees what hangs
    print(f"{len(found)} functions: {len(told['seen'])} seen, {len(told['unseen'])} unseen, {len(told['hangs'])} hang, "
          f"{len(found) - sum(map(len, told.values()))} not tried; {len(bad)} unexplained")
    sys.exit(1 if bad else 0)


main()
