#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of real models in docs/reference/peer-tests.md, from what corpus.py --write has measured (corpus_results.json, a line for each
line of corpus.txt). Fails when the page is stale, or when results and list are not of the same models; --update writes the page.

    corpus_page.py [--update]"""
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIST, RESULTS = HERE / "corpus.txt", HERE / "corpus_results.json"
PAGE = HERE.parents[1] / "docs/reference/peer-tests.md"
BEGIN, END = "<!-- corpus: begin -->", "<!-- corpus: end -->"
MEASURED = {"always": ("difference", "fault", "skipped", "tolerance"), "times": ("ratio",), "compile": ("compile",)}


def entries():
    """(package, member, {input: sizes or value}) of each line of corpus.txt."""
    for line in LIST.read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#"):
            yield words[0], words[1], dict(word.split("=", 1) for word in words[2:])


def keys():
    return [f"{package} {member}" for package, member, _ in entries()]


def title(key):
    """The package without its version, the file without the package's own folder."""
    package, member = key.split(" ", 1) if "==" in key else (key, "")
    return key if not member else f"{package.split('==')[0]}: {member.split('/', 1)[-1]}"


def load():
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def merge(results, key, row, times, compiled):
    """What was measured now replaces what was there of it, and nothing else."""
    kept = dict(results.get(key, {}))
    asked = MEASURED["always"] + (MEASURED["times"] if times else ()) + (MEASURED["compile"] if compiled else ())
    for column in asked:
        kept.pop(column, None)
        if column in row:
            kept[column] = row[column]
    results[key] = kept


def save(results):
    """In the order of the list; what is no longer in it goes."""
    rows = [f"  {json.dumps(key)}: {json.dumps(results[key], sort_keys=True)}" for key in keys() if key in results]
    RESULTS.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def agrees(row):
    return "fault" not in row and row.get("difference", math.inf) <= row["tolerance"]


def cells(row):
    what = row.get("fault") or (f"{row['difference']:.1e}" if "difference" in row else row.get("skipped", ""))
    return [what.replace("|", "\\|"), f"{row['ratio']:.2f}" if "ratio" in row else "", row.get("compile", "").replace("|", "\\|")]


def summary(rows):
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    said = [row["compile"] for row in rows if "compile" in row]
    text = f"{sum(agrees(row) for row in rows)} of {sum('skipped' not in row for row in rows)} models that the peers run agree"
    if ratios:
        text += f"; mean of the {len(ratios)} times {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, worst {max(ratios):.2f}"
    if said:
        equal, large = said.count("equal"), sum(one.startswith("yes,") for one in said)
        text += f"; of {len(said)} compiled {equal} are equal, {large} too large for a microcontroller, {len(said) - equal - large} refused or wrong"
    return text + "."


def table(results, made=title):
    lines = ["| model | difference | time over the peer's | `oribi compile` |", "|---|---:|---:|---|"]
    lines += [f"| {made(key)} | {' | '.join(cells(row))} |" for key, row in results.items()]
    return lines + ["", summary(list(results.values()))]


def page(results):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    return before + "\n".join([BEGIN, *table({key: results[key] for key in keys()}), END]) + rest.split(END)[1]


def update(results):
    save(results)
    if list(load()) == keys():  # else the page waits until all models have been measured once
        PAGE.write_text(page(results))


def main():
    results = load()
    if list(results) != keys():
        odd = sorted(set(results) ^ set(keys())) or ["the order"]
        sys.exit(f"{RESULTS.name} and {LIST.name} differ in {odd[0]}: run corpus.py --only PACKAGE --write")
    if "--update" in sys.argv[1:]:
        update(results)
    elif page(results) != PAGE.read_text():
        sys.exit("docs/reference/peer-tests.md is stale: run tests/peer/corpus_page.py --update")
    return 0


if __name__ == "__main__":
    sys.exit(main())
