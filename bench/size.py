#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How large is what is installed? Installs a build into a folder, stripped, and weighs the shared
objects and the command.

    bench/size.py BUILD                a table: `bench/size.py build | bench/page.py size --counted`
    bench/size.py BUILD --check PAGE   fails where a limit is passed, or the page is out of date
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LIMITS = {"liboribi.so": 2_500_000, "all shared objects": 6 << 20}
DRIFT = 0.05  # of what the page says: another compiler, a few lines of code
WHAT = {
    "liboribi.so": "the library with the kernels of what most models have",
    "oribi_cpu_extra.so": "kernels of rarer ops, loaded when a model has one",
    "oribi_kernel_texts.so": "the C that `oribi compile` writes",
    "oribi_ort_adapter.so": "ONNX Runtime's custom ops",
    "oribi_opencl.so": "OpenCL's devices", "oribi_cuda.so": "CUDA's", "oribi_hip.so": "HIP's",
}


def weigh(build):
    """(name, bytes) of each installed shared object, the largest first; links count once."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", build, "--strip", "--prefix", folder], check=True,
                       stdout=subprocess.DEVNULL)
        found = [(re.sub(r"\.so.*", ".so", p.name), p.stat().st_size)
                 for p in pathlib.Path(folder).rglob("*.so*") if p.is_file() and not p.is_symlink()]
        command = [("oribi", p.stat().st_size) for p in pathlib.Path(folder).glob("bin/oribi")]
    found.sort(key=lambda row: -row[1])
    small = [row for row in found if row[0] not in WHAT]
    rows = [row for row in found if row[0] in WHAT]
    if small:
        rows.append((f"{len(small)} empty libraries of TensorFlow's names", sum(n for _, n in small)))
    return rows + [("all shared objects", sum(n for _, n in found))] + command


def main():
    build = sys.argv[1]
    rows = weigh(build)
    if sys.argv[2:3] != ["--check"]:
        print("| file, stripped | bytes | limit | what it has |\n|---|---:|---:|---|")
        for name, size in rows:
            limit = f"{LIMITS[name]:,}" if name in LIMITS else ""
            print(f"| `{name}` | {size:,} | {limit} | {WHAT.get(name, '')} |".replace("`all shared objects`", "all shared objects"))
        return 0
    bad = [f"{name}: {size:,} bytes, {limit:,} at most" for name, limit in LIMITS.items()
           for size in [dict(rows)[name]] if size > limit]
    told = {name: int(size.replace(",", "")) for name, size in
            re.findall(r"^\| `?([^|`]+)`? \| ([\d,]+) \|", pathlib.Path(sys.argv[3]).read_text(), re.M)}
    for name in LIMITS:
        size = dict(rows)[name]
        if abs(told.get(name, 0) - size) > DRIFT * size:
            bad.append(f"{name}: {size:,} bytes, the page says {told.get(name, 0):,}: "
                       f"bench/size.py {build} | bench/page.py size --counted")
    print("\n".join(bad) if bad else "sizes: within limits, and as the page says")
    return 1 if bad else 0


sys.exit(main())
