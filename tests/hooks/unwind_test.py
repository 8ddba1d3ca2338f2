#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every hook failing in turn, and every pair of a first failure with a failing hook of the clearing up: what
emitted code calls afterwards is compared with what the contract says, on POSIX and on a Cortex-M4 in QEMU.

    unwind_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN MADE_TARGETS
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from accelerators import INCLUDE, in_turn

ORIBI, SOURCE, TARGET, MADE = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
DEVICES = {"one line": ["uart_accel"], "one memory": ["woofles"], "two memories": ["npu1=woofles", "npu2=woofles"],
           "first and last": ["woofles", "uart_accel"], "three": ["a=uart_accel", "b=woofles", "c=uart_accel"],
           "a cache": ["cached"], "constants that stay": ["kept"], "whole regions": ["whole"],
           "a queue and its own calls": ["queued", "npu=own"], "a host beside": ["uart_accel", "host=uart_accel"]}
NAMES = {"A": "Activate", "O": "Open", "I": "Invoke", "S": "Start", "W": "Wait", "L": "Load", "T": "CopyTo", "F": "CopyFrom",
         "P": "CopyPeer", "K": "CacheClean", "V": "CacheInvalidate", "R": "Address", "C": "Close", "D": "Deactivate"}
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror",
         *(f"-DTVM_DEVICE_{k}_HEADER=\"recorder.h\"" for k in ("WOOFLES", "UART_ACCEL", "CACHED", "QUEUED", "OWN", "KEPT", "WHOLE")),
         "-DTVMGEN_CONFIG_HEADER=\"recorder_config.h\""]
CORE = ["cortex-m/startup.c", "cortex-m/fault.c", "cortex-m/stack.c", "cortex-m/semihosting.c", "harness/memory.c",
        "cortex-m/runtime_abi.c", "harness/transport_file.c", "cortex-m4/board.c"]


def unwinding(calls, second):
    """What must follow the calls of which the last one failed; `second` of all calls fails, too."""
    active, opened, started = [], set(), set()
    for k, (what, device) in enumerate(calls):
        last = k == len(calls) - 1
        if what == "A" and not last:
            active.append(device)
        elif what == "O" and not last:
            opened.add(device)
        elif what == "C":
            opened.discard(device)
        elif what == "D":
            active.remove(device)
        elif what in "S" or what in "TF" and device in ASYNCHRONOUS and not last:
            started.add(device)
        elif what == "W" and not last:
            started.discard(device)
    expected = []
    for device in sorted(started, reverse=True):
        expected.append(("N", device))
        if len(calls) + len(expected) == second:
            expected.append(("W", device))
    expected += [("C", d) for d in sorted(opened, reverse=True)]
    expected += [("D", d) for d in reversed(active)]
    return expected


