#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loops in emitted C: ONNX Loop and Scan, with trip counts that are known and that the run computes, conditions of their own, states that
change places, elements that are collected, loops in loops, in branches and round them. The host says what numpy says, and emitted C the
same to the bit; under sanitizers, by a compiler that is strict; on a microcontroller in QEMU where there is one; and faults are planted in
what is emitted. A WHILE of TFLite, too. What grows is refused by name.

    loops_test.py ORIBI SOURCE_FOLDER WOOFLES"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE, WOOFLES = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "tests/cli"), str(SOURCE / "tests/session")]
import onnx_lite as onnx  # noqa: E402
import subgraphs_test as tflite  # noqa: E402

RNG = np.random.default_rng(12)
X = RNG.normal(size=(3, 4)).astype(np.float32)
HALF = np.float32(0.5)
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-ffp-contract=off"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover"]
KINDS = {np.dtype(np.float32): 1, np.dtype(np.int32): 6, np.dtype(np.int64): 7, np.dtype(np.bool_): 9}


def body(name, inputs, nodes, outputs):
    """An attribute that is a graph; inputs are (name, dims, kind) or names, of which nothing is said."""
    def port(p):
        return onnx.info(*p) if isinstance(p, tuple) else onnx.field(1, p)
    graph = b"".join([onnx.field(1, n) for n in nodes] + [onnx.field(2, "inner")] + [onnx.field(11, port(i)) for i in inputs] +
                     [onnx.field(12, port(o)) for o in outputs])
    return onnx.field(5, onnx.field(1, name) + onnx.field(6, graph) + onnx.field(20, 5))


def loop(inputs, outputs, formals, nodes, results, name="loop"):
    """A Loop; formals and results begin with the number and the condition."""
    return onnx.node("Loop", inputs, outputs, name=name) + body("body", formals, nodes, results)


NODE = onnx.node
NUMBER, GOES = ("i", [], 7), ("c", [], 9)
KEEP = NODE("Identity", ["c"], ["d"])


def carried(x, n):
    a, rows = x, []
    for _ in range(int(n)):
        a = np.tanh(a * HALF + x)
        rows.append(a + HALF)
    return a, np.array(rows, np.float32).reshape(-1, 3, 4)


STEP = [KEEP, NODE("Mul", ["a", "half"], ["m"]), NODE("Add", ["m", "x"], ["s"]), NODE("Tanh", ["s"], ["b"]),
        NODE("Add", ["b", "half"], ["e"])]


def known(trips):
    return [loop(["n", "yes", "x"], ["y", "all"], [NUMBER, GOES, ("a", [3, 4], 1)], STEP, ["d", "b", "e"])], \
        {"n": np.array(trips), "yes": np.array(True), "half": HALF}


def computed():
    """As often as an input says; what is captured is read first and only there."""
    nodes = [NODE("Exp", ["x"], ["t"]),
             loop(["n", "", "x"], ["y"], [NUMBER, GOES, "a"],
                  [KEEP, NODE("Sub", ["t", "a"], ["p"]), NODE("Sin", ["p"], ["q"]), NODE("Cos", ["q"], ["r"]),
                   NODE("Mul", ["q", "r"], ["s"]), NODE("Add", ["s", "half"], ["b"])], ["d", "b"])]
    return nodes, {"half": HALF}


def compute(x, n):
    a = x
    for _ in range(int(n)):
        q = np.sin(np.exp(x) - a)
        a = q * np.cos(q) + HALF
    return (a,)


def until(trips=None):
    """While the largest is below a limit; a condition alone, or with a trip count."""
    nodes = [NODE("ReduceMax", ["x"], ["top"], keepdims=0), NODE("Less", ["top", "limit"], ["is"]),
             loop(["" if trips is None else "n", "is", "x", "zero"], ["y", "count"], [NUMBER, GOES, "a", "k"],
                  [NODE("Mul", ["a", "a"], ["q"]), NODE("Add", ["q", "half"], ["b"]), NODE("ReduceMax", ["b"], ["m"], keepdims=0),
                   NODE("Less", ["m", "limit"], ["d"]), NODE("Add", ["k", "one"], ["l"])], ["d", "b", "l"])]
    return nodes, {"limit": np.float32(100), "half": HALF, "zero": np.array(0), "one": np.array(1)} | \
        ({} if trips is None else {"n": np.array(trips)})


