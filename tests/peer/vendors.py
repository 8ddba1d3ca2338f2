#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vendors' plugins for TensorFlow in Oribi, where ORIBI_VENDOR_PLUGINS names their folders (site-packages of environments
with a wheel installed, separated by ':'; ORIBI_PYTHON_LIBRARY names a libpython for those that ask for Python).

What is checked of each: the definitions of its ops and kernels, whose bytes are those that TensorFlow has with the same
file (golden hashes); that its graph optimiser makes no more steps and no more transposes of a model than our own passes;
that the results agree. Skipped (77) without such folders.

    vendors.py COMMAND LIBRARY SOURCE MODELS
"""
import contextlib
import ctypes
import glob
import hashlib
import io
import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile

# intel-extension-for-tensorflow-lib: numbers of ops and kernels, and hashes of their definitions, sorted. All of 2.15.0.0.0 are
# byte for byte in the lists that TensorFlow 2.15.1 gives with the same file.
GOLDEN = {"2.15.0.0.0": [311, "eae05b72c9a58dc54d1346cc78cc8c79", 1262, "5946136d782a5c02f0125a9f0061fc8b"],
          "2.13.0.0.0": [302, "9df4db54f471586fc8a9e0ba8b902106", 1212, "a454ddec4f2b18d79e2c1e9c23c98997"]}
TOLERANCE = 1e-4


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("free", ctypes.c_void_p)]


def messages(data):
    """The messages of a list whose field 1 they are."""
    at, out = 0, []
    while at < len(data):
        assert data[at] == 10
        at, length, shift = at + 1, 0, 0
        while True:
            byte = data[at]
            length |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        out.append(data[at:at + length])
        at += length
    return out


def lists(library):
    library.TF_NewStatus.restype = ctypes.c_void_p
    library.TF_GetAllOpList.restype = ctypes.POINTER(Buffer)
    library.TF_GetAllRegisteredKernels.restype = ctypes.POINTER(Buffer)
    library.TF_GetAllRegisteredKernels.argtypes = [ctypes.c_void_p]
    status = library.TF_NewStatus()
    both = library.TF_GetAllOpList().contents, library.TF_GetAllRegisteredKernels(status).contents
    return [messages(ctypes.string_at(b.data, b.length)) for b in both]


def measure(ops, kernels):
    digest = lambda items: hashlib.sha256(b"".join(sorted(items))).hexdigest()[:32]
    return [len(ops), digest(ops), len(kernels), digest(kernels)]


def definitions(path):
    """In a process of its own: what the plugin adds to the lists."""
    library = ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
    before = lists(library)
    status = library.TF_NewStatus()
    library.oribi_plugin_load_file.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.oribi_plugin_load_file(path.encode(), status)
    library.TF_GetCode.argtypes = library.TF_Message.argtypes = [ctypes.c_void_p]
    library.TF_Message.restype = ctypes.c_char_p
    if library.TF_GetCode(status) != 0:
        sys.exit(library.TF_Message(status).decode())
    added = [[x for x in after if x not in set(now)] for after, now in zip(lists(library), before)]
    print(json.dumps(measure(*added)))


def run(*words):
    out = subprocess.run(words, capture_output=True, text=True, timeout=600)
    if out.returncode != 0:
        sys.exit(f"{' '.join(words)}: {out.stderr}")
    return out.stdout


def needs_other_processor(command, plugin):
    """The release for Python 3.11 of 2.13 has AVX-512 in all of its code, constructors included."""
    cpu = pathlib.Path("/proc/cpuinfo")
    if not cpu.exists() or "avx512f" in cpu.read_text():
        return False
    out = subprocess.run([command, "plugin", "check", plugin], capture_output=True, text=True, timeout=600)
    return "signal 4" in out.stdout + out.stderr


def steps(command, model, options):
    ops = [(s["op"], s["provider"]) for s in json.loads(run(command, "inspect", model, "--steps", "--json", *options))["steps"]]
    return len(ops), sum("Transpose" in op for op, _ in ops), sum(provider != "built-in" for _, provider in ops)


def result(command, model, options):
    name = json.loads(run(command, "inspect", model, "--json"))["inputs"][0]["name"]
    return json.loads(run(command, "run", model, "-i", f"{name}=rand:7", "--json", *options))["values"]


def check(command, plugin, models):
    """Problems, as text."""
    problems = []
    if needs_other_processor(command, plugin):
        print(f"{plugin}: left out, it has instructions that this processor lacks")
        return []
    measured = json.loads(run(sys.executable, __file__, "--definitions", sys.argv[2], plugin))
    if measured not in GOLDEN.values():
        problems.append(f"{plugin}: ops, kernels and hashes {measured} are none of the recorded ones")
    print(f"{plugin}: {measured[0]} ops, {measured[2]} kernels")
    for model in models:
        ours, theirs = steps(command, model, []), steps(command, model, ["--plugin", plugin])
        a, b = result(command, model, []), result(command, model, ["--plugin", plugin])
        worst = max((abs(x - y) for x, y in zip(a, b)), default=-1)
        print(f"  {pathlib.Path(model).name}: {theirs[0]} steps ({ours[0]} of ours), {theirs[1]} transposes ({ours[1]}), "
              f"{theirs[2]} on the plugin's kernels, results differ by {worst:.1e}")
        if theirs[0] > ours[0] or theirs[1] > ours[1] or theirs[2] == 0:
            problems.append(f"{model}: {theirs[0]} steps with {theirs[1]} transposes, {theirs[2]} of them the plugin's; ours "
                            f"has {ours[0]} and {ours[1]}")
        if not a or len(a) != len(b) or worst > TOLERANCE:
            problems.append(f"{model}: results differ by {worst}")
    return problems


def resnet(models, folder):
    """ResNet-50 with the random weights of random_weights.py; none where the topology or onnx is not there."""
    source = pathlib.Path(models) / "light_resnet50.onnx"
    try:
        import onnx
        sys.argv, kept = ["random_weights.py", models, "none of them"], sys.argv
        with contextlib.redirect_stdout(io.StringIO()):
            recipe = runpy.run_path(str(pathlib.Path(__file__).with_name("random_weights.py")))
        sys.argv = kept
        model = onnx.load(source)
    except (ImportError, FileNotFoundError) as error:
        print(f"without ResNet-50: {error}")
        return []
    recipe["fill"](model, dict(recipe["MODELS"])["light_resnet50"])
    path = pathlib.Path(folder) / "resnet50.onnx"
    onnx.save(model, path)
    return [str(path)]


def main():
    if sys.argv[1] == "--definitions":
        return definitions(sys.argv[3])
    folders = [f for f in os.environ.get("ORIBI_VENDOR_PLUGINS", "").split(":") if f]
    plugins = [p for f in folders for p in sorted(glob.glob(f"{f}/tensorflow-plugins/*.so"))]
    if not plugins:
        print("skipped: ORIBI_VENDOR_PLUGINS names no folder with tensorflow-plugins/*.so")
        sys.exit(77)
    command, _, source, shared = sys.argv[1:5]
    models = [f"{source}/examples/digits/digits.onnx"]
    with tempfile.TemporaryDirectory() as folder:
        models += resnet(f"{shared}/models/onnx", folder)
        problems = [text for plugin in plugins for text in check(command, plugin, models)]
    print("\n".join(problems) or "all as recorded")
    sys.exit(1 if problems else 0)


main()
