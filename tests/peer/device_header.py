#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example device compiled against the stream-executor header of TensorFlow's wheel, and against no header
of ours but the kits, loads unchanged and passes the tests of devices.

    python device_header.py SOURCES FOLDER COMPILER TEST...        77 without tensorflow 2.16
"""
import os
import pathlib
import shutil
import subprocess
import sys

BASELINE = "2.16."
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
except ImportError:
    print("skipped: no tensorflow in this Python")
    sys.exit(77)


def main():
    if not tf.__version__.startswith(BASELINE):
        print(f"skipped: the baseline is tensorflow {BASELINE}x, here is {tf.__version__}")
        sys.exit(77)
    sources, folder, compiler, *tests = sys.argv[1:]
    plugin = pathlib.Path(folder) / "fake_accelerator_tf.so"
    kits = pathlib.Path(folder) / "kits/oribi"
    kits.mkdir(parents=True, exist_ok=True)
    for kit in (pathlib.Path(sources).parents[1] / "include/oribi").glob("*_kit*.h"):
        shutil.copy(kit, kits)
    # in C each file that includes TensorFlow's kernels.h defines TF_InputRange_Args_STRUCT_SIZE
    subprocess.run([compiler, "-Wl,--allow-multiple-definition", "-std=gnu11", "-O1", "-Wall", "-shared", "-fPIC", "-fvisibility=hidden",
                    "-I", kits.parent, "-isystem", tf.sysconfig.get_include(), *sorted(map(str, pathlib.Path(sources).glob("*.c"))),
                    "-o", plugin, "-pthread"], check=True)
    environment = dict(os.environ, TEST_FAKE_PLUGIN=str(plugin), TEST_FAKE_OPTIONS="peers=0")
    for test in tests:
        subprocess.run([test], env=environment, check=True)


main()
