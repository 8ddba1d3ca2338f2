#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/reference/op-traits.md: what each built-in op says of itself. Without --update it must be fresh.

    traits_page.py ORIBI [--update]
"""
import json
import pathlib
import re
import subprocess
import sys
import textwrap

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/reference/op-traits.md"
PART = re.compile(r"(?<=<!-- traits: begin -->\n).*?(?=<!-- traits: end -->)", re.S)


def table(ops):
    """Ops that say the same in a row, the largest rows first; then those that say nothing."""
    rows = {}
    for op in ops:
        rows.setdefault(tuple(op["traits"]), []).append(op["name"])
    silent = rows.pop((), [])
    lines = ["| traits | ops |", "|---|---|"]
    for traits, names in sorted(rows.items(), key=lambda row: (-len(row[1]), row[0])):
        lines.append(f"| {', '.join(f'`{t}`' for t in traits)} | {', '.join(f'`{n}`' for n in names)} |")
    rest = ", ".join(f"`{n}`" for n in silent)
    return "\n".join(lines) + "\n\n" + textwrap.fill(f"Nothing is said by {rest}.", 140,
                                                     break_on_hyphens=False) + "\n"


def main():
    said = subprocess.run([sys.argv[1], "ops", "--json"], check=True, capture_output=True, text=True).stdout
    made = table([op for op in json.loads(said)["ops"] if op["provider"] == "built-in"])
    text = PAGE.read_text()
    fresh = PART.sub(lambda _: made, text)
    if "--update" in sys.argv:
        PAGE.write_text(fresh)
    elif fresh != text:
        sys.exit("docs/reference/op-traits.md is stale: run tests/op/traits_page.py ORIBI --update")
    elif PART.sub(lambda _: made.replace("`Relu`", ""), text) == text:
        sys.exit("a missing op was not seen")


main()
