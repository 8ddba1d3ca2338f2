#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MISRA C:2012 by cppcheck's addon over all kernels that can be emitted and over emitted C: each finding is of a rule, or of a
file and a line, that docs/reference/firmware/misra.md has, and nothing stands there that no finding needs.

    misra_test.py ORIBI SOURCE_FOLDER TARGET_PLUGIN

The addon's script is run on cppcheck's dumps: `cppcheck --addon=misra` shows one finding of a line and drops the others.
"""
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE, TARGET = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
PAGE = SOURCE / "docs/reference/firmware/misra.md"
DIGITS = SOURCE / "examples/digits"
MODELS = SOURCE.parent / "shared/models"
ADDON = next((f for d in ("/usr/lib", "/usr/share") for f in sorted(pathlib.Path(d).glob("**/cppcheck/addons/misra.py"))), None)
# What a compiler for these cores says of itself, since no system header is read.
DEFINED = ["__GNUC__=12", "INT_MAX=2147483647", "CHAR_BIT=8", "FLT_RADIX=2", "FLT_MANT_DIG=24", "DBL_MANT_DIG=53",
           "FLT_MAX_EXP=128", "DBL_MAX_EXP=1024", "FLT_EVAL_METHOD=0", "__BYTE_ORDER__=1234", "__ORDER_LITTLE_ENDIAN__=1234",
           "UINT32_C(x)=x##U", "UINT64_C(x)=x##ULL", "INT64_C(x)=x##LL", "INT64_MIN=(-9223372036854775807LL-1)"]
CORES = {"plain": [], "dsp": ["__ARM_FEATURE_DSP=1", "__ARM_FEATURE_UNALIGNED=1", "__ARM_FEATURE_SAT=1", "__OPTIMIZE__=1"],
         "v6m": ["__ARM_ARCH_6M__=1", "__thumb__=1", "__OPTIMIZE__=1"],
         "rvv": ["__riscv_v=1000000", "__riscv_xlen=32", "__OPTIMIZE__=1"],
         "mve": ["__ARM_FEATURE_MVE=3", "__ARM_FEATURE_DSP=1", "__ARM_FEATURE_UNALIGNED=1", "__OPTIMIZE__=1"]}
CPPCHECK = ["cppcheck", "--dump", "-q", "--std=c99", "--platform=arm32-wchar_t4", "-UTVMGEN_CONFIG_HEADER", "-U__FAST_MATH__"]


def tables():
    """Rules that are not applied; deviations as (rule, glob of files, text or None, line of the page)."""
    rules, deviations = {}, []
    for n, line in enumerate(PAGE.read_text().splitlines(), 1):
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and re.fullmatch(r"\d+\.\d+", cells[0]):
            if len(cells) == 2:
                rules[cells[0]] = n
            else:
                for place in re.findall(r"`([^`]+)`", cells[1]):
                    deviations += [(cells[0], place, text, n) for text in re.findall(r"`([^`]+)`", cells[2]) or [None]]
    return rules, deviations


def findings(folder, files, include, core):
    """(rule, file, line) of each, with the files' dumps in folder."""
    words = [w for f in include for w in ("-I", str(f))] + [f"-D{d}" for d in DEFINED + CORES[core]]
    dumps = []
    for file in files:
        dump = folder / f"{core}-{file.name}.dump"
        done = subprocess.run([*CPPCHECK, *words, file], capture_output=True, text=True)
        made = file.with_name(file.name + ".dump")
        text = made.read_text() if made.exists() else ""
        if "<dump cfg" not in text:
            raise AssertionError(f"{file}: {done.stderr}")  # it stopped at an #error, or at what it cannot read
        shutil.move(made, dump)
        dumps.append(dump)
    done = subprocess.run([sys.executable, ADDON, *dumps], capture_output=True, text=True)
    found = re.findall(r"^\[(.+):(\d+)\] .*\[misra-c2012-([\d.]+)\]$", done.stderr + done.stdout, re.M)
    if not found:
        raise AssertionError(done.stdout + done.stderr)
    return {(rule, file, int(line)) for file, line, rule in found}


def name_of(path, text):
    """The file as the page calls it: a kernel by its name in micro/, the model's files by their end."""
    path = pathlib.Path(path)
    model = re.match(r"tvmgen_(.*?)(_weights|_self_test|_static|_table|_shared)?\.([ch])$", path.name)
    return f"tvmgen_NAME{model[2] or ''}.{model[3]}" if model else path.name


