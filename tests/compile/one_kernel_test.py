#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ops of plugins whose kernel is one text (examples/custom_op): the host against numpy's formula, emitted C on
the host by gcc and clang, on Cortex-M4 and RISC-V against the host, bit for bit; what is emitted, and under which
licence; what registration and preparation refuse.

    one_kernel_test.py ORIBI SOURCE_FOLDER"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/cli"))
import onnx_lite as onnx  # noqa: E402

EXAMPLES = SOURCE / "examples/custom_op"
ACME, INT8 = "com.acme", 3
GAINS = np.float32([0.2, 1.7, 0])
TARGETS = {"host": ["gcc"], "cortex-m4": ["arm-none-eabi-gcc", "qemu-system-arm"],
           "riscv32": ["riscv64-unknown-elf-gcc", "qemu-system-riscv32"]}


class OneKernel(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def build(self, source, name="plugin", compiler="gcc", flags=("-O2",)):
        plugin = self.folder / f"{name}.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *flags, f"-I{SOURCE}/include", source,
                        "-o", plugin], check=True)
        return plugin

    def changed(self, name, *changes):
        """An example, built with parts of its text replaced."""
        text = (EXAMPLES / f"{name}.c").read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        source = self.folder / f"{name}.c"
        source.write_text(text)
        return self.build(source, flags=("-O2", "-Wno-unused-const-variable", "-Wno-unused-function"))

    def level(self, name="level", dims=(2, 5)):
        nodes = [onnx.node("Relu", ["x"], ["r"]), onnx.node("Level", ["r"], ["y"], ACME, rate=0.3)]
        return self.write(name, nodes, onnx.info("x", dims), onnx.info("y", dims))

    def gain(self, name="gain", dims=(2, 5, 3), weights=None, **attributes):
        scales = {"in_scale": 0.5, "in_zero": 3, "out_scale": 0.11, "out_zero": -7, **attributes}
        node = onnx.node("QGain", ["x", "g"], ["y"], ACME, **scales)
        weights = [onnx.tensor("g", GAINS)] if weights is None else weights
        return self.write(name, [node], onnx.info("x", dims, INT8), onnx.info("y", dims, INT8), weights)

    def write(self, name, nodes, x, y, weights=()):
        file = self.folder / f"{name}.onnx"
        file.write_bytes(onnx.model(nodes, [x], [y], weights, 14, [ACME]))
        return file

    def command(self, *arguments, code=0):
        done = subprocess.run([ORIBI, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def models(self):
        return {"centre": EXAMPLES / "digits_centred.onnx", "level": self.level(), "gain": self.gain()}

    def test_the_host_and_emitted_c_agree_to_the_bit_on_every_target(self):
        for name, model in self.models().items():
            for compiler in ("gcc", "clang-14"):
                if shutil.which(compiler) is None:
                    continue
                # Compiled as a host may well compile it: the text itself says how floats are to be computed.
                plugin = self.build(EXAMPLES / f"{name}.c", name, compiler, ("-O3", "-march=native"))
                with self.subTest(name, plugin=compiler):
                    said = self.command("verify", model, "--plugin", plugin, "--runs", "4", "--cc", compiler)
                    self.assertIn("equal bit for bit: 4 runs", said)
            for target, tools in TARGETS.items():
                if target != "host" and not [t for t in tools if shutil.which(t) is None]:
                    with self.subTest(name, target=target):
                        said = self.command("verify", model, "--plugin", plugin, "--target", target, "--runs", "4")
                        self.assertIn("equal bit for bit: 4 runs", said)

    def test_the_host_computes_the_formula(self):
        x = np.random.default_rng(5).integers(-128, 128, (2, 5, 3)).astype(np.int8)
        np.save(self.folder / "x.npy", x)
        plugin = self.build(EXAMPLES / "gain.c")
        self.command("run", self.gain(), "--plugin", plugin, "-i", f"x=@{self.folder}/x.npy", "-o", self.folder / "y.npy")
        want = np.clip(np.round((x.astype(float) - 3) * GAINS * (0.5 / 0.11)) - 7, -128, 127)
        np.testing.assert_allclose(np.load(self.folder / "y.npy"), want, atol=1)
        for path in ("gain", "level", "centre"):
            plugin = self.build(EXAMPLES / f"{path}.c")
            said = self.command("plugin", "test", plugin, "--seed", "3")
            self.assertIn("1 good, 0 failed", said)
            self.assertRegex(said, r"(?m)^ok +\S+ as emitted C, host$")

    def test_arrays_lie_where_weights_do(self):
        plugin, model = self.build(EXAMPLES / "gain.c"), self.gain()
        for weights in ("bin", "incbin"):
            self.command("verify", model, "--plugin", plugin, "--weights", weights, "--runs", "2")
        self.command("compile", model, "--plugin", plugin, "-o", self.folder / "c")
        source = (self.folder / "c/tvmgen_gain.c").read_text()
        self.assertRegex(source, r"static const struct tvmgen_gain_acme_gain_args gain_0_args = \{")
        self.assertRegex(source, r"tvmgen_gain_acme_gain\(&gain_0_args, inputs->x, outputs->y\);")

    def test_scratch_and_lists_reach_the_kernel(self):
        """Gains by way of scratch, and a number of a list added to each result."""
        plugin = self.changed(
            "gain", ("    int32_t in_zero, out_zero;", "    int32_t in_zero, out_zero;\n    int32_t more[2];\n    float half;"),
            ("const int8_t *from, int8_t *to)", "const int8_t *from, int8_t *to, void *scratch)"),
            ("            *to++ = (int8_t)", "            ((int32_t *)scratch)[c] = scaled + args->more[1] + (int32_t)(2 * args->half);\n"
             "            *to++ = (int8_t)"),
            ("oribi_micro_clamp(scaled +", "oribi_micro_clamp(((int32_t *)scratch)[c] +"),
            ("acme_gain(args, in[0], out[0]);", "acme_gain(args, in[0], out[0], scratch);"), ("    (void)scratch;\n", ""),
            ("X(type, ARRAY, multiplier)", "X(type, NUMBERS, more) X(type, NUMBER, half) X(type, ARRAY, multiplier)"),
            (".out_zero = (int32_t)out_zero}", ".out_zero = (int32_t)out_zero, .more = {-1, 5}, .half = 0.5f}"),
            ("    oribi_target_set_in_place(code, 0, status);",
             "    oribi_target_set_in_place(code, 0, status);\n    oribi_target_set_scratch(code, (size_t)channels * 4);"))
        model = self.gain()
        for more in (["--target", "host", "--weights", "bin"], ["--target", "cortex-m4", "--io", "pool"]):
            if more[1] != "host" and shutil.which("arm-none-eabi-gcc") is None:
                continue
            self.command("verify", model, "--plugin", plugin, "--runs", "2", "--per-node", *more)
        self.command("run", model, "--plugin", plugin, "-i", "x=2x5x3xi8=" + ",".join(["3"] * 30), "-o", self.folder / "y.npy")
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), np.full((2, 5, 3), -7 + 5 + 1))
        self.command("compile", model, "--plugin", plugin, "-o", self.folder / "c", "--self-test")
        self.assertIn(".more = {-1, 5},", (self.folder / "c/tvmgen_gain.c").read_text())

    def test_a_kernel_that_is_not_its_text_is_found_out(self):
        plugin = self.changed("gain", ("acme_gain(args, in[0], out[0]);",
                                       "acme_gain(args, in[0], out[0]); ((int8_t *)out[0])[0] ^= 1;"))
        said = self.command("verify", self.gain(), "--plugin", plugin, code=1)
        self.assertIn("differs from the host session", said)
        said = self.command("plugin", "test", plugin, code=6)
        self.assertRegex(said, r"(?m)^FAILED +Com>Acme>QGain as emitted C, host$")
        self.assertIn("1 good, 1 failed", said)

    def test_state_is_the_same_in_sessions_and_emitted_c_whoever_connects_it(self):
        plugin = self.build(EXAMPLES / "level.c")
        node = onnx.node("Level", ["x", "m"], ["y", "next"], ACME, rate=0.5)
        explicit = self.folder / "explicit.onnx"
        ports = [[onnx.info(n, (4,)) for n in names] for names in (("x", "m"), ("y", "next"))]
        explicit.write_bytes(onnx.model([node], *ports, (), 14, [ACME]))
        self.command("verify", explicit, "--plugin", plugin, "--runs", "2")
        self.command("verify", explicit, "--plugin", plugin, "--runs", "3", "--state", "m=next")
        unknown = self.level("unknown", (2, "n"))
        self.assertIn("whose size follows from", self.command("compile", unknown, "--plugin", plugin, "-o",
                                                              self.folder / "no", code=4))
        self.assertIn("y: f32 2x3", self.command("run", unknown, "--plugin", plugin, "--shape", "x=2x3", "-i", "x=rand:1"))

    def test_two_models_link_together_compiled_apart_or_at_once(self):
        plugin = self.build(EXAMPLES / "level.c")
        a, b = self.level("a"), self.level("b", (3,))
        flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
        for name, models in (("a", [a]), ("b", [b]), ("both", [a, b])):
            self.command("compile", *models, "--plugin", plugin, "-o", self.folder / name)
        for compiler in ("gcc", "clang-14"):
            for folders in (("a", "b"), ("both",)):
                if shutil.which(compiler) is None:
                    continue
                objects = []
                for source in (s for f in folders for s in (self.folder / f).rglob("*.c")):
                    objects.append(self.folder / f"{len(objects)}.o")
                    top = source.relative_to(self.folder).parts[0]
                    subprocess.run([compiler, *flags, f"-I{self.folder / top}", "-c", source, "-o", objects[-1]], check=True)
                subprocess.run([compiler, "-r", "-nostdlib", *objects, "-o", self.folder / "whole.o"], check=True)

    def test_a_licence_of_a_plugin_stays(self):
        plugin = self.changed("gain", ('.licence = "Apache-2.0"', '.licence = "LicenseRef-Acme"'),
                              ("/* emit: acme_gain.c */", "/* emit: acme_gain.c */\n/* SPDX-License-Identifier: "
                               "Apache-2.0 */\n/* acme_ is our prefix, xacme_ is not, \"acme_gain.h\" is a file. */"))
        self.command("compile", self.gain(), "--plugin", plugin, "-o", self.folder / "c")
        texts = {p.name: p.read_text() for p in (self.folder / "c/micro").iterdir()}
        self.assertTrue(texts["acme_gain.h"].startswith("/* SPDX-License-Identifier: LicenseRef-Acme */\n"))
        self.assertIn("/* SPDX-License-Identifier: Apache-2.0 */", texts["acme_gain.c"])
        self.assertNotIn("LicenseRef", texts["acme_gain.c"])
        self.assertIn("/* tvmgen_gain_acme_ is our prefix, xacme_ is not", texts["acme_gain.c"])
        for name in ("fixed_point.h", "port.h"):
            self.assertIn("SPDX-License-Identifier: 0BSD", texts[name])
        self.assertNotIn("TF_", texts["acme_gain.c"] + texts["acme_gain.h"])

    def test_what_cannot_be_a_kernel_is_refused_at_registration(self):
        for change, why in (
                ((".struct_size = sizeof kernel", ".struct_size = 8"), "struct_size"),
                (('.op = "Com>Acme>QGain"', '.op = "Com>Acme>Other"'), "register the definition of an op of your own"),
                (('.op = "Com>Acme>QGain"', '.op = "Relu"'), "register the definition of an op of your own"),
                (('.prefix = "acme_"', '.prefix = "oribi_"'), "name and prefix must be"),
                (('.prefix = "acme_"', '.prefix = "acme"'), "name and prefix must be"),
                (('.prefix = "acme_"', '.prefix = "other_"'), "is no name of an emitted file"),
                (('.name = "gain"', '.name = "loss"'), "no text is its header"),
                (('"gain", GAIN_ARGS', '"loss", GAIN_ARGS'), "are described by no ORIBI_ARGS_TABLE"),
                (("/* emit: end */", ""), "one without an end"),
                (("/* emit: acme_gain.c */", "/* emit: acme_gain.cc */"), "is no name of an emitted file"),
                ((".prepare = prepare,", ""), "has no prepare"),
                ((".licence = \"Apache-2.0\",", ""), "has no licence"),
                ((".prepare = prepare,", ".prepare = prepare, .n_states = 3,"), "fewer inputs or outputs than n_states"),
                (("X(type, NUMBER, rows)", "X(type, NUMBER, channels)"), "not in the order of the struct")):
            with self.subTest(why, change=change):
                plugin = self.changed("gain", change)
                self.assertIn(why, self.command("run", self.gain(), "--plugin", plugin, "-i", "x=rand:1", code=6))

    def test_what_prepare_refuses_names_the_node(self):
        plugin = self.build(EXAMPLES / "gain.c")
        bad = self.gain("bad", weights=[onnx.tensor("g", np.float32([1, -2, 3]))])
        computed = self.write("computed", [onnx.node("Cast", ["x"], ["f"], to=1), onnx.node("QGain", ["x", "f"], ["y"], ACME)],
                              onnx.info("x", (3,), INT8), onnx.info("y", (3,), INT8))
        for model, why in ((bad, "a gain must be 0 or more"), (computed, "QGain wants constant gains"),
                           (self.gain("zero", in_zero=200), "QGain wants zero points of int8")):
            for words in (["run", model, "-i", "x=rand:1"], ["compile", model, "-o", self.folder / "no"]):
                with self.subTest(why, command=words[0]):
                    said = self.command(*words, "--plugin", plugin, code=4)
                    self.assertIn("'y'", said)
                    self.assertIn(why, said)

    def test_misuse_of_what_prepare_calls_is_refused(self):
        for call, why in (
                ('oribi_target_set_array(code, "multipliers", gains.constant, 3, status);', "no pointer 'multipliers'"),
                ('oribi_target_set_array(code, "rows", gains.constant, 3, status);', "no pointer 'rows'"),
                ('oribi_target_set_array(code, "shift", gains.constant, 0, status);', "or there are none"),
                ("oribi_target_set_arguments(code, &x, 3, status);", "bytes, not 3"),
                ("oribi_target_set_in_place(code, 2, status);", "output 0 cannot lie over input 2"),
                ("oribi_target_set_state(code, 0, x.dims, x.rank, NULL, status);", "the op has 0"),
                ("oribi_target_set_scratch(code, (size_t)1 << 31);", "2 GiB of scratch"),
                ("const int32_t two[] = {0, 2}; oribi_target_set_inputs(code, two, 2, status);", "inputs 0 to 1"),
                ("int32_t m, s; oribi_target_multiplier(-1.0, &m, &s, status);", "no factor of fixed point")):
            with self.subTest(why):
                plugin = self.changed("gain", ("    oribi_target_set_in_place(code, 0, status);", "    " + call))
                self.assertIn(why, self.command("compile", self.gain(), "--plugin", plugin, "-o", self.folder / "no", code=4))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
