#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emitted C on a Cortex-M4 in QEMU against TensorFlow Lite Micro with CMSIS-NN (bench/peers/mcu.json):
instructions of one inference (golden input 0, set-up excluded), estimated cycles, code and constants of
a firmware with the model alone, workspace, stack. On the cores that mcu.json lists beside it: instructions
and, of Arm's, estimated cycles.

    mcu.py [--oribi build/bin/oribi] [--models FOLDER] [--only NAME] [--target CORE]... [--check] [--json]
    mcu.py --profile MODEL.tflite [--cflags -Os] [--optimize size]   instructions of each C function, random inputs
    mcu.py --instances [--only NAME]                 what `oribi compile` estimates of instances, and what is so

`| bench/page.py bench-mcu --counted` puts the tables into docs/reference/performance.md; --check fails where a gate is
missed. Cycles are an estimate: 1 an instruction, and more for those that mcu.json lists under "cycles", by core.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = json.loads((ROOT / "bench/peers/mcu.json").read_text())
PORTS = {"ad01_int8": ("input_1", "Identity"), "kws_ref_model": ("input_1", "Identity"),
         "pretrainedResnet_quant": ("input_1_int8", "Identity_int8"),
         "vww_96_int8": ("input_1_int8", "Identity_int8")}
SHAPES = {"ad01_int8": ((1, 640), (1, 640)), "kws_ref_model": ((1, 49, 10, 1), (1, 12)),
          "pretrainedResnet_quant": ((1, 32, 32, 3), (1, 10)), "vww_96_int8": ((1, 96, 96, 3), (1, 2))}
