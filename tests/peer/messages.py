#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages of graph optimisers and profilers against TensorFlow: it reads and runs the GraphDef that Oribi
writes, Oribi runs what TensorFlow's own optimisers make of it, and an XSpace that TensorFlow wrote is shown.

    python messages.py ORIBI SOURCE_FOLDER FOLDER COMPILER        77 without tensorflow 2.16
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

BASELINE = "2.16."
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy as np
    import tensorflow as tf
    from tensorflow.core.framework import graph_pb2, op_def_pb2
    from tensorflow.core.grappler.costs import op_performance_data_pb2
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.grappler import tf_optimizer
    from tensorflow.tsl.profiler.protobuf import xplane_pb2
except ImportError:
    print("skipped: no tensorflow in this Python")
    sys.exit(77)
if not tf.__version__.startswith(BASELINE):
    print(f"skipped: the baseline is tensorflow {BASELINE}x, here is {tf.__version__}")
    sys.exit(77)

ORIBI, SOURCE, FOLDER, COMPILER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
MODEL = SOURCE / "examples/digits/digits.onnx"
WORK = FOLDER / "messages"
PLUGIN = FOLDER / "messages.so"


def classify(*words):
    """The result of Oribi and what it said."""
    done = subprocess.run([ORIBI, "run", MODEL, "-p", PLUGIN, "-i", f"0=@{WORK}/x.npy", "--json", *words],
                          capture_output=True, text=True, env=dict(os.environ, MESSAGES=str(WORK)), timeout=60)
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(done.stdout)["values"], np.float32), done.stderr


def in_tensorflow(graph_def, x):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    feed = next(n.name for n in graph_def.node if n.op == "Placeholder")
    fetch = (WORK / "fetch").read_text()
    with tf.compat.v1.Session(graph=graph) as session:
        return session.run(f"{fetch}:0", {f"{feed}:0": x}).reshape(-1)