def repeat(x, trips=1000):
    a, k = x, 0
    while a.max() < 100 and k < trips:
        a, k = a * a + HALF, k + 1
    return a, np.array(k)


def places():
    """States that change places, one of them under another shape, and one that stays."""
    nodes = [NODE("Neg", ["x"], ["z"]), NODE("Exp", ["x"], ["u"]),
             loop(["n", "", "x", "z", "u"], ["y", "w", "v"], [NUMBER, GOES, "a", "b", "k"],
                  [KEEP, NODE("Reshape", ["b", "flat"], ["f"]), NODE("Reshape", ["f", "back"], ["g"]), NODE("Identity", ["k"], ["o"])],
                  ["d", "g", "a", "o"])]
    return nodes, {"flat": np.array([12]), "back": np.array([3, 4])}


def growth():
    """Each is the sum of the two before it: one of them takes the place of the other."""
    return [loop(["n", "", "x", "x"], ["y", "z"], [NUMBER, GOES, "a", "b"], [KEEP, NODE("Add", ["a", "b"], ["s"])], ["d", "b", "s"])], {}


def grow(x, n):
    a, b = x, x
    for _ in range(n):
        a, b = b, a + b
    return a, b


def beside():
    """Two loops that know nothing of each other, and operators beside both, before and after in the file."""
    def one(op, y):
        return loop(["n", "", "x"], [y], [NUMBER, GOES, "a"], [KEEP, NODE(op, ["a"], ["p"]), NODE("Mul", ["p", "t"], ["b"])], ["d", "b"], y)
    return [NODE("Neg", ["x"], ["r"]), NODE("Exp", ["x"], ["t"]), one("Sin", "u"), NODE("Tanh", ["r"], ["s"]), one("Cos", "v"),
            NODE("Add", ["u", "v"], ["w"]), NODE("Add", ["w", "s"], ["y"])], {"n": np.array(4)}


def besides(x):
    u = v = x
    for _ in range(4):
        u, v = np.sin(u) * np.exp(x), np.cos(v) * np.exp(x)
    return (u + v + np.tanh(-x),)


def nested():
    """Each iteration has as many inner ones as its number says; the inner ones collect nothing, the outer ones do."""
    inner = loop(["i", "", "a"], ["b"], [("j", [], 7), ("g", [], 9), "s"],
                 [NODE("Identity", ["g"], ["h"]), NODE("Add", ["s", "t"], ["p"]), NODE("Sin", ["p"], ["q"])], ["h", "q"], "inner")
    return [loop(["n", "", "x"], ["y", "all"], [NUMBER, GOES, "a"],
                 [KEEP, NODE("Mul", ["a", "half"], ["t"]), inner, NODE("Sub", ["b", "t"], ["e"])], ["d", "e", "b"], "outer")], \
        {"n": np.array(4), "half": HALF}


def nest(x):
    a, rows = x, []
    for i in range(4):
        t, b = a * HALF, a
        for _ in range(i):
            b = np.sin(b + t)
        rows.append(b)
        a = b - t
    return a, np.array(rows)


def branching():
    """A loop in a branch, and a branch in that loop: in its third iteration one way, in others another."""
    choice = NODE("If", ["even"], ["b"]) + body("then_branch", [], [NODE("Tanh", ["a"], ["u"])], ["u"]) + \
        body("else_branch", [], [NODE("Mul", ["a", "x"], ["v"]), NODE("Exp", ["v"], ["w"])], ["w"])
    inner = loop(["n", "", "x"], ["r"], [NUMBER, GOES, "a"],
                 [KEEP, NODE("Equal", ["i", "two"], ["even"]), choice], ["d", "b"])
    nodes = [NODE("ReduceMax", ["x"], ["top"], keepdims=0), NODE("Less", ["zero", "top"], ["is"]),
             NODE("If", ["is"], ["y"]) + body("then_branch", [], [inner], ["r"]) +
             body("else_branch", [], [NODE("Neg", ["x"], ["s"])], ["s"])]
    return nodes, {"n": np.array(4), "two": np.array(2), "zero": np.float32(0)}


