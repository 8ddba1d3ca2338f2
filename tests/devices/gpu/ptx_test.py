#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What plugin cuda embeds, without a GPU: each kernel of plugins/device_ops/code is an entry of its
family's PTX, with the parameters that it has in C; each function that plugins/device_ops launches is
one of them; ptxas compiles all for today's architectures without spilling registers; NVRTC, the second
way to build, gives the same entries. Faults are planted first, to see that they would be found.

usage: ptx_test.py SOURCE_ROOT PTX_FOLDER DOUBLE.so
"""
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KERNEL = re.compile(r"^KERNEL(\d)(?:_SHARED)?\((\w+)", re.M)
ENTRY = re.compile(r"\.entry\s+(\w+)\s*\(([^)]*)\)")
PARAM = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.(?:[a-z]+(\d+))(?:\s+\S+?\[(\d+)\])?")
OF_OPENCL = re.compile(r"^#\s*if(?:def\s+|\s+defined\(?\s*)DEVICE_IS_OPENCL", re.M)  # forms for processors
LAUNCHED = re.compile(r'"(op_\w+)"')
ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")


def entries(text):
    """{name: [bytes of each parameter]}"""
    found = {}
    for name, params in ENTRY.findall(text):
        found[name] = [int(count) if count else int(bits) // 8 for bits, count in PARAM.findall(params)]
    return found


def in_c(double, name):
    """The same as the host's compiler has it."""
    try:
        n, value = (ctypes.c_size_t * 2).in_dll(double, f"{name}_parameters")
    except ValueError:
        return None
    return [8] * n + [value]


def check_family(double, family, text):
    faults = []
    found = entries(text)
    for name, params in found.items():
        expected = in_c(double, name)
        if params != expected:
            faults.append(f"{family}: {name} has parameters {params}, in C {expected}")
    return found, faults


def check_compiled(library, found):
    """Kernels that macros make have no KERNEL of their own in the source."""
    symbols = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    names = set(re.findall(r"\b(op_\w+)_parameters\b", symbols))
    return names, [f"{name} is C and no entry of any image" for name in sorted(names - set(found))]


def check_launched(root, found):
    """Names in the host's code; the forms for processors are of OpenCL alone (has_vectors)."""
    vectors = set()
    for path in (root / "plugins/device_ops/code").glob("*.c"):
        if OF_OPENCL.search(path.read_text()):
            vectors.update(re.findall(r"\b(op_\w+)\b", path.read_text()))
    names = set()
    for path in (root / "plugins/device_ops").glob("*.c"):
        names.update(LAUNCHED.findall(path.read_text()))
    names.discard("op_")
    return names, [f"{name} is launched and no entry of any image" for name in sorted(names - set(found) - vectors)]


def run_ptxas(path, architecture, folder):
    """What it says when it fails, or of functions that spill."""
    done = subprocess.run(["ptxas", f"-arch={architecture}", "-v", str(path), "-o", f"{folder}/x.cubin"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"ptxas -arch={architecture} {path.name}: {done.stderr.strip()}"
    spills = [line for line in done.stderr.splitlines() if re.search(r"[1-9]\d* bytes spill", line)]
    return f"{path.name}, {architecture}: {spills[0].strip()}" if spills else None


def self_test(double):
    good = ".visible .entry op_relu(\n.param .u64 a,\n.param .u64 b,\n.param .align 4 .b8 c[%d]\n)\n"
    size = in_c(double, "op_softmax")[-1]
    text = good.replace("op_relu", "op_softmax") % size
    if check_family(double, "planted", text)[1]:
        sys.exit("ptx: an entry that is right was refused")
    for wrong in (text.replace(f"[{size}]", f"[{size + 4}]"), text.replace(".u64 b", ".u32 b"),
                  text.replace(".param .u64 b,\n", ""), text.replace("op_softmax", "op_unknown")):
        if not check_family(double, "planted", wrong)[1]:
            sys.exit(f"ptx: a planted fault was not seen:\n{wrong}")
    with tempfile.TemporaryDirectory() as folder:
        bad = pathlib.Path(folder) / "bad.ptx"
        bad.write_text(".version 7.0\n.target sm_75\n.address_size 64\n.entry x() { add.f32 %f1; }\n")
        if shutil.which("ptxas") and run_ptxas(bad, "sm_90", folder) is None:
            sys.exit("ptx: ptxas took PTX that is none")


def check_nvrtc(root, text, path, folder):
    library = next((p for p in ("/usr/local/cuda/lib64/libnvrtc.so",) if pathlib.Path(p).exists()), None)
    if library is None:
        return "no NVRTC"
    output = f"{folder}/rtc.ptx"
    subprocess.run([sys.executable, str(root / "plugins/cuda/nvrtc.py"), library, "compute_75", str(path), output],
                   check=True)
    if entries(pathlib.Path(output).read_text()) != entries(text):
        sys.exit(f"ptx: NVRTC gives other entries for {path.name}")
    return "NVRTC gives the same entries"


def main():
    root, built, double = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), ctypes.CDLL(sys.argv[3])
    self_test(double)
    faults, all_found, said = [], {}, set()
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((root / "plugins/device_ops/code").glob("*.c")):
            family = path.stem.removesuffix("_code")
            text = (built / f"{family}.ptx").read_text()
            found, new = check_family(double, family, text)
            faults += new
            all_found.update(found)
            wanted = set(name for _, name in KERNEL.findall(path.read_text()))
            if not OF_OPENCL.search(path.read_text()):
                faults += [f"{family}: {name} is no entry of its PTX" for name in sorted(wanted - set(found))]
            if shutil.which("ptxas") and found:
                results = [run_ptxas(built / f"{family}.ptx", a, folder) for a in ARCHITECTURES]
                faults += [r for r in results if r]
            said.add(check_nvrtc(root, text, path, folder))
    names, new = check_launched(root, all_found)
    compiled, more = check_compiled(sys.argv[3], all_found)
    faults += new + more
    for fault in faults:
        print(fault)
    print(f"{len(all_found)} entries, {len(names)} launched functions; {', '.join(sorted(said))}; "
          f"{'ptxas: ' + ' '.join(ARCHITECTURES) if shutil.which('ptxas') else 'no ptxas'}")
    sys.exit(1 if faults or not all_found or not compiled else 0)


main()
