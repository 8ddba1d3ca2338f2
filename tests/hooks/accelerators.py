# SPDX-License-Identifier: Apache-2.0
"""The example accelerators as their manifests describe them: what to compile, and where headers are."""
import json
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDER = SOURCE / "examples/accelerators"
KINDS = ["woofles", "uart_accel"]
INCLUDE = [word for folder in (SOURCE / "include", *(FOLDER / kind / "include" for kind in KINDS))
           for word in ("-I", folder)]
OPS = FOLDER / "woofles/common/woofles_ops.c"
DRIVERS = [word for kind in KINDS for word in ("--driver", FOLDER / kind)]


def manifest(kind):
    return json.loads((FOLDER / kind / "driver.json").read_text())["kinds"][kind]


def sources(kind, platform):
    """What firmware of the platform builds for the driver."""
    kind_of = manifest(kind)
    return [FOLDER / kind / name for name in kind_of["sources"] + kind_of["platforms"][platform]["sources"]]


def header(kind, platform):
    return f'-DTVM_DEVICE_{kind.upper()}_HEADER="tvm/device/{kind}/{platform}.h"'
