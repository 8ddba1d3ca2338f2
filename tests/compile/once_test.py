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
PATH = ":".join(f for f in os.environ["PATH"].split(":") if pathlib.Path(f).resolve() != COMPILERS)
CALLED = "int called(void);\nint main(void) { return called(); }\n"


class Once(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.objects = self.folder / "objects"
        self.environment = {**os.environ, "ORIBI_OBJECTS": str(self.objects),
                            "PATH": f"{COMPILERS}:{PATH}"}

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
        return len(list(self.objects.glob("*.o")))

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

    def preprocessed(self, *words):
        """Whether the compiler is called but to link; it is one that notes its arguments."""
        own, noted = self.folder / "own", self.folder / "noted"
        own.mkdir(exist_ok=True)
        noted.unlink(missing_ok=True)
        if not (own / "gcc").exists():
            (own / "gcc").write_text(f'#!/bin/sh\necho "$@" >>{noted}\nexec {shutil.which("gcc", path=PATH)} "$@"\n')
            (own / "gcc").chmod(0o755)
        path = f"{COMPILERS}:{own}:{PATH}"
        subprocess.run(["gcc", *words], env={**self.environment, "PATH": path}, check=True, capture_output=True)
        return "-E" in noted.read_text().split() if noted.exists() else False

    def object(self, place, text, *flags, files=()):
        """Whether `text`, with files (name, text) beside it, was preprocessed, and what its `number` is."""
        folder = self.folder / place
        folder.mkdir(exist_ok=True)
        for name, more in (("number.c", text), *files):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(more)
        asked = self.preprocessed("-c", *flags, f"-I{folder}/below", folder / "number.c", "-o", folder / "number.o")
        (folder / "main.c").write_text("extern int number;\nint main(void) { return number; }\n")
        subprocess.run(["gcc", folder / "main.c", folder / "number.o", "-o", folder / "program"], check=True)
        return asked, subprocess.run([folder / "program"]).returncode

    def test_files_as_before_are_not_preprocessed(self):
        text, files = '#include <limits.h>\n#include "a.h"\nint number = A;\n', [("below/a.h", '#include "b.h"\n'), ("below/b.h", "#define A 3\n")]
        self.assertEqual(self.object("a", text, files=files), (True, 3))
        self.assertEqual(self.object("a", text), (False, 3))
        self.assertEqual(self.object("b", text, files=files), (False, 3))
        self.assertEqual(self.object("b", text, "-O1"), (True, 3))
        self.assertEqual(self.object("b", text, "-DB"), (True, 3))
        for name, more, number in (("below/b.h", "#define A 4\n", 4), ("a.h", "#define A 6\n", 6),
                                   ("number.c", text.replace("A;", "A + 1;"), 7)):
            self.assertEqual(self.object("b", text, files=[(name, more)]), (True, number), name)

    def test_a_file_that_comes_to_be_is_seen(self):
        text = '#if 0\n#include "a.h"\n#endif\n#include <stdio.h>\nint number = sizeof(BUFSIZ);\n'
        self.assertEqual(self.object("a", text), (True, 4))
        self.assertEqual(self.object("a", text), (False, 4))
        self.assertEqual(self.object("a", text, files=[("below/stdio.h", "#define BUFSIZ (char)1\n")]), (True, 1))

    def test_flags_that_include_are_read(self):
        header, text = self.folder / "first.h", "int number = A;\n"
        for flag in ("-include", "-imacros"):
            for number in (3, 4):
                header.write_text(f"#define A {number}\n")
                self.assertEqual(self.object("a", text, flag, header), (True, number))
                self.assertEqual(self.object("a", text, flag, header), (False, number))

    def test_what_only_a_preprocessor_knows_it_is_asked(self):
        self.assertEqual(self.object("a", "#include FILE\nint number = A;\n", "-DFILE=<a.h>", files=[("below/a.h", "#define A 3\n")]), (True, 3))
        self.assertEqual(self.object("a", "#include FILE\nint number = A;\n", "-DFILE=<a.h>", files=[("below/a.h", "#define A 4\n")]), (True, 4))
        for text in ('#define FILE "a.h"\n#include FILE\n', '#include \\\n"a.h"\n', '#/**/include "a.h"\n', '#if __has_include("a.h")\n#include "a.h"\n#endif\n',
                     f'#include "{self.folder}/a/a.h"\n', "#include_next <a.h>\n"):
            for number in (3, 4):
                self.assertEqual(self.object("a", text + "int number = A;\n", files=[("a.h", f"#define A {number}\n"), ("below/a.h", f"#define A {number}\n")]),
                                 (True, number), text)
        named = f'#define FILE "{self.folder}/named.h"\n#include FILE\nint number = A;\n'
        for number in (3, 4):
            (self.folder / "named.h").write_text(f"#define A {number}\n")
            self.assertEqual(self.object("a", named), (True, number))
            self.assertEqual(self.object("a", named), (False, number))
        self.object("a", "int number = sizeof __FILE__;\n")
        self.assertEqual(self.object("a/longer", "int number = sizeof __FILE__;\n")[0], True)
        self.assertEqual(self.object("c", "#ifdef FILE\n#include FILE\n#endif\nint number = 3;\n"), (True, 3))
        self.assertEqual(self.object("c", "#ifdef FILE\n#include FILE\n#endif\nint number = 3;\n"), (False, 3))

    def test_frames_are_handed_out_with_the_object(self):
        """What `oribi verify` bounds the stack with; of another source's name it has other words."""
        def frames(place, name, text):
            folder = self.folder / place
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
            subprocess.run(["gcc", "-fcallgraph-info=su", "-c", name, "-o", "f.o"], check=True, env=self.environment, cwd=folder)
            self.assertTrue((folder / "f.o").is_file())
            noted = (folder / "f.ci").read_text()
            (folder / "f.ci").unlink()
            return noted

        def text(bytes):
            return f"static void g(void) {{ volatile char a[{bytes}]; a[0] = 0; }}\nvoid f(void) {{ g(); }}\n"
        first = frames("a", "f.c", text(64))
        self.assertIn("f.c:g", first)
        self.assertEqual([frames("a", "f.c", text(64)), frames("b", "f.c", text(64))], [first, first])
        self.assertEqual(self.count(), 1)
        self.assertNotEqual(frames("b", "f.c", text(640)), first)
        self.assertIn("other/f.c:g", frames("b", "other/f.c", text(64)))
        self.assertEqual(self.count(), 3)

    def test_other_work_is_the_compilers(self):
        done = subprocess.run(["gcc", "-E", "-"], input="a b", env=self.environment, capture_output=True, text=True)
        self.assertIn("a b", done.stdout)
        self.assertFalse(self.objects.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