class Unwinding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.objects = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.objects)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def emit(self, devices, schedule):
        folder = self.folder / "c"
        shutil.rmtree(folder, ignore_errors=True)
        arguments = [part for d in devices for part in ("--device" if d.startswith("host=") else "--target-device", d)]
        subprocess.run([ORIBI, "compile", DIGITS, "-o", folder, "--name", "net", "--plugin", TARGET, "--plugin", MADE, *arguments,
                        "--device-schedule", schedule, *in_turn(ORIBI, DIGITS, TARGET, devices)], check=True,
                       stdout=subprocess.DEVNULL)
        (folder / "recorder_config.h").write_text(
            "#include <stdint.h>\nvoid recorder_on_operator(int32_t index);\n"
            "#define TVMGEN_ON_OP(index) recorder_on_operator(index)\n")
        header = (folder / "tvmgen_net.h").read_text()
        ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", header)
        members = ", ".join(f"&devices[{i}]" for i in range(len(devices)))
        return folder, [*FLAGS, f"-DRECORDER_IN_TYPE=TVMGEN_NET_{ports[0]}_TYPE",
                        f"-DRECORDER_IN_COUNT=TVMGEN_NET_{ports[0]}_COUNT",
                        f"-DRECORDER_OUT_TYPE=TVMGEN_NET_{ports[-1]}_TYPE",
                        f"-DRECORDER_OUT_COUNT=TVMGEN_NET_{ports[-1]}_COUNT", f"-DRECORDER_DEVICES={len(devices)}",
                        f"-DRECORDER_MEMBERS={members}", "-I", folder, "-I", SOURCE / "tests/hooks/made", *INCLUDE]

    def compiled(self, compiler, flags, sources):
        """Objects of the sources; those of kernels and platform are the same for all, and made once."""
        made = []
        for source in sources:
            is_shared = source.parent.name != "c" and source.name != "recorder_main.c"
            key = hashlib.sha256(f"{compiler}{source.name}{source.read_text()}".encode()).hexdigest()
            path = (self.objects if is_shared else self.folder) / f"{key}.o"
            if not is_shared or not path.exists():
                subprocess.run([compiler, *flags, "-c", source, "-o", path], check=True)
            made.append(path)
        return made

    def on_posix(self, folder, flags):
        program = self.folder / "program"
        sanitize = "-fsanitize=address,undefined"
        objects = self.compiled("gcc", [*flags, "-O0", "-g", sanitize, "-DRECORDER_PRINT=\"recorder_posix.h\""],
                                [SOURCE / "tests/hooks/made/recorder_main.c", *folder.rglob("*.c")])
        subprocess.run(["gcc", sanitize, *objects, "-o", program], check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True, timeout=120).stdout

    def on_cortex_m4(self, folder, flags):
        image = self.folder / "image.elf"
        platform = SOURCE / "platform"
        core = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
        objects = self.compiled("arm-none-eabi-gcc", [
            *flags, *core, "-DRECORDER_PRINT=\"recorder_bare.h\"", "-ffreestanding", "-fbuiltin", "-ffunction-sections",
            "-I", platform, "-I", platform / "include", "-I", platform / "cortex-m4"],
            [SOURCE / "tests/hooks/made/recorder_main.c", *folder.rglob("*.c"), *(platform / f for f in CORE)])
        subprocess.run(["arm-none-eabi-gcc", *core, *objects, "-nostdlib", "-static", "-Wl,--gc-sections", "-T",
                        platform / "cortex-m4/link.ld", "-lgcc", "-o", image], check=True)
        (self.folder / "in").write_bytes(b"")
        subprocess.run(["timeout", "120", "qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor", "none",
                        "-serial", "null", "-semihosting-config", "enable=on,target=native", "-kernel", image],
                       cwd=self.folder, check=True, stdin=subprocess.DEVNULL)
        return (self.folder / "out").read_text()

    def check(self, text, devices):
        global ASYNCHRONOUS
        ASYNCHRONOUS = {i for i, d in enumerate(devices) if d.endswith("woofles")}
        names = [d.split("=")[0] for d in devices]
        lines = text.splitlines()
        self.assertEqual(lines[-1], "end")
        success, failures = None, 0
        for line in lines[:-1]:
            run, result, verdict = line.split("; ")
            head, events = run.split(":")
            first, second = map(int, head.split()[1:])
            events = [(e[0], int(e[1:])) for e in events.split()]
            calls = [e for e in events if e[0] != "o"]
            code, hook, device, operator, cleanup, instance = result.split()
            self.assertEqual(verdict, "ok", line)
            if success is None:
                success = calls
                self.assertEqual(code, "0")
                continue
            failures += 1
            failed = calls[:first]
            self.assertEqual(failed, success[:first], line)
            expected = unwinding(failed, second)
            self.assertEqual(calls[first:], expected, line)
            at = [e for e in events if e[0] == "o" or e in failed]
            index, seen = -1, 0
            for event in events:
                index = event[1] if event[0] == "o" else index
                seen += event[0] != "o"
                if seen == first:
                    break
            self.assertEqual((int(code), hook, int(device), int(operator), instance),
                             (101, NAMES[failed[-1][0]], failed[-1][1], index, names[failed[-1][1]]), line)
            self.assertEqual(int(cleanup), int(first < second <= len(calls)), line)
        self.assertGreater(failures, 2 * len(success))
        if devices[0] in ("kept", "whole"):
            self.assertEqual(success.count(("L", 0)), success.count(("S", 0)))
        if devices[0] == "whole":
            self.assertEqual(success.count(("S", 0)), 4)  # eight operators, halved twice
        return failures

    def test_every_hook_fails_on_posix(self):
        total = 0
        for name, devices in DEVICES.items():
            for schedule in ("design", "hold") if devices[0] in ("kept", "whole") else ("design", "lazy", "eager", "hold"):
                with self.subTest(devices=name, schedule=schedule):
                    total += self.check(self.on_posix(*self.emit(devices, schedule)), devices)
        print(f"{total} failures")

    def test_every_hook_fails_on_a_cortex_m4(self):
        if shutil.which("qemu-system-arm") is None or shutil.which("arm-none-eabi-gcc") is None:
            self.skipTest("the emulator or the compiler is absent")
        for name, devices in DEVICES.items():
            for schedule in ("hold",) if len(devices) > 2 else ("design", "hold"):
                with self.subTest(devices=name, schedule=schedule):
                    self.check(self.on_cortex_m4(*self.emit(devices, schedule)), devices)

    def test_missing_devices_are_refused_before_any_hook(self):
        folder, flags = self.emit(["npu1=woofles", "npu2=woofles"], "design")
        flags = [f.replace("&devices[1]", "NULL") if isinstance(f, str) else f for f in flags]
        text = self.on_posix(folder, flags).splitlines()
        self.assertEqual(text[0], "run 0 0:; -32001 - 1 -1 0 npu2; ok")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
