#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi serve`, asked by Triton's own client over HTTP (PyPI: tritonclient[http]). ORIBI_FLEET_PYTHON names a Python that has it;
the test is skipped where there is none.

    tritonclient_test.py ORIBI SOURCE
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent


def find_python():
    """One with tritonclient, which this program then goes on in."""
    for python in filter(None, (os.environ.get("ORIBI_FLEET_PYTHON"), sys.executable)):
        if subprocess.run([python, "-c", "import tritonclient.http, numpy"], capture_output=True).returncode == 0:
            return python
    said = subprocess.run([ORIBI, "serve"], capture_output=True, text=True)
    return None if said.returncode != 3 else ""


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def fails(call, word):
    from tritonclient.utils import InferenceServerException
    try:
        call()
    except InferenceServerException as e:
        expect(word in str(e), f"{word}: {e}")
    else:
        raise AssertionError(f"no error with '{word}'")


def start(folder):
    process = subprocess.Popen([ORIBI, "serve", folder, "--port", "0", "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    url = process.stdout.readline().strip().removeprefix("serving on http://")
    while "ready" not in (line := process.stderr.readline()):
        if not line:
            raise SystemExit("the server ended")
    return process, url


def of_run(folder, array):
    """What `oribi run` computes."""
    import numpy as np
    np.save(folder / "x.npy", array)
    subprocess.run([ORIBI, "run", SOURCE / "examples/digits/digits.onnx", "-i", f"picture=@{folder / 'x.npy'}", "-o", folder / "y.npz", "-f",
                    "--threads", "1"], check=True, stdout=subprocess.DEVNULL)
    return np.load(folder / "y.npz")["probabilities"]


def ask(client, folder):
    import numpy as np
    import tritonclient.http as triton
    pictures = np.random.default_rng(1).random((4, 1, 1, 8, 8), np.float32)

    def infer(array, binary_in=True, binary_out=True, **more):
        given = triton.InferInput("picture", array.shape, "FP32")
        given.set_data_from_numpy(array, binary_data=binary_in)
        return client.infer("digits", [given], outputs=[triton.InferRequestedOutput("probabilities", binary_data=binary_out)], **more)

    wanted = [of_run(folder, p) for p in pictures]
    for binary_in in (True, False):
        for binary_out in (True, False):
            for picture, right in zip(pictures, wanted):
                answer = infer(picture, binary_in, binary_out, request_id="seven")
                np.testing.assert_array_equal(answer.as_numpy("probabilities"), right)
                expect(answer.get_response()["id"] == "seven", "the id comes back")
    given = triton.InferInput("picture", [1, 1, 8, 8], "FP32").set_data_from_numpy(pictures[0])
    np.testing.assert_array_equal(client.infer("digits", [given]).as_numpy("probabilities"), wanted[0])
    several = [client.async_infer("digits", [triton.InferInput("picture", p.shape, "FP32").set_data_from_numpy(p)]) for p in pictures]
    for one, right in zip(several, wanted):
        np.testing.assert_array_equal(one.get_result().as_numpy("probabilities"), right)
    texts = np.array([b"", "ümläut ☃".encode(), b"x" * 70000, b"\xff\x00"], dtype=np.object_)
    given = triton.InferInput("x", [4], "BYTES").set_data_from_numpy(texts)
    expect(client.infer("say", [given]).as_numpy("y").tolist() == texts.tolist(), "BYTES come back")
    given = triton.InferInput("x", [2], "BYTES").set_data_from_numpy(texts[:2], binary_data=False)
    said = client.infer("say", [given], outputs=[triton.InferRequestedOutput("y", binary_data=False)]).as_numpy("y")
    expect([str(s) for s in said] == ["", "ümläut ☃"], f"BYTES in JSON: {said}")
    fails(lambda: infer(pictures[0][:, :, :4]), "shape")
    fails(lambda: client.infer("none", [given]), "no such model")
    fails(lambda: infer(pictures[0], sequence_id=5), "sequence_id")
    fails(lambda: infer(pictures[0], timeout=1), "")
    fails(lambda: infer(pictures[0], request_compression_algorithm="gzip"), "compressed")
    np.testing.assert_array_equal(infer(pictures[0], response_compression_algorithm="gzip").as_numpy("probabilities"), wanted[0])


def main():
    python = find_python()
    if not python:
        print("skipped: " + ("no Python with tritonclient (ORIBI_FLEET_PYTHON names one; pip install tritonclient[http])"
                             if python is None else "the command was built without libmicrohttpd"))
        sys.exit(77)
    if python != sys.executable:
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]]).returncode)
    import tritonclient.http as triton
    sys.path.insert(0, str(HERE))
    import onnx_lite as o
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "models").mkdir()
        (folder / "models/digits.onnx").write_bytes((SOURCE / "examples/digits/digits.onnx").read_bytes())
        (folder / "models/say.onnx").write_bytes(o.model([o.node("Identity", ["x"], ["y"])], [o.info("x", ["n"], 8)],
                                                         [o.info("y", ["n"], 8)]))
        process, url = start(folder / "models")
        try:
            client = triton.InferenceServerClient(url, concurrency=4)
            expect(client.is_server_live() and client.is_server_ready() and client.is_model_ready("digits", "1"), "live and ready")
            expect(not client.is_model_ready("none"), "a model that is not there is not ready")
            expect(client.get_server_metadata()["extensions"] == ["binary_tensor_data"], "its extensions")
            meta = client.get_model_metadata("digits")
            expect(meta["inputs"] == [{"name": "picture", "datatype": "FP32", "shape": [1, 1, 8, 8]}], f"{meta}")
            ask(client, folder)
            client.close()
        finally:
            process.terminate()
            code = process.wait()
        expect(code == 0, f"exit {code}")
    print("tritonclient: health, metadata, FP32 and BYTES in JSON and binary, ids, asynchronous requests, errors")


main()
