#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All that wants an NVIDIA GPU, in one command: the tests labelled `cuda`, none of which may be skipped;
models on CUDA against the CPU; ResNet-50's time over ONNX Runtime's on CUDA, which is to be 1.5 at most.
Without a GPU it prints "no GPU: not run", and why, and exits with 77.

usage: gpu.py [--build build] [--models FOLDER] [--rounds 5] [--wanted 1.5]
"""
import argparse
import ctypes
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

MODELS = ("light_resnet50.onnx", "light_mobilenetv2.onnx", "light_squeezenet.onnx", "light_densenet121.onnx",
          "ultraface_rfb320.onnx", "mnist.onnx")


def find_gpu():
    """The GPU's name and the driver's version, or why there is none."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return None, str(error)
    code = driver.cuInit(0)
    if code != 0:
        return None, f"cuInit: error {code}"
    count, version, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(128)
    driver.cuDeviceGetCount(ctypes.byref(count))
    if count.value == 0:
        return None, "the driver has no device"
    driver.cuDriverGetVersion(ctypes.byref(version))
    driver.cuDeviceGetName(name, 128, 0)
    return f"{name.value.decode()}, driver for CUDA {version.value // 1000}.{version.value % 1000 // 10}", None


def run_tests(build):
    made = subprocess.run(["ctest", "--test-dir", build, "-R", "^devices.eigen_gpu$"])  # what eigen_gpu_run loads
    if made.returncode != 0:
        return ["devices.eigen_gpu"]
    done = subprocess.run(["ctest", "--test-dir", build, "-L", "^cuda$", "--output-on-failure"],
                          capture_output=True, text=True)
    print(done.stdout)
    names = re.findall(r"Test +#\d+: (\S+) .*?(Passed|Failed|Skipped|Not Run|Timeout)", done.stdout)
    bad = [f"{name}: {what}" for name, what in names if what != "Passed"]
    return bad or ([] if names else ["no test is labelled cuda"])


class Command:
    def __init__(self, build):
        self.oribi, self.plugin = f"{build}/bin/oribi", f"{build}/plugins/oribi_cuda.so"

    def on_cuda(self):
        return ["--plugin", self.plugin, "--device", "CUDA"]

    def run(self, *words):
        return subprocess.run([self.oribi, *map(str, words)], capture_output=True, text=True, check=True).stdout

    def bench(self, model):
        return json.loads(self.run("bench", model, "--json", *self.on_cuda()))["median_ms"]

    def worst(self, model, folder):
        """Largest difference of the outputs on CUDA and on the CPU, over the largest output."""
        import numpy
        sides = []
        for name, words in (("cpu", []), ("cuda", self.on_cuda())):
            path = f"{folder}/{name}.npz"
            self.run("run", model, "-i", "0=rand:7", "-f", "-o", path, *words)
            sides.append(numpy.load(path))
        return max(float(numpy.abs(sides[0][k] - sides[1][k]).max() / max(1e-6, numpy.abs(sides[0][k]).max()))
                   for k in sides[0].files)


def compare_ort(command, model, rounds):
    """Our time over ONNX Runtime's, rounds in turn; None and why where it has no CUDA here."""
    try:
        import numpy
        import onnxruntime
    except ImportError as error:
        return None, str(error)
    session = onnxruntime.InferenceSession(str(model), providers=["CUDAExecutionProvider"])
    if "CUDAExecutionProvider" not in session.get_providers():
        return None, f"ONNX Runtime {onnxruntime.__version__} has no CUDA here"
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import peer_ort
    feeds = peer_ort.ort_inputs(session)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(command.bench(model))
        theirs.append(statistics.median(peer_ort.turn(lambda: session.run(None, feeds), 2)))
    a, b = statistics.median(ours), statistics.median(theirs)
    return a / b, f"ours {a:.3f} ms, ONNX Runtime {onnxruntime.__version__} {b:.3f} ms"


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(root / "build"))
    parser.add_argument("--models", default=str(root.parent / "shared/models/onnx"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--wanted", type=float, default=1.5)
    args = parser.parse_args()
    gpu, why = find_gpu()
    if gpu is None:
        print(f"no GPU: not run ({why})")
        sys.exit(77)
    print(gpu)
    faults = run_tests(args.build)
    command = Command(args.build)
    with tempfile.TemporaryDirectory() as folder:
        for model in (pathlib.Path(args.models) / name for name in MODELS):
            if not model.exists():
                print(f"{model.name}: not here, not run")
                continue
            worst = command.worst(model, folder)
            print(f"{model.name}: {command.bench(model):.3f} ms, differs from the CPU by {worst:.2g} of the largest")
            if not worst <= 1e-3:  # NaN is a fault, too
                faults.append(f"{model.name} differs from the CPU by {worst:.2g}")
    resnet = pathlib.Path(args.models) / MODELS[0]
    ratio, said = compare_ort(command, resnet, args.rounds) if resnet.exists() else (None, f"no {resnet.name}")
    print(f"{resnet.name}: ratio {ratio:.2f} ({said})" if ratio else f"no ratio: {said}")
    if ratio and ratio > args.wanted:
        faults.append(f"ResNet-50 takes {ratio:.2f} of ONNX Runtime's time, {args.wanted} is wanted")
    for fault in faults:
        print("FAILED:", fault)
    sys.exit(1 if faults else 0)


main()
