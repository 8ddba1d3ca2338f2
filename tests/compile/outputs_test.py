#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `oribi compile` can write beside plain C: folders for build systems, several models that link,
static memory, state, the self-test; and that it is the same everywhere whatever the model's strings.

    outputs_test.py ORIBI SOURCE_FOLDER
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
import model  # noqa: E402

DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
         "-ffp-contract=off", "-ffunction-sections"]
HOSTILE = "a*/ \"b\\ ??/ <script>&${X}`c\n#error '%s' //"

MAIN = """#include <stdio.h>
#include "{header}"
{body}
"""


class Outputs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, models, *options, code=0, out="c", oribi=ORIBI):
        models = models if isinstance(models, list) else [models]
        folder = self.folder / out
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run([oribi, "compile", *models, "-o", folder, *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.stderr = done.stderr
        return folder

    def program(self, folders, header, body, *flags):
        folders = folders if isinstance(folders, list) else [folders]
        main = self.folder / "main.c"
        main.write_text(MAIN.format(header=header, body=body))
        program = self.folder / "program"
        sources = [p for f in folders for p in sorted(f.rglob("*.c"))]
        done = subprocess.run(["gcc", *FLAGS, "-fsanitize=undefined", "-fno-sanitize-recover", *flags,
                               *[f"-I{f}" for f in folders], main, *sources, "-o", program],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def write(self, graph, name="made.tflite"):
        path = self.folder / name
        path.write_bytes(model.write(graph))
        return path

    def adder(self, names, passes_on=False):
        """y = x + h, n = x - h; h is to be fed back from n; with passes_on x is an output, too."""
        graph = model.Graph(names.get("graph", "main"))
        x, h, y, n = (graph.add(model.Tensor(names.get(k, k), [1, 6], "i8", None, [0.5], [3])) for k in "xhyn")
        graph.op("ADD", [x, h], [y])
        graph.op("SUB", [x, h], [n])
        graph.inputs, graph.outputs = [x, h], [y, n] + [x] * passes_on
        return self.write(graph)

    # --- Folders

    def test_cmake_builds_every_form_of_weights(self):
        for options in ([], ["--weights", "incbin"], ["--weights", "obj", "--weights-machine", "x86-64"]):
            with self.subTest(options):
                self.compile(DIGITS, "--name", "net", *options, out="app/net")
                app = self.folder / "app"
                (app / "CMakeLists.txt").write_text(
                    "cmake_minimum_required(VERSION 3.13)\nproject(app C)\nadd_subdirectory(net)\n"
                    "add_executable(app main.c)\ntarget_link_libraries(app tvmgen_net)\n")
                (app / "main.c").write_text(
                    "#include <stddef.h>\n#include \"tvmgen_net.h\"\nint main(void)\n{\n"
                    "    return tvmgen_net_run(NULL, NULL, NULL) == TVMGEN_NET_BAD_ARGUMENT ? 0 : 1;\n}\n")
                build = self.folder / "build"
                shutil.rmtree(build, ignore_errors=True)
                for command in (["cmake", "-S", app, "-B", build], ["cmake", "--build", build], [build / "app"]):
                    done = subprocess.run(command, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_build_files_ask_for_what_is_optimised(self):
        for layout in ("cmake", "zephyr", "esp-idf"):
            for choice, flag in (("size", "-Os"), ("speed", "-O3"), ("balanced", None)):
                text = (self.compile(DIGITS, "--layout", layout, "--optimize", choice) / "CMakeLists.txt").read_text()
                self.assertEqual(re.findall(r"-O\w", text), [flag] if flag else [])

    def test_components_build_with_the_functions_that_their_systems_have(self):
        """Zephyr and ESP-IDF are not here: their CMake functions are stood in for by ones that build."""
        functions = {
            "zephyr": "set(CONFIG_TVMGEN_NET y)\n"
                      "macro(zephyr_library_named name)\n  set(LIB ${name})\n  add_library(${name} STATIC)\nendmacro()\n"
                      "macro(zephyr_include_directories)\n  target_include_directories(${LIB} PUBLIC ${ARGV})\nendmacro()\n"
                      "macro(zephyr_library_sources)\n  target_sources(${LIB} PRIVATE ${ARGV})\nendmacro()\n"
                      "macro(zephyr_library_compile_options)\n  target_compile_options(${LIB} PRIVATE ${ARGV})\nendmacro()\n",
            "esp-idf": "macro(idf_component_register)\n  cmake_parse_arguments(A \"\" \"\" \"SRCS;INCLUDE_DIRS\" ${ARGN})\n"
                       "  set(COMPONENT_LIB tvmgen_net)\n  add_library(tvmgen_net STATIC ${A_SRCS})\n"
                       "  target_include_directories(tvmgen_net PUBLIC ${A_INCLUDE_DIRS})\nendmacro()\n"}
        for layout, text in functions.items():
            for weights in ("c", "incbin"):
                with self.subTest(layout=layout, weights=weights):
                    folder = self.compile(DIGITS, "--name", "net", "--layout", layout, "--weights", weights)
                    own = (folder / "CMakeLists.txt").read_text()
                    (folder / "CMakeLists.txt").write_text(
                        "cmake_minimum_required(VERSION 3.13)\nproject(net C ASM)\n" + text + own)
                    build = self.folder / "build"
                    shutil.rmtree(build, ignore_errors=True)
                    for command in (["cmake", "-S", folder, "-B", build], ["cmake", "--build", build]):
                        done = subprocess.run(command, capture_output=True, text=True)
                        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    table = subprocess.run(["nm", next(build.rglob("*.a"))], capture_output=True, text=True).stdout
                    self.assertIn("T tvmgen_net_run", table)
                    self.assertIn("tvmgen_net_conv2d_0_filter", table)

    def test_arduino_sources_build_from_src(self):
        folder = self.compile(DIGITS, "--name", "net", "--layout", "arduino")
        properties = dict(line.split("=", 1) for line in (folder / "library.properties").read_text().splitlines())
        self.assertEqual(properties["name"], "tvmgen_net")
        for key in ("version", "author", "maintainer", "sentence", "category", "architectures", "includes", "url"):
            self.assertTrue(properties[key], key)
        self.assertTrue((folder / "src" / properties["includes"]).is_file())
        objects = self.folder / "whole.o"
        subprocess.run(["gcc", *FLAGS, "-r", "-nostdlib", f"-I{folder / 'src'}", *folder.rglob("*.c"), "-o", objects],
                       check=True)
        self.compile(DIGITS, "--layout", "arduino", "--weights", "obj", code=4)

    def sketch(self, folder, *flags):
        """The example as an Arduino core compiles it, with a core that is a stand-in; runs it twice and gives what it says."""
        (self.folder / "Arduino.h").write_text(
            "#include <stdint.h>\n#include <stdio.h>\n"
            "static unsigned long micros() { return 7; }\nstatic void delay(int) {}\n"
            "static struct { void begin(long) {}\n"
            "  template <class T> void print(T x) { text(x, \"\"); }\n  template <class T> void println(T x) { text(x, \"\\n\"); }\n"
            "  void text(const char *x, const char *end) { printf(\"%s%s\", x, end); }\n  void text(long x, const char *end) { printf(\"%ld%s\", x, end); }\n"
            "  void text(unsigned long x, const char *end) { printf(\"%lu%s\", x, end); }\n  void text(double x, const char *end) { printf(\"%g%s\", x, end); }\n} Serial;\n")
        (self.folder / "sketch.cc").write_text((folder / "examples/run/run.ino").read_text() + "\nint main() { setup(); loop(); loop(); }\n")
        objects = [self.folder / f"{i}.o" for i, _ in enumerate(sorted((folder / "src").rglob("*.c")))]
        for source, out in zip(sorted((folder / "src").rglob("*.c")), objects):
            subprocess.run(["gcc", *FLAGS, *flags, "-c", source, "-o", out], check=True)
        subprocess.run(["g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", *flags, f"-I{self.folder}", self.folder / "sketch.cc", *objects,
                        "-o", self.folder / "sketch"], check=True)
        return subprocess.run([self.folder / "sketch"], capture_output=True, text=True, check=True).stdout

    def test_the_sketch_runs_the_model(self):
        for layout, place in (("arduino", "src"), ("platformio", "include")):
            folder = self.compile(DIGITS, "--name", "inputs", "--layout", layout)
            said = self.sketch(folder, f"-I{folder / place}", f"-I{folder / 'src'}").splitlines()
            self.assertEqual(said[:1] + said[11:12], ["result 0, microseconds 0"] * 2)
            self.assertEqual(said[1:11], said[12:])
            self.assertAlmostEqual(sum(float(v) + 128 for v in said[1:11]) / 256, 1.0, places=1)
        for words in (("--io", "pool"), ("--workspace", "static"), ("--weights", "bin")):  # which it would have to know more of
            self.assertFalse((self.compile(DIGITS, "--layout", "arduino", *words) / "examples").exists())

    def test_the_platformio_library_says_what_its_manifest_must(self):
        folder = self.compile(DIGITS, "--name", "net", "--layout", "platformio", "--optimize", "speed")
        library = json.loads((folder / "library.json").read_text())
        self.assertRegex(library["name"], r"^[\w.-]{1,50}$")
        self.assertRegex(library["version"], r"^\d+\.\d+\.\d+")
        self.assertEqual((library["frameworks"], library["platforms"], library["license"]), ("*", "*", "0BSD"))
        self.assertEqual(library["build"], {"srcDir": "src", "includeDir": "include", "flags": ["-ffp-contract=off", "-O3"]})
        self.assertTrue((folder / "include" / library["headers"]).is_file())
        self.assertEqual([p for p in folder.rglob("*.c") if folder / "src" not in p.parents], [])
        self.compile(DIGITS, "--layout", "platformio", "--weights", "incbin", code=4)

    def test_the_csolution_layer_names_the_component_of_the_pack(self):
        folder = self.compile(DIGITS, "--name", "net", "--layout", "cmsis-pack")
        root = xml.etree.ElementTree.parse(folder / "Oribi.tvmgen_net.pdsc").getroot()
        component = root.find("components/component")
        named = f"{root.find('vendor').text}::{component.get('Cclass')}:{component.get('Cgroup')}:{component.get('Csub')}"
        layer = (folder / "tvmgen_net.clayer.yml").read_text()
        self.assertIn(f"    - component: {named}\n", layer)
        self.assertIn(f"    - pack: {root.find('vendor').text}::{root.find('name').text}\n      path: .\n", layer)
        self.assertRegex(layer, r"(?m)^layer:$")

    def test_the_pack_names_files_that_are_there(self):
        folder = self.compile(DIGITS, "--name", "net", "--layout", "cmsis-pack")
        root = xml.etree.ElementTree.parse(folder / "Oribi.tvmgen_net.pdsc").getroot()
        self.assertEqual([root.find(k).text for k in ("vendor", "name", "license")], ["Oribi", "tvmgen_net", "LICENSE"])
        names = [f.get("name") for f in root.iter("file")]
        for name in names:
            self.assertTrue((folder / name).exists(), name)
        self.assertEqual(sorted(n for n in names if n.endswith(".c")),
                         sorted(str(p.relative_to(folder)) for p in folder.rglob("*.c")))

    def test_the_model_library_format_is_an_archive_that_builds(self):
        folder = self.compile(DIGITS, "--name", "net", "--layout", "mlf")
        with tarfile.open(folder / "tvmgen_net.tar") as tar:
            tar.extractall(self.folder / "mlf")
        metadata = json.loads((self.folder / "mlf/metadata.json").read_text())
        self.assertEqual(metadata["version"], 7)
        main = metadata["modules"]["net"]["memory"]["functions"]["main"][0]
        for key in ("device", "workspace_size_bytes", "constants_size_bytes", "io_size_bytes", "inputs", "outputs"):
            self.assertIn(key, main)
        self.assertEqual(main["inputs"], {"picture": {"size": 64, "dtype": "int8"}})
        host = self.folder / "mlf/codegen/host"
        subprocess.run(["gcc", *FLAGS, "-r", "-nostdlib", f"-I{host / 'include'}", *(host / "src").rglob("*.c"),
                        "-o", self.folder / "whole.o"], check=True)

    # --- Several models

    RUN = """static int8_t in[64], out_{m}[10];
    static uint8_t memory_{m}[TVMGEN_{M}_WORKSPACE_SIZE] __attribute__((aligned(16)));
    struct tvmgen_{m}_inputs inputs_{m} = {{in}};
    struct tvmgen_{m}_outputs outputs_{m} = {{out_{m}}};
    struct tvmgen_{m}_workspace_pools pools_{m} = {{{memory}}};
    if (tvmgen_{m}_run(&inputs_{m}, &outputs_{m}, &pools_{m}) != 0) return 1;
    fwrite(out_{m}, 1, 10, stdout);"""

    def test_three_models_compiled_apart_link_together(self):
        folders = [self.compile(DIGITS, "--name", name, out=name) for name in "abc"]
        body = "#include \"tvmgen_b.h\"\n#include \"tvmgen_c.h\"\nint main(void)\n{\n" + "".join(
            "{" + self.RUN.format(m=m, M=m.upper(), memory=f"memory_{m}") + "}\n" for m in "abc") + "return 0;\n}"
        done = subprocess.run([self.program(folders, "tvmgen_a.h", body)], capture_output=True)
        self.assertEqual((done.returncode, len(done.stdout)), (0, 30))
        self.assertEqual(done.stdout[:10], done.stdout[20:])

    def test_models_of_one_call_share_kernels_and_memory(self):
        other = self.adder({})
        folder = self.compile([DIGITS, other], "--name", "a", "--name", "b", "--workspace", "static")
        self.assertEqual({p.name for p in folder.glob("report*.json")}, {"report_a.json", "report_b.json"})
        self.assertEqual(list(json.loads((folder / "metadata.json").read_text())["modules"]), ["a", "b"])
        body = """#include "tvmgen_a_static.h"
int main(void)
{
    static const int8_t in[64], x[6] = {1, 2, 3, 4, 5, 6}, h[6];
    static int8_t out[10], y[6], n[6];
    struct tvmgen_a_inputs a = {in};
    struct tvmgen_a_outputs b = {out};
    struct tvmgen_b_inputs c = {x, h};
    struct tvmgen_b_outputs d = {y, n};
    if (TVMGEN_A_SHARED_WORKSPACE_SIZE != TVMGEN_A_WORKSPACE_SIZE) return 1;
    if (tvmgen_a_run_static(&a, &b) != 0 || tvmgen_b_run_static(&c, &d) != 0) return 2;
    return tvmgen_a_static_pools().workspace == tvmgen_b_static_pools().workspace && y[0] == -2 && n[0] == 4 ? 0 : 3;
}"""
        program = self.program(folder, "tvmgen_a_shared.h", body)
        self.assertEqual(subprocess.run([program]).returncode, 0)
        kernels = subprocess.run(["nm", program], capture_output=True, text=True).stdout
        self.assertEqual(kernels.count("_micro_add_s8"), 1)
        static = subprocess.run(["gcc", "-c", f"-I{folder}", folder / "tvmgen_a_static.c", "-o", self.folder / "s.o"])
        self.assertEqual(static.returncode, 0)

    def test_names_and_budgets_count_for_all_models(self):
        other = self.adder({})
        self.compile([DIGITS, other], "--name", "a", "--name", "a_static", "--workspace", "static", code=4)
        self.assertIn("tvmgen_a_static", self.stderr)
        one = json.loads((self.compile(DIGITS) / "report.json").read_text())["constants_bytes"]
        self.compile([DIGITS, other], "--name", "a", "--name", "b", "--max-flash", str(2 * one))
        self.compile([DIGITS, DIGITS], "--name", "a", "--name", "b", "--max-flash", str(2 * one - 1), code=5)
        self.assertIn("--max-flash", self.stderr)

    # --- State

    def test_state_is_kept_between_runs_and_only_when_they_succeed(self):
        path = self.adder({})
        loose = self.compile(path, "--name", "loose", out="loose")
        for pool in ("caller", "pool"):
            kept = self.compile(path, "--name", "kept", "--state", "h=n", "--io", pool, out="kept")
            header = (kept / "tvmgen_kept.h").read_text()
            self.assertIn("struct tvmgen_kept_state {\n    int8_t h[6];", header)
            body = """#include <string.h>
#include "tvmgen_loose.h"
static int8_t x[6], h[6], y[6], n[6];
#ifndef MAPPED
static int8_t z[6];
#endif
static uint8_t memory[4096] __attribute__((aligned(16)));
int main(void)
{
    struct tvmgen_kept_workspace_pools kp = {memory};
    struct tvmgen_loose_workspace_pools lp = {memory + 2048};
    struct tvmgen_loose_inputs li = {x, h};
    struct tvmgen_loose_outputs lo = {y, n};
    struct tvmgen_kept_state state, before;
    struct tvmgen_kept_cursor cursor = {0};
#ifdef MAPPED
    struct tvmgen_kept_inputs ki = tvmgen_kept_map_inputs(&kp);
    struct tvmgen_kept_outputs ko = tvmgen_kept_map_outputs(&kp);
#else
    struct tvmgen_kept_inputs ki = {x};
    struct tvmgen_kept_outputs ko = {z};
#endif
    tvmgen_kept_reset(&state);
    memset(h, 3, 6); /* the zero point */
    if (memcmp(state.h, h, 6) != 0 || TVMGEN_KEPT_STATE_SIZE != 6) return 1;
    for (int run = 0; run < 5; run++) {
        for (int i = 0; i < 6; i++) x[i] = (int8_t)(run * 7 + i * 5 - 20);
#ifdef MAPPED
        memcpy(ki.x, x, 6);
#endif
        before = state;
        while (cursor.next + 1 < TVMGEN_KEPT_OPERATORS) {
            if (tvmgen_kept_step(&cursor, &ki, &ko, &kp, &state) != TVMGEN_KEPT_MORE) return 2;
        }
        tvmgen_kept_abort(&cursor);
        if (memcmp(&before, &state, sizeof state) != 0) return 3;
#ifdef MAPPED
        memcpy(ki.x, x, 6);
#endif
        if (tvmgen_kept_run(&ki, &ko, &kp, NULL) != TVMGEN_KEPT_BAD_ARGUMENT) return 4;
        if (run % 2 == 0) {
            if (tvmgen_kept_run(&ki, &ko, &kp, &state) != 0) return 5;
        } else {
            int32_t code = TVMGEN_KEPT_MORE;
            while (code == TVMGEN_KEPT_MORE) code = tvmgen_kept_step(&cursor, &ki, &ko, &kp, &state);
            if (code != 0) return 6;
        }
        if (tvmgen_loose_run(&li, &lo, &lp) != 0) return 7;
        if (memcmp(ko.y, y, 6) != 0 || memcmp(state.h, n, 6) != 0) return 8;
        memcpy(h, n, 6);
    }
    return 0;
}"""
            program = self.program([kept, loose], "tvmgen_kept.h", body, *(["-DMAPPED"] if pool == "pool" else []))
            self.assertEqual(subprocess.run([program]).returncode, 0)
        for bad in ("x", "h=", "q=n", "h=x"):
            self.assertNotEqual(subprocess.run([ORIBI, "compile", path, "-o", self.folder / "bad", "--state", bad],
                                               capture_output=True).returncode, 0)

    def test_a_delay_line_shifts(self):
        """a takes what b was, b what the sum is: a must be written first."""
        graph = model.Graph()
        x, b, a, y = (graph.add(model.Tensor(k, [1, 4], "i8", None, [0.5], [0])) for k in "xbay")
        s = graph.add(model.Tensor("s", [1, 4], "i8", None, [0.5], [0]))
        c = graph.add(model.Tensor("c", [1, 4], "i8", None, [0.5], [0]))
        shape = graph.add(model.Tensor("shape", [2], "i32", np.array([1, 4], np.int32)))
        graph.op("ADD", [x, a], [y])
        graph.op("ADD", [x, b], [s])
        graph.op("RESHAPE", [b, shape], [c])
        graph.inputs, graph.outputs = [x, b, a], [y, s, c]
        folder = self.compile(self.write(graph), "--name", "net", "--state", "b=s", "--state", "a=c")
        body = """int main(void)
{
    static uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE + 16] __attribute__((aligned(16)));
    static int8_t x[4] = {1, 1, 1, 1}, y[4];
    struct tvmgen_net_workspace_pools pools = {memory};
    struct tvmgen_net_inputs in = {x};
    struct tvmgen_net_outputs out = {y};
    struct tvmgen_net_state state;
    tvmgen_net_reset(&state);
    for (int run = 0; run < 4; run++) {
        if (tvmgen_net_run(&in, &out, &pools, &state) != 0) return 1;
        if (state.b[0] != run + 1 || state.a[0] != run || y[0] != (run > 0 ? run : 1)) return 2;
    }
    return 0;
}"""
        self.assertEqual(subprocess.run([self.program(folder, "tvmgen_net.h", body)]).returncode, 0)

    # --- Self-test

    def test_the_self_test_names_the_first_bad_operator(self):
        for pool in ("caller", "pool"):
            folder = self.compile(DIGITS, "--name", "net", "--self-test", "--io", pool)
            body = """#include <string.h>
static uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE] __attribute__((aligned(16)));
int main(void)
{
    struct tvmgen_net_workspace_pools pools = {memory};
    struct tvmgen_net_finding finding;
#ifdef MAPPED
    int32_t code = tvmgen_net_self_test(&pools, &finding);
#else
    static int8_t out[10];
    struct tvmgen_net_outputs outputs = {out};
    int32_t code = tvmgen_net_self_test(&outputs, &pools, &finding);
#endif
    printf("%d %d %s", (int)code, (int)finding.index, finding.name);
    return 0;
}"""
            flags = ["-DMAPPED"] if pool == "pool" else []
            run = lambda: subprocess.run([self.program(folder, "tvmgen_net_self_test.h", body, *flags)],
                                         capture_output=True, text=True).stdout
            self.assertEqual(run(), "0 -1 ")
            written = re.search(r"case 5:\n.*?&(pool_workspace\[\d+\])", (folder / "tvmgen_net_self_test.c").read_text())
            operators = folder / "tvmgen_net.c"
            operators.write_text(re.sub(r"(case 5:\n.*?)(break;)", rf"\1{written.group(1)} ^= 1; \2",
                                        operators.read_text(), flags=re.S))
            calls = [n["call"] for n in json.loads((folder / "report.json").read_text())["nodes"] if n["call"]]
            self.assertEqual(run().split(":")[0], f"-3 5 {calls[5]}")

    def test_the_self_test_of_floats_passes_here(self):
        folder = self.compile(DIGITS.with_name("digits.onnx"), "--name", "net", "--self-test", "--io", "pool")
        body = """int main(void)
{
    static uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE] __attribute__((aligned(16)));
    struct tvmgen_net_workspace_pools pools = {memory};
    struct tvmgen_net_finding finding;
    return (int)tvmgen_net_self_test(&pools, &finding);
}"""
        for level in ("-O0", "-O3"):
            program = self.program(folder, "tvmgen_net_self_test.h", body, level)
            self.assertEqual(subprocess.run([program]).returncode, 0)

    # --- The example and the page

    def test_the_example_runs(self):
        folder = self.compile(DIGITS, "--name", "digits")
        program = self.folder / "program"
        subprocess.run(["gcc", *FLAGS, f"-I{folder}", SOURCE / "examples/embed/firmware.c", *folder.rglob("*.c"), "-o", program],
                       check=True)
        self.assertRegex(subprocess.run([program], capture_output=True, text=True, check=True).stdout,
                         r"^\d: [01]\.\d{3}\n$")

    def test_the_page_names_every_option(self):
        page = (SOURCE / "docs/reference/compile.md").read_text()
        text = subprocess.run([ORIBI, "compile", "--help"], capture_output=True, text=True, check=True).stdout
        for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, flags=re.M):
            if option not in ("--output", "--json", "--force"):
                self.assertTrue(option in page, option)

    # --- Rules of the C

    def test_long_operators_yield(self):
        folder = self.compile(DIGITS, "--name", "net")
        (self.folder / "config.h").write_text(
            "extern int now, yields[32];\n#define TVMGEN_ON_OP(index) (now = (index))\n"
            "#define TVMGEN_YIELD() ((void)yields[now]++)\n")
        body = """int now, yields[32];
int main(void)
{
    static uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE] __attribute__((aligned(16)));
    static int8_t in[64], out[10];
    struct tvmgen_net_workspace_pools pools = {memory};
    struct tvmgen_net_inputs inputs = {in};
    struct tvmgen_net_outputs outputs = {out};
    if (tvmgen_net_run(&inputs, &outputs, &pools) != 0) return 1;
    for (int i = 0; i < TVMGEN_NET_OPERATORS; i++) printf("%d ", yields[i]);
    return 0;
}"""
        program = self.program(folder, "tvmgen_net.h", body, f'-DTVMGEN_CONFIG_HEADER="{self.folder}/config.h"')
        yields = [int(n) for n in subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()]
        report = json.loads((folder / "report.json").read_text())
        nodes = [n for n in report["nodes"] if n["call"] is not None]
        self.assertEqual(len(yields), len(nodes))
        for count, node in zip(yields, nodes):
            if node["macs"] > 1000:
                self.assertGreaterEqual(count, node["macs"] // 20000 + 1, node["name"])

    def test_kernels_of_many_products_yield(self):
        names = [p for p in (SOURCE / "micro").rglob("*.c") if re.match(
            r"(conv2d|depthwise_conv2d|transpose_conv|fully_connected|matmul|batch_matmul|average_pool|max_pool)",
            p.name) and not p.name.endswith(("_prepare.c", "_pixels.c"))]
        self.assertGreater(len(names), 8)
        for name in names:
            text = name.read_text()
            for row in re.findall(r"#define ORIBI_MICRO_ROW +oribi_micro_(\w+)", text):  # that does the products
                text += next((SOURCE / "micro").rglob(f"{row}.c")).read_text()
            for body in re.findall(r'#include "(micro/\w+/\w+_body\.h)"', text):
                text += (SOURCE / body).read_text()
            self.assertTrue("TVMGEN_YIELD();" in text, name.name)

    def calls_of(self, sources):
        """function -> functions that it calls, by the compiler's own assembly without inlining."""
        calls = {}
        for source in sources:
            text = subprocess.run(["gcc", "-std=c99", "-O0", "-fno-inline", "-fno-pie", "-fno-jump-tables", "-Wvla", "-Werror", "-S", "-I",
                                   SOURCE, "-I", SOURCE / "include", source, "-o", "-"], check=True, capture_output=True, text=True).stdout
            function = None
            for line in text.splitlines():
                label = re.match(r"([A-Za-z_]\w*):", line)
                call = re.match(r"\s+(?:call|jmp)\s+(\S+)", line)
                if label:
                    function = f"{source.name}:{label[1]}" if f"\t.globl\t{label[1]}\n" not in text else label[1]
                    calls.setdefault(function, set())
                elif call and not call[1].startswith(".L"):
                    name = call[1].split("@")[0]
                    calls[function].add(f"{source.name}:{name}" if f"\n{name}:" in text and
                                        f"\t.globl\t{name}\n" not in text else name)
        return calls

    def faults_of(self, calls):
        """Indirect calls, allocation and cycles."""
        found, done = [], set()

        def visit(name, path):
            if name in path:
                found.append(" -> ".join([*path[path.index(name):], name]))
            elif name not in done:
                for callee in calls.get(name, ()):
                    visit(callee, [*path, name])
                done.add(name)
        for name in calls:
            visit(name, [])
            found += [f"{name}: indirect call" for c in calls[name] if "*" in c]
            found += [f"{name} calls {c}" for c in calls[name] if c in ("malloc", "calloc", "realloc", "free", "alloca")]
        return found

    def test_no_kernel_recurses_allocates_or_calls_through_a_pointer(self):
        kernels = [p for p in sorted((SOURCE / "micro").rglob("*.c")) if "prepare" not in p.name and p.parent.name != "geometry"]
        folder = self.compile(DIGITS, "--name", "net", "--self-test")
        self.assertEqual(self.faults_of(self.calls_of([*kernels, *folder.glob("*.c")])), [])
        planted = self.folder / "planted.c"
        for text, words in (("int f(int n);\nint f(int n) { return n > 0 ? f(n - 1) : 0; }\n", "f -> f"),
                            ("int f(int (*g)(void));\nint f(int (*g)(void)) { return g() + 1; }\n", "indirect"),
                            ("#include <stdlib.h>\nint f(void);\nint f(void) { free(malloc(3)); return 1; }\n", "malloc")):
            planted.write_text(text)
            self.assertTrue(any(words in fault for fault in self.faults_of(self.calls_of([planted]))), text)

    # --- Strings

    def test_hostile_strings_stay_text(self):
        names = {k: f"{k}{HOSTILE}" for k in ("x", "h", "y", "n", "graph")}
        path = self.adder(names)
        hostile = self.folder / "ev*il\" ?? ${A}.tflite"
        shutil.copy(path, hostile)
        for layout in ("cmake", "zephyr", "cmsis-pack", "arduino", "esp-idf"):
            folder = self.compile(hostile, "--self-test", "--layout", layout, "--workspace", "static")
            includes = [f"-I{p}" for p in (folder / "include", folder / "src", folder) if p.is_dir()]
            subprocess.run(["gcc", *FLAGS, "-trigraphs", "-r", "-nostdlib", *includes, *folder.rglob("*.c"), "-o",
                            self.folder / "whole.o"], check=True)
            for file in folder.rglob("*"):
                if "micro" not in file.parts and file.is_file() and file.suffix in (".c", ".h", ".txt", ".pdsc", ".yml", ".properties"):
                    text = file.read_text(encoding="ascii")
                    for bad in ("<script", "${X}", "??/", "#error '", "`"):
                        self.assertNotIn(bad, text, file)
            metadata = json.loads((folder / "metadata.json").read_text())
            self.assertEqual(len(metadata["modules"]), 1)
            report = json.loads((folder / "report.json").read_text())
            self.assertIn(names["y"].replace("\n", "?"), [node["name"] for node in report["nodes"]])

    def test_names_that_collide_are_refused_and_can_be_changed(self):
        self.compile(path := self.adder({"x": "in:1", "h": "in.1", "y": "Workspace"}), code=4)
        self.assertIn("--rename 'in.1=NEW'", self.stderr)
        folder = self.compile(path, "--rename", "in.1=second", "--name", "net")
        header = (folder / "tvmgen_net.h").read_text()
        self.assertIn("const int8_t *second;", header)
        self.assertIn("int8_t *Workspace_;", header)
        subprocess.run(["gcc", *FLAGS, "-r", "-nostdlib", *folder.rglob("*.c"), "-o", self.folder / "w.o"], check=True)
        self.compile(path, "--rename", "in.1=second", "--rename", "nobody=other", code=4)

    def test_an_input_and_an_output_of_one_name_are_told_apart(self):
        path = self.adder({"x": "same", "y": "same", "n": "SAME"})
        self.compile(path, code=4)
        self.assertIn("input 'same' and output 'same' would both be called 'SAME' in C", self.stderr)
        self.assertIn("--rename 'output:same=NEW'", self.stderr)
        self.compile(path, "--rename", "output:same=y", code=4)
        self.assertIn("--rename 'SAME=NEW'", self.stderr)
        folder = self.compile(path, "--rename", "output:same=y", "--rename", "SAME=n", "--name", "net")
        header = (folder / "tvmgen_net.h").read_text()
        for member in ("const int8_t *same;", "int8_t *y;", "int8_t *n;"):
            self.assertIn(member, header)
        subprocess.run(["gcc", *FLAGS, "-r", "-nostdlib", *folder.rglob("*.c"), "-o", self.folder / "w.o"], check=True)
        passing = self.adder({"x": "same"}, passes_on=True)  # an output that is an input needs no help
        self.assertIn("int8_t *same_output;", (self.compile(passing, "--name", "net", out="p") / "tvmgen_net.h").read_text())
        subprocess.run([ORIBI, "verify", passing, "--runs", "1"], check=True, capture_output=True)

    def test_names_of_pools_that_collide_are_refused_and_can_be_changed(self):
        path, pools = self.adder({"x": "sram_WORKSPACE_POOL"}), ["--pool", "name=sram,size=1k", "--pool", "name=SRAM"]
        self.compile(path, *pools[:2], code=4)
        self.assertIn("input 'sram_WORKSPACE_POOL' and pool 'sram' would both be called", self.stderr)
        path = self.adder({})
        self.compile(path, *pools, code=4)
        self.assertIn("pool 'sram' and pool 'SRAM' would both be called", self.stderr)
        self.assertIn("--rename 'SRAM=NEW'", self.stderr)
        self.compile(path, *pools, "--rename", "SRAM=state")  # what else is called so has another name in C
        folder = self.compile(path, *pools, "--rename", "SRAM=dram", "--name", "net", "--workspace", "static")
        header = (folder / "tvmgen_net.h").read_text()
        for word in ("uint8_t *sram;", "uint8_t *dram;", "TVMGEN_NET_DRAM_WORKSPACE_POOL_SIZE"):
            self.assertIn(word, header)
        subprocess.run(["gcc", *FLAGS, "-r", "-nostdlib", *folder.rglob("*.c"), "-o", self.folder / "w.o"], check=True)

    # --- Sameness

    def bytes_of(self, oribi, options):
        folder = self.compile(DIGITS, *options, oribi=oribi)
        return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    def test_a_library_of_another_compiler_writes_the_same(self):
        other = SOURCE / "build/clang/bin/oribi"
        newest = max(p.stat().st_mtime for d in ("src", "micro", "plugins") for p in (SOURCE / d).rglob("*.[ch]"))
        if not other.exists() or other.stat().st_mtime < newest:
            self.skipTest("no fresh build by clang beside this one")
        for options in (["--self-test"], ["--layout", "mlf", "--weights", "obj"], ["--weights", "bin", "--io", "pool"]):
            self.assertEqual(self.bytes_of(ORIBI, options), self.bytes_of(other, options))

    def test_the_date_is_given_by_the_environment_alone(self):
        first = json.loads((self.compile(DIGITS) / "metadata.json").read_text())
        os.environ["SOURCE_DATE_EPOCH"] = "86400"
        self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH")
        second = json.loads((self.compile(DIGITS) / "metadata.json").read_text())
        dates = [next(iter(m["modules"].values()))["export_datetime"] for m in (first, second)]
        self.assertEqual(dates, ["1970-01-01 00:00:00Z", "1970-01-02 00:00:00Z"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
