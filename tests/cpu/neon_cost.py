# SPDX-License-Identifier: Apache-2.0
"""What NEON's kernels cost: instructions that QEMU executes in one computation of each layer of
neon/count.c, built for arm64 beside the suite of cpu.neon.

    neon_cost.py BUILD SOURCE [--write]     BUILD: the suite's folder
                                            --write: its rows of tests/support/costs.txt

bench/mcu_plugin.c counts. More than 2 % above the table fail (tests/support/costs.py).
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import costs  # noqa: E402

COMPILER = "aarch64-linux-gnu-gcc"


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr}")
    return done.stdout


def address(program, function):
    found = re.search(rf"^([0-9a-f]+) T {function}$", run("aarch64-linux-gnu-nm", program), re.M)
    return f"0x{found[1]}"


def count(program, plugin, layer, folder):
    """Name and instructions; None: there is no such layer."""
    log = folder / "log"
    options = f"{plugin},start={address(program, 'count_begin')},stop={address(program, 'count_end')}"
    done = subprocess.run(["qemu-aarch64", "-plugin", options, "-d", "plugin", "-D", str(log),
                           str(program), str(layer)], capture_output=True, text=True)
    if done.returncode != 0 and not done.stdout:
        return None
    found = re.search(r"mcu_plugin (.*)", log.read_text())
    counted = json.loads(found[1]) if found else {"error": "QEMU's plugin wrote nothing"}
    if done.returncode != 0 or "error" in counted:
        sys.exit(f"{program} {layer} ended with {done.returncode}: {counted.get('error', done.stderr)}")
    return done.stdout.strip(), sum(counted["functions"].values())


def main():
    build, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    for tool in (COMPILER, "qemu-aarch64", "ninja"):
        costs.need(tool)
    costs.need_compiler(COMPILER)
    run("cmake", "-G", "Ninja", "-S", source / "tests/cpu/neon/suite", "-B", build)
    run("ninja", "-C", build, "count")
    counts = {}
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        plugin = folder / "mcu_plugin.so"
        run("cc", "-O2", "-shared", "-fPIC", "-o", plugin, source / "bench/mcu_plugin.c")
        while found := count(build / "count", plugin, len(counts), folder):
            counts[f"neon {found[0]}"] = found[1]
    sys.exit(0 if costs.judge(counts) else 1)


main()
