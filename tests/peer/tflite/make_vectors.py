#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/vectors/: asks TensorFlow Lite and TensorFlow Lite Micro what each case gives.

    make_vectors.py --tflite PYTHON|--litert PYTHON --tflm PYTHON [--types i8,f32] [OPERATOR...]
    make_vectors.py --add --litert PYTHON [--types i8,f32] OPERATOR...    LiteRT's answers beside those that files have

Each PYTHON is an interpreter that has the package (tensorflow; ai_edge_litert, for what TensorFlow 2.16 does not have or
hangs at; tflite_micro); --tflm may be left out for element types that it does not know. A case that both refuse is left out and counted."""
import argparse
import pathlib
import pickle
import subprocess
import sys
import tempfile

import cases
import container

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parents[1] / "vectors"


def ask(python, who, jobs, folder):
    given, got = folder / f"{who}.jobs", folder / f"{who}.results"
    given.write_bytes(pickle.dumps(jobs))
    subprocess.run([python, HERE / "reference.py", who, given, got], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return pickle.loads(got.read_bytes())


def add(args, operator, column):
    """Of an operator whose arithmetic LiteRT has changed: the variant litert."""
    path = VECTORS / f"{cases.stem(operator, column)}.bin.xz"
    head, stored = container.unpack(path)
    made = dict((f"{index}", b) for index, b in cases.make_all(operator, column))
    kept = [c for c in stored if made[c.name].model() == c.model and "tflite" not in made[c.name].excluded]
    with tempfile.TemporaryDirectory() as folder:
        answers = ask(args.litert, "litert", [made[c.name].job() for c in kept], pathlib.Path(folder))
    for case, outputs in zip(kept, answers["results"]):
        if not isinstance(outputs, str):
            case.outputs["litert"] = outputs
    path.write_bytes(container.pack(operator, column, {**head["references"], "litert": answers["version"]}, stored))
    own = [c for c in stored if "litert" in c.outputs]
    differ = sum(c.outputs["litert"] not in (c.outputs.get("tflite"), c.outputs.get("tflm")) for c in own)
    print(f"{operator:26} {column:6} litert: {len(own)} of {len(stored)}, {differ} differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tflite")
    parser.add_argument("--litert")
    parser.add_argument("--tflm")
    parser.add_argument("--types", default="i8")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("operators", nargs="*")
    args = parser.parse_args()
    wanted = [(o, c) for o in args.operators or sorted(cases.CASES) for c in args.types.split(",")]
    if args.add:
        for operator, column in wanted:
            add(args, operator, column)
        return 0
    made = {key: cases.make_all(*key) for key in wanted}
    jobs = [b.job() for key in wanted for _, b in made[key]]
    with tempfile.TemporaryDirectory() as folder:
        answers = {who.removesuffix("/litert"): ask(python, who.split("/")[-1], jobs, pathlib.Path(folder))
                   for who, python in (("tflm", args.tflm), ("tflite", args.tflite),
                                       ("tflite/litert", args.litert)) if python}
    references = {who: a["version"] for who, a in answers.items()}
    at, total = 0, 0
    for operator, column in wanted:
        out, errors, differ = [], {}, 0
        for index, builder in made[operator, column]:
            outputs = {who: a["results"][at] for who, a in answers.items()
                       if who not in builder.excluded}
            for who in [w for w in outputs if isinstance(outputs[w], str)]:
                errors.setdefault(who, outputs.pop(who).strip().splitlines()[-1])
            at += 1
            differ += len(outputs) == 2 and outputs["tflm"] != outputs["tflite"]
            if outputs:
                out.append(container.Case(f"{index}", builder.model(), builder.data, outputs, builder.atol,
                                          builder.rtol, builder.steps))
        path = VECTORS / ("host" if operator in cases.HOST else "") / f"{cases.stem(operator, column)}.bin.xz"
        count = {who: sum(who in c.outputs for c in out) for who in answers}
        size = 0
        if len(out) >= cases.LEAST:
            path.write_bytes(container.pack(operator, column, references, out))
            size = path.stat().st_size
        total += size
        note = "" if size else "  TOO FEW: not written"
        print(f"{operator:26} {column:6} {count}, {differ} differ, {size} bytes{note}")
        if errors and (args.verbose or not size):
            print(f"    {errors}")
    print(f"{total} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
