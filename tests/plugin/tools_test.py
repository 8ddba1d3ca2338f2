#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The author's tools from outside: `oribi plugin describe`, `check`, `test` on good plugins, on planted
bugs and on hostile files. Each bug must be found under its own name, and nothing hangs.

Covers oribi_plugin_examine, oribi_plugin_test and oribi_plugin_test_case, of which the command is a face.

    tools_test.py ORIBI SOURCE_FOLDER BUILD_FOLDER
"""
import json
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

ORIBI, SOURCE, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
HERE = SOURCE / "tests/plugin"
MADE = BUILD / "tests/plugin/plugins"
LIMIT = 60  # seconds; far above what any call needs, far below a hang

# Planted bug: the finding that must name it.
BUGS = {"out_of_bounds": "out-of-bounds", "unwritten_output": "unwritten-output",
        "shape_function": "shape-function", "tensor_leak": "tensor-leak",
        "tensor_leak_of_its_own": "tensor-leak", "status_leak": "status-leak",
        "memory_leak": "memory-leak", "nondeterministic": "nondeterministic", "threads": "threads",
        "uninitialised_read": "uninitialised-read", "input_modified": "input-modified",
        "crash_on_empty": "crash", "hang": "hang", "ignores_failure": "ignores-failure",
        "forwarding": "forwarding", "aliasing": "aliasing", "not_exercised": "not-exercised",
        "ignores_late_failure": "ignores-failure", "leak_when_refused": "memory-leak",
        "leak_of_state": "memory-leak", "shape_function_of_the_known": "shape-function"}


class Tools(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def oribi(self, *args, code=0, env=None):
        done = subprocess.run([ORIBI, *map(str, args)], capture_output=True, cwd=self.folder,
                              env={**os.environ, **(env or {})}, timeout=LIMIT)
        self.out, self.err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{args}\n{self.out}\n{self.err}")
        return self.out

    def build(self, source, *flags, name=None):
        output = self.folder / f"{name or source.stem}.so"
        compiler = "c++" if source.suffix == ".cc" else "cc"
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-I", SOURCE / "include", source, "-o",
                        output, *flags], check=True)
        return output

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def findings(self, plugin, *args, code):
        report = json.loads(self.oribi("plugin", "test", plugin, "--json", "--seed", 3, *args, code=code))
        return [f["check"] for k in report["kernels"] for f in k["findings"]]

    # --- test ------------------------------------------------------------------------------------

    def test_each_planted_bug_is_named(self):
        for bug, name in BUGS.items():
            with self.subTest(bug):
                plugin = self.build(HERE / "bugs" / f"{bug}.c")
                self.assertIn(name, self.findings(plugin, "--timeout-ms", 2000, code=6))

    def test_a_bug_is_named_alone_where_it_has_one_face(self):
        for bug in ("out_of_bounds", "unwritten_output", "shape_function", "threads", "status_leak",
                    "ignores_late_failure", "leak_when_refused", "leak_of_state"):
            plugin = self.build(HERE / "bugs" / f"{bug}.c")
            self.assertEqual({BUGS[bug]}, set(self.findings(plugin, code=6)), bug)

    def test_each_false_trait_is_named(self):
        """False>Word says `word` of itself; a few lie in other ways of the same word."""
        others = {"Mean": "elementwise", "Place": "elementwise", "NoneOfX": "moves"}
        plugin = self.build(HERE / "bugs/false_traits.c")
        report = json.loads(self.oribi("plugin", "test", plugin, "--json", "--seed", 3, code=6))
        words = set()
        for kernel in report["kernels"]:
            lie = kernel["op"].removeprefix("False>")
            word = others.get(lie, lie.lower())
            words.add(word)
            with self.subTest(lie):
                self.assertIn(f"trait-{word}", [f["check"] for f in kernel["findings"]])
                self.assertIn(word, kernel["traits"])
        header = (SOURCE / "include/tensorflow/c/op_traits.h").read_text()
        self.assertEqual(words, set(re.findall(r"^ \*   ([a-z]+)[\[(]", header, re.M)))

    def test_good_plugins_pass(self):
        for plugin in (self.build(HERE / "bugs/none.c"), self.build(SOURCE / "examples/bitcast/bitcast.c"),
                       self.build(SOURCE / "examples/custom_op/centre.c", "-lm"),
                       self.build(HERE / "good/traits.c", "-lm")):
            self.assertEqual([], self.findings(plugin, code=0))

    def test_ops_in_kernels_lent_memory_and_scales_pass(self):
        plugin = self.build(HERE / "good/additions.c")
        for op in ("Attend", "GateFirst", "Pack", "Lend", "Units"):
            self.assertEqual([], self.findings(plugin, "--op", f"Acme>{op}", code=0), op)
        self.oribi("plugin", "test", plugin, "--op", "Acme>Unpack")
        self.assertIn("left   Acme>Unpack Unpack: takes variants", self.out)
        self.assertIn("0 good, 0 failed", self.out)

    def test_traits_that_nothing_tried_are_told(self):
        good = self.build(HERE / "good/traits.c", "-lm")
        told = json.loads(self.oribi("plugin", "test", good, "--json", "--seed", 3))
        self.assertEqual([[]] * 4, [kernel["untried_traits"] for kernel in told["kernels"]])
        told = json.loads(self.oribi("plugin", "test", "ops_core", "--op", "Softmax", "--json", "--seed", 3))
        self.assertEqual(["along"], told["kernels"][0]["untried_traits"])  # it has no kernel there
        self.oribi("plugin", "test", "ops_core", "--op", "Softmax", "--seed", 3)
        self.assertIn("traits not tried: along", self.out)

    def test_same_seed_makes_the_same_report(self):
        plugin = self.build(HERE / "bugs/unwritten_output.c")
        first = self.oribi("plugin", "test", plugin, "--seed", 11, code=6)
        self.assertEqual(first, self.oribi("plugin", "test", plugin, "--seed", 11, code=6))
        self.assertIn("seed 11", first)

    def test_cases_beside_the_plugin_exercise_what_cannot_be_guessed(self):
        plugin = self.build(HERE / "bugs/not_exercised.c")
        self.write("not_exercised.cases.json", json.dumps(
            {"cases": [{"op": "Bug", "inputs": [{"shape": [1, 1, 1, 1, 1, 2, 1], "range": [0, 1]}],
                        "outputs": [{"values": [0, 0]}]}]}))
        self.assertEqual([], self.findings(plugin, code=0))

    def test_expected_output_that_differs_is_named(self):
        plugin = self.build(HERE / "bugs/none.c")
        cases = self.write("c.json", json.dumps(
            {"cases": [{"op": "Bug", "inputs": [{"shape": [2], "values": [1, 2]}],
                        "outputs": [{"values": [2, 4]}]}]}))
        self.assertEqual(["expected-output"], self.findings(plugin, "--cases", cases, code=6))
        self.write("c.json", "{\"cases\": [")
        self.oribi("plugin", "test", plugin, "--cases", cases, code=6)
        self.assertIn("JSON", self.err)

    def built_in(self, op, case, code):
        """Findings of one case of a built-in op."""
        cases = self.write("c.json", json.dumps({"cases": [{"op": op, **case}]}))
        report = json.loads(self.oribi("plugin", "test", "cpu", "--op", op, "--random", 1, "--seed", 3, "--json",
                                       "--cases", cases, code=code))
        return {f["check"] for k in report["kernels"] for f in k["findings"]}

    def test_expected_outputs_of_each_kind_of_type(self):
        """Numbers that a reader can check: Cast and Identity."""
        def cast(source, target, given, wanted, code, **more):
            return self.built_in("Cast", {
                "attrs": {"SrcT": source, "DstT": target}, "inputs": [{"shape": [len(given)], "values": given}],
                "outputs": [{"type": target, "shape": [len(given)], "values": wanted, **more}]}, code)
        big = 9007199254740993  # has no double
        for source, target, given, right, wrong in (
                ("float", "int8", [-3.7, 2.2], [-3, 2], [-3, 3]), ("int32", "uint16", [7, 65535], [7, 65535], [7, -1]),
                ("int64", "int64", [big, -big], [big, -big], [big - 1, -big]),
                ("int32", "bool", [0, 5], [False, True], [False, False]),
                ("float", "half", [0.5, -2], [0.5, -2], [0.5, 2]), ("float", "bfloat16", [1.5, 3], [1.5, 3], [1.5, 4]),
                ("float", "double", ["nan", "-inf"], ["nan", "-inf"], ["nan", "inf"])):
            with self.subTest(f"{source} to {target}"):
                self.assertEqual(set(), cast(source, target, given, right, 0))
                self.assertEqual({"expected-output"}, cast(source, target, given, wrong, 6))
        self.assertEqual({"expected-output"}, cast("float", "int8", [1, 2], [1, 2, 3], 6))
        self.assertEqual({"expected-output"}, cast("float", "int8", [1, 2], [1, 2], 6, type="int16"))
        self.assertEqual({"expected-output"}, cast("float", "int8", [1, 2], [1, 2], 6, shape=[1, 2]))
        for wanted, code in ((["ab", ""], 0), (["a", "b"], 6)):
            found = self.built_in("Identity", {"attrs": {"T": "string"}, "outputs": [{"values": wanted}],
                                               "inputs": [{"shape": [2], "values": ["ab", ""]}]}, code)
            self.assertEqual({"expected-output"} if code else set(), found)

    def test_expected_errors_and_cases_that_do_not_complete_are_named(self):
        by_zero = {"attrs": {"T": "int32"}, "inputs": [{"shape": [1], "values": [1]}, {"shape": [1], "values": [0]}]}
        self.assertEqual(set(), self.built_in("FloorDiv", {**by_zero, "error": "division by zero"}, 0))
        self.assertEqual({"expected-error"}, self.built_in("FloorDiv", {**by_zero, "error": "no room"}, 6))
        self.assertIn("case-refused", self.built_in("FloorDiv", by_zero, 6))
        by_zero["inputs"][1]["values"] = [1]
        self.assertEqual({"expected-error"}, self.built_in("FloorDiv", {**by_zero, "error": "division by zero"}, 6))

    def test_variables_are_what_a_case_says_and_are_compared(self):
        add = {"attrs": {"dtype": "int32"}, "inputs": [{"shape": [2], "values": [1, 2]}, {"shape": [2]}]}
        self.assertEqual(set(), self.built_in("AssignAddVariableOp", add, 0))
        read = {"attrs": {"dtype": "int32"}, "inputs": [{"shape": [2], "values": [1, 2]}]}
        self.assertEqual(set(), self.built_in("ReadVariableOp", {**read, "outputs": [{"values": [1, 2]}]}, 0))
        self.assertEqual({"expected-output"},
                         self.built_in("ReadVariableOp", {**read, "outputs": [{"values": [1, 3]}]}, 6))

    def test_cases_that_the_plugin_carries(self):
        cases = json.dumps({"cases": [{"op": "Bug", "inputs": [{"shape": [1, 1, 1, 1, 1, 2, 1]}]}]})
        source = self.write("carries.c", f'#include "{HERE}/bugs/not_exercised.c"\n'
                                         f"ORIBI_PLUGIN_CASES({json.dumps(cases)});\n")
        plugin = self.build(source)
        self.assertEqual([], self.findings(plugin, code=0))
        self.assertEqual("bug", json.loads(self.oribi("plugin", "describe", plugin, "--json"))["note"]["name"])
        beside = self.write("carries.cases.json", '{"cases": []}')
        self.assertEqual(["not-exercised"], self.findings(plugin, code=6))  # the file goes before
        beside.unlink()
        data = plugin.read_bytes()
        at = data.index(cases.encode()) + len(cases)
        (self.folder / "damaged.so").write_bytes(data[:at] + b"x" + data[at + 1:])
        self.oribi("plugin", "test", self.folder / "damaged.so", code=6)
        self.assertIn("test cases", self.err)

    def test_parts_of_the_kernels_make_the_whole(self):
        whole, parts = [], []
        for only in (["--part", "1/1"], ["--part", "1/3"], ["--part", "2/3"], ["--part", "3/3"]):
            told = json.loads(self.oribi("plugin", "test", MADE / "own.so", "--random", 1, "--json", *only, code=0))
            (whole if only[1] == "1/1" else parts).extend(k["op"] for k in told["kernels"])
        self.assertEqual(sorted(whole), sorted(parts))
        for bad in ("0/2", "3/2", "1", "x/2", "1/2/3"):
            self.oribi("plugin", "test", MADE / "own.so", "--part", bad, code=6)
            self.assertIn("write K/N", self.err)

    # --- describe --------------------------------------------------------------------------------

    def test_describe_tells_note_ops_and_kernels(self):
        plugin = self.build(SOURCE / "examples/custom_op/centre.c", "-Wl,--no-as-needed", "-lm")
        told = json.loads(self.oribi("plugin", "describe", plugin, "--json"))
        self.assertEqual(("centre", "1.0", "Apache-2.0", "1.4"),
                         tuple(told["note"][k] for k in ("name", "version", "licence", "contract")))
        self.assertEqual(["TF_InitKernel"], told["entry_points"])
        self.assertIn("libm.so.6", told["needed"])
        self.assertEqual("Com>Acme>Centre", told["registered"]["ops"][0]["name"])
        self.assertEqual("CPU", told["registered"]["kernels"][0]["device"])
        text = self.oribi("plugin", "describe", plugin)
        for part in ("centre 1.0, licence Apache-2.0", "max_shift: int", "kernel Com>Acme>Centre"):
            self.assertIn(part, text)

    # --- check -----------------------------------------------------------------------------------

    def check(self, plugin, rule, severity, name, code, env=None):
        """The rule is found, in text and in JSON alike."""
        self.assertRegex(self.oribi("plugin", "check", plugin, code=code, env=env), rf"(?m)^{severity}: {name}: .*\[{rule}\]$")
        told = json.loads(self.oribi("plugin", "check", plugin, "--json", code=code, env=env))
        self.assertIn((rule, severity, name), [(f["rule"], f["severity"], f["name"]) for f in told["findings"]])

    def test_check_finds_each_planted_fault(self):
        plain = self.write("plain.c", '#include "tensorflow/c/kernels.h"\nvoid TF_InitKernel(void) {}\n')
        init = "void TF_InitKernel(void);\nvoid TF_InitKernel(void) {}\n"
        other = self.write("other.c", "int acme_start(void) { return 1; }\n")
        self.build(other, name="libacme")
        uses = self.write("uses.c", "int acme_start(void);\n" + init + "int use(void);\nint use(void) { return acme_start(); }\n")
        cxx = self.write("cxx.cc", "namespace acme { int start(); }\nextern \"C\" int use() { return acme::start(); }\n"
                                   "extern \"C\" void TF_InitKernel() {}\n")
        acme = self.write("acme.cc", "namespace acme { int start() { return 1; } }\n")
        self.build(acme, name="libacmecxx")
        constructs = self.write("constructs.c", init + "static volatile int x;\n__attribute__((constructor)) static void early(void) { x = 1; }\n")
        lacks = self.write("lacks.c", "void TF_NoSuchFunction(void);\nvoid TF_InitKernel(void);\n"
                                      "void TF_InitKernel(void) { TF_NoSuchFunction(); }\n")
        none = self.write("none.c", "int x;\n")
        here = f"-L{self.folder}"
        env = f"-Wl,-rpath,{self.folder}"
        self.check(self.build(none), "P001", "error", "entry-point", 6)
        self.check(self.build(uses, here, "-l:libacme.so", env), "P002", "warning", "exports", 0)
        self.check(MADE / "newer.so", "P003", "error", "imports", 6)
        self.assertIn("built for contract 1.5, this Oribi has 1.4, missing TF_FrobnicateTensor", self.out)
        self.check(self.build(lacks), "P004", "error", "imports", 6)
        self.check(self.build(plain), "P005", "warning", "note", 0)
        self.check(MADE / "versioned.so", "P006", "warning", "needed", 0)
        self.check(MADE / "needs_us.so", "P007", "note", "needed", 0)
        self.check(self.build(self.write("plain.cc", 'extern "C" void TF_InitKernel() {}\n'), "-Wl,--no-as-needed"),
                   "P008", "note", "needed", 0)
        self.check(self.build(uses, here, "-l:libacme.so", env), "P009", "warning", "needed", 0)
        self.check(self.build(cxx), "P010", "error", "cxx-symbols", 6)
        self.check(self.build(cxx, here, "-l:libacmecxx.so", env), "P011", "warning", "cxx-symbols", 0)
        self.check(self.build(uses, here, "-l:libacme.so", env), "P012", "warning", "rpath", 0)
        self.check(self.build(uses, here, "-l:libacme.so", "-Wl,-rpath,$ORIGIN"), "P013", "note", "rpath", 0)
        self.check(self.build(SOURCE / "examples/bitcast/bitcast.c"), "P014", "note", "glibc", 0)
        self.check(self.build(plain, "-Wl,-z,execstack"), "P015", "error", "stack", 6)
        self.check(self.without_stack_mark(self.build(plain, name="unmarked")), "P016", "warning", "stack", 0)
        self.check(self.with_text_relocations(plain), "P017", "warning", "text", 0)
        self.check(self.build(constructs), "P018", "warning", "constructors", 0)
        self.check(MADE / "registers_half.so", "P019", "error", "dry-run", 6)
        self.check(MADE / "aborts.so", "P020", "error", "dry-run", 6)
        self.check(MADE / "hangs.so", "P021", "error", "dry-run", 6, env={"ORIBI_PLUGIN_PROBE_TIMEOUT_MS": "700"})

    def without_stack_mark(self, plugin):
        """The program header PT_GNU_STACK becomes one that nobody reads (PT_NULL)."""
        data = bytearray(plugin.read_bytes())
        wide = data[4] == 2
        at, = struct.unpack_from("<Q" if wide else "<I", data, 32 if wide else 28)
        size, count = struct.unpack_from("<HH", data, 54 if wide else 42)
        for i in range(count):
            if struct.unpack_from("<I", data, at + i * size)[0] == 0x6474E551:
                struct.pack_into("<I", data, at + i * size, 0)
        plugin.write_bytes(data)
        return plugin

    def with_text_relocations(self, source):
        """An entry of the dynamic section that nothing depends on becomes DT_TEXTREL: linkers refuse to make one."""
        plugin = self.build(source, "-Wl,-soname,far.so")
        data = bytearray(plugin.read_bytes())
        wide = data[4] == 2
        at, = struct.unpack_from("<Q" if wide else "<I", data, 32 if wide else 28)
        size, count = struct.unpack_from("<HH", data, 54 if wide else 42)
        word = "<Q" if wide else "<I"
        for i in range(count):
            header = at + i * size
            if struct.unpack_from("<I", data, header)[0] == 2:  # PT_DYNAMIC
                entry, = struct.unpack_from(word, data, header + (8 if wide else 4))
                while struct.unpack_from(word, data, entry)[0] != 14:  # DT_SONAME
                    entry += 2 * struct.calcsize(word)
                struct.pack_into(word, data, entry, 22)
        plugin.write_bytes(data)
        return plugin

    def test_rules_explain_themselves(self):
        self.assertIn("P021 error: dry-run: ", self.oribi("plugin", "rules"))
        self.assertRegex(self.oribi("plugin", "rules", "P012"), r"(?s)P012 warning: rpath: .*Why: .*What to do: Leave it out")
        self.oribi("plugin", "rules", "Q1", code=2)
        self.assertIn("there is no rule 'Q1'", self.err)

    # --- explain ---------------------------------------------------------------------------------

    def test_explain_tells_why_each_kernel_was_taken_or_not(self):
        model = SOURCE / "examples/digits/digits.onnx"
        step = json.loads(self.oribi("inspect", model, "--steps", "--json"))["steps"][0]
        text = self.oribi("inspect", model, "--explain", step["node"])
        self.assertIn(f"chosen: kernel '{step['kernel']}' of {step['provider']}", text)
        self.assertRegex(text, r"kernel '.*device='CPU'.*: fits")
        self.assertEqual(step["kernel"], json.loads(
            self.oribi("inspect", model, "--explain", step["node"], "--json"))["kernel"])
        done = subprocess.run([ORIBI, "inspect", model, "--explain", "nothing"], capture_output=True)
        self.assertNotEqual(0, done.returncode)
        self.assertIn(b"no step runs a node 'nothing'", done.stderr)

    # --- hostile files ---------------------------------------------------------------------------

    def hostile(self):
        good = (MADE / "own.so").read_bytes()
        files = {"text.so": b"hello\n", "empty.so": b"", "cut.so": good[:700],
                 "wide.so": good[:4] + b"\x01" + good[5:],                   # says 32-bit
                 "arm.so": good[:18] + b"\xb7\x00" + good[20:]}              # says AArch64
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
            yield self.folder / name
        for name in ("no_entry", "hangs", "exits", "aborts", "crashes_at_load",
                     "registers_twice", "registers_half", "missing_function", "missing_other"):
            yield MADE / f"{name}.so"
        yield self.folder / "not_there.so"

    def test_hostile_files_give_a_message_and_a_code(self):
        quick = {"ORIBI_PLUGIN_PROBE_TIMEOUT_MS": "700", "ORIBI_PLUGIN_CACHE": "0"}
        for plugin in self.hostile():
            for word in ("info", "describe", "check", "test"):
                with self.subTest(f"{word} {plugin.name}"):
                    start = time.monotonic()
                    self.oribi("plugin", word, plugin, code=6, env=quick)
                    self.assertIn(plugin.name, self.err + self.out)
                    self.assertLess(time.monotonic() - start, 10)

    def test_plugins_that_fork_or_chatter_are_survived(self):
        """They are no worse than that: they load and are told apart from their noise, but bring nothing to test."""
        quick = {"ORIBI_PLUGIN_PROBE_TIMEOUT_MS": "5000", "ORIBI_PLUGIN_CACHE": "0"}
        for name in ("forks", "chatters"):
            for word, code, words in (("info", 0, f"{name}.so"), ("describe", 0, "TF_InitKernel"), ("check", 0, "note"),
                                      ("test", 6, "nothing to test")):
                with self.subTest(f"{word} {name}"):
                    note = self.folder / "pid"
                    options = f":pid={note}" if name == "forks" and word in ("info", "test") else ""
                    self.oribi("plugin", word, f"{MADE / name}.so{options}", code=code, env=quick)
                    self.assertIn(words, self.out + self.err)
                    self.assertLess(len(self.out), 100000)
                    self.assertNotIn("this is not a verdict", self.out)
                    if options:
                        self.assert_gone(int(note.read_text()))

    def assert_gone(self, pid):
        """A process that the probe left behind is killed with it."""
        for _ in range(100):
            try:
                state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            except FileNotFoundError:
                return
            if state == "Z":
                return
            time.sleep(0.05)
        self.fail(f"process {pid} lives on")

    def test_kernels_that_misbehave_are_named_and_survived(self):
        """The same, but where a kernel runs."""
        for name, line, finding in (
                ("exits", "_exit(0);", "crash"), ("aborts", "abort();", "crash"), ("hangs", "for (;;) pause();", "hang"),
                ("prints", "for (int i = 0; i < 20000; i++) puts(\"json {} verdict 0 all is well, I say it myself\");", None),
                ("forks", "if (fork() == 0) for (;;) pause();", None)):
            with self.subTest(name):
                source = self.write(f"{name}.c", f"""#define _GNU_SOURCE
                    #include <stdio.h>
                    #include <unistd.h>
                    #include "{HERE}/bugs/bug.h"
                    static void compute(void *state, TF_OpKernelContext *ctx)
                    {{
                        io p;
                        static int n;
                        (void)state;
                        if (io_input(ctx, &p) && io_output(ctx, &p)) {{
                            if (n++ < 1) {{
                                {line}
                            }}
                            for (int64_t i = 0; i < p.n; i++) {{
                                p.y[i] = p.x[i] + 1;
                            }}
                        }}
                        io_close(ctx, &p);
                    }}
                    """)
                found = self.findings(self.build(source), "--timeout-ms", 1500, code=6 if finding else 0)
                self.assertEqual([], found) if finding is None else self.assertIn(finding, found)

    def test_what_is_not_there_is_not_tested(self):
        self.oribi("plugin", "test", MADE / "own.so", "--op", "NoSuchOp", code=6)
        self.assertIn("no op 'NoSuchOp'", self.err)
        for word in ("describe", "check"):
            self.oribi("plugin", word, "cpu", code=6)
            self.assertIn("is built in and has no file", self.err)
        self.write("cpu", "a file of that name")
        self.oribi("plugin", "test", "./cpu", code=6)
        self.assertIn("no shared library", self.err.replace("not a shared library", "no shared library"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
