#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/running/node-tests.md: which of ONNX's node tests pass, by operator, and why the others do not. Read are the
data of the tests and onnx_backend_passes.txt, which import.onnx_backend_test keeps true. Without --update the page must
be fresh; a failing test without a reason, or a reason without a test, is an error.

    node_tests_page.py [--update]
"""
import collections
import pathlib
import re
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHIVE = ROOT.parent / "shared/onnx-backend-tests/data.tar.xz"
PAGE = ROOT / "docs/reference/running/node-tests.md"
SKIP = 77

# A pattern of names, and why these tests fail.
REASONS = [
    ("test_image_decoder.*", "the operator is not there: the library reads no pictures, the command does"),
    ("test_bernoulli.*", "the answer is what NumPy's generator gives; ONNX leaves the numbers to the implementation"),
    ("test_dft_inverse.*", "the answer has an error of 1.9e-07 where the true value is 0, and 1e-07 is allowed; ours is nearer"),
    ("test_cast_e8m0.*", "float8e8m0 has no number among TensorFlow's element types"),
    ("test_affine_grid_.*_expanded", "ranks behind a condition that the model computes are not known when operators are translated"),
]

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
# ONNX's node tests

Written by `tests/import/node_tests_page.py`; `ctest -R import.onnx_backend` runs the tests, exact types and shapes, rtol 1e-3 and atol 1e-7, as ONNX's own
runner does. The data are those of ONNX 1.23 in development ({total} tests). `_expanded` tests, which spell an operator out in others, count as a group of their own.

**{passed} of {total} pass: {share:.1f} %.**
"""


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            size, at = varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        elif key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
        else:
            at += 4 if key & 7 == 5 else 8


def operator(model):
    """The operator of the last node."""
    graph = next(v for k, v in fields(model) if k == 7)
    last = [v for k, v in fields(graph) if k == 1][-1]
    return next(v.decode() for k, v in fields(last) if k == 4)


def tests():
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            found = re.fullmatch(r"(?:\./)?node/([^/]+)/model\.onnx", member.name)
            if found:
                name = found[1]
                yield name, "expanded forms" if "_expanded" in name else operator(archive.extractfile(member).read())


def reason_of(name):
    return next((why for pattern, why in REASONS if re.fullmatch(pattern, name)), None)


def page():
    passes = {line.split("/")[1] for line in (ROOT / "tests/import/onnx_backend_passes.txt").read_text().split() if line.startswith("node/")}
    groups, reasons, unknown = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(list), []
    for name, group in sorted(tests()):
        groups[group][1] += 1
        groups[group][0] += name in passes
        if name not in passes:
            why = reason_of(name)
            unknown += [name] if why is None else []
            reasons[why].append(name)
    if unknown:
        sys.exit("no reason in REASONS for " + ", ".join(unknown))
    unused = [why for _, why in REASONS if why not in reasons]
    if unused:
        sys.exit(f"no test fails because {unused[0]}: take the reason away")
    total, passed = sum(g[1] for g in groups.values()), sum(g[0] for g in groups.values())
    lines = [HEAD.format(total=total, passed=passed, share=100 * passed / total), "## Why the others fail", "",
             "| tests | reason | which |", "|---:|---|---|"]
    for why, names in sorted(reasons.items(), key=lambda r: -len(r[1])):
        shown = ", ".join(f"`{n.removeprefix('test_')}`" for n in names)
        lines.append(f"| {len(names)} | {why} | {shown} |")
    part = {g: c for g, c in groups.items() if c[0] < c[1]}
    lines += ["", "## By operator", "", "| operator | passed | tests |", "|---|---:|---:|"]
    lines += [f"| {g} | {c[0]} | {c[1]} |" for g, c in sorted(part.items())]
    whole = ", ".join(f"{g} {c[1]}" for g, c in sorted(groups.items()) if g not in part)
    lines += ["", "All tests pass of: " + whole + ".", ""]
    return "\n".join(lines)


def main():
    if not ARCHIVE.exists():
        print(f"skipped: {ARCHIVE} is not here")
        return SKIP
    text = page()
    if "--update" in sys.argv:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit(f"{PAGE.relative_to(ROOT)} is stale: python3 tests/import/node_tests_page.py --update")
    return 0


if __name__ == "__main__":
    sys.exit(main())
