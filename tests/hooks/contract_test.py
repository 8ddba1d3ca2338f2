#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What emitted code with devices promises to an application: types, names, symbols, warnings, instances.

    contract_test.py ORIBI SOURCE_FOLDER MADE_TARGETS
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from accelerators import INCLUDE, OPS
from made_program import FLAGS, Program

ORIBI, SOURCE, TARGETS = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
C = ["gcc", "clang", "clang-14", "arm-none-eabi-gcc", "riscv64-unknown-elf-gcc"]
CXX = ["g++", "clang++", "clang++-14", "arm-none-eabi-g++"]
# One device header for all kinds: a struct of its own for each.
HEADER = """#ifndef PLAIN_DEVICE_H_
#define PLAIN_DEVICE_H_
#include "tvm/runtime/device.h"
#ifdef __cplusplus
extern "C" {
#endif
%s
#ifdef __cplusplus
}
#endif
#endif
"""
KIND = """typedef struct {{ int32_t {kind}; }} tvm_device_{kind}_t;
int32_t TVMDevice{camel}Activate(tvm_device_{kind}_t *dev);
int32_t TVMDevice{camel}Open(tvm_device_{kind}_t *dev);
int32_t TVMDevice{camel}Invoke(tvm_device_{kind}_t *dev, const struct tvm_device_call *call);
int32_t TVMDevice{camel}Close(tvm_device_{kind}_t *dev);
int32_t TVMDevice{camel}Deactivate(tvm_device_{kind}_t *dev);
"""
INSTANCES = """#include <string.h>
#include "tvmgen_net.h"
#include "examples/accelerators/woofles/common/woofles_device.h"
#define HOOK(Camel, kind, name) int32_t TVMDevice##Camel##name(tvm_device_##kind##_t *dev) { return dev->kind - 7; }
#define HOOKS(Camel, kind) HOOK(Camel, kind, Activate) HOOK(Camel, kind, Open) HOOK(Camel, kind, Close) \\
    HOOK(Camel, kind, Deactivate) \\
    int32_t TVMDevice##Camel##Invoke(tvm_device_##kind##_t *dev, const struct tvm_device_call *call) \\
    { \\
        const struct woofles_span in = {call->tensors[0].data, call->tensors[0].bytes}; \\
        const struct woofles_span out = {call->tensors[1].data, call->tensors[1].bytes}; \\
        return dev->kind != 7 ? -1 : woofles_compute((uint32_t)call->op, call->params, call->params_bytes, &in, 1, \\
                                                     &out, 1); \\
    }
HOOKS(Npu1, npu1)
HOOKS(Npu2, npu2)
enum { INSTANCES = 3 };
static struct {
    int8_t in[TVMGEN_NET_%(input)s_COUNT], out[TVMGEN_NET_%(output)s_COUNT], alone[TVMGEN_NET_%(output)s_COUNT];
    uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE + 64] __attribute__((aligned(64)));
    struct tvmgen_net_cursor cursor;
} all[INSTANCES];
static tvm_device_npu1_t one = {7};
static tvm_device_npu2_t two = {7};
int main(void)
{
    int more = 1, same = 0;
    for (int i = 0; i < INSTANCES; i++) {
        struct tvmgen_net_inputs inputs = {all[i].in};
        struct tvmgen_net_outputs outputs = {all[i].alone};
        struct tvmgen_net_workspace_pools pools = {all[i].memory};
        for (int k = 0; k < TVMGEN_NET_%(input)s_COUNT; k++) {
            all[i].in[k] = (int8_t)(k * (3 + i) %% 100);
        }
        /* The design's entry: each device by itself, no error record. */
        if (tvmgen_net_run_model(&inputs, &outputs, &pools, &one, &two, NULL) != 0) {
            return 1;
        }
        memset(all[i].memory, 0xa5, sizeof all[i].memory);
    }
    while (more) { /* an operator of each in turn */
        more = 0;
        for (int i = 0; i < INSTANCES; i++) {
            struct tvmgen_net_inputs inputs = {all[i].in};
            struct tvmgen_net_outputs outputs = {all[i].out};
            struct tvmgen_net_workspace_pools pools = {all[i].memory};
            struct tvmgen_net_devices devices = {&one, &two, NULL};
            const int32_t code = tvmgen_net_step(&all[i].cursor, &inputs, &outputs, &pools, &devices);
            if (code != TVMGEN_NET_MORE && code != 0) {
                return 2;
            }
            more = more || code == TVMGEN_NET_MORE;
        }
    }
    for (int i = 0; i < INSTANCES; i++) {
        if (memcmp(all[i].out, all[i].alone, sizeof all[i].out) != 0) {
            return 3;
        }
        same += i > 0 && memcmp(all[i].out, all[0].out, sizeof all[i].out) == 0;
    }
    return same == INSTANCES - 1 ? 4 : 0;
}
"""


