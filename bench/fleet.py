#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many rows a second do one and two workers take of each kind that docs/guide/fleet.md compares?

    ORIBI_FLEET_PYTHON=PYTHON fleet.py BUILD [ROWS]

A worker has one thread and the same model, four convolutions over an open batch (57 MFLOP a row), in batches of 8: a process of `oribi run --shard`,
an `oribi serve`, an instance of Triton's backend, each of both with two clients, an actor of Ray. One worker and two, in turns, three
times; the best and the median. Starting is counted for shards alone; of actors it is the rows behind the first
block. What PYTHON lacks
is left out, and said.
"""
import http.client
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SOURCE / "tests/python"), str(SOURCE / "python")]
from triton_server import Server, find_python, free_ports  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 2048
BATCH, TURNS = 8, 3


def at_once(n, work):
    """Seconds until all n threads are done."""
    threads = [threading.Thread(target=work, args=(i,)) for i in range(n)]
    start = time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return time.monotonic() - start


def shards(folder, n):
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()

    def work(i):
        subprocess.run([BUILD / "bin/oribi", "run", folder / "m/conv.onnx", "-i", f"x=@{folder / 'rows.npy'}", "--rows", str(BATCH), "--threads", "1",
                        "-o", out / "{}.npz", "--shard", f"{i}/{n}"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return ROWS / at_once(n, work)


def ask(connection, path, body=b"", head=0):
    connection.request("POST" if body else "GET", path, body=body, headers={"Inference-Header-Content-Length": str(head)} if body else {})
    answer = connection.getresponse()
    return answer.status, answer.read()


def requests(folder, ports, n):
    """Rows a second of 2n clients, so that no worker waits for one; both servers speak the same protocol."""
    head = json.dumps({"inputs": [{"name": "x", "shape": [BATCH, 1, 32, 32], "datatype": "FP32", "parameters": {"binary_data_size": BATCH * 4096}}],
                       "parameters": {"binary_data_output": True}}).encode()
    body = head + (folder / "rows.npy").read_bytes()[-BATCH * 4096:]

    def work(i):
        connection = http.client.HTTPConnection("127.0.0.1", ports[i % len(ports)])
        for _ in range(ROWS // BATCH // (2 * n)):
            status, answer = ask(connection, "/v2/models/conv/infer", body, len(head))
            if status != 200:
                raise SystemExit(answer)
    return ROWS / at_once(2 * n, work)


def serve(folder, n):
    ports = free_ports(n)
    servers = [subprocess.Popen([BUILD / "bin/oribi", "serve", folder / "m", "--port", str(p), "--threads", "1"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for p in ports]
    try:
        for port in ports:
            while True:
                try:
                    if ask(http.client.HTTPConnection("127.0.0.1", port), "/v2/health/ready")[0] == 200:
                        break
                except OSError:  # nobody listens yet
                    time.sleep(0.05)
        return requests(folder, ports, n)
    finally:
        for server in servers:
            server.terminate()
            server.wait()


def triton(folder, n):
    place = folder / f"triton{n}"
    if not place.exists():
        (place / "backends/oribi").mkdir(parents=True)
        shutil.copy(BUILD / "triton/libtriton_oribi.so", place / "backends/oribi")
        (place / "models/conv/1").mkdir(parents=True)
        shutil.copy(folder / "m/conv.onnx", place / "models/conv/1/model.onnx")
        (place / "models/conv/config.pbtxt").write_text(
            f'backend: "oribi" instance_group [ {{ count: {n} kind: KIND_CPU }} ] parameters {{ key: "threads" value: {{ string_value: "1" }} }}')
    server = Server(place, BUILD, "conv")
    try:
        return requests(folder, [server.http], n)
    finally:
        server.end()


def actors(folder, n):
    import numpy as np
    import oribi.ray
    import ray
    pictures = np.load(folder / "rows.npy")
    dataset = ray.data.from_items([{"x": p} for p in pictures], override_num_blocks=16).materialize()
    scores = oribi.ray.predict(dataset, str(folder / "m/conv.onnx"), batch_size=BATCH, concurrency=n, num_cpus=0.5, threads=1, keep=False)
    sizes, times = [], []
    for batch in scores.iter_batches(batch_size=None, batch_format="numpy", prefetch_batches=0):
        sizes.append(len(batch["y"]))
        times.append(time.monotonic())
    if sum(sizes) != ROWS:
        raise SystemExit(f"{sum(sizes)} of {ROWS} rows")
    return (ROWS - sizes[0]) / (times[-1] - times[0])


def alone(folder, n):
    import numpy as np
    import oribi
    rows = np.load(folder / "rows.npy")
    sessions = [oribi.Session(str(folder / "m/conv.onnx"), threads=1) for _ in range(n)]
    return ROWS / at_once(n, lambda i: [sessions[i].run({"x": rows[k:k + BATCH]}) for k in range(i * BATCH, ROWS, n * BATCH)])


def kinds():
    yield "a session of one process", alone
    yield "a process of `oribi run --shard`", shards
    yield "`oribi serve`", serve
    yield "an instance of one Triton", triton
    try:
        import ray
    except ImportError:
        print("left out: Ray, which this Python has not")
        return
    ray.init(num_cpus=2, object_store_memory=200 << 20, include_dashboard=False, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield "an actor of Ray Data on one node", actors
    ray.shutdown()


def main():
    python = find_python()
    if python is None:
        sys.exit("no Python with tritonclient, numpy and nvidia-pytriton: ORIBI_FLEET_PYTHON names one")
    if python != sys.executable:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "ORIBI_LIBRARY": str(BUILD / "lib/liboribi.so.1"),
                       "ORIBI_COMMAND": str(BUILD / "bin/oribi"), "RAY_USAGE_STATS_ENABLED": "0"}
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=environment).returncode)
    import numpy as np
    from triton_models import convolutions
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m").mkdir()
        (folder / "m/conv.onnx").write_bytes(convolutions())
        np.save(folder / "rows.npy", np.random.default_rng(5).random((ROWS, 1, 32, 32), np.float32))
        print("| rows a second, best (median) | 1 worker | 2 workers |\n|---|---:|---:|")
        for kind, rate in kinds():
            found = ([], [])
            for _ in range(TURNS):
                for n in (1, 2):
                    found[n - 1].append(rate(folder, n))
            print(f"| {kind} | " + " | ".join(f"{max(f):.0f} ({statistics.median(f):.0f})" for f in found) + " |", flush=True)


main()
