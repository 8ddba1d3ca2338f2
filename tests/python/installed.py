#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The suite on an installed wheel, in a fresh virtual environment, with NumPy and without.

    installed.py SOURCE (BUILD | WHEEL)

BUILD is a build folder, from whose installation a wheel is packed. What pytest, NumPy, ml_dtypes, onnx and onnxruntime the environment
has comes from the interpreter that ORIBI_PEER_PYTHON names, or from Debian's packages; without pytest unittest runs the suite. The wheel
itself is checked: its size, what is inside, that two packings are the same bytes. Faults are planted.
"""
import hashlib
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

SOURCE, FROM = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
MOST_BYTES = 6 << 20
NEEDED = ("oribi/__init__.py", "oribi/__init__.pyi", "oribi/py.typed", "oribi/native/lib/liboribi.so.1", "oribi/native/bin/oribi",
          "oribi/native/libexec/oribi/oribi-plugin-probe", "oribi/native/include/oribi/oribi/oribi.h",
          "oribi/native/include/oribi-plugin/tensorflow/c/kernels.h", "oribi/native/include/oribi-plugin/oribi/kernel_kit.h")
sys.dont_write_bytecode = True


def call(*words, **options):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def pack(work):
    """A wheel of the build folder, which is as it is: stripped when it is installed."""
    call("cmake", "--install", FROM, "--prefix", work / "image", "--strip")
    tree = work / "image"
    libraries = next(tree.rglob("liboribi.so.1")).parent
    if libraries != tree / "lib":  # lib/TRIPLET of Debian
        (tree / "lib-of-wheel").mkdir()
        for path in libraries.iterdir():
            path.rename(tree / "lib-of-wheel" / path.name)
        libraries.rmdir()
        for path in (tree / "lib-of-wheel").iterdir():
            path.rename(tree / "lib" / path.name)
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    words = [sys.executable, SOURCE / "python/oribi_wheel.py", "pack", tree]
    wheels = [pathlib.Path(call(*words, work / out, platform).split("\n")[0]) for out in ("one", "two")]
    if len({hashlib.sha256(w.read_bytes()).digest() for w in wheels}) != 1:
        sys.exit("the same tree twice gives other bytes")
    return wheels[0]


def faults(names, size):
    found = [f"the wheel lacks {name}" for name in NEEDED if name not in names]
    found += [f"the wheel has {name}" for name in names if name.endswith((".a", ".pyc")) or "/tests/" in name]
    return found + ([f"the wheel has {size:,} bytes, more than {MOST_BYTES:,}"] if size > MOST_BYTES else [])


def check(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        if archive.testzip() is not None:
            sys.exit("the wheel is damaged")
    found = faults(names, wheel.stat().st_size)
    if found:
        sys.exit("\n".join(found))
    if not faults(names[1:] + ["x.a"], 0) or not faults([n for n in names if "probe" not in n], 0) or not faults(names, MOST_BYTES + 1):
        sys.exit("a fault that was planted is not seen")
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, {len(names)} members", flush=True)


def packages():
    """Folders of packages that tests may use, of an interpreter of this very version."""
    code = "import sys, sysconfig; print(sys.version_info[:2], sysconfig.get_path('purelib'), *[p for p in sys.path if 'packages' in p])"
    for python in filter(None, (os.environ.get("ORIBI_PEER_PYTHON"), "/usr/bin/python3")):
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
        version, _, folders = done.stdout.strip().partition(") ")
        if not done.returncode and f"{version})" == str(sys.version_info[:2]):
            yield from dict.fromkeys(folders.split())


def main():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        wheel = FROM if FROM.is_file() else pack(work)
        check(wheel)
        if subprocess.run([sys.executable, "-m", "venv", work / "venv"], capture_output=True).returncode:
            print("skipped: this Python cannot make a virtual environment (Debian: python3-venv)")
            sys.exit(77)
        python = work / "venv/bin/python"
        call(python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check", wheel)
        site = call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        (pathlib.Path(site) / "of_tests.pth").write_text("\n".join(packages()) + "\n")
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "ORIBI_LIBRARY", "LD_LIBRARY_PATH",
                                                                         "ORIBI_PLUGIN_PROBE", "ORIBI_COMMAND")}
        environment |= {"ORIBI_TEST_SOURCE": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
        suite = SOURCE / "tests/python/suite"
        has_pytest = subprocess.run([python, "-c", "import pytest"], capture_output=True).returncode == 0
        runner = ["-m", "pytest", "-q", "-p", "no:cacheprovider", suite] if has_pytest else ["-m", "unittest", "discover", "-s", suite]
        script = call(work / "venv/bin/oribi", "version", env=environment).strip()
        print(f"installed {script}; {'pytest' if has_pytest else 'unittest'}", flush=True)
        failed = 0
        for kind, more in (("with what is installed", {}), ("without NumPy", {"ORIBI_TEST_NO_NUMPY": "1"})):
            print(f"== {kind}", flush=True)
            failed |= subprocess.run([python, *runner], env={**environment, **more}, cwd=work).returncode
        sys.exit(failed != 0)


main()
