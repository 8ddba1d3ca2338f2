#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins of each contract version, source and headers as they were, in an archive: never edited (a
hash says so), built with their own headers, tested by today's library.

    check.py ORIBI
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ORIBI = sys.argv[1]
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
HASHES = {"1.0": "6414fca79f4d15479c52a8e5e20b006e40a11d1a3c0efb99f58cad5d4011e5e0",
          "1.1": "b1b7d2ac3c2a27165a65434f71e3615cf0eb6d3e84904d71adc87bf169ae8c63",
          "1.2": "11eee55657ac5e47ec8efed5f33fd0b4150c29c0d688d42c9a5f810359679a5f",
          "1.3": "094015eddf9170e34ce11e9d7a16d0b6bf084427389ec2d22ad5f91a8b54bf00"}
APPLICATIONS = {  # functions of oribi.h and desk.h
    "1.2": "52b48f0b2ef3f479fc82224b7031460efc67837c44ed9e8dc602e388c6904d83",
    "1.3": "c3de0fc704b2d2005c12c330f8d5851f46ee52a1bcd4d1beffcf859b218b7d40"}
MAIN = """#include <stdio.h>
#include "tvmgen_net.h"
static int8_t in[TVMGEN_NET_{input}_COUNT], out[TVMGEN_NET_{output}_COUNT];
static uint8_t memory[TVMGEN_NET_WORKSPACE_SIZE + 16] __attribute__((aligned(TVMGEN_NET_WORKSPACE_ALIGNMENT)));
int main(void)
{{
    struct tvm_device_error error = {{0, 0, 0, 0, 0, NULL, NULL, NULL}};
    const struct tvmgen_net_inputs inputs = {{in}};
    const struct tvmgen_net_outputs outputs = {{out}};
    struct tvmgen_net_workspace_pools pools = {{memory}};
    const struct tvmgen_net_devices devices = {{&error}};
    return fread(in, 1, sizeof in, stdin) != sizeof in ||
           tvmgen_net_run(&inputs, &outputs, &pools, &devices) != 0 || fwrite(out, 1, sizeof out, stdout) != sizeof out;
}}
"""


def digest(folder):
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        total.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def call(*words, **options):
    return subprocess.run([str(w) for w in words], check=True, **options)


def build(folder, work, name):
    plugin = work / f"{name}.so"
    call("cc", "-shared", "-fPIC", "-I", folder / "include", folder / f"{name}.c", "-o", plugin, "-lm")
    return plugin


def declared(include, headers, version):
    """Functions that headers declare to who is built for that version of the contract."""
    number = "{}{:02}".format(*map(int, version.split(".")))
    text = "".join(f'#include "{h}"\n' for h in headers)
    done = call("cc", "-E", "-P", f"-DORIBI_TARGET_CONTRACT={number}", "-I", include, "-x", "c", "-", input=text.encode(),
                capture_output=True)
    return set(re.findall(r"\b((?:TF|SE|TP|TSL|oribi)_\w+)\s*\(", done.stdout.decode()))


def for_plugins(include, version):
    paths = sorted([*include.glob("tensorflow/c/**/*.h"), include / "oribi/target.h"])
    return declared(include, [p.relative_to(include) for p in paths], version)


def for_applications(include, version):
    return {name for name in declared(include, ["oribi/oribi.h", "oribi/desk.h"], version) if name.startswith("oribi_")}


def check_headers(frozen, today, version):
    """What a version has is settled with it: later functions stand behind ORIBI_HAS_CONTRACT of a later one."""
    listed = (HERE / f"applications_{version}.txt").read_bytes()
    if hashlib.sha256(listed).hexdigest() != APPLICATIONS[version]:
        sys.exit(f"tests/frozen/applications_{version}.txt was edited; put it back: it is what contract {version} has")
    for whose, before, now in (("plugins", for_plugins(frozen, version), for_plugins(today, version)),
                               ("applications", set(listed.decode().split()), for_applications(today, version))):
        if whose == "plugins" and len(before) < 300:
            sys.exit(f"{frozen}: only {len(before)} functions were found in its headers")
        if before != now:
            sys.exit(f"contract {version} has other functions for {whose} today: new {sorted(now - before)}, gone "
                     f"{sorted(before - now)}; guard new ones by ORIBI_HAS_CONTRACT of a later version, never take one away")


