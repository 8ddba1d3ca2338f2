# SPDX-License-Identifier: Apache-2.0
"""What a step costs besides its kernel's work: an op of a plugin with two inputs and one output that
computes nothing, in chains of 1000 and 2000, through `oribi bench`.

    dispatch_cost.py ORIBI SOURCE COMPILER [--write] [--time]     --write: its row of tests/support/costs.txt
                                  --time: nanoseconds too, best of several, not judged

Instructions are counted by callgrind inside the last run; the difference of the two chains leaves out
what a run costs. More than LIMIT an op fail, and more than 2 % above the table (tests/support/costs.py).
The same with a kernel that wastes some on purpose must fail.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import costs  # noqa: E402

LIMIT = 250
# The plugin as a distribution builds it: a canary costs its compute function eight.
HARDENED = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
            "-Wl,-z,relro,-z,now"]


def make_model(o, path, length):
    nodes = []
    before, at = "x", "x"
    for i in range(length):
        nodes.append(o.node("Empty", [at, before], [f"v{i}"], domain="com.acme"))
        before, at = at, f"v{i}"
    path.write_bytes(o.model(nodes, [o.info("x", [1])], [o.info(at, [1])], domains=["com.acme"]))


def command(oribi, plugin, model, warm_up, runs):
    return [oribi, "bench", str(model), "--plugin", str(plugin), "--threads", "1", "--warm-up",
            str(warm_up), "--runs", str(runs), "--json"]


def count(oribi, plugin, model, folder):
    return costs.total(costs.callgrind(command(oribi, plugin, model, 5, 1),
                                       ["--toggle-collect=oribi_run_execute",
                                        "--zero-before=oribi_run_execute"], folder))


def instructions(oribi, plugin, models, folder):
    a, b = (count(oribi, plugin, m, folder) for m in models)
    return (b - a) / 1000


def nanoseconds(oribi, plugin, models):
    best = [float("inf")] * 2
    for _ in range(5):
        for i, model in enumerate(models):
            out = subprocess.run(command(oribi, plugin, model, 5, 300), check=True, capture_output=True)
            best[i] = min(best[i], json.loads(out.stdout)["min_ms"])
    return (best[1] - best[0]) * 1e6 / 1000


def build(source, plugin, *options):
    subprocess.run(["cc", "-O2", *HARDENED, "-shared", "-fPIC", *options, f"-I{source}/include",
                    str(source / "tests/session/plugin/empty.c"), "-o", str(plugin)], check=True)


def main():
    oribi, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    costs.need_compiler(sys.argv[3])
    sys.path.insert(0, str(source / "tests/cli"))
    import onnx_lite as o
    os.environ["ORIBI_PLUGIN_CACHE"] = "0"
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        models = [folder / "1000.onnx", folder / "2000.onnx"]
        for model in models:
            make_model(o, model, int(model.stem))
        build(source, folder / "empty.so")
        build(source, folder / "wasteful.so", "-DPLANTED_COST=2")
        good = instructions(oribi, folder / "empty.so", models, folder)
        wasteful = instructions(oribi, folder / "wasteful.so", models, folder)
        print(f"{good:.1f} instructions an op, at most {LIMIT}; {wasteful:.1f} with planted waste")
        if "--time" in sys.argv:
            print(f"{nanoseconds(oribi, folder / 'empty.so', models):.1f} ns an op")
    is_kept = costs.judge({"dispatch": round(good)})
    sys.exit(0 if is_kept and good <= LIMIT < wasteful else 1)


main()
