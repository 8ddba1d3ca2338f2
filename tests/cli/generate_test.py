#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `oribi help --generate` writes, read by the programs that it is for: mandoc, bash, zsh, fish.
And every example of the help runs as it stands.

usage: generate_test.py ORIBI SOURCE BUILD"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()


def generate(what):
    return subprocess.run([ORIBI, "help", "--generate", what], capture_output=True, text=True, check=True).stdout


def output(*words, **more):
    got = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120, **more)
    assert got.stderr == "", got.stderr
    return got.stdout


class Generate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def need(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"no {program} here")
        (self.at / program).write_text(generate({"mandoc": "man"}.get(program, program)))
        return str(self.at / program)

    def test_the_man_page_has_no_faults_and_every_option_with_its_letter(self):
        page = self.need("mandoc")
        said = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True,
                              check=False).stdout.splitlines()
        # The same sources give the same page on any day: it has no date.
        self.assertEqual([line for line in said if "missing date" not in line], [])
        shown = re.sub(".\b", "", output("mandoc", "-T", "ascii", page))
        for words in ("-i, --input NAME=VALUE", "--disable-pass fold|fuse|layout|batch_norm|qdq",
                      "EXAMPLES", "ENVIRONMENT", "FILES", "EXIT STATUS", "ORIBI_PLUGIN_PATH",
                      "oribi run model.onnx -i picture=@cat.png --top-k 3"):
            self.assertIn(words, shown)

    def bash(self, *words):
        script = (f'source {self.need("bash")}; COMP_WORDS=({" ".join(words)} ""); COMP_CWORD={len(words)}; '
                  '_oribi; echo "${COMPREPLY[*]}"')
        return output("bash", "-c", script, cwd=self.at).split()

    def test_bash_completes_commands_options_values_and_subcommands(self):
        self.assertIn("compare", self.bash("oribi"))
        self.assertIn("--top-k", self.bash("oribi", "run"))
        self.assertEqual(self.bash("oribi", "run", "--layout"), ["nchw", "nhwc"])
        self.assertIn("zephyr", self.bash("oribi", "compile", "--layout"))
        self.assertTrue({"check", "new", "replay"} <= set(self.bash("oribi", "plugin")))
        self.assertNotIn("FILE", self.bash("oribi", "plugin"))

    def test_fish_completes_commands_options_values_and_subcommands(self):
        page = self.need("fish")

        def complete(line):
            return [row.split("\t")[0] for row in
                    output("fish", "--no-config", "-c", f"source {page}; complete -C '{line}'", cwd=self.at).splitlines()]
        self.assertIn("compare", complete("oribi com"))
        self.assertEqual(complete("oribi run --layout "), ["nchw", "nhwc"])
        self.assertIn("replay", complete("oribi plugin re"))
        self.assertIn("--top-k", complete("oribi run --to"))

    def test_zsh_is_given_specifications_of_each_option(self):
        page = self.need("zsh")
        script = ("_arguments() { print -l -- \"$@\" }; _describe() { print -l -- ${(P)2} }\n"
                  f"words=(oribi $1); CURRENT=$2; source {page}")

        def specify(command, current):
            return output("zsh", "-f", "-c", script, "-", command, str(current)).splitlines()
        self.assertTrue(any(line.startswith("compare:") for line in specify("", 2)))
        run = specify("run", 3)
        self.assertTrue(any(line.startswith("*--layout[") and line.endswith("(nchw nhwc)") for line in run), run)
        self.assertTrue(any(line.startswith("*-i[") for line in run) and any(line.startswith("*--input[") for line in run))
        self.assertTrue(any(line.startswith("1:what:(list") for line in specify("plugin", 3)))

    def test_what_is_unknown_is_named(self):
        got = subprocess.run([ORIBI, "help", "--generate", "tcsh"], capture_output=True, text=True, check=False)
        self.assertEqual(got.returncode, 2)
        self.assertIn("wants man, bash, zsh or fish", got.stderr)

    def test_every_example_runs_as_it_stands(self):
        digits = SOURCE / "examples/digits"
        shutil.copy(digits / "digits.onnx", self.at / "model.onnx")
        shutil.copy(digits / "digits_int8.tflite", self.at / "model.tflite")
        shutil.copy(digits / "digit-3-0059.png", self.at / "cat.png")
        for folder in ("pictures", "samples"):
            (self.at / folder).mkdir()
            shutil.copy(digits / "digit-3-0059.png", self.at / folder)
        lines = [line.strip() for block in re.findall(r"^examples:\n((?:  oribi .*\n)+)", "\n".join(
            output(ORIBI, "help", c) for c in re.findall(r"^  ([\w-]+) ", output(ORIBI, "help"), re.M)), re.M)
            for line in block.splitlines()]
        self.assertGreater(len(lines), 15)
        path = {**os.environ, "PATH": f"{os.path.dirname(ORIBI)}:{os.environ['PATH']}"}
        lines.sort(key=lambda line: "result.npz" in line and " run " not in line)  # what reads it comes later
        for line in lines:
            with self.subTest(line):
                got = subprocess.run(line, shell=True, cwd=self.at, env=path, capture_output=True, text=True,
                                     check=False, timeout=300)
                # a machine that others use may well be slower than a moment before
                self.assertIn(got.returncode, (0, 1) if "--baseline" in line else (0,), got.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
