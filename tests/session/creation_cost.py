# SPDX-License-Identifier: Apache-2.0
"""What making a session costs before any kernel packs its weights: passes, shapes, choices of
kernels, the memory plan, of real models.

    creation_cost.py ORIBI SOURCE [--write]     --write: the table of docs/reference/performance.md

Instructions are counted by callgrind inside oribi_session_create (AVX2: callgrind hides AVX-512),
less those inside pack_constant, which grow with the weights alone. More than a model's limit fail.
The counts must be able to fail: a larger model has to be over a smaller one's limit.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# A twentieth above what was counted when the limits were set, in thousands.
LIMITS = {"mnist": 940, "light_shufflenet": 20300, "light_resnet50": 20900,
          "light_densenet121": 82200}
PAGE = "docs/reference/performance.md"
BEGIN, END = "<!-- creation: begin -->\n", "<!-- creation: end -->\n"


def inclusive(listing, function):
    found = re.search(rf"^\s*([\d,]+) \([^)]*\)\s+\S*:{function}(?:\s|$)", listing, re.M)
    return int(found[1].replace(",", "")) if found else 0


def count(oribi, model, folder):
    out = folder / "callgrind.out"
    subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=no",
                    "--toggle-collect=oribi_session_create", f"--callgrind-out-file={out}",
                    oribi, "inspect", str(model), "--threads", "1"], check=True, capture_output=True)
    listing = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out)],
                             check=True, capture_output=True, text=True).stdout
    whole = inclusive(listing, "oribi_session_create")
    if whole == 0:
        sys.exit("callgrind saw no call of oribi_session_create: is the library stripped?")
    return whole - inclusive(listing, "pack_constant")


def write_page(source, counts):
    page = source / PAGE
    text = page.read_text()
    rows = "".join(f"| {name} | {n / 1e6:.1f} |\n" for name, n in counts.items())
    head, rest = text.split(BEGIN)
    page.write_text(head + BEGIN + "| model | instructions, millions |\n|---|---:|\n" + rows + END +
                    rest.split(END)[1])


def main():
    oribi, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    models = source / "../shared/models/onnx"
    if shutil.which("valgrind") is None or not models.is_dir():
        print("skipped: no valgrind" if models.is_dir() else "skipped: no ../shared/models/onnx")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        counts = {name: count(oribi, models / f"{name}.onnx", pathlib.Path(work))
                  for name in LIMITS}
    is_over = {name: n > LIMITS[name] * 1000 for name, n in counts.items()}
    for name, n in counts.items():
        print(f"{name}: {n:,} instructions, at most {LIMITS[name] * 1000:,}")
    if "--write" in sys.argv:
        write_page(source, counts)
    can_fail = counts["light_shufflenet"] > LIMITS["mnist"] * 1000
    sys.exit(1 if any(is_over.values()) or not can_fail else 0)


main()
