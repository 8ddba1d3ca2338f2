#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""House rules that a compiler does not know. `RULES` is the list; each has a planted fault."""
import pathlib
import re
import subprocess
import sys

INTEGER = r"(?:u?int(?:8|16|32|64)?(?:_t)?|size_t|ptrdiff_t|long|unsigned|bool|oribi_value_id)"
MAX_RANK = r"\[[^\]]*(?:RANK|MAX_DIMS)\b[^\]]*\]"
LIKE_DIMS = r"\w*(?:dims|shape|axes|perm|stride|sizes|index)\w*\[(?:8|16|32|64|25\d)\]"
# What may have such arrays: oribi_dims itself, room in a struct for ranks up to 8 whose users go to
# the heap above (ORIBI_INLINE_RANK), what runs in emitted code and on devices (C of its own, without
# headers of the host: the prepare halves, geometry_* and OP_MAX_RANK check), cli_dims (the command
# sees include/ alone) and the examples (they see include/ alone; TF_NumDims is checked).
OWN_DIMS = r"^micro/(?![\w/]*(?:prepare|geometry_))|^plugins/device_ops/code/|^src/cli/cli\.h|^examples/|\[ORIBI_INLINE_RANK\]"

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE_SETS = "|".join(re.findall(r"^CORE_ISA\((\w+)", (ROOT / "micro/isa_list.inc").read_text(), re.M))

