#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the jobs of contrib/ci build and test a plugin? Both files have the same commands, and they are run here as they stand.

    contrib.py BUILD SOURCE

The commands that fetch and build Oribi are replaced by an installation of BUILD; the options that they give must be options of this tree. A plugin
whose cases are wrong must fail the job.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
# How the two say "these are commands of the job", and those that prepare the machine.
BLOCK = re.compile(r"^        run: \|\n((?:          .*\n)+)", re.M)
SCRIPT = re.compile(r"^  script:\n((?:    - .*\n)+)", re.M)
REPLACED = ("mkdir -p oribi-source", "curl ", "cmake -S ", "cmake --build oribi-build", "cmake --install oribi-build")


def commands(name):
    text = (SOURCE / "contrib/ci" / name).read_text()
    if name == "github.yml":
        return [line[10:] for block in BLOCK.findall(text) for line in block.splitlines()]
    return [line[6:] for block in SCRIPT.findall(text) for line in block.splitlines()]


def run(lines, folder):
    """As both services do: one shell that ends with the first command that fails."""
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", "\n".join(lines)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    if shutil.which("bash") is None:
        print("skipped: no bash")
        sys.exit(77)
    lines = commands("github.yml")
    if not lines or lines != commands("gitlab.yml"):
        sys.exit("contrib/ci: the two files have other commands, or none")
    configure = next(line for line in lines if line.startswith("cmake -S "))
    known = "".join(p.read_text() for p in [SOURCE / "CMakeLists.txt", *SOURCE.glob("cmake/*.cmake")])
    for option in re.findall(r"-D(ORIBI_\w+)=", configure):
        if not re.search(rf"\b{option}\b", known):
            sys.exit(f"contrib/ci: {option} is no option of this tree")
    used = [line for line in lines if not line.startswith(REPLACED)]
    if len(lines) - len(used) != len(REPLACED):
        sys.exit(f"contrib/ci: {len(lines) - len(used)} commands fetch and build Oribi; this test knows {len(REPLACED)}")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run([BUILD / "bin/oribi", "plugin", "new", "mine"], cwd=work, check=True, stdout=subprocess.DEVNULL)
        folder = work / "mine"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", folder / "oribi"], check=True, stdout=subprocess.DEVNULL)
        pc = next((folder / "oribi").rglob("oribi-plugin.pc")).parent
        if pc != folder / "oribi/lib/pkgconfig":  # lib/TRIPLET of Debian
            (folder / "oribi/lib/pkgconfig").symlink_to(pc)
        done = run(used, folder)
        if done.returncode:
            sys.exit(f"contrib/ci: exit {done.returncode}\n{done.stdout}")
        cases = folder / "mine.cases.json"
        planted = re.sub(r'("outputs".*?"values": *\[)-?[0-9.]+', r"\g<1>77", cases.read_text(), count=1, flags=re.S)
        if planted == cases.read_text():
            sys.exit("no output in the cases to plant a fault in")
        cases.write_text(planted)
        done = run(used, folder)
        if not done.returncode or "77" not in done.stdout:
            sys.exit(f"a plugin whose cases are wrong passes, or fails for another reason:\n{done.stdout}")
    print(f"contrib/ci: {len(used)} commands on a new plugin; one with wrong cases fails")


main()
