#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names that C, C++, their headers or the emitted code itself want for something else, in every place where
a caller or a model names something: what comes out compiles, or the name is refused with a reason.

    names_test.py ORIBI SOURCE_FOLDER MADE_TARGETS.so"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE, TARGETS = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
import container
import model

# written down apart from the library's own lists
WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield
compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend
mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast
requires static_assert static_cast template this thread_local throw true try typeid typename typeof using virtual
wchar_t xor xor_eq int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t int_least8_t uint_fast16_t
intptr_t uintptr_t intmax_t uintmax_t size_t ptrdiff_t max_align_t INT8_MAX INT16_MIN INT32_MIN UINT8_MAX
UINT32_MAX SIZE_MAX PTRDIFF_MAX INTMAX_MAX INT_MAX INT_MIN UINT_MAX LONG_MAX CHAR_BIT INT64_C UINT32_C NULL offsetof
memcpy memmove memset memcmp memchr strlen strcpy strcmp strncpy strcat strchr strstr strtok strdup errno assert
stdin stdout stderr EOF linux unix i386 near far huge I complex imaginary interrupt
inputs outputs devices device code members cursor workspace_pools workspace state states weights error index i args
from to hook kinds instances operator_index operator_names failed failures unwind check commit run_operator
set_tensor run_model call calls data tensor tensors device_offset bytes resource_handle next active open started
none best element elements value scaled nearest rest host cpu main printf abort exit
find_place set_up own_call device_handle call_device run_kernel device_steps device_first device_ranges
device_operators device_tensors device_unwinding device_range device_step device_operator start at place range peer
step which bit handle begun a shared_hook
average_pool_2_args region_0 conv2d_0 conv2d_0_args OK MORE SIZE COUNT TYPE RANK SHAPE SCALE ZERO_POINT OPERATORS
BAD_ARGUMENT STATE WEIGHTS WORKSPACE SHARED_WORKSPACE tvmgen_net tvmgen_net_run tvm_device_call TVMGEN_NET_OK
TVMGEN_ON_OP TVMGEN_YIELD TVMGEN_SECTION TVM_DEVICE_E_NULL TVM_DEVICE_HOOK_OPEN ORIBI_MICRO_NONE oribi _x __x _Bool
_Static_assert __func__ defined a__b x y""".split()
HEADERS = """#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tvmgen_net.h"
"""
C_FLAGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
HOOKS = """typedef struct {{ int none; }} tvm_device_{kind}_t;
int32_t TVMDevice{camel}Activate(tvm_device_{kind}_t *dev);
int32_t TVMDevice{camel}Open(tvm_device_{kind}_t *dev);
int32_t TVMDevice{camel}Close(tvm_device_{kind}_t *dev);
int32_t TVMDevice{camel}Deactivate(tvm_device_{kind}_t *dev);
int32_t TVMDevice{camel}Invoke(tvm_device_{kind}_t *dev, const struct tvm_device_call *call);
"""
KINDS = """#include "oribi/target.h"
static void write_it(void *user, const oribi_region *region, oribi_target_code *code, TF_Status *status)
{
    (void)user, (void)region, (void)status;
    oribi_target_set_op(code, 1);
}
static const char *const ops[] = {"Oribi>QAveragePool"};
static const oribi_target_pattern patterns[] = {
    {sizeof(oribi_target_pattern), "pool", ops, 1, NULL, NULL, write_it, NULL}};
