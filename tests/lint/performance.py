#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No table of docs/reference/performance.md is written by hand, and what is counted is what tests hold.

Each table stands between the marks of a place, under a line of processor (or "Counted"), commit and day; for each place
a command on the page writes it (bench/tables.py). Counts of instructions are those of tests/support/costs.txt, what emitted
code takes lies within bench/peers/mcu.json, limits of sizes are those of bench/size.py. Faults are planted in each run.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import costs  # noqa: E402
import tables  # noqa: E402

PAGE = "docs/reference/performance.md"
PLACE = re.compile(r"^<!-- ([\w-]+): begin -->\n(.*?)^<!-- \1: end -->$", re.M | re.S)
HEAD = re.compile(r"^(.+), commit ([0-9a-f]{7,}), \d{4}-\d\d-\d\d\.$")


def number(cell):
    return float(cell.replace(",", ""))


def cells(body):
    """Rows of the tables in a place, heads and rules left out."""
    lines = [line for line in body.splitlines() if line.startswith("|")]
    rules = {i for i, line in enumerate(lines) if line.startswith("|---")}
    return [[cell.strip() for cell in line.strip("|").split("|")] for i, line in enumerate(lines)
            if i not in rules and i + 1 not in rules]


def shape(text):
    """Places, their heads and their commands."""
    places = dict(PLACE.findall(text))
    outside = re.sub(r"^```.*?^```$", "", PLACE.sub("", text), flags=re.S | re.M)
    for line in re.findall(r"^\|---.*$", outside, re.M):
        yield f"a table stands outside of the marks of a place: {line}"
    commands = tables.commands(text)
    for name in places.keys() - commands.keys():
        yield f"no command writes the table '{name}': it would end in `| bench/page.py {name}`"
    for name in commands.keys() - places.keys():
        yield f"a command writes '{name}', which has no place: <!-- {name}: begin -->"
    for name, body in places.items():
        blocks = re.split(r"\n\n", body.strip())
        heads = [HEAD.match(block) for block in blocks if not block.startswith("|")]
        if not heads or not all(heads) or blocks[0].startswith("|"):
            yield f"'{name}': a line of processor, commit and day stands above each machine's tables"
        is_counted = "--counted" in commands.get(name, "")
        if is_counted and [h and h[1] for h in heads] != ["Counted"]:
            yield f"'{name}' is counted: no machine has a table of its own there"


def counted(places, held):
    """What the page says of `held`, the counts of tests."""
    for name, rows in (("creation", costs.creation(held)), ("dispatch-count", costs.dispatch(held))):
        if cells(places.get(name, "")) != cells("\n".join(rows)):
            yield f"'{name}' is not what tests/support/costs.txt has: bench/costs.py {name} | bench/page.py {name} --counted"


def emitted(places, peers):
    """Ratios and limits of emitted code."""
    for row in cells(places.get("bench-mcu", "")):
        core, cell = (row[0].strip("`"), row[1]) if row[0].startswith("`") else (None, row[0])
        name = re.search(r"\((\w+)\)", cell)[1]
        peer = (peers["cores"][core] if core else peers)["models"][name]
        instructions, ratio = (number(row[2]), row[3]) if core else (number(row[1]), row[2])
        if f"{instructions / peer['instructions']:.3f}" != ratio or instructions > peer["gate"] * peer["instructions"]:
            yield f"'bench-mcu', {core or 'cortex-m4'}, {name}: {ratio} is not {instructions:,.0f} over the peer's, or above the gate"
        cycles = peer.get("cycles")
        if core and (number(row[4]) != peer["gate"] or
                     (number(row[6]) != cycles or number(row[5]) > cycles if cycles else row[5:7] != ["", ""])):
            yield f"'bench-mcu', {core}, {name}: the limits are {peer['gate']} and {cycles or 'none of cycles'}"


def sizes(places, source):
    limits = eval(re.search(r"^LIMITS = (\{.*?\})", source, re.M)[1], {})  # of numbers and names of files
    said = {row[0].strip("`"): row for row in cells(places.get("size", ""))}
    for name, limit in limits.items():
        if name not in said or number(said[name][2]) != limit or number(said[name][1]) > limit:
            yield f"'size', {name}: bench/size.py's limit is {limit:,}"


def faults(text, held, peers, size_source):
    places = dict(PLACE.findall(text))
    yield from shape(text)
    yield from counted(places, held)
    yield from emitted(places, peers)
    yield from sizes(places, size_source)


def planted(text, rest):
    """Each change must be seen."""
    row = re.search(r"^\| digits \| [\d.]+ \|$", text, re.M)[0]
    limit = re.search(r"^\| `liboribi.so` \| [\d,]+ \| [\d,]+ \|", text, re.M)[0]
    first = re.search(r"^\| anomaly \(ad01_int8\) \| ([\d,]+) \|", text, re.M)[0]
    head = re.search(r"^Counted, commit .*$", text, re.M)[0]
    for old, new in ((row, "| digits | 77.7 |"), (limit, "| `liboribi.so` | 1 | 2 |"), (first, "| anomaly (ad01_int8) | 1 |"),
                     (head, "by hand"), ("| bench/page.py loop\n", "\n"), ("<!-- loop: begin -->\n", ""),
                     ("\n## ", "\n| a | b |\n|---|---|\n\n## ")):
        if not list(faults(text.replace(old, new, 1), *rest)):
            sys.exit(f"performance: a planted fault was not seen: {new!r} in place of {old!r}")


def main():
    text = (ROOT / PAGE).read_text()
    rest = (costs.counts(), json.loads((ROOT / "bench/peers/mcu.json").read_text()), (ROOT / "bench/size.py").read_text())
    found = list(faults(text, *rest))
    for fault in found:
        print(f"{PAGE}: {fault}")
    if not found:
        planted(text, rest)
    return 1 if found else 0


sys.exit(main())
