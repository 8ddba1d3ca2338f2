#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What pages name is there, and what is there is named.

In every tracked page: links lead to files and headings, and paths from the root exist. In every source: pages of docs/
and files to be read next exist. In docs/tour.md, further: every room is named, and so is nothing that does not exist, be it a file or a function. Every page of docs/ is in an index.
Faults are planted in each run.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOUR = "docs/tour.md"
INDEXES = (TOUR, "docs/guide/README.md", "docs/reference/README.md", "README.md")
ROOMS = re.compile(r"^((?:src|plugins|micro|platform|examples|include|tests)/[^/.]+|zephyr|bench|packaging|cmake|tools)/")
PATH = re.compile(r"^(?:src|plugins|micro|platform|examples|include|tests|docs|tools|cmake|bench|packaging|zephyr)/[\w./+-]+$")
# Paths of other projects, of what a build makes, and of nothing in particular.
NOT_OURS = {"include/runtime/crt/device", "include/runtime/crt/platform/zephyr.h", "src/main.c", "plugins/oribi_opencl.so",
            "plugins/oribi_cuda.so", "plugins/oribi_hip.so", "tests/vectors/OPERATOR_TYPE.bin.xz"}
FILE = re.compile(r"^[\w./+-]*[\w+-]\.(?:c|h|cc|inc|py|sh|md|json|yml|cmake)$")
FUNCTION = re.compile(r"^(?:oribi_|TF_|SE_)\w+$|^[a-z]\w*_\w+$")


def tracked():
    return subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True,
                          text=True, check=True).stdout.split()


FILES = [f for f in tracked() if (ROOT / f).is_file()]
FOLDERS = {str(p) for f in FILES for p in pathlib.PurePosixPath(f).parents}
SOURCES = "\n".join((ROOT / f).read_text(errors="replace") for f in FILES if re.match(r"(?:src|plugins|micro|include)/.*\.[chi]", f))
NAMES = {name for name in re.findall(r"\b([A-Za-z_]\w+)\(", SOURCES)}


def is_there(path):
    path = path.rstrip("/")
    return path in FOLDERS or (ROOT / path).exists()


def prose(text):
    """Without blocks of code; lines keep their numbers."""
    return re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)


def headings(text):
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)}


def links(page, text):
    for number, line in enumerate(prose(text).splitlines(), 1):
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", line):
            if "://" in target:
                continue
            file = (ROOT / page).parent / target if target else ROOT / page
            if not file.exists():
                yield f"{page}:{number}: the link leads to no file: {target}"
            elif anchor and anchor not in headings(file.read_text()):
                yield f"{page}:{number}: {target or page} has no heading '{anchor}'"


def paths(page, text):
    for number, line in enumerate(prose(text).splitlines(), 1):
        for span in re.findall(r"`([^`]+)`", line):
            if PATH.match(span) and not span.endswith("...") and span not in NOT_OURS and not is_there(span):
                yield f"{page}:{number}: there is no {span}"


def sources(texts):
    for file, text in texts.items():
        for name in re.findall(r"(?<![\w./-])docs/[\w/-]+\.(?:md|json|schema\.json)\b", text):
            if not is_there(name):
                yield f"{file}: there is no {name}"
        for rest in re.findall(r"Read next:?\s((?:(?!\*/).)*)", text, re.S):
            for name in re.findall(r"[\w./-]+\.(?:c|h|cc|inc|md)\b", rest):
                if not re.search(r"tvmgen_|^[*]", name) and not any(("/" + f).endswith("/" + name.replace("../", "")) for f in FILES):
                    yield f"{file}: to be read next, and not there: {name}"


def tour(text):
    """Files may be named by their ends, as `open.h` in the row of `src/import`: then the row's room, or else one file alone, must
    have such a file."""
    for number, line in enumerate(prose(text).splitlines(), 1):
        rooms = [s for s in re.findall(r"`([^`]+)`", line) if s.rstrip("/") in FOLDERS]
        for span in re.findall(r"`([^`]+)`", line):
            if FILE.match(span) and not is_there(span):
                ends = [f for f in FILES if f.endswith("/" + span.removeprefix("../"))]
                if not any(f.startswith(r.rstrip("/").split("/")[0]) for f in ends for r in rooms or ["src", "plugins", "micro"]):
                    yield f"{TOUR}:{number}: there is no {span}"
            elif FUNCTION.match(span) and not is_there(span) and span not in NAMES and not any("/" + span + "/" in f for f in FILES):
                yield f"{TOUR}:{number}: there is no function {span}"
    said = set(re.findall(r"`([^`]+)`", text))
    for room in sorted({m[1] for m in map(ROOMS.match, FILES) if m} - said):
        yield f"{TOUR}: the room {room} is not named"


def unlisted(texts):
    reached = {str((ROOT / index).parent.joinpath(target).resolve().relative_to(ROOT))
               for index in INDEXES for target in re.findall(r"\]\(([^)#\s]+)", texts[index])
               if "://" not in target and (ROOT / index).parent.joinpath(target).resolve().is_relative_to(ROOT)}
    return [f"{f}: no index names this page" for f in texts if f.startswith("docs/") and f not in reached | set(INDEXES)]


def faults(texts):
    found = unlisted(texts)
    for page, text in texts.items():
        found += [*links(page, text), *paths(page, text)]
    return found + list(tour(texts[TOUR]))


def planted(texts):
    """Each must be seen."""
    old = texts[TOUR]
    for bad in (old.replace("`src/pass`", "`src/passes`"), old.replace("`oribi_kernel_select`", "`oribi_kernel_selects`"),
                old.replace("`kernel.h`", "`kernels_of_ours.h`"), old.replace("(guide/add-an-op.md)", "(guide/add-op.md)"),
                old.replace("`bench`", "`benches`"), old + "[x](reference/plugins.md#no-such-heading)\n"):
        yield bad != old and bool(faults({**texts, TOUR: bad}))
    yield bool(unlisted({**texts, "docs/lost.md": "# Lost\n"}))


def main():
    texts = {f: (ROOT / f).read_text() for f in FILES if f.endswith(".md") and not f.startswith("tests/frozen/")}
    found = faults(texts)
    if not found and not all(planted(texts)):
        found = ["tests/lint/pages.py does not see a fault that was planted"]
    named = {f: (ROOT / f).read_text(errors="replace") for f in FILES if re.search(r"\.(?:c|h|cc|inc|py|sh|cmake)$|/CMakeLists.txt$|^Makefile$", f)
             and not f.startswith(("tests/frozen/", "tests/lint/"))}
    found += sources(named)
    if len(list(sources({"src/op/x.c": "/* Grammar: docs/no-such-page.md. Read next: no_such.c */"}))) != 2:
        found.append("tests/lint/pages.py does not see what a source names and what is not there")
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))


main()
