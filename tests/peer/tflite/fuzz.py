#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models of one TFLite operator each, against the reference interpreters: quantised results to the bit, floats
within 1e-5, host sessions and (--emit) the C.

    fuzz.py VECTORS_RUN [--tflm PYTHON] [--tflite PYTHON] [--litert PYTHON] [--seed N] [--count N] [--types T,...]
            [--emit] [--keep FOLDER] [OPERATOR...]

Models come from tests/peer/tflite/cases_*.py with case numbers that no vector has; each PYTHON is an interpreter
that has the package. Numbers, shapes and options follow from the seed alone. Prints for each operator and type how many answers there were, which
differ and which models Oribi refuses; exit 1 for a difference, and with --strict for a refusal, too."""
import argparse
import collections
import pathlib
import pickle
import re
import struct
import subprocess
import sys
import tempfile

import cases
import container
import make_vectors
import model
from build import COLUMNS, HYBRID, PLAIN

HERE = pathlib.Path(__file__).resolve().parent


def builders(args):
    """[(operator, column, number, Builder)] of cases that exist and can be written."""
    out = []
    for operator in args.operators or sorted({**cases.CASES, **cases.FUZZED}):
        for column in args.types.split(","):
            made, number = 0, 1000 + args.seed * 100000
            while made < args.count and number < 1000 + args.seed * 100000 + 3 * args.count:
                builder = cases.try_make(operator, column, number)
                if builder is not None:
                    out.append((operator, column, number, builder))
                    made += 1
                number += 1
    return out


def write_job(raw, builder, outputs, is_float):
    rtol = max(builder.rtol, 1e-5) if is_float else 0.0
    atol = max(builder.atol, 1e-5) if is_float else 0.0
    pieces = lambda items: struct.pack("<I", len(items)) + b"".join(struct.pack("<I", len(i)) + i for i in items)
    return (struct.pack("<ffI", atol, rtol, builder.steps) + struct.pack("<I", len(raw)) + raw + pieces(builder.data) +
            pieces(outputs))


def run(args, who, jobs, folder):
    """Lines of findings by the number of the job."""
    (folder / "jobs").write_bytes(struct.pack("<I", len(jobs)) + b"".join(jobs))
    done = subprocess.run([args.program, folder / "jobs", folder, who],
                          capture_output=True, text=True)
    found = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        parsed = re.match(r"(session|compile) (\d+) (\w+): (.*)", line)
        if parsed:
            found[int(parsed[2])].append((parsed[1], parsed[3], parsed[4]))
    if done.returncode:
        print(f"vectors_run exits with {done.returncode}: {done.stderr[:500]}")
    return found


def check(args, who, made, results, folder):
    """The number of differences and of refusals by the host."""
    kept, jobs = [], []
    for (operator, column, number, builder), answer in zip(made, results["results"]):
        if isinstance(answer, list) and who not in builder.excluded:
            raw = builder.model()
            kept.append((operator, column, number, raw))
            jobs.append(write_job(raw, builder, answer, column in ("f32", HYBRID)))
    found = run(args, who, jobs, folder)
    table = collections.defaultdict(lambda: collections.Counter())
    examples = {}
    for at, (operator, column, number, raw) in enumerate(kept):
        counts = table[operator, column]
        counts["answers"] += 1
        seen = set()
        for stage, how, text in found.get(at, []):
            kind = f"{stage} {how}"
            if kind not in seen and (stage == "session" or args.emit):
                counts[kind] += 1
                short = re.sub(r".*at byte \d+: |node '[^']*'( \([^)]*\))?:? ?", "", text)
                examples.setdefault((operator, column, kind), f"{number}: {short[:150]}")
                if args.keep:
                    (args.keep / f"{operator}_{column}_{number}_{who}.tflite").write_bytes(raw)
            seen.add(kind)
    for key, counts in sorted(table.items()):
        bad = {k: v for k, v in counts.items() if k != "answers"}
        if bad or args.verbose:
            print(f"{who:6} {key[0]:24} {key[1]:6} {counts['answers']:3}: " +
                  "; ".join(f"{k} {v} ({examples[(*key, k)]})" for k, v in bad.items()), flush=True)
    totals = sum(table.values(), collections.Counter())
    print(f"{who} {results['version']}: {dict(totals)}", flush=True)
    return totals


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    for who in ("tflm", "tflite", "litert"):
        parser.add_argument(f"--{who}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--types", default=",".join(COLUMNS + PLAIN + (HYBRID,)))
    parser.add_argument("--emit", action="store_true")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("operators", nargs="*")
    args = parser.parse_intermixed_args()
    made = builders(args)
    args.jobs = [b.job() for _, _, _, b in made]
    wrong = 0
    for who in ("tflm", "tflite", "litert"):
        if getattr(args, who):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                results = make_vectors.ask(getattr(args, who), who, args.jobs, folder)
                totals = check(args, who, made, results, folder)
            wrong += totals["session differs"] + (totals["session fails"] if args.strict else 0)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
