#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emitted C on RISC-V in QEMU: instructions of one inference for each multiply-accumulate, with the kernels for lanes
and with those for plain cores.

    riscv.py [--oribi build/bin/oribi] [--target riscv32] MODEL.tflite ...
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def ask(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--target", default="riscv32")
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    print(f"| model | {args.target}, instructions a MAC | by `--core plain` |\n|---|---:|---:|")
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            macs = ask(args.oribi, "compile", model, "-o", folder, "--force", "--json")["macs"]
        row = [ask(args.oribi, "verify", model, "--target", args.target, "--core", core, "--runs", "1", "--json")
               ["instructions"] / macs for core in ("dsp", "plain")]
        print(f"| {model.stem} | {row[0]:.1f} | {row[1]:.1f} |", flush=True)


main()
