#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `--layout` writes, against the schemas of the systems that read it, which are not here: the folder ORIBI_SCHEMAS has
those that were fetched, and this Python the packages jsonschema, xmlschema, PyYAML, pykwalify, platformio and
idf-component-manager. A schema that is not there is skipped, and all of them end with 77. Faults are planted in each.

    csolution/*.schema.json    github.com/Open-CMSIS-Pack/devtools, tools/projmgr/schemas
    PACK.xsd                   github.com/Open-CMSIS-Pack/Open-CMSIS-Pack-Spec, schema
    arduino/*.json             github.com/arduino/arduino-lint, etc/schemas
    zephyr_module.py           github.com/zephyrproject-rtos/zephyr, scripts

    layouts_test.py ORIBI SOURCE_FOLDER
"""
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
SCHEMAS = pathlib.Path(os.environ.get("ORIBI_SCHEMAS", "/nowhere"))
DIGITS = SOURCE / "examples/digits/digits_int8.tflite"


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"skipped: the package of {name} is absent")


def json_schema(folder, name):
    """A judge by the schema of that name, which refers to others of its folder."""
    jsonschema, referencing = module("jsonschema"), module("referencing")
    if not (SCHEMAS / folder / name).is_file():
        raise unittest.SkipTest(f"skipped: {folder}/{name} is absent")
    texts = [json.loads(f.read_text()) for f in (SCHEMAS / folder).glob("*.json")]
    resources = [(t["$id"], referencing.Resource.from_contents(t)) for t in texts]
    registry = referencing.Registry().with_resources(resources)
    own = json.loads((SCHEMAS / folder / name).read_text())
    return jsonschema.validators.validator_for(own)(own, registry=registry)


class Layouts(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)

    def compile(self, layout):
        folder = self.root / layout
        subprocess.run([ORIBI, "compile", DIGITS, "--name", "net", "--layout", layout, "-o", folder], check=True,
                       stdout=subprocess.DEVNULL)
        return folder

    def test_csolution_layer(self):
        judge = json_schema("csolution", "clayer.schema.json")
        layer = module("yaml").safe_load((self.compile("cmsis-pack") / "tvmgen_net.clayer.yml").read_text())
        self.assertEqual([e.message for e in judge.iter_errors(layer)], [])
        layer["layer"]["component"] = layer["layer"].pop("components")
        self.assertNotEqual(list(judge.iter_errors(layer)), [])

    def test_pack(self):
        if not (SCHEMAS / "PACK.xsd").is_file():
            self.skipTest("skipped: PACK.xsd is absent")
        judge = module("xmlschema").XMLSchema(SCHEMAS / "PACK.xsd")
        text = (self.compile("cmsis-pack") / "Oribi.tvmgen_net.pdsc").read_text()
        self.assertEqual([e.reason for e in judge.iter_errors(text)], [])
        self.assertNotEqual(list(judge.iter_errors(text.replace('category="header"', 'category="heading"'))), [])

    def test_arduino_library(self):
        judge = json_schema("arduino", "arduino-library-properties-schema.json")
        lines = (self.compile("arduino") / "library.properties").read_text().splitlines()
        library = dict(line.split("=", 1) for line in lines if line)
        self.assertEqual([e.message for e in judge.iter_errors(library)], [])
        self.assertNotEqual(list(judge.iter_errors({**library, "category": "Models"})), [])

    def test_zephyr_modules(self):
        core, yaml = module("pykwalify.core"), module("yaml")
        if not (SCHEMAS / "zephyr_module.py").is_file():
            self.skipTest("skipped: zephyr_module.py is absent")
        schema = yaml.safe_load(re.search(r"(?s)METADATA_SCHEMA = '''(.*?)'''",
                                          (SCHEMAS / "zephyr_module.py").read_text()).group(1))
        for folder in (self.compile("zephyr"), SOURCE):
            meta = yaml.safe_load((folder / "zephyr/module.yml").read_text())
            core.Core(source_data=meta, schema_data=schema).validate()
            self.assertTrue((folder / meta["build"]["cmake"] / "CMakeLists.txt").is_file())
            self.assertTrue((folder / meta["build"]["kconfig"]).is_file())
            meta["build"]["kconfigs"] = meta["build"].pop("kconfig")
            with self.assertRaises(module("pykwalify.errors").SchemaError):
                core.Core(source_data=meta, schema_data=schema).validate()

    def test_platformio_library(self):
        parser, schema = module("platformio.package.manifest.parser"), module("platformio.package.manifest.schema")
        folder = self.compile("platformio")

        # The list of licences comes from the network otherwise.
        schema.ManifestSchema.load_spdx_licenses = staticmethod(lambda: {"licenses": [{"licenseId": "0BSD"}]})

        def judge():
            found = parser.ManifestParserFactory.new_from_file(str(folder / "library.json")).as_dict()
            return schema.ManifestSchema().load_manifest(found)
        self.assertEqual(judge()["name"], "tvmgen_net")
        text = (folder / "library.json").read_text()
        (folder / "library.json").write_text(re.sub(r'"version": *"[^"]*"', '"version": "newest"', text))
        with self.assertRaises(Exception):
            judge()

    def test_esp_idf_component(self):
        manager = module("idf_component_tools.manager").ManifestManager
        folder = self.compile("esp-idf")
        self.assertEqual(str(manager(str(folder), "tvmgen_net").load().license), "0BSD")
        text = (folder / "idf_component.yml").read_text()
        (folder / "idf_component.yml").write_text(text.replace("version: ", "version: x"))
        with self.assertRaises(Exception):
            manager(str(folder), "tvmgen_net").load()


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if len(result.skipped) == result.testsRun else 0)
