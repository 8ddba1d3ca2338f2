#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which of the features that make people change to another runtime are there, and which test sees each? docs/reference/running/features.md
is this table; every test and page that it names must exist.

    features.py [--write]
"""
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCE / "docs/reference/running/features.md"
# (feature, is it there: yes, in part, no, what is missing, tests, page below docs/)
FEATURES = [
    ("a plugin loads in every later 1.x, by a matrix that is published", "yes", "", "tests/frozen/check.py tests/frozen/matrix.py", "reference/deprecation.md"),
    ("plugins by path from C, the command and Python", "yes", "", "tests/plugin/load_test.c tests/plugin/tools_test.py tests/python/suite/test_tools.py",
     "reference/plugins.md"),
    ("one report of all missing ops", "yes", "", "tests/import/onnx_test.c", "reference/ops.md"),
    ("compiled models with exact reports and budgets", "yes", "", "tests/compile/report_test.py tests/compile/memory_test.c", "reference/compile.md"),
    ("apt, pip, static, arm64, pkg-config, CMake", "yes", "", "tests/install/deb.sh tests/install/use.sh tests/python/installed.py tests/python/manylinux.py",
     "reference/packages.md"),
    ("inspect, run, bench and profile for ONNX, TFLite and GraphDef", "yes", "", "tests/cli/command_test.py tests/cli/profile_test.py tests/cli/saved_model_test.py",
     "reference/inputs-outputs.md"),
    ("limits on models, and a log of fuzzing", "in part", "a log of fuzzing", "tests/fuzz/run.sh tests/cli/late_test.py", "reference/limits.md"),
    ("lifecycle hooks of accelerators", "yes", "", "tests/hooks/contract_test.py tests/hooks/unwind_test.py", "reference/device-hooks.md"),
    ("comparison with tolerances, ULP, and to the first node", "yes", "", "tests/cli/compare_test.py", "guide/slow-or-wrong.md"),
    ("plugin new, check, test", "yes", "", "tests/plugin/tools_test.py tests/plugin/author_test.c", "reference/author-tools.md"),
    ("TensorFlow's C API for bindings (graphs and sessions)", "yes", "", "tests/binding/session_test.c tests/binding/models_test.py", "reference/running/tensorflow-c-api.md"),
    ("a profile of time and memory", "yes", "", "tests/cli/profile_test.py tests/cli/inspect_page_test.py", "guide/slow-or-wrong.md"),
    ("threads in containers, and the caller's pool", "yes", "", "tests/device/pool_test.c tests/session/threads_test.c", "guide/run-in-c.md"),
    ("emission in packages of build systems", "yes", "", "tests/compile/emitted_test.py tests/hooks/guide_test.py", "reference/platforms.md"),
    ("helpers for inputs: pictures, sound, text, tables", "yes", "", "tests/cli/convert_test.py tests/cli/input_output_test.py", "reference/inputs-outputs.md"),
    ("weights as a binary", "yes", "", "tests/compile/emitted_test.py", "reference/compile.md"),
    ("quantisation", "yes", "", "tests/cli/quantise_test.py", "reference/running/quantise.md"),
    ("DLPack, and a wheel", "yes", "", "tests/python/suite/test_session.py tests/python/installed.py", "guide/python.md"),
    ("a table of ONNX's operators", "yes", "", "tests/import/onnx_test.c", "reference/running/node-tests.md"),
    ("a plugin for GPUs", "in part", "a run of CUDA and HIP in every test: they are tested on doubles of their drivers", "tests/devices/opencl_models_test.c",
     "reference/device-contract.md"),
    ("a server", "yes", "", "tests/cli/serve_test.py tests/cli/tritonclient_test.py", "reference/running/serve.md"),
    ("sharding, Ray, and Triton", "yes", "",
     "tests/cli/shard_test.py tests/python/ray_test.py tests/python/triton_test.py", "reference/running/ray.md"),
    ("the library in two files", "yes", "", "tests/install/amalgamation.py", "reference/packages.md"),
    ("signed plugins and lists of those that are allowed", "no", "all of it", "", "reference/plugins.md"),
    ("`--json`, stable codes of errors, man pages, completion", "yes", "", "tests/cli/codes_test.py tests/cli/generate_test.py", "reference/running/versions.md"),
]


def page():
    count = {state: sum(f[1] == state for f in FEATURES) for state in ("yes", "in part", "no")}
    rows = "".join(f"| {what} | {state}{': missing is ' + missing if missing else ''} | {' '.join(f'`{t}`' for t in tests.split()) or 'none'} | "
                   f"[{where.rsplit('/', 1)[-1]}]({'../' * 2 + where}) |\n" for what, state, missing, tests, where in FEATURES)
    return f"""# What people change for

Written by `tests/lint/features.py`, which fails when a test or a page of it is not there. Of {len(FEATURES)} features {count['yes']} are there,
{count['in part']} in part, {count['no']} not.

| feature | there? | tests | page |
|---|---|---|---|
{rows}"""


def main():
    wrong = [f"{what}: there is no {path}" for what, _, _, tests, where in FEATURES for path in [*tests.split(), f"docs/{where}"]
             if not (SOURCE / path).is_file()]
    wrong += [f"{what}: '{state}' and {'a' if missing else 'no'} word on what is missing, {len(tests.split())} tests" for what, state, missing, tests, _ in FEATURES
              if (state == "yes") == bool(missing) or (state != "no") != bool(tests)]
    if "--write" in sys.argv:
        PAGE.write_text(page())
    elif not PAGE.is_file() or PAGE.read_text() != page():
        wrong.append(f"{PAGE.relative_to(SOURCE)}: it is another one; tests/lint/features.py --write writes it")
    print("\n".join(f"features.py: {w}" for w in wrong) if wrong else "", end="\n" if wrong else "")
    sys.exit(bool(wrong))


main()
