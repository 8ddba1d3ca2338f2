# SPDX-License-Identifier: Apache-2.0
"""Every command of a page runs as it is printed, in a copy of the tree, one after the other, each in a shell of its
own, as somebody pastes them.

    readme.py SOURCE WORK           README.md; WORK is kept: what `make demo` built there once need not be built again
    readme.py SOURCE WORK BUILD     docs/guide/*.md, with the command and library of the build folder BUILD
    readme.py SOURCE WORK BUILD reference    docs/reference/*.md, the same; blocks may be left out, see below

Blocks fenced with ```sh are commands, ```python is a program of its own; in README ```c are lines of a program, which five_lines.c is
around. ```text is what the block before it prints: each line must be in it. Code in a
guide, ```c, ```c++, ```go, ```rust or ```json, must stand letter for letter in a file that the page names, in the tree or written by
its commands. Any other block, or one that is indented, is refused. In the reference a block may say after its language
why it is left out, "not run: REASON" or "not checked: REASON"; models called model.tflite and model.onnx are ours there. `make test` runs this very test, so that of it
`make -n` is run. Faults are planted. A page whose first line of commands needs a program that is not there is left out.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from in_copy import copy_tree

SOURCE, WORK = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
BUILD = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
IS_REFERENCE = sys.argv[4:] == ["reference"]
STAND_INS = {"model.tflite": "examples/digits/digits_int8.tflite", "model.onnx": "examples/digits/digits.onnx"}
# Code of these pages is taken from them, compiled and run, by tests of their own.
CODE_TESTS = {"design-example.md": "tests/hooks/design_test.py", "from-microtvm.md": "tests/hooks/guide_test.py",
              "driver-manifest.md": "tests/hooks/verify/driver_test.py"}
LEFT_OUT = re.compile(r"(\w+) (?:not run|not checked): \S.*")
CODE = {"c": (".c", ".h"), "c++": (".cc",), "go": (".go",), "rust": (".rs",), "json": (".json",)}
# What an option of a command needs of the machine; a command that has it is not run without.
NEEDS = {"--target cortex-m4": ("arm-none-eabi-gcc", "qemu-system-arm"), "eigen3": ("/usr/include/eigen3/Eigen/Core",),
         "go run": ("go",), "embed.rs": ("bindgen", "rustc"), "embed_rs": ("bindgen", "rustc")}


def blocks(page, text, kinds):
    """(line, kind, lines) of each block; a block that nothing would check ends the test."""
    found, kind, begin, lines = [], None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if kind is None:
                kind, begin, lines = line[3:], number, []
                if kind not in kinds and not (IS_REFERENCE and LEFT_OUT.fullmatch(kind)):
                    sys.exit(f"{page}:{number}: a block '{line}' that would not be checked; fence it with one of {kinds}")
            else:
                found.append((begin, kind, lines))
                kind = None
        elif kind is not None:
            lines.append(line)
        elif line.startswith("    ") and not line.lstrip().startswith(("-", "*")):
            sys.exit(f"{page}:{number}: an indented block; fence it, so that it is checked")
    if kind is not None:
        sys.exit(f"{page}:{begin}: the block has no end")
    return found


def commands(lines):
    """Without comments; a backslash joins lines."""
    joined = "\n".join(lines).replace("\\\n", " ")
    return [c for c in (line.split(" # ")[0].strip() for line in joined.splitlines()) if c and not c.startswith("#")]


def is_there(what):
    return pathlib.Path(what).exists() if what.startswith("/") else shutil.which(what) is not None


def run(command, tree):
    """What it printed; None when it failed."""
    missing = [w for option, wanted in NEEDS.items() if option in command for w in wanted if not is_there(w)]
    if missing:
        print(f"$ {command}: not run, {' and '.join(missing)} is not there", flush=True)
        return ""
    command = command.replace("make test", "make -n test") if command == "make test" else command
    shell = f". {BUILD}/env.sh; {command}" if BUILD else command
    done = subprocess.run(["sh", "-c", shell], cwd=tree, capture_output=True, text=True, errors="replace")
    print(f"$ {command}: exit {done.returncode}", flush=True)
    fails = done.returncode or "CMake Warning" in done.stdout + done.stderr
    if fails:
        print(done.stdout[-3000:] + done.stderr[-3000:])
    return None if fails else done.stdout + done.stderr


def run_python(lines, tree):
    """What a program printed; None when it failed."""
    setup = f". {BUILD or tree / 'build'}/env.sh; python3 -"
    done = subprocess.run(["sh", "-c", setup], cwd=tree, input="\n".join(lines), capture_output=True, text=True)
    print(f"python3: exit {done.returncode}", flush=True)
    if done.returncode:
        print(done.stdout[-3000:] + done.stderr[-3000:])
    return None if done.returncode else done.stdout + done.stderr


def run_c(lines, tree):
    """What the lines printed in the frame around them; None when it failed."""
    (tree / "lines.inc").write_text("\n".join(lines) + "\n")
    firmware = "-DFIRMWARE -Idigits_c $(find digits_c -name '*.c')" if "tvmgen_" in "".join(lines) else "$(pkg-config --cflags --libs oribi)"
    build = f". {BUILD or tree / 'build'}/env.sh; "
    return run(f"{build}cc -std=c99 -Wall -Werror -I. tests/install/five_lines.c {firmware} -o five_lines && ./five_lines", tree)


def named_files(text, tree, suffixes):
    """Files of the tree whose path, or whose name alone, the page says."""
    said = set(re.findall(r"[\w./-]+", text))
    return [p for p in tree.rglob("*") if p.suffix in suffixes and p.is_file() and p.relative_to(tree).parts[0] != "build"
            and any(w.endswith(p.name) and str(p).endswith("/" + w.lstrip("./")) for w in said)]


def faults(page, text, tree):
    is_readme = page == "README.md"
    kinds = ["sh", "python", "text", *(["c"] if is_readme else CODE)]
    found, printed, n_commands = [], None, 0
    for number, kind, lines in blocks(page, text, kinds):
        if kind not in kinds: # left out
            printed = None
        elif kind == "sh":
            outputs = [run(c, tree) for c in commands(lines)]
            n_commands += len(outputs)
            printed = None if "" in outputs else "".join(o or "" for o in outputs)
            found += [f"{page}:{number}: a command fails"] if None in outputs else []
        elif kind == "python":
            printed = run_python(lines, tree)
            n_commands += 1
            found += [f"{page}:{number}: the program fails"] if printed is None else []
        elif kind == "c" and is_readme:
            printed = run_c(lines, tree)
            n_commands += 1
            found += [f"{page}:{number}: the lines fail"] if printed is None else []
        elif kind == "text":
            lacks = [line for line in lines if printed is not None and line not in printed]
            found += [f"{page}:{number}: the commands before it do not print '{line}'" for line in lacks]
        elif pathlib.Path(page).name in (SOURCE / CODE_TESTS.get(pathlib.Path(page).name, "LICENSE")).read_text():
            continue
        elif not any("\n".join(lines) in p.read_text(errors="replace") for p in named_files(text, tree, CODE[kind])):
            found.append(f"{page}:{number}: no file that the page names has this text")
    return found + ([] if n_commands or IS_REFERENCE else [f"{page}: no command"])


def stand_in(tree):
    """A page of the reference begins in a fresh tree, with models and with `build`."""
    copy_tree(SOURCE, tree)
    for name, model in STAND_INS.items():
        shutil.copy2(tree / model, tree / name)
    if not (tree / "build").exists():
        (tree / "build").symlink_to(BUILD)


def is_refused(text):
    try:
        blocks("planted.md", text, ["sh"])
    except SystemExit:
        return True
    return False


PLANTED = ["```sh\noribi run nothing.onnx # as it was printed once\n```\n", "```sh\necho CMake Warning\n```\n",
           "no command at all\n"]
PLANTED_REFERENCE = ["```sh not run:\n```\n", "```sh not run\n```\n", "```\n```\n", "    oribi ops\n"]
PLANTED_PYTHON = ["```python\nraise SystemExit(3)\n```\n", "```python\nprint('one')\n```\n```text\ntwo\n```\n"]
PLANTED_C = ["```c\nfloat *scores = 0; oribi_no_such_call();\n```\n", "```c\nfloat wrong[10] = {1}, *scores = wrong;\n```\n```text\n3\n```\n"]
PLANTED_GUIDE = [*PLANTED_PYTHON,
                 "```sh\necho one\n```\n```text\ntwo\n```\n",
                 "examples/embed/embed.c\n```sh\ntrue\n```\n```c\nint main(int argc, char **argv) /* not so */\n```\n"]


def main():
    os.environ["LC_ALL"] = "C"
    tree = WORK / "tree"
    copy_tree(SOURCE, tree)
    folder = SOURCE / ("docs/reference" if IS_REFERENCE else "docs/guide")
    pages = [p for p in sorted(folder.rglob("*.md") if IS_REFERENCE else folder.glob("*.md")) if p.name != "README.md"] if BUILD else [SOURCE / "README.md"]
    if BUILD and not IS_REFERENCE and len(pages) != 13:
        sys.exit(f"docs/guide has {len(pages)} pages beside its index, not thirteen")
    found = []
    for page in pages:
        text = page.read_text()
        if IS_REFERENCE and "\n```sh\n" in text:
            stand_in(tree)
        found += faults(str(page.relative_to(SOURCE)), text, tree)
    if IS_REFERENCE:
        for number, text in enumerate(PLANTED_REFERENCE):
            if not is_refused(text):
                sys.exit(f"block {number} that was planted is not refused")
    for number, text in enumerate(PLANTED[:2 if IS_REFERENCE else 3] + (PLANTED_GUIDE if BUILD else [])):
        if not faults("planted.md", text, tree):
            sys.exit(f"fault {number} that was planted is not seen")
    for number, text in enumerate([] if BUILD else PLANTED_C):
        if not faults("README.md", text, tree):
            sys.exit(f"fault {number} that was planted in five lines of C is not seen")
    print("\n".join(found))
    sys.exit(bool(found))


main()
