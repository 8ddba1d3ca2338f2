#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeds of folder_fuzzer: the SavedModels and checkpoints that tests read, each as one file: folder_seeds.py FOLDER.
Of a model that is long its checkpoint alone."""
import pathlib
import struct
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path(sys.argv[1])
NAMES = ["saved_model.pb", "variables/variables.index", "variables/variables.data-00000-of-00001", "assets/words.txt"]
MOST = 48000


def write(name, files):
    """files: by their names, what is in them."""
    kept = {n: d for n, d in files.items() if len(d) < MOST}
    seed = b"".join(struct.pack("<BH", NAMES.index(n), len(kept[n])) + kept[n] for n in NAMES if n in kept)
    if 0 < len(seed) < 65536:
        (OUT / name).write_bytes(seed)


models = {}
with tarfile.open(ROOT / "tests/import/tensorflow/models.tar.xz") as archive:
    for member in archive:
        model, _, name = member.name.removeprefix("./").partition("/")
        if name in NAMES and member.isfile():
            models.setdefault(model, {})[name] = archive.extractfile(member).read()
for model, files in models.items():
    write(model, files)
    write(f"{model}_checkpoint", {n: d for n, d in files.items() if n.startswith("variables")})
for index in (ROOT / "tests/binding/checkpoint").glob("*.index"):
    data = index.with_name(f"{index.stem}.data-00000-of-00001")
    write(index.stem, {NAMES[1]: index.read_bytes(), NAMES[2]: data.read_bytes()})
