#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is an option that would be ignored refused? Walks over every option of every command, as the
help lists them: each is either known to have an effect by itself, or given in a combination where
it has none, which must end with exit code 2 and its name. An option that this table does not know
fails the test: say here what it goes with.

usage: needs_test.py ORIBI"""
import os
import re
import subprocess
import sys
import tempfile

ORIBI = os.path.abspath(sys.argv[1])
MODEL = "no-such-model"  # usage comes before anything is opened

PLACEMENT = "--strict-placement --keep-islands --device-max-bytes --unified-memory"
VIEWS = "--steps --passes --memory --copies --parallel"
TARGET_OPTIONS = "--assign --device-schedule --cpu-mhz"

# Options that have an effect whatever else is given, but for what IGNORED names.
FREE = {
    "run": "--input --output --top-k --json --trace --time-limit --device --place-node --plugin "
           "--threads --max-bytes --shape --bound --kernels --isa --disable-pass --tflite-variant --signature --follow-links "
           "--read --check --check-all --record --rows --shard --resume",
    "bench": "--runs --warm-up --input --profile --json --device --place-node --plugin --threads --max-bytes "
             "--shape --bound --kernels --isa --disable-pass --tflite-variant --signature --follow-links --read",
    "profile": "--runs --warm-up --input --csv --html --trace --save --baseline --json --device --place-node --plugin "
               "--threads --max-bytes --shape --bound --kernels --isa --disable-pass --tflite-variant --signature --follow-links --read",
    "quantise": "--data --output --calibrate --samples --min-agreement --layout --mean --scale --force --json --plugin "
                "--threads --max-bytes --shape --bound --kernels --isa --disable-pass --tflite-variant --signature --follow-links --read",
    "pack": "--output --force --time-limit --plugin --threads --max-bytes --shape --bound --kernels --isa --disable-pass "
             "--tflite-variant --signature --follow-links --read",
    "inspect": f"{VIEWS} --explain --html --json --target-device --device --place-node --plugin --threads "
               "--max-bytes --shape --bound --kernels --isa --disable-pass --tflite-variant --signature --follow-links "
               "--read --time-limit",
    "compile": "--output --report --json --force --plugin --name --shape --io --weights --place --layout "
               "--workspace --table --self-test --rename --state --tflite-variant --optimize --core --fma --no-fuse "
               "--rings --pool --target-device --device --max-ram --max-flash --read --time-limit",
    "verify": "--target --runs --input --against --per-node --cc --cflags --timeout --keep --image "
              "--port --json --plugin --threads --max-bytes --shape --bound --kernels --isa --disable-pass "
              "--tflite-variant --signature --follow-links --name --io --weights --place --workspace "
              "--self-test --rename --state --optimize --core --fma --no-fuse --rings --pool --target-device --device "
              "--max-ram --max-flash --read --time-limit",
    "compare": "--input --a --b --rtol --atol --ulp --per-node --python --json --device "
               "--place-node --plugin --threads --max-bytes --shape --bound --kernels --isa --disable-pass "
               "--tflite-variant --signature --follow-links --read",
    "device-serve": "--driver --socket --connect --pty --port --window --target-device --no-fuse "
                    "--shape --tflite-variant --plugin",
    "explain": "--json",
    "serve": "--host --port --max-body --max-requests --max-connections --idle --deadline --plugin --threads --max-bytes "
             "--shape --bound --kernels --isa --disable-pass --tflite-variant --signature --follow-links --read",
    "ops": "--map --kernels --json --plugin",
    "devices": "--json --plugin",
    "plugin": "",
    "help": "--generate",
}

# command: (options, what stands beside each of them, or is missing)
IGNORED = {
    "run": [("--labels", ""), ("--force", ""), ("--node", ""), ("--check", "--check-all"), ("--layout --mean --scale --show --crop", ""),
            ("--layout --mean --scale --show --crop", "-i x=@x.npy"),
            ("--layout --mean --scale --show --crop", "-i x=rand:1"),
            ("--text --vocabulary", ""), ("--rows --shard --resume", ""), ("--shard --resume", "-o {}.npz --trace t"),
            ("--resume", "-o {}.npz --force"), ("--rows", "-i x=ramp --text t --vocabulary v"),
            ("--target-device --device-schedule --cpu-mhz --assign", ""),
            ("--target-device --device-schedule --cpu-mhz --assign", "--device GPU"),
            (PLACEMENT, ""),
            ("--trace --time-limit --shape --bound --kernels --isa --disable-pass --threads --place-node --check --check-all --record "
             + PLACEMENT, "--device npu=driver.so --plugin p.so")],
    "bench": [(PLACEMENT, "")],
    "profile": [(PLACEMENT, ""), ("--force --tolerance", "")],
    "compare": [(PLACEMENT, ""), ("--runs", "-i x=rand:1")],
    "inspect": [(PLACEMENT, ""), ("--assign --no-fuse", ""),
                (f"{VIEWS} --device --place-node --kernels --isa --disable-pass --shape --bound",
                 "--target-device npu"), (VIEWS + " --html", "--explain n"), ("--html", "--target-device npu"),
                (VIEWS + " --json", "--html m.html"), ("--force", "")],
    "compile": [("--weights-machine", "-o d"), ("--weights-machine", "-o d --weights bin"),
                (TARGET_OPTIONS, "-o d"), ("--device-platform", "-o d")],
    "verify": [("--failing-hooks", ""), ("--failing-hooks", "--target-device npu --io workspace"),
               ("--weights-machine", ""), (TARGET_OPTIONS + " --device-platform --driver", ""),
               ("--top-k --rtol --atol --ulp", ""), ("--baud", ""), ("--baud", "--image d --target cortex-m4"),
               ("--cc --cflags --keep", "--port t"), ("--runs --input --against --json --timeout",
               "--image d"), ("--keep --port", "--image d"), ("--emulator-flags", ""),
               ("--emulator-flags", "--target host"), ("--emulator-flags", "--port t --target cortex-m4"),
               ("--profile", ""), ("--profile", "--image d --target cortex-m4"), ("--profile", "--target host"),
               ("--profile", "--target cortex-m4 --target-device npu"), ("--layout --table", "")],
    "device-serve": [("--once", "--pty"), ("--assign", "--pty")],
    "ops": [("--map", "--kernels"), ("--map --kernels", "Conv2D")],
    "plugin": [("--plugin --seed --cases --op --part --random --timeout-ms --driver --cxx --micro --device --target",
                "describe f"),
               ("--plugin --seed --cases --op --part --random --timeout-ms --driver --cxx --micro --device --target",
                "check f"),
               ("--plugin --cxx --micro --device --target", "test f"),
               ("--seed --cases --op --part --random --timeout-ms --driver --cxx --micro --device --target", "replay f"),
               ("--seed --cases --op --part --random --timeout-ms --driver --cxx --micro --device --target", "list"),
               ("--seed --cases --op --part --random --timeout-ms --driver --cxx --micro --device --target", "info f"),
               ("--json --plugin --seed --cases --op --part --random --timeout-ms --driver", "new f"),
               ("--cases --part --timeout-ms --json", "test f --driver d")],
}
EXTRA = {"run": "m m", "bench": "m m", "profile": "m m", "quantise": "m m", "pack": "m m", "serve": "m m", "inspect": "m m", "verify": "m m", "compare": "m m m", "device-serve": "m m",
         "ops": "a b", "explain": "a b", "devices": "a", "help": "run run", "plugin": "list x"}


def run(*words):
    with tempfile.TemporaryDirectory() as folder:  # whatever a command that should not run leaves
        return subprocess.run([ORIBI, *words], cwd=folder, capture_output=True, text=True, timeout=60,
                              check=False)


def options(command):
    """{name: takes a value} of a command's help."""
    text = run("help", command).stdout
    found = re.findall(r"^  (?:-\w, )?(--[\w-]+)( \S)?", text, re.M)
    return {name: value != "" for name, value in found}