GCC = "arm-none-eabi-gcc"
ESTIMATE = 1.15  # how far the estimates of instances may be off
FLAGS = ["-std=c99", "-ffp-contract=off", "-ffreestanding", "-fbuiltin", "-ffunction-sections", "-fdata-sections",
         "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]


def run(*words, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(w) for w in words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def symbols(image):
    out = {}
    for line in run("arm-none-eabi-nm", image).splitlines():
        words = line.split()
        if len(words) == 3:
            out[words[2]] = int(words[0], 16)
    return out


def estimate(target, counted):
    kinds = ("words", "taken", "divisions", "sums", "longs", "vectors", "loops")
    return counted["instructions"] + sum(more * counted[kind] for more, kind in zip(PEERS["cycles"][target], kinds))


def count(oribi, model, flags, against, folder, *options, target="cortex-m4"):
    """What `oribi verify` and, on Arm's cores, the plugin measured."""
    inputs = ["--runs", "0", "--against", against] if against else ["--runs", "1"]
    words = [oribi, "verify", model, "--target", target, "--json", "--name", "net", *inputs, *options]
    if flags:
        words += ["--cflags", flags]
    measured = json.loads(run(*words, "--keep", folder / "first"))
    if target not in PEERS["cycles"]:
        return measured
    at = symbols(folder / "first/image")
    plugin, log = folder / "plugin.so", folder / "plugin.log"
    run("gcc", "-O2", "-shared", "-fPIC", "-o", plugin, ROOT / "bench/mcu_plugin.c")
    run(*words, "--keep", folder / "second", "--emulator-flags",
        f"-plugin {plugin},start={at['tvmgen_net_run']:#x},stop={at['oribi_port_ticks']:#x} -d plugin -D {log}")
    counted = json.loads(re.search(r"mcu_plugin (\{.*\})", log.read_text()).group(1))
    if "error" in counted:
        sys.exit(f"{model}: {counted['error']}")
    counted["instructions"] = sum(counted["functions"].values())
    # The harness calls through a pointer and returns: a few instructions round the run.
    if abs(counted["instructions"] - measured["instructions"]) > 40:
        sys.exit(f"{model}: the timer says {measured['instructions']} instructions, the plugin {counted['instructions']}")
    measured["cycles"] = estimate(target, counted)
    measured["counted"] = counted
    return measured


def weigh(oribi, model, level, folder, *options):
    """Bytes of code and of constants of a firmware with nothing but the model."""
    report = json.loads(run(oribi, "compile", model, "-o", folder / "c", "--name", "net", "--force", "--json", *options))
    objects = []
    sources = [*sorted((folder / "c").rglob("*.c")), ROOT / "bench/mcu_main.c", ROOT / "platform/cortex-m/startup.c",
               ROOT / "platform/harness/memory.c"]
    for source in sources:
        objects.append(folder / f"{source.parent.name}-{source.stem}.o")
        more = ["-fno-tree-loop-distribute-patterns"] if source.name == "memory.c" else []
        run(GCC, *FLAGS, level, *more, "-DMODEL=net", "-DMODEL_UPPER=NET", '-DMODEL_HEADER="tvmgen_net.h"',
            f"-I{folder / 'c'}", "-isystem", ROOT / "platform/include", "-c", source, "-o", objects[-1])
    image = folder / "firmware"
    run(GCC, *FLAGS, "-nostdlib", "-static", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments",
        f"-T{ROOT / 'platform/cortex-m4/link.ld'}", *objects, "-lgcc", "-o", image)
    sizes = {words[0]: int(words[1]) for words in map(str.split, run("arm-none-eabi-size", "-A", image).splitlines())
             if len(words) == 3 and words[1].isdigit()}
    return {"code_bytes": sizes[".text"], "constants_bytes": sizes.get(".rodata", 0) + sizes.get(".data", 0),
            "report": {k: report[k] for k in ("workspace_bytes", "bound_bytes", "floor_no_alias_bytes",
                                              "constants_bytes", "macs")}}


def golden(models, name, folder):
    """Golden input 0 with its output, for --against."""
    arrays = [np.fromfile(models / f"golden/{name}/{what}_0.bin", np.int8).reshape(shape)
              for what, shape in zip(("input", "output"), SHAPES[name])]
    np.savez(folder / "golden.npz", **dict(zip(PORTS[name], arrays)))
    return folder / "golden.npz"


def measure_core(oribi, models, name, target):
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        return count(oribi, models / f"{name}.tflite", "", golden(models, name, folder), folder, target=target)


def measure(oribi, models, name):
    model = models / f"{name}.tflite"
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        against = golden(models, name, folder)
        fast = count(oribi, model, "", against, folder)
        small = json.loads(run(oribi, "verify", model, "--target", "cortex-m4", "--json", "--runs", "0", "--against",
                               against, "--cflags", "-Os"))
        return {"fast": fast, "small": small, **weigh(oribi, model, "-O3", folder),
                "small_code_bytes": weigh(oribi, model, "-Os", folder)["code_bytes"]}


def gates(name, got):
    """(what, measured, limit) of each promise."""
    peer = PEERS["models"][name]
    fast, small = got["fast"], got["small"]
    limit = peer["weight_bytes"] + PEERS["constants_per_output_channel"] * peer["output_channels"]
    return [
        ("instructions over the peer's", fast["instructions"] / peer["instructions"], peer["gate"]),
        ("-Os over -O3", small["instructions"] / fast["instructions"], PEERS["optimised_for_size"]["instructions_over_speed"]),
        ("code bytes", got["code_bytes"], peer["code_goal"]),
        ("constants bytes", got["constants_bytes"], limit),
        ("workspace bytes", fast["workspace_bytes"], peer["workspace_goal"]),
        ("workspace never touched", fast["workspace_bytes"] - fast["touched_bytes"], 0),
        ("stack bytes", max(fast["stack_bytes"], small["stack_bytes"]), PEERS["stack_bytes"]),
    ]


def core_gates(target, name, got):
    peer = PEERS["cores"][target]["models"][name]
    gate = [("instructions over the peer's", got["instructions"] / peer["instructions"], peer["gate"])]
    return gate + ([("estimated cycles", got["cycles"], peer["cycles"])] if "cycles" in peer else [])


def core_table(results):
    lines = ["| core | model | instructions | over the peer's | at most | cycles, estimated | at most |",
             "|---|---|---:|---:|---:|---:|---:|"]
    for (target, name), got in results.items():
        (_, ratio, gate), *cycles = core_gates(target, name, got)
        lines.append(f"| `{target}` | {PEERS['models'][name]['title']} ({name}) | {got['instructions']:,} | {ratio:.3f} | {gate:g} |"
                     + ("".join(f" {value:,} | {limit:,} |" for _, value, limit in cycles) or " | |"))
    return "\n".join(lines)


def table(results):
    lines = ["| model | instructions | over the peer's | -Os over -O3 | cycles, estimated | code (peer's) | constants | workspace |"
             " stack |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for name, got in results.items():
        peer = PEERS["models"][name]
        values = {what: value for what, value, _ in gates(name, got)}
        ratio = values["instructions over the peer's"]
        lines.append(
            f"| {peer['title']} ({name}) | {got['fast']['instructions']:,} | {ratio:.3f} |"
            f" {values['-Os over -O3']:.2f} | {got['fast']['cycles']:,} | {got['code_bytes']:,} ({peer['code_bytes']:,}) |"
            f" {values['constants bytes']:,} | {got['fast']['workspace_bytes']:,} | {values['stack bytes']} |")
    return "\n".join(lines)


def profile(oribi, model, flags, optimize):
    with tempfile.TemporaryDirectory() as folder:
        got = count(oribi, model, flags, None, pathlib.Path(folder), "--optimize", optimize)
    total = got["counted"]["instructions"]
    for name, n in sorted(got["counted"]["functions"].items(), key=lambda row: -row[1]):
        print(f"{n:12,} {100 * n / total:6.2f} %  {name}")
    print(f"{total:12,} instructions, about {got['cycles']:,} cycles ({got['counted']['words']:,} words moved,"
          f" {got['counted']['taken']:,} branches taken, {got['counted']['divisions']:,} divisions)")


def instances(oribi, models, names):
    """Instructions counted and estimated (micro/costs_prepare.h) of each instance and of the kernels
    that have instances, with and without them; bytes of code likewise."""
    families = {"conv2d_lanes_s8": ("conv2d_lanes_s8", "conv2d_add_lanes_s8", "gather", "add_row_s8"), "depthwise_conv2d_3x3_s8": ("depthwise_conv2d_3x3_s8",)}
    rows = []
    for name, level in ((name, level) for name in names for level in ("size", "speed")):
        with tempfile.TemporaryDirectory() as text:
            folder, model = pathlib.Path(text), models / f"{name}.tflite"
            counted = count(oribi, model, "", None, folder, "--optimize", level)["counted"]["functions"]
            run(oribi, "compile", model, "-o", folder / "c", "--name", "net", "--optimize", level)
            report = json.loads((folder / "c/report.json").read_text())
            bare = {n.replace("tvmgen_net_micro_", "").split(".")[0]: v for n, v in counted.items()}
            calls = [(node["kernel"].replace("conv2d_add", "conv2d"), node["instructions"]) for node in report["nodes"]]
            for family, starts in families.items():
                rows.append((name, level, f"all {family}", sum(v for n, v in bare.items() if n.startswith(starts)),
                             sum(v for kernel, v in calls if kernel.startswith(family)), 0, 0))
            for item in report["instances"]["classes"]:
                if item["is_made"]:
                    source = folder / f"c/micro/{item['name']}.c"
                    run(GCC, *FLAGS, "-O3", "-c", source, "-o", folder / "one.o")
                    size = int(run("arm-none-eabi-size", folder / "one.o").splitlines()[1].split()[0])
                    rows.append((name, level, item["name"], bare[item["name"]], item["instructions"], size,
                                 item["code_bytes"]))
    return [row for row in rows if row[3]]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--oribi", type=pathlib.Path, default=ROOT / "build/bin/oribi")
    options.add_argument("--models", type=pathlib.Path, default=ROOT.parent / "shared/models/mlperf-tiny")
    options.add_argument("--only", choices=sorted(PORTS))
    options.add_argument("--target", action="append", choices=["cortex-m4", *PEERS["cores"]])
    options.add_argument("--profile", type=pathlib.Path)
    options.add_argument("--cflags", default="")
    options.add_argument("--optimize", default="balanced")
    options.add_argument("--instances", action="store_true")
    for flag in ("--check", "--json"):
        options.add_argument(flag, action="store_true")
    given = options.parse_args()
    absent = [tool for tool in (GCC, "qemu-system-arm", "gcc") if shutil.which(tool) is None]
    if absent:
        print(f"skipped: not installed: {', '.join(absent)} (make deps)")
        return
    if given.profile:
        profile(given.oribi, given.profile, given.cflags, given.optimize)
        return
    if not given.models.is_dir():
        print(f"skipped: {given.models} is absent (the MLPerf Tiny models; see docs/reference/performance.md)")
        return
    if given.instances:
        for row in instances(given.oribi, given.models, [given.only] if given.only else PORTS):
            print("{:24} {:6} {:34} {:12,} counted {:12,} estimated {:6.3f} {:6} bytes, {:6} estimated".format(
                *row[:5], row[4] / row[3], *row[5:]))
            if given.check and not (1 / ESTIMATE < row[4] / row[3] < ESTIMATE and
                                    (row[5] == 0 or 1 / ESTIMATE < row[6] / row[5] < ESTIMATE)):
                sys.exit(f"{row[2]} of {row[0]}: estimates must be within {ESTIMATE} of what is counted; change"
                         " the costs in its prepare half")
        return
    names, targets = [given.only] if given.only else list(PORTS), given.target or ["cortex-m4", *PEERS["cores"]]
    results = {name: measure(given.oribi, given.models, name) for name in names} if "cortex-m4" in targets else {}
    cores = {(target, name): measure_core(given.oribi, given.models, name, target)
             for target in targets if target != "cortex-m4" for name in names}
    tables = "\n\n".join(text for text in (table(results) if results else "", core_table(cores) if cores else "") if text)
    print(json.dumps({**results, **{" ".join(key): got for key, got in cores.items()}}, indent=1) if given.json else tables)
    checks = [(name, *gate) for name, got in results.items() for gate in gates(name, got)]
    checks += [(" ".join(key), *gate) for key, got in cores.items() for gate in core_gates(*key, got)]
    missed = [f"{name}: {what}: {value:.4g}, not at most {limit}" for name, what, value, limit in checks if value > limit]
    for line in missed:
        print(line, file=sys.stderr)
    if given.check and missed:
        sys.exit(1)


main()
