#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory of devices: caches and bus addresses, pools that only some see, results that go from device to
device. The cache of made_device.c is not kept like memory by anything but the hooks, so that a hook that is
missing or stands in the wrong place gives another result.

    memory_test.py ORIBI SOURCE_FOLDER MADE_TARGETS EXAMPLE_TARGETS
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from accelerators import in_turn
from made_program import Program

ORIBI, SOURCE, TARGETS, EXAMPLES = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
INPUT = bytes(i * 11 % 127 for i in range(64))
SCHEDULES = ("design", "lazy", "eager", "hold")


def places(line):
    """Memories of the tensors in a line of the log."""
    return [part.split("+")[0] for part in line.split() if re.search(r"\+\d+:\d+$", part)]


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        (cls.shared / "in.bin").write_bytes(INPUT)
        subprocess.run([ORIBI, "run", DIGITS, "--kernels", "micro", "-i", f"0=@{cls.shared / 'in.bin'}", "-o",
                        cls.shared / "out.npy"], check=True, stdout=subprocess.DEVNULL)
        data = (cls.shared / "out.npy").read_bytes()
        cls.expected = data[10 + int.from_bytes(data[8:10], "little"):]

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self, name, devices, *options, model=DIGITS, **more):
        return Program(ORIBI, SOURCE, TARGETS, self.folder / name, model, devices, *options, **more)

    def check(self, program):
        lines, out = program.run(INPUT)
        self.assertEqual(out, self.expected)
        return lines

    # --- Room -----------------------------------------------------------------------------------

    def test_operators_that_a_devices_memory_is_too_small_for_stay_on_the_cpu(self):
        for schedule in SCHEDULES:
            with self.subTest(schedule=schedule):
                program = self.program(f"tight_{schedule}", ["tight"], "--device-schedule", schedule)
                self.check(program)
                on = [n for n in program.report["nodes"] if n["device"] == 1]
                self.assertTrue(1 < len(on) < 6, on)
                self.assertLessEqual(program.report["devices"][0]["memory_used_bytes"], 1200)
        base = ["--plugin", TARGETS, "--target-device", "tight", "--json"]
        nodes = json.loads(subprocess.run([ORIBI, "inspect", DIGITS, *base], check=True, capture_output=True, text=True).stdout)["nodes"]
        off = [n for n in nodes if "the memory of 'tight' (1200 bytes) is too small for it" in n["why"]]
        self.assertTrue(off)
        self.assertEqual({n["device"] for n in off}, {"cpu"})
        # Who asked for it by name is told.
        done = subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / "c", *base[:-1],
                               *(word for n in off for word in ("--assign", f"{n['node']}=tight"))], capture_output=True, text=True)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("device 'tight' has 1200 bytes of memory, but the operators", done.stderr)

    # --- Caches ---------------------------------------------------------------------------------

    def check_hooks_of_cache(self, lines, device):
        """Round each call: lines are cleaned or dropped and addresses taken before it; results dropped after it."""
        calls = [i for i, line in enumerate(lines) if line.startswith((f"{device} Invoke", f"{device} Start"))]
        self.assertGreater(len(calls), 1)
        done = 0
        for at in calls:
            tensors = [part for part in lines[at].split() if "+" in part]
            before = lines[done:at]
            self.assertEqual([line.split()[2] for line in before if line.startswith(f"{device} Address")], tensors)
            dropped = [i for i, line in enumerate(lines) if line == f"{device} CacheInvalidate {tensors[-1]}"]
            self.assertTrue(any(done <= i < at for i in dropped), lines[at])
            end = next(i for i in range(at, len(lines)) if lines[i].startswith(f"{device} Wait")) \
                if "Start" in lines[at] else at
            self.assertTrue(any(i > end for i in dropped), lines[at])
            reader = next((i for i in range(end, len(lines)) if lines[i].startswith(("operator", "work"))), len(lines))
            self.assertTrue(any(end < i <= reader for i in dropped), lines[at])
            done = at + 1
        self.assertTrue(lines[calls[0] - 1].startswith(f"{device} Address"))
        self.assertTrue(any(line.startswith(f"{device} CacheClean in+") for line in lines[:calls[0]]))

    def test_caches_and_addresses_are_kept(self):
        for kind in ("cached", "queued", "wide"):
            for schedule in ("design", "hold"):
                with self.subTest(kind=kind, schedule=schedule):
                    program = self.program(kind + schedule, [kind], "--device-schedule", schedule)
                    self.check_hooks_of_cache(self.check(program), kind)

    def test_io_in_the_workspace_behind_a_cache(self):
        # Inputs and outputs have their lines alone there, so that nothing needs to be copied.
        text = subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / "c", "--name", "net", "--plugin", TARGETS,
                               "--target-device", "cached", "--io", "pool"], capture_output=True, text=True)
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertNotIn("memcpy(", (self.folder / "c/tvmgen_net.c").read_text())

    @unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")
    def test_models_behind_a_cache(self):
        for name, devices in (("pretrainedResnet_quant", ["a=queued", "b=queued"]), ("kws_ref_model", ["cached"])):
            inputs = sorted((TINY / "golden" / name).glob("*input*"))[0]
            program = self.program(name, devices, "--device-schedule", "hold", model=TINY / f"{name}.tflite")
            _, out = program.run(inputs.read_bytes())
            self.assertEqual(out, pathlib.Path(str(inputs).replace("input", "output")).read_bytes())

    def test_a_missing_cache_hook_is_seen(self):
        def without(hook, which):
            """Rows of the hook before, or after, their operator is described become rows of nothing."""
            def change(text):
                lines, is_described, cut = text.splitlines(), False, 0
                for i, line in enumerate(lines):
                    is_described = (is_described or "{STEP_SET_UP," in line) and "/* Operator" not in line
                    if f"{{TVM_DEVICE_HOOK_{hook}," in line and (which == "all" or (which == "after") == is_described):
                        lines[i], cut = "    {99u, 0u, 0u, 0u},", cut + 1
                self.assertGreater(cut, 0)
                return "\n".join(lines).replace("case STEP_SET_UP:", "case 99:\n            continue;\n        case STEP_SET_UP:")
            return change
        for hook, which in (("CACHE_CLEAN", "all"), ("CACHE_INVALIDATE", "before"), ("CACHE_INVALIDATE", "after")):
            with self.subTest(hook=hook, which=which):
                # Unused functions of the cut remain declared; only the calls go.
                program = self.program(hook + which, ["cached"], "--device-schedule", "hold",
                                       change=without(hook, which))
                self.assertNotEqual(program.run(INPUT)[1], self.expected)

        def without_address(text):
            self.assertIn("code = TVMDeviceCachedAddress(dev, &a->tensors[i]);", text)
            return text.replace("code = TVMDeviceCachedAddress(dev, &a->tensors[i]);", "code = 0;")
        program = self.program("address", ["cached"], change=without_address)
        lines, _ = program.run(INPUT, code=2)
        self.assertIn("code -32006 in Invoke of cached", lines[-1])

    def test_lines_and_alignment_are_the_targets(self):
        for kind, alignment, line in (("cached", 32, 32), ("wide", 128, 64), ("shared", 16, 1)):
            program = self.program(kind, [kind])
            self.assertIn(f"WORKSPACE_ALIGNMENT {alignment} ", program.header)
            touched = [part for text in self.check(program) if " Invoke " in text
                       for part in text.split() if part.startswith("workspace+")]
            self.assertGreater(len(touched), 1)
            for part in touched:
                self.assertEqual(int(part[10:].split(":")[0]) % (alignment if kind != "shared" else 4), 0, part)
            spans = sorted({tuple(map(int, part[10:].split(":"))) for part in touched})
            for offset, count in spans:
                end = -(-(offset + count) // line) * line
                live = [b for b in program.report["buffers"] if (b["offset"], b["bytes"]) == (offset, count)]
                for mine in live:
                    for other in program.report["buffers"]:
                        if (other["first_step"] <= mine["last_step"] and mine["first_step"] <= other["last_step"]
                                and other["offset"] != mine["offset"]):
                            self.assertFalse(offset < other["offset"] + other["bytes"] and other["offset"] < end,
                                             (mine, other))

    # --- Pools ----------------------------------------------------------------------------------

    def test_a_device_touches_only_pools_that_it_sees(self):
        for kind in ("shared", "cached", "queued"):
            program = self.program(kind, [f"npu={kind}"], "--pool", "name=slow", "--pool", "name=fast,device=npu",
                                   "--device-schedule", "hold")
            lines = self.check(program)
            seen = [place for line in lines if line.startswith(("npu Invoke", "npu Start")) for place in places(line)]
            self.assertGreater(len(seen), 3)
            self.assertEqual(set(seen), {"fast"})
            self.assertEqual(program.report["devices"][0]["pools"], ["fast"])
            copies = [b for b in program.report["buffers"] if b["kind"] == "copy"]
            self.assertTrue(copies, "the input of the caller is copied")
            self.assertTrue(all(b["pool"] == "fast" for b in copies))
            for pool in program.report["pools"]:
                ends = [b["offset"] + b["bytes"] for b in program.report["buffers"] if b["pool"] == pool["name"]]
                self.assertLessEqual(max(ends, default=0), pool["bytes"])

    def test_a_device_that_all_pools_name_does_not_see_the_callers_memory(self):
        for kind in ("shared", "queued"):
            program = self.program(kind, [f"npu={kind}"], "--pool", "name=fast,device=npu", "--pool", "name=slow,device=npu")
            lines = self.check(program)
            seen = {place for line in lines if line.startswith(("npu Invoke", "npu Start")) for place in places(line)}
            self.assertLessEqual(seen, {"fast", "slow"})
        # One that no pool names sees it, also where a pool is hidden from it.
        program = self.program("other", ["a=shared", "b=peer"], "--pool", "name=own,device=a,cpu=no", "--pool",
                               "name=all", "--pool", "name=more,device=a", "--assign", program.report["nodes"][0]["name"]
                               + "=b")
        lines = self.check(program)
        self.assertTrue(any(line.startswith("b Invoke 1 in+") for line in lines))

    def test_devices_of_different_pools_get_copies(self):
        pools = ("--pool", "name=left,device=a", "--pool", "name=right,device=b", "--pool", "name=rest")
        for kinds in (("shared", "peer"), ("cached", "cached"), ("queued", "shared"), ("queued", "queued")):
            for schedule in SCHEDULES:
                with self.subTest(kinds=kinds, schedule=schedule):
                    program = self.program("-".join(kinds) + schedule, [f"a={kinds[0]}", f"b={kinds[1]}"], *pools,
                                           "--device-schedule", schedule)
                    lines = self.check(program)
                    for device, pool in (("a", "left"), ("b", "right")):
                        seen = {place for line in lines if line.startswith((f"{device} Invoke", f"{device} Start"))
                                for place in places(line)}
                        self.assertEqual(seen, {pool})

    def test_a_pool_that_the_cpu_does_not_see_is_for_devices_alone(self):
        pools = ("--pool", "name=hidden,device=a,device=b,cpu=no", "--pool", "name=seen,device=a,device=b")
        program = self.program("c", ["a=shared", "b=peer"], *pools, "--device-schedule", "hold")
        lines = self.check(program)
        hidden = [b["name"] for b in program.report["buffers"] if b["pool"] == "hidden"]
        self.assertTrue(hidden)
        nodes = program.report["nodes"]
        for name in hidden:
            touching = [n for n in nodes if name in n["inputs"] + n["outputs"]]
            self.assertTrue(all(n["device"] > 0 for n in touching), name)
        for line in (program.c / "tvmgen_net.c").read_text().splitlines():
            if "hidden[" in line:
                self.assertEqual(line.strip(), "start = &hidden[0];")
        self.assertTrue(any("hidden+" in line for line in lines))

    def test_pools_of_devices_are_checked(self):
        def refused(*options):
            done = subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / "x", "--plugin", TARGETS,
                                   "--target-device", "npu=shared", *options], capture_output=True, text=True)
            self.assertIn(done.returncode, (2, 4), done.stderr)
            return done.stderr
        self.assertIn("there is no device 'nobody'", refused("--pool", "name=a,device=nobody"))
        self.assertIn("neither the CPU nor a device", refused("--pool", "name=a,cpu=no", "--pool", "name=b"))
        self.assertIn("sees no pool that the CPU sees",
                      refused("--pool", "name=a,device=npu,cpu=no", "--pool", "name=b"))
        self.assertIn("the CPU sees none", refused("--pool", "name=a,device=npu,cpu=no"))
        self.assertIn("cpu=no", refused("--pool", "name=a,cpu=maybe"))

    def test_small_pools_of_devices_are_named(self):
        done = subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / "x", "--plugin", TARGETS,
                               "--target-device", "npu=shared", "--pool", "name=fast,size=64,device=npu", "--pool",
                               "name=slow"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("'fast'", done.stderr)

    # --- From device to device ------------------------------------------------------------------

    def handed_over(self, program, words):
        """Places that device a has written and b reads at once, no operator of the CPU between them."""
        lines = self.check(program)
        calls = [line.split() for line in lines if re.match(rf"[ab] ({words})|work", line)]
        found = []
        for one, two in zip(calls, calls[1:]):
            if one[0] != two[0] and "work" not in (one[0], two[0]) and one[-1] in two[3:]:
                found.append(one[-1])
        return found

    def test_shared_memory_is_handed_over_as_it_is(self):
        for kinds in (("shared", "peer"), ("cached", "cached"), ("shared", "queued")):
            program = self.program("-".join(kinds), [f"a={kinds[0]}", f"b={kinds[1]}"], "--device-schedule", "hold")
            self.assertTrue(self.handed_over(program, "Invoke|Start"), kinds)
            text = (program.c / "tvmgen_net.c").read_text()
            copied = re.findall(r"memcpy\(([^,]*),", text)
            self.assertTrue(all("outputs->" in where for where in copied), copied)

    def test_peers_hand_over_without_the_cpu(self):
        report = self.folder / "r.json"
        subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / "c", "--plugin", EXAMPLES, "--target-device",
                        "a=woofles", "--target-device", "b=woofles", "--device-schedule", "hold", "--report", report,
                        *in_turn(ORIBI, DIGITS, EXAMPLES, ["a=woofles", "b=woofles"])], check=True, stdout=subprocess.DEVNULL)
        timeline = json.loads(report.read_text())["timeline"]
        peers = [i for i, m in enumerate(timeline) if m["event"] == "copy_peer"]
        self.assertTrue(peers)
        for i in peers:
            step = timeline[i]["step"]
            inside = [m["event"] for m in timeline if m["step"] == step]
            self.assertNotIn("copy_to", inside)
        # A kind that has no CopyPeer goes through the host's memory.
        program = self.program("walled", ["a=walled", "b=walled"], "--device-schedule", "hold",
                               *in_turn(ORIBI, DIGITS, TARGETS, ["a=walled", "b=walled"]))
        self.check(program)
        events = [m["event"] for m in program.report["timeline"]]
        self.assertNotIn("copy_peer", events)
        self.assertGreater(events.count("copy_to"), len([e for e in timeline if e["event"] == "copy_to"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
