#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SavedModels and frozen graphs as TensorFlow wrote them, against TensorFlow's own outputs; then files that are spoiled.

    saved_model_test.py ORIBI SOURCE_FOLDER BUILD_FOLDER

The models are those of tests/import/tensorflow/models.tar.xz (make_models.py there)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
ARCHIVE = SOURCE / "tests/import/tensorflow/models.tar.xz"


def field(number, value):
    """A field of a protobuf message: text or bytes, as they are."""
    data = value.encode() if isinstance(value, str) else value
    size, length = b"", len(data)
    while True:
        size += bytes([length & 0x7f | (0x80 if length > 0x7f else 0)])
        length >>= 7
        if length == 0:
            return bytes([number << 3 | 2]) + size + data


def node(name, op, inputs=(), **attrs):
    """A NodeDef; attributes are AttrValue messages."""
    return field(1, name) + field(2, op) + b"".join(field(3, i) for i in inputs) + b"".join(
        field(5, field(1, k) + field(2, v)) for k, v in attrs.items())


def function(name, calls, result):
    """A function of x."""
    signature = field(1, name) + field(2, field(1, "x") + b"\x18\x01") + field(3, field(1, "y") + b"\x18\x01")
    return field(1, signature) + b"".join(field(3, c) for c in calls) + field(4, field(1, "y") + field(2, result))


