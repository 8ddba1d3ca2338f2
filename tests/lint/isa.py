#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One mechanism for instruction sets: they stand in micro/isa_list.inc and nowhere else.

Fails on code that asks for a set outside of that list and of the sets' own files, on a file that is
named after a set which the list lacks, and on a table in docs/reference/instruction-sets.md that is not what
the list and the files' names say (`--write` makes it). `--self-test` is part of each call.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = "micro/isa_list.inc"
PAGE = "docs/reference/instruction-sets.md"
BEGIN, END = "<!-- table: tests/lint/isa.py --write -->\n", "<!-- end of table -->\n"
HOST = re.compile(r'^HOST_ISA\((\w+), (\w+), (-\d+),\s*"([^"]*)",\s*((?:[^()]|\([^()]*\))*)\)', re.M)
CORE = re.compile(r'^CORE_ISA\((\w+), "([^"]*)"\)', re.M)
ASKS = re.compile(r"__AVX|__SSE|__FMA__|__x86_64__|__i386__|__aarch64__|__ARM_FEATURE|__ARM_NEON|__riscv"
                  r"|__builtin_cpu_supports|immintrin\.h|arm_neon\.h|arm_mve\.h|riscv_vector\.h")
# The detection; a multiply-add in one rounding is asked for by whatever set has one; how wide the compiler's own vectors of
# floats are in emitted C, whose weights lie the same way everywhere; its fused multiply-add and loads of four, the same bits on any core.
ELSEWHERE = {"plugins/cpu/base/cpu_plugin.c", "plugins/cpu/base/vector_math.h", "micro/vector_f32.h", "micro/fma/fma_f32.h", "micro/fma/fma_vfp.h"}
LOOKS_LIKE = re.compile(r"_(?:x86|arm|riscv)_[a-z0-9]+$")


class Sets:
    def __init__(self, text):
        self.host, self.cores = HOST.findall(text), CORE.findall(text)
        if len(self.host) != text.count("\nHOST_ISA(") or len(self.cores) != text.count("\nCORE_ISA("):
            sys.exit(f"isa: a line of {LIST} is not as its head says")
        self.suffix = {"_" + name if processor == "any" else f"_{processor}_{name}": name
                       for name, processor, *_ in self.host}

    def of(self, path):
        """The set whose file this is, or None."""
        stem = pathlib.PurePath(path).stem
        if path.startswith("micro/"):
            return next((n for n, _ in self.cores if stem == n or stem.startswith(n + "_")), None)
        return next((n for s, n in self.suffix.items() if stem.endswith(s)), None)

    def faults(self, path, text):
        stem = pathlib.PurePath(path).stem
        if path.startswith("plugins/cpu/") and LOOKS_LIKE.search(stem) and self.of(path) is None:
            yield 1, f"a file of an instruction set that {LIST} lacks"
        if path in ELSEWHERE or path == LIST or self.of(path) not in (None, "portable"):
            return
        for match in ASKS.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, f"{match.group()}: instruction sets stand in {LIST}"

    def table(self, paths):
        parts = {}
        for path in paths:
            name = self.of(path) if path.startswith("plugins/cpu/") else None
            if name is not None and path.endswith(".c"):
                suffix = next(s for s, n in self.suffix.items() if n == name)
                parts.setdefault(path[:-2].removesuffix(suffix), set()).add(name)
        names = [name for name, *_ in self.host]
        lines = ["| set | processor | flags | priority |", "|---|---|---|---:|"]
        lines += [f"| `{n}` | {p} | {'`' + f + '`' if f else ''} | {k} |" for n, p, k, f, _ in self.host]
        lines += ["", "| part of `plugins/cpu` | " + " | ".join(f"`{n}`" for n in names) + " |",
                  "|---|" + ":-:|" * len(names)]
        lines += [f"| `{part.removeprefix('plugins/cpu/')}` | "
                  + " | ".join("yes" if n in have else "" for n in names) + " |"
                  for part, have in sorted(parts.items())]
        lines += ["", "| set of a microcontroller | macros of the compiler |", "|---|---|"]
        lines += [f"| `{n}` | `{m}` |" for n, m in self.cores]
        return "\n".join(re.sub(r"  +", " ", line) for line in lines) + "\n"


def self_test():
    sets = Sets('\nHOST_ISA(portable, any, -990, "", true)\nHOST_ISA(avx2, x86, -950, "-mavx2",\n    X86("avx2"))\n'
                'CORE_ISA(dsp, "__ARM_FEATURE_DSP")\n')
    for path, text in (("plugins/cpu/a/conv.c", "#ifdef __AVX2__\n"), ("micro/conv.c", "#if defined(__aarch64__)\n"),
                       ("plugins/cpu/a/gemm_x86_amx.c", ""), ("plugins/cpu/a/gemm_portable.c", "#include <immintrin.h>\n")):
        if not list(sets.faults(path, text)):
            sys.exit(f"isa: the planted fault in {path} was not seen")
    for path, text in (("plugins/cpu/a/gemm_x86_avx2.c", "#include <immintrin.h>\n"), ("micro/dsp_3x3.h", "__ARM_FEATURE_DSP\n")):
        if list(sets.faults(path, text)):
            sys.exit(f"isa: {path} was refused")
    if "| `a/gemm` | | yes |" not in sets.table(["plugins/cpu/a/gemm_x86_avx2.c"]):
        sys.exit("isa: the table misses a file")


def main():
    self_test()
    sets = Sets((ROOT / LIST).read_text())
    files = sorted(p for top in ("plugins/cpu", "micro") for p in (ROOT / top).rglob("*.*") if p.is_file())
    paths = [str(p.relative_to(ROOT)) for p in files]
    found = [(path, *fault) for path, file in zip(paths, files) for fault in sets.faults(path, file.read_text())]
    page = (ROOT / PAGE).read_text()
    before, rest = page.split(BEGIN)
    wanted = before + BEGIN + sets.table(paths) + END + rest.split(END)[1]
    if "--write" in sys.argv:
        (ROOT / PAGE).write_text(wanted)
    elif wanted != page:
        found.append((PAGE, 1, "the table is old: tests/lint/isa.py --write"))
    for path, line, why in found:
        print(f"{path}:{line}: {why}")
    sys.exit(1 if found else 0)


main()
