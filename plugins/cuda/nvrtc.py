#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a file of device code to PTX by NVRTC, where there is no nvcc.

usage: nvrtc.py LIBRARY ARCHITECTURE FILE OUTPUT
"""
import ctypes
import pathlib
import sys


def main():
    library, architecture, file, output = sys.argv[1:5]
    rtc = ctypes.CDLL(library)
    rtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    program = ctypes.c_void_p()

    def call(name, *args):
        code = getattr(rtc, name)(*args)
        return None if code == 0 else rtc.nvrtcGetErrorString(code).decode()

    def text(kind):
        size = ctypes.c_size_t()
        call(f"nvrtcGet{kind}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        call(f"nvrtcGet{kind}", program, buffer)
        return buffer.raw[:size.value].rstrip(b"\0")

    path = pathlib.Path(file)
    failed = call("nvrtcCreateProgram", ctypes.byref(program), path.read_bytes(), str(path).encode(),
                  0, None, None)
    if failed:
        sys.exit(f"nvrtcCreateProgram: {failed}")
    options = [f"--gpu-architecture={architecture}", f"--include-path={path.parent}"]
    array = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    failed = call("nvrtcCompileProgram", program, len(options), array)
    if failed:
        sys.exit(f"{file}: {failed}\n{text('ProgramLog').decode(errors='replace')}")
    pathlib.Path(output).write_bytes(text("PTX"))


main()
