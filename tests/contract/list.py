#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/plugin-contract.md: every function of the public headers with its status, its test and since
when. The page is made from the headers, the sources and the tests; without --update it must be fresh.

    list.py LIBRARY [--update]

A function counts as tested when a file under tests/ or a built-in plugin that the tests run names it.
The page keeps the file that it names as long as that file names the function.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/abi"))
import dump  # noqa: E402

SINCE = "1.0"
HEAD = """# Plugin contract: every function

Made by `python3 tests/contract/list.py build/lib/liboribi.so --update`; a test keeps it fresh. *works*: implemented; *named*: exported so that
plugins and bindings load, says UNIMPLEMENTED; *plugin*: implemented by the plugin. Layouts: `tests/abi/contract.abi`.

"""


def functions():
    for header in dump.headers(ROOT / "include"):
        text = dump.strip_comments((ROOT / "include" / header).read_text())
        for name in dump.PROTOTYPE.findall(text):
            yield str(header), name


def sources(folder, pattern):
    return {p: p.read_text(errors="replace") for p in sorted((ROOT / folder).rglob("*"))
            if re.search(pattern, p.name) and p.is_file()}


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                         text=True).stdout
    return {line.split()[2] for line in out.splitlines()}


def status_of(name, symbols, absent):
    if name == "TF_InitKernel":
        return "plugin"
    if any(re.search(rf"ABSENT\w*\([^()]*\b{name},", text) for text in absent.values()):
        return "named"
    return "works" if name in symbols else "missing"


def listed(page_file):
    """function: file, as the page has it now."""
    text = page_file.read_text() if page_file.exists() else ""
    return {name: ROOT / test for name, test in re.findall(r"^\| `(\w+)` \| works \| (\S+) \|", text, re.M)}


def choose(name, texts, present):
    """The file that the page has, else the first test, else the first plugin."""
    word = re.compile(rf"\b{name}\b")
    if present in texts and word.search(texts[present]):
        return present
    return next((p for p, t in texts.items() if word.search(t)), None)


def page(symbols, present):
    absent = sources("src", r"absent.*\.c$")
    tests = sources("tests", r"\.(c|cc|py)$")
    tests = {p: t for p, t in tests.items() if "abi" not in p.parts}
    texts = tests | sources("plugins", r"\.c$") | sources("examples", r"\.c$")
    out, missing, untested, last = [HEAD], [], [], None
    counts = {"works": 0, "named": 0, "plugin": 0, "missing": 0}
    for header, name in functions():
        if header != last:
            out.append(f"\n## `{header}`\n\n| function | status | test | since |\n|---|---|---|---|\n")
            last = header
        status = status_of(name, symbols, absent)
        counts[status] += 1
        test = choose(name, texts, present.get(name))
        if status == "missing":
            missing.append(name)
        if status == "works" and test is None:
            untested.append(name)
        where = str(test.relative_to(ROOT)) if test and status == "works" else ""
        out.append(f"| `{name}` | {status} | {where} | {SINCE} |\n")
    out.insert(1, f"{counts['works']} work, {counts['named']} are named, {counts['plugin']} belong to the plugin.\n")
    return "".join(out), missing, untested


def main():
    file = ROOT / "docs/plugin-contract.md"
    text, missing, untested = page(exported(sys.argv[1]), listed(file))
    if "--update" in sys.argv:
        file.write_text(text)
    problems = [f"not implemented: {n}" for n in missing] + [f"no test names {n}" for n in untested]
    if not file.exists() or file.read_text() != text:
        problems.append("docs/plugin-contract.md is stale: python3 tests/contract/list.py build/lib/liboribi.so --update")
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
