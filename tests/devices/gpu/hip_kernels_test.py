#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What plugin hip embeds, without a GPU: each kernel that plugins/device_ops/code has in C is a kernel
of some code object, for each architecture.

usage: hip_kernels_test.py FOLDER_OF_CODE_OBJECTS DOUBLE.so "gfx906;gfx90a"
"""
import pathlib
import re
import subprocess
import sys


def missing(objects, names, architectures):
    """A kernel's descriptor is the symbol NAME.kd; a bundle has one object for each architecture."""
    faults = [f"{name} is no kernel of any code object" for name in sorted(names)
              if sum(data.count(f"{name}.kd\0".encode()) for data in objects) < len(architectures)]
    return faults + [f"no code object is for {a}" for a in architectures
                     if not any(a.encode() in data for data in objects)]


def main():
    objects = [path.read_bytes() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.hsaco"))]
    symbols = subprocess.run(["nm", "-D", sys.argv[2]], capture_output=True, text=True, check=True).stdout
    names, architectures = set(re.findall(r"\b(op_\w+)_parameters\b", symbols)), sys.argv[3].split(";")
    if not missing(objects, names | {"op_nothing"}, architectures) or \
            not missing(objects, names, [*architectures, "gfx000"]):
        sys.exit("hip: a planted fault was not seen")
    faults = missing(objects, names, architectures)
    print(*faults, sep="\n")
    print(f"{len(names)} kernels for {' '.join(architectures)}")
    sys.exit(1 if faults or not names else 0)


main()
