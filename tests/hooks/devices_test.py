#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models with their convolutions on the example accelerators, on POSIX: every schedule, one and two
instances, bit for bit what the CPU computes. Emitted code with devices keeps the rules of emitted code.

    devices_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN [every]

Of models, sets of devices and schedules each pair is tried; `every`: all three of them together.
"""
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from accelerators import FOLDER, INCLUDE, OPS, in_turn, sources

ORIBI, SOURCE, TARGET = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
EVERY = "every" in sys.argv[4:]
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
         "-Wshadow", "-Werror"]
SANITIZE = ["-O0", "-fsanitize=address,undefined"]  # sees all that -O2 leaves, in a tenth of its time to compile
SCHEDULES = ["design", "lazy", "eager", "hold"]
DEVICES = {"woofles": ["woofles"], "uart_accel": ["uart_accel"], "two": ["npu1=woofles", "npu2=woofles"],
           "mixed": ["woofles", "uart_accel"], "two_lines": ["a=uart_accel", "b=uart_accel"]}
WOOFLES = sources("woofles", "posix")
# The far end of the line is a thread of the program, which computes as a woofles does.
UART_ACCEL = [*sources("uart_accel", "posix"), FOLDER / "uart_accel/common/uart_far_end.c", OPS]
MAIN = """#include "tvmgen_net.h"
#include "tests/hooks/device_main.h"
static int8_t in[TVMGEN_NET_{input}_COUNT], out[TVMGEN_NET_{output}_COUNT];
static union {{ uint64_t align[2]; uint8_t bytes[TVMGEN_NET_WORKSPACE_SIZE + 16]; }} memory
    __attribute__((aligned(16)));
