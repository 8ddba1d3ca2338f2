#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a benchmark prints into its place in docs/reference/performance.md: the tables alone,
under a line that names processor, commit and day. Tables of other processors stay beside it. --counted: what no
machine changes, instructions or bytes, has one place for all. --on NAME: of a GPU, whose name stands for the processor's.

    bench/peer_ort.py --table MODELS | bench/page.py models
    bench/costs.py creation | bench/page.py creation --counted
"""
import datetime
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/reference/performance.md"


def processor():
    """Its name, and what tells apart processors of one name: whether it has what the widest kernels want."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    found = re.search(r"^model name\s*:\s*(.*)$", text, re.M)
    name = " ".join(found[1].split()) if found else "unknown processor"
    return f"{name}, AVX-512 with VNNI" if re.search(r"^flags\s*:.*\bavx512_vnni\b", text, re.M) else name


def blocks_of(text):
    """What stands in the place, by processor."""
    parts = re.split(r"^(?=.*, commit [0-9a-f]+, \d{4}-\d\d-\d\d\.$)", text, flags=re.M)
    return {part.split(", commit ")[0]: part.strip() for part in parts if part.strip()}


def tables_of(text):
    """Lines of tables; where a head follows a table, an empty line stands between."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    heads = {i - 1 for i, row in enumerate(rows) if row.startswith("|---")}
    return "\n".join(("\n" if i in heads and i > 0 else "") + row for i, row in enumerate(rows))


def main():
    name, is_counted = sys.argv[1], "--counted" in sys.argv[2:]
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    text = PAGE.read_text()
    if begin not in text or end not in text:
        sys.exit(f"{PAGE.name} has no place '{name}'")
    tables = tables_of(sys.stdin.read())
    if tables.count("\n") < 2:
        sys.exit(f"{name}: no table came; the page stays as it is")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=PAGE.parent, check=True,
                            capture_output=True, text=True).stdout.strip()
    before, rest = text.split(begin)
    old, after = rest.split(end)
    who = "Counted" if is_counted else sys.argv[sys.argv.index("--on") + 1] if "--on" in sys.argv else processor()
    blocks = {} if is_counted else blocks_of(old)
    blocks[who] = f"{who}, commit {commit}, {datetime.date.today()}.\n\n{tables}"
    PAGE.write_text(before + begin + "\n\n".join(blocks.values()) + "\n" + end + after)
    print(tables)


main()
