# SPDX-License-Identifier: Apache-2.0
"""Ops in Python, plugins, the command, other packages' faces, the examples in doc strings and the stubs."""
import ast
import doctest
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

from support import (DIGITS, DIGITS_INT8, FLOAT, INT32, PICTURES, SOURCE, STRING, add, model, node, numpy, oribi)

PACKAGE = pathlib.Path(oribi.__file__).parent


def values(result):
    return result.tolist() if hasattr(result, "tolist") else list(result)


class Ops(unittest.TestCase):
    def test_a_function_is_an_op_with_attributes_and_shapes(self):
        seen = []

        @oribi.op("Suite>Repeat", ["x: float"], ["y: float", "n: int32"],
                  ["times: int = 2", "scale: float = 1.0", "word: string = 'w'", "list: list(int) = []", "T: {float, int32} = DT_FLOAT"],
                  shape=lambda x, times: ((x[0] * times,), ()))
        def repeat(x, times, scale, word, list, T):
            seen.append((times, scale, word, list, T.name))
            return [v * scale for v in values(x)] * times, len(x) * times

        session = oribi.Session(model([node("Repeat", ["x"], ["y", "n"], domain="suite", times=3, scale=0.5, word="ü", list=[4, -5])],
                                      [("x", FLOAT, (2,))], [("y", FLOAT, ("m",)), ("n", INT32, ())], ["suite"]))
        found = session.run({"x": [1.0, 2.0]})
        self.assertEqual([0.5, 1, 0.5, 1, 0.5, 1], values(found["y"]))
        self.assertEqual(6, found["n"].tolist())
        self.assertEqual([(3, 0.5, "ü", [4, -5], "float32")], seen)
        self.assertEqual((6,), session.outputs[0].shape)

    def test_what_a_function_raises_is_the_runs_failure_with_the_nodes_name(self):
        @oribi.op("Suite>Moody", ["x: float"], ["y: float"], shape=lambda x: x)
        def moody(x):
            if values(x)[0] < 0:
                raise RuntimeError("not today")
            return values(x)

        session = oribi.Session(model([node("Moody", ["x"], ["y"], "the_node", "suite")], [("x", FLOAT, (1,))],
                                      [("y", FLOAT, (1,))], ["suite"]))
        with self.assertRaises(oribi.Internal) as caught:
            session.run({"x": [-1.0]})
        self.assertIn("not today", str(caught.exception))
        self.assertIn("the_node", str(caught.exception))
        self.assertEqual([1], values(session.run({"x": [1.0]})["y"]))

    def test_a_shape_function_that_raises_refuses_the_model(self):
        @oribi.op("Suite>Square", ["x: float"], ["y: float"], shape=lambda x: 1 // 0)
        def square(x):
            return x

        with self.assertRaises(oribi.Error) as caught:
            oribi.Session(model([node("Square", ["x"], ["y"], domain="suite")], [("x", FLOAT, (1,))], [("y", FLOAT, (1,))],
                                ["suite"]))
        self.assertIn("ZeroDivisionError", str(caught.exception))

    def test_a_name_that_is_taken_is_refused(self):
        with self.assertRaises(oribi.Error):
            oribi.op("AddV2", ["x: float"], ["y: float"])(lambda x: x)
        with self.assertRaises(TypeError):
            oribi.op("Suite>Odd", ["x: float"], ["y: float"], ["f: func"])


class Plugins(unittest.TestCase):
    def setUp(self):
        if not shutil.which("cc"):
            self.skipTest("there is no C compiler")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_a_plugin_builds_with_the_wheels_headers_and_loads(self):
        plugin = os.path.join(self.folder.name, "centre.so")
        include = oribi.get_include(plugin=True)
        if not os.path.isdir(include):
            self.skipTest("the package is not installed from a wheel")
        subprocess.run(["cc", "-shared", "-fPIC", f"-I{include}", SOURCE / "examples/custom_op/centre.c", "-o", plugin, "-lm"],
                       check=True)
        self.assertFalse([f for f in oribi.plugin.check(plugin)["findings"] if f["severity"] == "error"])
        with self.assertRaises(oribi.Unimplemented):
            oribi.Session(SOURCE / "examples/custom_op/digits_centred.onnx")

        session = oribi.Session(SOURCE / "examples/custom_op/digits_centred.onnx", plugins=[plugin])
        (scores,) = (values(v)[0] for v in session.run(oribi.picture(PICTURES[3], session.inputs[0])).values())
        self.assertEqual(int(PICTURES[3].name.split("-")[1]), scores.index(max(scores)))
        self.assertIn("centre", str(oribi.plugin.loaded()))

    def test_a_file_that_is_no_plugin_is_refused(self):
        for path in ("no/such.so", __file__):
            with self.assertRaises(oribi.Error) as caught:
                oribi.plugin.load(path)
            self.assertIn(os.path.basename(path), str(caught.exception))


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_compile_writes_c_and_gives_the_report(self):
        report = oribi.compile(DIGITS_INT8, self.folder.name, force=True, name="digits", io="pool")
        self.assertGreater(report["workspace_bytes"], 0)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "tvmgen_digits.c")))
        with self.assertRaises(oribi.InvalidArgument) as caught:
            oribi.compile(DIGITS_INT8, self.folder.name, force=True, io="frob")
        self.assertIn("frob", str(caught.exception))

    def test_verify_says_whether_the_c_agrees(self):
        if not shutil.which("cc"):
            self.skipTest("there is no C compiler")
        self.assertTrue(oribi.verify(DIGITS_INT8, runs=2))

    def test_the_script_is_the_command(self):
        done = subprocess.run([sys.executable, "-m", "oribi", "version"], capture_output=True, text=True)
        self.assertEqual((0, f"oribi {oribi.__version__}"), (done.returncode, done.stdout.strip()))


