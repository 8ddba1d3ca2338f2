# SPDX-License-Identifier: Apache-2.0
"""The innermost loops of kernels for AVX-512, which callgrind does not know: instructions,
multiply-adds and operands on the stack of each, from the object files, beside tests/support/costs.txt.

    inner_loops.py FOLDER COMPILER [--write]     FOLDER: where the build has the objects of plugins/cpu

A loop that has more instructions, fewer multiply-adds or more stack operands than the table says
fails, and so does one that came or went. The least one of a family can be read off: `wide_12` of
gemm_x86_avx512, 12 rows by 32 columns, has 24 multiply-adds in 41 instructions.

Of AVX2, `vectors FILE` is how many innermost loops of the file compute with whole vectors; one less
fails, and so does a function whose innermost loops compute with scalars alone: a compiler that did not
inline what a loop calls, or kept an order that nobody needs, makes no vectors of it and says nothing.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import costs  # noqa: E402

FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
LINE = re.compile(r"^\s+([0-9a-f]+):\s+(\S+)\s*(.*)$")
MULTIPLY_ADD = re.compile(r"vf(n?m(add|sub))\d|vpdp|vpmadd")


VECTOR = re.compile(r"v(add|sub|mul|div|max|min|sqrt|f\w+|cvt\w+|blendv|cmp\w*)p[sd]\b|vp(add|sub|mul|madd|max|min|cmp)")
SCALAR = re.compile(r"v(add|sub|mul|div|sqrt|fn?m(add|sub)\d+)s[sd]$")


def functions(path):
    """Of an object file: (name, [(address, mnemonic, operands)])."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(path)], check=True,
                          capture_output=True, text=True).stdout
    name, lines = None, []
    for line in text.splitlines():
        if start := FUNCTION.match(line):
            yield name, lines
            name, lines = start[1], []
        elif found := LINE.match(line):
            if not found[2].startswith("nop"):
                lines.append((int(found[1], 16), found[2], found[3]))
    yield name, lines


def inner_loops(lines):
    """Parts of the function that end with a jump to their beginning and hold no smaller such part."""
    at = {address: i for i, (address, _, _) in enumerate(lines)}
    ends = []
    for i, (_, mnemonic, operands) in enumerate(lines):
        target = re.match(r"([0-9a-f]+) <", operands) if mnemonic.startswith("j") else None
        first = at.get(int(target[1], 16)) if target else None
        if first is not None and first <= i:
            ends.append((first, i))
    return [lines[a:b + 1] for a, b in ends
            if not any((c, d) != (a, b) and a <= c and d <= b for c, d in ends)]


def describe(loop, has_frame):
    stack = re.compile(r"\(%r[sb]p[,)]" if has_frame else r"\(%rsp[,)]")
    return (len(loop), sum(bool(MULTIPLY_ADD.match(m)) for _, m, _ in loop),
            sum(bool(stack.search(operands)) for _, _, operands in loop))


def count(folder):
    found = {}
    for path in sorted(folder.rglob("*_x86_*.c.o")):
        if not re.search(r"_(avx512|vnni)\.c\.o$", path.name):
            continue
        for name, lines in functions(path):
            has_frame = any(m == "mov" and operands == "%rsp,%rbp" for _, m, operands in lines)
            loops = sorted(describe(loop, has_frame) for loop in inner_loops(lines))
            name = re.sub(r"\.(constprop|isra|part|cold)\S*", "", name or "")
            for counts in loops:
                if counts[1] > 0:
                    k = sum(key.startswith(f"loop {path.name[:-4]} {name} ") for key in found) + 1
                    found[f"loop {path.name[:-4]} {name} {k}"] = counts
    return found


def count_vectors(folder):
    """Rows of AVX2's files, and the functions that compute with scalars alone."""
    found, bare = {}, []
    for path in sorted(folder.rglob("*_x86_avx2.c.o")):
        n = 0
        for name, lines in functions(path):
            loops = inner_loops(lines)
            wide = sum(any(VECTOR.match(m) and "%ymm" in operands for _, m, operands in loop) for loop in loops)
            is_rest = re.search(r"_rest\b", name or "")  # of what whole vectors leave
            if wide == 0 and not is_rest and any(SCALAR.match(m) for loop in loops for _, m, _ in loop):
                bare.append(f"{path.name[:-4]} {name}")
            n += wide
        found[f"vectors {path.name[:-4]}"] = (0, n, 0)
    return found, bare


def is_worse(new, old):
    return new[0] > old[0] or new[1] < old[1] or new[2] > old[2]


def main():
    costs.need("objdump")
    costs.need_compiler(sys.argv[2])
    found = count(pathlib.Path(sys.argv[1]))
    vectors, bare = count_vectors(pathlib.Path(sys.argv[1]))
    if not found or not vectors:
        sys.exit(f"no inner loop with a multiply-add below {sys.argv[1]}")
    found.update(vectors)
    if "--write" in sys.argv:
        with costs.rewritten_table() as rows:
            for name in [n for n in rows if n.startswith(("loop ", "vectors "))]:
                del rows[name]
            rows.update(found)
    table = {n: c for n, c in costs.read_table().items() if n.startswith(("loop ", "vectors "))}
    bad = sorted(n for n in found.keys() | table.keys()
                 if n not in found or n not in table or is_worse(found[n], table[n]))
    for name in bad:
        print(f"{name}: {found.get(name, 'went')}, in the table {table.get(name, 'not yet')}: "
              "instructions, multiply-adds, stack operands. Meant so? Run this with --write")
    for name in bare:
        print(f"{name}: its inner loops compute with scalars alone")
    print(f"{len(found)} inner loops, {len(bad)} not as the table says")
    some = next(iter(found.values()))
    can_fail = is_worse((some[0] + 1, *some[1:]), some) and is_worse((*some[:2], some[2] + 1), some)
    sys.exit(1 if bad or bare or not can_fail else 0)


main()
