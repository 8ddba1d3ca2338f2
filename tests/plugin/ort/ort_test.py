#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Libraries of ONNX Runtime's custom ops as plugins: each kind of op, and each library that is refused, with its reason.

    ort_test.py ORIBI SOURCE_FOLDER CC CXX [--peer]

With --peer the same models run in ONNX Runtime as well, with the same answers, which says that our declarations of the
interface are right; skipped (77) where this interpreter has no onnxruntime."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

if "--peer" in sys.argv:
    try:
        import numpy
        import onnxruntime
    except ImportError as missing:
        print("skipped: %s" % missing)
        sys.exit(77)
else:
    onnxruntime = None

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
CC, CXX = sys.argv[3:5]
HERE = SOURCE / "tests/plugin/ort"
FLOAT, INT32, INT64, STRING, DOUBLE = 1, 6, 7, 8, 11
WORK = pathlib.Path(tempfile.mkdtemp())
LIMIT = 60  # seconds; far above what any call needs


# --- Models, as protobuf -----------------------------------------------------------------------------------------------

def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, kind, dims, raw):
    return b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name) + field(9, raw)


def attribute(name, value):
    kinds = {float: (2, 1), int: (3, 2), str: (4, 3), bytes: (5, 4)}
    lists = {float: (7, 6), int: (8, 7), str: (9, 8)}
    if isinstance(value, list):
        number, kind = lists[type(value[0])]
        return field(1, name) + b"".join(field(number, v) for v in value) + field(20, kind)
    number, kind = kinds[type(value)]
    return field(1, name) + field(number, value) + field(20, kind)


def value_info(name, kind, dims):
    shape = b"".join(field(1, field(1, d) if d >= 0 else field(2, "n")) for d in dims) if dims is not None else None
    body = field(1, kind) + (field(2, shape) if shape is not None else b"")
    return field(1, name) + field(2, field(1, body))


