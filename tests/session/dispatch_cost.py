# SPDX-License-Identifier: Apache-2.0
"""What a step costs besides its kernel's work: an op of a plugin with two inputs and one output that
computes nothing, in chains of 1000 and 2000, through `oribi bench`.

    dispatch_cost.py ORIBI SOURCE [--time]     --time: nanoseconds too, best of several, not judged

Instructions are counted by callgrind inside oribi_run_execute; the difference of 30 and 10 runs is
that of runs in the steady state, the difference of the two chains leaves out what a run costs. More
than 350 an op fail. The same with a kernel that wastes some on purpose must fail.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIMIT = 350
# The plugin as a distribution builds it: a canary costs its compute function eight.
HARDENED = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
            "-Wl,-z,relro,-z,now"]
MORE_RUNS = 20


def make_model(o, path, length):
    nodes = []
    before, at = "x", "x"
    for i in range(length):
        nodes.append(o.node("Empty", [at, before], [f"v{i}"], domain="com.acme"))
        before, at = at, f"v{i}"
    path.write_bytes(o.model(nodes, [o.info("x", [1])], [o.info(at, [1])], domains=["com.acme"]))


def bench(oribi, plugin, model, runs, under=()):
    command = [*under, oribi, "bench", str(model), "--plugin", str(plugin), "--threads", "1",
               "--warm-up", "5", "--runs", str(runs), "--json"]
    return subprocess.run(command, check=True, capture_output=True, text=True)


def count(oribi, plugin, model, runs, folder):
    out = folder / "callgrind.out"
    bench(oribi, plugin, model, runs, ["valgrind", "--tool=callgrind", "--trace-children=no",
                                       "--toggle-collect=oribi_run_execute", f"--callgrind-out-file={out}"])
    line = next(t for t in out.read_text().splitlines() if t.startswith("totals:"))
    return int(line.split()[1])


def instructions(oribi, plugin, models, folder):
    a, b = (count(oribi, plugin, m, 10 + MORE_RUNS, folder) - count(oribi, plugin, m, 10, folder)
            for m in models)
    return (b - a) / MORE_RUNS / 1000


def nanoseconds(oribi, plugin, models):
    best = [float("inf")] * 2
    for _ in range(5):
        for i, model in enumerate(models):
            best[i] = min(best[i], json.loads(bench(oribi, plugin, model, 300).stdout)["min_ms"])
    return (best[1] - best[0]) * 1e6 / 1000


def build(source, plugin, *options):
    subprocess.run(["cc", "-O2", *HARDENED, "-shared", "-fPIC", *options, f"-I{source}/include",
                    str(source / "tests/session/plugin/empty.c"), "-o", str(plugin)], check=True)


def main():
    oribi, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind")
        sys.exit(77)
    sys.path.insert(0, str(source / "tests/cli"))
    import onnx_lite as o
    os.environ["ORIBI_PLUGIN_CACHE"] = "0"
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        models = [folder / "1000.onnx", folder / "2000.onnx"]
        for model in models:
            make_model(o, model, int(model.stem))
        build(source, folder / "empty.so")
        build(source, folder / "wasteful.so", "-DPLANTED_COST=20")
        good = instructions(oribi, folder / "empty.so", models, folder)
        wasteful = instructions(oribi, folder / "wasteful.so", models, folder)
        print(f"{good:.1f} instructions an op, at most {LIMIT}; {wasteful:.1f} with planted waste")
        if "--time" in sys.argv:
            print(f"{nanoseconds(oribi, folder / 'empty.so', models):.1f} ns an op")
    sys.exit(0 if good <= LIMIT < wasteful else 1)


main()
