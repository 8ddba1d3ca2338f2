#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make wheel`: both wheels, for glibc 2.17 as auditwheel sees it; the suite on the one of this machine, and the other's command
under qemu-aarch64.

    manylinux.py SOURCE WORK
"""
import importlib.util
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


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(*words, **options):
    print("$", *words, flush=True)
    return subprocess.run([str(w) for w in words], check=True, **options)


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


def on_arm(wheel):
    qemu = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if not qemu or not os.path.exists("/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1"):
        print("left out: the command of the aarch64 wheel, there is no qemu-aarch64 with libc6-arm64-cross")
        return
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        command = pathlib.Path(folder, "oribi/native/bin/oribi")
        command.chmod(0o755)
        words = [qemu, "-L", "/usr/aarch64-linux-gnu", command, "run", SOURCE / "examples/digits/digits.onnx", "--top-k", "1",
                 "-i", "picture=1x1x8x8xf32=" + ",".join(["0"] * 64)]
        arm = run(*words, capture_output=True, text=True).stdout
        here = run(*[SOURCE / "build/wheel/x86_64/image/bin/oribi"] + words[4:], capture_output=True, text=True).stdout
        if arm.split()[:1] != here.split()[:1]:
            sys.exit(f"aarch64 says {arm}, x86-64 {here}")


def main():
    if importlib.util.find_spec("ziglang") is None:
        skip("there is no ziglang in this Python; pip install ziglang auditwheel")
    if platform.machine() != "x86_64":
        skip("the comparison is with the wheel of x86-64")
    shutil.rmtree(WORK, ignore_errors=True)
    run(sys.executable, SOURCE / "python/oribi_wheel.py", "make", WORK)
    wheels = sorted(WORK.glob("*.whl"))
    if [w.name.rsplit("_2_17_")[-1] for w in wheels] != ["aarch64.whl", "x86_64.whl"]:
        sys.exit(f"not the two wheels: {wheels}")
    for wheel in wheels:
        found = newest(wheel)
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, GLIBC {'.'.join(map(str, found))}", flush=True)
        if not (0, 0) < found <= WANTED:
            sys.exit(f"{wheel.name} asks for GLIBC {found}")
        if importlib.util.find_spec("auditwheel") is not None and "x86_64" in wheel.name:
            said = run(sys.executable, "-m", "auditwheel", "show", wheel, capture_output=True, text=True).stdout
            print(said)
            if not re.search(r'manylinux_2_(5|12|17)_', said):
                sys.exit("auditwheel does not say manylinux_2_17 or lower")
    on_arm(wheels[0])
    sys.exit(run(sys.executable, SOURCE / "tests/python/installed.py", SOURCE, wheels[1]).returncode)


main()
