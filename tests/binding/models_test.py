#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SavedModels and frozen graphs as TensorFlow wrote them, run by the functions of c_api.h, against TensorFlow's own outputs.

    models_test.py MODEL_RUNNER SOURCE_FOLDER

The models are those of tests/import/tensorflow/models.tar.xz; model_runner.c says how it is called."""
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest

import numpy as np

RUNNER, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
TYPES = {1: "f4", 2: "f8", 3: "i4", 4: "u1", 5: "i2", 6: "i1", 9: "i8", 10: "?"}
THREADS = "3"


def fields(data):
    """number, value of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = varint() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
        yield key >> 3, data[at:at + size]
        at += size


def signature(meta):
    """name: tensor of the inputs, and of the outputs, of serving_default."""
    entries = [dict(fields(v)) for n, v in fields(meta) if n == 5]
    message = next(e[2] for e in entries if e[1] == b"serving_default")
    parts = {1: {}, 2: {}}
    for number, entry in fields(message):
        if number in parts:
            entry = dict(fields(entry))
            parts[number][entry[1].decode()] = dict(fields(entry[2]))[1].decode()
    return parts[1], parts[2]


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        with tarfile.open(SOURCE / "tests/import/tensorflow/models.tar.xz") as archive:
            archive.extractall(cls.folder)

    def write(self, name, value):
        """A tensor in a file; its type and dimensions in words."""
        file = self.folder / f"{name}.bin"
        if value.dtype.kind == "S":
            file.write_bytes(b"".join(struct.pack("<Q", len(s)) + s for s in value.ravel().tolist()))
            number = 7
        else:
            file.write_bytes(value.tobytes())
            number = next(n for n, t in TYPES.items() if np.dtype(t) == value.dtype)
        return " ".join(map(str, [number, *value.shape, file]))

    def read(self, file):
        head, data = file.read_bytes().split(b"\n", 1)
        dtype, *dims = map(int, head.split())
        if dtype != 7:
            return np.frombuffer(data, TYPES[dtype]).reshape(dims)
        strings = []
        while data:
            size = struct.unpack("<Q", data[:8])[0]
            strings.append(data[8:8 + size])
            data = data[8 + size:]
        return np.array(strings, "S").reshape(dims)

    def run_model(self, path, inputs, names):
        meta = self.folder / "meta.pb"
        lines = [f"in {tensor} {self.write('in', value) if len(inputs) == 1 else self.write(f'in{i}', value)}"
                 for i, (tensor, value) in enumerate(inputs)]
        lines += [f"out {tensor} {self.folder / f'out{i}.bin'}" for i, tensor in enumerate(names)]
        (self.folder / "list.txt").write_text("\n".join(lines) + "\n")
        done = subprocess.run([RUNNER, path, self.folder / "list.txt", THREADS, meta], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [self.read(self.folder / f"out{i}.bin") for i in range(len(names))]

    def check(self, name):
        with np.load(self.folder / f"{name}.npz") as data:
            given, wanted = ({k[len(way):]: data[k] for k in data.files if k.startswith(way)} for way in ("in:", "out:"))
        path = self.folder / name
        if path.is_dir():
            meta = next(v for n, v in fields((path / "saved_model.pb").read_bytes()) if n == 2)
            ins, outs = signature(meta)
        else:
            path = self.folder / f"{name}.pb"
            ins, outs = ({k: k for k in part} for part in (given, wanted))
        keys = list(wanted)
        found = self.run_model(path, [(ins[k], v) for k, v in given.items()], [outs[k] for k in keys])
        if path.is_dir():
            self.assertEqual((self.folder / "meta.pb").read_bytes(), meta)
        for key, value in zip(keys, found):
            if value.dtype.kind == "S":
                np.testing.assert_array_equal(value, wanted[key].astype("S"), err_msg=key)
            else:
                self.assertEqual((value.dtype, value.shape), (wanted[key].dtype, wanted[key].shape), key)
                np.testing.assert_allclose(value, wanted[key], rtol=1e-5, atol=1e-6, err_msg=key)

    def test_each_model_gives_what_tensorflow_gave(self):
        names = sorted(p.stem for p in self.folder.glob("*.npz"))
        self.assertGreaterEqual(len(names), 20)
        for name in names:
            with self.subTest(name):
                self.check(name)


unittest.main(argv=sys.argv[:1])
