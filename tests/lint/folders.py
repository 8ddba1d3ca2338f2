#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A folder holds what a reader can hold, a file name says which file, and a type name which type.

At most 40 tracked files in a folder (vectors apart); no two sources of one name in src, plugins and micro; no struct,
union or enum name with two definitions in one library. `--self-test` is part of every run: faults are planted.
"""
import collections
import pathlib
import re
import subprocess
import sys

MOST = 40
MANY_FILES = {"tests/vectors", "tests/vectors/host"}  # generated, and read by program
SOURCE = re.compile(r"^(?:src|plugins|micro)/.*\.(?:c|h|inc)$")
LIBRARY = re.compile(r"^(?:src/(?!cli/|plugin/probe/)|plugins/(?:ops_core|cpu)/|micro/)")
TYPE = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def crowded(files):
    count = collections.Counter(str(pathlib.PurePosixPath(f).parent) for f in files)
    return [f"{folder}: {n} files, at most {MOST}; make rooms that say what is in them"
            for folder, n in sorted(count.items()) if n > MOST and folder not in MANY_FILES]


def same_names(files):
    where = collections.defaultdict(list)
    for f in files:
        if SOURCE.match(f):
            where[f.rsplit("/", 1)[-1]].append(f)
    return [f"{name}: {' and '.join(paths)}; give each a name of its own"
            for name, paths in sorted(where.items()) if len(paths) > 1]


def same_types(texts):
    """Of files of the library: tags in headers, since a .c file's are its own."""
    where = collections.defaultdict(list)
    for f, text in texts:
        for name in set(TYPE.findall(COMMENT.sub("", text))):
            where[name].append(f)
    return [f"type {name}: {' and '.join(paths)}; one name is one type" for name, paths in sorted(where.items())
            if len(paths) > 1 and name.startswith("oribi_")]


def self_test():
    planted = (crowded([f"src/x/{i}.c" for i in range(MOST + 1)]), same_names(["src/a/pool.c", "micro/pool.c"]),
               same_types([("src/a/x.h", "struct oribi_pool {"), ("src/b/y.c", "typedef struct oribi_pool {")]))
    if not all(planted):
        sys.exit("folders: a planted fault was not seen")
    if crowded(["src/x/a.c"]) or same_names(["src/a/a.c", "tests/a/a.c"]) or same_types([("a.h", "struct oribi_a {")]):
        sys.exit("folders: what is right was refused")


def main():
    self_test()
    root = pathlib.Path(__file__).resolve().parents[2]
    files = [f for f in subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True)
             .stdout.split("\n") if f and (root / f).exists()]
    texts = [(f, (root / f).read_text()) for f in files if SOURCE.match(f) and LIBRARY.match(f)]
    faults = crowded(files) + same_names(files) + same_types(texts)
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


main()
