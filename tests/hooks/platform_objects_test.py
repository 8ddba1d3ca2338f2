#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every driver of platform/ compiles for its platform, with the warnings of the house, and its object has no heap and no
state of its own. FreeRTOS, CMSIS and Zephyr are declarations of ours (declarations/README.md): a check of syntax and of
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

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PLATFORM = SOURCE / "platform"
FLAGS = ["-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wstrict-prototypes", "-Wmissing-prototypes",
         "-Wvla", "-Werror", "-I", SOURCE / "include", "-I", PLATFORM]
# Platform: compiler, its options, the standard.
ARM = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-ffreestanding"]
PLATFORMS = {
    "posix": ["gcc", "-std=c11", "-D_GNU_SOURCE"],
    "baremetal": [*ARM, "-std=c99", "-I", PLATFORM / "include"],
    "freertos": [*ARM, "-std=c11"],
    "cmsis": [*ARM, "-std=c11"],
    "zephyr": [*ARM, "-std=c11", "-DCONFIG_UART_INTERRUPT_DRIVEN=1"],
}
COMMON = {"woofles": ["woofles.c", "woofles_words.c"], "uart_accel": ["uart_accel.c"]}
# woofles_device.c and woofles_ops.c are the far side's, uart_far_end.c too: they run where the application says.
ANYWHERE = ["woofles_device.c", "woofles_ops.c", "uart_far_end.c"]


class Objects(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, platform, file, *options):
        command = PLATFORMS[platform]
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is absent")
        output = self.folder / f"{platform}_{file.name}.o"
        includes = ["-isystem", SOURCE / "tests/hooks/declarations" / platform]
        subprocess.run([*command, *FLAGS, *includes, *options, "-c", file, "-o", output], check=True)
        return output

    def nm(self, platform):
        return "nm" if platform == "posix" else "arm-none-eabi-nm"

    def test_drivers_compile_and_have_neither_heap_nor_state(self):
        seen = 0
        for platform in PLATFORMS:
            for own in sorted((PLATFORM / platform).glob("*.c")):
                if own.stem not in COMMON:
                    continue  # the desk's part: it runs on a host, and allocates
                with self.subTest(driver=f"{platform}/{own.name}"):
                    kind = own.stem
                    header = f'-DTVM_DEVICE_{kind.upper()}_HEADER="tvm/device/{kind}/{platform}.h"'
                    files = [own, *(PLATFORM / "common" / f for f in COMMON[kind])]
                    found = objects.check(self.nm(platform), [self.compile(platform, f, header) for f in files])
                    self.assertEqual(found, [])
                    seen += 1
        self.assertGreaterEqual(seen, 9, "drivers are missing")

    def test_a_polled_uart_compiles_on_zephyr(self):
        header = '-DTVM_DEVICE_UART_ACCEL_HEADER="tvm/device/uart_accel/zephyr.h"'
        path = self.compile("zephyr", PLATFORM / "zephyr/uart_accel.c", header, "-UCONFIG_UART_INTERRUPT_DRIVEN")
        self.assertEqual(objects.check("arm-none-eabi-nm", [path]), [])

    def test_far_sides_have_neither_heap_nor_state(self):
        for platform in ("posix", "baremetal"):
            paths = [self.compile(platform, PLATFORM / "common" / f) for f in ANYWHERE]
            self.assertEqual(objects.check(self.nm(platform), paths), [])

    def test_headers_stand_alone(self):
        for platform in PLATFORMS:
            for header in sorted((SOURCE / "include/tvm/device").glob(f"*/{platform}.h")):
                with self.subTest(header=str(header)):
                    file = self.folder / "alone.c"
                    name = header.relative_to(SOURCE / "include")
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
