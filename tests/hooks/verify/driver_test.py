#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi verify --driver DIR` with the driver of somebody else: tally/, two kinds that know nothing of the examples, with
and without a memory of their own, on this machine and on an emulated Cortex-M4; what is said when such a driver is wrong,
and when its manifest is.

    driver_test.py ORIBI SOURCE_FOLDER WOOFLES_TARGET
"""
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE, WOOFLES = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
TALLY = pathlib.Path(__file__).resolve().parent / "tally"
EXAMPLES = SOURCE / "examples/accelerators"
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"
HAS_BOARD = shutil.which("qemu-system-arm") is not None and shutil.which("arm-none-eabi-gcc") is not None
TARGETS = ["host", "cortex-m4"] if HAS_BOARD else ["host"]
NOW, FAR = "tally-now", "tally-far"


class Driver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.plugin = cls.shared / "tally_target.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I", SOURCE / "include", "-I",
                        TALLY / "headers", TALLY / "target.c", "-o", cls.plugin], check=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def copied(self):
        shutil.copytree(TALLY, self.folder / "tally", dirs_exist_ok=True)
        return self.folder / "tally"

    def verify(self, devices, *options, target="host", driver=TALLY, code=0):
        arguments = [part for d in devices for part in ("--target-device", d)]
        drivers = ["--driver", driver] if driver is not None else []
        done = subprocess.run([ORIBI, "verify", DIGITS, "--runs", "1", "--target", target, "--plugin", self.plugin, *arguments,
                               *drivers, *options], capture_output=True, text=True, timeout=400)
        self.assertEqual(done.returncode, code, done.stderr)
        return done


class Strangers(Driver):
    def test_a_driver_of_somebody_else_is_verified(self):
        for target, kind, schedule in itertools.product(TARGETS, (NOW, FAR), ("design", "hold")):
            with self.subTest(target=target, kind=kind, schedule=schedule):
                done = self.verify([kind], "--device-schedule", schedule, target=target)
                self.assertIn("equal bit for bit: 1 runs", done.stdout)

    def test_it_runs_beside_a_driver_of_another_folder_and_node_by_node(self):
        devices = ["a=woofles", f"b={FAR}", f"c={NOW}", "d=uart_accel"]
        more = ["--plugin", WOOFLES, "--driver", EXAMPLES / "woofles", "--driver", EXAMPLES / "uart_accel"]
        for target in TARGETS:
            done = self.verify(devices, *more, "--per-node", target=target)
            self.assertRegex(done.stdout, r"per node +(\d\d) of \1 values")

    def test_the_devices_took_part(self):
        """One bit of a result is enough to be seen."""
        for kind, file, good, bad in (
                (NOW, "tally_now.c", "*out++ = largest", "*out++ = 1 ^ largest"),
                (FAR, "tally_far_end.c", "        end->requests++;", "        base[job->out_at] ^= 1;\n        end->requests++;")):
            folder = self.copied()
            path = folder / "src" / file
            self.assertEqual(path.read_text().count(good), 1)
            path.write_text(path.read_text().replace(good, bad))
            self.assertIn("MaxPool2d", self.verify([kind], "--per-node", driver=folder, code=1).stderr)


class Failures(Driver):
    """What a driver's functions return is told with the device, the function and the code."""

    def check(self, kind, file, good, bad, message, target="host", code=1):
        folder = self.copied()
        path = folder / "src" / file
        text = (TALLY / "src" / file).read_text()
        self.assertIn(good, text)
        path.write_text(text.replace(good, bad, 1))
        said = self.verify([kind], driver=folder, target=target, code=code).stderr
        for part in message if isinstance(message, list) else [message]:
            self.assertIn(part, said)
        shutil.rmtree(folder)

    def test_start_and_stop(self):
        for target in TARGETS:
            self.check(NOW, "tally_now.c", "    dev->is_held = 0;\n", "    dev->is_held = 0;\n    return TVM_DEVICE_E_BUSY;\n",
                       "start: device 0 (tally-now): tally_now_begin returned -32008, TVM_DEVICE_E_BUSY", target)
            self.check(NOW, "tally_now.c", "    return dev->is_held == 0 && dev", "    return dev->is_held == 7 && dev",
                       "end: device 0 (tally-now): tally_now_finish returned -32007, TVM_DEVICE_E_STATE", target)

    def test_a_hook(self):
        for target in TARGETS:
            self.check(FAR, "tally_far.c", "    return byte == (uint8_t)'k'", "    return byte == (uint8_t)'K'",
                       ["device 0 (tally-far): Invoke returned -32003, TVM_DEVICE_E_IO at operator 3 (", "MaxPool2d)"], target)
        self.check(NOW, "tally_now.c", "int32_t TVMDeviceTallyNowOpen(tvm_device_tally_now_t *dev)\n{\n",
                   "int32_t TVMDeviceTallyNowOpen(tvm_device_tally_now_t *dev)\n{\n    return 77;\n",
                   ["random inputs 1: device 0 (tally-now): Open returned 77 at operator 3 (", "MaxPool2d)"])

    def test_the_far_end(self):
        self.check(FAR, "tally_far_end.c", "    return end->window_bytes == 65000u", "    return end->window_bytes == 1u",
                   ["the far end of 'tally-far': tally_far_power_up returned -32006",
                    "the far end of device 0 (tally-far) did not start"], code=4)
        self.check(FAR, "tally_far_end.c", "int32_t tally_far_listen(struct tvm_far_end *end)\n{", "int32_t x(struct tvm_far_end *end)\n{",
                   "kinds.tally-far.far_end: its sources define no function 'tally_far_listen'", code=4)
        self.check(FAR, "tally_far_end.c", "#include \"tally.h\"", "#include \"tell.h\"",
                   ["tally_far_end.c:", "tell.h", "cannot build the far end (see above)"], code=4)

    def test_a_far_end_that_crashes(self):
        self.check(FAR, "tally_far_end.c", "        end->requests++;", "        *(volatile int *)0 = 1;\n        end->requests++;",
                   ["a far end crashed: Segmentation fault", "Invoke returned -32002, TVM_DEVICE_E_TIMEOUT at operator 3"])

    def test_a_target_without_hooks_has_no_driver(self):
        plugin = self.folder / "plain.so"
        text = (TALLY / "target.c").read_text()
        self.assertEqual(text.count(".device_api = 1"), 2)
        (self.folder / "plain.c").write_text(
            text.replace(".device_api = 1", ".device_api = 0").replace('"tally-', '"plain-').replace(".memory_bytes = 32768,", "")
            .replace("        oribi_target_set_params(", "        oribi_target_set_body(code, \"\", \"return 0;\", status);\n"
                     "        oribi_target_set_params(").replace("tally_target", "plain_target"))
        subprocess.run(["gcc", "-shared", "-fPIC", "-I", SOURCE / "include", "-I", TALLY / "headers", self.folder / "plain.c",
                        "-o", plugin], check=True)
        folder = self.copied()
        manifest = (TALLY / "driver.json").read_text().replace("tally-now", "plain-now")
        (folder / "driver.json").write_text(manifest)
        self.assertIn("the target 'plain-now' has no hooks", self.verify(["plain-now"], "--plugin", plugin, driver=folder, code=3).stderr)

    def test_what_does_not_build(self):
        self.check(NOW, "tally_now.c", "#include \"tally.h\"", "#include \"tell.h\"",
                   ["src/tally_now.c:", "cannot build", "src/tally_now.c (see above)"], code=4)


