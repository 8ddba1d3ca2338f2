#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/plugin-contract.md: every function of the public headers with its status, its test and since
when; and absent_calls.h, one call of each function that is only named. Both are made from the headers,
the sources and the tests; without --update they must be fresh.

    list.py LIBRARY [--update]

A function counts as tested when a test calls it, itself or through the helpers, kernels and tables of its
file (reach.py). The page keeps the test that it has as long as that test calls the function.
"""
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/abi"))
import context  # noqa: E402
import dump  # noqa: E402
import reach  # noqa: E402

FIRST = "1.0"
NEWER = re.compile(r"^#if ORIBI_HAS_CONTRACT\((\d+), (\d+)\)$(.*?)^#endif", re.M | re.S)
HEAD = """# Plugin contract: every function

Made by `python3 tests/contract/list.py build/lib/liboribi.so --update`; a test keeps it fresh. *works*: implemented; *refuses*: implemented, and fails whatever
it is given; *named*: exported so that
plugins and bindings load, says UNIMPLEMENTED, which `tests/contract/absent_test.c` asks of each; *plugin*: implemented by the plugin. The test
of a function is one that calls it; *setup*: a group's, before all its tests. Layouts: `tests/abi/contract.abi`.

The last column has four words for programs to read. **When** it may be called: load (`TF_InitKernel` and its kin), create, run (compute), shape (shape functions),
optimise (graph optimisers), compile (targets), app (applications), any. **Threads**: any-thread; one-thread, one call at a time on its first argument; own-thread, the one that
compute was called on. **Memory**: no-allocation, once each shape was seen; else it may allocate. **Errors**: in its status, by its value, none. What a function takes
decides; a tag `@context` in the header says what differs (`tests/contract/context.py`).

A function sets its status anew, as TensorFlow's do: look after each call, for the next one forgets a failure. Those of `oribi/target.h` that see a region and
`TF_KernelOp_*` keep the first failure, so that one look at the end is enough.

"""
CALLS_HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tests/contract/list.py: one call of each function that is only named. A returns nothing,
 * B a value; the name is followed by 1 where the function has a status.
 */
/* clang-format off */
"""
ROW = re.compile(r"^ABSENT(_VOID)?\(\s*(?:(.*?),\s*)??(\w+),\s*(\((?:[^()]|\([^()]*\))*\)),"
                 r"\s*(\w+)(?:,\s*([^;]*?))?\)$", re.M | re.S)


def functions():
    """header, function, the contract version that brought it."""
    for header in dump.headers(ROOT / "include"):
        text = dump.strip_comments((ROOT / "include" / header).read_text())
        since = {name: f"{major}.{minor}" for major, minor, body in NEWER.findall(text)
                 for name in dump.PROTOTYPE.findall(body)}
        for name in dump.PROTOTYPE.findall(text):
            yield str(header), name, since.get(name, FIRST)


def absent_rows():
    """name: (kind, parameters, status) of each ABSENT row of the sources."""
    rows = {}
    for path in sorted((ROOT / "src").rglob("*absent*.c")):
        for kind, _, name, params, status, _ in ROW.findall(dump.strip_comments(path.read_text())):
            rows[name] = (kind, params, status)
    return rows


def argument(parameter):
    """Nothing, of the parameter's type."""
    words = parameter.split()
    if "TF_Status" in words:
        return "status"
    if "*" in parameter or "(" in parameter:
        return "NULL"
    if words[0] in ("TF_Output", "TF_Input"):
        return f"({words[0]}){{0}}"
    return f"({words[0]})0" if words[0].startswith("TF_") else "0"


def split_parameters(params):
    """At the commas that are not within a function pointer's own list."""
    out, depth = [""], 0
    for c in params[1:-1]:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return [" ".join(p.split()) for p in out if p.strip() not in ("", "void")]


def absent_calls(rows):
    lines = []
    for name, (kind, params, status) in sorted(rows.items()):
        call = f"{name}({', '.join(argument(p) for p in split_parameters(params))})"
        line = f"{'A' if kind else 'B'}({name}, {int(status != 'NULL')}, {call})"
        lines += textwrap.wrap(line, 100, subsequent_indent="    ", break_long_words=False)
    return CALLS_HEAD + "\n".join(lines) + "\n/* clang-format on */\n"


def refusing():
    """The functions of refuses.c; each fails its context on every path."""
    text = dump.strip_comments((ROOT / "src/kernel/refuses.c").read_text())
    return set(re.findall(r"^void (TF_\w+)\(", text, re.M))


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                         text=True).stdout
    return {line.split()[2] for line in out.splitlines()}


def status_of(name, symbols, absent, refuses):
    if name in ("TF_InitKernel", "TF_InitAdapter"):
        return "plugin"
    if name in absent:
        return "named"
    if name in refuses:
        return "refuses"
    return "works" if name in symbols else "missing"


def listed(page_file):
    """function: "file: test", as the page has it now."""
    text = page_file.read_text() if page_file.exists() else ""
    return dict(re.findall(r"^\| `(\w+)` \| (?:works|refuses) \| `?([^|`]+?)`? \|", text, re.M))


def page(symbols, present, absent):
    tests = reach.tests_by_function(ROOT / "tests")
    out, missing, untested, last = [HEAD], [], [], None
    refuses = refusing()
    words, wrong = context.contexts(ROOT / "include")
    counts = {"works": 0, "refuses": 0, "named": 0, "plugin": 0, "missing": 0}
    for header, name, since in functions():
        if header != last:
            out.append(f"\n## `{header}`\n\n| function | status | test | since | context |\n|---|---|---|---|---|\n")
            last = header
        status = status_of(name, symbols, absent, refuses)
        counts[status] += 1
        found = tests.get(name, [])
        where = present.get(name) if present.get(name) in found else next(iter(found), "")
        if status == "missing":
            missing.append(name)
        if status in ("works", "refuses") and not where:
            untested.append(name)
        if status not in ("works", "refuses"):
            where = "tests/contract/absent_test.c: each_says_that_it_is_not_implemented" if status == "named" else ""
        called = " ".join(words[name].values())
        out.append(f"| `{name}` | {status} | {f'`{where}`' if where else ''} | {since} | {called} |\n")
    out.insert(1, f"{counts['works']} work, {counts['refuses']} refuse, {counts['named']} are named, {counts['plugin']} belong to the plugin.\n")
    return "".join(out), missing, untested, wrong


def main():
    absent = absent_rows()
    file = ROOT / "docs/reference/plugin-contract.md"
    calls_file = ROOT / "tests/contract/absent_calls.h"
    text, missing, untested, wrong = page(exported(sys.argv[1]), listed(file), absent)
    calls = absent_calls(absent)
    if "--update" in sys.argv:
        file.write_text(text)
        calls_file.write_text(calls)
    problems = [f"not implemented: {n}" for n in missing] + [f"no test calls {n}" for n in untested]
    for made, fresh in ((file, text), (calls_file, calls)):
        if not made.exists() or made.read_text() != fresh:
            problems.append(f"{made.relative_to(ROOT)} is stale: python3 tests/contract/list.py "
                            "build/lib/liboribi.so --update")
    problems += wrong + reach.planted_faults() + context.planted_faults()
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
