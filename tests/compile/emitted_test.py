#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C that `oribi compile` writes: clean C99 with gcc and clang, no symbol but memcpy, memmove and
memset, bit for bit what the host computes, and the golden vectors of MLPerf Tiny.

    emitted_test.py ORIBI SOURCE_FOLDER
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
         "-ffp-contract=off"]
MAIN = """#include <stdio.h>
#include <stdint.h>
#include "{header}"
static int8_t in[{n}], out[{m}];
static union {{ uint64_t align[2]; uint8_t bytes[TVMGEN_NET_WORKSPACE_SIZE]; }} memory
    __attribute__((aligned(TVMGEN_NET_WORKSPACE_ALIGNMENT)));
#ifdef TVMGEN_NET_WEIGHTS_SIZE
static uint8_t weights[TVMGEN_NET_WEIGHTS_SIZE] __attribute__((aligned(4)));
#endif
int main(int argc, char **argv)
{{
    struct {name}_workspace_pools pools = {{0}};
    pools.workspace = memory.bytes;
    (void)argc, (void)argv;
#ifdef TVMGEN_NET_WEIGHTS_SIZE
    FILE *file = fopen(argv[1], "rb");
    if (file == NULL || fread(weights, 1, sizeof weights, file) != sizeof weights ||
        fgetc(file) != EOF || {name}_check_weights(weights, sizeof weights) != 0) {{
        return 2;
    }}
    fclose(file);
    pools.weights = weights;
#endif
    struct {name}_inputs inputs = {{in}};
    struct {name}_outputs outputs = {{out}};
    while (fread(in, 1, sizeof in, stdin) == sizeof in) {{
        if ({name}_run(&inputs, &outputs, &pools) != 0) {{
            return 1;
        }}
        fwrite(out, 1, sizeof out, stdout);
    }}
    return 0;
}}
"""


