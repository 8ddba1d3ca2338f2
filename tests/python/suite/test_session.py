# SPDX-License-Identifier: Apache-2.0
"""Sessions: ports, results, errors, own outputs, futures, state, copies."""
import array
import gc
import os
import pickle
import subprocess
import sys
import threading
import unittest

from support import (BFLOAT16, BOOL, DIGITS, DIGITS_INT8, DOUBLE, FLOAT, HALF, INT32, INT64, INT8, PICTURES, SOURCE, STRING, add, identity,
                     message, model, node, number, numpy, oribi)


def values(result):
    return result.tolist() if hasattr(result, "tolist") else list(result)


class Sessions(unittest.TestCase):
    def test_pictures_are_what_their_names_say(self):
        session = oribi.Session(DIGITS)
        self.assertGreaterEqual(len(PICTURES), 10)

        for path in PICTURES:
            scores = values(session.run(oribi.picture(path, session.inputs[0]))["probabilities"])[0]
            self.assertEqual(int(path.name.split("-")[1]), scores.index(max(scores)), path)

    def test_int8_pictures_too_and_ports_tell_scales(self):
        session = oribi.Session(DIGITS_INT8)
        (port,) = session.inputs
        self.assertEqual(("picture", "int8", (1, 8, 8, 1)), (port.name, port.dtype.name, port.shape))
        self.assertAlmostEqual(1 / 255, port.quantisation[0], places=6)
        self.assertEqual(-128, port.quantisation[1])

        right = 0
        for path in PICTURES:
            (scores,) = (values(v) for v in session.run(oribi.picture(path, port)).values())
            right += int(path.name.split("-")[1]) == scores[0].index(max(scores[0]))
        self.assertGreaterEqual(right, len(PICTURES) - 1)

    def test_a_model_from_bytes_computes_and_its_bytes_may_go(self):
        data = bytearray(add())
        session = oribi.Session(data)
        data[:] = bytes(len(data))
        gc.collect()

        self.assertEqual([[11, 22, 33], [44, 55, 66]],
                         values(session.run({"x": [[1.0, 2, 3], [4, 5, 6]], "y": [[10.0, 20, 30], [40, 50, 60]]})["z"]))

    def test_unknown_sizes_are_none_and_results_have_what_was_computed(self):
        session = oribi.Session(add((2, "n")))
        self.assertEqual((2, None), session.inputs[0].shape)

        result = session.run({"x": [[1.0], [2.0]], "y": [[1.0], [2.0]]})["z"]
        self.assertEqual(((2, 1), [[2], [4]]), (result.shape, values(result)))

    def test_metadata_is_what_the_file_says(self):
        extra = message(3, "7.5") + message(14, message(1, "author") + message(2, "Ann")) + message(6, "adds")
        found = oribi.Session(model([node("Relu", ["x"], ["y"])], [("x", FLOAT, (1,))], [("y", FLOAT, (1,))], extra=extra)).metadata
        self.assertEqual({"producer_name": "suite", "producer_version": "7.5", "author": "Ann", "doc_string": "adds",
                          "graph_name": "by_hand"}, found)

    def test_errors_have_code_and_message(self):
        with self.assertRaises(oribi.NotFound) as caught:
            oribi.Session("no/such.onnx")
        self.assertEqual((5, "NOT_FOUND"), (caught.exception.code, caught.exception.name))
        self.assertIn("no/such.onnx", str(caught.exception))
        with self.assertRaises(ValueError) as caught:  # InvalidArgument is one
            oribi.Session(DIGITS).run({"picture": [1.0]})
        self.assertIn("[1,1,8,8]", str(caught.exception))
        with self.assertRaises(KeyError) as caught:
            oribi.Session(DIGITS).run({"pictur": [1.0]})
        self.assertIn("did you mean 'picture'", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            oribi.Session(add()).run({"x": [[0.0] * 3] * 2})
        self.assertIn("y", str(caught.exception))
        with self.assertRaises(NotImplementedError):
            oribi.Session(model([node("Frob", ["x"], ["y"])], [("x", FLOAT, (1,))], [("y", FLOAT, (1,))]))
        with self.assertRaises(TypeError):
            oribi.Session(DIGITS, thread=1)
        with self.assertRaises(TypeError):
            oribi.Session(DIGITS).run({"picture": object()})

    def test_a_failed_run_leaves_the_session_as_it_was(self):
        session = oribi.Session(add())
        good = {"x": [[1.0] * 3] * 2, "y": [[2.0] * 3] * 2}
        session.run(good)
        with self.assertRaises(oribi.InvalidArgument):
            session.run({"x": [[1.0] * 3] * 2, "y": [[2.0] * 2] * 2})
        self.assertEqual([[3] * 3] * 2, values(session.run(good)["z"]))

    def test_a_time_limit_ends_a_run(self):
        session = oribi.Session(add((2, "n")))
        with self.assertRaises(TimeoutError):
            session.run({"x": [[1.0], [2.0]], "y": [[1.0], [2.0]]}, timeout=1e-9)
        self.assertEqual([[2], [4]], values(session.run({"x": [[1.0], [2.0]], "y": [[1.0], [2.0]]})["z"]))

    def test_options_reach_the_library(self):
        with self.assertRaises(oribi.ResourceExhausted):
            oribi.Session(DIGITS, max_bytes=1000)
        with self.assertRaises(oribi.InvalidArgument):
            oribi.Session(DIGITS, disable_passes="frob")
        with self.assertRaises(oribi.NotFound):
            oribi.Session(DIGITS, device="NO_SUCH")
        self.assertEqual((5, 1), oribi.Session(add(("n", 1)), input_shapes={"x": (5, 1), "y": (5, 1)}).outputs[0].shape or (5, 1))

    def test_sessions_pickle_by_their_recipe(self):
        for source in (DIGITS, add()):
            session = oribi.Session(source, threads=1)
            again = pickle.loads(pickle.dumps(session))
            self.assertEqual(session.inputs, again.inputs)
        self.assertEqual([[2] * 3] * 2, values(again.run({"x": [[1.0] * 3] * 2, "y": [[1.0] * 3] * 2})["z"]))

    def test_a_profile_names_nodes_and_its_shares_add_up(self):
        profile = oribi.Session(DIGITS).profile(oribi.picture(PICTURES[0], oribi.Session(DIGITS).inputs[0]), runs=3)
        self.assertGreater(len(profile), 3)
        self.assertTrue(all(row["ns"] >= 0 and row["node"] and row["detail"] for row in profile))
        self.assertIn("in all", str(profile))

    def test_describe_gives_steps(self):
        self.assertTrue(oribi.Session(DIGITS).describe("graph")["steps"])
        self.assertIn("Add", str(oribi.describe("op:AddV2")))


class Elements(unittest.TestCase):
    def test_buffers_go_in_and_out(self):
        session = oribi.Session(add((3,)))
        found = session.run({"x": array.array("f", [1, 2, 3]), "y": memoryview(array.array("f", [1, 1, 1]))})["z"]
        self.assertEqual([2, 3, 4], values(found))
        self.assertEqual(array.array("f", [2, 3, 4]).tobytes(), bytes(memoryview(found)))

    def test_every_plain_type_passes_through(self):
        for dtype, name, sample in ((FLOAT, "float32", [1.5, -2, 0, 3]), (DOUBLE, "float64", [1.5, -2, 0, 1e300]),
                                    (INT8, "int8", [-128, 127, 0, 1]), (INT32, "int32", [-2 ** 31, 2 ** 31 - 1, 0, 1]),
                                    (INT64, "int64", [-2 ** 63, 2 ** 63 - 1, 2 ** 53 + 1, 1]), (BOOL, "bool", [True, False, True, True]),
                                    (HALF, "float16", [1.5, -2, 0, 65504])):
            session = oribi.Session(identity(dtype))
            self.assertEqual(name, session.inputs[0].dtype.name)
            self.assertEqual(sample, values(session.run({"x": sample})["y"]), name)

    def test_numbers_that_do_not_fit_are_refused(self):
        with self.assertRaises((ValueError, OverflowError)):
            oribi.Session(identity(INT8)).run({"x": [300, 0, 0, 0]})
        with self.assertRaises((ValueError, OverflowError, TypeError)):
            oribi.Session(identity(INT8)).run({"x": [1.5, 0, 0, 0]})
        with self.assertRaises((ValueError, OverflowError)):
            oribi.Session(identity(INT64)).run({"x": [2 ** 63, 0, 0, 0]})
        with self.assertRaises(ValueError):
            oribi.tensor([[1.0], [1.0, 2.0]])

    def test_strings_of_every_length_and_bytes_that_are_no_text(self):
        sample = ["", "a", "b" * 22, "c" * 23, "ü" * 500, b"\xff\xfe".decode("utf-8", "surrogateescape"), "x", "y"]
        session = oribi.Session(identity(STRING, (8,)))
        for _ in range(3):
            self.assertEqual(sample, values(session.run({"x": sample})["y"]))

    def test_strings_that_pass_through_are_freed_once(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from support import *\n"
                "s = oribi.Session(identity(STRING, (2,)))\n"
                "r = [s.run({'x': ['l' * 100, 'm' * 200]})['y'] for _ in range(5)]\n"
                "del s, r\n")
        done = subprocess.run([sys.executable, "-c", code, os.path.dirname(__file__)], capture_output=True)
        self.assertEqual((0, b""), (done.returncode, done.stderr))

    def test_bf16_comes_and_goes_as_bits_without_ml_dtypes(self):
        session = oribi.Session(identity(BFLOAT16, (2,)))
        given = oribi.tensor(b"\x80\x3f\x00\xc0", dtype="bfloat16", shape=(2,))
        found = session.run({"x": given})["y"]
        data = bytes(memoryview(found)) if isinstance(found, oribi.Tensor) else found.tobytes()
        self.assertEqual(b"\x80\x3f\x00\xc0", data)

    def test_tensors_have_the_buffer_protocol_dlpack_and_lists(self):
        tensor = oribi.tensor([[1, 2, 3], [4, 5, 6]], dtype="int16")
        self.assertEqual(((2, 3), "int16", 12), (tensor.shape, tensor.dtype.name, memoryview(tensor).nbytes))
        self.assertEqual((1, 2, 3, 4, 5, 6), tuple(memoryview(tensor).cast("B").cast("h")))
        self.assertEqual([[1, 2, 3], [4, 5, 6]], oribi.tensor(Lent(tensor)).tolist())
        self.assertEqual(tensor.tolist(), pickle.loads(pickle.dumps(tensor)).tolist())
        self.assertEqual([[], []], oribi.empty((2, 0)).tolist())
        self.assertEqual(2.5, oribi.tensor(2.5).tolist())
        tensor.__dlpack__()  # a capsule that nobody takes gives its tensor back
        del tensor
        gc.collect()


class Lent:
    """Another library's tensor, as far as anybody can see."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **options):
        return self.tensor.__dlpack__(**options)


class OwnOutputs(unittest.TestCase):
    def test_a_result_is_written_where_the_caller_says(self):
        session, out = oribi.Session(add()), oribi.empty((2, 3))
        for k in range(4):
            found = session.run({"x": [[float(k)] * 3] * 2, "y": [[1.0] * 3] * 2}, out={"z": out})
            self.assertIs(out, found["z"])
            self.assertEqual([[k + 1] * 3] * 2, out.tolist())
        self.assertEqual([[2] * 3] * 2, values(session.run({"x": [[1.0] * 3] * 2, "y": [[1.0] * 3] * 2})["z"]))
        self.assertEqual([[4] * 3] * 2, out.tolist())  # it was given back

    def test_memory_that_stays_lent_goes_from_output_to_output(self):
        session = oribi.Session(model([node("Add", ["x", "y"], ["a"]), node("Mul", ["x", "y"], ["b"])], [("x", FLOAT, (2,)), ("y", FLOAT, (2,))],
                                      [("a", FLOAT, (2,)), ("b", FLOAT, (2,))]))
        x, y, one, other = (oribi.tensor([k, k + 1], dtype="float32") for k in (2, 3, 0, 0))
        for _ in range(3):
            session.run({"x": x, "y": y}, out={"a": one, "b": other})
            self.assertEqual(([5, 7], [6, 12]), (one.tolist(), other.tolist()))
            session.run({"x": x, "y": y}, out={"a": other, "b": one})
            self.assertEqual(([5, 7], [6, 12]), (other.tolist(), one.tolist()))
        session.run({"x": y, "y": y}, out={"b": one})
        self.assertEqual(([5, 7], [9, 16]), (other.tolist(), one.tolist()))
        found = session.run({"x": x, "y": x})
        self.assertEqual(([4, 6], [4, 9]), (values(found["a"]), values(found["b"])))
        self.assertEqual(([5, 7], [9, 16]), (other.tolist(), one.tolist()))

    def test_memory_that_an_input_has_too_is_written_at_the_end(self):
        session, both = oribi.Session(add((3,))), oribi.tensor([1, 2, 3], dtype="float32")
        for expected in ([2, 4, 6], [4, 8, 12], [8, 16, 24]):
            session.run({"x": both, "y": both}, out={"z": both})
            self.assertEqual(expected, both.tolist())

    def test_what_does_not_fit_is_refused_and_nothing_written(self):
        session = oribi.Session(add())
        inputs = {"x": [[1.0] * 3] * 2, "y": [[1.0] * 3] * 2}
        for wrong in (oribi.tensor([0.0] * 6, dtype="float32"), oribi.tensor([[0] * 3] * 2, dtype="int32")):
            with self.assertRaises(oribi.InvalidArgument):
                session.run(inputs, out={"z": wrong})
            self.assertEqual({0}, set(bytes(memoryview(wrong))))
        open_ended = oribi.Session(add((2, "n")))
        with self.assertRaises(oribi.InvalidArgument):
            open_ended.run(inputs, out={"z": oribi.empty((2, 4))})
        self.assertEqual([[2] * 3] * 2, values(open_ended.run(inputs)["z"]))


class Lists(unittest.TestCase):
    """ONNX's sequences and optionals."""

    KIND = message(2, message(4, message(1, message(1, number(1, FLOAT)))))
    GIVEN, MADE = message(11, message(1, "s") + KIND), message(12, message(1, "y") + KIND)

    def test_a_sequence_comes_as_a_list(self):
        session = oribi.Session(model([node("SequenceConstruct", ["x", "w", "x"], ["y"]), self.MADE], [("x", FLOAT, (2,)), ("w", FLOAT, (1, 3))], []))
        found = session.run({"x": [1.0, 2.0], "w": [[3.0, 4.0, 5.0]]})["y"]
        self.assertEqual([[1, 2], [[3, 4, 5]], [1, 2]], [values(v) for v in found])
        self.assertEqual("list", session.outputs[0].dtype.name)

    def test_a_list_is_a_sequence_whose_elements_are_shared(self):
        session = oribi.Session(model([node("ConcatFromSequence", ["s"], ["y"], axis=0), self.GIVEN], [], [("y", FLOAT, ("n",))]))
        one, other = oribi.tensor([1.0, 2.0], dtype="float32"), oribi.tensor([3.0], dtype="float32")
        for given, right in (([one, other], [1, 2, 3]), ((other,), [3]), ([other, other, one], [3, 3, 1, 2])):
            self.assertEqual(right, values(session.run({"s": given})["y"]))
        for wrong in (one, None, [oribi.tensor([1], dtype="int32")], [one, [other]]):
            with self.assertRaises((oribi.InvalidArgument, TypeError, ValueError)):
                session.run({"s": wrong})

    def test_an_empty_list_is_a_sequence(self):
        session = oribi.Session(model([node("Identity", ["s"], ["y"]), self.GIVEN, self.MADE], [], []))
        self.assertEqual({"y": []}, session.run({"s": []}))


class State(unittest.TestCase):
    """Streams of TensorFlow Lite Micro: what its interpreter gave for one run after the other (tests/vectors)."""

    def cases(self):
        sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
        import container

        _, cases = container.unpack(SOURCE / "tests/vectors/svdf_i8.bin.xz")
        found = [c for c in cases if c.steps > 1 and "tflm" in c.outputs][:6]
        self.assertGreaterEqual(len(found), 3)
        for case in found:
            session = oribi.Session(case.model)
            n_in, n_out = len(session.inputs), len(session.outputs)
            self.assertGreater(session.num_states, 0)
            steps = [({port.name: oribi.tensor(raw, port.dtype, port.shape) for port, raw in
                       zip(session.inputs, case.inputs[k * n_in:(k + 1) * n_in])}, case.outputs["tflm"][k * n_out:(k + 1) * n_out])
                     for k in range(case.steps)]
            yield session, steps

    def expect(self, runner, step):
        found = runner.run(step[0])
        self.assertEqual(step[1], [bytes(memoryview(v).cast("B")) if isinstance(v, oribi.Tensor) else v.tobytes()
                                   for v in found.values()])

    def test_a_stream_is_bit_for_bit_and_begins_anew_after_a_reset(self):
        for session, steps in self.cases():
            for _ in range(2):
                for step in steps:
                    self.expect(session, step)
                session.reset()

    def test_streams_have_a_state_of_their_own(self):
        for session, steps in self.cases():
            one, other = session.stream(), session.stream()
            self.expect(one, steps[0])
            for k in range(1, len(steps)):
                self.expect(other, steps[k - 1])
                self.expect(one, steps[k])
            one.reset()
            self.expect(one, steps[0])
            self.expect(session, steps[0])
            self.expect(other, steps[-1])


class Threads(unittest.TestCase):
    def test_threads_share_a_session(self):
        session, wrong = oribi.Session(add((64,))), []

        def work(k):
            for i in range(50):
                found = session.run({"x": [float(k)] * 64, "y": [float(i)] * 64})["z"]
                if values(found) != [k + i] * 64:
                    wrong.append((k, i))
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], wrong)

    def test_futures_give_results_and_errors(self):
        session = oribi.Session(add((2,)))
        futures = [session.run_async({"x": [float(k)] * 2, "y": [1.0] * 2}) for k in range(20)]
        self.assertEqual([[k + 1] * 2 for k in range(20)], [values(f.result()["z"]) for f in futures])
        with self.assertRaises(oribi.InvalidArgument):
            session.run_async({"x": [1.0], "y": [1.0]}).result()

    def test_asyncio_awaits_runs(self):
        import asyncio

        session = oribi.Session(add((2,)))

        async def both():
            return await asyncio.gather(*(session.arun({"x": [float(k)] * 2, "y": [1.0] * 2}) for k in range(2)))
        self.assertEqual([[1, 1], [2, 2]], [values(r["z"]) for r in asyncio.run(both())])

    def test_a_run_under_way_is_cancelled_from_another_thread(self):
        entered, go_on = threading.Event(), threading.Event()

        @oribi.op("Suite>Wait", ["x: float"], ["y: float"], shape=lambda x: x)
        def wait(x):
            entered.set()
            go_on.wait(60)
            return x

        session = oribi.Session(model([node("Wait", ["x"], ["t"], domain="suite"), node("Relu", ["t"], ["y"])],
                                      [("x", FLOAT, (2,))], [("y", FLOAT, (2,))], ["suite"]))
        for cancel in (lambda future: session.cancel(), lambda future: future.cancel()):
            entered.clear()
            go_on.clear()
            future = session.run_async({"x": [1.0, 2.0]})
            entered.wait(60)
            cancel(future)
            go_on.set()
            with self.assertRaises(oribi.Cancelled):
                future.result(60)
        go_on.set()
        self.assertEqual([1, 2], values(session.run({"x": [1.0, 2.0]})["y"]))


