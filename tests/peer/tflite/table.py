#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/tflite-operators.md: for each operator and element type the number of vectors, or why the
compiler refuses it. Fails when the file is stale, or when a cell has neither.

    table.py ORIBI SOURCE_FOLDER [--update]"""
import pathlib
import re
import subprocess
import sys
import tempfile

import cases
import cases_compressed
import cases_signal
import container
import model
from build import PLAIN

ORDER = """CONV_2D CONV_2D_GROUPED DEPTHWISE_CONV_2D TRANSPOSE_CONV CONVOLUTION_2D_TRANSPOSE_BIAS FULLY_CONNECTED BATCH_MATMUL ADD SUB MUL MAXIMUM
MINIMUM AVERAGE_POOL_2D MAX_POOL_2D MEAN SUM SOFTMAX SOFTMAX_WIDE LOGISTIC TANH RELU RELU6 RELU_N1_TO_1 LEAKY_RELU PRELU HARD_SWISH
RESHAPE SQUEEZE EXPAND_DIMS PAD PADV2 MIRROR_PAD CONCATENATION SPLIT SPLIT_V SLICE STRIDED_SLICE STRIDED_SLICE_OFFSET TRANSPOSE
RESIZE_NEAREST_NEIGHBOR RESIZE_BILINEAR QUANTIZE DEQUANTIZE CAST GATHER PACK UNPACK SVDF SVDF_NARROW
UNIDIRECTIONAL_SEQUENCE_LSTM CALL_ONCE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE
ABS EXP LOG ELU RSQRT EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL SQUARED_DIFFERENCE L2_NORMALIZATION
SELECT_V2 DENSIFY DIV LOG_SOFTMAX CUMSUM ADD_N DYNAMIC_UPDATE_SLICE REDUCE_PROD LOCAL_RESPONSE_NORMALIZATION
CONV_3D_TRANSPOSE TRANSFORM_LANDMARKS LANDMARKS_2_TRANSFORM_MATRIX LANDMARKS_2_TRANSFORM_MATRIX_V1 TRANSFORM_TENSOR_BILINEAR LSTM BIDIRECTIONAL_SEQUENCE_LSTM RNN UNIDIRECTIONAL_SEQUENCE_RNN BIDIRECTIONAL_SEQUENCE_RNN
FLOOR_MOD FILL ZEROS_LIKE GATHER_ND SPACE_TO_BATCH_ND BATCH_TO_SPACE_ND REDUCE_MAX REDUCE_MIN BROADCAST_ARGS DETECTION_POSTPROCESS
ARG_MAX ARG_MIN BROADCAST_TO CEIL COS DEPTH_TO_SPACE EMBEDDING_LOOKUP FLOOR FLOOR_DIV L2_POOL_2D
LOGICAL_AND LOGICAL_NOT LOGICAL_OR NEG REDUCE_ALL REVERSE_V2 ROUND SIN SPACE_TO_DEPTH SQRT SQUARE""".split()
SIGNALS = list(cases_signal.CASES)  # of int16, some of floats as well
ORDER += SIGNALS + list(cases_compressed.CASES)
SEQUENCES = """LSTM BIDIRECTIONAL_SEQUENCE_LSTM RNN UNIDIRECTIONAL_SEQUENCE_RNN BIDIRECTIONAL_SEQUENCE_RNN""".split()
# Cells that neither interpreter has: make_vectors.py asked both.
ABSENT = {(o, c): "TFLite has no such form" for o, c in (
    ("SOFTMAX_WIDE", "f32"), ("SOFTMAX_WIDE", "i16x8"), ("QUANTIZE", "f32"), ("LOG_SOFTMAX", "i16x8"), ("CUMSUM", "i16x8"), ("CUMSUM", "u8"), ("ADD_N", "i16x8"),
    ("ADD_N", "u8"), ("REDUCE_PROD", "u8"), ("HARD_SWISH", "i16x8"), ("RELU_N1_TO_1", "i16x8"),
    ("BATCH_MATMUL", "u8"), ("SVDF", "i16x8"),
    ("SVDF", "u8"), ("SVDF_NARROW", "f32"), ("SVDF_NARROW", "i16x8"), ("SVDF_NARROW", "u8"), ("UNIDIRECTIONAL_SEQUENCE_LSTM", "u8"), ("ABS", "u8"), ("EXP", "u8"), ("LOG", "u8"),
    ("ELU", "i16x8"), ("ELU", "u8"), ("RSQRT", "u8"), ("SQUARED_DIFFERENCE", "u8"), ("L2_NORMALIZATION", "i16x8"),
    ("CONVOLUTION_2D_TRANSPOSE_BIAS", "i8"), ("CONVOLUTION_2D_TRANSPOSE_BIAS", "i16x8"),
    ("CONVOLUTION_2D_TRANSPOSE_BIAS", "u8"), ("DENSIFY", "i8"), ("DENSIFY", "i16x8"), ("DENSIFY", "u8"))}
ABSENT.update({(o, c): "TFLite has no such form" for o in SEQUENCES + ["LOCAL_RESPONSE_NORMALIZATION", "CONV_3D_TRANSPOSE", "TRANSFORM_LANDMARKS", "LANDMARKS_2_TRANSFORM_MATRIX",
                                                                              "LANDMARKS_2_TRANSFORM_MATRIX_V1", "TRANSFORM_TENSOR_BILINEAR"] for c in ("i8", "i16x8", "u8")})
ABSENT.update({(o, c): "TFLite has no such form" for o in SIGNALS for c in ("f32", "i8", "u8")
               if (o, c) not in {("SIGNAL_RFFT", "f32"), ("SIGNAL_IRFFT", "f32"), ("SIGNAL_OVERLAP_ADD", "f32")}})
ABSENT.update({(o, c): "TFLite has no such form" for o, c in (
    ("BROADCAST_ARGS", "f32"), ("BROADCAST_ARGS", "i8"),
    ("BROADCAST_ARGS", "i16x8"), ("BROADCAST_ARGS", "u8"), ("DETECTION_POSTPROCESS", "i8"), ("DETECTION_POSTPROCESS", "i16x8"))})
ABSENT.update({(o, c): "TFLite has no such form" for o, c in (*((o, c) for o in ("LOGICAL_AND", "LOGICAL_OR") for c in ("f32", "i8", "i16x8", "u8")),
                                                              *(("L2_POOL_2D", c) for c in ("i8", "i16x8", "u8")))})
ABSENT.update({(o, c): "TFLite has no such form" for o, c in (
    ("TFLM_DECODE", "u8"), ("CIRCULAR_BUFFER", "f32"), ("CIRCULAR_BUFFER", "i16x8"), ("CIRCULAR_BUFFER", "u8"))})
# Neither interpreter has these, and they mean what they say.
BEYOND = {("FLOOR_MOD", "u8"), ("ZEROS_LIKE", "i16x8"), ("ZEROS_LIKE", "u8"), ("ARG_MAX", "i16x8"), ("ARG_MIN", "i16x8"), ("DEPTH_TO_SPACE", "i16x8"),
          ("SPACE_TO_DEPTH", "i16x8"), ("EMBEDDING_LOOKUP", "i16x8"), ("FLOOR_DIV", "u8"), ("SQRT", "i8"), ("SQRT", "i16x8")}
ABSENT["LSTM", "u8"] = "the basic form is not read for uint8"

HEAD = """# TFLite operators

