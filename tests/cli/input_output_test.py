#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes in and comes out of the command: pictures, tensors, files, memory and disks that end.

    input_output_test.py ORIBI SOURCE_FOLDER
"""
import io
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

import numpy as np
import onnx_lite as o

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
HERE = SOURCE / "tests/cli"
DIGITS = SOURCE / "examples/digits/digits.onnx"
SANITIZED = b"__asan_init" in ORIBI.read_bytes()
TYPES = {"f32": (1, np.float32), "f64": (11, np.float64), "f16": (10, np.float16), "i8": (3, np.int8),
         "i16": (5, np.int16), "i32": (6, np.int32), "i64": (7, np.int64), "u8": (2, np.uint8),
         "u16": (4, np.uint16), "u32": (12, np.uint32), "u64": (13, np.uint64), "bool": (9, np.bool_)}


def cuts(data):
    """Where files end early: within each number of a head, and somewhere in each part. Each byte is the fuzzer's."""
    return sorted({*range(0, len(data), 3 + len(data) // 30), *range(len(data) - 9, len(data))})


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, kind, rows, palette=None, interlaced=0, extra=b""):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0,
                                                              interlaced)) +
            extra + (chunk(b"PLTE", palette) if palette else b"") +
            chunk(b"IDAT", zlib.compress(b"".join(b"\0" + r for r in rows))) + chunk(b"IEND", b""))


def bmp(width, height, bits, rows, palette=b"", packing=0, colours=0):
    start = 54 + len(palette)
    body = b"".join(r + b"\0" * (-len(r) % 4) for r in rows)
    return (b"BM" + struct.pack("<IHHI", start + len(body), 0, 0, start) +
            struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, packing, 0, 0, 0, colours, 0) +
            palette + body)


