#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An image for containers of a build folder: the command, what it opens, and the libraries that it needs, nothing else.

    image.py BUILD OUT.tar        podman load -i OUT.tar, docker load -i OUT.tar

The file is an image layout of the Open Container Initiative with the manifest of `docker load` beside it. No engine is asked and nothing is
fetched: libraries are those of this machine, as the loader finds them. It runs as nobody, and its models are mounted. The same build
gives the same bytes.
"""
import ctypes
import gzip
import hashlib
import io
import json
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile

BUILD, OUT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
KEPT = re.compile(r"usr/(bin/oribi|libexec/oribi/.*|lib/(.*/)?(liboribi\.so\.1.*|oribi/(oribi_cpu_extra|oribi_kernel_texts)\.so))")
WORDS = {"amd64": "x86_64", "arm64": "aarch64"}


def installed(work):
    """{place: file} of what the command is, from an installation."""
    subprocess.run(["cmake", "--install", BUILD, "--prefix", work / "usr", "--strip"], check=True, stdout=subprocess.DEVNULL)
    return {p.relative_to(work).as_posix(): p for p in work.rglob("*") if not p.is_dir() and KEPT.fullmatch(p.relative_to(work).as_posix())}


def opened(command):
    """{place: file} of what the command opens when it serves, as this machine's loader finds it."""
    found = {}
    for name in set(re.findall(rb"libmicrohttpd\.so\.\d+", command.read_bytes())):
        name = name.decode()
        ctypes.CDLL(name)
        mapped = re.findall(rf"(/\S*/){re.escape(name)}(\S*)$", pathlib.Path("/proc/self/maps").read_text(), re.M)
        folder, rest = mapped[0]
        found[f"{folder}{name}".lstrip("/")] = pathlib.Path(f"{folder}{name}{rest}")
    return found


def needed(files):
    """{place: file} of libraries, where the loader looks for them."""
    found = {}
    for path in files.values():
        said = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
        if "not found" in said:
            sys.exit(f"{path.name}: {said}")
        for place in re.findall(r"(?:=> )?(/\S+) \(0x", said):
            if "liboribi" not in place:
                found[place.lstrip("/")] = pathlib.Path(place).resolve()
    return found


def layer(files, links):
    """A tar of them, with owners, times and order of no machine."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        folders = {p.as_posix() for place in [*files, *links, "models/x"] for p in pathlib.PurePosixPath(place).parents if p.name}
        for place in sorted({*folders, *files, *links}):
            entry = tarfile.TarInfo(place)
            entry.mode = 0o755
            if place in folders:
                entry.type = tarfile.DIRTYPE
                tar.addfile(entry)
            elif place in links:
                entry.type, entry.linkname = tarfile.SYMTYPE, links[place]
                tar.addfile(entry)
            else:
                data = files[place].read_bytes()
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def image(tar):
    """{name: bytes} of the layout."""
    blobs = {}

    def blob(kind, data):
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = data
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data)}
    packed = blob("application/vnd.oci.image.layer.v1.tar+gzip", gzip.compress(tar, 9, mtime=0))
    architecture = {v: k for k, v in WORDS.items()}.get(platform.machine(), platform.machine())
    config = {"architecture": architecture, "os": "linux", "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(tar).hexdigest()}"]},
              "config": {"Entrypoint": ["/usr/bin/oribi"], "Cmd": ["serve", "/models", "--host", "0.0.0.0"], "User": "65534:65534",
                         "ExposedPorts": {"8000/tcp": {}}, "StopSignal": "SIGTERM", "Env": ["PATH=/usr/bin"]}}
    described = blob("application/vnd.oci.image.config.v1+json", json.dumps(config).encode())
    kind = "application/vnd.oci.image.manifest.v1+json"
    manifest = blob(kind, json.dumps({"schemaVersion": 2, "mediaType": kind, "config": described, "layers": [packed]}).encode())
    manifest["annotations"] = {"org.opencontainers.image.ref.name": "oribi"}
    place = {n: f"blobs/sha256/{d['digest'][7:]}" for n, d in (("config", described), ("layer", packed))}
    return {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}', "index.json": json.dumps({"schemaVersion": 2, "manifests": [manifest]}).encode(),
            "manifest.json": json.dumps([{"Config": place["config"], "RepoTags": ["oribi:latest"], "Layers": [place["layer"]]}]).encode(), **blobs}


def main():
    with tempfile.TemporaryDirectory() as work:
        files = installed(pathlib.Path(work))
        links = {place: path.readlink().as_posix() for place, path in files.items() if path.is_symlink()}
        files = {place: path for place, path in files.items() if place not in links}
        files.update(opened(files["usr/bin/oribi"]))
        files.update(needed(files))
        tar = layer(files, links)
    with tarfile.open(OUT, "w", format=tarfile.USTAR_FORMAT) as out:
        for name, data in sorted(image(tar).items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            out.addfile(entry, io.BytesIO(data))
    print(f"{OUT}: {OUT.stat().st_size:,} bytes, {len(tar):,} unpacked")


main()
