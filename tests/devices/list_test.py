#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/devices/wanted.md: its tests and functions are there and carry the label; a faulty list is seen.

    list_test.py SOURCE_FOLDER BUILD_FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE, BUILD = (pathlib.Path(p) for p in sys.argv[1:3])
LIST = (SOURCE / "tests/devices/wanted.md").read_text()
SOURCES = "".join(p.read_text() for folder in ("device", "devices", "peer") for p in (SOURCE / "tests" / folder).rglob("*")
                  if p.suffix in (".c", ".py"))


def known_tests():
    """Names and their labels."""
    text = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], capture_output=True, text=True,
                          check=True).stdout
    return {test["name"]: next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
            for test in json.loads(text)["tests"]}


def faults(text, tests):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
            if re.match(r"\| \d+ \|", line)]
    found = [] if [r[0] for r in rows] == [str(i + 1) for i in range(29)] else ["the rows are not 1 to 29"]
    for number, _, named in rows:
        names = re.findall(r"`([^`]+)`", named)
        found += [] if names else [f"row {number} names no test"]
        for test, _, function in (name.partition(": ") for name in names):
            if test not in tests:
                found.append(f"row {number}: CTest has no {test}")
            elif "devices" not in tests[test]:
                found.append(f"row {number}: {test} lacks the label")
            if function and not re.search(rf"\b(def|void) {function}\(", SOURCES):
                found.append(f"row {number}: no {function}")
    return found


class List(unittest.TestCase):
    tests = known_tests()

    def test_each_line_names_tests_that_are_there(self):
        self.assertEqual([], faults(LIST, self.tests))

    def test_all_tests_of_devices_have_the_label_and_no_others(self):
        self.assertEqual([], [name for name, labels in self.tests.items() if name.startswith("devices.") and
                              "devices" not in labels])
        for name, labels in self.tests.items():
            if "devices" in labels:
                self.assertRegex(name, r"^(devices|device|peer|frozen)\.")

    def test_a_faulty_list_is_seen(self):
        row = next(line for line in LIST.splitlines() if line.startswith("| 20 "))
        for bad in (LIST.replace(row + "\n", ""), LIST.replace("`devices.template`", "`devices.templates`"),
                    LIST.replace(": helper_functions_answer", ": helper_functions_ask"), LIST.replace(row, "| 20 | x | |"),
                    LIST.replace("`devices.template`", "`cli.command`")):
            self.assertNotEqual(bad, LIST)
            self.assertTrue(faults(bad, self.tests))


sys.exit(not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful())
