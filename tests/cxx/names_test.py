# SPDX-License-Identifier: Apache-2.0
"""Compiles names.cc, which names all that the C++ face promises, by g++ and clang++, as C++14, 17 and
20, without Eigen and with it, and beside a real Abseil in either order of inclusion and of folders.

    names_test.py SOURCE PATHS [EIGEN]

PATHS has the headers that the build makes.

What a machine lacks (clang++, Eigen, Abseil) is said and left out. A header that loses a name must
fail: one is taken away in a copy.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fno-exceptions", "-fno-rtti", "-fsyntax-only",
            "-Wfatal-errors"] # the first is what is said
PATHS = sys.argv[2]
ABSEIL = pathlib.Path("/usr/include/absl/base/config.h")


def include_order(options):
    """Does another folder come before ours? Both are the system's then: neither's warnings count."""
    return any(option.startswith("-isystem") and option.endswith("/before") for option in options)


def compile_names(compiler, standard, source, options, include=None):
    command = [compiler, f"-std=c++{standard}", *WARNINGS, *options,
               f"{'-isystem' if include_order(options) else '-I'}{include or source / 'include'}",
               f"-I{PATHS}", f"-I{source / 'tests/cxx'}", str(source / "tests/cxx/names.cc")]
    done = subprocess.run(command, capture_output=True, text=True)
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:300])
    return (done.returncode == 0, f"{compiler} C++{standard} {' '.join(options)}: {first}")


def jobs(source, work, eigen):
    compilers = [c for c in ("g++", "clang++") if shutil.which(c) or print(f"left out: no {c}")]
    standards = (14, 20) if eigen and ABSEIL.exists() else (14, 17, 20)  # with these 17 is compiled below
    for compiler in compilers:
        for standard in standards:
            # Eigen beside plain views, by the oldest and the newest standard: it is a fifth of a run.
            beside = ["-DNAMES_EIGEN"] if eigen and standard != 17 else []
            yield compiler, standard, source, ["-DORIBI_NO_EIGEN", *beside]
        if eigen:
            yield compiler, 17, source, [f"-isystem{eigen}", "-DEIGEN_USE_THREADS"]
        for order in (1, 2) if ABSEIL.exists() else ():
            # Behind our folder and asked for, or before it.
            where = "-DORIBI_USE_ABSL" if compiler == "g++" else f"-isystem{work}/before"
            yield compiler, 17, source, ["-DORIBI_NO_EIGEN", f"-DREAL_ABSEIL={order}", where]


def without_types(source, work):
    """Headers that bring the integer types, string and tstring along, as sources rely on; which do not?"""
    missing = []
    for header in ("lib/core/status.h", "lib/core/stringpiece.h", "lib/core/errors.h", "lib/strings/strcat.h",
                   "platform/logging.h", "platform/tstring.h", "platform/types.h"):
        text = work / "alone.cc"
        text.write_text(f'#include "tensorflow/core/{header}"\n'
                        "tensorflow::uint32 f(tensorflow::int64 i, tensorflow::string s,"
                        " tensorflow::tstring t);\n")
        done = subprocess.run(["g++", "-std=c++14", "-fsyntax-only", f"-I{source}/include", f"-I{PATHS}", str(text)],
                              capture_output=True)
        missing += [header] if done.returncode else []
    return missing


def planted(source, work):
    """Does the loss of a method turn it red?"""
    copy = work / "include"
    shutil.copytree(source / "include", copy)
    header = copy / "tensorflow/core/framework/shapes/shape_maker.h"
    text = header.read_text()
    assert "Status ReplaceDim(" in text
    header.write_text(text.replace("Status ReplaceDim(", "Status ReplacedDim("))
    ok, _ = compile_names("g++", 17, source, ["-DORIBI_NO_EIGEN"], copy)
    return not ok


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    eigen = sys.argv[3] if len(sys.argv) > 3 and pathlib.Path(sys.argv[3]).is_dir() else None
    print("" if eigen else "left out: no Eigen")
    print("" if ABSEIL.exists() else "left out: no Abseil (libabsl-dev)")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "before").mkdir()
        os.symlink(ABSEIL.parent.parent, work / "before/absl")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda job: compile_names(*job), jobs(source, work, eigen)))
        bad = [text for ok, text in results if not ok]
        print("\n".join(bad + [f"{len(results)} compiled, {len(bad)} failed"]))
        bad += without_types(source, work)
        print("\n".join(f"{header} brings no integer types" for header in bad if header.endswith(".h")))
        seen = planted(source, work)
        print("" if seen else "a header without ReplaceDim was not noticed")
    sys.exit(0 if not bad and seen and results else 1)


main()
