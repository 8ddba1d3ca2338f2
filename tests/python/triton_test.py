#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libtriton_oribi.so in a real Triton Inference Server, asked by Triton's own client: models of one line of configuration, results with the
bits of `oribi run`, rows that are the same in any batch, sequences, strings, errors that are the request's own, metrics. ORIBI_FLEET_PYTHON
names a Python with tritonclient[http], NumPy and the files of nvidia-pytriton (`pip install --no-deps nvidia-pytriton==0.7.0`), which has
the server; the test is skipped where there is none.

    triton_test.py SOURCE BUILD
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import triton_models
from triton_models import DIGITS, EXAMPLES, REFUSED
from triton_server import Server, find_python

SOURCE, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:3])


def given(**arrays):
    import tritonclient.http as triton
    kinds = {"f": "FP32", "O": "BYTES", "S": "BYTES"}
    return [triton.InferInput(n, a.shape, kinds.get(a.dtype.kind) or f"{'U' if a.dtype.kind == 'u' else ''}INT{a.itemsize * 8}").set_data_from_numpy(a)
            for n, a in arrays.items()]


def refused(call, code, words):
    from tritonclient.utils import InferenceServerException
    try:
        call()
    except InferenceServerException as e:
        assert (e.status(), True) == (code, words in e.message()), f"{e.status()} {e.message()}, not {code} {words}"
        return
    sys.exit(f"no error about {words}")


def of_run(folder, model, array):
    import numpy as np
    np.save(folder / "x.npy", array)
    subprocess.run([BUILD / "bin/oribi", "run", model, "-i", f"0=@{folder / 'x.npy'}", "-o", folder / "y.npz", "-f"], check=True,
                   stdout=subprocess.DEVNULL)
    found = np.load(folder / "y.npz")
    return found[found.files[0]]


def examples(server, folder, random):
    """Models of one line of configuration."""
    import numpy as np
    client = server.client
    meta = client.get_model_metadata("digits")
    assert meta["inputs"] == [{"name": "picture", "datatype": "FP32", "shape": [1, 1, 8, 8]}], meta
    assert client.get_model_config("digits_int8")["input"][0]["data_type"] == "TYPE_INT8"
    pictures = random.random((8, 1, 1, 8, 8), np.float32)
    wanted = [of_run(folder, DIGITS / EXAMPLES["digits"], p) for p in pictures]
    under_way = [client.async_infer("digits", given(picture=p)) for p in pictures]  # several at a time
    for one, right in zip(under_way, wanted):
        np.testing.assert_array_equal(one.get_result().as_numpy("probabilities"), right)
    whole = random.integers(-128, 127, (1, 8, 8, 1), np.int8)
    output = client.get_model_metadata("digits_int8")["outputs"][0]["name"]
    np.testing.assert_array_equal(client.infer("digits_int8", given(picture=whole)).as_numpy(output),
                                  of_run(folder, DIGITS / EXAMPLES["digits_int8"], whole))
    refused(lambda: client.infer("digits", given(picture=np.ascontiguousarray(pictures[0][:, :, :4]))), "400", "shape")
    refused(lambda: client.infer("digits", given(picture=whole.reshape(1, 1, 8, 8))), "400", "data-type")
    np.testing.assert_array_equal(client.infer("digits", given(picture=pictures[0])).as_numpy("probabilities"), wanted[0])
    statistics = client.get_inference_statistics("digits")["model_stats"][0]
    assert statistics["inference_stats"]["success"]["count"] == 9, statistics