def check_device(folder, work):
    """x [2, 3] to 2 x + x x^T x on the plugin's device, and not without it."""
    plugin = build(folder, work, "device")
    call(ORIBI, "plugin", "check", plugin)
    words = [ORIBI, "run", folder / "fused.onnx", "-p", plugin, "-i", "x=2x3xf32=1,2,3,4,5,6", "--json"]
    done = call(*words, "--device", "FROZEN", "--strict-placement", "--trace", work / "t.json", capture_output=True)
    found = json.loads(done.stdout)["values"]
    if found != [144, 192, 240, 348, 459, 570]:
        sys.exit(f"{folder}: the device gives {found}")
    if b"FROZEN:0 kernels" not in (work / "t.json").read_bytes():
        sys.exit(f"{folder}: no lane of the device in a trace")
    if subprocess.run([str(w) for w in words], capture_output=True).returncode == 0:
        sys.exit(f"{folder}: the op runs without its device")


def check_target(folder, work):
    """The C that a target writes gives what the host gives."""
    plugin = build(folder, work, "target")
    call(ORIBI, "compile", DIGITS, "-o", work / "c", "--name", "net", "-p", plugin, "--target-device", "dense_c",
         stdout=subprocess.DEVNULL)
    ports = re.findall(r"#define TVMGEN_NET_(\w+)_COUNT", (work / "c/tvmgen_net.h").read_text())
    (work / "c/main.c").write_text(MAIN.format(input=ports[0], output=ports[-1]))
    if "vendor_dense_s8(" not in (work / "c/tvmgen_net.c").read_text():
        sys.exit(f"{folder}: the target took nothing")
    call("cc", "-std=c99", "-I", work / "c", "-I", SOURCE / "include", "-I", folder, *(work / "c").rglob("*.c"),
         folder / "vendor.c", "-o", work / "program")
    data = bytes((i * 29 + 3) % 251 for i in range(64))
    (work / "in.bin").write_bytes(data)
    call(ORIBI, "run", DIGITS, "--kernels", "micro", "-i", f"0=@{work}/in.bin", "-o", work / "out.npy",
         stdout=subprocess.DEVNULL)
    found = call(work / "program", input=data, capture_output=True).stdout
    if not found or not (work / "out.npy").read_bytes().endswith(found):
        sys.exit(f"{folder}: compiled code gives {found.hex()}")


def check_version(folder, expected, work):
    """A version, unpacked, against today's command; `work` is an empty folder."""
    if digest(folder) != expected:
        sys.exit(f"tests/frozen/{folder.name}.tar.xz was edited ({digest(folder)}); put it back: it is what plugins "
                 "out there were built from")
    for name in ("plugin", "micro", "state"):  # the last two: one kernel for the host and for emitted C
        if (folder / f"{name}.c").exists():
            call(ORIBI, "plugin", "test", build(folder, work, name), "--seed", "1")
    if (folder / "device.c").exists():
        check_device(folder, work)
    if (folder / "target.c").exists():
        check_target(folder, work)


def main():
    archives = {p.name.removesuffix(".tar.xz"): p for p in HERE.glob("*.tar.xz")}
    if archives.keys() != HASHES.keys():
        sys.exit(f"tests/frozen: {archives.keys() ^ HASHES.keys()} without a hash or an archive")
    with tempfile.TemporaryDirectory() as name:
        frozen = pathlib.Path(name)
        for version, expected in HASHES.items():
            with tarfile.open(archives[version]) as archive:
                archive.extractall(frozen)
            work = frozen / f"work_{version}"
            work.mkdir()
            check_version(frozen / version, expected, work)
        for version in APPLICATIONS:
            check_headers(frozen / version / "include", SOURCE / "include", version)


main()
