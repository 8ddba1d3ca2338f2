#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""src/base on Windows: each file compiled by MinGW-w64 with the warnings of the tree, and windows_smoke.c run under Wine.

    windows_test.py SOURCE

What Windows has in another way is in src/base/windows; processors.c, cgroup.c, file.c, dynlib.c, process.c and number.c have their like
there. A planted fault, a file that is never renamed into its place, must be seen."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
COMPILER = next(filter(None, map(shutil.which, ("x86_64-w64-mingw32-gcc-posix", "x86_64-w64-mingw32-gcc"))), None)
WINE = next(filter(None, (shutil.which("wine64"), shutil.which("wine"), shutil.which("/usr/lib/wine/wine64"))), None)
FLAGS = ["-std=c11", "-O1", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wvla", "-Werror",
         "-Wstrict-prototypes", "-Wmissing-prototypes", f"-I{SOURCE}/include", f"-I{SOURCE}/src"]
PLANT = ("MOVEFILE_REPLACE_EXISTING : 0)", "MOVEFILE_REPLACE_EXISTING : MOVEFILE_REPLACE_EXISTING)",
         "!force ? EEXIST", "!force && 0 ? EEXIST")


def sources():
    """Files of POSIX that have a like of another name in windows/ stay at home, and what serves them alone."""
    own = sorted((SOURCE / "src/base/windows").glob("*.c"))
    replaced = {path.name.replace("_windows", "") for path in own} | {"cgroup.c"}
    return [p for p in sorted((SOURCE / "src/base").glob("*.c")) if p.name not in replaced] + own


def build(folder, files, name):
    objects = []
    for path in files:
        objects.append(folder / f"{path.stem}.o")
        subprocess.run([COMPILER, *FLAGS, "-c", path, "-o", objects[-1]], check=True)
    program = folder / name
    subprocess.run([COMPILER, *objects, "-o", program, "-static", "-ladvapi32"], check=True)
    return program


def run(program, folder):
    environment = dict(os.environ, WINEPREFIX=str(folder / "wine"), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe=",
                       LC_ALL="C.UTF-8")
    done = subprocess.run([WINE, program, "files"], cwd=folder, env=environment, capture_output=True, text=True, timeout=280, check=False)
    print(done.stdout, done.stderr)
    shutil.rmtree(folder / "files", ignore_errors=True)
    return done.returncode, done.stdout


def main():
    if COMPILER is None:
        print("skipped: no x86_64-w64-mingw32-gcc")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        files = sources() + [SOURCE / "tests/base/windows_smoke.c"]
        program = build(folder, files, "smoke.exe")
        if WINE is None:
            print("skipped: compiled, and no wine64 to run it")
            sys.exit(77)
        code, said = run(program, folder)
        if code != 0 or "0 failed" not in said:
            sys.exit(f"the program ended with {code}")
        spoilt = folder / "file_windows.c"
        text = (SOURCE / "src/base/windows/file_windows.c").read_text()
        for good, bad in zip(PLANT[::2], PLANT[1::2]):
            if good not in text:
                sys.exit("file_windows.c has changed; plant the fault elsewhere")
            text = text.replace(good, bad)
        spoilt.write_text(text)
        code, said = run(build(folder, [spoilt if p.name == spoilt.name else p for p in files], "planted.exe"), folder)
        if code == 0:
            sys.exit("a file that is written over was not seen")


main()