def batches(server, folder, random):
    """Rows are the same bits in any batch, one instance or two; there are fewer runs than requests; a bad row fails alone."""
    import numpy as np
    client = server.client
    for name in ("rows", "rows2"):
        config = client.get_model_config(name)
        assert config["max_batch_size"] == 8 and "dynamic_batching" in config and config["input"][0]["dims"] == [200], config
    rows = random.normal(size=(64, 200)).astype("f")
    right = np.concatenate([of_run(folder, folder / "models/rows/1/model.onnx", r[None]) for r in rows])
    sizes = [1, 2, 1, 3, 1, 8, 1, 1, 4, 2, 1, 7, 1, 1, 5, 6, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1]
    assert sum(sizes) == len(rows)
    begins = np.cumsum([0, *sizes])
    for name in ("rows", "rows2"):
        under_way = [client.async_infer(name, given(x=rows[b:e])) for b, e in zip(begins, begins[1:])]
        for one, b, e in zip(under_way, begins, begins[1:]):
            assert one.get_result().as_numpy("y").tobytes() == right[b:e].tobytes(), f"{name}: rows {b} to {e} are others"
        n = [server.count(f"nv_inference_{kind}", name) for kind in ("request_success", "count", "exec_count")]
        assert n[:2] == [len(sizes), len(rows)] and n[2] <= n[0], n
    assert server.count("nv_inference_exec_count", "rows") < len(sizes), f"no requests became one run: {n}"
    indices = [np.array([[i % 5, 9 if i == 3 else 0]]) for i in range(8)]  # 9: there is no such row in the table
    under_way = [client.async_infer("table", given(i=i)) for i in indices]
    for i, one in enumerate(under_way):
        if i == 3:
            refused(one.get_result, "400", "Gather")
        else:
            np.testing.assert_array_equal(one.get_result().as_numpy("y"), [[i % 5, 0]])
    texts = np.array([[f"row {i}".encode(), b"", b"\xff\x00" * i] for i in range(6)], dtype=object)
    under_way = [client.async_infer("texts", given(x=texts[i:i + 2])) for i in range(0, 6, 2)]
    found = np.concatenate([one.get_result().as_numpy("y") for one in under_way])
    assert found.tolist() == texts.tolist(), found


def sequences(server):
    """States are a sequence's own, whether Triton keeps them or the model does."""
    import numpy as np
    client = server.client

    def step(model, id, at, last, **arrays):
        return client.infer(model, given(**arrays), sequence_id=id, sequence_start=at == 0, sequence_end=at == last)
    assert [p["name"] for p in client.get_model_config("carried")["input"]] == ["x"]
    for at in range(3):
        for id in (5, 6):
            sum_ = step("carried", id, at, 2, x=np.full(4, id, "f")).as_numpy("y")
            assert sum_.tolist() == [id * (at + 1)] * 4, (id, at, sum_)
    case = triton_models.stream()
    port = client.get_model_metadata("oldest")["inputs"][0]
    output = client.get_model_metadata("oldest")["outputs"][0]["name"]
    inputs = [{port["name"]: np.frombuffer(raw, np.int8).reshape(port["shape"])} for raw in case.inputs]
    outputs = case.outputs["tflm"]
    last = case.steps - 1
    for model, ids in (("oldest", (7, "seven", 9)), ("direct", (7, 8)), ("oldest", (1, 2, 7)), ("direct", (7, 9))):  # places are used again
        for id in ids:  # of the same beginning, one step behind another
            assert step(model, id, 0, last, **inputs[0]).as_numpy(output).tobytes() == outputs[0], (model, id)
        for at in range(1, case.steps):
            for id in ids:
                assert step(model, id, at, last, **inputs[at]).as_numpy(output).tobytes() == outputs[at], (model, id, at)
        refused(lambda: step(model, ids[0], 1, last, **inputs[1]), "400", "START")
    for _ in range(2):  # without sequences each request begins anew
        assert client.infer("stateless", given(**inputs[0])).as_numpy(output).tobytes() == outputs[0]


def main():
    python = find_python()
    if python is None:
        print("skipped: no Python with tritonclient[http], numpy and nvidia-pytriton (ORIBI_FLEET_PYTHON names one)")
        sys.exit(77)
    if python != sys.executable:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "ORIBI_LIBRARY": str(BUILD / "lib/liboribi.so.1")}
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=environment).returncode)
    import numpy as np
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        triton_models.prepare(folder, BUILD / "triton/libtriton_oribi.so")
        server = Server(folder, BUILD, "digits")
        try:
            examples(server, folder, np.random.default_rng(4))
            batches(server, folder, np.random.default_rng(5))
            sequences(server)
            refused(lambda: server.client.infer("hasty", given(x=np.zeros((1, 200), "f"))), "503", "time")
            assert not any(server.client.is_model_ready(m) for m in REFUSED)
        except BaseException:
            print(server.log.read_text()[-6000:])
            raise
        finally:
            code = server.end()
        log = server.log.read_text()
        for model, words in REFUSED.items():
            assert words in log, f"{model}: no '{words}' in\n{log[-3000:]}"
        if code != 0:
            sys.exit(f"the server ended with {code}:\n{log[-3000:]}")
    print("triton: configuration from the model, the bits of `oribi run` in any batch, strings, sequences, errors, statistics, metrics, end")


main()
