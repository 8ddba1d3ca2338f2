# SPDX-License-Identifier: Apache-2.0
"""Which models does the test of the Triton backend serve, and what do their configurations say?"""
import pathlib
import shutil
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DIGITS = SOURCE / "examples/digits"
EXAMPLES = {"digits": "digits.onnx", "digits_int8": "digits_int8.tflite"}
BATCH = "max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 300000 }"
CARRY = """sequence_batching { state [ { input_name: "before" output_name: "after" data_type: TYPE_FP32 dims: [ 4 ]
    initial_state: { name: "zero" data_type: TYPE_FP32 dims: [ 4 ] zero_data: true } } ] }
    instance_group [ { count: 2 kind: KIND_CPU } ]"""
OLDEST = "sequence_batching { oldest { max_candidate_sequences: 3 } }"
DIRECT = "sequence_batching { direct { } } instance_group [ { count: 2 kind: KIND_CPU } ]"
# What the server must not take, and the words of its log.
REFUSED = {"closed": "max_batch_size is 8, but the first dimension of input 'x' is not open", "nonsense": "parameter threads is no number",
           "listed": "has a type that Triton has not"}


sys.path.insert(0, str(SOURCE / "tests/python/suite"))


def by_hand():
    """name: (configuration, the model's bytes)."""
    import numpy as np
    from support import FLOAT, INT64, STRING, identity, message, model, node, number
    random = np.random.default_rng(3)

    def constant(name, array):
        kind = {"f": FLOAT, "i": INT64}[array.dtype.kind]
        return message(5, b"".join(number(1, d) for d in array.shape) + number(2, kind) + message(8, name) + message(9, array.tobytes()))
    layers = [constant("w", random.normal(size=(200, 333)).astype("f")), constant("v", random.normal(size=(333, 10)).astype("f")),
              node("MatMul", ["x", "w"], ["a"], "a"), node("Relu", ["a"], ["b"], "b"), node("MatMul", ["b", "v"], ["c"], "c"),
              node("Softmax", ["c"], ["y"], "y", axis=1)]
    rows = model(layers, [("x", FLOAT, ["N", 200])], [("y", FLOAT, ["N", 10])])
    table = model([constant("t", np.arange(5, dtype="f")), node("Gather", ["t", "i"], ["y"])], [("i", INT64, ["N", 2])], [("y", FLOAT, ["N", 2])])
    carried = model([node("Add", ["x", "before"], ["after"]), node("Identity", ["after"], ["y"])],
                    [("x", FLOAT, [4]), ("before", FLOAT, [4])], [("y", FLOAT, [4]), ("after", FLOAT, [4])])
    listed = model([node("SequenceConstruct", ["x"], ["y"]),
                    message(12, message(1, "y") + message(2, message(4, message(1, message(1, number(1, FLOAT))))))], [("x", FLOAT, [2])], [])
    return {"rows": (BATCH, rows), "rows2": ("max_batch_size: 8 instance_group [ { count: 2 kind: KIND_CPU } ]", rows), "table": (BATCH, table),
            "texts": (BATCH, identity(STRING, ("N", 3))), "carried": (CARRY, carried),
            "hasty": ('parameters { key: "time_limit_us" value: { string_value: "1" } }', rows),
            "closed": ("max_batch_size: 8", identity(FLOAT, (2, 3))), "listed": ("", listed),
            "nonsense": ('parameters { key: "threads" value: { string_value: "many" } }', rows)}


def convolutions():
    """Four of 3x3 over 32x32 points and 32 channels, an open batch: 57 MFLOP a row and little to send."""
    import numpy as np
    from support import FLOAT, message, model, node, number
    random = np.random.default_rng(1)
    parts, name, channels = [], "x", 1
    for k in range(4):
        weight = (random.normal(size=(32, channels, 3, 3)) / 17).astype("f")
        parts.append(message(5, b"".join(number(1, d) for d in weight.shape) + number(2, FLOAT) + message(8, f"w{k}") + message(9, weight.tobytes())))
        parts += [node("Conv", [name, f"w{k}"], [f"c{k}"], f"c{k}", pads=[1, 1, 1, 1]), node("Relu", [f"c{k}"], [f"r{k}"], f"r{k}")]
        name, channels = f"r{k}", 32
    return model([*parts, node("GlobalAveragePool", [name], ["y"], "y")], [("x", FLOAT, ["N", 1, 32, 32])], [("y", FLOAT, ["N", 32, 1, 1])])


def stream():
    """A model that keeps its state itself, and what TensorFlow Lite Micro says of one run after the other (tests/vectors)."""
    sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
    import container
    _, cases = container.unpack(SOURCE / "tests/vectors/svdf_i8.bin.xz")
    return next(c for c in cases if c.steps > 2 and "tflm" in c.outputs)


def prepare(folder, backend):
    (folder / "backends/oribi").mkdir(parents=True)
    shutil.copy(backend, folder / "backends/oribi")

    def put(name, file, configuration, data):
        (folder / "models" / name / "1").mkdir(parents=True)
        (folder / "models" / name / "config.pbtxt").write_text(f'backend: "oribi"\n{configuration}\n')
        (folder / "models" / name / "1" / file).write_bytes(data)
    for name, file in EXAMPLES.items():
        put(name, f"model{pathlib.Path(file).suffix}", "", (DIGITS / file).read_bytes())
    for name, (configuration, data) in by_hand().items():
        put(name, "model.onnx", configuration, data)
    for name, configuration in (("oldest", OLDEST), ("direct", DIRECT), ("stateless", "")):
        put(name, "model.tflite", configuration, stream().model)
