#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi verify --profile`: each operator of the emitted C has a row with what it takes, and nobody else's.

    profile_test.py ORIBI SOURCE_FOLDER
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tty
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TARGETS = {"cortex-m0": "v6m", "cortex-m4": "dsp", "cortex-m55": "mve", "riscv32": "plain", "riscv64-v": "rvv"}
TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm", "riscv64-unknown-elf-gcc", "qemu-system-riscv32", "qemu-system-riscv64")
STEP = 100  # instructions of tvmgen_net_step at most, without the operator

# Code in front of each operator: it turns 1,000 times more from one to the next.
SLOW = """#define TVMGEN_ON_OP(index) \\
    do { for (volatile int32_t turns = 1000 * ((index) + 1); turns > 0; turns--) { } } while (0)
"""

# A DWT unit, whose counter stands where `set` puts it.
DWT = """#include <stdint.h>
static uint32_t registers[4];
static uint32_t *at(uint32_t address)
{
    return &registers[address == 0xE000EDFCu ? 0 : address == 0xE0001000u ? 1 : address == 0xE0001004u ? 2 : 3];
}
#define ORIBI_DWT(address) (*at(address))
#include "cortex-m/count_dwt.h"
int main(void)
{
    registers[2] = 77u;
    begin_counting();
    if (registers[0] != 1u << 24 || registers[1] != 1u || registers[2] != 0u || registers[3] != 0xC5ACCE55u ||
        oribi_port_count_kind() != ORIBI_WIRE_COUNTS_CYCLES) {
        return 1;
    }
    registers[2] = 0xFFFFFF00u;
    const uint64_t before = oribi_port_ticks();
    registers[2] = 0x100u; /* it has gone round */
    return oribi_port_count(oribi_port_ticks() - before) == 0x200u ? 0 : 2;
}
"""


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300)


class Profile(unittest.TestCase):
    def setUp(self):
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            self.skipTest("skipped: not installed: " + ", ".join(missing))
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def measure(self, target, *more):
        done = run(ORIBI, "verify", DIGITS, "--name", "net", "--target", target, "--runs", "2", "--profile", "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def operators(self, *more):
        """Those that the report of a compilation numbers."""
        folder = self.folder / "c"
        done = run(ORIBI, "compile", DIGITS, "--name", "net", "-f", "-o", folder, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        nodes = json.loads((folder / "report.json").read_text())["nodes"]
        return [{key: node[key] for key in ("name", "op", "kernel")} for node in nodes if node["operator"] is not None]

    def test_each_operator_has_a_row_and_they_make_up_the_run(self):
        for target, core in TARGETS.items():
            for more in ((), ("--rings", "least"))[:2 if target == "cortex-m4" else 1]:
                with self.subTest(target=target, more=more):
                    measured = self.measure(target, *more)
                    rows = measured["operators"]
                    self.assertEqual([{"name": row["node"], "op": row["op"], "kernel": row["kernel"]} for row in rows],
                                     self.operators("--core", core, *more))
                    over = sum(row["instructions"] for row in rows) - measured["instructions"]
                    self.assertTrue(0 <= over <= STEP * len(rows), (over, len(rows)))

    def test_what_an_operator_takes_is_in_its_own_row(self):
        header = self.folder / "slow.h"
        header.write_text(SLOW)
        for target in ("cortex-m4", "riscv32"):
            with self.subTest(target):
                plain, slow = ([row["instructions"] for row in self.measure(target, *more)["operators"]]
                               for more in ((), ("--cflags", f"-include {header}")))
                added = [b - a for a, b in zip(plain, slow)]
                for i, n in enumerate(added):
                    self.assertAlmostEqual(n / (i + 1), added[0], delta=added[0] / 20, msg=str(added))
                self.assertGreater(added[0], 3000)

    def test_the_text_has_a_row_for_each_and_their_sum(self):
        done = run(ORIBI, "verify", DIGITS, "--target", "cortex-m4", "--runs", "1", "--profile")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"^ +(\d+) +([\d.]+)%  (\d+|all)", done.stdout, re.M)
        self.assertEqual([row[2] for row in rows], [*map(str, range(9)), "all"])
        self.assertEqual(sum(int(row[0]) for row in rows[:-1]), int(rows[-1][0]))
        self.assertAlmostEqual(sum(float(row[1]) for row in rows[:-1]), 100, delta=1)

    def test_a_profile_of_no_run_is_refused(self):
        done = run(ORIBI, "verify", DIGITS, "--target", "cortex-m4", "--runs", "0", "--profile")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the first run is counted, and there is none", done.stderr)

    def test_a_board_that_counts_nothing_is_told(self):
        """The board is the harness of the host on a pty."""
        done = run(ORIBI, "verify", DIGITS, "--name", "net", "--core", "dsp", "--runs", "1", "--keep", self.folder / "host")
        self.assertEqual(done.returncode, 0, done.stderr)
        board, line = os.openpty()
        self.addCleanup(os.close, board)
        self.addCleanup(os.close, line)
        tty.setraw(line)
        program = subprocess.Popen(["stdbuf", "-o0", self.folder / "host/image"], stdin=board, stdout=board)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        done = run(ORIBI, "verify", DIGITS, "--name", "net", "--target", "cortex-m4", "--port", os.ttyname(line), "--runs", "1",
                   "--profile", "--timeout", "20")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("port counts nothing", done.stderr)

    def test_the_counter_of_a_cortex_m_may_go_round(self):
        program = self.folder / "dwt.c"
        program.write_text(DWT)
        words = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", f"-I{SOURCE}/platform", f"-I{SOURCE}/include")
        for done in (run("cc", *words, program, "-o", self.folder / "dwt"), run(self.folder / "dwt"),
                     run("arm-none-eabi-gcc", "-mcpu=cortex-m7", "-ffreestanding", *words, "-c", "-x", "c",
                         SOURCE / "platform/cortex-m/count_dwt.h", "-o", self.folder / "dwt.o")):
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
