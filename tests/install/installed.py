# SPDX-License-Identifier: Apache-2.0
"""What `make install` places is what is meant to be there, file by file, and what runs of it is
hardened. A file too many, one that is missing and a program without each of the guards are planted.

    installed.py BUILD SOURCE
"""
import pathlib
import re
import subprocess
import sys
import tempfile

build, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
CACHE = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M))
LIB = CACHE["CMAKE_INSTALL_LIBDIR"]
VERSION = CACHE["CMAKE_PROJECT_VERSION"]
DEVICES = ["cuda", "hip"] + (["opencl"] if (build / "plugins/oribi_opencl.so").exists() else [])
RUNS = [f"{LIB}/liboribi.so.{VERSION}", "bin/oribi", "libexec/oribi/oribi-plugin-probe",
        *(f"{LIB}/oribi/oribi_{n}.so" for n in ("cpu_extra", "ort_adapter")),
        *(f"{LIB}/oribi/plugins/oribi_{d}.so" for d in DEVICES)]
DROPINS = [*(f"{LIB}/oribi/dropin/{name}" for name in
             ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2", "libtensorflow.so.2",
              "_pywrap_tensorflow_internal.so")), f"{LIB}/oribi/oribi_kernel_texts.so"]  # no code


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def intended():
    """Everything, relative to the prefix."""
    files = [*RUNS, *DROPINS, f"{LIB}/liboribi.so", f"{LIB}/liboribi.so.1", f"{LIB}/liboribi.a",
             f"{LIB}/oribi/cases/built_in.cases.json",
             *(f"{LIB}/oribi/tensorflow/{n}" for n in (
                 "libtensorflow.so", "libtensorflow.so.2", "pkgconfig/tensorflow.pc")),
             *(f"{LIB}/pkgconfig/{n}.pc" for n in ("oribi", "oribi-static", "oribi-plugin")),
             *(f"{LIB}/cmake/oribi/oribi-{n}.cmake" for n in (
                 "config", "config-version", "targets", f"targets-{CACHE['CMAKE_BUILD_TYPE'].lower()}")),
             "share/man/man1/oribi.1", "share/bash-completion/completions/oribi",
             "share/zsh/site-functions/_oribi", "share/fish/vendor_completions.d/oribi.fish",
             *(f"include/oribi/oribi/{n}" for n in ("oribi.h", "oribi.hpp", "desk.h")),
             *(f"include/oribi/oribi/tensorflow/c/{n}.h" for n in (
                 "c_api_macros", "tf_buffer", "tf_datatype", "tf_status", "tf_tensor"))]
    tracked = run("git", "-C", str(source), "ls-files", "--cached", "--others", "--exclude-standard").split("\n")
    for name in tracked:
        top, _, rest = name.partition("/")
        if top == "include" and not name.endswith(".clang-format") and name != "include/README.md":
            files.append(f"include/oribi-plugin/{rest}")
        elif top == "zephyr" or name.startswith(("examples/accelerators/", "platform/ethos_u/")):
            files.append(f"share/oribi/{name}")
    paths = (source / "cmake/header_paths.txt").read_text().split("\n")
    names = [line.split()[0] for line in paths if line and line[0] != "#"]
    headers = names + [name[len("include/"):] for name in tracked if name.startswith("include/")]
    names += [f"{root}/{name[len('tensorflow/core/'):]}" for root in ("tsl", "xla/tsl", "tensorflow/tsl")
              for name in headers if name.startswith(("tensorflow/core/platform/", "tensorflow/core/lib/"))]
    files += [f"include/oribi-plugin/{name}" for name in names]
    return set(files)


def differences(prefix):
    there = {str(f.relative_to(prefix)) for f in prefix.rglob("*") if not f.is_dir() or f.is_symlink()}
    return sorted(f"unexpected: {f}" for f in there - intended()) + sorted(
        f"missing: {f}" for f in intended() - there)


def weaknesses(file, is_code=True):
    """What a file that runs lacks; without code of its own it needs no canary."""
    dynamic, segments = run("readelf", "-dW", str(file)), run("readelf", "-lW", str(file))
    imports = run("nm", "-D", "--undefined-only", str(file))
    header = run("readelf", "-hW", str(file))
    lacks = []
    if not re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic):
        lacks.append("BIND_NOW")
    if "GNU_RELRO" not in segments:
        lacks.append("RELRO")
    if not re.search(r"GNU_STACK .* RW +0x", segments):
        lacks.append("a stack that is not executable")
    if "TEXTREL" in dynamic:
        lacks.append("code that is not written to")
    if not re.search(r"Type: +DYN", header):
        lacks.append("a position-independent form")
    if is_code and "__stack_chk_fail" not in imports:
        lacks.append("stack protector")
    if is_code and not re.search(r"U __\w+_chk\b", imports.replace("__stack_chk_fail", "")):
        lacks.append("FORTIFY")
    return lacks


PROGRAM = """#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) { char text[40]; strcpy(text, argv[argc - 1]); return puts(text) < 0; }
"""
GUARDED = ["-O2", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-fPIE", "-pie",
           "-Wl,-z,relro,-z,now,-z,noexecstack"]


def plant(work):
    """Each guard taken away must be noticed; with all of them nothing is."""
    for last, wanted in (([], []), (["-Wl,-z,lazy"], ["BIND_NOW"]), (["-Wl,-z,norelro"], ["RELRO"]),
                         (["-Wl,-z,execstack"], ["a stack that is not executable"]),
                         (["-fno-pie", "-no-pie"], ["a position-independent form"]),
                         (["-fno-stack-protector"], ["stack protector"]),
                         (["-U_FORTIFY_SOURCE"], ["FORTIFY"])):
        run("cc", "-x", "c", "-", *GUARDED, *last, "-o", str(work / "planted"), input=PROGRAM)
        seen = weaknesses(work / "planted")
        assert seen == wanted, f"planted {last}: seen {seen}"


def main():
    failed = []
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        prefix = work / "image"
        run("cmake", "--install", str(build), "--prefix", str(prefix))
        failed += differences(prefix)
        if CACHE["ORIBI_HARDEN"] == "ON" and CACHE["CMAKE_BUILD_TYPE"] != "Debug":
            for file in RUNS + DROPINS:
                failed += [f"{file} lacks {what}" for what in weaknesses(prefix / file, file in RUNS)]
            plant(work)
        extra = prefix / LIB / "oribi/plugins/oribi_cuda_absent.so"
        extra.write_text("")
        (prefix / DROPINS[0]).unlink()
        planted = differences(prefix)
        for line in (f"unexpected: {extra.relative_to(prefix)}", f"missing: {DROPINS[0]}"):
            if line not in planted:
                failed.append(f"a planted fault was not seen: {line}")
    print("\n".join(failed) or f"installed: {len(intended())} files, as intended")
    sys.exit(bool(failed))


main()
