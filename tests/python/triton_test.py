#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libtriton_oribi.so in a real Triton Inference Server, asked by Triton's own client: a model of one line of configuration, results with the
bits of `oribi run`, errors that are the request's own. ORIBI_FLEET_PYTHON names a Python with tritonclient[http], NumPy and the files
of nvidia-pytriton (`pip install --no-deps nvidia-pytriton==0.7.0`), which has the server; the test is skipped where there is none.

    triton_test.py SOURCE BUILD
"""
import importlib.util
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

SOURCE, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits"
MODELS = {"digits": "digits.onnx", "digits_int8": "digits_int8.tflite"}


def find_python():
    for python in filter(None, (os.environ.get("ORIBI_FLEET_PYTHON"), sys.executable)):
        if subprocess.run([python, "-c", "import tritonclient.http, numpy, importlib.util as u; assert u.find_spec('pytriton')"],
                          capture_output=True).returncode == 0:
            return python
    print("skipped: no Python with tritonclient[http], numpy and nvidia-pytriton (ORIBI_FLEET_PYTHON names one)")
    sys.exit(77)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def prepare(folder):
    (folder / "backends/oribi").mkdir(parents=True)
    shutil.copy(BUILD / "triton/libtriton_oribi.so", folder / "backends/oribi")
    for name, file in MODELS.items():
        (folder / "models" / name / "1").mkdir(parents=True)
        (folder / "models" / name / "config.pbtxt").write_text('backend: "oribi"\n')
        shutil.copy(DIGITS / file, folder / "models" / name / "1" / f"model{pathlib.Path(file).suffix}")


def start(folder, port):
    """The server when it answers; it is waited for by asking."""
    import tritonclient.http as triton
    home = pathlib.Path(importlib.util.find_spec("pytriton").origin).parent / "tritonserver"
    server = home / "bin/tritonserver"
    server.chmod(0o755)
    log = open(folder / "log", "w")
    process = subprocess.Popen([server, f"--model-repository={folder / 'models'}", f"--backend-directory={folder / 'backends'}",
                                f"--http-port={port}", "--http-address=127.0.0.1", "--allow-grpc=false", "--allow-metrics=false", "--log-verbose=0"],
                               env={**os.environ, "LD_LIBRARY_PATH": f"{home / 'external_libs'}:{home / 'lib'}:{BUILD / 'lib'}"}, stdout=log, stderr=log)
    client = triton.InferenceServerClient(f"127.0.0.1:{port}", concurrency=4)
    while process.poll() is None:
        try:
            if client.is_server_ready():
                return process, client
        except Exception:  # nobody listens yet
            pass
    sys.exit(f"the server ended:\n{(folder / 'log').read_text()[-4000:]}")


def of_run(folder, name, array):
    import numpy as np
    np.save(folder / "x.npy", array)
    subprocess.run([BUILD / "bin/oribi", "run", DIGITS / MODELS[name], "-i", f"0=@{folder / 'x.npy'}", "-o", folder / "y.npz", "-f"], check=True,
                   stdout=subprocess.DEVNULL)
    found = np.load(folder / "y.npz")
    return found[found.files[0]]


def ask(client, folder):
    import numpy as np
    import tritonclient.http as triton
    from tritonclient.utils import InferenceServerException
    random = np.random.default_rng(4)
    meta = client.get_model_metadata("digits")
    assert meta["inputs"] == [{"name": "picture", "datatype": "FP32", "shape": [1, 1, 8, 8]}], meta
    assert client.get_model_config("digits_int8")["input"][0]["data_type"] == "TYPE_INT8"

    def given(array, kind):
        return [triton.InferInput("picture", array.shape, kind).set_data_from_numpy(array)]
    pictures = random.random((8, 1, 1, 8, 8), np.float32)
    wanted = [of_run(folder, "digits", p) for p in pictures]
    under_way = [client.async_infer("digits", given(p, "FP32")) for p in pictures]  # several at a time
    for one, right in zip(under_way, wanted):
        np.testing.assert_array_equal(one.get_result().as_numpy("probabilities"), right)
    whole = random.integers(-128, 127, (1, 8, 8, 1), np.int8)
    output = client.get_model_metadata("digits_int8")["outputs"][0]["name"]
    np.testing.assert_array_equal(client.infer("digits_int8", given(whole, "INT8")).as_numpy(output), of_run(folder, "digits_int8", whole))
    for wrong, kind in ((pictures[0][:, :, :4], "FP32"), (whole.reshape(1, 1, 8, 8), "INT8")):
        try:
            client.infer("digits", given(np.ascontiguousarray(wrong), kind))
        except InferenceServerException:
            continue
        sys.exit(f"no error for {kind} {wrong.shape}")
    np.testing.assert_array_equal(client.infer("digits", given(pictures[0], "FP32")).as_numpy("probabilities"), wanted[0])
    statistics = client.get_inference_statistics("digits")["model_stats"][0]
    assert statistics["inference_stats"]["success"]["count"] == 9, statistics


def main():
    python = find_python()
    if python != sys.executable:
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]]).returncode)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        process, client = start(folder, free_port())
        try:
            ask(client, folder)
            client.close()
        finally:
            process.terminate()
            code = process.wait()
        if code != 0:
            sys.exit(f"the server ended with {code}:\n{(folder / 'log').read_text()[-3000:]}")
    print("triton: configuration from the model, FP32 and INT8 with the bits of `oribi run`, errors, statistics, end")


main()
