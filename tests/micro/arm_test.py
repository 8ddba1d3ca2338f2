#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of micro/ on cores in QEMU: the assembly of micro/dsp.h, micro/v6m.h and micro/mve against the same
oracle that its twins in C meet on the host. A planted fault in the assembly must be seen.

    arm_test.py SOURCE_FOLDER [CLASS]
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
HERE = SOURCE / "tests/micro"
FLAGS = ["-mthumb", "-std=gnu11", "-ffunction-sections", "-Wall",
         "-Wextra", "-Werror", "-nostartfiles", "-Wl,--gc-sections", f"-I{HERE / 'arm'}"]
QEMU = ["qemu-system-arm", "-display", "none", "-monitor", "none", "-serial", "null",
        "-chardev", "stdio,id=host,signal=off", "-semihosting-config",
        "enable=on,target=native,chardev=host"]
KERNELS = [*(SOURCE / "micro").rglob("*_s8*.c"), *(SOURCE / "micro").rglob("*prepare.c"), *(SOURCE / "micro/geometry").glob("*.c")]
NAME = r"\boribi_\w+"
DEFINES = rf"^(?!static)(?:\w[\w *]*[ *])?({NAME})(?:\([^;{{]*\)\s*| = )\{{"  # a function, a table
DEFINED = {name: file for file in KERNELS for name in re.findall(DEFINES, file.read_text(), re.M)}
# How often each instruction of the blocks must at least be in a program that tests them.
TESTS = {"conv2d_lanes_test": {"smlad": 16, "sxtb16": 4, "smmlar": 4, "ssat": 4},
         "conv2d_add_lanes_test": {"smlad": 16, "smmlar": 4, "smmulr": 3},
         "fully_connected_lanes_test": {"smlad": 16, "sxtb16": 6, "smmulr": 2},
         "depthwise_conv2d_3x3_test": {"smlad": 6, "smlabt": 3, "smlatt": 1, "sadd16": 5, "smmlar": 3},
         "add_row_test": {"smmulr": 3, "ssat": 1}}
FAULTS = {"conv2d_lanes_test": ("include/micro/dsp.h", "add %[a1], r5, %[a1], asr #7", "add %[a1], r5, %[a1], asr #8"),
          "fully_connected_lanes_test": ("include/micro/dsp.h", "smlad %[c2], r8, %[odd], %[c2]", "smlad %[c2], r8, %[even], %[c2]"),
          "depthwise_conv2d_3x3_test": ("micro/dsp_3x3.h", "smlatt %[t], %[even], r8, %[t]", "smlatb %[t], %[even], r8, %[t]")}


def texts(file, seen):
    """Of a file and of ours that it includes, whose declarations count for nothing."""
    if file not in seen:
        seen.add(file)
        text = file.read_text()
        yield text if file.suffix == ".c" else re.sub(r"^(?!static)\w[^;{]*;", "", text, flags=re.M)
        for name in re.findall(r'#include "((?:micro|tests)/[^"]+)"', text):
            for beside in {SOURCE / name, SOURCE / "include" / name}:
                yield from texts(beside, seen) if beside.exists() else ()


@unittest.skipUnless(shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm"),
                     "skipped: arm-none-eabi-gcc or qemu-system-arm is absent")
