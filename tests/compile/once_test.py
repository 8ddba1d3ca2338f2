#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The compiler of these tests (support/compile_once.c) takes an object from before where nothing but the folder is
another, never where text, flags or what the compiler has to say differ.

    once_test.py FOLDER_OF_COMPILERS
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

COMPILERS = pathlib.Path(sys.argv[1]).resolve()
CALLED = "int called(void);\nint main(void) { return called(); }\n"


class Once(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.objects = self.folder / "objects"
        self.environment = {**os.environ, "ORIBI_OBJECTS": str(self.objects),
                            "PATH": f"{COMPILERS}:{os.environ['PATH']}"}

    def gcc(self, place, text, *flags):
        """(exit code of gcc, what it said, exit code of the program)"""
        folder = self.folder / place
        folder.mkdir(exist_ok=True)
        (folder / "number.h").write_text(text)
        (folder / "called.c").write_text('#include "number.h"\nint called(void) { return NUMBER; }\n')
        (folder / "main.c").write_text(CALLED)
        done = subprocess.run(["gcc", *flags, "-I", folder, folder / "called.c", folder / "main.c", "-o", folder / "program"],
                              env=self.environment, capture_output=True, text=True)
        code = subprocess.run([folder / "program"]).returncode if done.returncode == 0 else None
        return done.returncode, done.stderr, code

    def count(self):
        return len(list(self.objects.iterdir()))

    def test_another_folder_is_no_other_text(self):
        self.assertEqual(self.gcc("a", "#define NUMBER 3\n"), (0, "", 3))
        self.assertEqual(self.count(), 2)
        self.assertEqual(self.gcc("b", "#define NUMBER 3\n"), (0, "", 3))
        self.assertEqual(self.count(), 2)

    def test_a_header_a_flag_and_a_line_are(self):
        self.gcc("a", "#define NUMBER 3\n")
        self.assertEqual(self.gcc("a", "#define NUMBER 4\n"), (0, "", 4))
        self.assertEqual(self.count(), 3)
        self.gcc("a", "#define NUMBER 4\n", "-O1")
        self.assertEqual(self.count(), 5)
        self.gcc("a", "int more;\n#define NUMBER 4\n", "-O1")
        self.gcc("a", "\nint more;\n#define NUMBER 4\n", "-O1")
        self.assertEqual(self.count(), 7)
        self.assertEqual(self.gcc("a", "#ifdef MORE\n#define NUMBER 5\n#else\n#define NUMBER 6\n#endif\n", "-D", "MORE"),
                         (0, "", 5))

    def test_where_a_macro_comes_from_is_nothing(self):
        header = self.folder / "macros.h"
        header.write_text("\n#define NAME 3\n")
        self.assertEqual(self.gcc("a", "#define NUMBER NAME\n", "-DNAME=3", "-g"), (0, "", 3))
        self.assertEqual(self.gcc("a", "#define NUMBER NAME\n", "-D", "NAME=3", "-DOTHER", "-g"), (0, "", 3))
        self.assertEqual(self.gcc("a", "#define NUMBER NAME\n", "-include", header, "-g"), (0, "", 3))
        self.assertEqual(self.count(), 2)
        self.assertEqual(self.gcc("a", "#define NUMBER NAME\n", "-DNAME=4", "-g"), (0, "", 4))
        header.write_text("#define NAME 3\nstatic const int more;\n")
        self.assertEqual(self.gcc("a", "#define NUMBER NAME\n", "-include", header, "-g"), (0, "", 3))
        self.assertEqual(self.count(), 5)

    def test_what_the_compiler_says_is_said_each_time(self):
        for _ in range(2):
            code, said, _ = self.gcc("a", "#define NUMBER nothing\n")
            self.assertEqual(code, 1)
            self.assertIn("undeclared", said)
            code, said, result = self.gcc("a", "#define NUMBER 300000000000\n")
            self.assertIn("overflow", said)
            self.assertEqual(code, 0)
        self.assertEqual(self.count(), 1) # main.c alone

    def test_what_the_assembler_includes_is_read_each_time(self):
        for number in ("3", "4"):
            (self.folder / "byte").write_bytes(bytes([int(number)]))
            text = f'__asm__(".data\\nx: .incbin \\"{self.folder}/byte\\"\\n.text"); extern char x;\n#define NUMBER x\n'
            self.assertEqual(self.gcc("a", text, "-no-pie")[2], int(number))

    def test_other_work_is_the_compilers(self):
        done = subprocess.run(["gcc", "-E", "-"], input="a b", env=self.environment, capture_output=True, text=True)
        self.assertIn("a b", done.stdout)
        self.assertFalse(self.objects.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
