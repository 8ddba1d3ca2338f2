#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What emitted C touches of its pools: filled with two patterns, with guards behind, the highest byte
that a run changes is the last that the header asks for, whatever the pools. A place that is moved, in
the C, by less than an operator needs must change results: the golden vectors would see a wrong alias.

    touched_test.py ORIBI SOURCE_FOLDER
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
GUARD = 256
MAIN = """#include <stdio.h>
#include <string.h>
#include "tvmgen_net.h"
{memory}
static int8_t in[{n_in}], out[{n_out}];
int main(void)
{{
    struct tvmgen_net_workspace_pools pools = {{{pools}}};
    {ports}
    const int fill[2] = {{0xa5, 0x5a}};
    static unsigned char touched[{most} + {guard}];
    if (fread(in, 1, sizeof in, stdin) != sizeof in) {{
        return 1;
    }}
    for (int round = 0; round < 2; round++) {{
{fills}
        memcpy((void *)(size_t)inputs.{input}, in, sizeof in);
        if (tvmgen_net_run(&inputs, &outputs, &pools) != 0) {{
            return 1;
        }}
        memcpy(out, outputs.{output}, sizeof out);
{checks}
    }}
    fwrite(out, 1, sizeof out, stdout);
    return 0;
}}
"""


class Touched(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, model, *more):
        folder = self.folder / "c"
        subprocess.run([ORIBI, "compile", model, "-o", folder, "--name", "net", "--force", *more],
                       check=True, capture_output=True)
        return folder, json.loads((folder / "report.json").read_text())

    def build(self, folder, report, n_in, n_out):
        header = (folder / "tvmgen_net.h").read_text()
        member = {kind: re.search(r"struct tvmgen_net_%s \{\s+(?:const )?int8_t \*(\w+);" % kind, header).group(1)
                  for kind in ("inputs", "outputs")}
        pools = [(p["name"], p["bytes"]) for p in report["pools"]]
        ports = ("struct tvmgen_net_inputs inputs = tvmgen_net_map_inputs(&pools);"
                 " struct tvmgen_net_outputs outputs = tvmgen_net_map_outputs(&pools);"
                 if report["io_in_workspace"] else
                 "static int8_t own_in[sizeof in], own_out[sizeof out];"
                 " struct tvmgen_net_inputs inputs = {own_in}; struct tvmgen_net_outputs outputs = {own_out};")
        checks = "".join(f"""
        for (size_t i = 0; i < sizeof {name}_memory; i++) {{
            touched[i] = (unsigned char)((round > 0 ? touched[i] : 0) | ({name}_memory[i] != fill[round]));
        }}
        if (round == 1) {{
            size_t end = sizeof {name}_memory;
            while (end > 0 && touched[end - 1] == 0) {{
                end--;
            }}
            fprintf(stderr, "{name} %zu\\n", end);
        }}""" for name, _ in pools)
        if len(pools) > 1:  # what is touched of the first must not count for the second
            checks = checks.replace("touched", "touched_{}")
            for name, _ in pools:
                checks = checks.replace("touched_{}", f"{name}_touched", 3)
        text = MAIN.format(
            memory="".join(f"static unsigned char {n}_memory[{b} + {GUARD}] __attribute__((aligned(16)));\n"
                           + (f"static unsigned char {n}_touched[sizeof {n}_memory];\n" if len(pools) > 1 else "")
                           for n, b in pools),
            n_in=n_in, n_out=n_out, most=max(b for _, b in pools), guard=GUARD,
            pools=", ".join(f"{n}_memory" for n, _ in pools), ports=ports, input=member["inputs"],
            output=member["outputs"], checks=checks,
            fills="".join(f"        memset({n}_memory, fill[round], sizeof {n}_memory);\n" for n, _ in pools))
        (self.folder / "main.c").write_text(text)
        subprocess.run(["gcc", "-std=c99", "-O1", "-D_GNU_SOURCE", f"-I{folder}", self.folder / "main.c",
                        *sorted(folder.rglob("*.c")), "-o", self.folder / "program"], check=True)

    def run_once(self, data):
        done = subprocess.run([self.folder / "program"], input=data, capture_output=True, check=True)
        return done.stdout, {n: int(b) for n, b in (line.split() for line in done.stderr.decode().splitlines())}

    def samples(self):
        """Model, input, output: of the golden vectors, and of the digits."""
        pictures = np.load(SOURCE / "examples/digits/held_out.npz")["pictures"]
        out = [(DIGITS, (pictures[0].astype(np.int16) - 128).astype(np.int8).tobytes(), None)]
        for golden in sorted((TINY / "golden").iterdir()) if TINY.is_dir() else []:
            out.append((TINY / f"{golden.name}.tflite", (golden / "input_0.bin").read_bytes(),
                        (golden / "output_0.bin").read_bytes()))
        return out

    def test_highest_byte_touched_is_the_last_of_the_workspace(self):
        for model, data, wanted in self.samples():
            for options in (["--io", "caller"], ["--io", "pool"], ["--io", "pool", "--no-fuse"]):
                if "--no-fuse" in options and model.stem not in ("digits_int8", "pretrainedResnet_quant"):
                    continue
                with self.subTest(model.name, options=options):
                    folder, report = self.compile(model, *options)
                    self.build(folder, report, len(data), len(wanted or b"0123456789"))
                    output, touched = self.run_once(data)
                    self.assertIn(wanted, (None, output))
                    self.assertEqual(touched, {"workspace": report["workspace_bytes"]})

    def test_several_pools_are_touched_to_their_ends(self):
        for model, data, wanted in self.samples():
            with self.subTest(model.name):
                _, report = self.compile(model, "--io", "pool")
                half = max(report["workspace_bytes"] // 2, 700) // 16 * 16
                folder, report = self.compile(model, "--io", "pool", "--pool", f"name=fast,size={half}",
                                              "--pool", "name=slow")
                self.build(folder, report, len(data), len(wanted or b"0123456789"))
                output, touched = self.run_once(data)
                self.assertIn(wanted, (None, output))
                sizes = {p["name"]: p["bytes"] for p in report["pools"]}
                self.assertEqual({n: b for n, b in touched.items() if b}, {n: b for n, b in sizes.items() if b})
                self.assertLessEqual(sizes["fast"], half)

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_an_overlap_that_goes_too_far_is_seen_by_golden_vectors(self):
        model = TINY / "vww_96_int8.tflite"
        golden = TINY / "golden/vww_96_int8"
        data, wanted = ((golden / f"{what}_0.bin").read_bytes() for what in ("input", "output"))
        folder, report = self.compile(model)
        node = next(n for n in report["nodes"] if n["shares"] == "overlap" and n["offset"] == 0)
        source = folder / "tvmgen_net.c"
        text = source.read_text()
        name = node["call"]
        call = next(c for c in re.findall(r"oribi_micro_\w+\([^;]*;|tvmgen_net_micro_\w+\([^;]*;", text)
                    if f"{name}_args" in c)
        # Its result 4,096 bytes further on, over inputs that are still to be read; the next operator
        # reads it there.
        self.assertIn("&pool_workspace[0]", call)
        moved = text.replace(call, call.replace("&pool_workspace[0]", "&pool_workspace[4096]"))
        following = report["nodes"][report["nodes"].index(node) + 1]["call"]
        reader = next(c for c in re.findall(r"tvmgen_net_micro_\w+\([^;]*;", moved) if f"{following}_args" in c)
        first = reader.split(",")[1]
        moved = moved.replace(reader, reader.replace(first, first.replace("[0]", "[4096]"), 1))
        source.write_text(moved)
        report["pools"][0]["bytes"] += 4096
        self.build(folder, report, len(data), len(wanted))
        self.assertNotEqual(self.run_once(data)[0], wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