class Manifests(Driver):
    """A manifest that is wrong: what, where, and what would be right."""

    def test_the_manifest_of_the_page_is_one(self):
        text = (SOURCE / "docs/reference/driver-manifest.md").read_text().split("```json\n")[1].split("```")[0]
        kind = json.loads(text)["kinds"]["npu"]
        files = [*kind["sources"], *(f for p in kind["platforms"].values() for f in p["sources"]), *kind["verify"]["sources"],
                 *kind["far_end"]["sources"]]
        self.assertEqual(len(files), 5)
        (self.folder / "include").mkdir()
        for name in files:
            (self.folder / name).write_text("")
        (self.folder / "driver.json").write_text(text)
        self.assertIn("the kinds in --driver are 'npu'", self.verify([NOW], driver=self.folder, code=4).stderr)

    def change(self, change):
        folder = self.copied()
        manifest = json.loads((TALLY / "driver.json").read_text())
        change(manifest)
        (folder / "driver.json").write_text(json.dumps(manifest, indent=2))
        return folder

    def test_what_is_wrong_is_said_with_its_place(self):
        far, now = (f"kinds.{kind}" for kind in (FAR, NOW))

        def at(*path):
            def go(manifest):
                for key in path:
                    manifest = manifest[key]
                return manifest
            return go
        faults = [
            (lambda m: m.update(oribi_driver=2), "oribi_driver: this oribi reads manifests of version 1"),
            (lambda m: m.pop("oribi_driver"), "driver.json: the key 'oribi_driver' is missing"),
            (lambda m: m.update(kind={}), "there is no key 'kind' (did you mean 'kinds'?); the keys here are 'oribi_driver', 'kinds'"),
            (lambda m: m.update(kinds=[]), "kinds: an object with a member for each kind"),
            (lambda m: m["kinds"].update({"a b": {}}), "kinds: 'a b' is not a valid name of a kind"),
            (lambda m: at("kinds", FAR)(m).update(sorces=[]), f"{far}: there is no key 'sorces' (did you mean 'sources'?)"),
            (lambda m: at("kinds", FAR)(m).pop("include"), f"{far}: the key 'include' is missing"),
            (lambda m: at("kinds", FAR)(m).pop("far_end"), f"{far}: a platform has the transport \"line\", so the key 'far_end'"),
            (lambda m: at("kinds", NOW)(m).update(sources=["src/tally_now.c", "src/absent.c"]),
             f"{now}.sources: 'src/absent.c': No such file or directory (paths begin at"),
            (lambda m: at("kinds", NOW)(m).update(sources=["../secret.c"]), f"{now}.sources: '../secret.c' leads out of"),
            (lambda m: at("kinds", NOW)(m).update(sources=["/etc/x.c"]), f"{now}.sources: '/etc/x.c' is absolute"),
            (lambda m: at("kinds", NOW)(m).update(sources=["linked.c"]), f"{now}.sources: 'linked.c' leads out of"),
            (lambda m: at("kinds", NOW)(m).update(sources=["driver.json"]), "'driver.json' is not C: a source ends in .c or .S"),
            (lambda m: at("kinds", NOW)(m).update(sources="src/tally_now.c"), f"{now}.sources: a list of texts"),
            (lambda m: at("kinds", NOW)(m).update(sources=["src/tally_now.c", 3]), f"{now}.sources: item 1 is not a text"),
            (lambda m: at("kinds", NOW)(m).update(include=["target.c"]), f"{now}.include: 'target.c' is not a folder"),
            (lambda m: at("kinds", NOW)(m).update(include=["../"]), f"{now}.include: '../' leads out of"),
            (lambda m: at("kinds", FAR, "platforms", "posix")(m).update(transport="spi"),
             f"{far}.platforms.posix.transport: a transport is \"line\" or \"none\""),
            (lambda m: at("kinds", FAR, "platforms", "posix")(m).update(window=1), f"{far}.platforms.posix.window: an object"),
            (lambda m: at("kinds", FAR, "platforms", "posix", "window")(m).update(bytes=1 << 30),
             f"{far}.platforms.posix.window.bytes: a window has 1 to 8388608 bytes"),
            (lambda m: at("kinds", FAR, "platforms", "posix", "window")(m).update(bytes=1.5), "a window has 1 to"),
            (lambda m: at("kinds", FAR, "verify")(m).update(start="f()"), f"{far}.verify.start: the name of a C function"),
            (lambda m: at("kinds", FAR, "verify")(m).pop("stop"), f"{far}.verify: the key 'stop' is missing"),
            (lambda m: at("kinds", FAR)(m).update(platforms={}), f"{far}.platforms: an object with a member for each platform"),
        ]
        (self.folder / "secret.c").write_text("int x;\n")
        for change, message in faults:
            with self.subTest(message=message):
                folder = self.change(change)
                link = folder / "linked.c"
                link.unlink(missing_ok=True)
                link.symlink_to(self.folder / "secret.c")
                said = self.verify([NOW], driver=folder, code=4).stderr
                self.assertIn(message, said)
                self.assertIn(f"{folder}/driver.json", said)

    def test_what_is_no_json_is_said_with_its_line(self):
        folder = self.copied()
        text = (TALLY / "driver.json").read_text()
        for bad, place in (("", "at byte 0"), (text.replace('"sources": ["src/tally_now.c"],', '"sources": ["src/tally_now.c",],'), "in line 6"),
                           (text + "x", f"in line {text.count(chr(10)) + 1}"), (text[:-3], "driver.json: JSON: ")):
            (folder / "driver.json").write_text(bad)
            said = self.verify([NOW], driver=folder, code=4).stderr
            self.assertIn("JSON", said)
            self.assertIn(place, said)
        (folder / "driver.json").write_text(text.replace('"include": ["headers"],', '"include": ["headers"], "include": ["headers"],'))
        self.assertIn("the key 'include' is there twice", self.verify([NOW], driver=folder, code=4).stderr)

    def test_what_is_missing_is_said_with_what_to_do(self):
        self.assertIn("needs its driver: --driver DIR, a folder with a driver.json", self.verify([NOW], driver=None, code=2).stderr)
        self.assertIn("No such file or directory; it is a folder with a driver.json",
                      self.verify([NOW], driver=self.folder / "nowhere", code=4).stderr)
        self.assertIn("driver.json: No such file", self.verify([NOW], driver=self.folder, code=4).stderr)
        self.assertIn("there is no driver for the kind 'woofles'; the kinds in --driver are 'tally-now', 'tally-far'",
                      self.verify(["woofles"], code=4).stderr)
        self.assertIn("two drivers are for the kind 'tally-now'", self.verify([NOW], "--driver", self.copied(), code=4).stderr)
        folder = self.change(lambda m: m["kinds"][NOW]["platforms"].pop("posix"))
        self.assertIn("kinds.tally-now.platforms has no 'posix', by which devices run on host",
                      self.verify([NOW], driver=folder, code=3).stderr)
        self.assertIn("--driver has no effect without --target-device", self.verify([], code=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
