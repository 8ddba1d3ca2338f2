#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All that wants an NVIDIA GPU, in one command: the tests labelled `cuda`, none of which may be skipped;
models on CUDA against the CPU and beside PyTorch's operators; ResNet-50's time over ONNX Runtime's on CUDA, or
PyTorch's where ONNX Runtime has none, is to be 1.5 at most.
Without a GPU it prints "no GPU: not run", and why, and exits with 77.

usage: gpu.py [--build build] [--models FOLDER] [--rounds 5] [--wanted 1.5] [--no-tests] [| page.py gpu]
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
          "light_vgg19.onnx", "ultraface_rfb320.onnx", "mnist.onnx")


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


def ort_times(model, rounds):
    """Milliseconds of ONNX Runtime's CUDA, or None and why there is none."""
    try:
        import onnxruntime
    except ImportError as error:
        return None, str(error)
    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        return None, f"ONNX Runtime {onnxruntime.__version__} has no CUDA here"
    session = onnxruntime.InferenceSession(str(model), providers=["CUDAExecutionProvider"])
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import peer_ort
    feeds = peer_ort.ort_inputs(session)
    return [statistics.median(peer_ort.turn(lambda: session.run(None, feeds), 2)) for _ in range(rounds)], None


def torch_times(model):
    """PyTorch's operators one after the other, and as a CUDA graph; see torch_peer.py."""
    try:
        import torch_peer
    except ImportError as error:
        return None, str(error)
    return torch_peer.Runner(model).times(), None


def shown(ms, ours):
    return " | " if ms is None else f"{ms:.3f} | {ours / ms:.2f}"


def measure(command, model, rounds, folder):
    """A row of the table; faults."""
    worst = command.worst(model, folder)
    ours = statistics.median(command.bench(model) for _ in range(rounds))
    ort, why = ort_times(model, rounds)
    torch, why_torch = torch_times(model)
    eager, graph = torch or (None, None)
    peer = statistics.median(ort) if ort else eager
    faults = [] if worst <= 1e-3 else [f"{model.name} differs from the CPU by {worst:.2g}"]  # NaN is a fault, too
    row = f"| {model.stem.removeprefix('light_')} | {ours:.3f} | {shown(eager, ours)} | {shown(graph, ours)} | {worst:.1g} |"
    if not ort:
        print(f"{model.name}: {why}" + (f"; {why_torch}" if not torch else ""), file=sys.stderr)
    return row, ours / peer if peer else None, faults


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(root / "build"))
    parser.add_argument("--models", default=str(root.parent / "shared/models/onnx"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--wanted", type=float, default=1.5)
    parser.add_argument("--no-tests", action="store_true", help="the table alone")
    args = parser.parse_args()
    gpu, why = find_gpu()
    if gpu is None:
        print(f"no GPU: not run ({why})")
        sys.exit(77)
    print(gpu)
    faults = [] if args.no_tests else run_tests(args.build)
    command = Command(args.build)
    print("| model | Oribi ms | PyTorch ms | ratio | PyTorch, CUDA graph, ms | ratio | from the CPU |\n|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for model in (pathlib.Path(args.models) / name for name in MODELS):
            if not model.exists():
                print(f"{model.name}: not here, not run")
                continue
            row, ratio, bad = measure(command, model, args.rounds, folder)
            print(row, flush=True)
            faults += bad
            if "resnet50" in model.name and ratio is not None and ratio > args.wanted:
                faults.append(f"ResNet-50 takes {ratio:.2f} of the peer's time, {args.wanted} is wanted")
    for fault in faults:
        print("FAILED:", fault)
    sys.exit(1 if faults else 0)


main()
