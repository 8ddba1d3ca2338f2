#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scale and zero point of every input and output of one vector in four of each operator and type (support/sample.py) and
of every model, as the library and the emitted headers have them, with and without devices, against the file itself,
which is read here without Oribi's importers.

    ports_test.py PORTS_RUN SOURCE_FOLDER TARGETS.so [--plant]

--plant gives Oribi models with one bit of a port's scale turned over, and fails where nobody notices."""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sample  # noqa: E402
from flat_reader import Table  # noqa: E402

DEVICES = ["every", "shared"]
# TensorType of a FlatBuffer, elem_type of ONNX: integers and their bounds
TFLITE = {9: (-128, 127), 3: (0, 255), 7: (-32768, 32767), 16: (0, 65535), 2: (-2**31, 2**31 - 1)}
ONNX = {3: (-128, 127), 2: (0, 255), 5: (-32768, 32767), 4: (0, 65535), 6: (-2**31, 2**31 - 1)}


def tflite_ports(data):
    """(kind, wanted, where the scale is in the file) of each port."""
    root = Table(data, struct.unpack_from("<I", data, 0)[0])
    graph = root.tables(2)[0]
    tensors, ports = graph.tables(0), []
    for kind, field in (("Input", 1), ("Output", 2)):
        for index in graph.vector(field, "i")[0]:
            quantisation = tensors[index].table(4)
            scales, at = quantisation.vector(2, "f") if quantisation else ([], None)
            zeros, _ = quantisation.vector(3, "q") if quantisation else ([], None)
            bounds = TFLITE.get(tensors[index].number(1, "b"))
            ports.append((kind, expected(bounds, scales, zeros), at))
    return ports


def expected(bounds, scales, zeros):
    """None: no quantisation; a count: of many scales; else scale and zero point."""
    zero = zeros[0] if zeros else 0
    if bounds is None or not scales or not bounds[0] <= zero <= bounds[1] or not 0 < scales[0] < float("inf"):
        return None
    return (scales[0], zero) if len(scales) == 1 else len(scales)


# --- ONNX ----------------------------------------------------------------------------------------