def model(op, inputs, outputs, opset=1, constants=(), **attrs):
    """inputs: (name, type, dims), the name "" for an absent one; outputs: (name, type)."""
    node = b"".join(field(1, i[0]) for i in inputs) + b"".join(field(2, o[0]) for o in outputs)
    node += field(3, "it") + field(4, op) + b"".join(field(5, attribute(k, v)) for k, v in attrs.items())
    graph = field(1, node + field(7, "test.custom")) + field(2, "g") + b"".join(field(5, c) for c in constants)
    fixed = {name for name, _, _ in inputs if any(field(8, name) in c for c in constants)}
    graph += b"".join(field(11, value_info(*i)) for i in inputs if i[0] and i[0] not in fixed)
    graph += b"".join(field(12, value_info(name, kind, None)) for name, kind in outputs if name)
    opsets = field(8, field(1, "") + field(2, 17)) + field(8, field(1, "test.custom") + field(2, opset))
    return field(1, 8) + field(7, graph) + opsets


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = cls.build("custom_ops")

    @staticmethod
    def build(name, *flags, output=None):
        source = HERE / (name + (".c" if name == "custom_ops" else ".cc"))
        made = WORK / ((output or name) + ".so")
        subprocess.run([CC if source.suffix == ".c" else CXX, "-shared", "-fPIC", "-g", "-fvisibility=hidden", "-I",
                        SOURCE / "plugins/ort_adapter", source, "-o", made, *flags], check=True)
        return made

    def oribi(self, *args, fails=False, **environment):
        done = subprocess.run([ORIBI, *map(str, args)], capture_output=True, text=True, timeout=LIMIT,
                              env={**os.environ, **environment})
        self.assertIn(done.returncode, (3, 4, 6) if fails else (0,), done.stdout + done.stderr)  # run, model, plugin
        return done.stderr if fails else done.stdout

    def run_model(self, made, feeds=(), fails=False, library=None, compare=True, **environment):
        (WORK / "m.onnx").write_bytes(made)
        spec = [part for name, text in feeds for part in ("-i", "%s=%s" % (name, text))]
        out = self.oribi("run", WORK / "m.onnx", "--plugin", library or self.library, "--json", *spec, fails=fails,
                         **environment)
        if fails:
            return out
        ours = {line["name"]: line for line in map(json.loads, out.strip().split("\n"))}
        if onnxruntime and compare and not library:
            self.compare(made, feeds, ours)
        return {name: line["values"] for name, line in ours.items()}

    def compare(self, made, feeds, ours):
        types = {"f32": numpy.float32, "i64": numpy.int64, "f64": numpy.float64, "str": object}
        arrays = {}
        for name, text in feeds:
            head, values = text.split("=")
            *dims, kind = head.split("x")
            arrays[name] = numpy.array([v if kind == "str" else float(v) for v in values.split(",")],
                                       dtype=types[kind]).reshape([int(d) for d in dims])
        options = onnxruntime.SessionOptions()
        options.register_custom_ops_library(str(self.library))
        session = onnxruntime.InferenceSession(made, options, providers=["CPUExecutionProvider"])
        names = [o.name for o in session.get_outputs()]
        for name, value in zip(names, session.run(None, arrays)):
            self.assertEqual(list(value.shape), ours[name]["shape"])
            self.assertEqual(value.reshape(-1).tolist(), ours[name]["values"])

    # --- Kinds of ops ---

    def test_an_op_of_the_oldest_form_computes(self):
        made = model("Scale", [("x", FLOAT, [2, -1])], [("y", FLOAT)], factor=2.5)
        self.assertEqual(self.run_model(made, [("x", "2x2xf32=1,2,3,-4")]), {"y": [2.5, 5, 7.5, -10]})

    def test_a_registration_is_chosen_by_types(self):
        for kind, name in ((FLOAT, "f32"), (INT64, "i64")):
            made = model("AddOne", [("x", kind, [2])], [("y", kind)])
            self.assertEqual(self.run_model(made, [("x", "2x%s=1,41" % name)]), {"y": [2, 42]})

    def test_a_type_that_no_registration_takes_is_refused(self):
        made = model("AddOne", [("x", DOUBLE, [2])], [("y", DOUBLE)])
        self.assertIn("AddOne", self.run_model(made, [("x", "2xf64=1,2")], fails=True))

    def test_an_open_type_follows_the_input(self):
        for kind, name in ((FLOAT, "f32"), (INT64, "i64"), (DOUBLE, "f64")):
            made = model("Any", [("x", kind, [7])], [("y", kind)])
            self.assertEqual(self.run_model(made, [("x", "7x%s=1,2,3,4,5,6,7" % name)]), {"y": [1, 2, 3, 4, 5, 6, 7]})

    def test_strings_and_variadic_inputs_come_through(self):
        made = model("Join", [("a", STRING, [2]), ("b", STRING, [1]), ("c", STRING, [1])], [("y", STRING)])
        feeds = [("a", "2xstr=x,déjà vu"), ("b", "1xstr="), ("c", "1xstr=" + "long" * 10)]
        self.assertEqual(self.run_model(made, feeds), {"y": ["3|x|déjà vu||" + "long" * 10]})

    def test_variadic_inputs_may_have_a_type_each(self):
        made = model("Count", [("a", STRING, [2]), ("b", FLOAT, [2, 3]), ("c", INT64, [1])], [("n", INT64)])
        feeds = [("a", "2xstr=x,y"), ("b", "2x3xf32=1,2,3,4,5,6"), ("c", "1xi64=5")]
        self.assertEqual(self.run_model(made, feeds), {"n": [9]})

    def test_variadic_outputs_are_as_many_as_the_node_names(self):
        made = model("Spread", [("x", FLOAT, [2])], [("a", FLOAT), ("b", FLOAT), ("c", FLOAT)])
        self.assertEqual(self.run_model(made, [("x", "2xf32=1,2")]), {"a": [1, 2], "b": [2, 4], "c": [3, 6]})

    def test_optional_inputs_and_outputs_may_be_absent_anywhere(self):
        x, b, c = ("x", FLOAT, [1]), ("b", FLOAT, [1]), ("c", FLOAT, [1])
        feeds = {"x": ("x", "1xf32=1"), "b": ("b", "1xf32=10"), "c": ("c", "1xf32=2")}
        for inputs, wanted in (([x], 1), ([x, b], 11), ([x, b, c], 211), ([x, ("", 0, None), c], 201)):
            made = model("Optional", inputs, [("y", FLOAT)])
            given = [feeds[i[0]] for i in inputs if i[0]]
            self.assertEqual(self.run_model(made, given), {"y": [wanted]})
            made = model("Optional", inputs, [("y", FLOAT), ("n", INT64)])
            self.assertEqual(self.run_model(made, given), {"y": [wanted], "n": [len(inputs)]})

    def test_more_inputs_than_parameters_are_refused(self):
        made = model("Scale", [("x", FLOAT, [1]), ("z", FLOAT, [1])], [("y", FLOAT)], factor=1.0)
        self.assertIn("2 are given", self.run_model(made, [("x", "1xf32=1"), ("z", "1xf32=1")], fails=True))

    def test_more_outputs_than_parameters_are_refused(self):
        made = model("AddOne", [("x", FLOAT, [1])], [("y", FLOAT), ("z", FLOAT)])
        self.assertIn("the node has 2 outputs", self.run_model(made, [("x", "1xf32=1")], fails=True))

    def test_attributes_of_every_kind_are_read(self):
        made = model("Attributes", [("x", FLOAT, [1])], [("y", STRING)], s="abc", f=1.5, ints=[7, -8], floats=[0.25, 1.0],
                     strings=["p", "q r"], t=tensor("t", INT32, [2], struct.pack("<ii", 3, 44)))
        self.assertEqual(self.run_model(made, [("x", "1xf32=0")]), {"y": ["abc 1.5 2:7,-8 2:0.25 p q r 44"]})

    def test_an_attribute_that_lacks_fails_creation_with_the_name(self):
        made = model("Attributes", [("x", FLOAT, [1])], [("y", STRING)], f=1.5)
        self.assertIn("there is no attribute 's'", self.run_model(made, [("x", "1xf32=0")], fails=True))

    def test_a_damaged_tensor_attribute_is_an_error(self):
        made = model("Attributes", [("x", FLOAT, [1])], [("y", STRING)], s="abc", f=1.5, ints=[7, -8], floats=[0.25],
                     strings=["p"], t=tensor("t", INT32, [1 << 40], b"1234"))
        self.assertIn("tensor attribute is damaged", self.run_model(made, [("x", "1xf32=0")], fails=True))

    def test_a_constant_input_is_there_at_creation(self):
        made = model("Fixed", [("x", FLOAT, [2]), ("w", FLOAT, [1])], [("y", FLOAT)],
                     constants=[tensor("w", FLOAT, [1], struct.pack("<f", 3.0))])
        self.assertEqual(self.run_model(made, [("x", "2xf32=1,2")]), {"y": [3, 6]})

    def test_shapes_are_those_that_the_library_infers(self):
        made = model("Doubled", [("x", FLOAT, [2, 3])], [("y", FLOAT)])
        self.assertEqual(self.run_model(made, [("x", "2x3xf32=1,2,3,4,5,6")]), {"y": [1, 2, 3, 4, 5, 6] * 2})
        listed = self.oribi("inspect", WORK / "m.onnx", "--plugin", self.library)
        self.assertIn("4x3", listed)

    def test_versions_of_a_domain_choose_the_op(self):
        for opset, wanted in ((1, "old"), (6, "old"), (7, "new"), (30, "new")):
            made = model("Gate", [("x", FLOAT, [1])], [("y", STRING)], opset=opset)
            # ONNX Runtime (1.32) takes the first of them, whatever the version.
            self.assertEqual(self.run_model(made, [("x", "1xf32=0")], compare=False), {"y": [wanted]})

    def test_a_kernel_calls_an_operator_of_the_host(self):
        made = model("Calling", [("x", FLOAT, [3])], [("y", FLOAT)])
        self.assertEqual(self.run_model(made, [("x", "3xf32=1,2.5,-4")]), {"y": [3, 6, -7]})

    def test_an_operator_that_cannot_be_called_is_named(self):
        made = model("CallingNone", [("x", FLOAT, [1])], [("y", FLOAT)])
        self.assertIn("ONNX>NoSuchOp", self.run_model(made, [("x", "1xf32=0")], fails=True))

    def test_a_kernel_that_fails_says_why(self):
        made = model("Fails", [("x", FLOAT, [1])], [("y", FLOAT)])
        self.assertIn("Fails: it never works", self.run_model(made, [("x", "1xf32=0")], fails=True))

    def test_a_function_that_is_lacking_answers_with_its_name(self):
        made = model("Lacking", [("x", FLOAT, [1])], [("y", FLOAT)])
        self.assertIn("OrtApi::CreateSessionOptions is not there", self.run_model(made, [("x", "1xf32=0")], fails=True))

    def test_an_op_for_a_gpu_is_left_out(self):
        listed = self.oribi("plugin", "describe", self.library, WITH_GPU_OPS="1", ORIBI_PLUGIN_CACHE="0")
        self.assertNotIn("OnGpu", listed)
        self.assertIn("Test>Custom>Scale", listed)

    def test_check_asks_nothing_of_such_a_library_that_plugins_are_asked(self):
        self.assertNotIn("warning", self.oribi("plugin", "check", self.library))

    # --- Libraries that are refused ---

    def refuse(self, library, reason, **environment):
        made = model("Scale", [("x", FLOAT, [1])], [("y", FLOAT)], factor=1.0)
        self.assertIn(reason, self.run_model(made, [("x", "1xf32=0")], fails=True, library=library, **environment))

    def test_bad_libraries_are_refused_with_the_reason(self):
        for bad, reason in ((1, "asks for version 1000"), (2, "RegisterCustomOps: no licence found"),
                            (3, "registered no op"), (4, "an op of version 0")):
            self.refuse(self.build("custom_ops", "-DBAD=%d" % bad, output="bad%d" % bad), reason)

    def test_an_op_that_no_definition_can_say_is_left_out(self):
        library = self.build("custom_ops", "-DBAD=5", output="bad5")
        listed = self.oribi("plugin", "describe", library)
        self.assertNotIn("AddOne", listed)
        self.assertIn("Test>Custom>Scale", listed)

    def test_a_library_that_needs_the_runtime_is_refused(self):
        (WORK / "empty.c").write_text("int oribi_test_nothing;\n")
        runtime = WORK / "libonnxruntime.so.1"
        subprocess.run([CC, "-shared", "-fPIC", "-Wl,-soname,libonnxruntime.so.1", WORK / "empty.c", "-o", runtime],
                       check=True)
        library = self.build("custom_ops", "-Wl,--no-as-needed", str(runtime), output="needing")
        self.refuse(library, "it needs libonnxruntime.so.1")

    def test_exceptions_become_errors(self):
        made = model("Throws", [("x", FLOAT, [1])], [("y", FLOAT)])
        for at in (1, 2, 3):
            library = self.build("throwing", "-DAT=%d" % at, output="throwing%d" % at)
            self.assertIn("thrown on purpose", self.run_model(made, [("x", "1xf32=0")], fails=True, library=library))


if __name__ == "__main__":
    try:
        unittest.main(argv=sys.argv[:1], verbosity=1)
    finally:
        shutil.rmtree(WORK)
