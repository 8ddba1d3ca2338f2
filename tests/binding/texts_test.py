#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ApiDefs and graphs as text, against TensorFlow's own: texts/texts.npz, whose make_texts.py says what is in it.

    texts_test.py LIBRARY SOURCE_FOLDER"""
import pathlib
import sys
import unittest

import numpy as np

LIBRARY, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "tests/binding/texts"), str(SOURCE / "tests/binding/gradients")]
import texts

API = texts.Api(LIBRARY)
CASES = {k: v.tobytes() if v.dtype == np.uint8 else int(v) for k, v in np.load(SOURCE / "tests/binding/texts/texts.npz").items()}


def parts(case, what):
    """Those of a case that begin so, by what follows."""
    return {k.partition(":")[2]: v for k, v in CASES.items() if k.startswith(f"{case}/{what}:")}


class Texts(unittest.TestCase):
    def test_api_defs_are_tensorflows(self):
        names = [k[:-len("/ops")] for k in CASES if k.endswith("/ops")]
        self.assertGreater(len(names), 2)
        for name in names:
            puts, codes, messages, wanted = (parts(name, k) for k in ("put", "code", "message", "get"))
            results, found = API.api_defs(CASES[f"{name}/ops"], [puts[str(i)] for i in range(len(puts))], [*wanted, "None"])
            for i, (code, message) in enumerate(results):
                with self.subTest(case=name, put=puts[str(i)]):
                    self.assertEqual(code, codes[str(i)])
                    if code == 9:  # of what cannot be read each library says what it likes
                        self.assertEqual(message, messages[str(i)])
                    else:
                        self.assertRegex(message, rb"^$" if code == 0 else rb"^line \d+: ")
            self.assertEqual(found, wanted)

    def test_graphs_as_text_are_tensorflows(self):
        names = [k[:-len("/graph")] for k in CASES if k.endswith("/graph")]
        self.assertGreater(len(names), 5)
        for name in names:
            with self.subTest(name):
                self.assertEqual(API.debug_string(CASES[f"{name}/graph"]).decode(), CASES[f"{name}/text"].decode())

    def test_what_is_no_list_of_ops_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "Unparseable OpList"):
            API.api_defs(b"\x0a\xff", [], [])

    def test_texts_cut_anywhere_end(self):
        whole = parts("changed", "put")["0"]
        for end in range(0, len(whole), 3):
            (code, message), = API.api_defs(CASES["changed/ops"], [whole[:end]], ["Conv2D"])[0]
            self.assertTrue(code in (0, 3, 9), message)

    def test_deep_texts_are_refused(self):
        text = b"op { attr { default_value { " + b"func { attr { value { " * 40
        (code, message), = API.api_defs(CASES["changed/ops"], [text], ["Conv2D"])[0]
        self.assertEqual((code, message), (3, b"line 1: messages are nested too deep"))


unittest.main(argv=sys.argv[:1])
