#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TF_AddGradients, against what TensorFlow's own gives of the same graphs: gradients/gradients.npz, whose make_gradients.py says what
is in it.

    gradients_test.py LIBRARY SOURCE_FOLDER"""
import pathlib
import sys
import unittest

import numpy as np

LIBRARY, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/binding/gradients"))
import c_api  # noqa: E402

API = c_api.Api(LIBRARY)
CASES = dict(np.load(SOURCE / "tests/binding/gradients/gradients.npz"))


def parts(name):
    graph = c_api.Graph(API, CASES[f"{name}/graph"].tobytes())
    feeds = {k.partition(":")[2]: v for k, v in CASES.items() if k.startswith(f"{name}/in:")}
    return graph, CASES[f"{name}/y"].tolist(), CASES[f"{name}/x"].tolist(), feeds


class Gradients(unittest.TestCase):
    def test_each_graph_has_tensorflows_gradients(self):
        names = sorted(k[:-len("/graph")] for k in CASES if k.endswith("/graph"))
        self.assertGreater(len(names), 230)
        for name in names:
            with self.subTest(name):
                graph, ys, xs, feeds = parts(name)
                found = graph.run(feeds, graph.gradients(ys, xs, [k for k in feeds if k.startswith("d")] or None))
                for i, value in enumerate(found):
                    wanted = CASES[f"{name}/dy:{i}"]
                    self.assertEqual((value.dtype, value.shape), (wanted.dtype, wanted.shape))
                    np.testing.assert_allclose(value, wanted, rtol=2e-5, atol=2e-6)

    def test_outputs_that_a_batch_is_normalised_to_are_tensorflows(self):
        of = [k for k in CASES if "/of:" in k]
        self.assertGreater(len(of), 5)
        for key in of:
            name, _, output = key.partition("/of:")
            with self.subTest(key):
                graph, _, _, feeds = parts(name)
                np.testing.assert_allclose(graph.run(feeds, [graph.output(output)])[0], CASES[key], rtol=2e-5, atol=2e-6)

    def test_operations_are_named_after_the_prefix(self):
        graph, ys, xs, _ = parts("square_of_square")
        for prefix, begins in [(None, "gradients/"), (None, "gradients_1/"), (b"more", "more/")]:
            self.assertTrue(graph.name(graph.gradients(ys, xs, prefix=prefix)[0]).startswith(begins))
        with self.assertRaisesRegex(RuntimeError, r"prefix \[more\] conflicts with existing node in the graph named \[more/"):
            graph.gradients(ys, xs, prefix=b"more")

    def test_gradients_of_gradients(self):
        graph, ys, xs, feeds = parts("square_of_square")
        second = graph.gradients([graph.name(graph.gradients(ys, xs)[0])], xs)
        np.testing.assert_allclose(graph.run(feeds, second)[0], 12 * feeds["x0"] ** 2, rtol=1e-5)

    def test_what_no_end_is_computed_of_is_refused(self):
        graph, ys, xs, _ = parts("used_twice")
        with self.assertRaisesRegex(RuntimeError, "partial derivative for node '.*' as it's unreachable from the output"):
            graph.gradients(["x0:0"], ["x1"])
        graph.gradients(ys, xs)

    def test_an_op_without_a_gradient_is_named(self):
        graph, _, _, _ = parts("whole_numbers_beside")
        with self.assertRaisesRegex(RuntimeError, "No gradient defined for op: Const|unreachable"):
            graph.gradients(["GatherV2:0"], ["x1"])


unittest.main(argv=sys.argv[:1])
