#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of TFLite's operators in docs/reference/ops.md: what is tried is a model of each operator in each element
type, of the cases that the vectors are made from, which the command runs and compiles. Without --update the page must
be fresh.

    operators.py ORIBI SOURCE_FOLDER [--update]"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import cases
from build import COLUMNS, DTYPES, PLAIN

PART = re.compile(r"(?<=<!-- tflite operators: begin -->\n).*?(?=<!-- tflite operators: end -->)", re.S)
TRIED = 3  # forms of an operator in one type, until one is taken
WORDS = {"i16x8": "i16"}
GRAPHS = ("IF", "WHILE", "CALL_ONCE")  # not of one type: control-flow.md
# Cases of an operator that have a name of their own
CUSTOM = {"CONVOLUTION_2D_TRANSPOSE_BIAS": "Convolution2DTransposeBias", "DETECTION_POSTPROCESS": "TFLite_Detection_PostProcess",
          "LANDMARKS_2_TRANSFORM_MATRIX": "Landmarks2TransformMatrix", "TRANSFORM_LANDMARKS": "TransformLandmarks",
          "TRANSFORM_TENSOR_BILINEAR": "TransformTensorBilinear", "MAX_POOLING_WITH_ARGMAX_2D": "MaxPoolingWithArgmax2D",
          "MAX_UNPOOLING_2D": "MaxUnpooling2D", "TFLM_DECODE": "TFLM_DECODE", "CIRCULAR_BUFFER": "CIRCULAR_BUFFER"}
CASES_OF = {"CONV_2D_GROUPED": "CONV_2D", "LANDMARKS_2_TRANSFORM_MATRIX_V1": "Landmarks2TransformMatrix", "QUANTIZE_WIDE": "QUANTIZE", "SOFTMAX_WIDE": "SOFTMAX", "SVDF_NARROW": "SVDF",
            "STRIDED_SLICE_OFFSET": "STRIDED_SLICE"}
OTHER = {"REAL": "RFFT2D", "IMAG": "RFFT2D", "COMPLEX_ABS": "RFFT2D"}


def custom_name(operator):
    if operator.startswith("SIGNAL_"):
        words = operator.removeprefix("SIGNAL_").split("_")
        return "Signal" + "".join(w if w == "PCAN" else w.capitalize() for w in words)
    return CUSTOM.get(operator)


def feeds(builder):
    for k, ((shape, kind), raw) in enumerate(zip(builder.fresh, builder.data)):
        values = np.frombuffer(raw, DTYPES[kind]).ravel()
        text = ",".join(str(int(v)) if kind != "f32" else repr(float(v)) for v in values)
        yield "-i"
        yield f"x{k}={'x'.join([*map(str, shape), kind])}={text}"


def run(*args):
    done = subprocess.run(args, capture_output=True, check=False)
    if done.returncode < 0:
        sys.exit(f"{' '.join(map(str, args))} was ended by signal {-done.returncode}")
    return done.returncode == 0


def try_one(oribi, folder, operator, column):
    """Does the host take it, and does C?"""
    host = compiled = False
    for number in range(4 * TRIED):
        builder = cases.try_make(operator, column, number)
        if builder is None:
            continue
        path = folder / f"{operator}_{column}_{number}.tflite"
        path.write_bytes(builder.model())
        if run(oribi, "run", path, *feeds(builder)):
            host = True
            compiled = compiled or run(oribi, "compile", path, "-o", f"{path}.c", "-f")
        if compiled or number >= TRIED:
            break
    return operator, column, host, compiled


def builtins(source):
    text = (source / "src/import/tflite/tflite_table.c").read_text()
    return re.findall(r'"(\w+)"', text.split("builtin_names[]")[1].split("};")[0])


def main():
    oribi, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    known = {**cases.CASES, **cases.FUZZED}
    names = {operator: custom_name(operator) or CASES_OF.get(operator, operator) for operator in known}
    found = {}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(try_one, oribi, pathlib.Path(name), operator, column)
                for operator in sorted(known) for column in COLUMNS + PLAIN]
        for job in jobs:
            operator, column, host, compiled = job.result()
            row = found.setdefault(names[operator], ([], []))
            for kinds, good in zip(row, (host, compiled)):
                if good and WORDS.get(column, column) not in kinds:
                    kinds.append(WORDS.get(column, column))
    for operator in OTHER:
        found.setdefault(operator, found[OTHER[operator]])
    rest = [operator for operator in builtins(source) if operator not in found and operator != "CUSTOM"]
    lines = ["| operator | host | C |", "|---|---|---|"]
    for operator in sorted([*found, *rest], key=lambda n: (not n.isupper(), n)):
        host, compiled = found.get(operator, ([], []))
        if operator in GRAPHS:
            lines.append(f"| {operator} | [of any](control-flow.md) | [of sizes that are known](control-flow.md) |")
        else:
            lines.append(f"| {operator} | {', '.join(host) or '-'} | {', '.join(compiled) or '-'} |")
    made = "\n".join(lines) + "\n"
    page = source / "docs/reference/ops.md"
    text = page.read_text()
    fresh = PART.sub(lambda _: made, text)
    if sys.argv[3:] == ["--update"]:
        page.write_text(fresh)
    elif fresh != text:
        old = set(PART.search(text).group().split("\n"))
        print("\n".join(line for line in made.split("\n") if line not in old))
        sys.exit("docs/reference/ops.md is stale: run tests/peer/tflite/operators.py ORIBI . --update")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
