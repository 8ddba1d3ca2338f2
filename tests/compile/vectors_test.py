#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every vector of tests/vectors: the host session and the emitted C against the reference interpreters,
to the bit (floats within the tolerance that a vector states).

    vectors_test.py VECTORS_RUN SOURCE_FOLDER [--only PREFIX,...] [--core NAME] [--session] [--memory] [--asan] [--plant]

--core is that of `oribi compile`; --session leaves the C out and takes those of tests/vectors/host, of operators without C, as well;
--memory, for a VECTORS_RUN with sanitizers, takes each case in its first variant and every third in all: what the others round
otherwise, the build without sees; --asan builds it with AddressSanitizer and UBSan,
by clang where it is, which takes half of gcc's time; --plant spoils the rounding
of the emitted C and fails when the vectors of an operator do not notice. Of those whose C differs in its numbers alone one in
four is built and run (support/sample.py), and with --plant all; the session, which has the same kernels, has all."""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import sample  # noqa: E402

BATCH = 64  # as in vectors_run.c: job i is model m(i % BATCH) of its batch
ONE_IN = 4
FLAGS = ["-std=c99", "-w", "-Werror=implicit-function-declaration", "-ffp-contract=off"]
SANITIZING = next((c for c in ("clang-14", "clang") if shutil.which(c)), "cc")
SANITIZERS = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
MAIN = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "batch.h"
/* One line for each case that differs. */
static float as_float(const unsigned char *bytes)
{
    float value;
    memcpy(&value, bytes, 4);
    return value;
}
static unsigned take(void)
{
    unsigned value = 0;
    if (fread(&value, 1, 4, stdin) != 4) {
        exit(9);
    }
    return value;
}
static void *piece(unsigned *bytes)
{
    *bytes = take();
    void *data = malloc(*bytes + 1);
    if (fread(data, 1, *bytes, stdin) != *bytes) {
        exit(9);
    }
    return data;
}
static int equal(const unsigned char *got, const unsigned char *want, unsigned n, float atol, float rtol)
{
    if (memcmp(got, want, n) == 0) {
        return 1;
    }
    for (unsigned i = 0; (atol > 0 || rtol > 0) && i + 4 <= n; i += 4) {
        const float a = as_float(got + i), b = as_float(want + i);
        if (!(fabsf(a - b) <= atol + rtol * fabsf(b)) && memcmp(got + i, want + i, 4) != 0) {
            return 0;
        }
    }
    return atol > 0 || rtol > 0;
}
int main(void)
{
    for (unsigned k = 0; k < N_MODELS; k++) {
        void *inputs[64], *outputs[64], *wanted[64];
        unsigned sizes[64], i, n, n_inputs, bits[2], steps;
        float tolerance[2];
        bits[0] = take();
        bits[1] = take();
        memcpy(tolerance, bits, 8);
        steps = take();
        n_inputs = take();
        for (i = 0; i < n_inputs; i++) {
            inputs[i] = piece(&n);
        }
        n = take();
        for (i = 0; i < n; i++) {
            wanted[i] = piece(&sizes[i]);
            outputs[i] = malloc(sizes[i] + 1);
            memset(outputs[i], 0x5A, sizes[i]);
        }
        unsigned char *block = malloc(models[k].workspace + 64); /* guarded at its end by the sanitizer */
        unsigned char *pool = block + 64 - (uintptr_t)block % 64;
        memset(block, 0xA5, models[k].workspace + 64);
        void *state = malloc(models[k].state + 1);
        memset(state, 0x5A, models[k].state);
        int code = 0;
        for (unsigned step = 0; step < steps && code == 0; step++) {
            code = models[k].run(inputs + step * (n_inputs / steps), outputs + step * (n / steps), pool,
                                 state, step == 0);
        }
        for (i = 0; i < n; i++) {
            if (code != 0 || !equal(outputs[i], wanted[i], sizes[i], tolerance[0], tolerance[1])) {
                printf("emitted %u differs: output %u, code %d\\n", models[k].index, i, code);
            }
            free(outputs[i]);
            free(wanted[i]);
        }
        for (i = 0; i < n_inputs; i++) {
            free(inputs[i]);
        }
        free(state);
        free(block);
    }
    return 0;
}
"""


