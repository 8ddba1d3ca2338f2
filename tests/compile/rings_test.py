#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls with rings (--rings least): random chains of layers with sums around them, int8, uint8 and int16, for each class of cores,
against the oracle of graphs_test.py, to the bit, and under ASan with nothing behind the workspace. Chains of floats against
the session, which knows no rings. What --rings and --max-ram promise.

    rings_test.py VECTORS_RUN ORIBI SOURCE_FOLDER [--graphs N] [--seed S] [--plant]

--plant spoils micro/ring.h in five ways and fails when one of them goes unseen."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import graphs_test

CORES = ("dsp", "plain", "v6m", "mve", "rvv")
PLANTS = {
    "one row too many leaves": ("ring.h", "ring->first += leaving;", "ring->first += leaving + (leaving > 0);", ()),
    "rows are not moved": ("ring.h", "leaving > 0 && row < kept", "leaving > 1 && row < kept", ()),
    "padding is forgotten": ("ring.h", "top < 0 ? -top : 0", "0", ()),
    "padding of a stripe is forgotten": ("ring.h", "left < 0 ? -left : 0", "0", ()),
    "a stripe reads the columns of the first": ("ring.h", "rows.data + skipped", "rows.data", ()),
}
TINY_LIMITS = {"pretrainedResnet_quant": 20480, "vww_96_int8": 18432}  # bytes of workspace, I/O at the caller


class Chain(graphs_test.Random):
    """Layers one behind the other, most of them on the last value, on images that are high enough for rings to pay."""

    def take(self, rank=None):
        if self.size(0, 4) == 0:
            return super().take(rank)
        chosen = next((t for t in reversed(self.live) if rank is None or t[2].ndim == rank), None)
        if chosen is not None:
            self.used.add(chosen[0])
        return chosen

    def window(self, x):
        window, strides, dilations, padding = super().window(x)
        if self.size(0, 2) == 0:
            window = [min(5, x.shape[1]), window[1]]
        strides = [self.pick(1, 1, 1, 2), self.pick(1, 1, 2)]
        if padding == "VALID" and (window[0] - 1) * dilations[0] >= x.shape[1]:
            dilations[0] = 1
        return window, strides, dilations, padding

    def residual(self):
        """A convolution that keeps the shape, and a sum with what it read."""
        t = self.take(4)
        channels, height = t[2].shape[3], min(3, t[2].shape[1])
        w, b, known, quant = self.weights([channels, height, 3, channels], 0, t[1], 3 * height * channels, False)
        value = graphs_test.oracle.conv_2d(t[2], t[1], known, quant, [1, 1], [1, 1], "SAME", "NONE")
        self.result("CONV_2D", [t[0], w, b], value, quant, padding="SAME", stride_h=1, stride_w=1, dilation_h=1,
                    dilation_w=1, activation="NONE")
        self.binary("ADD")

    def grow(self, most):
        kinds = [self.conv, self.conv, self.depthwise, self.depthwise, self.residual, self.residual,
                 lambda: self.pool("AVERAGE_POOL_2D"), lambda: self.pool("MAX_POOL_2D"), lambda: self.binary("ADD"),
                 lambda: self.binary("MUL"), self.pad, lambda: self.extreme("MAXIMUM")]
        height, width = self.size(6, 20), self.size(3, 20)
        if self.size(0, 5) == 0: # over time alone
            height, width = 1, height + width
        self.input([1, height, width, self.pick(1, 2, 3, 4, 8)])
        wanted = self.size(3, most)
        while len(self.graph.operators) < wanted:
            kinds[self.size(0, len(kinds) - 1)]()

    def case(self, container, name):
        """The end of the chain leaves, and what nobody reads."""
        self.size = lambda low, high: high  # no other output
        return super().case(container, name)


def float_chain(seed, model):
    """A TFLite file of float layers."""
    rng = np.random.default_rng([seed, 77])
    g = model.Graph()

    def tensor(shape, data=None):
        return g.add(model.Tensor(f"t{len(g.tensors)}", list(shape), "f32", data))

    shape = [1, int(rng.integers(9, 20)), int(rng.integers(4, 10)), int(rng.integers(1, 9))]
    at = tensor(shape)
    g.inputs = [at]
    for k in range(int(rng.integers(3, 7))):
        kind = int(rng.integers(0, 5))
        window, channels = int(rng.integers(1, 4)), int(rng.choice([3, 8, 12]))
        if kind < 2:
            channels = shape[3] if kind == 1 else channels
            filters = [channels, window, window, shape[3]] if kind == 0 else [1, window, window, channels]
            w = tensor(filters, (rng.standard_normal(filters) / window / max(shape[3], 1) ** 0.5).astype(np.float32))
            b = tensor([channels], rng.standard_normal(channels).astype(np.float32))
            out = tensor([1, shape[1], shape[2], channels])
            more = {} if kind == 0 else {"depth_multiplier": 1}
            g.op("CONV_2D" if kind == 0 else "DEPTHWISE_CONV_2D", [at, w, b], [out], padding="SAME", stride_h=1, stride_w=1,
                 dilation_h=1, dilation_w=1, activation="RELU" if k % 2 else "NONE", **more)
            shape = [1, shape[1], shape[2], channels]
        elif kind == 2:
            out = tensor(shape)
            g.op("MAX_POOL_2D", [at], [out], padding="SAME", stride_h=1, stride_w=1, filter_h=3, filter_w=2, activation="NONE")
        elif kind == 3:
            out = tensor(shape)
            g.op("LOCAL_RESPONSE_NORMALIZATION", [at], [out], radius=2, bias=1.0, alpha=0.2, beta=0.5)
        else:
            out = tensor(shape)
            g.op("ADD", [at, at], [out], activation="RELU6")
        at = out
    g.outputs = [at]
    return model.write(g)