def branch(x):
    a = x
    for i in range(4 if x.max() > 0 else 0):
        a = np.tanh(a) if i == 2 else np.exp(a * x)
    return (a if x.max() > 0 else -x,)


def counted(limit, grows=False):
    """As exporters write `while`: a counter of the body, compared as float, ends the loop; what is collected has as many elements."""
    step = [NODE("Mul" if grows else "Add", ["k", "one"], ["l"]), NODE("Cast", ["l"], ["f"], to=1), NODE("Less", ["f", "limit"], ["d"])]
    return [loop(["", "yes", "first", "x"], ["last", "y", "all"], [NUMBER, GOES, ("k", [], 7), ("a", [3, 4], 1)],
                 [*step, *STEP[1:]], ["d", "l", "b", "e"])], \
        {"limit": np.float32(limit), "one": np.array(3 if grows else 2), "first": np.array(1), "yes": np.array(True), "half": HALF}


def count(x, trips, last):
    return (np.array(last), *carried(x, trips))


def scanned():
    """Rows backwards, what is collected along axis 1."""
    nodes = [NODE("Neg", ["start"], ["first"]),
             NODE("Scan", ["first", "x"], ["last", "y"], num_scan_inputs=1, scan_input_directions=[1], scan_output_axes=[1]) +
             body("body", ["s", "r"], [NODE("Add", ["s", "r"], ["t"]), NODE("Sin", ["t"], ["u"]), NODE("Mul", ["u", "r"], ["e"])],
                  ["u", "e"])]
    return nodes, {"start": np.float32([-0.25, 1, -2, -3])}


def scan(x):
    s, rows = np.float32([0.25, -1, 2, 3]), []
    for r in x[::-1]:
        s = np.sin(s + r)
        rows.append(s * r)
    return s, np.array(rows).T


# name, (nodes, weights), inputs, outputs, what numpy says
CASES = [
    ("known", known(5), {"x": X}, ("y", "all"), lambda x: carried(x, 5)),
    ("elements alone", known(3), {"x": X}, ("all",), lambda x: carried(x, 3)[1:]),
    *[(f"computed, {n}", computed(), {"x": X, "n": np.array(n)}, ("y",), compute) for n in (0, 1, 7, -3)],
    *[(f"until, {scale}", until(), {"x": np.abs(X) * np.float32(scale)}, ("y", "count"), repeat) for scale in (1, 1000)],
    *[(f"until, at most {n}", until(n), {"x": np.abs(X)}, ("y", "count"), lambda x, n=n: repeat(x, n)) for n in (2, 40)],
    *[(f"growth, {n}", growth(), {"x": X, "n": np.array(n)}, ("y", "z"), grow) for n in (0, 6)],
    ("beside", beside(), {"x": X}, ("y",), besides),
    *[(f"places, {n}", places(), {"x": X, "n": np.array(n)}, ("y", "w", "v"),
       lambda x, n: (x, -x, np.exp(x)) if n % 2 == 0 else (-x, x, np.exp(x))) for n in (2, 5)],
    ("counted", counted(8.5), {"x": X}, ("last", "y", "all"), lambda x: count(x, 4, 9)),
    ("counted, powers", counted(100, True), {"x": X}, ("last", "y", "all"), lambda x: count(x, 5, 243)),
    ("nested", nested(), {"x": X}, ("y", "all"), nest),
    *[(f"branching, {sign}", branching(), {"x": np.abs(X) * np.float32(sign) - np.float32(0.1)}, ("y",), branch) for sign in (0.3, -1)],
    ("scan", scanned(), {"x": X}, ("last", "y"), scan),
]


def growing():
    return [loop(["n", "", "x"], ["y"], [NUMBER, GOES, ("a", ["k", 4], 1)], [KEEP, NODE("Concat", ["a", "x"], ["b"], axis=0)],
                 ["d", "b"], "grows")], {"n": np.array(3)}