def pieces(items):
    return struct.pack("<I", len(items)) + b"".join(struct.pack("<I", len(i)) + i for i in items)


def head_of(case):
    return struct.pack("<ffI", case.atol, case.rtol, case.steps)


def glue(header, name):
    """A function that gives arrays of pointers to the model's structs."""
    def members(struct_name):
        found = re.search(rf"struct tvmgen_{name}_{struct_name} {{(.*?)}};", header, re.S)
        body = found.group(1) if found else ""
        return re.findall(r"^\s*(const )?(\w+) \*(\w+);", body, re.M)

    macro = name.upper()
    state = f"struct tvmgen_{name}_state"
    has_state = state + " {" in header
    lines = [f"static int run_{name}(void **x, void **y, unsigned char *pool, void *state, int is_first)", "{",
             f"    struct tvmgen_{name}_workspace_pools pools = {{pool}};",
             f"    struct tvmgen_{name}_inputs in;", f"    struct tvmgen_{name}_outputs out;"]
    lines += [f"    in.{m} = ({c or ''}{t} *)x[{i}];" for i, (c, t, m) in enumerate(members("inputs"))]
    lines += [f"    out.{m} = ({t} *)y[{i}];" for i, (_, t, m) in enumerate(members("outputs"))]
    if has_state:
        lines += ["    if (is_first) {", f"        tvmgen_{name}_reset(state);", "    }"]
    lines += ["    (void)state, (void)is_first, (void)x;",
              f"    return tvmgen_{name}_run(&in, &out, &pools{', state' if has_state else ''});", "}"]
    size = f"sizeof({state})" if has_state else "0"
    return "\n".join(lines), f"TVMGEN_{macro}_WORKSPACE_SIZE, {size}, run_{name}"


def unity(folder, indices):
    """One source for a batch: every model's file, its static names made its own."""
    out, table = [], []
    for index in indices:
        name = f"m{index % BATCH}"
        for part in (f"tvmgen_{name}_weights.c", f"tvmgen_{name}.c"):
            text = (folder / part).read_text()
            names = sorted(set(re.findall(r"^static [^;={(]*?\b(\w+)\s*[\[(=]", text, re.M)) |
                           set(re.findall(r"^static const struct \w+ (\w+) = ", text, re.M)))
            names = [n for n in names if not n.startswith("tvmgen_")]
            out += [f"#define {n} {name}_{n}" for n in names] + [f'#include "{part}"']
            out += [f"#undef {n}" for n in names]
        function, row = glue((folder / f"tvmgen_{name}.h").read_text(), name)
        out.append(function)
        table.append(f"{{{index}, {row}}},")
    out.append("static const struct { unsigned index; unsigned long workspace, state;\n"
               "    int (*run)(void **, void **, unsigned char *, void *, int); } models[] = {")
    return "\n".join(out + table + ["};", f"#define N_MODELS {len(indices)}u", ""])


PLANTS = {"fixed_point.h": ("(remainder > threshold ? 1 : 0)", "0 * threshold * remainder"),
          "qlinear.h": ("return (int32_t)tvmgen_", "return (int32_t)bounded; /* tvmgen_")}


def plant(folder):
    """A shift that no longer rounds, and a float that is cut."""
    for name, (good, spoilt) in PLANTS.items():
        path = folder / "micro" / name
        lines = path.read_text().split("\n") if path.exists() else []
        planted = [line.replace(good, spoilt) + (" */" if good in line and "/*" in spoilt else "") for line in lines]
        if planted == lines and lines:
            sys.exit(f"vectors_test.py: micro/{name} has changed; plant the fault elsewhere")
        if lines:
            path.write_text("\n".join(planted))


def key_of(file):
    """Operator and type as the lines of findings have them: add_i8 and onnx_qdq_conv."""
    name = file.name.removesuffix(".bin.xz").upper()
    return (name[5:], "ONNX") if name.startswith("ONNX_") else tuple(name.rsplit("_", 1))


