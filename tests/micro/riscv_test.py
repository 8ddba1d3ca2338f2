#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The assembly of micro/rvv on a RISC-V core in QEMU, with vectors of 128 and of 256 bits, against the oracle that
its twins in C meet on the host. A planted fault in the assembly must be seen.

    riscv_test.py SOURCE_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
HERE = SOURCE / "tests/micro"
GCC = "riscv64-unknown-elf-gcc"
CLANG = "clang-14"
FLAGS = ["-march=rv64gcv", "-mabi=lp64d", "-mcmodel=medany", "-std=gnu11", "-ffreestanding", "-ffunction-sections", "-Wall",
         "-Wextra", "-Werror", f"-I{HERE / 'riscv'}", f"-I{HERE / 'arm'}"]
SOURCES = [HERE / "rvv_test.c", HERE / "riscv/runtime.c", SOURCE / "platform/harness/memory.c", SOURCE / "platform/riscv32/start.S",
           SOURCE / "micro/prepare.c", *(SOURCE / "micro/rvv").glob("*.c"), *(SOURCE / "micro/geometry").glob("*.c"),
           *(SOURCE / "micro" / f"{name}.c" for name in (
               "elementwise/add_row_s8", "elementwise/binary_q_prepare", "conv/conv2d_s8_prepare",
               "dense/fully_connected_s8_prepare", "depthwise/depthwise_conv2d_s8_prepare", "broadcast_prepare",
               "nibbles/nibbles_prepare"))]
# What a program that tests them must have: instructions of the blocks.
WANTED = {"vwmacc.vx": 2, "vwmacc.vv": 2, "vssra.vv": 4, "vsmul.vx": 3}
FAULTS = {"a product": ("rvv.h", "vwmacc.vx v8, %[b], v16", "vwmacc.vx v8, %[a], v16"),
          "rounding": ("rvv.h", '"vadd.vv " sum ", " sum ", " more', '"vsub.vv " sum ", " sum ", " more'),
          "a window": ("rvv.h", "vwmacc.vv v8, v20, v16", "vwmacc.vv v8, v20, v20"),
          "a sum": ("rvv_add.h", "vadd.vv v0, v0, v8", "vsub.vv v0, v0, v8")}


@unittest.skipUnless(shutil.which(GCC) and shutil.which("qemu-system-riscv64"), f"skipped: {GCC} or qemu-system-riscv64 is absent")
class Rvv(unittest.TestCase):
    def build(self, folder, level="-O2", fault=None, compiler=(GCC,)):
        root = pathlib.Path(folder)
        if fault is not None:
            name, old, new = fault
            text = (SOURCE / "micro/rvv" / name).read_text()
            self.assertIn(old, text)
            (root / "micro/rvv").mkdir(parents=True)
            (root / "micro/rvv" / name).write_text(text.replace(old, new))
        objects = []
        for source in SOURCES:
            objects.append(root / f"{source.stem}.o")
            more = ["-fno-tree-loop-distribute-patterns"] if source.stem in ("memory", "runtime") and compiler[0] == GCC else []
            subprocess.run([*compiler, *FLAGS, level, *more, f"-I{root}", f"-I{SOURCE}", f"-I{SOURCE}/include", "-c", source, "-o",
                            objects[-1]], check=True)
        program = root / "program"
        subprocess.run([GCC, *FLAGS, "-nostdlib", "-static", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments",
                        "-Wl,--defsym=oribi_stack_bytes=65536", "-T", SOURCE / "platform/riscv32/link.ld", *objects, "-lgcc", "-o",
                        program], check=True)
        return program

    def run_on_core(self, program, bits):
        return subprocess.run(["qemu-system-riscv64", "-M", "virt", "-bios", "none", "-cpu", f"rv64,v=true,vlen={bits},vext_spec=v1.0",
                               "-nographic", "-monitor", "none", "-kernel", program], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)

    def test_assembly_gives_what_the_oracle_gives_whatever_the_length_of_vectors(self):
        clang = (CLANG, "--target=riscv64-unknown-elf", "-menable-experimental-extensions")
        for level, compiler in (("-O2", (GCC,)), ("-Os", (GCC,)), ("-O2", clang)):
            if not shutil.which(compiler[0]):
                continue
            with tempfile.TemporaryDirectory() as folder, self.subTest(level=level, compiler=compiler[0]):
                program = self.build(folder, level, compiler=compiler)
                for bits in (128, 256, 512):
                    done = self.run_on_core(program, bits)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                code = subprocess.run(["riscv64-unknown-elf-objdump", "-d", program], check=True, capture_output=True, text=True).stdout
                for instruction, least in WANTED.items():
                    self.assertGreaterEqual(code.count(f"\t{instruction}"), least, instruction)

    def test_a_fault_in_the_assembly_is_seen(self):
        for name, fault in FAULTS.items():
            with tempfile.TemporaryDirectory() as folder, self.subTest(name):
                self.assertEqual(self.run_on_core(self.build(folder, fault=fault), 128).returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
