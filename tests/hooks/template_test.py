#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi plugin new NAME --target` as a vendor uses it: what is written passes on this machine and on emulated boards as it
is; with two bodies filled in, 40 lines, it is another accelerator, which takes maxima of the digits and is verified alike;
an error in a body is found.

    template_test.py ORIBI SOURCE_FOLDER
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
BOARDS = {"cortex-m4": ("arm-none-eabi-gcc", "qemu-system-arm"), "cortex-m55": ("arm-none-eabi-gcc", "qemu-system-arm"),
          "riscv32": ("riscv64-unknown-elf-gcc", "qemu-system-riscv32")}
HERE = [name for name, tools in BOARDS.items() if all(map(shutil.which, tools))]

TAKES = """static const char *const ops[] = {"Oribi>QMaxPool"};

static int32_t supports(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    TF_Status *status = TF_NewStatus();
    const char *padding = oribi_region_attr_string(region, 0, "padding", status);
    (void)user;
    if (padding == NULL || strcmp(padding, "VALID") != 0) {
        snprintf(why, why_bytes, "it pads nothing");
    }
    TF_DeleteStatus(status);
    return why[0] == 0;
}

static void write_params(void *user, const oribi_region *region, oribi_target_code *code, TF_Status *status)
{
    oribi_region_tensor x = {.struct_size = sizeof x}, y = {.struct_size = sizeof y};
    int64_t k[2] = {0, 0}, s[2] = {0, 0};
    (void)user;
    oribi_region_input(region, 0, 0, &x, status);
    oribi_region_output(region, 0, 0, &y, status);
    oribi_region_attr_ints(region, 0, "ksize", k, 2, status);
    oribi_region_attr_ints(region, 0, "strides", s, 2, status);
    const int32_t params[8] = {(int32_t)x.dims[2], (int32_t)x.dims[3], (int32_t)y.dims[2], (int32_t)y.bytes,
                               (int32_t)k[0],      (int32_t)k[1],      (int32_t)s[0],      (int32_t)s[1]};
    oribi_target_set_op(code, 1);
    oribi_target_set_params(code, params, sizeof params, 4, status);
}
"""
COMPUTES = """static int32_t compute(const struct tvm_device_call *call)
{
    const int32_t *const p = (const int32_t *)call->params;
    for (int32_t i = 0; i < p[3]; i++) {
        const int32_t c = i % p[1], x = i / p[1] % p[2] * p[7], y = i / p[1] / p[2] * p[6];
        int32_t most = -128;
        for (int32_t k = 0; k < p[4] * p[5]; k++) {
            const int32_t at = ((y + k / p[5]) * p[0] + x + k % p[5]) * p[1] + c;
            most = ((const int8_t *)call->tensors[0].data)[at] > most ? ((const int8_t *)call->tensors[0].data)[at] : most;
        }
        ((int8_t *)call->tensors[1].data)[i] = (int8_t)most;
    }
    return TVM_DEVICE_OK;
}
"""


class Template(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "pkg-config").write_text(f"#!/bin/sh\necho -I{SOURCE / 'include'}\n")
        (self.folder / "pkg-config").chmod(0o755)

    def new(self, name="my_npu2"):
        done = subprocess.run([ORIBI, "plugin", "new", name, "--target"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / name

    def make(self, folder, *goals, code=0):
        done = subprocess.run(["make", *goals, f"ORIBI={ORIBI}", f"BOARDS={' '.join(HERE)}", "CC=gcc -Wconversion -Werror"],
                              cwd=folder, capture_output=True, text=True, timeout=400,
                              env={"PATH": f"{self.folder}:/usr/local/bin:/usr/bin:/bin"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def fill(self, folder, takes=TAKES, computes=COMPUTES):
        for file, body in (("target.c", takes), ("driver.c", computes)):
            text = (folder / file).read_text()
            text, n = re.subn(r"(?s)(/\* begin: yours \*/\n).*(?=/\* end: yours \*/)", lambda m: m.group(1) + body, text)
            self.assertEqual(n, 1)
            (folder / file).write_text(text)
        return f"MODEL={DIGITS}"

    def test_it_passes_as_it_is(self):
        folder = self.new()
        out = self.make(folder, "test", "boards", *(["firmware"] if "cortex-m4" in HERE else []))
        for board in ["host", *HERE]:
            self.assertIn(f"{board}: equal bit for bit: 2 runs", out)
        self.assertRegex(out, r"relu +Relu +my_npu2 +my_npu2, first: taken")
        self.assertNotRegex("".join(f.read_text() for f in folder.rglob("*") if f.suffix != ".onnx" and f.is_file()
                                    and f.suffix in (".c", ".h", ".json", ".md")), "(?i)tiny_?npu")

    def test_two_bodies_of_40_lines_are_another_accelerator(self):
        self.assertLessEqual((TAKES + COMPUTES).count("\n"), 45)
        folder = self.new()
        out = self.make(folder, "test", "boards", self.fill(folder))
        for board in ["host", *HERE]:
            self.assertIn(f"{board}: equal bit for bit: 2 runs", out)
        nodes = json.loads(subprocess.run([ORIBI, "inspect", DIGITS, "--plugin", "./my_npu2_target.so", "--target-device",
                                           "my_npu2", "--json"], cwd=folder, capture_output=True, check=True).stdout)["nodes"]
        self.assertIn("my_npu2", [n["device"] for n in nodes if n["op"] == "Oribi>QMaxPool"])

    def test_a_wrong_body_is_found(self):
        folder = self.new()
        out = self.make(folder, "test", self.fill(folder, computes=COMPUTES.replace("most = -128", "most = 0")), code=2)
        self.assertRegex(out, "npu.json differ|differs from the host session")

    def test_what_it_does_not_take_is_said(self):
        self.new("npu")
        for words, code, message in ((["npu", "--target"], 4, "nothing was written"),
                                     (["npu2", "--target", "--micro"], 2, "give one of --cxx, --micro, --device and --target"),
                                     (["Npu", "--target"], 2, "not a valid name")):
            done = subprocess.run([ORIBI, "plugin", "new", *words], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
