#!/usr/bin/python3 -IS
# SPDX-License-Identifier: Apache-2.0
"""A compiler for the tests of emitted C that compiles a text once: hundreds of programs carry the same kernels.

A folder with links of the compilers' names to this file stands first in PATH of those tests. A source whose text after
preprocessing, flags and compiler were seen before is taken from ORIBI_OBJECTS; what the compiler says something about,
and any command that does more than compile and link (-E, -S, -M…, -x, a file of options, an .incbin), goes to the compiler as it is.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

SUFFIXES = (".c", ".cc", ".cpp")
WITH_VALUE = {"-o", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-D", "-U", "-T", "-L", "-Xlinker", "-z"}
LINK_WITH_VALUE = {"-T", "-L", "-Xlinker", "-z"}
LINK_ONLY = {"-shared", "-static", "-nostdlib", "-nostartfiles", "-nodefaultlibs", "-rdynamic", "-pie", "-no-pie", "-r"}
NOT_OURS = ("-E", "-S", "-M", "-x", "-fsyntax-only", "-save-temps", "-fstack-usage", "-fcallgraph-info", "-fdump", "-flto",
            "-ftime", "-v", "-#", "@", "--coverage", "-fprofile", "-dump", "-print", "-gsplit", "-Wp,", "-Wa,")


def real_compiler():
    here = pathlib.Path(sys.argv[0]).parent.resolve()
    rest = [p for p in os.environ["PATH"].split(":") if pathlib.Path(p or ".").resolve() != here]
    os.environ["PATH"] = ":".join(rest)
    found = shutil.which(pathlib.Path(sys.argv[0]).name)
    if found is None:
        sys.exit(f"{sys.argv[0]}: no such compiler on the path behind this one")
    return found # not what a link leads to: clang++ is clang under a name that says C++


def parse(args):
    """(sources with their place, output, flags to compile with); None when the command is not ours."""
    sources, output, flags, i = [], None, [], 0
    while i < len(args):
        arg, n = args[i], 2 if args[i] in WITH_VALUE else 1
        if arg.startswith(NOT_OURS) or arg == "-" or (arg.startswith("-o") and arg != "-o") or i + n > len(args):
            return None
        if arg == "-o":
            output = args[i + 1]
        elif not arg.startswith("-") and arg.endswith(SUFFIXES):
            sources.append(i)
        elif arg.startswith("-") and arg not in LINK_WITH_VALUE | LINK_ONLY | {"-c"} and not arg.startswith(("-l", "-L", "-T", "-Wl,")):
            flags += args[i:i + n]
        i += n
    return (sources, output, flags) if sources and output else None


def object_of(compiler, source, flags):
    """Its object in the cache, made if need be; None when the compiler has something to say."""
    text = subprocess.run([compiler, *flags, "-E", source], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if text.returncode or b".incbin" in text.stdout: # of another file there is no word in the text
        return None
    lines = re.sub(rb'(?m)^(# \d+ ")(?:[^"\n]*/)?', rb"\1", text.stdout) # the folder is another one each time
    said = [f for i, f in enumerate(flags) if not f.startswith("-I") and (i == 0 or flags[i - 1] != "-I")]
    stamp = os.stat(compiler)
    key = hashlib.sha256("\0".join([compiler, str(stamp.st_mtime_ns), str(stamp.st_size), *said, ""]).encode() + lines)
    path = pathlib.Path(os.environ["ORIBI_OBJECTS"], f"{pathlib.Path(source).stem}-{key.hexdigest()[:32]}.o")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        made = f"{path}.{os.getpid()}"
        done = subprocess.run([compiler, *flags, "-c", source, "-o", made], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode or done.stdout:
            pathlib.Path(made).unlink(missing_ok=True)
            return None
        os.replace(made, path)
    return path


def main():
    compiler, args = real_compiler(), sys.argv[1:]
    plan = parse(args) if "ORIBI_OBJECTS" in os.environ else None
    if plan is None or "-c" in args and len(plan[0]) != 1:
        os.execv(compiler, [compiler, *args])
    sources, output, flags = plan
    objects = {i: object_of(compiler, args[i], flags) for i in sources}
    if None in objects.values():
        os.execv(compiler, [compiler, *args]) # it says what is wrong
    if "-c" in args:
        shutil.copyfile(objects[sources[0]], output)
        sys.exit(0)
    linked = [str(objects.get(i, arg)) for i, arg in enumerate(args)]
    os.execv(compiler, [compiler, *linked])


main()
