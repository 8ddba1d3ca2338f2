#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins of each contract version, source and headers as they were: never edited (a hash says so),
built with their own headers, tested by today's library.

    check.py ORIBI
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HASHES = {"1.0": "6414fca79f4d15479c52a8e5e20b006e40a11d1a3c0efb99f58cad5d4011e5e0",
          "1.1": "b1b7d2ac3c2a27165a65434f71e3615cf0eb6d3e84904d71adc87bf169ae8c63"}


def digest(folder):
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        total.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def main():
    for version, expected in HASHES.items():
        folder = HERE / version
        if digest(folder) != expected:
            sys.exit(f"tests/frozen/{version} was edited ({digest(folder)}); put it back: it is what plugins "
                     "out there were built from")
        with tempfile.TemporaryDirectory() as work:
            plugin = f"{work}/plugin.so"
            subprocess.run(["cc", "-shared", "-fPIC", "-I", folder / "include", folder / "plugin.c", "-o",
                            plugin, "-lm"], check=True)
            subprocess.run([sys.argv[1], "plugin", "test", plugin, "--seed", "1"], check=True)
    known = {p.name for p in HERE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    if known != set(HASHES):
        sys.exit(f"tests/frozen: {known ^ set(HASHES)} without a hash or a folder")


main()
