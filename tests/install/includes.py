# SPDX-License-Identifier: Apache-2.0
"""What an application includes beside oribi.h is its own: a real TensorFlow, Abseil or Eigen behind
the words of pkg-config, or of the CMake target oribi::oribi, is the one that is found.

    includes.py BUILD SOURCE

Each header that plugins have is made again, empty, in a folder that stands last; each public header
of an Abseil that is installed must read the same files with our words and without (all of
them in one text: a file of ours would be among those that it reads). Both must fail
with the words for plugins.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

build, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
ABSEIL = pathlib.Path("/usr/include/absl")


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def hidden_by(flags, folder):
    """Names below include/ that are not found in `folder`, which stands behind the flags."""
    names = [str(h.relative_to(root)) for root in (source / "include", build / "header_paths")
             for h in sorted(root.rglob("*"))
             if h.is_file() and h.name not in (".clang-format", "README.md") and h.parent.name != "oribi"]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    assert len(names) > 150
    made = subprocess.run(["cc", "-M", *flags, f"-I{folder}", "-x", "c", "-"], capture_output=True, text=True,
                          input="".join(f"#include <{name}>\n" for name in names))
    found = made.stdout.split() # of ours it may even stop at the first one
    return [name for name in names if str(folder / name) not in found]


def files_read(headers, flags):
    """(exit code, the files) of one text that includes them."""
    done = subprocess.run(["c++", "-std=c++17", "-M", *flags, "-x", "c++", "-"], text=True, capture_output=True,
                          input="".join(f"#include <{h.relative_to('/usr/include')}>\n" for h in headers))
    return done.returncode, set(done.stdout.split()) - {"\\"}


def alone():
    """Each public header of the Abseil here that can be read by itself (those for tests want more)."""
    headers = [h for h in sorted(ABSEIL.rglob("*.h")) if "internal" not in h.parts]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = pool.map(lambda h: files_read([h], [])[0], headers)
        return [h for h, code in zip(headers, codes) if code == 0]


def cmake_flags(work, lines):
    """The -I of a program that links oribi::oribi."""
    (work / "main.c").write_text("#include <oribi/oribi.h>\nint main(void) { return 0; }\n")
    (work / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(stranger C)\n" + lines +
        "\nadd_executable(app main.c)\ntarget_link_libraries(app PRIVATE oribi::oribi)\n"
        "file(GENERATE OUTPUT flags CONTENT \"$<TARGET_PROPERTY:app,INCLUDE_DIRECTORIES>\")\n")
    output("cmake", "-S", str(work), "-B", str(work / "b"))
    return [f"-I{folder}" for folder in (work / "b/flags").read_text().split(";") if folder]


def main():
    failed = []
    headers = alone()
    plain = files_read(headers, [])
    assert plain[0] == 0 and (len(headers) > 50 or not ABSEIL.is_dir())
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        output("cmake", "--install", str(build), "--prefix", str(work / "image"))
        found = [str(p) for p in (work / "image").rglob("pkgconfig")]
        os.environ["PKG_CONFIG_PATH"] = ":".join(found)
        words = {what: output("pkg-config", "--cflags", what).split() for what in ("oribi", "oribi-plugin")}
        (work / "cmake").mkdir()
        words["oribi::oribi"] = cmake_flags(
            work / "cmake", f'list(APPEND CMAKE_PREFIX_PATH "{work}/image")\nfind_package(oribi 1.0 REQUIRED)')
        (work / "sub").mkdir()
        words["oribi::oribi of add_subdirectory"] = cmake_flags(
            work / "sub", f"add_subdirectory({source} oribi EXCLUDE_FROM_ALL)")
        for what, flags in words.items():
            hidden = hidden_by(flags, work / "theirs")
            code, files = files_read(headers, flags)
            changed = sorted(files ^ plain[1]) or ([f"exit code {code}"] if code else [])
            print(f"{what}: {len(hidden)} names hidden, {len(headers)} headers of Abseil read {len(changed)} other files")
            is_planted = what == "oribi-plugin"
            if is_planted != bool(hidden) or (headers and is_planted != bool(changed)):
                failed.append(f"{what} {flags}: {hidden[:5]} {changed[:5]}")
            output("c++", "-std=c++17", "-fsyntax-only", *flags, "-x", "c++", "-",
                   input="#include <oribi/oribi.h>\nTF_Tensor *t; oribi_run *r;\n")
        if ABSEIL.is_dir():
            output("c++", "-std=c++17", "-fsyntax-only", *words["oribi"], "-x", "c++", "-",
                   input="#include <oribi/oribi.h>\n#include <absl/strings/cord.h>\n#include <absl/time/time.h>\n"
                         "#include <absl/random/random.h>\n#include <absl/flags/flag.h>\n")
    print("\n".join(failed) or "includes: all good")
    sys.exit(bool(failed))


main()