class Contract(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, *options, name="c"):
        return subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / name, "--name", "net", "--plugin", TARGETS,
                               *options], capture_output=True, text=True)

    def emit(self, *options, name="c", kinds=("npu1", "npu2")):
        done = self.compile(*options, name=name)
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = self.folder / name
        (folder / "plain_device.h").write_text(HEADER % "".join(
            KIND.format(kind=k, camel=k.capitalize()) for k in kinds))
        return folder, [f"-DTVM_DEVICE_{k.upper()}_HEADER=\"plain_device.h\"" for k in kinds]

    def two(self, *options, name="c"):
        return self.emit("--target-device", "npu1", "--target-device", "npu2", *options, name=name)

    # --- Types ----------------------------------------------------------------------------------

    def test_a_device_of_another_kind_does_not_compile(self):
        folder, defines = self.two()
        good = ('#include "tvmgen_net.h"\nextern tvm_device_npu1_t first;\nextern tvm_device_npu2_t second;\n'
                "void fill(struct tvmgen_net_devices *devices);\n"
                "void fill(struct tvmgen_net_devices *devices)\n{\n    devices->npu1 = &first;\n"
                "    devices->npu2 = &second;\n}\n")
        tried = 0
        for compilers, suffix, words in ((C, "c", "incompatible pointer type"),
                                         (CXX, "cc", "cannot convert|assigning to|incompatible type")):
            for compiler in compilers:
                if shutil.which(compiler) is None:
                    continue
                for text, is_good in ((good, True), (good.replace("= &second", "= &first"), False)):
                    source = self.folder / f"x.{suffix}"
                    source.write_text(text)
                    done = subprocess.run([compiler, *WARNINGS, *defines, "-I", folder, *INCLUDE,
                                           "-ffreestanding", "-c", source, "-o", self.folder / "x.o"],
                                          capture_output=True, text=True)
                    self.assertEqual(done.returncode == 0, is_good, compiler + done.stderr)
                    if not is_good:
                        self.assertRegex(done.stderr, words)
                tried += 1
        self.assertGreaterEqual(tried, 2)

    # --- Names ----------------------------------------------------------------------------------

    def test_a_hook_of_another_signature_does_not_compile(self):
        good = ('#include "tvm/runtime/hooks.h"\ntypedef struct { int32_t x; } tvm_device_npu_t;\n'
                "TVM_DEVICE_HOOKS(Npu, tvm_device_npu_t);\n"
                "int32_t TVMDeviceNpuCacheClean(tvm_device_npu_t *dev, const void *data, uint32_t bytes)\n"
                "{\n    return dev->x + (data != 0) + (int32_t)bytes;\n}\n")
        for compiler in [c for c in C if shutil.which(c) is not None]:
            for text, is_good in ((good, True), (good.replace("uint32_t bytes", "uint16_t bytes"), False)):
                source = self.folder / "hook.c"
                source.write_text(text)
                done = subprocess.run([compiler, *WARNINGS, *INCLUDE, "-ffreestanding", "-c", source, "-o", self.folder / "x.o"],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode == 0, is_good, compiler + done.stderr)
                self.assertTrue(is_good or "conflicting types" in done.stderr, done.stderr)

    def test_npu1_and_npu2_are_two_devices(self):
        folder, _ = self.two()
        text = (folder / "tvmgen_net.c").read_text() + (folder / "tvmgen_net.h").read_text()
        for word in ("TVMDeviceNpu1Open(dev)", "TVMDeviceNpu2Open(dev)", "return devices->npu1;", "tvm_device_npu1_t *npu1;",
                     "tvm_device_npu2_t *npu2;", "TVM_DEVICE_NPU1_HEADER", "TVM_DEVICE_NPU2_HEADER"):
            self.assertIn(word, text)

    def test_names_that_collide_are_refused(self):
        for devices, words in ((["twin-a", "twin_a"], "twin"), (["a-b=npu1", "a_b=npu2"], "--rename 'a_b=NEW'"),
                               (["x=npu1", "x=npu2"], "two devices are called 'x'"),
                               (["A=npu1", "a=npu2"], "device 'A' and device 'a' would both be called")):
            done = self.compile(*[part for d in devices for part in ("--target-device", d)])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
        done = self.compile("--target-device", "t1=twin-a", "--target-device", "t2=twin_a")
        self.assertIn("would both have the hooks TVMDeviceTwinA", done.stderr)
        folder, _ = self.emit("--target-device", "a-b=npu1", "--target-device", "a_b=npu2", "--rename", "a_b=other")
        header = (folder / "tvmgen_net.h").read_text()
        for member in ("tvm_device_npu1_t *a_b;", "tvm_device_npu2_t *other;"):
            self.assertIn(member, header)

    def test_host_is_a_member_that_no_operator_runs_on(self):
        folder, defines = self.emit("--target-device", "npu1", "--device", "host=npu2", "--device-schedule", "lazy")
        header, text = (folder / "tvmgen_net.h").read_text(), (folder / "tvmgen_net.c").read_text()
        self.assertIn("tvm_device_npu2_t *host;", header)
        self.assertNotIn("TVMDeviceNpu2Invoke", text)
        self.assertIn("if (devices->host == NULL)", text)
        for schedule in ("design", "hold"):
            folder, _ = self.emit("--target-device", "npu1", "--device", "host=npu2", "--device-schedule", schedule,
                                  name=schedule)
            subprocess.run(["gcc", "-std=c99", *WARNINGS, *defines, "-I", folder, *INCLUDE, "-c",
                            folder / "tvmgen_net.c", "-o", self.folder / "x.o"], check=True)
        # A kind that no target describes has its hooks, too.
        folder, _ = self.emit("--device", "host=board", name="board", kinds=("board",))
        subprocess.run(["gcc", "-std=c99", *WARNINGS, "-DTVM_DEVICE_BOARD_HEADER=\"plain_device.h\"", "-I", folder, *INCLUDE,
                        "-c", folder / "tvmgen_net.c", "-o", self.folder / "x.o"], check=True)

    def test_run_model_takes_each_device_by_itself(self):
        folder, _ = self.two()
        declared = re.search(r"int32_t tvmgen_net_run_model\(([^;]*)\);", (folder / "tvmgen_net.h").read_text()).group(1)
        self.assertEqual([" ".join(p.split()) for p in declared.split(",")][3:],
                         ["void *dev_npu1", "void *dev_npu2", "struct tvm_device_error *error"])

    # --- Rules of emitted code ------------------------------------------------------------------

    def test_emitted_code_asks_for_hooks_and_three_functions(self):
        for kinds in (["cached"], ["queued"], ["walled", "shared"]):
            program = Program(ORIBI, SOURCE, TARGETS, self.folder / kinds[0], DIGITS, kinds, "--device-schedule", "hold",
                              "--pool", "name=fast,device=" + kinds[0], "--pool", "name=slow")
            headers = [f"-DTVM_DEVICE_{k.upper()}_HEADER=\"tests/hooks/made/made_device.h\"" for k in kinds]
            names, data = set(), []
            for source in (program.c / "tvmgen_net.c", program.c / "tvmgen_net_weights.c", *program.c.glob("micro/*.c")):
                subprocess.run(["gcc", "-std=c99", "-O2", "-fno-stack-protector", "-fno-pie", *headers, "-I", program.c, *INCLUDE,
                                "-I", SOURCE, "-c", source, "-o", self.folder / "x.o"], check=True)
                text = subprocess.run(["nm", self.folder / "x.o"], capture_output=True, text=True, check=True).stdout
                names |= {line.split()[-1] for line in text.splitlines() if line.split()[0] == "U"}
                data += [line for line in text.splitlines() if line.split()[-2] in "DdBbCSsGg"]
            asked = {n for n in names if not n.startswith(("tvmgen_net_", "_GLOBAL_OFFSET"))}
            hooks = {n for n in asked if n.startswith("TVMDevice")}
            self.assertTrue(hooks)
            self.assertLessEqual(asked - hooks, {"memcpy", "memmove", "memset"})
            self.assertEqual(data, [], "no variable of its own")

    def test_there_are_no_warnings(self):
        folder, defines = self.two("--device-schedule", "hold", "--pool", "name=a,device=npu1", "--pool",
                                   "name=b,device=npu2")
        tried = 0
        for compiler in C:
            if shutil.which(compiler) is None:
                continue
            for level in ("-O0", "-Os", "-O3"):
                done = subprocess.run([compiler, "-std=c99", level, *WARNINGS, "-Wstrict-prototypes", *defines, "-I",
                                       folder, *INCLUDE, "-I", SOURCE / "platform/include",
                                       "-ffreestanding", "-c", folder / "tvmgen_net.c", "-o", self.folder / "x.o"],
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), compiler)
            tried += 1
        self.assertGreater(tried, 0)

    def test_one_instance_with_memory_of_its_own(self):
        for options in ((), ("--weights", "bin"), ("--pool", "name=a,device=npu1", "--pool", "name=b")):
            folder, defines = self.two("--workspace", "static", *options, name="static" + "".join(options)[-1:])
            header = (folder / "tvmgen_net_static.h").read_text()
            self.assertIn("const struct tvmgen_net_devices *devices);", header)
            for source in folder.glob("tvmgen_net*.c"):
                subprocess.run(["gcc", "-std=c99", *WARNINGS, "-Wstrict-prototypes", *defines, "-I", folder, *INCLUDE,
                                "-c", source, "-o", self.folder / "x.o"], check=True)

    def test_a_self_test_with_devices_is_refused(self):
        done = self.compile("--target-device", "npu1", "--self-test")
        self.assertEqual(done.returncode, 4)
        self.assertIn("--self-test tests operators of the CPU", done.stderr)

    def test_the_same_options_give_the_same_bytes(self):
        for options in (("--device-schedule", "hold"), ("--pool", "name=a,device=npu1", "--pool", "name=b")):
            one, two = (self.two(*options, name=n + options[0])[0] for n in ("one", "two"))
            files = sorted(p.relative_to(one) for p in one.rglob("*") if p.is_file())
            self.assertEqual(files, sorted(p.relative_to(two) for p in two.rglob("*") if p.is_file()))
            for name in files:
                self.assertEqual((one / name).read_bytes(), (two / name).read_bytes(), name)

    def test_instances_step_side_by_side_over_the_same_devices(self):
        folder, defines = self.two("--device-schedule", "design")
        ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", (folder / "tvmgen_net.h").read_text())
        (folder / "main.c").write_text(INSTANCES % {"input": ports[0], "output": ports[-1]})
        flags = [f for f in FLAGS if "CONFIG_HEADER" not in f]
        subprocess.run(["gcc", *flags, *defines, "-O0", "-fsanitize=address,undefined", "-I", folder, *INCLUDE,
                        "-I", SOURCE, *folder.rglob("*.c"), OPS, "-o",
                        self.folder / "program"], check=True)
        self.assertEqual(subprocess.run([self.folder / "program"], timeout=60).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
