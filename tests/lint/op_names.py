#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts where the core names a built-in op: an op says itself what it is (its traits and fusions in
plugins/ops_core), so the number may only fall. When it does, lower MOST.

Left out are importers and bindings, whose tables know the names of files, the quantiser, which edits ONNX files and knows
ONNX's operators, not ours, the random models of `plugin test`, and the lowering tables, which have a row for each op that can be emitted. At the start `pass` alone had 334. `op_names.py --list` prints the places.
"""
import collections
import pathlib
import re
import subprocess
import sys

# A file that is named counts by itself: the words of formulas are names of ops.
MOST = {"graph": 1, "grappler": 2, "op": 1, "op/fusion_formula.c": 11, "pass": 42, "pass/fuse_attention.c": 4, "pass/fuse_repeat.c": 3, "target": 1}
LEFT_OUT = re.compile(r"^src/(?:binding|import|cli/quantise|cli/regions|compile/lower)\b|^src/compile/(?:\w+/)?lower\w*\.[ch]$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ROW = re.compile(r'\.name = ((?:"[^"]+"\s*)+)')


def built_ins(root):
    names = set()
    for path in (root / "plugins/ops_core").rglob("*.[ch]"):
        for row in ROW.findall(path.read_text()):
            names |= set("".join(LITERAL.findall(row)).split())
    return names


def places(names, text):
    """Line and name of each literal that is an op's name."""
    bare = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    for match in LITERAL.finditer(bare):
        if match.group(1) in names:
            yield bare.count("\n", 0, match.start()) + 1, match.group(1)


def self_test(names):
    if len(names) < 200 or "Conv2D" not in names:
        sys.exit(f"op_names: only {len(names)} ops were found in plugins/ops_core")
    planted = [('static const char *const views[] = {\n    "Reshape", /* "Squeeze" */\n    NULL};', [(2, "Reshape")]),
               ('return strcmp(op, "AddV2") == 0;', [(1, "AddV2")]), ('fail("no Conv2D");', [])]
    for text, wanted in planted:
        if list(places(names, text)) != wanted:
            sys.exit(f"op_names: the planted fault was not seen as {wanted}: {text}")
    if faults({"pass": 3}, {"pass": 2, "graph": 1}, {}) == [] or faults({"pass": 1}, {"pass": 2}, {}) == []:
        sys.exit("op_names: a number that grew was not seen")


def faults(found, most, where):
    """One line for each room, or file, whose number is not the stored one."""
    lines = []
    for room in sorted(set(found) | set(most)):
        now, stored = found.get(room, 0), most.get(room, 0)
        if now > stored:
            lines.append(f"src/{room} names built-in ops {now} times, {stored} were there: ask a trait of the op "
                         f"(src/op/traits.h) or declare a fusion{''.join(where.get(room, []))}")
        elif now < stored:
            lines.append(f"src/{room} names built-in ops {now} times, fewer than {stored}: lower MOST in {__file__}")
    return lines


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    names = built_ins(root)
    self_test(names)
    found, where = collections.Counter(), collections.defaultdict(list)
    listed = subprocess.run(["git", "ls-files", "src"], cwd=root, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        if not re.search(r"\.(?:c|h|inc)$", name) or LEFT_OUT.search(name) or not (root / name).exists():
            continue
        room = name[4:] if name[4:] in MOST else name.split("/")[1]
        for line, op in places(names, (root / name).read_text()):
            found[room] += 1
            where[room].append(f"\n  {name}:{line}: {op}")
    if "--list" in sys.argv:
        print("".join(sum(where.values(), [])).strip("\n"))
        return
    bad = faults(found, MOST, where)
    if bad:
        sys.exit("\n".join(bad))


main()
