#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The contract's layout against the committed dump, with four compilers: lines may be added, none may
change or go. Exported symbols likewise. Then faults are planted in copies and must be seen.

    check.py SOURCE_FOLDER LIBRARY [--update]
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import dump

SKIP = 77
COMPILERS = ["gcc", "clang-14", "g++", "clang++-14"]
# (what is done, header, pattern, replacement): each must take a committed line away.
FAULTS = [
    ("insert a member", "tensorflow/c/tf_buffer.h", r"(typedef struct TF_Buffer \{)", r"\1 int planted;"),
    ("swap two members", "tensorflow/c/kernels.h", r"int start;\s*int stop;", "int stop; int start;"),
    ("retype a member", "tensorflow/c/tf_buffer.h", r"size_t length;", "int length;"),
    ("remove a function", "tensorflow/c/ops.h",
     r"TF_CAPI_EXPORT extern void TF_RegisterOpDefinition\([^;]*;", ""),
    ("retype a parameter", "tensorflow/c/kernels.h", r"int TF_NumInputs\(TF_OpKernelContext \*ctx\)",
     "int TF_NumInputs(void *ctx)"),
    ("renumber an enumerator", "tensorflow/c/tf_datatype.h", r"TF_INT32 = 3", "TF_INT32 = 34"),
    ("change a macro", "tensorflow/c/tf_tensor.h", r"TF_OFFSET_OF_END\(TF_AllocatorAttributes, on_host\)",
     "16"),
    ("retype an inline of micro", "micro/fixed_point.h", r"oribi_micro_clamp\(int32_t x", "oribi_micro_clamp(int64_t x"),
]


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                         text=True).stdout
    return {line.split()[2] for line in out.splitlines()}


def lost(committed, now):
    return sorted(set(committed) - set(now))


def plant(include, committed):
    for what, header, pattern, replacement in FAULTS:
        with tempfile.TemporaryDirectory() as work:
            copy = pathlib.Path(work) / "include"
            shutil.copytree(include, copy)
            text = (copy / header).read_text()
            broken = re.sub(pattern, replacement, text, count=1, flags=re.S)
            if broken == text:
                sys.exit(f"abi: the planted fault '{what}' no longer fits {header}")
            (copy / header).write_text(broken)
            if not lost(committed, dump.dump(str(copy), "gcc")):
                sys.exit(f"abi: the planted fault '{what}' was not seen")


def plant_unexported(library, wanted):
    """A copy of the library that calls one of its functions otherwise."""
    name, data = b"\0TF_RegisterOpDefinition\0", pathlib.Path(library).read_bytes()
    if name not in data:
        sys.exit("abi: the planted fault 'unexport' no longer fits the library")
    with tempfile.TemporaryDirectory() as work:
        copy = pathlib.Path(work) / "copy.so"
        copy.write_bytes(data.replace(name, name.replace(b"TF_R", b"TF_P"), 1))
        if lost(wanted, exported(copy)) != ["TF_RegisterOpDefinition"]:
            sys.exit("abi: the planted fault 'unexport' was not seen")


def main():
    source, library = pathlib.Path(sys.argv[1]), sys.argv[2]
    if shutil.which("abidw") is None:
        print("skipped: no abidw (Debian: abigail-tools)")
        sys.exit(SKIP)
    include = source / "include"
    file = source / "tests/abi/contract.abi"
    symbols_file = source / "packaging/oribi.symbols"
    if "--update" in sys.argv:
        file.write_text("\n".join(dump.dump(str(include), "gcc")) + "\n")
        return
    committed = file.read_text().splitlines()
    for compiler in COMPILERS:
        if shutil.which(compiler) is None:
            print(f"{compiler} is not here")
            continue
        now = dump.dump(str(include), compiler)
        gone = lost(committed, now)
        for line in gone:
            print(f"{compiler}: lost or changed: {line}")
        if gone:
            sys.exit(1)
        print(f"{compiler}: {len(committed)} lines hold, {len(set(now) - set(committed))} are new")
    wanted = set(symbols_file.read_text().split())
    if lost(wanted, exported(library)):
        sys.exit(f"abi: no longer exported: {lost(wanted, exported(library))}")
    functions = {line.split()[1] for line in committed if line.startswith("fn ")} - {
        "TF_InitKernel", "TF_InitAdapter"}
    if lost(functions, exported(library)):
        sys.exit(f"abi: declared but not exported: {lost(functions, exported(library))}")
    plant(include, committed)
    plant_unexported(library, wanted)
    print(f"abi: {len(FAULTS) + 1} planted faults seen")


main()