class Messages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        WORK.mkdir(exist_ok=True)
        for path in WORK.iterdir():
            path.unlink()
        subprocess.run([COMPILER, "-shared", "-fPIC", "-Wall", "-Werror", f"-I{SOURCE}/include",
                        SOURCE / "tests/peer/plugin/messages.c", "-o", PLUGIN], check=True)
        cls.x = np.random.default_rng(5).random((1, 1, 8, 8), np.float32)
        np.save(WORK / "x.npy", cls.x)
        cls.expected, _ = classify()
        cls.graph = graph_pb2.GraphDef.FromString((WORK / "graph.pb").read_bytes())

    def tearDown(self):
        (WORK / "back.pb").unlink(missing_ok=True)

    def back(self, graph):
        (WORK / "back.pb").write_bytes(graph.SerializeToString())
        found, said = classify()
        self.assertNotIn("optimis", said)  # else the graph was left aside
        return found

    def test_tensorflow_runs_the_graph_that_goes_out(self):
        np.testing.assert_allclose(in_tensorflow(self.graph, self.x), self.expected, atol=1e-5)

    def test_a_graph_that_was_changed_with_tensorflow_is_the_one_that_runs(self):
        graph = graph_pb2.GraphDef.FromString(self.graph.SerializeToString())
        product = next(n for n in graph.node if n.op == "MatMul")
        weights = next(n for n in graph.node if n.name == product.input[1])
        value = tf.make_ndarray(weights.attr["value"].tensor)
        weights.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(np.ascontiguousarray(value[::-1] * 2)))
        found = self.back(graph)
        self.assertGreater(np.abs(found - self.expected).max(), 0.01)
        np.testing.assert_allclose(in_tensorflow(graph, self.x), found, atol=1e-5)

    def test_a_graph_of_tensorflows_own_optimisers_gives_the_same(self):
        own = graph_pb2.GraphDef.FromString(self.graph.SerializeToString())
        for node in own.node:  # the remapper looks at nodes that have a device
            node.device = "/job:localhost/replica:0/task:0/device:CPU:0"
        graph = tf.Graph()
        with graph.as_default():
            tf.import_graph_def(own, name="")
        meta = tf.compat.v1.train.export_meta_graph(graph_def=graph.as_graph_def(), graph=graph)
        meta.collection_def["train_op"].node_list.value.append((WORK / "fetch").read_text())
        config = config_pb2.ConfigProto()
        rewrite = config.graph_options.rewrite_options
        rewrite.min_graph_nodes = -1
        rewrite.optimizers.extend(["constfold", "arithmetic", "remap"])
        optimised = tf_optimizer.OptimizeGraph(config, meta)
        self.assertNotEqual(sorted(n.op for n in optimised.node), sorted(n.op for n in self.graph.node))
        self.assertIn("_FusedConv2D", {n.op for n in optimised.node})
        np.testing.assert_allclose(self.back(optimised), self.expected, atol=1e-5)

    def test_properties_are_those_that_tensorflow_infers(self):
        graph = tf.Graph()
        with graph.as_default():
            tf.import_graph_def(self.graph, name="")
        names = [n.name for n in self.graph.node if n.op in ("Conv2D", "MatMul", "Relu", "Const", "Placeholder")]
        (WORK / "nodes").write_text("\n".join(names))
        classify()
        values = 0
        for index, name in enumerate(names):
            op = graph.get_operation_by_name(name)
            for kind, tensors in (("output", op.outputs), ("input", op.inputs)):
                for i, tensor in enumerate(tensors):
                    told = op_performance_data_pb2.OpInfo.TensorProperties.FromString(
                        (WORK / f"{kind}.{index}.{i}").read_bytes())
                    self.assertEqual(tensor.dtype.as_datatype_enum, told.dtype)
                    self.assertTrue(tensor.shape.is_compatible_with(tf.TensorShape(told.shape)), name)
                    self.assertTrue(tf.TensorShape(told.shape).is_fully_defined(), name)
                    if told.HasField("value"):
                        values += 1
                        np.testing.assert_array_equal(tf.make_ndarray(told.value), tf.get_static_value(tensor))
        self.assertGreater(values, 5)

    def test_definitions_of_ops_are_tensorflows(self):
        found = op_def_pb2.OpDef.FromString((WORK / "op.pb").read_bytes())
        theirs = tf.raw_ops.Conv2D  # its arguments, in TensorFlow's order
        self.assertEqual("Conv2D", found.name)
        self.assertEqual(["input", "filter"], [a.name for a in found.input_arg])
        import inspect
        self.assertLessEqual({a.name for a in found.input_arg} | {"strides", "padding", "dilations"},
                             set(inspect.signature(theirs).parameters))
        self.assertLessEqual({"T", "strides", "padding", "dilations"}, {a.name for a in found.attr})

    def test_a_space_that_tensorflow_wrote_is_shown(self):
        space = xplane_pb2.XSpace(errors=["one"], hostnames=["here"])
        plane = space.planes.add(id=3, name="/device:NPU:0")
        line = plane.lines.add(id=7, name="line", display_name="queue", timestamp_ns=2000, duration_ps=10**9)
        for number, start in ((5, 10**6), (6, 4 * 10**6)):
            event = line.events.add(metadata_id=number, offset_ps=start, duration_ps=number * 10**6)
            event.stats.add(metadata_id=1, uint64_value=9)
            plane.event_metadata[number].id = number
            plane.event_metadata[number].name = f"kernel {number}"
        plane.stat_metadata[1].id = 1
        plane.stat_metadata[1].name = "bytes"
        (WORK / "space.pb").write_bytes(space.SerializeToString())
        classify("--trace", WORK / "t.json", "-f")
        (WORK / "space.pb").unlink()
        events = json.loads((WORK / "t.json").read_text())["traceEvents"]
        self.assertIn("/device:NPU:0 queue", {e["args"]["name"] for e in events if e["ph"] == "M"})
        found = {e["name"]: e for e in events if e["ph"] == "X" and e["pid"] == 2}
        self.assertEqual({"kernel 5": 5, "kernel 6": 6}, {name: e["dur"] for name, e in found.items()})
        self.assertAlmostEqual(3, found["kernel 6"]["ts"] - found["kernel 5"]["ts"], delta=0.01)


sys.exit(not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful())