int main(void)
{{
    struct tvm_device_error error = {{0}};
    {declare}
    struct tvmgen_net_workspace_pools pools = {{memory.bytes}};
    struct tvmgen_net_inputs inputs = {{in}};
    struct tvmgen_net_outputs outputs = {{out}};
    struct tvmgen_net_devices devices = {{{members}, &error}};
    struct tvmgen_net_cursor cursor = {{0}};
    if (!({make})) {{
        return 1;
    }}
    for (int round = 0; fread(in, 1, sizeof in, stdin) == sizeof in; round++) {{
        int32_t code = 0;
        if (round % 2 == 0) {{
            code = tvmgen_net_run(&inputs, &outputs, &pools, &devices);
        }} else {{
            while ((code = tvmgen_net_step(&cursor, &inputs, &outputs, &pools, &devices)) ==
                   TVMGEN_NET_MORE) {{
            }}
        }}
        if (code != 0) {{
            fprintf(stderr, "code %d, %s of %s, operator %s\\n", (int)code,
                    tvm_device_hook_name(error.hook), error.instance != NULL ? error.instance : "",
                    error.operator_name != NULL ? error.operator_name : "");
            return 2;
        }}
        fwrite(out, 1, sizeof out, stdout);
    }}
    return {end} ? 0 : 3;
}}
"""
# Two models over the same two devices, which each has in its own order.
THREADS = """#include "tvmgen_ab.h"
#include "tvmgen_ba.h"
#include "tests/hooks/device_main.h"
static tvm_device_woofles_t first, second;
#define RUNNER(net, NET, one, two)                                                                  \\
    static void *run_##net(void *arg)                                                              \\
    {{                                                                                              \\
        static int8_t in[TVMGEN_##NET##_{input}_COUNT], out[TVMGEN_##NET##_{output}_COUNT];          \\
        static int8_t expected[TVMGEN_##NET##_{output}_COUNT];                                      \\
        static union {{ uint64_t align[2]; uint8_t bytes[TVMGEN_##NET##_WORKSPACE_SIZE + 16]; }} memory  \\
            __attribute__((aligned(16)));                                                          \\
        struct tvm_device_error error;                                                             \\
        struct tvmgen_##net##_workspace_pools pools = {{memory.bytes}};                              \\
        struct tvmgen_##net##_inputs inputs = {{in}};                                                \\
        struct tvmgen_##net##_outputs outputs = {{out}};                                             \\
        struct tvmgen_##net##_devices devices = {{one, two, &error}};                                \\
        int *failures = (int *)arg;                                                                \\
        memset(in, 5, sizeof in);                                                                  \\
        for (int i = 0; i < 8; i++) {{                                                              \\
            *failures += tvmgen_##net##_run(&inputs, &outputs, &pools, &devices) != 0;             \\
            memcpy(i == 0 ? expected : out, out, sizeof out);                                      \\
            *failures += memcmp(out, expected, sizeof out) != 0;                                   \\
        }}                                                                                          \\
        return NULL;                                                                               \\
    }}
RUNNER(ab, AB, &first, &second)
RUNNER(ba, BA, &second, &first)
int main(void)
{{
    int failures[2] = {{0, 0}};
    pthread_t threads[2];
    if (!make_woofles(&first) || !make_woofles(&second)) {{
        return 1;
    }}
    pthread_create(&threads[0], NULL, run_ab, &failures[0]);
    pthread_create(&threads[1], NULL, run_ba, &failures[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return failures[0] + failures[1] == 0 && end_woofles(&first) && end_woofles(&second) ? 0 : 2;
}}
"""


def ports(header):
    names = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", header)
    return names[0], names[-1]


class Devices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.objects = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.objects)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def emit(self, model, devices, *options, code=0):
        args = [ORIBI, "compile", model, "-o", self.folder / "c", "--name", "net", "--force", "--plugin", TARGET]
        for device in devices:
            args += ["--target-device", device]
        for kind in sorted({device.split("=")[-1] for device in devices}):
            args += ["--device-platform", f"{kind}=posix"]
        done = subprocess.run([*args, *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.folder / "c" if code == 0 else done.stderr

    def build(self, folder, devices, *flags, compiler="gcc"):
        names = [d.split("=")[0] for d in devices]
        kinds = [d.split("=")[-1] for d in devices]
        source = (folder / "tvmgen_net.h").read_text()
        first, last = ports(source)
        main = MAIN.format(
            input=first, output=last, members=", ".join(f"&{n}" for n in names),
            declare="\n    ".join(f"static tvm_device_{k}_t {n};" for n, k in zip(names, kinds)),
            make=" && ".join(f"make_{k}(&{n})" for n, k in zip(names, kinds)),
            end=" && ".join(f"end_{k}(&{n})" for n, k in zip(names, kinds)))
        (folder / "main.c").write_text(main)
        program = self.folder / "program"
        drivers = {*(WOOFLES if "woofles" in kinds else []), *(UART_ACCEL if "uart_accel" in kinds else [])}
        subprocess.run([compiler, *FLAGS, *flags, "-I", folder, *INCLUDE, "-I", SOURCE,
                        *folder.rglob("*.c"), *(self.driver(d, compiler, flags) for d in sorted(drivers)), "-lpthread",
                        "-o", program], check=True)
        return program

    def driver(self, name, compiler, flags):
        """A driver's object, compiled once for all tests."""
        path = self.objects / f"{name.name}{name.parent.name}{compiler}{len(flags)}.o"
        if not path.exists():
            subprocess.run([compiler, *FLAGS, *flags, *INCLUDE, "-c", name,
                            "-o", path], check=True)
        return path

    def golden(self, model):
        folder = TINY / "golden" / model.stem
        if model == DIGITS:
            inputs = bytes(i * 37 % 251 for i in range(64 * 3))
            expected = self.on_cpu(model, inputs)
            return inputs, expected
        vectors = sorted(folder.glob("*input*"))[:3]
        inputs = b"".join(v.read_bytes() for v in vectors)
        expected = b"".join(pathlib.Path(str(v).replace("input", "output")).read_bytes() for v in vectors)
        return inputs, expected

    def on_cpu(self, model, inputs):
        folder = self.emit(model, [])
        main = MAIN.replace(", &devices", "").replace("struct tvmgen_net_devices devices = {{{members}, &error}};", "")
        first, last = ports((folder / "tvmgen_net.h").read_text())
        main = main.replace('#include "tests/hooks/device_main.h"',
                            "#include <stdio.h>\n#include <tvm/runtime/device.h>")
        (folder / "main.c").write_text(main.format(input=first, output=last, members="", declare="", make="1", end="1"))
        program = self.folder / "cpu"
        subprocess.run(["gcc", *FLAGS, "-I", folder, *INCLUDE, *folder.rglob("*.c"), "-o", program],
                       check=True)
        done = subprocess.run([program], input=inputs, capture_output=True, check=True)
        shutil.rmtree(folder)
        return done.stdout

    def check(self, model, devices, schedule, *flags, compiler="gcc"):
        inputs, expected = self.golden(model)
        if (self.folder / "c").exists():
            shutil.rmtree(self.folder / "c")
        folder = self.emit(model, devices, "--device-schedule", schedule, *in_turn(ORIBI, model, TARGET, devices))
        program = self.build(folder, devices, *flags, compiler=compiler)
        done = subprocess.run([program], input=inputs, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(done.stdout, expected, f"{model.stem} {devices} {schedule}")

    def test_digits_in_every_schedule_on_all_devices(self):
        for devices, schedule in itertools.product(DEVICES.values(), SCHEDULES):
            with self.subTest(devices=devices, schedule=schedule):
                self.check(DIGITS, devices, schedule, *SANITIZE)

    def test_two_threads_share_devices_in_opposite_orders(self):
        devices = ["--target-device", "one=woofles", "--target-device", "two=woofles"]
        for schedule in ("design", "lazy", "eager", "hold"):
            # Held open together, devices are opened in the order of the struct: models list them alike then.
            threads = THREADS.replace("&second, &first)", "&first, &second)") if schedule == "hold" else THREADS
            folder = self.folder / schedule
            for name in ("ab", "ba"):
                subprocess.run([ORIBI, "compile", DIGITS, "-o", folder / name, "--name", name, "--plugin", TARGET, *devices,
                                "--device-platform", "woofles=posix", "--device-schedule", schedule,
                                *in_turn(ORIBI, DIGITS, TARGET, devices[1::2])], check=True,
                               stdout=subprocess.DEVNULL)
            first, last = ports((folder / "ab/tvmgen_ab.h").read_text().replace("_AB_", "_NET_"))
            (folder / "main.c").write_text(threads.format(input=first, output=last))
            sources = [*WOOFLES, *folder.rglob("*.c")]
            subprocess.run(["gcc", *FLAGS, "-O0", "-fsanitize=thread", "-I", folder / "ab", "-I", folder / "ba", *INCLUDE,
                            "-I", SOURCE, *sources, "-lpthread", "-o", self.folder / "threads"], check=True)
            done = subprocess.run([self.folder / "threads"], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""), schedule)

    def test_models_in_every_schedule(self):
        models = ["kws_ref_model", "pretrainedResnet_quant", "vww_96_int8"]
        if not (TINY / "vww_96_int8.tflite").exists():
            self.skipTest("the models of MLPerf Tiny are absent")
        for (i, name), (j, devices), (k, schedule) in itertools.product(*map(enumerate, (models, DEVICES.values(), SCHEDULES))):
            if not EVERY and (j + k) % len(models) != i:
                continue
            with self.subTest(model=name, devices=devices, schedule=schedule):
                self.check(TINY / f"{name}.tflite", devices, schedule)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
