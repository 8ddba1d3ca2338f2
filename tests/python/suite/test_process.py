# SPDX-License-Identifier: Apache-2.0
"""Processes and memory: what import costs, fork, spawn, many runs, interpreters that end."""
import multiprocessing
import os
import subprocess
import sys
import unittest

from support import DIGITS, FLOAT, PICTURES, add, oribi

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = {"x": [[1.0] * 3] * 2, "y": [[2.0] * 3] * 2}


def program(code, *words):
    """Runs code with the suite's modules; what it printed."""
    done = subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1])\n" + code, HERE, *words],
                          capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"exit {done.returncode}: {done.stderr}")
    return done.stdout


def total(session):
    result = session.run(INPUTS)["z"]
    return sum(map(sum, result.tolist()))


def work(session):
    return total(session), total(oribi.Session(add(), threads=2))


class Import(unittest.TestCase):
    def test_import_reads_few_modules_and_no_numpy(self):
        """Modules stand for time, which a busy machine does not tell: docs/guide/python.md has it measured."""
        out = program("before = set(sys.modules); import ctypes; own = set(sys.modules) - before; import oribi\n"
                      "print(len(set(sys.modules) - before - own)); print(*sorted(m for m in sys.modules if m in "
                      "('numpy', 'json', 'asyncio', 'concurrent.futures', 'subprocess', 'logging', 'inspect', 'ml_dtypes')))")
        count, heavy = out.split("\n")[:2]
        self.assertEqual("", heavy)
        self.assertLessEqual(int(count), 17)

    def test_a_library_that_is_not_there_is_named(self):
        done = subprocess.run([sys.executable, "-c", "import oribi"], capture_output=True, text=True,
                              env={**os.environ, "ORIBI_LIBRARY": "/no/liboribi.so.1"})
        self.assertEqual(1, done.returncode)
        self.assertIn("/no/liboribi.so.1", done.stderr)


class Processes(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_session_goes_on_on_both_sides_of_a_fork(self):
        session = oribi.Session(add(), threads=2)
        expected = total(session)
        session.run_async(INPUTS).result()  # threads of its own, which the child has not
        read, write = os.pipe()

        child = os.fork()
        if child == 0:
            code = 1
            try:
                ok = total(session) == expected and total(oribi.Session(add(), threads=2)) == expected and \
                    session.run_async(INPUTS).result()["z"] is not None
                os.write(write, b"k" if ok else b"x")
                code = 0
            finally:
                os._exit(code)
        os.close(write)

        self.assertEqual(b"k", os.read(read, 1))
        self.assertEqual(0, os.waitpid(child, 0)[1])
        os.close(read)
        self.assertEqual(expected, total(session))

    def test_a_session_is_opened_anew_where_it_is_sent(self):
        session = oribi.Session(add(), threads=1)
        expected = total(session)
        context = multiprocessing.get_context("spawn")

        with context.Pool(1) as pool:
            self.assertEqual((expected, expected), pool.apply(work, (session,)))

    def test_an_interpreter_ends_with_everything_alive(self):
        out = program("from support import *\nimport threading\n"
                      "s = oribi.Session(DIGITS); i = oribi.picture(PICTURES[0], s.inputs[0]); r = s.run(i)\n"
                      "a = s.stream(); a.run(i); f = s.run_async(i); f.result(); t = oribi.tensor([1.0]); c = t.__dlpack__()\n"
                      "s.me = s; loop = [s]; loop.append(loop)\nprint('end')")
        self.assertEqual("end\n", out)


class Memory(unittest.TestCase):
    @unittest.skipUnless(os.path.exists("/proc/self/statm"), "there is no /proc")
    def test_a_hundred_thousand_runs_are_flat(self):
        session = oribi.Session(add((256,)), threads=1)
        x, y = (oribi.tensor([1.0] * 256, dtype="float32") for _ in range(2))
        out = oribi.empty((256,))

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(2000):
            session.run({"x": x, "y": y})
        before = resident()
        for k in range(100000):
            if k % 4:
                session.run({"x": x, "y": y})
            elif k % 8:
                session.run({"x": x, "y": y}, out={"z": out})
            else:
                session.run({"x": [1.0] * 256, "y": y} if k % 800 == 0 else {"x": x, "y": y})
        self.assertLess(resident() - before, 2 << 20)

    @unittest.skipUnless(os.path.exists("/proc/self/statm"), "there is no /proc")
    def test_sessions_that_go_leave_nothing(self):
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        data = add()
        for _ in range(50):
            oribi.Session(data, threads=1).run(INPUTS)
        before = resident()
        for _ in range(300):
            oribi.Session(data, threads=1).run(INPUTS)
        self.assertLess(resident() - before, 2 << 20)


if __name__ == "__main__":
    unittest.main()
