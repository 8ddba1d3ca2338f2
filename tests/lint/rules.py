#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""House rules that a compiler does not know. `RULES` is the list; each has a planted fault."""
import pathlib
import re
import subprocess
import sys

# (name, files, pattern, exceptions, planted fault)
RULES = [
    ("malloc outside src/base", r"^src/.*\.[ch]$", r"(?<![\w.>])(?:malloc|calloc|realloc|free)\s*\(",
     r"^src/base/|^src/cli/|^src/tensor/(?:buffer|tstring)\.c|C heap", ("src/op/x.c", "    p = malloc(3);")),
    ("print from library code", r"^src/.*\.c$", r"(?<!\w)(?:printf|puts|fputs|fprintf)\s*\(",
     r"^src/cli/|^src/base/log\.c|^src/plugin/probe/main\.c", ("src/op/x.c", '    printf("x");')),
    ("ctype.h, which asks the application's locale (base/ascii.h does not)", r"^(?:src|plugins|micro)/.*\.[ch]$",
     r"#\s*include\s*<w?ctype\.h>|(?<![\w.>])strto[df]\s*\(", r"^src/cli/|^src/base/number\.c",
     ("plugins/cpu/x.c", "#include <ctype.h>")),
    ("abort or exit in library code", r"^(?:src|plugins)/.*\.c$", r"(?<!\w)(?:abort|exit|_exit|assert)\s*\(",
     r"^src/cli/|^src/base/process\.c|^src/plugin/probe/main\.c|static_assert", ("src/op/x.c", "    abort();")),
    ("allocation in emitted code", r"^micro/.*\.[ch]$", r"(?<!\w)(?:malloc|calloc|realloc|free)\s*\(",
     r"$^", ("micro/x.c", "    free(p);")),
    ("assembly outside micro/dsp*.h", r"^micro/.*\.[ch]$", r"(?<!\w)(?:__asm__|__asm|asm|ORIBI_MICRO_ASM)\s*(?:volatile)?\s*\(",
     r"^micro/dsp(_3x3)?\.h", ("micro/x.c", '    __asm__ volatile("nop");')),
    ("vendor named in kernels for all devices", r"^plugins/device_ops/[^/]*\.[ch]$", r"(?i)opencl|cuda|(?<![a-z])hip|nvidia",
     r"$^", ("plugins/device_ops/x.c", '    return "OpenCL";')),
    ("absolute machine path", r"^(?!tests/lint/).*", r"(?<![\w.])/(?:work|root|home/\w+)/", r"$^",
     ("docs/x.md", "see /home/ann/main")),
    ("tab", r"\.(?:c|h|cc|py|sh|cmake)$", r"\t", r"$^", ("src/op/x.c", "\tint x;")),
    ("trailing space", r"\.(?:c|h|cc|py|sh|cmake|md)$", r"[ \t]+$", r"$^", ("src/op/x.c", "int x; ")),
    ("unfinished work without an issue", r"^(?!tests/lint/).*\.(?:c|h|cc|py|sh)$", r"\b(?:TODO|FIXME|XXX|HACK)\b(?!\(#\d)",
     r"$^", ("src/op/x.c", "/* TODO later */")),
]


def faults(name, text):
    for rule, files, pattern, exceptions, _ in RULES:
        if not re.search(files, name):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(pattern, line) and not re.search(exceptions, name) \
                    and not re.search(exceptions, line) and not line.lstrip().startswith(("*", "/*")):
                yield number, rule
            elif rule.startswith("unfinished") and re.search(pattern, line):
                yield number, rule


def main():
    for rule, _, _, _, (name, text) in RULES:
        if rule not in [r for _, r in faults(name, text)]:
            sys.exit(f"rules: the planted fault of '{rule}' was not seen")
    root = pathlib.Path(__file__).resolve().parents[2]
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True)
    bad = 0
    for name in listed.stdout.split("\n"):
        path = root / name
        if not name or not path.is_file() or path.suffix in (".png", ".onnx", ".tflite", ".npz", ".npy", ".bin"):
            continue
        text = path.read_text(errors="replace")
        if path.suffix in (".c", ".h", ".cc", ".py", ".sh", ".cmake") and \
                "SPDX-License-Identifier: Apache-2.0" not in text[:300]:
            print(f"{name}:1: no SPDX line")
            bad += 1
        for line, rule in faults(name, text):
            print(f"{name}:{line}: {rule}")
            bad += 1
    sys.exit(1 if bad else 0)


main()