def counting():
    nodes, weights = until()
    nodes[-1] = loop(["", "is", "x"], ["z", "y"], [NUMBER, GOES, "a"],
                     [NODE("Mul", ["a", "a"], ["b"]), NODE("ReduceMax", ["b"], ["m"], keepdims=0), NODE("Less", ["m", "limit"], ["d"])],
                     ["d", "b", "b"], "counts")
    return nodes, weights


def runs(inputs):
    """Random inputs, too, but no random trip count, which may be any number."""
    return "0" if any(word.startswith("n=") for word in inputs) else "3"


def layers():
    """A WHILE over a layer that an accelerator would take, between two that it takes."""
    def port(name):
        return name, [1, 3, 2, 4], "i8", None, [0.05], [3]

    def layer(graph, x, y, seed):
        rng = np.random.default_rng(seed)
        for tensor in ((f"w{seed}", [4, 1, 1, 4], "i8", rng.integers(-90, 90, (4, 1, 1, 4)).astype(np.int8), [0.01], [0]),
                       (f"b{seed}", [4], "i32", rng.integers(-90, 90, 4).astype(np.int32), [0.0005], [0])):
            graph.names[tensor[0]] = graph.add(tflite.Tensor(*tensor))
        tflite.op(graph, "CONV_2D", [x, f"w{seed}", f"b{seed}"], [y], padding=1, stride_w=1, stride_h=1, dilation_w=1, dilation_h=1)
    number, count = ("i", [], "i32"), ("n", [], "i32")
    main = tflite.graph([count, port("x")], [port("y")], ("zero", [], "i32", np.int32(0)), number, ("m", [], "i32"),
                        *(port(name) for name in "hzo"))
    layer(main, "x", "h", 1)
    tflite.op(main, "WHILE", ["zero", "n", "h", "x"], ["i", "m", "o", "z"], cond_subgraph=1, body_subgraph=2)
    layer(main, "o", "y", 2)
    condition = tflite.graph([number, count, port("a"), port("x")], [("c", [], "bool")])
    tflite.op(condition, "LESS", ["i", "n"], ["c"])
    inside = tflite.graph([number, count, port("a"), port("x")], [("j", [], "i32"), port("b")], ("one", [], "i32", np.int32(1)))
    tflite.op(inside, "ADD", ["i", "one"], ["j"])
    layer(inside, "a", "b", 3)
    inside.outputs = [inside.names[name] for name in ("j", "n", "b", "x")]
    return tflite.write(main, condition, inside)


