#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/plugin-rules.md: the rules of `oribi plugin check`. Without --update it must be fresh, and
each rule must have a planted fault in tools_test.py.

    rules_page.py ORIBI [--update]
"""
import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCE / "docs/reference/plugin-rules.md"
HEAD = """# Rules of `oribi plugin check`

Each finding ends with the number of its rule: `warning: rpath: has the library search path '/opt/old/lib', ... [P012]`; with `--json` it is
the member `rule`. A number keeps its meaning for ever, so scripts may list those that they accept. `oribi plugin rules` prints the list,
`oribi plugin rules P012` one rule. Errors make the command end with 6. This page is written by `tests/plugin/rules_page.py`; the
rules stand in `src/author/rules.inc`, and `tests/plugin/tools_test.py` plants a faulty plugin for each.

"""


def page(rules):
    rows = ["| rule | severity | name | what | why | what to do |", "|---|---|---|---|---|---|"]
    rows += [f"| {r['rule']} | {r['severity']} | `{r['name']}` | {r['what']} | {r['why']} | {r['remedy']} |" for r in rules]
    return HEAD + "\n".join(row.replace("$ORIGIN", "`$ORIGIN`") for row in rows) + "\n"


def main():
    said = subprocess.run([sys.argv[1], "plugin", "rules", "--json"], check=True, capture_output=True, text=True).stdout
    rules = json.loads(said)["rules"]
    numbers = [r["rule"] for r in rules]
    if numbers != [f"P{n:03}" for n in range(1, len(rules) + 1)]:
        sys.exit(f"rules are not numbered one after another: {numbers}")
    if "--update" in sys.argv:
        PAGE.write_text(page(rules))
    elif PAGE.read_text() != page(rules):
        sys.exit("docs/reference/plugin-rules.md is stale: run tests/plugin/rules_page.py ORIBI --update")
    planted = set(re.findall(r'"(P\d{3})"', (SOURCE / "tests/plugin/tools_test.py").read_text()))
    if planted != set(numbers):
        sys.exit(f"tests/plugin/tools_test.py plants no fault for {sorted(set(numbers) - planted)}, or one for a rule "
                 f"that is not there: {sorted(planted - set(numbers))}")


main()
