# SPDX-License-Identifier: Apache-2.0
"""What a run in the steady state costs: instructions inside the last of three calls of
oribi_run_execute, of models with the portable kernels and with AVX2's.

    run_cost.py ORIBI SOURCE COMPILER [--write]     --write: its rows of tests/support/costs.txt

More than 2 % above the table fail (tests/support/costs.py). NEON's kernels: tests/cpu/neon_cost.py;
those of AVX-512, which callgrind does not know: tests/cpu/inner_loops.py.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import costs  # noqa: E402

BOTH = ["portable", "avx2"]
MODELS = {"examples/digits/digits.onnx": BOTH,
          "examples/digits/digits_int8.tflite": BOTH,
          "../shared/models/onnx/mnist.onnx": BOTH,
          "../shared/models/mlperf-tiny/kws_ref_model.tflite": ["avx2"],
          "../shared/models/onnx/light_shufflenet.onnx": ["avx2"],
          "../shared/models/onnx/ultraface_rfb320.onnx": ["avx2"]}


def count(oribi, model, isa, folder):
    """Three runs: the plan is final from the third on. Entering one forgets what was counted."""
    command = [oribi, "bench", model, "--threads", "1", "--isa", isa, "--warm-up", "2", "--runs", "1"]
    out = costs.callgrind(command, ["--toggle-collect=oribi_run_execute",
                                    "--zero-before=oribi_run_execute"], folder)
    return costs.total(out)


def main():
    oribi, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    costs.need_compiler(sys.argv[3])
    counts = {}
    with tempfile.TemporaryDirectory() as work:
        for name, sets in MODELS.items():
            model = source / name
            for isa in sets if model.exists() else []:
                counts[f"run {model.stem} {isa}"] = count(oribi, model, isa, pathlib.Path(work))
            if not model.exists():
                print(f"{model.stem}: skipped, no {name}")
    sys.exit(0 if costs.judge(counts) else 1)


main()
