#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real systems on emulated boards, with the example drivers and models whose convolutions run on a woofles behind
a window of the board's memory, on a uart_accel at the end of its UART, or on both: bit for bit what the CPU computes.

    platforms_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN SYSTEM

SYSTEM: freertos (FREERTOS_KERNEL names the kernel's tree), cmsis (CMSIS_PATH: CMSIS 5, whose RTX5 is built),
cmsis_freertos (CMSIS_FREERTOS, on top of these two), zephyr (ZEPHYR_BASE; ZEPHYR_CMSIS, its module cmsis, where there
is no west workspace). Skipped where a tree is not named. docs/reference/platforms.md has the versions.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import objects
from relay import Relay

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from accelerators import FOLDER, INCLUDE, header, sources  # noqa: E402

ORIBI, SOURCE, TARGET = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
SYSTEM = sys.argv[4]
ONLY = sys.argv[5:]
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
PLATFORM = SOURCE / "platform"
APP = SOURCE / "tests/hooks/platforms"
CORE = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
WARN = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wstrict-prototypes", "-Werror"]
FLAGS = ["-std=c11", "-O2", "-g", "-ffunction-sections", "-fdata-sections", *CORE]
OURS = ["harness/transport_file.c", "cortex-m/semihosting.c"]
RUNS, PATIENCE, THREADS = range(3)
WINDOW_BYTES = 0x100000
# An emulated line has no bit rate: a reply comes in one burst, faster than threads run.
LINE = ["-DTVM_DEVICE_UART_ACCEL_LINE_BYTES=16384", "-DTVM_DEVICE_UART_ACCEL_HALF_BYTES=16384u"]
# Of the sockets: UART 1 and UART 2.
NAMES = {"woofles": "window", "uart_accel": "line", "npu1=woofles": "window", "npu2=woofles": "line"}
TWO = ["npu1=woofles", "npu2=woofles"]
E_TIMEOUT, E_IO = -32002, -32003
ACTIVATE, COPY_FROM = 1, 8


def tree(name):
    value = os.environ.get(name)
    return pathlib.Path(value).resolve() if value else None


def kinds_of(devices):
    """Each kind once."""
    return list(dict.fromkeys(device.split("=")[-1] for device in devices))


def drivers(system, kinds):
    return [file for kind in kinds for file in sources(kind, system)]


class FreeRtos:
    """The kernel, its Cortex-M4F port, the board of tests/hooks/platforms."""
    machine, tree_name, system, own_config = "mps2-an386", "FREERTOS_KERNEL", "freertos", True

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        port = root / "portable/GCC/ARM_CM4F"
        self.includes = ["-isystem", root / "include", "-isystem", port]
        self.kernel = [root / f for f in ("tasks.c", "list.c", "queue.c", "stream_buffer.c")] + [port / "port.c"]

    def own(self, _):
        return [APP / "freertos_main.c", APP / "board.c"]

    def driver_objects(self):
        kinds = kinds_of(NAMES)
        headers = [header(kind, self.system) for kind in kinds]
        return self.compile(drivers(self.system, kinds), *WARN, *headers, *INCLUDE, "-I", PLATFORM)

    def compile(self, files, *options):
        """Objects of files; a file is compiled once."""
        objects = []
        for file in files:
            path = self.folder / f"{abs(hash((str(file), tuple(map(str, options)))))}.o"
            if not path.exists():
                configuration = "-I" if self.own_config else "-idirafter"
                subprocess.run(["arm-none-eabi-gcc", *FLAGS, *self.includes, configuration, APP, *options, "-c", file,
                                "-o", path], check=True)
            objects.append(path)
        return objects

    def image(self, emitted, kinds, defines, output):
        headers = [header(kind, self.system) for kind in kinds]
        options = [*headers, *LINE, *defines, *INCLUDE, "-I", PLATFORM]
        objects = self.compile(self.kernel)
        objects += self.compile([*drivers(self.system, kinds), *(PLATFORM / f for f in OURS)], *WARN, *options)
        objects += self.compile([*emitted.rglob("*.c"), APP / "app.c", *self.own(kinds)], *WARN, *options, "-I", emitted)
        subprocess.run(["arm-none-eabi-gcc", *CORE, "-nostartfiles", "--specs=nano.specs", "-static", "-Wl,--gc-sections",
                        "-T", PLATFORM / "cortex-m4/link.ld", *objects, "-o", output], check=True)
        return output


class Rtx(FreeRtos):
    """RTX5 and the CMSIS-Driver header of CMSIS 5, a USART driver of ours."""
    tree_name, system = "CMSIS_PATH", "cmsis"

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        rtos = root / "CMSIS/RTOS2"
        device = root / "Device/ARM/ARMCM4"
        self.includes = ["-D_RTE_", "-DARMCM4_FP"]
        for path in (rtos / "Include", rtos / "RTX/Include", rtos / "RTX/Config", root / "CMSIS/Core/Include",
                     root / "CMSIS/Driver/Include", device / "Include"):
            self.includes += ["-isystem", path]
        names = "delay evflags evr kernel lib memory mempool msgqueue mutex semaphore system thread timer".split()
        self.kernel = [rtos / f"RTX/Source/rtx_{name}.c" for name in names]
        self.kernel += [rtos / "RTX/Source/GCC/irq_armv7m.S", rtos / "RTX/Config/RTX_Config.c",
                        rtos / "Source/os_systick.c", device / "Source/system_ARMCM4.c"]

    def own(self, _):
        return [APP / "cmsis_main.c", APP / "board.c", APP / "usart_mps2.c"]


class Rtos2OnFreeRtos(Rtx):
    """CMSIS-FreeRTOS with its own configuration: the other CMSIS-RTOS2."""
    tree_name, own_config = "CMSIS_FREERTOS", False

    def __init__(self, root, folder):
        super().__init__(tree("CMSIS_PATH"), folder)
        kernel, layer = tree("FREERTOS_KERNEL"), root / "CMSIS/RTOS2/FreeRTOS"
        port = kernel / "portable/GCC/ARM_CM4F"
        self.includes += ["-DAPP_ON_FREERTOS"]
        for path in (layer / "Config", layer / "Include", kernel / "include", port):
            self.includes += ["-isystem", path]
        names = "tasks list queue stream_buffer event_groups timers portable/MemMang/heap_4".split()
        self.kernel = [kernel / f"{name}.c" for name in names]
        self.kernel += [port / "port.c", layer / "Source/cmsis_os2.c", tree("CMSIS_PATH") /
                        "Device/ARM/ARMCM4/Source/system_ARMCM4.c"]


class Zephyr:
    """Zephyr's own build, with zephyr/ of the repository as a module out of its tree."""
    machine, tree_name, system = "mps2-an385", "ZEPHYR_BASE", "zephyr"

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.options = []

    def build(self, name, application, *options):
        """An application's zephyr.elf. Applications of one name differ in their own files alone."""
        folder = self.folder / f"zephyr_{name}"
        cmsis = tree("ZEPHYR_CMSIS")
        modules = f"-DZEPHYR_MODULES={cmsis};{SOURCE}" if cmsis else f"-DZEPHYR_EXTRA_MODULES={SOURCE}"
        env = {"ZEPHYR_TOOLCHAIN_VARIANT": "cross-compile", "CROSS_COMPILE": "arm-none-eabi-", **os.environ}
        for name in ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER"):
            env.pop(name, None)
        env["CROSS_COMPILE"] = str(pathlib.Path(shutil.which("arm-none-eabi-gcc")))[:-len("gcc")]
        command = ["cmake", "-S", application, "-B", folder, "-GNinja", "-DBOARD=mps2_an385", f"-DORIBI={ORIBI}",
                   f"-DWOOFLES_TARGET={TARGET}", modules, *options]
        for step in (command, ["cmake", "--build", folder]):
            done = subprocess.run(step, env=env, capture_output=True, text=True)
            if done.returncode != 0:
                raise AssertionError(done.stdout[-6000:] + done.stderr[-6000:])
        return folder / "zephyr/zephyr.elf"

    def driver_objects(self):
        """Not of the devicetree's driver, which has what its macro makes."""
        elf = self.build("drivers", APP / "zephyr", "-DAPP_WOOFLES=1", "-DAPP_UART_ACCEL=1", "-DAPP_ONLY_DRIVERS=1")
        found = [path for name in ("accelerators/woofles/", "accelerators/uart_accel/") for path in elf.parent.parent.rglob("*.obj")
                 if name in str(path) and "liboribi" not in path.name]
        assert len(found) >= 5, found
        return found

    def image(self, emitted, kinds, defines, output):
        options = [f"-DAPP_{kind.upper()}=1" for kind in kinds]
        elf = self.build("_".join(kinds), APP / "zephyr", *options, *self.options, f"-DAPP_MODEL={emitted}",
                         f"-DAPP_DEFINES={';'.join(defines)}", f"-DAPP_LINE={';'.join(LINE)}")
        return shutil.copy(elf, output)


SYSTEMS = {"freertos": FreeRtos, "cmsis": Rtx, "cmsis_freertos": Rtos2OnFreeRtos, "zephyr": Zephyr}
KIND = SYSTEMS[SYSTEM]


@unittest.skipIf(shutil.which("qemu-system-arm") is None or shutil.which("arm-none-eabi-gcc") is None,
                 "the emulator or the compiler is absent")
class Board(unittest.TestCase):
    """Builds and runs; the tests are further down."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.builder = KIND(tree(KIND.tree_name), cls.shared)
        cls.images = {}

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def firmware(self, model, devices, schedule, timeout_ms=20000):
        key, kinds = (model, tuple(devices), schedule, timeout_ms), kinds_of(devices)
        if key in self.images:
            return self.images[key]
        folder = self.shared / f"model{len(self.images)}"
        args = [ORIBI, "compile", model, "-o", folder, "--name", "net", "--force", "--plugin", TARGET,
                "--device-schedule", schedule]
        for device in devices:
            args += ["--target-device", device, "--device-platform", f"{device.split('=')[-1]}={KIND.system}"]
        subprocess.run(args, check=True, stdout=subprocess.DEVNULL)
        ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", (folder / "tvmgen_net.h").read_text())
        defines = [f"-DAPP_{kind.upper()}" for kind in kinds] + [f"-DAPP_TIMEOUT_MS={timeout_ms}"] + (["-DAPP_TWO"] if devices == TWO else [])
        for way, port in (("IN", ports[0]), ("OUT", ports[-1])):
            defines += [f"-DAPP_{way}_TYPE=TVMGEN_NET_{port}_TYPE", f"-DAPP_{way}_COUNT=TVMGEN_NET_{port}_COUNT"]
        self.images[key] = self.builder.image(folder, kinds, defines, folder / "image.elf")
        return self.images[key]

    def start_board(self, image, script, waits):
        """A board whose second and third UART are sockets; the emulator waits for those who come at once."""
        (self.folder / "in").write_bytes(script)
        (self.folder / "out").unlink(missing_ok=True)
        with open(self.folder / "memory", "wb") as file:
            file.truncate(16 << 20)
        lines = []
        for name in ("window", "line"):
            (self.folder / name).unlink(missing_ok=True)
            if name in waits:
                wait = "on" if waits[name] else "off"
                lines += ["-chardev", f"socket,id={name},path={self.folder / name},server=on,wait={wait}",
                          "-serial", f"chardev:{name}"]
            else:
                lines += ["-serial", "null"]
        board = subprocess.Popen(
            ["qemu-system-arm", "-M", f"{KIND.machine},memory-backend=m", "-object",
             f"memory-backend-file,id=m,size=16M,mem-path={self.folder / 'memory'},share=on", "-display", "none",
             "-monitor", "none", "-serial", f"file:{self.folder / 'console'}", *lines, "-semihosting-config",
             "enable=on,target=native", "-kernel", image], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(board.kill)
        return board

    def start_far(self, kind, kinds, model=DIGITS, **how):
        """`oribi device-serve` at the line of a device, or behind a relay."""
        name = NAMES[kind]
        command = [ORIBI, "device-serve", model, "--plugin", TARGET, "--driver", FOLDER / kind.split("=")[-1]]
        for other in kinds:
            command += ["--target-device", other]
        if kind.endswith("woofles"):
            offset = WINDOW_BYTES if kind == TWO[1] else 0
            command += ["--window", f"{self.folder / 'memory'}@{offset}:{WINDOW_BYTES}"]
        if how:
            far = subprocess.Popen([*command, "--socket", self.folder / f"far_{name}"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            self.assertIn("serving on", far.stdout.readline())
            Relay(self.folder / name, self.folder / f"far_{name}", **how).start()
        else:
            far = subprocess.Popen([*command, "--connect", self.folder / name], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(far.communicate)
        self.addCleanup(far.kill)
        return far

    def run_board(self, image, kinds, script, model=DIGITS, **how):
        """What the firmware wrote, and what the far ends say."""
        board = self.start_board(image, script, {NAMES[kind]: True for kind in kinds})
        fars = [self.start_far(kind, kinds, model, **how.get(kind, {})) for kind in kinds]
        self.assertEqual(board.wait(70), 0)
        for far, kind in zip(fars, kinds):
            if kind in how:
                far.terminate()
        return (self.folder / "out").read_bytes(), [far.communicate(timeout=20)[1] for far in fars]

    def on_cpu(self, inputs, runs):
        """The digits without a device, on this machine."""
        import numpy as np
        outputs = []
        for i in range(runs):
            np.save(self.folder / "x.npy", np.frombuffer(inputs[64 * i:64 * i + 64], np.int8).reshape(1, 8, 8, 1))
            subprocess.run([ORIBI, "run", DIGITS, "-i", f"picture=@{self.folder / 'x.npy'}", "-o", self.folder / "y.npz",
                            "--force"], check=True, stdout=subprocess.DEVNULL)
            with np.load(self.folder / "y.npz") as arrays:
                outputs.append(arrays[arrays.files[0]].tobytes())
        return outputs

    @staticmethod
    def pictures(n):
        return bytes(i * 37 % 120 for i in range(64 * n))


class Platform(Board):
    def check_runs(self, model, kinds, schedule, inputs, expected):
        n = len(expected)
        out, said = self.run_board(self.firmware(model, kinds, schedule), kinds, struct.pack("<2i", RUNS, n) + inputs,
                                   model)
        self.assertEqual(out, b"".join(struct.pack("<3i", 0, 0, 0) + e for e in expected))
        for kind, text in zip(kinds, said):
            self.assertRegex(text, r"\b[1-9]\d* ", f"nothing ran on {kind}")

    def test_digits_on_each_device_and_on_two(self):
        inputs = self.pictures(2)
        expected = self.on_cpu(inputs, 2)
        for kinds in (["uart_accel"], ["woofles"], ["woofles", "uart_accel"], TWO):
            for schedule in ("design", "hold"):
                with self.subTest(kinds=kinds, schedule=schedule):
                    self.check_runs(DIGITS, kinds, schedule, inputs, expected)

    def test_objects_have_neither_heap_nor_state(self):
        """Of the drivers, made with the system's own headers."""
        self.assertEqual(objects.check("arm-none-eabi-nm", self.builder.driver_objects()), [])

    def test_two_threads_share_the_devices(self):
        kinds = ["woofles", "uart_accel"]
        inputs = self.pictures(1)
        out, _ = self.run_board(self.firmware(DIGITS, kinds, "design"), kinds, struct.pack("<2i", THREADS, 4) + inputs)
        self.assertEqual(out, struct.pack("<i", 0) + 2 * self.on_cpu(inputs, 1)[0])

    def test_a_lost_doorbell_fails_one_run(self):
        """Activate and Start ring for nothing: the copy that waits times out, Cancel wakes the device. With Cancel's
        lost, too, clearing up fails, and the ring of Deactivate ends it. The next run is good in any case."""
        image = self.firmware(DIGITS, ["woofles"], "design", 300)
        inputs = self.pictures(1)
        expected = self.on_cpu(inputs, 1)[0]
        for lost, is_clean in ((2, True), (3, False)):
            with self.subTest(lost=lost):
                out, _ = self.run_board(image, ["woofles"], struct.pack("<2i", PATIENCE, 20) + inputs, woofles={"lose": lost})
                records = list(struct.iter_unpack("<3i", out[:-len(expected)]))
                self.assertEqual([r[:2] for r in records], [(E_TIMEOUT, COPY_FROM), (0, 0)])
                self.assertEqual(records[0][2] == 0, is_clean)
                self.assertEqual(out[-len(expected):], expected)

    def test_devices_that_come_late_fail_until_they_are_there(self):
        for kind, code in (("woofles", E_IO), ("uart_accel", E_TIMEOUT)):
            with self.subTest(kind=kind):
                inputs = self.pictures(1)
                board = self.start_board(self.firmware(DIGITS, [kind], "design", 300),
                                         struct.pack("<2i", PATIENCE, 400) + inputs, {NAMES[kind]: False})
                out = self.folder / "out"
                deadline = time.monotonic() + 60
                while not (out.exists() and out.stat().st_size >= 12) and time.monotonic() < deadline:
                    time.sleep(0.05)
                self.start_far(kind, [kind])
                self.assertEqual(board.wait(70), 0)
                expected = self.on_cpu(inputs, 1)[0]
                records = list(struct.iter_unpack("<3i", out.read_bytes()[:-len(expected)]))
                self.assertEqual(records[0][:2], (code, ACTIVATE))
                self.assertEqual(records[-1], (0, 0, 0))
                self.assertEqual(out.read_bytes()[-len(expected):], expected)

    def test_a_garbled_line_is_survived(self):
        inputs = self.pictures(2)
        out, _ = self.run_board(self.firmware(DIGITS, ["uart_accel"], "design", 1000), ["uart_accel"],
                                struct.pack("<2i", RUNS, 2) + inputs, uart_accel={"spoil": (1501, 20011)})
        self.assertEqual(out, b"".join(struct.pack("<3i", 0, 0, 0) + e for e in self.on_cpu(inputs, 2)))

    def test_keywords_on_each_device(self):
        model = TINY / "kws_ref_model.tflite"
        vectors = sorted((TINY / "golden/kws_ref_model").glob("*input*"))[:1]
        if not model.exists() or not vectors:
            self.skipTest("the models of MLPerf Tiny are absent")
        expected = [pathlib.Path(str(v).replace("input", "output")).read_bytes() for v in vectors]
        for kind, schedule in (("woofles", "design"), ("woofles", "hold"), ("uart_accel", "design")):
            with self.subTest(kind=kind, schedule=schedule):
                self.check_runs(model, [kind], schedule, b"".join(v.read_bytes() for v in vectors), expected)


@unittest.skipIf(SYSTEM != "zephyr", "of Zephyr")
class Documented(Board):
    """The application that docs/reference/platforms.md prints, and what other systems have no counterpart of."""

    def test_a_uart_without_interrupts_is_polled(self):
        self.builder.options = ["-DCONFIG_UART_INTERRUPT_DRIVEN=n"]
        inputs = self.pictures(1)
        out, _ = self.run_board(self.firmware(DIGITS, ["uart_accel"], "hold"), ["uart_accel"],
                                struct.pack("<2i", RUNS, 1) + inputs)
        config = next(self.shared.glob("zephyr_uart_accel/zephyr/.config")).read_text()
        self.assertNotIn("CONFIG_UART_INTERRUPT_DRIVEN=y", config)
        self.assertEqual(out, struct.pack("<3i", 0, 0, 0) + self.on_cpu(inputs, 1)[0])

    def test_the_printed_application_runs(self):
        text = (SOURCE / "docs/reference/platforms.md").read_text()
        block = re.search(r"```c\n(/\* SPDX.*?)```", text, re.S).group(1)
        sample = SOURCE / "zephyr/samples/woofles"
        self.assertEqual(block, (sample / "src/main.c").read_text(), "the sample is not what the page prints")
        board = self.start_board(self.builder.build("sample", sample), b"", {"window": True})
        self.start_far("woofles", ["accelerator=woofles"])
        console = self.folder / "console"
        deadline = time.monotonic() + 60
        while not re.search(rb"(digit|run|woofles).*\n", console.read_bytes() if console.exists() else b"") and \
                time.monotonic() < deadline:
            time.sleep(0.05)
        board.kill()
        numbers = re.search(r"static const int8_t picture\[[^{]*{(.*?)}", block, re.S).group(1)
        picture = struct.pack("<64b", *map(int, re.sub(r"/\*.*?\*/|,", " ", numbers).split()))
        scores = struct.unpack("<10b", self.on_cpu(picture, 1)[0])
        expected = f"digit {scores.index(max(scores))}: {' '.join(map(str, scores))}"
        self.assertIn(expected, console.read_text())


if __name__ == "__main__":
    needed = [KIND.tree_name] + (["FREERTOS_KERNEL", "CMSIS_PATH"] if SYSTEM == "cmsis_freertos" else [])
    if any(tree(name) is None for name in needed):
        print(f"skipped: {' or '.join(needed)} names no tree, see docs/reference/platforms.md")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + ONLY, verbosity=2)