Made by `tests/peer/tflite/table.py`; do not edit. A number counts vectors in `tests/vectors/`: small models of
that operator with odd shapes, every padding, fused activations and broadcasts, whose outputs come from TensorFlow
Lite Micro and TensorFlow Lite ({references}). The test `compile.vectors` compares the host session
and the emitted C with them to the bit. Anything else is why `oribi compile` refuses such a model. The columns are
the element types: float, int8, int16 with int8 weights, uint8. CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of
int8 also take weights of int4, which become int8 when the model is read, and stay two a byte in C (`compile-memory.md`; `tests/vectors/*_i8x4.bin.xz`). These, TRANSPOSE_CONV, BATCH_MATMUL, SVDF and
the LSTMs and RNNs of floats take weights of int8 (`tests/vectors/*_h8.bin.xz`). How results are rounded: `rounding.md`.
CONVOLUTION_2D_TRANSPOSE_BIAS is the custom operator `Convolution2DTransposeBias` of MediaPipe, which needs no plugin; its
vectors are those of TRANSPOSE_CONV with the sizes that it computes. PRELU of int16 takes slopes of int8. SOFTMAX_WIDE is
SOFTMAX of bytes whose result is int16, SVDF_NARROW is SVDF with a state of int8, STRIDED_SLICE_OFFSET is STRIDED_SLICE whose ends count from the begins. DETECTION_POSTPROCESS
is `TFLite_Detection_PostProcess`, which object detection has at its end; LANDMARKS_2_TRANSFORM_MATRIX, TRANSFORM_LANDMARKS and
TRANSFORM_TENSOR_BILINEAR are custom operators of MediaPipe, compared with models of the same meaning; SIGNAL_... are the custom operators of TensorFlow
Lite Micro's signal library, whose column is the type of their samples. TFLM_DECODE (tables of values, pruning and Huffman codes) becomes
constants when the model is read, so that C has those weights at full size; of a CIRCULAR_BUFFER that lets one of `cycles_max` runs pass the operators behind it
run in that one alone, here and in C: states behind it stay, and outputs are those of the last run that made them, zeros before the first.

