#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Firmware on an emulated Cortex-M4 whose convolutions go over its second UART to a process on this machine: bit for
bit what the CPU computes, over a good line and a garbled one; with nobody there an error, and no hang.

    uart_qemu_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE, TARGET = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
PLATFORM = SOURCE / "platform"
CORE = ["cortex-m/startup.c", "cortex-m/fault.c", "cortex-m/stack.c", "cortex-m/semihosting.c", "harness/memory.c",
        "cortex-m/runtime_abi.c", "harness/transport_file.c", "cortex-m4/board.c", "common/uart_accel.c",
        "baremetal/uart_accel.c"]
FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-ffreestanding", "-fbuiltin",
         "-ffunction-sections", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard",
         '-DTVM_DEVICE_UART_ACCEL_HEADER="tvm/device/uart_accel/baremetal.h"']


@unittest.skipIf(shutil.which("qemu-system-arm") is None or shutil.which("arm-none-eabi-gcc") is None,
                 "the emulator or the compiler is absent")
class Uart(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def firmware(self, schedule, runs, timeout_ms):
        """The board's clock is the polls that it makes, some ten times faster than this machine's."""
        folder = self.folder / "c"
        subprocess.run([ORIBI, "compile", DIGITS, "-o", folder, "--name", "net", "--plugin", TARGET, "--target-device",
                        "uart_accel", "--device-schedule", schedule], check=True, stdout=subprocess.DEVNULL)
        ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", (folder / "tvmgen_net.h").read_text())
        image = self.folder / "image.elf"
        subprocess.run(["arm-none-eabi-gcc", *FLAGS, f"-DFIRMWARE_IN_TYPE=TVMGEN_NET_{ports[0]}_TYPE",
                        f"-DFIRMWARE_IN_COUNT=TVMGEN_NET_{ports[0]}_COUNT",
                        f"-DFIRMWARE_OUT_TYPE=TVMGEN_NET_{ports[-1]}_TYPE",
                        f"-DFIRMWARE_OUT_COUNT=TVMGEN_NET_{ports[-1]}_COUNT", f"-DFIRMWARE_RUNS={runs}",
                        f"-DFIRMWARE_TIMEOUT_MS={timeout_ms}", "-I", folder, "-I", SOURCE / "include", "-I", PLATFORM,
                        "-I", PLATFORM / "include", "-I", PLATFORM / "cortex-m4", SOURCE / "tests/hooks/uart_firmware.c",
                        *folder.rglob("*.c"), *(PLATFORM / f for f in CORE), "-nostdlib", "-static",
                        "-Wl,--gc-sections", "-T", PLATFORM / "cortex-m4/link.ld", "-lgcc", "-o", image], check=True)
        return image

    def far_end(self):
        program = self.folder / "far"
        subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-I", SOURCE, "-I", SOURCE / "include",
                        SOURCE / "tests/hooks/uart_far_main.c", PLATFORM / "common/uart_far_end.c",
                        PLATFORM / "common/woofles_ops.c", "-o", program], check=True)
        return program

    def run_board(self, image, inputs, far, *options):
        """What the firmware wrote, and what the far end says of the line."""
        socket = self.folder / "line"
        (self.folder / "in").write_bytes(inputs)
        line = f"socket,id=line,path={socket},server=on,wait={'on' if far else 'off'}"
        board = subprocess.Popen(["timeout", "100", "qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor",
                                  "none", "-serial", "null", "-chardev", line, "-serial", "chardev:line",
                                  "-semihosting-config", "enable=on,target=native", "-kernel", image], cwd=self.folder,
                                 stdin=subprocess.DEVNULL)
        self.addCleanup(board.kill)
        said = ""
        if far:
            said = subprocess.run([far, socket, *options], capture_output=True, text=True, timeout=100).stdout
        self.assertEqual(board.wait(100), 0)
        return (self.folder / "out").read_bytes(), said

    def inputs(self, runs):
        return bytes(i * 37 % 120 for i in range(64 * runs))

    def expected(self, inputs, runs):
        """By the CPU: the same model without a device, on this machine."""
        out = b""
        for i in range(runs):
            value = np.frombuffer(inputs[64 * i:64 * i + 64], np.int8).reshape(1, 8, 8, 1)
            np.save(self.folder / "x.npy", value)
            subprocess.run([ORIBI, "run", DIGITS, "-i", f"picture=@{self.folder / 'x.npy'}", "-o",
                            self.folder / "y.npz", "--force"], check=True, stdout=subprocess.DEVNULL)
            with np.load(self.folder / "y.npz") as arrays:
                out += struct.pack("<i", 0) + arrays[arrays.files[0]].tobytes()
        return out

    def test_a_board_computes_over_the_line(self):
        far, inputs = self.far_end(), self.inputs(2)
        for schedule in ("design", "hold"):
            with self.subTest(schedule=schedule):
                shutil.rmtree(self.folder / "c", ignore_errors=True)
                got, said = self.run_board(self.firmware(schedule, 2, 60000), inputs, far)
                self.assertEqual(got, self.expected(inputs, 2))
                self.assertIn(" 0 broken", said)

    def test_a_garbled_line_is_survived(self):
        got, _ = self.run_board(self.firmware("design", 2, 20000), self.inputs(2), self.far_end(), "1501")
        self.assertEqual(got, self.expected(self.inputs(2), 2))

    def test_nobody_there_is_an_error(self):
        got, _ = self.run_board(self.firmware("design", 1, 20), self.inputs(1), None)
        self.assertEqual(struct.unpack("<i", got[:4])[0], -32002)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