def essence(folder, index):
    """The C of a model but for its comments and its name: what two variants may have in common."""
    parts = [(folder / f"tvmgen_m{index % BATCH}{end}").read_text() for end in (".h", ".c", "_weights.c")]
    return re.sub(r"(?i)(tvmgen_)m\d+", r"\1m", re.sub(r"/\*.*?\*/", "", "".join(parts), flags=re.S))


def form(text):
    """What is left of an essence without its numbers, and how many stand in a row."""
    return hash(re.sub(r"(?:-?\b\d[\w.+]*[,\s{}]*)+", "0", text))


class Objects:
    """Files of micro/, compiled once: batch after batch has the same texts."""

    def __init__(self):
        self.folder, self.lock, self.made = tempfile.TemporaryDirectory(), threading.Lock(), {}

    @staticmethod
    def text(file):
        """Of a file and of those beside it that it includes; one that is missing is an error."""
        texts, todo = {}, [file]
        while todo:
            path = todo.pop().resolve()
            if path not in texts:
                texts[path] = path.read_text()
                todo += [path.parent / name for name in re.findall(r'^ *# *include "(?:micro/)?([^"]+)"', texts[path], re.M)]
        return "".join(f"{path.name}\n{text}" for path, text in sorted(texts.items()))

    def of(self, file, command):
        key = hashlib.sha256("\0".join([file.name, *command, self.text(file)]).encode()).hexdigest()
        with self.lock:
            lock = self.made.setdefault(key, threading.Lock())
        path = pathlib.Path(self.folder.name, key + ".o")
        with lock:
            if not path.exists():
                subprocess.run([*command, "-c", file, "-o", path], check=True, capture_output=True, text=True)
        return path


OBJECTS = Objects()


def build_and_run(folder, indices, cases, asan):
    """The lines of findings of one batch."""
    (folder / "batch.h").write_text(unity(folder, indices))
    (folder / "main.c").write_text(MAIN)
    program = folder / "program"
    command = [os.environ.get("CC", SANITIZING if asan else "cc"), *FLAGS, *(SANITIZERS if asan else ["-O1"])]
    try:
        objects = [OBJECTS.of(file, command) for file in sorted((folder / "micro").glob("*.c"))]
    except FileNotFoundError as error:
        return [f"{folder.name} lacks {error.filename}"]
    except subprocess.CalledProcessError as error:
        return [f"{folder.name} does not build: {error.stderr[:2000]}"]
    alone = {name: value for name, value in os.environ.items() if name != "ORIBI_OBJECTS"}  # no other batch has this text
    done = subprocess.run([*command, f"-I{folder}", folder / "main.c", *objects, "-o", program, "-lm"],
                          capture_output=True, text=True, env=alone)
    if done.returncode != 0:
        return [f"{folder.name} does not build: {done.stderr[:2000]}"]
    data = b"".join(head_of(c) + pieces(c.inputs) + pieces(outputs)
                    for c, outputs in (cases[i] for i in indices))
    done = subprocess.run([program], input=data, capture_output=True)
    lines = done.stdout.decode().splitlines()
    if done.returncode != 0:
        lines.append(f"{folder.name} exits with {done.returncode}: {done.stderr.decode()[:2000]}")
    return lines


def run(args, folder, cases, variant, *more):
    """What vectors_run says, and its batches with their indices."""
    folder.mkdir()
    jobs = struct.pack("<I", len(cases)) + b"".join(
        head_of(c) + struct.pack("<I", len(c.model)) + c.model + pieces(c.inputs) + pieces(outputs)
        for c, outputs in cases)
    (folder / "jobs").write_bytes(jobs)
    done = subprocess.run([args.program, folder / "jobs", folder, variant, *more], capture_output=True, text=True)
    lines, batches = [], []
    if done.returncode != 0:
        lines.append(f"vectors_run exits with {done.returncode}: {done.stderr[:2000]}")
    for line in done.stdout.splitlines():
        if line.startswith("batch ") and "fails" not in line:
            number, *indices = [int(w) for w in line.split()[1:]]
            batches.append((folder / f"b{number}", indices))
        else:
            lines.append(line)
    return lines, batches


