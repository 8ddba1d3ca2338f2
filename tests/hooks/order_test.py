#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""When hooks are called: Activate as far ahead as a target asks, operators of the CPU beside those of a
device, and the timeline of the report against what a run does.

    order_test.py ORIBI SOURCE_FOLDER MADE_TARGETS
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "compile"))
from made_program import Program
from report_test import SCHEMA, Page, wrong

ORIBI, SOURCE, TARGETS = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
TINY = SOURCE.parent / "shared/models/mlperf-tiny"
ASKED = {"quick": 0, "medium": 20000, "slow": 10000000}
SHORTCUT = "model/conv2d_5/BiasAdd;model/conv2d_5/Conv2D;model/conv2d_5/BiasAdd/ReadVariableOp/resource1"
NEEDS_MODELS = unittest.skipUnless(TINY.is_dir(), "skipped: ../shared/models/mlperf-tiny is absent")


def golden(name):
    inputs = sorted((TINY / "golden" / name).glob("*input*"))[0]
    return inputs.read_bytes(), pathlib.Path(str(inputs).replace("input", "output")).read_bytes()


def runs_beside(lines, device):
    """Does operator 6 compute after operators 4 and 5 have been started, before they are waited for?"""
    at = {f"operator {i}": lines.index(f"operator {i}") for i in range(4, 8)}
    work = lines.index("work", at["operator 6"])
    begun = [i for i, line in enumerate(lines[:at["operator 6"]]) if line.startswith((f"{device} Start", f"{device} Invoke"))]
    waits = [i for i, line in enumerate(lines) if line == f"{device} Wait" and i > begun[-2]]
    return (at["operator 4"] < begun[-2] < at["operator 5"] < begun[-1] < at["operator 6"] < work
            and bool(waits) and work < waits[0])


