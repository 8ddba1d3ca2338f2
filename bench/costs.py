#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of what tests count in instructions, from tests/support/costs.txt, which those tests write and guard.

    bench/costs.py creation | bench/page.py creation --counted
    bench/costs.py dispatch-count | bench/page.py dispatch-count --counted
"""
import pathlib
import re
import sys

COSTS = pathlib.Path(__file__).resolve().parent.parent / "tests/support/costs.txt"


def counts():
    """Instructions by what was counted; loops, which have three numbers, are left out."""
    return {what: int(n) for what, n in re.findall(r"^(.+): (\d+)$", COSTS.read_text(), re.M)}


def creation(table):
    rows = {what.removeprefix("creation "): n for what, n in table.items() if what.startswith("creation ")}
    return ["| model | instructions, millions |", "|---|---:|",
            *(f"| {name} | {n / 1e6:.1f} |" for name, n in sorted(rows.items(), key=lambda row: row[1]))]


def dispatch(table):
    return ["| kernel | instructions |", "|---|---:|", f"| empty, of a plugin, two inputs | {table['dispatch']} |"]


TABLES = {"creation": creation, "dispatch-count": dispatch}

if __name__ == "__main__":
    if sys.argv[1:2] == [] or sys.argv[1] not in TABLES:
        sys.exit(f"usage: costs.py {'|'.join(TABLES)}")
    print("\n".join(TABLES[sys.argv[1]](counts())))