def call(name, of, given):
    return node(name, "PartitionedCall", [given], f=field(10, field(1, of)))


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(cls.folder)

    def path(self, name):
        return self.folder / name if (self.folder / name).is_dir() else self.folder / f"{name}.pb"

    def run_model(self, path, inputs, *words, code=0):
        out, given = self.folder / "result.npz", []
        for name, value in inputs.items():
            np.save(self.folder / f"{name}.npy", value)
            given += ["-i", f"{name}=@{self.folder / name}.npy"]
        done = subprocess.run([ORIBI, "run", path, *given, "-o", out, "-f", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.error = done.stderr
        return dict(np.load(out)) if code == 0 else {}

    def case(self, name):
        with np.load(self.folder / f"{name}.npz") as data:
            parts = {way: {k[len(way) + 1:]: data[k] for k in data.files if k.startswith(way)} for way in ("in", "out")}
        return parts["in"], parts["out"]

    def check(self, name):
        inputs, wanted = self.case(name)
        found = self.run_model(self.path(name), inputs)
        self.assertEqual(sorted(found), sorted(wanted))
        for key, value in wanted.items():
            if value.dtype.kind == "S":
                self.assertEqual([s.encode() if isinstance(s, str) else s for s in found[key].tolist()], value.tolist())
            else:
                self.assertEqual((found[key].dtype, found[key].shape), (value.dtype, value.shape), key)
                np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-6, err_msg=key)

    def test_each_model_gives_what_tensorflow_gave(self):
        names = sorted(p.stem for p in self.folder.glob("*.npz") if p.stem != "result")
        self.assertGreaterEqual(len(names), 20)
        for name in names:
            with self.subTest(name):
                self.check(name)

    def test_the_file_inside_the_folder_is_the_model_too(self):
        inputs, wanted = self.case("two_signatures")
        found = self.run_model(self.path("two_signatures") / "saved_model.pb", inputs)
        np.testing.assert_allclose(found["y"], wanted["y"], rtol=1e-5)

    def test_a_signature_is_chosen_by_name(self):
        inputs, _ = self.case("two_signatures")
        found = self.run_model(self.path("two_signatures"), inputs, "--signature", "less")
        np.testing.assert_array_equal(found["z"], inputs["x"] - 1)
        self.run_model(self.path("two_signatures"), inputs, "--signature", "more", code=4)
        self.assertRegex(self.error, "no signature 'more'; it has '(less|serving_default)', '(less|serving_default)'")

    def test_a_network_is_compiled_to_c(self):
        out = self.folder / "c"
        done = subprocess.run([ORIBI, "compile", self.path("convolutions"), "-o", out], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([ORIBI, "verify", self.path("convolutions"), "--runs", "1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    # --- What is wrong ------------------------------------------------------------------------------
    def copy(self, name):
        shutil.rmtree(self.folder / "copy", ignore_errors=True)
        return pathlib.Path(shutil.copytree(self.path(name), self.folder / "copy"))

    def test_what_is_missing_is_named(self):
        inputs, _ = self.case("while_of_a_variable")
        for file in ("variables.index", "variables.data-00000-of-00001"):
            path = self.copy("while_of_a_variable")
            (path / "variables" / file).unlink()
            self.run_model(path, inputs, code=4)
            self.assertIn(file, self.error)
        path = self.copy("vocabulary")
        (path / "assets/words.txt").unlink()
        self.run_model(path, self.case("vocabulary")[0], code=4)
        self.assertIn("words.txt", self.error)

    def test_a_link_out_of_the_folder_is_followed_with_consent_alone(self):
        for model, file in (("vocabulary", "assets/words.txt"), ("while_of_a_variable", "variables/variables.index"),
                            ("while_of_a_variable", "variables/variables.data-00000-of-00001"), ("vocabulary", "assets"),
                            ("while_of_a_variable", "variables")):
            inputs, _ = self.case(model)
            path = self.copy(model)
            secret = self.folder / "secret"
            shutil.rmtree(secret, ignore_errors=True)
            secret.unlink(missing_ok=True)
            (path / file).rename(secret)
            (path / file).symlink_to(secret)
            self.run_model(path, inputs, code=4)
            self.assertIn("is a link out of the model's folder", self.error)
            self.run_model(path, inputs, "--follow-links")
            (path / file).unlink()
            secret.rename(path / "inside")
            (path / file).symlink_to(path / "inside")
            self.run_model(path, inputs)

    def test_a_vocabulary_that_is_read_counts_against_the_limit(self):
        path = self.copy("vocabulary")
        (path / "assets/words.txt").write_bytes(b"x" * 20_000_000)
        self.run_model(path, self.case("vocabulary")[0], "--read", "--max-bytes", "16m", code=5)
        self.assertIn("words.txt", self.error)

    def test_an_op_that_nothing_provides_is_reported_with_its_node(self):
        path = self.copy("two_signatures")
        file = path / "saved_model.pb"
        file.write_bytes(file.read_bytes().replace(b"\x12\x06MatMul", b"\x12\x06MatNul"))
        self.run_model(path, self.case("two_signatures")[0], code=3)
        self.assertRegex(self.error, "MatNul: node '.*matmul'")

    def refuse(self, functions, code, said):
        path = self.folder / "made.pb"
        x = node("x", "Placeholder", dtype=b"\x30\x01", shape=field(7, field(2, b"\x08\x02")))
        path.write_bytes(field(1, x) + field(1, call("y", "f", "x")) + field(2, b"".join(field(1, f) for f in functions)))
        self.run_model(path, {"x": np.ones(2, np.float32)}, code=code)
        self.assertIn(said, self.error)

    def test_an_op_that_newer_versions_cannot_run_is_read(self):
        """TopK went with version 7 of GraphDefs."""
        path = self.folder / "old.pb"
        x = node("x", "Placeholder", dtype=b"\x30\x01", shape=field(7, field(2, b"\x08\x02") + field(2, b"\x08\x04")))
        path.write_bytes(field(1, x) + field(1, node("top", "TopK", ["x"], k=b"\x18\x02", T=b"\x30\x01"))
                         + field(1, node("places", "Identity", ["top:1"], T=b"\x30\x03")))
        found = self.run_model(path, {"x": np.array([[1, 4, 2, 3], [8, 5, 7, 6]], np.float32)})
        np.testing.assert_array_equal(found["places"], [[1, 3], [0, 2]])

    def test_a_spoiled_attribute_is_refused(self):
        """Strides whose list ends before it should were read all the same."""
        path = self.folder / "strides.pb"
        x = node("x", "Placeholder", dtype=b"\x30\x01", shape=field(7, b"".join(field(2, bytes([8, n])) for n in (1, 4, 4, 1))))
        sizes = field(1, field(3, b"\x01\x02\x02\x01"))
        path.write_bytes(field(1, x) + field(1, node("y", "ExtractImagePatches", ["x"], ksizes=sizes, rates=sizes, padding=field(2, "SAME"),
                                                     strides=field(1, b"\x1a\x7f\x01"), T=b"\x30\x01")))
        self.run_model(path, {"x": np.ones((1, 4, 4, 1), np.float32)}, code=4)
        self.assertIn("node 'y'", self.error)

    def test_functions_that_call_each_other_end(self):
        doubling = [function(f"f{i}" if i < 22 else "f", [call("a", f"f{i - 1}", "x"), call("b", f"f{i - 1}", "a:output:0")], "b:output:0")
                    for i in range(1, 23)]
        self.refuse([function("f0", [node("a", "Identity", ["x"])], "a:output:0"), *doubling], 5, "read more often than is supported")
        self.refuse([function("f", [call("a", "f", "x")], "a:output:0")], 5, "may call itself")
        self.refuse([function("f", [call("a", "g", "x")], "a:output:0")], 4, "there is no function 'g'")
        self.refuse([function("f", [node("a", "Neg", ["b"]), node("b", "Neg", ["a"])], "a:y:0")], 4, "is on a cycle")
        self.refuse([function("f", [node("a", "Neg", ["x"])], "a:y:7")], 4, "has no output 7")

    def test_a_file_that_is_cut_short_or_changed_is_refused_or_read_but_nothing_else(self):
        """Nothing but an exit code: a sanitizer sees the rest."""
        rng = np.random.default_rng(1)
        for name, files in (("lstm", ["saved_model.pb", "variables/variables.index"]), ("nested_lowered", None), ("vocabulary", ["saved_model.pb"])):
            original = self.path(name)
            inputs, _ = self.case(name)
            for file in files or [None]:
                data = bytearray((original / file if file else original).read_bytes())
                for trial in range(12):
                    spoiled = bytearray(data[:rng.integers(1, len(data))] if trial % 3 == 0 else data)
                    for _ in range(trial):
                        spoiled[rng.integers(0, len(spoiled))] = rng.integers(0, 256)
                    target = self.copy(name) / file if file else self.folder / "spoiled.pb"
                    target.write_bytes(spoiled)
                    model = self.folder / "copy" if file else target
                    given = [w for k, v in inputs.items() for w in ("-i", f"{k}=@{self.folder / k}.npy") if np.save(self.folder / f"{k}.npy", v) is None]
                    done = subprocess.run([ORIBI, "run", model, *given, "--time-limit", "20000"], capture_output=True, text=True)
                    self.assertIn(done.returncode, (0, 3, 4, 5), (name, file, trial, done.stderr[-2000:]))


if __name__ == "__main__":
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=1")
    unittest.main(argv=sys.argv[:1])
