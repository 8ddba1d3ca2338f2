#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The last table of docs/reference/ops.md: what is tried is one node of each ONNX operator in each element type, which
the library beside the command runs, on ones, and compiles, in this process. Without --update the page must be fresh.

    operators_page.py ORIBI [--update]
"""
import concurrent.futures
import ctypes
import faulthandler
import math
import os
import pathlib
import re
import struct
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "python")]
os.environ["ORIBI_LIBRARY"] = str(pathlib.Path(sys.argv[1]).resolve().parents[1] / "lib/liboribi.so.1")

import oribi  # noqa: E402
import onnx_examples  # noqa: E402
from oribi._lib import call, lib  # noqa: E402
from onnx_lite import attribute, field, info, node  # noqa: E402

PAGE = ROOT / "docs/reference/ops.md"
PART = re.compile(r"(?<=<!-- operators: begin -->\n).*?(?=<!-- operators: end -->)", re.S)
# the number that ONNX gives the type, how one is packed
LISTS = {"list": "SequenceConstruct", "optional": "Optional"}
TYPES = {"f32": (1, "f"), "f64": (11, "d"), "f16": (10, "e"), "bf16": (16, None), "i8": (3, "b"), "i16": (5, "h"),
         "i32": (6, "i"), "i64": (7, "q"), "u8": (2, "B"), "u16": (4, "H"), "u32": (12, "I"), "u64": (13, "Q"),
         "bool": (9, "?"), "str": (8, None)}
NAMES = {1: "float32", 11: "float64", 10: "float16", 16: "bfloat16", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 2: "uint8",
         4: "uint16", 12: "uint32", 13: "uint64", 9: "bool"}
for name, result, *arguments in (("create", ctypes.c_void_p, ctypes.c_void_p), ("destroy", None, ctypes.c_void_p),
                                 ("model", None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
                                 ("num_files", ctypes.c_int, ctypes.c_void_p)):
    function = getattr(lib, "oribi_compile_" + name)
    function.restype, function.argtypes = result, arguments


def tensor(name, spec, kind):
    """Bytes of a TensorProto for "TYPE SHAPE = VALUES"; one value fills it."""
    head, values = spec.split("=")
    element, shape = (head.split() + [""])[:2]
    number, letter = TYPES[kind if element == "T" else element]
    dims = [int(d) for d in shape.split(",") if d]
    count = 1
    for d in dims:
        count *= d
    given = [float(v) for v in values.split()]
    given = given * count if len(given) == 1 else given
    body = b"".join(field(1, d) for d in dims) + field(2, number) + field(8, name)
    if number == 8:
        return body + b"".join(field(6, str(int(v))) for v in given)
    if letter is None:
        return body + field(9, b"".join(struct.pack("<f", v)[2:] for v in given))
    cast = float if letter in "fde" else int
    return body + field(9, b"".join(struct.pack("<" + letter, cast(v)) for v in given))


def port(name, spec, kind):
    element, shape = (spec.split() + [""])[:2]
    return info(name, [int(d) for d in shape.split(",") if d], TYPES[kind if element == "T" else element][0])


def attributes(given, kind):
    """Those of a node that are no plain values: types, tensors, graphs."""
    out = b""
    for name, value in given.items():
        if value == "T":
            value = TYPES[kind][0]
        if isinstance(value, str) and " = " in value:
            made = field(1, name) + field(5, tensor("", value, kind)) + field(20, 4)
        elif isinstance(value, tuple):
            _, ops, inputs, outputs, *declared = value
            names = [f"{name}{i}" for i in range(len(inputs))] or ["i1"]
            nodes = [node(op, [names[-outputs + k] if inputs else "i1"], [f"{name}_{k}"], name=f"{name}_{k}")
                     for k, op in enumerate(ops)]
            graph = b"".join([field(1, n) for n in nodes] + [field(2, name)])
            graph += b"".join(field(11, port(n, t + " ", kind) if t != "T" else
                                    field(1, n) + field(2, field(1, field(1, TYPES[kind][0])))) for n, t in zip(names, inputs))
            kinds = declared[0] if declared else [None] * outputs
            graph += b"".join(field(12, field(1, f"{name}_{k}") + (field(2, field(1, field(1, TYPES[kind if t == "T" else t][0]))) if t else b""))
                              for k, t in enumerate(kinds))
            made = field(1, name) + field(6, graph) + field(20, 5)
        else:
            made = attribute(name, value)
        out += field(5, made)
    return out


def model(op, example, kind, opset):
    inputs, given, n_outputs = example
    domain, _, name = op.rpartition(":")
    given = {k: v for k, v in given.items() if k != "only"}
    opset = given.pop("opset", opset)
    names = [f"i{k}" if spec else "" for k, spec in enumerate(inputs)]
    outputs = [f"o{k}" for k in range(n_outputs)]
    lists = {n: LISTS[spec.split()[0]] for n, spec in zip(names, inputs) if spec and spec.split()[0] in LISTS}
    inputs = [spec.split(" ", 1)[1] if n in lists else spec for n, spec in zip(names, inputs)]
    read = names[:1] if op == "If" else [n + "_list" if n in lists else n for n in names]
    nodes = [node(maker, [n], [n + "_list"]) for n, maker in lists.items()]
    nodes.append(node(name, read, outputs, domain) + attributes(given, kind))
    ports = [port(n, s, kind) for n, s in zip(names, inputs) if s and "=" not in s]
    weights = [tensor(n, s, kind) for n, s in zip(names, inputs) if "=" in s]
    graph = b"".join([field(1, n) for n in nodes] + [field(2, "graph")] + [field(5, w) for w in weights] +
                     [field(11, p) for p in ports] + [field(12, field(1, o)) for o in outputs])
    opsets = field(8, field(1, "") + field(2, opset)) + (field(8, field(1, domain) + field(2, 1)) if domain else b"")
    return field(1, 10) + field(7, graph) + opsets


def feeds(example, kind):
    """Ones, or "a": indices, lengths and conditions, too."""
    given = {}
    for k, spec in enumerate(example[0]):
        if spec and "=" not in spec:
            spec = spec.split(" ", 1)[1] if spec.split()[0] in LISTS else spec
            element, shape = (spec.split() + [""])[:2]
            dims = tuple(int(d) for d in shape.split(",") if d)
            number, letter = TYPES[kind if element == "T" else element]
            one = b"\x80\x3f" if letter is None else struct.pack("<" + letter, 1)
            if number == 8:
                value = "a"
                for d in reversed(dims):
                    value = [value] * d
                given[f"i{k}"] = oribi.tensor(value, "string")
            else:
                given[f"i{k}"] = oribi.tensor(one * math.prod(dims), NAMES[number], dims)
    return given


def compiles(path):
    compilation = call("oribi_compile_create")
    try:
        call("oribi_compile_model", compilation, os.fsencode(path))
        return lib.oribi_compile_num_files(compilation) > 0
    except oribi.Error:
        return False
    finally:
        lib.oribi_compile_destroy(compilation)


def try_one(folder, op, kind, opset, stored=TYPES):
    """Does the host take it, and does C? And why not, of the last example."""
    host, compiled, why = False, False, ""
    for k, example in enumerate(onnx_examples.EXAMPLES[op]):
        if kind not in example[1].get("only", TYPES):
            continue
        path = os.path.join(folder, f"{op.replace(':', '_')}_{kind}_{k}.onnx")
        with open(path, "wb") as file:
            file.write(model(op, example, kind, opset))
        try:
            oribi.Session(path, threads=1).run(feeds(example, kind))
            host, why = True, ""
        except oribi.Error as error:
            why = str(error)
            continue
        compiled = compiled or (kind in stored and compiles(path))
    return op, kind, host, compiled, why


def rows_of():
    rows = {}
    for row in oribi.describe("map")["map"]:
        if "since" in row and row["since"]:
            rows.setdefault(row["onnx"], []).append((row["since"], row["until"]))
    return rows


def words(kinds):
    return ", ".join(kinds) if kinds else "-"


def main():
    rows = rows_of()
    if set(rows) != set(onnx_examples.EXAMPLES):
        sys.exit(f"onnx_examples.py and `oribi ops --map` differ: {sorted(set(rows) ^ set(onnx_examples.EXAMPLES))}")
    faulthandler.enable()
    only = os.environ.get("ORIBI_OPERATORS", "").split()
    found = {op: ([], []) for op in rows}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        stored = [kind for kind in TYPES if try_one(folder, "Identity", kind, 13)[3]]  # by C
        jobs = [pool.submit(try_one, folder, op, kind, max(last for _, last in rows[op]) if ":" not in op else 21,
                            stored)
                for op in sorted(rows) if not only or op in only for kind in TYPES]
        for job in jobs:
            op, kind, host, compiled, why = job.result()
            if only:
                print(op, kind, host, compiled, why.strip()[:300])
            found[op] = (found[op][0] + [kind] * host, found[op][1] + [kind] * compiled)
    if only:
        return
    lines = ["| operator | opsets | host | C |", "|---|---|---|---|"]
    for op in sorted(rows, key=lambda name: (":" in name, name)):
        spans = ", ".join(f"{a}-{b}" if a != b else f"{a}" for a, b in rows[op])
        lines.append(f"| {op} | {spans} | {words(found[op][0])} | {words(found[op][1])} |")
    made = "\n".join(lines) + "\n"
    none = [op for op in rows if not found[op][0]]
    if none:
        sys.exit(f"no type of these is taken, so their examples are wrong: {none}")
    text = PAGE.read_text()
    fresh = PART.sub(lambda _: made, text)
    if "--update" in sys.argv:
        PAGE.write_text(fresh)
    elif fresh != text:
        old = set(PART.search(text).group().split("\n"))
        print("\n".join(line for line in made.split("\n") if line not in old))
        sys.exit("docs/reference/ops.md is stale: run tests/op/operators_page.py ORIBI --update")


if __name__ == "__main__":
    main()