# (name, files, pattern, exceptions, planted fault)
RULES = [
    ("array of a maximum rank: use oribi_dims (micro/dims.h)", r"^(?:src|plugins|micro|examples|platform)/.*\.(?:c|h|inc|cc)$",
     rf"^\s*(?:typedef |static |const )*{INTEGER}\s+(?:[^;()]*,\s*)?\**\w+{MAX_RANK}",
     OWN_DIMS, ("src/op/x.c", "    int32_t n = 0, wide[2 * ORIBI_PASS_MAX_RANK];")),
    ("array of sixteen sizes: use oribi_dims (micro/dims.h)", r"^(?:src|plugins|micro|examples|platform)/.*\.(?:c|h|inc|cc)$",
     rf"^\s*(?:typedef |static |const )*{INTEGER}\s+(?:[^;()]*,\s*)?\**{LIKE_DIMS}",
     OWN_DIMS, ("plugins/cpu/x.c", "    int64_t out_dims[16] = {0};")),
    ("parameter of a maximum rank: use oribi_dims (micro/dims.h)", r"^(?:src|plugins|micro|examples|platform)/.*\.(?:c|h|inc|cc)$",
     rf"(?:^\s*|[(,]\s*)(?:const )?{INTEGER} \**\w+{MAX_RANK}\s*[,)]",
     OWN_DIMS, ("src/op/x.c", "static void f(int n, int64_t dims[MAX_RANK])")),
    # What does not come from a file is left alone: fields of 32 bits in 64, sizes that the compiler knows.
    ("size rounded up without a check: use oribi_size_round_up", r"^(?:src|plugins)/.*\.(?:c|h|inc)$",
     r"\+[^()+]*\)\s*&\s*~",
     r"^src/base/alloc\.c|^src/cli/|^src/plugin/elf_note\.c|^src/tensor/handle\.c",
     ("src/op/x.c", "    bytes = (item->bytes + 63) & ~(size_t)63;")),
    ("size rounded up without a check, by division: use oribi_size_round_up", r"^(?:src|plugins)/.*\.(?:c|h|inc)$",
     r"\+[^()+]*\)\s*/\s*([\w.>-]+)\s*\*\s*\1\b",
     r"^src/base/alloc\.c|^src/cli/|^src/plugin/elf_note\.c|^src/tensor/handle\.c",
     ("plugins/cpu/x.c", "    bytes = (count + line - 1) / line * line;")),
    ("product in an allocation: use oribi_alloc_array or a checked size", r"^(?:src|plugins)/.*\.(?:c|h|inc)$",
     r"(?<!\w)(?:malloc|aligned_alloc|realloc|oribi_alloc|oribi_alloc_aligned|oribi_arena_alloc|oribi_buffer_new)"
     r"\s*\(.*(?:\b[a-z]\w*|[)\]]) \* ",
     r"^src/base/alloc\.c|^src/cli/talk\.c|^src/tensor/handle\.c",
     ("plugins/cpu/x.c", "    p = malloc((size_t)n * sizeof *p);")),
    ("windows or SAME padding computed again: use oribi_geometry_slide (micro/geometry/geometry_window.h)",
     r"^(?:src|plugins|micro)/.*\.(?:c|h|inc)$", r"\bin\w*(?:\.at)?(?:\[\w+\])? \+ [^;]*stride[^;]*- 1\) / [^;]*stride",
     r"$^", ("plugins/cpu/x.c", "    out = (in + stride - 1) / stride;")),
    ("masks of StridedSlice read again: use oribi_geometry_slice_open (micro/geometry/geometry_slice.h)",
     r"^(?:src|plugins|micro)/.*\.(?:c|h|inc)$", r"(?:ellipsis|shrink_axis|new_axis)_mask\s*(?:>>|&)|(?:>>|&)\s*\w*(?:ellipsis|shrink_axis|new_axis)_mask",
     r"$^", ("src/pass/x.c", "    if ((s->ellipsis_mask & 1 << i) != 0) {")),
    ("an example accelerator in the product: a driver is known by its manifest (docs/reference/driver-manifest.md)",
     r"^(?:src|include|platform|plugins|micro|cmake)/", r"(?i)woofles|uart_?accel", r"$^",
     ("src/cli/verify/x.c", '    {"woofles", "WOOFLES", woofles_host},')),
    ("malloc outside src/base", r"^src/.*\.[ch]$", r"(?<![\w.>])(?:malloc|calloc|realloc|free)\s*\(",
     r"^src/base/|^src/cli/|^src/tensor/(?:buffer|tstring)\.c|C heap", ("src/op/x.c", "    p = malloc(3);")),
    ("print from library code", r"^src/.*\.c$", r"(?<!\w)(?:printf|puts|fputs|fprintf)\s*\(",
     r"^src/cli/|^src/base/log\.c|^src/plugin/probe/probe_main\.c", ("src/op/x.c", '    printf("x");')),
    ("ctype.h, which asks the application's locale (base/ascii.h does not)", r"^(?:src|plugins|micro)/.*\.[ch]$",
     r"#\s*include\s*<w?ctype\.h>|(?<![\w.>])strto[df]\s*\(", r"^src/cli/|^src/base/(?:windows/)?number\w*\.c",
     ("plugins/cpu/x.c", "#include <ctype.h>")),
    ("abort or exit in library code", r"^(?:src|plugins)/.*\.c$", r"(?<!\w)(?:abort|exit|_exit|assert)\s*\(",
     r"^src/cli/|^src/base/process\.c|^src/plugin/probe/probe_main\.c|static_assert", ("src/op/x.c", "    abort();")),
    ("allocation in emitted code", r"^micro/.*\.[ch]$", r"(?<!\w)(?:malloc|calloc|realloc|free)\s*\(",
     r"$^", ("micro/x.c", "    free(p);")),
    ("assembly outside the files of an instruction set", r"^micro/.*\.[ch]$",
     r"(?<!\w)(?:__asm__|__asm|asm|ORIBI_MICRO_ASM|ORIBI_MICRO_MVE)\s*(?:volatile)?\s*\(", rf"^micro/(?:\w+/)?(?:{CORE_SETS}|fma)(_\w+)?\.h", ("micro/x.c", '    __asm__ volatile("nop");')),
    ("vendor named in kernels for all devices", r"^plugins/device_ops/[^/]*\.[ch]$", r"(?i)opencl|cuda|(?<![a-z])hip|nvidia",
     r"$^", ("plugins/device_ops/x.c", '    return "OpenCL";')),
    ("absolute machine path", r"^(?!tests/lint/).*", r"(?<![\w.])/(?:work|root|home/\w+)/", r"$^",
     ("docs/x.md", "see /home/ann/main")),
    ("tab", r"\.(?:c|h|cc|py|sh|cmake)$", r"\t", r"$^", ("src/op/x.c", "\tint x;")),
    ("trailing space", r"\.(?:c|h|cc|py|sh|cmake|md)$", r"[ \t]+$", r"$^", ("src/op/x.c", "int x; ")),
    ("unfinished work without an issue", r"^(?!tests/lint/).*\.(?:c|h|cc|py|sh)$", r"\b(?:TODO|FIXME|XXX|HACK)\b(?!\(#\d)",
     r"$^", ("src/op/x.c", "/* TODO later */")),
]


