#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How does a wheel come about? An installed tree (`cmake --install`) and the package's files in a zip, by the standard library alone.

    oribi_wheel.py pack TREE OUT PLATFORM      a wheel py3-none-PLATFORM of an installed tree
    oribi_wheel.py make OUT [ARCHITECTURE...]  builds with `zig cc` (PyPI: ziglang) against glibc 2.17 and packs; x86_64, aarch64

It is also the build backend of pyproject.toml: `pip install python/` builds for this machine with CMake and its C compiler. The
same inputs give the same bytes: members are sorted and carry the date of SOURCE_DATE_EPOCH, or 1980.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent
GLIBC = "2.17"  # manylinux2014 and everything later
VERSION = re.search(r"^project\(oribi VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.M).group(1) \
    if (SOURCE / "CMakeLists.txt").exists() else "0"
METADATA = f"""Metadata-Version: 2.1
Name: oribi
Version: {VERSION}
Summary: Run ONNX, TFLite and TensorFlow models, compile them to C99, extend them by plugins in C
License: Apache-2.0
Requires-Python: >=3.8
Provides-Extra: numpy
Requires-Dist: numpy; extra == "numpy"
Description-Content-Type: text/markdown

"""
ENTRY_POINTS = "[console_scripts]\noribi = oribi._command:main\n"
# Of an installed tree; what else is there is for C's build tools and for manual pages.
NATIVE = ("bin/oribi", "lib/liboribi.so.1", "lib/oribi/", "libexec/oribi/", "include/", "share/oribi/examples/")


# --- A wheel of a tree ----------------------------------------------------------------------------
def native_files(tree):
    """(name below native/, path) of what goes in; links are followed, once for each file of the library."""
    for path in sorted(p for p in tree.rglob("*") if p.is_file()):
        name = path.relative_to(tree).as_posix()
        is_alias = path.is_symlink() and name.startswith("lib/oribi/") # the library under another's name: for linkers
        if name.startswith(NATIVE) and not (is_alias or path.suffix in (".a", ".cmake") or "pkgconfig" in path.parts):
            yield name, path


def members(tree, tag):
    for path in sorted((HERE / "oribi").rglob("*")):
        if path.is_file() and path.suffix in (".py", ".pyi", ".typed"):
            yield f"oribi/{path.relative_to(HERE / 'oribi').as_posix()}", path.read_bytes(), False
    for name, path in native_files(tree):
        yield f"oribi/native/{name}", path.read_bytes(), os.access(path, os.X_OK)
    info = f"oribi-{VERSION}.dist-info"
    guide = SOURCE / "docs/guide/python.md"
    yield f"{info}/METADATA", (METADATA + (guide.read_text() if guide.exists() else "")).encode(), False
    tags = "".join(f"Tag: {tag.rpartition('-')[0]}-{one}\n" for one in tag.rpartition("-")[2].split("."))
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: oribi_wheel\nRoot-Is-Purelib: false\n{tags}".encode(), False
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), False
    yield f"{info}/LICENSE", (SOURCE / "LICENSE").read_bytes(), False


def pack(tree, out, platform):
    """Writes the wheel; its path."""
    tag = f"py3-none-{platform}"
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"oribi-{VERSION}-{tag}.whl"
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    record = f"oribi-{VERSION}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, is_program in [*members(tree, tag), (record, None, False)]:
            if data is None:
                data = "".join([*lines, f"{record},,\n"]).encode()
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
    return wheel


# --- Building -------------------------------------------------------------------------------------
# A wheel asks for no library but C's.
OWN = ("-DORIBI_COMMAND_CODECS=OFF", "-DORIBI_COMMAND_SERVE=OFF")


def call(*words):
    """Says what a program said only when it failed."""
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout[-8000:]}\n{' '.join(map(str, words))}: exit {done.returncode}")


def configure_and_install(build, image, *options):
    call("cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DORIBI_BUILD_TESTS=OFF",
         "-DORIBI_BUILD_BENCH=OFF", "-DORIBI_BUILD_EXAMPLES=OFF", "-DORIBI_BUILD_DEVICES=OFF", "-DORIBI_BUILD_ADAPTERS=OFF",
         "-DCMAKE_INSTALL_PREFIX=/usr", "-DCMAKE_INSTALL_LIBDIR=lib", *options)
    call("cmake", "--build", build, f"-j{os.environ.get('JOBS') or os.cpu_count()}")
    shutil.rmtree(image, ignore_errors=True)
    call("cmake", "--install", build, "--prefix", image, "--strip")


def zig(folder, architecture):
    """Programs `cc`, `ar`, `ranlib` of zig for the architecture: CMake wants a path for each."""
    target = f"{architecture}-linux-gnu.{GLIBC}"
    tools = {}
    for tool, words in (("cc", f"cc -target {target}"), ("ar", "ar"), ("ranlib", "ranlib"), ("strip", None)):
        path = folder / tool
        # zig has no strip; the linker was told -s.
        path.write_text(f'#!/bin/sh\nexec {sys.executable} -m ziglang {words} "$@"{" -Wno-error" if tool == "cc" else ""}\n' if words else "#!/bin/sh\nexit 0\n")
        path.chmod(0o755)
        tools[tool] = path
    return tools


def make(out, architectures):
    """One wheel for each architecture, for glibc 2.17 and later."""
    wheels = []
    for architecture in architectures:
        work = SOURCE / "build/wheel" / architecture
        (work / "tools").mkdir(parents=True, exist_ok=True)
        tools = zig(work / "tools", architecture)
        configure_and_install(
            work / "build", work / "image", "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={architecture}",
            f"-DCMAKE_C_COMPILER={tools['cc']}", f"-DCMAKE_AR={tools['ar']}", f"-DCMAKE_RANLIB={tools['ranlib']}",
            f"-DCMAKE_STRIP={tools['strip']}", "-DCMAKE_SHARED_LINKER_FLAGS=-s", "-DCMAKE_EXE_LINKER_FLAGS=-s", *OWN)
        wheels.append(pack(work / "image", out, f"manylinux2014_{architecture}.manylinux_2_17_{architecture}"))
        print(f"{wheels[-1]}: {wheels[-1].stat().st_size:,} bytes", flush=True)
    return wheels


# --- The backend of pyproject.toml ------------------------------------------------------------------
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        configure_and_install(work / "build", work / "image", *OWN)
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        return pack(work / "image", pathlib.Path(wheel_directory), platform).name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the source is the project's tree: `make wheel` there")


def main():
    words = sys.argv[1:]
    if len(words) == 4 and words[0] == "pack":
        print(pack(pathlib.Path(words[1]), pathlib.Path(words[2]), words[3]))
    elif len(words) >= 2 and words[0] == "make":
        make(pathlib.Path(words[1]).resolve(), words[2:] or ["x86_64", "aarch64"])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
