#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models out of Vela: command streams for an Ethos-U, tensors at fixed offsets in its scratch. Models of our own
making, and with ORIBI_VELA (the command of ethos-u-vela) those that Vela makes here, are compiled and run with
platform/ethos_u on a double of Arm's core driver, on this machine and on an emulated Cortex-M55. What comes out must
be what the double makes where everything lies as the file says.

    ethos_u_test.py ORIBI SOURCE_FOLDER
"""
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "tests/hooks/ethos_u"))
sys.path.insert(0, str(SOURCE / "tests/support"))
from npu_streams import Flat, Made, model, payload  # noqa: E402

VELA = os.environ.get("ORIBI_VELA") or shutil.which("vela")
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror",
         "-I", SOURCE / "include", "-I", SOURCE / "platform/ethos_u", "-I", SOURCE / "tests/hooks/ethos_u",
         "-I", SOURCE / "tests/hooks/made"]
OURS = [SOURCE / "platform/ethos_u/ethos_u.c", SOURCE / "tests/hooks/ethos_u/npu_double.c",
        SOURCE / "tests/hooks/ethos_u/npu_main.c"]
BOARD = ["cortex-m/startup.c", "cortex-m/fault.c", "cortex-m/stack.c", "cortex-m/semihosting.c", "harness/memory.c",
         "cortex-m/runtime_abi.c", "harness/transport_file.c", "cortex-m55/board.c"]
CALLER = """static int32_t case_run(uint8_t filling, struct tvmgen_net_devices *devices)
{{
    const struct tvmgen_net_inputs inputs = {{{inputs}}};
    const struct tvmgen_net_outputs outputs = {{{outputs}}};
    const struct tvmgen_net_workspace_pools pools = {{workspace}};
    (void)filling;
{fill}    return tvmgen_net_run(&inputs, &outputs, &pools, devices);
}}
static void case_print(void)
{{
{show}}}
"""
POOL = """static struct tvmgen_net_outputs made;
static int32_t case_run(uint8_t filling, struct tvmgen_net_devices *devices)
{{
    const struct tvmgen_net_workspace_pools pools = {{workspace}};
    const struct tvmgen_net_inputs inputs = tvmgen_net_map_inputs(&pools);
    made = tvmgen_net_map_outputs(&pools);
    (void)filling;
{fill}    return tvmgen_net_run(&inputs, &made, &pools, devices);
}}
static void case_print(void)
{{
{show}}}
"""


def case(header, given, is_pool):
    """case.h: the inputs, one run, its outputs."""
    def members(what):
        body = re.search(r"struct tvmgen_net_" + what + r" \{(.*?)\};", header, re.S).group(1)
        return re.findall(r"\*(\w+);", body)
    sizes = {m.upper(): n for m, n in re.findall(r"#define TVMGEN_NET_(\w+)_SIZE (\d+) /\* bytes", header)}
    inputs, outputs = members("inputs"), members("outputs")
    arrays = "".join(f"static const uint8_t given_{k}[] __attribute__((aligned(4))) = {{{', '.join(map(str, data))}}};\n"
                     for k, data in enumerate(given))
    arrays += "" if is_pool else "".join(f"static uint8_t made_{k}[{sizes[m.upper()]}] __attribute__((aligned(4)));\n"
                                         for k, m in enumerate(outputs))
    if is_pool:
        return arrays + POOL.format(
            fill="".join(f"    memcpy(inputs.{m}, given_{k}, sizeof given_{k});\n" for k, m in enumerate(inputs)),
            show="".join(f'    print_bytes("out", (const uint8_t *)made.{m}, {sizes[m.upper()]}u);\n' for m in outputs))
    return arrays + CALLER.format(
        inputs=", ".join(f"(const void *)given_{k}" for k in range(len(inputs))),
        outputs=", ".join(f"(void *)made_{k}" for k in range(len(outputs))),
        fill="".join(f"    memset(made_{k}, filling, sizeof made_{k});\n" for k in range(len(outputs))),
        show="".join(f'    print_bytes("out", made_{k}, sizeof made_{k});\n' for k in range(len(outputs))))


def branches():
    """Two streams with an operator of the CPU between them, and a value that passes it by."""
    made = Made(scratch=1024)
    x = made.input("x", 100, 512)
    a = made.tensor("a", 200, 0)
    made.npu([x], [a], free=800)
    reversed_a = made.reverse(a, "reversed", 512)
    y = made.tensor("y", 60, 0)
    made.npu([reversed_a, a], [y], free=800)
    made.graph.outputs.append(y)
    return made


def mixed():
    """An int8 model: a convolution, an operator that no NPU takes, another one, and a sum."""
    values, graph = np.random.default_rng(1), model.Graph()

    def tensor(name, channels):
        return graph.add(model.Tensor(name, [1, 8, 8, channels], "i8", None, 0.5, 3))

    def conv(x, name, channels):
        filter_ = values.integers(-127, 128, (8, 3, 3, channels)).astype(np.int8)
        bias = values.integers(-100, 100, 8).astype(np.int32)
        inputs = [graph.add(model.Tensor(f"{name}_filter", filter_.shape, "i8", filter_, np.full(8, 0.01), np.zeros(8))),
                  graph.add(model.Tensor(f"{name}_bias", [8], "i32", bias, np.full(8, 0.005), np.zeros(8)))]
        y = tensor(name, 8)
        graph.op("CONV_2D", [x, *inputs], [y], padding="SAME", stride_w=1, stride_h=1, dilation_w=1, dilation_h=1)
        return y
    x = tensor("x", 4)
    graph.inputs.append(x)
    a = conv(x, "a", 4)
    axis, turned, y = graph.add(model.Tensor("axis", [1], "i32", np.array([1], np.int32))), tensor("turned", 8), tensor("y", 8)
    graph.op("REVERSE_V2", [a, axis], [turned])
    graph.op("ADD", [a, conv(turned, "b", 8)], [y])
    graph.outputs.append(y)
    return model.write(graph)


class EthosU(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.flat = Flat(cls.shared)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    # --- Building and running -------------------------------------------------------------------

    def compile(self, data, *options, code=0):
        """The folder of the C; of a refusal, the message."""
        path, folder = self.folder / "model.tflite", self.folder / "c"
        shutil.rmtree(folder, ignore_errors=True)
        path.write_bytes(data)
        done = subprocess.run([ORIBI, "compile", path, "-o", folder, "--name", "net", "--target-device", "ethos-u",
                               "--device-platform", "ethos-u=core_driver", *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return folder if code == 0 else done.stderr

    def build(self, folder, given, is_pool):
        (folder / "case.h").write_text(case((folder / "tvmgen_net.h").read_text(), given, is_pool))
        return [*OURS, *folder.rglob("*.c")]

    def on_host(self, folder, given, is_pool=False):
        program = self.folder / "program"
        subprocess.run(["gcc", *FLAGS, "-fsanitize=address,undefined", '-DRECORDER_PRINT="recorder_posix.h"', "-I", folder,
                        *self.build(folder, given, is_pool), "-o", program], check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True, timeout=120).stdout

    def on_cortex_m55(self, folder, given, is_pool=False):
        platform, image = SOURCE / "platform", self.folder / "image.elf"
        core = ["-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"]
        subprocess.run(["arm-none-eabi-gcc", *FLAGS, *core, '-DRECORDER_PRINT="recorder_bare.h"', "-ffreestanding",
                        "-fbuiltin", "-ffunction-sections", "-I", platform, "-I", platform / "include", "-I",
                        platform / "cortex-m55", "-I", folder, *self.build(folder, given, is_pool),
                        *(platform / f for f in BOARD), "-nostdlib", "-static", "-Wl,--gc-sections", "-T",
                        platform / "cortex-m55/link.ld", "-lgcc", "-o", image], check=True)
        (self.folder / "in").write_bytes(b"")
        subprocess.run(["timeout", "300", "qemu-system-arm", "-M", "mps3-an547", "-display", "none", "-monitor", "none",
                        "-serial", "null", "-semihosting-config", "enable=on,target=native", "-kernel", image],
                       cwd=self.folder, check=True, stdin=subprocess.DEVNULL)
        return (self.folder / "out").read_text()

    def check_run(self, text, expected):
        """Equal bytes in all three runs, and nothing left open where a call of the core driver failed."""
        lines = text.splitlines()
        self.assertEqual([line for line in lines if line.startswith("code")], ["code 0  no fault"] * 3, text)
        self.assertEqual([line[4:] for line in lines if line.startswith("out")], [e.hex() for e in expected] * 3)
        self.assertNotIn("left open", text)
        self.assertGreater(int(re.search(r"failed (\d+)", text).group(1)), 2)

    def check_made(self, made, *options, on_board=False):
        given = [np.random.default_rng(k).integers(0, 256, made.bytes_of(t)).astype(np.uint8)
                 for k, t in enumerate(made.graph.inputs)]
        expected = self.flat.made(made, given)
        for io in ("caller", "pool"):
            with self.subTest(io=io):
                folder = self.compile(made.write(), "--io", io, *options)
                self.check_run(self.on_host(folder, given, io == "pool"), expected)
                if on_board:
                    self.check_run(self.on_cortex_m55(folder, given, io == "pool"), expected)

    @staticmethod
    def has_board():
        return shutil.which("arm-none-eabi-gcc") is not None and shutil.which("qemu-system-arm") is not None

    # --- Models of our own making ---------------------------------------------------------------

    def test_one_stream_whose_output_lies_over_its_input(self):
        made = Made(scratch=768)
        x, y = made.input("x", 300, 0), made.tensor("y", 64, 128)
        made.npu([x], [y], free=512)
        made.graph.outputs.append(y)
        self.check_made(made, on_board=self.has_board())

    def test_tensors_that_lie_anywhere(self):
        made = Made(scratch=64)
        x, y, z = made.input("x", 300), made.tensor("y", 64), made.tensor("z", 17)
        made.npu([x], [y, z], free=16)
        made.graph.outputs += [y, z]
        self.check_made(made)

    def test_an_operator_of_the_cpu_between_two_streams(self):
        for schedule in ("design", "hold"):
            with self.subTest(schedule=schedule):
                self.check_made(branches(), "--device-schedule", schedule, on_board=self.has_board() and schedule == "hold")

    def test_input_read_by_a_later_stream_and_output_made_by_an_earlier_one(self):
        made = Made(scratch=2048)
        x, w = made.input("x", 96, 0), made.input("w", 80, 128)
        first, second = made.tensor("first", 100, 256), made.tensor("second", 40, 512)
        made.npu([x], [first], free=1024)
        turned = made.reverse(first, "turned", 640)
        made.npu([turned, w], [second], free=1024)
        made.graph.outputs += [first, second]
        self.check_made(made, "--device-schedule", "hold")

    def test_a_value_copied_to_where_the_stream_reads_it(self):
        # Made before the first stream, which knows nothing of it: it does not wait in the scratch.
        made = Made(scratch=1024)
        x, w = made.input("x", 64, 0), made.input("w", 64)
        early = made.reverse(w, "early", 512)
        a = made.tensor("a", 64, 0)
        made.npu([x], [a], free=512)
        y = made.tensor("y", 64, 256)
        made.npu([a, early], [y], free=768)
        made.graph.outputs.append(y)
        offsets = list(made.offsets)
        made.offsets[early] = 512
        given = [np.arange(64, dtype=np.uint8), np.arange(100, 164, dtype=np.uint8)]
        folder = self.compile(made.write())
        self.assertIn("memcpy(", (folder / "tvmgen_net.c").read_text())
        made.offsets = [o if k != early else 512 for k, o in enumerate(offsets)]
        text = self.on_host(folder, given)
        # As if the copy were made in the file's order: the flat model reads `early` after the first stream.
        made.graph.operators = [made.graph.operators[k] for k in (1, 0, 2)]
        self.check_run(text, self.flat.made(made, given))

    def test_random_models(self):
        seed = random.randrange(1 << 30)
        print("seed", seed)
        for k in range(6):
            with self.subTest(seed=seed, k=k):
                made = self.random_model(random.Random(seed + k))
                given = [np.random.default_rng(i).integers(0, 256, made.bytes_of(t)).astype(np.uint8)
                         for i, t in enumerate(made.graph.inputs)]
                is_pool = k % 2 == 0
                folder = self.compile(made.write(), "--io", "pool" if is_pool else "caller", "--device-schedule",
                                      ("design", "lazy", "hold")[k % 3])
                self.check_run(self.on_host(folder, given, is_pool), self.flat.made(made, given))

    @staticmethod
    def random_model(r):
        """Streams and operators of the CPU in turn; every value has bytes of its own from its maker to its last
        reader, as a compiler would lay it, and the streams a free corner."""
        made = Made(scratch=4096)
        n_ops = r.randint(2, 6)
        sizes = [r.randint(1, 120) for _ in range(n_ops + 2)]
        plan, live = [], []  # plan: (kind, inputs, output); values by number: 0 and 1 are the model's inputs
        for k in range(n_ops):
            known = list(range(2 + k))
            is_npu = k in (0, n_ops - 1) or r.random() < 0.5
            reads = [known[-1]] + ([r.choice(known)] if is_npu and r.random() < 0.7 else [])
            if is_npu:
                reads = sorted(set(reads))
            else:
                sizes[2 + k] = sizes[reads[0]]
            plan.append((is_npu, reads))
        outputs = {n_ops + 1} | ({r.randrange(2, n_ops + 2)} if r.random() < 0.5 else set())
        last = {v: max([k for k, (_, reads) in enumerate(plan) if v in reads] + [n_ops if v in outputs else -1])
                for v in range(n_ops + 2)}
        places = {}
        for v in range(n_ops + 2):
            first = v - 2
            taken = [(places[u], places[u] + sizes[u]) for u in places if last[u] >= first]
            steps = [s for s in range(0, 3000, 16) if all(s + sizes[v] <= a or b <= s for a, b in taken)]
            places[v] = r.choice(steps[:8])
            live.append(v)
        tensors = {0: made.input("x", sizes[0], places[0]), 1: made.input("w", sizes[1], places[1])}
        for k, (is_npu, reads) in enumerate(plan):
            if is_npu:
                tensors[2 + k] = made.tensor(f"v{k}", sizes[2 + k], places[2 + k])
                made.npu([tensors[v] for v in reads], [tensors[2 + k]], free=3072 + 64 * r.randrange(8))
            else:
                tensors[2 + k] = made.reverse(tensors[reads[0]], f"v{k}", places[2 + k])
        made.graph.outputs += [tensors[v] for v in sorted(outputs)]
        return made

    def test_the_desk(self):
        """`oribi run` with the driver, over the double: the same bytes as the file's own places give."""
        driver = self.folder / "driver.so"
        subprocess.run(["gcc", *FLAGS, "-shared", "-fPIC", SOURCE / "tests/hooks/ethos_u/npu_desk.c", *OURS[:2], "-o", driver],
                       check=True)
        path = self.folder / "m.tflite"
        for made in (branches(), self.random_model(random.Random(3)), self.random_model(random.Random(8))):
            given = [np.random.default_rng(k).integers(0, 256, made.bytes_of(t)).astype(np.uint8)
                     for k, t in enumerate(made.graph.inputs)]
            path.write_bytes(made.write())
            words = []
            for k, data in enumerate(given):
                (self.folder / f"in{k}.bin").write_bytes(data.tobytes())
                words += ["-i", f"{k}=@{self.folder / f'in{k}.bin'}"]
            subprocess.run([ORIBI, "run", path, "--device", f"ethos-u={driver}", *words, *words, "-o",
                            self.folder / "out{}.npz", "--force"], check=True, stdout=subprocess.DEVNULL)
            for number in (0, 1):
                out = np.load(self.folder / f"out{number}.npz")
                self.assertEqual([out[made.graph.tensors[k].name].tobytes() for k in made.graph.outputs],
                                 self.flat.made(made, given))

    # --- What Vela makes ------------------------------------------------------------------------

    @staticmethod
    def read(data):
        """(tensors, operators, offsets, inputs, outputs) of a file, by this test's own reader."""
        from flat_reader import Table
        root = Table(data, struct.unpack_from("<I", data, 0)[0])
        graph, buffers = root.tables(2)[0], root.tables(4)
        contents = [bytes(b.vector(0, "B")[0]) for b in buffers]
        tensors = []
        for t in graph.tables(0):
            width = {9: 1, 3: 1, 2: 4}[t.number(1, "b")]
            size = int(np.prod(t.vector(0, "i")[0], dtype=int)) * width
            tensors.append((size, contents[t.number(2, "I")] or None))
        names = [c.text(1) for c in root.tables(1)]

        def reverse(source, target):
            target.reshape(1, 8, 8, 8)[:] = source.reshape(1, 8, 8, 8)[:, ::-1]
        operators = [(names[o.number(0, "I")] or reverse, o.vector(1, "i")[0], o.vector(2, "i")[0]) for o in graph.tables(3)]
        note = next(m for m in root.tables(6) if m.text(0) == "OfflineMemoryAllocation")
        words = np.frombuffer(contents[note.number(1, "I")], "<i4")
        return tensors, operators, [int(w) for w in words[3:]], graph.vector(1, "i")[0], graph.vector(2, "i")[0]

    def vela(self, path, config="ethos-u55-128"):
        subprocess.run([VELA, path, "--accelerator-config", config, "--output-dir", self.folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return (self.folder / f"{path.stem}_vela.tflite").read_bytes()

    def check_vela(self, data, *options, on_board=False):
        parts = self.read(data)
        given = [np.random.default_rng(k).integers(0, 256, parts[0][t][0]).astype(np.uint8) for k, t in enumerate(parts[3])]
        expected = self.flat.model(*parts, given)
        for io in ("caller", "pool"):
            with self.subTest(io=io):
                folder = self.compile(data, "--io", io, *options)
                self.check_run(self.on_host(folder, given, io == "pool"), expected)
        if on_board:
            self.check_run(self.on_cortex_m55(folder, given, True), expected)
        return json.loads((folder / "report.json").read_text())

    @unittest.skipUnless(VELA, "skipped: ORIBI_VELA does not name the command of ethos-u-vela")
    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_the_models_of_mlperf_tiny_by_vela(self):
        for name in ("ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "vww_96_int8"):
            for config in ("ethos-u55-128", "ethos-u65-256"):
                with self.subTest(name=name, config=config):
                    self.check_vela(self.vela(TINY / f"{name}.tflite", config),
                                    on_board=self.has_board() and config == "ethos-u55-128")

    @unittest.skipUnless(VELA, "skipped: ORIBI_VELA does not name the command of ethos-u-vela")
    def test_a_mixed_model_by_vela(self):
        path = self.folder / "mixed.tflite"
        path.write_bytes(mixed())
        data = self.vela(path)
        self.assertEqual([name if name == "ethos-u" else "cpu" for name, _, _ in self.read(data)[1]],
                         ["ethos-u", "cpu", "ethos-u"])
        self.check_vela(data, "--device-schedule", "hold", on_board=self.has_board())

    # --- Files that lie -------------------------------------------------------------------------

    def refused(self, made, what, **changes):
        path = self.folder / "hostile.tflite"
        path.write_bytes(made.write(**changes))
        for command in (["inspect", path], ["compile", path, "-o", self.folder / "no", "--target-device", "ethos-u"]):
            done = subprocess.run([ORIBI, *command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertRegex(done.stderr, what)

    def test_offsets_that_are_wrong(self):
        made = branches()
        tensors = {t.name: k for k, t in enumerate(made.graph.tensors)}
        for name, offset, what in (("x", 1024, "inside the scratch"), ("x", 928, "inside the scratch"),
                                   ("x", -2, "inside the scratch"), ("x", -2**31, "inside the scratch"),
                                   ("x", 2**31 - 16, "inside the scratch"), ("x", 520, "no multiple of 16"),
                                   ("y", 1008, "inside the scratch"), ("scratch", -1, "inside the scratch"),
                                   ("scratch", 16, "inside the scratch"), ("reversed", 96, "over each other")):
            with self.subTest(name=name, offset=offset):
                offsets = list(made.offsets)
                offsets[tensors[name]] = offset
                self.refused(made, what, offsets=offsets)

    def test_metadata_that_is_wrong(self):
        made = branches()
        for changes in ({"head": (1, 1, None)}, {"head": (0, 2, None)}, {"head": (0, 1, 3)}, {"head": (0, 1, -1)},
                        {"head": (0, 1, 2**31 - 1)}, {"offsets": made.offsets[:-1]}, {"offsets": [*made.offsets, 0]},
                        {"cut": 8}, {"cut": -1}, {"cut": 0}):
            with self.subTest(**changes):
                self.refused(made, "OfflineMemoryAllocation", **changes)

    def test_scratch_that_somebody_touches(self):
        def output(made, x):
            made.graph.op("CUSTOM:ethos-u", [made.commands, made.blob, made.scratch, made.scratch, x], [made.scratch],
                          raw=b"\1")

        def input_(made, x):
            made.npu([made.scratch], [x], free=0)

        def of_the_model(made, x):
            made.graph.inputs.append(made.scratch)

        def inside(made, x):
            other = made.tensor("inner", 64, 16, kind="u8")
            y = made.tensor("z", 16, 0)
            made.graph.op("CUSTOM:ethos-u", [made.commands, made.blob, other, made.scratch, x], [y], raw=b"\1")
            made.graph.op("CUSTOM:ethos-u", [made.commands, made.blob, made.scratch, made.scratch, other], [x], raw=b"\1")

        def stream(made, x):
            made.graph.op("CUSTOM:ethos-u", [made.blob, made.blob, made.scratch, made.scratch, x],
                          [made.tensor("z", 16, 0)], raw=b"\1")

        def bases(made, x):
            made.graph.op("CUSTOM:ethos-u", [made.commands, made.blob, made.scratch, made.scratch, *[x] * 5],
                          [made.tensor("z", 16, 0)], raw=b"\1")
        for change, what in ((output, "earlier operator|scratch"), (input_, "scratch memory of an NPU"),
                             (of_the_model, "input of the model"), (inside, "scratch"), (stream, "COP1"),
                             (bases, "base addresses")):
            with self.subTest(change.__name__):
                made = Made()
                x, y = made.input("x", 64, 1024), made.tensor("y", 32, 2048)
                made.commands = made.tensor("c", 64, kind="u8", data=np.frombuffer(payload([0] * 7), np.uint8))
                if change is not of_the_model:
                    made.npu([x], [y], free=0)
                change(made, y if change in (output, stream, bases) else x)
                if change is of_the_model:
                    made.npu([x], [y], free=0)
                made.graph.outputs.append(y)
                self.refused(made, what)

    def test_values_over_each_other_while_both_are_needed(self):
        # `a` is read after the second stream, but lies where that one writes.
        made = Made(scratch=1024)
        x, a, b = made.input("x", 64, 0), made.tensor("a", 64, 256), made.tensor("b", 64, 256)
        made.npu([x], [a], free=512)
        turned = made.reverse(a, "turned", 384)
        made.npu([turned], [b], free=512)
        y = made.tensor("y", 64, 0)
        made.npu([a, turned], [y], free=512)
        made.graph.outputs += [b, y]
        message = self.compile(made.write(), code=4)
        self.assertRegex(message, "'(a|b)' and '(a|b)' lie over each other while both are needed")

    # --- What the command says -------------------------------------------------------------------

    def test_what_the_host_says(self):
        path = self.folder / "m.tflite"
        path.write_bytes(branches().write())
        (self.folder / "x.bin").write_bytes(bytes(100))
        run = subprocess.run([ORIBI, "run", path, "-i", f"x=@{self.folder / 'x.bin'}"], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("runs there only", run.stderr)
        self.assertIn("--target-device ethos-u", run.stderr)
        compiled = subprocess.run([ORIBI, "compile", path, "-o", self.folder / "c"], capture_output=True, text=True)
        self.assertNotEqual(compiled.returncode, 0)
        self.assertIn("--target-device ethos-u", compiled.stderr)
        shown = subprocess.run([ORIBI, "inspect", path, "--target-device", "ethos-u"], capture_output=True, text=True)
        self.assertIn("Oribi>EthosU  ethos-u", shown.stdout)
        self.assertIn("command stream: taken", shown.stdout)

    # --- Faults that must be seen ----------------------------------------------------------------

    def test_one_bit_of_a_size(self):
        """Sizes and offsets in the stream, and those in the driver's params, with one bit turned over."""
        made = Made(scratch=1024)
        x, y = made.input("x", 900, 0), made.tensor("y", 800, 0)
        made.npu([x], [y], free=1008)
        made.graph.outputs.append(y)
        given = [np.arange(900).astype(np.uint8)]
        folder = self.compile(made.write())
        weights = folder / "tvmgen_net_weights.c"
        source = weights.read_text()
        commands = next(t.data for t in made.graph.tensors if t.name.startswith("commands")).tobytes()
        words = list(struct.unpack(f"<{len(commands) // 4}I", commands))

        def run(changed):
            blocks = [Flat.block(n) for n in (64, 1024, 1024, 900, 800)]
            for k, block in enumerate(blocks):
                block[:] = np.random.default_rng(k).integers(0, 256, len(block))
            return self.flat.stream(struct.pack(f"<{len(changed)}I", *changed), blocks), blocks[1].tobytes()
        good = run(words)
        self.assertIsNone(good[0])
        outside = 0
        for register, which, shift, bits in ((0x104, 0, 16, 16), (0x113, 1, 16, 16), (0x4010, 0, 0, 32), (0x4021, 0, 0, 32),
                                             (0x4000, 0, 0, 32)):
            at = [i for i, w in enumerate(words) if i >= 8 and w & 0xffff == register][which] + (shift == 0)
            for bit in range(bits):
                with self.subTest(register=hex(register), bit=bit):
                    fault, made_of = run(words[:at] + [words[at] ^ 1 << shift + bit] + words[at + 1:])
                    self.assertTrue(fault == "an access outside its region" or made_of != good[1], fault)
                    outside += fault is not None
        self.assertGreater(outside, 80)
        # In the params, of which the driver reads the last eight words, as bytes in C.
        head = re.search(r"params\[\d+\][^{]*\{", source)
        self.assertIsNotNone(head)
        end = source.index("}", head.end())
        numbers = list(re.finditer(r"-?\b(?:0x[0-9a-f]+|\d+)\b", source[head.end():end]))[-32:]
        values = [int(m.group(0), 0) & 255 for m in numbers]
        self.assertEqual(int.from_bytes(bytes(values[12:16]), "little"), 1024, "scratch_bytes")
        for byte, bit in ((1, 3), (2, 1), (5, 6), (9, 1), (13, 3), (17, 3), (21, 4)):
            with self.subTest(byte=byte, bit=bit):
                m = numbers[byte]
                start, end = head.end() + m.start(), head.end() + m.end()
                weights.write_text(source[:start] + str(values[byte] ^ 1 << bit) + source[end:])
                text = self.on_host(folder, given)
                self.assertRegex(text.splitlines()[0], r"code -32\d+ (Start|Wait)")




if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
