#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What share of the machine's peak do kernels reach? Runs oribi-bench-kernels some times and prints a table of the
least and the largest shares, of all layers by work, and of the layers of each kind.

    kernels.py [--command build/bench/oribi-bench-kernels] [--runs 3] [-- --isa avx2 ...]
"""
import argparse
import re
import subprocess
import sys

DEEP = 64  # products of fewer terms spend much of their time around the inner loop
HEAD = re.compile(r"^(ResNet-50|MobileNetV2|depthwise|dense layers)")
LAYER = re.compile(r"^(\d+x\d+x\d+ -> \d+, \d+x\d+, stride \d+), K (\d+) +[\d.]+ +[\d.]+ +([\d.]+)%(?: +([\d.]+)%)?")
ALL = re.compile(r"^(all|both networks), weighted by work.*?([\d.]+)%")
DENSE = re.compile(r"^ *(\d+ x \d+) .* ([\d.]+)%$")


def rows_of(text):
    """(what, share) in the order of the table."""
    part = ""
    for line in text.splitlines():
        if found := HEAD.match(line):
            part = found[1]
        elif found := ALL.match(line):
            yield f"{part if found[1] == 'all' else found[1]}, weighted by work", float(found[2])
        elif (found := LAYER.match(line)) and part == "depthwise":
            yield f"depthwise {found[1]}; moving its bytes alone: {float(found[4]):.0f} %", float(found[3])
        elif found and int(found[2]) >= DEEP:
            yield f"{part}, each layer with K of {DEEP} or more", float(found[3])
        elif found:
            yield f"{part}, each layer with K below {DEEP}", float(found[3])
        elif found := DENSE.match(line):
            yield "dense layers at batch 1, of the bandwidth", float(found[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/bench/oribi-bench-kernels")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("options", nargs="*")
    args = parser.parse_args()
    shares, heads = {}, []
    for _ in range(args.runs):
        text = subprocess.run([args.command, *args.options], check=True, capture_output=True, text=True).stdout
        heads = text.splitlines()[:2]
        for what, share in rows_of(text):
            key = re.sub(r"; moving.*", "", what)
            shares.setdefault(key, [what, []])[1].append(share)
    print("| what | share of the peak |\n|---|---:|")
    for head in heads:
        what, value = head.rsplit(": ", 1)
        print(f"| {what} | {value} |")
    for what, found in shares.values():
        low, high = min(found), max(found)
        print(f"| {what} | {low:.0f} % |" if f"{low:.0f}" == f"{high:.0f}" else f"| {what} | {low:.0f} to {high:.0f} % |")


if __name__ == "__main__":
    sys.exit(main())