def fields(data):
    """(number, value, offset of the value) of a message of protobuf."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
        else:
            size = 4 if key & 7 == 5 else 8
            yield key >> 3, data[at:at + size]
            at += size


def all_of(message, number):
    return [value for field, value in fields(message) if field == number]


def first_of(message, number, absent=b""):
    return (all_of(message, number) + [absent])[0]


def onnx_numbers(tensor):
    kind, raw = first_of(tensor, 2, 0), first_of(tensor, 9)
    code = {1: "f", 2: "B", 3: "b", 4: "H", 5: "h", 6: "i"}.get(kind)
    if raw and code:
        return list(struct.unpack(f"<{len(raw) // struct.calcsize(code)}{code}", raw))
    packed = first_of(tensor, 4 if kind == 1 else 5)
    if kind == 1 and packed:
        return list(struct.unpack(f"<{len(packed) // 4}f", packed))
    return None


# operator: value, scale and zero point by position; -1 is the first output
SAYS = {"DequantizeLinear": [(0, 1, 2)], "QuantizeLinear": [(-1, 1, 2)],
        **dict.fromkeys(("QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul"), [(0, 1, 2), (3, 4, 5), (-1, 6, 7)]),
        **dict.fromkeys(("QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearSigmoid",
                         "QLinearSoftmax"), [(0, 1, 2), (-1, 3, 4)])}


def onnx_ports(data):
    """The same as far as an operator beside the port says it; an Ellipsis where none does."""
    graph = first_of(data, 7)
    constants = {first_of(t, 8): onnx_numbers(t) for t in all_of(graph, 5)}
    said = {}
    for node in all_of(graph, 1):
        inputs, outputs = all_of(node, 1), all_of(node, 2)
        for value, scale, zero in SAYS.get(first_of(node, 4).decode(), []):
            name = outputs[0] if value < 0 else inputs[value]
            scales = constants.get(inputs[scale])
            zeros = constants.get(inputs[zero]) if zero < len(inputs) and inputs[zero] else [0]
            if scales and zeros:
                said.setdefault(name, (scales, zeros))
    ports = []
    for kind, field in (("Input", 11), ("Output", 12)):
        for info in all_of(graph, field):
            name = first_of(info, 1)
            bounds = ONNX.get(first_of(first_of(first_of(info, 2), 1), 1, 0))
            if name not in constants:
                wanted = expected(bounds, *said[name]) if name in said else ... if bounds else None
                ports.append((kind, wanted, None))
    return ports


# --- What Oribi says -----------------------------------------------------------------------------

def parse(output):
    """For each case a list of (source, [(kind, says)])."""
    cases = []
    for line in output.splitlines():
        word, _, rest = line.partition(" ")
        if word == "case":
            cases.append([["library", []]])
        elif word == "model":
            kind, count, scale, zero = rest.split()
            says = None if int(count) <= 0 else (float(scale), int(zero)) if int(count) == 1 else int(count)
            cases[-1][0][1].append((kind, says))
        elif word == "compiled":
            target, code, _ = rest.split(" ", 2)
            cases[-1].append([f"the header ({target})", [] if code == "0" else None])
        elif word == "devices":
            cases[-1][-1].append(rest == "1")
        elif word != "code":
            ports = cases[-1][-1][1]
            if found := re.match(r"/\* (Input|Output) '", line):
                ports.append((found[1], None))
            elif not line.startswith(("#define ", "/* ", " * ")):
                pass # the text of a helper
            elif found := re.search(r"_SCALE (\S+?)[fF]?$", line):
                ports[-1] = (ports[-1][0], (float(found[1]), None))
            elif found := re.search(r"_ZERO_POINT \((\S+)\)$", line):
                ports[-1] = (ports[-1][0], (ports[-1][1][0], int(found[1])))
            elif found := re.search(r"have (\d+) scales, one for", line):
                ports[-1] = (ports[-1][0], int(found[1]))
    return cases


def single(says):
    return (struct.pack("<f", says[0]), says[1]) if isinstance(says, tuple) else says


def differs(wanted, got):
    """Ports of states are no ports of the header: only those that the file lists are compared."""
    if [k for k, _, _ in wanted] != [k for k, _ in got]:
        return "other ports: " + ", ".join(k for k, _ in got)
    for i, ((kind, want, _), (_, says)) in enumerate(zip(wanted, got)):
        if want is not ... and single(want) != single(says):
            return f"{kind} port {i} is {says}, the file has {want}"
    return None


def models_of(source, container):
    """(name, bytes) of each model, once, and of each file of vectors a share."""
    found = {}
    for path in sorted((source / "tests/vectors").glob("*.bin.xz")):
        for case in container.unpack(path)[1]:
            found.setdefault(case.model, (path.name, case.name))
    seen = {data: f"{path} case {case}" for data, (path, case) in sample.share(found.items(), 4, lambda item: item[1][0])}
    shared = source / "../shared/models"
    for path in sorted(shared.glob("mlperf-tiny/*.tflite")):
        seen.setdefault(path.read_bytes(), path.name)
    if not shared.exists():
        print("no ../shared: its models are left out")
    return [(name, data) for data, name in seen.items()]


def run(program, targets, datas):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "models"
        path.write_bytes(struct.pack("<I", len(datas)) + b"".join(struct.pack("<I", len(d)) + d for d in datas))
        done = subprocess.run([program, path, targets, *DEVICES], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        sys.exit(f"ports_run exits with {done.returncode}: {done.stderr[:2000]}")
    return done.stdout


def turn_bit(data, ports):
    """The model with the lowest bit of a port's scale turned over; None: no port has one."""
    at = next((place for _, want, place in ports if isinstance(want, tuple) and place), None)
    return None if at is None else data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def main():
    program, source, targets = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    planting = "--plant" in sys.argv
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(source / "tests/peer/tflite"))
    import container
    work = []
    for name, data in models_of(source, container):
        is_flat = data[4:8] == b"TFL3"
        ports = tflite_ports(data) if is_flat else onnx_ports(data)
        given = turn_bit(data, ports) if planting and is_flat else None if planting else data
        if given is not None:
            work.append((name, ports, given))
    findings, checked, on_devices = [], 0, 0
    refused = 0
    for (name, ports, _), case in zip(work, parse(run(program, targets, [given for _, _, given in work]))):
        found = []
        for what, got, *devices in case:
            on_devices += devices == [True]
            if got is not None and (what != "library" or got):
                checked += 1
                found += [f"{name}: {what}: {why}"] if (why := differs(ports, got)) else []
        if planting and all(not got for _, got, *_ in case):
            refused += 1 # its operator wants equal scales, and says so
            found.append(f"{name}: refused")
        findings.append(found)
    wrong = [line for found in findings for line in found]
    blind = [name for (name, _, _), found, in zip(work, findings) if not found]
    print(f"{len(work)} models, {checked} lists of ports, {on_devices} of them of C with devices, {len(wrong)} findings")
    if planting:
        print(f"models that lose a bit of a scale and nobody notices: {len(blind)}", *blind[:10], sep="\n  ")
        return int(len(blind) > 0 or refused > len(work) // 4 or not work)
    print(*wrong[:40], sep="\n")
    return int(len(wrong) > 0 or checked < 3 * len(work) // 2 or on_devices == 0)


if __name__ == "__main__":
    sys.exit(main())