class Misra(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rules, cls.deviations = tables()
        cls.used = set()
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        shutil.copytree(SOURCE / "micro", cls.folder / "source/micro")
        shutil.copytree(SOURCE / "include", cls.folder / "source/include")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def judge(self, found):
        """What of the findings the page does not have."""
        wrong = []
        for rule, file, line in sorted(found):
            if rule in self.rules:
                self.used.add(self.rules[rule])
                continue
            lines = pathlib.Path(file).read_text().split("\n")
            text = lines[line - 1]
            while lines[line - 1].endswith("\\") and line < len(lines):  # a macro is one line
                line += 1
                text += lines[line - 1]
            name = name_of(file, text)
            rows = [n for r, glob, words, n in self.deviations
                    if r == rule and fnmatch.fnmatch(name, glob) and (words is None or words in text)]
            self.used.update(rows[:1])
            if not rows:
                wrong.append(f"{rule} {name}:{line}: {text.strip()}")
        return sorted(set(wrong))

    def kernels(self, core):
        top = self.folder / core
        shutil.copytree(self.folder / "source", top, dirs_exist_ok=True)
        files = [f for f in sorted((top / "micro").rglob("*.c"))
                 if not f.stem.endswith("prepare") and not f.stem.startswith("geometry_")]  # the host's half
        include = [top, top / "include", top / "include/micro", *sorted(f for f in (top / "micro").glob("**/") if f.is_dir())]
        return findings(top, files, include, core)

    def emitted(self, name, arguments, weights=False):
        folder = self.folder / name
        subprocess.run([ORIBI, "compile", *arguments, "-o", folder], check=True, stdout=subprocess.DEVNULL)
        kinds = [SOURCE / "examples/accelerators" / kind / "include" for kind in ("woofles", "uart_accel")]
        files = [f for f in sorted(folder.glob("*.c")) if weights or not f.stem.endswith("_weights")]
        return findings(folder, files, [folder, SOURCE / "include", *kinds], "plain")

    def test_all_deviations_are_on_the_page_and_needed(self):
        sets = {"digits": ([DIGITS / "digits_int8.tflite", "--self-test", "--workspace", "static"], True),
                "float": ([DIGITS / "digits.onnx", "--name", "net", "--io", "pool", "--weights", "bin", "--fma"], False),
                "table": ([DIGITS / "digits_int8.tflite", DIGITS / "digits.onnx", "--name", "a", "--name", "b", "--table"], False),
                "devices": ([DIGITS / "digits_int8.tflite", "--force", "--plugin", TARGET, "--target-device", "woofles",
                             "--target-device", "uart_accel", "--device-platform", "woofles=posix", "--device-platform",
                             "uart_accel=posix"], False)}
        sets |= {f"digits-{core}": ([DIGITS / "digits_int8.tflite", "--core", core], False) for core in CORES}
        sets |= {m.stem: ([m], False) for m in sorted((MODELS / "mlperf-tiny").glob("*.tflite"))}
        if (MODELS / "onnx/mnist.onnx").exists():
            sets["mnist"] = ([MODELS / "onnx/mnist.onnx"], False)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(self.kernels, core) for core in CORES]
            jobs += [pool.submit(self.emitted, name, *more) for name, more in sets.items()]
            wrong = sorted({w for job in jobs for w in self.judge(job.result())})
        self.assertEqual(wrong, [], "\n".join(["not in docs/reference/firmware/misra.md:", *wrong]))
        lines = {n for n in self.rules.values()} | {n for *_, n in self.deviations}
        idle = [PAGE.read_text().splitlines()[n - 1] for n in sorted(lines - self.used)]
        self.assertEqual(idle, [], "no finding needs this any more")

    def test_what_it_is_for_is_seen(self):
        top = self.folder / "plain"
        shutil.copytree(self.folder / "source", top, dirs_exist_ok=True)
        faults = {"14.4": "if (x) { x = 1; }", "16.4": "switch (x) { case 0: x = 1; break; case 1: x = 2; break; }",
                  "15.6": "if (x > 0) x = 1;", "17.7": "memcpy(&x, &x, 4U);", "10.3": "uint8_t y = 300; x = y;",
                  "15.1": "goto end; end: x = 1;", "13.5": "if ((x > 0) && (x++ > 1)) { x = 2; }"}
        file = top / "micro/move/move.c"
        original = file.read_text()
        for rule, text in faults.items():
            with self.subTest(rule=rule):
                file.write_text(f"{original}\nstatic int32_t fault(int32_t x);\nstatic int32_t fault(int32_t x)\n{{\n    {text}\n"
                                "    return x;\n}\n")
                include = [top, top / "include", top / "include/micro", top / "micro/move"]
                wrong = self.judge(findings(top, [file], include, "plain"))
                self.assertTrue(any(w.startswith(f"{rule} move.c") and text in w for w in wrong), wrong)


if __name__ == "__main__":
    if not shutil.which("cppcheck") or ADDON is None:
        print("needs cppcheck with its addons")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
