#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make wheel`: both wheels, for glibc 2.17 as auditwheel sees it; pytest runs the suite on the installed one of this machine, and the
other's command and library answer in QEMU as this one's do. PyPI's ziglang, auditwheel and pytest go into an environment of its own.

    ORIBI_TEST_WHEELS=1 manylinux.py SOURCE WORK
"""
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SOURCE, WORK = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
WANTED = (2, 17)
ARM_LIBRARIES = "/usr/aarch64-linux-gnu"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(*words, **options):
    print("$", *words, flush=True)
    return subprocess.run([str(w) for w in words], **{"check": True, **options})


def newest(wheel):
    """The newest version of glibc's symbols that a file in the wheel asks for, by objdump or readelf of the machine."""
    worst = (0, 0)
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        for path in pathlib.Path(folder).rglob("*"):
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
                out = subprocess.run(["readelf", "-VW", path], check=True, capture_output=True, text=True).stdout
                worst = max([worst, *(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", out))])
    return worst


def arm_words():
    """The words before an aarch64 program, or none where it cannot run here."""
    qemu = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    return [qemu, "-L", ARM_LIBRARIES] if qemu and os.path.exists(f"{ARM_LIBRARIES}/lib/ld-linux-aarch64.so.1") else []


def answers(folder, before, wheel):
    """What the wheel's own command says of both models of digits: the bytes of int8's outputs, and the scores of the floats."""
    zipfile.ZipFile(wheel).extractall(folder)
    command = folder / "oribi/native/bin/oribi"
    command.chmod(0o755)
    digits = SOURCE / "examples/digits"
    run(*before, command, "run", digits / "digits_int8.tflite", "-i", "0=rand:7", "-o", folder / "int8.npz", stdout=subprocess.DEVNULL)
    said = run(*before, command, "run", digits / "digits.onnx", "-i", "0=rand:7", "--json", capture_output=True, text=True).stdout
    return (folder / "int8.npz").read_bytes(), [float(x) for x in json.loads(said.splitlines()[0])["values"]]


def on_arm(arm_wheel, x86_wheel):
    if not arm_words():
        print("left out: the command of the aarch64 wheel, there is no qemu-aarch64 with libc6-arm64-cross")
        return
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (int8, scores), (int8_here, scores_here) = (answers(folder / name, before, wheel) for name, before, wheel in (
            ("arm", arm_words(), arm_wheel), ("x86", [], x86_wheel)))
    apart = max(abs(a - b) for a, b in zip(scores, scores_here, strict=True))
    print(f"aarch64 in QEMU: int8 {'the same bytes' if int8 == int8_here else 'other bytes'}, floats at most {apart:.1e} apart", flush=True)
    if int8 != int8_here or not apart < 1e-5:
        sys.exit("the wheel for aarch64 computes something else")


def make():
    """Both wheels, by an environment of its own, whose Python is the result."""
    shutil.rmtree(WORK, ignore_errors=True)
    python = WORK / "venv/bin/python"
    if subprocess.run([sys.executable, "-m", "venv", WORK / "venv"], capture_output=True).returncode:
        skip("this Python cannot make a virtual environment (Debian: python3-venv)")
    pip = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "ziglang", "auditwheel", "pytest"],
                         capture_output=True, text=True)
    if pip.returncode:
        skip(f"PyPI cannot be reached for ziglang, auditwheel and pytest: {pip.stderr.strip()[-300:]}")
    run(python, SOURCE / "python/oribi_wheel.py", "make", WORK)
    return python


def main():
    if not os.environ.get("ORIBI_TEST_WHEELS"):
        skip("two builds with zig take a processor ten minutes; ORIBI_TEST_WHEELS=1 makes them")
    if platform.machine() != "x86_64":
        skip("the comparison is with the wheel of x86-64")
    python = make()
    wheels = sorted(WORK.glob("*.whl"))
    if [w.name.rsplit("_2_17_")[-1] for w in wheels] != ["aarch64.whl", "x86_64.whl"]:
        sys.exit(f"not the two wheels: {wheels}")
    for wheel in wheels:
        found = newest(wheel)
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, GLIBC {'.'.join(map(str, found))}", flush=True)
        if not (0, 0) < found <= WANTED:
            sys.exit(f"{wheel.name} asks for GLIBC {found}")
        said = run(python, "-m", "auditwheel", "show", wheel, capture_output=True, text=True).stdout
        print(said)
        if not re.search(r'manylinux_2_(5|12|17)_', said):
            sys.exit("auditwheel does not say manylinux_2_17 or lower")
    on_arm(*wheels)
    sys.exit(run(python, SOURCE / "tests/python/installed.py", SOURCE, wheels[1], check=False).returncode)


main()
