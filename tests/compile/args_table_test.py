#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/args_table.cmake reads the args structs of kernels, and ends the build at what it cannot describe.

    args_table_test.py CMAKE SOURCE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])


class Table(unittest.TestCase):
    def make(self, members, others=""):
        """What the script says of one struct: exit status, messages, the table and its header."""
        with tempfile.TemporaryDirectory() as text:
            folder = pathlib.Path(text)
            (folder / "micro/room").mkdir(parents=True)
            (folder / "micro/room/made.h").write_text(
                f"/* struct oribi_micro_not_args {{ int32_t x; }}; */\n{others}\n"
                f"struct oribi_micro_made_args {{\n{members}\n}};\n")
            done = subprocess.run([CMAKE, f"-DFOLDER={folder}/micro", f"-DOUTPUT={folder}/out", "-P",
                                   SOURCE / "cmake/args_table.cmake"], capture_output=True, text=True)
            table = folder / "out/args_table.c"
            return done.returncode, done.stderr, table.read_text() if table.exists() else ""

    def test_members_come_in_the_order_of_the_struct(self):
        code, _, table = self.make("const int8_t *a, /* one, two; */ *b;\nint32_t rank, list[SOME_RANK];\n"
                                   "int16_t all[SOME_GATES];\nfloat x;")
        self.assertEqual(code, 0)
        rows = [line.strip() for line in table.splitlines() if line.startswith("    ORIBI_ARGS_")]
        self.assertEqual([row.replace("struct oribi_micro_made_args, ", "") for row in rows],
                         ["ORIBI_ARGS_ARRAY(a),", "ORIBI_ARGS_ARRAY(b),", "ORIBI_ARGS_NUMBER(rank),",
                          "ORIBI_ARGS_LIST(list, 2),", "ORIBI_ARGS_LIST(all, -1),", "ORIBI_ARGS_NUMBER(x),"])
        self.assertIn('"a\\0"\n    "b\\0"\n    "rank\\0"\n    "list\\0"', table)
        self.assertIn('#include "micro/room/made.h"', table)
        self.assertNotIn("not_args", table)

    def test_members_of_a_member_have_its_name_before_theirs(self):
        code, _, table = self.make("struct oribi_micro_box box;\nint32_t last;",
                                   "struct oribi_micro_box {\n    int32_t rank;\n    int32_t dims[BOX_RANK];\n};")
        self.assertEqual(code, 0)
        self.assertIn("ORIBI_ARGS_LIST(struct oribi_micro_made_args, box.dims, 0)", table)

    def test_what_no_call_can_hold_ends_the_build(self):
        for members, word in (("int32_t flag : 1;", "flag : 1"), ("int32_t (*f)(int32_t);", "(*f"),
                              ("int32_t grid[A][B];", "grid"), ("int32_t **table;", "**table"),
                              ("struct oribi_micro_box *box;", "*box"), ("struct oribi_micro_gone box;", "gone")):
            code, message, _ = self.make(members, "struct oribi_micro_box {\n    int32_t n;\n};")
            self.assertNotEqual(code, 0, members)
            self.assertIn("made.h", message)
            self.assertIn(word.replace("[", "<"), message)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
