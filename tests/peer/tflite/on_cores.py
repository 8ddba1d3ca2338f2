#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every operator and element type of the vectors on every class of cores: one case of each is put into one model, whose C runs on
each core in QEMU and gives what the interpreters gave, to the bit; floats with a tolerance give what the host session gives.

    on_cores.py ORIBI SOURCE_FOLDER                 that part of docs/reference/tflite-operators.md is not stale
    on_cores.py ORIBI SOURCE_FOLDER --update        writes it
    on_cores.py ORIBI SOURCE_FOLDER --run [TARGET]  runs them, on three classes; ORIBI_TEST_FULL=1: on all

The page names the kernel of an operator on each core, as `oribi compile` reports it. Operators with state or graphs of their own are not
in it: they have one kernel on all cores, and compile.vectors runs it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
import cases  # noqa: E402
import container  # noqa: E402
import model  # noqa: E402
import table  # noqa: E402
from build import COLUMNS, DTYPES, HYBRID, PLAIN  # noqa: E402

PAGE = SOURCE / "docs/reference/tflite-operators.md"
TYPES = (*COLUMNS, "i8x4", HYBRID, *PLAIN)
# What the page calls each class of cores.
CORES = {"dsp": "M4, M7, M33", "plain": "M3, RISC-V", "v6m": "M0, M0+", "mve": "M55, M85", "rvv": "RISC-V's vectors"}
TARGETS = ["cortex-m0", "cortex-m55", "riscv64-v"]  # whose kernels are the farthest from those that other tests run
FULL = [*TARGETS, "cortex-m3", "cortex-m4", "riscv32"]
TOOLS = {"cortex": ("arm-none-eabi-gcc", "qemu-system-arm"), "riscv32": ("riscv64-unknown-elf-gcc", "qemu-system-riscv32"),
         "riscv64": ("riscv64-unknown-elf-gcc", "qemu-system-riscv64")}
HEAD = """
Made by `tests/peer/tflite/on_cores.py`; do not edit. Each operator in each type of the second column is run on a Cortex-M0 (ARMv6-M),
M3, M4 and M55, on RV32 and on RV64 with vectors in QEMU, and gives there what TensorFlow Lite Micro or TensorFlow Lite gave
(`tests/vectors`), to the bit; what is in brackets has a tolerance there and gives the bits of the host session. The other columns name the kernels that
`--core` chooses where classes differ, those of `micro/`; else one kernel, in plain C or by the intrinsics of `include/micro`, serves all. `h8` is
a float layer with weights of int8, `i8x4` one of int8 with weights of int4. Operators with state or graphs of
their own stand above alone.

"""


class Part:
    """One operator of one type: a case of its vectors."""

    def __init__(self, operator, column, case, graph):
        self.operator, self.column, self.case, self.graph = operator, column, case, graph
        self.is_exact = case.atol == case.rtol == 0


def parts():
    out = []
    for operator in table.ORDER:
        for column in TYPES:
            path = SOURCE / "tests/vectors" / f"{cases.stem(operator, column)}.bin.xz"
            if not path.exists():
                continue
            found = {case.model: case for case in container.unpack(path)[1] if case.steps == 1 and {"tflm", "tflite"} & set(case.outputs)}
            good = [(case, builder.graph) for case, builder in ((found.get(b.model()), b) for _, b in cases.make_all(operator, column))
                    if case is not None and len(builder.graphs) == 1 and len(builder.graph.operators) == 1]
            if good:  # the one with the largest results
                case, graph = max(good, key=lambda pair: sum(len(piece) for piece in next(iter(pair[0].outputs.values()))))
                out.append(Part(operator, column, case, graph))
    return out