# Planted faults that begin on one line and end on another.
CONTINUED = [(rule, "src/op/x.c", text) for rule, text in (
    (RULES[0][0], "    int64_t n = 0, m = 0,\n            dims[MAX_RANK];"),
    (RULES[1][0], "    int64_t first[4], /* of x */\n        strides[16];"),
    (RULES[2][0], "static void f(int n, const\n              int64_t dims[MAX_RANK])"),
    (RULES[2][0], "static void f(int n,\n              int64_t dims[MAX_RANK])"),
    (RULES[3][0], "    bytes = (item->bytes + 63) &\n            ~(size_t)63;"),
    (RULES[4][0], "    bytes = (count + line - 1) /\n            line * line;"),
    (RULES[5][0], "    p = malloc(\n        (size_t)n * sizeof *p);"))]

C_FILE = r"\.(?:c|h|inc|cc)$"
OPEN_END = r"(?:[,(=*/+|&-])\s*$"  # what a line ends with when its statement goes on


def statements(name, text):
    """Each line with its number and, where a declaration or a call of C goes on behind it, how far the
    line reaches and all of it, without comments; else 0 and nothing."""
    lines = text.split("\n")
    if not re.search(C_FILE, name):
        return [(number, line, 0, "") for number, line in enumerate(lines, 1)]
    bare = [re.sub(r"/\*.*?\*/|//.*", "", line) for line in lines]
    goes_on = [re.search(OPEN_END, b) is not None and not b.lstrip().startswith(("*", "/*", "#")) for b in bare]
    found = []
    for number, line in enumerate(lines, 1):
        end = number
        while end < len(lines) and end < number + 12 and goes_on[end - 1]:
            end += 1
        whole = " ".join([bare[number - 1]] + [b.strip() for b in bare[number:end]]) if end > number else ""
        found.append((number, line, len(bare[number - 1].rstrip(" ,(")), whole))
    return found


def faults(name, text):
    lines = statements(name, text)
    for rule, files, pattern, exceptions, _ in RULES:
        if not re.search(files, name) or re.search(exceptions, name):
            continue
        for number, line, reach, whole in lines:
            on_line = re.search(pattern, line)
            found = on_line or (whole and re.search(pattern, whole))
            if not found or (not on_line and (found.start() >= reach or re.search(exceptions, whole))):
                continue
            is_comment = line.lstrip().startswith(("*", "/*")) and not rule.startswith("unfinished")
            if not is_comment and not re.search(exceptions, line):
                yield number, rule


def type_names(texts):
    """Types of the library that two files define, with these files; texts: (name, text)."""
    found = {}
    for name, text in texts:
        if re.match(r"src/(?!cli/).*\.[ch]$", name):
            for match in re.finditer(r"^(?:typedef )?(?:struct|enum|union) (oribi_\w+) \{|^\} (oribi_\w+);", text, re.M):
                found.setdefault(match.group(1) or match.group(2), set()).add(name)
    return [(kind, sorted(names)) for kind, names in sorted(found.items()) if len(names) > 1]


def main():
    if not type_names([("src/op/x.h", "typedef struct oribi_x {\n} oribi_x;\n"), ("src/pass/x.h", "enum oribi_x {\n")]):
        sys.exit("rules: the planted type of two files was not seen")
    texts = []
    for rule, name, text in [(r, *planted) for r, _, _, _, planted in RULES] + CONTINUED:
        if rule not in [r for _, r in faults(name, text)]:
            sys.exit(f"rules: the planted fault of '{rule}' was not seen: {text}")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    bad = 0
    for name in listed.stdout.split("\n"):
        path = ROOT / name
        if not name or not path.is_file() or path.suffix in (".png", ".onnx", ".tflite", ".npz", ".npy", ".bin"):
            continue
        text = path.read_text(errors="replace")
        texts.append((name, text))
        if path.suffix in (".c", ".h", ".hpp", ".cc", ".py", ".sh", ".cmake") and \
                "SPDX-License-Identifier: Apache-2.0" not in text[:300]:
            print(f"{name}:1: no SPDX line")
            bad += 1
        for line, rule in faults(name, text):
            print(f"{name}:{line}: {rule}")
            bad += 1
    for kind, names in type_names(texts):
        print(f"{names[0]}:1: the library has a type {kind} in {' and '.join(names)}")
        bad += 1
    sys.exit(1 if bad else 0)


main()