class Emitted(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, model, code=0, *more):
        done = subprocess.run([ORIBI, "compile", model, "-o", self.folder / "c", "--name", "net", "--force",
                               *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.folder / "c"

    def test_it_is_clean_c99_and_asks_for_nothing(self):
        for options in ([], ["--io", "pool", "--weights", "bin"]):
            folder = self.compile(DIGITS, 0, *options)
            for prefix, compiler in (("", "gcc"), ("", "clang-14"), ("arm-none-eabi-", "arm-none-eabi-gcc")):
                if shutil.which(compiler) is None:
                    print(f"{compiler} is absent")
                    continue
                flags = ["-mcpu=cortex-m4", "-mthumb"] if prefix else []
                whole = self.folder / "whole.o"
                subprocess.run([compiler, *flags, *FLAGS, "-r", "-nostdlib", *folder.rglob("*.c"), "-o", whole],
                               check=True)
                names = subprocess.run([prefix + "nm", "-u", whole], check=True, capture_output=True,
                                       text=True).stdout
                self.assertLessEqual({n for n in names.split() if not n.startswith("__aeabi_")} - {"U"},
                                     {"memcpy", "memmove", "memset"})
                sizes = subprocess.run([prefix + "size", "-A", whole], check=True, capture_output=True,
                                       text=True).stdout
                for line in sizes.splitlines():
                    if line.startswith((".data", ".bss", ".tdata", ".tbss")) and ".rel.ro" not in line:
                        self.assertEqual(int(line.split()[1]), 0, f"state of its own: {line}")
            subprocess.run(["g++", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fsyntax-only",
                            f"-I{folder}", "-x", "c++", folder / "tvmgen_net.h"], check=True)
            fast = subprocess.run(["gcc", "-ffast-math", "-fsyntax-only", folder / "tvmgen_net.c"],
                                  capture_output=True, text=True)
            self.assertNotEqual(fast.returncode, 0)
            self.assertIn("without -ffast-math", fast.stderr)
            # cores on which it would mean something else, as their compilers define them
            for core, why in (("-D__INT_MAX__=32767", "int has less than 32 bits here"), ("-D__AVR__", "AVR is not supported"),
                              ("-D__CHAR_BIT__=16", "a byte does not have 8 bits here")):
                for source in sorted(folder.rglob("*.c")):
                    done = subprocess.run(["gcc", "-fsyntax-only", core, "-I", folder, source], capture_output=True,
                                          text=True)
                    self.assertIn(why, done.stderr, f"{source} {core}")

    def test_same_input_same_bytes(self):
        first = {p.name: p.read_bytes() for p in self.compile(DIGITS).rglob("*") if p.is_file()}
        second = {p.name: p.read_bytes() for p in self.compile(DIGITS).rglob("*") if p.is_file()}
        self.assertEqual(first, second)

    def test_it_computes_what_the_host_computes(self):
        done = subprocess.run([ORIBI, "verify", DIGITS, "--target", "host"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_budgets_that_are_too_small_exit_5(self):
        self.compile(DIGITS, 5, "--max-ram", "1000")
        self.compile(DIGITS, 5, "--max-flash", "1000")

    def run_vectors(self, model, inputs, n_out, *options):
        folder = self.compile(model, 0, *options)
        main = self.folder / "main.c"
        main.write_text(MAIN.format(header="tvmgen_net.h", name="tvmgen_net", n=len(inputs[0]), m=n_out))
        program = self.folder / "program"
        subprocess.run(["gcc", "-std=c99", "-O0", "-fsanitize=address,undefined",
                        "-fno-sanitize-recover=undefined", f"-I{folder}", f"-Wa,-I{folder}", main,
                        *sorted(p for p in folder.rglob("*") if p.suffix in (".c", ".S", ".o")),
                        "-o", program], check=True)
        done = subprocess.run([program, folder / "tvmgen_net_weights.bin"], input=b"".join(inputs),
                              capture_output=True, check=True)
        return [done.stdout[i:i + n_out] for i in range(0, len(done.stdout), n_out)]

    def pictures(self):
        held_out = np.load(SOURCE / "examples/digits/held_out.npz")
        return [(p.astype(np.int16) - 128).astype(np.int8).tobytes() for p in held_out["pictures"]]

    def test_weights_in_any_form_give_the_same_results(self):
        pictures = self.pictures()[:20]
        wanted = self.run_vectors(DIGITS, pictures, 10)
        for options in (["--weights", "bin"], ["--weights", "incbin"],
                        ["--weights", "obj", "--weights-machine", "x86-64"], ["--io", "caller"]):
            shutil.rmtree(self.folder / "c")
            with self.subTest(options):
                self.assertEqual(self.run_vectors(DIGITS, pictures, 10, *options), wanted)

    def test_objects_of_weights_link_for_their_machines(self):
        for machine, prefix, flags in (("arm", "arm-none-eabi-", ["-mcpu=cortex-m4", "-mthumb"]),
                                       ("arm", "arm-none-eabi-", ["-mcpu=cortex-m55", "-mfloat-abi=hard"]),
                                       ("riscv32", "riscv64-unknown-elf-", ["-march=rv32imac", "-mabi=ilp32"]),
                                       ("x86-64", "", [])):
            if shutil.which(prefix + "gcc") is None:
                continue
            with self.subTest(machine):
                folder = self.compile(DIGITS, 0, "--weights", "obj", "--weights-machine", machine)
                whole = self.folder / "whole.o"
                subprocess.run([prefix + "gcc", *flags, *FLAGS, "-ffreestanding", "-r", "-nostdlib", *folder.rglob("*.c"),
                                folder / "tvmgen_net_weights.o", "-o", whole], check=True)
                names = subprocess.run([prefix + "nm", "-u", whole], check=True, capture_output=True,
                                       text=True).stdout
                self.assertNotIn("tvmgen_", names)

    def test_weights_of_another_model_are_refused(self):
        folder = self.compile(DIGITS, 0, "--weights", "bin")
        main = self.folder / "main.c"
        main.write_text("""#include <stdio.h>
#include "tvmgen_net.h"
static int8_t in[TVMGEN_NET_PICTURE_SIZE], out[TVMGEN_NET_IDENTITY_SIZE];
static uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE] __attribute__((aligned(16)));
static uint8_t weights[TVMGEN_NET_WEIGHTS_SIZE + 1] __attribute__((aligned(4)));
int main(int argc, char **argv)
{
    struct tvmgen_net_inputs inputs = {in};
    struct tvmgen_net_outputs outputs = {out};
    struct tvmgen_net_workspace_pools pools = {memory, weights};
    FILE *file = fopen(argv[argc - 1], "rb");
    if (file == NULL || fread(weights, 1, TVMGEN_NET_WEIGHTS_SIZE, file) != TVMGEN_NET_WEIGHTS_SIZE) return 1;
    if (tvmgen_net_run(&inputs, &outputs, &pools) != TVMGEN_NET_OK) return 2;
    weights[20] ^= 1;
    if (tvmgen_net_run(&inputs, &outputs, &pools) != TVMGEN_NET_BAD_WEIGHTS) return 3;
    weights[20] ^= 1;
    weights[TVMGEN_NET_WEIGHTS_SIZE - 5] ^= 64;
    if (tvmgen_net_check_weights(weights, TVMGEN_NET_WEIGHTS_SIZE) != TVMGEN_NET_BAD_WEIGHTS) return 4;
    if (tvmgen_net_check_weights(weights, 100) != TVMGEN_NET_BAD_ARGUMENT) return 5;
    pools.weights = NULL;
    if (tvmgen_net_run(&inputs, &outputs, &pools) != TVMGEN_NET_BAD_ARGUMENT) return 6;
    pools.weights = weights + 1;
    if (tvmgen_net_run(&inputs, &outputs, &pools) != TVMGEN_NET_BAD_ARGUMENT) return 7;
    pools.workspace = memory + 4;
    pools.weights = weights;
    return tvmgen_net_run(&inputs, &outputs, &pools) != TVMGEN_NET_BAD_ARGUMENT ? 8 : 0;
}
""")
        program = self.folder / "program"
        subprocess.run(["gcc", "-std=c99", f"-I{folder}", main, *folder.rglob("*.c"), "-o", program], check=True)
        self.assertEqual(subprocess.run([program, folder / "tvmgen_net_weights.bin"]).returncode, 0)

    def test_weights_of_a_node_can_have_a_section(self):
        report = json.loads((self.compile(DIGITS) / "report.json").read_text())
        node = next(n["name"] for n in report["nodes"] if n["op"] == "Oribi>QFullyConnected")
        for weights in ("c", "incbin", "obj"):
            machine = ["--weights-machine", "x86-64"] if weights == "obj" else []
            folder = self.compile(DIGITS, 0, "--weights", weights, *machine, "--place",
                                  f"{node}:.fast_flash")
            target = self.folder / "weights.o"
            source = {"c": "tvmgen_net_weights.c", "incbin": "tvmgen_net_weights.S"}.get(weights)
            if source is None:
                shutil.copy(folder / "tvmgen_net_weights.o", target)
            else:
                subprocess.run(["gcc", f"-I{folder}", f"-Wa,-I{folder}", "-c", folder / source, "-o", target],
                               check=True)
            table = subprocess.run(["objdump", "-t", target], check=True, capture_output=True, text=True).stdout
            placed = [line for line in table.splitlines() if ".fast_flash" in line and "tvmgen" in line]
            self.assertEqual(len(placed), 1, table)
            self.assertTrue(all("fully_connected" in line for line in placed), table)
        self.compile(DIGITS, 4, "--place", "nobody:.fast_flash")
        self.compile(DIGITS, 4, "--weights", "bin", "--place", f"{node}:.fast_flash")

    def test_digits_are_recognised_by_the_c(self):
        held_out = np.load(SOURCE / "examples/digits/held_out.npz")
        pictures = self.pictures()
        outputs = self.run_vectors(DIGITS, pictures, 10)
        right = sum(int(np.frombuffer(o, np.int8).argmax()) == label
                    for o, label in zip(outputs, held_out["labels"]))
        self.assertGreaterEqual(right / len(pictures), 0.98)

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_golden_vectors_are_exact(self):
        for golden in sorted((TINY / "golden").iterdir()):
            with self.subTest(golden.name):
                inputs = [(golden / f"input_{i}.bin").read_bytes() for i in range(4)]
                wanted = [(golden / f"output_{i}.bin").read_bytes() for i in range(4)]
                self.assertEqual(self.run_vectors(TINY / f"{golden.name}.tflite", inputs,
                                                  len(wanted[0])), wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