class InputOutput(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.random = np.random.default_rng(5)

    def run_raw(self, *args, env=None, limit=None, stdin=b"", cwd=None):
        return subprocess.run([ORIBI, *map(str, args)], capture_output=True, cwd=cwd or self.folder,
                              input=stdin, env={**os.environ, **(env or {})}, timeout=120, preexec_fn=limit)

    def oribi(self, *args, code=0, **more):
        done = self.run_raw(*args, **more)
        self.out, self.err = done.stdout, done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"{args}\n{self.out[:500]}\n{self.err}")
        return self.out

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def model(self, shape, kind=1, inputs=("x",), outputs=("y",), op="Identity"):
        nodes = [o.node(op, [inputs[i % len(inputs)]], [y]) for i, y in enumerate(outputs)]
        return self.write("m.onnx", o.model(nodes, [o.info(x, shape, kind) for x in inputs],
                                            [o.info(y, shape, kind) for y in outputs]))

    def pixels(self, name, data, channels, height, width, code=0):
        """The picture as the model gets it, [height, width, channels] of 0..255."""
        self.write(name, data)
        model = self.model([1, channels, height, width])
        self.oribi("run", model, "-i", f"x=@{name}", "--scale", "1", "-o", "p.npy", "-f", code=code)
        if code == 0:
            return np.load(self.folder / "p.npy")[0].transpose(1, 2, 0).astype(np.uint8)
        return None

    # --- ranks -----------------------------------------------------------------------------------

    def test_a_tensor_has_up_to_254_dimensions_in_every_form_and_more_are_refused(self):
        any_shape = o.field(1, "x") + o.field(2, o.field(1, o.field(1, 1)))
        model = self.write("any.onnx", o.model([o.node("Size", ["x"], ["y"])], [any_shape], [o.info("y", [], 7)]))
        data = np.array([1, 2, 3], np.float32)
        for rank in (1, 8, 9, 15, 16, 17, 64, 65, 254, 255, 300):
            shape = [1] * (rank - 1) + [3]
            rest = o.field(2, 1) + o.field(9, data.tobytes())
            self.write("packed.pb", o.field(1, bytes(shape)) + rest)
            self.write("single.pb", b"".join(o.field(1, d) for d in shape) + rest)
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({str(shape)[1:-1]},), }}\n".encode()
            self.write("x.npy", b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + data.tobytes())
            sizes = "x".join(map(str, shape))
            for spec in ("@packed.pb", "@single.pb", "@x.npy", f"{sizes}xf32=1,2,3"):
                with self.subTest(rank=rank, spec=spec[:12]):
                    out = self.oribi("run", model, "-i", "x=" + spec, code=0 if rank <= 254 else 4)
                    self.assertIn(b"3" if rank <= 254 else b"", out)
                    self.assertIn("" if rank <= 254 else "254", self.err)

    def test_shapes_of_16_dimensions_are_shown_whole(self):
        shape = list(range(1, 9)) + [1] * 7 + [3]
        model = self.model(shape)
        text = "x".join(map(str, shape))
        self.assertIn(text.encode(), self.oribi("inspect", model))
        self.assertIn(f"y: f32 {text}\n".encode(), self.oribi("run", model, "-i", "x=ramp"))
        self.oribi("run", self.model(["n"] * 16), "--shape", "x=" + "x".join(["2"] * 17), "-i", "x=ramp", code=4)
        self.assertIn("contradicts", self.err)

    # --- pictures --------------------------------------------------------------------------------

    def test_png_gives_the_pixels_that_are_in_it(self):
        rgb = self.random.integers(0, 256, (9, 7, 3), np.uint8)
        luma = (rgb @ np.array([77, 150, 29])) >> 8
        data = png(7, 9, 8, 2, [r.tobytes() for r in rgb])
        np.testing.assert_array_equal(self.pixels("a.png", data, 3, 9, 7), rgb)
        np.testing.assert_array_equal(self.pixels("a.png", data, 1, 9, 7)[..., 0], luma)
        self.assertTrue((self.pixels("a.png", data, 4, 9, 7)[..., 3] == 255).all())
        wide = (rgb.astype(int) * 256 + 77).astype(">u2")
        data = png(7, 9, 16, 2, [r.tobytes() for r in wide])
        np.testing.assert_array_equal(self.pixels("a.png", data, 3, 9, 7), rgb)
        colours = self.random.integers(0, 256, (16, 3), np.uint8)
        indices = self.random.integers(0, 16, (9, 8), np.uint8)
        rows = [bytes(int(r[i]) << 4 | int(r[i + 1]) for i in range(0, 8, 2)) for r in indices]
        data = png(8, 9, 4, 3, rows, colours.tobytes())
        np.testing.assert_array_equal(self.pixels("a.png", data, 3, 9, 8), colours[indices])
        rgba = self.random.integers(0, 256, (9, 7, 4), np.uint8)
        data = png(7, 9, 8, 6, [r.tobytes() for r in rgba])
        np.testing.assert_array_equal(self.pixels("a.png", data, 4, 9, 7), rgba)
        np.testing.assert_array_equal(self.pixels("a.png", data, 3, 9, 7), rgba[..., :3])

    def test_an_input_of_any_size_gets_the_picture_as_large_as_it_is(self):
        rgb = self.random.integers(0, 256, (9, 7, 3)).astype(np.uint8)
        self.write("a.png", png(7, 9, 8, 2, [r.tobytes() for r in rgb]))
        for shape, order in ((["h", "w", 3], (0, 1, 2)), ([1, "h", "w", 3], (0, 1, 2)), ([1, 3, "h", "w"], (2, 0, 1)), ([3, "h", "w"], (2, 0, 1))):
            model = self.model(shape)
            self.oribi("run", model, "-i", "x=@a.png", "--scale", "1", "-o", "p.npy", "-f")
            np.testing.assert_array_equal(np.load(self.folder / "p.npy").reshape(rgb.transpose(order).shape), rgb.transpose(order))
        self.oribi("run", model, "-i", "x=@a.png", "--crop", "4", code=4)
        self.assertIn("--shape", self.err)
        self.oribi("run", self.model(["h", 7, 3]), "-i", "x=@a.png", code=4)
        self.assertIn("cannot tell height", self.err)

    def test_an_input_of_one_string_gets_the_file_itself(self):
        data = bytes(self.random.integers(0, 256, 300).astype(np.uint8)) + b"\1"
        for name in ("a.wav", "a.bin", "a.txt", "a.png"):
            self.write(name, data)
            for shape in ([], [1], ["n"], [1, 1]):
                self.oribi("run", self.model(shape, kind=8), "-i", f"x=@{name}", "-o", "s.npy", "-f")
                self.assertEqual(np.load(self.folder / "s.npy").reshape(-1).tolist(), [data])
        self.oribi("run", self.model([2], kind=8), "-i", "x=@a.wav", code=4)
        self.assertIn("a file is one string", self.err)

    def test_interlaced_png_is_put_together(self):
        rgb = self.random.integers(0, 256, (9, 11, 3), np.uint8)
        rows = [rgb[y, x0::dx].tobytes() for x0, y0, dx, dy in
                ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
                for y in range(y0, 9, dy)]
        data = png(11, 9, 8, 2, rows, interlaced=1)
        np.testing.assert_array_equal(self.pixels("a.png", data, 3, 9, 11), rgb)
        self.pixels("a.png", png(11, 9, 8, 2, rows[:-1], interlaced=1), 3, 9, 11, code=4)

    def test_bmp_gives_the_pixels_that_are_in_it(self):
        rgb = self.random.integers(0, 256, (5, 7, 3), np.uint8)
        rows = [r[:, ::-1].tobytes() for r in rgb]
        np.testing.assert_array_equal(self.pixels("a.bmp", bmp(7, 5, 24, rows[::-1]), 3, 5, 7), rgb)
        np.testing.assert_array_equal(self.pixels("a.bmp", bmp(7, -5, 24, rows), 3, 5, 7), rgb)
        rows = [np.insert(r[:, ::-1], 3, 0, 1).tobytes() for r in rgb]
        got = self.pixels("a.bmp", bmp(7, -5, 32, rows), 4, 5, 7)
        np.testing.assert_array_equal(got[..., :3], rgb)
        self.assertTrue((got[..., 3] == 255).all())
        colours = self.random.integers(0, 256, (9, 4), np.uint8)
        indices = self.random.integers(0, 9, (5, 7), np.uint8)
        data = bmp(7, -5, 8, [r.tobytes() for r in indices], colours.tobytes(), colours=9)
        np.testing.assert_array_equal(self.pixels("a.bmp", data, 3, 5, 7), colours[indices][..., 2::-1])

    def test_bmp_that_is_damaged_or_packed_is_refused(self):
        rows = [bytes(24)] * 5
        for data in (bmp(8, 6, 24, rows), bmp(8, 5, 24, rows, packing=1), bmp(8, 5, 16, rows),
                     bmp(0, 5, 24, rows), bmp(8, -2**31, 24, rows), bmp(2**31 - 1, 2**31 - 1, 24, rows),
                     bmp(8, 5, 8, [b"\3" * 8] * 5, bytes(8), colours=2), bmp(8, 5, 8, rows, colours=2**31)):
            self.pixels("a.bmp", data, 3, 5, 8, code=4)
        good = bmp(8, 5, 24, rows)
        for cut in cuts(good):
            self.pixels("a.bmp", good[:cut], 3, 5, 8, code=4)

    def jpeg(self, kind, width, height):
        maker = self.folder / "make_jpeg"
        if not maker.exists():
            subprocess.run(["cc", HERE / "make_jpeg.c", "-o", maker, "-ljpeg"], check=True)
        subprocess.run([maker, kind, str(width), str(height), self.folder / "made.jpg"], check=True)
        return (self.folder / "made.jpg").read_bytes()

    def test_jpeg_of_all_kinds_is_near_to_what_was_put_in(self):
        y, x = np.mgrid[0:32, 0:48]
        rgb = np.stack([3 * y, 5 * x, 2 * (x + y)], -1).astype(np.uint8).astype(int)
        for kind in ("plain", "full", "progressive", "restart"):
            got = self.pixels("a.jpg", self.jpeg(kind, 48, 32), 3, 32, 48).astype(int)
            self.assertLess(np.abs(got - rgb).mean(), 3, kind)
        gray = self.pixels("a.jpg", self.jpeg("gray", 48, 32), 3, 32, 48).astype(int)
        self.assertLess(np.abs(gray - rgb[..., :1]).mean(), 3)
        ink = self.pixels("a.jpg", self.jpeg("cmyk", 48, 32), 3, 32, 48).astype(int)
        self.assertLess(np.abs(ink - rgb * 200 // 255).mean(), 3)

    def test_pictures_that_end_early_are_errors(self):
        rgb = self.random.integers(0, 256, (16, 16, 3), np.uint8)
        for name, data in (("a.png", png(16, 16, 8, 2, [r.tobytes() for r in rgb])),
                           ("a.jpg", self.jpeg("plain", 16, 16)), ("a.jpg", self.jpeg("progressive", 16, 16))):
            model = self.model([1, 3, 16, 16])
            for cut in cuts(data):
                self.write(name, data[:cut])
                self.oribi("run", model, "-i", f"x=@{name}", code=4)

    def test_other_formats_are_refused_by_the_names_of_those_that_are_read(self):
        for data in (b"P6 16 16 255\n", b"GIF89a" + bytes(40), b"8BPS" + bytes(40), bytes(2) + b"\x02" + bytes(99),
                     b"", b"BX", b"\x53\x80\xf6\x34" + bytes(99)):
            self.pixels("a.png", data, 3, 16, 16, code=4)
            self.assertRegex(self.err, "PNG, JPEG and BMP")

    def test_pictures_keep_the_limit_on_memory(self):
        row = bytes(20000 // 8)
        for name, data in (("a.png", png(20000, 20000, 1, 0, [row] * 4)),
                           ("a.bmp", bmp(20000, 20000, 24, [row])), ("a.jpg", self.jpeg("progressive", 4000, 4000))):
            self.write(name, data)
            model = self.model([1, 3, 16, 16])
            self.oribi("run", model, "-i", f"x=@{name}", "--max-bytes", "16m", code=4 if name == "a.bmp" else 5)
            if name != "a.bmp": # a BMP's pixels are in the file, and are not
                self.assertIn("--max-bytes", self.err)

    def test_pictures_keep_the_time_limit(self):
        rows = zlib.compressobj(9)
        data = b"".join(rows.compress(bytes(60001)) for _ in range(20000)) + rows.flush()
        self.write("a.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 20000, 20000, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", data) + chunk(b"IEND", b""))
        self.write("a.jpg", self.jpeg("progressive", 6000, 6000))
        for name in ("a.png", "a.jpg"):
            self.oribi("run", self.model([1, 3, 16, 16]), "-i", f"x=@{name}", "--time-limit", 50, "--max-bytes", "4g",
                       code=5)
            self.assertRegex(self.err, "time.limit")  # of a slow build: while the model is opened

    def test_a_jpeg_of_hundreds_of_scans_is_refused(self):
        self.pixels("a.jpg", self.jpeg("scans", 16, 16), 3, 16, 16, code=4)
        self.assertIn("scans", self.err)

    def test_means_and_scales_are_one_or_one_for_each_channel(self):
        data = png(4, 4, 8, 2, [bytes(12)] * 4)
        self.write("a.png", data)
        model = self.model([1, 3, 4, 4])
        for text in ("1,2,3,4", "1,2", "1,2,3,", "", "x", "1x", "nan", "1e999"):
            for option in ("--mean", "--scale"):
                self.oribi("run", model, "-i", "x=@a.png", option, text, code=4)
                self.assertIn(option, self.err)
        self.oribi("run", model, "-i", "x=@a.png", "--mean", "1,2,3", "--scale", "2")

    # --- tensors ---------------------------------------------------------------------------------

    def test_numbers_of_all_types_go_through_unchanged(self):
        for name, (kind, dtype) in TYPES.items():
            if name == "bool":
                values = [True, False, True]
            elif np.issubdtype(dtype, np.integer):
                i = np.iinfo(dtype)
                values = [i.min, i.max, 9007199254740993 if i.max > 2**60 else i.max - 1]
            else:
                f = np.finfo(dtype)
                values = [f.max, f.tiny, np.nextafter(dtype(1), dtype(2))]
            x = np.array(values, dtype)
            text = ",".join(repr(v.item()) if name != "bool" else str(int(v)) for v in x)
            model = self.model([3], kind)
            line = json.loads(self.oribi("run", model, "-i", f"x=3x{name}={text}", "--json"))
            np.testing.assert_array_equal(np.array(line["values"], dtype), x, name)
            self.oribi("run", model, "-i", f"x=3x{name}={text}", "-o", "y.npy", "-f")
            y = np.load(self.folder / "y.npy")
            np.testing.assert_array_equal(y, x, name)
            self.assertEqual(y.dtype, x.dtype)
            self.oribi("run", model, "-i", "x=@y.npy", "-o", "z.npz", "-f")
            np.testing.assert_array_equal(np.load(self.folder / "z.npz")["y"], x, name)

    def test_the_largest_whole_numbers_keep_their_order(self):
        text = self.oribi("run", self.model([3], 7), "-i", "x=3xi64=9007199254740993,9007199254740994,9007199254740992",
                          "-k", "3", "--json")
        self.assertEqual([t["index"] for t in json.loads(text)["top"]], [1, 0, 2])
        self.assertIn(b"max 9007199254740994", self.oribi("run", self.model([2], 7), "-i",
                                                         "x=2xi64=9007199254740993,9007199254740994"))

    def test_the_largest_elements_are_printed_as_they_are(self):
        for kind, given, lines in ((7, "3xi64=9007199254740993,-9223372036854775808,9223372036854775807",
                                    ["2  9223372036854775807", "0  9007199254740993", "1  -9223372036854775808"]),
                                   (13, "2xu64=9007199254740993,18446744073709551615",
                                    ["1  18446744073709551615", "0  9007199254740993"]),
                                   (11, "3xf64=1e-9,1e300,0.1", ["1      1e+300", "2         0.1", "0       1e-09"]),
                                   (1, "4xf32=nan,5,inf,7", ["2         inf", "3    7.000000", "1    5.000000", "0         nan"]),
                                   (8, "2xstr=a,b", ['0         "a"', '1         "b"'])):
            text = self.oribi("run", self.model([len(lines)], kind), "-i", "x=" + given, "-k", len(lines)).decode()
            self.assertEqual([line.strip() for line in text.splitlines()[1:]], lines)

    def test_what_is_no_number_of_the_type_is_refused(self):
        for name, texts in {"i8": ("128", "-129", "1.5", "1x", "", " 1", "1e2"), "u8": ("-1", "256"),
                            "i64": ("9223372036854775808", "0x1", "nan"), "u64": ("-1", "18446744073709551616"),
                            "f32": ("1e39", "1,,", "one", "1e"), "f16": ("65520",), "f64": ("1e999",),
                            "bool": ("2", "-1")}.items():
            model = self.model([1], TYPES[name][0])
            for text in texts:
                self.oribi("run", model, "-i", f"x=1x{name}={text}", code=4)
        model = self.model([2])
        for text in ("x=2xf32=1,2,3", "x=2xf32=1,2,", "x=-2xf32=1", "x=2x2", "x=99999999999999999999xf32=1",
                     "x=4611686018427387904x4xf32=1", "x=" + "1x" * 17 + "f32=1", "x=2xf33=1",
                     "x=0x9223372036854775807x9xf32="):
            self.oribi("run", model, "-i", text, code=4)

    def test_seeds_and_shapes_are_whole_numbers(self):
        for text in ("x=rand:x", "x=rand:", "x=rand:-1", "x=rand:1x", "x=rand:99999999999999999999", "x=rand: 1"):
            self.oribi("run", self.model([2]), "-i", text, code=4)
        self.oribi("run", self.model([2]), "-i", "x=rand:18446744073709551615")
        for text in ("x=2x", "x=", "x=2y", "x=-1", "x=99999999999999999999", "x=" + "1x" * 254 + "1"):
            self.oribi("run", self.model(["n"]), "-i", "x=ramp", "--shape", text, code=2)

    def test_what_is_no_number_of_json_is_a_string_there(self):
        out = self.oribi("run", self.model([4]), "-i", "x=4xf32=nan,inf,-inf,1", "--json")
        self.assertEqual(json.loads(out)["values"], ["nan", "inf", "-inf", 1])

    def test_strings_come_from_the_line_and_from_npy(self):
        model = self.model([3], 8)
        values = json.loads(self.oribi("run", model, "-i", "x=3xstr=a,b\\,c\\\\,", "--json"))["values"]
        self.assertEqual(values, ["a", "b,c\\", ""])
        self.assertEqual(json.loads(self.oribi("run", model, "-i", "x=3xstr=q", "--json"))["values"], ["q"] * 3)
        texts = ["plain", "\u00e4\u20ac\U0001f600", ""]
        np.save(self.folder / "u.npy", np.array(texts))
        np.save(self.folder / "s.npy", np.array([t.encode() for t in texts]))
        for name in ("u.npy", "s.npy"):
            self.assertEqual(json.loads(self.oribi("run", model, "-i", f"x=@{name}", "--json"))["values"], texts)
        self.oribi("run", model, "-i", "x=@u.npy", "-o", "y.npy")
        self.assertEqual([t.decode() for t in np.load(self.folder / "y.npy")], texts)
        for text in ("x=rand:1", "x=2xstr=a,b,c"):
            self.oribi("run", model, "-i", text, code=4)
        data = io.BytesIO()
        np.save(data, np.array(["a"] * 3))
        self.write("bad.npy", data.getvalue()[:-4] + struct.pack("<I", 0xd800))
        self.oribi("run", model, "-i", "x=@bad.npy", code=4)

    def test_files_of_tensors_that_end_early_or_ask_for_too_much_are_errors(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        data, model = io.BytesIO(), self.model([2, 3])
        np.save(data, x)
        for cut in cuts(data.getvalue()):
            self.write("a.npy", data.getvalue()[:cut])
            self.assertEqual(self.run_raw("run", model, "-i", "x=@a.npy").returncode, 4, cut)
        head = data.getvalue().replace(b"(2, 3)", b"(9999999999, 99999999)")
        self.write("a.npy", head[:128] + bytes(24))
        self.assertIn(self.run_raw("run", model, "-i", "x=@a.npy", "--max-bytes", "16m").returncode, (4, 5))
        packed = io.BytesIO()
        np.savez_compressed(packed, x=np.zeros((4096, 4096), np.float32))
        self.write("bomb.npz", packed.getvalue())
        self.oribi("run", model, "-i", "x=@bomb.npz", "--max-bytes", "16m", code=5)
        self.write("big.bin", bytes(32 << 20))
        self.oribi("run", model, "-i", "x=@big.bin", "--max-bytes", "16m", code=5)
        self.oribi("run", self.model([1 << 23]), "-i", "x=rand:1", "--max-bytes", "16m", code=5)

    def test_standard_input_tells_by_its_first_bytes_what_it_is(self):
        x, model = np.arange(6, dtype=np.float32).reshape(2, 3), self.model([2, 3])
        npy, npz = io.BytesIO(), io.BytesIO()
        np.save(npy, x)
        np.savez(npz, x=x)
        for data in (npy.getvalue(), npz.getvalue(), x.tobytes()):
            line = json.loads(self.oribi("run", model, "-i", "x=@-", "--json", stdin=data))
            self.assertEqual(line["values"], x.ravel().tolist())
        self.oribi("run", self.model([1, 3, 4, 4]), "-i", "x=@-", stdin=png(4, 4, 8, 2, [bytes(12)] * 4))

    # --- results ---------------------------------------------------------------------------------

    def test_several_runs_keep_all_their_results(self):
        model = self.model([2])
        two = ("-i", "x=2xf32=1", "-i", "x=2xf32=2")
        self.oribi("run", model, *two, "-o", "y.npz", code=2)
        self.assertEqual(self.out, b"") # before the first run
        self.assertFalse((self.folder / "y.npz").exists())
        self.oribi("run", model, *two, "-o", "y-{}.npz")
        self.oribi("run", model, *two, "-o", "z{}.npy")
        for k in range(2):
            self.assertEqual(np.load(self.folder / f"y-{k}.npz")["y"][0], k + 1)
            self.assertEqual(np.load(self.folder / f"z{k}.npy")[0], k + 1)
        os.remove(self.folder / "y-0.npz")
        self.oribi("run", model, *two, "-o", "y-{}.npz", code=4) # the second is there
        self.assertFalse((self.folder / "y-0.npz").exists())

    def test_an_output_file_is_refused_before_the_run(self):
        model = self.model([2])
        for name in ("out.csv", "out", ".npz", "out.npz.gz", ""):
            self.oribi("run", model, "-i", "x=ramp", "-o", name, code=2)
            self.assertEqual(self.out, b"")
        for name in ("no/such/folder/y.npz", "."):
            self.assertNotEqual(self.run_raw("run", model, "-i", "x=ramp", "-o", name).returncode, 0)
        (self.folder / "d.npz").mkdir()
        self.oribi("run", model, "-i", "x=ramp", "-o", "d.npz", "-f", code=4)
        self.oribi("run", model, "-i", "x=ramp", "--trace", "no/such/t.json", code=4)
        self.assertEqual(self.out, b"")

    def test_what_no_file_system_takes_is_refused_before_the_work(self):
        model = self.model([2])
        (self.folder / "loop.npz").symlink_to("loop.npz")
        places = ["/proc/y.npz", "/proc/1/y.npz", "/sys/y.npz", "y" * 252 + ".npz", "d/" * 3000 + "y.npz", "m.onnx/y.npz",
                  "no/y.npz", "loop.npz", "loop.npz/y.npz"]
        before = self.files_of(self.folder)
        for place in places:
            for option in (["-o", place], ["--trace", place], ["--record", place]):
                with self.subTest(place=place[-40:], option=option[0]):
                    self.oribi("run", model, "-i", "x=ramp", *option, "-f", code=4)
                    self.assertEqual(self.out, b"")
                    self.assertIn(": ", self.err)
        for folder in ("/proc/out", "/sys/out", "y" * 256, "d/" * 3000, "m.onnx", "m.onnx/out", "loop.npz", ""):
            with self.subTest(folder=folder[-40:]):
                self.oribi("compile", "no model", "-o", folder, code=4)
                self.assertNotIn("no model", self.err)
        for place in ("/proc/r.json", "y" * 251 + ".json"):
            self.oribi("compile", "no model", "-o", "made/out", "--report", place, code=4)
            self.assertNotIn("no model", self.err)
        self.oribi("compile", "no model", "-o", "made/out", "--report", "r.json", code=4)
        self.assertIn("no model", self.err)
        self.assertEqual(self.files_of(self.folder), before)
        longest = "y" * 251 + ".npz"
        self.oribi("run", model, "-i", "x=ramp", "-o", longest)
        self.oribi("run", model, "-i", "x=ramp", "-o", longest, "-f")
        self.assertEqual(self.files_of(self.folder), sorted([*before, longest]))

    def test_standard_output_gets_an_archive_and_nothing_else(self):
        model = self.model([2], outputs=("y", "z"))
        got = np.load(io.BytesIO(self.oribi("run", model, "-i", "x=2xf32=7", "-o", "-")))
        self.assertEqual({k: got[k].tolist() for k in got}, {"y": [7, 7], "z": [7, 7]})
        self.assertFalse((self.folder / "-").exists())
        for others in (["--json"], ["-k", "1"], ["-i", "x=2xf32=8"]):
            self.oribi("run", model, "-i", "x=2xf32=7", "-o", "-", *others, code=2)

    def test_names_of_outputs_stay_apart_and_in_the_folder(self):
        names = ["a/b", "a_b", "../up", "/root", "..", "a/../b", "dots..in", "b\\c", "n\nl", "n?l", "n\tl", "p%2Fq", "\u00e4\u20ac",
                 "x" * 300, "x" * 299 + "y", "\u009bc1"]
        self.oribi("run", self.model([2], outputs=names), "-i", "x=ramp", "-o", "y.npz")
        with zipfile.ZipFile(self.folder / "y.npz") as archive:
            members = archive.namelist()
        self.assertEqual(len(set(members)), len(names))
        for name in ("a/b", "a_b", "dots..in", "\u00e4\u20ac", "x" * 300):
            self.assertIn(name + ".npy", members)
        for member in members:
            self.assertNotIn("..", member.replace("dots..in", "").split("/"))
            self.assertFalse(member.startswith("/") or "\\" in member)
            self.assertTrue(all(c >= " " and not "\x7f" <= c < "\xa0" for c in member), member)
        self.oribi("run", self.model([2]), "-i", "x=@y.npz:a/b")

    def test_json_is_json_whatever_the_names_are(self):
        for name in (b"\xff\xfe", b"a\x9bb", b"q\"\\\n", "\u009b".encode(), b"\xc0\x80", b"\xed\xa0\x80",
                     b"\xf5\x80\x80\x80", b"\xe2\x82"):
            data = self.model([2], outputs=("NAME",)).read_bytes()
            self.write("n.onnx", data.replace(b"NAME", (name + b"____")[:4]))
            for args in (("run", "n.onnx", "-i", "x=ramp", "--json"), ("inspect", "n.onnx", "--json")):
                done = self.run_raw(*args)
                if done.returncode == 0:
                    json.loads(done.stdout.decode("utf-8"))
                    self.assertFalse(args[0] == "run" and "\x9b" in done.stdout.decode())
            done = self.run_raw("run", "n.onnx", "-i", "x=ramp", "--trace", "t.json", "-f")
            if done.returncode == 0:
                json.loads((self.folder / "t.json").read_bytes().decode("utf-8"))
                os.remove(self.folder / "t.json")

    def test_no_name_reaches_a_terminal_as_it_is(self):
        model = self.model([2], outputs=("NAME",)).read_bytes()
        for name, shown in ((b"\xef12\x9b", b"\\xef12\\x9b"), (b"\x1b[2J", b"\\x1b[2J"), ("\u009bxy".encode(), b"\\xc2\\x9bxy")):
            self.write("n.onnx", model.replace(b"NAME", name))
            self.write("bad.onnx", name.join(model.rsplit(b"NAME", 1)))  # an output that no node makes
            given = os.fsdecode(name)
            for args in (("inspect", "n.onnx"), ("inspect", "n.onnx", "--steps"), ("run", "n.onnx", "-i", "x=ramp"),
                         ("inspect", "bad.onnx"), ("run", "n.onnx", "-i", given + "=ramp"), ("run", "no" + given),
                         (given,), ("inspect", "n.onnx", "--explain", given)):
                done = self.run_raw(*args)
                for text in (done.stdout, done.stderr):
                    text.decode("utf-8")
                    self.assertNotRegex(text, b"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", (args, text))
                # The library itself has '?' for controls in names, and U+FFFD in the JSON of the last two.
                if name[0] == 0xef and args[2:3] not in (("--steps",), ("--explain",)):
                    self.assertIn(shown, done.stdout + done.stderr, args)

    # --- disks and memory that end ---------------------------------------------------------------

    def files_of(self, folder):
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))

    def test_a_full_disk_leaves_what_was_there_and_nothing_by_halves(self):
        def limit(blocks):
            return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (blocks, blocks))

        model, big = self.model([2]), self.write("big.onnx", o.model(
            [o.node("Identity", ["x"], ["y"])], [o.info("x", [9000])], [o.info("y", [9000])]))
        for name in ("y.npz", "y.npy"):
            self.oribi("run", model, "-i", "x=ramp", "-o", name)
            before = (self.folder / name).read_bytes()
            self.oribi("run", big, "-i", "x=ramp", "-o", name, "-f", code=5, limit=limit(8192))
            self.assertEqual((self.folder / name).read_bytes(), before)
        self.oribi("run", big, "-i", "x=ramp", "--trace", "t.json", code=5, limit=limit(64))
        self.assertFalse((self.folder / "t.json").exists())
        self.oribi("compile", DIGITS, "-o", "deep/er/out", code=5, limit=limit(4096))
        self.oribi("compile", DIGITS, "-o", "r", "--report", "r.html", code=5, limit=limit(16384))
        self.oribi("plugin", "new", "my_op", code=5, limit=limit(1024))
        for left in ("deep", "my_op"):
            self.assertFalse((self.folder / left).exists(), left)
        self.oribi("compile", DIGITS, "-o", "good")
        before = {p: (self.folder / "good" / p).stat().st_mtime_ns for p in self.files_of(self.folder / "good")
                  if (self.folder / "good" / p).is_file()}
        self.oribi("compile", DIGITS, "-o", "good", "--force", code=5, limit=limit(4096))
        self.assertEqual({p: (self.folder / "good" / p).stat().st_mtime_ns for p in
                          self.files_of(self.folder / "good") if (self.folder / "good" / p).is_file()}, before)
        self.assertFalse([p for p in self.files_of(self.folder) if ".oribi-" in p])

    def test_a_device_that_is_full_exits_5(self):
        (self.folder / "full.npz").symlink_to("/dev/full")
        self.oribi("run", self.model([2]), "-i", "x=ramp", "-o", "full.npz", "-f", code=5)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([ORIBI, "run", self.folder / "m.onnx", "-i", "x=ramp"], stdout=full,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 5)
        self.assertIn(b"standard output", done.stderr)

    def test_a_link_stays_a_link_and_its_file_is_replaced(self):
        self.write("real.npy", b"old")
        (self.folder / "link.npy").symlink_to("real.npy")
        self.oribi("run", self.model([2]), "-i", "x=ramp", "-o", "link.npy", "-f")
        self.assertTrue((self.folder / "link.npy").is_symlink())
        self.assertEqual(np.load(self.folder / "real.npy").shape, (2,))

    def failing(self):
        if SANITIZED:
            self.skipTest("the sanitizer has its own allocator")
        library = self.folder / "fail_calls.so"
        subprocess.run(["cc", "-shared", "-fPIC", HERE / "fail_calls.c", "-o", library, "-ldl"], check=True)
        return {"LD_PRELOAD": str(library)}

    def test_no_memory_exits_5_with_a_message_wherever_it_ends(self):
        env = self.failing()
        for command in (["run", DIGITS, "-i", "0=ramp", "-o", "y.npz", "-f", "--json"], ["inspect", DIGITS, "--json"],
                        ["compile", DIGITS, "-o", "c", "-f"]):
            self.oribi(*command, env={**env, "COUNT_TO": str(self.folder / "count")})
            n = int((self.folder / "count").read_text())
            shutil.rmtree(self.folder / "c", ignore_errors=True)
            self.assertGreater(n, 1000)
            for k in range(1, n, 97):
                done = self.run_raw(*command, env={**env, "FAIL_ALLOC": str(k), "FAIL_ON": str(k % 2)})
                self.assertIn(done.returncode, (0, 5), (command, k, done.stderr))
                self.assertTrue(done.returncode == 0 or done.stderr, (command, k))
                self.assertFalse([p for p in self.files_of(self.folder) if ".oribi-" in p], k)
                shutil.rmtree(self.folder / "c", ignore_errors=True)

    def test_fewer_threads_than_asked_for_are_enough(self):
        env = self.failing()
        for first in (1, 3):
            line = self.oribi("run", DIGITS, "-i", "0=ramp", "-t", "5", "--json",
                              env={**env, "FAIL_THREAD": str(first)})
            self.assertEqual(line, self.oribi("run", DIGITS, "-i", "0=ramp", "-t", "5", "--json"))
            self.oribi("run", DIGITS, "-i", "0=ramp", "-t", "5", env={**env, "FAIL_THREAD": str(first)})
            self.assertIn(f"{first} of 5 threads", self.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
