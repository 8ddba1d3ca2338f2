# SPDX-License-Identifier: Apache-2.0
"""Programs round emitted C with the devices of made_device.c: what hooks they call, in which order, and
what comes out. For the tests of this folder."""
import json
import pathlib
import re
import subprocess

from accelerators import INCLUDE, OPS

FLAGS = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
         "-DTVMGEN_CONFIG_HEADER=\"made_config.h\""]
KINDS = ["quick", "medium", "slow", "cached", "queued", "shared", "peer", "walled", "wide", "own", "kept", "tight"]
CONFIG = """#include <stdint.h>
void made_on_operator(int32_t index);
void made_on_work(void);
#define TVMGEN_ON_OP(index) made_on_operator(index)
#define TVMGEN_YIELD() made_on_work()
"""
# Inputs and outputs lie in the midst of bytes of somebody else, who must find them as they were.
MAIN = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tvmgen_net.h"
#include "tests/hooks/made/made_device.h"

enum {{ GUARD = 13 + 3 * 64, GUARD_VALUE = 0x77 }};
static union {{ uint64_t align[8]; uint8_t bytes[TVMGEN_NET_{input}_SIZE + 2 * GUARD + 64]; }} in
    __attribute__((aligned(64)));
static union {{ uint64_t align[8]; uint8_t bytes[TVMGEN_NET_{output}_SIZE + 2 * GUARD + 64]; }} out
    __attribute__((aligned(64)));
{pools}

static int has_worked;

void made_on_operator(int32_t index)
{{
    printf("operator %d\\n", (int)index);
    has_worked = 0;
}}

/* A kernel of the CPU is at work. */
void made_on_work(void)
{{
    if (!has_worked) {{
        puts("work");
    }}
    has_worked = 1;
}}

static int guards_are_kept(const uint8_t *bytes, size_t from, size_t n)
{{
    int is = 1;
    for (size_t i = 0; i < GUARD; i++) {{
        is = is && (i >= from || bytes[i] == GUARD_VALUE) && bytes[from + n + i] == GUARD_VALUE;
    }}
    return is;
}}

int main(int argc, char **argv)
{{
    const size_t from = {from_};
    struct tvm_device_error error = {{0}};
    {declare}
    struct tvmgen_net_inputs inputs = {{(void *)&in.bytes[from]}};
    struct tvmgen_net_outputs outputs = {{(void *)&out.bytes[from]}};
    struct tvmgen_net_workspace_pools pools = {{{members}}};
    struct tvmgen_net_devices devices = {{{devices}, &error}};
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    memset(in.bytes, GUARD_VALUE, sizeof in.bytes);
    memset(out.bytes, GUARD_VALUE, sizeof out.bytes);
    {add}
    if (file == NULL || fread(&in.bytes[from], 1, TVMGEN_NET_{input}_SIZE, file) != TVMGEN_NET_{input}_SIZE) {{
        return 1;
    }}
    fclose(file);
    const int32_t code = tvmgen_net_run(&inputs, &outputs, &pools, &devices);
    if (code != 0) {{
        printf("code %d in %s of %s, operator %s\\n", (int)code, tvm_device_hook_name(error.hook),
               error.instance != NULL ? error.instance : "nobody",
               error.operator_name != NULL ? error.operator_name : "none");
        return 2;
    }}
    if (!guards_are_kept(in.bytes, from, TVMGEN_NET_{input}_SIZE) ||
        !guards_are_kept(out.bytes, from, TVMGEN_NET_{output}_SIZE)) {{
        puts("bytes beside an input or an output have changed");
        return 3;
    }}
    file = fopen(argv[2], "wb");
    return file == NULL || fwrite(&out.bytes[from], 1, TVMGEN_NET_{output}_SIZE, file) != TVMGEN_NET_{output}_SIZE ||
           fclose(file) != 0;
}}
"""


class Program:
    """A model with devices, compiled to C and built; run() gives the lines and the output."""

    def __init__(self, oribi, source, plugin, folder, model, devices, *options, flags=(), compiler="gcc", offset=13,
                 change=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.c = self.folder / "c"
        arguments = [part for d in devices for part in ("--target-device", d)]
        done = subprocess.run([oribi, "compile", model, "-o", self.c, "--name", "net", "--plugin", plugin, *arguments,
                               *options], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        self.report = json.loads((self.c / "report.json").read_text())
        self.header = (self.c / "tvmgen_net.h").read_text()
        (self.c / "made_config.h").write_text(CONFIG)
        if change is not None:
            text = (self.c / "tvmgen_net.c").read_text()
            changed = change(text)
            assert changed != text, "the plant found nothing to change"
            (self.c / "tvmgen_net.c").write_text(changed)
        self._write_main(devices, offset)
        headers = [f"-DTVM_DEVICE_{k.upper()}_HEADER=\"tests/hooks/made/made_device.h\"" for k in KINDS]
        subprocess.run([compiler, *FLAGS, *headers, *flags, "-I", self.c, *INCLUDE, "-I", source,
                        *self.c.rglob("*.c"), source / "tests/hooks/made/made_device.c",
                        OPS, "-o", self.folder / "program"], check=True)

    def _write_main(self, devices, offset):
        ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", self.header)
        pools = [p["name"] for p in self.report["pools"]]
        macro = {"workspace": "TVMGEN_NET_WORKSPACE_SIZE"}
        names = [d.split("=")[0] for d in devices]
        walled = {d.split("=")[0] for d in devices if d.endswith(("walled", "tight"))}
        memory = "".join(f"static uint8_t memory_{n}[MADE_MEMORY] __attribute__((aligned(64)));\n"
                         for n in sorted(walled))
        line = {d.split("=")[0]: 64 if d.endswith("wide") else 32 for d in devices}
        size = {p: macro.get(p, f"TVMGEN_NET_{p.upper()}_WORKSPACE_POOL_SIZE") for p in pools}
        (self.c / "main.c").write_text(MAIN.format(
            input=ports[0], output=ports[-1], from_=offset, members=", ".join(f"pool_{p}" for p in pools),
            pools=memory + "".join(f"static uint8_t pool_{p}[({size[p]} + 127) / 64 * 64] __attribute__((aligned(128)));\n"
                                   for p in pools),
            declare="\n    ".join(f"static struct made_device {n} = {{.name = \"{n}\", .line = {line[n]}"
                                  + (f", .memory = memory_{n}" if n in walled else "") + "};" for n in names),
            devices=", ".join(f"&{n}" for n in names),
            add="\n    ".join([f'made_add_memory("{p}", pool_{p}, sizeof pool_{p});' for p in pools]
                              + [f'made_add_memory("{n}", {n}.bytes, sizeof {n}.bytes);' for n in ("in", "out")])))

    def run(self, inputs, code=0):
        (self.folder / "in").write_bytes(inputs)
        done = subprocess.run([self.folder / "program", self.folder / "in", self.folder / "out"], capture_output=True,
                              text=True, timeout=120)
        if done.returncode != code:
            raise AssertionError(f"ended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout.splitlines(), (self.folder / "out").read_bytes() if code == 0 else None