"""


def bare(operator, column):
    """A model of an operator that has no cases: enough for a refusal."""
    kind = "i16" if column == "i16x8" else column
    quant = None if column == "f32" else (0.5, 0)
    graph = model.Graph()
    for name in ("x", "y"):
        graph.add(model.Tensor(name, [1, 4], kind, None, *(quant or (None, None))))
    graph.inputs, graph.outputs = [0], [1]
    graph.op(operator, [0], [1])
    return model.write(graph)


def reason(text):
    """The sentence of a refusal, without what belongs to one node or one file."""
    found = re.search(r"at byte \d+: (.*)", text)
    if "cannot be compiled to C yet" in text:
        return "no C form yet"
    if "No registered" in text:
        return "no kernel yet"
    if found:
        return re.sub(r"node '[^']*' ", "", found[1])
    found = re.search(r"node '[^']*'(?: \([^)]*\))?: (.*)", text)
    return found[1] if found else text.strip().splitlines()[0]


def refusal(oribi, operator, column, folder):
    """Why the model is refused; None: it is not."""
    if operator in cases.CASES:
        made = cases.make_all(operator, column)
        models = [builder.model() for _, builder in made]
    else:
        models = [bare(operator, column)]
    for data in models:
        path = folder / "model.tflite"
        path.write_bytes(data)
        done = subprocess.run([oribi, "compile", path, "-o", folder / "c", "--force"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            return reason(done.stderr)
    return None


def cell(oribi, vectors, operator, column, folder, references):
    if (operator, column) in ABSENT:
        is_refused = not cases.make_all(operator, column) or refusal(oribi, operator, column, folder)
        return ABSENT[operator, column] if is_refused else "**accepted, though TFLite has no such form**"
    if (operator, column) in BEYOND:
        why = refusal(oribi, operator, column, folder)
        return f"**refused: {why}**" if why else "taken, though TFLite has no such form"
    path = vectors / f"{cases.stem(operator, column)}.bin.xz"
    if path.exists():
        head, found = container.unpack(path)
        references.update(head["references"])
        if len(found) < cases.LEAST:
            return f"**{len(found)} vectors, {cases.LEAST} are wanted**"
        return str(len(found))
    why = refusal(oribi, operator, column, folder)
    return f"refused: {why}".replace("|", "/") if why else "**accepted, and no vectors**"


ON_CORES = "\n# On cores\n"  # that part of the page is of tests/peer/tflite/on_cores.py
HOST_HEAD = """
These run in host sessions alone; `compile.vectors_session` compares them (`tests/vectors/host`). A dash stands where TFLite
has no such form.

