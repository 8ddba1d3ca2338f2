#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Load: constants go to the example accelerators once while they are switched on, however often the model runs. And who
may meet whom: headers, emitted code and drivers of different contracts.

    load_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from accelerators import FOLDER, INCLUDE, OPS, header, sources  # noqa: E402

ORIBI, SOURCE, TARGET = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
FAR_END = {"uart_accel": [FOLDER / "uart_accel/common/uart_far_end.c", OPS], "woofles": []}
# Per run a line: what came over the line, or how many params lie on the device; then the outputs.
MAIN = """#include "tvmgen_net.h"
#include "tests/hooks/device_main.h"
static int8_t in[TVMGEN_NET_{input}_COUNT];
static TVMGEN_NET_{output}_TYPE out[TVMGEN_NET_{output}_COUNT];
static uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE + 16] __attribute__((aligned(16)));
int main(int argc, char **argv)
{{
    struct tvm_device_error error = {{0}};
    tvm_device_{kind}_t dev;
    const struct tvmgen_net_workspace_pools pools = {{memory}};
    const struct tvmgen_net_inputs inputs = {{in}};
    const struct tvmgen_net_outputs outputs = {{out}};
    const struct tvmgen_net_devices devices = {{&dev, &error}};
    const int is_held = argc > 1 && argv[1][0] == 'h';
    if (!make_{kind}(&dev) || (is_held && TVMDevice{camel}Activate(&dev) != 0)) {{
        return 1;
    }}
    for (int run = 0; run < 3; run++) {{
        const uint32_t before = COUNT;
        for (int i = 0; i < TVMGEN_NET_{input}_COUNT; i++) {{
            in[i] = (int8_t)(i * (run + 3));
        }}
        const int32_t code = tvmgen_net_run(&inputs, &outputs, &pools, &devices);
        if (code != 0) {{
            printf("%d %s %s\\n", (int)code, error.instance, tvm_device_hook_name(error.hook));
            return 2;
        }}
        printf("%u", (unsigned)(COUNT - before));
        for (int i = 0; i < TVMGEN_NET_{output}_COUNT; i++) {{
            printf(" %d", (int)out[i]);
        }}
        puts("");
    }}
    return (is_held && TVMDevice{camel}Deactivate(&dev) != 0) || !end_{kind}(&dev) ? 3 : 0;
}}
"""
CAMEL = {"uart_accel": "UartAccel", "woofles": "Woofles"}
COUNT = {"uart_accel": "-DCOUNT=__atomic_load_n(&far_received, __ATOMIC_RELAXED)", "woofles": "-DCOUNT=dev.params_kept"}