def main():
    commands = re.findall(r"^  ([\w-]+) ", run("help").stdout, re.M)
    wrong = []
    if sorted(commands) != sorted(FREE):
        wrong.append(f"commands {commands}, known are {sorted(FREE)}")
    n = 0
    for command in commands:
        known = options(command)
        rows = IGNORED.get(command, [])
        named = set(FREE.get(command, "").split()) | {o for names, _ in rows for o in names.split()}
        for name in sorted(set(known) - named):
            wrong.append(f"{command} {name}: not in the table of this test")
        for name in sorted(named - set(known)):
            wrong.append(f"{command} {name}: there is no such option")
        for names, beside in rows:
            for name in names.split():
                words = [command] + ([MODEL] if command not in ("ops", "plugin", "explain") else [])
                words += beside.split() + [name] + (["1"] if known.get(name) else [])
                got = run(*words)
                n += 1
                if got.returncode != 2 or name not in got.stderr or not re.search(
                        "has no effect without|does not go with|do not go with", got.stderr):
                    wrong.append(f"{' '.join(words)}: exit {got.returncode}, {got.stderr.strip()}")
        if command in EXTRA and run(command, *EXTRA[command].split()).returncode != 2:
            wrong.append(f"{command} {EXTRA[command]}: an argument is ignored")
    for line in wrong:
        print(line)
    print(f"{n} combinations, {len(wrong)} wrong")
    return 1 if wrong or n < 100 else 0


sys.exit(main())
