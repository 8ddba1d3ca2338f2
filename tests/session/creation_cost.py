# SPDX-License-Identifier: Apache-2.0
"""What making a session costs before any kernel packs its weights: passes, shapes, choices of
kernels, the memory plan, of real models.

    creation_cost.py ORIBI SOURCE COMPILER [--write]     --write: its rows of tests/support/costs.txt,
                                             of which bench/costs.py makes a table

Instructions inside oribi_session_create with AVX2's kernels, less those inside pack_constant, which
grow with the weights alone. More than 2 % above the table fail (tests/support/costs.py).
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import costs  # noqa: E402

HERE = ["examples/digits/digits.onnx", "examples/digits/digits_int8.tflite"]
SHARED = [f"../shared/models/onnx/{name}.onnx"
          for name in ("mnist", "light_shufflenet", "light_resnet50", "light_densenet121")]


def count(oribi, model, folder):
    command = [oribi, "inspect", model, "--threads", "1", "--isa", "avx2"]
    out = costs.callgrind(command, ["--toggle-collect=oribi_session_create"], folder)
    found = costs.inside(out, ["oribi_session_create", "pack_constant"])
    if found["oribi_session_create"] == 0:
        sys.exit("callgrind saw no call of oribi_session_create: is the library stripped?")
    return found["oribi_session_create"] - found["pack_constant"]


def main():
    oribi, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    costs.need_compiler(sys.argv[3])
    counts = {}
    with tempfile.TemporaryDirectory() as work:
        for name in HERE + SHARED:
            model = source / name
            if model.exists():
                counts[model.stem] = count(oribi, model, pathlib.Path(work))
            else:
                print(f"{model.stem}: skipped, no {name}")
    sys.exit(0 if costs.judge({f"creation {name}": n for name, n in counts.items()}) else 1)


main()