static const char *const names[] = {%s};
static oribi_target targets[sizeof names / sizeof names[0]];
void TF_InitKernel(void);
void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        targets[i] = (oribi_target){.struct_size = sizeof targets[i], .name = names[i], .device_type = 12,
                                    .device_api = 1, .patterns = patterns, .n_patterns = 1};
        oribi_target_register(&targets[i], status);
    }
    TF_DeleteStatus(status);
}
"""


def distinct(words):
    """Lists in which no two words differ in case alone: their macros would be the same."""
    lists = []
    for word in words:
        free = next((known for known in lists if word.upper() not in known), None)
        if free is None:
            lists.append(free := {})
        free[word.upper()] = word
    return [list(known.values()) for known in lists]


def model_of(inputs, outputs):
    """Each output the pool of an input and an operator that becomes a view."""
    graph = model.Graph()
    for source, result in zip(inputs, outputs):
        x = graph.add(model.Tensor(source, [1, 4, 4, 2], "i8", None, 0.5, 3))
        y = graph.add(model.Tensor(result, [1, 2, 2, 2], "i8", None, 0.5, 3))
        graph.inputs.append(x)
        graph.outputs.append(y)
        graph.op("AVERAGE_POOL_2D", [x], [y], padding="VALID", stride_w=2, stride_h=2, filter_w=2,
                 filter_h=2, activation="NONE")
    return model.write(graph)


class Names(unittest.TestCase):
    def setUp(self):
        self.box = tempfile.TemporaryDirectory()
        self.addCleanup(self.box.cleanup)
        self.folder = pathlib.Path(self.box.name)

    def compile(self, data, *options):
        """None, or why Oribi refuses."""
        (self.folder / "net.tflite").write_bytes(data)
        done = subprocess.run([ORIBI, "compile", self.folder / "net.tflite", "--name", "net", "--force", "-o",
                               self.folder / "c", *options], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 2, 3), f"{options}: {done.stderr}")
        return None if done.returncode == 0 else done.stderr

    def build(self, what, kinds=(), n_compilers=3):
        """The C as C99 by itself and behind the headers of the system with GNU's words, the header as C++."""
        c = self.folder / "c"
        (c / "hooks.h").write_text("#ifndef HOOKS_H_\n#define HOOKS_H_\n#include \"tvm/runtime/device.h\"\n#ifdef __cplusplus\n"
                                   "extern \"C\" {\n#endif\n" + "".join(
                                       HOOKS.format(kind=kind, camel=camel) for kind, camel in kinds) +
                                   "#ifdef __cplusplus\n}\n#endif\n#endif\n")
        includes = ["-I", c, *(f"-DTVM_DEVICE_{kind.upper()}_HEADER=\"hooks.h\"" for kind, _ in kinds)]
        (c / "after.c").write_text(HEADERS + (c / "tvmgen_net.c").read_text())
        (c / "after.cc").write_text(HEADERS.replace("#include <complex.h>\n", ""))
        for compiler in (["gcc", "-std=c99", "-Wshadow", *C_FLAGS, "-x", "c", c / "tvmgen_net.c"],
                         ["gcc", "-std=gnu11", *C_FLAGS, "-x", "c", c / "after.c"],
                         ["g++", "-std=gnu++20", *C_FLAGS, "-x", "c++", c / "after.cc"])[:n_compilers]:
            done = subprocess.run([*compiler, *includes], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{what}: {compiler[:2]}: {done.stderr[:1500]}")

    def test_inputs_and_outputs(self):
        for words in distinct(WORDS):
            plain = [f"p{i}" for i in range(len(words))]
            for data, what in ((model_of(words, plain), "inputs"), (model_of(plain, words), "outputs")):
                for options in (("--workspace", "static"), ("--io", "pool", "--weights", "bin")):
                    self.assertIsNone(self.compile(data, *options), what)
                    self.build(f"{what} {options}")

    def test_states(self):
        for words in distinct(WORDS):
            outputs = [f"p{i}" for i in range(len(words))]
            graph = model.Graph()
            for word, output in zip(words, outputs):
                graph.inputs.append(graph.add(model.Tensor(word, [1, 4], "i8", None, 0.5, 3)))
                graph.outputs.append(graph.add(model.Tensor(output, [1, 4], "i8", None, 0.5, 3)))
                graph.op("MAXIMUM", [graph.inputs[-1], graph.inputs[-1]], [graph.outputs[-1]])
            graph.inputs.append(graph.add(model.Tensor("in", [1, 4], "i8", None, 0.5, 3)))
            graph.outputs.append(graph.add(model.Tensor("out", [1, 4], "i8", None, 0.5, 3)))
            graph.op("MAXIMUM", [graph.inputs[-1], graph.inputs[-1]], [graph.outputs[-1]])
            states = [o for pair in zip(words, outputs) for o in ("--state", "=".join(pair))]
            self.assertIsNone(self.compile(model.write(graph), *states))
            self.build("states")

    def test_variables_with_a_first_value(self):
        head, cases = container.unpack(SOURCE / "tests/vectors/call_once_i8.bin.xz")
        self.assertEqual("CALL_ONCE", head["operator"])
        data = cases[0].model
        self.assertIsNone(self.compile(data))
        text = (self.folder / "c/tvmgen_net.h").read_text()
        found = re.search(r"struct tvmgen_net_state \{\s*\w+ (\w+)\[", text)[1]
        for word in ("memcpy", "int8_t", "state", "sizeof", "memset"):
            name = word if len(word) <= len(found) else None
            if name:
                renamed = data.replace(found.encode(), word.encode() + b"_" * (len(found) - len(word)))
                self.assertIsNone(self.compile(renamed), word)
                self.build(f"variable {word}")
        self.build("variables")

    def test_pools(self):
        data, accepted = model_of(["in"], ["out"]), 0
        for word in WORDS:
            why = self.compile(data, "--pool", f"name={word}", "--io", "pool", "--plugin", TARGETS,
                               "--target-device", "npu=every")
            if why is None:
                accepted += 1
                self.build(f"pool {word}", [("every", "Every")], 1)
            else:
                self.assertIn("name=NAME", why)
        self.assertGreater(accepted, 10)

    def test_whatever_the_c_calls_something_a_pool_or_a_device_may_be_called(self):
        """Not a list: every identifier of what is emitted, calls with rings among it."""
        graph = model.Graph()
        at = graph.add(model.Tensor("in", [1, 24, 24, 8], "i8", None, 0.5, 3))
        graph.inputs.append(at)
        for i in range(3):
            to = graph.add(model.Tensor(f"t{i}", [1, 24, 24, 8], "i8", None, 0.5, 3))
            graph.op("MAX_POOL_2D", [at], [to], padding="SAME", stride_w=1, stride_h=1, filter_w=3, filter_h=3, activation="NONE")
            at = to
        graph.outputs.append(at)
        with_rings, one = model.write(graph), model_of(["in"], ["out"])
        self.assertIsNone(self.compile(with_rings, "--rings", "least"))
        text = (self.folder / "c/tvmgen_net.c").read_text()
        self.assertIn("rings_0", text)
        self.assertIsNone(self.compile(one, "--plugin", TARGETS, "--target-device", "npu=every"))
        text += (self.folder / "c/tvmgen_net.c").read_text()
        text = re.sub(r"/\*.*?\*/|\"[^\"\n]*\"|#include[^\n]*", " ", text, flags=re.DOTALL)
        names = sorted({n for n in re.findall(r"\b[A-Za-z]\w*", text) if not n.lower().startswith(("tvm", "oribi_"))})
        refused = []
        for name in names:
            if self.compile(with_rings, "--rings", "least", "--pool", f"name={name}") is None:
                self.build(f"pool {name}", (), 1)
            else:
                refused.append(name)
        self.assertEqual([n for n in refused if n not in WORDS[:WORDS.index("inputs")]], [])
        self.assertGreater(len(names) - len(refused), 60)
        devices = [n for n in names if n.islower() and n != "cpu"]
        for i in range(0, len(devices), 30):
            options = [o for n in devices[i:i + 30] for o in ("--target-device", f"{n}=every")]
            self.assertIsNone(self.compile(model_of([f"in{k}" for k in range(3)], [f"out{k}" for k in range(3)]), "--plugin", TARGETS,
                                           *options))
            self.build(f"devices {devices[i:i + 30]}", [("every", "Every")], 1)

    def test_device_instances(self):
        data = model_of([f"in{i}" for i in range(3)], [f"out{i}" for i in range(3)])
        words = [w for w in distinct(w.lower() for w in WORDS if re.fullmatch("[a-zA-Z][a-zA-Z0-9_]*", w))[0]]
        for i in range(0, len(words), 30):
            some = words[i:i + 30]
            options = [o for w in some for o in ("--target-device", f"{w}=every") if w != "cpu"]
            for more in ((), ("--weights", "bin"), ("--device-schedule", "eager")):
                self.assertIsNone(self.compile(data, "--plugin", TARGETS, *options, *more), some)
                self.build(f"instances {some}", [("every", "Every")])

    def test_kinds(self):
        words = [w.lower() for w in WORDS if re.fullmatch("[a-zA-Z][a-zA-Z0-9_]*", w)]
        words = list(dict.fromkeys(words))
        (self.folder / "kinds.c").write_text(KINDS % ", ".join(f'"{w}"' for w in words))
        subprocess.run(["gcc", "-shared", "-fPIC", "-I", SOURCE / "include", self.folder / "kinds.c", "-o",
                        self.folder / "kinds.so"], check=True)
        data = model_of(["in"], ["out"])
        words.remove("cpu")
        for i in range(0, len(words), 30):
            some = words[i:i + 30]
            camels = ["".join(part[:1].upper() + part[1:] for part in word.split("_")) for word in some]
            self.assertIsNone(self.compile(data, "--plugin", self.folder / "kinds.so",
                                           *(o for word in some for o in ("--target-device", word))))
            self.build(f"kinds {some}", list(zip(some, camels)))
            for word, camel in list(zip(some, camels))[::10]: # that takes the operator
                self.assertIsNone(self.compile(data, "--plugin", self.folder / "kinds.so", "--target-device", word))
                self.build(f"kind {word}", [(word, camel)], 1)

    def test_models(self):
        data = model_of(["in"], ["out"])
        for word in WORDS:
            (self.folder / f"{word}.tflite").write_bytes(data)
            done = subprocess.run([ORIBI, "compile", self.folder / f"{word}.tflite", "-o", self.folder / word],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        sources = sorted(self.folder.glob("*/tvmgen_*.c"))
        for i in range(0, len(sources), 40):
            done = subprocess.run(["gcc", "-std=c99", *C_FLAGS, *(f"-I{s.parent}" for s in sources[i:i + 40]),
                                   *sources[i:i + 40]], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr[:1500])

    def test_a_rename_is_refused_rather_than_changed(self):
        for word in ("memcpy", "int8_t", "class", "NULL"):
            why = self.compile(model_of(["in"], ["out"]), "--rename", f"in={word}")
            self.assertIn("no word of C", why or "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