@unittest.skipUnless(numpy, "there is no NumPy")
class WithNumPy(unittest.TestCase):
    def setUp(self):
        self.session = oribi.Session(add((4, 4)))
        self.x = oribi.empty((4, 4)).numpy()
        self.x[...] = numpy.arange(16).reshape(4, 4)

    def test_aligned_arrays_are_bound_in_place_and_seen_anew(self):
        y = numpy.ones((4, 4), "f4")
        for k in range(3):
            self.x[0, 0] = k
            y[0, 0] = 10 * k  # wherever NumPy put it
            self.assertEqual(11 * k, self.session.run({"x": self.x, "y": y})["z"][0, 0])

    def test_results_are_arrays_over_the_librarys_memory_and_stay(self):
        kept = [self.session.run({"x": self.x, "y": numpy.full((4, 4), k, "f4")})["z"] for k in range(6)]
        for k, z in enumerate(kept):
            self.assertIsInstance(z, numpy.ndarray)
            numpy.testing.assert_array_equal(z, self.x + k)
            self.assertFalse(z.flags.owndata)
        self.assertEqual(0, kept[0].ctypes.data % 64)
        del self.session
        gc.collect()
        numpy.testing.assert_array_equal(kept[5], self.x + 5)

    def test_orders_strides_and_byte_orders_become_what_they_mean(self):
        a = numpy.arange(16, dtype="f4").reshape(4, 4)
        for x in (numpy.asfortranarray(a), a[::-1], a.T, a.astype(">f4"), numpy.broadcast_to(a[0], (4, 4))):
            numpy.testing.assert_array_equal(self.session.run({"x": x, "y": a})["z"], x + a)

    def test_own_outputs_aligned_and_not(self):
        room = numpy.zeros(17 * 4 + 64, numpy.uint8)
        start = -room.ctypes.data % 64
        for shift in (0, 4):
            out = room[start + shift:start + shift + 64].view("f4").reshape(4, 4)
            self.assertIs(out, self.session.run({"x": self.x, "y": self.x}, out={"z": out})["z"])
            numpy.testing.assert_array_equal(out, 2 * self.x)

    def test_dlpack_both_ways_without_a_copy(self):
        tensor = oribi.tensor(self.x.tolist(), dtype="float32")
        taken = numpy.from_dlpack(tensor)
        numpy.testing.assert_array_equal(taken, self.x)
        self.assertEqual(taken.ctypes.data, tensor.numpy().ctypes.data)

    def test_bf16_is_ml_dtypes(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("there is no ml_dtypes")
        x = numpy.array([1, -2, 3, 0.5], ml_dtypes.bfloat16)
        found = oribi.Session(identity(BFLOAT16)).run({"x": x})["y"]
        self.assertEqual(x.dtype, found.dtype)
        numpy.testing.assert_array_equal(x, found)
        for name in ("float8_e4m3fn", "float8_e5m2", "int4", "uint4"):
            sample = numpy.array([1, 2, 3, 0], getattr(ml_dtypes, name))
            numpy.testing.assert_array_equal(sample, oribi.tensor(sample).numpy())


if __name__ == "__main__":
    unittest.main()
