#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One numbering of operators: the comment that introduces one, the symbol of its arguments, the case that runs it
and, with devices, the rows of its steps, in the emitted C of the vectors and models of ports_test.py, with and without devices.

    numbers_test.py PORTS_RUN SOURCE_FOLDER TARGETS.so"""
import pathlib
import re
import sys

import ports_test


def findings(lines):
    """What differs in the C of one model; and how many operators and cases were seen."""
    comment = case = None
    wrong, comments, cases, rows, on_device = [], [], [], [], set()
    for line in lines:
        if found := re.match(r"/\* Operator (\d+),", line):
            comment = int(found[1])
            comments.append(comment)
        elif found := re.match(r"static const struct \w+ (\w+_(\d+))_args = ", line):
            if int(found[2]) != comment:
                wrong.append(f"operator {comment} has the symbol {found[1]}")
        elif found := re.match(r"    case (\d+):", line):
            case = int(found[1])
            cases.append(case)
        elif found := re.match(r"    /\* Operator (\d+)\. \*/", line):
            rows.append(int(found[1]))
        elif re.match(r"    \{(TVM_DEVICE_HOOK_(INVOKE|START)|STEP_OWN),", line):
            on_device.add(rows[-1])
        elif re.match(r"    \{STEP_KERNEL,", line):
            if rows[-1] not in cases:
                wrong.append(f"operator {rows[-1]} has a kernel's row and no case")
        elif case is not None and (found := re.search(r"&?\b(\w+_(\d+))_args\b", line)):
            if int(found[2]) != case:
                wrong.append(f"case {case} runs {found[1]}")
    done = sorted(on_device.union(cases))
    if (comments != list(range(len(comments))) or done != list(range(len(done))) or len(done) < len(comments)
            or cases != sorted(set(cases)) or on_device.intersection(cases) or (rows and rows != done)):
        wrong.append(f"comments {comments}, cases {cases}, rows {rows}, on devices {sorted(on_device)}")
    return wrong, len(comments), len(done)


def main():
    program, source, targets = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(source / "tests/peer/tflite"))
    import container
    work = ports_test.models_of(source, container)
    name, what, lines, wrong, seen = "", "", [], [], [0, 0]

    def close():
        found, *counts = findings(lines)
        wrong.extend(f"{name} ({what}): {line}" for line in found)
        seen[:] = [a + b for a, b in zip(seen, counts)]
        lines.clear()

    for line in ports_test.run(program, targets, [data for _, data in work]).splitlines():
        word, _, rest = line.partition(" ")
        if word in ("case", "compiled"):
            close()
            name, what = (work[int(rest)][0], "") if word == "case" else (name, rest.split()[0])
        elif word == "code":
            lines.append(rest)
    close()
    print(f"{len(work)} models, {seen[0]} operators, {seen[1]} cases, {len(wrong)} findings")
    print(*wrong[:20], sep="\n")
    return int(bool(wrong) or seen[0] < len(work))


if __name__ == "__main__":
    sys.exit(main())
