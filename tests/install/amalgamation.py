#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is oribi.c the library? tools/amalgamate.py writes it, gcc compiles it with an application by one command, clang and gcc 11 read it, and both models of
digits give what `oribi run` gives: int8 to the bit, floats within 1e-6. For AArch64, too, in QEMU, where a compiler and QEMU are.

    amalgamation.py BUILD SOURCE [COMPILER...]
"""
import array
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

BUILD, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits"
ARM = "/usr/aarch64-linux-gnu"


def call(*words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr.decode(errors='replace')[-4000:]}")
    return done


def write(folder):
    """Twice, with other orders of Python's sets: the same bytes."""
    for name, seed in (("one", "1"), ("two", "2")):
        call(sys.executable, SOURCE / "tools/amalgamate.py", folder / name, env={**os.environ, "PYTHONHASHSEED": seed})
    for name in ("oribi.c", "oribi.h"):
        if (folder / "one" / name).read_bytes() != (folder / "two" / name).read_bytes():
            sys.exit(f"{name}: the same tree gives other bytes")
    return folder / "one"


def compilers():
    """(compiler, flags, words before the program, the instruction set whose kernels it must have)"""
    flags = pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else ""
    here = "avx2" if re.search(r"\bavx2\b", flags) and re.search(r"\bfma\b", flags) else "neon" if os.uname().machine == "aarch64" else "portable"
    found = [(c, ["-Wall", "-Wextra", "-Werror"], [], here) for c in ("gcc", shutil.which("clang-14") or "clang") if shutil.which(c)]
    if shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64"):
        found.append(("aarch64-linux-gnu-gcc", [], ["qemu-aarch64", "-L", ARM], "neon"))
    return found


def wanted(folder, model, data):
    """The output's bytes by the command, an .npy in an .npz, which is stored at the end of its member."""
    call(BUILD / "bin/oribi", "run", model, "-i", f"0=@{data}", "-o", folder / "y.npz", "-f")
    npy = zipfile.ZipFile(folder / "y.npz")
    return npy.read(npy.namelist()[0])[128:]


def check(folder, out, compiler, flags, before, instruction_set):
    program = folder / "app"
    if "clang" in compiler and shutil.which("gcc"): # one of them runs it; what the other may say of it is there before any code
        call(compiler, "-std=c11", "-fsyntax-only", *flags, "-I", out, SOURCE / "tests/install/amalgam_app.c", out / "oribi.c")
        print(f"{compiler}: reads it", flush=True)
        return
    call(compiler, "-std=c11", "-O0", *flags, "-I", out, SOURCE / "tests/install/amalgam_app.c", out / "oribi.c", "-lm", "-lpthread", "-o", program)
    for name, kind in (("digits.onnx", "f"), ("digits_int8.tflite", "b")):
        pixels = array.array(kind, [(7 * i % 17) / 16 if kind == "f" else 7 * i % 127 for i in range(64)])
        data = folder / "x.bin"
        data.write_bytes(pixels.tobytes())
        done = call(*before, program, DIGITS / name, data)
        right, got = (array.array(kind, b) for b in (wanted(folder, DIGITS / name, data), done.stdout))
        apart = max(abs(a - b) for a, b in zip(right, got)) if len(right) == len(got) else 1
        print(f"{compiler}: {name}: at most {apart:.1e} apart", flush=True)
        if apart > (1e-6 if kind == "f" else 0):
            sys.exit(f"{compiler}: {name}: {list(got)}, `oribi run` says {list(right)}")
        if kind == "f" and f".{instruction_set}".encode() not in done.stderr:
            sys.exit(f"{compiler}: no kernel for {instruction_set} runs:\n{done.stderr.decode()[:3000]}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = write(folder)
        if not shutil.which("gcc-11"):
            print("gcc-11 is not here: not read by it", flush=True)
        elif not sys.argv[3:]: # the oldest that docs/reference/running/versions.md names
            call("gcc-11", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", out, out / "oribi.c")
            print("gcc-11: reads it", flush=True)
        call("gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", out / "oribi.h")
        for row in compilers():
            if not sys.argv[3:] or row[0] in sys.argv[3:]:
                check(folder, out, *row)


main()
