#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sequences and optionals go in and come out of `oribi run`.

    lists_test.py ORIBI SOURCE_FOLDER
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx_lite as o

ORIBI = pathlib.Path(sys.argv[1]).resolve()
SEQUENCE, OPTIONAL = 4, 9


def list_info(name, *wrappers, element=1):
    """wrappers: from the outside in."""
    kind = o.field(1, o.field(1, element))
    for wrapper in reversed(wrappers):
        kind = o.field(wrapper, o.field(1, kind))
    return o.field(1, name) + o.field(2, kind)


class Lists(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.a, self.b = np.array([1, 2, 3], np.float32), np.array([[4, 5]], np.float32)
        np.save(self.folder / "a.npy", self.a)
        np.save(self.folder / "b.npy", self.b)

    def model(self, *wrappers):
        """y is the input s, and has the element type of it."""
        model = o.model([o.node("Identity", ["s"], ["y"])], [list_info("s", *wrappers)], [list_info("y", *wrappers)], opset=18)
        (self.folder / "m.onnx").write_bytes(model)

    def oribi(self, *args, code=0):
        done = subprocess.run([ORIBI, "run", "m.onnx", *args], capture_output=True, text=True, cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.err = done.stderr
        return done.stdout

    def elements(self, given):
        """The arrays that come out for `-i s=GIVEN`, by name."""
        self.oribi("-i", "s=" + given, "-o", "out.npz", "--force")
        with np.load(self.folder / "out.npz") as arrays:
            return {name: arrays[name] for name in arrays.files}

    def expect_both(self, found):
        self.assertEqual(list(found), ["y[0]", "y[1]"])
        np.testing.assert_array_equal(found["y[0]"], self.a)
        np.testing.assert_array_equal(found["y[1]"], self.b)

    def test_a_sequence_of_files_a_folder_and_an_npz(self):
        self.model(SEQUENCE)
        (self.folder / "both").mkdir()
        for name in ("a.npy", "b.npy"):
            shutil.copy(self.folder / name, self.folder / "both")
        self.expect_both(self.elements("[@a.npy,@b.npy]"))
        self.expect_both(self.elements("[@both/]"))
        np.savez(self.folder / "both.npz", self.a, self.b)
        self.expect_both(self.elements("@both.npz"))
        shutil.move(self.folder / "out.npz", self.folder / "again.npz")
        self.expect_both(self.elements("@again.npz"))
        self.assertEqual(self.elements("[]"), {})

    def test_messages_of_onnx(self):
        sequence = b"".join(o.field(3, o.tensor("", x)) for x in (self.a, self.b))
        (self.folder / "s.pb").write_bytes(o.field(1, "s") + o.field(2, 1) + sequence)
        (self.folder / "o.pb").write_bytes(o.field(2, 2) + o.field(5, sequence))
        (self.folder / "none.pb").write_bytes(o.field(2, 2))
        self.model(SEQUENCE)
        self.expect_both(self.elements("@s.pb"))
        self.model(OPTIONAL, SEQUENCE)
        self.expect_both(self.elements("@o.pb"))
        self.assertEqual(self.oribi("-i", "s=@none.pb"), "y: none\n")

    def test_an_optional_tensor_and_none(self):
        self.model(OPTIONAL)
        np.testing.assert_array_equal(self.elements("@a.npy")["y"], self.a)
        np.testing.assert_array_equal(self.elements("1x2xf32=4,5")["y"], self.b)
        self.assertEqual(self.oribi("-i", "s=none"), "y: none\n")
        self.assertEqual(json.loads(self.oribi("-i", "s=none", "--json")), {"name": "y", "type": "optional", "length": 0})

    def test_json_has_a_line_for_the_list_and_each_element(self):
        self.model(SEQUENCE)
        lines = [json.loads(line) for line in self.oribi("-i", "s=[@a.npy,@b.npy]", "--json").splitlines()]
        self.assertEqual(lines[0], {"name": "y", "type": "sequence", "length": 2})
        self.assertEqual([line["shape"] for line in lines[1:]], [[3], [1, 2]])

    def test_what_is_no_list_is_refused(self):
        self.model(SEQUENCE)
        for given in ("@a.npy", "3xf32=1", "rand:1", "none"):
            self.oribi("-i", "s=" + given, code=4)
            self.assertIn("it is a sequence: [@a.npy,@b.npy]", self.err)
        (self.folder / "raw.bin").write_bytes(b"1234")
        self.oribi("-i", "s=[@raw.bin]", code=4)
        self.assertIn("which say its type", self.err)
        (self.folder / "bad.pb").write_bytes(o.field(6, b""))
        self.oribi("-i", "s=@bad.pb", code=4)
        self.assertIn("not a sequence or optional of dense tensors", self.err)
        (self.folder / "cut.pb").write_bytes(o.field(3, o.tensor("", self.a))[:-2])
        self.oribi("-i", "s=@cut.pb", code=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