@unittest.skipUnless(numpy, "there is no NumPy")
class Faces(unittest.TestCase):
    def test_onnxruntimes_calls(self):
        from oribi.compat import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            session = ort.InferenceSession(str(DIGITS), options, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
        self.assertIn("CUDAExecutionProvider", str(caught[0].message))
        x = numpy.random.default_rng(1).random((1, 1, 8, 8), "f4")
        (one,) = session.run(["probabilities"], {"picture": x})
        self.assertAlmostEqual(1, float(one.sum()), places=5)
        self.assertEqual(("picture", "tensor(float)", [1, 1, 8, 8]),
                         (session.get_inputs()[0].name, session.get_inputs()[0].type, session.get_inputs()[0].shape))
        self.assertEqual(["CPUExecutionProvider"], session.get_providers())
        self.assertIsInstance(session.get_modelmeta().custom_metadata_map, dict)

        binding = session.io_binding()
        result = ort.OrtValue.ortvalue_from_shape_and_type([1, 10], numpy.float32)
        binding.bind_ortvalue_input("picture", ort.OrtValue.ortvalue_from_numpy(x))
        binding.bind_ortvalue_output("probabilities", result)
        session.run_with_iobinding(binding)
        numpy.testing.assert_array_equal(one, result.numpy())
        numpy.testing.assert_array_equal(one, binding.copy_outputs_to_cpu()[0])

    def test_onnxruntime_itself_says_the_same(self):
        try:
            import onnxruntime
        except ImportError:
            self.skipTest("there is no onnxruntime")
        from oribi.compat import onnxruntime as ort

        theirs, ours = (package.InferenceSession(str(DIGITS), providers=["CPUExecutionProvider"]) for package in (onnxruntime, ort))
        for a, b in zip(theirs.get_inputs() + theirs.get_outputs(), ours.get_inputs() + ours.get_outputs()):
            self.assertEqual((a.name, a.type, a.shape), (b.name, b.type, b.shape))
        self.assertEqual((theirs.get_modelmeta().producer_name, theirs.get_modelmeta().graph_name,
                          theirs.get_modelmeta().custom_metadata_map),
                         (ours.get_modelmeta().producer_name, ours.get_modelmeta().graph_name,
                          ours.get_modelmeta().custom_metadata_map))
        x = numpy.random.default_rng(2).random((1, 1, 8, 8), "f4")
        numpy.testing.assert_allclose(theirs.run(None, {"picture": x})[0], ours.run(None, {"picture": x})[0], rtol=1e-5, atol=1e-6)

    def test_onnx_backend(self):
        try:
            import onnx
        except ImportError:
            self.skipTest("there is no onnx")
        from onnx.reference import ReferenceEvaluator

        make, rng = onnx.helper, numpy.random.default_rng(3)
        for op, shapes, attributes in (("Add", ((2, 3), (3,)), {}), ("MatMul", ((2, 3), (3, 4)), {}),
                                       ("Concat", ((2, 3), (2, 5)), {"axis": 1}), ("Softmax", ((2, 7),), {"axis": -1})):
            inputs = [rng.random(shape, "f4") for shape in shapes]
            graph = make.make_graph([make.make_node(op, ["a", "b"][:len(inputs)], ["y"], **attributes)], "g", [
                make.make_tensor_value_info(name, FLOAT, value.shape) for name, value in zip("ab", inputs)],
                [make.make_tensor_value_info("y", FLOAT, [None, None])])
            made = make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8)
            expected = ReferenceEvaluator(made).run(None, dict(zip("ab", inputs)))
            (found,) = oribi.onnx_backend.prepare(made).run(inputs)
            numpy.testing.assert_allclose(found, expected[0], rtol=1e-5, atol=1e-6)
        x = numpy.ones((2, 3), "f4")
        (found,) = oribi.onnx_backend.run_node(onnx.helper.make_node("Relu", ["x"], ["y"]), [-x], outputs_info=[(x.dtype, x.shape)])
        numpy.testing.assert_array_equal(found, 0 * x)
        self.assertTrue(oribi.onnx_backend.supports_device("CPU"))


