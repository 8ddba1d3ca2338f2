#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the library leaves to files of its own: found beside it when asked for, named when missing, and
not needed by the models that the library alone must serve.

usage: apart.py BUILD SOURCE"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "tests/cli"))
import onnx_lite as onnx  # noqa: E402

FILES = "oribi_cpu_extra.so", "oribi_kernel_texts.so"


def ask(oribi, *words, code, text):
    done = subprocess.run([oribi, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    told = done.stdout + done.stderr
    if done.returncode != code or text not in told:
        sys.exit(f"oribi {' '.join(map(str, words))}: {done.returncode}, wanted {code} and '{text}':\n{told}")


def main(folder):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder / "i"], check=True, stdout=subprocess.DEVNULL)
    oribi = folder / "i/bin/oribi"
    lru = onnx.model([onnx.node("LRN", ["x"], ["y"], name="norm", size=3)],
                     [onnx.info("x", [1, 4, 2, 2, 2])], [onnx.info("y", [1, 4, 2, 2, 2])])
    (folder / "rare.onnx").write_bytes(lru)
    rare, digits = folder / "rare.onnx", SOURCE / "examples/digits"
    ask(oribi, "inspect", rare, "--steps", code=0, text="ONNX>LRN")
    # A plugin (OpenCL) has a kernel of ResizeBilinear: ours, which is rare, must come for all that.
    ask(oribi, "plugin", "list", code=0, text="opencl")
    resized = onnx.model([onnx.node("Upsample", ["x"], ["y"], mode="linear", scales=[1.0, 1.0, 2.0, 2.0])], [onnx.info("x", [1, 2, 3, 4])],
                         [onnx.info("y", [1, 2, 6, 8])], opset=7)
    (folder / "resized.onnx").write_bytes(resized)
    ask(oribi, "run", folder / "resized.onnx", "-i", "x=rand:1", code=0, text="y")
    ask(oribi, "compile", digits / "digits_int8.tflite", "-o", folder / "c", code=0, text="")
    for name in FILES:
        found, = (folder / "i").rglob(name)
        shutil.move(found, folder / name)
    ask(oribi, "inspect", rare, "--steps", code=3, text=FILES[0])
    ask(oribi, "compile", digits / "digits_int8.tflite", "-o", folder / "d", code=4, text=FILES[1])
    models = [digits / "digits.onnx", digits / "digits_int8.tflite",
              *sorted((SOURCE / "../shared/models/onnx").glob("*.onnx")),
              *sorted((SOURCE / "../shared/models/mlperf-tiny").glob("*.tflite"))]
    for model in models:
        ask(oribi, "inspect", model, "--steps", code=0, text="built-in")
    gradients = subprocess.run([sys.executable, SOURCE / "tests/binding/gradients_test.py", next((folder / "i").rglob("liboribi.so")),
                                SOURCE], capture_output=True, text=True, timeout=120, check=False)
    if "No module named" not in gradients.stderr and f"the formulas of gradients are in {FILES[1]}" not in gradients.stderr:
        sys.exit(f"gradients: wanted {FILES[1]} to be named:\n{gradients.stderr}")
    print(f"{len(models)} models need neither of {', '.join(FILES)}; who needs them is told")


with tempfile.TemporaryDirectory() as made:
    main(pathlib.Path(made))
