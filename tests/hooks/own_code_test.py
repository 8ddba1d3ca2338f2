#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Targets that write C of their own: examples/own_code, built and run with its library, bit for bit the
host's session; and the calls that a target with hooks writes itself.

    own_code_test.py ORIBI SOURCE_FOLDER MADE_TARGETS EXAMPLE_TARGETS DENSE_C
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from made_program import Program

ORIBI, SOURCE, TARGETS, _, DENSE = (pathlib.Path(p).resolve() for p in sys.argv[1:6])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
MODELS = [DIGITS] + [TINY / f"{n}.tflite" for n in ("ad01_int8", "kws_ref_model") if TINY.is_dir()]
STRICT = ["-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
FLAGS = [*STRICT, "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
MAIN = """#include <stdio.h>
#include "tvmgen_net.h"
{image}
static int8_t in[TVMGEN_NET_{input}_COUNT], out[TVMGEN_NET_{output}_COUNT];
static uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE + 16] __attribute__((aligned(TVMGEN_NET_WORKSPACE_ALIGNMENT)));
int main(void)
{{
    struct tvm_device_error error = {{0, 0, 0, 0, 0, NULL, NULL, NULL}};
    const struct tvmgen_net_inputs inputs = {{in}};
    const struct tvmgen_net_outputs outputs = {{out}};
    struct tvmgen_net_workspace_pools pools = {{memory{weights}}};
    const struct tvmgen_net_devices devices = {{&error}};
    int32_t code;
    {read}
    if (fread(in, 1, sizeof in, stdin) != sizeof in) {{
        return 1;
    }}
    code = tvmgen_net_run(&inputs, &outputs, &pools, &devices);
    if (code != 0) {{
        fprintf(stderr, "code %d in %s, operator %s\\n", (int)code, tvm_device_hook_name(error.hook),
                error.operator_name);
        return 2;
    }}
    return fwrite(out, 1, sizeof out, stdout) != sizeof out;
}}
"""


class OwnCode(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def expected(self, model, inputs):
        (self.folder / "in.bin").write_bytes(inputs)
        subprocess.run([ORIBI, "run", model, "--kernels", "micro", "-i", f"0=@{self.folder / 'in.bin'}", "-o",
                        self.folder / "out.npy", "--force"], check=True, stdout=subprocess.DEVNULL)
        data = (self.folder / "out.npy").read_bytes()
        return data[10 + int.from_bytes(data[8:10], "little"):]

    def build(self, model, *options, compiler="gcc", misplaced=False):
        c = self.folder / "c"
        shutil.rmtree(c, ignore_errors=True)
        subprocess.run([ORIBI, "compile", model, "-o", c, "--name", "net", "--plugin", DENSE, "--target-device",
                        "dense_c", *options], check=True, stdout=subprocess.DEVNULL)
        header = (c / "tvmgen_net.h").read_text()
        ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", header)
        is_bin = "bin" in options
        (c / "main.c").write_text(MAIN.format(
            input=ports[0], output=ports[-1], weights=", image" if is_bin else "",
            image=f"static uint8_t image[TVMGEN_NET_WEIGHTS_SIZE] __attribute__((aligned(TVMGEN_NET_WEIGHTS_ALIGNMENT)));"
            if is_bin else "",
            read=f'FILE *file = fopen("{c}/tvmgen_net_weights.bin", "rb");\n    if (file == NULL || fread(image, 1, '
                 f'sizeof image, file) != sizeof image || fclose(file) != 0) {{ return 3; }}' if is_bin else ""))
        flags = [f for f in FLAGS if not (misplaced and "sanitize" in f)]
        if is_bin:
            flags[0] = "-std=c11"
        sources = [*c.rglob("*.c"), *c.rglob("*.S"), *c.rglob("*.o"), SOURCE / "examples/own_code/vendor.c"]
        subprocess.run([compiler, *flags, f"-Wa,-I{c}", "-I", c, "-I", SOURCE / "include", "-I",
                        SOURCE / "examples/own_code", *sources, "-o", self.folder / "program"], check=True)
        return c, header

    def run_program(self, inputs):
        return subprocess.run([self.folder / "program"], input=inputs, capture_output=True, timeout=60)

    def test_its_code_computes_what_the_host_computes(self):
        for model in MODELS:
            for compiler in ("gcc", "clang"):
                if shutil.which(compiler) is None:
                    continue
                with self.subTest(model=model.stem, compiler=compiler):
                    c, header = self.build(model, compiler=compiler)
                    count = int(re.search(r"_SIZE (\d+)", header).group(1))
                    inputs = bytes((i * 29 + 3) % 251 for i in range(count))
                    done = self.run_program(inputs)
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    self.assertEqual(done.stdout, self.expected(model, inputs))
                    self.assertIn("vendor_dense_s8(", (c / "tvmgen_net.c").read_text())
                    self.assertFalse(list(c.glob("micro/fully_connected*")), "its kernel is not needed")

    def test_constants_are_aligned_wherever_they_lie(self):
        inputs = bytes(i % 50 for i in range(64))
        expected = self.expected(DIGITS, inputs)
        for options in (["--weights", "incbin"], ["--weights", "obj", "--weights-machine", "x86-64"],
                        ["--weights", "bin"], ["--weights", "c"]):
            with self.subTest(options=options):
                self.build(DIGITS, *options)
                done = self.run_program(inputs)
                self.assertEqual((done.returncode, done.stderr, done.stdout), (0, b"", expected))

    def test_its_error_ends_the_run(self):
        c, _ = self.build(DIGITS)
        text = (c / "tvmgen_net.c").read_text()
        (c / "tvmgen_net.c").write_text(re.sub(r"params \+ (\d+)u\);", r"params + \1u + 4u);", text, count=1))
        subprocess.run(["gcc", *STRICT, "-I", c, "-I", SOURCE / "include", "-I", SOURCE / "examples/own_code",
                        *c.rglob("*.c"), SOURCE / "examples/own_code/vendor.c", "-o", self.folder / "program"],
                       check=True)
        done = self.run_program(bytes(64))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"code -1 in Invoke, operator", done.stderr)

    def test_there_is_no_device(self):
        _, header = self.build(DIGITS)
        self.assertNotIn("tvm_device_dense_c_t", header)
        self.assertNotIn("TVM_DEVICE_DENSE_C_HEADER", header)

    def test_a_call_of_the_targets_own_has_device_hooks_constants_and_scratch(self):
        program = Program(ORIBI, SOURCE, TARGETS, self.folder / "own", DIGITS, ["npu=own"], "--device-schedule", "lazy")
        lines, _ = program.run(bytes(64))
        lines = [line for line in lines if line.startswith("npu")]
        words = [line.split()[1] for line in lines]
        self.assertEqual(words[:4], ["Activate", "Open", "Launch", "constants"])
        self.assertEqual(words[4:6], ["Close", "Deactivate"] if words.count("Launch") == 1 else ["Close", "Open"])
        self.assertEqual(lines[3], "npu constants 3 8 0")
        launch = lines[2].split()
        self.assertEqual(launch[-1].split(":")[1], "40", "scratch is the last tensor")
        scratch = [b for b in program.report["buffers"] if b["kind"] == "scratch" and b["bytes"] == 40]
        self.assertEqual(launch[-1], f"{scratch[0]['pool']}+{scratch[0]['offset']}:40")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
