#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that other processes truncate while the command uses them: with --read it computes what it
would have, without it the command says what happened and ends with 4; it never dies of a signal.

    files_test.py ORIBI SOURCE_FOLDER
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

import onnx_lite as onnx

ORIBI, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
ROWS = 1 << 18
TOLD = "changed while it was in use"
checks = 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        sys.exit(f"files: {what}")


def weights(external):
    if not external:
        return onnx.tensor("w", np.arange(ROWS * 4, dtype=np.float32).reshape(ROWS, 4))
    entries = (("location", "w.bin"), ("offset", "0"), ("length", str(ROWS * 16)))
    return b"".join([onnx.field(1, ROWS), onnx.field(1, 4), onnx.field(2, 1), onnx.field(8, "w")] +
                    [onnx.field(13, onnx.field(1, k) + onnx.field(2, v)) for k, v in entries] +
                    [onnx.field(14, 1)])


def write_model(folder, external):
    """Rows of a table by their numbers, so that the table's pages are touched by the run alone."""
    np.arange(ROWS * 4, dtype=np.float32).tofile(folder / "w.bin")
    nodes = [onnx.node("Gather", ["w", "i"], ["y"])]
    (folder / "m.onnx").write_bytes(onnx.model(nodes, [onnx.info("i", [2], 7)], [onnx.info("y", [2, 4])],
                                               [weights(external)]))


def start(folder, *options):
    """The command, which waits for its input with the model open."""
    fifo = folder / "input.npy"
    fifo.unlink(missing_ok=True)
    os.mkfifo(fifo)
    command = [ORIBI, "run", "m.onnx", "-i", "i=@input.npy", "-f", "-o", "y.npy", *options]
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.monotonic() + 60
    while True:  # a writer can open it when the command reads it: the session is made then
        try:
            return child, os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            if child.poll() is not None or time.monotonic() > end:
                sys.exit(f"files: the command did not come to its input: {child.communicate()[0]}")
            time.sleep(0.01)


def finish(folder, child, fd):
    np.save(folder / "i.npy", np.array([0, ROWS - 1], np.int64))
    os.write(fd, (folder / "i.npy").read_bytes())
    os.close(fd)
    text = child.communicate(timeout=60)[0]
    return child.returncode, text


def truncated(folder, external, *options):
    write_model(folder, external)
    (folder / "y.npy").unlink(missing_ok=True)
    child, fd = start(folder, *options)
    os.truncate(folder / ("w.bin" if external else "m.onnx"), 100)
    return finish(folder, child, fd)


def is_right(folder):
    wanted = np.array([[0, 1, 2, 3], np.arange(ROWS * 4 - 4, ROWS * 4)], np.float32)
    return np.array_equal(np.load(folder / "y.npy"), wanted)


def check_models(folder):
    for external in (True, False):
        what = "external data" if external else "a model's own bytes"
        code, text = truncated(folder, external)
        told = code == 4 and TOLD in text and "--read" in text and not (folder / "y.npy").exists()
        # Weights that do not lie where kernels want them were copied when the session was made.
        copied = not external and code == 0 and is_right(folder)
        check(told or copied, f"{what}: {code}: {text}")
        code, text = truncated(folder, external, "--read")
        check(code == 0 and is_right(folder), f"{what} with --read: {code}: {text}")


def check_input(folder):
    """An input that ends early is a bad input, whoever cut it."""
    write_model(folder, False)
    np.save(folder / "short.npy", np.array([0, 1], np.int64))
    os.truncate(folder / "short.npy", 130)
    run = subprocess.run([ORIBI, "run", "m.onnx", "-i", "i=@short.npy"], cwd=folder, capture_output=True,
                         text=True)
    check(run.returncode == 4 and "short.npy" in run.stderr, f"a short input: {run}")


def check_options(folder):
    """Every command that opens models can read them; a limit counts what is read."""
    digits = SOURCE / "examples/digits/digits_int8.tflite"
    write_model(folder, True)
    for command in (["inspect", digits], ["inspect", "m.onnx"], ["bench", "-n", "1", digits],
                    ["compile", digits, "-o", "out"]):
        run = subprocess.run([ORIBI, *command, "--read"], cwd=folder, capture_output=True, text=True)
        check(run.returncode == 0, f"{command} --read: {run}")
    limited = [ORIBI, "inspect", "m.onnx", "--max-bytes", "1m"]
    run = subprocess.run(limited, cwd=folder, capture_output=True, text=True)
    check(run.returncode == 0, f"mapped weights count nothing: {run}")
    run = subprocess.run([*limited, "--read"], cwd=folder, capture_output=True, text=True)
    check(run.returncode == 5 and "w.bin" in run.stderr, f"weights that are read count: {run}")


def check_signal(folder):
    """A SIGBUS that no file caused stays one."""
    write_model(folder, False)
    child, fd = start(folder)
    child.send_signal(signal.SIGBUS)
    text = child.communicate(timeout=60)[0]
    os.close(fd)
    check(child.returncode == -signal.SIGBUS and TOLD not in text, f"kill -BUS: {child.returncode}: {text}")


with tempfile.TemporaryDirectory() as scratch:
    for part in (check_models, check_input, check_options, check_signal):
        part(pathlib.Path(scratch))
print(f"files: {checks} checks")