class Loops(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def call(self, *arguments):
        return subprocess.run([ORIBI, *arguments], capture_output=True, text=True, timeout=300)

    def command(self, *arguments):
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def write(self, made, inputs, wants):
        nodes, weights = made
        file = self.folder / "model.onnx"
        file.write_bytes(onnx.model(nodes, [onnx.info(n, x.shape, KINDS[x.dtype]) for n, x in inputs.items()],
                                    [onnx.info(n, y.shape, KINDS[y.dtype]) for n, y in wants.items()],
                                    [onnx.tensor(n, np.asarray(w)) for n, w in weights.items()], 12))
        words = []
        for name, value in inputs.items():
            np.save(self.folder / f"{name}.npy", value)
            words += ["-i", f"{name}=@{self.folder}/{name}.npy"]
        return file, words

    def case(self, name):
        _, made, inputs, outputs, answer = next(c for c in CASES if c[0] == name)
        wants = dict(zip(outputs, (np.asarray(y) for y in answer(**inputs))))
        return *self.write(made, inputs, wants), wants

    def test_the_host_computes_what_numpy_does_and_emitted_c_the_same(self):
        for name, *_ in CASES:
            with self.subTest(name):
                model, words, wants = self.case(name)
                out = self.folder / "y.npz"
                self.command("run", model, *words, "-o", out, "-f", "--kernels", "micro")
                with np.load(out) as got:
                    for port, want in wants.items():
                        self.assertEqual(got[port].dtype, want.dtype)
                        np.testing.assert_allclose(got[port], want, rtol=1e-5, atol=1e-6)
                self.assertIn("equal bit for bit", self.command("verify", model, *words, "--runs", runs(words)))

    def test_on_a_microcontroller(self):
        if not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")):
            self.skipTest("arm-none-eabi-gcc or qemu-system-arm is missing")
        for name in ("nested", "until, 1", "growth, 6"):
            with self.subTest(name):
                model, words, _ = self.case(name)
                self.assertIn("cortex-m4: equal bit for bit", self.command("verify", model, *words, "--runs", "0", "--target", "cortex-m4"))

    # --- C

    def build(self, model, inputs, wants):
        """A program that writes its outputs, strict and under sanitizers, from a folder in which a fault can be planted."""
        folder = self.folder / "c"
        self.command("compile", model, "-o", folder, "--name", "net", "-f")
        body = ["#include <stdio.h>", '#include "tvmgen_net.h"',
                "static uint64_t workspace[TVMGEN_NET_WORKSPACE_SIZE / 8 + 2];"]
        for n, x in inputs.items():
            body += [f"static const uint64_t {n}_words[] = {{{', '.join(f'{w}u' for w in self.words_of(x))}}};"]
        body += [f"static uint64_t {n}_words[{y.nbytes // 8 + 1}];" for n, y in wants.items()]
        body += ["int main(void)", "{", "    struct tvmgen_net_inputs in;", "    struct tvmgen_net_outputs out;",
                 "    struct tvmgen_net_workspace_pools pools;", "    struct tvmgen_net_cursor cursor = {0};",
                 "    uint8_t *at = (uint8_t *)workspace;", "    int32_t code;",
                 "    pools.workspace = at + (16u - (uintptr_t)at % 16u) % 16u;"]
        body += [f"    in.{n} = (const void *){n}_words;" for n in inputs] + [f"    out.{n} = (void *){n}_words;" for n in wants]
        body += ["    code = tvmgen_net_run(&in, &out, &pools);",
                 "    if (code != 0) {", "        return 1;", "    }",
                 *[f"    fwrite({n}_words, 1, {y.nbytes}, stdout);" for n, y in wants.items()],
                 "    do {", "        code = tvmgen_net_step(&cursor, &in, &out, &pools);", "    } while (code == TVMGEN_NET_MORE);",
                 "    if (code != 0) {", "        return 1;", "    }",
                 *[f"    fwrite({n}_words, 1, {y.nbytes}, stdout);" for n, y in wants.items()], "    return 0;", "}"]
        (self.folder / "main.c").write_text("\n".join(body) + "\n")
        return folder

    @staticmethod
    def words_of(x):
        data = x.tobytes()
        return np.frombuffer(data + bytes(-len(data) % 8), np.uint64)

    def outputs(self, folder, *flags):
        """What the program writes: by _run, then by _step; None where it fails, or does not end."""
        program = self.folder / "program"
        done = subprocess.run(["gcc", *STRICT, *flags, f"-I{folder}", self.folder / "main.c", *sorted(folder.rglob("*.c")), "-o", program],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        try:
            ran = subprocess.run([program], capture_output=True, timeout=10)
        except subprocess.TimeoutExpired:
            return None
        return ran.stdout if ran.returncode == 0 else None

    def expected(self, model, words, wants):
        out = self.folder / "y.npz"
        self.command("run", model, *words, "-o", out, "-f", "--kernels", "micro")
        with np.load(out) as got:
            return b"".join(got[n].tobytes() for n in wants) * 2

    def test_strict_compilers_and_sanitizers_find_nothing(self):
        for name in ("known", "until, at most 2", "growth, 6", "places, 5", "nested", "branching, 0.3", "branching, -1", "beside", "scan"):
            with self.subTest(name):
                model, words, wants = self.case(name)
                inputs = next(c[2] for c in CASES if c[0] == name)
                self.assertEqual(self.outputs(self.build(model, inputs, wants), *SANITIZE), self.expected(model, words, wants))

    def test_a_fault_is_seen(self):
        for name, what, instead in (("until, at most 40", "*condition != 0", "*condition < 2"), ("until, at most 2", "< *trips", "<= *trips"),
                                    ("growth, 6", "if (outputs[2 + i] != inputs[2 + i])", "if (i > 0)"),
                                    ("known", "(int32_t)done * args->bytes[i]", "0 * done")):
            with self.subTest(f"{name}: {what}"):
                model, words, wants = self.case(name)
                folder = self.build(model, next(c[2] for c in CASES if c[0] == name), wants)
                file, = folder.rglob("loop_next.c")
                self.assertEqual(self.outputs(folder), self.expected(model, words, wants))
                text = file.read_text()
                self.assertEqual(text.count(what), 1)
                file.write_text(text.replace(what, instead))
                self.assertNotEqual(self.outputs(folder), self.expected(model, words, wants))

    # --- The self-test

    def self_test(self, folder, *flags):
        """What the emitted self-test says: the code and the operator."""
        (self.folder / "self.c").write_text(f'''#include <stdio.h>
#include "tvmgen_net_self_test.h"
static uint64_t workspace[TVMGEN_NET_WORKSPACE_SIZE / 8 + 2], room[512];
int main(void)
{{
    struct tvmgen_net_finding finding;
    struct tvmgen_net_workspace_pools pools;
    struct tvmgen_net_outputs out;
    uint64_t *at[sizeof out / sizeof(void *)];
    uint8_t *start = (uint8_t *)workspace;
    int32_t code;
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {{
        at[i] = room + 64 * i;
    }}
    memcpy(&out, at, sizeof out);
    pools.workspace = start + (16u - (uintptr_t)start % 16u) % 16u;
    code = tvmgen_net_self_test(&out, &pools, &finding);
    printf("%d %s\\n", (int)code, finding.name);
    return 0;
}}
'''.replace("#include <stdio.h>", "#include <stdio.h>\n#include <string.h>"))
        program = self.folder / "self"
        done = subprocess.run(["gcc", *STRICT, *flags, f"-I{folder}", self.folder / "self.c", *sorted(folder.rglob("*.c")), "-o", program],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return subprocess.run([program], capture_output=True, text=True, timeout=10).stdout.split()

    def test_the_self_test_knows_the_first_iteration_and_what_comes_behind(self):
        for name in ("known", "until, at most 2", "growth, 6", "nested", "branching, 0.3", "beside", "scan", "counted"):
            with self.subTest(name):
                model, _, _ = self.case(name)
                folder = self.folder / "c"
                self.command("compile", model, "-o", folder, "--name", "net", "-f", "--self-test")
                self.assertEqual(self.self_test(folder, *SANITIZE), ["0"])

    def test_the_self_test_names_what_is_wrong_in_a_body(self):
        model, _, _ = self.case("known")
        folder = self.folder / "c"
        self.command("compile", model, "-o", folder, "--name", "net", "-f", "--self-test")
        path, = folder.rglob("tanh_f32.c")
        text = path.read_text()
        self.assertEqual(text.count("output[i] = "), 1)
        path.write_text(text.replace("output[i] = ", "output[i] = 0.5F * "))
        code, _, node = self.self_test(folder)
        self.assertEqual((code, node), ("-3", "loop/body/b"))

    # --- Per node

    def test_values_of_bodies_and_branches_are_compared_in_their_first_iteration(self):
        for name, values in (("known", ("loop/body/b", "loop/body/s")), ("branching, 0.3", ("y/then_branch/loop/body/b/else_branch/w",)),
                             ("branching, -1", ()), ("nested", ())):
            with self.subTest(name):
                model, words, _ = self.case(name)
                told = json.loads(self.command("verify", model, *words, "--runs", runs(words), "--per-node", "--json"))
                self.assertGreater(told["compared"] + told.get("unfused_compared", 0), 1)
                for value in values:
                    self.assertIn(value, [v["value"] for v in told["values"]])

    @unittest.skipIf(shutil.which("qemu-system-riscv32") is None or shutil.which("riscv64-unknown-elf-gcc") is None,
                     "skipped: RISC-V's compiler or QEMU is not installed")
    def test_operators_of_bodies_are_counted_in_all_iterations(self):
        for name in ("known", "nested"):
            model, words, _ = self.case(name)
            told = json.loads(self.command("verify", model, *words, "--runs", runs(words), "--target", "riscv32", "--profile", "--json"))
            counts = [row["instructions"] for row in told["operators"]]
            self.assertAlmostEqual(sum(counts), told["instructions"], delta=told["instructions"] / 20)

    def test_the_first_operator_of_a_body_that_differs_is_named(self):
        cc = self.folder / "cc"
        cc.write_text("#!/bin/sh\nfor f in \"$@\"; do case $f in *tanh_f32.c) "
                      "sed -i 's/output.i. = /output[i] = 0.5F * /' \"$f\";; esac; done\nexec gcc \"$@\"\n")
        cc.chmod(0o755)
        model, words, _ = self.case("known")
        done = self.call("verify", model, *words, "--runs", "0", "--per-node", "--cc", cc)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "'loop/body/b' .*is the first that differs")

    # --- TFLite

    def test_while(self):
        model = self.folder / "while.tflite"
        model.write_bytes(tflite.write(*tflite.loop(tflite.adding())))
        x = np.float32([1, -2, 3, 0.5])
        np.save(self.folder / "x.npy", x)
        for n in (0, 1, 7):
            np.save(self.folder / "n.npy", np.int32(n))
            words = ["-i", f"x=@{self.folder}/x.npy", "-i", f"n=@{self.folder}/n.npy"]
            self.command("run", model, *words, "-o", self.folder / "y.npy", "-f", "--kernels", "micro")
            np.testing.assert_array_equal(np.load(self.folder / "y.npy"), x * np.float32(n + 1))
            self.assertIn("equal bit for bit", self.command("verify", model, *words, "--runs", "0"))

    def test_devices_wait_outside(self):
        model = self.folder / "layers.tflite"
        model.write_bytes(layers())
        np.save(self.folder / "x.npy", RNG.integers(-128, 127, (1, 3, 2, 4)).astype(np.int8))
        devices = ["--plugin", WOOFLES, "--target-device", "a=woofles", "--target-device", "b=woofles"]
        self.command("compile", model, "-o", self.folder / "c", *devices)
        nodes = json.loads((self.folder / "c/report.json").read_text())["nodes"]
        self.assertEqual([n["name"] for n in nodes if n["device"] > 0], ["h", "y"])
        self.assertIn("i/body/b", [n["name"] for n in nodes])
        for n, schedule in ((0, "design"), (5, "lazy"), (5, "eager"), (1, "hold"), (5, "hold")):
            with self.subTest(f"{n}, {schedule}"):
                np.save(self.folder / "n.npy", np.int32(n))
                self.assertIn("equal bit for bit", self.command(
                    "verify", model, "-i", f"x=@{self.folder}/x.npy", "-i", f"n=@{self.folder}/n.npy", "--runs", "0", *devices,
                    "--driver", SOURCE / "examples/accelerators/woofles", "--device-schedule", schedule))

    # --- What is refused, and what ends

    def refused(self, made, wants, said, *command, code=3):
        model, _ = self.write(made, {"x": np.abs(X)}, wants)
        done = self.call(*(command or ("compile", "-o", self.folder / "r", "-f")), model)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, said)

    def test_what_grows_is_refused_by_name(self):
        self.refused(growing(), {"y": np.zeros((12, 4), np.float32)}, "'grows'.*is carried, and has another shape after an iteration")
        endless, weights = counted(8.5)
        self.refused((endless, weights | {"one": np.array(0)}), {"all": np.zeros((2, 3, 4), np.float32)},
                     "'loop'.*collects an element in each iteration")
        self.refused(counting(), {"y": np.zeros((2, 3, 4), np.float32)}, "'counts'.*collects an element in each iteration")

    def test_a_loop_without_end_ends_with_the_time(self):
        nodes = [loop(["", "", "x"], ["y"], [NUMBER, GOES, "a"], [KEEP, NODE("Sin", ["a"], ["b"])], ["d", "b"])]
        self.refused((nodes, {}), {"y": X}, "time limit|deadline|DEADLINE", "verify", "--timeout", "1", code=5)


del sys.argv[1:4]
if __name__ == "__main__":
    unittest.main()
