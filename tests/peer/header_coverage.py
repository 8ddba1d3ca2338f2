# SPDX-License-Identifier: Apache-2.0
"""How many op and kernel files of public repositories find all headers of TensorFlow in the C++ face?

    header_coverage.py CHECKOUTS INCLUDE [INCLUDE...] [--bar PERCENT] [--files]

CHECKOUTS has a folder for each repository. A file counts when it registers an op or a kernel. It is
covered when every header under tensorflow/, tsl/, xla/ and third_party/eigen3/ that it includes, or that a
header of its own repository on the way includes, is in one of the INCLUDE folders or in that repository.
Files
other than .cu and .cu.cc are taken as in a build without a GPU. Headers of Abseil beyond the face's are the author's own to bring. Printed are the numbers of each repository,
and how many files lack each missing header. With --bar, a smaller share of covered files is a failure.
"""
import argparse
import collections
import pathlib
import re
import sys

GPU_SOURCE = re.compile(r"\.cu(\.cc)?$")
SOURCES = (".cc", ".cpp", ".cxx", ".cu")
REGISTERS = re.compile(rb"^\s*(REGISTER_OP|REGISTER_KERNEL_BUILDER)\s*\(|^#define .*\\\s*\n(?:.*\\\s*\n)*?"
                       rb"\s*(REGISTER_OP|REGISTER_KERNEL_BUILDER)\s*\(", re.M)
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)
IF = re.compile(rb"^\s*#\s*(if(?:n?def)?|else|elif|endif)\b(.*)$")
GPU = re.compile(rb"GOOGLE_CUDA|TENSORFLOW_USE_ROCM|TENSORFLOW_USE_SYCL|EIGEN_USE_GPU")
WANTED = ("tensorflow/", "tsl/", "xla/", "third_party/eigen3/")


def without_gpu(text):
    """The lines that a build for the CPU sees; those behind #else of a condition on the GPU are among them."""
    kept, hides = [], []
    for line in text.split(b"\n"):
        word = IF.match(line)
        if word is None:
            kept += [] if any(hides) else [line]
        elif word[1].startswith(b"if"):
            hides.append(bool(GPU.search(word[2])) and b"!" not in word[2] and word[1] != b"ifndef")
        elif word[1] == b"endif":
            hides = hides[:-1]
        else:
            hides[-1:] = [False]
    return b"\n".join(kept)


class Repository:
    def __init__(self, folder):
        self.folder = folder
        self.files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
        self.by_name = collections.defaultdict(list)
        for name in self.files:
            self.by_name[name.rsplit("/", 1)[-1]].append(name)
        self.known = {}

    def own(self, at, header):
        """The file of this repository that the include means, or None."""
        beside = str(pathlib.PurePosixPath(at).parent / header)
        if beside in self.files:
            return beside
        # A build adds folders of its own to the path: any file that ends so.
        ends = [name for name in self.by_name[header.rsplit("/", 1)[-1]] if ("/" + name).endswith("/" + header)]
        return min(ends, key=len) if ends else None

    def wanted(self, at, gpu):
        """The headers of TensorFlow that a file and its own headers ask for, in a build with a GPU or without."""
        if (at, gpu) not in self.known:
            self.known[at, gpu] = found = set()
            text = self.files[at].read_bytes()
            for header in INCLUDE.findall(text if gpu else without_gpu(text)):
                header = header.decode(errors="replace")
                own = self.own(at, header)
                if own is not None:
                    found |= self.wanted(own, gpu)
                elif header.startswith(WANTED):
                    found.add(header)
        return self.known[at, gpu]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=pathlib.Path)
    parser.add_argument("include", nargs="+", type=pathlib.Path)
    parser.add_argument("--bar", type=float, default=0)
    parser.add_argument("--files", action="store_true", help="name the files that lack headers")
    options = parser.parse_args()
    total = covered = repositories = 0
    missing = collections.Counter()
    for folder in sorted(path for path in options.checkouts.iterdir() if path.is_dir()):
        repository = Repository(folder)
        sources = [name for name, path in sorted(repository.files.items())
                   if name.endswith(SOURCES) and REGISTERS.search(path.read_bytes())]
        good = 0
        for name in sources:
            lacks = {header for header in repository.wanted(name, GPU_SOURCE.search(name) is not None)
                     if not any((include / header).is_file() for include in options.include)}
            missing.update(lacks)
            good += not lacks
            if options.files and lacks:
                print(f"    {folder.name}/{name}: {' '.join(sorted(lacks))}")
        if sources:
            print(f"{folder.name}: {good} of {len(sources)}")
            total, covered, repositories = total + len(sources), covered + good, repositories + 1
    share = 100 * covered / total if total else 0
    print(f"{covered} of {total} files of {repositories} repositories find all headers: {share:.1f} %")
    for header, files in missing.most_common():
        print(f"{files:5} {header}")
    sys.exit(0 if total and share >= options.bar else 1)


main()
