#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi run --shard --resume --rows`: do several processes, of which one is killed, leave the files of one?

    shard_test.py ORIBI SOURCE_FOLDER
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx_lite as o

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
DIGITS = SOURCE / "examples/digits/digits.onnx"
LAUNCHERS = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS")
N = 9


class Shard(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.rows = np.random.default_rng(3).random((N, 1, 8, 8), np.float32)
        np.save(self.folder / "rows.npy", self.rows)
        (self.folder / "in").mkdir()
        for i, row in enumerate(self.rows):
            np.save(self.folder / f"in/{i}.npy", row[None])

    def start(self, *words, out="out", env=None, model=DIGITS):
        (self.folder / out).mkdir(exist_ok=True)
        clean = {k: v for k, v in os.environ.items() if k not in LAUNCHERS}
        return subprocess.Popen([ORIBI, "run", model, "-o", f"{out}/r-{{}}.npz", *words], cwd=self.folder, env={**clean, **(env or {})},
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def run_one(self, *words, code=0, **more):
        process = self.start(*words, **more)
        self.err = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, code, self.err)
        return self.files(more.get("out", "out"))

    def files(self, out):
        return {p.name: p.read_bytes() for p in (self.folder / out).iterdir()}

    def whole(self, *words, **more):
        """Of one process: its results, and its record."""
        found = self.run_one(*words, "--shard", "0/1", out="whole", **more)
        self.assertEqual(self.run_one(*words, out="plain", **more), {k: v for k, v in found.items() if k != "r-parts.txt"})
        return found

    def test_shards_leave_the_files_of_one_process(self):
        whole = self.whole("-i", "picture=@in/")
        self.assertEqual(len(whole), N + 1)
        for i in (2, 0, 1):
            before = self.files("out") if i != 2 else {}
            found = self.run_one("-i", "picture=@in/", "--shard", f"{i}/3")
            self.assertEqual({k for k in found if k not in before and k != "r-parts.txt"}, {f"r-{k}.npz" for k in range(i, N, 3)})
        self.assertEqual(found, whole)

    def test_rows_of_an_array_are_runs(self):
        ports = [o.info(name, ["n", 1, 8, 8], 1) for name in ("picture", "probabilities")]
        model = self.folder / "any.onnx"
        model.write_bytes(o.model([o.node("Softmax", ["picture"], ["probabilities"])], ports[:1], ports[1:]))
        words = ["-i", "picture=@rows.npy", "--rows"]
        whole = self.whole(*words, "2", model=model)
        for i in range(2):
            found = self.run_one(*words, "2", "--shard", f"{i}/2", model=model)
        self.assertEqual(found, whole)
        each, some = ([np.load(self.folder / f"{out}/r-{i}.npz")["probabilities"] for i in range(n)]
                      for out, n in (("out", (N + 1) // 2), ("all", 1)) if out == "out" or self.run_one(*words, str(N), model=model, out=out))
        self.assertEqual([len(e) for e in each], [2, 2, 2, 2, 1])
        np.testing.assert_array_equal(np.concatenate(each), some[0])
        self.assertEqual({k: v for k, v in self.run_one(*words, "1", out="one").items()}, self.run_one("-i", "picture=@in/", out="each"))

    def test_a_shard_that_is_killed_goes_on_where_it_was(self):
        """It is killed while it reads an input that is a pipe: the runs before that one are done, the next ones not begun."""
        whole = self.whole("-i", "picture=@in/")
        pipe = self.folder / "in/4.npy"
        data = pipe.read_bytes()
        pipe.unlink()
        os.mkfifo(pipe)
        other = self.run_one("-i", "picture=@in/", "--shard", "1/2")
        self.assertEqual(sorted(other), ["r-1.npz", "r-3.npz", "r-5.npz", "r-7.npz", "r-parts.txt"])
        process = self.start("-i", "picture=@in/", "--shard", "0/2")
        writer = os.open(pipe, os.O_WRONLY)  # waits until it is being read
        process.send_signal(signal.SIGKILL)
        process.communicate()
        os.close(writer)
        self.assertEqual(sorted(set(self.files("out")) - set(other)), ["r-0.npz", "r-2.npz"])
        pipe.unlink()
        pipe.write_bytes(data)
        kept = {p.name: p.stat().st_mtime_ns for p in (self.folder / "out").iterdir()}
        found = self.run_one("-i", "picture=@in/", "--resume")  # by one process, however many there were
        self.assertEqual(found, whole)
        self.assertIn("9 of 9 runs are this shard's, 3 of them still to be done", self.err)
        now = {p.name: p.stat().st_mtime_ns for p in (self.folder / "out").iterdir()}
        self.assertEqual({k: now[k] for k in kept}, kept, "what was done is done again")

    def test_results_of_other_models_inputs_and_options_are_not_mixed(self):
        self.run_one("-i", "picture=@in/", "--shard", "0/2")
        before = self.files("out")
        for words, said in ((["-i", "picture=@rows.npy", "--rows", "2"], "inputs"), (["-i", "picture=@in/", "--isa", "any"], "options"),
                            (["-i", "picture=@in/", "--kernels", "micro"], "options")):
            self.assertEqual(self.run_one(*words, "--resume", code=4), before)
            self.assertIn(f"is of other {said} than these", self.err)
        self.run_one("-i", "picture=@in/", "--resume", "--threads", "1")
        model = self.folder / "m.onnx"
        model.write_bytes(DIGITS.read_bytes() + b"\x1a\x00")  # another name of the graph's: other bytes, the same numbers
        done = subprocess.run([ORIBI, "run", model, "-i", "picture=@in/", "-o", "out/r-{}.npz", "--resume"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("is of other model than these", done.stderr)
        (self.folder / "out/r-parts.txt").unlink()
        self.run_one("-i", "picture=@in/", "--resume", code=4)
        self.assertIn("that says of what", self.err)
        self.run_one("-i", "picture=@rows.npy", "--rows", "1", "--shard", "0/1", code=4)  # without --resume: the files exist
        self.assertIn("--force overwrites", self.err)
        self.run_one("-i", "picture=@rows.npy", "--rows", "1", "--shard", "0/1", "--force")

    def test_auto_asks_the_launchers_variables(self):
        mpi = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "3"}
        slurm = {"SLURM_PROCID": "2", "SLURM_NTASKS": "3"}
        for i, env in enumerate((mpi, {**slurm, **mpi}, {"PMI_RANK": "1", "PMI_SIZE": "3"}, {**slurm, "SLURM_PROCID": "1"})):
            found = self.run_one("-i", "picture=@in/", "--shard", "auto", out=f"auto{i}", env=env)
            self.assertEqual(sorted(found), ["r-1.npz", "r-4.npz", "r-7.npz", "r-parts.txt"])
            self.assertIn("shard 1/3", self.err)
        self.run_one("-i", "picture=@in/", "--shard", "auto", code=2)
        self.assertIn("mpirun", self.err)
        self.run_one("-i", "picture=@in/", "--shard", "auto", code=2, env={"PMI_RANK": "3", "PMI_SIZE": "3"})
        self.assertIn("PMI_RANK is '3'", self.err)

    def test_what_cannot_be_divided_is_refused(self):
        for text in ("3/3", "-1/3", "1/0", "1", "a/b", "1/3x", ""):
            self.run_one("-i", "picture=@in/", "--shard", text, code=2)
            self.assertIn("--shard wants I/N", self.err)
        done = subprocess.run([ORIBI, "run", DIGITS, "-i", "picture=@in/", "-o", "x.npz", "--shard", "0/2"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("{} in the name", done.stderr)
        self.run_one("-i", "picture=@in/", "--rows", "2", code=2)
        self.assertIn("given once", self.err)
        self.run_one("-i", "picture=scalar", "--rows", "2", code=4)
        np.save(self.folder / "scalar.npy", np.float32(1))
        self.run_one("-i", "picture=@scalar.npy", "--rows", "2", code=4)
        self.assertIn("has 0 rows", self.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
