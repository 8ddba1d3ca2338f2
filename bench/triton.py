#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What does the Triton backend add to a run, and what do its batches reach of the same batch in a process?

    ORIBI_FLEET_PYTHON=PYTHON triton.py BUILD [SECONDS]

PYTHON has nvidia-pytriton and tritonclient[grpc]==2.42.0, whose perf_analyzer makes the load (gRPC; it wants libb64-0d). Triton's own
statistics say how long a request was in the backend, and waited before; `oribi bench` times the same model with one thread. Of batches it is
processor time that counts, of the instance's thread and of a process that runs the same batch, so that others on the machine do not. Both
in turns, three times; the best and the median of each.
"""
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SOURCE / "tests/python")]
from triton_models import convolutions  # noqa: E402
from triton_server import Server, find_python  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
TURNS = 3
ONE_THREAD = 'parameters { key: "threads" value: { string_value: "1" } }'
ROWS = 8


def prepare(folder):
    import shutil
    (folder / "backends/oribi").mkdir(parents=True)
    shutil.copy(BUILD / "triton/libtriton_oribi.so", folder / "backends/oribi")
    for name, configuration, data in (("digits", "", (SOURCE / "examples/digits/digits.onnx").read_bytes()), ("alone", "", convolutions()),
                                      ("batch", f"max_batch_size: {ROWS} dynamic_batching {{ preferred_batch_size: [ {ROWS} ] "
                                                "max_queue_delay_microseconds: 20000 }", convolutions())):
        (folder / "models" / name / "1").mkdir(parents=True)
        (folder / "models" / name / "config.pbtxt").write_text(f'backend: "oribi"\n{ONE_THREAD}\n{configuration}\n')
        (folder / "models" / name / "1/model.onnx").write_bytes(data)


def load(server, folder, model, concurrency, shape):
    """What perf_analyzer got in a second; means in us of that time: waiting for an instance, in the backend, processor time of its thread."""
    before, busy = server.client.get_inference_statistics(model)["model_stats"][0], thread_times(server)
    out = folder / "load.csv"
    out.unlink(missing_ok=True)
    libraries = [p for p in pathlib.Path(sys.prefix).glob("lib/*/site-packages/nvidia_pytriton.libs/libcudart*")]
    (folder / "libcudart.so.12").unlink(missing_ok=True)
    (folder / "libcudart.so.12").symlink_to(libraries[0])
    command = [pathlib.Path(sys.prefix) / "bin/perf_analyzer", "-m", model, "-x", "1", "-u", f"127.0.0.1:{server.grpc}", "-i", "grpc", "-f", out,
               "-p", str(SECONDS * 1000), "-r", "3", "-s", "900", "--concurrency-range", str(concurrency), *shape]
    done = subprocess.run(command, env={**os.environ, "LD_LIBRARY_PATH": str(folder)}, capture_output=True, text=True)
    if not out.exists():
        sys.exit(f"perf_analyzer ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    after = server.client.get_inference_statistics(model)["model_stats"][0]
    cpu = max(ns - busy.get(thread, 0) for thread, ns in thread_times(server).items())
    def sum_of(kinds, what="ns"):
        return sum(after["inference_stats"][k][what] - before["inference_stats"][k][what] for k in kinds)
    n = sum_of(["success"], "count")
    return {"rate": float(next(csv.DictReader(out.open()))["Inferences/Second"]), "queue": sum_of(["queue"]) / n / 1e3,
            "backend": sum_of(["compute_input", "compute_infer", "compute_output"]) / n / 1e3, "cpu": cpu / n / 1e3}


def thread_times(server):
    return {t.name: int((t / "schedstat").read_text().split()[0]) for t in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()}


def in_process():
    """Processor time of a row of a full batch in us, the mean of as long a time."""
    import numpy as np
    import oribi
    session = oribi.Session(convolutions(), threads=1)
    x = np.random.default_rng(2).random((ROWS, 1, 32, 32), np.float32)
    until, start, n = time.monotonic() + SECONDS, time.thread_time_ns(), 0
    while time.monotonic() < until:
        session.run({"x": x})
        n += ROWS
    return (time.thread_time_ns() - start) / n / 1e3


def bench(folder, model, shape):
    done = subprocess.run([BUILD / "bin/oribi", "bench", folder / f"models/{model}/1/model.onnx", "--threads", "1", "--json", *shape], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["median_ms"] * 1e3


def line(name, ours, peer, other, share, best):
    print(f"{name:66} {best(ours):9.1f} {statistics.median(ours):9.1f} {best(peer):9.1f} {statistics.median(peer):9.1f} "
          f"{share(best(ours), best(peer)):9.2f} {best(other):9.1f}")


def main():
    python = find_python()
    if python is None:
        sys.exit("no Python with tritonclient, numpy and nvidia-pytriton: ORIBI_FLEET_PYTHON names one")
    if python != sys.executable:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "ORIBI_LIBRARY": str(BUILD / "lib/liboribi.so.1")}
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=environment).returncode)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        server = Server(folder, BUILD, "batch")
        found = {}
        try:
            for _ in range(TURNS):
                for model, shape, dims in (("digits", [], []), ("alone", ["--shape", "x:1,1,32,32"], ["--shape", "x=1x1x32x32"])):
                    row = load(server, folder, model, 1, shape)
                    pair = found.setdefault(model, ([], [], []))
                    pair[0].append(row["backend"])
                    pair[1].append(bench(folder, model, dims))
                    pair[2].append(row["queue"])
                row = load(server, folder, "batch", 2 * ROWS, ["--shape", "x:1,32,32"])
                pair = found.setdefault("batch", ([], [], []))
                pair[0].append(row["cpu"])
                pair[1].append(in_process())
                pair[2].append(row["rate"])
        finally:
            server.end()
    print(f"{'':66} {'Triton':>19} {'in a process':>19}")
    print(f"{'':66} {'best':>9} {'median':>9} {'best':>9} {'median':>9}")
    for model in ("digits", "alone"):
        line(f"{model}: us in the backend; of a run; difference; us in the queue", *found[model], lambda a, b: a - b, min)
    line(f"batches of {ROWS}: processor us a row; in process; throughput; rows/s", *found["batch"], lambda a, b: b / a, min)


main()
