#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every driver of examples/accelerators compiles for its platforms, with the warnings of the house, and its object has
no heap and no state of its own. FreeRTOS, CMSIS and Zephyr are declarations of ours (declarations/README.md): a check of syntax and of
our objects, not of the systems.

    platform_objects_test.py SOURCE_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import objects

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from accelerators import FOLDER, INCLUDE, KINDS, header, sources  # noqa: E402

SOURCE = pathlib.Path(sys.argv[1]).resolve()
FLAGS = ["-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wstrict-prototypes", "-Wmissing-prototypes",
         "-Wvla", "-Werror", *INCLUDE]
# Platform: compiler, its options, the standard.
ARM = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-ffreestanding"]
PLATFORMS = {
    "posix": ["gcc", "-std=c11", "-D_GNU_SOURCE"],
    "baremetal": [*ARM, "-std=c99", "-I", SOURCE / "platform/include"],
    "freertos": [*ARM, "-std=c11"],
    "cmsis": [*ARM, "-std=c11"],
    "zephyr": [*ARM, "-std=c11", "-DCONFIG_UART_INTERRUPT_DRIVEN=1"],
}
# The far sides run where the application says.
ANYWHERE = ["woofles/common/woofles_device.c", "woofles/common/woofles_ops.c", "uart_accel/common/uart_far_end.c"]


class Objects(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, platform, file, *options):
        command = PLATFORMS[platform]
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is absent")
        output = self.folder / f"{platform}_{file.parent.name}_{file.name}.o"
        includes = ["-isystem", SOURCE / "tests/hooks/declarations" / platform]
        subprocess.run([*command, *FLAGS, *includes, *options, "-c", file, "-o", output], check=True)
        return output

    def nm(self, platform):
        return "nm" if platform == "posix" else "arm-none-eabi-nm"

    def test_drivers_compile_and_have_neither_heap_nor_state(self):
        seen = 0
        for platform in PLATFORMS:
            for kind in KINDS:
                with self.subTest(driver=f"{kind}/{platform}"):
                    paths = [self.compile(platform, f, header(kind, platform)) for f in sources(kind, platform)]
                    self.assertEqual(objects.check(self.nm(platform), paths), [])
                    seen += 1
        self.assertEqual(seen, 10, "drivers are missing")

    def test_a_polled_uart_compiles_on_zephyr(self):
        path = self.compile("zephyr", FOLDER / "uart_accel/zephyr/uart_accel.c", header("uart_accel", "zephyr"),
                            "-UCONFIG_UART_INTERRUPT_DRIVEN")
        self.assertEqual(objects.check("arm-none-eabi-nm", [path]), [])

    def test_far_sides_have_neither_heap_nor_state(self):
        for platform in ("posix", "baremetal"):
            paths = [self.compile(platform, FOLDER / f) for f in ANYWHERE]
            self.assertEqual(objects.check(self.nm(platform), paths), [])

    def test_headers_stand_alone(self):
        for platform in PLATFORMS:
            for kind in KINDS:
                name = f"tvm/device/{kind}/{platform}.h"
                with self.subTest(header=name):
                    file = self.folder / "alone.c"
                    file.write_text(f'#include "{name}"\n#include "{name}"\nint f(void);\nint f(void) {{ return 0; }}\n')
                    self.compile(platform, file)

    def test_planted_faults_are_seen(self):
        planted = {"it calls malloc": "void *malloc(unsigned n); void *f(void) { return malloc(3); }",
                   "it calls k_malloc": "void *k_malloc(unsigned n); void *f(void) { return k_malloc(3); }",
                   "it calls pvPortMalloc": "void *pvPortMalloc(int n); void *f(void) { return pvPortMalloc(3); }",
                   "it has count, state of its own": "int count; int f(void) { return count++; }",
                   "it has last, state of its own": "static int last = 7; int f(void) { return last++; }"}
        for reason, text in planted.items():
            file = self.folder / "fault.c"
            file.write_text(text)
            output = self.folder / "fault.o"
            subprocess.run(["gcc", "-fno-builtin", "-c", file, "-o", output], check=True)
            found = objects.check("nm", [output])
            self.assertEqual([f.split(": ")[1] for f in found], [reason])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
