# SPDX-License-Identifier: Apache-2.0
"""The example accelerators as their manifests describe them: what to compile, and where headers are."""
import json
import pathlib
import subprocess

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


def in_turn(oribi, model, plugin, devices):
    """--assign options by which two devices of one kind compute operators in turn, and hand over what they make: left
    to itself the compiler keeps together what would have to be copied. None for other devices."""
    names, kinds = zip(*((d.split("=")[0], d.split("=")[-1]) for d in devices))
    if len(devices) != 2 or kinds[0] != kinds[1] or "host" in names:
        return []
    done = subprocess.run([oribi, "inspect", model, "--plugin", plugin, "--target-device", kinds[0], "--json"],
                          capture_output=True, text=True, check=True)
    taken = [n["node"] for n in json.loads(done.stdout)["nodes"] if n["device"] != "cpu"]
    return [word for i, node in enumerate(taken) for word in ("--assign", f"{node}={names[i % 2]}")]
