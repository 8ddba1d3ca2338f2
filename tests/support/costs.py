# SPDX-License-Identifier: Apache-2.0
"""What do things cost, counted, and what did they cost when the table was written? Instructions by
callgrind, and the table costs.txt, for the tests named *_cost.py.

Counts depend on the compiler and on nothing else of the machine: callgrind shows programs one and
the same processor, and each test names its instruction set. A test that counts more than MORE above
the table fails; with --write it writes its rows of the table instead.
"""
import contextlib
import pathlib
import re
import shutil
import subprocess
import sys

MORE = 0.02
TABLE = pathlib.Path(__file__).with_name("costs.txt")
BEGIN = "# Written by `ctest -R _cost` scripts with --write; see costs.py. What, then counts.\n"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need(tool):
    if shutil.which(tool) is None:
        skip(f"no {tool}")


def need_compiler(compiler):
    """The table holds for one compiler: `compiler` is the one that built what is counted."""
    first = subprocess.run([compiler, "--version"], check=True, capture_output=True,
                           text=True).stdout.splitlines()[0]
    if not re.search(r"gcc.* 12\.\d", first):
        skip(f"the table was written for gcc 12, this is {first}")


def callgrind(command, options, folder):
    """The file that callgrind writes about `command`; options say what is counted."""
    need("valgrind")
    out = folder / "callgrind.out"
    done = subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=no", *options,
                           f"--callgrind-out-file={out}", *map(str, command)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return out


def total(out):
    return int(re.search(r"^summary: (\d+)$", out.read_text(), re.M)[1])


def inside(out, functions):
    """Instructions in each function with what it calls; 0: never called."""
    listing = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out)],
                             check=True, capture_output=True, text=True).stdout
    found = {f: re.search(rf"^\s*([\d,]+) \([^)]*\)\s+\S*:{f}(?:\s|$)", listing, re.M)
             for f in functions}
    return {f: int(m[1].replace(",", "")) if m else 0 for f, m in found.items()}


def read_table():
    rows = [line.rsplit(":", 1) for line in TABLE.read_text().splitlines()
            if line and not line.startswith("#")] if TABLE.exists() else []
    return {name: tuple(map(int, counts.split())) for name, counts in rows}


@contextlib.contextmanager
def rewritten_table():
    rows = read_table()
    yield rows
    TABLE.write_text(BEGIN + "".join(f"{name}: {' '.join(map(str, counts))}\n"
                                     for name, counts in sorted(rows.items())))


def is_over(count, limit):
    return count > limit * (1 + MORE)


def judge(counts):
    """Prints counts by name beside the table. True: none is over; with --write the table has them."""
    if "--write" in sys.argv:
        with rewritten_table() as rows:
            rows.update({name: (count,) for name, count in counts.items()})
    rows = read_table()
    if not counts:
        skip("nothing to count")
    good = True
    for name, count in counts.items():
        if name not in rows:
            print(f"{name}: {count:,} instructions, not in {TABLE.name}: run this with --write")
            good = False
            continue
        limit = rows[name][0]
        bad = is_over(count, limit)
        print(f"{name}: {count:,} instructions, {100 * (count / limit - 1):+.2f} % of the table's"
              f"{' : too many' if bad else ''}")
        good = good and not bad
    # What is not noticed at 3 % more would not be a guard.
    return good and all(is_over(rows[name][0] * 1.03, rows[name][0]) for name in counts)