class Text(unittest.TestCase):
    def test_examples_in_doc_strings_run(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        names = {"oribi": oribi, "os": os, "digits": DIGITS, "digits_int8": DIGITS_INT8, "digit": PICTURES[0], "folder": folder.name,
                 "picture": oribi.picture(PICTURES[0], oribi.Session(DIGITS).inputs[0])}
        modules = ["_session", "_tensor", "_op", "_command", "_picture", "compat.onnxruntime"]
        tried = 0
        for name in modules:
            if name == "_op" and not numpy or name.startswith("compat") and not numpy:
                continue  # these add arrays
            for test in doctest.DocTestFinder().find(importlib.import_module(f"oribi.{name}"), extraglobs=names):
                outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
                self.assertEqual(0, outcome.failed, test.name)
                tried += outcome.attempted
        self.assertGreater(tried, 12)

    def test_stubs_have_what_the_package_has(self):
        stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
        self.assertTrue((PACKAGE / "py.typed").exists())
        for item in stub.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not item.name.startswith('_'):
                self.assertTrue(hasattr(oribi, item.name), item.name)
            if isinstance(item, ast.ClassDef) and item.name in ("Session", "Stream", "Tensor"):
                for member in item.body:
                    name = getattr(member, "name", None) or getattr(getattr(member, "target", None), "id", None)
                    sample = {"Session": oribi.Session(DIGITS), "Tensor": oribi.tensor(1.0)}
                    sample["Stream"] = sample["Session"].stream()
                    self.assertTrue(name is None or hasattr(sample[item.name], name), f"{item.name}.{name}")
        public = {n for n in ("Session", "Stream", "Tensor", "Port", "Error", "tensor", "empty", "picture", "compile", "verify", "op",
                              "command", "describe", "get_include")}
        self.assertEqual(set(), public - {getattr(item, "name", None) for item in stub.body})


if __name__ == "__main__":
    unittest.main()