def choose(cases, names, batches, seen, takes_all):
    """Indices of those to build: C and outputs that no earlier variant has tested, of each form a share."""
    new = []
    for batch, indices in batches:
        for i in indices:
            case, outputs = cases[i]
            text = essence(batch, i)
            key = (text, tuple(case.inputs), tuple(outputs))
            new += [] if key in seen else [(i, names[i].split(" case ")[0], form(text))]
            seen.add(key)
    return [i for i, *_ in sample.share(new, 1 if takes_all else ONE_IN, lambda row: row[1:])]


def check(args, files, variant, container, seen):
    """Findings of one variant, and how many cases there are. seen: the C and the outputs that an
    earlier variant has tested, which need no second build."""
    cases, names = [], []
    for path in files:
        head, found = container.unpack(path)
        for i, case in enumerate(found):
            is_first = next(v for v in container.ALL if v in case.outputs) == variant
            if variant in case.outputs and (is_first or i % 3 == 0 or not args.memory):
                cases.append((case, case.outputs[variant]))
                names.append(f"{head['operator']} {head['type']} case {case.name} ({variant})")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines, batches = run(args, folder / "all", cases, variant)
        if not args.session:
            tested = sum(len(indices) for _, indices in batches)
            failed = sum(line.startswith("compile ") for line in lines)
            if tested + failed != len(cases) and not any(" fails" in line for line in lines):
                lines.append(f"{len(cases)} cases, but only {tested} of them were compiled")
            chosen = choose(cases, names, batches, seen, args.plant)
            taken = [cases[i] for i in chosen]
            found, batches = run(args, folder / "taken", taken, variant, "emit")  # full batches: few programs
            for planted, _ in batches if args.plant else []:
                plant(planted)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                found += sum(pool.map(lambda b: build_and_run(*b, taken, args.asan), batches), [])
            lines += [re.sub(r"^(compile|emitted) (\d+)", lambda m: f"{m[1]} {chosen[int(m[2])]}", line) for line in found]
            if sum(len(indices) for _, indices in batches) != len(chosen):
                lines.append(f"{len(chosen)} cases were chosen, not all of them compiled again")
        else:
            lines = [line for line in lines if not line.startswith("compile ")]
    spell = re.compile(r"^(session|compile|emitted) (\d+)")
    return [spell.sub(lambda m: f"{m[1]} {names[int(m[2])]}", line) for line in lines], len(cases)


def report(lines):
    """The first finding of each operator, stage and kind, with their number."""
    kinds = {}
    for line in lines:
        kinds.setdefault(re.sub(r" case \d+.*?(differs|fails).*", r" \1", line), []).append(line)
    for found in kinds.values():
        print(f"  {len(found)} times: {found[0][:400]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--core")
    parser.add_argument("--session", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--asan", action="store_true")
    parser.add_argument("--plant", action="store_true")
    args = parser.parse_args()
    if args.core:
        os.environ["ORIBI_VECTORS_CORE"] = args.core
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(args.source / "tests/peer/tflite"))
    import container
    files = sorted({f for only in args.only.split(",")
                    for folder in (["", "host"] if args.session else [""])
                    for f in (args.source / "tests/vectors" / folder).glob(f"{only}*.bin.xz")})
    findings, total, noticed, seen = 0, 0, set(), set()
    for variant in container.ALL:
        lines, count = check(args, files, variant, container, seen)
        findings += len(lines)
        noticed |= {tuple(line.split()[1:3]) for line in lines if line.startswith("emitted ")}
        total += count
        print(f"{variant}: {count} vectors of {len(files)} files, {len(lines)} findings", flush=True)
        report(lines)
        if count == 0 and (variant in container.VARIANTS or total == 0):
            print("  no vectors: nothing was tested")
            findings += 1
    if args.plant:
        blind = [f.name for f in files
                 if key_of(f) not in {(o, t.upper()) for o, t in noticed}]
        print(f"the planted fault goes unnoticed by: {', '.join(blind) or 'none'}")
        return int(bool(blind))
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