def merge(chosen):
    """One graph, and {name: array} of what goes in and what comes out."""
    main, arrays = model.Graph(), {}
    for number, part in enumerate(chosen):
        base, graph = len(main.tensors), part.graph
        for tensor in graph.tensors:
            tensor.name = f"n{number}_{tensor.name.rpartition('_')[2]}"
            main.add(tensor)
        for name, inputs, outputs, intermediates, options in graph.operators:
            main.op(name, *([i + base if i >= 0 else i for i in ids] for ids in (inputs, outputs, intermediates)), **options)
        answers = part.case.outputs
        for ids, data in ((graph.inputs, part.case.inputs), (graph.outputs, answers.get("tflm") or answers["tflite"])):
            for i, raw in zip(ids, data):
                tensor = graph.tensors[i]
                arrays[tensor.name] = np.frombuffer(raw, DTYPES[tensor.kind]).reshape(tensor.shape)
        main.inputs += [i + base for i in graph.inputs]
        main.outputs += [i + base for i in graph.outputs]
    return main, arrays


def oribi(*words):
    done = subprocess.run([ORIBI, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"oribi {' '.join(map(str, words))}\n{done.stderr}")


def kernels(path, core, folder):
    """{number of the part: its kernels, one after the other}."""
    oribi("compile", path, "-o", folder / core, "--core", core)
    out = {}
    for node in json.loads((folder / core / "report.json").read_text())["nodes"]:
        if node["kernel"] not in (None, "view"):
            instance_of = re.sub(r"(_\d+x\d+x\d+)$", "", node["kernel"])
            out.setdefault(int(node["name"].partition("_")[0][1:]), []).append(instance_of)
    return {number: ", ".join(f"`{name}`" for name in dict.fromkeys(names)) for number, names in out.items()}


def page(chosen, folder):
    path = folder / "all.tflite"
    path.write_bytes(model.write(merge(chosen)[0]))
    by_core = [kernels(path, core, folder) for core in CORES]
    rows = {}
    for number, part in enumerate(chosen):
        first, *others = (on_core.get(number, "no code") for on_core in by_core)
        key = (part.operator, first, *("" if sorted(other.split(", ")) == sorted(first.split(", ")) else other for other in others))  # another order is no difference
        rows.setdefault(key, []).append(part.column if part.is_exact else f"({part.column})")
    lines = ["| operator | types | " + " | ".join(CORES.values()) + " |", "|---|---|" + "---|" * len(CORES)]
    for (operator, *names), columns in rows.items():
        lines.append(f"| {operator} | {' '.join(columns)} | " + " | ".join(names) + " |")
    return HEAD + "\n".join(lines) + "\n"


def run(chosen, target, folder):
    """Those to the bit against the interpreters, the rest against the session."""
    exact = [part for part in chosen if part.is_exact]
    for name, some in (("exact", exact), ("near", [part for part in chosen if not part.is_exact])):
        main, arrays = merge(some)
        path, against = folder / f"{name}.tflite", folder / f"{name}.npz"
        path.write_bytes(model.write(main))
        if name == "near":
            arrays = {key: arrays[key] for key in (main.tensors[i].name for i in main.inputs)}
            for key, value in arrays.items():
                np.save(folder / f"{key}.npy", value)
            given = [word for key in arrays for word in ("-i", f"{key}=@{folder / key}.npy")]
            oribi("run", path, "--kernels", "micro", *given, "-o", folder / "near-session.npz", "--force")
            arrays.update(np.load(folder / "near-session.npz"))
        np.savez(against, **arrays)
        oribi("verify", path, "--target", target, "--runs", "0", "--against", against)
    print(f"{target}: {len(exact)} operators and types to the bit, {len(chosen) - len(exact)} as the session")


def main():
    chosen = parts()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if sys.argv[3:4] == ["--run"]:
            for target in sys.argv[4:] or (FULL if os.environ.get("ORIBI_TEST_FULL") else TARGETS):
                tools = next(tools for start, tools in TOOLS.items() if target.startswith(start))
                absent = [tool for tool in tools if shutil.which(tool) is None]
                print(f"skipped: {target}: {', '.join(absent)} is absent") if absent else run(chosen, target, folder)
            return
        text = page(chosen, folder)
    before, _, old = PAGE.read_text().partition(table.ON_CORES)
    if sys.argv[3:] == ["--update"]:
        PAGE.write_text(before + table.ON_CORES + text)
    elif old != text:
        sys.exit(f"{PAGE.relative_to(SOURCE)} is stale: tests/peer/tflite/on_cores.py ORIBI . --update")


if __name__ == "__main__":
    main()
