#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The matrix in docs/reference/deprecation.md: plugins of each contract version in hosts of each. Without --update it must
be fresh.

The archives keep plugins and headers, no libraries: a host of contract 1.N is today's library, linked once more so
that it exports exactly the functions that 1.N had. That is what a loader refuses by; the sizes of the structs that
hosts fill are compared by themselves.

    matrix.py ORIBI PROBE LIBORIBI_A LIBORIBI_SO [--update]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ORIBI, PROBE, ARCHIVE, SHARED = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
PAGE = SOURCE / "docs/reference/deprecation.md"
PART = re.compile(r"(?<=<!-- versions: begin -->\n).*?(?=<!-- versions: end -->)", re.S)
sys.path.insert(0, str(SOURCE / "tests/cli"))
import onnx_lite as onnx  # noqa: E402

CONTRACT = SOURCE / "docs/reference/plugin-contract.md"
HEADERS = SOURCE / "include/tensorflow/c/c_api_macros.h"
TODAY = "{}.{}".format(*divmod(int(re.search(r"ORIBI_CONTRACT_VERSION (\d+)", HEADERS.read_text()).group(1)), 100))
CHECK = "check"  # a plugin that `test` has nothing to say of


def run(*words, **options):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, timeout=300, **options)


def built(*words):
    done = run("cc", "-shared", "-fPIC", *words)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return words[words.index("-o") + 1]


