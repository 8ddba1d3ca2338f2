# SPDX-License-Identifier: Apache-2.0
"""Every command of README.md runs as it is printed, in a copy of the tree, one after the other, each
in a shell of its own, as somebody pastes them.

    readme.py SOURCE WORK    WORK is kept: what `make demo` built there once need not be built again

Commands stand in blocks fenced with ```sh; a block of another kind, or one that is indented, is refused.
`make test` runs this very test, so that of it `make -n` is run. A command that cannot work is planted.
"""
import pathlib
import shutil
import subprocess
import sys

SOURCE, WORK = (pathlib.Path(p).resolve() for p in sys.argv[1:3])


def commands(text):
    found, fence = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fence = line if fence is None else None
            if fence not in (None, "```sh"):
                sys.exit(f"README.md:{number}: a block that is no ```sh: its commands would not be run")
        elif fence is not None:
            found.append((number, line.split("#")[0].strip()))
        elif line.startswith("    ") and not line.lstrip().startswith(("-", "*")):
            sys.exit(f"README.md:{number}: an indented block; fence it with ```sh, so that it is run")
    return [(n, c) for n, c in found if c]


def copy_tree(tree):
    """What git knows, or will; a file that did not change keeps its time, so that little is rebuilt."""
    listed = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True, text=True).stdout.split("\n")
    names = {n for n in listed if n and (SOURCE / n).is_file()}
    for name in names:
        old, new = SOURCE / name, tree / name
        if not new.exists() or new.read_bytes() != old.read_bytes():
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old, new)
            new.touch()
    for file in list(tree.rglob("*")):
        name = file.relative_to(tree)
        if name.parts[0] != "build" and file.is_file() and str(name) not in names:
            file.unlink() # of another commit, or what a command wrote last time
    shutil.rmtree(tree / "my_npu", ignore_errors=True)


def run(command, tree):
    command = command.replace("make test", "make -n test") if command == "make test" else command
    done = subprocess.run(["sh", "-c", command], cwd=tree, capture_output=True, text=True)
    print(f"$ {command}: exit {done.returncode}", flush=True)
    if done.returncode:
        print(done.stdout[-3000:] + done.stderr[-3000:])
    return done.returncode == 0


def main():
    found = commands((SOURCE / "README.md").read_text())
    assert len(found) >= 6, "README.md lost its commands"
    tree = WORK / "tree"
    copy_tree(tree)
    failed = [number for number, command in found if not run(command, tree)]
    planted = commands("```sh\noribi run nothing.onnx # as it was printed once\n```\n")
    if run(planted[0][1], tree):
        sys.exit("a command that cannot work was taken for one that does")
    for number in failed:
        print(f"README.md:{number}: the command fails")
    sys.exit(bool(failed))


main()
