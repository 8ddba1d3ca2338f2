#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every common shape function of the C++ face against TensorFlow's own, on random arguments. One source with an
op for each (tests/cxx/plugins/shape_fns.cc) is compiled against TensorFlow's headers and asked by its graph
importer, and is the plugin that the test program given here loads.

    python shape_fns.py SOURCE_FOLDER BUILD_FOLDER TEST_PROGRAM [--cases N] [--seed S] [--note N]

Without tensorflow 2.16: 77. Cases are lines as tests/peer/shapes.py describes them. The table of noted cases,
tests/cxx/shape_fns.txt, is checked as well; --note writes N random ones of each op into it.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys

import shape_cases_windows  # noqa: F401  (adds its cases)
import shapes
from shape_cases import CASES
from shapes import tf

PLUGIN = "tests/cxx/plugins/shape_fns.cc"
TABLE = "tests/cxx/shape_fns.txt"
HEAD = """# SPDX-License-Identifier: Apache-2.0
# What the common shape functions infer, by TensorFlow 2.16.1: op of plugins/shape_fns.cc | inputs | attributes |
# outputs. Made and checked by tests/peer/shape_fns.py from random arguments; read by shape_fns_test.c. A fifth column
# is what we answer instead, and why.
"""


def build(source, folder):
    library = folder / "shape_fns_tf.so"
    subprocess.run(["g++", "-std=c++17", "-O0", "-w", "-shared", "-fPIC", *tf.sysconfig.get_compile_flags(), source,
                    "-o", library, *tf.sysconfig.get_link_flags()], check=True)
    tf.load_op_library(str(library))


def random_lines(count, seed):
    """count lines of each op, as answered by TensorFlow."""
    for name, make in sorted(CASES.items()):
        rng, seen = random.Random(f"{seed} {name}"), set()
        for _ in range(count):
            line = f"Fn{name} | " + make(rng)
            if line not in seen:
                seen.add(line)
                yield answered(line)


def answered(line):
    line = "|".join(line.split("|")[:3]).rstrip()
    return f"{line} | {shapes.infer(line)[0]}".rstrip()


def differing(program, lines, folder, name):
    """What the program finds in a table of these lines; empty: nothing."""
    table = folder / name
    table.write_text("\n".join(lines) + "\n")
    done = subprocess.run([program], env=dict(os.environ, TEST_SHAPE_TABLE=str(table)), capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def noted(table):
    return [line for line in table.read_text().splitlines() if line and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--note", type=int)
    args = parser.parse_args()
    if not tf.__version__.startswith(shapes.BASELINE):
        print(f"skipped: the table is that of tensorflow {shapes.BASELINE}x, here is {tf.__version__}")
        sys.exit(77)
    args.folder.mkdir(parents=True, exist_ok=True)
    build(args.source / PLUGIN, args.folder)
    if args.note is not None:
        lines = list(random_lines(args.note, args.seed))
        (args.source / TABLE).write_text(HEAD + "\n".join(lines) + "\n")
        print(f"{len(lines)} cases noted")
        return
    table = noted(args.source / TABLE)
    stale = [line for line in table if "|".join(line.split("|")[:4]).rstrip() != answered(line)]
    lines = list(random_lines(args.cases, args.seed))
    errors = sum(line.endswith("| error") for line in lines)
    found = differing(args.program, lines, args.folder, "random.txt")
    planted = [line.rsplit("|", 1)[0] + "| [77,77]" for line in lines[:1]]
    print(f"{len(table)} noted cases, {len(stale)} of them stale; {len(lines)} random ones of {len(CASES)} ops, "
          f"{errors} of them errors, seed {args.seed}")
    print("\n".join(stale) + found)
    if not differing(args.program, planted, args.folder, "planted.txt"):
        sys.exit("shape_fns: the planted fault was not seen")
    sys.exit(1 if stale or found else 0)


main()