def hosts(work):
    """{version: folder of its liboribi.so.1}"""
    since = dict(re.findall(r"^\| `(\w+)` \|.*\| (\d\.\d) \|[^|]*\|$", CONTRACT.read_text(), re.M))
    names = [line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", SHARED).stdout.splitlines()]
    if len(since) < 600 or not set(since.values()) > {"1.0", "1.2"}:
        sys.exit(f"{CONTRACT}: only {len(since)} functions were found in its tables")
    called = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--undefined-only", ORIBI).stdout.splitlines()}
    found = {}
    for version in sorted(set(since.values())):
        folder = work / f"host_{version}"
        folder.mkdir()
        # what applications call is not the plugin's concern, and the command needs it
        kept = [n for n in names if since.get(n, TODAY) <= version or n in called or
                (n.startswith("oribi_") and not n.startswith(("oribi_target", "oribi_region")))]
        (folder / "map").write_text("{ global: " + "; ".join(kept) + "; local: *; };\n")
        made = run("cc", "-shared", "-Wl,-soname,liboribi.so.1", f"-Wl,--version-script={folder}/map", "-Wl,--whole-archive",
                   ARCHIVE, "-Wl,--no-whole-archive", "-o", folder / "liboribi.so.1", "-lm", "-ldl", "-lpthread")
        if made.returncode != 0:
            sys.exit(made.stderr)
        found[version] = folder
    return found


def plugins(work):
    """(row, file, and how it is used: None, CHECK, or model and device)"""
    rows = []
    for archive in sorted(HERE.glob("*.tar.xz")):
        version = archive.name.removesuffix(".tar.xz")
        with tarfile.open(archive) as frozen:
            frozen.extractall(work)
        folder = work / version
        for name, what in (("plugin", "kernels"), ("device", "a device, a profiler, an optimiser"), ("target", "a target"),
                           ("micro", "one kernel for host and emitted C"), ("state", "one with state")):
            if (folder / f"{name}.c").exists():
                device = (folder / "fused.onnx", "FROZEN", "x=2x3xf32=1,2,3,4,5,6", [144, 192, 240, 348, 459, 570])
                use = {"device": device, "target": CHECK}.get(name)
                rows.append((f"{version}: {what}", built("-I", folder / "include", folder / f"{name}.c", "-o",
                                                         folder / f"{name}.so", "-lm"), use))
    include = ["-I", SOURCE / "include"]
    good = SOURCE / "tests/plugin/good"

    def today(name, *words):
        return built(*include, *words, "-o", work / f"{name}.so", "-lm")

    weak = work / "weak.onnx"
    weak.write_bytes(onnx.model([onnx.node("Com>Acme>Weak", ["x"], ["y", "used"], domain="org.tensorflow")], [onnx.info("x", [2])],
                                [onnx.info("y", [2])], domains=["org.tensorflow"]))
    fake = sorted((SOURCE / "examples/fake_accelerator").glob("*.c"))
    rows += [
        ("today: kernels that use what came with 1.3", today("additions", good / "additions.c"), None),
        ("today: one kernel for host and emitted C", today("centre", SOURCE / "examples/custom_op/centre.c"), None),
        ("today: kernels, `-DORIBI_TARGET_CONTRACT=102`",
         today("for_102", SOURCE / "examples/bitcast/bitcast.c", "-DORIBI_TARGET_CONTRACT=102"), None),
        ("today: kernels, `-DORIBI_TARGET_CONTRACT=100`",
         today("for_100", good / "plain.c", "-DOP_NAME=\"TestPlain\"", "-DORIBI_TARGET_CONTRACT=100"), None),
        ("today: kernels, `TF_CAPI_WEAK`, asks for each function",
         today("weak", SOURCE / "tests/peer/plugin/weak_plugin.c"), (weak, None, "x=2xf32=1,2", [1.1, 4.1])),
        ("today: a device, `-DORIBI_TARGET_CONTRACT=102`",
         today("fake", *fake, "-D_GNU_SOURCE", "-DORIBI_TARGET_CONTRACT=102", "-fvisibility=hidden"), (None, "FAKE", None, None))]
    return rows


def missing(text):
    """The functions that a refusal names."""
    found = re.search(r"(?:missing|needs) ((?:\w+, )*\w+)", text)
    names = found.group(1).split(", ") if found else []
    return sorted(n for n in names if re.match(r"(TF|SE|TP|TSL|oribi)_", n))


def cell(plugin, use, folder):
    env = {**os.environ, "LD_LIBRARY_PATH": str(folder), "ORIBI_PLUGIN_PROBE": str(PROBE), "ORIBI_PLUGIN_CACHE": "0"}
    if use is None:
        done = run(ORIBI, "plugin", "test", plugin, "--seed", "1", "--random", "3", env=env)
    elif use == CHECK:
        done = run(ORIBI, "plugin", "check", plugin, env=env)
    elif use[0] is not None:
        words = ["--device", use[1], "--strict-placement"] if use[1] else []
        done = run(ORIBI, "run", use[0], "-p", plugin, "-i", use[2], "--json", *words, env=env)
        if done.returncode == 0:
            values = json.loads(done.stdout.splitlines()[0])["values"]
            if any(abs(a - b) > 1e-5 for a, b in zip(values, use[3], strict=True)):
                sys.exit(f"{plugin} in {folder.name}: {values}")
    else:
        done = run(ORIBI, "devices", "-p", plugin, env=env)
        if done.returncode == 0 and use[1] not in done.stdout:
            sys.exit(f"{plugin}: no device in {done.stdout}")
    if done.returncode == 0:
        return "works"
    names = missing(done.stderr + done.stdout)
    if not names:
        sys.exit(f"{plugin} in {folder.name}: {done.stdout}{done.stderr}")
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return "refused: " + ", ".join(f"`{n}`" for n in names[:2]) + more


def struct_sizes(include, work):
    """{macro: bytes} of the structs that hosts fill or read."""
    headers = [h.relative_to(include) for h in sorted(include.glob("tensorflow/c/**/*.h"))
               if "STRUCT_SIZE" in h.read_text()]
    macros = sorted({m for h in headers for m in re.findall(r"#define (\w*STRUCT_SIZE)\b", (include / h).read_text())})
    lines = [f'#include "{h}"' for h in headers] + ["#include <stdio.h>", "int main(void) {"]
    lines += [f'printf("{m} %zu\\n", (size_t){m});' for m in macros] + ["return 0; }"]
    (work / "sizes.c").write_text("\n".join(lines))
    made = run("cc", "-I", include, work / "sizes.c", "-o", work / "sizes")
    if made.returncode != 0:
        sys.exit(made.stderr)
    return dict(line.split() for line in run(work / "sizes").stdout.splitlines())


def page(work):
    columns = hosts(work)
    lines = ["| plugin | " + " | ".join(f"host {v}" for v in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for row, plugin, use in plugins(work):
        cells = [cell(plugin, use, folder) for folder in columns.values()]
        if cells[-1] != "works":
            sys.exit(f"{row}: {cells[-1]} today")
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    old, new = struct_sizes(work / "1.2/include", work), struct_sizes(SOURCE / "include", work)
    changed = sorted(m for m in old if new.get(m) != old[m])
    lines += ["", f"Of the {len(old)} structs with a size of their own that 1.2 had, "
                  + (f"these have another size today: {', '.join(changed)}." if changed else
                     "each has the same size today: what today's plugin is handed by a host of 1.2 does not end earlier.")
              + f" New since then: {', '.join(f'`{m}`' for m in sorted(set(new) - set(old)))}; plugins hand them to newer functions alone.", ""]
    return "\n".join(lines)


def main():
    with tempfile.TemporaryDirectory() as name:
        made = page(pathlib.Path(name))
    text = PAGE.read_text()
    fresh = PART.sub(lambda _: made, text)
    if "--update" in sys.argv:
        PAGE.write_text(fresh)
    elif fresh != text:
        sys.exit("docs/reference/deprecation.md is stale: run tests/frozen/matrix.py with --update")
    elif PART.sub(lambda _: made.replace("refused", "works"), text) == text:
        sys.exit("a refusal that became a load was not seen")


main()