class Arm(unittest.TestCase):
    cpu, tests, faults = "cortex-m4", TESTS, FAULTS
    flags, machine, link, listing = ["-mfloat-abi=soft"], "mps2-an386", [], []

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def compile(self, folder, sources, root, level):
        """Objects of the sources, with what each includes beside them."""
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["arm-none-eabi-gcc", f"-mcpu={self.cpu}", *self.flags, *FLAGS, level, "-MD", f"-I{root}", f"-I{SOURCE}", f"-I{SOURCE}/include", "-c",
                        *sources], cwd=folder, check=True)

    def kernels(self, test, level):
        """Those that a test calls, compiled once for all the programs: objects, each with a .d beside it."""
        folder, files, todo = self.folder / f"kernels{level}", {HERE / "arm/start.c"}, {HERE / f"{test}.c"}
        while todo:
            named = {DEFINED.get(name) for file in todo for text in texts(file, set()) for name in re.findall(NAME, text)}
            todo = named - files - {None}
            files |= todo
        new = [file for file in sorted(files) if not (folder / f"{file.stem}.o").exists()]
        if new:
            self.compile(folder, new, SOURCE, level)
        return {f"{file.stem}.o": folder / f"{file.stem}.o" for file in files}

    def build(self, test, level, header=None, text=None):
        """The program of a test; with a header that has another text, which is found before ours."""
        root = self.folder / f"{test}{pathlib.Path(header or '').name}"
        own = root / level
        sources, kernels = [HERE / f"{test}.c"], self.kernels(test, level)
        if header is not None:
            (root / "micro" / header).parent.mkdir(parents=True, exist_ok=True)
            (root / "micro" / header).write_text(text)
            stale = [o.stem for o in kernels.values() if f"/{header}" in o.with_suffix(".d").read_text()]
            self.assertTrue(stale)
            sources += [c for c in (SOURCE / "micro").rglob("*.c") if c.stem in stale]
        self.compile(own, sources, root, level)
        objects = {**kernels, **{o.name: o for o in own.glob("*.o")}}
        program = self.folder / f"{test}.elf"
        subprocess.run(["arm-none-eabi-gcc", f"-mcpu={self.cpu}", *self.flags, *FLAGS, level, *objects.values(), *self.link, "-T", HERE / "arm/link.ld", "-lm", "-o",
                        program], check=True)
        return program

    def run_on_core(self, program):
        return subprocess.run([*QEMU, "-M", self.machine, "-kernel", program], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)

    def test_assembly_gives_what_the_oracle_gives(self):
        for test, wanted in self.tests.items():
            for level in ("-O2", "-Os") if "lanes_test" in test else ("-O3",):
                with self.subTest(test=test, level=level):
                    program = self.build(test, level)
                    done = self.run_on_core(program)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    code = subprocess.run(["arm-none-eabi-objdump", "-d", *self.listing, program], check=True,
                                          capture_output=True, text=True).stdout
                    for instruction, least in wanted.items():
                        self.assertGreaterEqual(code.count(f"\t{instruction}"), least, instruction)

    def test_a_fault_in_the_assembly_is_seen(self):
        for test, (name, old, new) in self.faults.items():
            with self.subTest(test=test):
                text = (SOURCE / name).read_text()
                self.assertIn(old, text)
                program = self.build(test.split(":")[0], "-O2", name.partition("micro/")[2], text.replace(old, new))
                self.assertEqual(self.run_on_core(program).returncode, 1)


class ArmV6M(Arm):
    """The kernels for a Cortex-M0, of its instructions alone, on the same board."""

    cpu = "cortex-m0"
    tests = {"conv2d_lanes_test": {"muls": 32}, "conv2d_add_lanes_test": {"muls": 32},
             "fully_connected_lanes_test": {"muls": 16}, "depthwise_conv2d_3x3_test": {"muls": 9}}
    faults = {"conv2d_lanes_test": ("micro/v6m.h", "INPUT(3, 12, 13, 14, 15)", "INPUT(3, 12, 13, 15, 14)"),
              "fully_connected_lanes_test": ("micro/v6m.h", "INPUT(1, 4, 5, 6, 7)", "INPUT(1, 4, 5, 6, 8)")}


class Mve(Arm):
    """The kernels for a Cortex-M55, and that its other tests pass with lanes there, too."""

    cpu, flags, machine = "cortex-m55", ["-mfloat-abi=hard"], "mps3-an547"
    link, listing = ["-Wl,--defsym=arm_memory=0x31000000"], ["-m", "armv8.1-m.main"]
    tests = {"mve_test": {"vmlava.s8": 12, "vqrdmulh.s32": 16, "letp": 3, "vqmovnt.s32": 2}, "add_row_test": {}}
    faults = {"mve_test:conv": ("micro/mve/mve.h", "vmladava.s8 r12, q1, q2", "vmladava.s8 r12, q0, q2"),
              "mve_test:rounding": ("micro/mve/mve.h", '"vadd.i32 " sum ", " sum ", " more', '"vsub.i32 " sum ", " sum ", " more'),
              "mve_test:depthwise": ("micro/mve/mve_3x3.h", "vqmovnt.s32 q6, q7", "vqmovnt.s32 q6, q5")}


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
