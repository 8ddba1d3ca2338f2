# SPDX-License-Identifier: Apache-2.0
"""A script of this tree, run in a copy of it:

    in_copy.py SOURCE TREE SCRIPT [ARGUMENT...]    {} in an argument is TREE

The copy is built one folder below itself, as the tree is. Compiled there, a file of ours has the same name as seen from
the build folder, so that ccache, which run-all.sh tells where names begin, gives the objects that it has. TREE is kept.
"""
import os
import pathlib
import shutil
import subprocess
import sys


def listed(source):
    """What git knows, or will."""
    words = ["git", "-C", str(source), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split("\0")
    return {n for n in names if n and (source / n).is_file()}


def copy_tree(source, tree):
    """A file that did not change keeps its time, so that little is rebuilt."""
    names = listed(source)
    for name in names:
        old, new = source / name, tree / name
        if not new.exists() or new.read_bytes() != old.read_bytes():
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old, new)
            new.touch()
    own = [f for f in tree.iterdir() if not f.name.startswith("build")]
    for file in [f for top in own for f in ([top] if top.is_file() else top.rglob("*"))]:
        if file.is_file() and str(file.relative_to(tree)) not in names:
            file.unlink() # of another commit, or what a command wrote last time
    for folder in (f for f in own if f.is_dir()):
        if not any(f.is_file() for f in folder.rglob("*")):
            shutil.rmtree(folder)


def main():
    source, tree = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    tree.mkdir(parents=True, exist_ok=True)
    copy_tree(source, tree)
    if "SOURCE_DATE_EPOCH" not in os.environ: # the copy has no history
        last = subprocess.run(["git", "-C", source, "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True)
        os.environ["SOURCE_DATE_EPOCH"] = last.stdout.strip()
    script, *arguments = (a.replace("{}", str(tree)) for a in sys.argv[3:])
    os.execv(tree / script, [script, *arguments])


if __name__ == "__main__":
    main()