"""


def host_table(source):
    columns = cases.COLUMNS + PLAIN
    lines = ["| operator | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for operator in cases.HOST:
        paths = [source / "tests/vectors/host" / f"{cases.stem(operator, column)}.bin.xz" for column in columns]
        counts = [str(len(container.unpack(p)[1])) if p.exists() else "-" for p in paths]
        red = "" if set(counts) != {"-"} else " **no vectors**"
        lines.append(f"| {operator}{red} | " + " | ".join(counts) + " |")
    return HOST_HEAD + "\n".join(lines) + "\n"


def table(oribi, source):
    references, lines = {}, []
    with tempfile.TemporaryDirectory() as name:
        for operator in ORDER:
            row = [cell(oribi, source / "tests/vectors", operator, column, pathlib.Path(name), references)
                   for column in cases.COLUMNS]
            lines.append(f"| {operator} | " + " | ".join(row) + " |")
    names = {"tflm": "tflite-micro", "tflite": "tensorflow", "litert": "ai-edge-litert"}
    given = ", ".join(f"{names[who]} {version}" for who, version in sorted(references.items()))
    header = "| operator | " + " | ".join(cases.COLUMNS) + " |\n|---|" + "---|" * len(cases.COLUMNS) + "\n"
    return HEAD.format(references=given) + header + "\n".join(lines) + "\n" + host_table(source)


# Operators of int8 that move values and round nothing.
MOVES = """RESHAPE SQUEEZE EXPAND_DIMS PAD PADV2 MIRROR_PAD CONCATENATION SPLIT SPLIT_V SLICE STRIDED_SLICE STRIDED_SLICE_OFFSET
TRANSPOSE GATHER GATHER_ND FILL ZEROS_LIKE SPACE_TO_BATCH_ND BATCH_TO_SPACE_ND REDUCE_MAX REDUCE_MIN FLOOR_MOD PACK UNPACK SELECT_V2 DENSIFY DYNAMIC_UPDATE_SLICE CALL_ONCE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE
ARG_MAX ARG_MIN BROADCAST_TO DEPTH_TO_SPACE SPACE_TO_DEPTH EMBEDDING_LOOKUP FLOOR_DIV REVERSE_V2 TFLM_DECODE CIRCULAR_BUFFER""".split()


def rounding(source):
    """What docs/rounding.md lacks: a row for each int8 operator with vectors, which names them."""
    rows = re.findall(r"^\| ([A-Z0-9_]+) \|.*\| (\w+) \|$", (source / "docs/rounding.md").read_text(), re.M)
    vectors = {p.name.removesuffix(".bin.xz"): p for p in (source / "tests/vectors").glob("*_i8.bin.xz")}
    out = [f"docs/rounding.md: {name} names no vectors of its own ({stem})" for name, stem in rows
           if stem not in vectors or stem != cases.stem(name, "i8")]
    out += [f"docs/rounding.md has no row for {name}" for name in ORDER
            if name not in MOVES and cases.stem(name, "i8") in vectors and name not in dict(rows)]
    text = (source / "docs/rounding.md").read_text()
    for column in ("i16x8", "u8"):
        named = set(re.findall(rf"\b[a-z0-9_]+_{column}\b", text))
        there = {p.name.removesuffix(".bin.xz") for p in (source / "tests/vectors").glob(f"*_{column}.bin.xz")}
        wanted = {cases.stem(name, column) for name in ORDER if name not in MOVES} & there
        out += [f"docs/rounding.md names vectors that are not there: {stem}" for stem in sorted(named - there)]
        out += [f"docs/rounding.md has no row for {stem}" for stem in sorted(wanted - named)]
    for name, stem in rows:
        if stem in vectors and any(c.atol or c.rtol for c in container.unpack(vectors[stem])[1]):
            out.append(f"docs/rounding.md: the vectors of {name} are not compared to the bit")
    return out


def main():
    oribi, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    path = source / "docs/reference/tflite-operators.md"
    before = path.read_text() if path.exists() else ""
    text = table(oribi, source) + "".join(before.partition(ON_CORES)[1:])
    missing = sorted(set(cases.CASES) - set(ORDER))
    if missing:
        sys.exit(f"table.py: no row for {missing}")
    if sys.argv[3:] == ["--update"]:
        path.write_text(text)
    elif before != text:
        sys.exit("docs/reference/tflite-operators.md is stale: tests/peer/tflite/table.py ORIBI . --update")
    red = [line for line in text.splitlines() if "**" in line]
    for line in red:
        print(f"neither vectors nor a refusal: {line}")
    lacks = rounding(source)
    print("\n".join(lacks))
    return 1 if red or lacks else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
