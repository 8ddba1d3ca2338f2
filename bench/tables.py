#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make bench`: writes the tables of docs/reference/performance.md, each by the command that stands there before
`| bench/page.py NAME`. Machines and tools that a command lacks are said by it, and its table stays.

    bench/tables.py [--build build] [--list] [NAME ...]     default: all; NAMES as in `bench/page.py NAME`
    ORIBI_PEER_PYTHON=PYTHON     with numpy, onnx and onnxruntime, for what compares with peers
    ORIBI_MODELS=FOLDER          stands for MODELS in the commands; default: ../shared/models

Use a quiet machine. A number that fell is explained or mended, not left out.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/performance.md"


def commands(text):
    """(name, command) of each table, as they stand in the page's blocks of shell. The first one counts, others of
    the same name are for other circumstances."""
    found = {}
    for block in re.findall(r"^```sh.*?\n(.*?)^```", text, re.S | re.M):
        for line in block.splitlines():
            if match := re.search(r"\| bench/page\.py ([\w-]+)", line):
                found.setdefault(match[1], line.split("    #")[0].rstrip())
    return found


def on_this_machine(command, build):
    python = os.environ.get("ORIBI_PEER_PYTHON", sys.executable)
    models = os.environ.get("ORIBI_MODELS", str(ROOT.parent / "shared/models"))
    command = re.sub(r"\bpython3\b", shlex.quote(python), command)
    command = re.sub(r"\bMODELS\b", shlex.quote(models), command)
    command = re.sub(r"(?<![\w/])build(?=[/ ])", shlex.quote(build), command)
    if build != "build":  # what scripts take else
        command = re.sub(r"bench/\w+\.py", lambda m: m[0] + f" --oribi {shlex.quote(build)}/bin/oribi"
                         if '"--oribi"' in (ROOT / m[0]).read_text() else m[0], command)
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--list", action="store_true", help="print the commands, run none")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    table = commands(PAGE.read_text())
    if unknown := [name for name in args.names if name not in table]:
        parser.error(f"no table is named {', '.join(unknown)}; there are {', '.join(table)}")
    failed = []
    for name in args.names or table:
        command = on_this_machine(table[name], args.build)
        print(f"\n## {name}\n\n{command}\n", flush=True)
        if not args.list and subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nnot written: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