def call(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_floats(args, model, findings):
    n_with = 0
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "chain.tflite"
        for seed in range(8):
            path.write_bytes(float_chain(seed, model))
            code, text = call(args.oribi, "verify", path, "--rings", "least", "--runs", 2, "--keep", f"{name}/{seed}")
            n_with += "rings_" in "".join(p.read_text() for p in pathlib.Path(name, str(seed)).glob("tvmgen_*.c"))
            if code != 0:
                findings.append(f"floats, chain {seed}: {text[-300:]}")
    if n_with < 4:
        findings.append(f"floats: only {n_with} of 8 chains have rings")


def check_stripes(args, model, findings):
    """A stem of high resolution between small tensors: rows in rings alone are too wide for the budget. It is exact on the host,
    stepped, node by node, and on cores under QEMU; the report says what stripes compute twice."""
    rng = np.random.default_rng(5)
    g = model.Graph()

    def tensor(name, shape, dtype="i8", data=None, scale=0.05, zero=3):
        return g.add(model.Tensor(name, list(shape), dtype, data, scale, zero))

    g.inputs = [at := tensor("in", [1, 48, 64, 3])]
    for i, (depthwise, channels, stride) in enumerate([(0, 24, 1), (1, 24, 2), (0, 8, 1), (0, 24, 1), (1, 24, 2), (0, 8, 1)]):
        size, (_, h, w, c) = 3 if depthwise or i == 0 else 1, g.tensors[at].shape
        filters = [1, size, size, c] if depthwise else [channels, size, size, c]
        weights = tensor(f"w{i}", filters, "i8", rng.integers(-127, 128, filters).astype(np.int8), 0.004, 0)
        bias = tensor(f"b{i}", [channels], "i32", rng.integers(-2000, 2000, channels).astype(np.int32), 0.0002, 0)
        out = tensor(f"t{i}", [1, -(-h // stride), -(-w // stride), channels])
        more = {"depth_multiplier": 1} if depthwise else {}
        g.op("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [at, weights, bias], [out], padding="SAME", stride_h=stride,
             stride_w=stride, dilation_h=1, dilation_w=1, activation="NONE", **more)
        at = out
    g.outputs = [at]
    with tempfile.TemporaryDirectory() as name:
        folder, path = pathlib.Path(name), pathlib.Path(name) / "stem.tflite"
        path.write_bytes(model.write(g))
        plain, on = (compiled(args, path, folder / "c", "--rings", how) for how in ("off", "on"))
        whole = on["workspace_bytes"] + on["io_bytes"]
        budget = on["workspace_bytes"] * 2 // 3 + on["io_bytes"]
        met = compiled(args, path, folder / "c", "--max-ram", budget)
        if compiled(args, path, folder / "c", "--max-ram", whole)["rings"] != [] and any(
                r["stripes"] > 1 for r in compiled(args, path, folder / "c", "--max-ram", whole)["rings"]):
            findings.append("stripes although rings are enough")
        if not isinstance(met, dict) or met["workspace_bytes"] + met["io_bytes"] > budget:
            findings.append(f"--max-ram {budget} is not met: {met}")
            return
        striped = [r for r in met["rings"] if r["stripes"] > 1]
        macs = sum(r["macs_added"] for r in striped)
        if macs <= 0 or met["macs"] != plain["macs"] + macs or on["macs"] != plain["macs"]:
            findings.append(f"{plain['macs']} MACs, {met['macs']} with stripes, of which {macs} are said to be added")
        ways = [("--self-test",), ("--per-node",)]
        tools = {"cortex-m0": "arm-none-eabi-gcc", "cortex-m4": "arm-none-eabi-gcc", "cortex-m55": "arm-none-eabi-gcc",
                 "riscv32": "riscv64-unknown-elf-gcc"}
        ways += [("--target", t) for t, tool in tools.items() if shutil.which(tool) and shutil.which("qemu-system-arm")]
        for more in ways:
            code, text = call(args.oribi, "verify", path, "--max-ram", budget, "--runs", 2, *more)
            if code != 0 or "equal bit for bit" not in text:
                findings.append(f"stripes, verify {more}: {code} {text[-300:]}")
        print(f"a stem: {plain['workspace_bytes']} bytes, {on['workspace_bytes']} in rings, {met['workspace_bytes']} in stripes of "
              f"them, {100 * macs // plain['macs']} % more MACs; {len(ways)} ways to run it")


def compiled(args, model, folder, *options):
    code, text = call(args.oribi, "compile", model, "-o", folder, "--force", *options)
    return json.loads((folder / "report.json").read_text()) if code == 0 else (code, text)


def check_promises(args, findings):
    """Of the MLPerf Tiny models: limits of --rings on, its 5 %, and that --max-ram takes no more than it asks for."""
    models = args.source.parent / "shared/models/mlperf-tiny"
    if not models.is_dir():
        print("skipped: no MLPerf Tiny models beside the source")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for model, limit in TINY_LIMITS.items():
            path = models / f"{model}.tflite"
            plain, on = (compiled(args, path, folder, "--rings", how) for how in ("off", "on"))
            extra = sum(r["instructions_added"] for r in on["rings"])
            total = plain["instances"]["instructions_without"]
            if on["workspace_bytes"] > limit or plain["rings"] or extra > 0.05 * total:
                findings.append(f"{model}: {on['workspace_bytes']} bytes, {extra} instructions more of {total}")
            if compiled(args, path, folder)["workspace_bytes"] != plain["workspace_bytes"]:
                findings.append(f"{model}: rings that nobody asked for")
            # A budget between the two: met, with less work than the least memory takes.
            ram = (plain["workspace_bytes"] + on["workspace_bytes"]) // 2 + plain["io_bytes"]
            met = compiled(args, path, folder, "--max-ram", ram)
            if met["workspace_bytes"] + met["io_bytes"] > ram:
                findings.append(f"{model}: --max-ram {ram} is not met")
            elif sum(r["instructions_added"] for r in met["rings"]) > extra:
                findings.append(f"{model}: --max-ram {ram} costs more than --rings on")
            code, text = compiled(args, path, folder, "--max-ram", ram, "--rings", "off")
            if code != 5 or "RAM" not in text:
                findings.append(f"{model}: --rings off with too little memory: {code}")
            bytes_off = plain["workspace_bytes"]
            if not isinstance(compiled(args, path, folder, "--pool", f"name=whole,size={bytes_off}", "--rings", "off"), dict):
                findings.append(f"{model}: does not fit into a pool of its {bytes_off} bytes")
            pool = compiled(args, path, folder, "--pool", f"name=small,size={limit}")
            if not isinstance(pool, dict) or not pool["rings"]:
                findings.append(f"{model}: does not fit into a pool of {limit} bytes: {pool}")
            # An operator of its own: stepped with checksums, and compared node by node.
            for how in ("--self-test", "--per-node"):
                code, text = call(args.oribi, "verify", path, "--rings", "on", how, "--runs", 1, "--cflags", "-O1")
                touched = re.search(r"workspace +(\d+) of (\d+) bytes touched", text)
                if code != 0 or touched is None or touched[1] != touched[2]:
                    findings.append(f"{model}: verify {how}: {code} {text[-300:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("oribi", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--graphs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", action="store_true")
    args = parser.parse_args()
    args.optimize, args.source = "speed", args.source.resolve()
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(args.source / "tests/peer/tflite"), str(args.source / "tests/compile")]
    import container
    import model
    import vectors_test as tools

    def chains(core, count):
        made = []
        for index in range(count):
            graph = Chain(args.seed + 1000 * CORES.index(core), index, model)
            graph.grow(8)
            made.append(graph.case(container, f"{core} chain {index}"))
        return made

    rings = {"ORIBI_VECTORS_RINGS": "least"}
    if args.plant:
        graphs_test.PLANTS.update(PLANTS)
        cases = chains("dsp", 64)
        unseen = [p for p in PLANTS if not graphs_test.run(args, tools, cases, p, rings)]
        print(f"planted {len(PLANTS)} faults, unseen: {', '.join(unseen) or 'none'}")
        return int(bool(unseen))
    findings = []
    for core in CORES:
        with_rings, with_stripes = [], []

        class Counting:
            """The tools of vectors_test.py, which count the models with rings on their way."""
            head_of, pieces = staticmethod(tools.head_of), staticmethod(tools.pieces)

            @staticmethod
            def build_and_run(batch, *rest):
                texts = [p.read_text() for p in batch.glob("tvmgen_m*.c")]
                with_rings.extend(t for t in texts if "static void rings_" in t)
                with_stripes.extend(t for t in texts if "of each stripe" in t)
                return tools.build_and_run(batch, *rest)

        count = args.graphs // len(CORES)
        lines = graphs_test.run(args, Counting, chains(core, count), None, {**rings, "ORIBI_VECTORS_CORE": core})
        print(f"{core}: {count} chains, {len(with_rings)} with rings, {len(with_stripes)} with stripes, {len(lines)} findings", flush=True)
        findings += lines + ([] if len(with_rings) > count // 2 else [f"{core}: too few chains have rings"])
        findings += [] if len(with_stripes) >= count // 8 else [f"{core}: too few chains have stripes"]
    check_floats(args, model, findings)
    check_stripes(args, model, findings)
    check_promises(args, findings)
    for line in findings[:12]:
        print(f"  {line[:600]}")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