class Order(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self, name, model, devices, *options, **more):
        return Program(ORIBI, SOURCE, TARGETS, self.folder / name, model, devices, *options, **more)

    def check_timeline(self, program, lines):
        """The report's events are what a run calls, in its order, and its sums are those of its events."""
        words = {"activate": "Activate", "open": "Open", "call": "Invoke", "start": "Start", "wait": "Wait",
                 "close": "Close", "deactivate": "Deactivate", "copy_to": "CopyTo", "copy_from": "CopyFrom", "load": "Load"}
        self.assertIsNone(wrong(program.report, SCHEMA))
        nodes, expected = program.report["nodes"], []
        since, sums = {}, {}
        for m in program.report["timeline"]:
            if m["device"] is None:
                expected.append("operator " + str(nodes[m["step"]]["operator"]))
                self.assertEqual(m["us"], nodes[m["step"]]["estimated_us"])
                continue
            expected.append(f"{m['device']} {words[m['event']]}")
            for begin, end, what in (("activate", "deactivate", "powered_us"), ("open", "close", "locked_us")):
                if m["event"] == begin:
                    since[m["device"], what] = m["at_us"]
                if m["event"] == end:
                    key = m["device"], what
                    sums[key] = sums.get(key, 0) + m["at_us"] - since[key]
        on_cpu = {n["operator"] for n in nodes if n["device"] == 0}
        seen = [" ".join(line.split()[:2]) for line in lines]
        seen = [s for s in seen if s != "work" and not s.startswith("operator") or s.startswith("operator ")
                and int(s.split()[1]) in on_cpu]
        seen = [s for s in seen if s.split()[1] not in ("CacheClean", "CacheInvalidate", "Address")]
        # Hooks that come before an operator are called after its TVMGEN_ON_OP: compare both orders apart.
        hooks = lambda events: [e for e in events if not e.startswith("operator")]
        self.assertEqual(hooks(seen), hooks(expected))
        self.assertEqual([e for e in seen if e not in hooks(seen)], [e for e in expected if e not in hooks(expected)])
        for d in program.report["devices"]:
            self.assertEqual([d["powered_us"], d["locked_us"]],
                             [sums.get((d["name"], w), 0) for w in ("powered_us", "locked_us")])
            self.assertLessEqual(d["locked_us"], d["powered_us"])

    @NEEDS_MODELS
    def test_activate_stands_as_far_ahead_as_the_target_asks_on_the_wake_words_model(self):
        positions = {}
        for kind, us in ASKED.items():
            for schedule in ("eager", "lazy"):
                program = self.program(f"{kind}{schedule}", TINY / "vww_96_int8.tflite", [kind], "--device-schedule",
                                       schedule, "--cpu-mhz", "100")
                nodes = [n for n in program.report["nodes"] if n["operator"] is not None]
                # From the estimates alone: the last operator before which the time that is asked for is left.
                use = next(n["operator"] for n in nodes if n["device"] == 1)
                ahead = [n["operator"] for n in nodes if n["operator"] <= use
                         and sum(k["estimated_us"] for k in nodes[n["operator"]:use]) >= us]
                expected = use if schedule == "lazy" else max(ahead, default=0)
                lines, _ = program.run(golden("vww_96_int8")[0])
                before = lines[:lines.index(f"{kind} Activate")]
                self.assertEqual([line for line in before if line.startswith("operator")][-1], f"operator {expected}")
                self.check_timeline(program, lines)
                positions[kind, schedule] = expected
        self.assertEqual(positions["slow", "eager"], 0)
        self.assertGreater(positions["medium", "eager"], 0)
        self.assertLess(positions["medium", "eager"], positions["quick", "eager"])
        self.assertEqual(positions["quick", "eager"], positions["slow", "lazy"])

    @NEEDS_MODELS
    def test_operator_6_runs_between_start_and_wait_of_4_and_5(self):
        inputs, expected = golden("pretrainedResnet_quant")
        model = TINY / "pretrainedResnet_quant.tflite"
        assign = ("--assign", SHORTCUT + "=cpu")
        program = self.program("beside", model, ["queued"], "--device-schedule", "hold", *assign)
        lines, out = program.run(inputs)
        self.assertEqual(out, expected)
        self.assertTrue(runs_beside(lines, "queued"))
        self.check_timeline(program, lines)
        wait = next(m for m in program.report["timeline"] if m["event"] == "wait" and m["step"] > 6)
        busy = program.report["nodes"][6]["estimated_us"]
        self.assertGreater(busy, 0)
        self.assertEqual(wait["us"], sum(program.report["nodes"][i]["estimated_us"] for i in (4, 5)) - busy)
        # What is serial is seen: another device, another schedule, a wait before the operator.
        for name, device, schedule in (("serial", "cached", "hold"), ("design", "queued", "design")):
            lines, out = self.program(name, model, [device], "--device-schedule", schedule, *assign).run(inputs)
            self.assertEqual(out, expected)
            self.assertFalse(runs_beside(lines, device), name)

        def wait_early(text):
            case = text.index("case 6:")
            wait = "(void)TVMDeviceQueuedWait(devices->queued);"
            return text[:case + 7] + "\n" + wait + text[case + 7:]
        lines, _ = self.program("planted", model, ["queued"], "--device-schedule", "hold", *assign,
                                change=wait_early).run(inputs)
        self.assertFalse(runs_beside(lines, "queued"))

    def test_timeline_is_what_a_run_does(self):
        for devices in (["cached"], ["queued"], ["a=queued", "b=queued"], ["walled", "shared"], ["kept"]):
            for schedule in ("design", "lazy", "eager", "hold") if devices == ["queued"] else ("design", "hold"):
                with self.subTest(devices=devices, schedule=schedule):
                    program = self.program(f"{devices[0]}{len(devices)}{schedule}", DIGITS, devices,
                                           "--device-schedule", schedule)
                    lines, _ = program.run(bytes(i % 17 for i in range(64)))
                    self.check_timeline(program, lines)

    def test_devices_are_on_the_page(self):
        page = self.folder / "r.html"
        subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / "c", "--plugin", TARGETS, "--target-device",
                        "npu1=queued", "--target-device", "npu2=walled", "--report", page], check=True,
                       stdout=subprocess.DEVNULL)
        text = page.read_text()
        seen = Page(text)
        self.assertEqual(seen.faults, [])
        self.assertTrue(all(link[0] == "#" and link[1:] in seen.ids for link in seen.links))
        self.assertIn("timeline of devices", text)
        for word in ("npu1", "npu2", "queued, asynchronous", "powered from 0 to", "locked from"):
            self.assertIn(word, text)

    def test_names_of_devices_and_pools_that_collide_are_refused_and_can_be_changed(self):
        def compile_it(*options):
            return subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / "c", "--force", "--name", "net", "--plugin",
                                   TARGETS, *options], capture_output=True, text=True)

        devices = ["--target-device", "NPU=queued", "--target-device", "npu=walled"]
        done = compile_it(*devices)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("device 'NPU' and device 'npu' would both be called", done.stderr)
        self.assertIn("--rename 'npu=NEW'", done.stderr)
        done = compile_it(*devices, "--rename", "npu=second")
        self.assertEqual(done.returncode, 0, done.stderr)
        header = (self.folder / "c/tvmgen_net.h").read_text()
        self.assertIn(" *npu;", header)
        self.assertIn(" *second;", header)
        program = self.program("renamed", DIGITS, ["one=queued", "two=walled"], "--rename", "device:one=one",
                               "--pool", "name=SRAM,size=1m", "--rename", "SRAM=fast")
        self.assertIn("uint8_t *fast;", program.header)
        program.run(bytes(i % 17 for i in range(64)))
        # A model's own name that is a device's, and an internal member of the devices.
        port = "NPU_MEMORY"
        done = compile_it("--target-device", "npu=walled", "--rename", f"picture={port}")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("input 'picture' and device 'npu' would both be called 'NPU_MEMORY' in C", done.stderr)
        self.assertIn("--rename 'npu=NEW'", done.stderr)
        done = compile_it("--target-device", "error=queued")  # which emitted code calls otherwise
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(" *error_;", (self.folder / "c/tvmgen_net.h").read_text())
        self.assertEqual(compile_it("--target-device", "error=queued", "--rename", "error=npu").returncode, 0)

    def test_assignments_of_no_operator_are_refused(self):
        done = subprocess.run([ORIBI, "compile", DIGITS, "-o", self.folder / "c", "--plugin", TARGETS,
                               "--target-device", "shared", "--assign", "nobody=cpu"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("'nobody=cpu': no operator has that name", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
