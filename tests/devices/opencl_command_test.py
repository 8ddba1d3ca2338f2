#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model on an OpenCL device by the command: the CPU's results, and a trace with kernels, copies and host
work in lanes. 77 where there is no device.

    opencl_command_test.py ORIBI PLUGIN SOURCE_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ORIBI, PLUGIN, SOURCE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def oribi(*words):
    return subprocess.run([ORIBI, *map(str, words)], capture_output=True, text=True, timeout=100, check=True).stdout


def digits(*words):
    return json.loads(oribi("run", SOURCE / "examples/digits/digits.onnx", "-i",
                            f"0=@{SOURCE}/examples/digits/digit-4-0004.png", "--json", *words))["values"]


def main():
    if not pathlib.Path(PLUGIN).exists() or not json.loads(oribi("devices", "-p", PLUGIN, "--json"))["devices"]:
        print("skipped: no OpenCL device")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        found = digits("-p", PLUGIN, "--device", "opencl", "--trace", f"{folder}/t.json")
        events = json.loads(pathlib.Path(f"{folder}/t.json").read_text())["traceEvents"]
    assert all(abs(a - b) < 1e-4 for a, b in zip(digits(), found, strict=True)), found
    local = digits("-p", f"{PLUGIN}:tiles=local", "--device", "opencl")
    assert all(abs(a - b) < 1e-4 for a, b in zip(found, local, strict=True)), local
    bad = subprocess.run([ORIBI, "devices", "-p", f"{PLUGIN}:tiles=round"], capture_output=True, text=True, timeout=100,
                         check=False)
    assert bad.returncode != 0 and "tiles=round: it is `vectors` or `local`" in bad.stdout + bad.stderr, bad
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    spans = {}
    for e in (e for e in events if e["ph"] == "X"):
        spans.setdefault((names[e["tid"]], e["cat"]), []).append(e)
    print({lane: len(found) for lane, found in spans.items()})
    kernels, copies = spans["OPENCL:0 kernels", "kernel"], spans["OPENCL:0 copies", "copy"]
    assert {"conv1", "dense", "softmax"} <= {part for e in kernels for part in e["name"].split("+")} or \
        len(kernels) > 5, [e["name"] for e in kernels]
    assert any("from CPU to OPENCL:0" in e["name"] for e in copies), copies
    assert any("from OPENCL:0 to CPU" in e["name"] for e in copies), copies
    assert sum(e["dur"] for e in kernels) > 0 and all(e["dur"] >= 0 for e in kernels + copies)
    assert any(lane == "host" for lane, _ in spans), spans.keys()


main()
