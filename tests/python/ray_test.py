#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi.ray` on two nodes of this machine, of which one is killed while the rows are on their way: each row comes once, with the bytes of
one process. ORIBI_FLEET_PYTHON names a Python with ray and numpy; the test is skipped where there is none.

    ray_test.py SOURCE BUILD
"""
import os
import pathlib
import subprocess
import sys

SOURCE, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
MODEL = SOURCE / "examples/digits/digits.onnx"
ROWS = 400


def find_python():
    for python in filter(None, (os.environ.get("ORIBI_FLEET_PYTHON"), sys.executable)):
        if subprocess.run([python, "-c", "import ray, ray.data, numpy"], capture_output=True).returncode == 0:
            return python
    print("skipped: no Python with ray (ORIBI_FLEET_PYTHON names one; pip install 'ray[data]' numpy)")
    sys.exit(77)


def expect(holds, what):
    if not holds:
        sys.exit(what)


def alone(pictures):
    """What one process without Ray computes, and that a batch of a fixed size is filled up and cut."""
    import numpy as np
    import oribi.ray
    model = oribi.ray.Model(str(MODEL), threads=1)
    right = model({"picture": pictures, "id": np.arange(len(pictures))})
    session = oribi.Session(str(MODEL), threads=1)
    for picture, row in zip(pictures[:5], right["probabilities"]):
        np.testing.assert_array_equal(session.run({"picture": picture[None]})["probabilities"][0], row)
    expect(list(right) == ["picture", "id", "probabilities"], f"columns {list(right)}")
    expect(list(oribi.ray.Model(str(MODEL), keep=False)({"picture": pictures[:2]})) == ["probabilities"], "keep=False keeps nothing else")
    for wrong, words in ((lambda: oribi.ray.Model(str(MODEL), rows=3), "batches of 1 rows"),
                         (lambda: model({"image": pictures}), "picture")):
        try:
            wrong()
        except (ValueError, KeyError) as e:
            expect(words in str(e), f"{e}")
        else:
            sys.exit(f"no error about {words}")
    return right["probabilities"]


def main():
    python = find_python()
    if python != sys.executable:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "ORIBI_LIBRARY": str(BUILD / "lib/liboribi.so.1"),
                       "ORIBI_COMMAND": str(BUILD / "bin/oribi"), "RAY_USAGE_STATS_ENABLED": "0"}
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=environment).returncode)
    import numpy as np
    import ray
    from ray.cluster_utils import Cluster

    import oribi.ray
    pictures = np.random.default_rng(2).random((ROWS, 1, 8, 8), np.float32)
    right = alone(pictures)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "object_store_memory": 200 << 20, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1, object_store_memory=200 << 20)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        dataset = ray.data.from_items([{"id": i, "picture": p} for i, p in enumerate(pictures)], override_num_blocks=50)
        scores = oribi.ray.predict(dataset, str(MODEL), batch_size=4, concurrency=2, num_cpus=0.5, threads=1,
                                   ray_remote_args={"scheduling_strategy": "SPREAD"})
        nodes = {n["NodeID"] for n in ray.nodes() if n["Alive"]}
        expect(len(nodes) == 2, f"{nodes}")
        seen = {}
        for batch in scores.iter_batches(batch_size=4, batch_format="numpy", prefetch_batches=0):
            for i, row in zip(batch["id"].tolist(), batch["probabilities"]):
                expect(i not in seen, f"row {i} came twice")
                seen[i] = row
            if second is not None:
                cluster.remove_node(second, allow_graceful=False)
                second = None
        expect(sorted(seen) == list(range(ROWS)), f"{len(seen)} of {ROWS} rows came")
        expect(np.stack([seen[i] for i in range(ROWS)]).tobytes() == right.tobytes(), "other bytes than those of one process")
        expect(sum(n["Alive"] for n in ray.nodes()) == 1, "the node is still there")
    finally:
        ray.shutdown()
        cluster.shutdown()
    print(f"ray {ray.__version__}: a node of two was killed, {ROWS} of {ROWS} rows came once, with the bytes of one process")


main()