class Load(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def emit(self, kind):
        emitted = self.folder / "c"
        subprocess.run([ORIBI, "compile", DIGITS, "-o", emitted, "--name", "net", "--plugin", TARGET, "--target-device",
                        kind, "--device-platform", f"{kind}=posix"], check=True, stdout=subprocess.DEVNULL)
        ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", (emitted / "tvmgen_net.h").read_text())
        (emitted / "main.c").write_text(MAIN.format(input=ports[0], output=ports[-1], kind=kind, camel=CAMEL[kind]))
        return emitted

    def objects(self, kind, files, name, *first):
        """One object of the files; `first` are flags before all include folders."""
        made = self.folder / f"{name}.o"
        subprocess.run(["gcc", *FLAGS, COUNT[kind], header(kind, "posix"), *first, "-I", self.folder / "c", "-I", SOURCE,
                        *INCLUDE, "-r", *files, "-o", made], check=True)
        return made

    def build(self, kind):
        emitted = self.emit(kind)
        program = self.folder / "program"
        whole = self.objects(kind, [*emitted.rglob("*.c"), *sources(kind, "posix"), *FAR_END[kind]], "objects")
        subprocess.run(["gcc", whole, "-lpthread", "-o", program], check=True)
        return program, (emitted / "tvmgen_net.c").read_text()

    def run_it(self, program, mode="once", code=0):
        done = subprocess.run([program, mode], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return [line.split(" ", 1) for line in done.stdout.splitlines()]

    def changed_header(self, name, change):
        """A folder before the others, with the contract's header as another release might have it."""
        text = (SOURCE / "include/tvm/runtime/device.h").read_text()
        made = self.folder / name / "tvm/runtime"
        made.mkdir(parents=True)
        changed = change(text)
        self.assertNotEqual(changed, text)
        (made / "device.h").write_text(changed)
        return ["-I", self.folder / name]

    def test_params_go_over_a_line_once_while_the_application_keeps_it_on(self):
        program, text = self.build("uart_accel")
        params = sum(int(n) for n in re.findall(r"\{\w+_params, (\d+)u, \{0x", text))
        self.assertGreater(params, 1000)
        each, held = self.run_it(program), self.run_it(program, "held")
        self.assertEqual([out for _, out in held], [out for _, out in each])
        self.assertEqual(len({out for _, out in each}), 3)
        each, held = ([int(n) for n, _ in lines] for lines in (each, held))
        self.assertEqual(len(set(each)), 1)  # its own Activate and Deactivate
        self.assertEqual(held[1], held[2])
        # A frame to keep them is 18 bytes beside the params.
        self.assertEqual(held[0] - held[1], params + 18 * text.count("{TVM_DEVICE_HOOK_LOAD,"))

    def test_params_lie_in_a_window_once_while_the_application_keeps_it_on(self):
        program, text = self.build("woofles")
        params = sum((int(n) + 3) // 4 * 4 for n in re.findall(r"\{\w+_params, (\d+)u, \{0x", text))
        each, held = self.run_it(program), self.run_it(program, "held")
        self.assertEqual([out for _, out in held], [out for _, out in each])
        self.assertEqual([int(n) for n, _ in held], [params, 0, 0])

    OTHERS = {
        "the same": (lambda t: t + "/* */", None),
        "a later one": (lambda t: t.replace("TVM_DEVICE_CONTRACT 104", "TVM_DEVICE_CONTRACT 105"), "contract 1.5 of"),
        "a call with more members": (lambda t: t.replace("    uint32_t reserved;\n", "    uint32_t reserved, more[4];\n"),
                                     "bytes a call"),
        "another tensor": (lambda t: t.replace("    uint32_t bytes;\n", "    uint32_t bytes, stride[2];\n", 1), "a tensor"),
        "none": (lambda t: re.sub(r"#define TVM_DEVICE_DRIVER\(X\)(?:[^\n]*\\\n)*[^\n]*\n",
                                  "#define TVM_DEVICE_DRIVER(X) int tvm_no_record(void)\n", t),
                 "has no TVMDeviceWooflesDriver, which its target asks for"),
    }

    def test_a_driver_for_another_contract_is_refused_before_any_hook(self):
        emitted = self.emit("woofles")
        own = self.objects("woofles", emitted.rglob("*.c"), "own")
        for name, (change, message) in self.OTHERS.items():
            if name == "none":
                continue  # that does not link
            with self.subTest(driver=name):
                first = self.changed_header(f"{name} include", change)
                # Only the driver's record is of the other header: who ran further would be seen.
                driver = self.objects("woofles", sources("woofles", "posix"), name, *first)
                program = self.folder / "program"
                subprocess.run(["gcc", own, driver, "-lpthread", "-o", program], check=True)
                lines = self.run_it(program, code=0 if message is None else 2)
                if message is not None:
                    self.assertEqual(lines, [["-32009", "woofles "]])

    def test_a_driver_for_another_contract_is_refused_on_the_desk(self):
        (self.folder / "x.bin").write_bytes(bytes(64))
        driver = self.folder / "driver.so"
        for name, (change, message) in self.OTHERS.items():
            with self.subTest(driver=name):
                first = self.changed_header(f"{name} include", change)
                subprocess.run(["gcc", "-std=gnu11", "-O1", "-shared", "-fPIC", *first, *INCLUDE, *sources("woofles", "posix"),
                                FOLDER / "woofles/posix/woofles_desk.c", "-lpthread", "-o", driver], check=True)
                done = subprocess.run([ORIBI, "run", DIGITS, "-i", f"0=@{self.folder / 'x.bin'}", "--plugin", TARGET, "--device",
                                       f"woofles={driver}"], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0 if message is None else 4, done.stderr)
                self.assertIn(message or "", done.stderr)

    def test_an_older_header_is_refused_by_the_compiler(self):
        emitted = self.emit("woofles")
        older = self.changed_header("include", lambda t: re.sub(r"#define TVM_DEVICE_CONTRACT\b.*", "", t))[1]
        done = subprocess.run(["gcc", "-fsyntax-only", "-include", older / "tvm/runtime/device.h", "-I", emitted, *INCLUDE,
                               emitted / "tvmgen_net.c"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("tvm/runtime/device.h is older than this model, which needs contract 1.4 of it", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
