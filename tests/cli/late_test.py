#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `--time-limit` end a run whose kernel never calls done, and the process with it? With and without
a thread of the pool that the kernel keeps.

usage: late_test.py ORIBI SOURCE_FOLDER"""
import os
import pathlib
import subprocess
import sys
import tempfile

ORIBI, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
DEADLINE = 5  # the exit code of a limit that was passed
sys.path.insert(0, str(SOURCE / "tests/cli"))
import onnx_lite as o  # noqa: E402


def main():
    os.environ["ORIBI_PLUGIN_CACHE"] = "0"
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        model = folder / "never.onnx"
        node = o.node("Never", ["x"], ["z"], domain="org.tensorflow")
        model.write_bytes(o.model([node], [o.info("x", [1])], [o.info("z", [1])], domains=["org.tensorflow"]))
        for options in [], ["-DWAITS"]:
            plugin = folder / "never.so"
            subprocess.run(["cc", "-shared", "-fPIC", *options, f"-I{SOURCE}/include",
                            str(SOURCE / "tests/session/plugin/never.c"), "-o", str(plugin)], check=True)
            done = subprocess.run([ORIBI, "run", str(model), "--plugin", str(plugin), "-i", "x=ramp",
                                   "--threads", "3", "--time-limit", "300"], capture_output=True, text=True,
                                  timeout=120, check=False)
            if done.returncode != DEADLINE or "time limit" not in done.stderr:
                sys.exit(f"{options}: exit {done.returncode}\n{done.stdout}{done.stderr}")
            print(done.stderr.strip())


main()
